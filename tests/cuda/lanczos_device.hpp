// SPDX-License-Identifier: BSD-3-Clause
// Lanczos operators on the device of a test, and runs there against those of the CPU.
#pragma once

#include "cuda/schedule.hpp"
#include "models/wave_vectors.hpp"
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

/// The working pair of an operator on this rank, all subspaces one after another.
struct Pair {
    std::vector<double> v, w;
};

inline Pair pair_of(HamiltonianOperator& op) {
    Pair pair;
    for (std::size_t p = 0; p < op.plan().counts().subspace_counts().size(); ++p) {
        const std::uint64_t size = op.plan().layout(p, world().rank()).size();
        const HamiltonianOperator::Blocks v = op.blocks(op.v(), p), w = op.blocks(op.w(), p);
        pair.v.insert(pair.v.end(), v.data(), v.data() + size);
        pair.w.insert(pair.w.end(), w.data(), w.data() + size);
    }
    return pair;
}

inline void expect_near(const std::vector<double>& a, const std::vector<double>& b, double near,
                        const std::string& what) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], near) << what << " " << i;
}

/// Two steps with any factors, from random vectors: what the first leaves in both vectors enters the second.
inline void expect_multiply_of_cpu(LanczosConfig c) {
    for (const auto precision : {krylov::Precision::double_, krylov::Precision::single}) {
        c.precision = precision;
        const LanczosPlan of_sector = plan(c);
        Timers timers;
        const auto there = on_device()(of_sector, timers), here = on_cpu()(of_sector, timers);
        const bool single = precision == krylov::Precision::single;
        const double near = (single ? 1e-4 : 1e-12) * std::max(1.0, of_sector.counts().upper_bound());
        const std::string what = c.lattice.type + " " + list_of(c.symmetry.momentum) + (single ? " single" : "");
        for (HamiltonianOperator* op : {there.get(), here.get()}) {
            op->allocate();
            op->draw(op->v(), 0);
            op->draw(op->w(), 1);
        }
        const Pair drawn = pair_of(*there), expected = pair_of(*here);
        expect_near(drawn.w, expected.w, single ? 1e-6 : 1e-14, what + " drawn");
        for (int step = 0; step < 2; ++step) {
            const krylov::StepFactors factors = {0.3, 0.8, 0.6};
            const PairProducts sums = there->multiply(factors), sums_here = here->multiply(factors);
            const Pair a = pair_of(*there), b = pair_of(*here);
            expect_near(a.v, b.v, near, what + " v");
            expect_near(a.w, b.w, near, what + " w");
            const double of_sums = (single ? 1e-5 : 1e-12) * (sums_here.ww + sums_here.vv);
            EXPECT_NEAR(sums.vw, sums_here.vw, of_sums) << what;
            EXPECT_NEAR(sums.ww, sums_here.ww, of_sums) << what;
            EXPECT_NEAR(sums.vv, sums_here.vv, of_sums) << what;
            EXPECT_NEAR(std::abs(there->space().dot(there->v(), there->w()) - here->space().dot(here->v(), here->w())),
                        0, of_sums);
        }
    }
}

}  // namespace strata::lanczos
