// SPDX-License-Identifier: BSD-3-Clause
// The tables are made by doubling: the energy of a set of bits follows from the one without its highest bit.
#include "kernels/trotter/diagonal.hpp"

#include <cmath>

#include "kernels/trotter/basis_states.hpp"

namespace strata::trotter {
namespace {

using Complex = std::complex<double>;

/// Fields on `bit` by couplings to every state of `others`.
std::vector<double> fields(const Diagonal& d, int bit, const std::vector<int>& others) {
    std::vector<double> field(states(others.size()));
    for (int other : others) field[0] += d.angle(bit, other) / 2;
    for (std::size_t j = 0; j < others.size(); ++j)
        for (std::uint64_t x = 0; x < states(j); ++x) field[x + states(j)] = field[x] - d.angle(bit, others[j]);
    return field;
}

void store(double* to, Complex z) {
    to[0] = z.real();
    to[1] = z.imag();
}

/// Element `lane` of complex vector `vector`.
template <class Real>
void store(Buffer<Real>& to, std::uint64_t vector, int lanes, std::uint64_t lane, double angle) {
    to[(vector * 2 << lanes) + lane] = static_cast<Real>(std::cos(angle));
    to[((vector * 2 + 1) << lanes) + lane] = static_cast<Real>(-std::sin(angle));
}

}  // namespace

std::vector<double> energies(const Diagonal& d, const std::vector<int>& bits) {
    std::vector<double> energy(states(bits.size()));
    for (std::uint64_t x = 0; x < energy.size(); ++x)
        for (std::size_t j = 0; j < bits.size(); ++j) {
            double field = d.field[static_cast<std::size_t>(bits[j])];
            for (std::size_t k = 0; k < j; ++k) field += d.angle(bits[j], bits[k]) * spin(x, k);
            energy[x] += field * spin(x, j);
        }
    return energy;
}

template <class Real>
DiagonalTables<Real>::DiagonalTables(const Diagonal& d, const TileBits& bits, Complex scale)
    : bits_(bits),
      p_(states(bits.low()) * 2 << bits.lanes),
      v_(states(bits.top + bits.q()) * 2 << bits.lanes),
      c_(states(bits.top + bits.m()) * 2),
      flip_(states(bits.outer.size()) * static_cast<std::uint64_t>(bits.inner()) * 2),
      outer_(states(bits.outer.size()) * 2) {
    std::vector<int> lanes_q;
    for (int j = 0; j < bits.lanes; ++j) lanes_q.push_back(j);
    const auto at = [&](int i) { return bits.block.begin() + i; };
    const std::vector<int> m(at(bits.q()), at(bits.low())), u(at(bits.low()), bits.block.end());
    lanes_q.insert(lanes_q.end(), at(0), at(bits.q()));
    std::vector<int> lanes_k = lanes_q;
    lanes_k.insert(lanes_k.end(), m.begin(), m.end());
    const std::uint64_t lane_mask = states(bits.lanes) - 1;

    const std::vector<double> low = energies(d, lanes_k), top = energies(d, u);
    for (std::uint64_t x = 0; x < low.size(); ++x) store(p_, x >> bits.lanes, bits.lanes, x & lane_mask, low[x]);

    const auto coupled = [&](const std::vector<int>& others, auto put) {
        std::vector<std::vector<double>> on_u;
        for (int bit : u) on_u.push_back(fields(d, bit, others));
        for (std::uint64_t y = 0; y < states(u.size()); ++y)
            for (std::uint64_t x = 0; x < states(others.size()); ++x) {
                double energy = 0;
                for (std::size_t j = 0; j < u.size(); ++j) energy += on_u[j][x] * spin(y, j);
                put(y, x, energy);
            }
    };
    coupled(lanes_q, [&](std::uint64_t y, std::uint64_t x, double energy) {
        store(v_, (y << bits.q()) + (x >> bits.lanes), bits.lanes, x & lane_mask, energy);
    });
    coupled(m, [&](std::uint64_t y, std::uint64_t x, double energy) {
        store(c_.data() + 2 * ((y << bits.m()) + x), std::polar(1.0, -energy - top[y]));
    });

    std::vector<double> energy = energies(d, bits.outer);
    const auto inner = static_cast<std::uint64_t>(bits.inner());
    std::vector<int> all = lanes_k;
    all.insert(all.end(), u.begin(), u.end());
    for (std::uint64_t j = 0; j < inner; ++j) {
        const std::vector<double> field = fields(d, all[j], bits.outer);
        for (std::uint64_t o = 0; o < field.size(); ++o) {
            store(flip_.data() + 2 * (o * inner + j), std::polar(1.0, field[o]));
            energy[o] += field[o] / 2;
        }
    }
    for (std::uint64_t o = 0; o < energy.size(); ++o) store(outer_.data() + 2 * o, scale * std::polar(1.0, -energy[o]));
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
           states(bits.outer.size()) * 16 * (static_cast<std::uint64_t>(bits.inner()) + 1);
}

template class DiagonalTables<double>;
template class DiagonalTables<float>;

}  // namespace strata::trotter
