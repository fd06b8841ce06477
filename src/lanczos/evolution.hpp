// SPDX-License-Identifier: BSD-3-Clause
// Motion in time, psi(t + dt) = exp(-i H dt) psi(t), in Krylov spaces (T. Park, J. Light, J. Chem. Phys. 85, 5870
// (1986)): the recurrence from psi, the exponential of its tridiagonal matrix, and shorter steps where the last Krylov
// vector would carry more than 1e-12 of the norm.
#pragma once

#include "lanczos/correlations.hpp"
#include "lanczos/system.hpp"

namespace strata::lanczos {

class Evolution : public LanczosSystem {
  public:
    Evolution(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding* device = nullptr);

    std::vector<std::string> description() const override;
    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void restored(std::uint64_t step) override;

    /// Step 0 only looks at the first state.
    std::uint64_t total_steps() const override { return plan_.config().evolution.steps + 1; }
    void step(std::uint64_t step) override;
    bool observes(std::uint64_t) const override { return true; }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::span<double> row) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::vector<Quantity> results(const Series& series) const override;

  private:
    double advance(double most);

    const std::size_t krylov_;
    std::vector<Column> columns_;
    Vector psi_, first_;
    std::vector<Vector> basis_;
    double time_ = 0;
    std::unique_ptr<PairOccupations> pairs_;
};

}  // namespace strata::lanczos
