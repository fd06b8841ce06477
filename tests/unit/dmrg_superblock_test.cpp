// SPDX-License-Identifier: BSD-3-Clause
// Superblocks against <to| H |from> of product states, summed over the product states in the states of truncated
// blocks. For every block the test keeps a matrix with the product states of its sites as rows and the block states as
// columns.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "dmrg/state/superblock.hpp"
#include "support/product_states.hpp"

namespace strata::dmrg {
namespace {

using Element = std::function<double(const ProductState&, const ProductState&)>;

/// States of one sector of a block as combinations of product states.
struct Vectors {
    std::vector<ProductState> products;
    Matrix states;  ///< [product][state]
};

Matrix random_orthonormal(std::uint64_t rows, std::uint64_t columns, std::mt19937_64& engine) {
    std::normal_distribution<double> normal;
    Matrix m(rows, columns);
    for (double& x : m.elements) x = normal(engine);
    for (std::uint64_t j = 0; j < columns; ++j)
        for (int pass = 0; pass < 2; ++pass) {
            for (std::uint64_t k = 0; k < j; ++k) {
                double overlap = 0;
                for (std::uint64_t i = 0; i < rows; ++i) overlap += m(i, k) * m(i, j);
                for (std::uint64_t i = 0; i < rows; ++i) m(i, j) -= overlap * m(i, k);
            }
            double squares = 0;
            for (std::uint64_t i = 0; i < rows; ++i) squares += m(i, j) * m(i, j);
            for (std::uint64_t i = 0; i < rows; ++i) m(i, j) /= std::sqrt(squares);
        }
    return m;
}

Matrix plain_product(const Matrix& a, const Matrix& b) {
    Matrix c(a.rows, b.columns);
    for (std::uint64_t i = 0; i < a.rows; ++i)
        for (std::uint64_t j = 0; j < b.columns; ++j)
            for (std::uint64_t k = 0; k < a.columns; ++k) c(i, j) += a(i, k) * b(k, j);
    return c;
}

/// A block and the vectors of its sectors; sites are added from its end of the chain.
class TrackedBlock {
  public:
    TrackedBlock(const Model& model, Side side)
        : model_(model), side_(side), block_(side == Side::left ? Block::left_end(model) : Block::right_end(model)) {
        vectors_.push_back({{ProductState{}}, Matrix(1, 1)});
        vectors_[0].states(0, 0) = 1;
    }

    EnlargedBlock grown() const {
        const int site = side_ == Side::left ? sites_ : model_.sites - 1 - sites_;
        const int bond = side_ == Side::left ? site + 1 : site;
        return grow(model_, block_, side_, site, reachable_charges(model_, bond));
    }

    /// Vectors of the sectors of the enlarged block.
    std::vector<Vectors> grown_vectors(const EnlargedSectors& basis) const {
        std::vector<Vectors> all;
        for (std::size_t e = 0; e < basis.sectors.size(); ++e) {
            Vectors v;
            std::vector<std::uint64_t> first;
            for (const Segment& s : basis.segments[e]) {
                first.push_back(v.products.size());
                for (ProductState p : vectors_[s.sector].products) {
                    p.insert(side_ == Side::left ? p.end() : p.begin(), static_cast<int>(s.site_state));
                    v.products.push_back(p);
                }
            }
            v.states = Matrix(v.products.size(), basis.sectors.states[e]);
            for (std::size_t n = 0; n < first.size(); ++n) {
                const Segment& s = basis.segments[e][n];
                const Matrix& inner = vectors_[s.sector].states;
                for (std::uint64_t j = 0; j < inner.columns; ++j)
                    for (std::uint64_t i = 0; i < inner.rows; ++i)
                        v.states(first[n] + i, s.rows.first + j) = inner(i, j);
            }
            all.push_back(std::move(v));
        }
        return all;
    }

    /// Adds a site and truncates to random states: all states, or some states of most sectors.
    void take_in_a_site(bool all, std::mt19937_64& engine) {
        const EnlargedBlock e = grown();
        const std::vector<Vectors> before = grown_vectors(e.basis);
        SiteTensor t;
        t.side = side_;
        t.enlarged = e.basis;
        vectors_.clear();
        for (std::size_t s = 0; s < e.basis.sectors.size(); ++s) {
            const std::uint64_t states = e.basis.sectors.states[s];
            if (!all && s > 0 && engine() % 6 == 0) continue;
            const std::uint64_t kept = all ? states : 1 + engine() % states;
            t.kept.charges.push_back(e.basis.sectors.charges[s]);
            t.kept.states.push_back(kept);
            t.matrices.push_back(random_orthonormal(states, kept, engine));
            vectors_.push_back({before[s].products, plain_product(before[s].states, t.matrices.back())});
        }
        block_ = rotate(algebra_, e, t);
        ++sites_;
    }

  private:
    const Model& model_;
    const Side side_;
    const Algebra algebra_{"auto", 1};
    Block block_;
    std::vector<Vectors> vectors_;  ///< [sector]
    int sites_ = 0;
};

/// The dense matrix of a target, column by column.
Matrix dense(const superblock::Target& target, const superblock::OperatorSource& source) {
    const superblock::PatchLayout& layout = target.layout;
    Matrix c(layout.elements(), layout.elements());
    for (std::size_t term = 0; term < target.terms.size(); ++term) {
        const superblock::Term& t = target.terms[term];
        const superblock::PatchShape &i = layout[t.i], &j = layout[t.j];
        const auto add = [&](std::uint64_t p, std::uint64_t a, std::uint64_t q, std::uint64_t b, double value) {
            const std::uint64_t row = layout.elements_of(t.i).first + a * i.r + p,
                                column = layout.elements_of(t.j).first + b * j.r + q;
            c(row, column) += value;
            if (!t.diagonal()) c(column, row) += value;
        };
        for (const superblock::PatchCopy& copy : t.copies)
            for (std::uint64_t p = 0; p < copy.to.rows.size(); ++p)
                for (std::uint64_t a = 0; a < copy.to.columns.size(); ++a)
                    add(copy.to.rows.first + p, copy.to.columns.first + a, copy.from_row + p, copy.from_column + a,
                        copy.factor);
        for (std::uint64_t k = 0; t.copies.empty() && k < t.operators; ++k) {
            Matrix left(i.l, j.l), right(i.r, j.r);
            for (std::uint64_t n = 0; n < std::min(i.l, j.l); ++n) left(n, n) = 1;
            for (std::uint64_t n = 0; n < std::min(i.r, j.r); ++n) right(n, n) = 1;
            if (t.left == superblock::Factor::dense) source.left(term, k, {{0, i.l}, {0, j.l}}, left.data());
            if (t.right == superblock::Factor::dense) source.right(term, k, {{0, i.r}, {0, j.r}}, right.data());
            for (std::uint64_t a = 0; a < i.l; ++a)
                for (std::uint64_t b = 0; b < j.l; ++b)
                    for (std::uint64_t p = 0; p < i.r; ++p)
                        for (std::uint64_t q = 0; q < j.r; ++q) add(p, a, q, b, left(a, b) * right(p, q));
        }
    }
    return c;
}

/// The basis of the superblock as combinations of all its product states.
Vectors superblock_vectors(const Superblock& superblock, const std::vector<Vectors>& left,
                           const std::vector<Vectors>& right) {
    const superblock::PatchLayout& layout = superblock.target().layout;
    Vectors all;
    for (std::size_t patch = 0; patch < layout.size(); ++patch)
        for (const ProductState& l : left[superblock.left_sector(patch)].products)
            for (const ProductState& r : right[superblock.right_sector(patch)].products) {
                all.products.push_back(l);
                all.products.back().insert(all.products.back().end(), r.begin(), r.end());
            }
    all.states = Matrix(all.products.size(), layout.elements());
    std::uint64_t row = 0;
    for (std::size_t patch = 0; patch < layout.size(); ++patch) {
        const Matrix &l = left[superblock.left_sector(patch)].states, &r = right[superblock.right_sector(patch)].states;
        for (std::uint64_t i = 0; i < l.rows; ++i)
            for (std::uint64_t k = 0; k < r.rows; ++k, ++row)
                for (std::uint64_t a = 0; a < l.columns; ++a)
                    for (std::uint64_t p = 0; p < r.columns; ++p)
                        all.states(row, layout.elements_of(patch).first + a * r.columns + p) = l(i, a) * r(k, p);
    }
    return all;
}

void check(const Model& model, const Element& element, bool all_states, int centre, unsigned seed) {
    SCOPED_TRACE(testing::Message() << "bond " << centre << ", seed " << seed);
    std::mt19937_64 engine(seed);
    TrackedBlock left(model, Side::left), right(model, Side::right);
    for (int site = 0; site < centre; ++site) left.take_in_a_site(all_states, engine);
    for (int site = model.sites - 1; site > centre + 1; --site) right.take_in_a_site(all_states, engine);
    const EnlargedBlock l = left.grown(), r = right.grown();
    const Superblock superblock(model, centre, l, r);
    const Matrix c = dense(superblock.target(), superblock);
    const Vectors v = superblock_vectors(superblock, left.grown_vectors(l.basis), right.grown_vectors(r.basis));
    Matrix h(v.products.size(), v.products.size());
    for (std::uint64_t j = 0; j < h.columns; ++j)
        for (std::uint64_t i = 0; i < h.rows; ++i) h(i, j) = element(v.products[i], v.products[j]);
    const Matrix expected = plain_product(transposed(v.states), plain_product(h, v.states));
    ASSERT_EQ(c.elements.size(), expected.elements.size());
    double worst = 0;
    for (std::size_t n = 0; n < c.elements.size(); ++n)
        worst = std::max(worst, std::abs(c.elements[n] - expected.elements[n]));
    EXPECT_LT(worst, 1e-12);
}

double uniform(std::mt19937_64& engine) { return std::uniform_real_distribution<double>(-1, 1)(engine); }

/// Bonds between neighbours and about half of all other pairs.
std::vector<Bond> random_bonds(int sites, std::mt19937_64& engine) {
    std::vector<Bond> bonds;
    for (int i = 0; i < sites; ++i)
        for (int j = i + 1; j < sites; ++j)
            if (j == i + 1 || engine() % 2 == 0) bonds.push_back({i, j, uniform(engine), uniform(engine)});
    return bonds;
}

TEST(DmrgSuperblock, OfHubbardModelsIsTheirHamiltonian) {
    for (unsigned seed = 1; seed <= 6; ++seed) {
        std::mt19937_64 engine(seed);
        const int sites = 3 + static_cast<int>(seed % 3);
        const PlainHubbard plain{random_bonds(sites, engine), {0.7, 3.1, 0.4, {}}};
        PlainHubbard with_potential = plain;
        for (int i = 0; i < sites; ++i) with_potential.p.potential.push_back(uniform(engine));
        const Charge target = {(sites + 1) / 2, seed % 2 == 0 ? sites / 2 : 1};
        const Model model = hubbard(scaled(plain.bonds, plain.p.t, plain.p.v),
                                    std::vector<double>(static_cast<std::size_t>(sites), plain.p.u),
                                    with_potential.p.potential, {target.up, target.down});
        for (int centre = 0; centre < sites - 1; ++centre)
            for (const bool all_states : {true, false}) check(model, with_potential, all_states, centre, seed);
    }
}

TEST(DmrgSuperblock, OfHeisenbergModelsIsTheirHamiltonian) {
    for (unsigned seed = 1; seed <= 6; ++seed) {
        std::mt19937_64 engine(seed);
        const int twice = 1 + static_cast<int>(seed % 3), sites = twice == 1 ? 6 : 4;
        PlainHeisenberg plain{random_bonds(sites, engine), {twice, 1.3, -0.6, {}, 0.2}};
        for (int i = 0; i < sites; ++i) plain.p.field.push_back(uniform(engine));
        const Model model = heisenberg(twice, scaled(plain.bonds, plain.p.j, plain.p.jz), plain.p.field,
                                       plain.p.anisotropy, {twice * sites / 2});
        for (int centre = 0; centre < sites - 1; ++centre)
            for (const bool all_states : {true, false}) check(model, plain, all_states, centre, seed);
    }
}

}  // namespace
}  // namespace strata::dmrg
