// SPDX-License-Identifier: BSD-3-Clause
// Spin dynamics against dense exponentials, orders of the splittings, two spins, free fermions of the XX chain
// (Jordan-Wigner), averages over random states, and the accuracy test of Dente et al.: forward and backward evolution.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <complex>

#include "support/runs.hpp"
#include "support/trotter_jobs.hpp"
#include "support/world.hpp"
#include "trotter/run/factory.hpp"
#include "trotter/run/trotter.hpp"

namespace strata::trotter {
namespace {

/// The quantities of the last row of a job, on the ranks of a communicator.
std::vector<Quantity> quantities(const Communicator& comm, const std::string& job) {
    omp_set_num_threads(1);
    Trotter system(TrotterPlan(trotter_job(job), comm.size(), comm.rank(), 1, BackendKind::cpu),
                   host_state_maker(comm));
    const Series series = run_whole(system);
    return system.results(series);
}

std::vector<double> last_values(const std::string& job, const std::string& name) {
    return quantity(quantities(Communicator::alone(), job), name).value;
}

/// The section [run] of `count` steps, observed at the end.
std::string steps(int order, double step, int count, const std::string& observables = "sz") {
    return "[run]\norder = " + std::to_string(order) + "\nstep = " + std::to_string(step) +
           "\nsteps = " + std::to_string(count) + "\nmeasure-every = 1000000\nobservables = " + observables + "\n";
}

// h <- 2 x / 2^31 - 1, x <- (1103515245 x + 12345) mod 2^31 from x = 12345
const std::string fields8 =
    "field = 0.31030809693038464,-0.3903713533654809,0.34992126747965813,-0.78646303247660398,0.033148894086480141,"
    "-0.020667319186031818,0.20494439452886581,-0.2600904842838645";
const std::string ring8 = "[lattice]\ntype = ring\nextents = 8\n[model]\njx = 1\njy = 1\njz = 1\n" + fields8 + "\n";
const std::string ring10 =
    "[lattice]\ntype = ring\nextents = 10\n[model]\njx = 1\njy = 0.7\njz = 0.4\nfield-x = 0.3\n"
    "field-y = -0.2\n" +
    fields8 + ",-0.4866658840328455,-0.25163558963686228\n";
const std::string dipolar8 = "[lattice]\ntype = all\nextents = 8\n[model]\ntype = dipolar\nj = 1\ndirection = 0,1,0\n";

/// References from oracle/trotter_constants.py: products of exponentials, Neel state (even spins down), after time 1.
TEST(Splittings, AreThoseOfDenseExponentials) {
    struct Case {
        std::string job;
        double second, fourth;
    };
    for (const auto& [job, second, fourth] :
         {Case{ring8, -0.18514302217762, -0.18531437567905}, Case{ring10, -0.21195959560523, -0.21200966043757},
          Case{dipolar8, -0.29257527563535, -0.29258714845970}}) {
        EXPECT_NEAR(last_values(job + steps(2, 0.05, 20), "sz")[0], second, 1e-12) << job;
        EXPECT_NEAR(last_values(job + steps(4, 0.2, 5), "sz")[0], fourth, 1e-12) << job;
    }
}

/// References from oracle/trotter_constants.py: exp(-iHt) by eigh of the dense H.
TEST(Splittings, ComeToTheExactMotion) {
    EXPECT_NEAR(last_values(ring8 + steps(4, 0.02, 250), "sz")[0], -0.364732398710, 1e-8);
    EXPECT_NEAR(last_values(ring8 + steps(4, 0.02, 250), "sz")[1], 0.367329213772, 1e-8);
    const std::string echo =
        "echo = yes\n[echo]\nperturbation = 0.1 Sz 0; -0.1 Sz 1; 0.1 Sz 2; -0.1 Sz 3; 0.1 Sz 4; -0.1 Sz 5; 0.1 Sz 6; "
        "-0.1 Sz 7\n";
    for (const auto& [count, exact] : {std::pair(100, 0.927959761263), {250, 0.561618863520}})
        EXPECT_NEAR(last_values(ring8 + steps(4, 0.02, count, "loschmidt-echo") + echo, "loschmidt-echo")[0], exact,
                    1e-8);
}

/// Exponent p of an error ~ step^p, from <S_j^z> at time 2 for three steps, each half of the previous one.
double slope(const std::string& job, int order, double step, const std::string& scheme) {
    std::vector<std::vector<double>> found;
    for (const int parts : {1, 2, 4})
        found.push_back(last_values(
            job + steps(order, step / parts, static_cast<int>(std::lround(2 * parts / step))) + scheme, "sz"));
    const auto difference = [&](std::size_t i) {
        double sum = 0;
        for (std::size_t j = 0; j < found[i].size(); ++j) sum += std::pow(found[i][j] - found[i + 1][j], 2);
        return std::sqrt(sum);
    };
    return std::log2(difference(0) / difference(1));
}

TEST(Splittings, HaveTheirOrder) {
    // without fields along y symmetry removes the first order from <S_j^z>
    EXPECT_NEAR(slope(ring10, 1, 0.01, ""), 1, 0.05);
    for (const std::string& job : {ring8, ring10}) {
        EXPECT_NEAR(slope(job, 2, 0.05, ""), 2, 0.02);
        EXPECT_NEAR(slope(job, 4, 0.1, ""), 4, 0.03);
        EXPECT_NEAR(slope(job, 4, 0.1, "scheme = blanes-moan\n"), 4, 0.03);
    }
}

/// Richardson estimates converge to the true errors for small steps.
TEST(Splittings, KnowTheirErrors) {
    const std::vector<double> exact = last_values(ring10 + steps(4, 0.01, 200), "sz");
    for (const auto& [order, step, scheme] :
         {std::tuple(1, 0.01, ""), {2, 0.05, ""}, {4, 0.1, ""}, {4, 0.1, "scheme = blanes-moan\n"}}) {
        const auto all =
            quantities(Communicator::alone(), ring10 + steps(order, step, static_cast<int>(std::lround(2 / step))) +
                                                  scheme + "estimate-error = yes\n");
        const std::vector<double> sz = quantity(all, "sz").value, errors = quantity(all, "step-error-sz").value;
        double largest = 0, off = 0;
        for (std::size_t j = 0; j < sz.size(); ++j) {
            largest = std::max(largest, std::abs(sz[j] - exact[j]));
            off = std::max(off, std::abs(sz[j] - exact[j] - errors[j]));
        }
        EXPECT_LT(off, 0.05 * largest) << "order " << order;
        const double state = quantity(all, "step-error-state").value[0];
        EXPECT_GT(state, largest);
        EXPECT_NEAR(quantity(all, "step-error-rate").value[0], state / 2, 1e-15);
    }
}

/// A triangular pulse that is shorter than a step, and a sawtooth of five points per step: all spins precess about x.
TEST(Drives, ThatChangeInsideAStepAreIntegrated) {
    const std::string pair =
        "[lattice]\ntype = chain\nextents = 2\n[model]\ntype = ising\njz = 0\nfield-x = 20\n"
        "[state]\ninitial = up\n";
    std::string saw = "[drive]\nfields = linear";
    for (int i = 0; i <= 50; ++i)
        saw += (i == 0 ? " " : "; ") + std::to_string(0.02 * i) + (i % 2 == 0 ? " 0" : " 0.1");
    const std::string pulse = "[drive]\nfields = linear 0 0; 5 0; 5.02 1; 5.04 0; 10 0\n";
    for (const auto& [drive, count, angle] : {std::tuple(pulse, 100, 0.4), {saw + "\n", 10, 1.0}})
        for (const auto& [order, scheme] : {std::pair(1, ""), {2, ""}, {4, ""}, {4, "scheme = blanes-moan\n"}})
            EXPECT_NEAR(last_values(pair + drive + steps(order, 0.1, count) + scheme, "sz")[0], std::cos(angle) / 2,
                        1e-12)
                << "order " << order;
}

/// A smooth drive, and a ramp with kinks inside steps beside a pulse shorter than a step, with terms that do not commute:
/// errors are those that half the step, in every part of a divided step, lets expect. Those of the smooth drive fall with
/// the order. The reference has a step of 1e-3, on which all kinks lie.
TEST(Drives, KeepTheOrder) {
    const std::string smooth = "[drive]\nfields = cos 0.5 1 3 0.2\njx = cos 1 -0.7 2 0\n";
    const std::string kinks =
        "[drive]\nfields = linear 0 0; 0.137 1; 0.731 -0.4; 2 1\njz = linear 0 1; 1.013 1; 1.043 40; 1.073 1\n";
    for (const std::string& drive : {smooth, kinks}) {
        const std::string job = ring10 + drive;
        const std::vector<double> exact = last_values(job + steps(4, 0.001, 2000) + "scheme = blanes-moan\n", "sz");
        const auto distance = [&](const std::vector<double>& found, const std::vector<double>& claimed) {
            double sum = 0;
            for (std::size_t j = 0; j < found.size(); ++j) sum += std::pow(found[j] - claimed[j] - exact[j], 2);
            return std::sqrt(sum);
        };
        for (const auto& [order, step, scheme] :
             {std::tuple(1, 0.01, ""), {2, 0.05, ""}, {4, 0.1, ""}, {4, 0.1, "scheme = blanes-moan\n"}}) {
            const auto run = [&](double dt, const std::string& more) {
                return quantities(Communicator::alone(),
                                  job + steps(order, dt, static_cast<int>(std::lround(2 / dt))) + scheme + more);
            };
            const auto found = run(step, "estimate-error = yes\n");
            const std::vector<double> sz = quantity(found, "sz").value, none(sz.size());
            const double whole = distance(sz, none);
            EXPECT_LT(distance(sz, quantity(found, "step-error-sz").value), 0.1 * whole) << "order " << order << drive;
            if (drive == kinks) continue;
            EXPECT_NEAR(std::log2(whole / distance(quantity(run(step / 2, ""), "sz").value, none)), order, 0.1)
                << order;
        }
    }
}

/// References of numpy and scipy: expm and eigh of the dense H, after times 3 and 20, with steps of any length.
TEST(Chebyshev, IsTheExactMotion) {
    for (const auto& [job, spin, time, exact] : {std::tuple(ring8, 0U, 3, -0.157306592763709),
                                                 {ring8, 0U, 20, -0.123755955236556},
                                                 {ring10, 0U, 3, -0.163322234096238},
                                                 {ring10, 0U, 20, -0.140366023380541}})
        for (const int parts : {1, 4, 40}) {
            const std::string run =
                "[run]\nmethod = chebyshev\nstep = " + std::to_string(static_cast<double>(time) / parts) +
                "\nsteps = " + std::to_string(parts) + "\nobservables = sz\n";
            EXPECT_NEAR(last_values(job + run, "sz")[spin], exact, 1e-12) << "time " << time << ", steps " << parts;
        }
}

/// The terms of two spins commute: <S_0^z> = -cos(J t) / 2 from the state down, up.
TEST(TwoSpins, Oscillate) {
    const std::string pair = "[lattice]\ntype = chain\nextents = 2\n[model]\ntype = heisenberg\nj = 1.5\n";
    for (const int count : {1, 10, 1000})
        EXPECT_NEAR(last_values(pair + steps(2, 0.1, count), "sz")[0], -std::cos(0.15 * count) / 2, 1e-12);
}

/// |<n| exp(-i h t) |m>|^2 of one particle that hops with amplitude 1/2 on an open chain.
double probability(int sites, int n, int m, double t) {
    std::complex<double> sum = 0;
    for (int k = 1; k <= sites; ++k) {
        const double q = M_PI * k / (sites + 1);
        sum += 2.0 / (sites + 1) * std::sin(q * (n + 1)) * std::sin(q * (m + 1)) * std::polar(1.0, -t * std::cos(q));
    }
    return std::norm(sum);
}

std::string xx_chain(int sites) {
    return "[lattice]\ntype = chain\nextents = " + std::to_string(sites) + "\n[model]\ntype = xx\n";
}

/// Up spins are fermions, which move independently.
TEST(XxChain, IsThatOfFreeFermions) {
    const int sites = 20;
    const double t = 4;
    const std::string job =
        xx_chain(sites) + "[state]\ninitial = domain-wall\n" + steps(4, 0.05, 80) + "scheme = blanes-moan\n";
    const std::vector<double> sz = quantity(quantities(world(), job), "sz").value;
    for (int n = 0; n < sites; ++n) {
        double up = 0;
        for (int m = 0; m < sites / 2; ++m) up += probability(sites, n, m, t);
        EXPECT_NEAR(sz[static_cast<std::size_t>(n)], up - 0.5, 1e-7) << n;
    }
}

/// 4 <S_m^z(t) S_m^z> at infinite temperature is the return probability; random states estimate the trace.
TEST(RandomStates, EstimateTheTrace) {
    const int sites = 12, m = 4;
    for (const int count : {10, 20, 50}) {
        const std::string job = xx_chain(sites) + "[state]\ninitial = polarised-random\nspin = 4\n" +
                                steps(4, 0.1, count) + "samples = 16\nconcurrent = 4\n";
        const Quantity sz = quantity(quantities(world(), job), "sz");
        for (int n = 0; n < sites; ++n) {
            const auto i = static_cast<std::size_t>(n);
            EXPECT_NEAR(2 * sz.value[i], probability(sites, n, m, 0.1 * count), 2 * 4 * sz.error[i] + 1e-6) << n;
            EXPECT_LT(sz.error[i], 0.02);
        }
    }
}

/// One hundredth of the test in the paper, which makes 5e5 steps forward and backward at N = 16 with 1 - M = 5.2e-8.
TEST(Echo, ComesBackAfterManySteps) {
    const std::string job =
        "[lattice]\ntype = ring\nextents = 16\n[model]\ntype = heisenberg\ndisorder = 1\n[run]\n"
        "steps = 5000\nmeasure-every = 1000000\nobservables = loschmidt-echo\necho = yes\n";
    EXPECT_NEAR(quantity(quantities(world(), job), "loschmidt-echo").value[0], 1, 5.2e-10);
}

}  // namespace
}  // namespace strata::trotter
