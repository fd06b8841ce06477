// SPDX-License-Identifier: BSD-3-Clause
// The distribution of the charges of a block is approximated by a Gaussian around the mean filling, with a variance
// that is chosen and not fitted; a bond has no more states than its product basis.
#include "dmrg/run/plan.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "dmrg/physics/entanglement.hpp"
#include "dmrg/run/superblock_shape.hpp"
#include "dmrg/run/tdvp.hpp"
#include "dmrg/state/block_store.hpp"
#include "dmrg/state/superblock_solver.hpp"
#include "kernels/instruction_sets.hpp"
#include "strata/formatted.hpp"

namespace strata::dmrg {
namespace {

/// Whole vectors beside those of the search: the wave function, its packed copy and what the search returns.
constexpr double wave_functions = 3;

/// Copies of the tensors of a complex state that is measured; its density matrices have two parts.
constexpr double complex_copies = 2;

/// Vectors of the Krylov space of an exponential, and those of the parts of two wave functions.
constexpr std::uint64_t evolution_vectors = krylov_dimension + 4;
/// Multiplications by H at a bond of an evolution: the spaces of both parts, forward and, of a third of the size, back.
constexpr double evolution_products = 20;

/// Memory of searches in units of that of the largest one: the matrices of every bond have other sizes, so that memory
/// that earlier bonds have freed is reused in part only. Measured on chains, ladders and cylinders of M = 300 to 900.
constexpr double reused_in_part = 1.15;

/// Bytes of the sectors and segments of a tensor and its block, of results, and of HDF5's tables of a dataset: chains
/// of 500 and 1000 spins with M = 2 and 20 needed 9000 to 10200 per site.
constexpr std::uint64_t bytes_per_site = 5500;

/// Operations per second of one core in products of a superblock (order of magnitude).
constexpr double core_rate = 16e9;

/// Sweeps of the starts that are compared, each with two of them, and products at a bond, with many small patches.
constexpr double sweeps_of_starts = 4, products_of_starts = 40;

/// Seconds of a step without its products, which dominate for small superblocks.
constexpr double least = 2e-3;

/// Whether the coupling of the two centre sites counts; a superblock represents it by copies, not by operators.
enum class CentreCoupling { counted, left_out };

/// Number of operators of a left block that couple to sites to the right of its bond, maximum over all bonds.
std::size_t max_crossing_operators(const Model& model, CentreCoupling centre) {
    std::vector<int> change(static_cast<std::size_t>(model.sites) + 2);  // [bond] change of their number
    for (std::size_t id = 0; id < model.terms.count(Side::left); ++id) {
        const PartialProduct& p = model.terms.partial(Side::left, id);
        if (centre == CentreCoupling::left_out && p.rest == PartialProduct::none && p.furthest == p.site + 1) continue;
        ++change[static_cast<std::size_t>(p.site) + 1];
        --change[static_cast<std::size_t>(p.furthest) + 1];
    }
    std::partial_sum(change.begin(), change.end(), change.begin());
    return static_cast<std::size_t>(std::ranges::max(change));
}

double cube(double x) { return x * x * x; }

double squares_of(const Sectors& bond) {
    double sum = 0;
    for (const std::uint64_t states : bond.states) sum += static_cast<double>(states) * static_cast<double>(states);
    return sum;
}

std::uint64_t bytes_of(double elements) { return static_cast<std::uint64_t>(8 * elements); }

}  // namespace

DmrgPlan::DmrgPlan(const DmrgConfig& config, int ranks, int threads, BackendKind backend, int ranks_per_node)
    : config_(config),
      ranks_(ranks),
      threads_(threads),
      ranks_per_node_(ranks_per_node),
      backend_(backend),
      stored_states_(stored_states()) {}

std::string DmrgPlan::backend_name() const {
    const std::string cpu =
        "cpu " + std::string(choose_kernels(kronecker::block_variants<double>(), config_.simd).name);
    return backend_ == BackendKind::cuda ? "cuda for large superblocks, " + cpu : cpu;
}

std::uint64_t DmrgPlan::largest_states() const {
    if (evolves()) return config_.evolution.max_states;
    if (config_.schedule.empty()) return config_.max_states;
    return std::ranges::max(config_.schedule, {}, &SweepSettings::states).states;
}

std::uint64_t DmrgPlan::stored_states() const {
    if (evolves()) return largest_states();
    return std::max(largest_states(), config_.states_of_starts());
}

/// Predicted sectors of a bond with M states.
Sectors DmrgPlan::predicted(int bond, std::uint64_t max_states) const {
    const Model& m = config_.model;
    constexpr double variance = 1.2;
    constexpr int furthest = 7;  // distance from the mean: a weight of 1e-9
    const ChargeRange all = reachable_charges(m, bond);
    const double part = static_cast<double>(bond) / m.sites;
    const double mean_up = part * m.target.up, mean_down = part * m.target.down;
    const auto from = [](double mean) { return static_cast<int>(mean) - furthest; };
    std::vector<Charge> charges;
    std::vector<double> weights;
    double total = 0;
    for (int up = std::max(all.lowest.up, from(mean_up)); up <= std::min(all.highest.up, from(mean_up) + 2 * furthest);
         ++up)
        for (int down = std::max(all.lowest.down, from(mean_down));
             down <= std::min(all.highest.down, from(mean_down) + 2 * furthest); ++down) {
            const double u = up - mean_up, d = down - mean_down;
            for (int parity = all.lowest.parity; parity <= all.highest.parity; ++parity) {
                if (!all.contains({up, down, parity})) continue;
                charges.push_back({up, down, parity});
                weights.push_back(std::exp(-(u * u + d * d) / (2 * variance)));
                total += weights.back();
            }
        }
    const auto product_states = [&](int sites) { return std::pow(static_cast<double>(m.states()), sites); };
    const double states = std::min({static_cast<double>(max_states), product_states(bond),
                                    static_cast<double>(m.end_states()) * product_states(m.sites - bond)});
    Sectors sectors;
    for (std::size_t i = 0; i < charges.size(); ++i) {
        if (states * weights[i] / total < 0.1) continue;
        sectors.charges.push_back(charges[i]);
        sectors.states.push_back(static_cast<std::uint64_t>(std::ceil(states * weights[i] / total)));
    }
    return sectors;
}

double DmrgPlan::flops_per_product(std::uint64_t max_states, int bond) const {
    const Model& m = config_.model;
    const Sectors block = predicted(std::max(0, bond - 1), max_states);
    const EnlargedSectors e = enlarge(block, m.charges, Side::left, reachable_charges(m, bond));
    double flops = 0;
    for (std::uint64_t states : e.sectors.states) flops += 4 * cube(static_cast<double>(states));
    return flops * (1 + static_cast<double>(max_crossing_operators(m, CentreCoupling::left_out)));
}

DmrgPlan::BlockBytes DmrgPlan::blocks() const {
    const Model& m = config_.model;
    const auto sums = static_cast<double>(1 + m.driven_energies.size()),
               operators = sums + static_cast<double>(max_crossing_operators(m, CentreCoupling::counted));
    std::vector<double> elements;
    for (int bond = 0; bond <= m.sites; ++bond) elements.push_back(operators * squares_of(predicted(bond)));
    const auto all = std::accumulate(elements.begin(), elements.end(), 0.0);
    double most = 0;
    for (int centre = 0; centre + 1 < m.sites; ++centre) {
        const auto [first, last] = bonds_near(centre, m.sites);
        most = std::max(most, std::accumulate(elements.begin() + first, elements.begin() + last + 1, 0.0));
    }
    // plus one that is being written, and one that is made before it replaces the old one
    return {bytes_of(all), bytes_of(std::min(all, most + 2 * std::ranges::max(elements)))};
}

/// Bonds near the middle are compared, as far from it as couplings reach: numbers of operators repeat along the chain.
DmrgPlan::AtCentre DmrgPlan::largest_superblock() const {
    const Model& m = config_.model;
    int range = 1;
    for (const Term& t : m.terms.all()) range = std::max(range, t.last_site() - t.first_site());
    const int middle = m.sites / 2 - 1, last = std::min(middle + range, m.sites - 2);
    AtCentre largest{{}, 0};
    double most = 0;
    for (int centre = std::max(0, middle - range); centre <= last; ++centre) {
        const auto side = [&](int bond, Side of) {
            return enlarge(predicted(bond), m.charges, of, reachable_charges(m, centre + 1)).sectors;
        };
        const Sectors left = side(centre, Side::left), right = side(centre + 2, Side::right);
        const double products = 1 + static_cast<double>(products_across(m, centre));
        const double squares = squares_of(left) + squares_of(right);
        if (products * squares <= most) continue;
        most = products * squares;
        largest = {superblock_shape(m, centre, left, right), squares};
    }
    return largest;
}

/// Operators and vectors of the rank that has most of them; small superblocks are not distributed.
MemoryPrediction DmrgPlan::search_memory(const superblock::Target& target) const {
    const std::uint64_t dimension = target.layout.elements();
    const bool shared = is_shared(target.layout, ranks_);
    const int threads = dimension < min_threaded_dimension ? 1 : threads_;
    const superblock::MultiplyPlan plan(target, superblock::Partition::columns, shared ? ranks_ : 1, 0, threads);
    const std::uint64_t others = evolves() ? evolution_vectors
                                           : std::min<std::uint64_t>(config_.products, max_basis) +
                                                 config_.model.end_states() * (config_.states - 1);
    MemoryPrediction largest;
    for (int rank = 0; rank < plan.ranks(); ++rank) {
        MemoryPrediction m = plan.multiply_memory<double>(rank, !shared || ranks_ <= ranks_per_node_);
        m.add(plan.vector_memory<double>(rank, others));
        if (m.host_bytes() > largest.host_bytes()) largest = std::move(m);
    }
    return largest;
}

DmrgPlan::StateSize DmrgPlan::size_of_state(std::uint64_t max_states) const {
    const Model& m = config_.model;
    StateSize size;
    Sectors left = predicted(0, max_states);
    for (int site = 0; site < m.sites; ++site) {
        Sectors right = predicted(site + 1, max_states);
        const EnlargedSectors e = enlarge(left, m.charges, Side::left, reachable_charges(m, site + 1));
        for (std::size_t s = 0; s < e.sectors.size(); ++s)
            if (const auto kept = right.find(e.sectors.charges[s]))
                size.tensors += static_cast<double>(e.sectors.states[s]) * static_cast<double>(right.states[*kept]);
        size.squares_of_bonds += squares_of(left);
        left = std::move(right);
    }
    return size;
}

MemoryPrediction DmrgPlan::memory() const {
    const Model& m = config_.model;
    const auto [tensors, squares_of_bonds] = size_of_state(stored_states_);
    const AtCentre at = largest_superblock();
    const auto vector = static_cast<double>(at.target.layout.elements());
    const auto [all, near] = blocks();
    MemoryPrediction p;
    p.host.push_back({"blocks", chains() * (on_disk() ? near : all)});
    if (on_disk()) {
        p.scratch_bytes = chains() * io::ScratchFile::bytes_for(all);
        p.scratch_directory = config_.scratch_directory;
    }
    // the packed copies and the state at time 0 of an evolution count like states found before
    const double others = evolves() ? static_cast<double>(chains()) : static_cast<double>(config_.states) - 1;
    const double real_others = evolves() ? others : static_cast<double>(m.end_states()) * others;  // x and i x of each
    p.host.push_back({"matrix product state", bytes_of(tensors)});
    if (others > 0)
        p.host.push_back({evolves() ? "second evolution and first state" : "states found before",
                          bytes_of(real_others * (4 * tensors + 2 * vector + squares_of_bonds))});
    p.host.push_back({"tables of the sites", (1 + config_.states) * bytes_per_site * std::uint64_t(m.sites)});
    const std::size_t driven = m.driven_energies.size();  // operators of a drive; with them H is summed in a copy
    p.host.push_back(
        {"enlarged blocks", bytes_of(static_cast<double>(1 + driven + std::min<std::size_t>(driven, 1)) * at.squares)});
    p.host.push_back({"superblock", bytes_of(dense_elements(at.target))});
    p.host.push_back({"wave functions", bytes_of(wave_functions * vector)});
    const MemoryPrediction search = search_memory(at.target);
    p.add(search);
    if (config_.task == Task::spectrum) {  // the ground state, of as many states as its search takes
        const DmrgPlan of_ground = of_search();
        const auto states = static_cast<std::uint64_t>(std::min(static_cast<double>(of_ground.largest_states()),
                                                                needed_factor * static_cast<double>(needed_states())));
        const StateSize ground = size_of_state(std::max(states, of_ground.config_.states_of_starts()));
        p.host.push_back({"ground state and transfers", bytes_of(4 * ground.tensors + 3 * ground.squares_of_bonds)});
    }
    // a checkpoint and measurements copy the tensors while there is no superblock, those of a complex H in the complex form
    double measured = 2 * tensors;
    if (m.complex && config_.task != Task::evolution) {
        const StateSize complex = size_of_state(2 * stored_states_);
        measured = complex_copies * complex.tensors + 2 * complex.squares_of_bonds;
    }
    const double of_search =
        static_cast<double>(search.host_bytes()) / sizeof(double) + dense_elements(at.target) + wave_functions * vector;
    const double most = reused_in_part * std::max(of_search, measured);
    p.host.push_back({"copies, and freed by other bonds", bytes_of(most - of_search)});
    if (backend_ == BackendKind::cuda) p.device = {{"superblock and vectors", search.host_bytes()}};
    p.checkpoint_bytes = bytes_of((1 + others) * tensors);
    return p;
}

/// A discarded weight w costs about energy_per_weight w for every site, in units of the largest coupling.
std::uint64_t DmrgPlan::needed_states() const {
    constexpr double energy_per_weight = 10;
    const double scale = config_.model.terms.largest();
    if (scale == 0) return 1;
    const double weight = config_.tolerance / (energy_per_weight * config_.model.sites * scale);
    const double states = states_of_weight(estimated_entropy(config_.model), std::clamp(weight, 1e-200, 1.0));
    constexpr double most = 1e9;
    return static_cast<std::uint64_t>(std::min(states, most));
}

/// M grows as in dmrg.cpp: at most by a factor of two, over at least as many sweeps as run.noise has values.
std::vector<std::uint64_t> DmrgPlan::states_of_sweeps(double last) const {
    std::vector<std::uint64_t> sweeps;
    for (const SweepSettings& s : config_.schedule) sweeps.push_back(s.states);
    const auto limit = static_cast<std::uint64_t>(std::min(last, static_cast<double>(config_.max_states)));
    std::uint64_t states = std::min(config_.start_states, config_.max_states);
    while (config_.schedule.empty() && sweeps.size() < config_.max_sweeps) {
        sweeps.push_back(states);
        if (states >= limit && sweeps.size() >= config_.noise.size()) break;
        states = std::max(states, std::min(2 * states, limit));
    }
    return sweeps;
}

/// Time of one state, from the mean over some bonds for each sweep.
double DmrgPlan::seconds(const std::vector<std::uint64_t>& sweeps) const {
    // searches end before run.products; blocks, density matrices and packing take the time of some products more
    constexpr double part_of_products = 0.5, other_products = 2.5;
    constexpr int samples = 16;
    const int sites = config_.model.sites, count = std::min(samples, sites - 1);
    const auto mean_flops = [&](std::uint64_t states) {
        double flops = 0;
        for (int i = 0; i < count; ++i) flops += flops_per_product(states, 1 + i * (sites - 1) / count) / count;
        return flops;
    };
    const double products = other_products + part_of_products * static_cast<double>(config_.products);
    double flops = sweeps_of_starts * products_of_starts * mean_flops(config_.states_of_starts());
    for (const std::uint64_t states : sweeps) flops += products * mean_flops(states);
    return static_cast<double>(bonds_per_sweep()) *
           (least * (sweeps_of_starts + static_cast<double>(sweeps.size())) + flops / (core_rate * ranks_ * threads_));
}

double DmrgPlan::seconds_per_step() const {
    if (evolves())  // that at the largest M, which an evolution reaches at its end at most
        return least + evolution_products * flops_per_product() / (core_rate * ranks_ * threads_);
    const std::vector<std::uint64_t> sweeps = states_of_sweeps();
    return seconds(sweeps) / static_cast<double>(bonds_per_sweep() * sweeps.size());
}

/// Divides the time of a Hubbard ladder of 16 sites with M up to 512 into what two ranks share and what they do not
/// (perf/results): enlarged blocks, truncation and wave functions, assumed to grow as M^2, and a tenth of the rest.
/// Vectors are exchanged in every product, and the operators of a new block once.
Work DmrgPlan::count_work() const {
    constexpr double shared_rate = 46e9, unshared = 0.11, seconds_per_square = 125e-9;
    const Model& m = config_.model;
    const double ranks = ranks_,
                 products = evolves() ? evolution_products : 0.5 * static_cast<double>(config_.products);
    const double flops = (seconds_per_step() - least) * core_rate * ranks * threads_;
    Work work;
    const std::vector<std::uint64_t> sweeps =
        evolves() ? std::vector<std::uint64_t>{largest_states()} : states_of_sweeps();
    double squares = 0;
    for (const std::uint64_t states : sweeps) squares += static_cast<double>(states) * static_cast<double>(states);
    squares /= static_cast<double>(sweeps.size());
    work.core_seconds = flops / (shared_rate * ranks);
    work.serial_seconds = least + seconds_per_square * squares + unshared * flops / shared_rate;
    work.shares_memory = true;
    if (ranks_ == 1) return work;
    const Sectors block = predicted(m.sites / 2 - 1, std::ranges::max(sweeps));
    const EnlargedSectors e = enlarge(block, m.charges, Side::left, reachable_charges(m, m.sites / 2));
    const double operators = 1 + static_cast<double>(max_crossing_operators(m, CentreCoupling::left_out));
    work.sent_bytes = 8 * (products * squares_of(e.sectors) + operators * squares_of(block)) * (ranks - 1) / ranks;
    work.messages = (products + 1) * (ranks - 1);
    work.collectives = 2 * products;
    return work;
}

}  // namespace strata::dmrg
