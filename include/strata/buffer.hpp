// SPDX-License-Identifier: BSD-3-Clause
// Owned memory for hot data: not initialised, so that the thread that first writes a page owns it, and on huge pages
// where the system grants them (random access into gigabytes is bound by address translation otherwise).
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace strata {

/// `size()` elements of a trivial type T, aligned to 64 bytes (2 MiB if larger than that). Throws std::bad_alloc.
template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Buffer() = default;
    explicit Buffer(std::size_t size) : data_(allocate(size * sizeof(T))), size_(size) {}

    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    std::size_t bytes() const { return size_ * sizeof(T); }
    T& operator[](std::size_t i) { return data_.get()[i]; }
    const T& operator[](std::size_t i) const { return data_.get()[i]; }
    T* begin() { return data(); }
    T* end() { return data() + size_; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size_; }
    operator std::span<T>() { return {data(), size_}; }
    operator std::span<const T>() const { return {data(), size_}; }

  private:
    struct Free {
        void operator()(T* p) const { std::free(p); }
    };
    static T* allocate(std::size_t bytes) {
        constexpr std::size_t cache_line = 64, huge_page = std::size_t{2} << 20;
        const std::size_t alignment = bytes < huge_page ? cache_line : huge_page;
        const std::size_t padded = (bytes + alignment - 1) / alignment * alignment;
        void* memory = std::aligned_alloc(alignment, padded);
        if (memory == nullptr && padded != 0) throw std::bad_alloc();
        if (alignment == huge_page) madvise(memory, padded, MADV_HUGEPAGE);  // advice only: failure changes nothing
        return static_cast<T*>(memory);
    }

    std::unique_ptr<T[], Free> data_;
    std::size_t size_ = 0;
};

}  // namespace strata
