// SPDX-License-Identifier: BSD-3-Clause
// Repeated products y = C x with one random vector x, and their rate. Every repetition must give the same checksum to
// the last bit, as far as its arithmetic promises that.
#pragma once

#include <memory>
#include <vector>

#include "kronecker/physics/random_operators.hpp"
#include "kronecker/run/plan.hpp"
#include "strata/application.hpp"
#include "superblock/make_operator.hpp"

namespace strata::kronecker {

class RepeatedProduct : public Application {
  public:
    /// `make` makes the operator on the chosen backend. Collective.
    RepeatedProduct(const Communicator& comm, const KroneckerPlan& plan, const superblock::MakeOperator& make);

    std::vector<std::string> description() const override;
    std::string backend() const override { return operator_->name(); }
    MemoryPrediction memory() const override { return operator_->memory(0); }
    void allocate() override { operator_->allocate(); }
    void initialise() override;
    /// y, the first checksum and the number of products; x is drawn again after a resume.
    std::vector<DistributedArray> state() override;
    void restored(std::uint64_t step) override;

    std::uint64_t total_steps() const override { return plan_.config().repeats; }
    std::string step_name() const override { return "products"; }
    void step(std::uint64_t step) override;
    bool observes(std::uint64_t) const override { return true; }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::vector<Quantity> results(const Series& series) const override;
    /// Rate of the products alone, without checksums, and, on the CPU in double precision, its ratio to the rate of
    /// matrix products in the caches, which is measured by the call.
    std::vector<Figure> performance(std::uint64_t steps, double) const override;

  private:
    /// Compares the processor times of the ranks. Collective.
    void measure_imbalance();
    /// Largest accepted deviation of a checksum from the first one.
    double checksum_tolerance(double norm) const;

    const KroneckerPlan plan_;
    const RandomOperators random_;
    const std::unique_ptr<superblock::TargetOperator> operator_;
    const std::vector<Column> columns_;
    double checksum_ = 0, first_checksum_ = 0;
    std::uint64_t made_ = 0;  ///< products so far, over all runs
    bool taken_up_ = false;   ///< true after a resume: an earlier run computed the first product
    double seconds_ = 0;      ///< time of this run's products on the slowest rank
    double imbalance_ = 0;    ///< largest processor time of a rank over the mean
};

}  // namespace strata::kronecker
