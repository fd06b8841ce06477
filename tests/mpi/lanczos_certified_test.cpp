// SPDX-License-Identifier: BSD-3-Clause
// Energies of vectors in single precision by products and sums of doubles (backend.precision = certified): the quotient
// and the residual of any vector against plain creation and annihilation operators, energies against Lieb and Wu, and
// the same bits on any ranks.
#include "lanczos/run/ground_state.hpp"
#include "support/lanczos_runs.hpp"
#include "support/large_cases.hpp"
#include "support/plain_multiply.hpp"

namespace strata::lanczos {
namespace {

LanczosConfig certified(LanczosConfig c) {
    c.precision = Precision::single;
    c.certified = true;
    c.tolerance = 1e-9;
    return c;
}

/// Elements of a test vector as single precision stores them.
Complex stored(std::uint64_t modes, bool complex) {
    const Complex z = element(modes, complex);
    return {static_cast<float>(z.real()), static_cast<float>(z.imag())};
}

void expect_quotient(const LanczosConfig& c) {
    const LanczosPlan plan(c, world().size(), world().rank(), omp_get_max_threads());
    Timers timers;
    const std::unique_ptr<HamiltonianOperator> hamiltonian = on_cpu()(plan, timers);
    hamiltonian->allocate();
    const bool complex = plan.arithmetic() == Arithmetic::complex;
    DistributedVector x = hamiltonian->space().vector();
    std::vector<std::vector<double>> blocks;
    for (std::size_t p = 0; p < hamiltonian->sector().subspaces().size(); ++p)
        blocks.emplace_back(layout(*hamiltonian, p).size());
    for_each_state(*hamiltonian, [&](std::size_t p, std::uint64_t up, std::uint64_t down, std::uint64_t at) {
        const Complex value = stored(DenseFermions::modes(hamiltonian->sector(), p, up, down), complex);
        blocks[p][at] = value.real();
        if (complex) blocks[p][at + 1] = value.imag();
    });
    for (std::size_t p = 0; p < blocks.size(); ++p) hamiltonian->set_blocks(x, p, blocks[p].data());
    DenseFermions::Vector all;
    for (const auto& [modes, value] : plain_product(c).x) all[modes] = stored(modes, complex);
    const DenseFermions::Vector y = DenseFermions(plan.model()).apply(all);
    double vw = 0, ww = 0, vv = 0;
    for (const auto& [modes, value] : all) {
        vw += (std::conj(value) * y.at(modes)).real();
        vv += std::norm(value);
    }
    const double energy = vw / vv;
    for (const auto& [modes, value] : all) ww += std::norm(y.at(modes) - energy * value);
    const double offset = hamiltonian->offset(), rounding = hamiltonian->quotient_rounding();
    const krylov::RayleighQuotient found = hamiltonian->quotient(x, energy - offset + 0.125);
    EXPECT_LT(rounding, 1e-11) << c.lattice.type;
    EXPECT_NEAR(found.value + offset, energy, rounding) << c.lattice.type;
    EXPECT_NEAR(found.residual, std::sqrt(ww / vv), rounding + 1e-7 * std::sqrt(rounding)) << c.lattice.type;
}

void expect_quotients(LanczosConfig c) {
    c = certified(c);
    expect_quotient(c);
    if (world().size() == 1) return;
    c.exchange = RequestedExchange::rows;
    expect_quotient(c);
}

TEST(CertifiedQuotient, IsThatOfThePlainOperators) {
    for (LanczosConfig c : lattices()) {
        const int sites = make_lattice(c.lattice).sites;
        for (const auto& [up, down] : {std::pair(0, 0), {1, sites}, {sites / 2, sites / 2}})
            for (const auto& flux : {std::vector<double>{}, some_flux(c)}) {
                c.up = up;
                c.down = down;
                c.lattice.flux = flux;
                expect_quotients(c);
            }
        c.down = 0;
        for (const int particles : {1, sites / 2})
            for (const bool of_spins : {false, true}) {
                c.up = particles;
                c.model = ModelType::fermions;
                if (of_spins) set_spins(c, 1.3, -0.4);
                expect_quotients(c);
            }
    }
}

/// Rings of 10 and 12 sites to the digits of the reference values, within a small error that is a result.
void expect_certified(const LanczosConfig& c, double exact) {
    GroundState system(plan(certified(c)), on_cpu());
    const Series series = run(system);
    const double energy = values(system, series, "energy")[0], error = values(system, series, "energy-error")[0];
    EXPECT_NEAR(energy, exact, error + 1e-12);
    EXPECT_NEAR(energy, exact, values(system, series, "energy-bound")[0] + 1e-12);
    EXPECT_NEAR(energy, exact, 1e-11 * std::abs(exact));
    EXPECT_LT(error, 1e-9 * std::abs(exact));
}

TEST(CertifiedEnergies, OfRings) {
    expect_certified(config("ring", {8}, 4, 4, 8), -2.666147420132);
    expect_certified(config("ring", {10}, 5, 5, 4), -5.834322635773);
    expect_certified(with_momentum(config("ring", {10}, 5, 5, 4), {0}), -5.834322635773);
    expect_certified(with_momentum(spins("ring", {12}, 6), {0}), -5.387390917445);
    if (large_cases) expect_certified(config("ring", {12}, 6, 6, 4), -6.920353562419);
}

TEST(CertifiedEnergies, HaveTheSameBitsOnAnyRanks) {
    for (LanczosConfig c :
         {config("ring", {6}, 3, 2, 4), single("checkerboard", {3, 2}, 5, 1), spins("tilted", {3, 1}, 5)}) {
        c.potential.clear();  // no symmetry, so that the ground state is unique
        for (int i = 0; i < make_lattice(c.lattice).sites; ++i) c.potential.push_back(0.3 * std::sin(1.0 + 3 * i));
        c = certified(c);
        for (const RequestedExchange exchange : {RequestedExchange::automatic, RequestedExchange::rows}) {
            c.exchange = exchange;
            expect_same_bits<GroundState>(c, {"energy", "energy-bound", "energy-error", "residual"});
        }
    }
    for (LanczosConfig c :
         {with_momentum(config("ring", {7}, 3, 3, 4), {3}), with_momentum(spins("ring", {11}, 5), {2}),
          with_momentum(config("ring", {6}, 3, 3, 4), {0})}) {
        c = certified(c);
        for (const RequestedExchange exchange : {RequestedExchange::automatic, RequestedExchange::rows}) {
            c.exchange = exchange;
            expect_same_bits<GroundState>(c, {"energy", "energy-bound", "energy-error", "residual"});
        }
    }
}

}  // namespace
}  // namespace strata::lanczos
