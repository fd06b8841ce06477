// SPDX-License-Identifier: BSD-3-Clause
// One multiplication of a synthetic target as the benchmark sees it, whoever carries it out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "kernels/kronecker/library_multiply.hpp"
#include "kronecker/target.hpp"

namespace strata::perf {

struct KroneckerCase {
    int sites;
    std::uint64_t saved_states, operators;
    double width;
};
kronecker::Target make_target(const KroneckerCase& of);

/// A way to multiply, ready to run; it owns its operators and vectors, which are the same for all.
struct Multiplication {
    std::string name;
    std::uint64_t operator_bytes = 0;
    std::function<void()> run;
    std::function<const double*()> result;  ///< y of the last run
};

Multiplication own_multiplication(const Communicator& comm, const kronecker::Target& target, int threads);
Multiplication library_multiplication(const kronecker::Target& target, kronecker::LibraryVariant variant,
                                      kronecker::GemmBackend backend, kronecker::LibraryThreads threads);

}  // namespace strata::perf
