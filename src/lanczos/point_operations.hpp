// SPDX-License-Identifier: BSD-3-Clause
// Rotations, reflections and inversions of a model. Each may have several centres; those of a sector must share one,
// since products of operations about different centres are translations, which sector.momentum alone selects.
#pragma once

#include <string>
#include <vector>

#include "lanczos/hamiltonian.hpp"
#include "models/symmetry.hpp"

namespace strata::lanczos {

/// The terms of a model by sites, to be compared with those of permuted sites.
class Couplings {
  public:
    explicit Couplings(const Model& model);
    /// Where a permutation of the sites changes the model, as words for a message ("the hop between sites 3 and 4");
    /// empty if it changes nothing.
    std::string changed_by(const SitePermutation& image) const;

  private:
    std::size_t sites_;
    std::vector<Complex> hops_;                   ///< [to * sites + from]
    std::vector<double> pairs_, sites_energy_;    ///< [site * sites + site], [site]
    double hop_limit_, pair_limit_, site_limit_;  ///< largest differences that are rounding
};

/// A point operation that a sector asks for.
struct PointOperation {
    std::string key, words;  ///< "sector.parity", "r -> -r"
    PlaneMap map;
    std::int64_t turn;  ///< of its factor
};

/// The permutations r -> M r + t of the model for a map M, in the order of the sites that site 0 is moved to. If there are
/// none, `change` says what the last one changes.
std::vector<SitePermutation> unchanging(const Couplings& couplings, const Lattice& lattice, const PlaneMap& map,
                                        std::string& change);

/// A permutation for each operation, the first ones in order that share a centre: the group of the point operations
/// holds no translation but the identity, with `translations` none but those. The choice does not depend on the
/// factors, so that sectors of all factors together hold all states. Throws Error(bad_input) with the cause if there is
/// none.
std::vector<SymmetryOperation> about_one_centre(const std::vector<PointOperation>& operations,
                                                const std::vector<SymmetryOperation>& translations,
                                                const Couplings& couplings, const Lattice& lattice);

}  // namespace strata::lanczos
