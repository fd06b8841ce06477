// SPDX-License-Identifier: BSD-3-Clause
// Products are first sorted by F, V and P; then every product is given the index of its sum.
#include "trotter/physics/observed_products.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <tuple>

namespace strata::trotter {
namespace {

/// A product as a sum over states, or as the conjugate of one.
struct ObservedProduct : SpinProduct {
    bool conjugate = false;

    explicit ObservedProduct(const OperatorProduct& product) : SpinProduct(product) {
        conjugate = std::bit_width(sum.value) == std::bit_width(flip) && flip != 0;
        if (conjugate) sum.value ^= flip;
    }
    auto key() const { return std::tuple(flip, sum); }
};

}  // namespace

std::vector<OwnObservable> observables_of(const TrotterConfig& config) {
    std::vector<std::string> results = {"time", "sample", "norm", "states", "step-error*"};
    for (const ObservableRow& row : observable_rows) {
        results.emplace_back(row.word);
        for (const ObservedColumn& column : row.columns)
            if (column.name != nullptr) results.emplace_back(column.name);
    }
    return read_observables(config.own_observables, SiteKind::spins, 1, PatternLattice(config.lattice),
                            Conserved::nothing, results);
}

ObservedProducts::ObservedProducts(const TrotterConfig& config, const std::vector<OperatorSum>& hidden)
    : ObservedProducts(config, observables_of(config), hidden) {}

ObservedProducts::ObservedProducts(const TrotterConfig& config, const std::vector<OwnObservable>& observables,
                                   const std::vector<OperatorSum>& hidden)
    : ObservableLists(observables, PatternLattice(config.lattice)), hidden_(hidden.size()) {
    std::vector<const OperatorSum*> all;
    for (const OwnObservable& o : observables) {
        first_member_.push_back(all.size());
        for (const OperatorSum& member : o.members) all.push_back(&member);
    }
    for (const OperatorSum& sum : hidden) all.push_back(&sum);
    std::map<std::tuple<std::uint64_t, SignedSum>, std::size_t> index;
    for (const OperatorSum* member : all)
        for (const auto& [product, coefficient] : member->terms()) index.try_emplace(ObservedProduct(product).key());
    for (auto& [key, number] : index) {
        const auto& [flip, sum] = key;
        if (groups_.empty() || groups_.back().flip != flip) groups_.push_back({flip, {}, sums_});
        groups_.back().sums.push_back(sum);
        number = sums_++;
    }
    for (const OperatorSum* member : all) {
        std::vector<Term>& terms = members_.emplace_back();
        for (const auto& [product, coefficient] : member->terms()) {
            const ObservedProduct p(product);
            terms.push_back({coefficient * p.factor, index.at(p.key()), p.conjugate});
        }
    }
}

std::uint64_t ObservedProducts::bytes() const {
    std::uint64_t terms = 0;
    for (const std::vector<Term>& member : members_) terms += member.size();
    return groups_.size() * sizeof(FlipGroup) + sums_ * sizeof(SignedSum) +
           members_.size() * sizeof(std::vector<Term>) + terms * sizeof(Term);
}

std::vector<double> ObservedProducts::values(std::span<const Complex> sums, double norm_squared) const {
    std::vector<double> values(numbers());
    const auto mean = [&](std::size_t member) {
        Complex value = 0;
        for (const Term& t : members_[member])
            value += t.coefficient * (t.conjugate ? std::conj(sums[t.sum]) : sums[t.sum]);
        return value;
    };
    for (const List& list : lists())
        for (std::size_t n = 0; n < list.members; ++n) {
            const Complex value = mean(first_member_[list.observable] + n);
            values[list.first + n] = (list.imaginary ? value.imag() : value.real()) / norm_squared;
        }
    for (std::size_t n = 0; n < hidden_; ++n)
        values[width() + n] = mean(members_.size() - hidden_ + n).real() / norm_squared;
    return values;
}

}  // namespace strata::trotter
