// SPDX-License-Identifier: BSD-3-Clause
// A product of operators is the key of a map to its coefficient, so that equal products add up and the Hermitian
// conjugate of a product can be found. Sums depend on the order of the lines by rounding: coefficients within that of
// each other count as equal. Spin operators are vectors in the basis S^x, S^y, S^z: S+ = (1, i, 0).
#include "models/terms.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "strata/config.hpp"
#include "strata/error.hpp"

namespace strata {
namespace {

enum class Spin { up, down, both };  // fermions without spin are `up`

/// An operator of the notation.
struct Operator {
    std::string_view name;
    enum Type { create, annihilate, number, spin } type;
    std::optional<SiteKind> kind;  ///< n may be of electrons or of fermions without spin
    Spin component = Spin::both;
    std::array<Complex, 3> vector = {};  ///< of spins
    std::string_view conjugate = name;
};

constexpr Complex i_unit = {0, 1};
const std::vector<Operator>& operators() {
    using enum SiteKind;
    static const std::vector<Operator> all = {
        {"Sx", Operator::spin, spins, Spin::both, {1, 0, 0}},
        {"Sy", Operator::spin, spins, Spin::both, {0, 1, 0}},
        {"Sz", Operator::spin, spins, Spin::both, {0, 0, 1}},
        {"S+", Operator::spin, spins, Spin::both, {1, i_unit, 0}, "S-"},
        {"S-", Operator::spin, spins, Spin::both, {1, -i_unit, 0}, "S+"},
        {"cdag_up", Operator::create, electrons, Spin::up},
        {"cdag_dn", Operator::create, electrons, Spin::down},
        {"c_up", Operator::annihilate, electrons, Spin::up},
        {"c_dn", Operator::annihilate, electrons, Spin::down},
        {"n_up", Operator::number, electrons, Spin::up},
        {"n_dn", Operator::number, electrons, Spin::down},
        {"n", Operator::number, {}},
        {"cdag", Operator::create, fermions, Spin::up},
        {"c", Operator::annihilate, fermions, Spin::up},
    };
    return all;
}

const Operator& named(std::string_view name) { return *std::ranges::find(operators(), name, &Operator::name); }

const Operator& operator_named(const Item& line, const std::string& word) {
    for (const Operator& o : operators())
        if (o.name == word) return o;
    std::string names;
    for (const Operator& o : operators()) names += (names.empty() ? "" : ", ") + std::string(o.name);
    line.refuse("has the operator " + word + "; possible are " + names + ".");
}

/// A coefficient such as 1.5, -0.5+0.2i, 2i.
bool parse_complex(std::string_view text, Complex& value) {
    double re = 0, im = 0;
    if (text.empty()) return false;
    if (text.back() != 'i') {
        if (!parse_real(text, re)) return false;
        value = re;
        return true;
    }
    text.remove_suffix(1);
    std::size_t sign = text.size();  // of the imaginary part: not the first character and not in an exponent
    while (sign > 0 && !((text[sign - 1] == '+' || text[sign - 1] == '-') &&
                         (sign < 2 || (text[sign - 2] != 'e' && text[sign - 2] != 'E'))))
        --sign;
    const std::size_t split = sign > 0 ? sign - 1 : 0;
    if (split > 0 && !parse_real(text.substr(0, split), re)) return false;
    std::string_view imaginary = text.substr(split);
    const bool plus = !imaginary.empty() && imaginary[0] == '+';
    if (imaginary.empty() || imaginary == "+" || imaginary == "-")
        im = imaginary == "-" ? -1 : 1;
    else if (!parse_real(plus ? imaginary.substr(1) : imaginary, im))
        return false;
    value = {re, im};
    return true;
}

/// An operator at a site.
struct Factor {
    const Operator* op;
    int site;
};

/// A line of the list.
struct Term {
    Complex coefficient;
    std::vector<Factor> factors;
};

Term read_term(const Item& line, int max_sites, double max_energy) {
    Term term;
    if (line.words.size() < 3 || line.words.size() % 2 == 0 || !parse_complex(line.words[0], term.coefficient))
        line.refuse(
            "is no term 'coefficient operator site [operator site]', e.g. '1.0 Sx 0 Sx 1' or "
            "'-0.5+0.2i cdag_up 3 c_up 7'.");
    if (!(std::abs(term.coefficient) <= max_energy)) {
        char limit[32];
        std::snprintf(limit, sizeof limit, "%g", max_energy);
        line.refuse("has a coefficient beyond " + std::string(limit) + ", the largest that is taken.");
    }
    for (std::size_t word = 1; word < line.words.size(); word += 2)
        term.factors.push_back({&operator_named(line, line.words[word]), line.index(word + 1, max_sites, "site")});
    return term;
}

/// The real coefficient of a product that is its own Hermitian conjugate.
double real_of(const Item& line, Complex coefficient) {
    if (coefficient.imag() != 0)
        line.refuse(
            "has a complex coefficient, but its operators are their own Hermitian conjugate: H would not be "
            "Hermitian.");
    return coefficient.real();
}

/// Coefficients of products of which each has a Hermitian conjugate, `conjugate_of` of its key. Adds what is missing,
/// and refuses a conjugate with another coefficient.
template <class Key, class Conjugate, class Text>
void complete(std::map<Key, Complex>& products, double rounding, Conjugate conjugate_of, Text text_of) {
    const std::map<Key, Complex> listed = products;
    for (const auto& [key, value] : listed) {
        const Key other = conjugate_of(key);
        const auto found = listed.find(other);
        if (found == listed.end())
            products[other] = std::conj(value);
        else if (std::abs(found->second - std::conj(value)) > rounding)
            throw Error(
                ExitCode::bad_input,
                "The terms with " + text_of(key) +
                    " and its Hermitian conjugate have coefficients that are not "
                    "conjugate: H would not be Hermitian. Give one of them, to which the other is added, or both.");
    }
}

/// The edge of a pair, made at its first use.
std::size_t edge_of(TermSums& sums, std::map<std::pair<int, int>, std::size_t>& edges, int i, int j) {
    const auto [found, is_new] = edges.try_emplace({i, j}, sums.edges.size());
    if (is_new) {
        sums.edges.push_back({j, i, 0, 0, Shell::term});
        sums.exchange.push_back({0, 0, 0});
    }
    return found->second;
}

/// The value of a key, 0 if it has none.
template <class Map, class Key>
auto value_of(const Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? typename Map::mapped_type{} : found->second;
}

/// Sums terms of electrons or fermions.
class ParticleTerms {
  public:
    explicit ParticleTerms(SiteKind kind) : components_(kind == SiteKind::electrons ? 2 : 1) {}

    void add(const Item& line, const Term& term) {
        std::vector<Factor> factors = term.factors;
        // c+_i c_i = n_i
        for (std::size_t f = 0; f + 1 < factors.size(); ++f) {
            const Factor &a = factors[f], &b = factors[f + 1];
            if (a.op->type != Operator::create || b.op->type != Operator::annihilate || a.site != b.site ||
                a.op->component != b.op->component)
                continue;
            factors[f] = {&named(a.op->component == Spin::down ? "n_dn" : "n_up"), a.site};
            factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(f) + 1);
        }
        const auto numbers = [](const Factor& f) { return f.op->type == Operator::number; };
        const Operator &first = *factors[0].op, &last = *factors.back().op;
        if (factors.size() <= 2 && std::ranges::all_of(factors, numbers)) {
            const double value = real_of(line, term.coefficient);
            for (const int s : components(first))
                if (factors.size() == 1)
                    energies_[{s, factors[0].site}] += value;
                else
                    for (const int t : components(last)) add_pair({s, factors[0].site}, {t, factors[1].site}, value);
        } else if (factors.size() == 2 && first.type == Operator::create && last.type == Operator::annihilate) {
            if (first.component != last.component)
                line.refuse("changes the number of electrons with spin up, which is conserved here.");
            hops_[{first.component == Spin::down ? 1 : 0, factors[0].site, factors[1].site}] += term.coefficient;
        } else {
            line.refuse("is no product that is taken: n, n n, or cdag c of one spin component, in this order.");
        }
    }

    void finish(TermSums& sums, double rounding) {
        const auto differ = [=](auto a, auto b) { return std::abs(a - b) > rounding; };
        complete(
            hops_, rounding,
            [](const Hop& h) {
                return Hop{std::get<0>(h), std::get<2>(h), std::get<1>(h)};
            },
            [](const Hop& h) {
                return "cdag " + std::to_string(std::get<1>(h)) + " c " + std::to_string(std::get<2>(h));
            });
        for (int site = 0; site < sums.sites; ++site) {
            const double up = value_of(energies_, State{0, site});
            if (components_ == 2 && differ(up, value_of(energies_, State{1, site})))
                refuse_difference("n_up and n_dn on site " + std::to_string(site));
            sums.potential[static_cast<std::size_t>(site)] = up;
        }
        std::map<std::pair<int, int>, std::size_t> edges;
        for (const auto& [states, value] : pairs_) {
            const auto& [a, b] = states;
            if (a.second == b.second) {
                sums.u[static_cast<std::size_t>(a.second)] = value;
                continue;
            }
            const int i = std::min(a.second, b.second), j = std::max(a.second, b.second);
            for (int s = 0; s < components_; ++s)
                for (int t = 0; t < components_; ++t)
                    if (differ(value_of(pairs_, ordered({s, i}, {t, j})), value))
                        refuse_difference("n n of the spin components on sites " + std::to_string(i) + " and " +
                                          std::to_string(j));
            sums.edges[edge_of(sums, edges, i, j)].weight = value;
        }
        for (const auto& [hop, value] : hops_) {
            const auto& [s, to, from] = hop;
            if (components_ == 2 && differ(value_of(hops_, Hop{1 - s, to, from}), value))
                refuse_difference("cdag c of spin up and spin down between sites " + std::to_string(to) + " and " +
                                  std::to_string(from));
            if (to < from) sums.edges[edge_of(sums, edges, to, from)].amplitude = -value;
        }
    }

  private:
    using State = std::pair<int, int>;      ///< spin component, site
    using Hop = std::tuple<int, int, int>;  ///< spin component, to, from
    using Pair = std::pair<State, State>;

    static Pair ordered(State a, State b) { return {std::min(a, b), std::max(a, b)}; }

    std::vector<int> components(const Operator& o) const {
        if (o.component == Spin::both && components_ == 2) return {0, 1};
        return {o.component == Spin::down ? 1 : 0};
    }

    void add_pair(State a, State b, double value) {
        if (a == b)
            energies_[a] += value;
        else
            pairs_[ordered(a, b)] += value;
    }

    [[noreturn]] static void refuse_difference(const std::string& what) {
        throw Error(ExitCode::bad_input, "The terms " + what +
                                             " have different coefficients; amplitudes and energies that depend on the "
                                             "spin are not taken: give both components the same.");
    }

    int components_;
    std::map<State, double> energies_;
    std::map<Pair, double> pairs_;
    std::map<Hop, Complex> hops_;
};

/// Sums terms of spins.
class SpinTerms {
  public:
    void add(const Item& line, const Term& term) {
        if (term.factors.size() > 2) line.refuse("has more than two spin operators.");
        std::vector<Named> product;
        for (const Factor& f : term.factors) product.emplace_back(f.site, f.op->name);
        std::ranges::sort(product);
        if (product.size() == 2 && product[0].first == product[1].first)
            line.refuse("has two spin operators on site " + std::to_string(product[0].first) +
                        "; a term takes one on each site.");
        if (conjugate(product) == product) real_of(line, term.coefficient);
        products_[product] += term.coefficient;
    }

    void finish(TermSums& sums, double rounding) {
        complete(products_, rounding, conjugate, text_of);
        std::map<std::pair<int, int>, std::array<std::array<double, 3>, 3>> matrices;
        for (const auto& [product, value] : products_) {
            const std::array<Complex, 3> a = vector_of(product[0]);
            for (std::size_t x = 0; x < 3; ++x) {
                if (product.size() == 1)
                    sums.field[x][static_cast<std::size_t>(product[0].first)] += (value * a[x]).real();
                else
                    for (std::size_t y = 0; y < 3; ++y)
                        matrices[{product[0].first, product[1].first}][x][y] +=
                            (value * a[x] * vector_of(product[1])[y]).real();
            }
        }
        std::map<std::pair<int, int>, std::size_t> edges;
        for (const auto& [pair, m] : matrices) {
            const double mixed[] = {m[0][1] + m[1][0], m[0][2], m[1][2], m[2][0], m[2][1]};
            if (std::ranges::any_of(mixed, [=](double value) { return std::abs(value) > rounding; }))
                throw Error(ExitCode::bad_input,
                            "The terms of sites " + std::to_string(pair.first) + " and " + std::to_string(pair.second) +
                                " multiply different components; possible are Sx Sx, Sy Sy, Sz Sz, and Sx Sy with "
                                "the opposite of Sy Sx.");
            const std::size_t e = edge_of(sums, edges, pair.first, pair.second);
            const double jy = std::abs(m[1][1] - m[0][0]) > rounding ? m[1][1] : m[0][0];
            sums.exchange[e] = {m[0][0], jy, m[2][2]};
            // J (S^x S^x + S^y S^y) + D (S^x S^y - S^y S^x) = (J + i D) / 2 S+ S- + h.c.
            sums.edges[e].amplitude = {m[0][0], std::abs(m[0][1]) > rounding ? m[0][1] : 0};
            sums.edges[e].weight = m[2][2];
        }
    }

  private:
    using Named = std::pair<int, std::string_view>;  ///< site, name of the operator
    using Product = std::vector<Named>;

    static std::array<Complex, 3> vector_of(const Named& factor) { return named(factor.second).vector; }
    static Product conjugate(Product product) {
        for (Named& factor : product) factor.second = named(factor.second).conjugate;
        return product;
    }
    static std::string text_of(const Product& product) {
        std::string text;
        for (const auto& [site, name] : product)
            text += (text.empty() ? "" : " ") + std::string(name) + " " + std::to_string(site);
        return text;
    }

    std::map<Product, Complex> products_;
};

}  // namespace

const char* name_of(SiteKind kind) {
    switch (kind) {
        case SiteKind::electrons: return "electrons";
        case SiteKind::fermions: return "fermions without spin";
        default: return "spins";
    }
}

TermSums read_terms(const std::vector<Item>& items, std::optional<SiteKind> kind, int max_sites, double max_energy) {
    std::vector<Term> terms;
    TermSums sums;
    for (const Item& line : items) {
        terms.push_back(read_term(line, max_sites, max_energy));
        for (const auto& [op, site] : terms.back().factors) {
            if (!kind) kind = op->kind;
            sums.sites = std::max(sums.sites, site + 1);
        }
    }
    if (!kind && !items.empty())
        items[0].refuse(
            "has n, as all terms: give a term that tells electrons (n_up, c_up) from fermions without spin "
            "(c), e.g. '0 cdag 0 c 0'.");
    sums.kind = kind.value_or(SiteKind::electrons);
    for (std::size_t i = 0; i < items.size(); ++i)
        for (const auto& [op, site] : terms[i].factors)
            if (op->kind ? *op->kind != sums.kind : sums.kind == SiteKind::spins)
                items[i].refuse("has the operator " + std::string(op->name) + " on sites of " + name_of(sums.kind) +
                                ".");
    const auto sites = static_cast<std::size_t>(sums.sites);
    sums.u.assign(sites, 0);
    sums.potential.assign(sites, 0);
    sums.field.fill(std::vector<double>(sites, 0));
    const auto sum = [&](auto all) {
        double largest = 0;
        for (std::size_t i = 0; i < items.size(); ++i) {
            all.add(items[i], terms[i]);
            largest = std::max(largest, std::abs(terms[i].coefficient));
        }
        constexpr double rounding = 1e-13;
        all.finish(sums, rounding * largest);
    };
    if (sums.kind == SiteKind::spins)
        sum(SpinTerms());
    else
        sum(ParticleTerms(sums.kind));
    return sums;
}

}  // namespace strata
