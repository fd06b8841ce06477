// SPDX-License-Identifier: BSD-3-Clause
// Hops of a model as a map, hopping matrices row by row, and the diagonal from energies of sites and of pairs of sites.
// Signs follow from Jordan and Wigner: a fermion that hops passes the particles on the sites between.
#include "lanczos/physics/hamiltonian.hpp"

#include <algorithm>
#include <limits>

namespace strata::lanczos {

bool odd_between(std::uint64_t occupation, int a, int b) {
    const int low = std::min(a, b), high = std::max(a, b);
    const std::uint64_t between = (std::uint64_t{1} << high) - (std::uint64_t{2} << low);  // bits low + 1 .. high - 1
    return __builtin_popcountll(occupation & between) % 2 == 1;
}

bool Model::real() const {
    return others.is_real() && std::ranges::all_of(hops(), [](const auto& hop) { return hop.second.imag() == 0; });
}

bool Model::hermitian() const {
    const auto all = hops();
    return others.is_hermitian() && std::ranges::all_of(all, [&](const auto& hop) {
               const auto inverse = all.find({hop.first.second, hop.first.first});
               return inverse != all.end() && inverse->second == std::conj(hop.second);
           });
}

std::map<std::pair<int, int>, Complex> Model::hops() const {
    std::map<std::pair<int, int>, Complex> sum;
    for (const Edge& e : lattice.edges) {
        sum[{e.to, e.from}] -= e.amplitude;
        sum[{e.from, e.to}] -= std::conj(e.amplitude);
    }
    std::erase_if(sum, [](const auto& hop) { return hop.second == Complex(0); });
    return sum;
}

double Model::least_hop() const {
    double largest = 0, least = std::numeric_limits<double>::infinity();
    for (const Edge& e : lattice.edges) largest = std::max(largest, std::abs(e.amplitude));
    for (const auto& [hop, amplitude] : hops())
        if (std::abs(amplitude) > 1e-12 * largest) least = std::min(least, std::abs(amplitude));
    for (const auto& [product, amplitude] : others.terms())
        if (change_of(product) != ChargeChange{0, 0} || product.size() > 1)
            least = std::min(least, std::abs(amplitude));
    return least;
}

Model Model::part(int first, int last) const {
    Model m = *this;
    m.lattice.sites = last - first;
    m.lattice.edges.clear();
    m.others = {};
    const auto inside = [&](int site) { return site >= first && site < last; };
    for (Edge e : lattice.edges) {
        if (!inside(e.from) || !inside(e.to)) continue;
        e.from -= first;
        e.to -= first;
        m.lattice.edges.push_back(e);
    }
    m.u = {u.begin() + first, u.begin() + last};
    m.epsilon = {epsilon.begin() + first, epsilon.begin() + last};
    if (!codes.coded()) return m;
    m.lattice.sites = m.bits();
    m.codes = {};
    for (std::vector<double>* values : {&m.u, &m.epsilon}) values->assign(static_cast<std::size_t>(m.bits()), 0);
    return m;
}

AmplitudeTable::AmplitudeTable(const Model& model) {
    for (const auto& [sites, amplitude] : model.hops()) {
        add(amplitude);
        add(-amplitude);
    }
}

/// Adding 0 turns negative zeros, which would be separate classes, into zeros.
AmplitudeTable::Class AmplitudeTable::class_of(Complex amplitude, std::uint32_t element) {
    amplitude += Complex(0);
    return {element, amplitude.real(), amplitude.imag()};
}

std::uint32_t AmplitudeTable::add(Complex amplitude, std::uint32_t element) {
    const Class c = class_of(amplitude, element);
    const auto [at, is_new] = numbers_.try_emplace(c, static_cast<std::uint32_t>(re_.size()));
    if (!is_new) return at->second;
    re_.push_back(std::get<1>(c));
    im_.push_back(std::get<2>(c));
    element_.push_back(element);
    while (std::size_t{1} << bits_ < re_.size()) ++bits_;
    return at->second;
}

std::uint32_t AmplitudeTable::index_of(Complex amplitude, std::uint32_t element) const {
    return numbers_.at(class_of(amplitude, element));
}

HoppingRows::HoppingRows(const AmplitudeTable& amplitudes, std::uint64_t rows, std::uint64_t entries)
    : amplitudes_(&amplitudes) {
    first_.reserve(rows + 1);
    first_.push_back(0);
    complex_.reserve(rows);
    entries_.reserve(entries);
}

void HoppingRows::add(std::uint64_t column, Complex amplitude, std::uint32_t element) {
    add(column, amplitudes_->index_of(amplitude, element), amplitude.imag() != 0);
}

void HoppingRows::add(std::uint64_t column, std::uint32_t amplitude_class, bool complex) {
    (complex ? complex_entries_ : entries_)
        .push_back(static_cast<std::uint32_t>(column) << amplitudes_->bits() | amplitude_class);
}

/// Entries with an imaginary part follow the real ones of their row.
void HoppingRows::end_row() {
    complex_.push_back(entries_.size());
    entries_.insert(entries_.end(), complex_entries_.begin(), complex_entries_.end());
    complex_entries_.clear();
    first_.push_back(entries_.size());
}

void HoppingRows::widen_classes(int bits) {
    if (bits == amplitudes_->bits()) return;
    for (std::uint32_t& entry : entries_) entry = entry >> bits << amplitudes_->bits() | (entry & ((1u << bits) - 1));
}

HoppingView HoppingRows::view() const {
    return {first_.data(),     complex_.data(),        entries_.data(),    amplitudes_->re(),
            amplitudes_->im(), amplitudes_->element(), amplitudes_->bits()};
}

std::vector<HopSource> hops_to(const Model& model, const std::map<std::pair<int, int>, Complex>& hops,
                               std::uint64_t occupation) {
    constexpr std::uint64_t one = 1;
    std::vector<HopSource> found;
    for (const auto& [sites, amplitude] : hops) {
        const auto [to, from] = sites;  // the bit string is reached from the one with the particle on `from`
        if ((occupation >> to & 1) == 0 || (occupation >> from & 1) == 1) continue;
        const bool minus = model.statistics() == Statistics::fermions && odd_between(occupation, to, from);
        found.push_back({occupation ^ (one << to) ^ (one << from), minus ? -amplitude : amplitude});
    }
    return found;
}

double diagonal_of(const Model& model, std::uint64_t occupation) {
    double energy = 0;
    for (int i = 0; i < model.lattice.sites; ++i)
        if (occupation >> i & 1) energy += model.epsilon[static_cast<std::size_t>(i)];
    for (const Edge& e : model.lattice.edges)
        if ((occupation >> e.from & 1) && (occupation >> e.to & 1)) energy += model.v * e.weight;
    return energy;
}

ComponentTable::ComponentTable(const Model& model, const AmplitudeTable& amplitudes, const BitStrings& basis,
                               const std::vector<BitTerm>& terms)
    : basis_(basis), hops_(amplitudes, basis_.count(), hopping_entries(model, basis, terms)) {
    sites_.reserve(basis_.count());
    diagonal_.reserve(basis_.count());
    const auto hops = model.hops();
    for (std::uint64_t row = 0; row < basis_.count(); ++row) {
        const std::uint64_t occupation = basis_.occupation(row);
        sites_.push_back(occupation);
        const double energy = add_row(model, hops, terms, occupation, [&](std::uint64_t source, Complex element) {
            hops_.add(basis_.index_of(source), element);
        });
        hops_.end_row();
        diagonal_.push_back(energy);
    }
}

ComponentTable::ComponentTable(const BitStrings& basis, std::unique_ptr<AmplitudeTable> amplitudes, HoppingRows hops,
                               std::vector<double> diagonal, std::vector<std::uint64_t> bit_strings)
    : basis_(basis),
      own_amplitudes_(std::move(amplitudes)),
      hops_(std::move(hops)),
      sites_(std::move(bit_strings)),
      diagonal_(std::move(diagonal)) {}

std::uint64_t hopping_entries(const Model& model, const BitStrings& basis, const std::vector<BitTerm>& terms) {
    std::uint64_t entries = model.hops().size() * basis.with_fixed(2, 1);
    for (const auto& [op, amplitude] : terms)
        if (op.flip != 0) entries += basis.count_with(op.mask, op.target());
    return entries;
}

ComponentView ComponentTable::view() const { return {diagonal_.size(), hops_.view(), diagonal_.data(), sites_.data()}; }

OperatorSum sum_of_terms(const Model& model) {
    const SiteKind kind = model.kind;
    const std::vector<Mode> modes =
        model.spin_components == 2 ? std::vector{Mode::down, Mode::up} : std::vector{Mode::down};
    const auto number = [&](Mode mode, int site) {
        const ModeOperator raise = {mode, site, Local::raise}, lower = {mode, site, Local::lower};
        return OperatorSum::product(kind, {raise, lower});
    };
    OperatorSum sum = model.others;
    if (model.codes.coded()) return sum;
    for (const auto& [sites, amplitude] : model.hops())
        for (const Mode mode : modes)
            sum += OperatorSum::product(kind, {{mode, sites.first, Local::raise}, {mode, sites.second, Local::lower}},
                                        amplitude);
    const auto add = [&](double factor, OperatorSum operators) {
        operators *= factor;
        sum += operators;
    };
    for (int i = 0; i < model.lattice.sites; ++i) {
        for (const Mode mode : modes)
            add(model.epsilon[static_cast<std::size_t>(i)] + model.site_energy, number(mode, i));
        if (model.spin_components == 2)
            add(model.u[static_cast<std::size_t>(i)], number(Mode::up, i) * number(Mode::down, i));
    }
    for (const Edge& e : model.lattice.edges)
        for (const Mode a : modes)
            for (const Mode b : modes) add(model.v * e.weight, number(a, e.from) * number(b, e.to));
    return sum;
}

std::vector<double> pair_energies(const Model& model) {
    const auto sites = static_cast<std::size_t>(model.lattice.sites);
    std::vector<double> energy(sites * sites, 0);
    for (std::size_t i = 0; i < sites && model.spin_components == 2; ++i) energy[i * sites + i] = model.u[i];
    for (const Edge& e : model.lattice.edges) {
        energy[static_cast<std::size_t>(e.from) * sites + static_cast<std::size_t>(e.to)] += model.v * e.weight;
        energy[static_cast<std::size_t>(e.to) * sites + static_cast<std::size_t>(e.from)] += model.v * e.weight;
    }
    const bool none = std::ranges::all_of(energy, [](double e) { return e == 0; });
    return none ? std::vector<double>() : energy;
}

/// Averaged over the sector a site is occupied with probability N / n, two sites with N (N - 1) / (n (n - 1)).
double mean_diagonal(const Model& model, int up, int down) {
    const double n = model.lattice.sites, pairs = n > 1 ? n * (n - 1) : 1;
    double mean = 0;
    for (double e : model.epsilon) mean += e * (up + down) / n;
    if (model.spin_components == 2)
        for (double e : pair_energies(model)) mean += e * up / n * down / n;
    for (const Edge& e : model.lattice.edges)
        mean += model.v * e.weight * (up * (up - 1.0) + down * (down - 1.0)) / pairs;
    return mean;
}

}  // namespace strata::lanczos
