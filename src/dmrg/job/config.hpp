// SPDX-License-Identifier: BSD-3-Clause
// The keys of a density-matrix renormalization and the values that they resolve to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dmrg/job/model.hpp"
#include "dmrg/job/spectrum.hpp"
#include "krylov/hermitian_operator.hpp"
#include "models/drive.hpp"
#include "models/initial_state.hpp"
#include "models/observables.hpp"
#include "strata/choices.hpp"
#include "strata/config.hpp"

namespace strata::dmrg {

/// Largest number of sweeps of a job.
inline constexpr std::size_t max_sweeps = 1000;
/// Largest parameter of a model in units of energy.
inline constexpr double max_energy = 1e6;

enum class Task { states, evolution, thermal, spectrum };
inline constexpr Choice<Task> task_choices[] = {
    {"states", Task::states}, {"evolution", Task::evolution}, {"thermal", Task::thermal}, {"spectrum", Task::spectrum}};

enum class Measured { local, correlations };
inline constexpr Choice<Measured> measured_choices[] = {{"local", Measured::local},
                                                        {"correlations", Measured::correlations}};

/// One sweep from left to right and back.
struct SweepSettings {
    std::uint64_t states = 0;  ///< bond dimension M (White: number of kept states)
    double noise = 0;
};

/// The values of an evolution in real or imaginary time.
struct EvolutionSettings {
    InitialStateSpec initial;
    Model initial_model;              ///< H of the initial state, which may be another one, in its sector
    std::vector<Bond> initial_bonds;  ///< its couplings of pairs of sites
    std::optional<OwnObservable> op;  ///< what acts on the initial state
    DriveSpec drive;
    std::vector<DrivenOperator> driven;  ///< the operators of the drive; empty: H is constant
    double step = 0.1;                   ///< time between two rows
    std::uint64_t steps = 0;             ///< rows after the first one
    std::uint64_t sweeps = 0;            ///< sweeps between two rows
    std::uint64_t max_states = 0;        ///< bond dimension of real states
    double cutoff = 0, tolerance = 0;
    bool estimates_error = true;  ///< a second evolution makes sweeps of twice the time
};

/// The values of thermal averages.
struct ThermalSettings {
    std::vector<double> temperatures;  ///< descending
    double step = 0.1;                 ///< largest 1/T of a sweep
    double chemical_potential = 0;
};

struct DmrgConfig {
    Task task = Task::states;
    EvolutionSettings evolution;
    ThermalSettings thermal;
    std::optional<SpectrumSettings> spectrum;  ///< settings of run.task = spectrum
    Model model;
    std::string lattice;                  ///< description of the lattice
    int width = 1;                        ///< sites of a rung; 1 for a chain or bonds from a file
    std::vector<Bond> bonds;              ///< couplings of pairs of sites in the order of the chain
    std::vector<double> noise;            ///< [sweep]; the last value holds for all later sweeps
    std::vector<SweepSettings> schedule;  ///< empty: M is chosen during the run
    double tolerance = 1e-8;              ///< error of the energy that ends a run without schedule
    bool has_idle_tolerance = false;      ///< a tolerance was given beside a schedule
    std::uint64_t start_states = 0, max_states = 0, max_sweeps = 0;
    std::uint64_t states = 1;         ///< number of lowest states of the sector
    std::uint64_t products = 0;       ///< largest number of multiplications by H per bond
    std::uint64_t single_sweeps = 0;  ///< number of first sweeps in single precision
    double cutoff = 0;
    Measured measured = Measured::local;
    std::vector<OwnObservable> observables;
    ObservableLists observable_lists;
    bool allow_unconverged = false;
    /// Directory of blocks that are on disk; empty: all blocks are in memory.
    std::string scratch_directory;
    std::uint64_t seed = 1;
    std::string simd = "auto";

    /// Sites of the lattice: those of the model, or half of them where others follow each (purified_model.hpp).
    int lattice_sites() const { return task == Task::thermal ? model.sites / 2 : model.sites; }
    double noise_of(std::size_t sweep) const;
    /// Bond dimension of the starts that are compared; with a smaller one they would lack charges.
    std::uint64_t states_of_starts() const { return std::max<std::uint64_t>(start_states, 64); }
};

std::vector<Key> keys();
std::vector<std::string> validate(const Config& config);
std::vector<std::string> validate_resume(const Config& before, const Config& now);
/// The job that finds the initial ground state of an evolution.
DmrgConfig search_config(const DmrgConfig& config);
/// The values of a Config whose keys have been checked for type and range. Throws Error(bad_input) for an impossible
/// lattice, list of values or sector.
DmrgConfig resolve_config(const Config& config);

}  // namespace strata::dmrg
