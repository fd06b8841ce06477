// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "comm/collectives.hpp"
#include "lanczos/tridiagonal.hpp"
#include "strata/rng.hpp"

namespace strata::lanczos {
namespace {

/// A number in (-1, 1) that belongs to one real of the start vector, by its global place.
double start_number(std::uint64_t seed, std::uint64_t up, std::uint64_t real) {
    constexpr std::uint32_t purpose = 0x4c616e63;  // a stream of its own
    const Philox4x32 words = philox(seed, {static_cast<std::uint32_t>(up), static_cast<std::uint32_t>(real),
                                           static_cast<std::uint32_t>(real >> 32), purpose});
    const std::uint64_t bits = std::uint64_t{words[1]} << 32 | words[0];
    return std::ldexp(static_cast<double>(bits >> 11), -52) - 1;
}

}  // namespace

Lanczos::Lanczos(const Communicator& comm, LanczosPlan plan)
    : comm_(comm), plan_(std::move(plan)), h_(plan_.hamiltonian()), c_(std::make_unique<Coefficients>()) {}

void Lanczos::allocate() {
    const std::uint64_t size = plan_.layout().size();
    f_ = Buffer<double>(size);
    q_ = Buffer<double>(size);
    if (plan_.config().vectors) ground_ = Buffer<double>(size);
    scratch_ = Buffer<double>(scratch_reals(h_) * static_cast<std::uint64_t>(plan_.threads()));
    up_hops_ = std::make_unique<UpHops>(comm_, plan_, h_);
    const std::uint64_t block = plan_.layout().block_size();
#pragma omp parallel for schedule(static)
    for (std::uint64_t b = 0; b < plan_.layout().blocks.size(); ++b)  // first touched by those who will work on them
        for (Buffer<double>* vector : {&f_, &q_, &ground_})
            if (vector->size() != 0) std::fill_n(vector->data() + b * block, block, 0.0);
}

void Lanczos::initialise() {
    *c_ = Coefficients();
    draw_start();
    plan_.kernels().combine(plan_.layout(), 1, q_.data(), 0, q_.data(), nullptr, up_hops_->tiles().data());
    c_->start_norm = std::sqrt(up_hops_->total(up_hops_->tiles()).ff);
}

/// The start vector to q, nothing to f.
void Lanczos::draw_start() {
    const BlockLayout& l = plan_.layout();
    const std::uint64_t reals = l.dim_dn * l.reals();
#pragma omp parallel for schedule(static)
    for (std::uint64_t b = 0; b < l.blocks.size(); ++b) {
        std::fill_n(f_.data() + b * l.block_size(), l.block_size(), 0.0);
        for (std::uint64_t row = 0; row < block_rows; ++row) {
            const std::uint64_t up = (l.blocks.first + b) * block_rows + row;
            for (std::uint64_t real = 0; real < l.panels() * panel_reals && up < l.dim_up; ++real)
                q_[b * l.block_size() + real / panel_reals * tile_reals + row * panel_reals + real % panel_reals] =
                    real < reals ? start_number(plan_.config().seed, up, real) : 0;
        }
    }
}

std::vector<DistributedArray> Lanczos::state() {
    const BlockLayout& l = plan_.layout();
    const auto vector = [&](const char* name, Buffer<double>& v) {
        return DistributedArray{name,           ElementType::f64, l.all_blocks(), l.block_size(),
                                l.block_size(), l.blocks,         v.data()};
    };
    std::vector<DistributedArray> arrays = {vector("f", f_), vector("q", q_)};
    if (plan_.config().vectors) arrays.push_back(vector("ground-state", ground_));
    const std::uint64_t numbers = sizeof(Coefficients) / sizeof(double);
    const Range rows = comm_.is_root() ? Range{0, 1} : Range{1, 1};
    arrays.push_back({"coefficients", ElementType::f64, 1, numbers, numbers, rows, c_.get()});
    return arrays;
}

void Lanczos::restored(std::uint64_t) { broadcast(comm_, *c_); }

std::uint64_t Lanczos::first_pass() const { return c_->converged != 0 ? made() : plan_.config().max_steps; }

/// Without convergence there is no ground state to add up, and more steps can be asked for later.
std::uint64_t Lanczos::total_steps() const {
    const bool given_up = c_->converged == 0 && made() == first_pass();
    return plan_.config().vectors && !given_up ? 2 * first_pass() + 1 : first_pass();
}

const std::vector<Column>& Lanczos::columns() const {
    static const std::vector<Column> all = {
        {"energy", "energy", "lowest Ritz value after each step"},
        {"residual-estimate", "energy", "norm of H x - E x of its vector, from the recurrence"},
        {"alpha", "energy", "diagonal of the tridiagonal matrix, without the shift"},
        {"beta", "energy", "its off-diagonal"},
    };
    return all;
}

void Lanczos::step(std::uint64_t step) {
    const std::uint64_t m = first_pass();
    if (step < m)
        recurrence_step(step);
    else if (step < 2 * m)
        add_to_ground_state(step - m);
    else
        examine_ground_state();
}

/// One multiplication: f becomes the next vector v of the recurrence, q becomes H v - beta (the vector before).
TileSums Lanczos::multiply(const Recurrence& r) {
    {
        const Timers::Scope scope = timers_.scope("H down");
        plan_.kernels().dn_sweep(h_, r, f_.data(), q_.data(), scratch_.data());
    }
    std::swap(f_, q_);
    const Timers::Scope scope = timers_.scope("H up");
    return up_hops_->apply(f_.data(), q_.data());
}

/// v_k = (H v_{k-1} - alpha_{k-1} v_{k-1} - beta_{k-2} v_{k-2}) / beta_{k-1}
void Lanczos::recurrence_step(std::uint64_t k) {
    const Recurrence r = k == 0 ? Recurrence{0, 1 / c_->start_norm, 0}
                                : Recurrence{c_->alpha[k - 1], 1 / c_->beta[k - 1], c_->beta[k - 1]};
    const TileSums sums = multiply(r);
    // with f.f from the same pass the recursion stays stable where |alpha| > beta
    c_->alpha[k] = sums.fq / sums.ff;
    c_->beta[k] = std::sqrt(std::max(0.0, sums.qq - sums.fq * sums.fq / sums.ff));
    c_->steps = static_cast<double>(k + 1);
    const Timers::Scope scope = timers_.scope("tridiagonal");
    look_at_ritz_pair();
}

void Lanczos::look_at_ritz_pair() {
    const std::uint64_t m = made();
    const RitzPair pair = lowest_pair({c_->alpha, m}, {c_->beta, m - 1});
    c_->energy = pair.value + h_.shift;
    c_->estimate = c_->beta[m - 1] * std::abs(pair.vector.back());
    const double scale = std::max({std::abs(c_->energy), std::abs(pair.value), c_->beta[0], 1e-300});
    const bool exhausted = c_->beta[m - 1] <= 1e-13 * scale;  // the start vector's subspace is used up
    const double whole = plan_.dimension();
    if (exhausted || c_->estimate <= plan_.config().tolerance * scale || static_cast<double>(m) >= whole)
        c_->converged = 1;
}

/// The recurrence once more; what it makes goes into the ground state.
void Lanczos::add_to_ground_state(std::uint64_t k) {
    const std::uint64_t m = first_pass();
    if (ritz_vector_.size() != m) ritz_vector_ = lowest_pair({c_->alpha, m}, {c_->beta, m - 1}).vector;
    if (k == 0) draw_start();
    const Recurrence r = k == 0 ? Recurrence{0, 1 / c_->start_norm, 0}
                                : Recurrence{c_->alpha[k - 1], 1 / c_->beta[k - 1], c_->beta[k - 1]};
    multiply(r);
    const Timers::Scope scope = timers_.scope("ground state");
    plan_.kernels().combine(plan_.layout(), ritz_vector_[k], f_.data(), k == 0 ? 0 : 1, ground_.data(), ground_.data(),
                            up_hops_->tiles().data());
}

/// Normalises the ground state and multiplies it once: its energy, true residual and observables.
void Lanczos::examine_ground_state() {
    const StepKernels& kernels = plan_.kernels();
    std::vector<TileSums>& tiles = up_hops_->tiles();
    kernels.combine(plan_.layout(), 1, ground_.data(), 0, ground_.data(), nullptr, tiles.data());
    const double norm = std::sqrt(up_hops_->total(tiles).ff);
    kernels.combine(plan_.layout(), 1 / norm, ground_.data(), 0, ground_.data(), ground_.data(), tiles.data());
    kernels.combine(plan_.layout(), 1, ground_.data(), 0, ground_.data(), q_.data(), tiles.data());
    kernels.combine(plan_.layout(), 0, ground_.data(), 0, ground_.data(), f_.data(), tiles.data());
    const TileSums sums = multiply({0, 1, 0});
    const double value = sums.fq / sums.ff;
    kernels.combine(plan_.layout(), 1, q_.data(), -value, f_.data(), nullptr, tiles.data());
    c_->residual = std::sqrt(up_hops_->total(tiles).ff);
    c_->energy = value + h_.shift;
    const Timers::Scope scope = timers_.scope("observables");
    measure();
}

/// Weights of the ground state, block by block, and added in the order of the blocks.
void Lanczos::measure() {
    const BlockLayout& l = plan_.layout();
    const auto sites = static_cast<std::size_t>(plan_.model().lattice.sites);
    const std::size_t numbers = 1 + 2 * sites;
    std::vector<double> sums(l.blocks.size() * numbers, 0);
#pragma omp parallel
    {
        std::vector<double> of_dn(l.dim_dn);
#pragma omp for schedule(static)
        for (std::uint64_t b = 0; b < l.blocks.size(); ++b) {
            double* out = sums.data() + b * numbers;
            std::fill(of_dn.begin(), of_dn.end(), 0);
            for (std::uint64_t up = (l.blocks.first + b) * block_rows;
                 up < std::min(l.dim_up, (l.blocks.first + b + 1) * block_rows); ++up) {
                double of_up = 0;
                for (std::uint64_t d = 0; d < l.dim_dn; ++d) {
                    const double* x = ground_.data() + l.at(up, d);
                    const double weight = x[0] * x[0] + (l.reals() == 2 ? x[1] * x[1] : 0);
                    of_up += weight;
                    of_dn[d] += weight;
                    out[0] += weight * __builtin_popcountll(h_.up.sites[up] & h_.dn.sites[d]);
                }
                for (std::size_t i = 0; i < sites; ++i)
                    if (h_.up.sites[up] >> i & 1) out[1 + i] += of_up;
            }
            for (std::uint64_t d = 0; d < l.dim_dn; ++d)
                for (std::uint64_t left = h_.dn.sites[d]; left != 0; left &= left - 1)
                    out[1 + sites + static_cast<std::size_t>(__builtin_ctzll(left))] += of_dn[d];
        }
    }
    const std::vector<double> all = gather(comm_, std::span<const double>(sums));
    std::vector<double> total(numbers, 0);
    for (std::size_t i = 0; i < all.size(); ++i) total[i % numbers] += all[i];
    c_->double_occupancy = total[0] / static_cast<double>(sites);
    for (std::size_t i = 0; i < sites; ++i) {
        c_->occupation[0][i] = total[1 + i];
        c_->occupation[1][i] = total[1 + sites + i];
    }
    broadcast(comm_, *c_);
}

void Lanczos::observe(std::span<double> row) {
    const std::uint64_t last = made() - 1;
    row[0] = c_->energy;
    row[1] = c_->estimate;
    row[2] = c_->alpha[last];
    row[3] = c_->beta[last];
}

std::string Lanczos::broken_invariant(std::span<const double> row) const {
    for (std::size_t i = 0; i < row.size(); ++i)
        if (!std::isfinite(row[i])) return columns()[i].name + " is not a number.";
    const double bound = plan_.lower_bound();
    if (row[0] >= bound) return {};
    return "the energy " + std::to_string(row[0]) + " lies below " + std::to_string(bound) + ", which no state can.";
}

std::string Lanczos::shortfall() const {
    if (c_->converged != 0 || plan_.config().allow_unconverged) return {};
    char text[200];
    std::snprintf(text, sizeof text,
                  "The energy has not converged in %llu steps: the residual is %.2g. Allow more with run.max-steps, or "
                  "this with run.allow-unconverged = yes.",
                  static_cast<unsigned long long>(made()), c_->estimate);
    return text;
}

std::vector<Quantity> Lanczos::results(const Series& series) const {
    if (series.rows() == 0) return {};
    std::vector<Quantity> q = {
        {"energy", "energy", "of the lowest state, total", {c_->energy}},
        {"steps", "1", "of the first pass", {c_->steps}},
        {"converged", "1", "1: the residual has come below run.tolerance", {c_->converged}},
        {"residual-estimate", "energy", "from the recurrence", {c_->estimate}},
    };
    if (c_->residual < 0) return q;
    const auto sites = static_cast<std::size_t>(plan_.model().lattice.sites);
    q.push_back({"residual", "energy", "norm of H x - E x, by multiplication", {c_->residual}});
    q.push_back({"double-occupancy", "1", "mean of n_up n_down over the sites", {c_->double_occupancy}});
    const auto list = [&](int species) {
        return std::vector<double>(c_->occupation[species], c_->occupation[species] + sites);
    };
    q.push_back({"occupation-up", "1", "of each site", list(0)});
    q.push_back({"occupation-down", "1", "of each site", list(1)});
    return q;
}

std::vector<Figure> Lanczos::performance(std::uint64_t steps, double seconds) const {
    if (steps == 0) return {};
    const double per_step = seconds / static_cast<double>(steps);
    return {{"seconds_per_step", per_step, "s", "wall time of one multiplication and its sums"},
            {"bytes_per_step", plan_.bytes_per_step(), "B", "over all ranks, by counting"},
            {"gigabytes_per_second", 1e-9 * plan_.bytes_per_step() / per_step, "GB/s", "over all ranks"},
            {"gflops", 1e-9 * plan_.flops_per_step() / per_step, "1/s", "over all ranks"}};
}

}  // namespace strata::lanczos
