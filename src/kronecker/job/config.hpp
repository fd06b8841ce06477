// SPDX-License-Identifier: BSD-3-Clause
// The keys of a Kronecker job and the values that they resolve to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krylov/hermitian_operator.hpp"
#include "strata/choices.hpp"
#include "strata/config.hpp"
#include "superblock/partition.hpp"
#include "superblock/target.hpp"

namespace strata::kronecker {

inline constexpr Choice<superblock::Rule> rule_choices[] = {{"axis", superblock::Rule::axis},
                                                            {"moore", superblock::Rule::moore}};

inline constexpr Choice<superblock::Partition> partition_choices[] = {{"auto", superblock::Partition::automatic},
                                                                      {"rows", superblock::Partition::rows},
                                                                      {"columns", superblock::Partition::columns}};

struct KroneckerConfig {
    superblock::SyntheticModel model;
    std::uint64_t operators = 8;
    superblock::Rule rule = superblock::Rule::axis;
    std::uint64_t seed = 1;

    superblock::Partition partition = superblock::Partition::automatic;
    krylov::Precision precision = krylov::Precision::double_;
    std::string simd = "auto";
    std::uint64_t repeats = 10;
};

std::vector<Key> keys();
/// The values of a Config whose keys have been checked for type and range.
KroneckerConfig resolve_config(const Config& config);

}  // namespace strata::kronecker
