// SPDX-License-Identifier: BSD-3-Clause
// Sweeps of all replicas, exchanges of their temperatures, overlaps of pairs, and the table over temperatures.
#include "swendsen_wang/run/parallel_tempering.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "comm/collectives.hpp"
#include "comm/exchange.hpp"
#include "comm/tags.hpp"
#include "strata/formatted.hpp"
#include "swendsen_wang/run/equilibrium.hpp"

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
      columns_(series_columns(plan_.config())),
      replica_columns_(columns_.size()),
      overlaps_(plan_),
      sites_in_clusters_(plan_.config().betas.size()) {
    const SwendsenWangConfig& c = plan_.config();
    for (std::uint64_t ladder = 0; ladder < (c.overlap ? 2U : 1U); ++ladder)
        ladders_.emplace_back(c.betas, c.seed, ladder);
    if (c.overlap) std::ranges::copy(overlap_columns(), std::back_inserter(columns_));
    columns_.push_back({"temperature", "J/k_B", "temperature of the row", Role::coordinate});
    make_replicas(options);
}

/// Every replica has random numbers of its own.
template <class Backend>
void ParallelTempering<Backend>::make_replicas(const BackendOptions<Backend>& options) {
    const Range own = plan_.groups().replicas_of(plan_.groups().of(comm_.rank()));
    if (std::is_same_v<Backend, Cpu> && group_.size() == 1 && own.size() > 1 && fits_side_by_side(plan_.config())) {
        std::vector<std::uint64_t> first_random;
        for (std::uint64_t number = own.first; number < own.last; ++number)
            first_random.push_back(number * max_chained_sweeps);
        batch_ = std::make_unique<ReplicaBatch>(std::vector(own.size(), plan_.config()), first_random);
        for (std::size_t i = 0; i < own.size(); ++i) replicas_.push_back({own.first + i, &batch_->system(i)});
        return;
    }
    for (std::uint64_t number = own.first; number < own.last; ++number) {
        systems_.push_back(std::make_unique<SwendsenWang<Backend>>(group_, plan_, options));
        systems_.back()->follow(number);
        replicas_.push_back({number, systems_.back().get()});
    }
}

template <class Backend>
void ParallelTempering<Backend>::allocate() {
    for (Replica& replica : replicas_) {
        replica.system->allocate();
        if (!plan_.config().overlap) continue;
        replica.spins.resize(plan_.lattice().slab_tiles());
        if (replica.number < temperatures()) replica.partner.resize(plan_.lattice().slab_tiles());
    }
    set_temperatures();
}

template <class Backend>
void ParallelTempering<Backend>::initialise() {
    for (Replica& replica : replicas_) replica.system->initialise();
}

template <class Backend>
void ParallelTempering<Backend>::set_temperatures() {
    for (Replica& replica : replicas_) replica.system->set_beta(beta_of(replica.number));
}

template <class Backend>
int ParallelTempering<Backend>::group_of(std::size_t replica) const {
    return static_cast<int>(
        part_of(plan_.groups().replicas, static_cast<std::uint64_t>(plan_.groups().groups), replica));
}

template <class Backend>
std::uint64_t ParallelTempering<Backend>::arrivals() const {
    return std::ranges::min(ladders_, {}, &TemperatureLadder::arrivals).arrivals();
}

/// The spins of all replicas, of which every rank has those of its group, and the ladders.
template <class Backend>
std::vector<DistributedArray> ParallelTempering<Backend>::state() {
    std::vector<DistributedArray> all;
    for (std::size_t number = 0; number < plan_.groups().replicas; ++number) {
        Replica& source = is_own(number) ? own(number) : replicas_.front();  // the shape of others is that of the first
        for (DistributedArray& array : source.system->state()) {
            array.shape.name = "replica-" + std::to_string(number) + "-" + array.shape.name;
            if (!is_own(number)) array.rows = {0, 0};
            all.push_back(std::move(array));
        }
    }
    for (TemperatureLadder& ladder : ladders_) all.push_back(ladder.state());
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
    if (batch_ != nullptr) {
        batch_->step(step);
        batch_->move_times(timers_);
        return;
    }
    for (Replica& replica : replicas_) {
        replica.system->step(step);
        replica.system->move_times(timers_);
    }
}

/// Sums the counts of all slabs on rank 0 and broadcasts the temperatures of all replicas.
template <class Backend>
void ParallelTempering<Backend>::exchange(std::uint64_t step) {
    std::vector<std::uint64_t> counts(2 * plan_.groups().replicas);
    if (batch_ != nullptr) batch_->count();
    for (Replica& replica : replicas_) {
        const SpinCounts spins = replica.system->count_spins(step);
        counts[2 * replica.number] = spins.satisfied;
        counts[2 * replica.number + 1] = spins.up;
        replica.system->move_times(timers_);
    }
    const Timers::Scope scope = timers_.scope("exchange of temperatures");
    sum_to_root(comm_, counts);
    std::vector<double> energies;
    for (std::size_t number = 0; number < plan_.groups().replicas; ++number)
        energies.push_back(energy(plan_.config(), {counts[2 * number], counts[2 * number + 1]}));
    for (std::size_t ladder = 0; ladder < ladders_.size(); ++ladder) {
        TemperatureLadder& exchanged = ladders_[ladder];
        if (comm_.is_root())  // others may round exponentials in another way
            exchanged.exchange(step / plan_.config().exchange_every, step,
                               std::span(energies).subspan(ladder * temperatures(), temperatures()));
        broadcast_bytes(comm_, exchanged.temperatures().data(), exchanged.temperatures().size_bytes(), 0);
    }
    set_temperatures();
}

template <class Backend>
void ParallelTempering<Backend>::finish() {
    for (Replica& replica : replicas_) {
        replica.system->finish();
        replica.system->move_times(timers_);
    }
}

/// Copies the spins of pairs of replicas at the same temperature to the ranks that have the first one of the pair. Both
/// groups divide the lattice into the same slabs.
template <class Backend>
void ParallelTempering<Backend>::gather_spins() {
    for (Replica& replica : replicas_) {
        const DistributedArray array = replica.system->state().front();
        const ArraySlab all = {array.rows, {0, array.shape.elements(array.rows)}};
        array.read(all, reinterpret_cast<std::byte*>(replica.spins.data()));
    }
    Exchange<Cpu> exchange(comm_);
    const auto rank_with = [&](std::size_t replica) {
        return static_cast<int>(plan_.groups().ranks_of(group_of(replica)).first) + group_.rank();
    };
    for (std::size_t t = 0; t < temperatures(); ++t) {
        const std::size_t one = replica_at(0, t), other = replica_at(1, t);
        if (is_own(one))
            exchange.plan_receive(rank_with(other), tag::overlap, own(one).partner.data(), 8 * own(one).partner.size());
        if (is_own(other))
            exchange.plan_send(rank_with(one), tag::overlap, own(other).spins.data(), 8 * own(other).spins.size());
    }
    exchange.start();
    exchange.finish();
}

/// Writes the overlaps after the other numbers in the rows of the replicas of the first ladder; they are valid on the
/// group's first rank.
template <class Backend>
void ParallelTempering<Backend>::observe_overlaps(std::span<double> rows) {
    gather_spins();
    std::vector<double> row(replica_columns_);
    for (std::size_t slot = 0; slot < replicas_.size(); ++slot) {
        const Replica& replica = replicas_[slot];
        if (replica.number >= temperatures()) continue;
        overlaps_.clear();
        count_overlap(plan_.lattice(), replica.spins, replica.partner, overlaps_);
        overlaps_.reduce(group_, row);
        const double numbers[] = {row[absolute_magnetisation], row[magnetisation_2], row[magnetisation_4],
                                  row[place_of(structure_factor, plan_.config())]};
        std::ranges::copy(numbers, rows.begin() + static_cast<std::ptrdiff_t>(slot * columns_.size() + row.size()));
    }
}

/// Every rank sends as many numbers to rank 0: for each replica of its group the row and the sites in clusters, which are
/// valid on the group's first rank.
template <class Backend>
void ParallelTempering<Backend>::observe(std::vector<double>& rows) {
    const ReplicaGroups& groups = plan_.groups();
    const std::size_t width = columns_.size(), slots = groups.most_replicas();
    std::vector<double> sent(slots * width);
    for (std::size_t slot = 0; slot < replicas_.size(); ++slot) {
        std::vector<double> row;
        replicas_[slot].system->observe(row);
        replicas_[slot].system->move_times(timers_);
        std::ranges::copy(row, sent.begin() + static_cast<std::ptrdiff_t>(slot * width));
        sent[slot * width + width - 1] =
            static_cast<double>(replicas_[slot].system->sites_in_clusters());  // below 2^53
    }
    const Timers::Scope scope = timers_.scope("observation");
    if (plan_.config().overlap) observe_overlaps(sent);
    const std::vector<double> all = gather(comm_, std::span<const double>(sent));
    if (!comm_.is_root()) return;
    const auto row_of = [&](std::size_t replica) {
        const int group = group_of(replica);
        const std::size_t slot = replica - groups.replicas_of(group).first;
        return std::span(all).subspan((groups.ranks_of(group).first * slots + slot) * width, width);
    };
    for (std::size_t t = 0; t < temperatures(); ++t) {
        const std::span<const double> row = row_of(replica_at(0, t));
        rows.insert(rows.end(), row.begin(), row.end() - 1);
        rows.push_back(1 / ladders_.front().beta(t));
        sites_in_clusters_[t] = static_cast<std::uint64_t>(row.back());
        if (ladders_.size() == 2 && row_of(replica_at(1, t)).back() != row.back()) sites_in_clusters_[t] = 0;
    }
}

template <class Backend>
SwendsenWangConfig ParallelTempering<Backend>::config_at(std::size_t temperature) const {
    SwendsenWangConfig c = plan_.config();
    c.beta = ladders_.front().beta(temperature);
    return c;
}

template <class Backend>
std::string ParallelTempering<Backend>::broken_invariant(std::span<const double> row) const {
    std::size_t t = 0;
    while (t + 1 < temperatures() && 1 / ladders_.front().beta(t) != row.back()) ++t;
    return impossible_row(plan_.config(), columns_, row, sites_in_clusters_[t]);  // its bounds hold at all temperatures
}

/// Rows of one temperature.
template <class Backend>
Series ParallelTempering<Backend>::series_at(const Series& series, std::size_t temperature) const {
    Series part(columns_);
    part.reserve(series.rows() / temperatures());
    for (std::size_t row = temperature; row < series.rows(); row += temperatures()) part.append(series.row(row));
    return part;
}

/// Errors are given for temperatures at which a run without exchanges would reach equilibrium; for those below the hottest
/// also if it would do so at the hottest one, and enough replicas went from there to the coldest.
template <class Backend>
std::vector<Quantity> ParallelTempering<Backend>::results(const Series& series) const {
    if (series.rows() < temperatures()) return {};
    const std::size_t hottest = temperatures() - 1;
    const bool renewed = static_cast<double>(arrivals()) >= least_arrivals &&
                         obstacle_to_equilibrium(config_at(hottest), series_at(series, hottest), {}).empty();
    std::vector<Quantity> table;
    Withheld withheld;
    bool few = false;
    std::size_t without_errors = 0;
    for (std::size_t t = 0; t < temperatures(); ++t) {
        const SwendsenWangConfig config = config_at(t);
        const Series part = series_at(series, t);
        const bool equilibrium = renewed || obstacle_to_equilibrium(config, part, {}).empty();
        std::vector<Quantity> rows = estimate(config, part, {}, equilibrium, withheld);
        if (plan_.config().overlap)
            std::ranges::move(estimate_overlap(config, part, replica_columns_, equilibrium, withheld),
                              std::back_inserter(rows));
        if (table.empty())
            for (const Quantity& q : rows) {
                table.push_back(Quantity{q.name, q.unit, q.meaning, {}}.over("temperature"));
                table.back().role = q.role;
            }
        for (std::size_t i = 0; i < rows.size(); ++i) {
            table[i].value.push_back(rows[i].value[0]);
            for (auto list : {&Quantity::error, &Quantity::tau, &Quantity::reference})
                if (!(rows[i].*list).empty()) (table[i].*list).push_back((rows[i].*list)[0]);
        }
        if (!equilibrium) without_errors = t + 1;
        few = few || few_observations(config, part.column(energy_column, 0, part.rows()), rows);
    }
    table.push_back(Quantity{"exchange-acceptance", "1",
                             "fraction of accepted exchanges with the next higher temperature",
                             ladders_.front().acceptance()}
                        .over("temperature"));
    remark_ = remark(without_errors, few);
    if (const std::string lack = remark_on(withheld, plan_.config().sweeps); !lack.empty()) remark_ += " " + lack;
    return table;
}

/// `without_errors`: number of the lowest temperatures up to the last one that has no errors.
template <class Backend>
std::string ParallelTempering<Backend>::remark(std::size_t without_errors, bool few) const {
    const std::string came = formatted("Replicas came from the hottest to the coldest temperature %llu times",
                                       static_cast<unsigned long long>(arrivals()));
    if (without_errors > 0)
        return came + formatted(
                          ", and not all temperatures up to %.10g are known to be in equilibrium: they have no "
                          "errors. %.0f times are enough, if the hottest temperature needs no others; raise "
                          "run.sweeps or the hottest temperature, or add temperatures where "
                          "exchange-acceptance is small.",
                          1 / ladders_.front().beta(without_errors - 1), least_arrivals);
    return came + "." + (few ? " " + remark_on_few_observations(" at some temperatures") : "");
}

template class ParallelTempering<Cpu>;
template class ParallelTempering<Cuda>;

}  // namespace strata::swendsen_wang
