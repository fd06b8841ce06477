// SPDX-License-Identifier: BSD-3-Clause
// Two routes to other ranks: device pointers passed to MPI where a test message has shown that MPI reads them, else
// copies through pinned host memory in pieces, so that one piece is copied while another is sent.
#include "comm/device_exchange.hpp"

#include "comm/collectives.hpp"
#include "comm/tags.hpp"

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

namespace strata {
namespace {

std::size_t staging_piece = std::size_t{4} << 20;

}  // namespace

void set_staging_piece(std::size_t bytes) { staging_piece = std::max<std::size_t>(1, bytes); }

bool mpi_claims_gpu_aware() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
    int supported = 0;  // MPICH 4
    return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported) == MPI_SUCCESS && supported != 0;
#else
    return false;
#endif
}

bool ring_of_device_buffers(const Communicator& comm, const Queue<Cuda>& queue, DeviceRoute route, std::size_t bytes) {
    const auto pattern = [](int rank, std::size_t i) { return static_cast<char>(7 * i + 31 * i / 256 + 97 * rank); };
    Buffer<char, Pinned> host(bytes);
    Buffer<char, Cuda> out(bytes), in(bytes);
    for (std::size_t i = 0; i < bytes; ++i) host[i] = pattern(comm.rank(), i);
    copy_to_device(queue, out.view(), std::span<const char>(host));
    fill_bytes(queue, in.view(), 0);
    Exchange<Cuda> exchange(comm, queue, route);
    exchange.plan_receive(comm.previous(), tag::device_test, in.data(), bytes);
    exchange.plan_send(comm.next(), tag::device_test, out.data(), bytes);
    collectively(comm, [&] { exchange.start(); });  // MPI may refuse device memory, perhaps on one rank alone
    exchange.finish();
    copy_to_host(queue, std::span<char>(host), std::as_const(in).view());
    queue.wait();
    bool same = true;
    for (std::size_t i = 0; i < bytes; ++i) same = same && host[i] == pattern(comm.previous(), i);
    return all_min(comm, same ? 1 : 0) == 1;
}

DeviceRoute choose_route(const Communicator& comm, GpuAware requested, const std::function<bool()>& arrives,
                         std::string& remark) {
    if (comm.size() == 1 || requested == GpuAware::off) return DeviceRoute::staged;
    const bool claimed = all_min(comm, mpi_claims_gpu_aware() ? 1 : 0) == 1;
    if (!claimed && requested == GpuAware::automatic) return DeviceRoute::staged;
    bool works = false;
    try {
        works = arrives();
    } catch (const CollectiveError&) {
        // MPI refused the memory
    }
    if (works) return DeviceRoute::direct;
    remark = std::string(claimed ? "MPI says that it reads device memory" : "backend.gpu-aware = on") +
             ", but a test message did not arrive: staging through host memory";
    return DeviceRoute::staged;
}

/// Separates the messages of this rank to itself, and lays out the staging memory. Runs once, before the first start().
void Exchange<Cuda>::commit() {
    if (committed_) return;
    committed_ = true;
    const auto own = [&](const Transfer& t) { return t.peer == comm_.rank(); };
    for (const Transfer& send : sends_) {
        if (!own(send)) continue;
        const auto receive = std::ranges::find_if(
            receives_, [&](const Transfer& t) { return own(t) && t.tag == send.tag && t.bytes == send.bytes; });
        if (receive == receives_.end())
            throw Error(ExitCode::internal, "A rank plans to send itself something that it does not receive.");
        own_.emplace_back(send, *receive);
        receives_.erase(receive);
    }
    std::erase_if(sends_, own);
    if (route_ == DeviceRoute::direct) return;
    staged_sends_ = stage(sends_, send_memory_);
    staged_receives_ = stage(receives_, receive_memory_);
    const std::size_t limit = std::min(staging_piece, message_limit());
    const auto cut = [limit](const std::vector<Staged>& all, std::vector<Piece>& pieces) {
        for (const Staged& t : all)
            in_pieces(t.host.bytes, limit, [&](std::size_t first, int bytes) {
                pieces.push_back({&t, first, static_cast<std::size_t>(bytes)});
            });
    };
    cut(staged_sends_, send_pieces_);
    cut(staged_receives_, receive_pieces_);
    on_host_ = std::vector<Event>(send_pieces_.size());
    taken_.emplace().set(queue_);
}

/// Allocates `memory` for all transfers; each gets a contiguous part of it.
std::vector<Exchange<Cuda>::Staged> Exchange<Cuda>::stage(std::vector<Transfer>& transfers,
                                                          Buffer<char, Pinned>& memory) const {
    std::size_t total = 0;
    for (const Transfer& t : transfers) total += t.bytes;
    memory = Buffer<char, Pinned>(total);
    std::vector<Staged> staged;
    char* at = memory.data();
    for (const Transfer& t : transfers) {
        staged.push_back({{t.peer, t.tag, at, t.bytes}, t.data});
        at += t.bytes;
    }
    return staged;
}

void Exchange<Cuda>::start() {
    commit();
    for (const auto& [send, receive] : own_)
        device::copy(queue_.raw(), receive.data, send.data, send.bytes, device::Direction::on_device);
    if (route_ == DeviceRoute::direct)
        start_direct();
    else
        start_staged();
}

void Exchange<Cuda>::start_staged() {
    for (std::size_t i = 0; i < send_pieces_.size(); ++i) {
        const Piece& p = send_pieces_[i];
        device::copy(queue_.raw(), p.transfer->host.data + p.first, p.transfer->device + p.first, p.bytes,
                     device::Direction::to_host);
        on_host_[i].set(queue_);
    }
    // the receive buffer is reused: its previous pieces must be on the device
    if (!receive_pieces_.empty()) taken_->wait();
    for (const Piece& p : receive_pieces_)
        receiving_.receive(comm_, p.transfer->host, p.first, static_cast<int>(p.bytes));
    for (std::size_t i = 0; i < send_pieces_.size(); ++i) {
        const Piece& p = send_pieces_[i];
        on_host_[i].wait();
        sending_.send(comm_, p.transfer->host, p.first, static_cast<int>(p.bytes));
    }
}

void Exchange<Cuda>::start_direct() {
    if (sends_.empty() && receives_.empty()) return;
    queue_.wait();  // MPI does not wait for queued kernels
    for (const Transfer& t : receives_)
        in_pieces(t.bytes, message_limit(),
                  [&](std::size_t first, int bytes) { receiving_.receive(comm_, t, first, bytes); });
    for (const Transfer& t : sends_)
        in_pieces(t.bytes, message_limit(),
                  [&](std::size_t first, int bytes) { sending_.send(comm_, t, first, bytes); });
}

void Exchange<Cuda>::finish() {
    for (int i = receiving_.wait_any(); i >= 0; i = receiving_.wait_any()) {
        if (route_ == DeviceRoute::direct) continue;
        const Piece& p = receive_pieces_[static_cast<std::size_t>(i)];
        device::copy(queue_.raw(), p.transfer->device + p.first, p.transfer->host.data + p.first, p.bytes,
                     device::Direction::to_device);
    }
    if (taken_) taken_->set(queue_);
    sending_.wait_all();
}

}  // namespace strata
