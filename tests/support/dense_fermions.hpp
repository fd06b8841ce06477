// SPDX-License-Identifier: BSD-3-Clause
// Reference implementation of fermions and hard-core bosons: the Hamiltonian of edges, U, V and epsilon applied state
// by state with creation and annihilation operators on 2 N modes (up first, then down; N modes for one spin component),
// with signs counted over all modes. It is the oracle of the tables of spin components and of the sweeps.
#pragma once

#include <complex>
#include <cstdint>
#include <map>
#include <vector>

#include "lanczos/physics/sector.hpp"

namespace strata::lanczos {

class DenseFermions {
  public:
    /// A basis state of a subspace, given by its row `up` and column `down`, as one bit string of modes.
    static std::uint64_t modes(const Sector& sector, std::size_t subspace, std::uint64_t up, std::uint64_t down) {
        return sector.occupied(subspace, up, down) | sector.occupied_down(subspace, down)
                                                         << sector.model().lattice.sites;
    }
    using State = std::uint64_t;  ///< bit string of modes: bit site + N * component
    using Vector = std::map<State, Complex>;

    explicit DenseFermions(const Model& model) : model_(model), sites_(model.lattice.sites) {}

    Vector apply(const Vector& x) const {
        Vector y;
        for (const auto& [state, value] : x) {
            y[state] += diagonal(state) * value;
            for (int component = 0; component < model_.spin_components; ++component)
                for (const Edge& e : model_.lattice.edges) {
                    hop(state, value, e.to, e.from, component, -e.amplitude, y);
                    hop(state, value, e.from, e.to, component, -std::conj(e.amplitude), y);
                }
        }
        return y;
    }

  private:
    bool odd_below(State state, int mode) const {
        return model_.statistics() == Statistics::fermions &&
               __builtin_popcountll(state & ((State{1} << mode) - 1)) % 2 == 1;
    }
    /// y += amplitude c+_to c_from x
    void hop(State state, Complex value, int to, int from, int component, Complex amplitude, Vector& y) const {
        const int a = from + sites_ * component, b = to + sites_ * component;
        if ((state >> a & 1) == 0) return;
        bool odd = odd_below(state, a);
        state ^= State{1} << a;
        if (state >> b & 1) return;
        odd ^= odd_below(state, b);
        y[state ^ State{1} << b] += (odd ? -amplitude : amplitude) * value;
    }
    double diagonal(State state) const {
        const auto n = [&](int site, int component) {
            return component < model_.spin_components ? static_cast<double>(state >> (site + sites_ * component) & 1)
                                                      : 0;
        };
        double energy = model_.constant - model_.site_energy * model_.neutral_filling;
        for (int i = 0; i < sites_; ++i) {
            const auto s = static_cast<std::size_t>(i);
            energy += model_.u[s] * n(i, 0) * n(i, 1) + (model_.epsilon[s] + model_.site_energy) * (n(i, 0) + n(i, 1));
        }
        for (const Edge& e : model_.lattice.edges)
            energy += model_.v * e.weight * (n(e.from, 0) + n(e.from, 1)) * (n(e.to, 0) + n(e.to, 1));
        return energy;
    }

    const Model& model_;
    int sites_;
};

}  // namespace strata::lanczos
