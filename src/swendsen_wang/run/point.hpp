// SPDX-License-Identifier: BSD-3-Clause
// The observations at one temperature, and estimates from them whose errors hold: means by the Gamma method, functions of
// means by the jackknife. An error that the observations cannot support is NaN, and the reason is kept.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "analysis/gamma_method.hpp"
#include "strata/record.hpp"
#include "swendsen_wang/job/config.hpp"
#include "swendsen_wang/run/rare_states.hpp"
#include "swendsen_wang/state/observation.hpp"

namespace strata::swendsen_wang {

using Means = std::span<const double>;

/// x times a factor that may be infinite (temperature 0); 0 if x is 0, i.e. does not fluctuate.
inline double times(double x, double factor) { return x == 0 ? 0 : x * factor; }

/// Rare states that leave a quantity without an error although the run is in equilibrium.
struct Lack {
    double weight = 0;  ///< weight of these states; 0: there is an error
    double share = 0;   ///< part of the variance that is theirs
    double longer = 0;  ///< by this factor a run must be for an error
};

/// Departures from the mean that an error needs (analysis::departs_rarely). Replicas of parallel tempering that pass a
/// temperature bring the same excursion several times.
std::size_t fewest_departures(const SwendsenWangConfig& config);

/// The lattice, the observations, and the rare states that may be missing among them. Only a few columns are copied at a
/// time, because a series may occupy most of the memory.
class Point {
  public:
    /// `first`: rows of the thermalization; `first_overlap`: column of overlaps, or the number of columns.
    Point(const SwendsenWangConfig& config, const Series& series, std::size_t first, std::size_t first_overlap);

    double beta;      ///< in 1/J_unit; K = beta J
    double coupling;  ///< |J|
    double sites;
    double longest;  ///< largest extent
    bool clusters;   ///< whether they were observed

    double reduced() const { return beta * coupling; }
    /// Where the series has a column.
    std::size_t place(SeriesColumn c) const { return place_of(c, config_); }
    /// The observations of a column, then its values in the rare states.
    std::vector<double> column(std::size_t c) const;
    analysis::Estimate mean(std::size_t c, double factor = 1) const;
    /// f of the means of some columns, in their order.
    analysis::Estimate function(std::initializer_list<std::size_t> of, const std::function<double(Means)>& f) const;
    /// The same of columns that end with the rare states, as column() gives them.
    analysis::Estimate function(std::span<const std::span<const double>> columns,
                                const std::function<double(Means)>& f) const;
    /// What the last estimate lacks.
    const Lack& lack() const { return lack_; }

  private:
    /// What several estimates need of a column.
    struct Known {
        analysis::Fluctuations fluctuations;
        bool departs_rarely = false;
    };

    std::size_t observations() const { return series_.rows() - first_; }
    /// Computed once.
    const Known& known(std::size_t c) const;
    /// Without an error where the observations left the mean too rarely.
    analysis::Estimate unless_rare(analysis::Estimate e, bool departs_rarely) const;
    /// Whether an error depends on more than the fluctuations.
    bool needs_columns(const analysis::Estimate& e) const { return e.error > 0 && (slow_ || !rare_.empty()); }
    analysis::Estimate function(std::span<const std::span<const double>> columns, std::span<const Known> known,
                                const std::function<double(Means)>& f) const;
    analysis::Estimate with_known_error(analysis::Estimate e, std::span<const std::span<const double>> columns,
                                        const std::function<double(Means)>& f) const;
    Lack missing(const analysis::Estimate& e, std::span<const double> changes) const;

    const SwendsenWangConfig& config_;
    const Series& series_;
    std::size_t first_;
    mutable std::vector<std::optional<Known>> known_;  ///< [column]
    /// Whether errors are at least those of blocks: replicas of parallel tempering move through all temperatures slowly,
    /// which changes means little. 24 runs of 6^3 sites showed errors of the Gamma method up to 1.5 times too small.
    bool slow_;
    std::size_t fewest_;  ///< departures that an error needs
    double states_;       ///< number of states of a spin
    std::vector<RareState> rare_;
    mutable Lack lack_;
};

}  // namespace strata::swendsen_wang
