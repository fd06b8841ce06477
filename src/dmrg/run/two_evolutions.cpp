// SPDX-License-Identifier: BSD-3-Clause
// Arrays of the coarse evolution have names that begin with "coarse-".
#include "dmrg/run/two_evolutions.hpp"

#include <algorithm>

#include "comm/collectives.hpp"

namespace strata::dmrg {
namespace {

/// What the coarse evolution keeps of the states, and the factor of its cut-off.
constexpr double coarse_states = 0.75, coarse_cutoff = 10;

/// Couplings that count, in units of the largest one; weights that may be cut off, in units of those that a half sweep makes;
/// and the least weight that double precision resolves.
constexpr double least_coupling = 1e-4, of_growth = 1e-4, rounding = 1e-16;

const char* prefix_of(bool coarse) { return coarse ? "coarse-" : ""; }

}  // namespace

SweepPlace place_in_sweep(std::uint64_t step, int sites) {
    const std::uint64_t half = static_cast<std::uint64_t>(sites) - 1, at = step % (2 * half);
    if (at < half) return {static_cast<int>(at), Direction::right};
    return {static_cast<int>(2 * half - 1 - at), Direction::left};
}

TwoEvolutions::TwoEvolutions(const Communicator& comm, const Model& model, const Algebra& algebra,
                             const superblock::MakeOperator& make, Timers& timers, bool estimates_error)
    : comm_(comm), fine_(std::make_unique<Tdvp>(comm, model, algebra, make, timers)) {
    if (estimates_error) coarse_ = std::make_unique<Tdvp>(comm, model, algebra, make, timers);
}

TruncationOptions TwoEvolutions::truncation(std::uint64_t states, double cutoff, double time, bool coarse,
                                            DriveNumbers numbers) const {
    const double grown = fine_->model().terms.smallest(least_coupling, numbers) * time;
    const double most = grown > 0 ? std::max(rounding, of_growth * grown * grown) : cutoff;
    if (!coarse) return {states, std::min(cutoff, most), 0};
    const auto fewer = static_cast<std::uint64_t>(coarse_states * static_cast<double>(states));
    return {std::max<std::uint64_t>(2, fewer), std::min(coarse_cutoff * cutoff, most), 0};
}

void TwoEvolutions::use_disk(const std::string& directory) {
    if (directory.empty()) return;
    collectively(comm_, [&] { for_all([&](Tdvp& t, bool) { t.chain().blocks().use_disk(directory); }); });
}

void TwoEvolutions::prepare(bool coarse, int bond) {
    try {
        of(coarse).prepare(bond);
    } catch (const CollectiveError&) {
        for_all([](Tdvp& t, bool) { t.chain().blocks().leave_disk(); });
        throw;
    }
}

void TwoEvolutions::add_to(std::vector<DistributedArray>& arrays) {
    for_all([&](const Tdvp& t, bool coarse) {
        if (!restoring_) packed_[coarse] = PackedState::of(t.chain());
        packed_[coarse].add_to(arrays, prefix_of(coarse), t.model());
    });
}

void TwoEvolutions::resize(const std::vector<ArrayShape>& stored) {
    restoring_ = true;
    for_all([&](const Tdvp& t, bool coarse) {
        for (const ArrayShape& shape : stored)
            packed_[coarse].resize(static_cast<std::size_t>(t.model().sites), prefix_of(coarse), shape);
    });
}

void TwoEvolutions::unpack(bool coarse, const SweepPlace& last) {
    restoring_ = false;
    const int complex_site = last.direction == Direction::right ? last.bond + 1 : last.bond;
    packed_[coarse].unpack(last.bond, of(coarse).chain(), complex_site);
    of(coarse).tensors_were_set(last.direction);
}

}  // namespace strata::dmrg
