// SPDX-License-Identifier: BSD-3-Clause
// Works on host copies of one subspace at a time. A row of the result needs the same row of the source only: density
// and spin are diagonal, and a down particle that comes or goes leaves the up bit string as it is.
#include "lanczos/operators.hpp"

#include <algorithm>

namespace strata::lanczos {
namespace {

BlockLayout layout(const HamiltonianOperator& hamiltonian, std::size_t subspace) {
    return hamiltonian.sector().layout(subspace, hamiltonian.plan().arithmetic(), hamiltonian.comm().size(),
                                       hamiltonian.comm().rank());
}

Buffer<double> zeros(const BlockLayout& l) {
    Buffer<double> buffer(l.size());
    std::fill(buffer.begin(), buffer.end(), 0.0);
    return buffer;
}

/// Calls row(up) for the rows of this rank.
template <class Row>
void for_each_row(const BlockLayout& l, Row row) {
    const Range own = l.own_rows();
#pragma omp parallel for schedule(static)
    for (std::uint64_t up = own.first; up < own.last; ++up) row(up);
}

void add_scaled(Complex factor, const double* x, double* out, bool complex) {
    if (!complex) {
        out[0] += factor.real() * x[0];
        return;
    }
    const Complex scaled = factor * Complex(x[0], x[1]);
    out[0] += scaled.real();
    out[1] += scaled.imag();
}

/// sum of weights over the sites that are set.
Complex weight_of(std::uint64_t sites, const std::vector<Complex>& weights) {
    Complex sum = 0;
    for (; sites != 0; sites &= sites - 1) sum += weights[static_cast<std::size_t>(__builtin_ctzll(sites))];
    return sum;
}

void apply_diagonal(SpectralOperator op, const std::vector<Complex>& weights, const HamiltonianOperator& hamiltonian,
                    const DistributedVector& x, DistributedVector& out) {
    const Sector& sector = hamiltonian.sector();
    const bool complex = hamiltonian.plan().arithmetic() == Arithmetic::complex, spin = op == SpectralOperator::spin;
    const bool spins = sector.model().statistics == Statistics::hard_core_bosons;
    Complex constant = 0;  // Sz = n - 1/2
    for (const Complex& w : weights)
        if (spin && spins) constant -= w / 2.0;
    for (std::size_t p = 0; p < sector.subspaces().size(); ++p) {
        const BlockLayout l = layout(hamiltonian, p);
        const HamiltonianOperator::Blocks from = hamiltonian.blocks(x, p);
        Buffer<double> result = zeros(l);
        for_each_row(l, [&](std::uint64_t up) {
            for (std::uint64_t d = 0; d < l.dim_down; ++d) {
                const Complex of_up = weight_of(sector.occupied(p, up, d), weights),
                              of_down = weight_of(sector.occupied_down(p, d), weights);
                const Complex factor = !spin ? of_up + of_down : spins ? of_up + constant : (of_up - of_down) / 2.0;
                add_scaled(factor, from.data() + l.at(up, d), result.data() + l.at(up, d), complex);
            }
        });
        hamiltonian.set_blocks(out, p, result.data());
    }
}

/// A particle of the second spin component comes or goes; it passes those on the sites before its own.
void apply_to_down(SpectralOperator op, const std::vector<Complex>& weights, const HamiltonianOperator& from,
                   const DistributedVector& x, const HamiltonianOperator& to, DistributedVector& out) {
    struct Term {
        std::uint64_t source;
        Complex factor;
    };
    const bool complex = from.plan().arithmetic() == Arithmetic::complex, removes = op == SpectralOperator::removal;
    const BlockLayout l = layout(from, 0), target = layout(to, 0);
    const ComponentView target_states = to.sector().subspaces()[0].down.view();
    const Combinations& sources = from.sector().subspaces()[0].down.basis();
    std::vector<std::vector<Term>> terms(target_states.dim);
    for (std::uint64_t d = 0; d < target_states.dim; ++d)
        for (std::size_t j = 0; j < weights.size(); ++j) {
            const std::uint64_t one = 1, bit = one << j;
            if (((target_states.sites[d] & bit) == 0) != removes || weights[j] == Complex(0)) continue;
            const bool minus = __builtin_popcountll(target_states.sites[d] & (bit - 1)) % 2 == 1;
            terms[d].push_back({sources.index_of(target_states.sites[d] ^ bit), minus ? -weights[j] : weights[j]});
        }
    const HamiltonianOperator::Blocks before = from.blocks(x, 0);
    Buffer<double> result = zeros(target);
    for_each_row(l, [&](std::uint64_t up) {
        for (std::uint64_t d = 0; d < target_states.dim; ++d)
            for (const Term& term : terms[d])
                add_scaled(term.factor, before.data() + l.at(up, term.source), result.data() + target.at(up, d),
                           complex);
    });
    to.set_blocks(out, 0, result.data());
}

}  // namespace

void apply_operator(SpectralOperator op, const std::vector<Complex>& weights, const HamiltonianOperator& from,
                    const DistributedVector& x, const HamiltonianOperator& to, DistributedVector& out) {
    if (op == SpectralOperator::density || op == SpectralOperator::spin)
        apply_diagonal(op, weights, from, x, out);
    else
        apply_to_down(op, weights, from, x, to, out);
}

void set_state(const HamiltonianOperator& hamiltonian, std::uint64_t up, std::uint64_t down, DistributedVector& out) {
    for (std::size_t p = 0; p < hamiltonian.sector().subspaces().size(); ++p) {
        const BlockLayout l = layout(hamiltonian, p);
        Buffer<double> result = zeros(l);
        for_each_row(l, [&](std::uint64_t row) {
            for (std::uint64_t d = 0; d < l.dim_down; ++d)
                if (hamiltonian.sector().occupied(p, row, d) == up && hamiltonian.sector().occupied_down(p, d) == down)
                    result[l.at(row, d)] = 1;
        });
        hamiltonian.set_blocks(out, p, result.data());
    }
}

}  // namespace strata::lanczos
