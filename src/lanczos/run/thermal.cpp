// SPDX-License-Identifier: BSD-3-Clause
// One recurrence after another, each from a random vector; after the last one the averages of all temperatures
// (thermal_averages.hpp), computed on rank 0.
#include "lanczos/run/thermal.hpp"

#include <cmath>

#include "comm/collectives.hpp"
#include "lanczos/state/memory.hpp"

namespace strata::lanczos {
namespace {

/// Appends the rows that rank 0 computes from the levels that `sectors` returns, and broadcasts. Collective.
template <class Sectors>
void append_rows(const Communicator& comm, const LanczosConfig& c, int sites, Sectors sectors,
                 std::vector<double>& rows) {
    std::vector<double> all;
    collectively(comm, [&] {
        if (comm.is_root()) append_thermal_rows(sectors(), c.thermal.temperatures, sites, all);
    });
    all.resize(c.thermal.temperatures.size() * thermal_columns().size());
    broadcast_bytes(comm, all.data(), all.size() * sizeof(double), 0);
    rows.insert(rows.end(), all.begin(), all.end());
}

/// A trace over a sector of symmetries needs vectors without a preferred direction, which normal numbers have.
Distribution distribution(const LanczosPlan& plan) {
    return plan.counts().symmetric() ? Distribution::normal : Distribution::uniform;
}

void check_thermal(const Config& config, const ModelConfig&, InputErrors& found) {
    const SymmetryRequest request = symmetry_request(config);
    if (request.momenta == Momenta::automatic)
        found.push_back(config.cite("sector.momentum") +
                        " is not possible with run.task = thermal; take all, for averages over all states, or one "
                        "momentum.");
    const bool inverts = request.spin_inversion != Parity::any;
    if (request.momenta == Momenta::all && (request.point_operations() || inverts))
        found.push_back(config.cite("sector.momentum") + " is not possible with run.task = thermal and " +
                        (inverts ? "a spin inversion" : "point operations") +
                        ": the averages are those over all states. Leave " +
                        (inverts ? "sector.spin-inversion" : "sector.parity, sector.rotation and sector.reflection") +
                        " out, or take one momentum.");
}

TaskSize size_of_thermal(const LanczosPlan& plan, std::uint64_t) {
    const auto& t = plan.config().thermal;
    const double usual = std::min(static_cast<double>(t.steps), plan.dimension());
    return {.steps = {t.samples * t.steps, whole_steps(static_cast<double>(t.samples) * usual)},
            .work = {0, 0, step_overhead / 4},
            .recording = recorded_at_once(t.temperatures.size(), thermal_columns().size(),
                                          "the number of thermal.temperatures")};
}

/// Six doubles per step of all random vectors: alpha, beta, and nodes and weights of two quadratures.
MemoryItems memory_of_thermal(const LanczosPlan& plan, int rank, BackendKind backend, std::uint64_t sectors) {
    const auto& t = plan.config().thermal;
    const std::string name = "recurrences of random vectors";
    const std::uint64_t bytes = 6 * sizeof(double) * t.samples * t.steps;
    MemoryItems items = {buffer_memory(plan, rank, backend), {name, bytes}};
    if (sectors > 0) items.push_back({name + " of all sectors", sectors * bytes});
    return items;
}

}  // namespace

const TaskEntry thermal_task = {.task = Task::thermal,
                                .samples = {"run.task=thermal thermal.samples=2 thermal.steps=10"},
                                .check = check_thermal,
                                .size = size_of_thermal,
                                .memory = memory_of_thermal,
                                .make = make_as<Thermal>,
                                .make_sequence = make_as<ThermalSum>};

Thermal::Thermal(const LanczosPlan& plan, const MakeHamiltonian& make, std::uint64_t first_stream)
    : LanczosTask(plan, make),
      samples_(plan_.config().thermal.samples),
      first_stream_(first_stream),
      table_(samples_, plan_.config().thermal.steps) {}

std::vector<std::string> Thermal::description() const {
    std::vector<std::string> lines = LanczosTask::description();
    lines.push_back("trace over the sector by " + std::to_string(samples_) + " random vectors of " +
                    std::to_string(table_.max_steps()) + " steps, at " +
                    std::to_string(plan_.config().thermal.temperatures.size()) + " temperatures");
    return lines;
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
    krylov::add_fields(progress, s_.recurrence);
    arrays.push_back(progress.array());
    table_.add_coefficients(arrays);
    table_.add_steps(arrays);
    return arrays;
}

std::uint64_t Thermal::total_steps() const {
    return s_.steps + (samples_ - s_.sample) * table_.max_steps() - s_.recurrence.steps;
}

void Thermal::step(std::uint64_t) {
    if (s_.recurrence.steps == 0) {
        hamiltonian_.draw_from(distribution(plan_), hamiltonian_.w(), first_stream_ + s_.sample);
        krylov::begin_recurrence(hamiltonian_, s_.recurrence);
    }
    ++s_.steps;
    if (!table_.advance(hamiltonian_, s_.sample, s_.recurrence)) return;
    ++s_.sample;
    s_.recurrence = {};
}

void Thermal::observe(std::vector<double>& rows) {
    const auto samples = [&] {
        return std::vector{sector_samples(
            table_, 0, samples_,
            {plan_.dimension(), plan_.dimension(), plan_.reals(), plan_.sector().offset(), plan_.config().precision})};
    };
    append_rows(comm_, plan_.config(), plan_.model().lattice.sites, samples, rows);
    s_.rows = plan_.config().thermal.temperatures.size();
}

/// A statistical error that cannot be computed (NaN) breaks no invariant: the averages are valid without it.
std::string Thermal::broken_invariant(std::span<const double> row) const {
    std::vector<double> values(row.begin(), row.end());
    for (std::size_t i = 0; i < values.size(); ++i)
        if (columns()[i].name.ends_with("-error") && std::isnan(values[i])) values[i] = 0;
    return LanczosTask::broken_invariant(values);
}

std::string Thermal::remark() const {
    if (!plan_.counts().symmetric()) return on_samples_;
    return "Averages are those over the states of this sector of symmetries alone; "
           "sector.momentum = all gives those over all states." +
           (on_samples_.empty() ? "" : " " + on_samples_);
}

std::vector<Quantity> Thermal::results(const Series& series) const {
    on_samples_ = remark_on_samples(series);
    return thermal_results(series);
}

ThermalSum::ThermalSum(const LanczosConfig& config, int ranks, int rank, int threads, MakeHamiltonian make)
    : SectorSequence(config, ranks, rank, threads, std::move(make)),
      table_(sectors_.size() * config.thermal.samples, config.thermal.steps) {
    make_part(0);
}

/// Vectors of different sectors are drawn from different random numbers: their errors add up independently.
std::unique_ptr<LanczosTask> ThermalSum::make_task(std::uint64_t sector) {
    const LanczosConfig c = sectors_.job_of(sector);
    auto task = std::make_unique<Thermal>(plan_of(c), make_, sector * c.thermal.samples);
    current_ = task.get();
    return task;
}

void ThermalSum::keep_result() { table_.replace(part() * config().thermal.samples, current_->table()); }

void ThermalSum::add_kept(std::vector<DistributedArray>& arrays) {
    arrays.push_back(Record("averages").field("rows", rows_).array());
    table_.add_coefficients(arrays, "sector-");
    table_.add_steps(arrays, "sector-");
}

void ThermalSum::observe(std::vector<double>& rows) {
    const auto samples = [&] {
        std::vector<SectorSamples> all;
        for (std::size_t k = 0; k < sectors_.size(); ++k)
            all.push_back(
                sector_samples(table_, k * config().thermal.samples, config().thermal.samples,
                               {sectors_[k].dimension * static_cast<double>(sectors_[k].star.size()),
                                sectors_[k].dimension, sectors_[k].arithmetic == Arithmetic::complex ? 2.0 : 1.0,
                                current_->plan().sector().offset(), config().precision}));
        return all;
    };
    append_rows(current_->comm(), config(), sectors_.model().lattice.sites, samples, rows);
    rows_ = config().thermal.temperatures.size();
}

std::vector<std::string> ThermalSum::description() const {
    std::vector<std::string> lines = SectorSequence::description();
    lines.push_back("trace over the states of all momenta by " + std::to_string(config().thermal.samples) +
                    " random vectors of " + std::to_string(config().thermal.steps) +
                    " steps for each one computed, at " + std::to_string(config().thermal.temperatures.size()) +
                    " temperatures");
    return lines;
}

std::vector<Quantity> ThermalSum::results(const Series& series) const {
    on_samples_ = remark_on_samples(series);
    return thermal_results(series);
}

}  // namespace strata::lanczos
