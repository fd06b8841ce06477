// SPDX-License-Identifier: BSD-3-Clause
// One replica of a batch as an application, and the batch.
#include "swendsen_wang/run/replica_batch.hpp"

#include <algorithm>

#include "swendsen_wang/run/equilibrium.hpp"
#include "swendsen_wang/run/results.hpp"
#include "swendsen_wang/state/slab.hpp"

namespace strata::swendsen_wang {
namespace {

/// Largest number of replicas, of their words and of the numbers of their series.
constexpr std::uint64_t most_replicas = 64, most_words = std::uint64_t{1} << 18, most_numbers = std::uint64_t{1} << 24;
/// Largest number of tiles of a replica. Beyond it the tile rows of a single lattice fill the lanes as well.
constexpr std::uint64_t most_tiles = 512;

std::uint64_t tiles_of(const SwendsenWangConfig& c) {
    return TileLattice(static_cast<int>(c.extents.size()), c.extents.data()).slab_tiles();
}

class Replica : public ReplicaSystem, public Reviewed {
  public:
    Replica(const SwendsenWangConfig& config, Replicas& replicas, TablesByBeta& tables, std::size_t number)
        : plan_(config, 1, 0, 1),
          replicas_(replicas),
          tables_(tables),
          number_(number),
          words_(plan_.lattice().slab_tiles()),
          columns_(series_columns(config)),
          spin_columns_(config),
          structure_factor_(place_of(structure_factor, config)) {}

    std::vector<std::string> description() const override { return plan_.description(); }
    std::string backend() const override { return "cpu " + std::string(plan_.kernels().name); }
    MemoryPrediction memory() const override { return plan_.memory(); }
    void allocate() override {}
    void set_beta(double beta) override {
        if (beta == plan_.config().beta) return;
        plan_.set_beta(beta);
        const auto [table, is_new] = tables_.try_emplace(beta);
        if (is_new) table->second = plan_.config().metropolis();
        replicas_.set_table(number_, table->second);
    }
    SpinCounts count_spins(std::uint64_t) override { return {replicas_.satisfied(number_), replicas_.up(number_)}; }
    std::uint64_t sites_in_clusters() const override { return 0; }
    void initialise() override {
        const TileLattice& l = plan_.lattice();
        fill_spins(l, plan_.config().first_spins(), 0, {0, l.rows()}, l.row_tiles(), 1, words_.data());
        replicas_.write(number_, words_);
    }
    /// A copy of the spins, which restored() writes back.
    std::vector<DistributedArray> state() override {
        const TileLattice& l = plan_.lattice();
        replicas_.read(number_, words_);
        return {host_array(spin_shape(l, 2, 0), spin_rows(l), words_.data(), l.row_tiles())};
    }
    void restored(std::uint64_t) override { replicas_.write(number_, words_); }

    std::uint64_t total_steps() const override { return plan_.total_steps(); }
    std::string step_name() const override { return "sweeps"; }
    void step(std::uint64_t) override {}
    bool observes(std::uint64_t step) const override { return plan_.observes(step); }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override {
        rows.resize(rows.size() + columns_.size());
        const std::span<double> row = std::span(rows).last(columns_.size());
        spin_columns_.fill(count_spins(0), row);
        row[structure_factor_] = replicas_.smallest_mode(number_);
    }
    std::string broken_invariant(std::span<const double> row) const override {
        return impossible_row(plan_.config(), columns_, row, 0);
    }

    void review(std::uint64_t, const Series&) override {}
    std::vector<Quantity> results(const Series& series) const override {
        Evaluation e = evaluate(plan_.config(), series);
        remark_ = std::move(e.remark);
        rows_left_out_ = e.rows_left_out;
        return std::move(e.table);
    }
    std::string remark() const override { return remark_; }
    std::uint64_t rows_left_out() const override { return rows_left_out_; }
    std::vector<Figure> performance(std::uint64_t steps, double seconds) const override {
        return update_rates(plan_.config(), steps, seconds);
    }

  private:
    SwendsenWangPlan plan_;
    Replicas& replicas_;
    TablesByBeta& tables_;
    const std::size_t number_;
    std::vector<std::uint64_t> words_;  ///< [tile] spins
    const std::vector<Column> columns_;
    const SpinColumns spin_columns_;
    const std::size_t structure_factor_;  ///< column
    mutable std::string remark_;          ///< remark about the series of the last results()
    mutable std::uint64_t rows_left_out_ = 0;
};

}  // namespace

std::vector<std::string> keys_of_batch() {
    return {"model.temperature",   "model.beta",  "model.coupling", "model.opposite-bonds",
            "model.disorder-seed", "model.field", "run.seed",       "run.start"};
}

bool fits_side_by_side(const SwendsenWangConfig& c) {
    return !c.changes_clusters() && !c.clusters && c.correlations == 0 && tiles_of(c) <= most_tiles;
}

std::size_t most_in_batch(const SwendsenWangConfig& c) {
    const std::uint64_t tiles = tiles_of(c), observations = c.sweeps / c.measure_every + 1;
    if (!fits_side_by_side(c) || c.target_error > 0 || c.tempers()) return 1;
    return std::clamp<std::uint64_t>(
        std::min(most_words / tiles, most_numbers / observations / series_columns(c).size()), 1, most_replicas);
}

ReplicaBatch::ReplicaBatch(const std::vector<SwendsenWangConfig>& configs,
                           const std::vector<std::uint64_t>& first_random)
    : replicas_(configs, first_random) {
    for (const SwendsenWangConfig& config : configs)
        systems_.push_back(std::make_unique<Replica>(config, replicas_, tables_, systems_.size()));
}

void ReplicaBatch::step(std::uint64_t step) {
    replicas_.sweep(step, timers_);
    if (systems_.front()->observes(step)) count();
}

}  // namespace strata::swendsen_wang
