// SPDX-License-Identifier: BSD-3-Clause
// The complex form of a state needs bases of right blocks in which J acts. They are found in a sweep to the left from the last
// site, where J is a matrix of 2 x 2, each from the density matrix of both parts.
#include "dmrg/run/complex_state.hpp"

#include <cmath>

#include "dmrg/run/truncation.hpp"

namespace strata::dmrg {
namespace {

/// Weights that double precision does not resolve.
constexpr double least_weight = 1e-16;

/// Changes the bases of a chain from bond to bond to those of its density matrices.
class Rebasing {
  public:
    Rebasing(const Communicator& comm, const Algebra& algebra, Timers& timers, ChainState& chain)
        : comm_(comm), model_(chain.model()), algebra_(algebra), timers_(timers), chain_(chain) {}

    /// Makes the tensors of a side orthonormal, up to the other end; states of smaller weight than `cutoff` are not kept.
    void sweep(Side side, double cutoff) {
        while (true) {
            update(side, cutoff);
            if (chain_.centre() == (side == Side::left ? model_.sites - 2 : 0)) return;
            side == Side::left ? chain_.move_right() : chain_.move_left();
        }
    }

  private:
    void update(Side side, double cutoff) {
        const TruncationOptions options = {std::uint64_t{1} << 40, cutoff, 0};
        const int c = chain_.centre(), kept = side == Side::left ? c : c + 1, beside = side == Side::left ? c + 1 : c;
        const std::vector<Sectors> bonds = chain_.bonds();
        EnlargedBlock left, right;
        left.basis = enlarge(bonds[static_cast<std::size_t>(c)], model_.charges, Side::left, chain_.allowed(c + 1));
        right.basis =
            enlarge(bonds[static_cast<std::size_t>(c) + 2], model_.charges, Side::right, chain_.allowed(c + 1));
        std::vector<std::vector<Matrix>> parts = {chain_.wave_function(left.basis.sectors)};
        if (chain_.is_complex()) parts.push_back(chain_.imaginary_wave_function(left.basis.sectors));
        const EnlargedSectors& own = (side == Side::left ? left : right).basis;
        const std::vector<bool> requested = own_sectors(comm_, own);
        std::vector<Matrix> rho = density_matrices(algebra_, parts[0], side, left, right, requested);
        if (parts.size() > 1) add(density_matrices(algebra_, parts[1], side, left, right, requested), 1, rho);
        Truncation truncation = truncate(comm_, algebra_, side, own, rho, options, timers_);
        std::vector<SiteTensor> rest;
        for (const auto& part : parts) rest.push_back(remaining_tensor(algebra_, part, truncation.tensor, left, right));
        chain_.tensor(kept) = std::move(truncation.tensor);
        if (parts.size() > 1)
            chain_.set_complex(beside, std::move(rest[0]), std::move(rest[1]));
        else
            chain_.tensor(beside) = std::move(rest[0]);
    }

    const Communicator& comm_;
    const Model& model_;
    const Algebra& algebra_;
    Timers& timers_;
    ChainState& chain_;
};

}  // namespace

void make_complex(const Communicator& comm, const Algebra& algebra, Timers& timers, ChainState& chain) {
    Rebasing rebasing(comm, algebra, timers, chain);
    rebasing.sweep(Side::left, least_weight);
    const int last = chain.model().sites - 1;
    SiteTensor x = chain.tensor(last), y = times_imaginary_unit(x);
    scale(std::sqrt(0.5), x);
    scale(-std::sqrt(0.5), y);
    chain.set_complex(last, std::move(x), std::move(y));
    rebasing.sweep(Side::right, least_weight);
}

void normalise(const Communicator& comm, const Algebra& algebra, Timers& timers, ChainState& chain) {
    Rebasing rebasing(comm, algebra, timers, chain);
    rebasing.sweep(Side::left, 0);  // without orthonormal bases beside it a density matrix has no weights
    rebasing.sweep(Side::right, least_weight);
    double squares = squared_norm(chain.tensor(0).matrices);
    if (chain.is_complex()) squares += squared_norm(chain.imaginary().matrices);
    scale(1 / std::sqrt(squares), chain.tensor(0));
    if (chain.is_complex()) scale(1 / std::sqrt(squares), chain.imaginary());
}

}  // namespace strata::dmrg
