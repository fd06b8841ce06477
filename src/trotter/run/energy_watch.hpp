// SPDX-License-Identifier: BSD-3-Clause
// Conservation of <H>. Where H is constant the exact evolution keeps <H>, so a change of it by dE is an error: with W the
// width of the spectrum, the state is at least |dE| / W away from the exact one in 2-norm. The watch is a function of the
// rows alone: a resumed run passes the rows of its checkpoint again and then judges as one that was not interrupted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trotter/run/observation.hpp"

namespace strata::trotter {

class EnergyWatch {
  public:
    /// `plan` must outlive the object. Nothing is watched if the energy is not observed, or if a drive changes H.
    EnergyWatch(const TrotterPlan& plan, const Observation& observation);

    /// Takes a row of the sample `sample` after so many steps of its batch.
    void add(std::uint64_t sample, std::uint64_t steps_of_round, std::span<const double> row);
    /// Takes all rows of a checkpoint, of which the times tell the steps.
    void add_all(const Series& series);
    /// Sentence about a change of the energy that shows that the states are wrong; empty if there was none.
    const std::string& broken() const { return broken_; }
    /// Text about a smaller change that a good time step would not cause; empty if there was none.
    std::string remark() const;

  private:
    /// Time during which H of one of the states that evolve at once is constant: between two pulses of one way of an
    /// echo.
    struct Period {
        std::uint64_t sample = 0, pulses = 0;
        Leg leg = Leg::forward;

        bool operator==(const Period&) const = default;
    };
    struct Reference {
        std::optional<Period> period;
        double time = 0, energy = 0;  ///< of the first row of the period
    };
    void judge(const Reference& reference, double change, double width);
    std::string advice(double share) const;

    const TrotterPlan& plan_;
    std::optional<std::size_t> energy_;  ///< its column, if it is watched
    double widths_[2] = {0, 0};          ///< upper bounds of the width of the spectrum, [leg]
    double allowed_;                     ///< largest change over the width with which a run goes on
    std::vector<Reference> references_;  ///< [state]
    double largest_ = 0, change_ = 0;    ///< largest change so far, over the width, and in units of energy
    std::string broken_;
};

}  // namespace strata::trotter
