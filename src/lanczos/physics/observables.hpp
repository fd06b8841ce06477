// SPDX-License-Identifier: BSD-3-Clause
// The observables of a job's [observables] (models/observables.hpp), and the operators whose spectrum is requested.
#pragma once

#include <optional>
#include <vector>

#include "lanczos/job/config.hpp"
#include "models/observables.hpp"

namespace strata::lanczos {

/// All operators of the file. Throws as read_observables().
std::vector<OwnObservable> operators_of(const LanczosConfig& config);
/// Those that have expectation values in a sector.
std::vector<OwnObservable> observables_of(const LanczosConfig& config);
/// The job in the sector that evolution.operator leads to.
LanczosConfig after_operator(LanczosConfig config);
/// A sentence on a sector that an operator leads to and that does not exist; empty if it does. `cited`: the operator.
std::string missing_sector(const std::string& cited, const LanczosConfig& config, const FillingChange& change);
/// The operator of a spectrum that is a sum of products: the one of [observables], or the removal or addition of a
/// particle where that is more than a change of the number of electrons with spin down, or the density or spin of coded
/// sites in a sector of lattice symmetries; empty for others. Of an
/// off-diagonal spectrum <A+ ... B> it is B, spectrum.second. Throws Error(bad_input) unless the file has one name, or
/// the two of an off-diagonal spectrum, of operators or of lists over sites.
std::optional<OwnObservable> own_operator(const LanczosConfig& config);
/// A of an off-diagonal spectrum, empty for others. Throws as own_operator().
std::optional<OwnObservable> left_operator(const LanczosConfig& config);
/// What the operator of a spectrum changes in the sector of the ground state.
FillingChange spectral_change(const LanczosConfig& config);
/// Why the spectrum or the matrix elements of a job need complex vectors even where H is real; empty if they do not.
std::string without_real_vectors(const LanczosConfig& config);
/// sum_j w_j O_j over the members of an operator.
OperatorSum weighted_sum(const OwnObservable& o, const std::vector<Complex>& weights);

}  // namespace strata::lanczos
