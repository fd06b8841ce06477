// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/operators.hpp"

#include <algorithm>

namespace strata::lanczos {
namespace {

BlockLayout layout(const Engine& engine, std::size_t product) {
    return engine.sector().layout(product, engine.plan().arithmetic(), engine.comm().size(), engine.comm().rank());
}

Buffer<double> zeros(const BlockLayout& l) {
    Buffer<double> buffer(l.size());
    std::fill(buffer.begin(), buffer.end(), 0.0);
    return buffer;
}

/// Calls row(up) for the rows of this rank.
template <class Row>
void for_each_row(const BlockLayout& l, Row row) {
    const std::uint64_t first = std::min(l.dim_up, l.blocks.first * block_rows),
                        last = std::min(l.dim_up, l.blocks.last * block_rows);
#pragma omp parallel for schedule(static)
    for (std::uint64_t up = first; up < last; ++up) row(up);
}

void add_product(Complex factor, const double* x, double* out, bool complex) {
    if (!complex) {
        out[0] += factor.real() * x[0];
        return;
    }
    const Complex product = factor * Complex(x[0], x[1]);
    out[0] += product.real();
    out[1] += product.imag();
}

/// sum of weights over the sites that are set.
Complex weight_of(std::uint64_t sites, const std::vector<Complex>& weights) {
    Complex sum = 0;
    for (; sites != 0; sites &= sites - 1) sum += weights[static_cast<std::size_t>(__builtin_ctzll(sites))];
    return sum;
}

void apply_diagonal(SpectralOperator op, const std::vector<Complex>& weights, const Engine& engine, const Vector& x,
                    Vector& out) {
    const Sector& sector = engine.sector();
    const bool complex = engine.plan().arithmetic() == Arithmetic::complex, spin = op == SpectralOperator::spin;
    const bool spins = sector.model().statistics == Statistics::hard_core_bosons;
    Complex constant = 0;  // Sz = n - 1/2
    for (const Complex& w : weights)
        if (spin && spins) constant -= w / 2.0;
    for (std::size_t p = 0; p < sector.products().size(); ++p) {
        const BlockLayout l = layout(engine, p);
        const Engine::Blocks from = engine.blocks(x, p);
        Buffer<double> result = zeros(l);
        for_each_row(l, [&](std::uint64_t up) {
            for (std::uint64_t d = 0; d < l.dim_dn; ++d) {
                const Complex of_up = weight_of(sector.occupied(p, up, d), weights),
                              of_down = weight_of(sector.occupied_down(p, d), weights);
                const Complex factor = !spin ? of_up + of_down : spins ? of_up + constant : (of_up - of_down) / 2.0;
                add_product(factor, from.data() + l.at(up, d), result.data() + l.at(up, d), complex);
            }
        });
        engine.set_blocks(out, p, result.data());
    }
}

/// A particle of the second species comes or goes; it passes those on the sites before its own.
void apply_to_down(SpectralOperator op, const std::vector<Complex>& weights, const Engine& from, const Vector& x,
                   const Engine& to, Vector& out) {
    struct Term {
        std::uint64_t source;
        Complex factor;
    };
    const bool complex = from.plan().arithmetic() == Arithmetic::complex, removes = op == SpectralOperator::removal;
    const BlockLayout l = layout(from, 0), target = layout(to, 0);
    const SpeciesView strings = to.sector().products()[0].dn.view();
    const Combinations& sources = from.sector().products()[0].dn.basis();
    std::vector<std::vector<Term>> terms(strings.dim);
    for (std::uint64_t d = 0; d < strings.dim; ++d)
        for (std::size_t j = 0; j < weights.size(); ++j) {
            const std::uint64_t one = 1, bit = one << j;
            if (((strings.sites[d] & bit) == 0) != removes || weights[j] == Complex(0)) continue;
            const bool minus = __builtin_popcountll(strings.sites[d] & (bit - 1)) % 2 == 1;
            terms[d].push_back({sources.number(strings.sites[d] ^ bit), minus ? -weights[j] : weights[j]});
        }
    const Engine::Blocks before = from.blocks(x, 0);
    Buffer<double> result = zeros(target);
    for_each_row(l, [&](std::uint64_t up) {
        for (std::uint64_t d = 0; d < strings.dim; ++d)
            for (const Term& term : terms[d])
                add_product(term.factor, before.data() + l.at(up, term.source), result.data() + target.at(up, d),
                            complex);
    });
    to.set_blocks(out, 0, result.data());
}

}  // namespace

void apply_operator(SpectralOperator op, const std::vector<Complex>& weights, const Engine& from, const Vector& x,
                    const Engine& to, Vector& out) {
    if (op == SpectralOperator::density || op == SpectralOperator::spin)
        apply_diagonal(op, weights, from, x, out);
    else
        apply_to_down(op, weights, from, x, to, out);
}

void set_state(const Engine& engine, std::uint64_t up, std::uint64_t down, Vector& out) {
    for (std::size_t p = 0; p < engine.sector().products().size(); ++p) {
        const BlockLayout l = layout(engine, p);
        Buffer<double> result = zeros(l);
        for_each_row(l, [&](std::uint64_t row) {
            for (std::uint64_t d = 0; d < l.dim_dn; ++d)
                if (engine.sector().occupied(p, row, d) == up && engine.sector().occupied_down(p, d) == down)
                    result[l.at(row, d)] = 1;
        });
        engine.set_blocks(out, p, result.data());
    }
}

}  // namespace strata::lanczos
