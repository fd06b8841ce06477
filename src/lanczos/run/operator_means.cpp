// SPDX-License-Identifier: BSD-3-Clause
// In real arithmetic an operator acts by its real part alone: its imaginary part has no expectation value in a real state.
#include "lanczos/run/operator_means.hpp"

#include <algorithm>

#include "lanczos/state/memory.hpp"
#include "lanczos/state/pair_hops.hpp"

namespace strata::lanczos {
namespace {

/// The sum with real coefficients.
OperatorSum real_part(const OperatorSum& sum) {
    OperatorSum real(sum.kind());
    for (const auto& [product, coefficient] : sum.terms())
        real += OperatorSum::product(sum.kind(), product, coefficient.real());
    return real;
}

}  // namespace

std::vector<Observable> observables_of(const LanczosConfig& config, int sites) {
    return read_observables(config.observables, config.kind(), sites, config.conserved);
}

MemoryPrediction::Item means_memory(const LanczosPlan& plan, BackendKind backend) {
    std::uint64_t most = 0;
    for (const Observable& o : observables_of(plan.config(), plan.model().lattice.sites))
        for (const OperatorSum& member : o.members) {
            OperatorSum hermitian = member;
            hermitian += member.conjugate();
            if (plan.arithmetic() == Arithmetic::real) hermitian = real_part(hermitian);
            const MemoryPrediction m =
                largest_operator_memory(plan.for_model(model_of(plan.model(), hermitian)), 0, backend);
            most = std::max(most, m.host_bytes());
        }
    const std::uint64_t pair = backend == BackendKind::cpu ? 2 * plan.vector_bytes(0) : 0;
    return {"expectation values", most - std::min(most, pair)};
}

OperatorMeans::OperatorMeans(const LanczosPlan& plan, const MakeHamiltonian& make, Timers& timers)
    : plan_(plan),
      make_(make),
      timers_(timers),
      observables_(observables_of(plan.config(), plan.model().lattice.sites)) {
    for (const Observable& o : observables_) {
        for (const OperatorSum& member : o.members) {
            OperatorSum real = member;
            real += member.conjugate();
            real *= 0.5;
            add_part(real);
        }
        if (o.hermitian()) continue;
        for (const OperatorSum& member : o.members) {
            OperatorSum imaginary = member.conjugate();
            imaginary *= -1;
            imaginary += member;
            imaginary *= Complex(0, -0.5);
            add_part(imaginary);
        }
    }
}

void OperatorMeans::add_part(OperatorSum sum) {
    if (plan_.arithmetic() == Arithmetic::real) sum = real_part(sum);
    values_.push_back(0);
    if (!sum.empty()) parts_.push_back({std::move(sum), values_.size() - 1});
}

void OperatorMeans::initialise() {
    std::ranges::fill(values_, 0.0);
    steps_ = 0;
}

void OperatorMeans::add_fields(Record& record) {
    if (!values_.empty()) record.field("operator-means", std::span(values_)).field("operator-means-steps", steps_);
}

void OperatorMeans::step(const DistributedVector& state) {
    const Part& part = parts_[steps_++];
    const LanczosPlan plan = plan_.for_model(model_of(plan_.model(), part.sum));
    const std::unique_ptr<HamiltonianOperator> op = make_(plan, timers_);
    op->allocate();
    values_[part.value] = op->apply(state).vw + op->offset();
}

std::vector<Quantity> OperatorMeans::results() const {
    const auto sites = static_cast<std::size_t>(plan_.model().lattice.sites);
    std::vector<Quantity> all;
    auto from = values_.begin();
    for (const Observable& o : observables_)
        for (const bool imaginary : {false, true}) {
            if (imaginary && o.hermitian()) continue;
            const auto to = from + static_cast<std::ptrdiff_t>(o.members.size());
            Quantity q = {o.name + (imaginary ? "-imaginary" : ""),
                          "1",
                          std::string(imaginary ? "imaginary part of " : "") + "the expectation value of " + o.text,
                          {from, to}};
            from = to;
            if (o.axes == 1) q = std::move(q).over("site");
            if (o.axes == 2) q = std::move(q).over("site", "other-site", sites);
            all.push_back(std::move(q));
        }
    return all;
}

}  // namespace strata::lanczos
