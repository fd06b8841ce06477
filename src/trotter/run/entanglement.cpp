// SPDX-License-Identifier: BSD-3-Clause
// Batches of amplitudes, the tiles of the density matrix and its eigenvalues.
#include "trotter/run/entanglement.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "comm/collectives.hpp"
#include "kernels/instruction_sets.hpp"
#include "krylov/tridiagonal.hpp"
#include "strata/parallel.hpp"
#include "trotter/state/plan.hpp"

namespace strata::trotter {

Entanglement::Entanglement(const Communicator& comm, const TrotterPlan& plan, Timers& timers)
    : comm_(comm),
      plan_(plan),
      timers_(timers),
      kernels_(choose_kernels(pass_variants<double>(), plan.config().simd)),
      cut_(plan.cut()),
      state_comm_(comm.split(comm.rank() / plan.ranks_of_state())),
      tiles_(equal_part(DensityTiles::count(cut_.size()), static_cast<std::uint64_t>(state_comm_.size()),
                        static_cast<std::uint64_t>(state_comm_.rank()))) {}

void Entanglement::allocate() {
    places_ = cut_.places();
    chunk_ = Buffer<double>(std::size_t{2} << cut_.chunk_bits());
    panels_ = Buffer<double>(cut_.panel_doubles());
    sums_ = Buffer<double>(tiles_.size() * DensityTiles::tile_doubles);
    std::ranges::fill(panels_, 0.0);  // with a cut of one or two spins some lanes have no state and stay 0
}

template <class Real>
void Entanglement::scatter(std::uint64_t place) {
    const Real* from = reinterpret_cast<const Real*>(chunk_.data());
    const std::uint64_t low = places_.low.size();
    for_each_parallel({0, places_.high.size()}, [&](std::uint64_t h) {
        double* to = panels_.data() + place + places_.high[h];
        for (std::uint64_t i = 0; i < low; ++i) {
            to[places_.low[i]] = static_cast<double>(from[2 * (h * low + i)]);
            to[places_.low[i] + DensityTiles::side] = static_cast<double>(from[2 * (h * low + i) + 1]);
        }
    });
}

void Entanglement::load_batch(const DistributedArray& psi, std::uint64_t state, std::uint64_t batch) {
    const int bits = plan_.layout().spins,
              own_bits = bits - static_cast<int>(std::countr_zero(static_cast<unsigned>(state_comm_.size())));
    const std::uint64_t size = std::uint64_t{1} << cut_.chunk_bits(), row = psi.shape.row_elements;
    for (std::uint64_t chunk = 0; chunk < cut_.chunks(); ++chunk) {
        const std::uint64_t first = cut_.amplitude(batch, chunk), in_all = (state << bits) + first;
        const int owner = static_cast<int>(first >> own_bits);
        if (owner == state_comm_.rank())
            psi.read({{in_all / row, (in_all + size - 1) / row + 1}, {in_all % row, in_all % row + size}},
                     reinterpret_cast<std::byte*>(chunk_.data()));
        broadcast_bytes(state_comm_, chunk_.data(), size * element_bytes(psi.shape.type), owner);
        if (psi.shape.type == ElementType::c64)
            scatter<float>(cut_.place(chunk));
        else
            scatter<double>(cut_.place(chunk));
    }
}

/// Entropy of a state on its rank 0; 0 on its other ranks. The matrix is the transpose of rho, which has the same
/// eigenvalues.
double Entanglement::entropy_of_tiles() const {
    const std::vector<double> tiles = gather(state_comm_, std::span<const double>(sums_));
    if (!state_comm_.is_root()) return 0;
    constexpr std::uint64_t side = DensityTiles::side;
    const std::size_t n = std::size_t{1} << cut_.size();
    std::vector<std::complex<double>> rho(n * n);
    const double* tile = tiles.data();
    for (std::uint64_t p = 0; p < DensityTiles::panels(cut_.size()); ++p)
        for (std::uint64_t q = 0; q <= p; ++q, tile += DensityTiles::tile_doubles)
            for (std::uint64_t i = 0; i < side && p * side + i < n; ++i)
                for (std::uint64_t j = 0; j < side && q * side + j < n; ++j)
                    rho[(p * side + i) * n + q * side + j] = {tile[2 * i * side + j], tile[(2 * i + 1) * side + j]};
    double trace = 0, entropy = 0;
    const std::vector<double> values = krylov::hermitian_values(n, std::move(rho));
    for (const double value : values) trace += value;
    for (const double value : values)
        if (const double p = value / trace; p > 0) entropy -= p * std::log(p);
    return entropy;
}

std::vector<double> Entanglement::entropies(const DistributedArray& psi) {
    const Timers::Scope scope = timers_.scope("entropy");
    const std::uint64_t count = std::uint64_t{1} << cut_.block_bits();
    std::vector<double> own;
    for (std::uint64_t state = plan_.own_states().first; state < plan_.own_states().last; ++state) {
        std::ranges::fill(sums_, 0.0);
        for (std::uint64_t batch = 0; batch < cut_.batches(); ++batch) {
            load_batch(psi, state, batch);
            for (std::uint64_t block = 0; block < cut_.blocks(); ++block)
                kernels_.add_density(panels_.data() + block * cut_.block_doubles(), count, tiles_, sums_.data());
        }
        const double entropy = entropy_of_tiles();
        if (state_comm_.is_root()) own.push_back(entropy);
    }
    std::vector<double> all = gather(comm_, std::span<const double>(own));
    all.resize(plan_.states());
    broadcast_bytes(comm_, all.data(), all.size() * sizeof(double), 0);
    return all;
}

}  // namespace strata::trotter
