// SPDX-License-Identifier: BSD-3-Clause
// Messages between device memories. A message of a rank to itself is a copy on the device. Messages to other ranks use
// one of two routes: direct, where MPI reads and writes device memory, or staged through pinned host memory in pieces,
// so that one piece is copied to the host while the previous one is sent.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comm/exchange.hpp"
#include "strata/queue.hpp"

namespace strata {

enum class DeviceRoute { staged, direct };

/// The user's choice whether MPI may access device memory (key backend.gpu-aware).
enum class GpuAware { automatic, on, off };

/// The route for all ranks. It is direct only if MPI claims to access device memory (or the user does) and a test
/// message arrives; `remark` tells when the test failed. `arrives` sends the test message; it is called on all ranks
/// and may throw CollectiveError. Collective.
DeviceRoute choose_route(const Communicator& comm, GpuAware requested, const std::function<bool()>& arrives,
                         std::string& remark);

/// True if the MPI library claims to access device memory; false for libraries that cannot be asked.
bool mpi_claims_gpu_aware();

/// True if the device buffer of `bytes` of each rank arrives unchanged on the device of the next rank of the ring. The
/// result is the same on all ranks. Collective.
bool ring_of_device_buffers(const Communicator& comm, const Queue<Cuda>& queue, DeviceRoute route, std::size_t bytes);

/// Sets the bytes of one staged piece (default 4 MiB). Tests use less.
void set_staging_piece(std::size_t bytes);

template <>
class Exchange<Cuda> {
  public:
    Exchange(const Communicator& comm, const Queue<Cuda>& queue, DeviceRoute route)
        : comm_(comm), queue_(queue), route_(route) {}

    /// `data` is device memory, which must outlive this object.
    void plan_send(int to, int tag, const void* data, std::size_t bytes) {
        sends_.push_back({to, tag, static_cast<char*>(const_cast<void*>(data)), bytes});
    }
    void plan_receive(int from, int tag, void* data, std::size_t bytes) {
        receives_.push_back({from, tag, static_cast<char*>(data), bytes});
    }

    /// Starts all messages. They contain the results of all work queued before this call.
    void start();
    /// Completes all messages. Work queued after this call reads the received data.
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
    /// After commit(): messages with other ranks only.
    std::vector<Transfer> sends_, receives_;
    /// Pairs of a send and a receive of this rank with itself.
    std::vector<std::pair<Transfer, Transfer>> own_;
    Buffer<char, Pinned> send_memory_, receive_memory_;
    std::vector<Staged> staged_sends_, staged_receives_;
    std::vector<Piece> send_pieces_, receive_pieces_;
    /// [send piece] completion of its copy to the host.
    std::vector<Event> on_host_;
    /// Staged route: the pieces received last have been copied from the host memory to the device.
    std::optional<Event> taken_;
    Requests sending_, receiving_;
};

}  // namespace strata
