// SPDX-License-Identifier: BSD-3-Clause
// Sweeps of all replicas, exchanges of their temperatures, and the table over temperatures.
#include "swendsen_wang/run/parallel_tempering.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"
#include "strata/formatted.hpp"

namespace strata::swendsen_wang {
namespace {

/// Energy up to a constant, in the unit of 1 / beta: -|J| (2 n_s - n_b) - h (2 u - N) with n_s satisfied of n_b bonds and
/// u up spins; -J n_s of the Potts model.
double energy(const SwendsenWangConfig& c, const SpinCounts& counts) {
    const double bonds = std::abs(c.coupling) * static_cast<double>(counts.satisfied);
    return c.states > 2 ? -bonds : -2 * bonds - 2 * c.field * static_cast<double>(counts.up);
}

}  // namespace

template <class Backend>
ParallelTempering<Backend>::ParallelTempering(const Communicator& comm, SwendsenWangPlan plan,
                                              const BackendOptions<Backend>& options)
    : comm_(comm),
      plan_(std::move(plan)),
      group_(comm.split(plan_.groups().of(comm.rank()))),
      ladder_(plan_.config().betas, plan_.config().seed),
      columns_(series_columns(plan_.config())),
      sites_in_clusters_(ladder_.size()) {
    columns_.push_back({"temperature", "J/k_B", "temperature of the row"});
    const Range own = plan_.groups().replicas_of(plan_.groups().of(comm.rank()));
    for (std::uint64_t number = own.first; number < own.last; ++number) {
        replicas_.push_back({number, std::make_unique<SwendsenWang<Backend>>(group_, plan_, options)});
        replicas_.back().system->follow(number);  // random numbers of its own
    }
}

template <class Backend>
void ParallelTempering<Backend>::allocate() {
    for (Replica& replica : replicas_) replica.system->allocate();
    set_temperatures();
}

template <class Backend>
void ParallelTempering<Backend>::initialise() {
    for (Replica& replica : replicas_) replica.system->initialise();
}

template <class Backend>
void ParallelTempering<Backend>::set_temperatures() {
    for (Replica& replica : replicas_) replica.system->set_beta(ladder_.beta_of_replica(replica.number));
}

/// The spins of all replicas, of which every rank has those of its group, and the ladder.
template <class Backend>
std::vector<DistributedArray> ParallelTempering<Backend>::state() {
    std::vector<DistributedArray> all;
    const std::size_t first = replicas_.front().number;
    for (std::size_t number = 0; number < ladder_.size(); ++number) {
        const bool own = number >= first && number < first + replicas_.size();
        for (DistributedArray& array : replicas_[own ? number - first : 0].system->state()) {
            array.shape.name = "replica-" + std::to_string(number) + "-" + array.shape.name;
            if (!own) array.rows = {0, 0};
            all.push_back(std::move(array));
        }
    }
    all.push_back(ladder_.state());
    return all;
}

template <class Backend>
void ParallelTempering<Backend>::restored(std::uint64_t step) {
    for (Replica& replica : replicas_) replica.system->restored(step);
    set_temperatures();
}

template <class Backend>
void ParallelTempering<Backend>::step(std::uint64_t step) {
    if (step > 0 && step % plan_.config().exchange_every == 0) exchange(step);
    for (Replica& replica : replicas_) {
        replica.system->step(step);
        replica.system->move_times(timers_);
    }
}

/// Sums the counts of all slabs on rank 0 and broadcasts the temperatures of all replicas.
template <class Backend>
void ParallelTempering<Backend>::exchange(std::uint64_t step) {
    std::vector<std::uint64_t> counts(2 * ladder_.size());
    for (Replica& replica : replicas_) {
        const SpinCounts spins = replica.system->count_spins(step);
        counts[2 * replica.number] = spins.satisfied;
        counts[2 * replica.number + 1] = spins.up;
        replica.system->move_times(timers_);
    }
    const Timers::Scope scope = timers_.scope("exchange of temperatures");
    sum_to_root(comm_, counts);
    if (comm_.is_root()) {
        std::vector<double> energies;
        for (std::size_t number = 0; number < ladder_.size(); ++number)
            energies.push_back(energy(plan_.config(), {counts[2 * number], counts[2 * number + 1]}));
        ladder_.exchange(step / plan_.config().exchange_every, step, energies);
    }
    broadcast_bytes(comm_, ladder_.temperatures().data(), ladder_.temperatures().size_bytes(), 0);
    set_temperatures();
}

template <class Backend>
void ParallelTempering<Backend>::finish() {
    for (Replica& replica : replicas_) {
        replica.system->finish();
        replica.system->move_times(timers_);
    }
}

/// Every rank sends as many numbers to rank 0: for each replica of its group the row and the sites in clusters, which are
/// valid on the group's first rank.
template <class Backend>
void ParallelTempering<Backend>::observe(std::vector<double>& rows) {
    const ReplicaGroups& groups = plan_.groups();
    const std::size_t width = columns_.size(), slots = groups.most_replicas();
    std::vector<double> own;
    for (Replica& replica : replicas_) {
        replica.system->observe(own);
        replica.system->move_times(timers_);
        own.push_back(static_cast<double>(replica.system->sites_in_clusters()));  // at most 2^53
    }
    const Timers::Scope scope = timers_.scope("observation");
    own.resize(slots * width);
    const std::vector<double> all = gather(comm_, std::span<const double>(own));
    if (!comm_.is_root()) return;
    for (std::size_t t = 0; t < ladder_.size(); ++t) {
        const std::uint64_t number = ladder_.replica_at(t);
        const auto group =
            static_cast<int>(part_of(groups.replicas, static_cast<std::uint64_t>(groups.groups), number));
        const std::size_t rank = static_cast<std::size_t>(group * groups.ranks),
                          slot = number - groups.replicas_of(group).first;
        const auto row = all.begin() + static_cast<std::ptrdiff_t>((rank * slots + slot) * width);
        rows.insert(rows.end(), row, row + static_cast<std::ptrdiff_t>(width) - 1);
        rows.push_back(1 / ladder_.beta(t));
        sites_in_clusters_[t] = static_cast<std::uint64_t>(row[static_cast<std::ptrdiff_t>(width) - 1]);
    }
}

template <class Backend>
SwendsenWangConfig ParallelTempering<Backend>::config_at(std::size_t temperature) const {
    SwendsenWangConfig c = plan_.config();
    c.beta = ladder_.beta(temperature);
    return c;
}

template <class Backend>
std::string ParallelTempering<Backend>::broken_invariant(std::span<const double> row) const {
    std::size_t t = 0;
    while (t + 1 < ladder_.size() && 1 / ladder_.beta(t) != row.back()) ++t;
    return impossible_row(config_at(t), columns_, row, sites_in_clusters_[t]);
}

/// Rows of one temperature.
template <class Backend>
Series ParallelTempering<Backend>::series_at(const Series& series, std::size_t temperature) const {
    Series part(columns_);
    part.reserve(series.rows() / ladder_.size());
    for (std::size_t row = temperature; row < series.rows(); row += ladder_.size()) part.append(series.row(row));
    return part;
}

/// Errors are given for temperatures at which a run without exchanges would reach equilibrium; for those below the hottest
/// also if it would do so at the hottest one, and enough replicas went from there to the coldest.
template <class Backend>
std::vector<Quantity> ParallelTempering<Backend>::results(const Series& series) const {
    const auto in_equilibrium = [&](std::size_t t) { return reaches_equilibrium(config_at(t), series_at(series, t)); };
    if (series.rows() < ladder_.size()) return {};
    const bool renewed = static_cast<double>(ladder_.arrivals()) >= least_moves && in_equilibrium(ladder_.size() - 1);
    std::vector<Quantity> table;
    bool few = false;
    std::size_t without_errors = 0;
    for (std::size_t t = 0; t < ladder_.size(); ++t) {
        const Series part = series_at(series, t);
        const bool equilibrium = renewed || in_equilibrium(t);
        const std::vector<Quantity> rows = estimate(config_at(t), part, {}, equilibrium);
        if (table.empty())
            for (const Quantity& q : rows) table.push_back({q.name, q.unit, q.meaning, {}});
        for (std::size_t i = 0; i < rows.size(); ++i) {
            table[i].value.push_back(rows[i].value[0]);
            for (auto list : {&Quantity::error, &Quantity::tau, &Quantity::reference})
                if (!(rows[i].*list).empty()) (table[i].*list).push_back((rows[i].*list)[0]);
        }
        if (!equilibrium) without_errors = t + 1;
        few = few || few_observations(part.rows(), rows);
    }
    table.push_back({"exchange-acceptance", "1", "fraction of accepted exchanges with the next higher temperature",
                     ladder_.acceptance()});
    remark_ = remark(without_errors, few);
    return table;
}

/// `without_errors`: number of the lowest temperatures up to the last one that has no errors.
template <class Backend>
std::string ParallelTempering<Backend>::remark(std::size_t without_errors, bool few) const {
    const std::string arrivals = formatted("Replicas came from the hottest to the coldest temperature %llu times",
                                           static_cast<unsigned long long>(ladder_.arrivals()));
    if (without_errors > 0)
        return arrivals + formatted(
                              ", and not all temperatures up to %.10g are known to be in equilibrium: they have no "
                              "errors. %.0f times are enough, if the hottest temperature needs no others; raise "
                              "run.sweeps or the hottest temperature, or add temperatures where "
                              "exchange-acceptance is small.",
                              1 / ladder_.beta(without_errors - 1), least_moves);
    if (few)
        return arrivals +
               "; there are fewer than 40 observations, or than 50 tau_int, at some temperatures: errors are "
               "rough, and left out where they would say nothing; raise run.sweeps.";
    return arrivals + ".";
}

template class ParallelTempering<Cpu>;
template class ParallelTempering<Cuda>;

}  // namespace strata::swendsen_wang
