// SPDX-License-Identifier: BSD-3-Clause
// The factors of a product act from the right, the highest mode first, so that none changes the bits below its own mode
// that another one counts: the signs of a product are those of its factors on the first bit string. Of spins
// S^z = n - 1/2 = -1/2 (-1)^n is a sign, too.
#include "lanczos/physics/split_terms.hpp"

#include <map>

namespace strata::lanczos {
namespace {

struct BitProduct {
    BitOperator row, column;
    Complex amplitude;
};

constexpr std::uint64_t below(int bit) { return bit < 64 ? (std::uint64_t{1} << bit) - 1 : ~std::uint64_t{0}; }

/// Signs of bits that are known are part of the amplitude, so that equal operators are equal words.
void take_known_signs(BitOperator& op, Complex& amplitude) {
    if ((std::popcount(op.value & op.parity) & 1) != 0) amplitude = -amplitude;
    op.parity &= ~op.mask;
}

BitProduct bits_of(const OperatorProduct& product, SiteKind kind, Complex amplitude, int down_sites) {
    BitProduct all = {{}, {}, amplitude};
    const bool spins = kind == SiteKind::spins;
    for (const ModeOperator& o : product) {
        const bool of_row = kind == SiteKind::electrons ? o.mode == Mode::up : o.site >= down_sites;
        const int bit = of_row && kind != SiteKind::electrons ? o.site - down_sites : o.site;
        const std::uint64_t one = std::uint64_t{1} << bit;
        BitOperator& op = of_row ? all.row : all.column;
        if (spins && o.local == Local::z) {
            op.parity ^= one;
            all.amplitude *= -0.5;
            continue;
        }
        op.mask |= one;
        if (o.local != Local::raise) op.value |= one;
        if (o.local == Local::z) continue;
        op.flip |= one;
        if (!is_fermionic(kind)) continue;
        op.parity ^= below(bit);
        if (of_row) all.column.parity ^= below(down_sites);
    }
    take_known_signs(all.row, all.amplitude);
    take_known_signs(all.column, all.amplitude);
    return all;
}

std::vector<BitTerm> terms_of(const std::map<BitOperator, Complex>& sum) {
    std::vector<BitTerm> terms;
    for (const auto& [op, amplitude] : sum)
        if (amplitude != Complex(0)) terms.push_back({op, amplitude});
    return terms;
}

}  // namespace

SplitTerms split(const OperatorSum& sum, int down_sites) {
    std::map<BitOperator, std::map<BitOperator, Complex>> rows;
    for (const auto& [product, coefficient] : sum.terms()) {
        const BitProduct bits = bits_of(product, sum.kind(), coefficient, down_sites);
        rows[bits.row][bits.column] += bits.amplitude;
    }
    SplitTerms all;
    std::map<BitOperator, Complex> up;
    for (auto& [row, columns] : rows) {
        if (row == BitOperator{}) {
            all.constant = columns[{}];
            columns.erase(BitOperator{});
            all.down = terms_of(columns);
            continue;
        }
        if (const auto alone = columns.find({}); alone != columns.end()) {
            up[row] = alone->second;
            columns.erase(alone);
        }
        if (std::vector<BitTerm> terms = terms_of(columns); !terms.empty()) all.both.push_back({row, std::move(terms)});
    }
    all.up = terms_of(up);
    return all;
}

}  // namespace strata::lanczos
