// SPDX-License-Identifier: BSD-3-Clause
// Each buffer is one shared window (MPI_Win_allocate_shared) that remains locked for its whole lifetime; barriers with
// memory fences order the writes and reads of the ranks.
#include "comm/node_memory.hpp"

#include <sys/statvfs.h>

#include <atomic>

#include "comm/collectives.hpp"

namespace strata {
namespace {

/// Free bytes of the file system behind shared memory. They are checked before an allocation, because MPI's allocation
/// succeeds without them and the first write beyond them raises a bus error.
std::uint64_t free_shared_memory() {
    struct statvfs file_system {};
    return statvfs("/dev/shm", &file_system) == 0
               ? static_cast<std::uint64_t>(file_system.f_bavail) * file_system.f_bsize
               : 0;
}

}  // namespace

Node::Node(const Communicator& comm, Sharing sharing, std::uint64_t bytes) {
    comm_.reset(new Communicator(comm.on_node()));
    if (sharing == Sharing::pairs) comm_.reset(new Communicator(comm_->split(comm_->rank() / 2)));
    const std::uint64_t needed = all_sum(*comm_, bytes);
    const bool fits = comm_->size() == 1 ||
                      (sharing != Sharing::none && needed + needed / 16 < all_min(*comm_, free_shared_memory()));
    if (all_min(comm, fits ? 1 : 0) == 0) comm_.reset(new Communicator(comm.split(comm.rank())));
    for (std::uint64_t rank : all_gather(*comm_, static_cast<std::uint64_t>(comm.rank())))
        ranks_.push_back(static_cast<int>(rank));
    node_rank_ = comm_->rank();
}

void Node::barrier() const {
    if (alone()) return;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    check_mpi(MPI_Barrier(comm_->raw()));
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// One shared window, contiguous over the ranks of the node. MPI aligns it to a double only; all parts are shifted by
/// the same amount, so that the first one begins at a page, and the last rank allocates one page more.
class NodeBuffer::Window {
  public:
    Window(const Communicator& comm, std::uint64_t own, double*& mine, double*& first) {
        constexpr std::uint64_t page = 4096;
        const std::uint64_t bytes = own * sizeof(double) + (comm.rank() + 1 == comm.size() ? page : 0);
        check_mpi(MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), sizeof(double), MPI_INFO_NULL, comm.raw(),
                                          &mine, &window_));
        check_mpi(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN));
        MPI_Aint size = 0;
        int unit = 0;
        check_mpi(MPI_Win_shared_query(window_, MPI_PROC_NULL, &size, &unit, &first));
        const std::uint64_t beyond = reinterpret_cast<std::uintptr_t>(first) % page;
        const std::uint64_t on = (page - beyond) % page / sizeof(double);
        mine += on;
        first += on;
        check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_));
    }
    ~Window() {
        check_mpi(MPI_Win_unlock_all(window_));
        check_mpi(MPI_Win_free(&window_));
    }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

  private:
    MPI_Win window_ = MPI_WIN_NULL;
};

NodeBuffer::NodeBuffer(const Node& node, std::uint64_t own) {
    if (node.alone()) {
        *this = NodeBuffer(own);
        return;
    }
    window_ = std::make_unique<Window>(node.comm(), own, own_, first_);
}

NodeBuffer::NodeBuffer(std::uint64_t own) : buffer_(own), own_(buffer_.data()), first_(own_) {}

NodeBuffer::NodeBuffer() = default;
NodeBuffer::NodeBuffer(NodeBuffer&&) noexcept = default;
NodeBuffer& NodeBuffer::operator=(NodeBuffer&&) noexcept = default;
NodeBuffer::~NodeBuffer() = default;

}  // namespace strata
