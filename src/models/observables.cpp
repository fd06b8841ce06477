// SPDX-License-Identifier: BSD-3-Clause
// A family is read once for every member, with numbers in the place of its patterns. Wherever a definition stands in the job,
// it is lines "NAME = term", which differ only by the places that messages name.
#include "models/observables.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "models/operator_text.hpp"
#include "strata/error.hpp"

namespace strata {
namespace {

constexpr std::string_view own_section = "observables.";

/// A line of one term for a quantity. Refuses a term that has a name of its own.
Item with_name(const std::string& name, const Item& term) {
    if (term.words.size() > 1 && term.words[1] == "=")
        term.refuse("has a name of its own; a file of lines with names is the value of observables.file.");
    Item line = {term.place, name + " = " + term.text, {name, "="}};
    line.words.insert(line.words.end(), term.words.begin(), term.words.end());
    return line;
}

/// A line without its name and "=".
Item without_name(const Item& line) {
    Item term = {line.place, {}, {line.words.begin() + 2, line.words.end()}};
    for (const std::string& word : term.words) term.text += (term.text.empty() ? "" : " ") + word;
    return term;
}

/// Whether a name is that of a result or list, or one that the program makes of it.
bool is_form_of(const std::string& name, const std::string& result) {
    if (!name.starts_with(result)) return false;
    constexpr std::string_view digits = "0123456789";
    constexpr std::string_view endings[] = {"-imaginary", "-error", "-step-error", "-before", "-elements"};
    for (std::string_view rest = std::string_view(name).substr(result.size()); !rest.empty();) {
        const auto* ending = std::ranges::find_if(endings, [&](std::string_view e) { return rest.starts_with(e); });
        const std::size_t length =
            ending != std::end(endings) ? ending->size() : std::min(rest.find_first_not_of(digits, 1), rest.size());
        if (rest[0] != '-' || length == 1) return false;
        rest.remove_prefix(length);
    }
    return true;
}

/// Refuses a name of a result of the program.
void check_results(const Item& line, const std::string& name, const std::string& result) {
    const std::string advice = "; take another, e.g. my-" + name + ".";
    if (result.ends_with('*')) {
        const std::string beginning = result.substr(0, result.size() - 1);
        if (name.starts_with(beginning))
            line.refuse("has the name " + name + ", as results of the program that begin with " + beginning + advice);
    } else if (name == result) {
        line.refuse("has the name " + name + ", as a result of the program" + advice);
    } else if (is_form_of(name, result)) {
        line.refuse("has the name " + name + ", as numbers of the program's result " + result + advice);
    }
}

/// Names are those of lists in files, and none of other results.
void check_name(const Item& line, const std::vector<std::string>& results) {
    constexpr const char* rule =
        "is no line 'NAME = coefficient operator site [operator site ...]', e.g. 'pair = 1 n_up "
        "{i} n_dn {j}'.";
    if (line.words.size() < 2 || line.words[1] != "=") line.refuse(rule);
    const std::string& name = line.words[0];
    const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    if (name[0] < 'a' || name[0] > 'z' || !std::ranges::all_of(name, allowed))
        line.refuse("has the name " + name + "; a name has small letters, digits and '-', and begins with a letter.");
    for (const char* own : {"-imaginary", "-before", "-elements"})
        if (name.ends_with(own) || name.find("-state-") != std::string::npos)
            line.refuse("has the name " + name +
                        "; names that end with -imaginary, -before, -elements or -state-N are given by the "
                        "program.");
    check_results(line, name, "bond-site*");  // a result that ObservableLists adds
    for (const std::string& result : results) check_results(line, name, result);
}

/// Sums over sites and over bonds have members of different kinds.
SitePattern joined(SitePattern all, const Item& term, const PatternLattice& lattice) {
    const SitePattern next = pattern_of(term, lattice);
    if (next == SitePattern::none || all == SitePattern::none || next == all) return std::max(all, next);
    if (next == SitePattern::bond || all == SitePattern::bond)
        term.refuse(
            "runs over other sites than a line of the same name, of which one runs over bonds; give them two names.");
    return SitePattern::pair;
}

}  // namespace

bool OwnObservable::hermitian() const {
    return std::ranges::all_of(members, [](const OperatorSum& o) { return o.is_hermitian(); });
}

bool OwnObservable::real() const {
    return std::ranges::all_of(members, [](const OperatorSum& o) { return o.is_real(); });
}

std::vector<OperatorProduct> products_of(const std::vector<OwnObservable>& observables) {
    std::set<OperatorProduct> all;
    for (const OwnObservable& o : observables)
        for (const OperatorSum& member : o.members)
            for (const auto& [product, coefficient] : member.terms()) all.insert(product);
    return {all.begin(), all.end()};
}

Key observables_key(const std::string& meaning) {
    const Key key = {
        "observables.file",
        ValueType::file,
        "",
        "",
        "Operators whose expectation values are results: " + meaning +
            " One term per line: NAME = a term as in model.terms, with {i} and {j} in the place of sites for lists "
            "over "
            "all sites or pairs, e.g. 'pair = 1 cdag_up {i} cdag_dn {i} c_dn {j} c_up {j}'. Terms of one name add up.",
        KeyRole::measurement};
    return key.with_own_names(
        "The expectation value of this name, one of your own: its terms with ; between them, as in 1 n_up {i} n_dn "
        "{i}; -1 n {i}, "
        "or the path of a file with one term per line. Beside or without observables.file.");
}

ObservableTexts::ObservableTexts(const std::string& path, const std::string& content)
    : source("observables.file = " + path), lines(lines_of({path, content})) {}

ObservableTexts observable_texts(const Config& config) {
    const std::string& file = config.text("observables.file");
    ObservableTexts texts =
        file.empty() ? ObservableTexts() : ObservableTexts(file, config.content("observables.file"));
    const std::vector<Item> of_file = texts.lines;
    for (const Config::Value& value : config.values()) {
        if (value.key.type != ValueType::terms || !value.key.name.starts_with(own_section) || value.text.empty())
            continue;
        const std::string name = value.key.name.substr(own_section.size());
        const auto same = std::ranges::find_if(of_file, [&](const Item& line) { return line.words[0] == name; });
        if (same != of_file.end())
            same->refuse("has the name of " + value.key.name + "; give one of them another name.");
        const std::vector<Item> terms = value.names_file()
                                            ? lines_of({value.key.name + " = " + value.text, value.content})
                                            : items_of(value.key.name, value.text);
        if (terms.empty())
            throw Error(ExitCode::bad_input, config.cite(value.key.name) + " has no terms; give one, such as 1 n 0.");
        for (const Item& term : terms) texts.lines.push_back(with_name(name, term));
        texts.source = "[observables]";
    }
    return texts;
}

std::string cite_observables(const Config& config) {
    for (const Config::Value& value : config.values())
        if (value.key.name.starts_with(own_section) && !value.text.empty()) return config.cite(value.key.name);
    return std::string(own_section);
}

std::string needs_definition(const std::string& name) {
    return " needs the operator's definition: observables." + name + ", such as 1 n 0, or a line '" + name +
           " = 1 n 0' of observables.file.";
}

std::string definitions_of(const ObservableTexts& texts, const std::vector<std::string>& names) {
    std::string text;
    for (const Item& line : texts.lines)
        if (std::ranges::count(names, line.words[0]) > 0) text += line.text + "\n";
    return text;
}

std::vector<std::pair<int, int>> places_of(SitePattern pattern, const PatternLattice& lattice) {
    if (pattern == SitePattern::none) return {{0, 0}};
    std::vector<std::pair<int, int>> places;
    if (pattern == SitePattern::bond)
        for (const std::pair<int, int>& bond : lattice.bonds)
            if (std::ranges::find(places, bond) == places.end()) places.push_back(bond);
    if (pattern == SitePattern::site || pattern == SitePattern::pair)
        for (int i = 0; i < lattice.sites; ++i)
            for (int j = 0; j < (pattern == SitePattern::pair ? lattice.sites : 1); ++j) places.emplace_back(i, j);
    return places;
}

std::vector<OwnObservable> read_observables(const ObservableTexts& texts, SiteKind kind, int twice_spin,
                                            const PatternLattice& lattice, Conserved conserved,
                                            const std::vector<std::string>& results,
                                            const std::function<bool(const std::string&)>& may_lead) {
    const OperatorLimits limits = {.max_sites = lattice.sites, .twice_spin = twice_spin, .products = SpinProducts::any};
    std::vector<OwnObservable> all;
    std::vector<std::vector<Item>> terms;
    for (const Item& line : texts.lines) {
        check_name(line, results);
        auto found = std::ranges::find(all, line.words[0], &OwnObservable::name);
        if (found == all.end()) {
            all.push_back({line.words[0], {}, SitePattern::none, {}, {}});
            terms.emplace_back();
            found = all.end() - 1;
        }
        const Item term = without_name(line);
        found->text += (found->text.empty() ? "" : "; ") + term.text;
        found->pattern = joined(found->pattern, term, lattice);
        terms[static_cast<std::size_t>(found - all.begin())].push_back(term);
    }
    for (std::size_t n = 0; n < all.size(); ++n)
        for (const OwnObservable& other : all)
            if (all[n].name != other.name && is_form_of(all[n].name, other.name))
                terms[n][0].refuse("has the name " + all[n].name + ", as a number of " + other.name +
                                   "; give one of them another name.");
    std::vector<std::string> first(all.size());  // [operator] its first product
    for (std::size_t n = 0; n < all.size(); ++n)
        for (const auto& [i, j] : places_of(all[n].pattern, lattice)) {
            std::vector<Item> member;
            for (const Item& term : terms[n])
                if (std::optional<Item> there = with_sites(term, lattice, i, j)) member.push_back(std::move(*there));
            const OperatorList list = read_operators(member, kind, limits);
            OperatorSum& o = all[n].members.emplace_back(list.sum());
            if (first[n].empty() && !o.empty()) {
                first[n] = text_of(o.terms().begin()->first, kind);
                all[n].change = filling_change(change_of(o.terms().begin()->first), kind, conserved);
            }
            for (const auto& [product, coefficient] : o.terms()) {
                const FillingChange change = filling_change(change_of(product), kind, conserved);
                if (!may_lead(all[n].name) && change != FillingChange{})
                    list.line_with(product).refuse("changes " + text_of(change, kind, conserved) +
                                                   " and leaves the sector: its expectation value is 0.");
                if (change != all[n].change)
                    list.line_with(product).refuse(
                        "leads to another sector than a product of the same name: " + text_of(product, kind) +
                        " changes " + text_of(change, kind, conserved) + ", and " + first[n] + " changes " +
                        text_of(all[n].change, kind, conserved) + "; give them two names.");
            }
        }
    return all;
}

std::vector<std::string> names_of_list(const std::string& text) {
    std::vector<std::string> names;
    std::string name;
    std::istringstream words(text);
    while (std::getline(words, name, ',')) {
        std::erase_if(name, [](unsigned char c) { return std::isspace(c) != 0; });
        if (!name.empty()) names.push_back(name);
    }
    return names;
}

const OwnObservable& named_operator(const Config& config, const char* key, const std::string& name,
                                    const std::vector<OwnObservable>& all, const std::string& source) {
    const auto one = std::ranges::find(all, name, &OwnObservable::name);
    if (one != all.end() && one->pattern == SitePattern::none) return *one;
    std::string names;
    for (const OwnObservable& o : all)
        if (o.pattern == SitePattern::none) names += (names.empty() ? "" : ", ") + o.name;
    throw Error(ExitCode::bad_input,
                config.cite(key) + (name == config.text(key) ? "" : ": " + name) +
                    (one == all.end() ? " is no name in " : " is a list over sites or bonds in ") + source +
                    (names.empty() ? "; give the operator a line of its own, with numbers as sites."
                                   : "; take one operator, which is " + names + "."));
}

std::string changed_definition(const Config& stored, const Config& now, const char* key) {
    const std::vector<std::string> names = names_of_list(now.text(key));
    const ObservableTexts had = observable_texts(stored), has = observable_texts(now);
    if (definitions_of(had, names) == definitions_of(has, names)) return {};
    return "The definition of " + now.text(key) + " in " + (has.source.empty() ? "[observables]" : has.source) +
           " differs from that of the run, whose " + key +
           " belongs to its state, and cannot be another one; run the job with it.";
}

ObservableLists::ObservableLists(const std::vector<OwnObservable>& observables, PatternLattice lattice)
    : lattice_(std::move(lattice)) {
    for (std::size_t n = 0; n < observables.size(); ++n)
        for (const bool imaginary : {false, true}) {
            const OwnObservable& o = observables[n];
            if (imaginary && o.hermitian()) continue;
            lists_.push_back({o.name + (imaginary ? "-imaginary" : ""),
                              std::string(imaginary ? "imaginary part of " : "") + "the expectation value of " + o.text,
                              o.pattern, n, imaginary, width_, o.members.size()});
            width_ += o.members.size();
        }
}

void ObservableLists::add_columns(std::vector<Column>& columns, const std::string& ending,
                                  const std::string& what) const {
    for (const List& list : lists_)
        for (const auto& [i, j] : places_of(list.pattern, lattice_)) {
            const std::string name = list.name + ending, meaning = what + list.meaning;
            switch (list.pattern) {
                case SitePattern::none: columns.push_back({name, "1", meaning}); break;
                case SitePattern::site: columns.push_back(member_column(name, "site", {i}, "1", meaning)); break;
                case SitePattern::pair: columns.push_back(member_column(name, "pair", {i, j}, "1", meaning)); break;
                case SitePattern::bond: columns.push_back(member_column(name, "bond", {i, j}, "1", meaning)); break;
            }
        }
}

std::vector<Quantity> ObservableLists::quantities(const std::vector<double>& rows, const std::string& axis) const {
    static constexpr const char* axes[] = {"", "site", "pair", "bond"};  // [SitePattern]
    std::vector<Quantity> all;
    std::size_t from = 0;
    for (const List& list : lists_) {
        Quantity q = {list.name, "1", list.meaning, {}};
        for (std::size_t row = from; row < rows.size(); row += width_)
            for (std::size_t n = 0; n < list.members; ++n) q.value.push_back(rows[row + n]);
        from += list.members;
        const std::string own = axes[static_cast<std::size_t>(list.pattern)];
        if (axis.empty() && list.pattern == SitePattern::pair)
            q = std::move(q).over("site", "other-site", static_cast<std::size_t>(lattice_.sites));
        else if (!axis.empty() && !own.empty())
            q = std::move(q).over(axis, own, list.members);
        else if (!axis.empty() || !own.empty())
            q = std::move(q).over(axis.empty() ? own : axis);
        all.push_back(std::move(q));
    }
    for (Quantity& sites : bond_sites()) all.push_back(std::move(sites));
    return all;
}

std::vector<Quantity> ObservableLists::bond_sites() const {
    if (std::ranges::find(lists_, SitePattern::bond, &List::pattern) == lists_.end()) return {};
    Quantity first = {"bond-site-i", "1", "site i of every bond of observables", {}},
             last = {"bond-site-j", "1", "site j of every bond of observables", {}};
    for (const auto& [i, j] : places_of(SitePattern::bond, lattice_)) {
        first.value.push_back(i);
        last.value.push_back(j);
    }
    return {std::move(first).coordinate_of("bond"), std::move(last).coordinate_of("bond")};
}

}  // namespace strata
