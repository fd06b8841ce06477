// SPDX-License-Identifier: BSD-3-Clause
// Unions across tile faces on a device. A block unites the components of a patch of tiles in shared memory and writes
// each one's root as its parent; then the faces between patches are united in global memory. Ids grow in canonical
// order and parents are smaller, so a cluster's root is its canonical root.
#include "kernels/device_block.hpp"
#include "kernels/swendsen_wang/device_kernels.hpp"
#include "kernels/swendsen_wang/device_tile.hpp"
#include "kernels/swendsen_wang/device_unite.hpp"

namespace strata::swendsen_wang::cuda {
namespace {

/// Tiles of a patch along x, y, z: one thread each, x fastest, which is their canonical order.
template <int D>
struct Patch {
    static constexpr unsigned x = D == 2 ? 32 : 8, y = D == 2 ? 8 : 4, z = D == 2 ? 1 : 4;
    static constexpr unsigned tiles = x * y * z;
    static constexpr unsigned codes = 1u << code_bits(D);  ///< numbers per tile, some unused
    static constexpr std::size_t shared_bytes = sizeof(std::uint32_t) * tiles * (codes + 1);
};

/// Tiles along y and z: rows of the slice are counted y fastest.
struct RowGrid {
    std::uint32_t y, z;
};
template <int D>
STRATA_HOST_DEVICE RowGrid row_grid(const DeviceSlice& s) {
    const auto rows = static_cast<std::uint32_t>(s.rows), per_layer = static_cast<std::uint32_t>(s.rows_per_layer);
    return D == 2 ? RowGrid{rows, 1} : RowGrid{per_layer, rows / per_layer};
}

/// Parents of a patch: component `code` of thread `t` has the number t * codes + code. One word in codes + 1 is left
/// out, so that the threads of a warp use different banks.
template <int D, class Shared>
struct PatchParents {
    Shared memory;
    __device__ std::uint32_t* at(std::uint32_t i) const { return &memory[i + i / Patch<D>::codes]; }
    __device__ void set(std::uint32_t i) const { memory[i + i / Patch<D>::codes] = i; }
    __device__ std::uint32_t load(std::uint32_t i) const { return gpu_load_relaxed(at(i)); }
    __device__ void store(std::uint32_t i, std::uint32_t up) const { gpu_store_relaxed(at(i), up); }
    __device__ std::uint32_t minimum(std::uint32_t i, std::uint32_t up) const { return atomicMin(at(i), up); }
};

/// Calls pair(code here, code there) for the bonds from a tile to the next one.
template <int D, class Pair>
__device__ void for_each_pair(const DeviceSlice& s, TilePlace here, TilePlace there, int axis, Pair pair) {
    const TileFace face = face_of<D>(s, here, axis);
    std::uint64_t bonds = face_bonds<D>(s, here, there, axis, face);
    if (bonds == 0) return;
    const TileCodes<D> ours(s, s.number(here.row, here.column)), theirs(s, s.number(there.row, there.column));
    for (; bonds != 0; bonds &= bonds - 1) {
        const int site = __ffsll(static_cast<long long>(bonds)) - 1;
        pair(ours.code(site), theirs.code(site - face.shift));
    }
}

template <int D>
__global__ void __launch_bounds__(Patch<D>::tiles) patch_kernel(DeviceSlice s) {
    using P = Patch<D>;
    GPU_SHARED(std::uint32_t, first_id, P::tiles);
    const auto memory = gpu_dynamic_shared<std::uint32_t>();
    const PatchParents<D, decltype(gpu_dynamic_shared<std::uint32_t>())> parents = {memory};
    if (too_many_ids(s)) return;

    const std::uint32_t t = threadIdx.x, across = (s.row_tiles + P::x - 1) / P::x;
    const RowGrid grid = row_grid<D>(s);
    const std::uint32_t down = (grid.y + P::y - 1) / P::y;
    const std::uint32_t in_patch[3] = {t % P::x, t / P::x % P::y, t / (P::x * P::y)};
    const std::uint32_t column = blockIdx.x % across * P::x + in_patch[0];
    const std::uint32_t y = blockIdx.x / across % down * P::y + in_patch[1];
    const std::uint32_t z = blockIdx.x / across / down * P::z + in_patch[2];
    const bool here = column < s.row_tiles && y < grid.y && z < grid.z;
    const TilePlace p = {static_cast<std::int32_t>(z * grid.y + y), column};
    const std::uint32_t n = s.number(p.row, p.column), own = t * P::codes;
    const OpenIds ids = here ? open_ids(s, n) : OpenIds{0, 0};

    first_id[t] = ids.first;
    for (std::uint32_t c = 0; c < ids.count; ++c) parents.set(own + c);
    __syncthreads();
    if (ids.count != 0) {
        const bool inside[3] = {in_patch[0] + 1 < P::x && column + 1 < s.row_tiles,
                                in_patch[1] + 1 < P::y && y + 1 < grid.y, in_patch[2] + 1 < P::z && z + 1 < grid.z};
        const std::uint32_t step[3] = {1, P::x, P::x * P::y};  // threads to the next tile
        for (int axis = 0; axis < D; ++axis)
            if (inside[axis])
                for_each_pair<D>(s, p, next_tile(s, p, axis), axis, [&](std::uint32_t ours, std::uint32_t theirs) {
                    unite(parents, own + ours, own + step[axis] * P::codes + theirs);
                });
    }
    __syncthreads();
    const std::uint64_t coins = ids.count != 0 ? s.open_coins[n] : 0;
    for (std::uint32_t c = 0; c < ids.count; ++c) {
        const std::uint32_t root = find_root(parents, own + c);
        s.parent[ids.first + c] = first_id[root / P::codes] + root % P::codes;
        s.coin[ids.first + c] = static_cast<std::uint8_t>(coins >> c & 1);
        if (s.census) s.size[ids.first + c] = 0;
    }
    if (!s.census) return;
    __syncthreads();
    if (ids.count == 0) return;
    const TileCodes<D> codes(s, n);
    for (std::uint32_t c = 0; c < ids.count; ++c)
        add_atomically(&s.size[s.parent[ids.first + c]], static_cast<std::uint64_t>(__popcll(codes.sites(c))));
}

/// One thread per tile face between patches along `Axis`.
template <int D, int Axis>
__global__ void __launch_bounds__(group_tiles) face_kernel(DeviceSlice s) {
    using P = Patch<D>;
    if (too_many_ids(s)) return;
    constexpr std::uint32_t width = Axis == 0 ? P::x : Axis == 1 ? P::y : P::z;
    const RowGrid grid = row_grid<D>(s);
    const std::uint32_t f = blockIdx.x * group_tiles + threadIdx.x;
    const std::uint32_t extent = Axis == 0 ? s.row_tiles : Axis == 1 ? grid.y : grid.z;
    const std::uint32_t others = s.tiles / extent, cut = f / others, rest = f % others;
    if (cut >= (extent + width - 1) / width) return;
    const std::uint32_t last = (cut + 1) * width < extent ? (cut + 1) * width - 1 : extent - 1;
    TilePlace here = {static_cast<std::int32_t>(rest), last};  // along x: one face per row
    if (Axis > 0) {
        const std::uint32_t line = rest / s.row_tiles;
        here = {static_cast<std::int32_t>(Axis == 1 ? line * grid.y + last : last * grid.y + line), rest % s.row_tiles};
    }
    TilePlace there = next_tile(s, here, Axis);
    if (there.row >= s.rows) {  // beyond the slice
        if (!s.whole) return;
        there.row -= s.rows;
    }
    const std::uint32_t first = open_ids(s, s.number(here.row, here.column)).first;
    const std::uint32_t next_first = open_ids(s, s.number(there.row, there.column)).first;
    const GlobalParents parents = {s.parent};
    for_each_pair<D>(s, here, there, Axis, [&](std::uint32_t ours, std::uint32_t theirs) {
        unite(parents, first + ours, next_first + theirs);
    });
}

template <int D>
void merge(const Queue<Cuda>& queue, const DeviceSlice& s) {
    using P = Patch<D>;
    const RowGrid grid = row_grid<D>(s);
    const std::uint32_t patches =
        (s.row_tiles + P::x - 1) / P::x * ((grid.y + P::y - 1) / P::y) * ((grid.z + P::z - 1) / P::z);
    gpu_launch(queue, {"merge_patches", dim3(patches), dim3(P::tiles), P::shared_bytes}, patch_kernel<D>, s);
}

template <int D, int Axis>
void join(const Queue<Cuda>& queue, const DeviceSlice& s) {
    using P = Patch<D>;
    const RowGrid grid = row_grid<D>(s);
    const std::uint64_t extent = Axis == 0 ? s.row_tiles : Axis == 1 ? grid.y : grid.z;
    const std::uint64_t width = Axis == 0 ? P::x : Axis == 1 ? P::y : P::z;
    gpu_launch(
        queue,
        {"join_patches", gpu_blocks((extent + width - 1) / width * (s.tiles / extent), group_tiles), group_tiles},
        face_kernel<D, Axis>, s);
}

__global__ void __launch_bounds__(group_tiles) compress_kernel(DeviceSlice s) {
    if (too_many_ids(s)) return;
    const GlobalParents parents = {s.parent};
    for (std::uint64_t id = blockIdx.x * std::uint64_t{group_tiles} + threadIdx.x; id < s.counts[id_count];
         id += std::uint64_t{gridDim.x} * group_tiles) {
        const auto i = static_cast<std::uint32_t>(id);
        const std::uint32_t root = find_root(parents, i);
        parents.store(i, root);
        if (!s.census || root == i || s.size[i] == 0) continue;
        add_atomically(&s.size[root], s.size[i]);
        s.size[i] = 0;
    }
}

}  // namespace

void merge_patches(const Queue<Cuda>& queue, const DeviceSlice& s) {
    s.dimensions == 2 ? merge<2>(queue, s) : merge<3>(queue, s);
}

void join_patches(const Queue<Cuda>& queue, const DeviceSlice& s) {
    if (s.dimensions == 2) {
        join<2, 0>(queue, s);
        join<2, 1>(queue, s);
    } else {
        join<3, 0>(queue, s);
        join<3, 1>(queue, s);
        join<3, 2>(queue, s);
    }
}

void compress(const Queue<Cuda>& queue, const DeviceSlice& s) {
    constexpr std::uint64_t max_blocks = 8192;
    const std::uint64_t wanted = (s.id_capacity + group_tiles - 1) / group_tiles;
    gpu_launch(queue, {"compress", dim3(static_cast<unsigned>(wanted < max_blocks ? wanted : max_blocks)), group_tiles},
               compress_kernel, s);
}

}  // namespace strata::swendsen_wang::cuda
