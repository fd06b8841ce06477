// SPDX-License-Identifier: BSD-3-Clause
// Jobs in sectors of momentum, and runs through several sectors that are interrupted and resumed.
#pragma once

#include "io/checkpoint_file.hpp"
#include "support/lanczos_runs.hpp"
#include "support/shared_file.hpp"

namespace strata::lanczos {

template <class Sequence>
std::unique_ptr<Sequence> over_ranks(const LanczosConfig& c) {
    return std::make_unique<Sequence>(c, world().size(), world().rank(), 1, on_cpu());
}

/// Expects that a run which is stopped after some steps on all ranks and resumed on one rank with two threads ends with
/// the bits of an uninterrupted one.
template <class Sequence>
void expect_same_bits_anywhere(const LanczosConfig& c, std::initializer_list<std::uint64_t> stops,
                               std::initializer_list<const char*> names) {
    const Communicator self = Communicator::alone();
    Sequence alone(c, 1, 0, 2, on_cpu(self));
    const auto together = over_ranks<Sequence>(c);
    const Series series = run(*together), expected = run(alone, 2);
    EXPECT_TRUE(std::ranges::equal(series.values(), expected.values()));
    const SharedFile file;
    for (const std::uint64_t stop : stops) {
        ASSERT_LT(stop, together->total_steps()) << "this tells nothing";
        const auto first = over_ranks<Sequence>(c);
        first->allocate();
        first->initialise();
        for (std::uint64_t step = 0; step < stop; ++step) first->step(step);
        io::write_checkpoint(world(), file.path(), 1, {"lanczos", "9", "job", "text", stop, 1, "hash"},
                             Series(first->columns()), first->state());
        Sequence second(c, 1, 0, 2, on_cpu(self));
        second.allocate();
        std::vector<std::string> rejections;
        const io::StoredCheckpoint stored = io::open_checkpoint(self, file.path(), 0, rejections);
        std::vector<ArrayShape> shapes;
        for (const io::StoredArray& array : stored.arrays) shapes.push_back(array.shape);
        second.prepare_state(shapes);
        io::read_state(self, stored, second.state());
        second.restored(stop);
        Series rest = run_steps(second, stop);
        if (rest.rows() == 0) rest.append(std::vector<double>(rest.width()));
        for (const char* name : names) EXPECT_EQ(values(second, rest, name), values(alone, expected, name)) << name;
        EXPECT_EQ(io::state_hash(self, second.state()), io::state_hash(self, alone.state())) << stop;
    }
}

}  // namespace strata::lanczos
