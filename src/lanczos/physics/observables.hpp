// SPDX-License-Identifier: BSD-3-Clause
// The observables of a job's observables.file (models/observables.hpp), and the one whose spectrum is asked for.
#pragma once

#include <optional>
#include <vector>

#include "lanczos/job/config.hpp"
#include "models/observables.hpp"

namespace strata::lanczos {

/// Throws as read_observables().
std::vector<OwnObservable> observables_of(const LanczosConfig& config);
/// The one whose spectrum a job asks for; empty if it asks for that of another operator. Throws Error(bad_input) unless
/// the file has one name, of an operator or of a list over sites.
std::optional<OwnObservable> own_operator(const LanczosConfig& config);
/// sum_j w_j O_j over the members of an operator.
OperatorSum weighted_sum(const OwnObservable& o, const std::vector<Complex>& weights);

}  // namespace strata::lanczos
