// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra of vectors on devices against plain loops, bit by bit.
#include <map>

#include "cuda/schedule.hpp"
#include "strata/buffer.hpp"
#include "support/plain_vectors.hpp"

namespace strata::vectors {
namespace {

/// Copies tables and vectors to device memory, and vectors back.
class DeviceCopies {
  public:
    explicit DeviceCopies(const Queue<Cuda>& queue) : queue_(queue) {}
    template <class T>
    T* in(std::vector<T>& x) {
        auto& copy = copies_[&x];
        copy = std::make_shared<Buffer<std::byte, Cuda>>(x.size() * sizeof(T));
        T* device = reinterpret_cast<T*>(copy->data());
        copy_to_device(queue_, View<T, Cuda>(device, x.size()), std::span<const T>(x));
        queue_.wait();
        return device;
    }
    template <class T>
    void out(std::vector<T>& x) {
        copy_to_host(queue_, std::span<T>(x),
                     View<const T, Cuda>(reinterpret_cast<const T*>(copies_.at(&x)->data()), x.size()));
        queue_.wait();
    }

  private:
    const Queue<Cuda>& queue_;
    std::map<void*, std::shared_ptr<Buffer<std::byte, Cuda>>> copies_;
};

template <class Real>
void expect_plain_vectors() {
    for (const Arithmetic arithmetic : {Arithmetic::real, Arithmetic::complex}) {
        const Queue<Cuda> queue;
        Buffer<double, Cuda> scratch(rotation_scratch<Cuda>(4, 1 << 10, 1));
        expect_plain(device_vector_kernels<Real>(arithmetic), arithmetic, Workers<Cuda>{&queue}, scratch.data(),
                     DeviceCopies(queue));
    }
}

TEST(VectorsCuda, AreThoseOfPlainLoops) {
    next_schedule();
    expect_plain_vectors<double>();
    expect_plain_vectors<float>();
}

}  // namespace
}  // namespace strata::vectors
