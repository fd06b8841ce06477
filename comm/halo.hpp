// SPDX-License-Identifier: BSD-3-Clause
// Border rows and planes of slices along a ring of ranks: each rank gives its first border to the previous rank and
// its last border to the next one. With one rank the ring is closed in itself, by the same code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/exchange.hpp"

namespace strata {

class RingHalo {
  public:
    /// Borders of `words` 64-bit words, the same on every rank.
    RingHalo(const Communicator& comm, std::size_t words);

    std::vector<std::uint64_t>& to_previous() { return to_previous_; }
    std::vector<std::uint64_t>& to_next() { return to_next_; }
    const std::vector<std::uint64_t>& from_previous() const { return from_previous_; }
    const std::vector<std::uint64_t>& from_next() const { return from_next_; }

    void start() { exchange_.start(); }
    void finish() { exchange_.finish(); }

  private:
    std::vector<std::uint64_t> to_previous_, to_next_, from_previous_, from_next_;
    Exchange exchange_;
};

}  // namespace strata
