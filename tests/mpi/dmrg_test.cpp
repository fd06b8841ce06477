// SPDX-License-Identifier: BSD-3-Clause
// Renormalizations on the ranks of this run: the same bits as on one rank, also for distributed superblocks and after a
// restart; truncation by multiplets.
#include <gtest/gtest.h>

#include <cmath>

#include "support/dmrg_runs.hpp"
#include "support/large_cases.hpp"
#include "support/restarts.hpp"
#include "support/shared_file.hpp"
#include "support/world.hpp"

namespace strata::dmrg {
namespace {

struct Bits {
    std::string hash;
    std::vector<double> rows, results;
    friend bool operator==(const Bits&, const Bits&) = default;
};

Bits bits_of(const Communicator& comm, Dmrg& system, const Series& series) {
    Bits bits{io::state_hash(comm, system.state()), {series.values().begin(), series.values().end()}, {}};
    for (const Quantity& q : system.results(series))
        bits.results.insert(bits.results.end(), q.value.begin(), q.value.end());
    return bits;
}

/// The bits of a whole run of one rank alone: rank 0 computes them for all.
Bits bits_of_one_rank(const std::string& job) {
    Bits bits;
    on_root([&] {
        const Communicator self = Communicator::alone();
        const Finished run = finish(self, job);
        bits = bits_of(self, *run.system, run.series);
    });
    broadcast(world(), bits.hash);
    share(bits.rows);
    share(bits.results);
    return bits;
}

/// Largest dimension of a superblock of an open chain of electrons whose bonds have the sectors of the final state.
std::uint64_t largest_superblock(Dmrg& system, const Model& model) {
    std::vector<std::uint64_t> packed;
    for (const DistributedArray& array : system.state())
        if (array.shape.name == "bonds") {
            packed.resize(array.shape.row_elements);
            array.read({array.rows, {0, packed.size()}}, reinterpret_cast<std::byte*>(packed.data()));
        }
    std::vector<Sectors> bonds;
    for (std::size_t at = 0; at < packed.size();) {
        Sectors s;
        for (std::uint64_t count = packed[at++]; count > 0; --count, at += 3) {
            s.charges.push_back({static_cast<int>(packed[at]), static_cast<int>(packed[at + 1])});
            s.states.push_back(packed[at + 2]);
        }
        bonds.push_back(s);
    }
    std::uint64_t largest = 0;
    for (std::size_t bond = 1; bond + 1 < bonds.size(); ++bond) {
        const ChargeRange allowed = reachable_charges(model, static_cast<int>(bond));
        const Sectors left = enlarge(bonds[bond - 1], model.charges, Side::left, allowed).sectors,
                      right = enlarge(bonds[bond + 1], model.charges, Side::right, allowed).sectors;
        std::uint64_t dimension = 0;
        for (std::size_t i = 0; i < left.size(); ++i)
            if (const auto j = right.find(left.charges[i])) dimension += left.states[i] * right.states[*j];
        largest = std::max(largest, dimension);
    }
    return largest;
}

TEST(Dmrg, SharedSuperblocksGiveTheSameBits) {
    const std::string job =
        "[lattice]\nextents = 10\n[model]\npotential = 0.1,0.3,-0.2,0.1,0.2,0,-0.3,0.4,-0.1,0.2\n"
        "[run]\nschedule = 160\nproducts = 2\nstart-states = 160\nnoise = 1e-5\n";
    const Bits expected = bits_of_one_rank(job);
    for (const int threads : {1, 3}) {
        if (threads == 1 && (world().size() == 1 || !large_cases)) continue;  // the reference itself, on one rank
        Finished all = finish(world(), job, threads);
        if (world().is_root()) {
            EXPECT_GT(largest_superblock(*all.system, dmrg_job(job).model), 25000U);  // min_shared_dimension
        }
        EXPECT_TRUE(bits_of(world(), *all.system, all.series) == expected) << threads << " threads";
    }
}

/// Runs the remaining steps from a checkpoint; only rows of half sweeps that end after the restart are compared.
Bits resume(const Communicator& comm, const std::string& job, const std::string& path) {
    const auto system = renormalization(comm, job);
    const std::uint64_t step = restore(comm, *system, path);
    const Series series = run_steps(*system, step);
    return bits_of(comm, *system, series);
}

/// All ranks stop after each of these steps and go on from there; from each stop one rank alone runs to the end, too.
void expect_resumed(const std::string& job, const std::vector<std::uint64_t>& steps) {
    const Communicator self = Communicator::alone();
    const Bits expected = bits_of_one_rank(job);
    const auto expect_rest = [&](const Bits& rest) {
        EXPECT_EQ(rest.hash, expected.hash);
        EXPECT_EQ(rest.results, expected.results);
        ASSERT_LE(rest.rows.size(), expected.rows.size());
        EXPECT_TRUE(std::equal(rest.rows.rbegin(), rest.rows.rend(), expected.rows.rbegin()));
    };
    std::vector<double> rows;
    std::unique_ptr<SharedFile> last;
    for (const std::uint64_t step : steps) {
        ASSERT_LT(step, renormalization(world(), job)->total_steps());
        SCOPED_TRACE(testing::Message() << "after step " << step << "\n" << job);
        auto file = std::make_unique<SharedFile>();
        const auto system = renormalization(world(), job, 2);
        std::uint64_t first = 0;
        if (last == nullptr) {
            system->allocate();
            system->initialise();
        } else {
            first = restore(world(), *system, last->path());
        }
        const Series series = run_steps(*system, first, step);
        rows.insert(rows.end(), series.values().begin(), series.values().end());
        save(world(), *system, step, file->path());
        if (world().size() > 1) on_root([&] { expect_rest(resume(self, job, file->path())); });
        last = std::move(file);
    }
    const Bits rest = resume(world(), job, last->path());
    expect_rest(rest);
    rows.insert(rows.end(), rest.rows.begin(), rest.rows.end());
    EXPECT_EQ(rows, expected.rows);
}

TEST(Dmrg, IsTakenUpAgainOnOtherRanks) {
    // 10 steps are a sweep: stops within both directions, at the turning points, at the end of a sweep
    expect_resumed(
        "[lattice]\nextents = 6\n[run]\nschedule = 16,24,32\nmeasure = correlations\n",
        large_cases ? std::vector<std::uint64_t>{0, 1, 4, 5, 8, 9, 10, 22} : std::vector<std::uint64_t>{0, 4, 9, 22});
    expect_resumed("[lattice]\ntype = cylinder\nextents = 3,2\n[model]\ntype = heisenberg\nj2 = 0.3\n", {3, 15});
    expect_resumed("[lattice]\nextents = 2\n[run]\nschedule = 4,4\n", {1, 2});
    if (!large_cases) return;
    // three states of 20 steps: stops in the first, at its end, in the middle of the others
    expect_resumed("[lattice]\nextents = 6\n[run]\nstates = 3\nschedule = 20,30\nmeasure = correlations\n",
                   {8, 19, 20, 21, 25, 40, 47});
    expect_resumed("[lattice]\nextents = 5\n[model]\ntype = heisenberg\nspin = 1\n[run]\nstates = 2\n", {30, 50});
}

/// A resumed run without its schedule continues by run.tolerance; the energy is that of the Bethe ansatz.
TEST(Dmrg, GoesOnByToleranceWithoutItsSchedule) {
    const std::string chain = "[lattice]\nextents = 8\n[run]\n";
    const SharedFile file;
    interrupt(world(), *renormalization(world(), chain + "schedule = 10,20\n", 2), 28, file.path());
    const auto system = renormalization(world(), chain);
    EXPECT_EQ(restore(world(), *system, file.path()), 28U);
    const Series series = run_steps(*system, 28);
    EXPECT_EQ(system->shortfall(), "");
    EXPECT_NEAR(system->results(series)[0].value[0], -4.235806999130, 1e-8);
}

/// Keys that store blocks in a scratch file in the directory for temporary files.
std::string on_disk() { return "blocks = disk\nblocks-directory = " + testing::TempDir() + "\n"; }

TEST(Dmrg, BlocksOnDiskGiveTheSameBits) {
    std::vector<std::string> jobs = {"[lattice]\nextents = 6\n[run]\nschedule = 16,24,40\nmeasure = correlations\n",
                                     "[lattice]\nextents = 3\n[run]\nschedule = 4,4\n"};
    if (large_cases) {
        jobs.emplace_back("[lattice]\nextents = 6\n[run]\nstates = 2\nschedule = 16,24\n");
        jobs.emplace_back(
            "[lattice]\ntype = cylinder\nextents = 4,3\n[model]\ntype = heisenberg\n[run]\nschedule = 12,20\n");
    }
    for (const std::string& job : jobs) {
        SCOPED_TRACE(job);
        const Bits expected = bits_of_one_rank(job);
        Finished moved = finish(world(), job + on_disk(), 2);
        EXPECT_TRUE(bits_of(world(), *moved.system, moved.series) == expected);
        const SharedFile file;
        for (const std::uint64_t step : {3U, 9U}) {
            if (step >= moved.system->total_steps()) continue;
            interrupt(world(), *renormalization(world(), job + on_disk(), 2), step, file.path());
            EXPECT_EQ(resume(world(), job + on_disk(), file.path()).results, expected.results);
            EXPECT_EQ(resume(world(), job, file.path()).hash, expected.hash);
        }
    }
}

TEST(Dmrg, SharedRotationsGiveTheSameBits) {
    const DmrgConfig config = dmrg_job("[lattice]\nextents = 4,3\ntype = ladder\n");
    const Algebra algebra("auto", 2);
    ChainState chain(config.model, algebra);
    chain.begin(StartColumns::random, {3, 0}, 50);
    Block block = Block::right_end(config.model);
    for (int site = config.model.sites; --site > 0;) {
        const EnlargedBlock grown = grow(config.model, block, Side::right, site, chain.allowed(site));
        const SiteTensor& tensor = chain.tensor(site);
        Block alone = rotate(algebra, grown, tensor), shared = rotate(algebra, grown, tensor, &world(), 0);
        const std::vector<std::span<double>> expected = alone.parts(), parts = shared.parts();
        ASSERT_EQ(parts.size(), expected.size());
        for (std::size_t i = 0; i < parts.size(); ++i) EXPECT_TRUE(std::ranges::equal(parts[i], expected[i])) << i;
        block = std::move(alone);
    }
}

struct Steps {
    std::vector<double> energies;
    std::uint64_t largest_blocks = 0;  ///< largest number of bytes of the blocks in memory
};

/// Runs one sweep of a renormalization step by step.
Steps steps_of(const DmrgConfig& config, bool disk) {
    const Communicator self = Communicator::alone();
    Timers timers;
    Renormalization r(self, config.model, Algebra("auto", 1), superblock::host_operators({.seed = config.seed}),
                      timers);
    if (disk) r.chain().blocks().use_disk(testing::TempDir());
    r.begin(1, 0, 60);
    BondSettings settings;
    settings.truncation = {60, 1e-14, 0};
    settings.solver = {.max_basis = 4, .min_products = 2, .max_products = 4, .tolerance = 1e-8};
    Steps steps;
    const int bonds = config.model.sites - 1;
    for (int step = 0; step < 2 * bonds; ++step) {
        settings.direction = step < bonds ? Direction::right : Direction::left;
        steps.energies.push_back(r.update(step < bonds ? step : 2 * bonds - 1 - step, settings).energy);
        steps.largest_blocks = std::max(steps.largest_blocks, r.chain().blocks().bytes());
    }
    return steps;
}

TEST(Dmrg, FewBlocksAreInMemoryWhileOthersAreOnDisk) {
    if (world().size() > 1) return;  // every rank would do the same
    const std::string job =
        std::string("[lattice]\nextents = ") + (large_cases ? "30" : "20") + "\n[run]\nschedule = 60\n";
    const DmrgConfig config = dmrg_job(job), on_disk_config = dmrg_job(job + on_disk());
    const Steps all = steps_of(config, false), near = steps_of(on_disk_config, true);
    EXPECT_EQ(near.energies, all.energies);
    EXPECT_LT(near.largest_blocks, all.largest_blocks / (large_cases ? 4 : 2));
    for (const auto& [steps, predicted] : {std::pair(&all, &config), std::pair(&near, &on_disk_config)})
        EXPECT_LT(steps->largest_blocks, 1.2 * static_cast<double>(DmrgPlan(*predicted, 1, 1).memory().host[0].bytes));
}

/// A density matrix with the given weights in a rotated basis.
Matrix with_weights(const std::vector<double>& weights, unsigned seed) {
    const std::uint64_t n = weights.size();
    Matrix rho(n, n);
    std::vector<double> v(n);  // vector of the reflection 1 - 2 v v^T / v^2
    double squares = 0;
    for (std::uint64_t i = 0; i < n; ++i)
        squares += std::pow(v[i] = std::sin(static_cast<double>((i + 1) * (seed + 3))), 2);
    const auto u = [&](std::uint64_t i, std::uint64_t k) { return (i == k ? 1 : 0) - 2 * v[i] * v[k] / squares; };
    for (std::uint64_t j = 0; j < n; ++j)
        for (std::uint64_t i = 0; i < n; ++i)
            for (std::uint64_t k = 0; k < n; ++k) rho(i, j) += u(i, k) * weights[k] * u(j, k);
    return rho;
}

/// Triplets have one state in each of three sectors, singlets one in the middle sector: no triplet is cut.
TEST(DmrgTruncation, KeepsMultipletsWhole) {
    const Algebra algebra("auto", 2);
    Timers timers;
    const std::vector<double> triplets = {0.1, 0.05, 0.02, 0.003}, singlets = {0.3, 0.08, 0.01, 1e-5};
    EnlargedSectors basis;
    std::vector<Matrix> rho;
    for (int sector = 0; sector < 3; ++sector) {
        std::vector<double> weights = triplets;
        if (sector == 1) weights.insert(weights.end(), singlets.begin(), singlets.end());
        basis.sectors.charges.push_back({sector, 0});
        basis.sectors.states.push_back(weights.size());
        basis.segments.emplace_back();
        rho.push_back(with_weights(weights, static_cast<unsigned>(sector)));
    }
    // in descending order: 1 of 0.3, 3 of 0.1, 1 of 0.08, 3 of 0.05, 3 of 0.02, 1 of 0.01, 3 of 0.003, 1 of 1e-5
    const std::vector<std::pair<std::uint64_t, std::uint64_t>> kept = {
        {4, 4}, {5, 5}, {8, 8}, {9, 8}, {10, 8}, {11, 11}, {12, 12}, {13, 12}, {14, 12}, {15, 15}, {16, 16}, {20, 16}};
    for (const auto& [max_states, expected] : kept) {
        const Truncation t = truncate(world(), algebra, Side::left, basis, rho, {max_states, 1e-12, 0}, timers);
        EXPECT_EQ(t.tensor.kept.total(), expected) << "of " << max_states;
        EXPECT_EQ(t.weights.size(), expected);
        for (std::size_t k = 0; k < t.tensor.kept.size(); ++k) {
            const Matrix& u = t.tensor.matrices[k];
            EXPECT_EQ(u.columns, t.tensor.kept.states[k]);
            for (std::uint64_t i = 0; i < u.columns; ++i)
                for (std::uint64_t j = 0; j <= i; ++j) {
                    double overlap = 0;
                    for (std::uint64_t r = 0; r < u.rows; ++r) overlap += u(r, i) * u(r, j);
                    EXPECT_NEAR(overlap, i == j ? 1 : 0, 1e-13);
                }
        }
    }
    const Truncation cut = truncate(world(), algebra, Side::left, basis, rho, {20, 0.015, 0}, timers);
    EXPECT_EQ(cut.tensor.kept.total(), 11U);  // weights below the cutoff
    const Truncation all = truncate(world(), algebra, Side::left, basis, rho, {20, 0.5, 0}, timers);
    EXPECT_EQ(all.tensor.kept.total(), 16U);  // no weight reaches such a cut-off, and it discards none
}

TEST(DmrgTruncation, EntropyIsThatOfNormalisedWeights) {
    EXPECT_NEAR(entropy({0.5, 0.5}), std::log(2), 1e-15);
    EXPECT_NEAR(entropy({3, 1}), -0.75 * std::log(0.75) - 0.25 * std::log(0.25), 1e-15);
    EXPECT_EQ(entropy({1}), 0);
}

}  // namespace
}  // namespace strata::dmrg
