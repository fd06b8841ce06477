// SPDX-License-Identifier: BSD-3-Clause
// What changes H in time: H(t) = H + sum_n f_n(t) V_n, with operators V_n of [observables] and factors of drive.factor. Each
// V_n has tables and a working pair of its own, on the vectors of H. For two spin components in a sector of symmetries, whose
// Hamiltonians have no general terms, V_n acts row by row (symmetric_sums.hpp).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "krylov/driven_exponential.hpp"
#include "lanczos/run/operator_sums.hpp"
#include "lanczos/run/task.hpp"
#include "models/drive.hpp"

namespace strata::lanczos {

/// Adds errors of the keys of [drive]. Throws as read_observables() and read_drive_factors().
void check_drive(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found);

/// The operators and factors of a job that has been checked.
std::vector<DrivenOperator> driven_operators(const LanczosConfig& config);
/// Their plans, and how the names of their memory end.
std::vector<OtherOperator> driven_plans(const LanczosPlan& plan);
/// Bytes of those that act by rows, beside the operators of these plans.
std::uint64_t driven_bytes(const LanczosPlan& plan);
/// Upper bound of the norm of H(t) - offset for a plan, without the rates of factors.
double driven_radius(const LanczosPlan& plan);

class Drive {
  public:
    /// `plan` and `timers` must outlive it. Collective.
    Drive(const LanczosPlan& plan, const MakeHamiltonian& make, Timers& timers);

    void add_memory(MemoryPrediction& memory) const;
    void allocate();
    /// The solver of the equation of motion. The drive must outlive it.
    std::unique_ptr<krylov::Propagator> propagator(HamiltonianOperator& h, const krylov::ExponentialOptions& options);

    const std::vector<std::string>& names() const { return names_; }
    /// The part of an interval in which all factors are analytic, the first one.
    krylov::Propagator::Interval smooth_part(const krylov::Propagator::Interval& time) const;
    /// f_n(t); of jumps at this time the value after them.
    std::vector<double> factors(double t) const;
    /// sum_n f_n <V_n> of a state, with these factors. Collective.
    double energy(std::span<const double> factors, const DistributedVector& psi);
    /// Upper bound of the norm of sum_n f_n(t) V_n at all times.
    double bound() const;

  private:
    struct Part {
        LanczosPlan plan;
        DrivenOperator driven;
        std::unique_ptr<HamiltonianOperator> op;  ///< V, or what has its working pair alone
        std::unique_ptr<SymmetricSum> by_rows;    ///< null where `op` is V
    };
    krylov::DrivenTerm term(const Part& part) const;

    const LanczosPlan& plan_;
    Timers& timers_;
    std::vector<std::string> names_;
    std::vector<Part> parts_;
    std::vector<double> breaks_;  ///< times of jumps and kinks
};

}  // namespace strata::lanczos
