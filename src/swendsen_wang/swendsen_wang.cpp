// SPDX-License-Identifier: BSD-3-Clause
#include "swendsen_wang/swendsen_wang.hpp"

#include "strata/error.hpp"
#include "swendsen_wang/results.hpp"

namespace strata::swendsen_wang {

void SwendsenWang::allocate() {
    slice_ = std::make_unique<Slice>(plan_);
    borders_ = std::make_unique<Borders>(comm_, plan_);
    observation_ = std::make_unique<Observation>(plan_);
}

void SwendsenWang::initialise() { slice_->fill(plan_.config().start); }

void SwendsenWang::restored(std::uint64_t) { slice_->wrap_rows(); }

void SwendsenWang::step(std::uint64_t step) {
    SliceView& s = slice_->view();
    const SweepKernels& sweep = plan_.kernels();
    const SwendsenWangConfig& c = plan_.config();
    const BondProbability p = bond_probability(c.betas[plan_.moment(step).point] * c.coupling);
    s.sweep = step;
    s.bond_threshold = p.threshold;
    s.bond_always = p.always;
    const auto phase = [this](std::string_view name, auto&& body) {
        const Timers::Scope scope = timers_.scope(name);
        body();
    };

    phase("halo", [&] { borders_->exchange_spins(s); });
    label_slice(s);
    phase("join threads", [&] { sweep.join_threads(s); });
    phase("border labels", [&] { borders_->resolve_labels(s); });
    if (observes(step)) phase("observation", [&] { measure(); });
    phase("flip", [&] { sweep.flip_clusters(s); });
}

/// Bonds, labels, numbers and unions go band by band, so the kernel itself measures them.
void SwendsenWang::label_slice(const SliceView& s) {
    if (!plan_.kernels().label_slice(s))
        throw Error(ExitCode::internal, "This configuration has more open components than foreseen.");
    constexpr const char* names[] = {"bonds", "labels", "numbers", "merge"};
    for (int phase = 0; phase < slice_phases; ++phase)
        timers_.add(names[phase], slice_->phase_seconds(static_cast<SlicePhase>(phase)));
}

/// Integers of the configuration that entered this sweep, and of its clusters.
void SwendsenWang::measure() {
    SliceView& s = slice_->view();
    observation_->clear();
    observation_->add_spins(s);
    plan_.kernels().count_planes(s, observation_->planes());
    plan_.kernels().count_sizes(s, slice_->sizes(), observation_->clusters());
    borders_->sum_sizes(slice_->sizes());
    plan_.kernels().sum_sizes(s, slice_->sizes(), observation_->clusters());
}

std::string SwendsenWang::broken_invariant(std::span<const double> row) const {
    const auto outside = [&](SeriesColumn column, double low, double high) {
        const std::string name = series_columns()[column].name;
        return row[column] >= low && row[column] <= high  // false for NaN
                   ? std::string()
                   : name + " = " + std::to_string(row[column]) + " lies outside " + std::to_string(low) + " .. " +
                         std::to_string(high) + ".";
    };
    const double dimensions = plan_.lattice().dimensions;
    for (const std::string& fault :
         {outside(energy_column, -dimensions, dimensions), outside(absolute_magnetisation, 0, 1),
          outside(largest_cluster, 0, 1), outside(cluster_count, 0, 1), outside(structure_factor, 0, 1e300)})
        if (!fault.empty()) return fault;
    if (observation_->sites_in_clusters() == plan_.config().sites()) return {};
    return "The clusters hold " + std::to_string(observation_->sites_in_clusters()) + " sites of " +
           std::to_string(plan_.config().sites()) + ".";
}

std::vector<Quantity> SwendsenWang::results(const Series& series) const { return estimate(plan_, series); }

std::vector<Figure> SwendsenWang::performance(std::uint64_t steps, double seconds) const {
    if (steps == 0) return {};
    const double updates = static_cast<double>(steps) * static_cast<double>(plan_.config().sites());
    return {{"ns_per_site_update", 1e9 * seconds / updates, "ns", "wall time over all ranks, observations included"},
            {"site_updates_per_second", updates / seconds, "1/s", "sites of the whole lattice"}};
}

}  // namespace strata::swendsen_wang
