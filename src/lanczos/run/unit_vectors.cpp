// SPDX-License-Identifier: BSD-3-Clause
// Places are listed subspace by subspace, in which ranks have consecutive rows, so that gathered elements are in global
// order.
#include "lanczos/run/unit_vectors.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"

namespace strata::lanczos {

UnitVectors::UnitVectors(HamiltonianOperator& hamiltonian) : hamiltonian_(hamiltonian) {
    const LanczosPlan& plan = hamiltonian_.plan();
    for (std::size_t p = 0; p < plan.counts().subspace_counts().size(); ++p) {
        blocks_.emplace_back(plan.layout(p, hamiltonian_.comm().rank()).size());
        std::fill(blocks_.back().begin(), blocks_.back().end(), 0.0);
    }
}

std::vector<UnitVectors::Place> UnitVectors::places() const {
    const LanczosPlan& plan = hamiltonian_.plan();
    std::vector<Place> all;
    for (std::size_t p = 0; p < blocks_.size(); ++p) {
        const BlockLayout l = plan.layout(p, 0);
        for (std::uint64_t row = 0; row < l.dim_up; ++row)
            for (std::uint64_t column = 0; column < l.dim_down; ++column)
                if (!plan.counts().symmetric() || plan.sector().column_factor(column) != 0)
                    all.push_back({p, row, column});
    }
    return all;
}

std::vector<UnitVectors::Place> UnitVectors::places_of_states(DistributedVector& work) {
    const Communicator& comm = hamiltonian_.comm();
    std::vector<Place> all = places(), kept;
    if (!hamiltonian_.plan().counts().symmetric()) return all;
    std::vector<double> weights(all.size());
    for (std::size_t j = 0; j < all.size(); ++j) {
        set(all[j], work);
        if (const std::vector<double> own = at({all[j]}, work); comm.is_root()) weights[j] = own[0];
    }
    broadcast_bytes(comm, weights.data(), weights.size() * sizeof(double), 0);
    for (std::size_t j = 0; j < all.size(); ++j)
        if (weights[j] > 1e-9) kept.push_back(all[j]);
    return kept;
}

double UnitVectors::level_beyond_others() const {
    const Sector& sector = hamiltonian_.plan().sector();
    return 1 + 2 * std::max(std::abs(sector.lower_bound()), std::abs(sector.upper_bound()));
}

void UnitVectors::set(const Place& place, DistributedVector& out) {
    const BlockLayout l = hamiltonian_.plan().layout(place.subspace, hamiltonian_.comm().rank());
    const bool own = l.own_rows().contains(place.row);
    const auto set = [&](double value) {
        if (own) blocks_[place.subspace][l.at(place.row, place.column)] = value;
    };
    set(1);
    for (std::size_t p = 0; p < blocks_.size(); ++p) hamiltonian_.set_blocks(out, p, blocks_[p].data());
    set(0);
}

std::vector<double> UnitVectors::at(const std::vector<Place>& places, const DistributedVector& x) const {
    const Communicator& comm = hamiltonian_.comm();
    std::vector<double> all;
    auto place = places.begin();
    for (std::size_t p = 0; p < blocks_.size(); ++p) {
        const BlockLayout l = hamiltonian_.plan().layout(p, comm.rank());
        const HamiltonianOperator::Blocks blocks = hamiltonian_.blocks(x, p);
        std::vector<double> own;
        for (; place != places.end() && place->subspace == p; ++place)
            if (l.own_rows().contains(place->row)) {
                const double* number = blocks.data() + l.at(place->row, place->column);
                own.insert(own.end(), number, number + l.reals());
            }
        if (comm.size() > 1) own = gather(comm, std::span<const double>(own));
        all.insert(all.end(), own.begin(), own.end());
    }
    return all;
}

}  // namespace strata::lanczos
