// SPDX-License-Identifier: BSD-3-Clause
#include "swendsen_wang/swendsen_wang.hpp"

#include "swendsen_wang/results.hpp"

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
    slice_ = std::make_unique<Slice<Backend>>(plan_);
    borders_ = std::make_unique<Borders<Backend>>(comm_, plan_, *slice_, options_);
    observation_ = std::make_unique<Observation>(plan_);
}

template <class Backend>
void SwendsenWang<Backend>::step(std::uint64_t step) {
    const SwendsenWangConfig& c = plan_.config();
    const BondProbability bond = bond_probability(c.betas[plan_.moment(step).point] * c.coupling);
    const auto phase = [this](std::string_view name, auto&& body) {
        const Timers::Scope scope = timers_.scope(name);
        body();
    };

    slice_->begin({step, bond, observes(step)}, timers_);
    phase("halo", [&] { borders_->exchange_spins(*slice_); });
    slice_->label(timers_);
    phase("border labels", [&] { borders_->resolve_labels(*slice_); });
    if (observes(step)) phase("observation", [&] { measure(); });
    slice_->flip(timers_);
}

/// Integers of the configuration that entered this sweep, and of its clusters.
template <class Backend>
void SwendsenWang<Backend>::measure() {
    observation_->clear();
    slice_->count(*observation_);
    borders_->sum_sizes(*slice_);
    slice_->sum_sizes(*observation_);
}

template <class Backend>
std::string SwendsenWang<Backend>::broken_invariant(std::span<const double> row) const {
    const auto outside = [&](SeriesColumn column, double low, double high) {
        const std::string name = series_columns()[column].name;
        return row[column] >= low && row[column] <= high  // false for NaN
                   ? std::string()
                   : name + " = " + std::to_string(row[column]) + " lies outside " + std::to_string(low) + " .. " +
                         std::to_string(high) + ".";
    };
    const double dimensions = plan_.lattice().dimensions;
    for (const std::string& error :
         {outside(energy_column, -dimensions, dimensions), outside(absolute_magnetisation, 0, 1),
          outside(largest_cluster, 0, 1), outside(cluster_count, 0, 1), outside(structure_factor, 0, 1e300)})
        if (!error.empty()) return error;
    if (observation_->sites_in_clusters() == plan_.config().sites()) return {};
    return "The clusters hold " + std::to_string(observation_->sites_in_clusters()) + " sites of " +
           std::to_string(plan_.config().sites()) + ".";
}

template <class Backend>
std::vector<Quantity> SwendsenWang<Backend>::results(const Series& series) const {
    return estimate(plan_, series);
}

template <class Backend>
std::vector<Figure> SwendsenWang<Backend>::performance(std::uint64_t steps, double seconds) const {
    if (steps == 0) return {};
    const double updates = static_cast<double>(steps) * static_cast<double>(plan_.config().sites());
    return {{"ns_per_site_update", 1e9 * seconds / updates, "ns", "wall time over all ranks, observations included"},
            {"site_updates_per_second", updates / seconds, "1/s", "sites of the whole lattice"}};
}

template class SwendsenWang<Cpu>;
template class SwendsenWang<Cuda>;

}  // namespace strata::swendsen_wang
