# SPDX-License-Identifier: BSD-3-Clause
"""Cluster updates, their exchanges and the analysis of observations.
Area -> file -> (number, text that occurs once, text in its place, what it breaks)."""

MUTANTS = {
    "ising": {
        "kernels/swendsen_wang/neighbours_simd.hpp": [
            (32, "call < 16 &&", "call < 2 &&", "bond probability of 8 binary digits"),
        ],
        "kernels/swendsen_wang/tile_boundaries.hpp": [
            (33, "(across & joined & ~along.last)", "(across & joined)", "a bond dropped across the end of a tile"),
        ],
        "kernels/swendsen_wang/flips_cpu.cpp": [
            (34, "in_row = row_sites(l, row), first", "in_row = row_sites(l, 0), first",
             "sites beyond the lattice are flipped"),
        ],
        "kernels/swendsen_wang/cluster_statistics_cpu.cpp": [
            (35, "root = above < first_ ? own : above;", "root = above <= first_ ? own : above;",
             "sizes of the children of a thread's first component stay with them"),
            (181, "s.cluster_spin[id] == bound_spin) moments", "s.cluster_spin[id] != bound_spin) moments",
             "free clusters of several tiles count as bound to the ghost spin"),
        ],
        "kernels/swendsen_wang/ghost_cpu.cpp": [
            (180, "mine.bound_squares += sites * sites;", "mine.bound_squares += sites;",
             "squares of the sizes of bound clusters within a tile"),
        ],
        "kernels/swendsen_wang/wolff.cpp": [
            (183, "below(l_.sites() + 1,", "below(l_.sites(),", "a single cluster is never empty"),
            (179, "if (t.index[0] == 0)  // also", "if (t.index[0] > tiles_[0])  // also",
             "copies of the first spins of a row stay when a single cluster flips"),
        ],
        "src/swendsen_wang/state/observation.cpp": [
            (36, "m * m * m * m;", "std::abs(m * m * m);", "m^3 for m^4"),
            (182, "squares - bound_squares)", "squares - 0 * bound_squares)",
             "clusters that are bound to the ghost spin count as free ones, too"),
            (37, "/ n / n / n / n;", "/ n / n / n;", "norm of cluster-4"),
            (38, "2 * fourth_moment_shift", "fourth_moment_shift", "scale of cluster-4 beyond 2^31 sites"),
            (129, "static_cast<std::int64_t>(planes * planes_[x]) - static_cast<std::int64_t>(up_);",
             "static_cast<std::int64_t>(planes * planes_[x]);", "the mean over the planes drops out by rounding"),
        ],
        "src/swendsen_wang/run/results.cpp": [
            (39, "p.reduced() * std::sqrt(p.sites)", "p.beta * std::sqrt(p.sites)",
             "specific heat without the coupling"),
            (40, "2 * std::sin(std::numbers::pi / p.longest)", "std::sin(2 * std::numbers::pi / p.longest)",
             "correlation length with sin k for 2 sin(k / 2)"),
            (130, "if (value > ordered * p.longest)", "if (value > 1e9 * ordered * p.longest)",
             "correlation lengths of ordered lattices"),
            (131, "!(r.value + below_one * r.error < 1)", "!(r.value + 0 * below_one < 1)",
             "correlation lengths that are noise"),
            (133, "has_errors && e.error > 0 && ", "has_errors && ", "errors of exactly 0"),
        ],
        "src/swendsen_wang/run/point.hpp": [
            (132, "return x == 0 ? 0 : x * factor;", "return x * factor;", "0 times an infinite factor"),
        ],
        "src/swendsen_wang/physics/exact.cpp": [
            (200, "(l % 2 == 1 ? 1 : -1)", "(l % 2 == 1 ? 1 : -0.5L)", "domain walls from one of two fermion parities"),
        ],
        "src/swendsen_wang/physics/domain_walls.cpp": [
            (201, "std::log1p(q / std::expm1(k))", "std::log1p(9 * q / std::expm1(k))",
             "the dual coupling of more than two states"),
        ],
        "src/swendsen_wang/state/plan.cpp": [
            (204, "if ((total + count - 1) / count > most_ranks || ",
             "if (most_ranks == 0 || ",
             "groups of tempering with more ranks than tile layers"),
        ],
        "src/swendsen_wang/run/equilibrium.cpp": [
            (134, "< std::max(least, least_in_tau * slowest_tau(table)) ||",
             "< 0 * std::max(least, least_in_tau * slowest_tau(table)) ||", "short runs are not remarked on"),
        ],
        "src/analysis/jackknife.cpp": [
            (41, "change *= static_cast<double>(count - 1);", "change *= std::sqrt(static_cast<double>(count - 1));",
             "changes by one value with the factor of blocks"),
            (42, "std::ceil(5 * tau)", "std::ceil(0.5 * tau)", "jackknife blocks too short"),
            (126, "estimate.value -= correction;", "estimate.value -= 0 * correction;",
             "functions of means keep their bias"),
            (165, "std::max(of_linear, ", "std::max(of_linear, 0 * ",
             "errors that vanish with the gradient at the measured means"),
            (166, "i % n * n + j / n", "i % n * n + i % n", "the quadratic part without correlations"),
        ],
        "src/analysis/gamma_method.cpp": [
            (43, "std::sqrt(2 * tau * f.variance", "std::sqrt(tau * f.variance", "a factor of 2 in the error"),
            (44, "tau * (1 + (2 *", "tau * (1 - (2 *", "sign of the bias of tau"),
            (127, " * f.count / (f.count - few));", ");", "errors of few values as those of many"),
            (205, "std::min(fewest, series", "std::min(few_departures + 0 * fewest, series",
             "tempering counts the same excursion several times"),
            (128, "if (!(f.count > few) || ", "if (", "errors from any number of values"),
        ],
        "src/analysis/autocovariance.cpp": [
            (428, "here[length + k] - next[length + k]", "here[length + k] + next[length + k]",
             "the next segment is not shifted"),
            (429, "read(s + apart + 1, next);", "read(s + 1, next);", "distances beyond the longest segment"),
        ],
        "comm/border_clusters.hpp": [
            (45, "static_cast<int>(global >> 32)", "static_cast<int>((global - 1) >> 32)",
             "owner of the first label of a rank"),
        ],
        "src/swendsen_wang/job/config.cpp": [
            (176, "bond_probability(beta * std::abs(field))", "bond_probability(beta * std::abs(field) / 2)",
             "sites are bound to the ghost spin with 1 - exp(-beta h)"),
        ],
        "src/swendsen_wang/state/slab.hpp": [
            (177, "bound ? Preference::preferred", "bound && spin != bound_spin ? Preference::preferred",
             "a cluster is bound to the ghost spin on some of its ranks only"),
        ],
    },
    "walls": {
        "src/swendsen_wang/run/point.cpp": [
            (203, "expected < enough && share", "expected < 0 * enough && share",
             "errors of quantities whose domain walls a run did not meet"),
        ],
        "src/swendsen_wang/run/rare_states.cpp": [
            (202, "kappa * kappa * length", "kappa * kappa", "two domain walls of a periodic axis have one place"),
        ],
    },
    "replicas": {
        "kernels/swendsen_wang/replicas_cpu.cpp": [
            (520, "(4 * call + level) * classes;", "4 * call * classes;", "one digit of each call for all four"),
            (521, "others &= ~in_class;", "others |= in_class;", "flips that cost energy are accepted like others"),
        ],
        "kernels/swendsen_wang/replicas.hpp": [
            (522, "return (here & ~(last + W{})) << stride |", "return here << stride |",
             "sites at the end of a tile are neighbours of its first ones"),
        ],
        "src/swendsen_wang/state/replicas.cpp": [
            (523, "if (by_spin && e.spin == SpinClass::either)", "if (false && by_spin)",
             "replicas without a field beside others in one have classes that overlap"),
            (524, "sign(n.previous, 0));", "sign(tile, 0));", "signs of bonds from the previous tile"),
            (525, "if (!t.changed) set_digits(t, lane);", "", "replicas keep the temperatures of their first sweep"),
        ],
        "src/swendsen_wang/run/replica_batch.cpp": [
            (526, "restored(std::uint64_t) override { replicas_.write(number_, words_); }",
             "restored(std::uint64_t) override {}", "a replica goes on from other spins than those of its checkpoint"),
        ],
        "src/swendsen_wang/run/parallel_tempering.cpp": [
            (527, "first_random.push_back(number * max_chained_sweeps);", "first_random.push_back(0);",
             "all replicas of tempering draw the same random numbers"),
        ],
        "src/scan/distribution.cpp": [
            (528, "&& kinds_.of(queue_.front()) == kind);", "&& kinds_.of(queue_.front()) + kind > 0);",
             "lattices of several extents are computed side by side"),
        ],
    },
}
