// SPDX-License-Identifier: BSD-3-Clause
// Runs that are interrupted: another system of the same job continues from a checkpoint, or from the state in memory.
#pragma once

#include <string>
#include <vector>

#include "io/checkpoint_file.hpp"
#include "support/packed_state.hpp"
#include "support/runs.hpp"

namespace strata {

/// Writes a checkpoint of a system that has made `steps` steps. Collective.
inline void save(const Communicator& comm, Application& system, std::uint64_t steps, const std::string& path) {
    io::write_checkpoint(comm, path, 1, {"application", "9", "job", "text", steps, 1, "hash"}, Series(system.columns()),
                         system.state());
}

/// Runs the first steps of a system and writes a checkpoint. Collective.
inline void interrupt(const Communicator& comm, Application& system, std::uint64_t steps, const std::string& path) {
    system.allocate();
    system.initialise();
    run_steps(system, 0, steps);
    save(comm, system, steps, path);
}

/// Allocates a system with the state of a checkpoint; returns the number of steps that it has made. Collective.
inline std::uint64_t restore(const Communicator& comm, Application& system, const std::string& path) {
    system.allocate();
    std::vector<std::string> rejections;
    const io::StoredCheckpoint stored = io::open_checkpoint(comm, path, 0, rejections);
    std::vector<ArrayShape> shapes;
    for (const io::StoredArray& array : stored.arrays) shapes.push_back(array.shape);
    if (auto* growing = optional_of<Growing>(system)) growing->prepare_state(shapes);
    io::read_state(comm, stored, system.state());
    system.restored(stored.header.step);
    return stored.header.step;
}

/// Runs the first steps of a system; another one on the same ranks gets its state.
inline void hand_over(Application& from, Application& to, std::uint64_t steps) {
    for (Application* system : {&from, &to}) {
        system->allocate();
        system->initialise();
    }
    run_steps(from, 0, steps);
    copy_state(from.state(), to.state());
    to.restored(steps);
}

}  // namespace strata
