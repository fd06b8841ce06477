// SPDX-License-Identifier: BSD-3-Clause
// Rotations, reflections and inversions of a model. Each may have several centres; those of a sector must share one,
// since products of operations about different centres are translations, which sector.momentum alone selects.
#pragma once

#include <string>
#include <vector>

#include "lanczos/physics/hamiltonian.hpp"
#include "models/symmetry.hpp"

namespace strata::lanczos {

/// The terms of a model by sites, for the comparison with those of permuted sites.
class Couplings {
  public:
    explicit Couplings(const Model& model);
    /// A term that a permutation of the sites changes, as words for a message ("the hop between sites 3 and 4"); empty
    /// if it changes nothing.
    std::string changed_by(const SitePermutation& image) const;

  private:
    std::size_t sites_;
    std::vector<Complex> hops_;                 ///< [to * sites + from]
    std::vector<double> pairs_, sites_energy_;  ///< [site * sites + site], [site]
    OperatorSum others_;
    double hop_limit_, pair_limit_, site_limit_;  ///< largest differences that count as rounding
};

/// A point operation that a sector requests.
struct PointOperation {
    std::string key, words;  ///< "sector.parity", "r -> -r"
    PlaneMap map;
    std::int64_t turn;  ///< number of turns of its factor exp(2 pi i turn / character_turns())
};

/// The permutations r -> M r + t that leave the model unchanged, for a map M, in the order of the sites that site 0 is
/// moved to. If there are none, `change` names what the last permutation tried changes.
std::vector<SitePermutation> unchanging(const Couplings& couplings, const Lattice& lattice, const PlaneMap& map,
                                        std::string& change);

/// Chooses a permutation for each operation, the first combination in order with a common centre: the group of the
/// point operations contains no translation but the identity, and together with `translations` no others. The choice
/// does not depend on the factors, so that the sectors of all factors together contain all states. Throws
/// Error(bad_input) with the cause if there is none.
std::vector<SymmetryOperation> about_one_centre(const std::vector<PointOperation>& operations,
                                                const std::vector<SymmetryOperation>& translations,
                                                const Couplings& couplings, const Lattice& lattice);

}  // namespace strata::lanczos
