// SPDX-License-Identifier: BSD-3-Clause
// How far a run is: a bar on a terminal, a plain line every half minute in a log.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "strata/application.hpp"

namespace strata::cli {

/// True if what this process prints is read by a person on a terminal. Open MPI gives its ranks a pseudo terminal
/// whatever mpirun's own output is, so under mpirun that one is looked at.
bool stdout_is_terminal();

class Progress {
  public:
    enum class Form { none, bar, lines };

    /// `first` steps of `total` were done before this run; `outlook` tells the state of the run whenever it is asked.
    Progress(Form form, std::uint64_t first, std::uint64_t total, std::string step_name,
             std::function<Outlook()> outlook);

    /// Shows the state if it is time to; `done` steps of `total` are done.
    void update(std::uint64_t done, std::uint64_t total);
    /// A line between the progress lines, e.g. that a checkpoint was written.
    void say(const std::string& line);
    /// Ends the bar.
    void finish(std::uint64_t done);

  private:
    std::string text(std::uint64_t done, double now) const;
    std::string text(const Outlook& outlook, double now) const;

    Form form_;
    std::uint64_t first_, total_;
    std::string step_name_;
    std::function<Outlook()> outlook_;
    double first_fraction_, start_, next_;
    std::size_t shown_ = 0;  ///< characters of the bar on the screen
};

}  // namespace strata::cli
