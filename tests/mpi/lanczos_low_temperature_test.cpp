// SPDX-License-Identifier: BSD-3-Clause
// Averages by <r| exp(-H/2T) O exp(-H/2T) |r> on the ranks of this run: for the vectors of a run and recurrences that end
// with the sector, against dense exponentials; the same bits on any ranks, in sectors of symmetries too.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "lanczos/run/sector_traces.hpp"
#include "lanczos/run/thermal.hpp"
#include "lanczos/run/unit_vectors.hpp"
#include "support/lanczos_runs.hpp"
#include "support/product_sectors.hpp"

namespace strata::lanczos {
namespace {

LanczosConfig low_temperature(LanczosConfig c, std::vector<double> temperatures, std::uint64_t samples,
                              std::uint64_t steps) {
    c.task = Task::thermal;
    c.thermal = {std::move(temperatures), samples, steps, 0, TraceMethod::low_temperature};
    return c;
}

using Vector = std::vector<Complex>;

Complex dot(const Complex* x, const Vector& y) {
    Complex sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += std::conj(x[i]) * y[i];
    return sum;
}

/// The matrix of H or of an observed operator, and the random vectors, of one rank.
struct DenseProblem {
    explicit DenseProblem(const LanczosConfig& c)
        : plan(c, 1, 0, 1), h(on_cpu(self)(plan, timers)), means(plan, on_cpu(self), timers) {
        h->allocate();
        units.emplace(*h);
        places = units->places();
        x = h->space().vector();
        y = h->space().vector();
        pairs = krylov::hermitian_pairs(places.size(), matrix([&] {
                                            h->apply(x);
                                            h->space().axpby(1, h->w(), h->offset(), x, y);
                                        }));
    }
    Vector elements(const DistributedVector& of) const {
        const std::vector<double> reals = units->at(places, of);
        Vector all;
        for (std::size_t i = 0; i < places.size(); ++i)
            all.push_back(reals.size() == places.size() ? Complex(reals[i]) : Complex(reals[2 * i], reals[2 * i + 1]));
        return all;
    }
    /// Column by column, by a function that sets y from x.
    template <class Apply>
    Vector matrix(Apply apply) {
        Vector m;
        for (const UnitVectors::Place& place : places) {
            units->set(place, x);
            apply();
            const Vector column = elements(y);
            m.insert(m.end(), column.begin(), column.end());
        }
        return m;
    }
    Vector random(std::uint64_t stream) {
        h->draw_from(random_distribution(plan), x, stream);
        h->space().axpby(1 / h->space().norm(x), x, 0, x, x);
        return elements(x);
    }
    /// exp(-(H - E_0)/2T) r.
    Vector state(const Vector& r, double t) const {
        Vector all(r.size());
        for (std::size_t n = 0; n < r.size(); ++n) {
            const Complex factor =
                dot(pairs.vectors.data() + n * r.size(), r) * std::exp(-(pairs.values[n] - pairs.values[0]) / (2 * t));
            for (std::size_t i = 0; i < r.size(); ++i) all[i] += factor * pairs.vectors[n * r.size() + i];
        }
        return all;
    }

    Communicator self = Communicator::alone();
    Timers timers;
    LanczosPlan plan;
    std::unique_ptr<HamiltonianOperator> h;
    OperatorMeans means;
    std::optional<UnitVectors> units;
    std::vector<UnitVectors::Place> places;
    DistributedVector x, y;
    krylov::DensePairs pairs;
};

/// Every average is sum_r <x_r|O|x_r> / sum_r <x_r|x_r> of the vectors of the run, to rounding.
TEST(LowTemperature, AveragesAreThoseOfItsVectors) {
    for (LanczosConfig c :
         {config("chain", {4}, 2, 1, 4), config("square", {2, 2}, 1, 1, 2),
          with_terms(spins("ring", {5}, 0), "0.4 Sx 0 Sy 2 Sz 3; 0.3 Sy 4; 0.7 Sz 1 Sx 2 Sy 4; 0.2 X 2")}) {
        c.observables = {
            "means", c.spins() ? "a = 1 Sz {i} Sz 0\na = 0.3 S+ {i} S- 1" : "a = 1 cdag_up {i} c_up 0\na = 0.5i n 0"};
        c = low_temperature(c, {1e-4, 0.1, 1, 7}, 3, 64);
        LowTemperature system(plan(c), on_cpu());
        const Series series = run(system);
        DenseProblem dense(c);
        const std::size_t n = dense.places.size();
        const auto& parts = dense.means.operators().parts();
        ASSERT_GT(parts.size(), 1U);
        for (std::size_t at = 0; at < c.thermal.temperatures.size(); ++at) {
            std::vector<Vector> states;
            double z = 0;
            for (std::uint64_t r = 0; r < 3; ++r) {
                states.push_back(dense.state(dense.random(r), c.thermal.temperatures[at]));
                z += dot(states[r].data(), states[r]).real();
            }
            for (std::size_t part = 0; part < parts.size(); ++part) {
                const Vector o = dense.matrix([&] { dense.means.apply(part, dense.x, dense.h->space(), dense.y); });
                double sum = 0;
                for (const Vector& x : states)
                    for (std::size_t j = 0; j < n; ++j) sum += (std::conj(dot(o.data() + j * n, x)) * x[j]).real();
                const std::size_t first = thermal_columns().size();
                for (const std::size_t place : parts[part].places)
                    EXPECT_NEAR(series.row(at)[first + place], sum / z, 1e-9) << at << " " << part;
            }
        }
    }
}

TEST(LowTemperature, HasTheSameBitsOnAnyRanks) {
    for (LanczosConfig c : sectors_of_products()) {
        c.observables = {"means", c.spins() ? "a = 1 Sz {i} Sz 0" : "a = 1 n {i}\na = 0.5i n 0"};
        expect_same_bits<LowTemperature>(low_temperature(c, {0.5, 2}, 4, 20), {"a"});
    }
    LanczosConfig c = with_momentum(spins("ring", {10}, 5), {2});
    c.observables = {"means", "a = 1 Sz {i} Sz {j}"};
    expect_same_bits<LowTemperature>(low_temperature(c, {0.1, 0.5, 2}, 4, 20), {"energy", "a"});
}

}  // namespace
}  // namespace strata::lanczos
