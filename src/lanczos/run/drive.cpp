// SPDX-License-Identifier: BSD-3-Clause
// Bounds of operators are those of all energies of their plans, from the sizes of their terms. A piece of time ends at the jumps
// and kinks of factors, so that series hold within it.
#include "lanczos/run/drive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lanczos/physics/make_model.hpp"
#include "lanczos/physics/observables.hpp"
#include "lanczos/physics/symmetries.hpp"
#include "lanczos/run/operator_means.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"

namespace strata::lanczos {
namespace {

/// Largest magnitude of the operators of a drive, with their factors.
constexpr double max_drive = 1e12;

double centred_norm(const LanczosPlan& plan) {
    const SectorCounts& counts = plan.counts();
    return std::max(counts.upper_bound() - counts.offset(), counts.offset() - counts.lower_bound());
}

double norm_bound(const LanczosPlan& plan) {
    return std::max(std::abs(plan.counts().upper_bound()), std::abs(plan.counts().lower_bound()));
}

/// Times that differ by rounding of a sum of many steps.
double time_rounding(double t) { return 8 * std::numeric_limits<double>::epsilon() * (std::abs(t) + 1e-300); }

/// An operator, or the sum of a list over sites or bonds.
OperatorSum sum_of_members(const OwnObservable& o) {
    OperatorSum sum(o.members[0].kind());
    for (const OperatorSum& member : o.members) sum += member;
    sum.remove_rounding();
    return sum;
}

/// The operator of a name, or null with an error.
const OwnObservable* driven_operator(const Config& config, const std::string& source,
                                     const std::vector<OwnObservable>& all, const std::string& name,
                                     InputErrors& found) {
    const auto at = std::ranges::find(all, name, &OwnObservable::name);
    std::string names;
    for (const OwnObservable& o : all)
        if (sum_of_members(o).is_hermitian()) names += (names.empty() ? "" : ", ") + o.name;
    const std::string instead =
        names.empty() ? "; give it a line there." : "; Hermitian operators there: " + names + ".";
    const std::string what = config.cite("drive.operator") + ": " + name;
    if (at == all.end()) {
        found.push_back(what + " is no name in " + source + instead);
    } else if (!sum_of_members(*at).is_hermitian()) {
        found.push_back(what + " is not Hermitian" + instead);
    } else if (sum_of_members(*at).empty()) {
        found.push_back(what + " is 0: its terms cancel or vanish on every state.");
    } else {
        return &*at;
    }
    return nullptr;
}

/// In a sector of lattice symmetries H(t) must have them at all times.
void check_driven_symmetry(const Config& config, const LanczosConfig& c, const Model& model, const OwnObservable& o,
                           InputErrors& found) {
    const auto group = make_symmetry_group(c.symmetry, model);
    if (group == nullptr || are_equal(symmetrised(sum_of_members(o), *group, model.codes.bits), sum_of_members(o)))
        return;
    found.push_back(config.cite("drive.operator") + ": " + o.name +
                    " does not have the symmetries of the sector; leave sector.momentum and others out, or sum it over "
                    "the sites that they map to each other.");
}

}  // namespace

void check_drive(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    const std::string &operators = config.text("drive.operator"), &factor = config.text("drive.factor");
    if (operators.empty() && factor.empty()) return;
    if (operators.empty())
        return found.push_back("drive.factor needs drive.operator, the operators that it multiplies.");
    if (c.observables.source.empty())
        return found.push_back(config.cite("drive.operator") + needs_definition(c.drive.operators[0]));
    const std::vector<DriveFactor> factors = read_drive_factors("drive.factor", factor);
    if (factors.size() != c.drive.operators.size())
        return found.push_back(
            formatted("drive.factor has %zu factors for %zu operators of drive.operator; give one for "
                      "each, e.g. 'cos 0 0.5 2 0'.",
                      factors.size(), c.drive.operators.size()));
    LanczosConfig anywhere = c;  // the sector is one that the right operators do not leave
    anywhere.conserved = Conserved::nothing;
    const std::vector<OwnObservable> all = observables_of(anywhere);
    for (std::size_t n = 0; n < factors.size(); ++n) {
        const OwnObservable* const one =
            driven_operator(config, c.observables.source, all, c.drive.operators[n], found);
        if (std::ranges::count(c.drive.operators, c.drive.operators[n]) > 1)
            return found.push_back(config.cite("drive.operator") + " names " + c.drive.operators[n] + " twice.");
        if (one == nullptr) continue;
        check_driven_symmetry(config, c, model, *one, found);
        if (!(factors[n].bound() * sum_of_members(*one).largest() <= max_drive))
            found.push_back("drive.factor makes " + one->name + " larger than 1e12; check its numbers.");
    }
}

DrivenOperators::DrivenOperators(const LanczosConfig& config) {
    if (config.drive.operators.empty()) return;
    const std::vector<OwnObservable> all = observables_of(config);
    for (const std::string& name : config.drive.operators)
        operators.push_back(sum_of_members(*std::ranges::find(all, name, &OwnObservable::name)));
    factors = read_drive_factors("drive.factor", config.drive.factors);
}

std::vector<OtherOperator> driven_operators(const LanczosPlan& plan) {
    std::vector<OtherOperator> all;
    const std::vector<std::string>& names = plan.config().drive.operators;
    const DrivenOperators driven(plan.config());
    for (std::size_t n = 0; n < names.size(); ++n)
        all.push_back({plan.for_model(model_of(plan.model(), driven.operators[n])), " of " + names[n]});
    return all;
}

double driven_radius(const LanczosPlan& plan) {
    double sum = centred_norm(plan);
    const std::vector<OtherOperator> all = driven_operators(plan);
    const DrivenOperators driven(plan.config());
    for (std::size_t n = 0; n < all.size(); ++n) sum += driven.factors[n].bound() * centred_norm(all[n].plan);
    return sum;
}

Drive::Drive(const LanczosPlan& plan, const MakeHamiltonian& make, Timers& timers)
    : plan_(plan), timers_(timers), names_(plan.config().drive.operators) {
    const DrivenOperators driven(plan.config());
    std::vector<OtherOperator> all = driven_operators(plan);
    for (std::size_t n = 0; n < names_.size(); ++n) {
        parts_.push_back({std::move(all[n].plan), driven.factors[n], nullptr});
        for (const std::vector<double>& times : {driven.factors[n].jumps(), driven.factors[n].kinks()})
            breaks_.insert(breaks_.end(), times.begin(), times.end());
    }
    for (Part& part : parts_) part.op = make(part.plan, timers);  // plans stay where they are from here on
    std::ranges::sort(breaks_);
}

void Drive::add_memory(MemoryPrediction& memory) const {
    for (std::size_t n = 0; n < parts_.size(); ++n) memory.add(parts_[n].op->memory(0), " of " + names_[n]);
}

void Drive::allocate() {
    for (const Part& part : parts_) part.op->allocate();
}

krylov::DrivenTerm Drive::term(const Part& part) const {
    const auto factor = [&part](const krylov::Propagator::Interval& within, double length, std::size_t count) {
        DriveFactor::Series s = part.factor.series(within.begin, length, within.begin + within.length / 2, count);
        return krylov::FactorSeries{std::move(s.terms), s.rest};
    };
    return {part.op.get(), centred_norm(part.plan), norm_bound(part.plan), factor};
}

std::unique_ptr<krylov::Propagator> Drive::propagator(HamiltonianOperator& h,
                                                      const krylov::ExponentialOptions& options) {
    double rate = driven_radius(plan_);
    std::vector<krylov::DrivenTerm> terms;
    for (const Part& part : parts_) {
        rate += part.factor.rate(options.dimension);
        terms.push_back(term(part));
    }
    return std::make_unique<krylov::DrivenExponential>(h, std::move(terms), rate, options, timers_);
}

krylov::Propagator::Interval Drive::smooth_part(const krylov::Propagator::Interval& time) const {
    const double end = time.begin + time.length;
    const auto next = std::ranges::upper_bound(breaks_, time.begin + time_rounding(time.begin));
    if (next == breaks_.end() || *next >= end - time_rounding(end)) return time;
    return {time.begin, *next - time.begin};
}

std::vector<double> Drive::factors(double t) const {
    std::vector<double> all;
    for (const Part& part : parts_)
        all.push_back(part.factor.at(part.factor.form() == DriveFactor::Form::steps ? t + time_rounding(t) : t));
    return all;
}

double Drive::energy(std::span<const double> factors, const DistributedVector& psi) {
    double sum = 0;
    for (std::size_t n = 0; n < parts_.size(); ++n) {
        const PairProducts products = parts_[n].op->apply(psi);
        sum += factors[n] * (products.vw / products.vv + parts_[n].op->offset());
    }
    return sum;
}

double Drive::bound() const {
    double sum = 0;
    for (const Part& part : parts_) sum += part.factor.bound() * norm_bound(part.plan);
    return sum;
}

}  // namespace strata::lanczos
