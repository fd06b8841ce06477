// SPDX-License-Identifier: BSD-3-Clause
// Rows and columns are padded to whole blocks and panels (kernels/lanczos/block_layout.hpp), with which the kernels work:
// a subspace with one bit string on one side of the lattice costs as much as one with 32. Counts of usual steps are fits
// to runs with the default tolerance: they grow with the logarithm of the dimension.
#include "lanczos/run/work.hpp"

#include <algorithm>
#include <cmath>

#include "lanczos/run/ground_state.hpp"
#include "lanczos/run/lowest_states.hpp"
#include "lanczos/run/spectrum.hpp"

namespace strata::lanczos {
namespace {

/// Seconds of one multiplication and addition per real number of vectors that are combined, beside waiting for memory.
constexpr double vector_computation = 0.12e-9;
/// Seconds of an entry of the tables of interactions between both components or halves, made for every block of rows.
constexpr double table_computation = 0.5e-9;
/// Seconds of a step besides, for small eigenvalue problems, records and sums: of a recurrence, and for a basis of n
/// vectors per n^3.
constexpr double step_overhead = 4e-5, basis_overhead = 4e-8;

/// Steps of the search for one energy, per logarithm of the dimension.
constexpr double usual_factor = 7;

double usual_search(const LanczosPlan& plan, double factor) {
    const double d = std::max(2.0, plan.dimension());
    return std::min({static_cast<double>(plan.config().max_steps), d, std::ceil(factor * std::log(d))});
}

std::uint64_t rounded(double steps) { return static_cast<std::uint64_t>(std::max(1.0, steps)); }

/// Pieces into which a step of time is divided: a Krylov space of m vectors bounds the error by about
/// (e w t / 4 m)^m for a spectrum of width w, and that must be below 1e-12.
double pieces(const LanczosPlan& plan) {
    const auto& e = plan.config().evolution;
    const auto m = static_cast<double>(e.krylov);
    const double width = plan.counts().upper_bound() - plan.counts().lower_bound();
    if (plan.dimension() <= m || !(width > 0)) return 1;
    return std::max(1.0, std::ceil(e.step * width * std::exp(1.0) / (4 * m) * std::pow(1e12, 1 / m)));
}

/// Recurrences of a spectrum for each ground state.
double recurrences(const LanczosPlan& plan) {
    const auto waves = static_cast<double>(spectral_waves(plan.config(), plan.model().lattice).size());
    return waves * (plan.arithmetic() == Arithmetic::real ? 2 : 1);
}

/// Reals that hops read, in whole panels and blocks.
double padded_hops(const LanczosPlan& plan) {
    const double reals = plan.arithmetic() == Arithmetic::complex ? 2 : 1;
    double padded = plan.counts().nonzeros() * reals;
    if (plan.counts().symmetric()) return padded;
    const auto& subspaces = plan.counts().subspace_counts();
    for (std::size_t p = 0; p < subspaces.size(); ++p) {
        const SubspaceCounts& s = subspaces[p];
        const BlockLayout l = plan.counts().layout(p, plan.arithmetic(), 1, 0);
        const double columns = static_cast<double>(l.panels() * l.panel),
                     rows = static_cast<double>(l.all_blocks() * block_rows);
        padded += static_cast<double>(s.up_entries) * (columns - reals * static_cast<double>(s.down.count())) +
                  reals * static_cast<double>(s.down_entries) * (rows - static_cast<double>(s.up.count()));
    }
    return padded;
}

/// Entries of the tables of interactions of all blocks.
double table_entries(const LanczosPlan& plan) {
    const CouplingView coupling = plan.counts().coupling();
    if (plan.counts().symmetric() || coupling.chunks == 0) return 0;
    double blocks = 0;
    for (std::size_t p = 0; p < plan.counts().subspace_counts().size(); ++p)
        blocks += static_cast<double>(plan.counts().layout(p, plan.arithmetic(), 1, 0).all_blocks());
    return blocks * coupling.chunks * std::ldexp(1.0, coupling.chunk_bits) * block_rows;
}

/// Vectors that a mean step combines beside H, as multiplications and additions per real number and as vectors read and
/// written.
struct VectorWork {
    double products = 0, moved = 0, seconds = 0;
};

VectorWork vector_work(const LanczosPlan& plan) {
    const LanczosConfig& c = plan.config();
    switch (c.task) {
        case Task::thermal: return {0, 0, step_overhead / 4};
        case Task::spectrum: return {0, 1, step_overhead};
        case Task::evolution: return {4, 5, step_overhead / 4};  // a copy, and a vector added
        case Task::states: break;
    }
    if (c.states == 1) return {1, c.vectors ? 1.0 : 0.0, step_overhead};
    // two passes of projection and subtraction; a restart rotates all vectors to those that it keeps
    const auto most = static_cast<double>(LowestStates::basis_size(plan)), states = static_cast<double>(c.states),
               kept = std::min(most - 1, states + std::floor((most - states) / 2)), mean = (kept + most) / 2;
    const double restarts = plan.dimension() <= most ? 0 : 1 / (most - kept);
    return {4 * mean + restarts * kept * most, 4 * mean + restarts * (kept + most) + 3,
            step_overhead + basis_overhead * std::pow(mean, 3)};
}

}  // namespace

std::uint64_t other_vectors(const LanczosPlan& plan) {
    const LanczosConfig& c = plan.config();
    switch (c.task) {
        case Task::spectrum: return Spectrum::ground_states(plan);
        case Task::thermal: return 0;
        case Task::evolution: return c.evolution.krylov + 2;
        case Task::states: break;
    }
    return c.states > 1 ? LowestStates::basis_size(plan) : GroundState::other_vectors(c);
}

namespace {

StepCounts steps_of_sector(const LanczosPlan& plan) {
    const LanczosConfig& c = plan.config();
    if (c.task == Task::thermal) {
        const double steps = std::min(static_cast<double>(c.thermal.steps), plan.dimension());
        return {c.thermal.samples * c.thermal.steps, rounded(static_cast<double>(c.thermal.samples) * steps)};
    }
    if (c.task == Task::evolution) {
        const double m = std::min(static_cast<double>(c.evolution.krylov), plan.dimension());
        const std::uint64_t steps = rounded(static_cast<double>(c.evolution.steps) * m * pieces(plan));
        return {steps, steps};
    }
    if (c.task == Task::states && c.states > 1) {
        const auto states = static_cast<double>(c.states);
        const double examined = c.vectors ? std::min(states, plan.dimension()) : 0;
        return {c.max_steps + c.states, rounded(usual_search(plan, 6 + 5 * states) + examined)};
    }
    // the energy, the state, the search for further states
    const std::uint64_t passes = !c.vectors ? 1 : c.degeneracy ? 3 : 2;
    const double search = usual_search(plan, usual_factor);
    StepCounts steps = {passes * c.max_steps + (c.vectors ? 1 : 0),
                        rounded(static_cast<double>(passes) * search + (c.vectors ? 1 : 0))};
    if (c.task != Task::spectrum) return steps;
    const double of_spectrum = recurrences(plan) * static_cast<double>(c.spectrum.steps),
                 usually = recurrences(plan) * std::min(static_cast<double>(c.spectrum.steps), plan.dimension());
    steps.most += static_cast<std::uint64_t>(static_cast<double>(c.states) * of_spectrum);
    steps.usually += rounded(usually);
    return steps;
}

/// Work without messages.
Work work_of_cores(const LanczosPlan& plan) {
    const double reals = plan.arithmetic() == Arithmetic::complex ? 2 : 1, ranks = plan.ranks();
    const auto vector = static_cast<double>(plan.all_vector_bytes());
    const VectorWork others = vector_work(plan);
    Work work;
    work.imbalance = std::max(1.0, static_cast<double>(plan.vector_bytes(0)) * ranks / vector);
    const double share = work.imbalance / ranks;
    work.core_seconds = share * (table_computation * table_entries(plan) +
                                 hop_computation * padded_hops(plan) * static_cast<double>(plan.real_bytes()) / 8 +
                                 vector_computation * others.products * reals * vector / 8);
    const double of_h = plan.counts().subspace_hop_counts().empty() ? 7 : 10;
    work.memory_bytes = share * (of_h + others.moved) * vector;
    work.serial_seconds = others.seconds;
    work.shares_memory = true;
    return work;
}

}  // namespace

StepCounts step_counts(const LanczosPlan& plan, std::uint64_t sectors, Momenta momenta) {
    const StepCounts one = steps_of_sector(plan);
    if (momenta != Momenta::automatic) return {sectors * one.most, sectors * std::min(one.most, one.usually)};
    const double search = usual_search(plan, usual_factor);  // the energies alone, then the lowest sector
    return {sectors * plan.config().max_steps + one.most, sectors * rounded(search) + std::min(one.most, one.usually)};
}

double seconds_on_cores(const LanczosPlan& plan) {
    constexpr double bandwidth = 28e9;  // bytes per second of one core (prediction/machine.hpp)
    const Work work = work_of_cores(plan);
    return std::hypot(work.core_seconds / plan.threads(), work.memory_bytes / bandwidth) + work.serial_seconds;
}

Work count_work(const LanczosPlan& plan) {
    const double reals = plan.arithmetic() == Arithmetic::complex ? 2 : 1;
    const double element = static_cast<double>(plan.real_bytes()) * reals, ranks = plan.ranks();
    Work work = work_of_cores(plan);
    if (plan.ranks() == 1) return work;
    work.sent_bytes =
        element * (plan.transposes() ? 2 * (ranks - 1) / ranks * plan.dimension() : plan.ghost_rows().elements) / ranks;
    work.messages = (plan.transposes() ? 2 : 1) * (ranks - 1);
    work.collectives = 2;
    return work;
}

}  // namespace strata::lanczos
