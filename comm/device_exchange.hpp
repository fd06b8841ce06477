// SPDX-License-Identifier: BSD-3-Clause
// Transfers of device memory. What a rank sends to itself is copied on the device. To others the memory goes on one of
// two routes: handed to an MPI that can read it, or staged through pinned host memory in pieces, so that one piece is
// on its way to the host while the one before it is on the network.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comm/exchange.hpp"
#include "strata/queue.hpp"

namespace strata {

enum class DeviceRoute { staged, direct };

/// What the user lets MPI do with device memory.
enum class GpuAware { automatic, on, off };

/// The route for all ranks. Direct only if MPI says that it reads device memory (or the user does) and a test message
/// arrives; `remark` says what was tried and not taken. `arrives` is called on all ranks and may throw Error.
/// Collective.
DeviceRoute choose_route(const Communicator& comm, GpuAware requested, const std::function<bool()>& arrives,
                         std::string& remark);

/// What MPI says of itself.
bool mpi_claims_gpu_aware();

/// True if each rank's device buffer of `bytes` arrives at its neighbours' devices unchanged. Collective.
bool ring_of_device_buffers(const Communicator& comm, const Queue<Cuda>& queue, DeviceRoute route, std::size_t bytes);

/// Bytes of one staged piece (default 4 MiB). Tests lower it.
void set_staging_piece(std::size_t bytes);

template <>
class Exchange<Cuda> {
  public:
    Exchange(const Communicator& comm, const Queue<Cuda>& queue, DeviceRoute route)
        : comm_(comm), queue_(queue), route_(route) {}

    /// Device memory, which must live as long as the plan.
    void plan_send(int to, int tag, const void* data, std::size_t bytes) {
        sends_.push_back({to, tag, static_cast<char*>(const_cast<void*>(data)), bytes});
    }
    void plan_receive(int from, int tag, void* data, std::size_t bytes) {
        receives_.push_back({from, tag, static_cast<char*>(data), bytes});
    }

    /// Sends what the queue's work so far leaves in the memory.
    void start();
    /// Work queued afterwards finds what was received.
    void finish();

  private:
    struct Staged {
        Transfer host;
        char* device;
    };
    struct Piece {
        const Staged* transfer;
        std::size_t first;
        std::size_t bytes;
    };
    void commit();
    std::vector<Staged> stage(std::vector<Transfer>& transfers, Buffer<char, Pinned>& memory) const;
    void start_staged();
    void start_direct();

    const Communicator& comm_;
    const Queue<Cuda>& queue_;
    DeviceRoute route_;
    bool committed_ = false;
    std::vector<Transfer> sends_, receives_;          ///< after commit: those with other ranks
    std::vector<std::pair<Transfer, Transfer>> own_;  ///< send and receive of this rank with itself
    Buffer<char, Pinned> send_memory_, receive_memory_;
    std::vector<Staged> staged_sends_, staged_receives_;
    std::vector<Piece> send_pieces_, receive_pieces_;
    std::vector<Event> on_host_;  ///< [send piece]
    std::optional<Event> taken_;  ///< staged: the last pieces received have left the host memory
    Requests sending_, receiving_;
};

}  // namespace strata
