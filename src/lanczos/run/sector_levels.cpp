// SPDX-License-Identifier: BSD-3-Clause
// Matrices are made by multiplications with unit vectors, which costs little beside their diagonalisation, so that they
// are those of any H and sector that the other tasks have.
#include "lanczos/run/sector_levels.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"

namespace strata::lanczos {

void SectorLevels::allocate() {
    hamiltonian_.allocate();
    unit_ = hamiltonian_.space().vector();
    units_.emplace(hamiltonian_);
}

std::vector<DistributedArray> SectorLevels::state() { return {Record("progress").field("done", done_).array()}; }

const std::vector<Column>& SectorLevels::columns() const {
    static const std::vector<Column> none;
    return none;
}

/// On rank 0 P H P + beyond (1 - P), with H - offset as H.
std::optional<krylov::DenseMatrix> SectorLevels::matrix() {
    const Timers::Scope scope = timers_.scope("matrix");
    const std::vector<UnitVectors::Place> places = units_->places_of_states(unit_);
    const auto reals = static_cast<std::size_t>(plan_.reals());
    const double beyond = units_->level_beyond_others();
    std::optional<krylov::DenseMatrix> matrix;
    collectively(comm_, [&] {
        if (comm_.is_root()) matrix.emplace(places.size(), reals == 2);
    });
    const auto add = [&](std::size_t j, double factor, const std::vector<double>& column) {
        for (std::size_t i = 0; i <= j; ++i)
            matrix->add(i, j, {factor * column[i * reals], reals == 2 ? factor * column[i * reals + 1] : 0});
    };
    for (std::size_t j = 0; j < places.size(); ++j) {
        units_->set(places[j], unit_);
        hamiltonian_.apply(unit_);
        const std::vector<double> column = units_->at(places, hamiltonian_.w());
        if (comm_.is_root()) add(j, 1, column);
        if (!plan_.counts().symmetric()) continue;
        const std::vector<double> projected = units_->at(places, unit_);
        if (!comm_.is_root()) continue;
        add(j, -beyond, projected);
        matrix->add(j, j, beyond);
    }
    return matrix;
}

void SectorLevels::step(std::uint64_t) {
    std::optional<krylov::DenseMatrix> h = matrix();
    const Sector& sector = plan_.sector();
    const double scale =
        std::max(std::abs(sector.lower_bound() - sector.offset()), std::abs(sector.upper_bound() - sector.offset()));
    const Timers::Scope scope = timers_.scope("diagonalisation");
    levels_.assign(static_cast<std::size_t>(plan_.dimension()), 0);
    collectively(comm_, [&] {
        if (!comm_.is_root()) return;
        const std::vector<double> all = h->levels(scale);
        std::copy(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(levels_.size()), levels_.begin());
    });
    broadcast_bytes(comm_, levels_.data(), levels_.size() * sizeof(double), 0);
    for (double& level : levels_) level += plan_.sector().offset();
    done_ = 1;
}

}  // namespace strata::lanczos
