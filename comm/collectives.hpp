// SPDX-License-Identifier: BSD-3-Clause
// Collective operations on values, spans and vectors. Sums are sums of integers, exact or formed in rank order, so that
// they do not depend on MPI's order of reduction. All functions are collective.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/exchange.hpp"
#include "comm/tags.hpp"
#include "strata/error.hpp"
#include "strata/exact_sum.hpp"

namespace strata {

std::uint64_t all_sum(const Communicator& comm, std::uint64_t value);
std::uint64_t all_max(const Communicator& comm, std::uint64_t value);
std::uint64_t all_min(const Communicator& comm, std::uint64_t value);
/// Sum of the values of all lower ranks; 0 on rank 0.
std::uint64_t exclusive_sum(const Communicator& comm, std::uint64_t value);
/// Element-wise sums and maxima over all ranks, stored on rank 0; `values` of other ranks do not change.
void sum_to_root(const Communicator& comm, std::span<std::uint64_t> values);
void max_to_root(const Communicator& comm, std::span<std::uint64_t> values);
/// Element-wise sums over all ranks, stored on all ranks; the bits do not depend on the distribution of the addends.
void all_sum(const Communicator& comm, std::span<ExactSum> values);
bool same_on_all_ranks(const Communicator& comm, std::uint64_t value);

void broadcast_bytes(const Communicator& comm, void* data, std::size_t bytes, int root);
/// Sends the text of rank `root` to all ranks.
void broadcast(const Communicator& comm, std::string& text, int root = 0);
template <class T>
requires std::is_trivially_copyable_v<T>
void broadcast(const Communicator& comm, T& value, int root = 0) { broadcast_bytes(comm, &value, sizeof value, root); }

/// The values of all ranks in rank order, on all ranks.
std::vector<std::uint64_t> all_gather(const Communicator& comm, std::uint64_t value);

/// The items of all ranks, concatenated in rank order, on rank 0; empty elsewhere.
template <class T>
std::vector<T> gather(const Communicator& comm, std::span<const T> items) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::vector<std::uint64_t> counts = all_gather(comm, items.size());
    std::vector<T> all;
    Exchange<Cpu> exchange(comm);
    if (comm.is_root()) {
        std::uint64_t total = 0;
        for (std::uint64_t count : counts) total += count;
        all.resize(total);
        std::uint64_t at = 0;
        for (int rank = 0; rank < comm.size(); at += counts[static_cast<std::size_t>(rank)], ++rank)
            exchange.plan_receive(rank, tag::gather, all.data() + at,
                                  counts[static_cast<std::size_t>(rank)] * sizeof(T));
    }
    exchange.plan_send(0, tag::gather, items.data(), items.size() * sizeof(T));
    exchange.start();
    exchange.finish();
    return all;
}

/// The texts of all ranks in rank order, on rank 0; empty elsewhere.
std::vector<std::string> gather(const Communicator& comm, const std::string& text);

/// `counts`: [rank] number of items for that rank. Returns [rank] the number of items that it has for this rank.
std::vector<std::uint64_t> transpose(const Communicator& comm, const std::vector<std::uint64_t>& counts);

/// Sends to_rank[r] to rank r; returns [rank] the items received from it.
template <class T>
std::vector<std::vector<T>> all_to_all(const Communicator& comm, const std::vector<std::vector<T>>& to_rank) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<std::uint64_t> counts;
    for (const std::vector<T>& items : to_rank) counts.push_back(items.size());
    const std::vector<std::uint64_t> incoming = transpose(comm, counts);
    std::vector<std::vector<T>> received(counts.size());
    Exchange<Cpu> exchange(comm);
    for (int rank = 0; rank < comm.size(); ++rank) {
        const auto r = static_cast<std::size_t>(rank);
        received[r].resize(incoming[r]);
        if (incoming[r] != 0) exchange.plan_receive(rank, tag::all_gather, received[r].data(), incoming[r] * sizeof(T));
        if (counts[r] != 0) exchange.plan_send(rank, tag::all_gather, to_rank[r].data(), counts[r] * sizeof(T));
    }
    exchange.start();
    exchange.finish();
    return received;
}

/// An Error that every rank throws at the same place: rank 0 prints it once, and all ranks exit with its code.
class CollectiveError : public Error {
  public:
    using Error::Error;
};

/// Runs `body` on every rank; if it throws on any of them, all ranks throw a CollectiveError with the sentence of the
/// lowest such rank. `body` must not contain collective calls that a failing rank would skip.
void collectively(const Communicator& comm, const std::function<void()>& body);

}  // namespace strata
