// SPDX-License-Identifier: BSD-3-Clause
// Point-to-point transfers of any length, planned first, then started and finished as a whole. A message longer than
// message_limit() goes in pieces, because MPI counts end at 2^31 - 1. Exchange<Cuda> is in comm/device_exchange.hpp.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "comm/communicator.hpp"
#include "strata/backend.hpp"

namespace strata {

/// Bytes of the largest single message (default 1 GiB). Tests lower it to walk the path of several pieces.
std::size_t message_limit();
void set_message_limit(std::size_t bytes);

/// One planned message.
struct Transfer {
    int peer;
    int tag;
    char* data;
    std::size_t bytes;
};

/// Calls post(first byte, bytes) for each piece of a message; an empty message is one empty piece.
template <class Post>
void in_pieces(std::size_t bytes, std::size_t limit, Post post) {
    std::size_t done = 0;
    do {
        const std::size_t piece = std::min(limit, bytes - done);
        post(done, static_cast<int>(piece));
        done += piece;
    } while (done < bytes);
}

/// Requests under way. Left by an exception the program is about to end, and the memory must not go before them.
class Requests {
  public:
    Requests() = default;
    ~Requests();
    Requests(const Requests&) = delete;
    Requests& operator=(const Requests&) = delete;

    void receive(const Communicator& comm, const Transfer& from, std::size_t first, int bytes);
    void send(const Communicator& comm, const Transfer& to, std::size_t first, int bytes);
    /// Index, in order of posting, of one that is complete now; -1 when all were returned.
    int wait_any();
    void wait_all();

  private:
    std::vector<MPI_Request> requests_;
};

/// A list of sends and receives of one backend's memory. Between two ranks and for one tag, sends match receives in the
/// order of planning.
template <class Backend>
class Exchange;

template <>
class Exchange<Cpu> {
  public:
    explicit Exchange(const Communicator& comm) : comm_(comm) {}

    /// The memory must live until finish() and, if the plan is used again, until the last one.
    void plan_send(int to, int tag, const void* data, std::size_t bytes) {
        sends_.push_back({to, tag, static_cast<char*>(const_cast<void*>(data)), bytes});
    }
    void plan_receive(int from, int tag, void* data, std::size_t bytes) {
        receives_.push_back({from, tag, static_cast<char*>(data), bytes});
    }

    void start();
    void finish() { requests_.wait_all(); }

  private:
    const Communicator& comm_;
    std::vector<Transfer> sends_, receives_;
    Requests requests_;
};

}  // namespace strata
