// SPDX-License-Identifier: BSD-3-Clause
// A dense Hermitian matrix as an operator of src/krylov: rows of the matrix and elements of vectors are distributed
// over the ranks in equal parts. It is the smallest complete example of the interface.
#pragma once

#include <cmath>
#include <functional>

#include "comm/collectives.hpp"
#include "krylov/hermitian_operator.hpp"
#include "strata/partition.hpp"

namespace strata::krylov {

class DenseOperator : public HermitianOperator {
  public:
    /// `element(i, j)` of a Hermitian matrix of `n` rows.
    DenseOperator(const Communicator& comm, std::size_t n,
                  const std::function<Complex(std::size_t, std::size_t)>& element)
        : HermitianOperator(comm), n_(n), rows_(equal_part(n, comm.size(), comm.rank())), matrix_(rows_.size() * n) {
        for (std::size_t i = 0; i < rows_.size(); ++i)
            for (std::size_t j = 0; j < n; ++j) matrix_[i * n + j] = element(rows_.first + i, j);
    }

    /// Elements of a vector: those of this rank, and all of them.
    static std::vector<Complex>& own(const DistributedVector& x) { return static_cast<Own&>(x.storage()).elements; }
    std::vector<Complex> all(const DistributedVector& x) const {
        std::vector<Complex> elements = gather(comm_, std::span<const Complex>(own(x)));
        elements.resize(n_);
        broadcast_bytes(comm_, elements.data(), n_ * sizeof(Complex), 0);
        return elements;
    }
    Range rows() const { return rows_; }

    double dimension() const override { return static_cast<double>(n_); }
    double offset() const override { return 0.25; }
    Precision precision() const override { return Precision::double_; }
    void allocate() override {
        v_ = vector();
        w_ = vector();
    }
    void reserve_basis(std::size_t) override {}
    DistributedVector vector() const override { return DistributedVector(std::make_unique<Own>(rows_.size())); }

    PairProducts multiply(const StepFactors& f) override {
        axpby(f.inverse_beta, w_, -f.alpha * f.inverse_beta, v_, w_);
        const std::vector<Complex> x = all(w_);
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            Complex sum = -offset() * x[rows_.first + i] - f.beta * own(v_)[i];
            for (std::size_t j = 0; j < n_; ++j) sum += matrix_[i * n_ + j] * x[j];
            own(v_)[i] = sum;
        }
        std::swap(v_, w_);
        return {dot(v_, w_).real(), dot(w_, w_).real(), dot(v_, v_).real()};
    }

    void draw(DistributedVector& x, std::uint64_t stream) const override {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const double at = static_cast<double>(1 + rows_.first + i) + 1e3 * static_cast<double>(stream);
            own(x)[i] = {std::sin(12.9898 * at * at), std::sin(78.233 * at * at)};
        }
    }
    void clear(DistributedVector& x) const override { std::ranges::fill(own(x), 0); }
    void axpby(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
               DistributedVector& out) override {
        for (std::size_t i = 0; i < rows_.size(); ++i) own(out)[i] = a * own(x)[i] + b * own(y)[i];
    }
    double axpby_norm(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                      DistributedVector* out) override {
        DistributedVector result = vector();
        axpby(a, x, b, y, result);
        const double square = dot(result, result).real();
        if (out != nullptr) *out = std::move(result);
        return square;
    }
    Complex dot(const DistributedVector& x, const DistributedVector& y) override {
        const std::vector<Complex> of_x = all(x), of_y = all(y);
        Complex sum = 0;
        for (std::size_t i = 0; i < n_; ++i) sum += std::conj(of_x[i]) * of_y[i];
        return sum;
    }
    void rotate(const std::vector<DistributedVector>& basis, std::size_t count, const std::vector<Complex>& c,
                std::size_t kept) override {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            std::vector<Complex> row(kept);
            for (std::size_t j = 0; j < kept; ++j)
                for (std::size_t k = 0; k < count; ++k) row[j] += c[j * count + k] * own(basis[k])[i];
            for (std::size_t j = 0; j < kept; ++j) own(basis[j])[i] = row[j];
        }
    }
    void add_state(const std::string&, DistributedVector&, std::vector<DistributedArray>&) override {}

  protected:
    void project(const std::vector<DistributedVector>& basis, const DistributedVector& x,
                 std::span<Complex> components) override {
        for (std::size_t i = 0; i < components.size(); ++i) components[i] = dot(basis[i], x);
    }
    void subtract(const std::vector<DistributedVector>& basis, std::span<const Complex> components,
                  DistributedVector& x) override {
        for (std::size_t i = 0; i < components.size(); ++i) axpby(1, x, -components[i], basis[i], x);
    }

  private:
    struct Own : DistributedVector::Storage {
        explicit Own(std::size_t size) : elements(size) {}
        std::vector<Complex> elements;
    };

    const std::size_t n_;
    const Range rows_;
    std::vector<Complex> matrix_;  ///< rows of this rank
};

}  // namespace strata::krylov
