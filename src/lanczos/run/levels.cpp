// SPDX-License-Identifier: BSD-3-Clause
// Levels with the numbers of their sectors, ratios of spacings, and traces over all levels.
#include "lanczos/run/levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "krylov/dense_matrix.hpp"
#include "lanczos/physics/total_spin.hpp"
#include "lanczos/run/work.hpp"
#include "lanczos/state/memory.hpp"
#include "strata/formatted.hpp"

namespace strata::lanczos {
namespace {

void check_levels(const Config& config, const ModelConfig& model, InputErrors& found) {
    check_several_sectors(config, model, found);
    if (config.text("backend.precision") == "single")
        found.push_back(config.cite("backend.precision") +
                        " is not possible with matrices of all levels; leave it out for double.");
}

void check_level_sectors(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    check_ensemble(config, c, found);
    if (!found.empty()) return;
    const SectorList sectors(c);
    const ListedSector& largest = *std::ranges::max_element(sectors.all(), {}, &ListedSector::dimension);
    const double cells = static_cast<double>(model.lattice.sites) / model.lattice.sublattices;
    const bool divides =
        !c.symmetry.any() && !model.lattice.torus.empty() && largest.dimension < cells * most_dense_states;
    if (largest.dimension > most_dense_states)
        found.push_back("A sector has " + formatted("%.0f", largest.dimension) +
                        " states, and all levels are found of at most " + formatted("%.0f", most_dense_states) + ": " +
                        (divides ? "give sector.momentum = all, which divides it, or take fewer sites"
                                 : "take fewer sites or a smaller sector") +
                        (c.task == Task::thermal ? ", or thermal.method = random-vectors." : "."));
}

/// A row for each sector.
const std::vector<Column>& level_columns() {
    static const std::vector<Column> all = {
        {"sector", "1", "number of the sector, in the order of the list sector-dimensions"},
        {"states", "1", "states of the sector"},
        {"energy", "energy", "lowest level"},
        {"highest-energy", "energy", "highest level"},
        {"gap-ratio", "1",
         "mean of min(s_n, s_n+1) / max(s_n, s_n+1) of neighbouring spacings s_n of the levels in "
         "the central levels.share"},
        {"gap-ratio-count", "1", "number of these ratios"},
        {"degenerate-spacings", "1", "spacings among them that are 0 to rounding"},
        {"represented", "1", "sectors of the same levels that the sector represents, with itself"}};
    return all;
}

TaskSize size_of_levels(const LanczosPlan& plan, std::uint64_t sectors) {
    const bool thermal = plan.config().task == Task::thermal;
    const double n = plan.dimension();
    const std::uint64_t temperatures = plan.config().thermal.temperatures.size();
    return {.vectors = 1,
            .steps = {1, 1},
            .work = {0, 0,
                     krylov::DenseMatrix::seconds(n, plan.arithmetic() == Arithmetic::complex) +
                         n * static_cast<double>(plan.all_vector_bytes()) * 1e-9},
            .recording = thermal ? recorded_at_once(temperatures, thermal_columns(thermal_choice(plan.config())).size(),
                                                    "the number of thermal.temperatures")
                                 : Recording{.rows = sectors,
                                             .columns = level_columns().size(),
                                             .key = "sector.numbers",
                                             .value = sectors}};
}

MemoryItems memory_of_levels(const LanczosPlan& plan, int rank, BackendKind backend, std::uint64_t sectors) {
    const auto n = static_cast<std::uint64_t>(plan.dimension());
    MemoryItems items = {buffer_memory(plan, rank, backend),
                         {"unit vectors", plan.vector_bytes(rank)},
                         {"levels of all sectors", std::max<std::uint64_t>(1, sectors) * n * sizeof(double)}};
    if (rank == 0) items.push_back({"matrix", krylov::DenseMatrix::bytes(n, plan.arithmetic() == Arithmetic::complex)});
    return items;
}

/// The row of a task that takes all levels.
constexpr TaskEntry dense_task(Task task, TraceMethod trace, decltype(TaskEntry::make_sequence) make,
                               const decltype(TaskEntry::samples)& samples) {
    return {.task = task,
            .trace = trace,
            .samples = samples,
            .check = check_levels,
            .check_sector = check_level_sectors,
            .size = size_of_levels,
            .memory = memory_of_levels,
            .make_sequence = make,
            .cost_power = 3};
}

}  // namespace

const TaskEntry levels_task = dense_task(Task::levels, TraceMethod::random_vectors, make_as<Levels>,
                                         {"run.task=levels", "run.task=levels sector.momentum=all",
                                          "run.task=levels sector.numbers=all sector.up= sector.down="});
const TaskEntry exact_thermal_task =
    dense_task(Task::thermal, TraceMethod::all_levels, make_as<ExactThermal>,
               {"run.task=thermal thermal.method=all-levels",
                "run.task=thermal thermal.method=all-levels sector.numbers=all sector.up= sector.down="});

LevelSequence::LevelSequence(const LanczosConfig& config, int ranks, int rank, int threads, MakeHamiltonian make)
    : SectorSequence(config, ranks, rank, threads, std::move(make)) {
    first_ = {0};
    for (const ListedSector& sector : sectors_.all())
        first_.push_back(first_.back() + static_cast<std::size_t>(sector.dimension));
    levels_.resize(first_.back());
    make_part(0);
}

std::unique_ptr<LanczosTask> LevelSequence::make_task(std::uint64_t sector) {
    auto task = std::make_unique<SectorLevels>(plan_of(sectors_.job_of(sector)), make_);
    current_ = task.get();
    return task;
}

void LevelSequence::keep_result() {
    std::ranges::copy(current_->levels(), levels_.begin() + static_cast<std::ptrdiff_t>(first_[part()]));
}

void LevelSequence::add_kept(std::vector<DistributedArray>& arrays) {
    arrays.push_back(Record("levels").field("energies", levels_).array());
}

std::string LevelSequence::broken_invariant(std::span<const double> row) const {
    for (std::size_t i = 0; i < row.size(); ++i)
        if (!std::isfinite(row[i]) && !columns()[i].name.starts_with("gap-ratio"))
            return columns()[i].name + " is not a number.";
    const Sector& sector = task().plan().sector();
    const double rounding = 1e-9 * (1 + std::max(std::abs(sector.lower_bound()), std::abs(sector.upper_bound())));
    for (const double level : part_done() ? levels(part()) : std::span<const double>())
        if (level < sector.lower_bound() - rounding || level > sector.upper_bound() + rounding)
            return formatted("the level %.6g lies outside of %.6g to %.6g, where no state is.", level,
                             sector.lower_bound(), sector.upper_bound());
    return {};
}

SpacingRatios spacing_ratios(std::span<const double> levels, double share, double rounding) {
    const auto out = static_cast<std::size_t>(std::floor((1 - share) / 2 * static_cast<double>(levels.size())));
    const std::span<const double> central = levels.subspan(out, levels.size() - 2 * out);
    SpacingRatios all;
    const auto spacing = [&](std::size_t n) {
        const double s = central[n + 1] - central[n];
        return s > rounding ? s : 0;
    };
    for (std::size_t n = 0; n + 1 < central.size(); ++n) {
        if (spacing(n) == 0) ++all.degenerate;
        if (n + 2 >= central.size()) break;
        const auto [least, most] = std::minmax({spacing(n), spacing(n + 1)});
        if (most == 0) continue;
        all.sum += least / most;
        ++all.ratios;
    }
    return all;
}

const std::vector<Column>& Levels::columns() const { return level_columns(); }

void Levels::observe(std::vector<double>& rows) {
    const std::span<const double> all = levels(part());
    const double width = all.back() - all.front(),
                 rounding = 1e-11 * std::max({width, std::abs(all.front()), std::abs(all.back())});
    const SpacingRatios ratios = spacing_ratios(all, config().levels.share, rounding);
    const ListedSector& sector = sectors_[part()];
    rows.insert(rows.end(), {static_cast<double>(part()), sector.dimension, all.front(), all.back(), ratios.mean(),
                             static_cast<double>(ratios.ratios), static_cast<double>(ratios.degenerate),
                             sector.states() / sector.dimension});
}

std::string Levels::remark() const {
    if (!all_done() || config().symmetry.any()) return {};
    return "Spacings mean something in sectors of all symmetries alone: see what strata plan lists of them.";
}

/// [member] spins of its levels; empty unless sectors of all S^z are known and H conserves the total spin.
std::vector<std::vector<double>> Levels::spins_of(const std::vector<SectorMember>& members) const {
    const LanczosConfig& c = config();
    const int sites = sectors_.model().lattice.sites;
    if (!all_done() || !c.all_numbers || c.conserved != Conserved::numbers ||
        !conserves_total_spin(sectors_.model(), c.twice_spin))
        return {};
    using Others = std::pair<int, Momentum>;  // what members with other S^z have in common: particles and momentum
    std::map<Others, std::map<int, std::span<const double>>> by_spin;
    const auto twice_sz = [&](const Filling& f) { return c.spins() ? 2 * f.up - c.twice_spin * sites : f.up - f.down; };
    const auto others = [&](const SectorMember& m) {
        return Others{c.spins() ? 0 : m.filling.up + m.filling.down, m.momentum};
    };
    double scale = 0;
    for (const SectorMember& m : members) {
        for (const double level : levels(m.sector)) scale = std::max(scale, std::abs(level));
        if (twice_sz(m.filling) >= 0) by_spin[others(m)][twice_sz(m.filling)] = levels(m.sector);
    }
    std::map<Others, std::map<int, std::vector<double>>> spins;
    for (const auto& [key, sectors] : by_spin) spins[key] = total_spins(sectors, 1e-10 * scale);
    std::vector<std::vector<double>> all;
    for (const SectorMember& m : members) {
        all.push_back(spins[others(m)][std::abs(twice_sz(m.filling))]);
        all.back().resize(levels(m.sector).size(), NAN);
    }
    return all;
}

std::vector<Quantity> Levels::results(const Series& series) const {
    const std::size_t rows = series.rows();
    if (rows == 0) return {};
    const auto column = [&](std::size_t c) { return series.column(c, 0, rows); };
    const std::vector<double> energies = column(2), ratios = column(4), counts = column(5);
    double sum = 0, count = 0, states = 0;
    for (std::size_t k = 0; k < rows; ++k) {
        if (counts[k] > 0) sum += ratios[k] * counts[k];
        count += counts[k];
        states += sectors_[k].states();
    }
    std::vector<Quantity> q = {
        {"energy", "energy", "lowest level of all sectors, total", {*std::ranges::min_element(energies)}},
        {"states", "1", "number of states of all sectors", {states}},
        {"gap-ratio",
         "1",
         "mean over all sectors, each counted once; 0.386 for independent levels, 0.536 for random "
         "real matrices, 0.603 for complex ones",
         {count > 0 ? sum / count : NAN}},
        {"gap-ratio-count", "1", "number of the ratios", {count}}};
    // every level with the numbers of its sector, once for each sector that has it
    const std::vector<SectorMember> members = sectors_.members(rows);
    const std::vector<std::vector<double>> spins = spins_of(members);
    struct Entry {
        double level;
        std::size_t member, number;  // number among those of the member
    };
    std::vector<Entry> all;
    for (std::size_t m = 0; m < members.size(); ++m)
        for (std::size_t n = 0; n < levels(members[m].sector).size(); ++n)
            all.push_back({levels(members[m].sector)[n], m, n});
    std::ranges::stable_sort(all, {}, &Entry::level);
    Quantity list = Quantity{"levels", "energy", "all levels, as often as they are degenerate", {}}.over("level");
    Quantity total =
        Quantity{"level-total-spin", "1", "S, by the sectors of S^z that have the level", {}}.over("level");
    std::vector<std::size_t> member_of;
    for (const auto& [level, member, number] : all) {
        list.value.push_back(level);
        member_of.push_back(member);
        if (!spins.empty()) total.value.push_back(spins[member][number]);
    }
    q.push_back(std::move(list));
    sectors_.add_labels(members, member_of, "level", q);
    if (!spins.empty()) q.push_back(std::move(total));
    if (members.size() == 1) return q;
    sectors_.add_list(members, "sector-dimensions", "1", "states of the sectors", column(1), q);
    sectors_.add_list(members, "sector-energies", "energy", "lowest levels of the sectors", energies, q);
    sectors_.add_list(members, "sector-gap-ratios", "1", "mean ratios of neighbouring spacings", ratios, q);
    std::vector<std::size_t> each(members.size());
    std::iota(each.begin(), each.end(), 0);
    sectors_.add_labels(members, each, "sector", q);
    return q;
}

void ExactThermal::observe(std::vector<double>& rows) {
    const auto samples = [&] {
        std::vector<SectorSamples> all;
        for (std::size_t k = 0; k < sectors_.size(); ++k) {
            const std::span<const double> of_sector = levels(k);
            all.push_back(exact_samples({of_sector.begin(), of_sector.end()}, traced_sector(sectors_, k, 0)));
        }
        return all;
    };
    append_thermal_rows(comm(), config(), sectors_.model().lattice.sites, samples, 0, rows);
}

std::string ExactThermal::remark() const {
    if (!config().symmetry.any() || config().symmetry.several()) return {};
    return "Averages are those over the states of this sector of symmetries alone; sector.momentum = all gives those "
           "over all states.";
}

}  // namespace strata::lanczos
