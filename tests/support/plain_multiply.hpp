// SPDX-License-Identifier: BSD-3-Clause
// H x of an engine over the ranks of this run, element by element, against plain creation and annihilation operators.
#pragma once

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>

#include "lanczos/engine.hpp"
#include "support/dense_fermions.hpp"
#include "support/world.hpp"

namespace strata::lanczos {

inline LanczosConfig lattice_config(const std::string& type, std::vector<std::int64_t> extents) {
    LanczosConfig c;
    c.lattice.type = type;
    c.lattice.extents = std::move(extents);
    c.lattice.phase = M_PI / 4;
    c.max_steps = 10;
    return c;
}

inline BlockLayout layout(const Engine& engine, std::size_t product) {
    return engine.sector().layout(product, engine.plan().arithmetic(), engine.comm().size(), engine.comm().rank());
}

/// Visits the states of this rank's blocks: visit(product, up, dn, place in the product's memory).
template <class Visit>
void for_each_state(const Engine& engine, Visit visit) {
    for (std::size_t p = 0; p < engine.sector().products().size(); ++p) {
        const BlockLayout l = layout(engine, p);
        for (std::uint64_t up = l.blocks.first * block_rows; up < std::min(l.dim_up, l.blocks.last * block_rows); ++up)
            for (std::uint64_t dn = 0; dn < l.dim_dn; ++dn) visit(p, up, dn, l.at(up, dn));
    }
}

/// A vector that every rank can make by itself.
inline Complex element(std::uint64_t modes, bool complex) {
    const auto x = static_cast<double>(modes % 10007);
    return {std::sin(1 + 0.37 * x), complex ? std::cos(2 + 0.11 * x) : 0};
}

inline void expect_plain_multiply(const LanczosConfig& c, const DeviceBinding* device) {
    const LanczosPlan plan(c, world().size(), world().rank(), omp_get_max_threads());
    Timers timers;
    const std::unique_ptr<Engine> made = make_engine(world(), plan, device, timers);
    Engine& engine = *made;
    engine.allocate();
    const bool complex = plan.arithmetic() == Arithmetic::complex, single = c.precision == Precision::single;
    const double near = single ? 1e-4 : 1e-11;
    Vector x = engine.vector();
    std::vector<std::vector<double>> blocks;
    for (std::size_t p = 0; p < engine.sector().products().size(); ++p) blocks.emplace_back(layout(engine, p).size());
    for_each_state(engine, [&](std::size_t p, std::uint64_t up, std::uint64_t dn, std::uint64_t at) {
        const Complex value = element(DenseFermions::modes(engine.sector(), p, up, dn), complex);
        blocks[p][at] = value.real();
        if (complex) blocks[p][at + 1] = value.imag();
    });
    for (std::size_t p = 0; p < blocks.size(); ++p) engine.set_blocks(x, p, blocks[p].data());
    DenseFermions::Vector all;
    for (std::size_t p = 0; p < engine.sector().products().size(); ++p) {
        const Product& product = engine.sector().products()[p];
        for (std::uint64_t up = 0; up < product.up.basis().count(); ++up)
            for (std::uint64_t dn = 0; dn < product.dn.basis().count(); ++dn) {
                const std::uint64_t modes = DenseFermions::modes(engine.sector(), p, up, dn);
                all[modes] = element(modes, complex);
            }
    }
    EXPECT_EQ(static_cast<double>(all.size()), plan.dimension());
    const DenseFermions::Vector y = DenseFermions(plan.model()).apply(all);
    for (int again = 0; again < 2; ++again) {  // the working pair changes places
        const TileSums sums = engine.apply(x);
        for (std::size_t p = 0; p < blocks.size(); ++p) {
            const Engine::Blocks found = engine.blocks(engine.q(), p);
            std::copy_n(found.data(), blocks[p].size(), blocks[p].data());
        }
        for_each_state(engine, [&](std::size_t p, std::uint64_t up, std::uint64_t dn, std::uint64_t at) {
            const std::uint64_t modes = DenseFermions::modes(engine.sector(), p, up, dn);
            const Complex expected = y.at(modes) - engine.sector().offset() * all.at(modes);
            const double* got = blocks[p].data() + at;
            ASSERT_NEAR(got[0], expected.real(), near) << c.lattice.type << " " << engine.name();
            if (complex) {
                ASSERT_NEAR(got[1], expected.imag(), near) << c.lattice.type;
            }
        });
        double fq = 0, qq = 0, ff = 0;
        for (const auto& [modes, value] : all) {
            const Complex product = y.at(modes) - engine.sector().offset() * value;
            fq += (std::conj(value) * product).real();
            qq += std::norm(product);
            ff += std::norm(value);
        }
        const double of_sums = single ? 1e-5 : 1e-10;
        EXPECT_NEAR(sums.fq, fq, of_sums * (std::abs(fq) + ff + qq));
        EXPECT_NEAR(sums.qq, qq, of_sums * (qq + ff));
        EXPECT_NEAR(sums.ff, ff, of_sums * ff);
        const Complex product = engine.dot(x, engine.q());
        EXPECT_NEAR(product.real(), fq, of_sums * (std::abs(fq) + ff + qq));
        EXPECT_NEAR(product.imag(), 0, of_sums * (qq + ff)) << "H is not Hermitian";
    }
}

/// Small ones of all kinds, with everything that a site and an edge can have.
inline std::vector<LanczosConfig> lattices() {
    std::vector<LanczosConfig> all = {lattice_config("ring", {2}),          lattice_config("ring", {6}),
                                      lattice_config("chain", {5}),         lattice_config("square", {3, 2}),
                                      lattice_config("square", {4, 2}),     lattice_config("tilted", {2, 2}),
                                      lattice_config("triangular", {2, 3}), lattice_config("kagome", {2, 1}),
                                      lattice_config("honeycomb", {2, 2}),  lattice_config("checkerboard", {2, 2})};
    for (LanczosConfig& c : all) {
        c.u.clear();
        for (int i = 0; i < make_lattice(c.lattice).sites; ++i) c.u.push_back(1 + 0.3 * i);
        c.epsilon = c.u;
        c.v = -0.7;
    }
    return all;
}

inline std::vector<double> some_flux(const LanczosConfig& c) {
    return c.lattice.extents.size() == 2 ? std::vector<double>{0.4, -1.1} : std::vector<double>{0.4};
}

}  // namespace strata::lanczos
