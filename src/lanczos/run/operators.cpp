// SPDX-License-Identifier: BSD-3-Clause
// Operators act on host copies of one subspace at a time. A row of the result needs only the same row of the source:
// density and spin are diagonal, and the addition or removal of a down particle does not change the up bit string. In a
// sector of symmetries this also holds for representatives of the up bit strings, which are the same for every
// character.
#include "lanczos/run/operators.hpp"

#include <algorithm>

#include "comm/collectives.hpp"
#include "strata/parallel.hpp"

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

/// Adds the element x of a vector, times a factor, to the element `out` of another one.
void add_scaled(Complex factor, const double* x, const BlockLayout& from, double* out, const BlockLayout& to) {
    const Complex scaled = factor * Complex(x[0], from.reals() == 2 ? x[1] : 0);
    out[0] += scaled.real();
    if (to.reals() == 2) out[1] += scaled.imag();
}

/// Sum of the weights of the bits that are set.
Complex weight_of(std::uint64_t bits, const std::vector<Complex>& weights) {
    Complex sum = 0;
    for (; bits != 0; bits &= bits - 1) sum += weights[static_cast<std::size_t>(__builtin_ctzll(bits))];
    return sum;
}

/// A sum of n or S^z over sites: weights of the bits that Sector::occupied() and occupied_down() return, and a constant.
struct DiagonalSum {
    std::vector<Complex> of_up, of_down;
    Complex constant = 0;
};

DiagonalSum diagonal_sum(SpectralOperator op, const std::vector<Complex>& weights, const Model& model) {
    const bool spin = op == SpectralOperator::spin, spins = model.kind == SiteKind::spins;
    const bool electrons = model.kind == SiteKind::electrons;
    DiagonalSum sum;
    for (const Complex& w : weights) {
        const Complex up = spin && electrons ? w / 2.0 : w, down = spin ? -w / 2.0 : w;
        for (int bit = 1; bit < model.codes.bits; ++bit) sum.of_up.push_back(electrons ? down : up);
        sum.of_up.push_back(up);
        sum.of_down.push_back(down);
        if (spin && spins) sum.constant -= w * (0.5 * model.codes.bits);  // Sz = n - S
    }
    return sum;
}

/// One term of an element of the result: the column of the source, in the same row, and the factor of its element.
struct Term {
    std::uint64_t source;
    Complex factor;
};

/// [column of the result]: the column of the source with the same bit string, and the factor between their elements, 0
/// where the column has no bit string.
std::vector<Term> same_columns(const Sector& from, const Sector& to, std::uint64_t columns) {
    std::vector<Term> same;
    for (std::uint64_t d = 0; d < columns; ++d) {
        const double factor = to.column_factor(d);
        if (!to.symmetric() || factor == 0) {
            same.push_back({d, factor});
            continue;
        }
        const std::uint64_t source = from.column_of(to.occupied_down(0, d));
        same.push_back({source, factor / from.column_factor(source)});
    }
    return same;
}

void apply_diagonal(SpectralOperator op, const std::vector<Complex>& weights, const HamiltonianOperator& from,
                    const DistributedVector& x, const HamiltonianOperator& to, DistributedVector& out) {
    const Sector& sector = from.sector();
    const DiagonalSum sum = diagonal_sum(op, weights, sector.model());
    for (std::size_t p = 0; p < sector.subspaces().size(); ++p) {
        const BlockLayout l = layout(from, p), target = layout(to, p);
        const HamiltonianOperator::Blocks before = from.blocks(x, p);
        const std::vector<Term> same = same_columns(sector, to.sector(), target.dim_down);
        Buffer<double> result = zeros(target);
        for_each_parallel(l.own_rows(), [&](std::uint64_t up) {
            for (std::uint64_t d = 0; d < target.dim_down; ++d) {
                const auto [source, factor] = same[d];
                if (factor == Complex(0)) continue;
                const Complex of_up = weight_of(sector.occupied(p, up, source), sum.of_up),
                              of_down = weight_of(sector.occupied_down(p, source), sum.of_down);
                const Complex value = of_up + of_down + sum.constant;
                add_scaled(factor * value, before.data() + l.at(up, source), l, result.data() + target.at(up, d),
                           target);
            }
        });
        to.set_blocks(out, p, result.data());
    }
}

/// [column of the result]: terms of the removal or addition of a down particle, whose sign counts the down particles on
/// lower sites.
std::vector<std::vector<Term>> terms_on_down(SpectralOperator op, const std::vector<Complex>& weights,
                                             const Sector& from, const Sector& to, std::uint64_t columns) {
    std::vector<std::vector<Term>> terms(columns);
    for (std::uint64_t d = 0; d < columns; ++d) {
        const std::uint64_t occupied = to.occupied_down(0, d);
        const double factor = to.column_factor(d);
        for (std::size_t j = 0; j < weights.size() && factor != 0; ++j) {
            const std::uint64_t one = 1, bit = one << j;
            if (((occupied & bit) == 0) != (op == SpectralOperator::removal) || weights[j] == Complex(0)) continue;
            const bool minus = __builtin_popcountll(occupied & (bit - 1)) % 2 == 1;
            const std::uint64_t source = from.column_of(occupied ^ bit);
            terms[d].push_back({source, (minus ? -factor : factor) / from.column_factor(source) * weights[j]});
        }
    }
    return terms;
}

void apply_to_down(SpectralOperator op, const std::vector<Complex>& weights, const HamiltonianOperator& from,
                   const DistributedVector& x, const HamiltonianOperator& to, DistributedVector& out) {
    const BlockLayout l = layout(from, 0), target = layout(to, 0);
    const auto terms = terms_on_down(op, weights, from.sector(), to.sector(), target.dim_down);
    const HamiltonianOperator::Blocks before = from.blocks(x, 0);
    Buffer<double> result = zeros(target);
    for_each_parallel(l.own_rows(), [&](std::uint64_t up) {
        for (std::uint64_t d = 0; d < target.dim_down; ++d)
            for (const Term& term : terms[d])
                add_scaled(term.factor, before.data() + l.at(up, term.source), l, result.data() + target.at(up, d),
                           target);
    });
    to.set_blocks(out, 0, result.data());
}

/// An element 1 in the row and column of the state or of one of its images is projected, which gives the projection of
/// the state up to a factor.
void set_projected_state(HamiltonianOperator& hamiltonian, std::uint64_t up, std::uint64_t down,
                         DistributedVector& out) {
    const BlockLayout l = layout(hamiltonian, 0);
    const auto [row, column] = hamiltonian.sector().place_of(up, down);
    Buffer<double> result = zeros(l);
    if (row >= l.own_rows().first && row < l.own_rows().last) result[l.at(row, column)] = 1;
    hamiltonian.set_blocks(out, 0, result.data());
    const double norm = hamiltonian.space().norm(out);
    constexpr double zero = 1e-6;
    if (norm < zero) throw CollectiveError(ExitCode::bad_input, "The first state has no part in this sector.");
    hamiltonian.space().axpby(1 / norm, out, 0, out, out);
}

}  // namespace

void apply_operator(SpectralOperator op, const std::vector<Complex>& weights, const HamiltonianOperator& from,
                    const DistributedVector& x, const HamiltonianOperator& to, DistributedVector& out) {
    if (op == SpectralOperator::density || op == SpectralOperator::spin)
        apply_diagonal(op, weights, from, x, to, out);
    else
        apply_to_down(op, weights, from, x, to, out);
}

void set_state(HamiltonianOperator& hamiltonian, std::uint64_t up, std::uint64_t down, DistributedVector& out) {
    const Sector& sector = hamiltonian.sector();
    if (sector.symmetric()) return set_projected_state(hamiltonian, up, down, out);
    for (std::size_t p = 0; p < sector.subspaces().size(); ++p) {
        const BlockLayout l = layout(hamiltonian, p);
        Buffer<double> result = zeros(l);
        for_each_parallel(l.own_rows(), [&](std::uint64_t row) {
            for (std::uint64_t d = 0; d < l.dim_down; ++d)
                if (sector.occupied(p, row, d) == up && sector.occupied_down(p, d) == down) result[l.at(row, d)] = 1;
        });
        hamiltonian.set_blocks(out, p, result.data());
    }
}

}  // namespace strata::lanczos
