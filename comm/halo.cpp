// SPDX-License-Identifier: BSD-3-Clause
#include "comm/halo.hpp"

namespace strata {

RingHalo::RingHalo(const Communicator& comm, std::size_t words)
    : to_previous_(words), to_next_(words), from_previous_(words), from_next_(words), exchange_(comm) {
    // with two ranks both borders go to the same neighbour: the tag tells them apart
    constexpr int upward = 21, downward = 22;
    const std::size_t bytes = words * sizeof(std::uint64_t);
    exchange_.plan_receive(comm.previous(), upward, from_previous_.data(), bytes);
    exchange_.plan_receive(comm.next(), downward, from_next_.data(), bytes);
    exchange_.plan_send(comm.next(), upward, to_next_.data(), bytes);
    exchange_.plan_send(comm.previous(), downward, to_previous_.data(), bytes);
}

}  // namespace strata
