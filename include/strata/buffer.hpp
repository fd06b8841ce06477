// SPDX-License-Identifier: BSD-3-Clause
// Owned memory for hot data: cache-line aligned, not initialised, so that the thread that first writes a page owns it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace strata {

/// `size()` elements of a trivial type T, aligned to 64 bytes. Throws std::bad_alloc.
template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    Buffer() = default;
    explicit Buffer(std::size_t size)
        : data_(static_cast<T*>(::operator new(size * sizeof(T), alignment))), size_(size) {}

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
    static constexpr std::align_val_t alignment{64};
    struct Free {
        void operator()(T* p) const { ::operator delete(p, alignment); }
    };
    std::unique_ptr<T[], Free> data_;
    std::size_t size_ = 0;
};

}  // namespace strata
