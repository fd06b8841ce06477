// SPDX-License-Identifier: BSD-3-Clause
// Lanczos operators on the device of a test, and runs there against those of the CPU.
#pragma once

#include "cuda/schedule.hpp"
#include "support/lanczos_runs.hpp"

namespace strata::lanczos {

/// Operators on the device.
inline MakeHamiltonian on_device(const Communicator& comm = world()) {
    const DeviceBinding binding = test_device();
    return hamiltonian_maker(comm, &binding);
}

/// The same job on the device and on the CPU; numbers that depend on the order of rounding are compared to 1e-9.
template <class System>
void expect_like_cpu(const LanczosConfig& c, std::initializer_list<const char*> names) {
    System there(plan(c), on_device()), here(plan(c), on_cpu());
    const Series series = run(there), expected = run(here);
    for (const char* name : names) {
        const std::vector<double> a = values(there, series, name), b = values(here, expected, name);
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9) << name;
    }
}

}  // namespace strata::lanczos
