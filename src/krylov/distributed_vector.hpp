// SPDX-License-Identifier: BSD-3-Clause
// A vector whose elements are distributed over the ranks. Only the operator that created the vector
// (hermitian_operator.hpp) knows their layout in memory, on the host or on a device; solvers store vectors and pass
// them to the operator.
#pragma once

#include <complex>
#include <memory>

namespace strata::krylov {

using Complex = std::complex<double>;

class DistributedVector {
  public:
    /// The memory of this rank's elements; each kind of operator derives its own.
    class Storage {
      public:
        virtual ~Storage() = default;
    };
    DistributedVector() = default;
    explicit DistributedVector(std::unique_ptr<Storage> storage) : storage_(std::move(storage)) {}
    Storage& storage() const { return *storage_; }

  private:
    std::unique_ptr<Storage> storage_;
};

}  // namespace strata::krylov
