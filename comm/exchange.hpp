// SPDX-License-Identifier: BSD-3-Clause
// Point-to-point transfers of any length, planned first, then started and finished as a whole. A message longer than
// message_limit() goes in pieces, because MPI counts end at 2^31 - 1.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "comm/communicator.hpp"

namespace strata {

/// Bytes of the largest single message (default 1 GiB). Tests lower it to walk the path of several pieces.
std::size_t message_limit();
void set_message_limit(std::size_t bytes);

/// A list of sends and receives. Between two ranks and for one tag, sends match receives in the order of planning.
class Exchange {
  public:
    explicit Exchange(const Communicator& comm) : comm_(comm) {}
    ~Exchange();
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    /// The memory must live until finish() and, if the plan is used again, until the last one.
    void plan_send(int to, int tag, const void* data, std::size_t bytes) {
        sends_.push_back({to, tag, const_cast<void*>(data), bytes});
    }
    void plan_receive(int from, int tag, void* data, std::size_t bytes) {
        receives_.push_back({from, tag, data, bytes});
    }

    void start();
    void finish();

  private:
    struct Transfer {
        int peer;
        int tag;
        void* data;
        std::size_t bytes;
    };

    const Communicator& comm_;
    std::vector<Transfer> sends_, receives_;
    std::vector<MPI_Request> requests_;
};

}  // namespace strata
