// SPDX-License-Identifier: BSD-3-Clause
// Bounds of operators are those of all energies of their plans, from the sizes of their terms. A piece of time ends at the jumps
// and kinks of factors, so that series hold within it.
#include "lanczos/run/drive.hpp"

#include <algorithm>
#include <cmath>

#include "lanczos/physics/make_model.hpp"
#include "lanczos/physics/observables.hpp"
#include "lanczos/physics/symmetries.hpp"
#include "lanczos/run/operator_means.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"

namespace strata::lanczos {
namespace {

double centred_norm(const LanczosPlan& plan) {
    const SectorCounts& counts = plan.counts();
    return std::max(counts.upper_bound() - counts.offset(), counts.offset() - counts.lower_bound());
}

double norm_bound(const LanczosPlan& plan) {
    return std::max(std::abs(plan.counts().upper_bound()), std::abs(plan.counts().lower_bound()));
}

/// In a sector of lattice symmetries H(t) must have them at all times.
void check_driven_symmetry(const Config& config, const LanczosConfig& c, const Model& model, const DrivenOperator& o,
                           InputErrors& found) {
    const auto group = make_symmetry_group(c.symmetry, model);
    if (group != nullptr && model.spin_components == 2) {  // tables of H_up and H_down hold hops and pairs alone
        found.push_back(config.cite("drive.operator") +
                        " is not possible for electrons in a sector of lattice symmetries; leave sector.momentum and "
                        "others out.");
        return;
    }
    if (group == nullptr || are_equal(symmetrised(o.op, *group, model.codes.bits), o.op)) return;
    found.push_back(config.cite("drive.operator") + ": " + o.name +
                    " does not have the symmetries of the sector; leave sector.momentum and others out, or sum it over "
                    "the sites that they map to each other.");
}

}  // namespace

void check_drive(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    LanczosConfig anywhere = c;  // the sector is one that the right operators do not leave
    anywhere.conserved = Conserved::nothing;
    const std::vector<OwnObservable> all =
        c.drive.operators.empty() ? std::vector<OwnObservable>() : observables_of(anywhere);
    for (const DrivenOperator& one : read_drive(config, c.drive, c.observables.source, all, found))
        check_driven_symmetry(config, c, model, one, found);
}

std::vector<DrivenOperator> driven_operators(const LanczosConfig& config) {
    if (config.drive.operators.empty()) return {};
    return strata::driven_operators(config.drive, observables_of(config));
}

std::vector<OtherOperator> driven_plans(const LanczosPlan& plan) {
    std::vector<OtherOperator> all;
    for (const DrivenOperator& driven : driven_operators(plan.config()))
        all.push_back({plan.for_model(model_of(plan.model(), driven.op)), " of " + driven.name});
    return all;
}

double driven_radius(const LanczosPlan& plan) {
    double sum = centred_norm(plan);
    const std::vector<OtherOperator> all = driven_plans(plan);
    const std::vector<DrivenOperator> driven = driven_operators(plan.config());
    for (std::size_t n = 0; n < all.size(); ++n) sum += driven[n].factor.bound() * centred_norm(all[n].plan);
    return sum;
}

Drive::Drive(const LanczosPlan& plan, const MakeHamiltonian& make, Timers& timers)
    : plan_(plan), timers_(timers), names_(plan.config().drive.operators) {
    const std::vector<DrivenOperator> driven = driven_operators(plan.config());
    std::vector<OtherOperator> all = driven_plans(plan);
    for (std::size_t n = 0; n < names_.size(); ++n) {
        const DriveFactor& factor = driven[n].factor;
        parts_.push_back({std::move(all[n].plan), factor, nullptr});
        for (const std::vector<double>& times : {factor.jumps(), factor.kinks()})
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
    const auto next = std::ranges::upper_bound(breaks_, time.begin + DriveFactor::time_rounding(time.begin));
    if (next == breaks_.end() || *next >= end - DriveFactor::time_rounding(end)) return time;
    return {time.begin, *next - time.begin};
}

std::vector<double> Drive::factors(double t) const {
    std::vector<double> all;
    for (const Part& part : parts_) all.push_back(part.factor.from(t));
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
