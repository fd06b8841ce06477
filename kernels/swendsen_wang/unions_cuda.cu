// SPDX-License-Identifier: BSD-3-Clause
// Unions across tile boundaries on a device (Wende and Steinke, SC13; Komura and Okabe, CPC 183, 1155 (2012)). A CUDA
// block unites the components of a block of tiles in shared memory and writes each one's root as its parent; then the
// tile boundaries between blocks are united in global memory. Parents are smaller than their children and ids follow
// the order of minimal sites, so the root of a cluster is the component that holds its minimal site.
//
// Shared memory of a block in 2D: 32 x 8 tiles, one thread each. Node t * 32 + c stands for component c of tile t. A
// tile has at most 28 boundary components, so that the last nodes of a tile are unused:
//
//     node     0   1  ...  27  .. 31 | 32  33  ...  59  .. 63 |  ...  | 8160  ...  8187 .. 8191
//     tile     0 (thread 0)          | 1 (thread 1)           |       | 255 (thread 255)
//     parent   a smaller node of the same cluster, or the node itself
//
// Node i lies at word i + i / 32, so that the threads of a warp, whose nodes are 32 apart, use different banks. In 3D a
// block has 8 x 4 x 4 tiles with up to 56 of 64 nodes.
#include "kernels/device_block.hpp"
#include "kernels/swendsen_wang/device_sweep.hpp"
#include "kernels/swendsen_wang/device_tile.hpp"
#include "kernels/swendsen_wang/device_unite.hpp"

namespace strata::swendsen_wang::cuda {
namespace {

/// Number of tiles of a block along x, y, z, one thread each; x is fastest, as in the order of ids.
template <int D>
struct TileBlock {
    static constexpr unsigned x = D == 2 ? 32 : 8, y = D == 2 ? 8 : 4, z = D == 2 ? 1 : 4;
    static constexpr unsigned tiles = x * y * z;
    static constexpr unsigned nodes = 1u << component_bits(D);  ///< nodes per tile, some unused
    static constexpr std::size_t shared_bytes = sizeof(std::uint32_t) * tiles * (nodes + 1);
};

/// Number of tiles of the slab along y and z. Tile rows are counted with y fastest.
struct RowGrid {
    std::uint32_t y, z;
};
template <int D>
STRATA_HOST_DEVICE RowGrid row_grid(const DeviceSlab& s) {
    const auto rows = static_cast<std::uint32_t>(s.rows), per_layer = static_cast<std::uint32_t>(s.rows_per_layer);
    return D == 2 ? RowGrid{rows, 1} : RowGrid{per_layer, rows / per_layer};
}

/// Parents of the nodes of a block in shared memory (figure above).
template <int D, class Shared>
struct BlockParents {
    Shared memory;
    __device__ std::uint32_t* at(std::uint32_t i) const { return &memory[i + i / TileBlock<D>::nodes]; }
    __device__ void set(std::uint32_t i) const { memory[i + i / TileBlock<D>::nodes] = i; }
    __device__ std::uint32_t load(std::uint32_t i) const { return gpu_load_relaxed(at(i)); }
    __device__ void store(std::uint32_t i, std::uint32_t up) const { gpu_store_relaxed(at(i), up); }
    __device__ std::uint32_t minimum(std::uint32_t i, std::uint32_t up) const { return atomicMin(at(i), up); }
};

/// Calls pair(component here, component there) for the bonds from a tile to the next one along `axis`.
template <int D, class Pair>
__device__ void for_each_pair(const DeviceSlab& s, TilePosition here, TilePosition there, int axis, Pair pair) {
    const TileBoundary boundary = boundary_of<D>(s, here, axis);
    std::uint64_t bonds = boundary_bonds<D>(s, here, there, axis, boundary);
    if (bonds == 0) return;
    const ComponentPlanes<D> ours(s, s.index_of(here.row, here.column)), theirs(s, s.index_of(there.row, there.column));
    for (; bonds != 0; bonds &= bonds - 1) {
        const int site = __ffsll(static_cast<long long>(bonds)) - 1;
        pair(ours.at(site), theirs.at(site - boundary.shift));
    }
}

/// Tile of one thread of unite_within_kernel.
struct BlockTile {
    TilePosition position;
    std::uint32_t index;  ///< index in the slab
    std::uint32_t node;   ///< node of its first component
    IdRange ids;          ///< empty for threads beyond the slab
    bool inner[3];        ///< [axis] whether the next tile lies in the block and within the slab
};

/// Tile of this thread. Blocks are numbered with x fastest, then y, then z; threads of a block likewise.
template <int D>
__device__ BlockTile tile_of_thread(const DeviceSlab& s) {
    using B = TileBlock<D>;
    const RowGrid grid = row_grid<D>(s);
    const std::uint32_t t = threadIdx.x, across = (s.row_tiles + B::x - 1) / B::x, down = (grid.y + B::y - 1) / B::y;
    const std::uint32_t in_block[3] = {t % B::x, t / B::x % B::y, t / (B::x * B::y)};
    const std::uint32_t column = blockIdx.x % across * B::x + in_block[0];
    const std::uint32_t y = blockIdx.x / across % down * B::y + in_block[1];
    const std::uint32_t z = blockIdx.x / across / down * B::z + in_block[2];
    const TilePosition p = {static_cast<std::int32_t>(z * grid.y + y), column};
    const std::uint32_t n = s.index_of(p.row, p.column);
    const bool exists = column < s.row_tiles && y < grid.y && z < grid.z;
    return {p,
            n,
            t * B::nodes,
            exists ? ids_of(s, n) : IdRange{0, 0},
            {in_block[0] + 1 < B::x && column + 1 < s.row_tiles, in_block[1] + 1 < B::y && y + 1 < grid.y,
             in_block[2] + 1 < B::z && z + 1 < grid.z}};
}

/// Unites a tile's components with those of the next tiles in the block.
template <int D, class Parents>
__device__ void unite_in_block(const DeviceSlab& s, const BlockTile& tile, const Parents& parents) {
    using B = TileBlock<D>;
    const std::uint32_t threads_to_next[3] = {1, B::x, B::x * B::y};
    for (int axis = 0; axis < D; ++axis) {
        if (!tile.inner[axis]) continue;
        const std::uint32_t next = tile.node + threads_to_next[axis] * B::nodes;
        for_each_pair<D>(
            s, tile.position, next_tile(s, tile.position, axis), axis,
            [&](std::uint32_t ours, std::uint32_t theirs) { unite(parents, tile.node + ours, next + theirs); });
    }
}

/// Writes the roots of a tile's components, as ids, and their random spins. `first_id` holds the first id of each tile
/// of the block.
template <int D, class Parents, class FirstIds>
__device__ void write_back(const DeviceSlab& s, const BlockTile& tile, const Parents& parents, FirstIds& first_id) {
    constexpr std::uint32_t nodes = TileBlock<D>::nodes;
    for (std::uint32_t c = 0; c < tile.ids.count; ++c) {
        const std::uint32_t root = halve_path(parents, tile.node + c), id = tile.ids.first + c;
        s.parent[id] = first_id[root / nodes] + root % nodes;
        std::uint32_t spin = 0;
        for (int bit = 0; bit < s.state_bits; ++bit)
            spin |= static_cast<std::uint32_t>(s.boundary_spins[bit][tile.index] >> c & 1) << bit;
        s.cluster_spin[id] = static_cast<std::uint8_t>(spin);
        if (s.sweep.observed) s.size[id] = 0;
    }
}

/// Adds the sizes of a tile's components at their roots.
template <int D>
__device__ void add_sizes(const DeviceSlab& s, const BlockTile& tile) {
    const ComponentPlanes<D> components(s, tile.index);
    for (std::uint32_t c = 0; c < tile.ids.count; ++c)
        add_atomically(&s.size[s.parent[tile.ids.first + c]],
                       static_cast<std::uint64_t>(__popcll(components.sites(c))));
}

/// Set-up, union and write-back of one block. The barriers separate them, because threads change the parents of others.
template <int D>
__global__ void __launch_bounds__(TileBlock<D>::tiles) unite_within_kernel(DeviceSlab s) {
    GPU_SHARED(std::uint32_t, first_id, TileBlock<D>::tiles);
    const auto memory = gpu_dynamic_shared<std::uint32_t>();
    const BlockParents<D, decltype(gpu_dynamic_shared<std::uint32_t>())> parents = {memory};
    if (too_many_ids(s)) return;
    const BlockTile tile = tile_of_thread<D>(s);
    first_id[threadIdx.x] = tile.ids.first;
    for (std::uint32_t c = 0; c < tile.ids.count; ++c) parents.set(tile.node + c);
    __syncthreads();
    if (tile.ids.count != 0) unite_in_block<D>(s, tile, parents);
    __syncthreads();
    write_back<D>(s, tile, parents, first_id);
    if (!s.sweep.observed) return;
    __syncthreads();
    if (tile.ids.count != 0) add_sizes<D>(s, tile);
}

/// Number of tiles of the slab along an axis, and of those of a block.
struct Extents {
    std::uint32_t slab, block;
};
template <int D>
STRATA_HOST_DEVICE Extents extents_along(const DeviceSlab& s, int axis) {
    using B = TileBlock<D>;
    const RowGrid grid = row_grid<D>(s);
    return axis == 0 ? Extents{s.row_tiles, B::x} : axis == 1 ? Extents{grid.y, B::y} : Extents{grid.z, B::z};
}

/// Number of tile boundaries between blocks along an axis and at the end of the slab.
template <int D>
STRATA_HOST_DEVICE std::uint64_t boundaries_along(const DeviceSlab& s, int axis) {
    const Extents tiles = extents_along<D>(s, axis);
    return std::uint64_t{(tiles.slab + tiles.block - 1) / tiles.block} * (s.tiles / tiles.slab);
}

/// One thread per tile boundary between blocks along x, then y, then z, and at the end of the slab.
template <int D>
__global__ void __launch_bounds__(group_tiles) unite_across_kernel(DeviceSlab s) {
    if (too_many_ids(s)) return;
    std::uint64_t f = blockIdx.x * std::uint64_t{group_tiles} + threadIdx.x;
    int axis = 0;
    for (; axis < D && f >= boundaries_along<D>(s, axis); ++axis) f -= boundaries_along<D>(s, axis);
    if (axis == D) return;
    const Extents tiles = extents_along<D>(s, axis);
    const std::uint32_t others = s.tiles / tiles.slab, cut = static_cast<std::uint32_t>(f) / others,
                        rest = static_cast<std::uint32_t>(f) % others;
    const std::uint32_t last = (cut + 1) * tiles.block < tiles.slab ? (cut + 1) * tiles.block - 1 : tiles.slab - 1;
    TilePosition here = {static_cast<std::int32_t>(rest), last};  // along x: one boundary per tile row and cut
    if (axis > 0) {
        const std::uint32_t line = rest / s.row_tiles, y = row_grid<D>(s).y;
        here = {static_cast<std::int32_t>(axis == 1 ? line * y + last : last * y + line), rest % s.row_tiles};
    }
    TilePosition there = next_tile(s, here, axis);
    if (there.row >= s.rows) {  // the boundary is the slab's border
        if (!s.whole) return;
        there.row -= s.rows;
    }
    const std::uint32_t first = ids_of(s, s.index_of(here.row, here.column)).first;
    const std::uint32_t next_first = ids_of(s, s.index_of(there.row, there.column)).first;
    const GlobalParents parents = {s.parent};
    for_each_pair<D>(s, here, there, axis, [&](std::uint32_t ours, std::uint32_t theirs) {
        unite(parents, first + ours, next_first + theirs);
    });
}

template <int D>
void unite_within(const Queue<Cuda>& queue, const DeviceSlab& s) {
    using B = TileBlock<D>;
    const RowGrid grid = row_grid<D>(s);
    const std::uint32_t blocks =
        (s.row_tiles + B::x - 1) / B::x * ((grid.y + B::y - 1) / B::y) * ((grid.z + B::z - 1) / B::z);
    gpu_launch(queue, {"unite_within_blocks", dim3(blocks), dim3(B::tiles), B::shared_bytes}, unite_within_kernel<D>,
               s);
}

template <int D>
void unite_across(const Queue<Cuda>& queue, const DeviceSlab& s) {
    std::uint64_t boundaries = 0;
    for (int axis = 0; axis < D; ++axis) boundaries += boundaries_along<D>(s, axis);
    gpu_launch(queue, {"unite_across_blocks", gpu_blocks(boundaries, group_tiles), group_tiles}, unite_across_kernel<D>,
               s);
}

/// Replaces every parent by the root. Sizes were added at the roots within blocks; the size of such a root is added to
/// the root of its cluster.
__global__ void __launch_bounds__(group_tiles) compress_paths_kernel(DeviceSlab s) {
    if (too_many_ids(s)) return;
    const GlobalParents parents = {s.parent};
    for (std::uint64_t id = blockIdx.x * std::uint64_t{group_tiles} + threadIdx.x; id < s.counts[id_count];
         id += std::uint64_t{gridDim.x} * group_tiles) {
        const auto i = static_cast<std::uint32_t>(id);
        const std::uint32_t root = root_of(parents, i);
        parents.store(i, root);
        if (!s.sweep.observed || root == i || s.size[i] == 0) continue;
        add_atomically(&s.size[root], s.size[i]);
        s.size[i] = 0;
    }
}

void unite_within_blocks(const Queue<Cuda>& queue, const DeviceSlab& s) {
    s.dimensions == 2 ? unite_within<2>(queue, s) : unite_within<3>(queue, s);
}

void unite_across_blocks(const Queue<Cuda>& queue, const DeviceSlab& s) {
    s.dimensions == 2 ? unite_across<2>(queue, s) : unite_across<3>(queue, s);
}

void compress_paths(const Queue<Cuda>& queue, const DeviceSlab& s) {
    constexpr std::uint64_t max_blocks = 8192;
    const std::uint64_t useful = (s.id_capacity + group_tiles - 1) / group_tiles;
    gpu_launch(queue,
               {"compress_paths", dim3(static_cast<unsigned>(useful < max_blocks ? useful : max_blocks)), group_tiles},
               compress_paths_kernel, s);
}

}  // namespace

void fill_unions(DeviceSweepKernels& table) {
    table.unite_within_blocks = unite_within_blocks;
    table.unite_across_blocks = unite_across_blocks;
    table.compress_paths = compress_paths;
}

}  // namespace strata::swendsen_wang::cuda
