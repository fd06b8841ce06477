// SPDX-License-Identifier: BSD-3-Clause
// The memory that a plan predicts for the largest rank against the memory that the operators of all ranks hold and
// exchange.
#include "comm/collectives.hpp"
#include "lanczos/state/hamiltonian_operator.hpp"
#include "lanczos/state/memory.hpp"
#include "support/lanczos_runs.hpp"

namespace strata::lanczos {
namespace {

TEST(Memory, OfTheLargestRankIsPredictedByCounting) {
    std::vector<LanczosConfig> all = {config("ring", {10}, 4, 3, 4),     config("square", {4, 2}, 4, 1, 4),
                                      config("tilted", {3, 1}, 5, 2, 4), single("ring", {12}, 5, 1),
                                      spins("square", {4, 3}, 6),        with_momentum(spins("ring", {12}, 6), {0})};
    all.back().hops = Hops::computed;
    for (LanczosConfig c : all)
        for (const auto& [precision, certified] :
             {std::pair(Precision::double_, false), {Precision::single, false}, {Precision::single, true}}) {
            if (certified && c.hops == Hops::computed) continue;
            c.precision = precision;
            c.certified = certified;
            c.exchange = RequestedExchange::rows;
            const LanczosPlan plan(c, world().size(), world().rank(), 1);
            const MemoryPrediction predicted = largest_operator_memory(plan, 2, BackendKind::cpu);
            Timers timers;
            const std::unique_ptr<HamiltonianOperator> hamiltonian = on_cpu()(plan, timers);
            const std::uint64_t largest = all_max(world(), hamiltonian->memory(2).host_bytes());
            EXPECT_EQ(predicted.host_bytes(), largest) << c.lattice.type;
        }
}

/// One site has no pairs, so that no tables of pairs are predicted.
TEST(Memory, OfTheDensityMatrixOfOneSite) {
    LanczosConfig c = config("chain", {1}, 1, 0, 4);
    c.density_matrix = true;
    const LanczosPlan plan(c, world().size(), world().rank(), 1);
    EXPECT_GT(largest_memory(plan, BackendKind::cpu).host_bytes(), 0);
}

}  // namespace
}  // namespace strata::lanczos
