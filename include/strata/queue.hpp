// SPDX-License-Identifier: BSD-3-Clause
// Queue of work in order: a CUDA stream, or nothing on the CPU. Kernels and copies of one queue run one after another;
// the host continues immediately and waits where it needs a result.
#pragma once

#include <span>
#include <utility>

#include "strata/buffer.hpp"
#include "strata/device.hpp"

namespace strata {

template <class Backend>
class Queue;

template <>
class Queue<Cpu> {
  public:
    void wait() const {}
};

template <>
class Queue<Cuda> {
  public:
    Queue() : raw_(device::make_queue()) {}
    ~Queue() { device::destroy_queue(raw_); }
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    /// Blocks the host until all queued work is done. Throws if any of it failed.
    void wait() const { device::wait(raw_); }
    device::RawQueue raw() const { return raw_; }

  private:
    device::RawQueue raw_;
};

/// A position in a queue.
class Event {
  public:
    Event() : raw_(device::make_event()) {}
    Event(Event&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
    ~Event() {
        if (raw_ != nullptr) device::destroy_event(raw_);
    }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    void set(const Queue<Cuda>& queue) { device::record(raw_, queue.raw()); }
    /// Blocks the host until the queue has reached this event.
    void wait() const { device::wait_for(raw_); }
    /// Seconds on the device from `start` to this event; both must have been reached.
    double seconds_since(const Event& start) const { return device::seconds_between(start.raw_, raw_); }

  private:
    device::RawEvent raw_;
};

/// Queued copies between host and device; sizes must be equal. With host memory that is not pinned the call blocks.
template <class T>
void copy_to_device(const Queue<Cuda>& queue, View<T, Cuda> to, std::span<const T> from) {
    device::copy(queue.raw(), to.data(), from.data(), from.size_bytes(), device::Direction::to_device);
}
template <class T>
void copy_to_host(const Queue<Cuda>& queue, std::span<T> to, View<const T, Cuda> from) {
    device::copy(queue.raw(), to.data(), from.data(), to.size_bytes(), device::Direction::to_host);
}
/// Sets every byte of `memory`.
template <class T>
void fill_bytes(const Queue<Cuda>& queue, View<T, Cuda> memory, int byte) {
    device::fill(queue.raw(), memory.data(), byte, memory.bytes());
}

}  // namespace strata
