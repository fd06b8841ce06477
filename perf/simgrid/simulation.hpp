// SPDX-License-Identifier: BSD-3-Clause
// Simulated time of one rank. All ranks are in one process and take turns within calls of MPI and of charge(). Kernels
// are charged by rates on a machine that need not exist; everything else that runs between two calls of MPI is charged
// by the processor time that it takes here.
#pragma once

#include <cstdint>
#include <string>

#include "prediction/machine.hpp"

namespace strata::simulation {

/// The machine to be simulated; the same for all ranks.
struct Settings {
    prediction::Machine machine;
    double here = 1;    ///< core-speed of the machine that simulates, in the unit of machine.core_speed
    int threads = 1;    ///< per rank: they divide the time of kernels alone
    double scale = 1;   ///< factor of the work of kernels, e.g. of slabs that are higher than those really swept
    std::string times;  ///< file of processor times, see keep_times(); none if empty
};
Settings& settings();

/// Writes the processor times that each rank was charged, between one call of MPI or look at the clock and the next, to
/// the file of the settings. A run that finds the file is charged the least of its own times and of those in it: what
/// the machine that simulates takes longer now and then does not count. Throws std::runtime_error if the file is of
/// other steps or cannot be written. Every rank calls it after its last step, and the last one writes.
void keep_times();

/// Messages, time in MPI and charged kernels of the calling rank since its start.
struct Traffic {
    std::uint64_t messages = 0, bytes = 0, kernels = 0;
    double mpi_seconds = 0;
};
Traffic& traffic();

/// A kernel under way: its processor time is not charged, but its time on the simulated machine when it ends.
class Kernel {
  public:
    /// `core_seconds`: computation on one reference core; `bytes`: memory read and written. As in strata/work.hpp.
    Kernel(double core_seconds, double bytes);
    ~Kernel();
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

  private:
    double seconds_;
};

/// Lets the kernels of all applications charge their time (rates.cpp). Called once, before an application is made.
void charge_kernels();

}  // namespace strata::simulation
