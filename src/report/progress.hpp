// SPDX-License-Identifier: BSD-3-Clause
// Progress of a run: a bar on a terminal, or a line every half minute in a log.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "strata/application.hpp"

namespace strata::report {

/// True if the output of this process is shown on a terminal. Open MPI gives its ranks a pseudo terminal for any output
/// of mpirun, so that under mpirun the output of the parent process is tested.
bool stdout_is_terminal();

class Progress {
  public:
    enum class Form { none, bar, lines };

    /// `first` steps of `total` were done before this run; `outlook` returns the current state of the run.
    Progress(Form form, std::uint64_t first, std::uint64_t total, std::string step_name,
             std::function<Outlook()> outlook);

    /// Also calls `note` once a second with the line of progress.
    void note_by(std::function<void(const std::string&)> note);

    /// Shows the progress if the period has passed; `done` steps of `total` are done; now: of the monotonic clock.
    void update(std::uint64_t done, std::uint64_t total, double now);
    /// Prints a line between the progress lines, e.g. that a checkpoint was written.
    void say(const std::string& line);
    /// Whether log() prints: the output is no terminal, and not suppressed.
    bool is_log() const { return form_ == Form::lines; }
    /// Prints a line with the seconds since the start; nothing unless is_log() or if the line is empty.
    void log(const std::string& line) const;
    /// Prints the final line.
    void finish(std::uint64_t done);

  private:
    std::string text(const Outlook& outlook, std::uint64_t done, double now) const;
    std::string text(std::uint64_t done, double now) const;
    std::string text(const Outlook& outlook, double now) const;
    void show(const Outlook& outlook, std::string line, std::uint64_t done);

    Form form_;
    std::uint64_t first_, total_;
    std::string step_name_;
    std::function<Outlook()> outlook_;
    std::function<void(const std::string&)> note_;
    double first_fraction_, start_, next_, next_note_ = 0;
    std::size_t shown_ = 0;  ///< length of the bar on the screen
};

}  // namespace strata::report
