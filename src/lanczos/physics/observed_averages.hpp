// SPDX-License-Identifier: BSD-3-Clause
// Thermal averages of operators that need not commute with H: with random vectors r and the vectors v_k of their Lanczos
// recurrences, v_0 = r (J. Jaklic, P. Prelovsek, Phys. Rev. B 49, 5065 (1994)),
//
//     <O> = sum_r <r| O exp(-H/T) |r> / sum_r <r| exp(-H/T) |r>,
//     exp(-H/T) |r> = sum_jk exp(-E_j/T) s_j0 s_jk |v_k>
//
// where E_j and s_j are the eigenpairs of the tridiagonal matrix. What is needed of O are the products <v_k| O |r>. At
// T = 0 the average of one vector is <r|O|0> / <r|0>, which fluctuates as O does in the ground state. The form
//
//     <O> = sum_r <r| exp(-H/2T) O exp(-H/2T) |r> / sum_r <r| exp(-H/T) |r>
//
// has <0|O|0> there for every vector (M. Aichhorn, M. Daghofer, H. G. Evertz, W. von der Linden, Phys. Rev. B 67, 161103
// (2003)). It needs the expectation value of O in the state x = exp(-H/2T) |r> of every temperature. The error of x by
// too few steps obeys e' = -H e - beta_M c_M(s) v_M, with the last coefficient c_M of exp(-sH) |r> in the basis, so that
//
//     |e| <= beta_M int_0^(1/2T) exp(-(1/2T - s) E) |c_M(s)| ds,   E a lower bound of the levels
//
// (M. Hochbruck, C. Lubich, SIAM J. Numer. Anal. 34, 1911 (1997)), and the average moves by at most
// 2 sum_r |e_r| |(O - <O>) x_r| / sum_r <x_r|x_r> to first order.
//
// Over several sectors the sums over r become sum_k D_k / R_k sum_r (thermal_averages.hpp), in numerator and denominator.
#pragma once

#include <algorithm>
#include <optional>
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
    /// The largest product of the recurrences first .. first + count - 1.
    double largest(std::size_t first, std::size_t count) const;
    /// Replaces the products of recurrences from `first` on by those of a table of as many operators or fewer.
    void replace(std::size_t first, const OverlapTable& other);
    void add_state(std::vector<DistributedArray>& arrays, const std::string& name = "overlaps");

  private:
    std::size_t recurrences() const { return operators_ == 0 ? 0 : products_.size() / (operators_ * max_steps_); }

    std::size_t operators_, max_steps_;
    std::vector<double> products_;  ///< [recurrence][operator][step]
};

/// Average of an operator with its statistical error and the error by too few steps.
struct ObservedAverage {
    double value = 0, error = 0, step_error = 0;
};

/// The state exp(-H/2T) |r> of norm 1 by the eigenpairs of the tridiagonal matrix of r: its components in the vectors of
/// the recurrence.
std::vector<double> half_weighted_state(const krylov::TridiagonalPairs& pairs, double t);
/// Bound of its error by too few steps. `last_beta`: the last coefficient of the recurrence, 0 where its space has ended;
/// `lowest`: lower bound of the levels.
double half_weighted_error(const krylov::TridiagonalPairs& pairs, double last_beta, double lowest, double t);

/// The same of all states of the recurrences first .. first + count - 1 of a table, [vector][temperature].
std::vector<double> half_weighted_errors(const krylov::RecurrenceTable& table, std::size_t first, std::size_t count,
                                         const std::vector<double>& temperatures);

/// Expectation values and spreads sqrt(<O^2> - <O>^2) of operators in the states of all random vectors and temperatures.
class StateMeans {
  public:
    StateMeans(std::size_t vectors, std::vector<double> temperatures, std::size_t operators)
        : temperatures_(std::move(temperatures)),
          operators_(operators),
          means_(vectors * temperatures_.size() * operators),
          spreads_(means_.size()) {}

    const std::vector<double>& temperatures() const { return temperatures_; }
    std::size_t temperature(double t) const {
        return static_cast<std::size_t>(std::ranges::find(temperatures_, t) - temperatures_.begin());
    }
    double mean(std::size_t vector, std::size_t temperature, std::size_t op) const {
        return means_[place(vector, temperature, op)];
    }
    double spread(std::size_t vector, std::size_t temperature, std::size_t op) const {
        return spreads_[place(vector, temperature, op)];
    }
    double error(std::size_t vector, std::size_t temperature) const {
        return errors_[vector * temperatures_.size() + temperature];
    }
    void set(std::size_t vector, std::size_t temperature, std::size_t op, double mean, double spread) {
        means_[place(vector, temperature, op)] = mean;
        spreads_[place(vector, temperature, op)] = spread;
    }
    /// Sets bounds of the errors of all states by too few steps, [vector][temperature].
    void set_errors(std::vector<double> bounds) { errors_ = std::move(bounds); }
    /// Replaces those of vectors from `first` on by those of as many operators or fewer.
    void replace(std::size_t first, const StateMeans& other);
    void add_state(std::vector<DistributedArray>& arrays, const std::string& name = "state-means");

  private:
    std::size_t place(std::size_t vector, std::size_t temperature, std::size_t op) const {
        return (vector * temperatures_.size() + temperature) * operators_ + op;
    }

    std::vector<double> temperatures_;
    std::size_t operators_;
    std::vector<double> means_, spreads_;  ///< [vector][temperature][operator]
    std::vector<double> errors_ = {};      ///< [vector][temperature]
};

/// An operator in one of the sectors of a trace.
struct ObservedSector {
    double states;  ///< states that the vectors represent
    /// Quadratures of all vectors, [rule][vector], by all steps first, then by fewer or by other rules.
    std::vector<const std::vector<krylov::Quadrature>*> rules;
    std::optional<std::size_t> op;      ///< number of the operator there; none where it is 0
    const StateMeans* means = nullptr;  ///< expectation values in states exp(-H/2T) |r>
    std::size_t first_vector = 0;       ///< number of this sector's first one among their vectors
};

/// Average of an operator at temperature t by the products of the quadratures; the other rules show the error by too few
/// steps. `rounding`: that of the average. The error is NaN for too few vectors.
ObservedAverage observed_average(const std::vector<ObservedSector>& sectors, double t, double rounding);
/// The same by the means of states. `rounding`: relative to the norm of O x. The error by too few steps is NaN where it is
/// not small.
ObservedAverage half_weighted_average(const std::vector<ObservedSector>& sectors, double t, double rounding);

}  // namespace strata::lanczos
