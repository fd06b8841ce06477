// SPDX-License-Identifier: BSD-3-Clause
// Messages are sent from the copy, whose address does not change, so that they are planned once.
#include "comm/whole_vector.hpp"

#include <cstring>

#include "comm/tags.hpp"

namespace strata {

WholeVector::WholeVector(const Communicator& comm, const std::vector<Range>& parts)
    : own_(parts[static_cast<std::size_t>(comm.rank())]), whole_(parts.back().last), exchange_(comm) {
    for (int rank = 0; rank < comm.size(); ++rank) {
        const Range& part = parts[static_cast<std::size_t>(rank)];
        if (rank == comm.rank()) continue;
        if (!part.empty()) exchange_.plan_receive(rank, tag::whole_vector, whole_.data() + part.first, part.size());
        if (!own_.empty()) exchange_.plan_send(rank, tag::whole_vector, whole_.data() + own_.first, own_.size());
    }
}

void WholeVector::start(const void* own) {
    std::memcpy(whole_.data() + own_.first, own, own_.size());
    exchange_.start();
}

}  // namespace strata
