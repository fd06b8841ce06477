// SPDX-License-Identifier: BSD-3-Clause
// Lanczos applications that are interrupted and resumed.
#pragma once

#include "support/lanczos_runs.hpp"
#include "support/restarts.hpp"
#include "support/shared_file.hpp"

namespace strata::lanczos {

/// Runs one half of the steps on the ranks of this run, a checkpoint, and the other half on one rank with two threads;
/// the result equals that of an uninterrupted run.
template <class System>
void expect_taken_up_again(const LanczosConfig& c, std::uint64_t half, std::initializer_list<const char*> names) {
    const SharedFile file;
    {
        System first(plan(c), on_cpu());
        interrupt(world(), first, half, file.path());
        ASSERT_LT(half, first.total_steps());
    }
    on_root([&] {
        const Communicator self = Communicator::alone();
        System second(LanczosPlan(c, 1, 0, 2), on_cpu(self)), whole(LanczosPlan(c, 1, 0, 1), on_cpu(self));
        const Series expected = run(whole);
        omp_set_num_threads(2);
        restore(self, second, file.path());
        Series series = run_steps(second, half);
        if (series.rows() == 0) series.append(std::vector<double>(series.width()));
        for (const char* name : names)
            EXPECT_TRUE(same_bits(values(second, series, name), values(whole, expected, name))) << name;
        EXPECT_EQ(io::state_hash(self, second.state()), io::state_hash(self, whole.state()));
    });
}

}  // namespace strata::lanczos
