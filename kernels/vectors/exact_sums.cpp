// SPDX-License-Identifier: BSD-3-Clause
// Exact sums on the host.
#include "kernels/vectors/exact_sums.hpp"

#include <algorithm>

#include "strata/parallel.hpp"

namespace strata::vectors {

void exact_sums(const Workers<Cpu>& workers, const double* values, std::uint64_t segments, std::uint64_t width,
                ExactSum* sums) {
    constexpr std::uint64_t together = 8;  // sums of a thread that remain in the first-level cache
    std::fill_n(sums, width, ExactSum());
    in_team(workers.threads, [&](int) {
        for (std::uint64_t first = 0; first < width; first += together) {
            const std::uint64_t count = std::min(together, width - first);
            ExactSum own[together];
#pragma omp for schedule(static) nowait
            for (std::uint64_t segment = 0; segment < segments; ++segment)
                for (std::uint64_t i = 0; i < count; ++i) own[i].add(values[segment * width + first + i]);
#pragma omp critical(strata_exact_sums)
            for (std::uint64_t i = 0; i < count; ++i) sums[first + i] += own[i];
        }
    });
}

}  // namespace strata::vectors
