// SPDX-License-Identifier: BSD-3-Clause
// The observables of a job's observables.file (models/observables.hpp), and the operators whose spectrum is requested.
#pragma once

#include <optional>
#include <vector>

#include "lanczos/job/config.hpp"
#include "models/observables.hpp"

namespace strata::lanczos {

/// Throws as read_observables().
std::vector<OwnObservable> observables_of(const LanczosConfig& config);
/// The operator of a spectrum that is a sum of products: the one of observables.file, or the removal or addition of a
/// particle where that is more than a change of the number of electrons with spin down; empty for others. Of an
/// off-diagonal spectrum <A+ ... B> it is B, spectrum.second. Throws Error(bad_input) unless the file has one name, or the
/// two of an off-diagonal spectrum, of operators or of lists over sites.
std::optional<OwnObservable> own_operator(const LanczosConfig& config);
/// A of an off-diagonal spectrum, empty for others. Throws as own_operator().
std::optional<OwnObservable> left_operator(const LanczosConfig& config);
/// What the operator of a spectrum changes in the sector of the ground state.
FillingChange spectral_change(const LanczosConfig& config);
/// Why the spectrum of a job, if it has one, needs complex vectors even where H is real; empty if it does not.
std::string without_real_vectors(const LanczosConfig& config);
/// sum_j w_j O_j over the members of an operator.
OperatorSum weighted_sum(const OwnObservable& o, const std::vector<Complex>& weights);

}  // namespace strata::lanczos
