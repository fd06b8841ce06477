// SPDX-License-Identifier: BSD-3-Clause
// The communicator of all ranks of a test program, and references that one rank computes for all.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "comm/collectives.hpp"
#include "comm/communicator.hpp"

/// The communicator of all ranks of this test program.
const strata::Communicator& world();

/// Rank 0 does the work. The others sleep until then: ranks that wait in MPI would take the cores away from it. Collective.
void on_root(const std::function<void()>& work);

/// Sends numbers of rank `root` to all. Collective.
template <class T>
void share(std::vector<T>& numbers, int root = 0) {
    std::uint64_t count = numbers.size();
    strata::broadcast(world(), count, root);
    numbers.resize(count);
    strata::broadcast_bytes(world(), numbers.data(), count * sizeof(T), root);
}
