// SPDX-License-Identifier: BSD-3-Clause
// All levels of one sector, by a dense matrix on rank 0.
#pragma once

#include <optional>
#include <vector>

#include "krylov/dense_matrix.hpp"
#include "lanczos/run/task.hpp"
#include "lanczos/run/unit_vectors.hpp"

namespace strata::lanczos {

/// Largest number of states of a sector whose matrix is diagonalised.
constexpr double most_dense_states = 20000;

/// The levels of one sector. Column j of its matrix is H P e_j, with the projector P on a sector of symmetries, whose
/// stored numbers are redundant (physics/symmetric_sector.hpp); the other states get a level beyond all others.
class SectorLevels : public LanczosTask {
  public:
    SectorLevels(const LanczosPlan& plan, const MakeHamiltonian& make) : LanczosTask(plan, make) {}

    void allocate() override;
    void initialise() override { done_ = 0; }
    std::vector<DistributedArray> state() override;
    std::uint64_t total_steps() const override { return 1; }
    void step(std::uint64_t step) override;
    bool observes(std::uint64_t) const override { return false; }
    const std::vector<Column>& columns() const override;
    void observe(std::vector<double>&) override {}
    std::vector<Quantity> results(const Series&) const override { return {}; }

    /// In ascending order, the same on all ranks; empty before the step.
    const std::vector<double>& levels() const { return levels_; }

  private:
    std::optional<krylov::DenseMatrix> matrix();

    std::uint64_t done_ = 0;
    krylov::DistributedVector unit_;
    std::optional<UnitVectors> units_;
    std::vector<double> levels_;
};

}  // namespace strata::lanczos
