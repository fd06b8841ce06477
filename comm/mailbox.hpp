// SPDX-License-Identifier: BSD-3-Clause
// Messages of any length for protocols that are not collective. The receiver polls: a rank that computes calls look()
// between two steps; a rank that waits sleeps between two polls and leaves its core to other processes.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "comm/communicator.hpp"

namespace strata {

struct Message {
    int source = 0;
    std::vector<std::byte> bytes;
};

/// Sends and receives messages of one tag between the ranks of a communicator.
class Mailbox {
  public:
    /// `comm` must outlive the object.
    Mailbox(const Communicator& comm, int tag) : comm_(comm), tag_(tag) {}

    /// Returns when `bytes` may be changed; for a long message this is after the receiver has called look() or wait().
    void send(int rank, const std::vector<std::byte>& bytes) const;
    /// The next message from any rank, or nothing if none has arrived.
    std::optional<Message> look() const;
    /// The next message from any rank; sleeps until one arrives.
    Message wait() const;

  private:
    const Communicator& comm_;
    int tag_;
};

/// Barrier whose waiting ranks sleep. Collective.
void quiet_barrier(const Communicator& comm);

}  // namespace strata
