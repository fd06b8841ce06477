// SPDX-License-Identifier: BSD-3-Clause
// One recurrence after another, each from a random vector; after the last one the averages of all temperatures
// (thermal_averages.hpp), computed on rank 0.
#include "lanczos/run/thermal.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "lanczos/state/memory.hpp"

namespace strata::lanczos {
namespace {

/// Number of vectors O r of observed operators that are kept together; for more operators the recurrence of each random
/// vector is repeated.
constexpr std::size_t images_at_once = 16;

/// Number of recurrences of each random vector.
std::size_t repetitions(std::size_t operators) {
    return std::max<std::size_t>(1, (operators + images_at_once - 1) / images_at_once);
}

ObservedPlaces places_of(const ObservedOperators& observed) {
    ObservedPlaces at = {{}, observed.width()};
    for (const ObservedOperators::Part& part : observed.parts()) at.places.push_back(part.places);
    return at;
}

bool of_states(const LanczosConfig& c) { return c.thermal.method == TraceMethod::low_temperature; }

bool is_error(const Column& column) { return column.name.ends_with("-error") || column.array.ends_with("-error"); }

TaskSize size_of_thermal(const LanczosPlan& plan, std::uint64_t) {
    const auto& t = plan.config().thermal;
    const ObservedOperators observed(plan);
    const std::size_t operators = observed.parts().size(), together = std::min(operators, images_at_once);
    const std::uint64_t recurrences = t.samples * repetitions(operators);
    const double usual = std::min(static_cast<double>(t.steps), plan.dimension()),
                 products = static_cast<double>(together),
                 multiplied = static_cast<double>(t.samples * operators) / (static_cast<double>(recurrences) * usual);
    return {.vectors = operators == 0 ? 0 : together + 3,
            .steps = {recurrences * t.steps, whole_steps(static_cast<double>(recurrences) * usual)},
            .work = {products + work_of_mean.products * multiplied, 2 * products + work_of_mean.moved * multiplied,
                     step_overhead / 4 + work_of_mean.seconds * multiplied},
            .recording = recorded_at_once(t.temperatures.size(), thermal_columns(observed, plan.config()).size(),
                                          "the number of thermal.temperatures")};
}

/// Six doubles per step of all random vectors: alpha, beta, and nodes and weights of two quadratures.
MemoryItems memory_of_thermal(const LanczosPlan& plan, int rank, BackendKind backend, std::uint64_t sectors) {
    const auto& t = plan.config().thermal;
    const std::string name = "recurrences of random vectors";
    const std::uint64_t bytes = 6 * sizeof(double) * t.samples * t.steps;
    MemoryItems items = {buffer_memory(plan, rank, backend), {name, bytes}};
    const std::uint64_t operators = means_steps(plan);
    for (MemoryPrediction::Item& item : means_memory(plan, backend)) items.push_back(std::move(item));
    // the products, and their weights in six quadratures
    if (operators > 0)
        items.push_back({"products with observables", 7 * sizeof(double) * operators * t.samples * t.steps});
    if (sectors > 0)
        items.push_back(
            {name + " of all sectors", sectors * (bytes + 7 * sizeof(double) * operators * t.samples * t.steps)});
    return items;
}

}  // namespace

const TaskEntry thermal_task = {.task = Task::thermal,
                                .samples = {"run.task=thermal thermal.samples=2 thermal.steps=10 "
                                            "observables.own=1 n_up {i} n_dn {i}"},
                                .check = check_several_sectors,
                                .check_sector = check_thermal_sector,
                                .size = size_of_thermal,
                                .memory = memory_of_thermal,
                                .make = make_as<Thermal>,
                                .make_sequence = make_as<ThermalSum>};

void check_thermal_sector(const Config& config, const LanczosConfig& c, const Model&, InputErrors& found) {
    check_ensemble(config, c, found);
    check_observables(config, c, found);
}

std::vector<Column> thermal_columns(const ObservableLists& observed, const LanczosConfig& c) {
    std::vector<Column> columns = thermal_columns(thermal_choice(c));
    observed.add_columns(columns);
    observed.add_columns(columns, "-error", "one standard deviation of ");
    observed.add_columns(columns, "-step-error", "by too few thermal.steps: ");
    return columns;
}

SampledAverages::SampledAverages(const LanczosPlan& plan, const MakeHamiltonian& make, std::uint64_t first_stream)
    : LanczosTask(plan, make),
      samples_(plan_.config().thermal.samples),
      first_stream_(first_stream),
      table_(samples_, plan_.config().thermal.steps),
      means_(plan_, make, timers_),
      observed_(places_of(means_.operators())),
      overlaps_(samples_, of_states(plan_.config()) ? 0 : operators(), table_.max_steps()),
      of_states_(samples_, plan_.config().thermal.temperatures, of_states(plan_.config()) ? operators() : 0),
      columns_(thermal_columns(means_.operators(), plan_.config())) {}

std::vector<std::string> SampledAverages::description() const {
    std::vector<std::string> lines = LanczosTask::description();
    lines.push_back("trace over the sector by " + std::to_string(samples_) + " random vectors of " +
                    std::to_string(table_.max_steps()) + " steps, at " +
                    std::to_string(plan_.config().thermal.temperatures.size()) + " temperatures");
    return lines;
}

TracedSector SampledAverages::traced() const {
    return {plan_.dimension(), plan_.dimension(), plan_.reals(), plan_.sector().offset(), plan_.config().precision};
}

void SampledAverages::begin_sample(krylov::RecurrenceState& recurrence) {
    hamiltonian_.draw_from(random_distribution(plan_), hamiltonian_.w(), first_stream_ + s_.sample);
    krylov::begin_recurrence(hamiltonian_, recurrence);
}

Thermal::Thermal(const LanczosPlan& plan, const MakeHamiltonian& make, std::uint64_t first_stream)
    : SampledAverages(plan, make, first_stream) {}

void Thermal::allocate() {
    hamiltonian_.allocate();
    for (std::size_t i = 0; i < std::min(observed_.places.size(), images_at_once); ++i)
        images_.push_back(hamiltonian_.space().vector());
    if (!images_.empty()) random_ = hamiltonian_.space().vector();
}

void Thermal::initialise() {
    s_ = State();
    hamiltonian_.space().clear(hamiltonian_.v());
    hamiltonian_.space().clear(hamiltonian_.w());
}

std::vector<DistributedArray> Thermal::state() {
    std::vector<DistributedArray> arrays;
    add_working_pair(hamiltonian_, "", arrays);
    Record progress("progress");
    progress.field("sample", s_.sample).field("steps", s_.steps).field("rows", s_.rows);
    if (!images_.empty()) progress.field("repetition", s_.repetition);
    krylov::add_fields(progress, s_.recurrence);
    arrays.push_back(progress.array());
    table_.add_coefficients(arrays);
    table_.add_steps(arrays);
    overlaps_.add_state(arrays);
    return arrays;
}

/// Vectors O r are not stored.
void Thermal::restored(std::uint64_t) {
    if (s_.recurrence.steps > 0) make_images();
}

std::uint64_t Thermal::total_steps() const {
    const std::uint64_t recurrences = (samples_ - s_.sample) * repetitions(observed_.places.size()) - s_.repetition;
    return s_.steps + recurrences * table_.max_steps() - s_.recurrence.steps;
}

/// O r for the operators of this repetition and the normalised random vector r of this sample.
void Thermal::make_images() {
    if (images_.empty()) return;
    const Timers::Scope scope = timers_.scope("observables");
    krylov::VectorSpace& space = hamiltonian_.space();
    hamiltonian_.draw_from(random_distribution(plan_), random_, first_stream_ + s_.sample);
    space.axpby(1 / space.norm(random_), random_, 0, random_, random_);
    for_each_image([&](std::size_t op, DistributedVector& image) { means_.apply(op, random_, space, image); });
}

template <class Use>
void Thermal::for_each_image(Use use) {
    const std::size_t first = s_.repetition * images_at_once;
    for (std::size_t i = 0; i < images_.size() && first + i < observed_.places.size(); ++i) use(first + i, images_[i]);
}

void Thermal::step(std::uint64_t) {
    if (s_.recurrence.steps == 0) {
        make_images();
        begin_sample(s_.recurrence);
    }
    ++s_.steps;
    const bool was_last = table_.advance(hamiltonian_, s_.sample, s_.recurrence);
    for_each_image([&](std::size_t op, const DistributedVector& image) {
        overlaps_.at(s_.sample, op, s_.recurrence.steps - 1) = hamiltonian_.space().dot(hamiltonian_.v(), image).real();
    });
    if (!was_last) return;
    s_.recurrence = {};
    if (++s_.repetition < repetitions(observed_.places.size())) return;
    s_.repetition = 0;
    ++s_.sample;
}

SectorSamples SampledAverages::all_samples() {
    SectorSamples samples = sector_samples(table_, 0, samples_, traced(), &overlaps_);
    samples.observed = &observed_;
    if (!of_states(plan_.config())) return samples;
    of_states_.set_errors(half_weighted_errors(table_, 0, samples_, of_states_.temperatures()));
    samples.means = &of_states_;
    return samples;
}

void SampledAverages::observe(std::vector<double>& rows) {
    const auto samples = [&] { return std::vector{all_samples()}; };
    append_thermal_rows(comm_, plan_.config(), plan_.model().lattice.sites, samples, observed_.width, rows);
    s_.rows = plan_.config().thermal.temperatures.size();
}

/// A statistical error that cannot be computed (NaN) breaks no invariant: the averages are valid without it.
std::string SampledAverages::broken_invariant(std::span<const double> row) const {
    std::vector<double> values(row.begin(), row.end());
    for (std::size_t i = 0; i < values.size(); ++i)
        if (is_error(columns()[i]) && std::isnan(values[i])) values[i] = 0;
    return LanczosTask::broken_invariant(values);
}

std::string SampledAverages::remark() const {
    if (!plan_.counts().symmetric()) return on_samples_;
    return "Averages are those over the states of this sector of symmetries alone; "
           "sector.momentum = all gives those over all states." +
           (on_samples_.empty() ? "" : " " + on_samples_);
}

namespace {

/// Adds the lists of observed operators, whose columns begin with number `first`, over the temperatures.
void add_observed(const ObservableLists& observed, const Series& series, std::size_t first,
                  std::vector<Quantity>& all) {
    const std::size_t width = observed.width();
    std::array<std::vector<Quantity>, 3> lists;  // values, errors, errors by too few steps
    for (std::size_t part = 0; part < lists.size() && width > 0; ++part) {
        std::vector<double> numbers;
        for (std::size_t row = 0; row < series.rows(); ++row) {
            const auto of_row = series.row(row).subspan(first + part * width, width);
            numbers.insert(numbers.end(), of_row.begin(), of_row.end());
        }
        lists[part] = observed.quantities(numbers, "temperature");
    }
    for (std::size_t n = 0; n < lists[0].size() && series.rows() > 0; ++n) {
        if (lists[0][n].role == Role::coordinate) {
            all.push_back(std::move(lists[0][n]));
            continue;
        }
        lists[0][n].error = lists[1][n].value;
        lists[2][n].name += "-step-error";
        lists[2][n].meaning = "by too few thermal.steps: " + lists[2][n].meaning;
        all.push_back(std::move(lists[0][n]));
        all.push_back(std::move(lists[2][n]));
    }
}

}  // namespace

std::vector<Quantity> SampledAverages::results(const Series& series) const {
    std::vector<Quantity> all = thermal_results(series);
    add_observed(means_.operators(), series, thermal_columns().size(), all);
    on_samples_ = remark_on_samples(all);
    return all;
}

ThermalSum::ThermalSum(const LanczosConfig& config, int ranks, int rank, int threads, MakeHamiltonian make)
    : SectorSequence(config, ranks, rank, threads, std::move(make)),
      lists_(observables_of(config), PatternLattice(config.lattice)),
      columns_(thermal_columns(lists_, config)),
      table_(sectors_.size() * config.thermal.samples, config.thermal.steps),
      overlaps_(0, 0, config.thermal.steps),
      of_states_(0, config.thermal.temperatures, 0) {
    std::size_t operators = 0;
    for (std::size_t k = 0; k < sectors_.size() && lists_.width() > 0; ++k) {
        observed_.push_back(places_of(ObservedOperators(plan_of(sectors_.job_of(k)))));
        operators = std::max(operators, observed_.back().places.size());
    }
    observed_.resize(sectors_.size());
    const std::size_t vectors = sectors_.size() * config.thermal.samples;
    overlaps_ = OverlapTable(vectors, of_states() ? 0 : operators, config.thermal.steps);
    of_states_ = StateMeans(vectors, config.thermal.temperatures, of_states() ? operators : 0);
    make_part(0);
}

/// Vectors of different sectors are drawn from different random numbers: their errors add up independently.
std::unique_ptr<LanczosTask> ThermalSum::make_task(std::uint64_t sector) {
    const LanczosConfig c = sectors_.job_of(sector);
    const std::uint64_t stream = sector * c.thermal.samples;
    std::unique_ptr<SampledAverages> task;
    if (of_states())
        task = std::make_unique<LowTemperature>(plan_of(c), make_, stream);
    else
        task = std::make_unique<Thermal>(plan_of(c), make_, stream);
    current_ = task.get();
    return task;
}

void ThermalSum::keep_result() {
    const std::size_t first = part() * config().thermal.samples;
    table_.replace(first, current_->table());
    overlaps_.replace(first, current_->overlaps());
    of_states_.replace(first, current_->means_of_states());
}

void ThermalSum::add_kept(std::vector<DistributedArray>& arrays) {
    arrays.push_back(Record("averages").field("rows", rows_).array());
    table_.add_coefficients(arrays, "sector-");
    table_.add_steps(arrays, "sector-");
    overlaps_.add_state(arrays, "sector-overlaps");
    of_states_.add_state(arrays, "sector-state-means");
}

std::vector<SectorSamples> ThermalSum::all_samples() {
    const std::size_t count = config().thermal.samples;
    std::vector<SectorSamples> all;
    std::vector<double> errors;
    double offset = current_->plan().sector().offset();  // the same at all momenta
    for (std::size_t k = 0; k < sectors_.size(); ++k) {
        if (config().all_numbers) offset = plan_of(sectors_.job_of(k)).counts().offset();
        all.push_back(sector_samples(table_, k * count, count, traced_sector(sectors_, k, offset), &overlaps_));
        all.back().observed = &observed_[k];
        if (!of_states()) continue;
        all.back().means = &of_states_;
        all.back().first_vector = k * count;
        const std::vector<double> more = half_weighted_errors(table_, k * count, count, of_states_.temperatures());
        errors.insert(errors.end(), more.begin(), more.end());
    }
    of_states_.set_errors(std::move(errors));
    return all;
}

void ThermalSum::observe(std::vector<double>& rows) {
    append_thermal_rows(
        current_->comm(), config(), sectors_.model().lattice.sites, [&] { return all_samples(); }, lists_.width(),
        rows);
    rows_ = config().thermal.temperatures.size();
}

/// Averages over all numbers lie outside of the bounds of one sector, and an error that is not known breaks no rule.
std::string ThermalSum::broken_invariant(std::span<const double> row) const {
    if (!config().all_numbers) return task().broken_invariant(row);
    for (std::size_t i = 0; i < row.size(); ++i)
        if (!is_error(columns_[i]) && !std::isfinite(row[i])) return columns_[i].name + " is not a number.";
    return {};
}

std::vector<std::string> ThermalSum::description() const {
    std::vector<std::string> lines = SectorSequence::description();
    lines.push_back("trace over the states of all " + std::string(config().all_numbers ? "sectors" : "momenta") +
                    " by " + std::to_string(config().thermal.samples) + " random vectors of " +
                    std::to_string(config().thermal.steps) + " steps for each one computed, at " +
                    std::to_string(config().thermal.temperatures.size()) + " temperatures");
    return lines;
}

std::vector<Quantity> ThermalSum::results(const Series& series) const {
    const ThermalChoice choice = thermal_choice(config());
    std::vector<Quantity> all = thermal_results(series, choice);
    add_observed(lists_, series, thermal_columns(choice).size(), all);
    on_samples_ = remark_on_samples(all);
    return all;
}

}  // namespace strata::lanczos
