// SPDX-License-Identifier: BSD-3-Clause
// Distributed vectors of Kronecker operators as plain arrays.
#pragma once

#include <vector>

#include "comm/collectives.hpp"
#include "superblock/host_operator.hpp"

namespace strata::superblock {

/// All elements of a vector, on all ranks.
template <class Real>
std::vector<Real> all_elements(const HostOperator<Real>& op, const DistributedVector& x) {
    const std::uint64_t own = op.plan().elements().size();
    std::vector<Real> all = gather(op.comm(), std::span<const Real>(HostOperator<Real>::elements(x), own));
    all.resize(op.plan().layout().elements());
    broadcast_bytes(op.comm(), all.data(), all.size() * sizeof(Real), 0);
    return all;
}

/// The same for any backend, by means of the slabs of a checkpoint.
template <class Real>
std::vector<Real> state_elements(TargetOperator& op, DistributedVector& x) {
    std::vector<DistributedArray> arrays;
    op.add_state("x", x, arrays);
    std::vector<Real> own(op.plan().elements().size());
    const Range columns = op.plan().columns();
    if (!columns.empty()) arrays[0].read({columns, {0, own.size()}}, reinterpret_cast<std::byte*>(own.data()));
    std::vector<Real> all = gather(op.comm(), std::span<const Real>(own));
    all.resize(op.plan().layout().elements());
    broadcast_bytes(op.comm(), all.data(), all.size() * sizeof(Real), 0);
    return all;
}

}  // namespace strata::superblock
