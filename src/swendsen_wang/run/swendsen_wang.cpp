// SPDX-License-Identifier: BSD-3-Clause
// One sweep of Swendsen and Wang, Phys. Rev. Lett. 58, 86 (1987): satisfied bonds are activated with probability 1 -
// exp(-2 beta J), the clusters of active bonds are labelled, and each cluster flips with probability 1/2, in a field
// unless it is bound to the ghost spin. A sweep may also update single spins, before the clusters or instead of them;
// clusters are then drawn for observations alone, and so they are where it flips single clusters (U. Wolff, Phys. Rev.
// Lett. 62, 361 (1989)). The phases are functions of Slab and Borders; their timers are printed
// in the report.
#include "swendsen_wang/run/swendsen_wang.hpp"

#include "comm/collectives.hpp"
#include "swendsen_wang/run/equilibrium.hpp"
#include "swendsen_wang/run/results.hpp"

namespace strata::swendsen_wang {

template <class Backend>
std::string SwendsenWang<Backend>::backend() const {
    if constexpr (std::is_same_v<Backend, Cuda>)
        return "cuda " + options_.device;
    else
        return "cpu " + std::string(plan_.kernels().name);
}

template <class Backend>
void SwendsenWang<Backend>::allocate() {
    slab_ = std::make_unique<Slab<Backend>>(plan_);
    borders_ = std::make_unique<Borders<Backend>>(comm_, plan_, *slab_, options_);
    observation_ = std::make_unique<Observation>(plan_);
    set_beta(plan_.config().beta);
}

template <class Backend>
void SwendsenWang<Backend>::set_beta(double beta) {
    plan_.set_beta(beta);
    if (plan_.config().has_metropolis()) metropolis_ = plan_.config().metropolis();
}

/// Sets the parameters of sweep number `step` of this run.
template <class Backend>
void SwendsenWang<Backend>::begin(std::uint64_t step, bool observed) {
    const SwendsenWangConfig& c = plan_.config();
    slab_->begin({c.seed, number_of(step), c.bond(), c.ghost(), c.couplings(), c.states, observed}, timers_);
}

template <class Backend>
void SwendsenWang<Backend>::step(std::uint64_t step) {
    const SwendsenWangConfig& c = plan_.config();
    const auto phase = [this](std::string_view name, auto&& body) {
        const Timers::Scope scope = timers_.scope(name);
        body();
    };

    begin(step, observes(step));
    if (c.has_metropolis()) update_single_spins();
    if (observes(step) && !c.clusters) {
        phase("halo", [&] { borders_->exchange_spins(*slab_); });
        observation_->clear();
        slab_->count_spins_and_planes(*observation_, timers_);
    } else if (c.flips_all_clusters() || observes(step)) {
        phase("halo", [&] { borders_->exchange_spins(*slab_); });
        slab_->draw_and_label(timers_);
        phase("border labels", [&] { borders_->resolve_labels(*slab_); });
        if (observes(step)) phase("observation", [&] { measure(); });
        if (c.flips_all_clusters()) slab_->flip(timers_);
    }
    if (c.grows_clusters()) phase("single clusters", [&] { change_single_clusters(step); });
}

/// The first of them has the bonds of the clusters of this sweep's observation.
template <class Backend>
void SwendsenWang<Backend>::change_single_clusters(std::uint64_t step) {
    if constexpr (std::is_same_v<Backend, Cpu>)
        for (std::uint64_t cluster = 0; cluster < plan_.config().clusters_per_sweep; ++cluster)
            changed_sites_ += slab_->change_one_cluster(number_of(step) + cluster);
}

/// Metropolis updates of all sites, first of those with even x + y + z, then of the others.
template <class Backend>
void SwendsenWang<Backend>::update_single_spins() {
    for (const int colour : {0, 1}) {
        {
            const Timers::Scope scope = timers_.scope("halo");
            borders_->exchange_spins(*slab_);
        }
        slab_->update_colour(metropolis_, colour, timers_);
    }
}

/// Counts the observables of the configuration before this sweep and of its clusters: sizes within the slab, then over
/// all slabs.
template <class Backend>
void SwendsenWang<Backend>::measure() {
    observation_->clear();
    slab_->count(*observation_);
    borders_->send_sizes_to_owners(*slab_);
    slab_->accumulate_moments(*observation_);
}

template <class Backend>
SpinCounts SwendsenWang<Backend>::count_spins(std::uint64_t step) {
    begin(step, false);
    {
        const Timers::Scope scope = timers_.scope("halo");
        borders_->exchange_spins(*slab_);
    }
    observation_->clear();
    slab_->count_spins(*observation_, timers_);
    return observation_->spins();
}

template <class Backend>
void SwendsenWang<Backend>::review(std::uint64_t steps, const Series& series) {
    if (!plan_.may_end(steps)) return;
    bool enough = false;
    if (comm_.is_root()) {
        const SwendsenWangConfig& c = plan_.config();
        const analysis::Transient start = thermalization(c, series);
        const bool equilibrium = obstacle_to_equilibrium(c, series, start).empty();
        Withheld withheld;
        enough = start.ended &&
                 reaches_target(c, series.rows() - start.rows, estimate(c, series, start, equilibrium, withheld));
    }
    broadcast(comm_, enough);
    if (enough) total_steps_ = steps;
}

template <class Backend>
std::vector<Quantity> SwendsenWang<Backend>::results(const Series& series) const {
    Evaluation e = evaluate(plan_.config(), series);
    remark_ = std::move(e.remark);
    rows_left_out_ = e.rows_left_out;
    return std::move(e.table);
}

template class SwendsenWang<Cpu>;
template class SwendsenWang<Cuda>;

}  // namespace strata::swendsen_wang
