// SPDX-License-Identifier: BSD-3-Clause
// H x of an operator over the ranks of this run, element by element, against plain creation and annihilation operators.
#pragma once

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>

#include "lanczos/run/factory.hpp"
#include "support/dense_fermions.hpp"
#include "support/lattice_specs.hpp"
#include "support/world.hpp"

namespace strata::lanczos {

inline LanczosConfig lattice_config(const std::string& type, std::vector<std::int64_t> extents) {
    LanczosConfig c;
    c.lattice = lattice_spec(type, std::move(extents));
    c.max_steps = 10;
    return c;
}

inline BlockLayout layout(const HamiltonianOperator& hamiltonian, std::size_t subspace) {
    return hamiltonian.sector().layout(subspace, hamiltonian.plan().arithmetic(), hamiltonian.comm().size(),
                                       hamiltonian.comm().rank());
}

/// Visits the states of this rank's blocks: visit(subspace, up, down, position in the subspace's memory).
template <class Visit>
void for_each_state(const HamiltonianOperator& hamiltonian, Visit visit) {
    for (std::size_t p = 0; p < hamiltonian.sector().subspaces().size(); ++p) {
        const BlockLayout l = layout(hamiltonian, p);
        for (std::uint64_t up = l.own_rows().first; up < l.own_rows().last; ++up)
            for (std::uint64_t down = 0; down < l.dim_down; ++down) visit(p, up, down, l.at(up, down));
    }
}

/// Element of a test vector as a function of its basis state, so that every rank can compute it.
inline Complex element(std::uint64_t modes, bool complex) {
    const auto x = static_cast<double>(modes % 10007);
    return {std::sin(1 + 0.37 * x), complex ? std::cos(2 + 0.11 * x) : 0};
}

/// A vector and its image, by creation and annihilation operators.
struct PlainProduct {
    DenseFermions::Vector x, y;
};

/// The product in the sector of a job; it depends neither on the precision nor on the exchange.
inline PlainProduct plain_product(const LanczosConfig& c) {
    const LanczosPlan plan(c, 1, 0, 1);
    const Sector& sector = plan.sector();
    PlainProduct plain;
    for (std::size_t p = 0; p < sector.subspaces().size(); ++p)
        for (std::uint64_t up = 0; up < sector.subspaces()[p].up.basis().count(); ++up)
            for (std::uint64_t down = 0; down < sector.subspaces()[p].down.basis().count(); ++down) {
                const std::uint64_t modes = DenseFermions::modes(sector, p, up, down);
                plain.x[modes] = element(modes, plan.arithmetic() == Arithmetic::complex);
            }
    plain.y = DenseFermions(plan.model()).apply(plain.x);
    return plain;
}

inline void expect_plain_multiply(const LanczosConfig& c, const DeviceBinding* device, const PlainProduct& plain) {
    const LanczosPlan plan(c, world().size(), world().rank(), omp_get_max_threads());
    Timers timers;
    const std::unique_ptr<HamiltonianOperator> owned = hamiltonian_maker(world(), device)(plan, timers);
    HamiltonianOperator& hamiltonian = *owned;
    hamiltonian.allocate();
    const bool complex = plan.arithmetic() == Arithmetic::complex, single = c.precision == Precision::single;
    const double near = single ? 1e-4 : 1e-11;
    DistributedVector x = hamiltonian.space().vector();
    std::vector<std::vector<double>> blocks;
    for (std::size_t p = 0; p < hamiltonian.sector().subspaces().size(); ++p)
        blocks.emplace_back(layout(hamiltonian, p).size());
    for_each_state(hamiltonian, [&](std::size_t p, std::uint64_t up, std::uint64_t down, std::uint64_t at) {
        const Complex value = element(DenseFermions::modes(hamiltonian.sector(), p, up, down), complex);
        blocks[p][at] = value.real();
        if (complex) blocks[p][at + 1] = value.imag();
    });
    for (std::size_t p = 0; p < blocks.size(); ++p) hamiltonian.set_blocks(x, p, blocks[p].data());
    const auto& [all, y] = plain;
    EXPECT_EQ(static_cast<double>(all.size()), plan.dimension());
    for (int again = 0; again < 2; ++again) {  // twice, because the working pair exchanges its memory
        const PairProducts sums = hamiltonian.apply(x);
        for (std::size_t p = 0; p < blocks.size(); ++p) {
            const HamiltonianOperator::Blocks found = hamiltonian.blocks(hamiltonian.w(), p);
            std::copy_n(found.data(), blocks[p].size(), blocks[p].data());
        }
        for_each_state(hamiltonian, [&](std::size_t p, std::uint64_t up, std::uint64_t down, std::uint64_t at) {
            const std::uint64_t modes = DenseFermions::modes(hamiltonian.sector(), p, up, down);
            const Complex expected = y.at(modes) - hamiltonian.sector().offset() * all.at(modes);
            const double* got = blocks[p].data() + at;
            ASSERT_NEAR(got[0], expected.real(), near) << c.lattice.type << " " << hamiltonian.name();
            if (complex) {
                ASSERT_NEAR(got[1], expected.imag(), near) << c.lattice.type;
            }
        });
        double vw = 0, ww = 0, vv = 0;
        for (const auto& [modes, value] : all) {
            const Complex image = y.at(modes) - hamiltonian.sector().offset() * value;
            vw += (std::conj(value) * image).real();
            ww += std::norm(image);
            vv += std::norm(value);
        }
        const double of_sums = single ? 1e-5 : 1e-10;
        EXPECT_NEAR(sums.vw, vw, of_sums * (std::abs(vw) + vv + ww));
        EXPECT_NEAR(sums.ww, ww, of_sums * (ww + vv));
        EXPECT_NEAR(sums.vv, vv, of_sums * vv);
        const Complex image = hamiltonian.space().dot(x, hamiltonian.w());
        EXPECT_NEAR(image.real(), vw, of_sums * (std::abs(vw) + vv + ww));
        EXPECT_NEAR(image.imag(), 0, of_sums * (ww + vv)) << "H is not Hermitian";
    }
}

/// Small systems of all lattice types, with every kind of site and edge term.
inline std::vector<LanczosConfig> lattices() {
    std::vector<LanczosConfig> all = {lattice_config("ring", {2}),          lattice_config("ring", {6}),
                                      lattice_config("chain", {5}),         lattice_config("square", {3, 2}),
                                      lattice_config("square", {4, 2}),     lattice_config("tilted", {2, 2}),
                                      lattice_config("triangular", {2, 3}), lattice_config("kagome", {2, 1}),
                                      lattice_config("honeycomb", {2, 2}),  lattice_config("checkerboard", {2, 2})};
    for (LanczosConfig& c : all) {
        c.u.clear();
        for (int i = 0; i < make_lattice(c.lattice).sites; ++i) c.u.push_back(1 + 0.3 * i);
        c.potential = c.field[2] = c.u;
        c.v = -0.7;
    }
    return all;
}

inline std::vector<double> some_flux(const LanczosConfig& c) {
    return c.lattice.extents.size() == 2 ? std::vector<double>{0.4, -1.1} : std::vector<double>{0.4};
}

}  // namespace strata::lanczos
