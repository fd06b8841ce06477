// SPDX-License-Identifier: BSD-3-Clause
// Choice of the variant that computes products on the CPU.
#pragma once

#include <memory>

#include "superblock/host_options.hpp"
#include "superblock/host_product.hpp"

namespace strata::kronecker {

/// Makes the product of a plan by the variant of `options`. All references must outlive the result. Collective.
template <class Real>
std::unique_ptr<HostProduct<Real>> make_product(const Communicator& comm, const MultiplyPlan& plan, const Node& node,
                                                const HostOptions& options, Timers& timers);

/// Memory that this product allocates on a rank. `in_place`: all patches that the rank reads are in memory of its node.
template <class Real>
MemoryPrediction product_memory(const MultiplyPlan& plan, const HostOptions& options, int rank, bool in_place);

}  // namespace strata::kronecker
