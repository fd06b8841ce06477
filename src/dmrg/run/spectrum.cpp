// SPDX-License-Identifier: BSD-3-Clause
// Rows, results and errors of a spectrum. A row has the values of columns_of() in their order.
#include "dmrg/run/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dmrg/job/energy_range.hpp"
#include "dmrg/physics/time_spectrum.hpp"
#include "strata/formatted.hpp"

namespace strata::dmrg {
namespace {

std::vector<std::string> description_of_spectrum(const DmrgPlan& plan) {
    const EvolutionSettings& e = plan.config().evolution;
    const SpectrumSettings& s = *plan.config().spectrum;
    return {formatted("spectrum of %s from the correlations of site %d with all sites until time %g, %llu time steps "
                      "of %g, each of %llu sweeps of the two-site time-dependent variational principle, M up to %llu",
                      s.family.name.c_str(), s.site, static_cast<double>(e.steps) * e.step,
                      static_cast<unsigned long long>(e.steps), e.step, static_cast<unsigned long long>(e.sweeps),
                      static_cast<unsigned long long>(e.max_states)),
            "initial state: the operator on the ground state of H, by two-site DMRG"};
}

std::uint64_t steps_of_spectrum(const DmrgPlan& plan) {
    const EvolutionSettings& e = plan.config().evolution;
    return plan.steps_of_search() +
           e.steps * plan.bonds_per_sweep() * (e.sweeps + (e.estimates_error ? e.sweeps / 2 : 0));
}

Recording recording_of_spectrum(const DmrgPlan& plan) {
    const std::uint64_t steps = plan.config().evolution.steps;
    const SpectrumSettings& s = *plan.config().spectrum;
    constexpr std::uint64_t copies = 3;  // the results, and what is written of them
    return {.rows = steps + 1,
            .columns = Spectrum::columns_of(plan.config()).size(),
            .report_bytes = copies * sizeof(double) * s.omega.size() * (s.cosines.size() + s.family.members.size()) +
                            2 * sizeof(Complex) * (steps + 1) * (s.cosines.size() + s.family.members.size()),
            .key = "spectrum.time",
            .value = static_cast<std::uint64_t>(s.time)};
}

/// A_x^+, a sum of products of operators of the site x with real matrix elements.
SiteOperator adjoint(const Model& model, const OperatorSum& sum) {
    SiteOperator result;
    for (const auto& [product, coefficient] : sum.terms()) {
        const SiteProduct of_site = by_sites(product, model.kind);
        const std::vector<Terms::Factor> factors = factors_of(model, of_site);
        const SiteOperator op = factors.empty() ? factor_between(model, false) : factors[0].op;
        for (const SiteOperator::Element& e : op.elements)
            result.elements.push_back({e.from, e.to, of_site.sign * coefficient.real() * e.value});
    }
    return result;
}

/// Places of the numbers of a row: the first ones, the correlations, their imaginary parts.
struct Places {
    std::size_t time = 0, drift = 1, discarded = 2, step_error = 3, states, first;
    explicit Places(bool estimates_error) : states(estimates_error ? 4 : 3), first(states + 1) {}
};

}  // namespace

const TaskEntry spectrum_task = {
    .task = Task::spectrum,
    .samples = {"run.task=spectrum model.u=2 spectrum.operator=removal spectrum.broadening=0.3 spectrum.omega=0:3:1 "
                "evolution.step=0.5"},
    .description = description_of_spectrum,
    .steps = steps_of_spectrum,
    .recording = recording_of_spectrum,
    .make = make_as<Spectrum>};

Spectrum::Spectrum(const Communicator& comm, const DmrgPlan& plan, const superblock::MakeOperator& make)
    : Evolution(comm, plan, make, columns_of(plan.config())) {
    for (const OperatorSum& member : spectrum().family.members) {
        adjoints_.push_back(adjoint(model(), member));
        if (member.empty()) continue;
        const auto [down, up] = change_of(member.terms().begin()->first);
        odd_ = is_fermionic(model().kind) && (down + up) % 2 != 0;
    }
}

std::vector<Column> Spectrum::columns_of(const DmrgConfig& config) {
    std::vector<Column> columns = {
        {"time", "1/energy", "time, hbar = 1", Role::coordinate},
        {"energy-drift", "energy", "change of <H> since time 0, by truncations"},
        {"discarded-weight", "1", "weight that all truncations so far have taken from the state"}};
    if (config.evolution.estimates_error)
        columns.push_back({"step-error", "1",
                           "error of correlations in units of <A_c^+ A_c>, by sites and by wave vectors: twice the "
                           "largest difference so far from an evolution with sweeps of twice the time and fewer "
                           "states, and no less than the amplitudes that evolution.cutoff leaves out"});
    columns.push_back({"states", "1", "largest number of states kept since the last row"});
    for (const bool imaginary : {false, true})
        for (int site = 0; site < config.model.sites; ++site)
            columns.push_back(member_column(
                imaginary ? "correlation-imaginary" : "correlation", "site", {site}, "1",
                std::string(imaginary ? "imaginary part" : "real part") + " of <0| A_x^+ exp(-i (H - E0) t) A_c |0>"));
    return columns;
}

/// The correlations of an evolved state.
std::vector<Spectrum::Complex> Spectrum::correlations(const Measurement& evolved) const {
    std::vector<Complex> c =
        first_->transitions(evolved, adjoints_, settings().initial_model.target - model().target, odd_);
    const Complex phase = std::polar(s_.initial_norm, s_.search_energy * time());
    for (Complex& x : c) x *= phase;
    return c;
}

std::vector<Spectrum::Complex> Spectrum::by_waves(const std::vector<Complex>& c) const {
    std::vector<Complex> waves;
    for (const std::vector<double>& cosines : spectrum().cosines) {
        Complex sum = 0;
        for (std::size_t site = 0; site < c.size(); ++site) sum += cosines[site] * c[site];
        waves.push_back(sum);
    }
    return waves;
}

/// <0| A_c^+ A_c |0>, which no C(c,t) exceeds.
double Spectrum::largest_correlation() const { return s_.initial_norm * s_.initial_norm; }

void Spectrum::observe(std::vector<double>& rows) {
    const Timers::Scope scope = timers_.scope("measurement");
    const ExpectationValues values(model(), fine().algebra(), fine().chain());
    const std::vector<Complex> c = correlations(values.real());
    const double energy = values.energies(plan_.config().bonds).all, now = time();
    if (s_.rows == 0) s_.first_energy = energy;
    const TdvpSettings next = tdvp_settings(false, 0);
    double error = evolutions_.resolution(settings().cutoff, next.time);
    if (evolutions_.has_coarse()) {
        const std::vector<Complex> coarse = correlations(
            Measurement(model(), fine().algebra(), evolutions_.of(true).chain(), Measurement::ComplexPart::real));
        std::vector<Complex> difference = c;
        for (std::size_t site = 0; site < c.size(); ++site) difference[site] -= coarse[site];
        // a difference may vanish by chance, so that the largest one so far counts
        for (const auto& list : {difference, by_waves(difference)})
            for (const Complex& x : list)
                s_.step_error = std::max(s_.step_error, 2 * std::abs(x) / largest_correlation());
        error = std::max(error, s_.step_error);
    }
    const double drift = energy - s_.first_energy;
    rows.insert(rows.end(), {now, drift, 1 - s_.kept});
    if (evolutions_.has_coarse()) rows.push_back(error);
    rows.push_back(static_cast<double>(s_.states));
    for (const Complex& x : c) rows.push_back(x.real());
    for (const Complex& x : c) rows.push_back(x.imag());
    const double weight = gaussian_window(spectrum().broadening, now);
    judge(std::max({weight * error, weight * (1 - s_.kept), std::abs(drift) / static_cast<double>(model().sites)}),
          now);
    s_.moment += first_moment_term(s_.rows, c[static_cast<std::size_t>(spectrum().site)], settings().step,
                                   spectrum().broadening);
    ++s_.rows;
}

std::string Spectrum::judged() const {
    return "the largest of step-error and discarded-weight, both times exp(-broadening^2 t^2 / 2), and the change of "
           "the "
           "energy per site";
}

/// Share of the weight of A_c |0> at energies that this time step takes for others: by the mean energy of the state, which is
/// known without times. Energies have a lower end, so that all images are shifted in one way.
double Spectrum::aliased_weight() const {
    const double mean = s_.first_energy - s_.search_energy;
    return std::abs(s_.moment / largest_correlation() - mean) / resolved_energies(settings().step).period;
}

std::string Spectrum::too_short() const {
    const std::uint64_t needed = s_.rows_due - 1 + (s_.bonds > 0 ? 1 : 0);
    if (needed <= settings().steps) return {};
    return formatted(
        "spectrum.time = %g ends before the checkpoint, which has come to the time %g; ask for that or more.",
        spectrum().time, static_cast<double>(needed) * settings().step);
}

std::string Spectrum::log_line(std::span<const double> row) const {
    const Places at(evolutions_.has_coarse());
    const std::string error = evolutions_.has_coarse() ? formatted("  step-error %7.1e", row[at.step_error]) : "";
    const auto site = static_cast<std::size_t>(spectrum().site), n = static_cast<std::size_t>(model().sites);
    return formatted("time %8.4g  M %5.0f  C %10.6f %10.6f  discarded %7.1e", row[at.time], row[at.states],
                     row[at.first + site], row[at.first + n + site], row[at.discarded]) +
           error;
}

std::string Spectrum::shortfall() const {
    if (plan_.config().allow_unconverged) return {};
    if (const std::string text = Evolution::shortfall(); !text.empty()) return text;
    if (s_.rows <= settings().steps || aliased_weight() <= settings().tolerance) return {};
    return formatted(
        "About %.2g of the weight lies at energies that evolution.step = %g does not tell from others, more "
        "than evolution.tolerance (%.2g). Take a smaller evolution.step, or this with "
        "run.allow-unconverged = yes.",
        aliased_weight(), settings().step, settings().tolerance);
}

std::string Spectrum::remark() const {
    const std::string text = Evolution::remark();
    if (!started()) return text;
    return text + formatted(" All omega have the error of the energy of the ground state, %.1e.", s_.search_error);
}

std::optional<std::uint64_t> Spectrum::begin_with_final_state(std::uint64_t step) {
    if (!started()) return Evolution::begin_with_final_state(step);
    restored(step);
    if (s_.rows_due != settings().steps + 1 || s_.bonds > 0) return {};
    return step;
}

std::vector<std::vector<Spectrum::Complex>> Spectrum::correlations(const Series& series) const {
    const Places at(evolutions_.has_coarse());
    const auto n = static_cast<std::size_t>(model().sites);
    std::vector<std::vector<Complex>> c;
    for (std::size_t i = 0; i < series.rows(); ++i) {
        const std::span<const double> row = series.row(i).subspan(at.first);
        std::vector<Complex>& now = c.emplace_back();
        for (std::size_t site = 0; site < n; ++site) now.emplace_back(row[site], row[n + site]);
    }
    return c;
}

/// Intensities over an axis, with their weights; c: [row][member of the axis].
void Spectrum::add_intensities(const std::string& axis, const std::vector<std::vector<Complex>>& c,
                               std::vector<Quantity>& q) const {
    const std::vector<double>& omega = spectrum().omega;
    const bool waves = axis == "k";
    const std::string prefix = waves ? "" : "site-";
    const std::string of = waves ? "S(k,omega) = sum_x cos(k (x - c)) S(x,omega)" : "S(x,omega)",
                      weight_of = waves ? "sum_x cos(k (x - c)) <A_x^+ A_c>" : "<A_x^+ A_c>";
    Quantity intensity = {prefix + "intensity", "1/energy", of + ", Gaussians of spectrum.broadening", {}},
             weight = {prefix + "weight", "1", "integral over omega, " + weight_of, {}},
             on_grid = {prefix + "grid-weight", "1", "integral over spectrum.omega by the trapezoidal rule", {}};
    for (std::size_t list = 0; list < c[0].size(); ++list) {
        std::vector<Complex> in_time;
        for (const std::vector<Complex>& row : c) in_time.push_back(row[list]);
        const std::vector<double> s = spectrum_of(in_time, settings().step, spectrum().broadening, omega);
        intensity.value.insert(intensity.value.end(), s.begin(), s.end());
        weight.value.push_back(c[0][list].real());
        on_grid.value.push_back(grid_integral(omega, s));
    }
    q.push_back(std::move(intensity).over(axis, "omega", omega.size()));
    q.push_back(std::move(weight).over(axis));
    q.push_back(std::move(on_grid).over(axis));
}

/// Bounds and estimates of the errors of all intensities.
void Spectrum::add_errors(const Series& series, std::vector<Quantity>& q) const {
    const Places at(evolutions_.has_coarse());
    const double sigma = spectrum().broadening, last = static_cast<double>(series.rows() - 1) * settings().step;
    if (evolutions_.has_coarse()) {
        double error = 0;
        for (std::size_t row = 0; row < series.rows(); ++row)
            error += row_weight(row, settings().step, sigma) * series.row(row)[at.step_error];
        q.push_back({"spectrum-error",
                     "1/energy",
                     "of an intensity, by the errors of the correlations: step-error summed over times",
                     {largest_correlation() * error}});
    }
    // |C_k(t)| <= |A_c |0>| sum_x |cos(k (x - c))| |A_x |0>|
    const std::vector<double> norms = norms_of_family();
    double largest = *std::ranges::max_element(norms);
    for (const std::vector<double>& cosines : spectrum().cosines) {
        double sum = 0;
        for (std::size_t site = 0; site < norms.size(); ++site) sum += std::abs(cosines[site]) * norms[site];
        largest = std::max(largest, sum);
    }
    q.push_back({"truncation-bound",
                 "1/energy",
                 "of the error of an intensity by times beyond the last one",
                 {s_.initial_norm * largest * window_tail(sigma, last) / std::numbers::pi}});
    q.push_back(
        {"state-error",
         "1/energy",
         "of an intensity, by that of the ground state: an estimate for states that lie above it by "
         "spectrum.broadening or more",
         {2 * std::sqrt(s_.search_error / sigma) * largest_correlation() * window_tail(sigma, 0) / std::numbers::pi}});
    if (s_.rows > settings().steps)
        q.push_back({"aliased-weight",
                     "1",
                     "share of the weight of A_c |0> at energies that evolution.step takes for others, by its mean "
                     "energy",
                     {aliased_weight()}});
}

/// [site] |A_x |0>|.
std::vector<double> Spectrum::norms_of_family() const {
    std::vector<double> norms;
    for (const OperatorSum& member : spectrum().family.members) {
        const OperatorSum square = member.conjugate() * member;
        std::vector<OperatorProduct> products;
        for (const auto& [product, coefficient] : square.terms()) products.push_back(product);
        const std::vector<double> values = first_->products(products);
        double sum = 0;
        for (std::size_t n = 0; n < products.size(); ++n) sum += square[products[n]].real() * values[n];
        norms.push_back(std::sqrt(std::max(0.0, sum)));
    }
    return norms;
}

std::vector<Quantity> Spectrum::results(const Series& series) const {
    std::vector<Quantity> q;
    if (!started()) return q;
    q.push_back({"energy", "energy", "of the ground state", {s_.search_energy}, {s_.search_error}});
    if (series.rows() == 0) return q;
    const std::vector<std::vector<Complex>> c = correlations(series);
    if (!spectrum().cosines.empty()) {
        std::vector<std::vector<Complex>> waves;
        for (const std::vector<Complex>& row : c) waves.push_back(by_waves(row));
        add_intensities("k", waves, q);
    }
    add_intensities("site", c, q);
    q.push_back(
        Quantity{"omega", "energy", "above the energy of the ground state", spectrum().omega}.coordinate_of("omega"));
    for (const Quantity& list : spectrum().positions) q.push_back(list);
    add_errors(series, q);
    q.push_back({"largest-error", "1", "of all rows: " + judged(), {s_.worst}});
    q.push_back(
        {"krylov-error", "1", "bound of the sum of the errors of all exponentials, as norms", {s_.krylov_error}});
    return q;
}

}  // namespace strata::dmrg
