// SPDX-License-Identifier: BSD-3-Clause
// Owned and borrowed memory of one backend. Owned memory is not initialised, so that on the host a page is placed near
// the thread that first writes it (first touch). Large buffers use huge pages if the system grants them, because
// address translation limits random access to gigabytes otherwise.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include "strata/backend.hpp"
#include "strata/device.hpp"

namespace strata {

/// Allocation and release of memory of a backend.
template <class Backend>
struct Memory;

/// Host memory, aligned to 64 bytes, or to 2 MiB from that size on. Throws std::bad_alloc.
template <>
struct Memory<Cpu> {
    static constexpr std::size_t huge_page = std::size_t{2} << 20;
    static constexpr std::size_t alignment(std::size_t bytes) { return bytes < huge_page ? 64 : huge_page; }
    /// Bytes that are allocated for a request of `bytes`.
    static constexpr std::size_t padded(std::size_t bytes) {
        return (bytes + alignment(bytes) - 1) / alignment(bytes) * alignment(bytes);
    }
    static void* take(std::size_t bytes) {
        void* memory = std::aligned_alloc(alignment(bytes), padded(bytes));
        if (memory == nullptr && padded(bytes) != 0) throw std::bad_alloc();
        if (bytes >= huge_page) madvise(memory, padded(bytes), MADV_HUGEPAGE);  // only advice: a failure has no effect
        return memory;
    }
    static void give_back(void* memory) { std::free(memory); }
};
template <>
struct Memory<Cuda> {
    static void* take(std::size_t bytes) { return device::allocate(bytes); }
    static void give_back(void* memory) { device::release(memory); }
};
template <>
struct Memory<Pinned> {
    static void* take(std::size_t bytes) { return device::allocate_pinned(bytes); }
    static void give_back(void* memory) { device::release_pinned(memory); }
};

/// `size()` elements that another object owns. Device memory can be indexed in kernels only.
template <class T, class Backend = Cpu>
class View {
  public:
    View() = default;
    STRATA_HOST_DEVICE View(T* data, std::size_t size) : data_(data), size_(size) {}
    template <class U>
    requires std::is_same_v<T, const U> STRATA_HOST_DEVICE View(const View<U, Backend>& other)
        : data_(other.data()), size_(other.size()) {}

    STRATA_HOST_DEVICE T* data() const { return data_; }
    STRATA_HOST_DEVICE std::size_t size() const { return size_; }
    std::size_t bytes() const { return size_ * sizeof(T); }
    View part(std::size_t first, std::size_t count) const { return {data_ + first, count}; }
#if defined(__CUDACC__)
    __device__ T& operator[](std::size_t i) const { return data_[i]; }
#elif defined(STRATA_EMULATION)
    T& operator[](std::size_t i) const { return data_[i]; }
#else
    T& operator[](std::size_t i) const requires(!std::is_same_v<Backend, Cuda>) { return data_[i]; }
#endif

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

/// `size()` elements of a trivial type T, owned and not initialised.
template <class T, class Backend = Cpu>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);
    static constexpr bool on_host = !std::is_same_v<Backend, Cuda>;

  public:
    Buffer() = default;
    explicit Buffer(std::size_t size) : data_(static_cast<T*>(Memory<Backend>::take(size * sizeof(T)))), size_(size) {}

    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    std::size_t bytes() const { return size_ * sizeof(T); }
    View<T, Backend> view() { return {data(), size_}; }
    View<const T, Backend> view() const { return {data(), size_}; }

    T& operator[](std::size_t i) requires on_host { return data_.get()[i]; }
    const T& operator[](std::size_t i) const requires on_host { return data_.get()[i]; }
    T* begin() requires on_host { return data(); }
    T* end() requires on_host { return data() + size_; }
    const T* begin() const requires on_host { return data(); }
    const T* end() const requires on_host { return data() + size_; }
    operator std::span<T>() requires on_host { return {data(), size_}; }
    operator std::span<const T>() const requires on_host { return {data(), size_}; }

  private:
    struct GiveBack {
        void operator()(T* p) const { Memory<Backend>::give_back(p); }
    };
    std::unique_ptr<T[], GiveBack> data_;
    std::size_t size_ = 0;
};

}  // namespace strata
