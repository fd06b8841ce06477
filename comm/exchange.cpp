// SPDX-License-Identifier: BSD-3-Clause
// Messages of any length in pieces of at most message_limit() bytes, because MPI counts end at 2^31 - 1. Receives are
// posted before sends.
#include "comm/exchange.hpp"

#include <optional>

namespace strata {
namespace {

std::size_t limit = std::size_t{1} << 30;

/// Removes the first message of a list with this rank and tag and returns it.
std::optional<Transfer> take(std::vector<Transfer>& planned, int peer, int tag) {
    const auto matches = [&](const Transfer& t) { return t.peer == peer && t.tag == tag; };
    const auto found = std::ranges::find_if(planned, matches);
    if (found == planned.end()) return {};
    const Transfer taken = *found;
    planned.erase(found);
    return taken;
}

}  // namespace

std::size_t message_limit() { return limit; }
void set_message_limit(std::size_t bytes) { limit = std::clamp<std::size_t>(bytes, 1, std::size_t{1} << 30); }

Requests::~Requests() {
    for (MPI_Request& request : requests_)
        if (request != MPI_REQUEST_NULL) {
            MPI_Cancel(&request);
            MPI_Request_free(&request);
        }
}

void Requests::receive(const Communicator& comm, const Transfer& from, std::size_t first, int bytes) {
    requests_.push_back(MPI_REQUEST_NULL);
    check_mpi(MPI_Irecv(from.data + first, bytes, MPI_BYTE, from.peer, from.tag, comm.raw(), &requests_.back()));
}

void Requests::send(const Communicator& comm, const Transfer& to, std::size_t first, int bytes) {
    requests_.push_back(MPI_REQUEST_NULL);
    check_mpi(MPI_Isend(to.data + first, bytes, MPI_BYTE, to.peer, to.tag, comm.raw(), &requests_.back()));
}

int Requests::wait_any() {
    int index = MPI_UNDEFINED;
    check_mpi(MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &index, MPI_STATUS_IGNORE));
    if (index != MPI_UNDEFINED) return index;
    requests_.clear();
    return -1;
}

void Requests::wait_all() {
    if (requests_.empty()) return;
    check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
    requests_.clear();
}

void Exchange<Cpu>::plan_send(int to, int tag, const void* data, std::size_t bytes) {
    const auto received = to == comm_.rank() ? take(receives_, to, tag) : std::nullopt;
    if (received)
        copies_.push_back({static_cast<const char*>(data), received->data, bytes});
    else
        sends_.push_back({to, tag, static_cast<char*>(const_cast<void*>(data)), bytes});
}

void Exchange<Cpu>::plan_receive(int from, int tag, void* data, std::size_t bytes) {
    const auto sent = from == comm_.rank() ? take(sends_, from, tag) : std::nullopt;
    if (sent)
        copies_.push_back({sent->data, static_cast<char*>(data), sent->bytes});
    else
        receives_.push_back({from, tag, static_cast<char*>(data), bytes});
}

void Exchange<Cpu>::start() {
    for (const Copy& c : copies_) std::copy_n(c.from, c.bytes, c.to);
    for (const Transfer& t : receives_)
        in_pieces(t.bytes, limit, [&](std::size_t first, int bytes) { requests_.receive(comm_, t, first, bytes); });
    for (const Transfer& t : sends_)
        in_pieces(t.bytes, limit, [&](std::size_t first, int bytes) { requests_.send(comm_, t, first, bytes); });
}

}  // namespace strata
