// SPDX-License-Identifier: BSD-3-Clause
// Between two sites a product has not begun, is complete, or is one of the partial products of job/terms.hpp: these are the
// states of a matrix product operator (I. P. McCulloch, J. Stat. Mech. P10014 (2007)). A bond of the result has all states of
// the old one for each of them,
//
//     bond of A |psi>  =  (state of the operator, state of the bond of |psi>),   charge: what the operator has changed + old,
//
// which a truncation reduces afterwards. A = A_1 + i A_2 is two operators of real matrices side by side, which share what is
// complete and differ in the complex tensor of site 0.
#include "dmrg/run/apply_operator.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "comm/collectives.hpp"
#include "dmrg/run/complex_state.hpp"
#include "dmrg/run/measurement.hpp"
#include "models/initial_state.hpp"

namespace strata::dmrg {
namespace {

/// Smallest norm of the result that counts (models/initial_state.hpp).
constexpr double least_norm = 1e-6;

/// What an operator of real matrices has done left of a bond.
struct Progress {
    enum class Stage { not_begun, open, complete } stage = Stage::not_begun;
    std::size_t partial = PartialProduct::none;  ///< number of an open product
    bool imaginary = false;                      ///< whether it belongs to A_2; false where the product is complete
    friend auto operator<=>(const Progress&, const Progress&) = default;
};
using Stage = Progress::Stage;

/// An element of a site's tensor of the matrix product operator.
struct Transition {
    Progress from, to;
    SiteOperator op;
    double factor;
    bool imaginary;  ///< whether it belongs to A_2
};

/// A as terms of real matrices.
class RealParts {
  public:
    RealParts(const Model& model, const OperatorSum& a)
        : model_(model), parts_{Terms(model.sites, model.charges), Terms(model.sites, model.charges)} {
        for (const auto& [product, coefficient] : a.terms()) {
            const SiteProduct sites = by_sites(product, model.kind);
            std::vector<Terms::Factor> factors = factors_of(model, sites);
            if (std::ranges::any_of(factors, [](const Terms::Factor& f) { return f.op.elements.empty(); })) continue;
            if (factors.empty()) factors.push_back({0, factor_between(model, false), false});
            const auto [down, up] = change_of(product);
            odd_ = is_fermionic(model.kind) && (down + up) % 2 != 0;
            const std::complex<double> amplitude = sites.sign * coefficient;
            if (amplitude.real() != 0) parts_[0].add(factors, amplitude.real(), false, 0);
            if (amplitude.imag() != 0) parts_[1].add(factors, amplitude.imag(), false, 0);
        }
    }

    /// Charge that has been added to that left of a bond; `all`: by whole products.
    Charge change(const Progress& p, Charge all) const {
        if (p.stage == Stage::open) return parts_[p.imaginary].partial(Side::left, p.partial).change;
        return p.stage == Stage::complete ? all : Charge{};
    }

    std::vector<Transition> transitions(int site) const {
        const Progress complete = {Stage::complete};
        std::vector<Transition> all;
        if (site > 0) all.push_back({complete, complete, factor_between(model_, false), 1, false});
        for (const bool imaginary : {false, true}) {
            const Terms& terms = parts_[imaginary];
            const auto progress = [&](std::size_t partial) {
                return Progress{partial == PartialProduct::none ? Stage::not_begun : Stage::open, partial, imaginary};
            };
            const auto add = [&](std::size_t from, const Progress& to, const SiteOperator& op, double factor = 1) {
                all.push_back({progress(from), to, op, factor, imaginary});
            };
            // signs from fermions on the sites before a product of an odd number of their operators
            add(PartialProduct::none, progress(PartialProduct::none), factor_between(model_, odd_));
            for (std::size_t id = 0; id < terms.count(Side::left); ++id) {
                const PartialProduct& p = terms.partial(Side::left, id);
                if (p.site == site) add(p.rest, progress(id), terms.matrix(p.op));
                if (p.site < site && terms.is_needed(Side::left, id, site))
                    add(id, progress(id), factor_between(model_, p.odd));
            }
            for (const std::size_t t : terms.ending(Side::left, site)) {
                const Term& term = terms.all()[t];
                add(term.rest(Side::left), complete, terms.matrix(term.factors.back().op), term.amplitude);
            }
        }
        return all;
    }

  private:
    const Model& model_;
    Terms parts_[2];    ///< terms of A_1, of A_2
    bool odd_ = false;  ///< whether products have an odd number of fermion operators
};

/// A bond of the result: its sectors, and where those of the old bond begin there.
struct ProductBond {
    struct Place {
        std::size_t sector;
        std::uint64_t first;
    };
    Sectors sectors;
    std::map<std::pair<Progress, std::size_t>, Place> places;

    ProductBond(const RealParts& a, Charge all, const std::set<Progress>& states, const Sectors& old) {
        std::map<Charge, std::uint64_t> counts;
        const auto for_parts = [&](auto f) {
            for (const Progress& p : states)
                for (std::size_t s = 0; s < old.size(); ++s) f(p, s, old.charges[s] + a.change(p, all));
        };
        for_parts([&](const Progress&, std::size_t s, Charge q) { counts[q] += old.states[s]; });
        for (const auto& [charge, count] : counts) {
            sectors.charges.push_back(charge);
            sectors.states.push_back(count);
        }
        counts.clear();
        for_parts([&](const Progress& p, std::size_t s, Charge q) {
            places[{p, s}] = {*sectors.find(q), counts[q]};
            counts[q] += old.states[s];
        });
    }
    const Place* find(const Progress& p, std::size_t old_sector) const {
        const auto at = places.find({p, old_sector});
        return at == places.end() ? nullptr : &at->second;
    }
};

/// Bonds 0 to L: what A_1 and A_2 have not begun is one state of bond 0, and at the end all is complete.
std::vector<ProductBond> product_bonds(const RealParts& a, Charge all, const std::vector<Sectors>& old) {
    std::set<Progress> states = {Progress{}, Progress{.imaginary = true}};
    std::vector<ProductBond> bonds = {ProductBond(a, all, {Progress{}}, old[0])};
    for (std::size_t site = 0; site + 1 < old.size(); ++site) {
        std::set<Progress> next;
        for (const Transition& t : a.transitions(static_cast<int>(site)))
            if (states.contains(t.from)) next.insert(t.to);
        states = std::move(next);
        if (site + 2 == old.size()) states = {Progress{Stage::complete}};
        bonds.emplace_back(a, all, states, old[site + 1]);
    }
    return bonds;
}

/// Adds `factor` times a transition of the old tensor, of the right side, to a site's tensor of the result.
void add_transition(const Transition& t, double factor, const SiteTensor& old, const ProductBond& left,
                    const ProductBond& right, SiteTensor& to) {
    for (std::size_t k = 0; k < old.kept.size(); ++k) {
        const auto e = old.enlarged_sector(k);
        const ProductBond::Place* l = left.find(t.from, k);
        if (!e || l == nullptr) continue;
        for (const Segment& s : old.enlarged.segments[*e])
            for (const auto& [to_state, from_state, value] : t.op.elements) {
                const ProductBond::Place* r = right.find(t.to, s.sector);
                if (static_cast<std::size_t>(from_state) != s.site_state || r == nullptr) continue;
                const bool is_left = to.side == Side::left;
                const auto &kept = is_left ? *r : *l, &other = is_left ? *l : *r;
                const auto enlarged = to.enlarged_sector(kept.sector);
                const Segment* rows =
                    enlarged ? to.enlarged.find(*enlarged, static_cast<std::size_t>(to_state), other.sector) : nullptr;
                if (rows == nullptr) continue;
                Matrix& m = to.matrices[kept.sector];
                for (std::uint64_t i = 0; i < old.matrices[k].columns; ++i)
                    for (std::uint64_t j = 0; j < s.rows.count; ++j)
                        m(rows->rows.first + other.first + (is_left ? i : j), kept.first + (is_left ? j : i)) +=
                            factor * t.factor * value * old.matrices[k](s.rows.first + j, i);
            }
    }
}

}  // namespace

double apply_operator(const Communicator& comm, const OwnObservable& a, const Algebra& algebra, Timers& timers,
                      const ChainState& from, ChainState& to, const char* key) {
    const Model& model = from.model();
    const RealParts parts(model, a.members[0]);
    const std::vector<Sectors> old = from.bonds();
    const std::vector<ProductBond> bonds = product_bonds(parts, to.model().target - model.target, old);
    std::vector<Sectors> sectors;
    for (const ProductBond& b : bonds) sectors.push_back(b.sectors);
    to.set_shapes(0, sectors);
    to.become_complex(0);
    const auto right_form = [&](const SiteTensor& t) {
        return t.side == Side::right ? t : regrouped(t, model.charges);
    };
    const SiteTensor y = from.is_complex() ? right_form(from.imaginary()) : SiteTensor();
    for (int site = 0; site < model.sites; ++site) {
        const auto s = static_cast<std::size_t>(site);
        const SiteTensor x = right_form(from.tensors()[s]);
        const auto add = [&](const Transition& t, double factor, const SiteTensor& of, SiteTensor& result) {
            add_transition(t, factor, of, bonds[s], bonds[s + 1], result);
        };
        for (Transition t : parts.transitions(site)) {
            const bool times_i = site == 0 && t.imaginary;
            if (site == 0) t.from = {};
            add(t, 1, x, times_i ? to.imaginary() : to.tensor(site));
            if (site > 0 || !from.is_complex()) continue;
            add(t, times_i ? -1 : 1, y, times_i ? to.tensor(site) : to.imaginary());
        }
    }
    const double norm = std::sqrt(Measurement(to.model(), algebra, to, Measurement::ComplexPart::real).whole());
    if (const std::string error = annihilated(a, norm, least_norm, key); !error.empty())
        throw CollectiveError(ExitCode::bad_input, error);
    normalise(comm, algebra, timers, to);
    return norm;
}

}  // namespace strata::dmrg
