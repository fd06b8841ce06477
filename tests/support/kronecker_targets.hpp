// SPDX-License-Identifier: BSD-3-Clause
// Small targets with any patches and terms, and their dense matrices, written as sums over all four indices.
#pragma once

#include <random>
#include <vector>

#include "superblock/target.hpp"

namespace strata::superblock {

/// Random operators in memory.
class StoredOperators : public OperatorSource {
  public:
    StoredOperators(const Target& target, unsigned seed) : target_(target) {
        std::mt19937_64 engine(seed);
        std::uniform_real_distribution<double> uniform(-1, 1);
        const auto matrices = [&](const Term& t, Factor factor, std::uint64_t rows, std::uint64_t columns) {
            std::vector<double> all(factor == Factor::dense ? t.operators * rows * columns : 0);
            for (double& x : all) x = static_cast<float>(uniform(engine));
            for (std::uint64_t k = 0; t.diagonal() && factor == Factor::dense && k < t.operators; ++k)
                for (std::uint64_t c = 0; c < columns; ++c)
                    for (std::uint64_t a = 0; a < c; ++a)
                        all[(k * columns + c) * rows + a] = all[(k * columns + a) * rows + c];
            return all;
        };
        for (const Term& t : target.terms) {
            const PatchShape &i = target.layout[t.i], &j = target.layout[t.j];
            left_.push_back(matrices(t, t.left, i.l, j.l));
            right_.push_back(matrices(t, t.right, i.r, j.r));
        }
    }

    double left_element(std::size_t term, std::uint64_t k, std::uint64_t a, std::uint64_t c) const {
        const Term& t = target_.terms[term];
        if (t.left == Factor::identity) return a == c;
        return left_[term][(k * target_.layout[t.j].l + c) * target_.layout[t.i].l + a];
    }
    double right_element(std::size_t term, std::uint64_t k, std::uint64_t p, std::uint64_t q) const {
        const Term& t = target_.terms[term];
        if (t.right == Factor::identity) return p == q;
        return right_[term][(k * target_.layout[t.j].r + q) * target_.layout[t.i].r + p];
    }
    void left(std::size_t term, std::uint64_t k, const Rectangle& part, double* elements) const override {
        for (std::uint64_t c = part.columns.first; c < part.columns.last; ++c)
            for (std::uint64_t a = part.rows.first; a < part.rows.last; ++a) *elements++ = left_element(term, k, a, c);
    }
    void right(std::size_t term, std::uint64_t k, const Rectangle& part, double* elements) const override {
        for (std::uint64_t q = part.columns.first; q < part.columns.last; ++q)
            for (std::uint64_t p = part.rows.first; p < part.rows.last; ++p) *elements++ = right_element(term, k, p, q);
    }

  private:
    const Target& target_;
    std::vector<std::vector<double>> left_, right_;
};

/// A target of patches of random shapes; every pair is connected with probability 1/2 by 1 to `max_operators`
/// operators, and some patches have additional terms with identities.
inline Target random_target(unsigned seed, std::size_t patches, std::uint64_t max_side, std::uint64_t max_operators) {
    std::mt19937 engine(seed);
    const auto number = [&](std::uint64_t from, std::uint64_t to) {
        return std::uniform_int_distribution<std::uint64_t>(from, to)(engine);
    };
    std::vector<Patch> shapes;
    for (std::size_t i = 0; i < patches; ++i)
        shapes.push_back({static_cast<int>(i), 0, {number(1, max_side), number(1, max_side)}});
    Target target{PatchLayout(shapes), {}};
    for (std::size_t i = 0; i < patches; ++i) {
        if (number(0, 3) == 0) target.terms.push_back({i, i, 1, Factor::identity, Factor::dense});
        if (number(0, 3) == 0) target.terms.push_back({i, i, 1, Factor::dense, Factor::identity});
        for (std::size_t j = i; j < patches; ++j)
            if (number(0, 1) == 0) target.terms.push_back({i, j, number(1, max_operators)});
    }
    return target;
}

/// The matrix C of the target, row by row.
inline std::vector<double> dense_matrix(const Target& target, const StoredOperators& operators) {
    const std::uint64_t n = target.layout.elements();
    std::vector<double> c(n * n);
    for (std::size_t term = 0; term < target.terms.size(); ++term) {
        const Term& t = target.terms[term];
        const PatchShape &i = target.layout[t.i], &j = target.layout[t.j];
        const std::uint64_t row0 = target.layout.elements_of(t.i).first, column0 = target.layout.elements_of(t.j).first;
        for (std::uint64_t a = 0; a < i.l; ++a)
            for (std::uint64_t p = 0; p < i.r; ++p)
                for (std::uint64_t b = 0; b < j.l; ++b)
                    for (std::uint64_t q = 0; q < j.r; ++q) {
                        double element = 0;
                        for (std::uint64_t k = 0; k < t.operators; ++k)
                            element += operators.left_element(term, k, a, b) * operators.right_element(term, k, p, q);
                        const std::uint64_t row = row0 + a * i.r + p, column = column0 + b * j.r + q;
                        c[row * n + column] += element;
                        if (!t.diagonal()) c[column * n + row] += element;
                    }
    }
    return c;
}

}  // namespace strata::superblock
