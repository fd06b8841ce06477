// SPDX-License-Identifier: BSD-3-Clause
// Matrices of site operators on all states of a few modes, as Kronecker products of 2 x 2 matrices with strings of
// parities for fermions; they share nothing with models/operators.hpp but the order of the modes.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "models/operators.hpp"

namespace strata {

class DenseMatrix {
  public:
    explicit DenseMatrix(std::size_t size) : size_(size), elements_(size * size) {}
    static DenseMatrix one(std::size_t size) {
        DenseMatrix m(size);
        for (std::size_t i = 0; i < size; ++i) m(i, i) = 1;
        return m;
    }
    std::size_t size() const { return size_; }
    Complex& operator()(std::size_t i, std::size_t j) { return elements_[i * size_ + j]; }
    Complex operator()(std::size_t i, std::size_t j) const { return elements_[i * size_ + j]; }
    friend DenseMatrix operator*(const DenseMatrix& a, const DenseMatrix& b) {
        DenseMatrix c(a.size_);
        for (std::size_t i = 0; i < a.size_; ++i)
            for (std::size_t k = 0; k < a.size_; ++k)
                if (a(i, k) != Complex(0))
                    for (std::size_t j = 0; j < a.size_; ++j) c(i, j) += a(i, k) * b(k, j);
        return c;
    }
    friend DenseMatrix operator+(DenseMatrix a, const DenseMatrix& b) {
        for (std::size_t i = 0; i < a.elements_.size(); ++i) a.elements_[i] += b.elements_[i];
        return a;
    }
    friend DenseMatrix operator*(Complex factor, DenseMatrix a) {
        for (Complex& e : a.elements_) e *= factor;
        return a;
    }
    DenseMatrix adjoint() const {
        DenseMatrix t(size_);
        for (std::size_t i = 0; i < size_; ++i)
            for (std::size_t j = 0; j < size_; ++j) t(i, j) = std::conj((*this)(j, i));
        return t;
    }
    double distance(const DenseMatrix& other) const {
        double most = 0;
        for (std::size_t i = 0; i < elements_.size(); ++i)
            most = std::max(most, std::abs(elements_[i] - other.elements_[i]));
        return most;
    }

  private:
    std::size_t size_;
    std::vector<Complex> elements_;
};

/// Operators of some sites of a kind. Mode m is bit m of the number of a state; of electrons, spin down of all sites
/// precedes spin up.
class DenseSites {
  public:
    DenseSites(SiteKind kind, int sites) : kind_(kind), sites_(sites) {}
    int modes() const { return kind_ == SiteKind::electrons ? 2 * sites_ : sites_; }
    std::size_t size() const { return std::size_t{1} << modes(); }

    /// An operator of the notation of lists of terms.
    DenseMatrix named(const std::string& name, int site) const {
        const Complex i = {0, 1};
        const auto spin = [&](const DenseMatrix& raise, const DenseMatrix& lower, const DenseMatrix& z) {
            const double twice = name.size() == 1 ? 2 : 1;
            switch (name.back()) {
                case 'x':
                case 'X': return 0.5 * twice * (raise + lower);
                case 'y':
                case 'Y': return twice * (-0.5 * i * raise + 0.5 * i * lower);
                case 'z':
                case 'Z': return twice * z;
                case '+': return raise;
                default: return lower;
            }
        };
        const DenseMatrix one = DenseMatrix::one(size());
        if (kind_ == SiteKind::spins) {
            const DenseMatrix up = bit(site, {{0, 0}, {1, 0}}, false), down = up.adjoint();
            return spin(up, down, up * down + -0.5 * one);
        }
        if (kind_ == SiteKind::fermions) return particle(name, site);
        if (kind_ == SiteKind::bosons) {
            const DenseMatrix create = bit(site, {{0, 0}, {1, 0}}, false);
            return name == "bdag" ? create : name == "b" ? create.adjoint() : create * create.adjoint();
        }
        const int up = site + sites_, down = site;
        if (name == "n") return particle("n", up) + particle("n", down);
        if (name == "P0") return one + Complex(-1) * (particle("n", up) * particle("n", down));
        if (name[0] == 'S')
            return spin(particle("cdag", up) * particle("c", down), particle("cdag", down) * particle("c", up),
                        0.5 * particle("n", up) + -0.5 * particle("n", down));
        return particle(name.substr(0, name.find('_')), name.ends_with("_up") ? up : down);
    }
    DenseMatrix of(const OperatorSum& sum) const {
        DenseMatrix total(size());
        for (const auto& [product, coefficient] : sum.terms()) {
            DenseMatrix term = DenseMatrix::one(size());
            for (const ModeOperator& o : product) {
                const int row = kind_ == SiteKind::spins ? 1 : kind_ == SiteKind::bosons ? 2 : 0;
                const std::string spin = kind_ != SiteKind::electrons ? "" : o.mode == Mode::up ? "_up" : "_dn";
                const char* const names[3][3] = {{"n", "cdag", "c"}, {"Sz", "S+", "S-"}, {"n", "bdag", "b"}};
                term = term * named(names[row][static_cast<std::size_t>(o.local)] + spin, o.site);
            }
            total = total + coefficient * term;
        }
        return total;
    }

  private:
    using Local = double[2][2];
    DenseMatrix particle(const std::string& name, int mode) const {
        const DenseMatrix create = bit(mode, {{0, 0}, {1, 0}}, true);
        if (name == "cdag") return create;
        return name == "c" ? create.adjoint() : create * create.adjoint();
    }
    /// m on one mode, with the parity of all modes below for fermions.
    DenseMatrix bit(int mode, const Local& m, bool fermions) const {
        DenseMatrix all(size());
        for (std::size_t row = 0; row < size(); ++row)
            for (std::size_t column = 0; column < size(); ++column) {
                double value = 1;
                for (int k = 0; k < modes(); ++k) {
                    const std::size_t r = row >> k & 1, c = column >> k & 1;
                    value *= k == mode ? m[r][c] : r != c ? 0 : fermions && k < mode && r == 1 ? -1 : 1;
                }
                all(row, column) = value;
            }
        return all;
    }

    SiteKind kind_;
    int sites_;
};

}  // namespace strata
