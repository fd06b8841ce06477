// SPDX-License-Identifier: BSD-3-Clause
// A permutation of the sites is a symmetry if it changes no hop, no energy and no interaction. With flux this holds
// because the lattice spreads the phase over all bonds (models/lattice.cpp). Terms are sums over edges, which may
// cancel: they are compared within the rounding of the summands.
#include "lanczos/physics/point_operations.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "strata/error.hpp"

namespace strata::lanczos {

Couplings::Couplings(const Model& model)
    : sites_(static_cast<std::size_t>(model.lattice.sites)),
      hops_(sites_ * sites_),
      pairs_(pair_energies(model)),
      sites_energy_(model.epsilon),
      others_(model.others) {
    for (const auto& [hop, amplitude] : model.hops())
        hops_[static_cast<std::size_t>(hop.first) * sites_ + static_cast<std::size_t>(hop.second)] = amplitude;
    const auto largest = [](const std::vector<double>& values) {
        double most = 0;
        for (double value : values) most = std::max(most, std::abs(value));
        return most;
    };
    double hop = 0, neighbours = 0;
    for (const Edge& e : model.lattice.edges) {
        hop = std::max(hop, std::abs(e.amplitude));
        neighbours = std::max(neighbours, std::abs(model.v * e.weight));
    }
    constexpr double rounding = 1e-12;
    hop_limit_ = rounding * hop;
    pair_limit_ = rounding * std::max(neighbours, largest(model.u));
    site_limit_ = rounding * std::max(neighbours, largest(model.epsilon));  // of spins: sums over neighbours
}

std::string Couplings::changed_by(const SitePermutation& image) const {
    const auto to = [&](std::size_t i) { return static_cast<std::size_t>(image[i]); };
    const auto between = [](std::size_t i, std::size_t j) {
        return " between sites " + std::to_string(i) + " and " + std::to_string(j);
    };
    for (std::size_t i = 0; i < sites_; ++i) {
        if (std::abs(sites_energy_[i] - sites_energy_[to(i)]) > site_limit_)
            return "the energy of site " + std::to_string(i);
        for (std::size_t j = 0; j < sites_; ++j) {
            const std::size_t here = i * sites_ + j, there = to(i) * sites_ + to(j);
            if (std::abs(hops_[here] - hops_[there]) > hop_limit_) return "the hop" + between(i, j);
            if (!pairs_.empty() && std::abs(pairs_[here] - pairs_[there]) > pair_limit_)
                return i == j ? "the interaction on site " + std::to_string(i) : "the interaction" + between(i, j);
        }
    }
    if (others_.empty()) return {};
    const OperatorSum moved = others_.permuted(image);
    const double limit = OperatorSum::rounding * others_.largest();
    for (const auto& [product, coefficient] : others_.terms())
        if (std::abs(coefficient - moved[product]) > limit) return "the term " + text_of(product, others_.kind());
    return {};
}

std::vector<SitePermutation> unchanging(const Couplings& couplings, const Lattice& lattice, const PlaneMap& map,
                                        std::string& change) {
    change = lattice.torus.empty() ? "the lattice, whose cells are not known" : "the cluster";
    std::vector<SitePermutation> found;
    for (SitePermutation& image : point_operations(lattice, map)) {
        std::string changed = couplings.changed_by(image);
        if (changed.empty())
            found.push_back(std::move(image));
        else
            change = std::move(changed);
    }
    return found;
}

namespace {

constexpr CellMap unit_map = {{{1, 0}, {0, 1}}};

/// Whether the complete group contains the requested translations and no others.
bool holds_no_other_translation(std::vector<AffineOperation> operations,
                                const std::vector<SymmetryOperation>& translations, const Lattice& lattice) {
    for (const SymmetryOperation& o : translations) operations.push_back({unit_map, o.image});
    const auto requested = static_cast<std::size_t>(translations.empty() ? 1 : lattice.sites / lattice.sublattices);
    return pure_translations(operations, requested) == requested;
}

[[noreturn]] void refuse_without_centre(const std::vector<PointOperation>& operations) {
    std::string keys;
    for (const PointOperation& o : operations) keys += (keys.empty() ? "" : " and ") + o.key;
    if (operations.size() == 1)
        throw Error(ExitCode::bad_input,
                    keys + " is not possible: the lattice has " + operations[0].words +
                        " only as a glide, together with a translation, and so not of order two. Leave the key out.");
    throw Error(ExitCode::bad_input, keys +
                                         " are not possible together: they have no common centre, and their products "
                                         "would hold translations. Leave one of them out.");
}

}  // namespace

std::vector<SymmetryOperation> about_one_centre(const std::vector<PointOperation>& operations,
                                                const std::vector<SymmetryOperation>& translations,
                                                const Couplings& couplings, const Lattice& lattice) {
    std::vector<std::vector<AffineOperation>> candidates;  // [operation]
    for (const PointOperation& o : operations) {
        std::string change;
        std::vector<AffineOperation>& of_key = candidates.emplace_back();
        for (SitePermutation& image : unchanging(couplings, lattice, o.map, change)) {
            AffineOperation a = {*in_cells(lattice, o.map), std::move(image)};
            if (pure_translations({a}, 1) == 1)
                of_key.push_back(std::move(a));
            else
                change.clear();
        }
        if (!of_key.empty()) continue;
        if (change.empty()) refuse_without_centre({o});
        throw Error(ExitCode::bad_input,
                    o.key + " is not possible: " + o.words + " changes " + change + ". Leave the key out.");
    }
    std::vector<AffineOperation> chosen;
    const std::function<bool()> choose_next = [&] {
        if (chosen.size() == operations.size()) return holds_no_other_translation(chosen, translations, lattice);
        for (const AffineOperation& candidate : candidates[chosen.size()]) {
            chosen.push_back(candidate);
            if (pure_translations(chosen, 1) == 1 && choose_next()) return true;
            chosen.pop_back();
        }
        return false;
    };
    if (!choose_next()) refuse_without_centre(operations);
    std::vector<SymmetryOperation> all;
    for (std::size_t i = 0; i < operations.size(); ++i) all.push_back({chosen[i].image, operations[i].turn});
    return all;
}

}  // namespace strata::lanczos
