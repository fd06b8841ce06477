// SPDX-License-Identifier: BSD-3-Clause
// Entanglement entropy on the ranks of this run. Pairs of spins with Ising couplings have a closed form for any number
// of spins: for two spins along (theta, phi), the density matrix of each keeps its diagonal p, 1 - p, p = cos^2(theta /
// 2), and its off-diagonal elements shrink by |p' exp(-i J t / 2) + (1 - p') exp(i J t / 2)| with p' of the partner.
#include <gtest/gtest.h>
#include <omp.h>

#include <bit>
#include <cmath>
#include <complex>
#include <random>

#include "support/runs.hpp"
#include "support/trotter_jobs.hpp"
#include "support/world.hpp"
#include "trotter/run/factory.hpp"
#include "trotter/run/trotter.hpp"

namespace strata::trotter {
namespace {

double entropy_of_pair(double theta, double partner, double angle) {
    const double p = std::pow(std::cos(theta / 2), 2), other = std::pow(std::cos(partner / 2), 2);
    const double shrunk = std::norm(other * std::polar(1.0, -angle / 2) + (1 - other) * std::polar(1.0, angle / 2));
    const double root = std::sqrt(1 - 4 * p * (1 - p) * (1 - shrunk)), low = (1 - root) / 2, high = (1 + root) / 2;
    return -(low > 0 ? low * std::log(low) : 0) - high * std::log(high);
}

/// Random pairs of `spins` spins, with the entropy of any cut.
struct Pairs {
    explicit Pairs(int spins, unsigned seed) : partner(spins), angle(spins), theta(spins) {
        std::mt19937_64 engine(seed);
        std::uniform_real_distribution<double> uniform(0.1, 0.9);
        std::vector<int> order(spins);
        for (int j = 0; j < spins; ++j) order[j] = j;
        std::shuffle(order.begin(), order.end(), engine);
        std::string thetas, phis;
        for (int j = 0; j < spins; ++j) {
            theta[j] = uniform(engine);
            thetas += (j == 0 ? "" : ",") + std::to_string(theta[j]);
            phis += (j == 0 ? "" : ",") + std::to_string(uniform(engine));
            theta[j] = std::stod(std::to_string(theta[j])) * M_PI;
        }
        std::string terms;
        for (int i = 0; i < spins; i += 2) {
            const int j = order[i], k = order[i + 1];
            const std::string coupling = std::to_string(4 * uniform(engine));
            partner[j] = k;
            partner[k] = j;
            angle[j] = angle[k] = std::stod(coupling);  // J t at time 1
            terms += coupling + " Sz " + std::to_string(j) + " Sz " + std::to_string(k) + "\n";
        }
        job = "[model]\nterms = " + written(terms + "0 Sx " + std::to_string(spins - 1) + "\n") +
              "\n[state]\ninitial = product\ntheta = " + thetas + "\nphi = " + phis +
              "\n[run]\nstep = 0.5\nsteps = 2\nmeasure-every = 2\nobservables = entropy\n";
    }
    double entropy(const std::vector<int>& cut) const {
        double sum = 0;
        for (const int j : cut)
            if (std::ranges::find(cut, partner[j]) == cut.end())
                sum += entropy_of_pair(theta[j], theta[partner[j]], angle[j]);
        return sum;
    }
    std::vector<int> partner;
    std::vector<double> angle, theta;
    std::string job;
};

std::vector<double> entropies(const Communicator& comm, const std::string& job, Sharing sharing) {
    Trotter system(TrotterPlan(trotter_job(job), comm.size(), comm.rank(), omp_get_max_threads(), BackendKind::cpu),
                   host_state_maker(comm, sharing));
    const Series series = run_whole(system);
    return series.column(2, 0, series.rows());
}

TEST(TrotterEntropy, IsThatOfPairs) {
    if (!std::has_single_bit(static_cast<unsigned>(world().size()))) GTEST_SKIP() << "no power of two ranks";
    omp_set_num_threads(1);
    std::mt19937_64 engine(9);
    for (const int spins : {8, 12, 14, 16}) {
        const Pairs pairs(spins, static_cast<unsigned>(spins));
        for (int trial = 0; trial < 4; ++trial) {
            std::vector<int> all(spins), cut;
            for (int j = 0; j < spins; ++j) all[j] = j;
            if (trial > 0) std::shuffle(all.begin(), all.end(), engine);
            if (trial > 1) std::ranges::reverse(all);
            const int size = 1 + static_cast<int>(engine() % static_cast<unsigned>(std::min(spins - 1, 9)));
            std::string text;
            for (int i = 0; i < size; ++i) {
                cut.push_back(all[i]);
                text += (i == 0 ? "" : ",") + std::to_string(all[i]);
            }
            SCOPED_TRACE(text + " of " + std::to_string(spins));
            const std::string job = pairs.job + "cut = " + text + "\n";
            const std::vector<double> found = entropies(Communicator::alone(), job, Sharing::allowed);
            EXPECT_NEAR(found.front(), 0, 1e-12);
            EXPECT_NEAR(found.back(), pairs.entropy(cut), 1e-12);
            for (const Sharing sharing : {Sharing::allowed, Sharing::none})
                EXPECT_EQ(entropies(world(), job, sharing), found);
        }
    }
}

}  // namespace
}  // namespace strata::trotter
