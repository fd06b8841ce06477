// SPDX-License-Identifier: BSD-3-Clause
// Operators of the user's own, whose expectation values are results. A line of observables.file is
//
//     NAME = coefficient operator site [operator site ...]
//
// and lines of one name add up. The key observables.NAME has the same without "NAME =", with semicolons between terms, or names
// a file with one term per line. Sites may be patterns (patterns.hpp): the operator is then a family, one member for every
// site i, for every pair of sites i and j, or for every bond. What lies beyond an open end is left out of a member.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/filling.hpp"
#include "models/patterns.hpp"
#include "strata/record.hpp"

namespace strata {

struct OwnObservable {
    std::string name;
    std::string text;                         ///< its lines without the name
    SitePattern pattern = SitePattern::none;  ///< what its members run over
    std::vector<OperatorSum> members;         ///< one, [i], [i * sites + j], or [bond]
    FillingChange change = {};                ///< by all products of all members

    bool hermitian() const;
    bool real() const;  ///< whether all matrix elements are
};

/// All products of some observables, each once.
std::vector<OperatorProduct> products_of(const std::vector<OwnObservable>& observables);

/// The key of their file, in a section of which other keys are single ones, with what an application adds to its meaning.
Key observables_key(const std::string& meaning);

/// All definitions of a job.
struct ObservableTexts {
    std::string source;       ///< for messages: "observables.file = PATH" or "[observables]"; empty: there are none
    std::vector<Item> lines;  ///< the words NAME, =, and those of a term

    ObservableTexts() = default;
    /// Those of observables.file.
    ObservableTexts(const std::string& path, const std::string& content);
};
/// Those of observables.file, then those of observables.NAME. Throws Error(bad_input) for a name that has both, and for one
/// without terms.
ObservableTexts observable_texts(const Config& config);
/// The first key that gives observables, cited (Config::cite()).
std::string cite_observables(const Config& config);
/// The names in a list, separated by commas.
std::vector<std::string> names_of_list(const std::string& text);
/// The operator without {i} of a name that a key has. Throws Error(bad_input) where `all`, those of `source`, have none.
const OwnObservable& named_operator(const Config& config, const char* key, const std::string& name,
                                    const std::vector<OwnObservable>& all, const std::string& source);
/// An error for a measurement whose definition of the operators that a key names differs from that of the run; empty if it
/// does not.
std::string changed_definition(const Config& stored, const Config& now, const char* key);
/// The end of a sentence about a key whose value is the name of an operator, in a job without observables.
std::string needs_definition(const std::string& name);
/// The lines of some names, one after the other.
std::string definitions_of(const ObservableTexts& texts, const std::vector<std::string>& names);

/// Reads the definitions for a sector in which this is conserved. `results`: names of all results and columns that the
/// application has in any of its jobs, NAME* for all that begin with NAME; `may_lead`: whether the operator of a name may
/// lead to another sector. Throws Error(bad_input) for lines that cannot be read, for those names and what is made of
/// them (NAME-0, NAME-error, NAME-imaginary ...), for operators that lead to two sectors, and for others that leave
/// theirs, whose expectation value is 0.
std::vector<OwnObservable> read_observables(
    const ObservableTexts& texts, SiteKind kind, int twice_spin, const PatternLattice& lattice, Conserved conserved,
    const std::vector<std::string>& results,
    const std::function<bool(const std::string&)>& may_lead = [](const std::string&) { return false; });
/// The sites of every member of a family.
std::vector<std::pair<int, int>> places_of(SitePattern pattern, const PatternLattice& lattice);

/// The numbers that a job's observables are: a list NAME of real parts, and NAME-imaginary of operators that are not
/// Hermitian, one after the other.
class ObservableLists {
  public:
    struct List {
        std::string name, meaning;
        SitePattern pattern;  ///< what it runs over
        std::size_t observable;
        bool imaginary;
        std::size_t first, members;  ///< place of its first number, and how many there are
    };

    ObservableLists() = default;
    ObservableLists(const std::vector<OwnObservable>& observables, PatternLattice lattice);

    const std::vector<List>& lists() const { return lists_; }
    std::size_t width() const { return width_; }  ///< numbers of all lists
    /// The numbers of observables, from `evaluate`(products), which returns the expectation values of products, real or complex.
    template <class Evaluate>
    std::vector<double> numbers(const std::vector<OwnObservable>& observables, Evaluate evaluate) const {
        const std::vector<OperatorProduct> products = products_of(observables);
        const auto values = evaluate(products);
        std::map<OperatorProduct, Complex> value_of;
        for (std::size_t n = 0; n < products.size(); ++n) value_of[products[n]] = values[n];
        std::vector<double> all(width_);
        for (const List& list : lists_)
            for (std::size_t n = 0; n < list.members; ++n) {
                Complex sum = 0;
                for (const auto& [product, coefficient] : observables[list.observable].members[n].terms())
                    sum += coefficient * value_of.at(product);
                all[list.first + n] = list.imaginary ? sum.imag() : sum.real();
            }
        return all;
    }
    /// A column for every number; `ending` of the names and `what` before the meanings.
    void add_columns(std::vector<Column>& columns, const std::string& ending = "", const std::string& what = "") const;
    /// The lists from rows of width() numbers, one row for every place along `axis`, or one row alone without axis.
    std::vector<Quantity> quantities(const std::vector<double>& rows, const std::string& axis = "") const;
    /// The sites of the bonds over which lists run; nothing if none does.
    std::vector<Quantity> bond_sites() const;

  private:
    PatternLattice lattice_;
    std::vector<List> lists_;
    std::size_t width_ = 0;
};

}  // namespace strata
