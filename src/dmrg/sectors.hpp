// SPDX-License-Identifier: BSD-3-Clause
// The states of a block are numbered by sectors of equal charge. All blocks of a chain are labelled by the charge of the
// sites to the left of the bond that they end at: of their own sites for a left block, of all other sites for a right
// one. An operator of a coupling then changes the label by the same amount in both.
//
//     left block | site b      bond b + 1, label Q = q + s          an enlarged block holds product states of a block
//     site b | right block     bond b,     label Q = q - s          and one site more, by segments (s, q)
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dmrg/matrix.hpp"
#include "dmrg/model.hpp"

namespace strata::dmrg {

enum class Side { left, right };

/// Labels of a bond, ascending, and how many states each has.
struct Sectors {
    std::vector<Charge> charges;
    std::vector<std::uint64_t> states;

    std::size_t size() const { return charges.size(); }
    std::optional<std::size_t> find(Charge q) const;
    std::uint64_t total() const;
    friend bool operator==(const Sectors&, const Sectors&) = default;
};

/// Product states of one sector of a block and one state of a site, adjacent in the enlarged block.
struct Segment {
    std::size_t site_state = 0, sector = 0;  ///< sector of the block
    Rows rows;                               ///< in the sector of the enlarged block
};

/// The sectors of a block and one site more.
struct EnlargedSectors {
    Sectors sectors;
    std::vector<std::vector<Segment>> segments;  ///< [sector] in the order of (state of the site, sector of the block)

    /// Where the states (s, q) lie in sector `enlarged`, if they are there.
    const Segment* find(std::size_t enlarged, std::size_t site_state, std::size_t sector) const;
};

/// Only labels of `allowed` are kept.
EnlargedSectors enlarge(const Sectors& block, const std::vector<Charge>& site, Side side, const ChargeRange& allowed);

/// States of a bond in terms of those of an enlarged block: a site of a matrix product state. Of a site to the left of
/// the centre the columns are orthonormal in the enlarged left block, to the right of it in the right one.
struct SiteTensor {
    Side side = Side::left;
    EnlargedSectors enlarged;
    Sectors kept;
    std::vector<Matrix> matrices;  ///< [sector of kept] states of the enlarged sector x kept states

    /// Of the enlarged block, for a sector of kept. At the centre one of the two tensors may miss sectors of the other.
    std::optional<std::size_t> enlarged_sector(std::size_t kept_sector) const {
        return enlarged.sectors.find(kept.charges[kept_sector]);
    }
    /// Zeros for every kept sector.
    void allocate_matrices();
};

/// The same numbers A(q, s, q') as a tensor of the other side, whose kept bond is the one that was enlarged before:
/// `left` are the sectors of the bond to its left and `right` of that to its right.
SiteTensor regrouped(const SiteTensor& tensor, const std::vector<Charge>& site);

/// The wave function on both sides of a bond, X_Q = R_Q L_Q^T: [sector of `left.enlarged`] rows are states of the enlarged
/// right block, columns of the left one. Sectors that only one of the two has are empty.
std::vector<Matrix> joined(const Algebra& algebra, const SiteTensor& left, const SiteTensor& right);

}  // namespace strata::dmrg
