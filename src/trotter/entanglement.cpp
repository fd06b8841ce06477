// SPDX-License-Identifier: BSD-3-Clause
// Batches of amplitudes, the tiles of the density matrix and its eigenvalues.
#include "trotter/entanglement.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "comm/collectives.hpp"
#include "kernels/instruction_sets.hpp"
#include "krylov/tridiagonal.hpp"
#include "strata/error.hpp"
#include "trotter/plan.hpp"
#include "trotter/text.hpp"

namespace strata::trotter {
namespace {

/// Amplitudes of a batch are 2^20, or more if that takes to fill a block of the kernel.
constexpr int wanted_batch_bits = 20;

/// Amplitudes of a chunk whose places come from one table.
constexpr std::uint64_t table_amplitudes = 1024;

/// Sum of what the set bits of `number` stand for; bits[j] belongs to bit j.
template <class Value>
std::uint64_t spread(std::uint64_t number, const std::vector<int>& bits, Value value) {
    std::uint64_t sum = 0;
    for (std::size_t j = 0; j < bits.size(); ++j)
        if ((number >> j & 1) != 0) sum += value(bits[j]);
    return sum;
}

std::uint64_t power(int bit) { return std::uint64_t{1} << bit; }

/// The spins that the text names.
std::vector<int> named_spins(const std::string& text, int spins) {
    const std::vector<Item> items = items_of("run.cut", text);
    const Item item = items.empty() ? Item{"run.cut", text, {}} : items[0];
    const std::string rule = "is no cut 'first 6' or list of spins such as 0,3,4.";
    std::vector<int> chosen;
    if (items.size() == 1 && item.words[0] == "first") {
        std::int64_t count = 0;
        if (item.words.size() != 2 || !parse_integer(item.words[1], count)) item.refuse(rule);
        if (count < 1 || count >= spins)
            item.refuse("must leave spins on both sides: 1 to " + std::to_string(spins - 1) + " of the " +
                        std::to_string(spins) + " spins.");
        for (int j = 0; j < count; ++j) chosen.push_back(j);
        return chosen;
    }
    std::vector<std::int64_t> listed;
    std::string error;
    if (items.size() != 1 || !parse_integers(text, listed, error) || listed.empty()) item.refuse(rule);
    for (const std::int64_t j : listed) {
        if (j < 0 || j >= spins)
            item.refuse("names spin " + std::to_string(j) + "; spins are numbered from 0 to " +
                        std::to_string(spins - 1) + ".");
        chosen.push_back(static_cast<int>(j));
    }
    std::ranges::sort(chosen);
    if (std::ranges::adjacent_find(chosen) != chosen.end()) item.refuse("names a spin twice.");
    if (static_cast<int>(chosen.size()) == spins) item.refuse("leaves no spin on the other side.");
    return chosen;
}

/// The bits below `bits` that are not in `chosen`.
std::vector<int> others(const std::vector<int>& chosen, int bits) {
    std::vector<int> rest;
    for (int j = 0; j < bits; ++j)
        if (!std::ranges::binary_search(chosen, j)) rest.push_back(j);
    return rest;
}

}  // namespace

std::vector<int> cut_spins(const std::string& text, int spins) {
    std::vector<int> chosen = named_spins(text, spins), rest = others(chosen, spins);
    if (rest.size() < chosen.size()) chosen.swap(rest);
    if (chosen.size() > max_cut_spins)
        throw Error(ExitCode::bad_input, "run.cut: '" + text + "' has " + std::to_string(chosen.size()) +
                                             " spins on its smaller side; at most " + std::to_string(max_cut_spins) +
                                             " are taken.");
    return chosen;
}

CutLayout::CutLayout(std::vector<int> cut, int bits, int own_bits)
    : cut_(std::move(cut)), rest_(others(cut_, bits)), stride_(static_cast<std::size_t>(bits)) {
    const int rest = static_cast<int>(rest_.size());
    block_bits_ = std::min(DensityTiles::block_bits, rest);
    batch_bits_ = std::min(std::max(wanted_batch_bits - size(), block_bits_), rest);
    for (int j = 0; j < size(); ++j)
        stride_[static_cast<std::size_t>(cut_[static_cast<std::size_t>(j)])] =
            j < DensityTiles::side_bits ? power(j)
                                        : DensityTiles::step_doubles << (block_bits_ + j - DensityTiles::side_bits);
    for (int j = 0; j < batch_bits_; ++j)
        stride_[static_cast<std::size_t>(rest_[static_cast<std::size_t>(j)])] =
            j < block_bits_ ? DensityTiles::step_doubles << j : block_doubles() << (j - block_bits_);
    while (chunk_bits_ < own_bits && stride_[static_cast<std::size_t>(chunk_bits_)] != 0) ++chunk_bits_;
    for (int bit = chunk_bits_; bit < bits; ++bit)
        (stride_[static_cast<std::size_t>(bit)] != 0 ? high_ : fixed_).push_back(bit);
}

std::uint64_t CutLayout::block_doubles() const {
    return DensityTiles::panels(size()) * DensityTiles::step_doubles << block_bits_;
}

std::uint64_t CutLayout::amplitude(std::uint64_t batch, std::uint64_t chunk) const {
    return spread(batch, fixed_, power) + spread(chunk, high_, power);
}

std::uint64_t CutLayout::place(std::uint64_t chunk) const {
    return spread(chunk, high_, [&](int bit) { return stride_[static_cast<std::size_t>(bit)]; });
}

CutLayout::Places CutLayout::places() const {
    std::vector<int> bits;
    for (int bit = 0; bit < chunk_bits_; ++bit) bits.push_back(bit);
    const auto of = [&](std::uint64_t i) {
        return spread(i, bits, [&](int bit) { return stride_[static_cast<std::size_t>(bit)]; });
    };
    Places places;
    const std::uint64_t all = power(chunk_bits_), low = std::min(all, table_amplitudes);
    for (std::uint64_t i = 0; i < low; ++i) places.low.push_back(of(i));
    for (std::uint64_t i = 0; i < all; i += low) places.high.push_back(of(i));
    return places;
}

std::uint64_t CutLayout::bytes(int ranks) const {
    const std::uint64_t tiles = DensityTiles::count(size()), tile = DensityTiles::tile_doubles * 8, n = power(size());
    const std::uint64_t own = (tiles + static_cast<std::uint64_t>(ranks) - 1) / static_cast<std::uint64_t>(ranks);
    return (16 << chunk_bits_) + 8 * panel_doubles() + (own + tiles) * tile + 16 * n * (n + 64);
}

/// Four fused pairs per pair of amplitudes in half of the matrix; reduction to tridiagonal form.
double CutLayout::operations() const {
    const double states = std::exp2(size()), others = std::exp2(static_cast<double>(rest_.size()));
    return 4 * states * states * others + 16.0 / 3 * states * states * states;
}

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
    std::ranges::fill(panels_, 0.0);  // lanes of a cut of one or two spins stay 0
}

template <class Real>
void Entanglement::scatter(std::uint64_t place) {
    const Real* from = reinterpret_cast<const Real*>(chunk_.data());
    const std::uint64_t low = places_.low.size();
#pragma omp parallel for schedule(static)
    for (std::uint64_t h = 0; h < places_.high.size(); ++h) {
        double* to = panels_.data() + place + places_.high[h];
        for (std::uint64_t i = 0; i < low; ++i) {
            to[places_.low[i]] = static_cast<double>(from[2 * (h * low + i)]);
            to[places_.low[i] + DensityTiles::side] = static_cast<double>(from[2 * (h * low + i) + 1]);
        }
    }
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

/// On rank 0 of a state; 0 elsewhere. The matrix is the transpose of rho, whose eigenvalues are the same.
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
