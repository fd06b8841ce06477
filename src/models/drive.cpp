// SPDX-License-Identifier: BSD-3-Clause
// The sector is one of what H and all V_n conserve, so that their terms are read before it is known.
#include "models/drive.hpp"

#include <algorithm>

#include "strata/error.hpp"
#include "strata/formatted.hpp"

namespace strata {
namespace {

using enum ValueType;
using enum KeyRole;

/// Largest magnitude of the operators of a drive, with their factors.
constexpr double max_drive = 1e12;

/// An operator, or the sum of a list over sites or bonds.
OperatorSum sum_of_members(const OwnObservable& o) {
    OperatorSum sum(o.members[0].kind());
    for (const OperatorSum& member : o.members) sum += member;
    sum.remove_rounding();
    return sum;
}

/// The error of a name that is no operator of a drive; empty if it is one.
std::string error_of(const Config& config, const std::string& source, const std::vector<OwnObservable>& all,
                     const std::string& name) {
    const auto at = std::ranges::find(all, name, &OwnObservable::name);
    std::string names;
    for (const OwnObservable& o : all)
        if (sum_of_members(o).is_hermitian()) names += (names.empty() ? "" : ", ") + o.name;
    const std::string instead =
        names.empty() ? "; give it a line there." : "; Hermitian operators there: " + names + ".";
    const std::string what = config.cite("drive.operator") + ": " + name;
    if (at == all.end()) return what + " is no name in " + source + instead;
    if (!sum_of_members(*at).is_hermitian()) return what + " is not Hermitian" + instead;
    if (sum_of_members(*at).empty()) return what + " is 0: its terms cancel or vanish on every state.";
    return {};
}

}  // namespace

// clang-format off
std::vector<Key> drive_keys(const Condition& evolution) {
    return {
        Key{"drive.operator", text, "", "",
            "Names in [observables], separated by commas, of Hermitian operators, or of lists whose sums are, that change H in time: H(t) = H + sum f(t) V. "
            "The sector is one of what H and they conserve.", physics}
            .when({evolution}),
        Key{"drive.factor", text, "", "",
            std::string("Factors f(t) of drive.operator, one for each, one after the other, separated by semicolons: ") + factor_forms + ".",
            physics}
            .when({evolution}),
    };
}
// clang-format on

DriveSpec resolve_drive(const Config& config) {
    return {names_of_list(config.text("drive.operator")), config.text("drive.factor")};
}

std::vector<OperatorSum> terms_of_drive(const DriveSpec& drive, const ObservableTexts& texts,
                                        const ModelConfig& model) {
    std::vector<OperatorSum> terms;
    if (drive.operators.empty() || texts.source.empty()) return terms;
    for (const OwnObservable& o :
         read_observables(texts, model.kind(), model.twice_spin, PatternLattice(model.lattice), Conserved::nothing, {}))
        if (std::ranges::count(drive.operators, o.name) > 0)
            for (const OperatorSum& member : o.members) terms.push_back(member);
    return terms;
}

std::vector<DrivenOperator> read_drive(const Config& config, const DriveSpec& drive, const std::string& source,
                                       const std::vector<OwnObservable>& all, std::vector<std::string>& found) {
    const auto refuse = [&](const std::string& error) {
        found.push_back(error);
        return std::vector<DrivenOperator>();
    };
    if (drive.operators.empty()) {
        if (drive.factors.empty()) return {};
        return refuse("drive.factor needs drive.operator, the operators that it multiplies.");
    }
    if (source.empty()) return refuse(config.cite("drive.operator") + needs_definition(drive.operators[0]));
    const std::vector<DriveFactor> factors = read_drive_factors("drive.factor", drive.factors);
    if (factors.size() != drive.operators.size())
        return refuse(
            formatted("drive.factor has %zu factors for %zu operators of drive.operator; give one for "
                      "each, e.g. 'cos 0 0.5 2 0'.",
                      factors.size(), drive.operators.size()));
    const std::size_t errors = found.size();
    for (const std::string& name : drive.operators) {
        if (const std::string error = error_of(config, source, all, name); !error.empty()) found.push_back(error);
        if (std::ranges::count(drive.operators, name) > 1)
            return refuse(config.cite("drive.operator") + " names " + name + " twice.");
    }
    if (found.size() > errors) return {};
    std::vector<DrivenOperator> driven = driven_operators(drive, all);
    for (const auto& [name, op, f] : driven)
        if (!(f.bound() * op.largest() <= max_drive))
            found.push_back("drive.factor makes " + name + " larger than 1e12; check its numbers.");
    return driven;
}

std::vector<DrivenOperator> driven_operators(const DriveSpec& drive, const std::vector<OwnObservable>& all) {
    std::vector<DrivenOperator> driven;
    if (drive.operators.empty()) return driven;
    const std::vector<DriveFactor> factors = read_drive_factors("drive.factor", drive.factors);
    for (std::size_t n = 0; n < factors.size(); ++n)
        driven.push_back({drive.operators[n],
                          sum_of_members(*std::ranges::find(all, drive.operators[n], &OwnObservable::name)),
                          factors[n]});
    return driven;
}

std::vector<std::string> described(const DriveSpec& drive) {
    std::vector<std::string> lines;
    for (const std::string& name : drive.operators)
        lines.push_back("H(t) has the operator " + name + " with a factor in time");
    return lines;
}

void add_drive_columns(const DriveSpec& drive, std::vector<Column>& columns) {
    if (drive.operators.empty()) return;
    columns.push_back({"work", "energy", "done by the drive since time 0, the change of <H(t)>"});
    for (const std::string& name : drive.operators)
        columns.push_back({"drive-" + name, "1", "factor of " + name + " in H(t)"});
}

}  // namespace strata
