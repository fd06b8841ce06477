// SPDX-License-Identifier: BSD-3-Clause
// carry() computes F'(q', q) = sum over the elements (to, from) of the site operator of value * A_to F A_from^T.
#include "dmrg/run/measurement.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace strata::dmrg {
namespace {

SiteOperator identity(const Model& model) { return diagonal(std::vector<double>(model.states(), 1.0)); }

SiteOperator transposed(SiteOperator op) {
    for (SiteOperator::Element& e : op.elements) std::swap(e.to, e.from);
    return op;
}

/// The operator to the left of the first site: 1 x 1, equal to 1.
BlockOperator unit_operator() {
    BlockOperator op{{}, {Matrix(1, 1)}};
    op.from_sector[0](0, 0) = 1;
    return op;
}

void add(const BlockOperator& op, double factor, BlockOperator& to) {
    to.from_sector.resize(op.from_sector.size());
    for (std::size_t s = 0; s < op.from_sector.size(); ++s) {
        const Matrix& from = op.from_sector[s];
        Matrix& sum = to.from_sector[s];
        if (from.empty()) continue;
        if (sum.empty()) sum = Matrix(from.rows, from.columns);
        add_scaled(from, factor, sum);
    }
}

/// The sum over the states of the bond behind the last site.
double scalar(const BlockOperator& op) {
    double sum = 0;
    if (op.from_sector.empty() || op.from_sector[0].empty()) return sum;
    for (std::uint64_t i = 0; i < op.from_sector[0].rows; ++i) sum += op.from_sector[0](i, i);
    return sum;
}

Matrix rows_of(const Matrix& m, Rows rows) {
    Matrix part(rows.count, m.columns);
    for (std::uint64_t j = 0; j < m.columns; ++j)
        for (std::uint64_t i = 0; i < rows.count; ++i) part(i, j) = m(rows.first + i, j);
    return part;
}

}  // namespace

Measurement::Measurement(const Model& model, const Algebra& algebra, const FoundState& state)
    : model_(model), algebra_(algebra) {
    auto sites = std::make_shared<std::vector<Site>>();
    for (std::size_t i = 0; i < state.right.size(); ++i) sites->push_back(site_of(state.right[i], state.bonds[i + 1]));
    sites_ = std::move(sites);
    prepare_densities();
}

Measurement::Measurement(const Model& model, const Algebra& algebra, const ChainState& chain)
    : model_(model), algebra_(algebra) {
    add_sites(chain);
    prepare_densities();
}

Measurement::Measurement(const Model& model, const Algebra& algebra, const ChainState& chain, ComplexPart part)
    : model_(model), algebra_(algebra), part_(part) {
    add_sites(chain);
    const SiteTensor &x = chain.tensors()[0], &y = chain.imaginary();
    imaginary_ = site_of(y.side == Side::right ? y : regrouped(y, model.charges), chain.bonds()[1]);
    prepare_densities();
    norm_ = 0;
    for (const SiteTensor* t : {&x, &y})
        for (const Matrix& m : t->matrices) norm_ += dmrg::squared_norm(m);
}

Measurement Measurement::imaginary_part() const {
    Measurement other = *this;
    other.part_ = ComplexPart::imaginary;
    other.density_.clear();
    other.prepare_densities();
    other.norm_ = norm_;
    return other;
}

void Measurement::add_sites(const ChainState& chain) {
    const std::vector<Sectors> bonds = chain.bonds();
    auto sites = std::make_shared<std::vector<Site>>();
    for (const SiteTensor& t : chain.tensors()) {
        const Sectors& right = bonds[sites->size() + 1];
        sites->push_back(t.side == Side::right ? site_of(t, right) : site_of(regrouped(t, model_.charges), right));
    }
    sites_ = std::move(sites);
}

void Measurement::prepare_densities() {
    density_.push_back(unit_operator());
    for (int i = 0; i < model_.sites; ++i) density_.push_back(carry(i, density_.back(), identity(model_)));
    norm_ = scalar(density_.back());
}

Measurement::Site Measurement::site_of(const SiteTensor& tensor, const Sectors& right) const {
    Site site{tensor.kept, right, std::vector<std::vector<Part>>(model_.states())};
    for (std::size_t k = 0; k < tensor.kept.size(); ++k) {
        const auto e = tensor.enlarged_sector(k);
        if (!e) continue;
        for (const Segment& s : tensor.enlarged.segments[*e])
            site.of_state[s.site_state].push_back({k, s.sector, rows_of(tensor.matrices[k], s.rows)});
    }
    return site;
}

BlockOperator Measurement::carry(const Site& bra, const Site& ket, const BlockOperator& op,
                                 const SiteOperator& of_site) const {
    BlockOperator result;
    result.from_sector.resize(ket.right.size());
    if (of_site.elements.empty()) return result;
    const SiteOperator::Element& any = of_site.elements.front();
    result.change = op.change + (model_.charges[std::size_t(any.to)] - model_.charges[std::size_t(any.from)]);
    for (const SiteOperator::Element& element : of_site.elements)
        for (const Part& k : ket.of_state[std::size_t(element.from)]) {
            const Matrix& f = op.from_sector[k.left];
            const auto bra_left = bra.left.find(ket.left.charges[k.left] + op.change);
            if (f.empty() || !bra_left || element.value == 0) continue;
            for (const Part& b : bra.of_state[std::size_t(element.to)]) {
                if (b.left != *bra_left) continue;
                const Matrix part = algebra_.product(b.matrix, algebra_.product(f, dmrg::transposed(k.matrix)));
                Matrix& sum = result.from_sector[k.right];
                if (sum.empty()) sum = Matrix(part.rows, part.columns);
                add_scaled(part, element.value, sum);
            }
        }
    return result;
}

BlockOperator Measurement::carry(int site, const BlockOperator& op, const SiteOperator& of_site) const {
    const Site& x = (*sites_)[std::size_t(site)];
    if (site > 0 || !imaginary_) return carry(x, x, op, of_site);
    const Site& y = *imaginary_;
    const bool real = part_ == ComplexPart::real;
    BlockOperator result = real ? carry(x, x, op, of_site) : carry(x, y, op, of_site);
    add(real ? carry(y, y, op, of_site) : carry(y, x, op, of_site), real ? 1 : -1, result);
    return result;
}

double Measurement::trace(const BlockOperator& op) const {
    double sum = 0;
    for (const Matrix& m : op.from_sector)
        for (std::uint64_t i = 0; i < std::min(m.rows, m.columns); ++i) sum += m(i, i);
    return sum / squared_norm();
}

std::vector<double> Measurement::local(const std::vector<double>& values) const {
    std::vector<double> result;
    for (int i = 0; i < model_.sites; ++i)
        result.push_back(trace(carry(i, density_[static_cast<std::size_t>(i)], diagonal(values))));
    return result;
}

Measurement::Moments Measurement::moments(const std::vector<double>& values, int stride) const {
    std::vector<double> squares;
    for (const double x : values) squares.push_back(x * x);
    BlockOperator sum{{}, std::vector<Matrix>(1)}, square = sum;  // those of the sites so far
    for (int i = 0; i < model_.sites; ++i) {
        const BlockOperator& one = density_[static_cast<std::size_t>(i)];
        BlockOperator next_sum = carry(i, sum, identity(model_)), next_square = carry(i, square, identity(model_));
        if (i % stride == 0) {
            add(carry(i, sum, diagonal(values)), 2, next_square);
            add(carry(i, one, diagonal(squares)), 1, next_square);
            add(carry(i, one, diagonal(values)), 1, next_sum);
        }
        sum = std::move(next_sum);
        square = std::move(next_square);
    }
    return {trace(sum), trace(square)};
}

std::vector<double> Measurement::pairs(const Channel& channel, const std::vector<std::pair<int, int>>& sites) const {
    std::vector<double> values(sites.size());
    std::vector<Requested> all;
    for (std::size_t n = 0; n < sites.size(); ++n)
        all.push_back(
            {{{sites[n].first, channel.x, channel.fermionic}, {sites[n].second, channel.y, false}}, 1, &values[n]});
    find_values(std::move(all));
    return values;
}

std::vector<double> Measurement::products(const std::vector<OperatorProduct>& products) const {
    std::vector<double> values(products.size(), 1);  // the identity
    std::vector<Requested> all;
    for (std::size_t n = 0; n < products.size(); ++n) {
        if (products[n].empty()) continue;
        const SiteProduct product = by_sites(products[n], model_.kind);
        all.push_back({factors_of(model_, product), product.sign, &values[n]});
    }
    find_values(std::move(all));
    return values;
}

namespace {

/// Calls f(first, count) for each group of products with the same factor number `depth`. Products are sorted.
template <class Requests, class F>
void for_groups(const Requests& all, std::size_t depth, F f) {
    for (std::size_t first = 0, last; first < all.size(); first = last) {
        const auto& factor = all[first].factors[depth];
        for (last = first; last < all.size() && all[last].factors[depth] == factor;) ++last;
        f(first, last - first);
    }
}

}  // namespace

void Measurement::find_values(std::vector<Requested> all) const {
    std::ranges::sort(all, [](const Requested& a, const Requested& b) { return a.factors < b.factors; });
    std::vector<std::span<const Requested>> tasks;
    for_groups(all, 0, [&](std::size_t first, std::size_t n) { tasks.push_back(std::span(all).subspan(first, n)); });
    for_each(algebra_, tasks.size(), [&](std::size_t task) {
        const Terms::Factor& first = tasks[task][0].factors[0];
        add_values(tasks[task], 1, carry(first.site, density_[static_cast<std::size_t>(first.site)], first.op));
    });
}

void Measurement::add_values(std::span<const Requested> all, std::size_t depth, const BlockOperator& op) const {
    std::size_t complete = 0;
    for (; complete < all.size() && all[complete].factors.size() == depth; ++complete)
        *all[complete].value = all[complete].sign * trace(op);
    all = all.subspan(complete);
    if (all.empty()) return;
    const Terms::Factor& last = all[0].factors[depth - 1];
    const SiteOperator between = factor_between(model_, last.odd);
    BlockOperator open;
    int site = last.site + 1;
    for_groups(all, depth, [&](std::size_t first, std::size_t n) {
        const Terms::Factor& next = all[first].factors[depth];
        for (; site < next.site; ++site) open = carry(site, open.from_sector.empty() ? op : open, between);
        add_values(all.subspan(first, n), depth + 1, carry(site, open.from_sector.empty() ? op : open, next.op));
    });
}

Measurement::Energies Measurement::energies(const std::vector<Bond>& bonds, const Measurement* imaginary) const {
    std::map<std::pair<int, int>, double> of_pair;
    for (std::size_t c = 0; c < model_.channels.size(); ++c) {
        std::vector<std::pair<int, int>> sites;
        std::vector<double> factors;
        for (const Coupling& coupling : model_.couplings)
            if (coupling.channel == c) {
                sites.emplace_back(coupling.i, coupling.j);
                factors.push_back(coupling.amplitude * (model_.channels[c].conjugate ? 2 : 1));
            }
        const std::vector<double> values = pairs(model_.channels[c], sites);
        for (std::size_t n = 0; n < sites.size(); ++n) of_pair[sites[n]] += factors[n] * values[n];
    }
    std::vector<OperatorProduct> others;
    for (const auto& [product, coefficient] : model_.others.terms())
        if (!is_energy_of_site(product)) others.push_back(product);
    const std::vector<double> values = products(others), further = imaginary == nullptr
                                                                       ? std::vector<double>(values.size())
                                                                       : imaginary->products(others);
    double of_others = 0;
    for (std::size_t n = 0; n < others.size(); ++n) {
        const std::complex<double> coefficient = model_.others[others[n]];
        const double energy = coefficient.real() * values[n] - coefficient.imag() * further[n];
        const std::vector<int> sites = sites_of(others[n]);
        (sites.size() == 2 ? of_pair[{sites[0], sites[1]}] : of_others) += energy;
    }
    Energies result;
    for (const Bond& b : bonds) result.bonds.push_back(of_pair[{b.i, b.j}]);
    for (double e : result.bonds) result.all += e;
    for (int i = 0; i < model_.sites; ++i)
        result.all += trace(
            carry(i, density_[static_cast<std::size_t>(i)], diagonal(model_.energies[static_cast<std::size_t>(i)])));
    result.all += of_others;
    return result;
}

/// The site of F psi: the charges of its bonds and the states of the site are flipped.
Measurement::Site Measurement::flipped(const Site& site, int number) const {
    const auto turned = [&](const Sectors& bond, int sites, std::vector<std::size_t>& index) {
        std::map<Charge, std::size_t> order;
        for (std::size_t s = 0; s < bond.size(); ++s) order[model_.flipped(bond.charges[s], sites)] = s;
        Sectors result;
        index.resize(bond.size());
        for (const auto& [charge, s] : order) {
            index[s] = result.size();
            result.charges.push_back(charge);
            result.states.push_back(bond.states[s]);
        }
        return result;
    };
    std::vector<std::size_t> left, right;
    Site f{turned(site.left, number, left), turned(site.right, number + 1, right), {}};
    f.of_state.resize(model_.states());
    for (std::size_t s = 0; s < model_.states(); ++s)
        for (Part part : site.of_state[s]) {
            part.left = left[part.left];
            part.right = right[part.right];
            for (double& x : part.matrix.elements) x *= model_.flip_signs[s];
            f.of_state[model_.flips[s]].push_back(std::move(part));
        }
    return f;
}

/// Transfers from left to right: the identity, all terms of H within the sites so far, and the left partial products of
/// terms, and of their transposes, that go on beyond.
template <class Ket>
Measurement::Elements Measurement::elements(Ket ket_of) const {
    const Terms& terms = model_.terms;
    BlockOperator one = unit_operator(), h{{}, {Matrix(1, 1)}};
    using Name = std::pair<std::size_t, bool>;  // partial product, whether it is transposed
    std::map<Name, BlockOperator> open;
    for (int j = 0; j < model_.sites; ++j) {
        const Site& bra = (*sites_)[std::size_t(j)];
        const Site& ket = ket_of(j);
        const auto with_rest = [&](std::size_t rest, std::size_t number, bool is_transposed) {
            const SiteOperator& op = terms.matrix(number);
            return carry(bra, ket, rest == PartialProduct::none ? one : open.at({rest, is_transposed}),
                         is_transposed ? transposed(op) : op);
        };
        BlockOperator next = carry(bra, ket, h, identity(model_));
        add(carry(bra, ket, one, diagonal(model_.energies[std::size_t(j)])), 1, next);
        for (const std::size_t t : terms.ending(Side::left, j)) {
            const Term& term = terms.all()[t];
            for (const bool is_transposed : {false, true})
                if (!is_transposed || term.conjugate)
                    add(with_rest(term.rest(Side::left), term.factors.back().op, is_transposed), term.amplitude, next);
        }
        h = std::move(next);
        std::map<Name, BlockOperator> further;
        for (const auto& [name, op] : open)
            if (terms.is_needed(Side::left, name.first, j))
                further[name] = carry(bra, ket, op, factor_between(model_, terms.partial(Side::left, name.first).odd));
        for (const std::size_t id : terms.partials_of(Side::left, j))
            for (const bool is_transposed : {false, true}) {
                const PartialProduct& p = terms.partial(Side::left, id);
                further[{id, is_transposed}] = with_rest(p.rest, p.op, is_transposed);
            }
        for (const ImaginaryPart& part : terms.imaginary_parts(j))
            for (const bool is_transposed : {false, true})
                add(with_rest(part.rest, part.op, is_transposed), part.amplitude, further[{part.sum, is_transposed}]);
        open = std::move(further);
        one = carry(bra, ket, one, identity(model_));
    }
    double energy = scalar(h);
    for (const auto& [name, op] : open) {  // that of the terms that lack J
        if (op.from_sector.empty() || op.from_sector[0].empty()) continue;
        for (const auto& [to, from, value] : terms.imaginary_unit().op.elements)
            energy += value * op.from_sector[0](static_cast<std::uint64_t>(name.second ? from : to),
                                                static_cast<std::uint64_t>(name.second ? to : from));
    }
    return {scalar(one), energy};
}

Measurement::Elements Measurement::between(const Measurement& other) const {
    const double norms = std::sqrt(squared_norm() * other.squared_norm());
    const Elements e = elements([&](int number) -> const Site& { return (*other.sites_)[std::size_t(number)]; });
    return {e.overlap / norms, e.energy / norms};
}

std::complex<double> Measurement::overlap(const Measurement& other) const {
    const auto with = [&](const Site& bra, const Site& ket) {
        BlockOperator one = carry(bra, ket, unit_operator(), identity(model_));
        for (std::size_t j = 1; j < sites_->size(); ++j)
            one = carry((*sites_)[j], (*other.sites_)[j], one, identity(model_));
        return scalar(one) / std::sqrt(squared_norm() * other.squared_norm());
    };
    const auto of = [&](const Site& bra) -> std::complex<double> {
        return {with(bra, (*other.sites_)[0]), other.imaginary_ ? with(bra, *other.imaginary_) : 0};
    };
    const std::complex<double> x = of((*sites_)[0]);
    return imaginary_ ? x - std::complex<double>(0, 1) * of(*imaginary_) : x;
}

double Measurement::whole() const { return scalar(density_.back()); }

Measurement::Elements Measurement::spin_flip() const {
    const Elements e = elements([&](int number) { return flipped((*sites_)[std::size_t(number)], number); });
    return {e.overlap / squared_norm(), e.energy / squared_norm()};
}

}  // namespace strata::dmrg
