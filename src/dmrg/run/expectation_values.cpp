// SPDX-License-Identifier: BSD-3-Clause
// The complex form of a state needs bases of right blocks in which J acts. They are found in a sweep to the left from the last
// site, where J is a matrix of 2 x 2, each from the density matrix of both parts.
#include "dmrg/run/expectation_values.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "dmrg/run/truncation.hpp"
#include "krylov/tridiagonal.hpp"

namespace strata::dmrg {

using Part = Measurement::ComplexPart;

ExpectationValues::ExpectationValues(const Model& model, const Algebra& algebra, const ChainState& chain)
    : real_(chain.is_complex() ? Measurement(model, algebra, chain, Part::real) : Measurement(model, algebra, chain)) {
    if (chain.is_complex()) imaginary_.emplace(model, algebra, chain, Part::imaginary);
}

Measurement::Energies ExpectationValues::energies(const std::vector<Bond>& bonds) const {
    return real_.energies(bonds, imaginary_ ? &*imaginary_ : nullptr);
}

std::vector<std::complex<double>> ExpectationValues::products(const std::vector<OperatorProduct>& products) const {
    const std::vector<double> x = real_.products(products);
    std::vector<std::complex<double>> values(x.begin(), x.end());
    if (!imaginary_) return values;
    const std::vector<double> y = imaginary_->products(products);
    for (std::size_t n = 0; n < values.size(); ++n)
        if (!products[n].empty()) values[n] = {x[n], y[n]};
    return values;
}

std::vector<double> ExpectationValues::weights(int bond) const {
    const std::vector<Matrix>& x = real_.density(bond);
    std::vector<double> weights;
    for (std::size_t s = 0; s < x.size(); ++s) {
        if (x[s].empty()) continue;
        std::vector<krylov::Complex> rho(x[s].elements.begin(), x[s].elements.end());
        if (imaginary_ && !imaginary_->density(bond)[s].empty())
            for (std::size_t i = 0; i < rho.size(); ++i) rho[i].imag(imaginary_->density(bond)[s].elements[i]);
        std::ranges::copy(krylov::hermitian_values(x[s].rows, std::move(rho)), std::back_inserter(weights));
    }
    return weights;
}

namespace {

/// A change of the bases of a chain from bond to bond, which keeps all states of the density matrix.
class Rebasing {
  public:
    Rebasing(const Communicator& comm, const Model& model, const Algebra& algebra, Timers& timers, ChainState& chain)
        : comm_(comm), model_(model), algebra_(algebra), timers_(timers), chain_(chain) {}

    void sweep(Side side) {
        while (true) {
            update(side);
            if (chain_.centre() == (side == Side::left ? model_.sites - 2 : 0)) return;
            side == Side::left ? chain_.move_right() : chain_.move_left();
        }
    }

  private:
    /// Makes the tensor of a side at the centre orthonormal.
    void update(Side side) {
        constexpr TruncationOptions keep_all = {std::uint64_t{1} << 40, 1e-16, 0};
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
        Truncation truncation = truncate(comm_, algebra_, side, own, rho, keep_all, timers_);
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

void make_complex(const Communicator& comm, const Model& model, const Algebra& algebra, Timers& timers,
                  ChainState& chain) {
    Rebasing rebasing(comm, model, algebra, timers, chain);
    rebasing.sweep(Side::left);
    SiteTensor x = chain.tensor(model.sites - 1), y = times_imaginary_unit(x);
    scale(std::sqrt(0.5), x);
    scale(-std::sqrt(0.5), y);
    chain.set_complex(model.sites - 1, std::move(x), std::move(y));
    rebasing.sweep(Side::right);
}

ExpectationValues expectation_values(const Communicator& comm, const Model& model, const Algebra& algebra,
                                     Timers& timers, const ChainState& chain) {
    if (!model.complex) return {model, algebra, chain};
    ChainState complex(model, algebra);
    complex.set_tensors(chain.tensors());
    make_complex(comm, model, algebra, timers, complex);
    return {model, algebra, complex};
}

}  // namespace strata::dmrg
