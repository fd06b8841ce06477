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

/// Upper bounds of the norms of V - offset and of V. A product of operators of electrons has the norm 1.
struct NormBounds {
    double centred, magnitude;
};
NormBounds norm_bounds(const LanczosPlan& plan, const OperatorSum& op) {
    if (acts_by_rows(plan)) {
        double sum = 0;
        for (const auto& [product, coefficient] : op.terms()) sum += std::abs(coefficient);
        return {sum, sum};
    }
    const SectorCounts& counts = plan.counts();
    return {centred_norm(plan), std::max(std::abs(counts.upper_bound()), std::abs(counts.lower_bound()))};
}

/// In a sector of lattice symmetries H(t) must have them at all times.
void check_driven_symmetry(const Config& config, const LanczosConfig& c, const Model& model, const DrivenOperator& o,
                           InputErrors& found) {
    const auto group = make_symmetry_group(c.symmetry, model);
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
        all.push_back({plan.for_model(model_of_sum(plan, driven.op)), " of " + driven.name});
    return all;
}

std::uint64_t driven_bytes(const LanczosPlan& plan) {
    std::uint64_t bytes = 0;
    if (acts_by_rows(plan))
        for (const DrivenOperator& driven : driven_operators(plan.config())) bytes += bytes_by_rows(plan, driven.op);
    return bytes;
}

double driven_radius(const LanczosPlan& plan) {
    double sum = centred_norm(plan);
    const std::vector<OtherOperator> all = driven_plans(plan);
    const std::vector<DrivenOperator> driven = driven_operators(plan.config());
    for (std::size_t n = 0; n < all.size(); ++n)
        sum += driven[n].factor.bound() * norm_bounds(all[n].plan, driven[n].op).centred;
    return sum;
}

Drive::Drive(const LanczosPlan& plan, const MakeHamiltonian& make, Timers& timers)
    : plan_(plan), timers_(timers), names_(plan.config().drive.operators) {
    const std::vector<DrivenOperator> driven = driven_operators(plan.config());
    std::vector<OtherOperator> all = driven_plans(plan);
    for (std::size_t n = 0; n < names_.size(); ++n) {
        const DriveFactor& factor = driven[n].factor;
        parts_.push_back({std::move(all[n].plan), driven[n], nullptr, nullptr});
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
    for (Part& part : parts_) {
        part.op->allocate();
        if (acts_by_rows(plan_)) part.by_rows = std::make_unique<SymmetricSum>(part.driven.op, *part.op, *part.op);
    }
}

krylov::DrivenTerm Drive::term(const Part& part) const {
    const auto factor = [&part](const krylov::Propagator::Interval& within, double length, std::size_t count) {
        DriveFactor::Series s =
            part.driven.factor.series(within.begin, length, within.begin + within.length / 2, count);
        return krylov::FactorSeries{std::move(s.terms), s.rest};
    };
    const auto multiply = [&part] {
        part.by_rows ? part.by_rows->apply(part.op->w(), part.op->w()) : void(part.op->apply(part.op->w()));
    };
    const auto [centred, magnitude] = norm_bounds(part.plan, part.driven.op);
    return {&part.op->w(), multiply, part.op->offset(), centred, magnitude, factor};
}

std::unique_ptr<krylov::Propagator> Drive::propagator(HamiltonianOperator& h,
                                                      const krylov::ExponentialOptions& options) {
    double rate = driven_radius(plan_);
    std::vector<krylov::DrivenTerm> terms;
    for (const Part& part : parts_) {
        rate += part.driven.factor.rate(options.dimension);
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
    for (const Part& part : parts_) all.push_back(part.driven.factor.from(t));
    return all;
}

double Drive::energy(std::span<const double> factors, const DistributedVector& psi) {
    double sum = 0;
    for (std::size_t n = 0; n < parts_.size(); ++n) {
        HamiltonianOperator& op = *parts_[n].op;
        if (parts_[n].by_rows) {
            parts_[n].by_rows->apply(psi, op.w());
            sum += factors[n] * op.space().dot(psi, op.w()).real() / op.space().dot(psi, psi).real();
        } else {
            const PairProducts products = op.apply(psi);
            sum += factors[n] * (products.vw / products.vv + op.offset());
        }
    }
    return sum;
}

double Drive::bound() const {
    double sum = 0;
    for (const Part& part : parts_)
        sum += part.driven.factor.bound() * norm_bounds(part.plan, part.driven.op).magnitude;
    return sum;
}

}  // namespace strata::lanczos
