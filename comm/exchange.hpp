// SPDX-License-Identifier: BSD-3-Clause
// Point-to-point messages of any length, planned first, then started and finished as a whole. A message longer than
// message_limit() is sent in pieces, because MPI counts end at 2^31 - 1. Exchange<Cuda> is in comm/device_exchange.hpp.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "comm/communicator.hpp"
#include "strata/backend.hpp"

namespace strata {

/// Bytes of the largest MPI message (default 1 GiB). Tests use less in order to send messages in several pieces.
std::size_t message_limit();
void set_message_limit(std::size_t bytes);

/// One planned message; `data` is not owned.
struct Transfer {
    int peer;
    int tag;
    char* data;
    std::size_t bytes;
};

/// Calls post(first byte, bytes) for each piece of a message; an empty message has one empty piece.
template <class Post>
void in_pieces(std::size_t bytes, std::size_t limit, Post post) {
    std::size_t done = 0;
    do {
        const std::size_t piece = std::min(limit, bytes - done);
        post(done, static_cast<int>(piece));
        done += piece;
    } while (done < bytes);
}

/// Pending MPI requests. The destructor cancels requests that an exception has left pending, because their memory is
/// freed next.
class Requests {
  public:
    Requests() = default;
    ~Requests();
    Requests(const Requests&) = delete;
    Requests& operator=(const Requests&) = delete;

    void receive(const Communicator& comm, const Transfer& from, std::size_t first, int bytes);
    void send(const Communicator& comm, const Transfer& to, std::size_t first, int bytes);
    /// Waits for a request and returns its index in the order of posting; returns -1 after all of them were returned.
    int wait_any();
    void wait_all();

  private:
    std::vector<MPI_Request> requests_;
};

/// A list of sends and receives in memory of one backend. Between two ranks and for one tag, sends match receives in
/// the order of planning. A plan can be started again after finish(). What a rank sends to itself is copied by start().
template <class Backend>
class Exchange;

template <>
class Exchange<Cpu> {
  public:
    explicit Exchange(const Communicator& comm) : comm_(comm) {}

    /// `data` is not owned; it must live until the last finish() of this plan.
    void plan_send(int to, int tag, const void* data, std::size_t bytes);
    void plan_receive(int from, int tag, void* data, std::size_t bytes);

    void start();
    void finish() { requests_.wait_all(); }

  private:
    /// A message of this rank to itself.
    struct Copy {
        const char* from;
        char* to;
        std::size_t bytes;
    };

    const Communicator& comm_;
    std::vector<Transfer> sends_, receives_;  ///< without those of copies_
    std::vector<Copy> copies_;
    Requests requests_;
};

/// Messages of an exchange that was agreed once: items that other ranks need from this one, and items of theirs that
/// this rank receives.
struct ItemMessages {
    struct Message {
        int peer;
        std::uint64_t first, count;  ///< first item and number, in the sent or the received memory
    };
    std::vector<Message> sends, receives;

    template <class Backend>
    void plan(Exchange<Backend>& exchange, int tag, const void* sent, void* received, std::size_t item_bytes) const {
        for (const Message& m : receives)
            exchange.plan_receive(m.peer, tag, static_cast<char*>(received) + m.first * item_bytes,
                                  m.count * item_bytes);
        for (const Message& m : sends)
            exchange.plan_send(m.peer, tag, static_cast<const char*>(sent) + m.first * item_bytes,
                               m.count * item_bytes);
    }
};

/// Exchanges that differ in one address, whose messages are planned once for each.
class PlannedExchanges {
  public:
    explicit PlannedExchanges(const Communicator& comm) : comm_(comm) {}

    /// Starts the exchange of an address; plan(exchange) plans its messages the first time.
    template <class Plan>
    void start(const void* address, Plan plan) {
        const auto [found, is_new] = planned_.try_emplace(address, comm_);
        if (is_new) plan(found->second);
        under_way_ = &found->second;
        under_way_->start();
    }
    void finish() { under_way_->finish(); }

  private:
    const Communicator& comm_;
    std::map<const void*, Exchange<Cpu>> planned_;
    Exchange<Cpu>* under_way_ = nullptr;
};

}  // namespace strata
