// SPDX-License-Identifier: BSD-3-Clause
// All sites have the same codes, so that the number of strings depends on the number of sites that are free, and not on
// which they are.
#include "lanczos/physics/coded_strings.hpp"

#include <algorithm>
#include <bit>

namespace strata::lanczos {

SiteCodes SiteCodes::levels(int highest) {
    SiteCodes all = {highest, {}};
    for (int level = 0; level <= highest; ++level) all.codes.push_back((std::uint64_t{1} << level) - 1);
    return all;
}

CodedStrings::CodedStrings(int sites, SiteCodes codes, StringCharge charge)
    : sites_(sites), codes_(std::move(codes)), charge_(std::move(charge)) {
    for (const std::uint64_t code : codes_.codes) weight_.push_back(added(code, 0));
    if (charge_.modulus == 0) least_ = std::ranges::min(weight_);
    for (int& weight : weight_) weight = reduced(weight - least_);
    width_ = static_cast<std::uint64_t>(charge_.modulus > 0 ? charge_.modulus : sites_ * std::ranges::max(weight_) + 1);
    ways_.assign(static_cast<std::size_t>(sites_ + 1) * width_, 0);
    ways_[0] = 1;
    for (int n = 1; n <= sites_; ++n)
        for (std::uint64_t q = 0; q < width_; ++q)
            for (const int weight : weight_)
                ways_[static_cast<std::uint64_t>(n) * width_ + q] += ways(n - 1, static_cast<int>(q) - weight);
}

int CodedStrings::reduced(int charge) const {
    if (charge_.modulus == 0) return charge;
    return ((charge % charge_.modulus) + charge_.modulus) % charge_.modulus;
}

std::uint64_t CodedStrings::ways(int sites, int charge) const {
    const int q = reduced(charge);
    if (q < 0 || static_cast<std::uint64_t>(q) >= width_) return 0;
    return ways_[static_cast<std::uint64_t>(sites) * width_ + static_cast<std::uint64_t>(q)];
}

std::uint64_t CodedStrings::count_with(std::uint64_t mask, std::uint64_t value, int charge) const {
    const std::uint64_t of_site = (std::uint64_t{1} << codes_.bits) - 1;
    int free = sites_;
    std::vector<std::uint64_t> fixed = {1};  // [charge of the fixed sites] number of ways to give them codes
    for (int site = 0; site < sites_; ++site) {
        const int shift = site * codes_.bits;
        const std::uint64_t own = mask >> shift & of_site, needed = value >> shift & of_site;
        if (own == 0) continue;
        --free;
        std::vector<std::uint64_t> more(fixed.size() + static_cast<std::size_t>(std::ranges::max(weight_)), 0);
        for (std::size_t c = 0; c < weight_.size(); ++c)
            if ((codes_.codes[c] & own) == needed)
                for (std::size_t q = 0; q < fixed.size(); ++q)
                    more[q + static_cast<std::size_t>(weight_[c])] += fixed[q];
        fixed = std::move(more);
    }
    std::uint64_t sum = 0;
    for (std::size_t q = 0; q < fixed.size(); ++q)
        if (fixed[q] != 0) sum += fixed[q] * ways(free, charge - least() - static_cast<int>(q));
    return sum;
}

std::uint64_t CodedStrings::index_of(std::uint64_t string, int charge) const {
    const std::uint64_t of_site = (std::uint64_t{1} << codes_.bits) - 1;
    std::uint64_t index = 0;
    int left = charge - least();
    for (int site = sites_ - 1; site >= 0; --site) {
        const std::uint64_t code = string >> (site * codes_.bits) & of_site;
        std::size_t c = 0;
        for (; codes_.codes[c] < code; ++c) index += ways(site, left - weight_[c]);
        left -= weight_[c];
    }
    return index;
}

std::uint64_t CodedStrings::string(std::uint64_t index, int charge) const {
    std::uint64_t string = 0;
    int left = charge - least();
    for (int site = sites_ - 1; site >= 0; --site) {
        std::size_t c = 0;
        for (std::uint64_t before = ways(site, left - weight_[c]); index >= before;
             before = ways(site, left - weight_[c])) {
            index -= before;
            ++c;
        }
        string |= codes_.codes[c] << (site * codes_.bits);
        left -= weight_[c];
    }
    return string;
}

int CodedStrings::added(std::uint64_t flip, std::uint64_t value) const {
    int sum = 0;
    for (; flip != 0; flip &= flip - 1) {
        const int bit = std::countr_zero(flip);
        const int weight = charge_.weight[static_cast<std::size_t>(bit % codes_.bits)];
        sum += (value >> bit & 1) != 0 ? -weight : weight;
    }
    return sum;
}

}  // namespace strata::lanczos
