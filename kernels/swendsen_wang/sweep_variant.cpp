// SPDX-License-Identifier: BSD-3-Clause
// The table of one instruction set's kernels.
#include "kernels/swendsen_wang/sweep_variant.hpp"

#include "kernels/swendsen_wang/simd.hpp"

namespace strata::swendsen_wang::STRATA_ISA {

void draw_bonds(const SliceView&);
void label_tiles(const SliceView&);
bool number_ids(const SliceView&);
void merge_tiles(const SliceView&);
void join_threads(const SliceView&);
void flip_clusters(const SliceView&);
void count_sizes(const SliceView&, std::uint64_t*, ClusterSums&);
void sum_sizes(const SliceView&, const std::uint64_t*, ClusterSums&);
void count_planes(const SliceView&, std::uint64_t* const*);

#define STRATA_QUOTE_(x) #x
#define STRATA_QUOTE(x) STRATA_QUOTE_(x)

SweepKernels kernels() {
    return {STRATA_QUOTE(STRATA_ISA),
            draw_bonds,
            label_tiles,
            number_ids,
            merge_tiles,
            join_threads,
            flip_clusters,
            count_sizes,
            sum_sizes,
            count_planes};
}

}  // namespace strata::swendsen_wang::STRATA_ISA
