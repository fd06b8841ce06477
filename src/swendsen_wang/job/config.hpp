// SPDX-License-Identifier: BSD-3-Clause
// Keys of a Swendsen-Wang job and their values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "comm/label_ownership.hpp"
#include "kernels/swendsen_wang/metropolis.hpp"
#include "kernels/swendsen_wang/potts_states.hpp"
#include "kernels/swendsen_wang/sweep.hpp"
#include "strata/choices.hpp"
#include "strata/config.hpp"

namespace strata::swendsen_wang {

/// Maximum number of sweeps, or of single clusters, of a replica, and of a run that starts from the final state of
/// another one. Each of them reserves that many sweep numbers in the counters of random numbers, which have 2^48
/// (kernels/swendsen_wang/counters.hpp).
constexpr std::uint64_t max_chained_sweeps = std::uint64_t{1} << 31;
/// Maximum number of temperatures of parallel tempering, whose replicas, one or two at each, reserve as many sweep numbers.
constexpr std::uint64_t max_temperatures = 1024;

inline constexpr Choice<Boundary> boundary_choices[] = {
    {"periodic", Boundary::periodic}, {"open", Boundary::open}, {"antiperiodic", Boundary::antiperiodic}};

/// First configuration: all spins up, all down, or random ones.
enum class Start { cold, cold_down, hot };
/// What the first configuration depends on; Potts states are all 0, or random.
struct FirstSpins {
    std::uint64_t seed = 1;
    Start start = Start::cold;
    int states = 2;
};
enum class Coordinate { beta, temperature };
enum class Update { swendsen_wang, metropolis, mixed, wolff };
/// Row of an update: what one sweep does, of flips of all clusters, single spins in the order of a checkerboard, before
/// clusters, and flips of a fixed number of single clusters, each grown from a site drawn at random.
struct UpdateRow {
    const char* word;
    Update value;
    bool all_clusters = false, single_spins = false, single_clusters = false;
};
inline constexpr UpdateRow update_rows[] = {
    {.word = "swendsen-wang", .value = Update::swendsen_wang, .all_clusters = true},
    {.word = "metropolis", .value = Update::metropolis, .single_spins = true},
    {.word = "mixed", .value = Update::mixed, .all_clusters = true, .single_spins = true},
    {.word = "wolff", .value = Update::wolff, .single_clusters = true}};
enum class Merge { automatic, exchange, tree };

struct SwendsenWangConfig {
    std::vector<std::uint64_t> extents;        ///< sites along x, y[, z], each >= 2
    double coupling = 1;                       ///< J, not 0; antiferromagnetic where it is negative
    std::vector<Boundary> boundaries;          ///< [axis]; empty: all are periodic
    double opposite = 0;                       ///< fraction of the bonds whose coupling is -J
    std::uint64_t disorder_seed = 1;           ///< of the choice of these bonds
    Coordinate coordinate = Coordinate::beta;  ///< the one of the two that the job sets
    double beta = 0;                           ///< in 1/J_unit; infinity at temperature 0
    /// Inverse temperatures of parallel tempering in descending order, `beta` the first of them; empty: one temperature.
    std::vector<double> betas;
    std::uint64_t exchange_every = 1;  ///< sweeps from one round of exchanges of temperatures to the next
    bool overlap = false;              ///< two replicas at each of these temperatures, whose overlap is measured
    int states = 2;                    ///< q of the Potts model; 2: the Ising model
    double field = 0;                  ///< h, in units of energy: H = ... - h sum s
    Update update = Update::swendsen_wang;
    std::uint64_t clusters_per_sweep = 1;  ///< single clusters; 1 for other updates
    bool clusters = true;                  ///< observables of clusters; may be false for single-spin updates alone
    std::uint64_t sweeps = 0;              ///< after `thermalization`
    /// Sweeps before the first observation; 0 if the thermalization is found in the series.
    std::uint64_t thermalization = 0;
    bool finds_thermalization = false;
    std::uint64_t measure_every = 1;
    std::uint64_t correlations = 0;  ///< largest n of structure factors and distances; 0: none are measured
    double target_error = 0;         ///< error of `target` at which the run ends; 0: it makes all sweeps
    std::string target;              ///< name of a row of the table
    std::uint64_t seed = 1;
    Start start = Start::cold;
    Merge merge = Merge::automatic;
    std::string simd;  ///< auto or the name of a variant

    std::uint64_t sites() const;
    bool tempers() const { return !betas.empty(); }
    std::uint64_t replicas() const { return tempers() ? betas.size() * (overlap ? 2 : 1) : 1; }
    double temperature() const { return 1 / beta; }
    double reduced_coupling() const { return beta * std::abs(coupling); }  ///< K = beta |J|
    double relative_field() const { return field / std::abs(coupling); }   ///< h / |J|
    int state_bits() const { return state_bits_of(states); }
    FirstSpins first_spins() const { return {seed, start, states}; }
    /// Probability that a satisfied bond is active: 1 - exp(-2 K), of the Potts model 1 - exp(-K).
    Probability bond() const { return bond_probability(states == 2 ? reduced_coupling() : reduced_coupling() / 2); }
    /// Bonds to the ghost spin; none where clusters do not flip.
    GhostSpin ghost() const;
    /// Whether clusters in a field, bound to the ghost spin or not, give estimators of the magnetisation.
    bool improves_in_field() const { return field != 0 && flips_all_clusters() && ferromagnetic(); }
    const UpdateRow& update_row() const { return *std::ranges::find(update_rows, update, &UpdateRow::value); }
    bool has_metropolis() const { return update_row().single_spins; }
    /// Whether the labelled clusters of a sweep flip, and are not drawn for observations alone.
    bool flips_all_clusters() const { return update_row().all_clusters; }
    bool grows_clusters() const { return update_row().single_clusters; }
    bool changes_clusters() const { return flips_all_clusters() || grows_clusters(); }
    /// Whether a run may stay for its whole length where it began: below the transition of the ferromagnet, single spins
    /// in domains that a quench left (from a start that is no ground state), or with one sign of the magnetisation where
    /// a weak field gives weight to both; and clusters in a field if not all couplings are positive, because nearly every
    /// large one then has sites parallel to the field and keeps its spins.
    bool may_freeze() const;
    Boundary boundary(std::size_t axis) const { return boundaries.empty() ? Boundary::periodic : boundaries[axis]; }
    bool periodic() const;
    double bonds_per_site() const;
    /// Whether the lattice has two sublattices, of which every bond has one site each.
    bool bipartite() const;
    /// Whether all couplings of existing bonds are positive.
    bool ferromagnetic() const;
    /// Whether bonds across the ends of an axis are negative after a flip of every other spin has made all bonds within the
    /// lattice positive, which a uniform sign of these allows.
    bool twisted(std::size_t axis) const;
    /// Whether bonds may exist that no configuration satisfies all at once.
    bool frustrated() const;
    /// Bonds and their signs, for the kernels.
    Couplings couplings() const;
    /// Acceptance probabilities of single-spin updates.
    MetropolisTable metropolis() const;
};

/// The application's own keys.
std::vector<Key> keys();

/// Errors that involve several keys, one sentence per error.
std::vector<std::string> validate(const Config& config);

/// The resolved values of a Config without errors.
SwendsenWangConfig resolve_config(const Config& config);

}  // namespace strata::swendsen_wang
