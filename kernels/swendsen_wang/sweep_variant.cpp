// SPDX-License-Identifier: BSD-3-Clause
// The table of the sweep kernels of one instruction set.
#include "kernels/instruction_sets.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"

namespace strata::swendsen_wang {
namespace STRATA_ISA {

bool label_slice(const SliceView&);
void join_threads(const SliceView&);
void flip_clusters(const SliceView&);
void count_sizes(const SliceView&, std::uint64_t*, ClusterSums&);
void sum_sizes(const SliceView&, const std::uint64_t*, ClusterSums&);
void count_planes(const SliceView&, std::uint64_t* const*);

}  // namespace STRATA_ISA

SweepKernels sweep_kernels(instruction_set::STRATA_ISA set) {
    using namespace STRATA_ISA;
    return {set.name, label_slice, join_threads, flip_clusters, count_sizes, sum_sizes, count_planes};
}

}  // namespace strata::swendsen_wang
