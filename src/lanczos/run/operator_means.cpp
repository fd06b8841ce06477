// SPDX-License-Identifier: BSD-3-Clause
// Every value is one multiplication by a Hermitian sum (operator_sums.hpp). In small sectors the tables and working pairs of
// all operators are kept, since making them takes longer than a multiplication.
#include "lanczos/run/operator_means.hpp"

#include <algorithm>
#include <cmath>

#include "lanczos/physics/characters.hpp"
#include "lanczos/run/operator_sums.hpp"

namespace strata::lanczos {

void check_observables(const Config& config, const LanczosConfig& c, InputErrors& found) {
    if (c.observables.source.empty()) return;
    observables_of(c);
    if (c.symmetry.momenta == Momenta::all && !is_spectrum(c.task) && c.task != Task::thermal)
        found.push_back(cite_observables(config) + " is not possible with sector.momentum = all; give one momentum.");
}

OperatorSum symmetrised(const OperatorSum& sum, const SymmetryGroup& group, int bits) {
    OperatorSum mean(sum.kind());
    for (std::uint32_t g = 0; g < group.order(); ++g) mean += transformed(sum, group, g, bits);
    mean *= 1.0 / group.order();
    mean.remove_rounding();
    return mean;
}

ObservedOperators::ObservedOperators(const LanczosPlan& plan)
    : ObservedOperators(observables_of(plan.config()), plan) {}

ObservedOperators::ObservedOperators(const std::vector<OwnObservable>& observables, const LanczosPlan& plan)
    : ObservableLists(observables, PatternLattice(plan.config().lattice)) {
    const auto& symmetric = plan.counts().symmetric();
    for (const List& list : lists())
        for (std::size_t n = 0; n < list.members; ++n) {
            OperatorSum part =
                hermitian_part(observables[list.observable].members[n], list.imaginary, plan.arithmetic());
            if (symmetric) part = symmetrised(part, *symmetric->group, plan.model().codes.bits);
            if (part.empty()) continue;
            const auto same = !symmetric
                                  ? parts_.end()
                                  : std::ranges::find_if(parts_, [&](const Part& p) { return are_equal(p.sum, part); });
            if (same != parts_.end())
                same->places.push_back(list.first + n);
            else
                parts_.push_back({std::move(part), {list.first + n}});
        }
}

namespace {

/// Operators are kept that take so many bytes together, and are so many: each has a communicator of its own.
constexpr std::uint64_t most_kept_bytes = std::uint64_t{256} << 20;
constexpr std::size_t most_kept = 500;

struct OperatorBytes {
    std::uint64_t all = 0, largest = 0;
};

OperatorBytes bytes_of(const LanczosPlan& plan, const ObservedOperators& observed, BackendKind backend) {
    OperatorBytes bytes;
    for (const ObservedOperators::Part& part : observed.parts()) {
        const std::uint64_t one = sum_bytes(plan, part.sum, backend);
        bytes.all += one;
        bytes.largest = std::max(bytes.largest, one);
    }
    return bytes;
}

/// The same on all ranks and backends.
bool are_kept(const LanczosPlan& plan, const ObservedOperators& observed) {
    return observed.parts().size() <= most_kept && bytes_of(plan, observed, BackendKind::cpu).all <= most_kept_bytes;
}

}  // namespace

MemoryItems means_memory(const LanczosPlan& plan, BackendKind backend) {
    if (plan.config().observables.source.empty()) return {};
    const ObservedOperators observed(plan);
    const OperatorBytes of = bytes_of(plan, observed, backend);
    const std::uint64_t bytes = are_kept(plan, observed) ? of.all : of.largest;
    const std::uint64_t pair = backend == BackendKind::cpu ? 2 * plan.vector_bytes(0) : 0;
    return {{"expectation values", bytes - std::min(bytes, pair)}};
}

std::uint64_t means_steps(const LanczosPlan& plan) {
    return plan.config().observables.source.empty() ? 0 : ObservedOperators(plan).parts().size();
}

OperatorMeans::OperatorMeans(const LanczosPlan& plan, const MakeHamiltonian& make, Timers& timers, std::size_t states)
    : plan_(plan),
      make_(make),
      timers_(timers),
      operators_(plan),
      states_(states),
      keeps_(are_kept(plan, operators_)),
      made_(operators_.parts().size()),
      values_(states * operators_.width()) {}

void OperatorMeans::initialise() {
    std::ranges::fill(values_, 0.0);
    steps_ = 0;
}

void OperatorMeans::add_fields(Record& record) {
    if (!values_.empty()) record.field("operator-means", std::span(values_)).field("operator-means-steps", steps_);
}

HermitianSum& OperatorMeans::operator_of(std::size_t part) {
    if (made_[part] == nullptr) {
        if (!keeps_)
            for (std::unique_ptr<HermitianSum>& other : made_) other.reset();
        made_[part] = std::make_unique<HermitianSum>(plan_, operators_.parts()[part].sum, make_, timers_);
    }
    return *made_[part];
}

void OperatorMeans::step(const DistributedVector& state) {
    const std::size_t n = operators_.parts().size(), part = steps_ % n;
    const double mean = operator_of(part).mean(state);
    for (const std::size_t place : operators_.parts()[part].places)
        values_[next_state() * operators_.width() + place] = mean;
    ++steps_;
}

void OperatorMeans::apply(std::size_t part, const DistributedVector& x, krylov::VectorSpace& space,
                          DistributedVector& y) {
    space.clear(y);
    operator_of(part).add(1, x, space, y);
}

void OperatorMeans::apply_observable(std::size_t observable, const DistributedVector& x, krylov::VectorSpace& space,
                                     DistributedVector& y) {
    space.clear(y);
    for (const ObservedOperators::List& list : operators_.lists())
        for (std::size_t part = 0; part < operators_.parts().size(); ++part)
            if (list.observable == observable && std::ranges::count(operators_.parts()[part].places, list.first) > 0)
                operator_of(part).add(list.imaginary ? Complex(0, 1) : 1, x, space, y);
}

std::vector<Quantity> OperatorMeans::results(const std::vector<krylov::ComputedLevel>& levels) const {
    const std::size_t width = operators_.width();
    std::vector<double> rows(values_.size());
    for (const krylov::ComputedLevel& level : levels)
        for (std::size_t n = 0; n < width; ++n) {
            double sum = 0;
            for (std::size_t i = 0; i < level.count; ++i) sum += values_[(level.first + i) * width + n];
            const double mean = level.resolved ? sum / static_cast<double>(level.count) : NAN;
            for (std::size_t i = 0; i < level.count; ++i) rows[(level.first + i) * width + n] = mean;
        }
    return operators_.quantities(rows, "state");
}

}  // namespace strata::lanczos
