// SPDX-License-Identifier: BSD-3-Clause
// A copy of a whole distributed vector on every rank, for operators that read numbers from anywhere: each rank sends its
// part to all others.
#pragma once

#include <cstddef>
#include <vector>

#include "comm/exchange.hpp"
#include "strata/buffer.hpp"
#include "strata/partition.hpp"

namespace strata {

class WholeVector {
  public:
    /// `parts`: [rank] the bytes of its part, ascending without gaps from 0. `comm` must outlive it.
    WholeVector(const Communicator& comm, const std::vector<Range>& parts);

    /// Copies the part of this rank and sends it; finish() completes the copies of all parts. Collective.
    void start(const void* own);
    void finish() { exchange_.finish(); }
    const void* data() const { return whole_.data(); }

  private:
    const Range own_;
    Buffer<std::byte> whole_;
    Exchange<Cpu> exchange_;
};

}  // namespace strata
