// SPDX-License-Identifier: BSD-3-Clause
// Windows of light-cone passes and the tables of their diagonals.
#include "kernels/trotter/light_cone.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <type_traits>

#include "kernels/trotter/basis_states.hpp"

namespace strata::trotter {
namespace {

using Complex = std::complex<double>;

std::vector<int> join(std::initializer_list<std::vector<int>> sets) {
    std::vector<int> all;
    for (const std::vector<int>& set : sets) all.insert(all.end(), set.begin(), set.end());
    return all;
}

/// Distributes the highest of the spins first ... last - 1 alternately over `top` and `mid`, from the last one down, but none
/// below `lowest_turn`: as many as leave `low` the four bits that one loop transforms, and no more than fit. `low` gets the
/// other spins, `more_low` and, last, `shared`.
void distribute(Window& window, int first, int last, int lowest_turn, std::vector<int> more_low, int shared) {
    constexpr int low_bits = 4, most = Window::max_mid_bits + Window::max_top_bits;
    const int left_to_low = std::max(low_bits - static_cast<int>(more_low.size()) - 1, 0),
              turns = std::max({std::min(first + left_to_low, last - 2), lowest_turn, last - most});
    for (int j = first; j < turns; ++j) window.low.push_back(j);
    for (int j = turns; j < last; ++j) ((last - 1 - j) % 2 == 0 ? window.top : window.mid).push_back(j);
    window.low.insert(window.low.end(), more_low.begin(), more_low.end());
    window.low.push_back(shared);
}

/// cos and tan of f. A rotation is stored as cosine times (1, tangent), which fails for a cosine of 0: in single
/// precision the cosine is kept away from 0 by less than the precision, but far enough that products of four do not
/// underflow.
template <class Real>
struct Rotation {
    double cosine, tangent;
    explicit Rotation(double f) : cosine(std::cos(f)) {
        if constexpr (std::is_same_v<Real, float>)
            if (std::abs(cosine) < 1e-8) cosine = std::copysign(1e-8, cosine);
        tangent = std::sin(f) / cosine;
    }
};

/// Angle f of spin j where the spins `others` are in state x.
double half_angle(const Diagonal& d, int j, const std::vector<int>& others, std::uint64_t x) {
    double angle = d.field[static_cast<std::size_t>(j)];
    for (std::size_t k = 0; k < others.size(); ++k) angle += d.angle(j, others[k]) * spin(x, k);
    return angle / 2;
}

/// Product of the cosines of a set of spins where the spins `others` are in state x; `tangent` returns their tangents,
/// [spin of the set].
template <class Real>
double rotations(const Diagonal& d, const std::vector<int>& set, const std::vector<int>& others, std::uint64_t x,
                 Real* tangent) {
    double product = 1;
    for (std::size_t j = 0; j < set.size(); ++j) {
        const Rotation<Real> rotation(half_angle(d, set[j], others, x));
        product *= rotation.cosine;
        tangent[j] = static_cast<Real>(rotation.tangent);
    }
    return product;
}

template <class Real>
void store(Real* to, std::uint64_t distance, Complex z) {
    to[0] = static_cast<Real>(z.real());
    to[distance] = static_cast<Real>(z.imag());
}

std::vector<int> lane_spins(const Window& window) {
    std::vector<int> spins;
    for (int j = 0; j < window.lane_bits; ++j) spins.push_back(j);
    return spins;
}

/// Bytes of the scratch arrays for the energies of `bits` bits, and for fields of half of their states.
std::uint64_t scratch_bytes(std::size_t bits) { return (states(bits) + states(bits) / 2 + 1) * sizeof(double); }

std::size_t full_scratch_bits(const Window& window) {
    return std::max(static_cast<std::size_t>(window.lane_bits) + window.low.size(), window.outer.size());
}

}  // namespace

std::vector<int> Window::lanes() const {
    std::vector<int> spins;
    for (int j = 0; j < (within_row ? lane_bits : 1); ++j) spins.push_back(j);
    return spins;
}

/// Each set of block bits must have a spin, and `low` at most Window::max_low_bits.
bool has_windows(const StateLayout& layout) {
    const int turns = Window::max_mid_bits + Window::max_top_bits;
    return layout.row_bits >= layout.lane_bits + 4 && layout.spins >= layout.row_bits + 3 &&
           layout.row_bits - layout.lane_bits <= turns + Window::max_low_bits &&
           layout.spins - layout.row_bits + 1 <= turns + Window::max_low_bits;
}

bool served_by_windows(const StateLayout& layout, const std::vector<double>& coupling) {
    if (!has_windows(layout)) return false;
    for (int k = 1; k < layout.spins; ++k)
        for (int j = 0; j < k; ++j) {
            const bool neighbours = k == j + 1 || (j == 0 && k == layout.spins - 1);
            if (!neighbours && coupling[pair_index(j, k)] != 0) return false;
        }
    return true;
}

/// The lowest block bit is in `low`, so that spins of `top` and `mid` have no neighbours among the lanes.
Window row_window(const StateLayout& layout) {
    Window window{true, layout.lane_bits, {}, {}, {}, {}};
    distribute(window, layout.lane_bits, layout.row_bits - 1, layout.lane_bits + 1, {}, layout.row_bits - 1);
    for (int j = layout.row_bits; j < layout.spins; ++j) window.outer.push_back(j);
    return window;
}

/// The spin N-1 is in `low`, since it is a neighbour of lane bit 0.
Window column_window(const StateLayout& layout) {
    Window window{false, layout.lane_bits, {}, {}, {}, {}};
    distribute(window, layout.row_bits, layout.spins - 1, layout.row_bits, {layout.spins - 1}, layout.row_bits - 1);
    for (int j = layout.lane_bits; j < layout.row_bits - 1; ++j) window.outer.push_back(j);
    return window;
}

std::vector<std::uint64_t> bit_offsets(const Window& window, const StateLayout& layout, int slab_bits,
                                       std::uint64_t slab_reals) {
    std::vector<std::uint64_t> offsets;
    for (int j : join({window.low, window.mid, window.top})) {
        const int row_bit = j - layout.row_bits;
        offsets.push_back(row_bit < 0           ? layout.block_offset(std::uint64_t{1} << (j - layout.lane_bits))
                          : row_bit < slab_bits ? layout.row_offset(std::uint64_t{1} << row_bit)
                                                : slab_reals << (row_bit - slab_bits));
    }
    return offsets;
}

std::vector<std::uint64_t> bit_offsets(const Window& column_window, const StateLayout& layout, std::uint64_t row_reals,
                                       std::uint64_t half_reals) {
    std::vector<std::uint64_t> offsets;
    for (int j : join({column_window.low, column_window.mid, column_window.top}))
        offsets.push_back(j < layout.row_bits ? half_reals : row_reals << (j - layout.row_bits));
    return offsets;
}

int unnormalised_transforms(const Window& window, bool before, bool after) {
    const auto top = static_cast<int>(window.top.size()), mid = static_cast<int>(window.mid.size());
    const int side = window.spins() - 2 - top + window.spins() - top - mid;
    return ((before ? side : mid) + (after ? side : mid)) / 2;
}

template <class Real>
PartialTables<Real>::PartialTables(const Window& window)
    : window_(window),
      spins_(join({window.lanes(), window.low, window.mid, window.top})),
      k_(join({window.low, window.mid})),
      lanes_k_(join({lane_spins(window), k_})),
      part_(window.all_spins()),
      factor_(states(k_) * 2 << window.lane_bits),
      tangent_(states(k_) * window.top.size()),
      energy_(states(lanes_k_)),
      field_(states(lanes_k_) / 2 + 1) {}

template <class Real>
void PartialTables<Real>::set(const Diagonal& diagonal) {
    set_part(diagonal);
    energies(part_, lanes_k_, energy_.data(), field_.data());
    const std::uint64_t width = states(static_cast<std::size_t>(window_.lane_bits));
    for (std::uint64_t k = 0; k < states(k_); ++k) {
        const double cosines = rotations(part_, window_.top, k_, k, tangent_.data() + k * window_.top.size());
        for (std::uint64_t lane = 0; lane < width; ++lane)
            store(factor_.data() + 2 * k * width + lane, width, cosines * std::polar(1.0, -energy_[k * width + lane]));
    }
}

/// Copies the terms of a diagonal that belong to the window (comment at the top of light_cone.hpp) to part_.
template <class Real>
void PartialTables<Real>::set_part(const Diagonal& d) {
    std::ranges::fill(part_.field, 0.0);
    std::ranges::fill(part_.coupling, 0.0);
    for (int j : spins_) {
        const bool shared = j == 0 || j == window_.low.back();
        if (!window_.within_row || !shared)
            part_.field[static_cast<std::size_t>(j)] = d.field[static_cast<std::size_t>(j)];
        for (int k : spins_)
            if (j < k) part_.coupling[pair_index(j, k)] = d.coupling[pair_index(j, k)];
    }
}

template <class Real>
std::uint64_t PartialTables<Real>::bytes(const Window& window) {
    const std::size_t k = window.mid.size() + window.low.size();
    return states(k) * ((2 << window.lane_bits) + window.top.size()) * sizeof(Real) +
           scratch_bytes(k + static_cast<std::size_t>(window.lane_bits));
}

template <class Real>
FullTables<Real>::FullTables(const Window& window)
    : window_(window),
      inner_(join({lane_spins(window), window.low})),
      low_top_(join({window.low, window.top})),
      lanes_(states(window.low) * 2 << window.lane_bits),
      scalar_(states(low_top_) * 2),
      tangent_(states(low_top_) * window.mid.size()),
      flip_(states(window.outer) * inner_.size() * 2),
      outer_(states(window.outer) * 2),
      energy_(states(full_scratch_bits(window))),
      field_(states(full_scratch_bits(window)) / 2 + 1) {}

template <class Real>
void FullTables<Real>::set(const Diagonal& diagonal, Complex scale) {
    set_inner(diagonal);
    set_outer(diagonal, scale);
}

template <class Real>
void FullTables<Real>::set_inner(const Diagonal& d) {
    const std::uint64_t width = states(static_cast<std::size_t>(window_.lane_bits)), lows = states(window_.low);
    energies(d, inner_, energy_.data(), field_.data());
    for (std::uint64_t x = 0; x < states(inner_); ++x)
        store(lanes_.data() + 2 * (x - x % width) + x % width, width, std::polar(1.0, -energy_[x]));
    for (std::uint64_t y = 0; y < states(low_top_); ++y) {
        double energy = 0;
        for (std::size_t j = 0; j < window_.top.size(); ++j)
            energy += 2 * half_angle(d, window_.top[j], window_.low, y) * spin(y / lows, j);
        const double cosines = rotations(d, window_.mid, low_top_, y, tangent_.data() + y * window_.mid.size());
        store(scalar_.data() + 2 * y, 1, cosines * std::polar(1.0, -energy));
    }
}

template <class Real>
void FullTables<Real>::set_outer(const Diagonal& d, Complex scale) {
    energies(d, window_.outer, energy_.data(), field_.data());
    for (std::size_t j = 0; j < inner_.size(); ++j)
        for (std::uint64_t o = 0; o < states(window_.outer); ++o) {
            double field = 0;
            for (std::size_t k = 0; k < window_.outer.size(); ++k)
                field += d.angle(inner_[j], window_.outer[k]) * spin(o, k);
            store(flip_.data() + 2 * (o * inner_.size() + j), 1, std::polar(1.0, field));
            energy_[o] += field / 2;
        }
    for (std::uint64_t o = 0; o < states(window_.outer); ++o)
        store(outer_.data() + 2 * o, 1, scale * std::polar(1.0, -energy_[o]));
}

template <class Real>
std::uint64_t FullTables<Real>::bytes(const Window& window) {
    const std::uint64_t low_top = states(window.top.size() + window.low.size());
    return ((states(window.low.size()) * 2 << window.lane_bits) + low_top * (2 + window.mid.size())) * sizeof(Real) +
           states(window.outer.size()) * 16 * (static_cast<std::uint64_t>(window.lane_bits) + window.low.size() + 1) +
           scratch_bytes(full_scratch_bits(window));
}

template class PartialTables<double>;
template class PartialTables<float>;
template class FullTables<double>;
template class FullTables<float>;

}  // namespace strata::trotter
