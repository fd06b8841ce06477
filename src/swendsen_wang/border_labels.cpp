// SPDX-License-Identifier: BSD-3-Clause
#include "swendsen_wang/border_labels.hpp"

namespace strata::swendsen_wang {

void BorderLabels::begin(std::uint64_t labels) {
    ownership_ = LabelOwnership(comm_, labels);
    clusters_.root.clear();
    clusters_.label.clear();
    clusters_.to_previous.clear();
    clusters_.to_next.clear();
}

std::uint32_t BorderLabels::add(std::uint32_t root, std::uint8_t coin) {
    clusters_.root.push_back(root);
    clusters_.label.push_back(coloured(ownership_.global(root), coin));
    return static_cast<std::uint32_t>(clusters_.root.size() - 1);
}

void BorderLabels::resolve() { cost_ = strata::resolve(comm_, protocol_, clusters_); }

}  // namespace strata::swendsen_wang
