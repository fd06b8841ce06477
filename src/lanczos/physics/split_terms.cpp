// SPDX-License-Identifier: BSD-3-Clause
// The factors of a product act from the right, the highest mode first, so that none changes the bits below its own mode
// that another one counts: the signs of a product are those of its factors on the first bit string.
#include "lanczos/physics/split_terms.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

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

/// Multiplies an operator of bits from the left by one that acts on `bit`. Of spins S^z = -1/2 (-1)^n is a sign.
void act(const ModeOperator& o, SiteKind kind, int bit, BitOperator& op, Complex& amplitude) {
    const std::uint64_t own = std::uint64_t{1} << bit;
    if (kind == SiteKind::spins && o.local == Local::z) {
        op.parity ^= own;
        amplitude *= -0.5;
        return;
    }
    op.mask |= own;
    if (o.local != Local::raise) op.value |= own;
    if (o.local == Local::z) return;
    op.flip |= own;
    if (is_fermionic(kind)) op.parity ^= below(bit);
}

BitProduct bits_of(const OperatorProduct& product, SiteKind kind, Complex amplitude, int down_sites) {
    BitProduct all = {{}, {}, amplitude};
    for (const ModeOperator& o : product) {
        const bool of_row = kind == SiteKind::electrons ? o.mode == Mode::up : o.site >= down_sites;
        const int bit = of_row && kind != SiteKind::electrons ? o.site - down_sites : o.site;
        act(o, kind, bit, of_row ? all.row : all.column, all.amplitude);
        if (of_row && is_fermionic(kind) && o.local != Local::z) all.column.parity ^= below(down_sites);
    }
    take_known_signs(all.row, all.amplitude);
    take_known_signs(all.column, all.amplitude);
    return all;
}

/// Sorts the operators of a product site by site; whether fermions change the sign.
bool sort_by_sites(OperatorProduct& product, SiteKind kind) {
    const auto later = [](const ModeOperator& a, const ModeOperator& b) {
        return std::pair(a.site, a.mode) > std::pair(b.site, b.mode);
    };
    bool minus = false;
    for (std::size_t n = 1; n < product.size(); ++n)
        for (std::size_t i = n; i > 0 && later(product[i - 1], product[i]); --i) {
            std::swap(product[i - 1], product[i]);
            if (is_fermionic(kind) && product[i - 1].local != Local::z && product[i].local != Local::z) minus = !minus;
        }
    return minus;
}

/// Makes all bits known of each site of which the operator changes one code alone; false if no code leads to another one.
bool complete_codes(const SiteCodes& codes, BitOperator& op) {
    const std::uint64_t of_site = below(codes.bits);
    for (int first = 0; first < 64 && (op.mask >> first) != 0; first += codes.bits) {
        const std::uint64_t mask = op.mask >> first & of_site, value = op.value >> first & of_site,
                            flip = op.flip >> first & of_site;
        const auto leads = [&](std::uint64_t code) {
            return (code & mask) == value && std::ranges::count(codes.codes, code ^ flip) != 0;
        };
        const auto from = std::ranges::find_if(codes.codes, leads);
        if (from == codes.codes.end()) return false;
        if (flip == 0 || std::ranges::count_if(codes.codes, leads) > 1) continue;
        op.mask |= of_site << first;
        op.value |= *from << first;
    }
    return true;
}

/// Levels as codes, whose number of bits is the level: it is above k where bit k is set.
void act_on_levels(Local local, int first, const SiteCodes& codes, BitOperator& op) {
    if (!is_unit(local)) {
        op.mask |= std::uint64_t{1} << (first + level_of(local));
        op.value |= std::uint64_t{1} << (first + level_of(local));
        return;
    }
    const std::uint64_t from = codes.codes[static_cast<std::size_t>(source_level(local))],
                        to = codes.codes[static_cast<std::size_t>(target_level(local))];
    op.mask |= below(codes.bits) << first;
    op.value |= from << first;
    op.flip |= (from ^ to) << first;
}

/// One operator on all bits, which is then cut between columns and rows; none if it leads to no codes.
std::optional<BitProduct> coded_bits_of(OperatorProduct product, SiteKind kind, Complex amplitude, int down_bits,
                                        const SiteCodes& codes) {
    if (sort_by_sites(product, kind)) amplitude = -amplitude;
    BitOperator op;
    for (const ModeOperator& o : product) {
        const int first = o.site * codes.bits;
        if (is_of_levels(o.local))
            act_on_levels(o.local, first, codes, op);
        else
            act(o, kind, first + (o.mode == Mode::up ? 1 : 0), op, amplitude);
    }
    if (!complete_codes(codes, op)) return std::nullopt;
    take_known_signs(op, amplitude);
    const std::uint64_t columns = below(down_bits);
    return BitProduct{{op.mask >> down_bits, op.value >> down_bits, op.flip >> down_bits, op.parity >> down_bits},
                      {op.mask & columns, op.value & columns, op.flip & columns, op.parity & columns},
                      amplitude};
}

std::vector<BitTerm> terms_of(const std::map<BitOperator, Complex>& sum) {
    std::vector<BitTerm> terms;
    for (const auto& [op, amplitude] : sum)
        if (amplitude != Complex(0)) terms.push_back({op, amplitude});
    return terms;
}

}  // namespace

SplitTerms split(const OperatorSum& sum, int down_bits, const SiteCodes& codes, OneFactor one_factor) {
    std::map<BitOperator, std::map<BitOperator, Complex>> rows;
    for (const auto& [product, coefficient] : sum.terms()) {
        const std::optional<BitProduct> bits = codes.coded()
                                                   ? coded_bits_of(product, sum.kind(), coefficient, down_bits, codes)
                                                   : bits_of(product, sum.kind(), coefficient, down_bits);
        if (bits) rows[bits->row][bits->column] += bits->amplitude;
    }
    SplitTerms all;
    std::map<BitOperator, Complex> up;
    for (auto& [row, columns] : rows) {
        if (one_factor == OneFactor::joined) {
            if (std::vector<BitTerm> terms = terms_of(columns); !terms.empty())
                all.both.push_back({row, std::move(terms)});
            continue;
        }
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
