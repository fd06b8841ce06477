// SPDX-License-Identifier: BSD-3-Clause
// Vectors of tiles. The sweep uses the few operations below and is compiled for several instruction sets (namespace
// STRATA_ISA); every variant gives the same bits.
//   Words        vector of the 64-bit words of `lanes` tiles
//   RowMask      mask of the sites in one row of as many tiles as fit in a register that may take a neighbour's label
//   LabelRow     byte labels of the sites in one row of these tiles
#pragma once

#include <cstdint>
#include <cstring>

#ifndef STRATA_ISA
#define STRATA_ISA portable
#endif

#if defined(__AVX512VBMI2__) && defined(__AVX512VPOPCNTDQ__) && defined(__BMI2__)
#include "kernels/swendsen_wang/simd_avx512.hpp"
#else
#include "kernels/swendsen_wang/simd_portable.hpp"
#include "kernels/swendsen_wang/simd_portable_labels.hpp"
#endif

namespace strata::swendsen_wang::STRATA_ISA {

inline Words load(const std::uint64_t* p) {
    Words w;
    std::memcpy(&w, p, sizeof w);
    return w;
}
inline void store(std::uint64_t* p, Words w) { std::memcpy(p, &w, sizeof w); }
inline Words set(std::uint64_t x) { return Words{} + x; }
/// Vector {0, step, 2 step, ...}.
inline Words ramp(std::uint64_t step) {
    Words w;
    for (int i = 0; i < lanes; ++i) w[i] = step * static_cast<std::uint64_t>(i);
    return w;
}

}  // namespace strata::swendsen_wang::STRATA_ISA
