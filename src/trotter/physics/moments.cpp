// SPDX-License-Identifier: BSD-3-Clause
// Joining adds a highest bit with sign +1 in the first half and -1 in the second: the sum of the halves gives a product
// without that bit, their difference the product with it.
#include "trotter/physics/moments.hpp"

namespace strata::trotter {
namespace {

/// Sums of bits + 1 bits from those of two halves.
void join(int bits, const double* zero, const double* one, double* out) {
    const auto n = static_cast<std::size_t>(bits);
    const std::size_t pairs = pair_count(bits), singles_end = 1 + n, counts = singles_end + pairs;
    const std::size_t pairs_out = singles_end + 1, counts_out = pairs_out + pairs + n;
    for (std::size_t i = 0; i < singles_end; ++i) out[i] = zero[i] + one[i];
    out[singles_end] = zero[0] - one[0];
    for (std::size_t p = 0; p < pairs; ++p) out[pairs_out + p] = zero[singles_end + p] + one[singles_end + p];
    for (std::size_t j = 0; j < n; ++j) out[pairs_out + pairs + j] = zero[1 + j] - one[1 + j];  // pair_index(j, n)
    for (std::size_t c = 0; c <= n + 1; ++c)
        out[counts_out + c] = (c <= n ? zero[counts + c] : 0) + (c > 0 ? one[counts + c - 1] : 0);
    out[counts_out + n + 2] = zero[counts + n + 1] + one[counts + n + 1];
}

}  // namespace

std::vector<double> join_parts(int bits, int n, std::vector<double> sums) {
    for (; n > 0; --n, ++bits) {
        const std::uint64_t width = RowSums::width(bits), joined = RowSums::width(bits + 1);
        std::vector<double> next((std::uint64_t{1} << (n - 1)) * joined);
        for (std::uint64_t i = 0; i < std::uint64_t{1} << (n - 1); ++i)
            join(bits, sums.data() + 2 * i * width, sums.data() + (2 * i + 1) * width, next.data() + i * joined);
        sums = std::move(next);
    }
    return sums;
}

}  // namespace strata::trotter
