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

/// One product of a sum of operators.
struct SpinProduct {
    std::uint64_t flip = 0;
    SignedSum sum;
    double factor = 1;       ///< 2^(-number of S^z)
    bool conjugate = false;  ///< whether it is the conjugate of `sum`

    explicit SpinProduct(const OperatorProduct& product) {
        for (const ModeOperator& o : product) {
            const std::uint64_t bit = std::uint64_t{1} << o.site;
            if (o.local == Local::z) {
                sum.parity |= bit;
                factor /= 2;
            } else {
                flip |= bit;
                if (o.local == Local::raise) sum.value |= bit;
            }
        }
        conjugate = std::bit_width(sum.value) == std::bit_width(flip) && flip != 0;
        if (conjugate) sum.value ^= flip;
    }
    auto key() const { return std::tuple(flip, sum); }
};

}  // namespace

std::vector<OwnObservable> observables_of(const TrotterConfig& config) {
    static const std::vector<std::string> others = {"time",
                                                    "sample",
                                                    "norm",
                                                    "state",
                                                    "step",
                                                    "energy",
                                                    "loschmidt-echo",
                                                    "sx",
                                                    "sy",
                                                    "sz",
                                                    "total",
                                                    "staggered",
                                                    "correlations",
                                                    "structure-factor",
                                                    "distribution",
                                                    "participation",
                                                    "entropy",
                                                    "bond-site"};
    return read_observables(config.observables_file, SiteKind::spins, 1, PatternLattice(config.lattice),
                            Conserved::nothing, others);
}

ObservedProducts::ObservedProducts(const TrotterConfig& config) : ObservedProducts(config, observables_of(config)) {}

ObservedProducts::ObservedProducts(const TrotterConfig& config, const std::vector<OwnObservable>& observables)
    : ObservableLists(observables, PatternLattice(config.lattice)) {
    std::map<std::tuple<std::uint64_t, SignedSum>, std::size_t> index;
    for (const OwnObservable& o : observables)
        for (const OperatorSum& member : o.members)
            for (const auto& [product, coefficient] : member.terms()) index.try_emplace(SpinProduct(product).key());
    for (auto& [key, number] : index) {
        const auto& [flip, sum] = key;
        if (groups_.empty() || groups_.back().flip != flip) groups_.push_back({flip, {}, sums_});
        groups_.back().sums.push_back(sum);
        number = sums_++;
    }
    for (const OwnObservable& o : observables) {
        first_member_.push_back(members_.size());
        for (const OperatorSum& member : o.members) {
            std::vector<Term>& terms = members_.emplace_back();
            for (const auto& [product, coefficient] : member.terms()) {
                const SpinProduct p(product);
                terms.push_back({coefficient * p.factor, index.at(p.key()), p.conjugate});
            }
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
    std::vector<double> values(width());
    for (const List& list : lists())
        for (std::size_t n = 0; n < list.members; ++n) {
            Complex value = 0;
            for (const Term& t : members_[first_member_[list.observable] + n])
                value += t.coefficient * (t.conjugate ? std::conj(sums[t.sum]) : sums[t.sum]);
            values[list.first + n] = (list.imaginary ? value.imag() : value.real()) / norm_squared;
        }
    return values;
}

}  // namespace strata::trotter
