// SPDX-License-Identifier: BSD-3-Clause
// Smallest images of bit strings under a group of permutations of the sites, with the tables of the search
// (kernels/lanczos/orbit_search.hpp). Strings are compared in an order of their bits in which a block of the group comes
// first; "coded" strings have their bits in this order.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/lanczos/orbit_search.hpp"
#include "models/symmetry.hpp"
#include "strata/buffer.hpp"

namespace strata::lanczos {

/// The largest set of at most `most` sites that every element maps onto itself or onto other sites, as a bit string.
std::uint64_t block_of_sites(const SymmetryGroup& group, int most);

/// A block T of the search: its bit string, the number of blocks T_k that elements map onto it, and the number of smallest
/// values that it has.
struct SearchedBlock {
    std::uint64_t sites = 0, images = 1, smallest = 1;
    SearchedBlock(const SymmetryGroup& group, int most);
};

class SmallestImages {
  public:
    /// `top_bits`: largest number of sites that are looked up at once, at most 20; with 0 strings are compared as numbers,
    /// and every element is tried. The group must outlive the object.
    SmallestImages(const SymmetryGroup& group, int top_bits);

    OrbitSearchView view() const;
    int top_bits() const { return top_bits_; }
    int low_bits() const { return group_->sites() - top_bits_; }
    /// The string with the bits of `occupation` in the order of comparison, and its inverse.
    std::uint64_t coded(std::uint64_t occupation) const { return reordered(to_order_, occupation); }
    std::uint64_t occupation(std::uint64_t coded) const { return reordered(from_order_, coded); }
    /// [site] its bit in coded strings.
    const std::vector<int>& bit_of_site() const { return bit_of_site_; }

    std::uint64_t image(std::uint32_t g, std::uint64_t coded) const { return view().image(g, coded); }
    /// Whether no element leads to a smaller string.
    bool is_smallest(std::uint64_t coded) const;
    SmallestImage find(std::uint64_t coded) const { return smallest_image(view(), coded); }

  private:
    using ByteTable = std::vector<std::uint64_t>;  ///< [byte][value of the byte] bits of the result
    static ByteTable byte_table(const std::vector<int>& to);
    static std::uint64_t reordered(const ByteTable& table, std::uint64_t string);
    /// Whether T is one half of a string, and the other bits are a block that an element maps onto T.
    bool halves() const { return blocks_.size() == 2 && 2 * top_bits_ == group_->sites(); }
    void order_bits(std::uint64_t block);
    void tabulate_low_images();
    void find_blocks();
    void tabulate_tops();

    const SymmetryGroup* group_;
    int top_bits_;
    std::vector<int> bit_of_site_;
    ByteTable to_order_, from_order_;
    std::vector<std::uint64_t> images_, inverted_;
    std::vector<std::uint64_t> blocks_;                    ///< [k] T_k as a coded string
    std::vector<std::vector<std::uint32_t>> elements_of_;  ///< [k] elements with T_k -> T
    std::vector<std::uint32_t> values_, elements_;
    std::vector<std::uint32_t> low_images_, low_image_of_;  ///< OrbitSearchView
    Buffer<OrbitSearchView::Top> tops_;
};

}  // namespace strata::lanczos
