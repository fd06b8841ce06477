// SPDX-License-Identifier: BSD-3-Clause
// Rows and results of a thermal run. Values at a temperature: averages in the order of thermal_quantities(), local values of
// the physical sites, then the observables of the user's own.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "dmrg/job/purified_model.hpp"
#include "dmrg/run/thermal.hpp"
#include "dmrg/state/purification.hpp"
#include "strata/formatted.hpp"

namespace strata::dmrg {
namespace {

/// Places of averages in thermal_quantities().
enum : std::size_t { at_energy, at_specific_heat };

/// [state] up + factor down, from the local operators n_up and n_down of electrons; of other sites that of their only one.
std::vector<double> of_local(const Model& model, double factor, double unit) {
    std::vector<double> values = model.local[0].values;
    if (model.kind == SiteKind::electrons)
        for (std::size_t s = 0; s < values.size(); ++s)
            values[s] = unit * (values[s] + factor * model.local[1].values[s]);
    return values;
}
std::vector<double> numbers_of(const Model& model) { return of_local(model, 1, 1); }
std::vector<double> spins_of(const Model& model) { return of_local(model, -1, 0.5); }

bool has_particles(const Model& m) {
    return m.kind != SiteKind::spins && (m.conserved == Conserved::numbers || m.conserved == Conserved::particles);
}
bool has_spin(const Model& m) {
    return m.kind != SiteKind::fermions && m.kind != SiteKind::bosons &&
           (m.conserved == Conserved::numbers || m.conserved == Conserved::spin);
}

std::size_t local_width(const DmrgConfig& c) {
    return c.model.local.size() * static_cast<std::size_t>(c.lattice_sites());
}

}  // namespace

std::vector<ThermalQuantity> thermal_quantities(const Model& model) {
    std::vector<ThermalQuantity> all = {
        {"energy", "energy", "<H>", true},
        {"specific-heat", "k_B", "(<K^2> - <K>^2) / (N T^2) of K = H - mu N, by a difference of <K>", false},
        {"entropy", "k_B", "(ln Z + <K> / T) / N", false}};
    if (has_particles(model)) {
        all.push_back({"particles", "1", "<N>", true});
        all.push_back({"compressibility", "1/energy", "(<N^2> - <N>^2) / (N_sites T)", false});
    }
    if (has_spin(model)) {
        all.push_back({"total-sz", "1", "<S^z>", true});
        all.push_back({"spin-susceptibility", "1/energy", "(<(S^z)^2> - <S^z>^2) / (N T)", false});
    }
    return all;
}

std::size_t values_width(const DmrgConfig& c) {
    return thermal_quantities(c.model).size() + local_width(c) + c.observable_lists.width();
}

std::vector<Column> Thermal::columns_of(const DmrgConfig& c) {
    std::vector<Column> columns = {{"temperature", "energy/k_B", "k_B = 1", Role::coordinate}};
    for (const ThermalQuantity& q : thermal_quantities(c.model)) {
        columns.push_back({q.name, q.unit, q.meaning});
        columns.push_back(
            {std::string(q.name) + "-error", q.unit,
             "its error: in units of the couplings and per site, twice the largest difference of any average so far "
             "from an evolution with sweeps of twice the time and fewer states"});
    }
    columns.push_back({"discarded-weight", "1", "weight that all truncations so far have taken from the state"});
    columns.push_back({"states", "1", "largest number of states kept since the last row"});
    for (const LocalOperator& op : c.model.local)
        for (int i = 0; i < c.lattice_sites(); ++i)
            columns.push_back(member_column(op.name, "site", {i}, "1", op.meaning));
    c.observable_lists.add_columns(columns);
    return columns;
}

/// Averages at the present temperature, all but the specific heat.
void Thermal::measure(bool coarse) {
    const DmrgConfig& c = plan_.config();
    const ExpectationValues values = expectation_values_of(coarse);
    const Measurement& m = values.real();
    const double sites = c.lattice_sites(), temperature = temperature_step(coarse).temperature;
    const double k = values.energies(c.bonds).all,
                 log_z = log_norms_[coarse] + sites * std::log(static_cast<double>(model().states()));
    std::vector<double> v = {k, 0, (log_z + k / temperature) / sites};
    const auto add_charge = [&](const std::vector<double>& of_state) {
        const Measurement::Moments total = m.moments(of_state, 2);
        v.push_back(total.mean);
        v.push_back((total.square - total.mean * total.mean) / temperature / sites);
    };
    if (model().kind != SiteKind::spins)
        v[at_energy] += c.thermal.chemical_potential * m.moments(numbers_of(model()), 2).mean;
    if (has_particles(model())) add_charge(numbers_of(model()));
    if (has_spin(model())) add_charge(spins_of(model()));
    for (const LocalOperator& op : model().local) {
        const std::vector<double> all = m.local(op.values);
        for (int i = 0; i < c.lattice_sites(); ++i) v.push_back(all[static_cast<std::size_t>(physical(i))]);
    }
    const std::vector<double> own =
        c.observable_lists.numbers(c.observables, [&](std::vector<OperatorProduct> products) {
            for (OperatorProduct& p : products) p = purified(p);
            return values.products(products);
        });
    v.insert(v.end(), own.begin(), own.end());
    values_[coarse] = std::move(v);
}

/// Unit of an average: k_B, the largest coupling or energy of a site or its inverse, and for sums over sites their number.
double Thermal::scale_of(const ThermalQuantity& q) const {
    double coupling = model().terms.largest();
    for (const std::vector<double>& site : model().energies)
        for (const double e : site) coupling = std::max(coupling, std::abs(e));
    if (coupling == 0) coupling = 1;
    const double unit = std::string_view(q.unit) == "energy"     ? coupling
                        : std::string_view(q.unit) == "1/energy" ? 1 / coupling
                                                                 : 1;
    return unit * (q.extensive ? plan_.config().lattice_sites() : 1);
}

void Thermal::observe(std::vector<double>& rows) {
    const auto row = static_cast<std::size_t>(s_.rows);
    const double sites = plan_.config().lattice_sites(), t = temperature_steps_[0][row].temperature;
    for (const std::size_t coarse : {0, 1})
        values_[coarse][at_specific_heat] =
            (above_[coarse] - below_[coarse]) / (2 * temperature_steps_[coarse][row].half_width) / (t * t) / sites;
    rows.push_back(t);
    // a single difference may vanish by chance, so that the largest one of all averages so far counts, each in its unit
    for (std::size_t i = 0; i < quantities_.size() && evolutions_.has_coarse(); ++i)
        s_.worst = std::max(s_.worst, 2 * std::abs(values_[0][i] - values_[1][i]) / scale_of(quantities_[i]));
    const double time = tdvp_settings(false, Direction::right, temperature_steps_[0][row].change_in(0)).time;
    if (evolutions_.has_coarse()) s_.worst = std::max(s_.worst, evolutions_.resolution(settings().cutoff, time));
    if (s_.worst > settings().tolerance && s_.worst_temperature == 0) s_.worst_temperature = t;
    for (std::size_t i = 0; i < quantities_.size(); ++i)
        rows.insert(rows.end(), {values_[0][i], evolutions_.has_coarse() ? s_.worst * scale_of(quantities_[i])
                                                                         : std::numeric_limits<double>::quiet_NaN()});
    rows.insert(rows.end(), {1 - s_.kept, static_cast<double>(s_.states)});
    rows.insert(rows.end(), values_[0].begin() + static_cast<std::ptrdiff_t>(quantities_.size()), values_[0].end());
    ++s_.rows;
}

std::string Thermal::broken_invariant(std::span<const double> row) const {
    for (std::size_t c = 0; c < row.size(); ++c)
        if (!std::isfinite(row[c]) && !columns_[c].name.ends_with("-error")) return "a value is not a number.";
    return {};
}

std::string Thermal::log_line(std::span<const double> row) const {
    return formatted("T %8.4g  M %5.0f  energy %16.10f (%.1e)  specific heat %9.6f  entropy %9.6f", row[0],
                     row[2 * quantities_.size() + 2], row[1], row[2], row[3], row[5]);
}

std::string Thermal::shortfall() const {
    if (plan_.config().allow_unconverged || s_.worst_temperature == 0) return {};
    return formatted(
        "From T = %.4g down the errors of averages per site are above evolution.tolerance (%.2g); the largest one is "
        "%.2g. Allow a larger evolution.max-states, a smaller thermal.step or evolution.cutoff, or this with "
        "run.allow-unconverged = yes.",
        s_.worst_temperature, settings().tolerance, s_.worst);
}

std::string Thermal::remark() const {
    return evolutions_.has_coarse()
               ? "Averages are over all sectors. Errors are, in units of the couplings and per site, twice the largest "
                 "difference so far from an evolution with sweeps of twice the time and fewer states."
               : "Averages are over all sectors. Their errors are not known with evolution.estimate-error = no.";
}

std::vector<Quantity> Thermal::results(const Series& series) const {
    if (series.rows() == 0) return {};
    const auto column = [&](std::size_t c) {
        std::vector<double> values;
        for (std::size_t r = 0; r < series.rows(); ++r) values.push_back(series.row(r)[c]);
        return values;
    };
    std::vector<Quantity> q;
    q.push_back(Quantity{"temperature", "energy/k_B", "k_B = 1", column(0)}.coordinate_of("temperature"));
    for (std::size_t i = 0; i < quantities_.size(); ++i) {
        Quantity average{quantities_[i].name, quantities_[i].unit, quantities_[i].meaning, column(2 * i + 1)};
        if (evolutions_.has_coarse()) average.error = column(2 * i + 2);
        q.push_back(std::move(average).over("temperature"));
    }
    std::size_t c = 2 * quantities_.size() + 1;
    q.push_back(Quantity{columns_[c].name, "1", columns_[c].meaning, column(c)}.over("temperature"));
    c += 2;
    const auto sites = static_cast<std::size_t>(plan_.config().lattice_sites());
    const auto lists = [&](std::size_t first, std::size_t width) {
        std::vector<double> all;
        for (std::size_t r = 0; r < series.rows(); ++r) {
            const auto row = series.row(r).subspan(first, width);
            all.insert(all.end(), row.begin(), row.end());
        }
        return all;
    };
    for (const LocalOperator& op : model().local) {
        q.push_back(Quantity{op.name, "1", op.meaning, lists(c, sites)}.over("temperature", "site", sites));
        c += sites;
    }
    const ObservableLists& own = plan_.config().observable_lists;
    for (Quantity& list : own.quantities(lists(c, own.width()), "temperature")) q.push_back(std::move(list));
    q.push_back({"largest-error", "1", "of all averages, in units of the couplings and per site", {s_.worst}});
    return q;
}

std::vector<Figure> Thermal::performance(std::uint64_t steps, double seconds) const {
    return performance_of_bonds(steps, seconds, evolutions_.flops());
}

}  // namespace strata::dmrg
