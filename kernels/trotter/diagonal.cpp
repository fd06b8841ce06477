// SPDX-License-Identifier: BSD-3-Clause
// The tables are computed by doubling: the energies of a set of bits follow from those without its highest bit. Sines
// and cosines take most of the time and are distributed over threads.
#include "kernels/trotter/diagonal.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/trotter/basis_states.hpp"

namespace strata::trotter {
namespace {

using Complex = std::complex<double>;

/// Number of sines and cosines from which on several threads are used.
constexpr std::uint64_t parallel_states = 4096;

/// Doubles of a scratch array: energies of the bits below u, of u or of the outer bits, or fields on all bits of u.
std::uint64_t scratch(const TileBits& bits) {
    const auto top = static_cast<std::uint64_t>(bits.top);
    return std::max({states(bits.lanes + bits.low()), states(bits.top), states(bits.outer),
                     top * states(bits.lanes + bits.q()), top * states(bits.m())});
}

/// Sets field[x * stride] to `own` plus the couplings of `bit` to the first `count` bits of `others` in state x.
void fields(const Diagonal& d, int bit, double own, const std::vector<int>& others, std::size_t count, double* field,
            std::uint64_t stride = 1) {
    field[0] = own;
    for (std::size_t j = 0; j < count; ++j) field[0] += d.angle(bit, others[j]) / 2;
    for (std::size_t j = 0; j < count; ++j) {
        const std::uint64_t half = std::uint64_t{1} << j;
        for (std::uint64_t x = 0; x < half; ++x)
            field[(x + half) * stride] = field[x * stride] - d.angle(bit, others[j]);
    }
}

void store(double* to, Complex z) {
    to[0] = z.real();
    to[1] = z.imag();
}

/// Writes exp(-i angle) to element `lane` of complex vector `vector`.
template <class Real>
void store(Buffer<Real>& to, std::uint64_t vector, int lanes, std::uint64_t lane, double angle) {
    to[(vector * 2 << lanes) + lane] = static_cast<Real>(std::cos(angle));
    to[((vector * 2 + 1) << lanes) + lane] = static_cast<Real>(-std::sin(angle));
}

}  // namespace

void energies(const Diagonal& d, const std::vector<int>& bits, double* energy, double* field) {
    energy[0] = 0;
    for (std::size_t j = 0; j < bits.size(); ++j) {
        fields(d, bits[j], d.field[static_cast<std::size_t>(bits[j])], bits, j, field);
        const std::uint64_t half = std::uint64_t{1} << j;
        for (std::uint64_t x = 0; x < half; ++x) {
            energy[x + half] = energy[x] - field[x] / 2;
            energy[x] += field[x] / 2;
        }
    }
}

std::vector<double> energies(const Diagonal& d, const std::vector<int>& bits) {
    std::vector<double> energy(states(bits)), field(energy.size() / 2 + 1);
    energies(d, bits, energy.data(), field.data());
    return energy;
}

template <class Real>
DiagonalTables<Real>::DiagonalTables(const TileBits& bits)
    : bits_(bits),
      p_(states(bits.low()) * 2 << bits.lanes),
      v_(states(bits.top + bits.q()) * 2 << bits.lanes),
      c_(states(bits.top + bits.m()) * 2),
      flip_(states(bits.outer) * static_cast<std::uint64_t>(bits.inner()) * 2),
      outer_(states(bits.outer) * 2),
      energy_(scratch(bits)),
      field_(scratch(bits)) {
    for (int j = 0; j < bits.lanes; ++j) lanes_q_.push_back(j);
    const auto at = [&](int i) { return bits.block.begin() + i; };
    lanes_q_.insert(lanes_q_.end(), at(0), at(bits.q()));
    m_.assign(at(bits.q()), at(bits.low()));
    u_.assign(at(bits.low()), bits.block.end());
    lanes_k_ = lanes_q_;
    lanes_k_.insert(lanes_k_.end(), m_.begin(), m_.end());
}

template <class Real>
void DiagonalTables<Real>::set(const Diagonal& diagonal, Complex scale) {
    set_inner(diagonal);
    set_top(diagonal);
    set_outer(diagonal, scale);
}

template <class Real>
void DiagonalTables<Real>::set_inner(const Diagonal& d) {
    const std::uint64_t lane_mask = states(bits_.lanes) - 1;
    energies(d, lanes_k_, energy_.data(), field_.data());
#pragma omp parallel for schedule(static) if (states(lanes_k_) >= parallel_states)
    for (std::uint64_t x = 0; x < states(lanes_k_); ++x)
        store(p_, x >> bits_.lanes, bits_.lanes, x & lane_mask, energy_[x]);
}

/// Tables V (couplings of u with lanes and q) and C (terms of u, couplings of u with m).
template <class Real>
void DiagonalTables<Real>::set_top(const Diagonal& d) {
    const std::uint64_t lane_mask = states(bits_.lanes) - 1;
    const auto coupled = [&](const std::vector<int>& others, auto put) {
        double* field = field_.data();  // [bit of u][state of the others]
        for (std::size_t j = 0; j < u_.size(); ++j)
            fields(d, u_[j], 0, others, others.size(), field + j * states(others));
        for (std::uint64_t y = 0; y < states(u_); ++y)
            for (std::uint64_t x = 0; x < states(others); ++x) {
                double energy = 0;
                for (std::size_t j = 0; j < u_.size(); ++j) energy += field[j * states(others) + x] * spin(y, j);
                put(y, x, energy);
            }
    };
    coupled(lanes_q_, [&](std::uint64_t y, std::uint64_t x, double energy) {
        store(v_, (y << bits_.q()) + (x >> bits_.lanes), bits_.lanes, x & lane_mask, energy);
    });
    energies(d, u_, energy_.data(), field_.data());
    coupled(m_, [&](std::uint64_t y, std::uint64_t x, double energy) {
        store(c_.data() + 2 * ((y << bits_.m()) + x), std::polar(1.0, -energy - energy_[y]));
    });
}

/// flip_ first holds the fields of the outer bits on the inner ones, in the first real of each factor, and then the
/// factors.
template <class Real>
void DiagonalTables<Real>::set_outer(const Diagonal& d, Complex scale) {
    const auto inner = static_cast<std::uint64_t>(bits_.inner());
    const std::uint64_t low = lanes_k_.size(), outer = states(bits_.outer);
    for (std::uint64_t j = 0; j < inner; ++j)
        fields(d, j < low ? lanes_k_[j] : u_[j - low], 0, bits_.outer, bits_.outer.size(), flip_.data() + 2 * j,
               2 * inner);
    energies(d, bits_.outer, energy_.data(), field_.data());
#pragma omp parallel for schedule(static) if (outer * inner >= parallel_states)
    for (std::uint64_t o = 0; o < outer; ++o) {
        double energy = energy_[o];
        for (std::uint64_t i = o * inner; i < (o + 1) * inner; ++i) {
            energy += flip_[2 * i] / 2;
            store(flip_.data() + 2 * i, std::polar(1.0, flip_[2 * i]));
        }
        store(outer_.data() + 2 * o, scale * std::polar(1.0, -energy));
    }
}

template <class Real>
DiagonalView<Real> DiagonalTables<Real>::view() const {
    return {bits_.lanes, bits_.low(), bits_.q(), bits_.m(),    bits_.top,
            p_.data(),   v_.data(),   c_.data(), flip_.data(), outer_.data()};
}

template <class Real>
std::uint64_t DiagonalTables<Real>::bytes(const TileBits& bits) {
    const std::uint64_t vector = (std::uint64_t{2} << bits.lanes) * sizeof(Real);
    return (states(bits.low()) + states(bits.top + bits.q())) * vector + states(bits.top + bits.m()) * 16 +
           states(bits.outer) * 16 * (static_cast<std::uint64_t>(bits.inner()) + 1) + 16 * scratch(bits);
}

template class DiagonalTables<double>;
template class DiagonalTables<float>;

}  // namespace strata::trotter
