// SPDX-License-Identifier: BSD-3-Clause
// The product of one block column by column.
#include <cmath>

#include "kernels/kronecker/block_product.hpp"

namespace strata::kronecker::STRATA_ISA {
namespace {

/// One direction; left(k, a, c) and right(k, p, q) give the operators as that direction sees them.
template <class Real, class Left, class Right>
void product(const BlockProduct<Real>& args, PatchShape to, PatchShape from, Left left, Right right) {
    const BlockShape& shape = args.layout.shape();
    const std::uint64_t operators = shape.operators;
    for (std::uint64_t a = args.columns.first; a < args.columns.last; ++a) {
        for (std::uint64_t q = 0; q < from.r; ++q)
            for (std::uint64_t k = 0; k < operators; ++k) {
                Real sum = shape.left == Factor::identity ? args.x[q + from.r * a] : Real(0);
                for (std::uint64_t c = 0; c < from.l && shape.left == Factor::dense; ++c)
                    sum = std::fma(left(k, a, c), args.x[q + from.r * c], sum);
                args.workspace[q * operators + k] = sum;
            }
        Real* y = args.y + to.r * (a - args.columns.first);
        for (std::uint64_t p = 0; p < to.r; ++p) {
            Real sum = shape.right == Factor::identity ? args.workspace[p] : Real(0);
            for (std::uint64_t q = 0; q < from.r && shape.right == Factor::dense; ++q)
                for (std::uint64_t k = 0; k < operators; ++k)
                    sum = std::fma(right(k, p, q), args.workspace[q * operators + k], sum);
            y[p] = args.update == Update::set ? sum : y[p] + sum;
        }
    }
}

}  // namespace

template <class Real>
void forward(const BlockProduct<Real>& args) {
    const auto& layout = args.layout;
    product(
        args, layout.shape().to, layout.shape().from,
        [&](auto k, auto a, auto c) { return args.pool[layout.left_index(k, a, c)]; },
        [&](auto k, auto p, auto q) { return args.pool[layout.forward_index(k, p, q)]; });
}

template <class Real>
void backward(const BlockProduct<Real>& args) {
    const auto& layout = args.layout;
    product(
        args, layout.shape().from, layout.shape().to,
        [&](auto k, auto c, auto a) { return args.pool[layout.left_index(k, a, c)]; },
        [&](auto k, auto q, auto p) { return args.pool[layout.backward_index(k, p, q)]; });
}

template void forward<double>(const BlockProduct<double>&);
template void forward<float>(const BlockProduct<float>&);
template void backward<double>(const BlockProduct<double>&);
template void backward<float>(const BlockProduct<float>&);

}  // namespace strata::kronecker::STRATA_ISA
