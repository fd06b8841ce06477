// SPDX-License-Identifier: BSD-3-Clause
// Jobs in sectors of momentum, and runs through several sectors that are interrupted and resumed.
#pragma once

#include "support/lanczos_restarts.hpp"

namespace strata::lanczos {

template <class Sequence>
std::unique_ptr<Sequence> over_ranks(const LanczosConfig& c) {
    return std::make_unique<Sequence>(c, world().size(), world().rank(), 1, on_cpu());
}

/// Expects that a run which is stopped after some steps on all ranks and resumed, on one rank with two threads and on
/// all, ends with the bits of an uninterrupted one.
template <class Sequence>
void expect_same_bits_anywhere(const LanczosConfig& c, std::initializer_list<std::uint64_t> stops,
                               std::initializer_list<const char*> names) {
    const Communicator self = Communicator::alone();
    Sequence alone(c, 1, 0, 2, on_cpu(self));
    const auto together = over_ranks<Sequence>(c);
    const Series series = run(*together), expected = run(alone, 2);
    EXPECT_TRUE(same_bits(series.values(), expected.values()));
    const std::string hash = io::state_hash(self, alone.state());
    const SharedFile file;
    for (const std::uint64_t stop : stops) {
        ASSERT_LT(stop, together->total_steps()) << "this tells nothing";
        interrupt(world(), *over_ranks<Sequence>(c), stop, file.path());
        for (const Communicator* comm : {&self, &world()}) {
            Sequence second(c, comm->size(), comm->rank(), comm == &self ? 2 : 1, on_cpu(*comm));
            restore(*comm, second, file.path());
            Series rest = run_steps(second, stop);
            EXPECT_TRUE(same_bits(rest.values(), expected.values().last(rest.values().size()))) << stop;
            if (rest.rows() == 0) rest.append(std::vector<double>(rest.width()));
            for (const char* name : names) EXPECT_EQ(values(second, rest, name), values(alone, expected, name)) << name;
            EXPECT_EQ(io::state_hash(*comm, second.state()), hash) << stop;
        }
    }
}

}  // namespace strata::lanczos
