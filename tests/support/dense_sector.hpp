// SPDX-License-Identifier: BSD-3-Clause
// All eigenstates of a small sector, from plain operators and LAPACK: the oracle of quantities that involve many
// states.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "krylov/tridiagonal.hpp"
#include "lanczos/state/plan.hpp"
#include "support/dense_fermions.hpp"
#include "support/world.hpp"

namespace strata::lanczos {

class DenseSector {
  public:
    /// Collective over all ranks of the test program.
    explicit DenseSector(const LanczosConfig& config) : plan_(config, 1, 0, 1) {
        const Sector& sector = plan_.sector();
        for (std::size_t p = 0; p < sector.subspaces().size(); ++p)
            for (std::uint64_t up = 0; up < sector.subspaces()[p].up.basis().count(); ++up)
                for (std::uint64_t down = 0; down < sector.subspaces()[p].down.basis().count(); ++down)
                    modes_.push_back(DenseFermions::modes(sector, p, up, down));
        std::ranges::sort(modes_);
        on_root([&] {
            std::vector<Complex> matrix(size() * size());
            for (std::size_t j = 0; j < size(); ++j)
                for (const auto& [modes, value] : DenseFermions(model()).apply({{modes_[j], Complex(1)}}))
                    matrix[j * size() + index(modes)] = value;
            pairs_ = krylov::hermitian_pairs(size(), std::move(matrix));
        });
        share(pairs_.values);
        share(pairs_.vectors);
    }

    const Model& model() const { return plan_.model(); }
    std::size_t size() const { return modes_.size(); }
    std::uint64_t modes(std::size_t i) const { return modes_[i]; }
    double energy(std::size_t n) const { return pairs_.values[n]; }
    Complex component(std::size_t n, std::size_t i) const { return pairs_.vectors[n * size() + i]; }
    bool has(std::uint64_t modes) const { return std::ranges::binary_search(modes_, modes); }
    std::size_t index(std::uint64_t modes) const {
        return static_cast<std::size_t>(std::ranges::lower_bound(modes_, modes) - modes_.begin());
    }
    bool occupied(std::size_t i, int site, int component) const {
        return modes_[i] >> (site + component * model().lattice.sites) & 1;
    }
    /// Expectation value <n| f |n> of a function f of the occupation.
    template <class Function>
    double expectation(std::size_t n, Function function) const {
        double sum = 0;
        for (std::size_t i = 0; i < size(); ++i) sum += std::norm(component(n, i)) * function(i);
        return sum;
    }

  private:
    LanczosPlan plan_;
    std::vector<std::uint64_t> modes_;
    krylov::DensePairs pairs_;
};

}  // namespace strata::lanczos
