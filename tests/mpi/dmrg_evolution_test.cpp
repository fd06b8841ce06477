// SPDX-License-Identifier: BSD-3-Clause
// Evolutions of matrix product states in real and imaginary time, and spectra, on the ranks of this run: the same bits as on
// one rank, also with blocks on disk and resumed within a time step or within the search for the initial state; free fermions.
#include <gtest/gtest.h>

#include <cmath>

#include "support/dmrg_runs.hpp"
#include "support/large_cases.hpp"
#include "support/restarts.hpp"
#include "support/shared_file.hpp"
#include "support/world.hpp"

namespace strata::dmrg {
namespace {

std::unique_ptr<Application> evolution(const Communicator& comm, const std::string& job, int threads = 1) {
    const DmrgPlan plan(dmrg_job(job), comm.size(), threads);
    return evolution(comm, plan, superblock::host_operators({.simd = plan.config().simd, .seed = plan.config().seed}));
}

struct EvolutionBits {
    std::string hash;
    std::vector<double> rows;
};

EvolutionBits evolution_of_one_rank(const std::string& job) {
    EvolutionBits bits;
    on_root([&] {
        const Communicator self = Communicator::alone();
        const auto system = evolution(self, job);
        const Series series = run_whole(*system);
        bits = {io::state_hash(self, system->state()), {series.values().begin(), series.values().end()}};
    });
    broadcast(world(), bits.hash);
    share(bits.rows);
    return bits;
}

const std::string evolving_ladder =
    "[lattice]\ntype = ladder\nextents = 4,2\n[model]\nu = 4\n[run]\ntask = evolution\n"
    "[evolution]\nup = 0,1,2,3\ndown = 4,5,6,7\nstep = 0.2\nsteps = 2\ncutoff = 1e-6\n";
const std::string evolving_quench =
    "[lattice]\nextents = 6\n[model]\nu = 4\n[run]\ntask = evolution\n"
    "[evolution]\nstart = ground-state\nstep = 0.2\nsteps = 2\n[initial-model]\nu = 1\n";

/// A complex operator, and one that does not conserve S^z.
const std::string driven_chain =
    "[lattice]\nextents = 6\n[model]\ntype = heisenberg\njz = 0.5\n[run]\ntask = evolution\n"
    "[evolution]\nup = 0,2,4\nstep = 0.2\nsteps = 2\ncutoff = 1e-6\n"
    "[observables]\ntwist = 0.5i S+ {i} S- {i+1}; -0.5i S- {i} S+ {i+1}\nshake = 1 Sx {i}; 0.5 Sz 0\n"
    "[drive]\noperator = twist,shake\nfactor = gauss 1 2 0 0.2 0.5; linear 0 0; 0.15 1; 0.3 -0.5\n";

const std::string cooling_chain =
    "[lattice]\nextents = 4\n[model]\nu = 4\n[run]\ntask = thermal\n"
    "[thermal]\ntemperatures = 0.8,1.5\nchemical-potential = 1\nstep = 0.2\n";

/// An operator that is odd in fermions.
const std::string spectral_chain =
    "[lattice]\nextents = 5\n[model]\nu = 4\n[run]\ntask = spectrum\n[spectrum]\noperator = addition\n"
    "broadening = 1\ntime = 2\n[evolution]\nstep = 0.25\ncutoff = 1e-6\n";

TEST(DmrgEvolution, GivesTheSameBitsOnRanksThreadsAndDisks) {
    const std::string on_disk = "[run]\nblocks = disk\nblocks-directory = " + testing::TempDir() + "\n";
    for (const std::string& job : {evolving_ladder, evolving_quench, driven_chain, cooling_chain, spectral_chain}) {
        const EvolutionBits expected = evolution_of_one_rank(job);
        for (const std::string& more : {std::string(), on_disk}) {
            if (!large_cases && !more.empty() && job != evolving_quench) continue;
            const auto system = evolution(world(), job + more, 2);
            const Series series = run_whole(*system);
            EXPECT_EQ(io::state_hash(world(), system->state()), expected.hash) << job << more;
            if (world().is_root()) {
                EXPECT_TRUE(std::ranges::equal(series.values(), expected.rows)) << job << more;
            }
        }
    }
}

/// Stops within sweeps in both directions of both evolutions, at the first row, and within the search.
TEST(DmrgEvolution, IsTakenUpAgain) {
    for (const auto& [job, stops] : {std::pair{evolving_ladder, large_cases ? std::vector<std::uint64_t>{0, 3, 28, 42}
                                                                            : std::vector<std::uint64_t>{28}},
                                     std::pair{evolving_quench, std::vector<std::uint64_t>{14}},
                                     std::pair{driven_chain, std::vector<std::uint64_t>{8, 27}},
                                     std::pair{cooling_chain, std::vector<std::uint64_t>{5, 84}},
                                     std::pair{spectral_chain, large_cases ? std::vector<std::uint64_t>{9, 41, 93}
                                                                           : std::vector<std::uint64_t>{41}}}) {
        const EvolutionBits expected = evolution_of_one_rank(job);
        for (const std::uint64_t stop : stops) {
            SCOPED_TRACE(testing::Message() << "after step " << stop << "\n" << job);
            const SharedFile file;
            interrupt(world(), *evolution(world(), job), stop, file.path());
            const auto system = evolution(world(), job);
            const std::uint64_t step = restore(world(), *system, file.path());
            const Series rest = run_steps(*system, step);
            EXPECT_EQ(io::state_hash(world(), system->state()), expected.hash);
            if (world().is_root()) {
                EXPECT_TRUE(std::equal(rest.values().rbegin(), rest.values().rend(), expected.rows.rbegin()));
            }
        }
    }
}

/// A wall between spins up and down in the XX chain of 12: n_i = sum_k |U_ik|^2 over the sites k that are up.
TEST(DmrgEvolution, MeltsAWallAsFreeFermionsDo) {
    constexpr int sites = 12;
    constexpr double time = 2;
    const auto system =
        evolution(world(),
                  "[lattice]\nextents = 12\n[model]\ntype = heisenberg\njz = 0\n[run]\ntask = evolution\n"
                  "[evolution]\nup = 0:5:1\nstep = 1\nsteps = 2\nsweeps = 8\n");
    const Series series = run_whole(*system);
    if (!world().is_root()) return;
    const auto mode = [](int k, int i) { return std::sqrt(2.0 / (sites + 1)) * std::sin(M_PI * k * i / (sites + 1)); };
    for (int i = 1; i <= sites; ++i) {
        double n = 0;
        for (int from = 1; from <= sites / 2; ++from) {
            std::complex<double> u = 0;
            for (int k = 1; k <= sites; ++k)
                u += mode(k, i) * mode(k, from) * std::polar(1.0, -time * std::cos(M_PI * k / (sites + 1)));
            n += std::norm(u);
        }
        const std::string name = "sz-" + std::to_string(i - 1);
        const auto column = std::ranges::find(series.columns(), name, &Column::name) - series.columns().begin();
        EXPECT_NEAR(series.row(2)[static_cast<std::size_t>(column)], n - 0.5, 2e-5) << name;
    }
}

/// Two spins with J = 0.05: S^z of the first is cos(J t) / 2. A sweep adds a weight of 2e-6, far below the cut-off.
TEST(DmrgEvolution, WeakCouplingsAreNotCutOff) {
    const auto system =
        evolution(world(),
                  "[lattice]\nextents = 2\n[model]\ntype = heisenberg\nj = 0.05\njz = 0\n[run]\ntask = "
                  "evolution\n[evolution]\nup = 0\nstep = 10\nsteps = 4\nsweeps = 100\ncutoff = 1e-4\n");
    const Series series = run_whole(*system);
    if (!world().is_root()) return;
    const auto column = std::ranges::find(series.columns(), "sz-0", &Column::name) - series.columns().begin();
    EXPECT_NEAR(series.row(4)[static_cast<std::size_t>(column)], 0.5 * std::cos(2), 1e-5);
}

}  // namespace
}  // namespace strata::dmrg
