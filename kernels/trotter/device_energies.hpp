// SPDX-License-Identifier: BSD-3-Clause
// Sums of two states on a device, as on the host (energies.hpp, flip_products.hpp). Bytes per amplitude (double): 48,
// or 32 where c = 0.
#pragma once

#include "kernels/trotter/device_pass.hpp"
#include "kernels/trotter/energies.hpp"

namespace strata::trotter {

/// All kernels are queued and return at once; all pointers, those of `energies` too, are to device memory.
template <class Real>
struct DeviceSumKernels {
    /// to <- (a E + b) from + c to on some rows of a state; the pointers are to the first of them.
    void (*add_energies)(const Queue<Cuda>&, const EnergyView& energies, Range rows, const EnergySum&,
                         const Amplitude<Real>* from, Amplitude<Real>* to);
    /// Adds a times products of some groups to an array of `amplitudes` amplitudes, a power of two, of which the first
    /// one is that of state `first`; `from` is as long and has the bits flipped that F has above these.
    void (*add_products)(const Queue<Cuda>&, const FlipProductsView& products, Range groups, std::uint64_t first,
                         std::uint64_t amplitudes, double a, const Amplitude<Real>* from, Amplitude<Real>* to);
    /// to <- z from + c to.
    void (*combine)(const Queue<Cuda>&, std::uint64_t amplitudes, Amplitude<Real> z, Real c,
                    const Amplitude<Real>* from, Amplitude<Real>* to);
};

template <class Real>
const DeviceSumKernels<Real>& device_sum_kernels();

}  // namespace strata::trotter
