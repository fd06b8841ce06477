// SPDX-License-Identifier: BSD-3-Clause
// Pairs of ids at the active bonds across one boundary of a tile, without a branch per bond where the processor can
// move bytes to the front. The sites on a boundary, by bit of the tile's word (their position along the other axes is
// the order of the pairs); `shift` is the first one:
//   2D, x: shift + {0, 8, 16, .. 56}           3D, x: shift + {0, 4, 8, .. 60}
//   2D, y: shift + {0, 1, 2, .. 7}             3D, y: shift + {0, 1, 2, 3, 16, .. 19, 32, .. 35, 48, .. 51}
//                                              3D, z: shift + {0, 1, 2, .. 15}
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/swendsen_wang/simd.hpp"
#include "kernels/swendsen_wang/tile_lattice.hpp"

namespace strata::swendsen_wang::STRATA_ISA {

/// The components of one tile.
struct TileComponents {
    const std::uint8_t* component;  ///< component of each of the 64 sites of the tile
    std::uint32_t first_id;         ///< id of component 0
};

/// Appends the pairs of ids at the set bits of `bonds`, the bonds from sites of tile `a` across its boundary along `Axis`
/// to tile `b`, to ids_a[] and ids_b[]; returns their number. The first site of `a` on the boundary has bit `shift`, and
/// its neighbour in `b` bit 0. Writes up to 8 (2D) or 16 (3D) entries. Variants that load whole vectors do so before they
/// store: loads wait for stores to addresses that depend on the bonds before (AVX-512, unions in 2D: 0.40 instead of 0.32
/// ns per site).
template <int D, int Axis>
int append_pairs(std::uint64_t bonds, std::uint64_t shift, TileComponents a, TileComponents b, std::uint32_t* ids_a,
                 std::uint32_t* ids_b);

#if defined(__AVX512VBMI2__)

template <int D, int Axis>
inline int append_pairs(std::uint64_t bonds, std::uint64_t shift, TileComponents a, TileComponents b,
                        std::uint32_t* ids_a, std::uint32_t* ids_b) {
    const __m512i from_a = _mm512_maskz_compress_epi8(bonds, _mm512_loadu_si512(a.component));
    const __m512i from_b = _mm512_maskz_compress_epi8(bonds >> shift, _mm512_loadu_si512(b.component));
    const auto write = [](std::uint32_t* out, __m128i components, std::uint32_t first_id) {
        const __m512i id = _mm512_set1_epi32(static_cast<int>(first_id));
        if constexpr (D == 2)
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                                _mm256_add_epi32(_mm256_cvtepu8_epi32(components), _mm512_castsi512_si256(id)));
        else
            _mm512_storeu_si512(out, _mm512_add_epi32(_mm512_cvtepu8_epi32(components), id));
    };
    write(ids_a, _mm512_castsi512_si128(from_a), a.first_id);
    write(ids_b, _mm512_castsi512_si128(from_b), b.first_id);
    return static_cast<int>(_mm_popcnt_u64(bonds));
}

#elif defined(__AVX2__)

/// Positions of the set bits of a byte in ascending order, for all its values.
struct SetBitTable {
    std::uint8_t position[256][8];
    constexpr SetBitTable() : position() {
        for (int byte = 0; byte < 256; ++byte)
            for (int bit = 0, count = 0; bit < 8; ++bit)
                if (byte >> bit & 1) position[byte][count++] = static_cast<std::uint8_t>(bit);
    }
};
inline constexpr SetBitTable set_bits;

/// Order in which the sites on a boundary along x of a 2D tile lie in a vector of 32-bit numbers. It is its own inverse.
inline constexpr int order_2d_x[8] = {0, 1, 4, 5, 2, 3, 6, 7};
/// Factor that moves bit 8 i of a word to bit 56 + order_2d_x[i].
constexpr std::uint64_t gather_2d_x() {
    std::uint64_t factor = 0;
    for (int i = 0; i < 8; ++i) factor |= std::uint64_t{1} << (56 + order_2d_x[i] - 8 * i);
    return factor;
}

/// The bonds at eight sites on a boundary (2D: all, 3D: the lower or the upper `half`), in the order of
/// boundary_components(). `bonds` holds that of the first site in bit 0.
template <int D, int Axis>
inline std::uint8_t boundary_byte(std::uint64_t bonds, int half) {
    if constexpr (D == 2) return static_cast<std::uint8_t>(Axis == 0 ? bonds * gather_2d_x() >> 56 : bonds);
    auto lower = static_cast<std::uint32_t>(bonds >> (Axis == 2 ? 8 : 32) * half);
    if constexpr (Axis == 0) {
        lower = (lower | lower >> 3) & 0x03030303u;                        // bits 0, 4, .. 28 to pairs in each byte
        lower = lower * (1u << 24 | 1u << 18 | 1u << 12 | 1u << 6) >> 24;  // pair i from bit 8 i to bit 2 i
    }
    return static_cast<std::uint8_t>(Axis == 1 ? lower | lower >> 12 : lower);
}

/// Components of these eight sites as 32-bit numbers.
template <int D, int Axis>
inline __m256i boundary_components(const std::uint8_t* component, std::uint64_t shift, int half) {
    const std::uint8_t* first = component + (Axis == 0 ? 0 : shift);
    const auto load = [](const std::uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); };
    if constexpr (Axis == 0) {
        const __m128i bits = _mm_cvtsi64_si128(static_cast<long long>(8 * shift));
        const __m256i low_byte = _mm256_set1_epi32(0xFF);
        if constexpr (D == 3) return _mm256_and_si256(_mm256_srl_epi32(load(first + 32 * half), bits), low_byte);
        const __m256i lower = _mm256_srl_epi64(load(first), bits), upper = _mm256_srl_epi64(load(first + 32), bits);
        return _mm256_and_si256(low_byte, _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(lower),
                                                                                _mm256_castsi256_ps(upper), 0x88)));
    } else if constexpr (D == 3 && Axis == 1) {
        const __m128i two_rows =
            _mm_unpacklo_epi32(_mm_loadu_si32(first + 32 * half), _mm_loadu_si32(first + 32 * half + 16));
        return _mm256_cvtepu8_epi32(two_rows);
    } else {
        return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(first + 8 * half)));
    }
}

template <int D, int Axis>
inline int append_pairs(std::uint64_t bonds, std::uint64_t shift, TileComponents a, TileComponents b,
                        std::uint32_t* ids_a, std::uint32_t* ids_b) {
    int count = 0;
    for (int half = 0; half < boundary_sites(D) / 8; ++half) {
        const std::uint8_t active = boundary_byte<D, Axis>(bonds >> shift, half);
        const __m256i positions =
            _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(set_bits.position[active])));
        const auto ids_of = [positions, half](TileComponents from, std::uint64_t first) {
            const __m256i packed =
                _mm256_permutevar8x32_epi32(boundary_components<D, Axis>(from.component, first, half), positions);
            return _mm256_add_epi32(packed, _mm256_set1_epi32(static_cast<int>(from.first_id)));
        };
        const __m256i from_a = ids_of(a, shift), from_b = ids_of(b, 0);
        std::memcpy(ids_a + count, &from_a, sizeof from_a);
        std::memcpy(ids_b + count, &from_b, sizeof from_b);
        count += count_bits(active);
    }
    return count;
}

#else

template <int D, int Axis>
inline int append_pairs(std::uint64_t bonds, std::uint64_t shift, TileComponents a, TileComponents b,
                        std::uint32_t* ids_a, std::uint32_t* ids_b) {
    int count = 0;
    for (bonds >>= shift; bonds != 0; bonds &= bonds - 1, ++count) {
        const auto site = static_cast<std::uint64_t>(__builtin_ctzll(bonds));
        ids_a[count] = a.first_id + a.component[site + shift];
        ids_b[count] = b.first_id + b.component[site];
    }
    return count;
}

#endif

}  // namespace strata::swendsen_wang::STRATA_ISA
