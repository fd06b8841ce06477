// SPDX-License-Identifier: BSD-3-Clause
// The keys of a Lanczos job and the values that they resolve to. A key with named choices has one table of words and
// enumerators, which the key's declaration and its resolution share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "krylov/hermitian_operator.hpp"
#include "lanczos/job/symmetry_request.hpp"
#include "models/drive.hpp"
#include "models/filling.hpp"
#include "models/initial_state.hpp"
#include "models/observables.hpp"
#include "models/spectral.hpp"
#include "strata/choices.hpp"
#include "strata/config.hpp"

namespace strata::lanczos {

/// Wave-vector quantities of lattices with several sites in a cell: one sum over all sites with the phases of their
/// positions, or one quantity for each sublattice.
enum class Sublattices { summed, separate };
inline constexpr Choice<Sublattices> sublattice_choices[] = {{"summed", Sublattices::summed},
                                                             {"separate", Sublattices::separate}};

enum class RequestedArithmetic { automatic, real, complex };
inline constexpr Choice<RequestedArithmetic> arithmetic_choices[] = {{"auto", RequestedArithmetic::automatic},
                                                                     {"real", RequestedArithmetic::real},
                                                                     {"complex", RequestedArithmetic::complex}};

/// Result that a run computes; run/task.hpp has the functions of each task.
/// `thermal_spectrum`: a spectrum with spectrum.temperatures.
enum class Task { states, spectrum, thermal, evolution, levels, thermal_spectrum };
constexpr bool is_spectrum(Task task) { return task == Task::spectrum || task == Task::thermal_spectrum; }
/// The word of a task, and what the task changes in the values of other keys.
struct TaskChoice {
    const char* word;
    Task value;
    std::uint64_t steps_per_state = 0;  ///< default of run.max-steps for each further one of run.states
    RequestedArithmetic arithmetic = RequestedArithmetic::automatic;  ///< automatic: that of backend.arithmetic
};
inline constexpr TaskChoice task_choices[] = {
    {.word = "states", .value = Task::states, .steps_per_state = 100},
    {.word = "spectrum", .value = Task::spectrum},
    {.word = "thermal", .value = Task::thermal},
    {.word = "evolution", .value = Task::evolution, .arithmetic = RequestedArithmetic::complex},
    {.word = "levels", .value = Task::levels}};

/// How a trace over a sector is taken: by random vectors and their recurrences, with <r|exp(-H/T) O|r> or, at low
/// temperatures, <r|exp(-H/2T) O exp(-H/2T)|r>; or by all levels, of dense matrices.
enum class TraceMethod { random_vectors, low_temperature, all_levels };
inline constexpr Choice<TraceMethod> trace_choices[] = {{"random-vectors", TraceMethod::random_vectors},
                                                        {"low-temperature", TraceMethod::low_temperature},
                                                        {"all-levels", TraceMethod::all_levels}};

/// Exchange of rows for H_up: automatic reads rows of the same node in place and uses the method that moves less data
/// between nodes; rows sends the needed rows; transpose sends panels, so that each rank gets all rows of some panels.
enum class RequestedExchange { automatic, rows, transpose };
inline constexpr Choice<RequestedExchange> exchange_choices[] = {{"auto", RequestedExchange::automatic},
                                                                 {"rows", RequestedExchange::rows},
                                                                 {"transpose", RequestedExchange::transpose}};

/// In sectors of lattice symmetries of one spin component: hops are stored in tables, or computed in every step.
enum class Hops { stored, computed };
inline constexpr Choice<Hops> hops_choices[] = {{"stored", Hops::stored}, {"computed", Hops::computed}};

using krylov::Precision;

struct LanczosConfig : ModelConfig {
    int up = 0, down = 0;  ///< numbers of the sector (Filling)
    Conserved conserved = Conserved::numbers;
    bool all_numbers = false;  ///< the sectors of all values of the numbers, one after the other, in place of one
    SymmetryRequest symmetry;

    Task task = Task::states;
    std::uint64_t states = 1, block = 1, basis = 0;  ///< basis 0: chosen
    std::uint64_t max_steps = 0;
    double tolerance = 0;  ///< largest residual, relative to the solver's scale of energies
    bool vectors = true, allow_unconverged = false, density_matrix = false;
    std::string cut;              ///< sites whose entanglement with all others is measured; empty: none
    ObservableTexts observables;  ///< operators whose expectation values are results; no source: none
    bool degeneracy = true;       ///< whether further ground states are searched for
    Sublattices sublattices = Sublattices::summed;
    std::uint64_t seed = 1;

    struct Spectrum {
        SpectralOperator op = SpectralOperator::density;
        std::string second = {};                  ///< B of an off-diagonal spectrum; empty: of a diagonal one
        std::vector<std::int64_t> momenta;        ///< m1,m2 pairs; empty: all
        std::vector<double> omega, temperatures;  ///< temperatures: empty for the ground state
        double broadening = 0.1;
        std::uint64_t steps = 150;
        Vector3 direction = {1, 0, 0};  ///< unit vector of a current
    } spectrum;
    struct Thermal {
        std::vector<double> temperatures;
        std::uint64_t samples = 20, steps = 60;
        double chemical_potential = 0;  ///< mu of exp(-(H - mu N) / T)
        TraceMethod method = TraceMethod::random_vectors;
    } thermal;
    struct Evolution {
        InitialStateSpec initial;
        double step = 0.1;
        std::uint64_t steps = 100, krylov = 16;
        std::string op = {};        ///< observable that acts on the initial state, if one does
        FillingChange change = {};  ///< by it, which the numbers of the sector have in after_operator()
    } evolution;

    DriveSpec drive;

    /// Electrons in a sector of lattice symmetries whose H has terms beside hops and energies of sites and pairs: bit
    /// strings of both spins together.
    bool coded_electrons = false;
    std::vector<std::string> elements;  ///< names of observables whose matrix elements are requested

    struct Fidelity {
        double step = 0;                        ///< difference of one value between both Hamiltonians
        std::optional<ModelConfig> model = {};  ///< the second one, if the fidelity is requested
    } fidelity;

    struct Levels {
        double share = 1;  ///< share of the levels of a sector from whose spacings ratios are taken
    } levels;

    RequestedArithmetic arithmetic = RequestedArithmetic::automatic;
    RequestedExchange exchange = RequestedExchange::automatic;
    Hops hops = Hops::stored;
    Precision precision = Precision::double_;
    bool certified = false;  ///< single precision, with the energy and its bound by a last multiplication in doubles
    std::string simd = "auto";

    /// Whether the sector has a particle of each spin for every second site.
    bool half_filled(int sites) const {
        return conserved == Conserved::numbers && 2 * up == sites && (components() == 1 || 2 * down == sites);
    }
    /// Whether the run is in several sectors, one after the other.
    bool several_sectors() const { return all_numbers || symmetry.several(); }
    /// Whether it is a sequence of sectors, of which there may be one.
    bool in_sequence() const {
        return several_sectors() || task == Task::levels ||
               (task == Task::thermal && thermal.method == TraceMethod::all_levels);
    }
};

/// Default of run.tolerance in single precision, and largest residual of a certified energy.
inline constexpr double default_single_tolerance = 1e-5;

std::vector<Key> keys();
/// A bit string holds up to 64 sites.
inline constexpr ModelLimits model_limits = {.max_sites = 64, .amplitudes = Amplitudes::complex, .terms = TermSet::all};

/// The unit vector of "x", "y", or two or three numbers; empty if the text is none, or the vector 0.
std::optional<Vector3> parse_direction(const std::string& text);
/// The task that the keys request.
Task requested_task(const Config& config);
/// The symmetries that the keys request; a key that cannot be parsed requests none.
SymmetryRequest symmetry_request(const Config& config);
/// Resolves all keys of a Config whose values each have their type and lie in their range. Throws Error(bad_input) as
/// resolve_model() and resolve_filling() do.
LanczosConfig resolve_config(const Config& config);
/// The same job with the Hamiltonian of the initial ground state, which is another one.
LanczosConfig initial_config(const LanczosConfig& config);
/// The particles of the sector.
inline std::string particles_of(const LanczosConfig& c) { return strata::particles_of(c, {c.up, c.down, c.conserved}); }
/// The bit string with these sites set.
std::uint64_t bit_string(const std::vector<std::int64_t>& sites);
/// Largest number of steps of a recurrence: memory for so many coefficients is reserved.
constexpr std::uint64_t max_steps = 10000;

}  // namespace strata::lanczos
