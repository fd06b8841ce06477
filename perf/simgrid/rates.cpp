// SPDX-License-Identifier: BSD-3-Clause
// Kernels that compute the same bits and charge the time of the simulated machine. Seconds are of one Zen 4 core with
// AVX-512: phases of a sweep are those of perf/notebook.md, passes and hops those that `strata plan` counts with. Kernels of
// observations and of vectors are left as they are: the processor time of their loops is charged.
#include <vector>

#include "kernels/lanczos/step_kernels.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "kernels/trotter/pass_kernels.hpp"
#include "lanczos/run/factory.hpp"
#include "lanczos/run/work.hpp"
#include "simulation.hpp"
#include "trotter/run/factory.hpp"

namespace strata {
namespace {

struct Cost {
    double core_seconds, bytes;
};

/// Replaces a kernel of the fastest table, which jobs take, by one that charges cost(arguments...). `cost` has no state.
template <class Table, class Result, class... Arguments, class CostOf>
void charge(const std::vector<Table>& variants, Result (*Table::*kernel)(Arguments...), CostOf) {
    auto& table = const_cast<Table&>(variants.front());
    static Result (*const real)(Arguments...) = table.*kernel;
    table.*kernel = [](Arguments... arguments) -> Result {
        const Cost cost = CostOf()(arguments...);
        const simulation::Kernel under_way(cost.core_seconds, cost.bytes);
        return real(arguments...);
    };
}

Cost per_site(const swendsen_wang::SlabView& s, double ns_2d, double bytes_2d, double ns_3d, double bytes_3d) {
    const auto sites = static_cast<double>(s.lattice.slab_sites());
    return s.lattice.dimensions == 2 ? Cost{1e-9 * ns_2d * sites, bytes_2d * sites}
                                     : Cost{1e-9 * ns_3d * sites, bytes_3d * sites};
}

void charge_swendsen_wang() {
    using K = swendsen_wang::SweepKernels;
    charge(swendsen_wang::sweep_variants(), &K::draw_and_label,
           [](const swendsen_wang::SlabView& s) { return per_site(s, 1.18, 3, 1.52, 4); });
    charge(swendsen_wang::sweep_variants(), &K::flip_clusters,
           [](const swendsen_wang::SlabView& s) { return per_site(s, 0.14, 2, 0.25, 2.5); });
}

Cost per_amplitude(Range tiles, int block_bits, double seconds) {
    const auto amplitudes = static_cast<double>(tiles.size() << (block_bits + trotter::StateLayout().lane_bits));
    return {seconds * amplitudes, 32 * amplitudes};
}

void charge_trotter() {
    using K = trotter::PassKernels<double>;
    charge(trotter::pass_variants<double>(), &K::pass, [](const trotter::Pass<double>& p, Range tiles) {
        return per_amplitude(tiles, p.blocks.block_bits, trotter::pass_computation);
    });
    charge(trotter::pass_variants<double>(), &K::light_cone_pass,
           [](const trotter::LightConePass<double>& p, Range tiles) {
               return per_amplitude(tiles, p.window->block_bits(), trotter::light_cone_computation);
           });
}

/// Cost of `reals` numbers of vectors that the hopping matrix `hops` of `dim` rows multiplies, with `bytes` for each.
Cost per_real(const lanczos::HoppingView& hops, std::uint64_t dim, std::uint64_t reals, double bytes) {
    const double hops_of_row = dim == 0 ? 0 : static_cast<double>(hops.first[dim]) / static_cast<double>(dim);
    return {lanczos::hop_computation * hops_of_row * static_cast<double>(reals), bytes * static_cast<double>(reals)};
}

void charge_lanczos() {
    using K = lanczos::StepKernels<double>;
    using H = const lanczos::HamiltonianView&;
    charge(lanczos::step_variants<double>(), &K::down_sweep,
           [](H h, const lanczos::Recurrence&, double*, double*, double*) {
               return per_real(h.down.hops, h.down.dim, h.layout.size(), 32);
           });
    charge(lanczos::step_variants<double>(), &K::up_sweep,
           [](H h, const double*, const double*, double*, lanczos::TileSums*) {
               return per_real(h.rows, h.layout.own_rows().size(), h.layout.size(), 24);
           });
    charge(lanczos::step_variants<double>(), &K::up_gathered,
           [](H h, const lanczos::GatheredPanels<double>&, std::uint64_t panels, double* const*) {
               return per_real(h.up.hops, h.up.dim, panels * h.layout.all_blocks() * h.layout.tile(), 16);
           });
    charge(lanczos::step_variants<double>(), &K::add_up,
           [](H h, const double*, Range panels, const double*, double*, lanczos::TileSums*) {
               return Cost{0, 32 * static_cast<double>(panels.size() * h.layout.blocks.size() * h.layout.tile())};
           });
}

}  // namespace

void simulation::charge_kernels() {
    charge_swendsen_wang();
    charge_trotter();
    charge_lanczos();
}

}  // namespace strata
