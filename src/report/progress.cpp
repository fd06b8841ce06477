// SPDX-License-Identifier: BSD-3-Clause
// A progress bar that is redrawn on a terminal, or a line every 30 s in a log.
#include "report/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "report/table.hpp"
#include "strata/printable.hpp"
#include "strata/timer.hpp"

namespace strata::report {
namespace {

constexpr double bar_period = 0.2, line_period = 30, note_period = 1;
constexpr int bar_width = 24;

/// "5 s left", after `about`; before anything is done it is not known.
std::string time_left(double seconds, const char* about) {
    return std::isfinite(seconds) ? about + human_time(seconds) + " left" : "time left not known yet";
}

/// Columns of a line that does not make the terminal scroll; a large number if its width is unknown, as below mpirun.
std::size_t line_width() {
    struct winsize size {};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1U : 10000U;
}

}  // namespace

bool stdout_is_terminal() {
    if (isatty(STDOUT_FILENO) == 0) return false;
    if (std::getenv("PMIX_RANK") == nullptr) return true;
    char target[64] = "";
    const std::string link = "/proc/" + std::to_string(getppid()) + "/fd/1";
    const ssize_t length = readlink(link.c_str(), target, sizeof target - 1);
    const std::string path(target, length > 0 ? static_cast<std::size_t>(length) : 0);
    return path.starts_with("/dev/pts/") || path.starts_with("/dev/tty");
}

Progress::Progress(Form form, std::uint64_t first, std::uint64_t total, std::string step_name,
                   std::function<Outlook()> outlook)
    : form_(form),
      first_(first),
      total_(total),
      step_name_(std::move(step_name)),
      outlook_(std::move(outlook)),
      first_fraction_(outlook_ ? outlook_().fraction : 0),
      start_(monotonic_seconds()),
      next_(start_ + (form == Form::bar ? bar_period : line_period)) {}

std::string Progress::text(std::uint64_t done, double now) const {
    const double elapsed = now - start_;
    const double rate = elapsed > 0 ? static_cast<double>(done - first_) / elapsed : 0;
    const double left = rate > 0 ? static_cast<double>(total_ - done) / rate : std::numeric_limits<double>::infinity();
    char numbers[200];
    std::snprintf(numbers, sizeof numbers, "%5.1f %%  %llu/%llu %s  %.4g %s/s  %s",
                  total_ > 0 ? 100.0 * static_cast<double>(done) / static_cast<double>(total_) : 100.0,
                  static_cast<unsigned long long>(done), static_cast<unsigned long long>(total_), step_name_.c_str(),
                  rate, step_name_.c_str(), time_left(left, "").c_str());
    return numbers;
}

std::string Progress::text(const Outlook& outlook, double now) const {
    const double made = outlook.fraction - first_fraction_;
    const double left =
        made > 0 ? (now - start_) * (1 - outlook.fraction) / made : std::numeric_limits<double>::infinity();
    char numbers[300];
    std::snprintf(numbers, sizeof numbers, "%5.1f %%  %s  %s", 100 * outlook.fraction, outlook.standing.c_str(),
                  time_left(left, "about ").c_str());
    return numbers;
}

std::string Progress::text(const Outlook& outlook, std::uint64_t done, double now) const {
    return outlook.standing.empty() ? text(done, now) : text(outlook, now);
}

void Progress::note_by(std::function<void(const std::string&)> note) { note_ = std::move(note); }

void Progress::update(std::uint64_t done, std::uint64_t total, double now) {
    total_ = total;
    if (form_ == Form::none && !note_) return;
    const bool shows = form_ != Form::none && now >= next_, notes = note_ && now >= next_note_;
    if (!shows && !notes) return;
    const Outlook outlook = outlook_();
    const std::string line = text(outlook, done, now);
    if (notes) note_(line);
    if (notes) next_note_ = now + note_period;
    if (!shows) return;
    next_ = now + (form_ == Form::bar ? bar_period : line_period);
    show(outlook, line, done);
}

void Progress::show(const Outlook& outlook, std::string line, std::uint64_t done) {
    if (form_ == Form::lines) {
        std::printf("%s\n", line.c_str());
    } else {
        const auto filled =
            static_cast<std::size_t>(total_ > 0 ? static_cast<std::uint64_t>(bar_width) * done / total_ : 0);
        const std::size_t width = line_width();
        if (outlook.standing.empty() && line.size() + bar_width + 3 <= width)
            line = "[" + std::string(filled, '=') + std::string(bar_width - filled, ' ') + "] " + line;
        line = line.substr(0, width);
        const std::size_t length = line.size();
        if (length < shown_) line.append(std::min(shown_, width) - length, ' ');
        shown_ = length;
        std::printf("\r%s", line.c_str());
    }
    std::fflush(stdout);
}

void Progress::say(const std::string& line) {
    if (form_ == Form::none) return;
    if (shown_ != 0) std::printf("\r%s\r", std::string(shown_, ' ').c_str());
    shown_ = 0;
    std::printf("%s\n", strata::printable(line, line.size(), Newlines::kept).c_str());
    std::fflush(stdout);
}

void Progress::log(const std::string& line) const {
    if (!is_log() || line.empty()) return;
    std::printf("%s  %9.2f s\n", line.c_str(), monotonic_seconds() - start_);
    std::fflush(stdout);
}

void Progress::finish(std::uint64_t done) {
    if (form_ == Form::none || done <= first_) return;
    say(text(done, monotonic_seconds()));
}

}  // namespace strata::report
