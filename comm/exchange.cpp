// SPDX-License-Identifier: BSD-3-Clause
#include "comm/exchange.hpp"

#include <algorithm>

namespace strata {
namespace {

std::size_t limit = std::size_t{1} << 30;

/// Calls post(piece, bytes) for each piece of a message; an empty message is one empty piece.
template <class Post>
void in_pieces(void* data, std::size_t bytes, Post post) {
    std::size_t done = 0;
    do {
        const std::size_t piece = std::min(limit, bytes - done);
        post(static_cast<char*>(data) + done, static_cast<int>(piece));
        done += piece;
    } while (done < bytes);
}

}  // namespace

std::size_t message_limit() { return limit; }
void set_message_limit(std::size_t bytes) { limit = std::clamp<std::size_t>(bytes, 1, std::size_t{1} << 30); }

Exchange::~Exchange() {
    // left by an exception between start() and finish(): the program is about to end, the memory must not go first
    for (MPI_Request& request : requests_)
        if (request != MPI_REQUEST_NULL) {
            MPI_Cancel(&request);
            MPI_Request_free(&request);
        }
}

void Exchange::start() {
    for (const Transfer& t : receives_)
        in_pieces(t.data, t.bytes, [&](void* piece, int bytes) {
            requests_.push_back(MPI_REQUEST_NULL);
            check_mpi(MPI_Irecv(piece, bytes, MPI_BYTE, t.peer, t.tag, comm_.raw(), &requests_.back()));
        });
    for (const Transfer& t : sends_)
        in_pieces(t.data, t.bytes, [&](void* piece, int bytes) {
            requests_.push_back(MPI_REQUEST_NULL);
            check_mpi(MPI_Isend(piece, bytes, MPI_BYTE, t.peer, t.tag, comm_.raw(), &requests_.back()));
        });
}

void Exchange::finish() {
    check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
    requests_.clear();
}

}  // namespace strata
