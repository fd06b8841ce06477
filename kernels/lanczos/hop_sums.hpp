// SPDX-License-Identifier: BSD-3-Clause
// Sums of hops for some vectors of reals that lie side by side, which up_sweep and down_sweep share. Real parts and
// imaginary parts of the amplitudes have sums of their own. Where not all of these sums fit in registers, the imaginary
// parts take a loop of their own: reading the reals twice costs less than sums in memory, which every hop would wait
// for.
#pragma once

#include "kernels/lanczos/component_table.hpp"
#include "kernels/lanes.hpp"

namespace strata::lanczos::STRATA_ISA {

using namespace strata::STRATA_ISA;

/// All lanes equal to x; a vector of zeros is subtracted, which leaves x as it is, because adding one would take an
/// instruction for the sign of zero.
template <class Real, int Bytes = 64>
[[gnu::always_inline]] inline Lanes<Real, Bytes> all_lanes(Real x) {
    if constexpr (Bytes > register_bytes) {
        const auto half = all_lanes<Real, Bytes / 2>(x);
        return {half, half};
    } else
        return x - Lanes<Real, Bytes>{};
}

/// sum += amplitude * reals. The address stays in one register, and the vectors are read by displacements from it.
template <class Real, int Count>
[[gnu::always_inline]] inline void add_hop(double amplitude, const Real* reals, Lanes<Real> (&sum)[Count]) {
    __asm__("" : "+r"(reals));
    const Lanes<Real> a = all_lanes<Real>(static_cast<Real>(amplitude));
    for (int i = 0; i < Count; ++i) sum[i] = fma(a, load(reals + i * lanes<Real>), sum[i]);
}

/// Sets `sum` to the sum over the entries of a row of real part of the amplitude * reals, and `imaginary` to that of
/// imaginary part * reals (zero if the vectors are real). `reals(column)` points to the reals of a column.
template <Arithmetic A, class Real, int Count, class Reals>
[[gnu::always_inline]] inline void sum_hops(const HoppingView& hops, std::uint64_t row, Reals reals,
                                            Lanes<Real> (&sum)[Count], Lanes<Real> (&imaginary)[Count]) {
    constexpr bool complex = A == Arithmetic::complex, together = 2 * Count * 64 / register_bytes <= 12;
    const std::uint32_t classes = hops.class_mask();
    const auto hop = [&](std::uint64_t e, const double* amplitude, Lanes<Real>(&to)[Count]) {
        const std::uint32_t entry = hops.entries[e];
        add_hop<Real>(amplitude[entry & classes], reals(entry >> hops.bits), to);
    };
    for (int i = 0; i < Count; ++i) sum[i] = imaginary[i] = Lanes<Real>{};
    const std::uint64_t end = hops.first[row + 1], first_complex = complex ? hops.complex[row] : end;
    const std::uint64_t real_end = together ? first_complex : end;
    for (std::uint64_t e = hops.first[row]; e < real_end; ++e) hop(e, hops.re, sum);
    if constexpr (complex)
        for (std::uint64_t e = first_complex; e < end; ++e) {
            if constexpr (together) hop(e, hops.re, sum);
            hop(e, hops.im, imaginary);
        }
}

}  // namespace strata::lanczos::STRATA_ISA
