// SPDX-License-Identifier: BSD-3-Clause
// Variants of the multiplication by a synthetic target, as the benchmark sees them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "library_multiply.hpp"
#include "superblock/target.hpp"

namespace strata::perf {

struct KroneckerCase {
    int sites;
    std::uint64_t saved_states, operators;
    double width;
};
superblock::Target make_target(const KroneckerCase& of);

/// A variant that is ready to run; it owns its operators and vectors, which have the same values in all variants.
struct Multiplication {
    std::string name;
    std::uint64_t operator_bytes = 0;
    std::function<void()> run;
    std::function<const double*()> result;  ///< vector y of the last run
};

Multiplication own_multiplication(const Communicator& comm, const superblock::Target& target, int threads);
Multiplication library_multiplication(const superblock::Target& target, LibraryVariant variant, GemmBackend backend,
                                      LibraryThreads threads);

}  // namespace strata::perf
