// SPDX-License-Identifier: BSD-3-Clause
// Small models of a density-matrix renormalization on product states: matrix elements of H one by one, with the sign of
// a fermion operator counted from the electrons on the modes before it.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "dmrg/job/model.hpp"

namespace strata::dmrg {

/// Local states of all sites, site 0 first.
using ProductState = std::vector<int>;

struct HubbardParameters {
    double t, u, v;
    std::vector<double> potential;  ///< [site]
};

struct SpinParameters {
    int twice_spin;
    double j, jz;
    std::vector<double> field;  ///< [site]
    double anisotropy;
};

/// Copies of bonds with their factors multiplied by the couplings.
inline std::vector<Bond> scaled(std::vector<Bond> bonds, double hopping, double weight) {
    for (Bond& b : bonds) b = {b.i, b.j, hopping * b.hopping, weight * b.weight};
    return bonds;
}

/// A Hubbard model as a list of bonds; local states are 0, up, down, both.
struct PlainHubbard {
    std::vector<Bond> bonds;
    HubbardParameters p;

    /// <to| H |from>.
    double operator()(const ProductState& to, const ProductState& from) const {
        double sum = to == from ? diagonal(from) : 0;
        for (const Bond& b : bonds)
            for (int spin : {0, 1})
                for (const auto& [i, j] : {std::pair(b.i, b.j), std::pair(b.j, b.i)})
                    sum -= p.t * b.hopping * hop(to, from, i, j, spin);
        return sum;
    }

  private:
    static int electrons(int state, int spin) { return state >> spin & 1; }

    double diagonal(const ProductState& s) const {
        double sum = 0;
        const auto n = [&](int site) {
            const int state = s[static_cast<std::size_t>(site)];
            return electrons(state, 0) + electrons(state, 1);
        };
        for (const Bond& b : bonds) sum += p.v * b.weight * n(b.i) * n(b.j);
        for (int i = 0; i < static_cast<int>(s.size()); ++i) {
            if (n(i) == 2) sum += p.u;
            if (!p.potential.empty()) sum += p.potential[static_cast<std::size_t>(i)] * n(i);
        }
        return sum;
    }

    /// (-1)^(electrons before a mode), modes in the order up and down of site 0, of site 1, ...
    static double sign(const ProductState& s, int site, int spin) {
        int before = spin == 1 ? electrons(s[static_cast<std::size_t>(site)], 0) : 0;
        for (int i = 0; i < site; ++i)
            before += electrons(s[static_cast<std::size_t>(i)], 0) + electrons(s[static_cast<std::size_t>(i)], 1);
        return before % 2 == 0 ? 1 : -1;
    }

    /// <to| c+_i c_j |from>.
    static double hop(const ProductState& to, ProductState from, int i, int j, int spin) {
        int &of_i = from[static_cast<std::size_t>(i)], &of_j = from[static_cast<std::size_t>(j)];
        if (electrons(of_j, spin) == 0) return 0;
        double value = sign(from, j, spin);
        of_j ^= 1 << spin;
        if (electrons(of_i, spin) == 1) return 0;
        value *= sign(from, i, spin);
        of_i ^= 1 << spin;
        return from == to ? value : 0;
    }
};

/// A Heisenberg model as a list of bonds; the local state of a site is m + S.
struct PlainHeisenberg {
    std::vector<Bond> bonds;
    SpinParameters p;

    /// <to| H |from>.
    double operator()(const ProductState& to, const ProductState& from) const {
        double sum = 0;
        for (const Bond& b : bonds) {
            const auto i = static_cast<std::size_t>(b.i), j = static_cast<std::size_t>(b.j);
            if (to == from) sum += p.jz * b.weight * z(from[i]) * z(from[j]);
            sum += p.j * b.hopping / 2 * (flip(to, from, i, j) + flip(to, from, j, i));
        }
        for (std::size_t i = 0; to == from && i < to.size(); ++i)
            sum += (p.field.empty() ? 0 : p.field[i]) * z(from[i]) + p.anisotropy * z(from[i]) * z(from[i]);
        return sum;
    }

  private:
    double z(int state) const { return state - p.twice_spin / 2.0; }
    /// <to| S^+_i S^-_j |from>.
    double flip(const ProductState& to, ProductState from, std::size_t i, std::size_t j) const {
        const double s = p.twice_spin / 2.0, up = z(from[i]), down = z(from[j]);
        ++from[i];
        --from[j];
        if (from != to) return 0;
        return std::sqrt((s * (s + 1) - up * (up + 1)) * (s * (s + 1) - down * (down - 1)));
    }
};

}  // namespace strata::dmrg
