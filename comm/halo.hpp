// SPDX-License-Identifier: BSD-3-Clause
// Halo exchange of border rows and planes along a ring of ranks: each rank sends its first border to the previous rank
// and its last border to the next one. A single rank sends both borders to itself, by the same code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "comm/device_exchange.hpp"
#include "comm/exchange.hpp"
#include "comm/tags.hpp"
#include "strata/buffer.hpp"

namespace strata {

template <class Backend>
class RingHalo {
  public:
    /// Each border has `words` 64-bit words, the same number on every rank. `more`: the arguments of the constructor of
    /// Exchange<Backend> after the communicator.
    template <class... More>
    RingHalo(std::size_t words, const Communicator& comm, const More&... more)
        : to_previous_(words), to_next_(words), from_previous_(words), from_next_(words), exchange_(comm, more...) {
        // with two ranks both borders are sent to the same neighbour; only the tag distinguishes them
        exchange_.plan_receive(comm.previous(), tag::halo_to_next, from_previous_.data(), from_previous_.bytes());
        exchange_.plan_receive(comm.next(), tag::halo_to_previous, from_next_.data(), from_next_.bytes());
        exchange_.plan_send(comm.next(), tag::halo_to_next, to_next_.data(), to_next_.bytes());
        exchange_.plan_send(comm.previous(), tag::halo_to_previous, to_previous_.data(), to_previous_.bytes());
    }

    /// Borders to be filled before start(), and the borders received, which are valid after finish().
    Buffer<std::uint64_t, Backend>& to_previous() { return to_previous_; }
    Buffer<std::uint64_t, Backend>& to_next() { return to_next_; }
    const Buffer<std::uint64_t, Backend>& from_previous() const { return from_previous_; }
    const Buffer<std::uint64_t, Backend>& from_next() const { return from_next_; }

    void start() { exchange_.start(); }
    void finish() { exchange_.finish(); }

  private:
    Buffer<std::uint64_t, Backend> to_previous_, to_next_, from_previous_, from_next_;
    Exchange<Backend> exchange_;
};

}  // namespace strata
