// SPDX-License-Identifier: BSD-3-Clause
// Table of the sweep kernels of one instruction set.
#include "kernels/instruction_sets.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"

namespace strata::swendsen_wang {
namespace STRATA_ISA {

bool draw_and_label(const SlabView&);
void count_spins(const SlabView&);
void unite_across_threads(const SlabView&);
void bind_clusters(const SlabView&);
std::uint64_t list_border_roots(const SlabView&, Border, std::uint32_t*);
void flip_clusters(const SlabView&);
void count_cluster_sizes(const SlabView&, std::uint64_t*, ClusterMoments&);
void accumulate_moments(const SlabView&, const std::uint64_t*, ClusterMoments&);
void count_planes(const SlabView&, std::uint64_t* const*);
void count_states(const SlabView&, std::uint64_t*);
void update_colour(const SlabView&, const MetropolisTable&, int);

}  // namespace STRATA_ISA

SweepKernels sweep_kernels(instruction_set::STRATA_ISA set) {
    using namespace STRATA_ISA;
    return {.name = set.name,
            .draw_and_label = draw_and_label,
            .unite_across_threads = unite_across_threads,
            .bind_clusters = bind_clusters,
            .list_border_roots = list_border_roots,
            .flip_clusters = flip_clusters,
            .count_spins = count_spins,
            .count_cluster_sizes = count_cluster_sizes,
            .accumulate_moments = accumulate_moments,
            .count_planes = count_planes,
            .count_states = count_states,
            .update_colour = update_colour};
}

}  // namespace strata::swendsen_wang
