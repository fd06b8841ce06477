// SPDX-License-Identifier: BSD-3-Clause
// The table of one instruction set's kernels.
#include "kernels/swendsen_wang/sweep_variant.hpp"

#include "kernels/swendsen_wang/simd.hpp"

namespace strata::swendsen_wang::STRATA_ISA {

bool draw_and_label(const SlabView&);
void unite_across_threads(const SlabView&);
void flip_clusters(const SlabView&);
void count_cluster_sizes(const SlabView&, std::uint64_t*, ClusterMoments&);
void accumulate_moments(const SlabView&, const std::uint64_t*, ClusterMoments&);
void count_planes(const SlabView&, std::uint64_t* const*);

#define STRATA_QUOTE_(x) #x
#define STRATA_QUOTE(x) STRATA_QUOTE_(x)

SweepKernels kernels() {
    return {STRATA_QUOTE(STRATA_ISA), draw_and_label,     unite_across_threads, flip_clusters,
            count_cluster_sizes,      accumulate_moments, count_planes};
}

}  // namespace strata::swendsen_wang::STRATA_ISA
