// SPDX-License-Identifier: BSD-3-Clause
// Sums of products of site operators against dense matrices (support/dense_operators.hpp): normal forms of random
// products, algebra, what is conserved, permutations, and the split into operators of rows and columns.
#include "models/operators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "lanczos/physics/bit_strings.hpp"
#include "lanczos/physics/split_terms.hpp"
#include "models/filling.hpp"
#include "models/operator_text.hpp"
#include "support/dense_operators.hpp"

namespace strata {
namespace {

struct Sites {
    SiteKind kind;
    int count;
    std::vector<std::string> names;
};
const std::vector<Sites> all_sites = {
    {SiteKind::spins, 4, {"Sx", "Sy", "Sz", "S+", "S-", "X", "Y", "Z"}},
    {SiteKind::fermions, 4, {"cdag", "c", "n"}},
    {SiteKind::bosons, 4, {"bdag", "b", "n"}},
    {SiteKind::electrons,
     2,
     {"cdag_up", "c_up", "n_up", "cdag_dn", "c_dn", "n_dn", "n", "Sx", "Sy", "Sz", "S+", "S-", "P0"}}};

std::size_t below(std::size_t count, std::mt19937& random) { return random() % count; }

/// A random sum as text with its matrix; `image`: sites are replaced by their images.
struct RandomSum {
    std::string text, moved;
    DenseMatrix matrix;

    RandomSum(const Sites& sites, std::size_t terms, const std::vector<int>& image, std::mt19937& random)
        : matrix(std::size_t{1} << DenseSites(sites.kind, sites.count).modes()) {
        const DenseSites dense(sites.kind, sites.count);
        for (std::size_t t = 0; t < terms; ++t) {
            const auto re = static_cast<double>(below(9, random)) / 4 - 1,
                       im = static_cast<double>(below(5, random)) / 2 - 1;
            const std::string coefficient = std::to_string(re) + (im < 0 ? "" : "+") + std::to_string(im) + "i";
            text += coefficient;
            moved += coefficient;
            DenseMatrix term = Complex(re, im) * DenseMatrix::one(matrix.size());
            for (std::size_t o = 1 + below(4, random); o > 0; --o) {
                const std::string& name = sites.names[below(sites.names.size(), random)];
                const auto site = static_cast<int>(below(static_cast<std::size_t>(sites.count), random));
                text += " " + name + " " + std::to_string(site);
                moved += " " + name + " " + std::to_string(image[static_cast<std::size_t>(site)]);
                term = term * dense.named(name, site);
            }
            text += "; ";
            moved += "; ";
            matrix = matrix + term;
        }
    }
};

OperatorSum parsed(const std::string& text, SiteKind kind) {
    return read_operators(items_of("terms", text), kind, {}).sum();
}

template <class Test>
void for_random_sums(Test test) {
    std::mt19937 random(48);
    for (const Sites& sites : all_sites)
        for (int n = 0; n < 60; ++n) {
            std::vector<int> image;
            for (int i = 0; i < sites.count; ++i) image.push_back(i);
            std::shuffle(image.begin(), image.end(), random);
            const RandomSum a(sites, 1 + below(3, random), image, random), b(sites, 2, image, random);
            test(sites, a, b, image);
        }
}

TEST(OperatorSum, IsTheMatrixOfItsText) {
    for_random_sums([](const Sites& sites, const RandomSum& a, const RandomSum& b, const std::vector<int>& image) {
        const DenseSites dense(sites.kind, sites.count);
        const OperatorSum x = parsed(a.text, sites.kind), y = parsed(b.text, sites.kind);
        EXPECT_LT(dense.of(x).distance(a.matrix), 1e-13) << a.text;
        EXPECT_LT(dense.of(x * y).distance(a.matrix * b.matrix), 1e-12) << a.text << b.text;
        EXPECT_LT(dense.of(commutator(x, y)).distance(a.matrix * b.matrix + Complex(-1) * (b.matrix * a.matrix)),
                  1e-12);
        EXPECT_LT(dense.of(x.conjugate()).distance(a.matrix.adjoint()), 1e-13);
        OperatorSum hermitian = x.conjugate();
        hermitian += x;
        EXPECT_TRUE(hermitian.is_hermitian());
        EXPECT_EQ(x.is_hermitian(), a.matrix.distance(a.matrix.adjoint()) < 1e-12) << a.text;
        EXPECT_EQ(parsed(a.moved, sites.kind).terms(), x.permuted(image).terms()) << a.text;
    });
}

TEST(OperatorSum, KnowsWhetherItsMatrixIsReal) {
    for_random_sums([](const Sites& sites, const RandomSum& a, const RandomSum&, const std::vector<int>&) {
        double imaginary = 0;
        for (std::size_t i = 0; i < a.matrix.size(); ++i)
            for (std::size_t j = 0; j < a.matrix.size(); ++j)
                imaginary = std::max(imaginary, std::abs(a.matrix(i, j).imag()));
        EXPECT_EQ(parsed(a.text, sites.kind).is_real(), imaginary < 1e-13) << a.text;
    });
}

/// Numbers of particles, or of spins up, of a state: of all modes, and of spin up less spin down.
std::pair<int, int> charges(SiteKind kind, int sites, std::size_t state) {
    const int all = std::popcount(state), up = std::popcount(state >> sites);
    return {all, kind == SiteKind::electrons ? 2 * up - all : all};
}

TEST(OperatorSum, ConservesWhatItsMatrixConserves) {
    for_random_sums([](const Sites& sites, const RandomSum& a, const RandomSum&, const std::vector<int>&) {
        bool total = true, spin = true, parity = true;
        for (std::size_t i = 0; i < a.matrix.size(); ++i)
            for (std::size_t j = 0; j < a.matrix.size(); ++j) {
                if (std::abs(a.matrix(i, j)) < 1e-13) continue;
                const auto [n, s] = charges(sites.kind, sites.count, i);
                const auto [m, t] = charges(sites.kind, sites.count, j);
                total = total && n == m;
                spin = spin && s == t;
                parity = parity && (n - m) % 2 == 0;
            }
        const Conserved expected = total && spin ? Conserved::numbers
                                   : total       ? Conserved::particles
                                   : spin        ? Conserved::spin
                                   : parity      ? Conserved::parity
                                                 : Conserved::nothing;
        EXPECT_EQ(conserved_by(parsed(a.text, sites.kind)), expected) << a.text;
    });
}

/// Charges are conserved if coefficients cancel up to rounding.
TEST(OperatorSum, ForgetsWhatCancels) {
    const OperatorSum sum = parsed("0.1 Sx 0 Sx 1; 0.2 Sx 0 Sx 1; 0.3 Sy 0 Sy 1", SiteKind::spins);
    EXPECT_EQ(conserved_by(sum), Conserved::numbers);
    EXPECT_EQ(sum.terms().size(), 2U);
}

TEST(SplitTerms, ActOnBitStringsAsTheMatrixDoes) {
    for_random_sums([](const Sites& sites, const RandomSum& a, const RandomSum&, const std::vector<int>&) {
        using lanczos::BitOperator;
        const int down = sites.kind == SiteKind::electrons ? sites.count : sites.count / 2;
        const lanczos::SplitTerms terms = lanczos::split(parsed(a.text, sites.kind), down);
        DenseMatrix found = terms.constant * DenseMatrix::one(a.matrix.size());
        const auto add = [&](const BitOperator& row, const BitOperator& column, Complex amplitude) {
            for (std::size_t target = 0; target < found.size(); ++target) {
                const std::uint64_t u = target >> down, d = target & ((1U << down) - 1);
                if (!row.reaches(u) || !column.reaches(d)) continue;
                const std::size_t source = (u ^ row.flip) << down | (d ^ column.flip);
                found(target, source) += row.minus(u) != column.minus(d) ? -amplitude : amplitude;
            }
        };
        for (const auto& [op, amplitude] : terms.up) add(op, {}, amplitude);
        for (const auto& [op, amplitude] : terms.down) add({}, op, amplitude);
        for (const auto& [row, columns] : terms.both)
            for (const auto& [op, amplitude] : columns) add(row, op, amplitude);
        EXPECT_LT(found.distance(a.matrix), 1e-13) << a.text;
    });
}

TEST(BitStrings, OfAParityAndAllFollowInOrder) {
    using lanczos::BitStrings;
    for (int sites = 0; sites <= 8; ++sites)
        for (const auto& [kind, value] :
             {std::pair(BitStrings::Kind::all, 0), {BitStrings::Kind::parity, 0}, {BitStrings::Kind::parity, 1}}) {
            const BitStrings strings(sites, kind, value);
            std::uint64_t index = 0, with_two = 0;
            for (std::uint64_t s = 0; s < std::uint64_t{1} << sites; ++s) {
                if (kind == BitStrings::Kind::parity && std::popcount(s) % 2 != value) continue;
                EXPECT_EQ(strings.occupation(index), s);
                EXPECT_EQ(strings.index_of(s), index++);
                if (sites >= 2 && (s & 3) == 1) ++with_two;
            }
            EXPECT_EQ(strings.count(), index);
            EXPECT_EQ(strings.with_fixed(2, 1), with_two);
        }
}

/// Strings of both kinds of codes, by all charges that can be conserved, against a list.
TEST(BitStrings, OfCodesFollowInOrder) {
    using namespace lanczos;
    const std::vector<std::pair<SiteCodes, std::vector<int>>> cases = {{SiteCodes::without_double_occupancy(), {1, 64}},
                                                                       {SiteCodes::without_double_occupancy(), {-1, 1}},
                                                                       {SiteCodes::without_double_occupancy(), {1, 1}},
                                                                       {SiteCodes::levels(2), {1, 1}},
                                                                       {SiteCodes::levels(3), {1, 1, 1}}};
    for (const auto& [codes, weight] : cases)
        for (int sites = 0; sites <= 4; ++sites)
            for (int modulus = 0; modulus <= 2; ++modulus) {
                const auto coded = std::make_shared<const CodedStrings>(sites, codes, StringCharge{weight, modulus});
                std::map<int, std::vector<std::uint64_t>> strings;
                for (std::uint64_t s = 0; s < std::uint64_t{1} << (sites * codes.bits); ++s) {
                    bool allowed = true;
                    for (int i = 0; i < sites; ++i)
                        allowed = allowed && std::ranges::count(codes.codes,
                                                                s >> (i * codes.bits) & ((1U << codes.bits) - 1)) != 0;
                    if (allowed) strings[coded->reduced(coded->added(s, 0))].push_back(s);
                }
                for (int charge = coded->least(); charge <= coded->most(); ++charge) {
                    const BitStrings all(coded, charge);
                    ASSERT_EQ(all.count(), strings[charge].size());
                    for (std::uint64_t i = 0; i < all.count(); ++i) {
                        EXPECT_EQ(all.occupation(i), strings[charge][i]);
                        EXPECT_EQ(all.index_of(strings[charge][i]), i);
                    }
                    for (const auto& [mask, value] : {std::pair(0b1001U, 0b1000U), {0b0110U, 0b0100U}, {1U, 1U}})
                        if (mask >> (sites * codes.bits) == 0) {
                            const auto found = std::ranges::count_if(
                                strings[charge], [&](std::uint64_t s) { return (s & mask) == value; });
                            EXPECT_EQ(all.count_with(mask, value), static_cast<std::uint64_t>(found));
                        }
                }
            }
}

}  // namespace
}  // namespace strata
