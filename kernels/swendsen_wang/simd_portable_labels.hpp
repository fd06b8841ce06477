// SPDX-License-Identifier: BSD-3-Clause
// Labels, components and cluster spins of tiles with the vectors of simd_portable.hpp: conversions between rows of several
// tiles, whole tiles and bits.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/swendsen_wang/simd_portable.hpp"

namespace strata::swendsen_wang::STRATA_ISA {

/// One byte per bit, least significant first: 0x00 where the bit is set, 0xFF where not.
constexpr std::uint64_t bytes_where_clear(std::uint64_t bits8) {
    std::uint64_t bytes = 0;
    for (int i = 0; i < 8; ++i) bytes |= (bits8 >> i & 1 ? 0 : std::uint64_t{0xFF}) << (8 * i);
    return bytes;
}
/// bytes_where_clear() of all values of a byte.
struct SpreadTable {
    std::uint64_t bytes[256];
    constexpr SpreadTable() : bytes() {
        for (unsigned i = 0; i < 256; ++i) bytes[i] = bytes_where_clear(i);
    }
};
inline constexpr SpreadTable spread;

constexpr std::uint64_t ones = 0x0101010101010101u;  ///< one in every byte

/// Bytes 0xFF where no bit of `bits` is set in a byte, else 0x00.
inline RowMask where_clear(LabelRow bytes, std::uint64_t bits) {
    const LabelRow chosen = bytes & reinterpret_cast<LabelRow>(Words{} + bits);
    return reinterpret_cast<RowMask>(chosen == LabelRow{});
}
/// The same index in each 16 bytes: repeats of bytes `low`, `low` + 1 .. in eights; 0x80 stands for a byte 0.
inline LabelRow lane_index(std::uint64_t low, std::uint64_t high) {
    Words index;
    for (int i = 0; i < lanes; i += 2) index[i] = low, index[i + 1] = high;
    return reinterpret_cast<LabelRow>(index);
}

// Without shuffles vectors are assembled in registers, because a vector load that follows narrower stores would wait for
// them.

/// Masks of the 8 rows of sites of as many tiles as share a LabelRow (2D).
inline void row_masks_2d(const std::uint64_t* tile_words, RowMask* masks) {
    if constexpr (has_byte_shuffles) {
        LabelRow tiles;
        std::memcpy(&tiles, tile_words, sizeof tiles);
        for (unsigned k = 0; k < 8; ++k)
            masks[k] = where_clear(shuffle_bytes(tiles, lane_index(k * ones, (8 + k) * ones)), 0x8040201008040201u);
        return;
    }
    for (int k = 0; k < 8; ++k) {
        Words row;
        for (int t = 0; t < lanes; ++t) row[t] = spread.bytes[tile_words[t] >> (8 * k) & 0xFF];
        masks[k] = reinterpret_cast<RowMask>(row);
    }
}
/// Masks of the 16 rows of sites (3D).
inline void row_masks_3d(const std::uint64_t* tile_words, RowMask* masks) {
    if constexpr (has_byte_shuffles) {
        Words first, second;  // two of each four tiles, in lanes of 16 bytes
        for (int t = 0; t < lanes; ++t) {
            first[t] = tile_words[t / 2 * 4 + t % 2];
            second[t] = tile_words[t / 2 * 4 + t % 2 + 2];
        }
        constexpr std::uint64_t none = 0x8080808080808080u;
        for (unsigned k = 0; k < 8; ++k) {  // byte k of every tile, four times
            const std::uint64_t pair = k * ones + 0x0808080800000000u;
            const LabelRow both = shuffle_bytes(reinterpret_cast<LabelRow>(first), lane_index(pair, none)) |
                                  shuffle_bytes(reinterpret_cast<LabelRow>(second), lane_index(none, pair));
            masks[2 * k] = where_clear(both, 0x0804020108040201u);
            masks[2 * k + 1] = where_clear(both, 0x8040201080402010u);
        }
        return;
    }
    for (int k = 0; k < 16; ++k) {
        Words row;
        for (int t = 0; t < lanes; ++t)
            row[t] = spread.bytes[(tile_words[2 * t] >> (4 * k) & 0xF) | (tile_words[2 * t + 1] >> (4 * k) & 0xF) << 4];
        masks[k] = reinterpret_cast<RowMask>(row);
    }
}
/// Conversion of rows of the tiles that share a LabelRow to whole tiles (2D).
inline void rows_to_tiles_2d(const LabelRow* rows, std::uint8_t* tiles) {
    using TwoRows = std::uint64_t __attribute__((vector_size(16)));
    for (int k = 0; k < 8; k += 2) {
        const Words a = reinterpret_cast<Words>(rows[k]), b = reinterpret_cast<Words>(rows[k + 1]);
        for (int t = 0; t < lanes; ++t) {
            const TwoRows both = {a[t], b[t]};
            std::memcpy(tiles + 64 * t + 8 * k, &both, sizeof both);
        }
    }
}
/// Conversion of rows of the tiles that share a LabelRow to whole tiles (3D).
inline void rows_to_tiles_3d(const LabelRow* rows, std::uint8_t* tiles) {
    using FourRows = std::uint32_t __attribute__((vector_size(16)));
    for (int k = 0; k < 16; k += 4) {
        HalfWords r[4];
        for (int i = 0; i < 4; ++i) r[i] = reinterpret_cast<HalfWords>(rows[k + i]);
        for (int t = 0; t < 2 * lanes; ++t) {
            const FourRows four = {r[0][t], r[1][t], r[2][t], r[3][t]};
            std::memcpy(tiles + 64 * t + 4 * k, &four, sizeof four);
        }
    }
}

/// One byte per bit of `bits8`: 1 where it is set.
inline std::uint64_t spread_ones(std::uint64_t bits8) { return ~spread.bytes[bits8] & ones; }

#if defined(__ARM_NEON)
/// Bit i of the result: byte i of 64, each 0x00 or 0xFF.
inline std::uint64_t bits_of_bytes(const uint8x16_t (&bytes)[4]) {
    const uint8x16_t weights = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201u));
    const uint8x16_t low = vpaddq_u8(vandq_u8(bytes[0], weights), vandq_u8(bytes[1], weights)),
                     high = vpaddq_u8(vandq_u8(bytes[2], weights), vandq_u8(bytes[3], weights));
    const uint8x16_t sums = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}
#endif

/// Bit i of the result: a[i] == b[i], for 64 bytes.
inline std::uint64_t equal_bytes(const std::uint8_t* a, const std::uint8_t* b) {
    std::uint64_t bits = 0;
#if defined(__AVX2__)
    for (int i = 0; i < 64; i += 32) {
        const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i));
        const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + i));
        bits |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, y)))} << i;
    }
#elif defined(__SSE2__)
    for (int i = 0; i < 64; i += 16) {
        const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i));
        const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + i));
        bits |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)))} << i;
    }
#elif defined(__ARM_NEON)
    uint8x16_t equal[4];
    for (int i = 0; i < 4; ++i) equal[i] = vceqq_u8(vld1q_u8(a + 16 * i), vld1q_u8(b + 16 * i));
    bits = bits_of_bytes(equal);
#else
    for (int i = 0; i < 64; ++i) bits |= std::uint64_t{a[i] == b[i]} << i;
#endif
    return bits;
}

/// component[i] = index[label[i] % 64] for the 64 sites of a tile.
inline void look_up_components(const std::uint8_t* index, const std::uint8_t* label, std::uint8_t* component) {
#if defined(__AVX2__)
    for (int i = 0; i < 64; i += 32) {
        const __m256i all =
            _mm256_and_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(label + i)), _mm256_set1_epi8(63));
        __m256i found = _mm256_setzero_si256();
        for (int part = 0; part < 4; ++part) {  // 16 entries each; others get the top bit, which shuffles to zero
            const __m256i entries =
                _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(index) + part));
            const __m256i own = _mm256_adds_epu8(_mm256_xor_si256(all, _mm256_set1_epi8(static_cast<char>(16 * part))),
                                                 _mm256_set1_epi8(0x70));
            found = _mm256_or_si256(found, _mm256_shuffle_epi8(entries, own));
        }
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(component + i), found);
    }
#elif defined(__ARM_NEON)
    const uint8x16x4_t table = {{vld1q_u8(index), vld1q_u8(index + 16), vld1q_u8(index + 32), vld1q_u8(index + 48)}};
    for (int i = 0; i < 64; i += 16)
        vst1q_u8(component + i, vqtbl4q_u8(table, vandq_u8(vld1q_u8(label + i), vdupq_n_u8(63))));
#else
    for (int i = 0; i < 64; i += 8) {
        std::uint64_t eight;
        std::memcpy(&eight, label + i, 8);
        eight &= 63 * ones;
        for (int j = 0; j < 8; ++j) component[i + j] = index[eight >> 8 * j & 0xFF];
    }
#endif
}

constexpr bool numbers_rows = true;  ///< labels_to_components() needs number_components()
/// Component index of every minimal site of the tiles that share a LabelRow, without gaps: boundary components first,
/// then interior ones, each in the order of labels. Other sites get 0. `Lanes` has a tile's row of `rows` in each lane.
template <class Lanes>
inline void number_components(const LabelRow* label, int rows, LabelRow* index) {
    constexpr int width = sizeof(decltype(Lanes{}[0]));
    const auto sum_of_row = [](LabelRow r) {  // up to each site
        for (int step = 1; step < width; step *= 2)
            r += reinterpret_cast<LabelRow>(reinterpret_cast<Lanes>(r) << (8 * step));
        return r;
    };
    LabelRow site, last_site;
    for (unsigned i = 0; i < sizeof site; ++i) {
        site[i] = static_cast<std::uint8_t>(i % width);
        last_site[i] = static_cast<std::uint8_t>(i % 16 | (width - 1));
    }
    const auto last_of_row = [last_site](LabelRow r) {  // to all sites of the row
        if constexpr (has_byte_shuffles) return shuffle_bytes(r, last_site);
        Lanes last = reinterpret_cast<Lanes>(r) >> (8 * (width - 1));
        for (int step = 1; step < width; step *= 2) last |= last << (8 * step);
        return reinterpret_cast<LabelRow>(last);
    };
    const LabelRow first_site = site, first_interior = LabelRow{} + std::uint8_t{64};
    LabelRow all = {};
    for (int k = 0; k < rows; ++k, site += std::uint8_t{width}) all += reinterpret_cast<LabelRow>(label[k] == site);
    // Comparisons give -1, so that counts are negative: index = -count - 1 = ~count.
    LabelRow boundary = {}, interior = last_of_row(sum_of_row(all));
    site = first_site;
    for (int k = 0; k < rows; ++k, site += std::uint8_t{width}) {
        const LabelRow is_boundary = reinterpret_cast<LabelRow>(label[k] == site);
        const LabelRow is_interior = reinterpret_cast<LabelRow>(label[k] == (site | first_interior));
        const LabelRow b = boundary + sum_of_row(is_boundary), i = interior + sum_of_row(is_interior);
        index[k] = (~b & is_boundary) | (~i & is_interior);
        boundary = last_of_row(b);
        interior = last_of_row(i);
    }
}

/// Numbers 0 .. 127 as bytes.
struct Iota {
    alignas(64) std::uint8_t bytes[128];
    constexpr Iota() : bytes() {
        for (unsigned i = 0; i < 128; ++i) bytes[i] = static_cast<std::uint8_t>(i);
    }
};
inline constexpr Iota byte_iota;

/// Replaces the labels of a tile (minimal site, plus 64 in interior components) by component indices; `index`
/// holds those of the minimal sites. Sets the minimal sites of both kinds.
inline void labels_to_components(const std::uint8_t* label, const std::uint8_t* index, std::uint8_t* component,
                                 std::uint64_t& boundary, std::uint64_t& interior) {
    boundary = equal_bytes(label, byte_iota.bytes);
    interior = equal_bytes(label, byte_iota.bytes + 64);
    look_up_components(index, label, component);
}

// --- cluster spins, boundary bonds, sizes -------------------------------------------------------------------------

/// Bit i of the result: the lowest bit of bytes[i], for i < count <= 64. Reads up to 7 bytes more.
inline std::uint64_t pack_bytes(const std::uint8_t* bytes, int count) {
    std::uint64_t bits = 0;
    for (int i = 0; i < count; i += 8) {
        std::uint64_t eight;
        std::memcpy(&eight, bytes + i, 8);
        bits |= ((eight & 0x0101010101010101u) * 0x0102040810204080u >> 56) << i;  // gathers the bits of eight bytes
    }
    return count == 64 ? bits : bits & ((std::uint64_t{1} << count) - 1);
}

/// Bits of `bits` at the positions set in `mask`, packed to the low end.
inline std::uint64_t extract_bits(std::uint64_t bits, std::uint64_t mask) {
#if defined(__BMI2__)
    return _pext_u64(bits, mask);
#else
    std::uint64_t packed = 0;
    for (int i = 0; mask != 0; mask &= mask - 1, ++i) packed |= (bits >> __builtin_ctzll(mask) & 1) << i;
    return packed;
#endif
}

/// Bit i of the result: bit component[i] of `values`, for the 64 sites of a tile.
inline std::uint64_t look_up_bits(const std::uint8_t* component, std::uint64_t values) {
#if defined(__AVX2__)
    const __m256i bytes = _mm256_set1_epi64x(static_cast<long long>(values));
    const __m256i powers = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201u));
    std::uint64_t bits = 0;
    for (int i = 0; i < 64; i += 32) {
        const __m256i c = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(component + i));
        const __m256i byte = _mm256_shuffle_epi8(bytes, _mm256_and_si256(_mm256_srli_epi16(c, 3), _mm256_set1_epi8(7)));
        const __m256i power = _mm256_shuffle_epi8(powers, _mm256_and_si256(c, _mm256_set1_epi8(7)));
        const __m256i hit = _mm256_cmpeq_epi8(_mm256_and_si256(byte, power), power);
        bits |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(hit))} << i;
    }
    return bits;
#elif defined(__ARM_NEON)
    const uint8x16_t bytes = vreinterpretq_u8_u64(vdupq_n_u64(values)),
                     powers = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201u));
    uint8x16_t hit[4];
    for (int i = 0; i < 4; ++i) {
        const uint8x16_t c = vld1q_u8(component + 16 * i);
        hit[i] = vtstq_u8(vqtbl1q_u8(bytes, vshrq_n_u8(c, 3)), vqtbl1q_u8(powers, vandq_u8(c, vdupq_n_u8(7))));
    }
    return bits_of_bytes(hit);
#else
    std::uint8_t table[64], found[64];
    for (int i = 0; i < 64; i += 8) {
        const std::uint64_t ranks = spread_ones(values >> i & 0xFF);
        std::memcpy(table + i, &ranks, 8);
    }
    for (int i = 0; i < 64; ++i) found[i] = table[component[i]];
    return pack_bytes(found, 64);
#endif
}
/// bytes[i] = bit i of bits, for i < count <= 64. May write up to 7 bytes more.
inline void unpack_bits(std::uint64_t bits, int count, std::uint8_t* bytes) {
    for (int i = 0; i < count; i += 8) {
        const std::uint64_t eight = spread_ones(bits >> i & 0xFF);
        std::memcpy(bytes + i, &eight, 8);
    }
}
/// out[i] = first + i for i < count <= 64. May write up to 7 entries more.
inline void write_ramp(std::uint32_t* out, std::uint32_t first, int count) {
    for (int i = 0; i < count; i += 8)
        for (int j = 0; j < 8; ++j) out[i + j] = first + static_cast<std::uint32_t>(i + j);
}

/// Copies the bytes of the sites in `sites` to out[], without gaps; returns their number.
inline int compress_bytes(const std::uint8_t* bytes, std::uint64_t sites, std::uint8_t* out) {
    int count = 0;
    for (; sites != 0; sites &= sites - 1) out[count++] = bytes[__builtin_ctzll(sites)];
    return count;
}
/// Number of the 64 bytes that equal `value`.
inline int count_equal_bytes(const std::uint8_t* bytes, std::uint8_t value) {
#if defined(__AVX2__)
    const __m256i values = _mm256_set1_epi8(static_cast<char>(value));
    int count = 0;
    for (int i = 0; i < 64; i += 32) {
        const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + i));
        count += _mm_popcnt_u32(static_cast<unsigned>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, values))));
    }
    return count;
#else
    std::uint8_t count = 0;  // 8 bits, so that the compiler counts in vectors of bytes
    for (int i = 0; i < 64; ++i) count = static_cast<std::uint8_t>(count + (bytes[i] == value));
    return count;
#endif
}

}  // namespace strata::swendsen_wang::STRATA_ISA
