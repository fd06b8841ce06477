// SPDX-License-Identifier: BSD-3-Clause
// What changes H in time, H(t) = H + sum_n f_n(t) V_n with Hermitian operators V_n of [observables]: keys of [drive], which
// mean the same in every application that evolves states by operators.
#pragma once

#include <string>
#include <vector>

#include "models/drive_factor.hpp"
#include "models/observables.hpp"

namespace strata {

/// drive.operator and drive.factor, where the condition `evolution` holds.
std::vector<Key> drive_keys(const Condition& evolution);

struct DriveSpec {
    std::vector<std::string> operators = {};  ///< names of observables that change H in time; empty: H is constant
    std::string factors = {};                 ///< their factors
};
DriveSpec resolve_drive(const Config& config);

/// The terms of the operators of a drive, whatever they conserve. Throws as read_observables().
std::vector<OperatorSum> terms_of_drive(const DriveSpec& drive, const ObservableTexts& texts, const ModelConfig& model);

/// V_n, of a list the sum over its members, and f_n.
struct DrivenOperator {
    std::string name;
    OperatorSum op;
    DriveFactor factor;
};
/// Those that the keys name, of `all`, the observables of `source`. Adds errors to `found` in their place. Throws as
/// read_drive_factors().
std::vector<DrivenOperator> read_drive(const Config& config, const DriveSpec& drive, const std::string& source,
                                       const std::vector<OwnObservable>& all, std::vector<std::string>& found);
/// Those of a job that has been checked.
std::vector<DrivenOperator> driven_operators(const DriveSpec& drive, const std::vector<OwnObservable>& all);

/// Lines of a job's description.
std::vector<std::string> described(const DriveSpec& drive);
/// The meaning of the column "energy" of an evolution under such H(t).
inline constexpr const char* driven_energy = "expectation value of H(t)";
/// Adds the columns work and drive-NAME of every operator, if there is one.
void add_drive_columns(const DriveSpec& drive, std::vector<Column>& columns);

}  // namespace strata
