// SPDX-License-Identifier: BSD-3-Clause
// Charges of a block are taken to be Gaussian around the mean filling, with a variance that is chosen and not fitted;
// no sector has more states than its product basis.
#include "dmrg/plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <set>

#include "dmrg/block_store.hpp"

namespace strata::dmrg {
namespace {

/// Matrices of all sectors of an enlarged block that a superblock takes, for itself and for each operator between its
/// blocks: bounds of what small ladders and cylinders took, with the padding of small sectors.
constexpr double superblock_matrices = 10, matrices_per_operator = 16;

/// Operations per second of one core in products of the sizes of a superblock, an order of magnitude.
constexpr double core_rate = 20e9;

template <class... Values>
std::string format(const char* pattern, Values... values) {
    char text[300];
    std::snprintf(text, sizeof text, pattern, values...);
    return text;
}

/// Whether the coupling of the two sites at a bond counts, which a superblock has as copies.
enum class CentreCoupling { counted, left_out };

/// Operators of a left block that couple to the right of a bond, the most over all bonds.
std::size_t max_crossing_operators(const Model& model, CentreCoupling centre) {
    std::size_t most = 0;
    for (int bond = 1; bond < model.sites; ++bond) {
        std::set<std::pair<std::size_t, int>> crossing;
        for (const Coupling& c : model.couplings) {
            const bool at_centre = c.i == bond - 1 && c.j == bond;
            if (c.i < bond && c.j >= bond && !(at_centre && centre == CentreCoupling::left_out))
                crossing.insert({c.channel, c.i});
        }
        most = std::max(most, crossing.size());
    }
    return most;
}

double cube(double x) { return x * x * x; }

double squares_of(const Sectors& bond) {
    double sum = 0;
    for (const std::uint64_t states : bond.states) sum += static_cast<double>(states) * static_cast<double>(states);
    return sum;
}

std::uint64_t bytes_of(double elements) { return static_cast<std::uint64_t>(8 * elements); }

}  // namespace

DmrgPlan::DmrgPlan(const DmrgConfig& config, int ranks, int threads, BackendKind backend)
    : config_(config), ranks_(ranks), threads_(threads), backend_(backend), labels_(reachable_charges(config.model)) {}

std::uint64_t DmrgPlan::largest_states() const {
    if (config_.schedule.empty()) return config_.max_states;
    return std::ranges::max(config_.schedule, {}, &SweepSettings::states).states;
}

/// Sectors of a bond that keeps the largest M.
Sectors DmrgPlan::predicted(int bond) const {
    const Model& m = config_.model;
    const std::vector<Charge>& labels = labels_[static_cast<std::size_t>(bond)];
    constexpr double variance = 1.2;
    const double part = static_cast<double>(bond) / m.sites;
    std::vector<double> weights;
    double total = 0;
    for (const Charge& q : labels) {
        const double up = q.up - part * m.target.up, down = q.down - part * m.target.down;
        weights.push_back(std::exp(-(up * up + down * down) / (2 * variance)));
        total += weights.back();
    }
    const double product_states = std::pow(static_cast<double>(m.states()), std::min(bond, m.sites - bond));
    const double states = std::min(static_cast<double>(largest_states()), product_states);
    Sectors sectors;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto count = static_cast<std::uint64_t>(std::ceil(states * weights[i] / total));
        if (states * weights[i] / total < 0.1) continue;
        sectors.charges.push_back(labels[i]);
        sectors.states.push_back(count);
    }
    return sectors;
}

std::vector<std::string> DmrgPlan::description() const {
    const Model& m = config_.model;
    std::vector<std::string> lines;
    const bool spins = !m.is_fermionic();
    lines.push_back(config_.lattice + ", " + std::to_string(m.couplings.size()) + " couplings, sector " +
                    (spins ? format("Sz = %g", m.target.up - 0.5 * static_cast<double>(m.states() - 1) * m.sites)
                           : format("up %d, down %d", m.target.up, m.target.down)));
    if (config_.schedule.empty())
        lines.push_back(
            format("two-site renormalization, M grows from %llu to at most %llu until the energy is "
                   "within %g",
                   static_cast<unsigned long long>(std::min(config_.start_states, config_.max_states)),
                   static_cast<unsigned long long>(config_.max_states), config_.tolerance));
    else
        lines.push_back(format("two-site renormalization, %zu sweeps with M up to %llu", config_.schedule.size(),
                               static_cast<unsigned long long>(largest_states())));
    if (config_.states > 1)
        lines.push_back(
            format("%llu lowest states, one after another", static_cast<unsigned long long>(config_.states)));
    return lines;
}

double DmrgPlan::flops_per_product() const {
    const Model& m = config_.model;
    const int middle = m.sites / 2;
    const Sectors block = predicted(std::max(0, middle - 1));
    const EnlargedSectors e = enlarge(block, m.charges, Side::left, labels_[static_cast<std::size_t>(middle)]);
    double flops = 0;
    for (std::uint64_t states : e.sectors.states) flops += 4 * cube(static_cast<double>(states));
    return flops * (1 + static_cast<double>(max_crossing_operators(m, CentreCoupling::left_out)));
}

DmrgPlan::BlockBytes DmrgPlan::blocks() const {
    const Model& m = config_.model;
    const double operators = 1 + static_cast<double>(max_crossing_operators(m, CentreCoupling::counted));
    std::vector<double> elements;
    for (int bond = 0; bond <= m.sites; ++bond) elements.push_back(operators * squares_of(predicted(bond)));
    const auto all = std::accumulate(elements.begin(), elements.end(), 0.0);
    double most = 0;
    for (int centre = 0; centre + 1 < m.sites; ++centre) {
        const auto [first, last] = bonds_near(centre, m.sites);
        most = std::max(most, std::accumulate(elements.begin() + first, elements.begin() + last + 1, 0.0));
    }
    // one more is written, and one is made while another is still in its place
    return {bytes_of(all), bytes_of(std::min(all, most + 2 * std::ranges::max(elements)))};
}

MemoryPrediction DmrgPlan::memory() const {
    const Model& m = config_.model;
    const auto dense = static_cast<double>(max_crossing_operators(m, CentreCoupling::left_out));
    double squares_of_bonds = 0, tensors = 0, superblock = 0, vector = 0;
    for (int site = 0; site < m.sites; ++site) {
        const Sectors left = predicted(site), right = predicted(site + 1);
        double enlarged = 0, elements = 0;
        const EnlargedSectors e = enlarge(left, m.charges, Side::left, labels_[static_cast<std::size_t>(site) + 1]);
        for (std::size_t s = 0; s < e.sectors.size(); ++s) {
            const auto states = static_cast<double>(e.sectors.states[s]);
            enlarged += states * states;
            if (const auto kept = right.find(e.sectors.charges[s]))
                elements += states * static_cast<double>(right.states[*kept]);
        }
        squares_of_bonds += squares_of(left);
        tensors += elements;
        superblock = std::max(superblock, (superblock_matrices + matrices_per_operator * dense) * enlarged);
        vector = std::max(vector, enlarged);
    }
    const auto [all, near] = blocks();
    MemoryPrediction p;
    p.host.push_back({"blocks", on_disk() ? near : all});
    if (on_disk()) {
        p.scratch_bytes = io::ScratchFile::bytes_for(all);
        p.scratch_directory = config_.scratch_directory;
    }
    const double others = static_cast<double>(config_.states) - 1;
    // each in the chain, packed for a checkpoint, and measured
    p.host.push_back({"matrix product state", bytes_of(3 * tensors)});
    if (others > 0)
        p.host.push_back({"states found before", bytes_of(others * (4 * tensors + 2 * vector + squares_of_bonds))});
    p.host.push_back({"superblock", bytes_of(superblock)});
    const auto vectors = static_cast<double>(4 + std::min<std::uint64_t>(config_.products, 8) + config_.states - 1);
    p.host.push_back({"vectors", bytes_of(vector * vectors)});
    if (backend_ == BackendKind::cuda)
        p.device = {{"superblock", bytes_of(superblock)}, {"vectors", bytes_of(vector * vectors)}};
    p.checkpoint_bytes = bytes_of((1 + others) * tensors);
    return p;
}

std::vector<std::string> DmrgPlan::traffic() const {
    const auto [all, near] = blocks();
    return {format("about %.3g operations per multiplication in the middle of the chain at M = %llu",
                   flops_per_product(), static_cast<unsigned long long>(largest_states())),
            on_disk() ? "run.blocks = memory would hold all blocks in memory, " + human_bytes(all) + " per rank"
                      : "run.blocks = disk would hold " + human_bytes(near) + " of the blocks in memory and " +
                            human_bytes(io::ScratchFile::bytes_for(all)) + " on disk per rank"};
}

std::uint64_t DmrgPlan::steps() const {
    const std::uint64_t sweeps = config_.schedule.empty() ? config_.max_sweeps : config_.schedule.size();
    return 2 * (static_cast<std::uint64_t>(config_.model.sites) - 1) * sweeps * config_.states;
}

double DmrgPlan::seconds_per_step() const {
    return 1.5 * flops_per_product() * static_cast<double>(config_.products) / (core_rate * ranks_ * threads_);
}

}  // namespace strata::dmrg
