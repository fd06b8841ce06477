// SPDX-License-Identifier: BSD-3-Clause
// Signs, factors and the order of bits: jobs against reference values of an independent program (exact exponentials in
// numpy), with exp(-i H t) computed here as a Taylor series of the Hamiltonian of the job.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "support/trotter_jobs.hpp"
#include "trotter/physics/drive.hpp"
#include "trotter/physics/initial_state.hpp"

namespace strata::trotter {
namespace {

using State = std::vector<Complex>;

/// S_j^axis applied to a state; bit value 0 is spin up.
State spin(const State& in, Axis axis, int j) {
    State out(in.size());
    for (std::size_t basis = 0; basis < in.size(); ++basis) {
        const bool down = basis >> j & 1;
        const std::size_t flipped = basis ^ std::size_t{1} << j;
        if (axis == Axis::z) out[basis] = in[basis] * (down ? -0.5 : 0.5);
        if (axis == Axis::x) out[flipped] = in[basis] * 0.5;
        if (axis == Axis::y) out[flipped] = in[basis] * Complex(0, down ? -0.5 : 0.5);
    }
    return out;
}

void add(State& to, double factor, const State& from) {
    for (std::size_t i = 0; i < to.size() && factor != 0; ++i) to[i] += factor * from[i];
}

State multiply(const SpinHamiltonian& h, const State& in) {
    State out(in.size());
    for (const Axis a : all_axes)
        for (int k = 0; k < h.spins; ++k) {
            const State spun = spin(in, a, k);
            add(out, h[a].field[static_cast<std::size_t>(k)], spun);
            for (int j = 0; j < k; ++j)
                if (const double coupling = h[a].coupling[pair_index(j, k)]; coupling != 0)
                    add(out, coupling, spin(spun, a, j));
        }
    return out;
}

/// exp(-i h t) applied to a state in time steps of 0.25, with 24 terms of the series: below 1e-16 for |h| < 5.
State evolved(const SpinHamiltonian& h, State state, double t) {
    const int pieces = static_cast<int>(std::ceil(std::abs(t) / 0.25));
    for (int piece = 0; piece < pieces; ++piece) {
        State term = state;
        for (int n = 1; n <= 24; ++n) {
            term = multiply(h, term);
            for (Complex& amplitude : term) amplitude *= Complex(0, -t / pieces / n);
            add(state, 1, term);
        }
    }
    return state;
}

Complex dot(const State& a, const State& b) {
    Complex sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::conj(a[i]) * b[i];
    return sum;
}

/// Reference values of the Neel state at time 1: <Sz0>, <0|t>, and |<0|exp(i (H + Sigma) t) exp(-i H t)|0>|^2 with
/// Sigma = 0.1 sum (-1)^j Sz_j.
struct Reference {
    int spins;
    double sz0;
    Complex amplitude;
    double echo;
};

void expect_reference(const std::string& job, const Reference& expected) {
    std::string sigma = "[run]\necho = yes\n[echo]\nperturbation = ";
    for (int j = 0; j < expected.spins; ++j) sigma += (j % 2 == 0 ? "0.1 Sz " : "-0.1 Sz ") + std::to_string(j) + "; ";
    const TrotterConfig config = trotter_job(job + sigma + "\n");
    const Drive drive(config);
    State start(std::size_t{1} << expected.spins);
    InitialState(config, expected.spins, 0).fill(0, start);
    const State state = evolved(drive.at(0), start, 1);
    EXPECT_NEAR(dot(state, spin(state, Axis::z, 0)).real(), expected.sz0, 1e-11) << job;
    EXPECT_LT(std::abs(dot(start, state) - expected.amplitude), 1e-11) << job;
    EXPECT_NEAR(std::norm(dot(start, evolved(drive.at(0, Leg::back), state, -1))), expected.echo, 1e-11) << job;
}

/// Fields of the reference: x <- (1103515245 x + 12345) mod 2^31 from 12345, h = 2 x / 2^31 - 1.
std::string fields(int spins) {
    std::string list;
    std::uint64_t x = 12345;
    for (int j = 0; j < spins; ++j) {
        x = (1103515245 * x + 12345) % (std::uint64_t{1} << 31);
        char number[32];
        std::snprintf(number, sizeof number, "%s%.17g", j == 0 ? "" : ",", std::ldexp(static_cast<double>(x), -30) - 1);
        list += number;
    }
    return list;
}

TEST(TrotterConventions, OfARingWithFields) {
    expect_reference("[lattice]\ntype = ring\nextents = 8\n[model]\ntype = heisenberg\nfield = " + fields(8) + "\n",
                     {8, -0.185310822965, {-0.365972303515, -0.259813616039}, 0.988784069925});
    expect_reference(
        "[lattice]\ntype = ring\nextents = 10\n[model]\njx = 1\njy = 0.7\njz = 0.4\nfield-x = 0.3\nfield-y = -0.2\n"
        "field = " +
            fields(10) + "\n",
        {10, -0.212008806708, {-0.288370426510, 0.228117406769}, 0.987555803796});
}

TEST(TrotterConventions, OfDipoles) {
    expect_reference("[lattice]\ntype = all\nextents = 8\n[model]\ntype = dipolar\n",
                     {8, -0.292587282436, {-0.407945641391, -0.216961800043}, 0.989234578160});
}

/// The letters r and + of a pattern are the eigenstates +1/2 of S^y and S^x.
TEST(TrotterConventions, OfDirectionsInThePlane) {
    const TrotterConfig c = trotter_job(
        "[lattice]\ntype = chain\nextents = 4\n[model]\ntype = xx\n[state]\n"
        "initial = pattern\npattern = r+l-\n");
    State state(16);
    InitialState(c, 4, 0).fill(0, state);
    EXPECT_NEAR(dot(state, spin(state, Axis::y, 0)).real(), 0.5, 1e-15);
    EXPECT_NEAR(dot(state, spin(state, Axis::x, 1)).real(), 0.5, 1e-15);
    EXPECT_NEAR(dot(state, spin(state, Axis::y, 2)).real(), -0.5, 1e-15);
    EXPECT_NEAR(dot(state, spin(state, Axis::x, 3)).real(), -0.5, 1e-15);
}

}  // namespace
}  // namespace strata::trotter
