// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/correlations.hpp"

#include <algorithm>
#include <cmath>

namespace strata::lanczos {
namespace {

constexpr std::size_t stride = PairOccupations::most_sites;

/// Calls visit(site) for every bit that is set.
template <class Visit>
void for_each_site(std::uint64_t string, Visit visit) {
    for (; string != 0; string &= string - 1) visit(static_cast<std::size_t>(__builtin_ctzll(string)));
}

/// Adds weight to out[i][j] for all pairs of occupied sites; `sites` per row.
void add_pairs(std::uint64_t string, double weight, std::size_t sites, double* out) {
    for_each_site(string,
                  [&](std::size_t i) { for_each_site(string, [&](std::size_t j) { out[i * sites + j] += weight; }); });
}

/// Sums of one block: [up][up], [dn][dn], [up][dn].
void measure_block(const HamiltonianView& h, const double* x, std::uint64_t block, std::size_t up_sites,
                   std::size_t dn_sites, std::vector<double>& of_dn, double* sums) {
    const BlockLayout& l = h.layout;
    double *uu = sums, *dd = uu + up_sites * up_sites, *ud = dd + dn_sites * dn_sites;
    std::ranges::fill(of_dn, 0);
    std::vector<double> beside(dn_sites);
    for (std::uint64_t row = 0; row < l.rows_of(block); ++row) {
        const std::uint64_t up = (l.blocks.first + block) * block_rows + row;
        double of_up = 0;
        std::ranges::fill(beside, 0);
        for (std::uint64_t d = 0; d < l.dim_dn; ++d) {
            const double* z = x + l.at(up, d);
            const double weight = z[0] * z[0] + (l.reals() == 2 ? z[1] * z[1] : 0);
            of_up += weight;
            of_dn[d] += weight;
            for_each_site(h.dn.sites[d], [&](std::size_t j) { beside[j] += weight; });
        }
        add_pairs(h.up.sites[up], of_up, up_sites, uu);
        for_each_site(h.up.sites[up], [&](std::size_t i) {
            for (std::size_t j = 0; j < dn_sites; ++j) ud[i * dn_sites + j] += beside[j];
        });
    }
    for (std::uint64_t d = 0; d < l.dim_dn; ++d) add_pairs(h.dn.sites[d], of_dn[d], dn_sites, dd);
}

/// S(k) = 1/N sum_ij cos(k (r_i - r_j)) c[i][j]
std::vector<double> structure_factor(const Lattice& lattice, const std::vector<double>& c) {
    const auto sites = static_cast<std::size_t>(lattice.sites);
    std::vector<double> factors;
    for (const auto& m : lattice.momenta()) {
        double sum = 0;
        for (std::size_t i = 0; i < sites; ++i)
            for (std::size_t j = 0; j < sites; ++j)
                sum += std::cos(lattice.phase(m, static_cast<int>(i)) - lattice.phase(m, static_cast<int>(j))) *
                       c[i * sites + j];
        factors.push_back(sum / static_cast<double>(sites));
    }
    return factors;
}

}  // namespace

void PairOccupations::add(const PairOccupations& other) {
    for (std::size_t i = 0; i < most_sites; ++i)
        for (std::size_t j = 0; j < most_sites; ++j) {
            uu[i][j] += other.uu[i][j];
            dd[i][j] += other.dd[i][j];
            ud[i][j] += other.ud[i][j];
        }
}

PairOccupations PairOccupations::scaled(double factor) const {
    PairOccupations result = *this;
    for (auto matrix : {result.uu, result.dd, result.ud})
        for (std::size_t i = 0; i < most_sites; ++i)
            for (std::size_t j = 0; j < most_sites; ++j) matrix[i][j] *= factor;
    return result;
}

void measure(Engine& engine, const Vector& state, PairOccupations& result) {
    const Sector& sector = engine.sector();
    const bool two = sector.model().species == 2;
    const auto us = static_cast<std::size_t>(sector.up_sites()), ds = static_cast<std::size_t>(sector.dn_sites());
    BlockSum sums(engine.comm(), sector, us * us + ds * ds + us * ds);
    for (std::size_t p = 0; p < sector.products().size(); ++p) {
        const BlockLayout l = sector.layout(p, engine.plan().arithmetic(), engine.comm().size(), engine.comm().rank());
        const HamiltonianView h = sector.hamiltonian(p, l);
        const Engine::Blocks x = engine.blocks(state, p);
#pragma omp parallel
        {
            std::vector<double> of_dn(l.dim_dn);
#pragma omp for schedule(static)
            for (std::uint64_t b = 0; b < l.blocks.size(); ++b)
                measure_block(h, x.data(), b, us, ds, of_dn, sums.block(p, b));
        }
    }
    const std::vector<double>& all = sums.total();
    const double *uu = all.data(), *dd = uu + us * us, *ud = dd + ds * ds;
    result = PairOccupations();
    if (two) {
        for (std::size_t i = 0; i < us; ++i)
            for (std::size_t j = 0; j < us; ++j) {
                result.uu[i][j] = uu[i * us + j];
                result.dd[i][j] = dd[i * us + j];
                result.ud[i][j] = ud[i * us + j];
            }
        return;
    }
    for (std::size_t i = 0; i < ds; ++i)  // the dn strings are the lower half of the sites
        for (std::size_t j = 0; j < ds; ++j) result.uu[i][j] = dd[i * ds + j];
    for (std::size_t i = 0; i < us; ++i) {
        for (std::size_t j = 0; j < us; ++j) result.uu[ds + i][ds + j] = uu[i * us + j];
        for (std::size_t j = 0; j < ds; ++j) result.uu[ds + i][j] = result.uu[j][ds + i] = ud[i * ds + j];
    }
}

std::vector<Quantity> correlation_results(const Model& model, const PairOccupations& c) {
    const auto sites = static_cast<std::size_t>(model.lattice.sites);
    const bool two = model.species == 2, spins = model.statistics == Statistics::hard_core_bosons;
    std::vector<Quantity> q;
    std::vector<double> up(sites), down(sites), density(sites * sites), spin(sites * sites);
    double doubly = 0;
    for (std::size_t i = 0; i < sites; ++i) {
        up[i] = c.uu[i][i];
        down[i] = c.dd[i][i];
        doubly += c.ud[i][i] / static_cast<double>(sites);
    }
    for (std::size_t i = 0; i < sites; ++i)
        for (std::size_t j = 0; j < sites; ++j) {
            density[i * sites + j] = c.uu[i][j] + c.dd[i][j] + c.ud[i][j] + c.ud[j][i];
            spin[i * sites + j] = (c.uu[i][j] + c.dd[i][j] - c.ud[i][j] - c.ud[j][i]) / 4;
            if (spins) spin[i * sites + j] = c.uu[i][j] - (up[i] + up[j]) / 2 + 0.25;  // Sz = n - 1/2
        }
    const auto first_row = [&](const std::vector<double>& matrix) {
        return std::vector<double>(matrix.begin(), matrix.begin() + static_cast<std::ptrdiff_t>(sites));
    };
    if (two) q.push_back({"double-occupancy", "1", "mean of n_up n_down over the sites", {doubly}});
    q.push_back({two ? "occupation-up" : "occupation", "1", "of each site", up});
    if (two) q.push_back({"occupation-down", "1", "of each site", down});
    const bool momenta = !model.lattice.torus.empty();
    if (!spins) q.push_back({"density-correlation", "1", "<n_0 n_j> for every site j", first_row(density)});
    if (!spins && momenta)
        q.push_back({"density-structure-factor", "1", "sum_ij cos k(r_i - r_j) <n_i n_j> / N for every wave vector",
                     structure_factor(model.lattice, density)});
    if (!two && !spins) return q;
    q.push_back({"spin-correlation", "1", "<Sz_0 Sz_j> for every site j", first_row(spin)});
    if (momenta)
        q.push_back({"spin-structure-factor", "1", "sum_ij cos k(r_i - r_j) <Sz_i Sz_j> / N for every wave vector",
                     structure_factor(model.lattice, spin)});
    return q;
}

std::uint64_t DensityMatrix::steps(const LanczosPlan& plan) {
    const auto sites = static_cast<std::uint64_t>(plan.model().lattice.sites);
    return sites * (sites - 1) / 2 * (plan.arithmetic() == Arithmetic::complex ? 2 : 1);
}

void DensityMatrix::step(std::uint64_t step, Engine& engine, const Vector& state, const DeviceBinding* device,
                         Timers& timers, double* re, double* im) {
    const bool complex = engine.plan().arithmetic() == Arithmetic::complex;
    const int sites = engine.sector().model().lattice.sites;
    std::uint64_t pair = complex ? step / 2 : step;
    int i = 0;
    for (; pair >= static_cast<std::uint64_t>(sites - 1 - i); ++i) pair -= static_cast<std::uint64_t>(sites - 1 - i);
    const int j = i + 1 + static_cast<int>(pair);
    const bool imaginary = complex && step % 2 == 1;
    // H = c+_i c_j + h.c., or i c+_i c_j + h.c.
    Model bond = engine.sector().model();
    bond.lattice.edges = {{j, i, imaginary ? Complex(0, -1) : Complex(-1), 0}};
    bond.u.assign(bond.u.size(), 0);
    bond.epsilon.assign(bond.epsilon.size(), 0);
    bond.v = bond.constant = 0;
    const LanczosPlan plan = engine.plan().for_model(std::move(bond));
    const std::unique_ptr<Engine> hop = make_engine(engine.comm(), plan, device, timers);
    hop->allocate();
    const double value = hop->apply(state).fq / 2;
    const std::size_t at = static_cast<std::size_t>(i) * stride + static_cast<std::size_t>(j);
    (imaginary ? im : re)[at] = imaginary ? -value : value;
}

Quantity momentum_distribution(const Model& model, const PairOccupations& c, const double* re, const double* im) {
    const auto sites = static_cast<std::size_t>(model.lattice.sites);
    std::vector<double> n;
    for (const auto& m : model.lattice.momenta()) {
        double sum = 0;
        for (std::size_t i = 0; i < sites; ++i) {
            sum += c.uu[i][i] + c.dd[i][i];
            for (std::size_t j = i + 1; j < sites; ++j) {
                const double angle =
                    model.lattice.phase(m, static_cast<int>(i)) - model.lattice.phase(m, static_cast<int>(j));
                sum += 2 * (std::cos(angle) * re[i * stride + j] - std::sin(angle) * im[i * stride + j]);
            }
        }
        n.push_back(sum / static_cast<double>(sites));
    }
    return {"momentum-distribution", "1", "<n_k> of all species, for every wave vector", n};
}

}  // namespace strata::lanczos
