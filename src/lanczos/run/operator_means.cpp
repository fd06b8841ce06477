// SPDX-License-Identifier: BSD-3-Clause
// Every value is one multiplication by a Hermitian sum (operator_sums.hpp). In small sectors the tables and working pairs of
// all operators are kept, since making them takes longer than a multiplication.
#include "lanczos/run/operator_means.hpp"

#include <algorithm>
#include <cmath>

#include "lanczos/run/operator_sums.hpp"

namespace strata::lanczos {

void check_observables(const Config& config, const LanczosConfig& c, const Model&, InputErrors& found) {
    if (c.observables.name.empty()) return;
    observables_of(c);
    if (c.symmetry.any())
        found.push_back(config.cite("observables.file") +
                        " is not possible in a sector of lattice symmetries; leave sector.momentum and others out.");
}

ObservedOperators::ObservedOperators(const LanczosPlan& plan) : lattice_(plan.config().lattice) {
    for (const Observable& o : observables_of(plan.config())) {
        add_list(o, false, plan.arithmetic());
        if (!o.hermitian()) add_list(o, true, plan.arithmetic());
    }
}

void ObservedOperators::add_list(const Observable& o, bool imaginary, Arithmetic arithmetic) {
    lists_.push_back({o.name + (imaginary ? "-imaginary" : ""),
                      std::string(imaginary ? "imaginary part of " : "") + "the expectation value of " + o.text,
                      o.pattern, o.members.size()});
    for (const OperatorSum& member : o.members) {
        OperatorSum part = hermitian_part(member, imaginary, arithmetic);
        if (!part.empty()) parts_.push_back({std::move(part), width_});
        ++width_;
    }
}

void ObservedOperators::add_columns(std::vector<Column>& columns, const std::string& ending,
                                    const std::string& what) const {
    for (const List& list : lists_)
        for (const auto& [i, j] : places_of(list.pattern, lattice_)) {
            const std::string name = list.name + ending, meaning = what + list.meaning;
            switch (list.pattern) {
                case SitePattern::none: columns.push_back({name, "1", meaning}); break;
                case SitePattern::site: columns.push_back(member_column(name, "site", {i}, "1", meaning)); break;
                case SitePattern::pair: columns.push_back(member_column(name, "pair", {i, j}, "1", meaning)); break;
                case SitePattern::bond: columns.push_back(member_column(name, "bond", {i, j}, "1", meaning)); break;
            }
        }
}

std::vector<Quantity> ObservedOperators::quantities(const std::vector<double>& rows, const std::string& axis) const {
    static constexpr const char* axes[] = {"", "site", "pair", "bond"};  // [SitePattern]
    std::vector<Quantity> all;
    std::size_t from = 0;
    for (const List& list : lists_) {
        Quantity q = {list.name, "1", list.meaning, {}};
        for (std::size_t row = from; row < rows.size(); row += width_)
            for (std::size_t n = 0; n < list.members; ++n) q.value.push_back(rows[row + n]);
        from += list.members;
        const std::string own = axes[static_cast<std::size_t>(list.pattern)];
        if (axis.empty() && list.pattern == SitePattern::pair)
            q = std::move(q).over("site", "other-site", static_cast<std::size_t>(lattice_.sites));
        else if (!axis.empty() && !own.empty())
            q = std::move(q).over(axis, own, list.members);
        else if (!axis.empty() || !own.empty())
            q = std::move(q).over(axis.empty() ? own : axis);
        all.push_back(std::move(q));
    }
    if (std::ranges::find(lists_, SitePattern::bond, &List::pattern) == lists_.end()) return all;
    Quantity first = {"bond-site-i", "1", "site i of every bond of observables", {}},
             last = {"bond-site-j", "1", "site j of every bond of observables", {}};
    for (const auto& [i, j] : places_of(SitePattern::bond, lattice_)) {
        first.value.push_back(i);
        last.value.push_back(j);
    }
    all.push_back(std::move(first).coordinate_of("bond"));
    all.push_back(std::move(last).coordinate_of("bond"));
    return all;
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
    if (plan.config().observables.name.empty()) return {};
    const ObservedOperators observed(plan);
    const OperatorBytes of = bytes_of(plan, observed, backend);
    const std::uint64_t bytes = are_kept(plan, observed) ? of.all : of.largest;
    const std::uint64_t pair = backend == BackendKind::cpu ? 2 * plan.vector_bytes(0) : 0;
    return {{"expectation values", bytes - std::min(bytes, pair)}};
}

std::uint64_t means_steps(const LanczosPlan& plan) {
    return plan.config().observables.name.empty() ? 0 : ObservedOperators(plan).parts().size();
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
    values_[next_state() * operators_.width() + operators_.parts()[part].place] = operator_of(part).mean(state);
    ++steps_;
}

void OperatorMeans::apply(std::size_t part, const DistributedVector& x, krylov::VectorSpace& space,
                          DistributedVector& y) {
    space.clear(y);
    operator_of(part).add(1, x, space, y);
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
