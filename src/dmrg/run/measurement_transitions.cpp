// SPDX-License-Identifier: BSD-3-Clause
// Matrix elements of operators of one site between two states: transfers of the identity from both ends, those from the left
// with the parities of the sites where the operators are odd in fermions (job/site_products.hpp), and one operator between.
// Three transfers for each site, or five of a complex state, whose first tensor alone has an imaginary part.
#include <array>

#include "dmrg/run/measurement.hpp"

namespace strata::dmrg {
namespace {

/// The transfer of no sites, from the last bond, where the charges are the targets.
BlockOperator at_right_end(Charge change) {
    BlockOperator op{change, {Matrix(1, 1)}};
    op.from_sector[0](0, 0) = 1;
    return op;
}

/// The sum of the products of all elements.
double contraction(const BlockOperator& left, const BlockOperator& right) {
    double sum = 0;
    for (std::size_t s = 0; s < left.from_sector.size(); ++s) {
        const Matrix &a = left.from_sector[s], &b = right.from_sector[s];
        if (a.empty() || b.empty()) continue;
        for (std::size_t i = 0; i < a.elements.size(); ++i) sum += a.elements[i] * b.elements[i];
    }
    return sum;
}

}  // namespace

/// F(q', q) = sum over the states s of the site of A_s^T F B_s, from the right bond of a site to its left bond.
BlockOperator Measurement::carry_left(const Site& bra, const Site& ket, const BlockOperator& op) const {
    BlockOperator result{op.change, std::vector<Matrix>(ket.left.size())};
    for (std::size_t state = 0; state < ket.of_state.size(); ++state)
        for (const Part& k : ket.of_state[state]) {
            const Matrix& f = op.from_sector[k.right];
            const auto bra_right = bra.right.find(ket.right.charges[k.right] + op.change);
            if (f.empty() || !bra_right) continue;
            for (const Part& b : bra.of_state[state]) {
                if (b.right != *bra_right) continue;
                const Matrix part = algebra_.product(dmrg::transposed(b.matrix), algebra_.product(f, k.matrix));
                Matrix& sum = result.from_sector[k.left];
                if (sum.empty()) sum = Matrix(part.rows, part.columns);
                add_scaled(part, 1, sum);
            }
        }
    return result;
}

std::vector<std::complex<double>> Measurement::transitions(const Measurement& ket, const std::vector<SiteOperator>& ops,
                                                           Charge change, bool odd) const {
    const std::vector<Site>&bras = *sites_, &kets = *ket.sites_;
    const std::size_t n = bras.size(), parts = ket.imaginary_ ? 2 : 1;
    const auto ket_site = [&](std::size_t part, std::size_t site) -> const Site& {
        return part == 1 && site == 0 ? *ket.imaginary_ : kets[site];
    };
    std::vector<BlockOperator> right(n + 1);
    std::array<std::vector<BlockOperator>, 2> left;
    for_each(algebra_, 1 + parts, [&](std::size_t task) {
        if (task == 0) {
            right[n] = at_right_end(change);
            for (std::size_t site = n - 1; site > 0; --site)
                right[site] = carry_left(bras[site], kets[site], right[site + 1]);
            return;
        }
        std::vector<BlockOperator>& of_part = left[task - 1];
        of_part.push_back(at_right_end({}));
        for (std::size_t site = 0; site + 1 < n; ++site)
            of_part.push_back(carry(bras[site], ket_site(task - 1, site), of_part.back(), factor_between(model_, odd)));
    });
    const double norms = std::sqrt(squared_norm() * ket.squared_norm());
    std::vector<std::complex<double>> values(n);
    for_each(algebra_, n, [&](std::size_t site) {
        if (ops[site].elements.empty()) return;
        std::array<double, 2> of_parts = {};
        for (std::size_t part = 0; part < parts; ++part)
            of_parts[part] =
                contraction(carry(bras[site], ket_site(part, site), left[part][site], ops[site]), right[site + 1]) /
                norms;
        values[site] = {of_parts[0], of_parts[1]};
    });
    return values;
}

}  // namespace strata::dmrg
