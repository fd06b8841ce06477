// SPDX-License-Identifier: BSD-3-Clause
// H in a sector of lattice symmetries on a device, with the rules and the layout of symmetric_sweeps_cpu.cpp: a panel
// of a row has a line of 32 bytes for each of the |G| elements h, with the images T_h of a few orbits. Neighbouring
// threads process neighbouring numbers of a panel, whose width need not be a multiple of a warp, so that a hop reads
// whole lines. A block of threads transposes the rows of a tile, 16 at a time, or fewer where G is large:
//
//     columns    [orbit][h][re or im][row]    16 rows of a number are contiguous
#include "kernels/device_block.hpp"
#include "kernels/lanczos/device_hops.hpp"
#include "kernels/lanczos/device_step.hpp"
#include "kernels/lanczos/device_tile.hpp"

namespace strata::lanczos::cuda {
namespace {

template <class Real>
constexpr unsigned line = 32 / sizeof(Real);  ///< reals of a line

STRATA_HOST_DEVICE unsigned width_of(const BlockLayout& l) { return static_cast<unsigned>(l.panel); }
STRATA_HOST_DEVICE unsigned reals_of(const BlockLayout& l) { return static_cast<unsigned>(l.reals()); }

/// Sum of amplitude * number over the entries of a row; source(column, class of the amplitude) points to the number of an
/// entry. `odd`: it points to the imaginary part of a complex element, whose real part precedes it; otherwise to the real
/// part, which the imaginary part follows.
template <class Real, class Source>
__device__ Real hop_sum(const HoppingView& hops, std::uint64_t row, bool odd, Source source) {
    const std::uint32_t classes = hops.class_mask();
    const std::uint64_t complex = hops.complex[row], end = hops.first[row + 1];
    Real sum = 0;
    for (std::uint64_t e = hops.first[row]; e < end; ++e) {
        const std::uint32_t entry = hops.entries[e], c = entry & classes;
        const Real* from = source(std::uint64_t{entry >> hops.bits}, c);
        sum += static_cast<Real>(hops.re[c]) * *from;
        if (e < complex) continue;
        const Real imaginary = static_cast<Real>(hops.im[c]) * (odd ? from[-1] : from[1]);
        sum += odd ? imaginary : -imaginary;
    }
    return sum;
}

/// Computes sum[re or im] likewise for whole elements of transposed rows, whose real and imaginary parts lie `rows`
/// apart.
template <int Reals, class Real, class Source>
__device__ void sum_columns(const HoppingView& hops, std::uint64_t row, Source source, Real (&sum)[Reals]) {
    const std::uint32_t classes = hops.class_mask();
    const std::uint64_t complex = hops.complex[row], end = hops.first[row + 1];
    Real imaginary[Reals] = {};
    for (int k = 0; k < Reals; ++k) sum[k] = 0;
    for (std::uint64_t e = hops.first[row]; e < end; ++e) {
        const std::uint32_t entry = hops.entries[e], c = entry & classes;
        const Real* from = source(std::uint64_t{entry >> hops.bits}, c);
        const auto re = static_cast<Real>(hops.re[c]);
        for (int k = 0; k < Reals; ++k) sum[k] += re * from[k * rows];
        if (Reals == 1 || e < complex) continue;
        const auto im = static_cast<Real>(hops.im[c]);
        for (int k = 0; k < Reals; ++k) imaginary[k] += im * from[k * rows];
    }
    if (Reals == 1) return;
    sum[0] -= imaginary[Reals - 1];
    sum[Reals - 1] += imaginary[0];
}

/// Number of rows of a tile that a block of threads transposes: as many (a power of two) as fit twice into 32 KiB of
/// shared memory, so that several blocks share a multiprocessor.
unsigned rows_together(const BlockLayout& l, std::size_t real_bytes) {
    constexpr std::size_t bytes = std::size_t{32} << 10;
    unsigned together = rows;
    while (together > 1 && 2 * together * (l.panel + 1) * real_bytes > bytes) together /= 2;
    return together;
}

/// Real number `real` of a row of a panel, projected by the stabiliser of the row: sum_g factor_g x(g^-1 h). The row
/// begins at x[first].
template <class Real, class Shared>
__device__ Real project_row(const HamiltonianView& h, std::uint64_t row, Shared& x, unsigned first, unsigned real) {
    const StabiliserView& s = h.symmetry.rows;
    if (row >= h.up.dim || s.empty(row)) return x[first + real];
    const unsigned element = real / line<Real>, lane = real % line<Real>;
    Real sum = 0;
    for (std::uint64_t e = s.first[row]; e < s.first[row + 1]; ++e) {
        const unsigned from = first + h.symmetry.left[s.element[e] * h.symmetry.order + element];
        sum += static_cast<Real>(s.re[e]) * x[from + lane];
        if (s.im[e] == 0) continue;
        const Real imaginary = static_cast<Real>(s.im[e]) * x[from + (lane ^ 1)];
        sum += lane % 2 == 1 ? imaginary : -imaginary;
    }
    return sum;
}

/// Real number projected by the stabiliser of its orbit: sum_g factor_g x(h g), real factors; zero where there is no
/// orbit.
template <class Real, class Shared>
__device__ Real project_column(const HamiltonianView& h, std::uint64_t panel, Shared& x, unsigned first,
                               unsigned real) {
    const unsigned reals = reals_of(h.layout), element = real / line<Real>, lane = real % line<Real>;
    const std::uint64_t orbit = panel * (line<Real> / reals) + lane / reals;
    if (orbit >= h.down.dim) return 0;
    const StabiliserView& s = h.symmetry.columns;
    if (s.empty(orbit)) return x[first + real];
    Real sum = 0;
    for (std::uint64_t e = s.first[orbit]; e < s.first[orbit + 1]; ++e) {
        const unsigned from = h.symmetry.right[s.element[e] * h.symmetry.order + element] / reals;
        sum += static_cast<Real>(s.re[e]) * x[first + from + lane];
    }
    return sum;
}

/// Rows of a tile that belong to a block of threads; blockIdx: tile, part of its rows.
struct TileRows {
    std::uint64_t block, panel;
    unsigned first_row;

    /// Position of their first number in blocks of the same layout.
    __device__ std::uint64_t at(const BlockLayout& l) const {
        return block * l.block_size() + panel * l.tile() + first_row * l.panel;
    }
};

__device__ TileRows rows_of_tile(const BlockLayout& l, unsigned together) {
    const std::uint64_t panels = l.panels();
    return {blockIdx.x / panels, blockIdx.x % panels, blockIdx.y * together};
}

/// Projects rows of a tile, which lie in the first half of `shared` with a stride of their width plus 1, onto the
/// sector, and calls finish(position, number) for each of their numbers. The first half may be overwritten then.
template <class Real, class Shared, class Finish>
__device__ void project_rows(const HamiltonianView& h, TileRows own, std::uint64_t first_up, unsigned together,
                             Shared& shared, Finish finish) {
    const unsigned width = width_of(h.layout), padded = width + 1, second = together * padded;
    __syncthreads();
    for (TilePosition i(threadIdx.x, blockDim.x, width); i.row < together; i.next())
        shared[second + i.row * padded + i.column] =
            project_row<Real>(h, first_up + i.row, shared, i.row * padded, i.column);
    __syncthreads();
    for (TilePosition i(threadIdx.x, blockDim.x, width); i.row < together; i.next())
        finish(i, project_column<Real>(h, own.panel, shared, second + i.row * padded, i.column));
}

/// w := (w - alpha v) / beta, projected, and transposed to `columns`.
template <class Real>
__global__ void __launch_bounds__(tile_threads)
    symmetric_advance_kernel(HamiltonianView h, Range blocks, unsigned together, Recurrence r, const Real* v, Real* w,
                             Real* columns) {
    auto shared = gpu_dynamic_shared<Real>();
    const BlockLayout& l = h.layout;
    const TileRows own = rows_of_tile(l, together);
    const unsigned width = width_of(l), padded = width + 1, reals = reals_of(l);
    const std::uint64_t at = own.at(l) + blocks.first * l.block_size();
    const auto alpha = static_cast<Real>(r.alpha), inverse_beta = static_cast<Real>(r.inverse_beta);
    for (TilePosition i(threadIdx.x, blockDim.x, width); i.row < together; i.next()) {
        const std::uint64_t real = at + i.row * width + i.column;
        shared[i.row * padded + i.column] = (w[real] - alpha * v[real]) * inverse_beta;
    }
    const std::uint64_t first_up = (l.blocks.first + blocks.first + own.block) * rows + own.first_row;
    project_rows<Real>(h, own, first_up, together, shared, [&](const TilePosition& i, Real next) {
        w[at + i.row * width + i.column] = next;
        shared[i.row * padded + i.column] = next;
    });
    __syncthreads();
    // i.row: orbit of a line; i.column: number h * reals + (re or im); for each of the rows
    Real* out = columns + own.block * l.block_size() + own.panel * l.tile() + own.first_row;
    const unsigned row = threadIdx.x % together, of_orbit = h.symmetry.order * reals;
    TilePosition i(threadIdx.x / together, blockDim.x / together, of_orbit);
    for (; i.row < line<Real> / reals; i.next()) {
        const unsigned real = i.column / reals * line<Real> + i.row * reals + i.column % reals;
        out[(i.row * of_orbit + i.column) * rows + row] = shared[row * padded + real];
    }
}

/// A thread computes one row of some images of down bit strings. `Together`: whether all 16 rows of a tile are transposed
/// together, whose lanes then share the entries of the hopping matrix.
template <int Reals, bool Together, class Real>
__global__ void __launch_bounds__(tile_threads)
    symmetric_down_kernel(HamiltonianView h, Range blocks, unsigned together, Real beta, const Real* columns, Real* v) {
    constexpr unsigned orbits = line<Real> / Reals;
    GPU_SHARED(StagedHop<Real>, staged, Together ? tile_threads : 1);
    GPU_SHARED(Real, imaginary, Together && Reals == 2 ? tile_threads : 1);
    const auto coupling = gpu_dynamic_shared<double>();  // energies, then the numbers of the tile
    const auto tile = gpu_dynamic_shared<Real>();
    const auto tile_begin = static_cast<unsigned>(coupling_energies(h.coupling) * sizeof(double) / sizeof(Real));
    const BlockLayout& l = h.layout;
    const TileRows own = rows_of_tile(l, together);
    const std::uint64_t block = l.blocks.first + blocks.first + own.block;
    tabulate_coupling(h, block, coupling);
    const unsigned order = h.symmetry.order, width = width_of(l), padded = width + 1;
    const unsigned result_row = threadIdx.x % together, row = own.first_row + result_row;
    const std::uint64_t up = block * rows + row;
    const double up_energy = up < h.up.dim ? h.up.diagonal[up] - h.shift : 0;
    const Real* from = columns + own.block * l.block_size() + row;
    TilePosition i(threadIdx.x / together, blockDim.x / together, order);
    for (unsigned first = 0; first < orbits * order; first += blockDim.x / together, i.next()) {
        const std::uint64_t orbit = own.panel * orbits + i.row;
        const bool exists = i.row < orbits && orbit < h.down.dim;
        // line of the image under g h of the representative of an orbit
        const auto line_of = [&](std::uint64_t column, std::uint32_t c) {
            const std::uint32_t g = h.down.hops.element[c];
            const unsigned element = g == 0 ? i.column : h.symmetry.right[g * order + i.column] / (line<Real> * Reals);
            return static_cast<std::uint32_t>((column * order + element) * Reals);
        };
        Real sum[Reals] = {};
        if constexpr (Together) {
            sum_lines(h.down.hops, orbit, exists, HopStage{staged, imaginary}, from, line_of, sum);
        } else if (exists) {
            const auto source = [&](std::uint64_t column, std::uint32_t c) {
                return from + std::uint64_t{line_of(column, c)} * rows;
            };
            sum_columns(h.down.hops, orbit, source, sum);
        }
        if (exists) {
            const std::uint64_t occupation = h.down.sites[(own.panel * order + i.column) * orbits + i.row];
            const double energy =
                up_energy + h.down.diagonal[orbit] + coupling_energy(h.coupling, occupation, row, coupling);
            const Real* diagonal = from + (orbit * order + i.column) * (Reals * rows);
            for (int k = 0; k < Reals; ++k) sum[k] += static_cast<Real>(energy) * diagonal[k * rows];
        }
        if (i.row >= orbits) continue;
        for (int k = 0; k < Reals; ++k)
            tile[tile_begin + result_row * padded + i.column * line<Real> + i.row * Reals + static_cast<unsigned>(k)] =
                sum[k];
    }
    __syncthreads();
    Real* out = v + blocks.first * l.block_size() + own.at(l);
    for (TilePosition at(threadIdx.x, blockDim.x, width); at.row < together; at.next()) {
        Real& to = out[at.row * width + at.column];
        to = tile[tile_begin + at.row * padded + at.column] - beta * to;
    }
}

/// One block of threads per tile, in the order of panels, so that the panel of all rows is read from the L2 cache.
template <class Real>
__global__ void __launch_bounds__(tile_threads)
    symmetric_up_kernel(HamiltonianView h, const Real* local_rows, const Real* v, Real* w, TileSums* sums) {
    const BlockLayout& l = h.layout;
    const std::uint64_t blocks = l.blocks.size(), block = blockIdx.x % blocks, panel = blockIdx.x / blocks;
    const std::uint64_t size = l.block_size();
    const unsigned width = width_of(l);
    const Real* column = local_rows + panel * l.tile();
    TileSums own;
    for (TilePosition i(threadIdx.x, blockDim.x, width); i.row < l.rows_of(block); i.next()) {
        const unsigned element = i.column / line<Real>, lane = i.column % line<Real>;
        const auto source = [&](std::uint64_t local, std::uint32_t c) {
            const std::uint32_t g = h.rows.element[c];
            const Real* row = column + local / rows * size + local % rows * width;
            return row + (g == 0 ? i.column : h.symmetry.left[g * h.symmetry.order + element] + lane);
        };
        const std::uint64_t at = block * size + panel * l.tile() + i.row * width + i.column;
        const Real sum = w[at] + hop_sum<Real>(h.rows, block * rows + i.row, lane % 2 == 1, source);
        w[at] = sum;
        const double x = static_cast<double>(v[at]), y = static_cast<double>(sum);
        own.vw += x * y;
        own.ww += y * y;
        own.vv += x * x;
    }
    sum_over_block<tile_threads>(own, sums + block * l.panels() + panel);
}

template <class Real>
__global__ void __launch_bounds__(tile_threads) project_kernel(HamiltonianView h, unsigned together, Real* x) {
    auto shared = gpu_dynamic_shared<Real>();
    const BlockLayout& l = h.layout;
    const TileRows own = rows_of_tile(l, together);
    const unsigned width = width_of(l);
    x += own.at(l);
    for (TilePosition i(threadIdx.x, blockDim.x, width); i.row < together; i.next())
        shared[i.row * (width + 1) + i.column] = x[i.row * width + i.column];
    project_rows<Real>(h, own, (l.blocks.first + own.block) * rows + own.first_row, together, shared,
                       [&](const TilePosition& i, Real next) { x[i.row * width + i.column] = next; });
}

/// Launch over the tiles of some blocks, with shared memory for `copies` copies of the rows of one block of threads.
template <class Real>
GpuLaunch on_rows(const char* name, const BlockLayout& l, std::uint64_t blocks, std::size_t copies) {
    const unsigned together = rows_together(l, sizeof(Real));
    return {name, dim3(static_cast<unsigned>(l.panels() * blocks), rows / together), dim3(threads_of(l)),
            copies * together * (l.panel + 1) * sizeof(Real)};
}

template <class Real>
void symmetric_advance(const Queue<Cuda>& queue, const HamiltonianView& h, Range blocks, const Recurrence& r,
                       const Real* v, Real* w, Real* columns) {
    const GpuLaunch launch = on_rows<Real>("advance", h.layout, blocks.size(), 2);
    gpu_launch(queue, launch, symmetric_advance_kernel<Real>, h, blocks, rows_together(h.layout, sizeof(Real)), r, v, w,
               columns);
}

template <class Real>
void symmetric_down_hops(const Queue<Cuda>& queue, const HamiltonianView& h, Range blocks, double beta,
                         const Real* columns, Real* v) {
    GpuLaunch launch = on_rows<Real>("dn_hops", h.layout, blocks.size(), 1);
    launch.shared_bytes += coupling_energies(h.coupling) * sizeof(double);
    const unsigned together = rows_together(h.layout, sizeof(Real));
    const auto kernel =
        h.layout.arithmetic == Arithmetic::real
            ? (together == rows ? symmetric_down_kernel<1, true, Real> : symmetric_down_kernel<1, false, Real>)
            : (together == rows ? symmetric_down_kernel<2, true, Real> : symmetric_down_kernel<2, false, Real>);
    gpu_launch(queue, launch, kernel, h, blocks, together, static_cast<Real>(beta), columns, v);
}

template <class Real>
void symmetric_up_hops(const Queue<Cuda>& queue, const HamiltonianView& h, const Real* local_rows, const Real* v,
                       Real* w, TileSums* sums) {
    const dim3 grid(static_cast<unsigned>(h.layout.tiles()));
    gpu_launch(queue, {"up_hops", grid, dim3(threads_of(h.layout))}, symmetric_up_kernel<Real>, h, local_rows, v, w,
               sums);
}

template <class Real>
void project_onto_sector(const Queue<Cuda>& queue, const HamiltonianView& h, Real* x) {
    const GpuLaunch launch = on_rows<Real>("project", h.layout, h.layout.blocks.size(), 2);
    gpu_launch(queue, launch, project_kernel<Real>, h, rows_together(h.layout, sizeof(Real)), x);
}

}  // namespace

template <class Real>
void fill_symmetric_hops(DeviceStepKernels<Real>& table) {
    table.advance = symmetric_advance;
    table.down_hops = symmetric_down_hops;
    table.up_hops = symmetric_up_hops;
    table.project_onto_sector = project_onto_sector;
}
template void fill_symmetric_hops(DeviceStepKernels<double>&);
template void fill_symmetric_hops(DeviceStepKernels<float>&);

}  // namespace strata::lanczos::cuda
