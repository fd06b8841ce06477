// SPDX-License-Identifier: BSD-3-Clause
// Entanglement of a set of sites with all others: the reduced density matrix rho of the smaller side of run.cut, its
// largest eigenvalues, and the entropies -tr rho ln rho and -ln tr rho^2. Elements of the vector that agree on the other
// sites meet on one rank, part by part of the states of these sites, so that no second vector is needed. Products are
// added as integers: no result depends on the number of ranks or threads.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "lanczos/physics/subset_states.hpp"
#include "lanczos/run/task.hpp"
#include "strata/record.hpp"

namespace strata::lanczos {

/// Adds errors of run.cut.
void check_cut(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found);
/// The states of the smaller side of the job's run.cut; empty without one.
std::optional<SubsetStates> cut_states(const LanczosConfig& c, const Model& model);
/// Memory of a measurement on a rank; nothing without run.cut.
MemoryItems entanglement_memory(const LanczosPlan& plan, int rank);
/// Seconds of a measurement on one core, roughly.
double entanglement_seconds(const LanczosPlan& plan);

class Entanglement {
  public:
    /// Number of eigenvalues that are results.
    static constexpr std::size_t max_levels = 16;

    /// `plan` and `timers` must outlive it.
    Entanglement(const LanczosPlan& plan, Timers& timers);

    /// Columns of the entropies and of each of the eigenvalues; none without run.cut.
    static void add_columns(const LanczosPlan& plan, std::vector<Column>& columns);
    void initialise();
    void add_fields(Record& record);
    /// Measures a state of norm 1 up to rounding. Collective; complete on all ranks.
    void measure(const HamiltonianOperator& hamiltonian, const DistributedVector& state);
    const std::vector<double>& values() const { return values_; }  ///< in the order of the columns
    /// The entropies and the eigenvalues as results; nothing before the first measurement.
    std::vector<Quantity> results() const;

  private:
    /// An element of the vector, the state of the other sites and that of the set.
    struct Entry {
        BasisWords rest;
        double re, im;
        SubsetStates::Place place;
    };
    friend MemoryItems entanglement_memory(const LanczosPlan& plan, int rank);
    static std::uint64_t part_bytes(const LanczosPlan& plan, int rank);

    std::vector<std::vector<Entry>> entries_of_part(const HamiltonianOperator& hamiltonian,
                                                    const DistributedVector& state, std::uint64_t part,
                                                    std::uint64_t parts) const;
    void add_products(std::vector<Entry>& entries);
    std::vector<double> eigenvalues() const;

    const LanczosPlan& plan_;
    Timers& timers_;
    const std::optional<SubsetStates> states_;
    std::vector<std::uint64_t> sums_;  ///< [element][re, im], in units of 2^-62, modulo 2^64
    std::vector<double> values_;
    std::uint64_t measured_ = 0;  ///< number of measurements
};

}  // namespace strata::lanczos
