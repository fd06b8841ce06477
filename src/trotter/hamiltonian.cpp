// SPDX-License-Identifier: BSD-3-Clause
// Couplings of a pair add up, whether they come from several bonds of a small torus, from several lines of a file, or
// from the terms of the job; fields and terms add up likewise.
#include "trotter/hamiltonian.hpp"

#include <algorithm>
#include <cmath>

#include "strata/error.hpp"
#include "trotter/text.hpp"

namespace strata::trotter {
namespace {

/// h_j^axis S_j^axis, or with a second spin J_jk^axis S_j^axis S_k^axis.
struct Term {
    Axis axis;
    int j, k;  ///< k = j for a field
    double value;
};

/// One item of model.terms, such as "x 0 0.5" or "zz 0 3 1.0".
Term read_term(const Item& item, int spins) {
    const std::string rule =
        "is no term 'axis spin field' or 'axis-axis spin spin coupling', e.g. 'x 0 0.5' or "
        "'zz 0 3 1.0'.";
    const std::string& name = item.words[0];
    const bool pair = name.size() == 2 && name[0] == name[1];
    Item axis = item;
    axis.words[0] = name.substr(0, 1);
    if ((name.size() != 1 && !pair) || item.words.size() != (pair ? 4U : 3U)) item.refuse(rule);
    const int j = item.index(1, spins, "spin"), k = pair ? item.index(2, spins, "spin") : j;
    if (pair && j == k) item.refuse("couples spin " + item.words[1] + " with itself.");
    return {axis_of(axis, 0), j, k, item.real(pair ? 3 : 2, rule)};
}

/// Adds the items of a text to H.
void add_terms(const std::string& key, const std::string& text, SpinHamiltonian& h) {
    for (const Item& item : items_of(key, text)) {
        const Term term = read_term(item, h.spins);
        if (term.j == term.k)
            h[term.axis].field[static_cast<std::size_t>(term.j)] += term.value;
        else
            h[term.axis].coupling[pair_index(std::min(term.j, term.k), std::max(term.j, term.k))] += term.value;
    }
}

/// Number of spins of a system of terms alone: the largest spin that they name plus 1.
int spins_named(const std::string& text) {
    int spins = 0;
    for (const Item& item : items_of("model.terms", text)) {
        const Term term = read_term(item, max_spins);
        spins = std::max({spins, term.j + 1, term.k + 1});
    }
    return spins;
}

/// Throws for terms beyond max_term, which distances near 0 and large factors cause, and for terms that are not
/// numbers.
void check_size(const SpinHamiltonian& h) {
    const auto is_large = [](double value) { return !(std::abs(value) <= max_term); };
    for (const AxisTerms& terms : h.axis)
        if (std::ranges::any_of(terms.field, is_large) || std::ranges::any_of(terms.coupling, is_large))
            throw Error(ExitCode::bad_input,
                        "A field or coupling of the model is larger than 1e12, the most that is "
                        "taken: check distances, factors and model.terms.");
}

/// Throws for a job without terms that has no lattice, or no couplings on it.
void check_complete(const TrotterConfig& config) {
    if (!config.terms.empty()) return;
    if (config.lattice.type.empty())
        throw Error(ExitCode::bad_input,
                    "The job has neither a lattice nor couplings: give lattice.type, e.g. ring, or model.terms.");
    require_couplings(config);
}

/// Lattice and model of a job; without a lattice, spins 0 to the largest that the terms name are sites without bonds.
LatticeModel model_of(const TrotterConfig& config) {
    ModelConfig model = config;
    if (!model.lattice.type.empty()) return make_lattice_model(model);
    Lattice sites;
    sites.sites = spins_named(config.terms);
    return make_lattice_model(model, std::move(sites));
}

}  // namespace

bool AxisTerms::has_terms() const {
    const auto nonzero = [](double value) { return value != 0; };
    return std::ranges::any_of(field, nonzero) || std::ranges::any_of(coupling, nonzero);
}

Diagonal diagonal(const AxisTerms& terms, int bits) {
    Diagonal d(bits);
    std::ranges::copy(terms.field, d.field.begin());
    std::ranges::copy(terms.coupling, d.coupling.begin());
    return d;
}

SpinHamiltonian::SpinHamiltonian(int n) : spins(n) {
    for (AxisTerms& terms : axis)
        terms = {std::vector<double>(static_cast<std::size_t>(n)), std::vector<double>(pair_count(n))};
}

int spins_of(const TrotterConfig& config) {
    check_complete(config);
    return config.lattice.type.empty() ? spins_named(config.terms) : make_lattice(config.lattice).sites;
}

SpinHamiltonian make_hamiltonian(const TrotterConfig& config) {
    check_complete(config);
    const LatticeModel model = model_of(config);
    SpinHamiltonian h(model.lattice.sites);
    h.double_pairs = model.lattice.double_edges;
    for (std::size_t e = 0; e < model.lattice.edges.size(); ++e) {
        const auto [j, k] = std::minmax(model.lattice.edges[e].from, model.lattice.edges[e].to);
        for (const Axis a : all_axes) h[a].coupling[pair_index(j, k)] += model.exchange[e][index_of(a)];
    }
    for (const Axis a : all_axes) h[a].field = model.field[index_of(a)];
    add_terms("model.terms", config.terms, h);
    check_size(h);
    return h;
}

SpinHamiltonian make_perturbation(const TrotterConfig& config, int spins) {
    SpinHamiltonian h(spins);
    add_terms("echo.perturbation", config.perturbation, h);
    check_size(h);
    return h;
}

}  // namespace strata::trotter
