// SPDX-License-Identifier: BSD-3-Clause
// Panels hold the amplitudes of a batch, [state of the cut][state of the rest], in the order of the density kernel.
#include "trotter/state/cut_layout.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/trotter/density_tiles.hpp"
#include "models/cut.hpp"
#include "strata/error.hpp"

namespace strata::trotter {
namespace {

/// log2 of the amplitudes of a batch, which has more of them where a block of the kernel is not filled otherwise.
constexpr int target_batch_bits = 20;

/// Size of the table of low offsets (CutLayout::Places).
constexpr std::uint64_t table_amplitudes = 1024;

/// Sum of value(bits[j]) over the set bits j of `number`.
template <class Value>
std::uint64_t spread(std::uint64_t number, const std::vector<int>& bits, Value value) {
    std::uint64_t sum = 0;
    for (std::size_t j = 0; j < bits.size(); ++j)
        if ((number >> j & 1) != 0) sum += value(bits[j]);
    return sum;
}

std::uint64_t power(int bit) { return std::uint64_t{1} << bit; }

}  // namespace

std::vector<int> cut_spins(const std::string& text, int spins) {
    const std::vector<int> chosen = smaller_side(text, spins, "spin");
    if (chosen.size() > max_cut_spins)
        throw Error(ExitCode::bad_input, "run.cut: '" + text + "' has " + std::to_string(chosen.size()) +
                                             " spins on its smaller side; at most " + std::to_string(max_cut_spins) +
                                             " are taken.");
    return chosen;
}

CutLayout::CutLayout(std::vector<int> cut, int bits, int own_bits)
    : cut_(std::move(cut)), rest_(other_side(cut_, bits)), stride_(static_cast<std::size_t>(bits)) {
    const int rest = static_cast<int>(rest_.size());
    block_bits_ = std::min(DensityTiles::block_bits, rest);
    batch_bits_ = std::min(std::max(target_batch_bits - size(), block_bits_), rest);
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

/// Complex multiply-adds (8 operations each) for half of the density matrix, and its reduction to tridiagonal form.
double CutLayout::operations() const {
    const double states = std::exp2(size()), others = std::exp2(static_cast<double>(rest_.size()));
    return 4 * states * states * others + 16.0 / 3 * states * states * states;
}

}  // namespace strata::trotter
