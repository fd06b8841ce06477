// SPDX-License-Identifier: BSD-3-Clause
// The numbers that a job records, from the moments of a state in the bases of x, y and z.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "strata/record.hpp"
#include "trotter/physics/moments.hpp"
#include "trotter/state/plan.hpp"

namespace strata::trotter {

/// Measured values of one state at one time.
struct Measured {
    double norm = 1;
    std::array<const Moments*, 3> moments{};  ///< [index_of(Axis)], null where needs() is false
    double echo = 0;                          ///< |<psi(0)|psi>|^2
    double entropy = 0;                       ///< entropy of the cut, nats
    std::span<const double> own{};            ///< numbers of the lists of [observables]
    double energy_of_products = 0;            ///< expectation value of SpinHamiltonian::others
    std::uint64_t sample = 0;                 ///< number of the random state
    double time = 0;
    const SpinHamiltonian* hamiltonian = nullptr;  ///< Hamiltonian at `time`

    const Moments& along(Axis axis) const { return *moments[index_of(axis)]; }
};

/// Interval that a number less `about` cannot leave, and what bounds it (as in "the bounds by rounding").
struct Bounds {
    double lowest = -std::numeric_limits<double>::infinity(), highest = std::numeric_limits<double>::infinity();
    std::string by = {};
    double about = 0;
};

class Observation {
  public:
    explicit Observation(const TrotterPlan& plan);

    /// Whether the moments in the basis of an axis are needed, or the overlap with the state at time 0.
    bool needs(Axis axis) const { return needs_[index_of(axis)]; }
    bool needs_overlap() const { return overlap_; }
    const std::vector<Column>& columns() const { return columns_; }
    /// Indices of the columns of that name or of that result, such as sz-0 or sz, without those of time, sample and
    /// norm.
    std::vector<std::size_t> columns_of(const std::string& name) const;
    /// Row of a state without its error columns.
    std::vector<double> row(const Measured& m) const;
    /// Estimated errors by the time step: of the state, per unit time, and of every observable, from the rows of two
    /// evolutions, the second one with half the step, the distance of their states, and how long they evolved.
    std::vector<double> errors(std::span<const double> row, std::span<const double> half_steps, double distance,
                               double duration) const;
    /// Largest accepted deviation of the norm from 1.
    double norm_error() const;
    /// Sentence about the invariant that a row violates; empty if there is none.
    std::string broken_invariant(std::span<const double> row) const;
    /// Means over the last rows of all finished states, and how many these are; while none is finished, over the latest
    /// rows of those under way.
    std::vector<Quantity> results(const Series& series) const;

  private:
    using Value = std::function<double(const Measured&)>;
    /// One number of a row.
    struct Recorded {
        Column column;
        std::string result;  ///< name of the result that it belongs to; empty: none
        Value value;         ///< empty for errors by the time step
        Bounds bounds;
    };

    void add(Column column, Value value, Bounds bounds = {});
    void add_observables(int cut_spins);
    void add_own(const ObservedProducts& observed);
    void add_errors();
    /// Share of norm_error() that the truncation of `steps` Chebyshev series may cause.
    double series_error(double steps) const;
    /// Index of the last row of every finished state.
    std::vector<std::size_t> last_rows(const Series& series) const;

    const TrotterConfig& config_;
    const ObservedProducts* observed_;  ///< of the plan, which must outlive the object
    int spins_;
    std::uint64_t max_steps_;  ///< steps of a batch of samples
    std::array<bool, 3> needs_{};
    bool overlap_ = false;
    std::vector<Recorded> recorded_;    ///< in the order of a row
    std::vector<Column> columns_;       ///< columns of recorded_
    double error_factor_;               ///< error of a number divided by its difference from that with half the step
    std::size_t first_observable_ = 0;  ///< the first column whose error is estimated
};

/// <H> from the moments of all axes that have terms.
double energy(const SpinHamiltonian& h, const std::array<const Moments*, 3>& moments);

}  // namespace strata::trotter
