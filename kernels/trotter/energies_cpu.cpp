// SPDX-License-Identifier: BSD-3-Clause
// Sums of two states row by row. Products and sums are not fused: each of them rounds.
#include "kernels/lanes.hpp"
#include "kernels/trotter/energies.hpp"
#include "kernels/trotter/pass_kernels.hpp"

namespace strata::trotter::STRATA_ISA {

using namespace strata::STRATA_ISA;
namespace {

/// Energies of a row that involve the bits of its number, for amplitude x: lower[x mod 2^half] + upper[x >> half].
class RowEnergies {
  public:
    RowEnergies(const EnergyView& e, std::uint64_t row) : half_((e.row_bits + 1) / 2) {
        const auto spin = [&](int k) { return 0.5 - static_cast<double>(row >> (k - e.row_bits) & 1); };
        const auto angle = [&](int j, int k) { return e.angles[j * e.spins + k]; };
        double energy = 0;
        for (int k = e.row_bits; k < e.spins; ++k) {
            double field = angle(k, k);
            for (int j = e.row_bits; j < k; ++j) field += angle(j, k) * spin(j);
            energy += field * spin(k);
        }
        double field[2 * max_half_row_bits];
        for (int j = 0; j < e.row_bits; ++j) {
            field[j] = 0;
            for (int k = e.row_bits; k < e.spins; ++k) field[j] += angle(j, k) * spin(k);
            energy += field[j] / 2;
        }
        fill(lower_, energy, field, half_);
        fill(upper_, 0, field + half_, e.row_bits - half_);
    }
    int half() const { return half_; }
    const double* lower() const { return lower_; }
    const double* upper() const { return upper_; }

  private:
    static void fill(double* table, double first, const double* field, int bits) {
        table[0] = first;
        for (int j = 0; j < bits; ++j)
            for (int x = 0; x < 1 << j; ++x) table[x + (1 << j)] = table[x] - field[j];
    }
    int half_;
    alignas(64) double lower_[1 << max_half_row_bits], upper_[1 << max_half_row_bits];
};

/// Calls visit(block of `to`, block of `from`, number of its first amplitude in the row) for all blocks of a row.
template <class Real, class Visit>
void each_block(const StateLayout& layout, std::uint64_t local_row, Real* to, const Real* from, Visit visit) {
    const std::uint64_t row = layout.row_offset(local_row);
    for (std::uint64_t b = 0; b < layout.row_blocks(); ++b) {
        const std::uint64_t at = row + layout.block_offset(b);
        visit(to + at, from + at, b << layout.lane_bits);
    }
}

/// `rows` are numbered within the state; `to` and `from` point to row rows.first. If c = 0, `to` is not read.
template <class Real>
void add_energies(const StateLayout& layout, const EnergyView& e, Range rows, const EnergySum& sum, const Real* from,
                  Real* to) {
    constexpr int width = lanes<Real>;
    const auto keep = static_cast<Real>(sum.c);
#pragma omp parallel for schedule(static)
    for (std::uint64_t row = rows.first; row < rows.last; ++row) {
        const RowEnergies energies(e, row);
        const double *lower = energies.lower(), *upper = energies.upper();
        const int half = energies.half();
        const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
        each_block(layout, row - rows.first, to, from, [&](Real* t, const Real* f, std::uint64_t x) {
            Real factor[width];
            for (int l = 0; l < width; ++l) {
                const std::uint64_t y = x + static_cast<std::uint64_t>(l);
                const double energy = e.low[y] + (lower[y & mask] + upper[y >> half]);
                factor[l] = static_cast<Real>(sum.a * energy + sum.b);
            }
            for (int part = 0; part < 2 * width; part += width)
                for (int l = 0; l < width; ++l)
                    t[part + l] = factor[l] * f[part + l] + (keep == 0 ? Real(0) : keep * t[part + l]);
        });
    }
}

/// to <- (re + i im) from + c to.
template <class Real>
void combine(const StateLayout& layout, std::uint64_t rows, double re, double im, double c, const Real* from,
             Real* to) {
    constexpr int width = lanes<Real>;
    const auto zr = static_cast<Real>(re), zi = static_cast<Real>(im), keep = static_cast<Real>(c);
#pragma omp parallel for schedule(static)
    for (std::uint64_t row = 0; row < rows; ++row)
        each_block(layout, row, to, from, [&](Real* t, const Real* f, std::uint64_t) {
            for (int l = 0; l < width; ++l) {
                const Real fr = f[l], fi = f[width + l];
                t[l] = (zr * fr - zi * fi) + (keep == 0 ? Real(0) : keep * t[l]);
                t[width + l] = (zr * fi + zi * fr) + (keep == 0 ? Real(0) : keep * t[width + l]);
            }
        });
}

}  // namespace

template <class Real>
void fill_energies(PassKernels<Real>& table) {
    table.add_energies = add_energies;
    table.combine = combine;
}
template void fill_energies(PassKernels<double>&);
template void fill_energies(PassKernels<float>&);

}  // namespace strata::trotter::STRATA_ISA
