// SPDX-License-Identifier: BSD-3-Clause
// Amplitudes of a vector of a symmetry sector in all basis states of the cluster, from the definition Psi(T_g u, T_g d)
// = chi(g) Psi(u, d). Representatives are the smallest bit strings of their orbits; the stored numbers are psi sqrt(|G|
// / (|S_u| |S_o|)). Orbits, stabilisers and signs are found here by trying every element of the group.
#pragma once

#include <cmath>
#include <vector>

#include "lanczos/state/hamiltonian_operator.hpp"
#include "support/dense_sector.hpp"

namespace strata::lanczos {

class SectorStates {
  public:
    /// The operator must be on one rank and in a sector of lattice symmetries.
    explicit SectorStates(const HamiltonianOperator& op)
        : op_(op),
          group_(*op.plan().counts().symmetric()->group),
          up_(orbits(op.plan().config().up)),
          down_(orbits(op.plan().config().down)) {}

    /// [state of the dense sector] amplitude of the vector x.
    std::vector<Complex> amplitudes(const DistributedVector& x, const DenseSector& dense) const {
        const BlockLayout l = op_.plan().layout(0, 0);
        const HamiltonianOperator::Blocks blocks = op_.blocks(x, 0);
        const std::uint64_t mask = (std::uint64_t{1} << group_.sites()) - 1;
        const std::uint64_t line = op_.plan().counts().symmetric()->line_reals / l.reals();
        std::vector<Complex> psi;
        for (std::size_t i = 0; i < dense.size(); ++i) {
            const Place up = find(up_, dense.modes(i) & mask);
            const std::uint32_t back = group_.inverse(up.element);
            const std::uint64_t beside =
                image(back, dense.modes(i) >> group_.sites()).first;  // bit string of the column in that row
            const bool minus = image(up.element, beside).second;
            const Place down = find(down_, beside);
            const std::uint64_t column = (down.orbit / line * group_.order() + down.element) * line + down.orbit % line;
            const double* number = blocks.data() + l.at(up.orbit, column);
            const Complex value = {number[0], l.reals() == 2 ? number[1] : 0};
            const double scale = std::sqrt(group_.order() / (up_[up.orbit].fixed_by * down_[down.orbit].fixed_by));
            const bool odd = (up.minus ^ minus) != down.minus;
            psi.push_back((odd ? -1.0 : 1.0) * group_.character(up.element) * value / scale);
        }
        return psi;
    }

  private:
    struct Orbit {
        std::uint64_t smallest;
        double fixed_by;  ///< number of group elements that leave the representative unchanged
    };
    struct Place {
        std::uint64_t orbit;
        std::uint32_t element;
        bool minus;
    };

    /// Occupied sites after T_g, and whether the reordering of the operators takes an odd number of exchanges.
    std::pair<std::uint64_t, bool> image(std::uint32_t g, std::uint64_t bits) const {
        std::vector<int> to;
        for (int i = 0; i < group_.sites(); ++i)
            if (bits >> i & 1) to.push_back(group_.image(g)[static_cast<std::size_t>(i)]);
        std::uint64_t moved = 0;
        bool odd = false;
        for (std::size_t a = 0; a < to.size(); ++a) {
            moved |= std::uint64_t{1} << to[a];
            for (std::size_t b = 0; b < a; ++b) odd ^= to[b] > to[a];
        }
        return {moved, odd};
    }

    std::vector<Orbit> orbits(int particles) const {
        std::vector<Orbit> all;
        for (std::uint64_t bits = 0; bits < std::uint64_t{1} << group_.sites(); ++bits) {
            if (__builtin_popcountll(bits) != particles) continue;
            bool smallest = true;
            double fixed_by = 0;
            for (std::uint32_t g = 0; g < group_.order(); ++g) {
                smallest = smallest && image(g, bits).first >= bits;
                fixed_by += image(g, bits).first == bits ? 1 : 0;
            }
            if (smallest) all.push_back({bits, fixed_by});
        }
        return all;
    }

    /// The orbit, element and sign with bits = +- T_element of the representative.
    Place find(const std::vector<Orbit>& orbits, std::uint64_t bits) const {
        for (std::uint64_t orbit = 0; orbit < orbits.size(); ++orbit)
            for (std::uint32_t g = 0; g < group_.order(); ++g)
                if (const auto [moved, minus] = image(g, orbits[orbit].smallest); moved == bits)
                    return {orbit, g, minus};
        return {};
    }

    const HamiltonianOperator& op_;
    const SymmetryGroup& group_;
    std::vector<Orbit> up_, down_;
};

}  // namespace strata::lanczos
