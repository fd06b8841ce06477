// SPDX-License-Identifier: BSD-3-Clause
// The target Hamiltonian on the CPU, with vectors and operators in double or single precision.
#pragma once

#include <memory>

#include "kernels/kronecker/column_vectors.hpp"
#include "superblock/column_sums.hpp"
#include "superblock/host_options.hpp"
#include "superblock/host_product.hpp"
#include "superblock/target_operator.hpp"

namespace strata::kronecker {

template <class Real>
class HostOperator : public TargetOperator {
  public:
    /// As TargetOperator; `operators` must outlive the object, too. Collective.
    HostOperator(const Communicator& comm, const MultiplyPlan& plan, const OperatorSource& operators,
                 const HostOptions& options, Timers& timers);

    std::string name() const override;
    MemoryPrediction memory(std::uint64_t vectors) const override;
    std::string exchange_description() const override;
    krylov::Precision precision() const override;
    double processor_seconds() const override { return product_->processor_seconds(); }

    void allocate() override;
    void reserve_basis(std::size_t count) override;
    DistributedVector vector() const override;
    krylov::PairProducts multiply(const krylov::StepFactors& factors) override;
    krylov::PairProducts apply(const DistributedVector& x) override;
    krylov::Projection subtract_and_project(const std::vector<DistributedVector>& basis,
                                            std::span<const Complex> factors, DistributedVector& x) override;
    void product() override;
    double sum(const DistributedVector& x) override;
    void draw(DistributedVector& x, std::uint64_t stream) const override;
    void clear(DistributedVector& x) const override;
    void axpby(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
               DistributedVector& out) override;
    double axpby_norm(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                      DistributedVector* out) override;
    Complex dot(const DistributedVector& x, const DistributedVector& y) override;
    void rotate(const std::vector<DistributedVector>& basis, std::size_t count, const std::vector<Complex>& c,
                std::size_t kept) override;
    void add_state(const std::string& name, DistributedVector& x, std::vector<DistributedArray>& arrays) override;

    /// This rank's elements of a vector.
    static Real* elements(const DistributedVector& x);

  protected:
    void project(const std::vector<DistributedVector>& basis, const DistributedVector& x,
                 std::span<Complex> components) override;
    void subtract(const std::vector<DistributedVector>& basis, std::span<const Complex> components,
                  DistributedVector& x) override;

  private:
    struct Part;
    template <class Body>
    void for_columns(Body body) const;
    template <class Body>
    void for_column_groups(Body body) const;
    krylov::PairProducts add_product();
    template <class Prepare>
    const std::vector<double>& dots(std::span<const ColumnPair<Real>> pairs, Prepare prepare);
    const std::vector<double>& dots(std::span<const ColumnPair<Real>> pairs) {
        return dots(pairs, [](const Range&) {});
    }
    void set_basis(const std::vector<DistributedVector>& basis, std::size_t count, const Real* x);
    void set_factors(std::span<const Complex> factors);
    DistributedVector make(NodeBuffer memory) const;

    const OperatorSource& operators_;
    const std::uint64_t seed_;
    Node node_;
    const std::unique_ptr<HostProduct<Real>> product_;
    const ColumnKernels<Real> kernels_;
    ColumnSums sums_;
    /// Scalar products of each vector of a basis with a vector, and of the vector with itself.
    std::vector<ColumnPair<Real>> pairs_;
    std::vector<const Real*> basis_;
    std::vector<Real> factors_;
    Buffer<double> rotated_;
    /// [own column + 1] index of its first element in this rank's part of the vector.
    std::vector<std::uint64_t> column_begin_;
};

}  // namespace strata::kronecker
