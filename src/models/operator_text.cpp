// SPDX-License-Identifier: BSD-3-Clause
// A term is multiplied operator by operator, so that its normal form needs no rules of its own. Hermitian conjugates are
// recognised by the normal forms of the terms, divided by their first coefficient.
#include "models/operator_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "strata/config.hpp"

namespace strata {
namespace {

/// A product of operators of one site.
struct Part {
    Complex coefficient;
    std::vector<std::pair<Mode, Local>> factors;
};
struct NamedOperator {
    std::string_view name;
    SiteKind kind;
    std::vector<Part> parts;
};

constexpr Complex i_unit = {0, 1};

/// S+, S- and Sz as parts, and the operators of the notation that they make.
void add_spin_operators(SiteKind kind, const std::vector<Part>& raise, const std::vector<Part>& lower,
                        const std::vector<Part>& z, std::vector<NamedOperator>& all) {
    const auto sum = [](Complex a, std::vector<Part> x, Complex b = 0, std::vector<Part> y = {}) {
        for (Part& part : x) part.coefficient *= a;
        for (Part& part : y) {
            part.coefficient *= b;
            x.push_back(part);
        }
        return x;
    };
    all.push_back({"Sx", kind, sum(0.5, raise, 0.5, lower)});
    all.push_back({"Sy", kind, sum(-0.5 * i_unit, raise, 0.5 * i_unit, lower)});
    all.push_back({"Sz", kind, z});
    all.push_back({"S+", kind, raise});
    all.push_back({"S-", kind, lower});
    if (kind != SiteKind::spins) return;
    all.push_back({"X", kind, sum(1, raise, 1, lower)});
    all.push_back({"Y", kind, sum(-i_unit, raise, i_unit, lower)});
    all.push_back({"Z", kind, sum(2, z)});
}

std::vector<NamedOperator> make_operators() {
    using enum Local;
    using enum SiteKind;
    constexpr Mode up = Mode::up, down = Mode::down;
    const Part n_up = {1, {{up, z}}}, n_down = {1, {{down, z}}};
    std::vector<NamedOperator> all;
    add_spin_operators(spins, {{1, {{down, raise}}}}, {{1, {{down, lower}}}}, {{1, {{down, z}}}}, all);
    for (const auto& [mode, names] :
         {std::pair(up, std::array{"cdag_up", "c_up", "n_up"}), {down, {"cdag_dn", "c_dn", "n_dn"}}}) {
        all.push_back({names[0], electrons, {{1, {{mode, raise}}}}});
        all.push_back({names[1], electrons, {{1, {{mode, lower}}}}});
        all.push_back({names[2], electrons, {{1, {{mode, z}}}}});
    }
    all.push_back({"n", electrons, {n_up, n_down}});
    add_spin_operators(electrons, {{1, {{up, raise}, {down, lower}}}}, {{1, {{down, raise}, {up, lower}}}},
                       {{0.5, {{up, z}}}, {-0.5, {{down, z}}}}, all);
    all.push_back({"P0", electrons, {{1, {}}, {-1, {{up, z}, {down, z}}}}});
    all.push_back({"cdag", fermions, {{1, {{down, raise}}}}});
    all.push_back({"c", fermions, {{1, {{down, lower}}}}});
    all.push_back({"n", fermions, {n_down}});
    all.push_back({"bdag", bosons, {{1, {{down, raise}}}}});
    all.push_back({"b", bosons, {{1, {{down, lower}}}}});
    all.push_back({"n", bosons, {n_down}});
    return all;
}

const std::vector<NamedOperator>& named_operators() {
    static const std::vector<NamedOperator> all = make_operators();
    return all;
}

/// Kinds of sites that have the operator of this name; refuses names that none has.
std::set<SiteKind> kinds_with(const Item& line, const std::string& word) {
    std::set<SiteKind> kinds;
    std::vector<std::string_view> names;
    for (const NamedOperator& o : named_operators()) {
        if (o.name == word) kinds.insert(o.kind);
        if (std::ranges::find(names, o.name) == names.end()) names.push_back(o.name);
    }
    if (!kinds.empty()) return kinds;
    std::string list;
    for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
    line.refuse("has the operator " + word + "; possible are " + list + ".");
}

/// Sx, Sy, Sz, S+ or S- of a spin above 1/2: S+ leads from level k to k + 1 with sqrt((2 S - k)(k + 1)).
OperatorSum level_operator(const std::string& name, int site, int twice_spin) {
    const auto on_site = [&](Local local, Complex c) {
        return OperatorSum::product(SiteKind::spins, {{Mode::down, site, local}}, c);
    };
    OperatorSum z = OperatorSum::product(SiteKind::spins, {}, -0.5 * twice_spin), raise(SiteKind::spins);
    for (int k = 0; k < twice_spin; ++k) {
        z += on_site(above_level(k), 1);
        raise += on_site(level_unit(twice_spin + 1, k + 1, k), std::sqrt((twice_spin - k) * (k + 1.0)));
    }
    OperatorSum lower = raise.conjugate();
    if (name == "Sz") return z;
    if (name == "S+") return raise;
    if (name == "S-") return lower;
    const Complex half = name == "Sx" ? Complex(0.5) : -0.5 * i_unit;
    raise *= half;
    lower *= std::conj(half);
    raise += lower;
    return raise;
}

/// A real number, or a fraction such as -1/2.
bool parse_fraction(std::string_view text, double& value) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return parse_real(text, value);
    double denominator = 0;
    if (!parse_real(text.substr(0, slash), value) || !parse_real(text.substr(slash + 1), denominator)) return false;
    value /= denominator;
    return denominator != 0;
}

/// A coefficient such as 1.5, 1/2, -0.5+0.2i, 2i.
bool parse_complex(std::string_view text, Complex& value) {
    double re = 0, im = 0;
    if (text.empty()) return false;
    if (text.back() != 'i') {
        if (!parse_fraction(text, re)) return false;
        value = re;
        return true;
    }
    text.remove_suffix(1);
    std::size_t sign = text.size();  // of the imaginary part: not the first character and not in an exponent
    while (sign > 0 && !((text[sign - 1] == '+' || text[sign - 1] == '-') &&
                         (sign < 2 || (text[sign - 2] != 'e' && text[sign - 2] != 'E'))))
        --sign;
    const std::size_t split = sign > 0 ? sign - 1 : 0;
    if (split > 0 && !parse_fraction(text.substr(0, split), re)) return false;
    std::string_view imaginary = text.substr(split);
    const bool plus = !imaginary.empty() && imaginary[0] == '+';
    if (imaginary.empty() || imaginary == "+" || imaginary == "-")
        im = imaginary == "-" ? -1 : 1;
    else if (!parse_fraction(plus ? imaginary.substr(1) : imaginary, im))
        return false;
    value = {re, im};
    return true;
}

Complex read_coefficient(const Item& line, double max_energy) {
    Complex coefficient;
    if (line.words.size() < 3 || line.words.size() % 2 == 0 || !parse_complex(line.words[0], coefficient))
        line.refuse(
            "is no term 'coefficient operator site [operator site ...]', e.g. '1.0 Sx 0 Sx 1' or "
            "'-0.5+0.2i cdag_up 3 c_up 7'.");
    if (!(std::abs(coefficient) <= max_energy)) {
        char limit[32];
        std::snprintf(limit, sizeof limit, "%g", max_energy);
        line.refuse("has a coefficient beyond " + std::string(limit) + ", the largest that is taken.");
    }
    return coefficient;
}

/// The kind of sites on which all operators are defined; spins where these may also be electrons.
SiteKind kind_of(const std::vector<Item>& items, std::optional<SiteKind> kind) {
    std::set<SiteKind> kinds = {SiteKind::electrons, SiteKind::fermions, SiteKind::spins, SiteKind::bosons};
    if (kind) kinds = {*kind};
    for (const Item& line : items)
        for (std::size_t word = 1; word < line.words.size(); word += 2) {
            const std::set<SiteKind> before = kinds, of_word = kinds_with(line, line.words[word]);
            std::erase_if(kinds, [&](SiteKind k) { return of_word.count(k) == 0; });
            if (kinds.empty())
                line.refuse("has the operator " + line.words[word] + " on sites of " + name_of(*before.rbegin()) + ".");
        }
    if (kinds.count(SiteKind::spins) > 0) return SiteKind::spins;
    if (kinds.size() > 1)
        items[0].refuse(
            "has n, as all terms: give a term that tells electrons (n_up, c_up) from fermions without spin "
            "(c) and hard-core bosons (b), e.g. '0 cdag 0 c 0'.");
    return *kinds.begin();
}

void check_spin(const Item& line, const OperatorLimits& limits) {
    if (limits.twice_spin == 1) return;
    for (std::size_t word = 1; word < line.words.size(); word += 2) {
        if (line.words[word].size() == 1)
            line.refuse("has the operator " + line.words[word] + " of spins 1/2; give Sx, Sy or Sz.");
        for (std::size_t other = 1; other < word && limits.products == SpinProducts::one_on_a_site; other += 2)
            if (line.words[other + 1] == line.words[word + 1])
                line.refuse("has two spin operators on site " + line.words[word + 1] +
                            "; of spins above 1/2 a term takes one on each site, but in lanczos.");
    }
}

/// A term divided by the first coefficient of its normal form.
struct Form {
    OperatorSum product;
    Complex coefficient;
    const Item* line;
};

Form form_of(OperatorSum product, Complex coefficient, const Item* line) {
    const Complex first = product.terms().begin()->second;
    product *= 1.0 / first;
    return {std::move(product), coefficient * first, line};
}

bool equal(const OperatorSum& a, const OperatorSum& b) {
    if (a.terms().size() != b.terms().size()) return false;
    return std::ranges::equal(a.terms(), b.terms(), [](const auto& x, const auto& y) {
        return x.first == y.first && std::abs(x.second - y.second) <= OperatorSum::rounding;
    });
}

/// Terms by the first product of their normal form.
class Forms {
  public:
    void add(Form form) {
        if (Form* same = find(form.product))
            same->coefficient += form.coefficient;
        else
            forms_[form.product.terms().begin()->first].push_back(std::move(form));
    }
    Form* find(const OperatorSum& product) {
        const auto bucket = forms_.find(product.terms().begin()->first);
        if (bucket == forms_.end()) return nullptr;
        const auto form =
            std::ranges::find_if(bucket->second, [&](const Form& f) { return equal(f.product, product); });
        return form == bucket->second.end() ? nullptr : &*form;
    }
    const std::map<OperatorProduct, std::vector<Form>>& all() const { return forms_; }

  private:
    std::map<OperatorProduct, std::vector<Form>> forms_;
};

}  // namespace

OperatorSum site_operator(SiteKind kind, const std::string& name, int site, int twice_spin) {
    if (twice_spin > 1) return level_operator(name, site, twice_spin);
    const auto found = std::ranges::find_if(named_operators(),
                                            [&](const NamedOperator& o) { return o.name == name && o.kind == kind; });
    OperatorSum sum(kind);
    for (const Part& part : found->parts) {
        std::vector<ModeOperator> factors;
        for (const auto& [mode, local] : part.factors) factors.push_back({mode, site, local});
        sum += OperatorSum::product(kind, factors, part.coefficient);
    }
    return sum;
}

OperatorSum OperatorList::sum() const {
    OperatorSum total(kind);
    for (const Line& line : lines) {
        OperatorSum part = line.product;
        part *= line.coefficient;
        total += part;
    }
    total.remove_rounding();
    return total;
}

OperatorSum OperatorList::hamiltonian() const {
    Forms forms;
    double largest = 0;
    for (const Line& line : lines) {
        largest = std::max(largest, std::abs(line.coefficient));
        if (!line.product.empty()) forms.add(form_of(line.product, line.coefficient, &line.text));
    }
    OperatorSum total(kind);
    const auto add = [&](OperatorSum product, Complex coefficient) {
        product *= coefficient;
        total += product;
    };
    for (const auto& [first, bucket] : forms.all())
        for (const Form& f : bucket) {
            const Form conjugate = form_of(f.product.conjugate(), std::conj(f.coefficient), f.line);
            const Form* listed = forms.find(conjugate.product);
            add(f.product, f.coefficient);
            if (listed == nullptr)
                add(conjugate.product, conjugate.coefficient);
            else if (listed != &f && listed->line->place == f.line->place && listed->line->text == f.line->text)
                f.line->refuse(
                    "stands for terms of which one is the Hermitian conjugate of another on this lattice, so that "
                    "whether conjugates are to be added is not clear; give these terms with numbers of sites.");
            else if (!(std::abs(listed->coefficient - conjugate.coefficient) <= OperatorSum::rounding * largest))
                f.line->refuse(
                    listed == &f ? "is not Hermitian: its operators are their own Hermitian conjugate, up to a sign, "
                                   "which its coefficient does not fit; a coefficient that is real, or imaginary "
                                   "where the sign is -1, does."
                                 : "and its Hermitian conjugate have coefficients that are not conjugate: H would not "
                                   "be Hermitian. Give one of them, to which the other is added, or both.");
        }
    total.remove_rounding();
    return total;
}

const Item& OperatorList::line_with(const OperatorProduct& product) const {
    for (const Line& line : lines)
        if (line.product[product] != Complex(0) || line.product.conjugate()[product] != Complex(0)) return line.text;
    return lines.front().text;
}

OperatorList read_operators(const std::vector<Item>& items, std::optional<SiteKind> kind,
                            const OperatorLimits& limits) {
    OperatorList list;
    std::vector<Complex> coefficients;
    for_each_item(items, [&](const Item& line) {
        coefficients.push_back(read_coefficient(line, limits.max_energy));
        for (std::size_t word = 1; word < line.words.size(); word += 2) {
            kinds_with(line, line.words[word]);
            list.sites = std::max(list.sites, line.index(word + 1, limits.max_sites, "site") + 1);
        }
    });
    list.kind = kind_of(items, kind);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Item& line = items[i];
        if (list.kind == SiteKind::spins) check_spin(line, limits);
        const bool levels = list.kind == SiteKind::spins && limits.products == SpinProducts::any;
        OperatorSum product = OperatorSum::product(list.kind, {});
        for (std::size_t word = 1; word < line.words.size(); word += 2)
            product =
                product * site_operator(list.kind, line.words[word], line.index(word + 1, limits.max_sites, "site"),
                                        levels ? limits.twice_spin : 1);
        product.remove_rounding();
        list.lines.push_back({line, coefficients[i], std::move(product)});
    }
    return list;
}

}  // namespace strata
