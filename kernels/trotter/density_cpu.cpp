// SPDX-License-Identifier: BSD-3-Clause
// Tiles of a reduced density matrix. Four rows of a tile at a time are summed over the b of a block in eight registers.
#include <cmath>

#include "kernels/lanes.hpp"
#include "kernels/trotter/density_tiles.hpp"
#include "kernels/trotter/pass_kernels.hpp"
#include "strata/partition.hpp"

namespace strata::trotter::STRATA_ISA {

using namespace strata::STRATA_ISA;
namespace {

using Vector = strata::STRATA_ISA::Lanes<double>;
constexpr int rows_at_once = 4;

/// Row p of tiles in the lower triangle that contains tile `number`.
std::uint64_t row_of(std::uint64_t number) {
    auto p = static_cast<std::uint64_t>((std::sqrt(8.0 * static_cast<double>(number) + 1) - 1) / 2);
    while (p * (p + 1) / 2 > number) --p;
    while ((p + 1) * (p + 2) / 2 <= number) ++p;
    return p;
}

/// out += sum over b of rows times the conjugate of columns, for rows_at_once rows.
void add_rows(const double* rows, const double* columns, std::uint64_t count, double* out) {
    constexpr std::uint64_t step = DensityTiles::step_doubles, side = DensityTiles::side;
    Vector re[rows_at_once] = {}, im[rows_at_once] = {};
    for (std::uint64_t b = 0; b < count; ++b) {
        const Vector cre = load(columns + b * step), cim = load(columns + b * step + side), minus = -cim;
#pragma GCC unroll 4
        for (int r = 0; r < rows_at_once; ++r) {
            const Vector rre = Vector{} + rows[b * step + r], rim = Vector{} + rows[b * step + side + r];
            re[r] = fma(rre, cre, re[r]);
            im[r] = fma(rim, cre, im[r]);
            re[r] = fma(rim, cim, re[r]);
            im[r] = fma(rre, minus, im[r]);
        }
    }
    for (int r = 0; r < rows_at_once; ++r) {
        double* row = out + static_cast<std::uint64_t>(r) * step;
        store(row, load(row) + re[r]);
        store(row + side, load(row + side) + im[r]);
    }
}

/// Adds the terms of one block of `count` states b to `tiles`, the first of which is at `out`.
void add_density(const double* panels, std::uint64_t count, Range tiles, double* out) {
    const std::uint64_t panel = count * DensityTiles::step_doubles;
#pragma omp parallel for schedule(static)
    for (std::uint64_t t = tiles.first; t < tiles.last; ++t) {
        const std::uint64_t p = row_of(t), q = t - p * (p + 1) / 2;
        double* tile = out + (t - tiles.first) * DensityTiles::tile_doubles;
        for (std::uint64_t r = 0; r < DensityTiles::side; r += rows_at_once)
            add_rows(panels + p * panel + r, panels + q * panel, count, tile + r * DensityTiles::step_doubles);
    }
}

}  // namespace

template <class Real>
void fill_density(PassKernels<Real>& table) {
    table.add_density = add_density;
}
template void fill_density(PassKernels<double>&);
template void fill_density(PassKernels<float>&);

}  // namespace strata::trotter::STRATA_ISA
