// SPDX-License-Identifier: BSD-3-Clause
// Check of the baselines. The reference applies exp(-i H_a t) as a Taylor series of products with H_a, whose terms are
// spin operators in the z basis: no rotations, phases or tiles. It shares only the definition of a problem with the
// baselines.
#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "dente.hpp"
#include "naive.hpp"
#include "strata/error.hpp"

namespace strata::perf {
namespace {

using State = std::vector<Amplitude>;

/// S_j^a applied to v.
State spin_operator(const State& v, int j, Axis axis) {
    State result(v.size());
    const std::uint64_t bit = std::uint64_t{1} << j;
    for (std::uint64_t i = 0; i < v.size(); ++i) {
        const bool down = (i & bit) != 0;
        const Amplitude x = v[i ^ bit];
        if (axis == Axis::z) result[i] = down ? -0.5 * v[i] : 0.5 * v[i];
        if (axis == Axis::x) result[i] = 0.5 * x;
        if (axis == Axis::y) result[i] = Amplitude(0, down ? 0.5 : -0.5) * x;
    }
    return result;
}

void add(State& sum, double factor, const State& v) {
    for (std::uint64_t i = 0; i < v.size(); ++i) sum[i] += factor * v[i];
}

State multiply(const SpinProblem& problem, Axis axis, const State& v) {
    State result(v.size());
    const auto a = static_cast<std::size_t>(axis);
    for (int j = 0; j < problem.spins; ++j)
        add(result, problem.fields[static_cast<std::size_t>(j)][a], spin_operator(v, j, axis));
    for (const auto& [first, second, values] : problem.couplings)
        add(result, values[a], spin_operator(spin_operator(v, second, axis), first, axis));
    return result;
}

State exponential(const SpinProblem& problem, Axis axis, double time, State v) {
    State term = v;
    for (int order = 1; order < 60; ++order) {
        term = multiply(problem, axis, term);
        for (Amplitude& amplitude : term) amplitude *= Amplitude(0, -time / order);
        add(v, 1, term);
    }
    return v;
}

State reference_step(const SpinProblem& problem, State v) {
    const double t = problem.step;
    for (const auto& [axis, time] :
         {std::pair{Axis::z, t / 2}, {Axis::y, t / 2}, {Axis::x, t}, {Axis::y, t / 2}, {Axis::z, t / 2}})
        v = exponential(problem, axis, time, std::move(v));
    return v;
}

/// A problem with random couplings and fields of all axes between all pairs, and a step that is long enough to show
/// errors.
SpinProblem random_problem(int spins) {
    SpinProblem problem = heisenberg_all(spins);
    problem.step = 0.3;
    double x = 1;
    const auto random = [&x] { return std::sin(x += 12.9898); };
    for (auto& field : problem.fields) field = {random(), random(), random()};
    for (auto& coupling : problem.couplings) coupling.values = {random(), random(), random()};
    return problem;
}

State some_state(std::uint64_t dimension) {
    State state(dimension);
    for (std::uint64_t i = 0; i < dimension; ++i)
        state[i] = std::polar(1 / std::sqrt(static_cast<double>(dimension)), 0.7 * static_cast<double>(i * i % 1009));
    return state;
}

/// Largest deviation in units of 2^(-N/2), the size of an amplitude.
double deviation(View<const Amplitude> a, const State& b) {
    double largest = 0;
    for (std::uint64_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest * std::sqrt(static_cast<double>(a.size()));
}

/// `step` on a copy of a state; the factors at the ends of a merged step, exp(-i H_z t/2) and its inverse, around it.
template <class Step>
Buffer<Amplitude> stepped(const SpinProblem& problem, Scheme scheme, const State& state, const Step& step) {
    Buffer<Amplitude> result(state.size());
    std::copy(state.begin(), state.end(), result.begin());
    const auto end_factor = [&](double time) {
        const Buffer<Amplitude> phases = phase_vector(problem, Axis::z, time);
        for (std::uint64_t i = 0; i < result.size(); ++i) result[i] *= phases[i];
    };
    if (scheme == Scheme::merged) end_factor(problem.step / 2);
    step(result.view());
    if (scheme == Scheme::merged) end_factor(-problem.step / 2);
    return result;
}

void report(const std::string& what, double found, double limit) {
    std::printf("%-64s %.1e\n", what.c_str(), found);
    if (!(found < limit))
        throw Error(ExitCode::numerical, "The baselines of the Trotter benchmark fail: " + what + ".");
}

double compare_shapes(const SpinProblem& problem, Scheme scheme, const State& start, const State& expected) {
    const Splitting splitting(problem, scheme);
    double worst = 0;
    for (const int low : {2, 3, 5, 6, 8, 11})
        for (const int high : {1, 2, 3, 4, 5, 9})
            for (int row = 2; row <= low; ++row) {
                const auto found = stepped(problem, scheme, start, [&](View<Amplitude> state) {
                    Dente(splitting, problem.spins, {low, high, row}, 1 + row % 2).step(state);
                });
                worst = std::max(worst, deviation(found.view(), expected));
            }
    return worst;
}

void check_against_exponentials() {
    for (const int spins : {4, 5, 7, 9, 11}) {
        const SpinProblem problem = random_problem(spins);
        const State start = some_state(problem.dimension()), expected = reference_step(problem, start);
        for (const Scheme scheme : {Scheme::literal, Scheme::merged}) {
            const Splitting splitting(problem, scheme);
            const std::string name =
                std::to_string(spins) + " spins, " + (scheme == Scheme::literal ? "literal" : "merged");
            const auto naive = stepped(problem, scheme, start, [&](View<Amplitude> v) { naive_step(splitting, v, 2); });
            report("one rotation per pass against exponentials, " + name, deviation(naive.view(), expected), 1e-12);
            report("the paper's, all tile shapes, against exponentials, " + name,
                   compare_shapes(problem, scheme, start, expected), 1e-12);
        }
    }
}

void check_against_naive() {
    const SpinProblem problem = random_problem(15);
    const State start = some_state(problem.dimension());
    for (const Scheme scheme : {Scheme::literal, Scheme::merged}) {
        const Splitting splitting(problem, scheme);
        const auto naive = stepped(problem, scheme, start, [&](View<Amplitude> v) { naive_step(splitting, v, 2); });
        const State expected(naive.begin(), naive.end());
        report(std::string("the paper's against one rotation per pass, 15 spins, ") +
                   (scheme == Scheme::literal ? "literal" : "merged"),
               compare_shapes(problem, scheme, start, expected), 1e-12);
    }
}

/// Compares 20 steps of 0.05 from the Neel state with an independent calculation by dense exponentials: spin 0 and the
/// amplitude of the Neel state, to its 14 digits.
void check_against_recorded() {
    const SpinProblem problem = heisenberg_ring(8);
    const std::uint64_t neel = 0b01010101;
    State start(problem.dimension());
    start[neel] = 1;
    for (const Scheme scheme : {Scheme::literal, Scheme::merged}) {
        const Splitting splitting(problem, scheme);
        const auto end = stepped(problem, scheme, start, [&](View<Amplitude> v) {
            Dente dente(splitting, problem.spins, {5, 2, 3}, 1);
            for (int i = 0; i < 20; ++i) dente.step(v);
        });
        double sz = 0;
        for (std::uint64_t i = 0; i < end.size(); ++i) sz += ((i & 1) != 0 ? -0.5 : 0.5) * std::norm(end[i]);
        const std::string name = scheme == Scheme::literal ? ", literal" : ", merged";
        report("recorded S^z of spin 0, ring of 8" + name, std::abs(sz + 0.18514302217762), 1e-12);
        report("recorded amplitude of the Neel state, ring of 8" + name,
               std::abs(end[neel] - Amplitude(-0.36600675566640, -0.25922934581354)), 1e-12);
    }
}

}  // namespace

void check_baselines() {
    check_against_exponentials();
    check_against_naive();
    check_against_recorded();
}

}  // namespace strata::perf
