// SPDX-License-Identifier: BSD-3-Clause
// The row of the spectra above the ground state in the table of tasks: which jobs are refused, and the sizes of others.
#include <algorithm>
#include <bit>

#include "lanczos/run/operator_means.hpp"
#include "lanczos/run/spectrum.hpp"
#include "lanczos/run/symmetric_sums.hpp"
#include "lanczos/run/thermal_spectrum.hpp"
#include "lanczos/state/memory.hpp"
#include "models/keys.hpp"
#include "models/wave_vectors.hpp"

namespace strata::lanczos {
namespace {

void check_spectrum(const Config& config, const ModelConfig& model, InputErrors& found) {
    const bool single = model.components() == 1, spins = model.spins();
    const std::string& op = config.text("spectrum.operator");
    if (spins && (op == "removal" || op == "addition"))
        found.push_back(
            config.cite("spectrum.operator") +
            " acts on particles; use density or spin, or observable with a line such as 'lower = 1 S- {i}'.");
    if (single && !spins && op == "spin")
        found.push_back(config.cite("spectrum.operator") + " needs particles with a spin; use density.");
    if (op == "observable" && observable_texts(config).source.empty())
        found.push_back(config.cite("spectrum.operator") + needs_definition("mine"));
    if (op == "current" && spins)
        found.push_back(config.cite("spectrum.operator") + " is that of particles; use spin, or observable.");
    if (!parse_direction(config.text("spectrum.direction")))
        found.push_back(config.cite("spectrum.direction") +
                        " must be x, y, or a vector of two or three numbers that is not zero, e.g. 1,1.");
    const std::string& lattice = model.lattice.type;
    const std::string& positions = lattice == "all" ? model.lattice.geometry : lattice;
    if (op != "observable" && op != "current" && std::ranges::count(cell_lattices(), positions) == 0)
        found.push_back("run.task = spectrum needs a lattice with momenta, which " +
                        (lattice == "none" ? "model.type = terms" : "lattice.type = " + lattice) +
                        (lattice == "all" ? " with lattice.geometry = " + positions : "") + " does not have.");
    if (symmetry_request(config).momenta == Momenta::all && requested_task(config) == Task::spectrum)
        found.push_back(config.cite("sector.momentum") +
                        " is not possible with run.task = spectrum, which begins from one ground state; take auto or "
                        "one momentum.");
}

void check_own(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    check_observables(config, c, found);
    const bool list = own_operator(c)->pattern == SitePattern::site;
    if (!c.spectrum.second.empty() && c.spectrum.steps < 2)
        found.push_back(config.cite("spectrum.steps") + " is too few with spectrum.second; take 2 or more.");
    if (list && model.lattice.torus.empty())
        found.push_back(
            "The spectrum of a list over sites needs a lattice with momenta; here it is possible for one operator, "
            "without {i} in " +
            c.observables.source + ".");
    if (!list && config.given("spectrum.momenta"))
        found.push_back(config.cite("spectrum.momenta") +
                        " does not apply to an operator that is no list over the sites {i}; leave it out.");
}

void check_current(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    if (const std::string reason = without_current(c, model); !reason.empty()) found.push_back(reason);
    if (config.given("spectrum.momenta"))
        found.push_back(config.cite("spectrum.momenta") +
                        " does not apply to spectrum.operator = current, which is at wave vector 0; leave it out.");
}

/// A sentence on a spectrum that sectors of lattice symmetries do not serve; empty if this one does.
std::string without_symmetries(const Config& config, const LanczosConfig& c, const Model& model) {
    if (!c.symmetry.any() || !model.codes.coded() || own_operator(c)) return {};
    return config.cite("spectrum.operator") +
           " is not possible for spins above 1/2 in a sector of lattice symmetries; take spectrum.operator = spin.";
}

void check_waves(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    const Lattice& lattice = model.lattice;
    if (c.spectrum.op == SpectralOperator::current) return check_current(config, c, model, found);
    if (const std::string reason = without_symmetries(config, c, model); !reason.empty())
        return found.push_back(reason);
    if (c.spectrum.op == SpectralOperator::observable) check_own(config, c, model, found);
    if (c.spectrum.op == SpectralOperator::removal && !own_operator(c) && c.down == 0)
        return found.push_back(config.cite("spectrum.operator") + " finds no particle with spin down.");
    if (c.spectrum.op == SpectralOperator::addition && !own_operator(c) && c.down == lattice.sites)
        return found.push_back(config.cite("spectrum.operator") + " has no empty site for a particle with spin down.");
    if (const std::string missing = missing_sector(config.cite("spectrum.operator"), c, spectral_change(c));
        !missing.empty())
        return found.push_back(missing);
    if (const std::string refused = refused_wave_vectors(config, lattice); !refused.empty())
        found.push_back(refused);
    else if (found.empty())
        if (const std::string reason = without_character(c, model); !reason.empty()) found.push_back(reason);
}

/// Number of lists of intensities for each wave: real parts, and imaginary ones of off-diagonal spectra.
std::uint64_t lists_of(const LanczosConfig& c) { return c.spectrum.second.empty() ? 1 : 2; }

/// The ground state, and recurrences for each wave: two where vectors are real.
TaskSize size_of_spectrum(const LanczosPlan& plan, std::uint64_t) {
    const LanczosConfig& c = plan.config();
    const std::uint64_t waves = spectral_waves(c, plan.model().lattice).size();
    const auto states = static_cast<double>(c.states), of_recurrence = static_cast<double>(c.spectrum.steps),
               recurrences = static_cast<double>(waves) * (plan.arithmetic() == Arithmetic::real ? 2 : 1);
    const std::uint64_t lists = lists_of(c);
    StepCounts steps = ground_state_steps(plan);
    steps.most += static_cast<std::uint64_t>(states * recurrences * of_recurrence);
    steps.usually += whole_steps(recurrences * std::min(of_recurrence, plan.dimension()));
    return {.vectors = Spectrum::ground_states(plan),
            .steps = steps,
            .work = {0, 1, step_overhead},
            .recording = recorded_at_once(c.spectrum.omega.size(), 1 + lists * waves, "the number of spectrum.omega")};
}

/// Bytes of the lists of terms of sum_j w_j a_j, one list for each column of the sector that they lead to.
std::uint64_t operator_terms(const LanczosPlan& target, SpectralOperator op) {
    const int sites = target.model().lattice.sites, down = target.config().down;
    if (op == SpectralOperator::current || own_operator(target.config())) return 0;
    const std::uint64_t columns = target.layout(0, 0).dim_down;
    constexpr std::uint64_t list = 24 + 16, term = 24;  // a std::vector with its allocation, and one term
    if (op == SpectralOperator::density || op == SpectralOperator::spin) return columns * term;
    const int terms = op == SpectralOperator::removal ? sites - down : down;
    return columns * (list + term * std::bit_ceil(static_cast<std::uint64_t>(terms)));
}

bool is_thermal(const LanczosPlan& plan) { return plan.config().task == Task::thermal_spectrum; }

/// Buffers in which an operator makes its result, and at temperatures its adjoint.
MemoryPrediction::Item operator_buffers(const LanczosPlan& plan, const LanczosPlan& target, int rank,
                                        BackendKind backend) {
    const SpectralOperator op = plan.config().spectrum.op;
    MemoryPrediction::Item item = buffer_memory(plan, rank, backend, &target, operator_terms(target, op));
    if (is_thermal(plan))
        item.bytes = std::max(item.bytes,
                              buffer_memory(target, rank, backend, &plan, operator_terms(plan, adjoint_of(op))).bytes);
    return item;
}

/// Bytes of the larger part of an operator that is a sum of products, with weights by which no products of neighbours
/// cancel, as they may at one wave vector.
std::uint64_t bytes_of_sum(const OwnObservable& o, const LanczosPlan& plan, const LanczosPlan& target, int rank,
                           BackendKind backend) {
    std::vector<Complex> weights;
    for (std::size_t j = 0; j < o.members.size(); ++j) weights.emplace_back(static_cast<double>(1 + j * j));
    const OperatorSum sum = weighted_sum(o, weights);
    if (plan.counts().symmetric())
        return std::max(SymmetricSum::bytes(sum, plan, target, rank),
                        is_thermal(plan) ? SymmetricSum::bytes(sum.conjugate(), target, plan, rank) : 0);
    if (o.change != FillingChange{}) return ChargedSum::bytes(plan, target, sum, backend);
    std::uint64_t most = 0;
    for (const bool imaginary : {false, true})
        most = std::max(most, sum_bytes(plan, hermitian_part(sum, imaginary, plan.arithmetic()), backend));
    return most;
}

MemoryItems memory_of_spectrum(const LanczosPlan& plan, int rank, BackendKind backend, std::uint64_t) {
    const LanczosPlan target = largest_target(plan).value_or(plan);
    MemoryItems items = {operator_buffers(plan, target, rank, backend),
                         orthogonalisation_memory(plan, rank, Spectrum::ground_states(plan), backend)};
    if (plan.config().spectrum.op == SpectralOperator::current) {
        std::uint64_t most = 0;
        for (const HopMoment moment : {HopMoment::current, HopMoment::kinetic})
            most = std::max(most, model_bytes(plan, hop_moment(plan.config(), plan.model(), moment), backend));
        items.push_back({"current", most});
    }
    std::uint64_t most = 0;
    for (const auto& o : {own_operator(plan.config()), left_operator(plan.config())})
        if (o) most = std::max(most, bytes_of_sum(*o, plan, target, rank, backend));
    if (most > 0) items.push_back({"operator of the spectrum", most});
    if (!plan.config().spectrum.second.empty() && plan.config().task == Task::spectrum)
        items.push_back({"second state", target.vector_bytes(rank)});
    return items;
}

/// The items of a thermal spectrum for those of a ground state: operators that exist at once are one and an adjoint
/// between two sectors, with the result of the latter, else both Hermitian parts of A and, if there is one, of B.
MemoryItems with_adjoints(MemoryItems items, const LanczosPlan& plan, int rank) {
    const bool own = own_operator(plan.config()).has_value();
    const std::uint64_t at_once = leads_elsewhere(plan) ? 2 : own ? 2 * lists_of(plan.config()) : 1;
    for (std::size_t n = 2; n < items.size(); ++n) items[n].bytes *= at_once;
    if (own && plan.counts().symmetric())
        items.push_back({"result of the adjoint", sizeof(double) / plan.real_bytes() * plan.vector_bytes(rank)});
    return items;
}

void check_thermal_spectrum(const Config& config, const ModelConfig& model, InputErrors& found) {
    check_spectrum(config, model, found);
    const SymmetryRequest request = symmetry_request(config);
    if (request.momenta == Momenta::automatic)
        found.push_back(config.cite("sector.momentum") +
                        " is that of the ground state, and spectrum.temperatures average over a sector; leave it out.");
    if (request.momenta == Momenta::all && (request.point_operations() || request.complements()))
        found.push_back(config.cite("sector.momentum") + " is not possible with spectrum.temperatures and " +
                        words_of_further(request) + ": the averages are those over all states. Leave " +
                        keys_of_further(request) + " out, or take one momentum.");
}

/// The recurrence of a random vector, and those of all waves, or of all waves and temperatures, with the products of their
/// vectors with those kept.
TaskSize size_of_thermal_spectrum(const LanczosPlan& plan, std::uint64_t) {
    const LanczosConfig& c = plan.config();
    const bool low = c.thermal.method == TraceMethod::low_temperature;
    const std::uint64_t vectors = c.thermal.steps, temperatures = c.spectrum.temperatures.size(),
                        waves = wave_operators(plan, spectral_waves(c, plan.model().lattice)).size(),
                        recurrences = waves * (low ? temperatures : 1);
    const double random = std::min(static_cast<double>(c.thermal.steps), plan.dimension()),
                 wave = static_cast<double>(recurrences) *
                        std::min(static_cast<double>(c.spectrum.steps), plan.dimension()),
                 kept = random * wave / (random + wave), share = wave / (random + wave);
    const auto samples = static_cast<double>(c.thermal.samples);
    const auto numbers = static_cast<double>(c.spectrum.omega.size() * (2 + (low ? 1 : temperatures)));
    return {.vectors = vectors + (low ? 4 : 3),
            .steps = {c.thermal.samples * (vectors + recurrences * c.spectrum.steps),
                      whole_steps(samples * (random + wave))},
            .work = {2 * kept + 8 * share, 2 * kept + 12 * share, step_overhead + 2e-9 * kept * numbers},
            .recording = recorded_at_once(c.spectrum.omega.size() * temperatures, 2 + 2 * waves * lists_of(c),
                                          "the number of spectrum.omega times that of spectrum.temperatures")};
}

/// Averages of random vectors and of those with fewer steps, or of all levels; those of several sectors are kept, too.
MemoryItems memory_of_averages(const LanczosPlan& plan, const std::string& name, std::uint64_t vectors,
                               std::uint64_t sectors) {
    const LanczosConfig& c = plan.config();
    const std::uint64_t waves = spectral_waves(c, plan.model().lattice).size() * lists_of(c),
                        bytes = 2 * ThermalSpectra::bytes(vectors, waves + 2, c.spectrum.temperatures.size(),
                                                          c.spectrum.omega.size());
    MemoryItems items = {{name, bytes}};
    if (sectors > 0) items.push_back({name + " of all sectors", sectors * bytes});
    return items;
}

MemoryItems memory_of_thermal_spectrum(const LanczosPlan& plan, int rank, BackendKind backend, std::uint64_t sectors) {
    const LanczosConfig& c = plan.config();
    MemoryItems items = with_adjoints(memory_of_spectrum(plan, rank, backend, sectors), plan, rank);
    items[1] = orthogonalisation_memory(plan, rank, c.thermal.steps, backend);
    const std::uint64_t m = c.thermal.steps, n = c.spectrum.steps;
    for (MemoryPrediction::Item& item :
         memory_of_averages(plan, "intensities of random vectors", c.thermal.samples, sectors))
        items.push_back(std::move(item));
    items.push_back({"levels of recurrences", sizeof(double) * ((2 + lists_of(c)) * m * n + 2 * m * m + 2 * n * n)});
    return items;
}

/// Largest number of states of the sectors of a spectrum whose levels are all found.
constexpr double most_states = 1000;

void check_exact_spectrum(const Config& config, const ModelConfig& model, InputErrors& found) {
    check_thermal_spectrum(config, model, found);
    if (config.text("backend.precision") == "single")
        found.push_back(config.cite("backend.precision") +
                        " is not possible with matrices of all levels; leave it out for double.");
}

void check_exact_waves(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    check_waves(config, c, model, found);
    if (!found.empty()) return;
    const LanczosPlan plan = c.several_sectors() ? SectorList(c).largest_plan(1, 0, 1) : LanczosPlan(c, model, 1, 0, 1);
    const double states = std::max(plan.dimension(), largest_target(plan).value_or(plan).dimension());
    if (states > most_states)
        found.push_back(config.cite("thermal.method") +
                        " finds the levels of sectors of at most 1000 states for "
                        "spectra; here are " +
                        std::to_string(static_cast<std::uint64_t>(states)) + ". Take random-vectors, or fewer sites.");
}

TaskSize size_of_exact_spectrum(const LanczosPlan& plan, std::uint64_t) {
    const LanczosConfig& c = plan.config();
    const auto waves = static_cast<double>(wave_operators(plan, spectral_waves(c, plan.model().lattice)).size());
    const double n = plan.dimension();
    const auto points = static_cast<double>(c.spectrum.omega.size() * (2 + c.spectrum.temperatures.size()));
    return {.vectors = 2,
            .steps = {1, 1},
            .work = {0, 0, 6e-9 * n * n * n + waves * n * n * (2e-9 * n + 1e-9 * points + 1e-8)},
            .recording = recorded_at_once(c.spectrum.omega.size() * c.spectrum.temperatures.size(),
                                          2 + 2 * static_cast<std::uint64_t>(waves) * lists_of(c),
                                          "the number of spectrum.omega times that of spectrum.temperatures")};
}

std::vector<OtherOperator> target_operators(const LanczosPlan& plan) {
    const std::optional<LanczosPlan> target = largest_target(plan);
    if (!target) return {};
    return {{*target, " of the other sector"}};
}

/// Largest number of rows of the matrices of a sector, whose vectors may be longer than it has states.
std::uint64_t rows_of(const LanczosPlan& plan) {
    if (!plan.counts().symmetric()) return static_cast<std::uint64_t>(plan.dimension());
    const BlockLayout l = plan.layout(0, 0);
    return l.dim_up * l.dim_down;
}

/// Two matrices of eigenvectors with the work of LAPACK, those of an operator between them, and weights.
MemoryItems memory_of_exact_spectrum(const LanczosPlan& plan, int rank, BackendKind backend, std::uint64_t sectors) {
    const LanczosConfig& c = plan.config();
    MemoryItems items = with_adjoints(memory_of_spectrum(plan, rank, backend, sectors), plan, rank);
    const std::uint64_t n = std::max(rows_of(plan), rows_of(largest_target(plan).value_or(plan)));
    items.push_back({"matrices", (7 + 2 * lists_of(c)) * 16 * n * (n + 64)});
    for (MemoryPrediction::Item& item : memory_of_averages(plan, "intensities", 1, sectors))
        items.push_back(std::move(item));
    return items;
}

}  // namespace

const TaskEntry spectrum_task = {
    .task = Task::spectrum,
    .samples =
        {"run.task=spectrum spectrum.steps=20", "run.task=spectrum spectrum.operator=current spectrum.steps=20",
         "run.task=spectrum spectrum.operator=observable observables.own=1 c_dn {i} observables.second=1 c_dn {i} "
         "n_up {i} spectrum.second=second spectrum.steps=20",
         "run.task=spectrum spectrum.operator=observable observables.own=1 c_dn 0 observables.second=1 c_dn 1 "
         "spectrum.second=second spectrum.steps=20"},
    .check = check_spectrum,
    .check_sector = check_waves,
    .size = size_of_spectrum,
    .memory = memory_of_spectrum,
    .other_operators = target_operators,
    .make = make_as<Spectrum>,
    .make_sequence = make_as<SpectrumSearch>};

const TaskEntry thermal_spectrum_task = {
    .task = Task::thermal_spectrum,
    .samples = {"run.task=spectrum spectrum.temperatures=0.5,1 thermal.samples=2 thermal.steps=5 spectrum.steps=5",
                "run.task=spectrum spectrum.temperatures=0.5 spectrum.operator=current thermal.samples=2 "
                "thermal.steps=5 spectrum.steps=5",
                "run.task=spectrum spectrum.temperatures=0.2,1 thermal.method=low-temperature thermal.samples=2 "
                "thermal.steps=5 spectrum.steps=5"},
    .check = check_thermal_spectrum,
    .check_sector = check_waves,
    .size = size_of_thermal_spectrum,
    .memory = memory_of_thermal_spectrum,
    .other_operators = target_operators,
    .make = make_as<ThermalSpectrum>,
    .make_sequence = make_as<ThermalSpectrumSum<ThermalSpectrum>>};

const TaskEntry exact_thermal_spectrum_task = {.task = Task::thermal_spectrum,
                                               .trace = TraceMethod::all_levels,
                                               .samples = {},
                                               .check = check_exact_spectrum,
                                               .check_sector = check_exact_waves,
                                               .size = size_of_exact_spectrum,
                                               .memory = memory_of_exact_spectrum,
                                               .other_operators = target_operators,
                                               .make = make_as<ExactThermalSpectrum>,
                                               .make_sequence = make_as<ThermalSpectrumSum<ExactThermalSpectrum>>,
                                               .cost_power = 3};

}  // namespace strata::lanczos
