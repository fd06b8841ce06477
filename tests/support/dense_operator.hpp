// SPDX-License-Identifier: BSD-3-Clause
// A dense Hermitian matrix as an operator of src/krylov: rows of the matrix and elements of vectors are distributed
// over the ranks in equal parts. It is the smallest complete example of the interface.
#pragma once

#include <cmath>
#include <functional>

#include "comm/collectives.hpp"
#include "krylov/backend_space.hpp"
#include "krylov/hermitian_operator.hpp"
#include "strata/partition.hpp"

namespace strata::krylov {

class DenseOperator : public HermitianOperator {
  public:
    using Space = BackendSpace<Cpu, double>;

    /// `element(i, j)` of a Hermitian matrix of `n` rows; `seed` of the vectors that are drawn.
    DenseOperator(const Communicator& comm, std::size_t n,
                  const std::function<Complex(std::size_t, std::size_t)>& element, std::uint64_t seed = 0)
        : HermitianOperator(comm),
          n_(n),
          seed_(seed),
          rows_(equal_part(n, comm.size(), comm.rank())),
          matrix_(rows_.size() * n),
          space_(comm, {{{rows_.size(), 2}}, n, Arithmetic::complex}, {1}, {}, timers_) {
        for (std::size_t i = 0; i < rows_.size(); ++i)
            for (std::size_t j = 0; j < n; ++j) matrix_[i * n + j] = element(rows_.first + i, j);
    }

    /// Elements of a vector: those of this rank, and all of them.
    std::span<Complex> own(const DistributedVector& x) const {
        return {reinterpret_cast<Complex*>(Space::own(x)), rows_.size()};
    }
    std::vector<Complex> all(const DistributedVector& x) const {
        std::vector<Complex> elements = gather(comm_, std::span<const Complex>(own(x)));
        elements.resize(n_);
        broadcast_bytes(comm_, elements.data(), n_ * sizeof(Complex), 0);
        return elements;
    }
    Range rows() const { return rows_; }

    VectorSpace& space() override { return space_; }
    double dimension() const override { return static_cast<double>(n_); }
    double offset() const override { return 0.25; }
    void allocate() override {
        space_.allocate();
        v_ = space_.vector();
        w_ = space_.vector();
    }

    PairProducts multiply(const StepFactors& f) override {
        space_.advance(f.inverse_beta, -f.alpha * f.inverse_beta, -f.beta, v_, w_);
        std::swap(v_, w_);
        const std::vector<Complex> x = all(v_);
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            Complex sum = -offset() * x[rows_.first + i];
            for (std::size_t j = 0; j < n_; ++j) sum += matrix_[i * n_ + j] * x[j];
            own(w_)[i] += sum;
        }
        return space_.products(v_, w_);
    }

    void draw(DistributedVector& x, std::uint64_t stream) override {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const double at = static_cast<double>(1 + rows_.first + i) + 1e3 * static_cast<double>(stream) +
                              1e5 * static_cast<double>(seed_);
            own(x)[i] = {std::sin(12.9898 * at * at), std::sin(78.233 * at * at)};
        }
    }
    void add_state(const std::string&, DistributedVector&, std::vector<DistributedArray>&) override {}

  private:
    const std::size_t n_;
    const std::uint64_t seed_;
    const Range rows_;
    std::vector<Complex> matrix_;  ///< rows of this rank
    Timers timers_;
    Space space_;
};

}  // namespace strata::krylov
