// SPDX-License-Identifier: BSD-3-Clause
// Couplings of a pair add up, whether they come from several bonds of a small torus, from several lines of a file, or
// from terms; fields add up likewise.
#include "trotter/physics/hamiltonian.hpp"

#include <algorithm>
#include <cmath>

#include "strata/error.hpp"
#include "trotter/job/config.hpp"

namespace strata::trotter {
namespace {

/// Throws for terms beyond max_term, which distances near 0 and large factors cause, and for terms that are not
/// numbers.
void check_size(const SpinHamiltonian& h) {
    const auto is_large = [](double value) { return !(std::abs(value) <= max_term); };
    bool large = is_large(h.others.largest());
    for (const AxisTerms& terms : h.axis)
        large = large || std::ranges::any_of(terms.field, is_large) || std::ranges::any_of(terms.coupling, is_large);
    if (large)
        throw Error(ExitCode::bad_input,
                    "A field or coupling of the model is larger than 1e12, the most that is "
                    "taken: check distances, factors and model.terms.");
}

/// Adds J of edges, and i D/2 (S+_to S-_from - S-_to S+_from), the imaginary part of the amplitude of a term.
void add_couplings(const std::vector<Edge>& edges, const std::vector<Vector3>& exchange, SpinHamiltonian& h) {
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const auto [j, k] = std::minmax(edges[e].from, edges[e].to);
        for (const Axis a : all_axes) h[a].coupling[pair_index(j, k)] += exchange[e][index_of(a)];
        const Complex flips = {0, edges[e].amplitude.imag() / 2};
        if (flips == Complex(0)) continue;
        OperatorSum term = OperatorSum::product(
            SiteKind::spins, {{Mode::down, edges[e].to, Local::raise}, {Mode::down, edges[e].from, Local::lower}},
            flips);
        h.others += term.conjugate();
        h.others += term;
    }
}

/// Throws for a job without terms that has no lattice, or no couplings on it.
void check_complete(const TrotterConfig& config) {
    if (config.lattice.type.empty())
        throw Error(ExitCode::bad_input,
                    "The job has neither a lattice nor couplings: give lattice.type, e.g. ring, or model.terms.");
    require_couplings(config);
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
    return make_lattice(config.lattice).sites;
}

SpinHamiltonian make_hamiltonian(const TrotterConfig& config) {
    check_complete(config);
    const LatticeModel model = make_lattice_model(config);
    SpinHamiltonian h(model.lattice.sites);
    h.double_pairs = model.lattice.double_edges;
    add_couplings(model.lattice.edges, model.exchange, h);
    for (const Axis a : all_axes) h[a].field = model.field[index_of(a)];
    h.others += model.others;
    check_size(h);
    return h;
}

SpinHamiltonian make_perturbation(const TrotterConfig& config, int spins) {
    SpinHamiltonian h(spins);
    const TermSums terms = read_terms(items_of("echo.perturbation", config.perturbation), SiteKind::spins,
                                      {spins, max_term}, term_set(config.method));
    add_couplings(terms.edges, terms.exchange, h);
    for (const Axis a : all_axes) std::ranges::copy(terms.field[index_of(a)], h[a].field.begin());
    h.others += terms.others;
    check_size(h);
    return h;
}

}  // namespace strata::trotter
