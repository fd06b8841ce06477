// SPDX-License-Identifier: BSD-3-Clause
// Heisenberg chains cut in two, as superblocks without truncation: H of each half with an identity, and the exchange
// across the cut. Their ground states are compared with the Bethe ansatz.
#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "krylov/lowest_states.hpp"
#include "superblock/host_operator.hpp"
#include "support/world.hpp"

namespace strata::superblock {
namespace {

/// Basis states of `sites` spins with `up` of them up, in ascending order; bit i is site i.
std::vector<unsigned> states(int sites, int up) {
    std::vector<unsigned> all;
    for (unsigned s = 0; s < 1U << sites; ++s)
        if (std::popcount(s) == up) all.push_back(s);
    return all;
}

/// A chain of 2 n spins with `up` of them up; the patch number is the number of up spins in the left half.
class CutChain : public OperatorSource {
  public:
    CutChain(int half, int up) : half_(half) {
        std::vector<Patch> patches;
        for (int left = std::max(0, up - half); left <= std::min(half, up); ++left) {
            left_.push_back(states(half, left));
            right_.push_back(states(half, up - left));
            patches.push_back({left, 0, {right_.back().size(), left_.back().size()}});
        }
        target_.layout = PatchLayout(patches);
        for (std::size_t i = 0; i < patches.size(); ++i) {
            target_.terms.push_back({i, i, 1, Factor::dense, Factor::identity});  // H_L
            target_.terms.push_back({i, i, 1, Factor::identity, Factor::dense});  // H_R
            target_.terms.push_back({i, i, 1});                                   // Sz Sz
            if (i + 1 < patches.size()) target_.terms.push_back({i, i + 1, 1});   // S- S+ / 2
        }
    }
    const Target& target() const { return target_; }

    void left(std::size_t term, std::uint64_t, const Rectangle& part, double* elements) const override {
        const Term& t = target_.terms[term];
        fill(left_[t.i], left_[t.j], part, elements, [&](unsigned to, unsigned from) {
            if (t.right == Factor::identity) return energy(to, from);
            const unsigned last = 1U << (half_ - 1);  // the site at the cut
            if (t.diagonal()) return to == from ? (to & last ? 0.5 : -0.5) : 0.0;
            return to == (from & ~last) && (from & last) ? 0.5 : 0.0;
        });
    }
    void right(std::size_t term, std::uint64_t, const Rectangle& part, double* elements) const override {
        const Term& t = target_.terms[term];
        fill(right_[t.i], right_[t.j], part, elements, [&](unsigned to, unsigned from) {
            if (t.left == Factor::identity) return energy(to, from);
            if (t.diagonal()) return to == from ? (to & 1U ? 0.5 : -0.5) : 0.0;
            return to == (from | 1U) && !(from & 1U) ? 1.0 : 0.0;
        });
    }

  private:
    /// Matrix element of sum S_i S_{i+1} of one half.
    double energy(unsigned to, unsigned from) const {
        double element = 0;
        for (int i = 0; i + 1 < half_; ++i) {
            const unsigned pair = 3U << i, spins = from & pair;
            const bool parallel = spins == 0 || spins == pair;
            if (to == from) element += parallel ? 0.25 : -0.25;
            if (!parallel && to == (from ^ pair)) element += 0.5;
        }
        return element;
    }
    template <class Element>
    static void fill(const std::vector<unsigned>& rows, const std::vector<unsigned>& columns, const Rectangle& part,
                     double* elements, Element element) {
        for (std::uint64_t c = part.columns.first; c < part.columns.last; ++c)
            for (std::uint64_t a = part.rows.first; a < part.rows.last; ++a) *elements++ = element(rows[a], columns[c]);
    }

    int half_;
    std::vector<std::vector<unsigned>> left_, right_;  ///< [patch]
    Target target_;
};

double ground_energy(int half, int up, Partition partition, int threads) {
    const CutChain chain(half, up);
    Timers timers;
    const MultiplyPlan plan(chain.target(), partition, world().size(), world().rank(), threads);
    HostOperator<double> op(world(), plan, chain, {}, timers);
    krylov::LowestStatesSolver solver(op, {.n_states = 1, .max_basis = 60, .max_steps = 2000, .tolerance = 1e-12},
                                      timers);
    op.allocate();
    solver.allocate();
    solver.initialise();
    while (!solver.found() && solver.steps() < 2000) solver.step();
    EXPECT_TRUE(solver.found());
    solver.examine(0);
    EXPECT_LE(solver.max_residual(), solver.tolerance());
    return solver.energies()[0];
}

TEST(KroneckerSuperblocks, HaveTheEnergyOfTheChain) {
    // open chains of 8 and 12 spins by the Bethe ansatz
    for (const Partition partition : {Partition::rows, Partition::columns}) {
        EXPECT_NEAR(ground_energy(4, 4, partition, 1), -3.374932598688, 1e-11);
        EXPECT_NEAR(ground_energy(6, 6, partition, 2), -5.142090632841, 1e-11);
    }
    // all spins up: one patch of one state
    const bool alone = world().size() == 1;
    EXPECT_NEAR(alone ? ground_energy(5, 10, Partition::columns, 1) : 9 * 0.25, 9 * 0.25, 1e-14);
    // one magnon of 10 sites: E = 9/4 - (1 - cos k), the largest k of an open chain
    EXPECT_NEAR(ground_energy(5, 9, Partition::columns, 1), 9 * 0.25 - (1 - std::cos(M_PI * 9 / 10)), 1e-12);
}

}  // namespace
}  // namespace strata::superblock
