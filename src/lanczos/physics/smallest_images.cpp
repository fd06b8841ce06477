// SPDX-License-Identifier: BSD-3-Clause
// A block is found by closing a set of sites under the rule that an element which maps one of them into the set maps all
// its sites into it. It grows site by site while it is small enough.
#include "lanczos/physics/smallest_images.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "strata/parallel.hpp"

namespace strata::lanczos {
namespace {

constexpr std::uint64_t one_bit = 1;

std::uint64_t moved(const SitePermutation& image, std::uint64_t sites) {
    std::uint64_t to = 0;
    for (; sites != 0; sites &= sites - 1) to |= one_bit << image[static_cast<std::size_t>(std::countr_zero(sites))];
    return to;
}

/// The smallest block that contains these sites.
std::uint64_t closure(const SymmetryGroup& group, std::uint64_t sites) {
    for (bool grown = true; grown;) {
        grown = false;
        for (std::uint32_t g = 0; g < group.order(); ++g)
            if (const std::uint64_t to = moved(group.image(g), sites); (to & sites) != 0 && (to & ~sites) != 0) {
                sites |= to;
                grown = true;
            }
    }
    return sites;
}

}  // namespace

std::uint64_t block_of_sites(const SymmetryGroup& group, int most) {
    std::uint64_t block = 0;
    for (bool grown = true; grown;) {
        std::uint64_t largest = block;
        for (int site = 0; site < group.sites(); ++site) {
            if ((block >> site & 1) != 0) continue;
            const std::uint64_t larger = closure(group, block | one_bit << site);
            if (std::popcount(larger) <= most && std::popcount(larger) > std::popcount(largest)) largest = larger;
        }
        grown = largest != block;
        block = largest;
    }
    return block;
}

/// Elements that map T onto itself map its values onto each other; of these orbits, by Burnside's lemma, each has a smallest
/// one.
SearchedBlock::SearchedBlock(const SymmetryGroup& group, int most) : sites(block_of_sites(group, most)) {
    std::uint64_t elements = 0, unchanged = 0;
    for (std::uint32_t g = 0; g < group.order(); ++g) {
        const SitePermutation& image = group.image(g);
        if (moved(image, sites) != sites) continue;
        ++elements;
        std::uint64_t values = 1;
        for (std::uint64_t left = sites; left != 0;) {
            const int start = std::countr_zero(left);
            int length = 0, site = start;
            do {
                left ^= one_bit << site;
                site = image[static_cast<std::size_t>(site)];
                ++length;
            } while (site != start);
            values *= group.complements(g) && length % 2 == 1 ? 0 : 2;
        }
        unchanged += values;
    }
    images = group.order() / elements;
    smallest = unchanged / elements;
}

SmallestImages::SmallestImages(const SymmetryGroup& group, int top_bits) : group_(&group) {
    const std::uint64_t block = block_of_sites(group, top_bits);
    top_bits_ = std::popcount(block);
    order_bits(block);
    find_blocks();
    tabulate_low_images();
    tabulate_tops();
}

/// Both parts keep the order of the sites.
void SmallestImages::order_bits(std::uint64_t block) {
    const auto sites = static_cast<std::size_t>(group_->sites());
    int low = 0, high = group_->sites() - top_bits_;
    std::vector<int> site_of_bit(sites);
    for (std::size_t site = 0; site < sites; ++site) {
        bit_of_site_.push_back((block >> site & 1) != 0 ? high++ : low++);
        site_of_bit[static_cast<std::size_t>(bit_of_site_.back())] = static_cast<int>(site);
    }
    to_order_ = byte_table(bit_of_site_);
    from_order_ = byte_table(site_of_bit);
    for (std::uint32_t g = 0; g < group_->order(); ++g) {
        std::vector<int> to(sites);
        for (std::size_t bit = 0; bit < sites; ++bit) {
            const int site = group_->image(g)[static_cast<std::size_t>(site_of_bit[bit])];
            to[bit] = bit_of_site_[static_cast<std::size_t>(site)];
        }
        const ByteTable table = byte_table(to);
        images_.insert(images_.end(), table.begin(), table.end());
        inverted_.push_back(group_->complements(g) ? ~std::uint64_t{0} >> (64 - sites) : 0);
    }
}

SmallestImages::ByteTable SmallestImages::byte_table(const std::vector<int>& to) {
    ByteTable table;
    for (std::size_t first = 0; first < to.size(); first += 8)
        for (std::uint64_t value = 0; value < 256; ++value) {
            std::uint64_t bits = 0;
            for (std::size_t bit = 0; bit < 8 && first + bit < to.size(); ++bit)
                if ((value >> bit & 1) != 0) bits |= one_bit << to[first + bit];
            table.push_back(bits);
        }
    return table;
}

std::uint64_t SmallestImages::reordered(const ByteTable& table, std::uint64_t string) {
    std::uint64_t moved = 0;
    for (const std::uint64_t* byte = table.data(); string != 0; string >>= 8, byte += 256) moved |= byte[string & 255];
    return moved;
}

/// The blocks T_k, that of the identity first, and the value of each in every byte of a string.
void SmallestImages::find_blocks() {
    const auto sites = static_cast<std::uint64_t>(group_->sites());
    const std::uint64_t top = top_bits_ == 0 ? 0 : ~std::uint64_t{0} >> (64 - top_bits_) << low_bits();
    std::map<std::uint64_t, std::size_t> numbers;
    for (std::uint32_t g = 0; g < group_->order(); ++g) {
        const std::uint32_t back = group_->inverse(g);
        const std::uint64_t block = image(back, top) ^ inverted_[back];
        const auto [at, is_new] = numbers.try_emplace(block, blocks_.size());
        if (is_new) {
            blocks_.push_back(block);
            elements_of_.emplace_back();
        }
        elements_of_[at->second].push_back(g);
    }
    for (const std::uint64_t block : blocks_)
        for (std::uint64_t first = 0; first < sites; first += 8)
            for (std::uint64_t value = 0; value < 256; ++value) {
                std::uint32_t sum = 0;
                for (std::uint64_t bit = 0; bit < 8 && first + bit < sites; ++bit)
                    if ((value >> bit & 1) != 0 && (block >> (first + bit) & 1) != 0)
                        sum |= std::uint32_t{1} << std::popcount(block & ((one_bit << (first + bit)) - 1));
                values_.push_back(sum);
            }
}

/// Equal tables are stored once.
void SmallestImages::tabulate_low_images() {
    if (low_bits() > 32) return;
    std::map<std::vector<std::uint32_t>, std::uint32_t> places;
    const std::uint64_t low = (one_bit << low_bits()) - 1;
    low_image_of_.resize(group_->order());
    for (std::size_t k = 0; k < blocks_.size(); ++k)
        for (const std::uint32_t g : elements_of_[k]) {
            std::vector<std::uint32_t> table;
            for (const auto& [first, last] : {std::pair(0, low_bits()), std::pair(low_bits(), group_->sites())}) {
                if (halves() && (first == 0) != (k == 0)) continue;
                for (int byte = first; byte < last; byte += 8)
                    for (std::uint64_t value = 0; value < 256; ++value) {
                        const std::uint64_t bits = value & ((one_bit << std::min(8, last - byte)) - 1);
                        table.push_back(static_cast<std::uint32_t>((image(g, bits << byte) ^ inverted_[g]) & low));
                    }
            }
            const auto [at, is_new] = places.try_emplace(table, static_cast<std::uint32_t>(low_images_.size()));
            if (is_new) low_images_.insert(low_images_.end(), table.begin(), table.end());
            low_image_of_[g] = at->second << 2 | (halves() && k != 0 ? 2u : 0u) | (inverted_[g] != 0 ? 1u : 0u);
        }
}

/// The smallest value of T for every value of T_k. Lists of one element are parts of that of all; the others follow it.
void SmallestImages::tabulate_tops() {
    const std::uint64_t values = one_bit << top_bits_;
    for (std::uint32_t g = 0; g < group_->order(); ++g) elements_.push_back(g);
    elements_.push_back(0);  // the place behind an element is read with it, and must be no length of a list
    constexpr std::uint32_t several = ~std::uint32_t{0};
    std::map<std::vector<std::uint32_t>, std::uint32_t> lists;
    tops_ = Buffer<OrbitSearchView::Top>(blocks_.size() * values);
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
        std::vector<std::uint64_t> bits;  // those of T_k, ascending
        for (std::uint64_t left = blocks_[k]; left != 0; left &= left - 1) bits.push_back(left & ~(left - 1));
        const auto string_of = [&](std::uint64_t value) {
            std::uint64_t string = 0;
            for (std::size_t i = 0; i < bits.size(); ++i) string |= (value >> i & 1) != 0 ? bits[i] : 0;
            return string;
        };
        const auto top_of_image = [&](std::uint32_t g, std::uint64_t string) {
            return static_cast<std::uint32_t>(top_bits_ == 0 ? 0 : image(g, string) >> low_bits());
        };
        OrbitSearchView::Top* const tops = tops_.data() + k * values;
        for_each_parallel({0, values}, [&](std::uint64_t value) {
            OrbitSearchView::Top top = {~std::uint32_t{0}, 0};
            const std::uint64_t string = string_of(value);
            for (const std::uint32_t g : elements_of_[k]) {
                const std::uint32_t to = top_of_image(g, string);
                if (to < top.smallest)
                    top = {to, OrbitSearchView::list_of(g, 1)};
                else if (to == top.smallest)
                    top.list = several;
            }
            tops[value] = top;
        });
        for (std::uint64_t value = 0; value < values; ++value) {
            if (tops[value].list != several) continue;
            std::vector<std::uint32_t> list;
            for (const std::uint32_t g : elements_of_[k])
                if (top_of_image(g, string_of(value)) == tops[value].smallest) list.push_back(g);
            const auto length = static_cast<std::uint32_t>(list.size()),
                       first = static_cast<std::uint32_t>(elements_.size()) + 1;
            const auto [at, is_new] = lists.try_emplace(list, OrbitSearchView::list_of(first, length));
            if (is_new) {
                elements_.push_back(length);
                elements_.insert(elements_.end(), list.begin(), list.end());
            }
            tops[value].list = at->second;
        }
    }
    elements_.insert(elements_.end(), 3, 0);
}

OrbitSearchView SmallestImages::view() const {
    return {group_->sites(),
            top_bits_,
            static_cast<std::uint32_t>(blocks_.size()),
            images_.data(),
            inverted_.data(),
            values_.data(),
            tops_.data(),
            elements_.data(),
            halves(),
            low_image_of_.empty() ? nullptr : low_images_.data(),
            low_image_of_.data()};
}

bool SmallestImages::is_smallest(std::uint64_t coded) const {
    const OrbitSearchView search = view();
    const auto own = static_cast<std::uint32_t>(top_bits_ == 0 ? 0 : coded >> low_bits());
    bool smallest = true;
    search.for_each_top(coded, [&](OrbitSearchView::Top top) {
        if (!smallest || top.smallest > own) return;
        smallest = top.smallest == own;
        const std::uint32_t* list = search.elements + OrbitSearchView::first_of(top.list);
        for (std::uint32_t i = 0; smallest && i < search.count_of(top.list); ++i)
            smallest = search.image(list[i], coded) >= coded;
    });
    return smallest;
}

}  // namespace strata::lanczos
