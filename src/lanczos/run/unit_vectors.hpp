// SPDX-License-Identifier: BSD-3-Clause
// Unit vectors of a sector and the elements of vectors, from which dense matrices are made.
#pragma once

#include <vector>

#include "lanczos/state/hamiltonian_operator.hpp"

namespace strata::lanczos {

class UnitVectors {
  public:
    struct Place {
        std::size_t subspace;
        std::uint64_t row, column;
    };

    /// `hamiltonian` must outlive it and be allocated. Collective.
    explicit UnitVectors(HamiltonianOperator& hamiltonian);

    /// All elements of a vector but for the padding of columns.
    std::vector<Place> places() const;
    /// Those of them that have states of a sector of symmetries: elsewhere the projection of a unit vector is 0. `work`: any
    /// vector, which is changed. Collective.
    std::vector<Place> places_of_states(DistributedVector& work);
    /// An energy above the offset beyond those of all levels, for what is not in the sector of symmetries.
    double level_beyond_others() const;
    /// out <- P e at a place, with the projector P on a sector of symmetries.
    void set(const Place& place, DistributedVector& out);
    /// The elements of a vector at places in the order of places(), on rank 0. Collective.
    std::vector<double> at(const std::vector<Place>& places, const DistributedVector& x) const;

  private:
    HamiltonianOperator& hamiltonian_;
    std::vector<Buffer<double>> blocks_;  ///< [subspace] elements of a unit vector
};

}  // namespace strata::lanczos
