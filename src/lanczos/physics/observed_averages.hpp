// SPDX-License-Identifier: BSD-3-Clause
// Thermal averages of operators that need not commute with H, in one sector: with random vectors r and the vectors v_k of
// their Lanczos recurrences, v_0 = r (J. Jaklic, P. Prelovsek, Phys. Rev. B 49, 5065 (1994)),
//
//     <O> = sum_r <r| O exp(-H/T) |r> / sum_r <r| exp(-H/T) |r>,
//     exp(-H/T) |r> = sum_jk exp(-E_j/T) s_j0 s_jk |v_k>
//
// where E_j and s_j are the eigenpairs of the tridiagonal matrix. What is needed of O are the products <v_k| O |r>.
#pragma once

#include <string>
#include <vector>

#include "krylov/recurrence_table.hpp"
#include "krylov/tridiagonal.hpp"

namespace strata::lanczos {

/// Products <v_k| O |v_0> of several operators O and recurrences of a fixed largest number of steps.
class OverlapTable {
  public:
    OverlapTable(std::size_t recurrences, std::size_t operators, std::size_t most_steps)
        : operators_(operators), max_steps_(most_steps), products_(recurrences * operators * most_steps) {}

    double& at(std::size_t recurrence, std::size_t op, std::size_t step) {
        return products_[(recurrence * operators_ + op) * max_steps_ + step];
    }
    /// The products of a recurrence with `steps` steps.
    krylov::Overlaps of(std::size_t recurrence, std::size_t steps) const;
    double largest() const;
    void add_state(std::vector<DistributedArray>& arrays);

  private:
    std::size_t operators_, max_steps_;
    std::vector<double> products_;  ///< [recurrence][operator][step]
};

/// Average of an operator with its statistical error and the error by too few steps.
struct ObservedAverage {
    double value = 0, error = 0, step_error = 0;
};

/// Average of the operator with number `op` at temperature t. `rules`: quadratures of all vectors with these products,
/// [rule][vector], by all steps first, then by fewer or by other rules, whose averages show the error by too few steps.
/// `rounding`: that of the average. The error is NaN for too few vectors.
ObservedAverage observed_average(const std::vector<const std::vector<krylov::Quadrature>*>& rules, std::size_t op,
                                 double t, double rounding);

}  // namespace strata::lanczos
