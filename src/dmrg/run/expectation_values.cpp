// SPDX-License-Identifier: BSD-3-Clause
// Both parts of a complex state are transferred alike.
#include "dmrg/run/expectation_values.hpp"

#include <algorithm>
#include <iterator>

#include "dmrg/run/complex_state.hpp"
#include "krylov/tridiagonal.hpp"

namespace strata::dmrg {

using Part = Measurement::ComplexPart;

ExpectationValues::ExpectationValues(const Model& model, const Algebra& algebra, const ChainState& chain)
    : real_(chain.is_complex() ? Measurement(model, algebra, chain, Part::real) : Measurement(model, algebra, chain)) {
    if (chain.is_complex()) imaginary_.emplace(real_.imaginary_part());
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

ExpectationValues expectation_values(const Communicator& comm, const Algebra& algebra, Timers& timers,
                                     const ChainState& chain) {
    const Model& model = chain.model();
    if (!model.complex) return {model, algebra, chain};
    ChainState complex(model, algebra);
    complex.set_tensors(chain.tensors());
    make_complex(comm, algebra, timers, complex);
    return {model, algebra, complex};
}

}  // namespace strata::dmrg
