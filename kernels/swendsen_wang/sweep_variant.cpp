// SPDX-License-Identifier: BSD-3-Clause
// The table of one instruction set's kernels.
#include "kernels/swendsen_wang/sweep_variant.hpp"

#include "kernels/swendsen_wang/simd.hpp"

namespace strata::swendsen_wang::STRATA_ISA {

bool label_slice(const SliceView&);
void join_threads(const SliceView&);
void flip_clusters(const SliceView&);
void count_sizes(const SliceView&, std::uint64_t*, ClusterSums&);
void sum_sizes(const SliceView&, const std::uint64_t*, ClusterSums&);
void count_planes(const SliceView&, std::uint64_t* const*);

#define STRATA_QUOTE_(x) #x
#define STRATA_QUOTE(x) STRATA_QUOTE_(x)

SweepKernels kernels() {
    return {STRATA_QUOTE(STRATA_ISA), label_slice, join_threads, flip_clusters, count_sizes, sum_sizes, count_planes};
}

}  // namespace strata::swendsen_wang::STRATA_ISA
