// SPDX-License-Identifier: BSD-3-Clause
// A message consists of its length and then its bytes, in parts of at most max_part bytes (MPI counts end at 2^31 - 1).
#include "comm/mailbox.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

namespace strata {
namespace {

constexpr std::size_t max_part = std::size_t{1} << 30;
/// Seconds between two polls: short at first, since most answers arrive at once; later longer, so that polling uses
/// little processor time.
constexpr double first_pause = 2e-6, longest_pause = 1e-3;

class Pause {
  public:
    void operator()() {
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds_));
        seconds_ = std::min(1.5 * seconds_, longest_pause);
    }

  private:
    double seconds_ = first_pause;
};

}  // namespace

void Mailbox::send(int rank, const std::vector<std::byte>& bytes) const {
    const std::uint64_t size = bytes.size();
    check_mpi(MPI_Send(&size, sizeof size, MPI_BYTE, rank, tag_, comm_.raw()));
    for (std::size_t at = 0; at < bytes.size(); at += max_part)
        check_mpi(MPI_Send(bytes.data() + at, static_cast<int>(std::min(max_part, bytes.size() - at)), MPI_BYTE, rank,
                           tag_, comm_.raw()));
}

std::optional<Message> Mailbox::look() const {
    int there = 0;
    MPI_Status status;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag_, comm_.raw(), &there, &status));
    if (there == 0) return {};
    std::uint64_t size = 0;
    const int source = status.MPI_SOURCE;
    check_mpi(MPI_Recv(&size, sizeof size, MPI_BYTE, source, tag_, comm_.raw(), MPI_STATUS_IGNORE));
    Message message{source, std::vector<std::byte>(size)};
    for (std::size_t at = 0; at < size; at += max_part)
        check_mpi(MPI_Recv(message.bytes.data() + at, static_cast<int>(std::min(max_part, size - at)), MPI_BYTE, source,
                           tag_, comm_.raw(), MPI_STATUS_IGNORE));
    return message;
}

Message Mailbox::wait() const {
    for (Pause pause;; pause())
        if (std::optional<Message> message = look()) return std::move(*message);
}

void quiet_barrier(const Communicator& comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Ibarrier(comm.raw(), &request));
    int done = 0;
    for (Pause pause;; pause()) {
        check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
        if (done != 0) return;
    }
}

}  // namespace strata
