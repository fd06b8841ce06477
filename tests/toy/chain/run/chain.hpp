// SPDX-License-Identifier: BSD-3-Clause
// The smallest application: the Ising ring by the heat bath (Glauber, J. Math. Phys. 4, 294 (1963)). Sites of even
// index are updated, then those of odd index, so that no update depends on how the ring is cut into ranks.
#pragma once

#include "comm/communicator.hpp"
#include "comm/halo.hpp"
#include "strata/application_entry.hpp"

namespace strata::chain {

struct ChainConfig {
    std::uint64_t sites = 0;  ///< of the ring, even
    double coupling = 0;      ///< K = J / (k_B T)
    std::uint64_t sweeps = 0, seed = 0;
};

/// What does not change while the chain runs.
struct ChainPlan {
    ChainPlan(const ChainConfig& chosen, int ranks, int rank);

    ChainConfig config;
    Range sites;               ///< of this rank
    double up_probability[3];  ///< [up neighbours] that a site is up after its update
    MemoryPrediction memory;
};

class Chain : public Application {
  public:
    Chain(const Communicator& comm, const ChainPlan& plan);

    std::vector<std::string> description() const override;
    std::string backend() const override { return "cpu"; }
    MemoryPrediction memory() const override { return plan_.memory; }
    void allocate() override { spins_ = Buffer<std::uint64_t, Cpu>(plan_.sites.size()); }
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void restored(std::uint64_t) override {}
    std::uint64_t total_steps() const override { return plan_.config.sweeps; }
    std::string step_name() const override { return "sweeps"; }
    void step(std::uint64_t step) override;
    bool observes(std::uint64_t) const override { return true; }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::vector<Quantity> results(const Series& series) const override;
    std::vector<Figure> performance(std::uint64_t steps, double seconds) const override;

  private:
    void exchange_borders();
    void update(std::uint64_t parity, std::uint64_t step);

    const Communicator& comm_;
    ChainPlan plan_;
    Buffer<std::uint64_t, Cpu> spins_;  ///< 0 or 1, one word per site of this rank
    RingHalo<Cpu> halo_;                ///< one site on either side
    std::vector<Column> columns_ = {{"energy", "J", "energy per site"}};
};

/// The row of this application in the table of applications.
ApplicationEntry entry();

}  // namespace strata::chain
