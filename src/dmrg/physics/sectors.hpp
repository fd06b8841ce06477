// SPDX-License-Identifier: BSD-3-Clause
// The states of a block are ordered by sectors of equal charge. The charge of a sector is always that of the sites to
// the left of the bond at which the block ends: of its own sites for a left block, of all other sites for a right one.
// An operator of a coupling then changes the charge by the same amount in both.
//
//     left block | site b      bond b + 1, charge Q = q + s         an enlarged block holds product states of a block
//     site b | right block     bond b,     charge Q = q - s         and one site more, by segments (s, q)
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dmrg/job/model.hpp"
#include "dmrg/physics/matrix.hpp"

namespace strata::dmrg {

/// Charges of a bond, ascending, and the number of states of each.
struct Sectors {
    std::vector<Charge> charges;
    std::vector<std::uint64_t> states;

    std::size_t size() const { return charges.size(); }
    std::optional<std::size_t> find(Charge q) const;
    std::uint64_t total() const;
    friend bool operator==(const Sectors&, const Sectors&) = default;
};

/// Product states of one sector of a block and one state of a site: a contiguous range of rows in the enlarged block.
struct Segment {
    std::size_t site_state = 0, sector = 0;  ///< sector of the block
    Rows rows;                               ///< rows in the sector of the enlarged block
};

/// The sectors of a block that is enlarged by one site.
struct EnlargedSectors {
    Sectors sectors;
    std::vector<std::vector<Segment>> segments;  ///< [sector] in the order of (state of the site, sector of the block)

    /// The segment (site_state, sector) of sector `enlarged`; null if it does not exist.
    const Segment* find(std::size_t enlarged, std::size_t site_state, std::size_t sector) const;
};

/// The sectors of a block enlarged by a site with these charges, [state of the site]. Only charges in `allowed` are
/// kept.
EnlargedSectors enlarge(const Sectors& block, const std::vector<Charge>& site, Side side, const ChargeRange& allowed);

/// A tensor of a matrix product state: the states of a bond in the basis of an enlarged block. To the left of the
/// centre the columns are orthonormal in the enlarged left block, to the right of it in the enlarged right block.
struct SiteTensor {
    Side side = Side::left;
    EnlargedSectors enlarged;
    Sectors kept;
    std::vector<Matrix> matrices;  ///< [sector of kept] states of the enlarged sector x kept states

    /// Sector of the enlarged block with the charge of a sector of `kept`. At the centre one of the two tensors may
    /// lack sectors of the other.
    std::optional<std::size_t> enlarged_sector(std::size_t kept_sector) const {
        return enlarged.sectors.find(kept.charges[kept_sector]);
    }
    /// Allocates a matrix of zeros for every kept sector.
    void allocate_matrices();
};

/// The same elements A(q, s, q') as a tensor of the other side: the kept bond and the bond of the enlarged block
/// exchange their roles. `site`: charges, [state of the site].
SiteTensor regrouped(const SiteTensor& tensor, const std::vector<Charge>& site);

/// J times a tensor of the last site, of the right side: its other bond has the two states on which J acts (job/terms.hpp).
SiteTensor times_imaginary_unit(const SiteTensor& tensor);

/// The wave function of two tensors that share a bond, X_Q = R_Q L_Q^T: [sector of `left.enlarged`] rows are states of
/// the enlarged right block, columns states of the left one. Sectors that only one of the tensors has are empty.
std::vector<Matrix> joined(const Algebra& algebra, const SiteTensor& left, const SiteTensor& right);

}  // namespace strata::dmrg
