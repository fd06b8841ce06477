// SPDX-License-Identifier: BSD-3-Clause
// Keys of a job of spin dynamics and the values that they resolve to. Texts with a syntax of their own (terms, pulses,
// patterns) are stored as text: they can be checked only once the number of spins is known (make_hamiltonian).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/model.hpp"
#include "models/observables.hpp"
#include "strata/choices.hpp"
#include "strata/config.hpp"
#include "trotter/job/observables.hpp"

namespace strata::trotter {

enum class StateType { up, neel, pattern, flipped, domain_wall, product, random, polarised_random, file };
inline constexpr Choice<StateType> state_choices[] = {{"up", StateType::up},
                                                      {"neel", StateType::neel},
                                                      {"pattern", StateType::pattern},
                                                      {"flipped", StateType::flipped},
                                                      {"domain-wall", StateType::domain_wall},
                                                      {"product", StateType::product},
                                                      {"random", StateType::random},
                                                      {"polarised-random", StateType::polarised_random},
                                                      {"file", StateType::file}};

/// Method of time evolution.
enum class Method { splitting, chebyshev };
inline constexpr Choice<Method> method_choices[] = {{"splitting", Method::splitting}, {"chebyshev", Method::chebyshev}};

/// Terms of H that a method takes.
constexpr TermSet term_set(Method method) {
    return method == Method::chebyshev ? TermSet::all : TermSet::sites_and_edges;
}

/// Scheme of the splitting of order 4.
enum class Scheme { suzuki, blanes_moan };
inline constexpr Choice<Scheme> scheme_choices[] = {{"suzuki", Scheme::suzuki}, {"blanes-moan", Scheme::blanes_moan}};

enum class Precision { double_, single };

/// Source of the plan: the job alone, a measured plan of a file, or a plan that is measured now.
enum class Tuning { off, use, refresh };
inline constexpr Choice<Tuning> tuning_choices[] = {
    {"off", Tuning::off}, {"use", Tuning::use}, {"refresh", Tuning::refresh}};

/// Largest number of spins: 2^40 amplitudes are 17.6 TB.
constexpr int max_spins = 40;

/// Smallest number of states after which the error of an ensemble is trusted: it is then known to about a fifth.
constexpr std::uint64_t min_target_states = 16;

/// Values of all keys; the lattice's type is empty for a job that names none.
struct TrotterConfig : ModelConfig {
    struct Drive {
        std::string fields, couplings;               ///< factors of all axes
        std::array<std::string, 3> field, coupling;  ///< further factors, [index_of(Axis)]
        NamedText table;                             ///< six factors at every time
        std::vector<double> reversals;               ///< times at which H changes its sign
        std::string pulses;
    } drive;

    struct State {
        StateType type = StateType::neel;
        std::string pattern;
        int spin = 0;
        std::vector<double> theta, phi;
        NamedText file;
    } state;

    Method method = Method::splitting;
    double tolerance = 0;  ///< bound of the omitted terms of the Chebyshev series of a step
    int order = 2;
    Scheme scheme = Scheme::suzuki;
    double step = 0.05;
    std::uint64_t steps = 0;
    std::uint64_t measure_every = 1;  ///< steps between observations; 0: the times below
    std::vector<double> measure_times;
    std::uint64_t measure_per_decade = 0;           ///< 0: not logarithmic
    std::uint64_t samples = 1, concurrent = 1;      ///< random states, and how many of them evolve at once
    std::vector<const ObservableRow*> observables;  ///< rows of run.observables
    ObservableTexts own_observables;                ///< operators of the user's own; no source: none
    double target_error = 0;                        ///< error of the mean at which an ensemble ends; 0: all samples
    std::string target_observable;                  ///< observable or column with that error
    std::optional<double> target_time;              ///< time of that error; the end if not set
    std::string cut;                                ///< spins of the entanglement entropy
    bool estimate_error = false;                    ///< whether a second evolution has half the step
    std::uint64_t seed = 1;

    bool echo = false;
    std::string perturbation;  ///< Sigma, terms added to H in backward evolution
    std::string echo_pulse;    ///< pulse at the turning point: axis, angle, spins

    Precision precision = Precision::double_;
    std::string simd = "auto";
    Tuning tuning = Tuning::off;
    std::string tuning_file;  ///< empty: in the user's folder for caches

    bool observes(std::string_view word) const;
    /// Whether some observable needs this.
    bool needs(Need need) const;
};

std::vector<Key> keys();
/// Resolves a Config whose values all have the right type and range. Throws Error(bad_input) for a word in
/// run.observables that is unknown or given twice.
TrotterConfig resolve_config(const Config& config);

}  // namespace strata::trotter
