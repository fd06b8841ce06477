// SPDX-License-Identifier: BSD-3-Clause
// Eight amplitudes at a time. The logarithm is the series of 2 artanh(s) with s = (m - 1) / (m + 1), where u = m 2^e
// and m lies around 1; sine and cosine are series around the nearest quarter of a turn. Both are exact to a few units
// in the last place.
#include "kernels/trotter/random_state.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/lanes.hpp"
#include "kernels/trotter/pass_kernels.hpp"

namespace strata::trotter::STRATA_ISA {

namespace {

using Reals = strata::STRATA_ISA::Simd<double>::Lanes;
using Index = strata::STRATA_ISA::Simd<double>::Index;
using strata::STRATA_ISA::fma;
typedef std::uint64_t Words __attribute__((vector_size(64)));
constexpr int width = strata::STRATA_ISA::lanes<double>;

/// 2^52, whose last place is 1: integers below it are converted by an "or" with its bits.
constexpr double two_52 = 4503599627370496.0;
constexpr std::int64_t two_52_bits = 0x4330000000000000;

[[gnu::always_inline]] inline Reals all(double x) { return Reals{} + x; }

[[gnu::always_inline]] inline Reals to_reals(Words below_2_52) {
    return (Reals)(below_2_52 | static_cast<std::uint64_t>(two_52_bits)) - two_52;
}

/// The four words of Salmon et al.'s generator, 32 bits each in lanes of 64.
[[gnu::always_inline]] inline void philox(std::uint64_t seed, Words (&c)[4]) {
    constexpr std::uint64_t low = 0xFFFFFFFF;
    std::uint64_t key0 = seed & low, key1 = seed >> 32;
    for (int round = 0; round < 10; ++round) {
        const Words p0 = c[0] * 0xD2511F53u, p1 = c[2] * 0xCD9E8D57u;
        const Words c0 = (p1 >> 32) ^ c[1] ^ key0, c2 = (p0 >> 32) ^ c[3] ^ key1;
        c[0] = c0, c[1] = p1 & low, c[2] = c2, c[3] = p0 & low;
        key0 = (key0 + 0x9E3779B9u) & low;
        key1 = (key1 + 0xBB67AE85u) & low;
    }
}

/// (53 bits of two words + add) / 2^53
[[gnu::always_inline]] inline Reals uniform(Words first, Words second, double add) {
    const Words bits = (second << 32 | first) >> 11;
    return (fma(to_reals(bits >> 26), all(67108864.0), to_reals(bits & 0x3FFFFFF)) + add) * 0x1p-53;
}

template <std::size_t N>
[[gnu::always_inline]] inline Reals polynomial(Reals x, const double (&coefficients)[N]) {
    Reals sum = all(coefficients[N - 1]);
    for (std::size_t i = N - 1; i-- > 0;) sum = fma(sum, x, all(coefficients[i]));
    return sum;
}

/// -log u of normal numbers 0 < u <= 1.
[[gnu::always_inline]] inline Reals minus_log(Reals u) {
    constexpr double series[] = {2,       2. / 3,  2. / 5,  2. / 7,  2. / 9, 2. / 11,
                                 2. / 13, 2. / 15, 2. / 17, 2. / 19, 2. / 21};
    constexpr double ln2_high = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56;
    constexpr std::int64_t mantissa = 0x000FFFFFFFFFFFFF, one = 0x3FF0000000000000;
    const Index bits = (Index)u;
    const Reals m = (Reals)((bits & mantissa) | one);
    const Index large = m > std::numbers::sqrt2;
    const Reals f = (large ? m * 0.5 : m) - 1, s = f / (f + 2);
    const Reals e = to_reals((Words)((bits >> 52) - large)) - 1023;
    return -fma(e, all(ln2_high), fma(e, all(ln2_low), s * polynomial(s * s, series)));
}

/// cos and sin of 2 pi v, 0 <= v < 1.
[[gnu::always_inline]] inline void turn(Reals v, Reals& cosine, Reals& sine) {
    // (pi / 2)^k / k!
    constexpr double sines[] = {0x1.921fb54442d18p+0,  -0x1.4abbce625be53p-1, 0x1.466bc6775aae2p-4,
                                -0x1.32d2cce62bd86p-8, 0x1.50783487ee782p-13, -0x1.e3074fde8871fp-19,
                                0x1.e8f434d018d63p-25, -0x1.6fadb9f155744p-31};
    constexpr double cosines[] = {1,
                                  -0x1.3bd3cc9be45dep+0,
                                  0x1.03c1f081b5ac4p-2,
                                  -0x1.55d3c7e3cbffap-6,
                                  0x1.e1f506891babbp-11,
                                  -0x1.a6d1f2a204a8cp-16,
                                  0x1.f9d38a3763cc3p-22,
                                  -0x1.b6e24f44b128fp-28,
                                  0x1.20c62c2f2d7f5p-34};
    const Reals quarters = v * 4, nearest = (quarters + 1.5 * two_52) - 1.5 * two_52, r = quarters - nearest;
    const Reals s = r * polynomial(r * r, sines), c = polynomial(r * r, cosines);
    const Index quadrant = (Index)(nearest + two_52) & 3;
    const Index odd = (quadrant & 1) != 0;
    cosine = odd ? s : c;
    sine = odd ? c : s;
    cosine = ((quadrant == 1) | (quadrant == 2)) ? -cosine : cosine;
    sine = (quadrant >= 2) ? -sine : sine;
}

/// Writes `width` amplitudes.
[[gnu::always_inline]] inline void fill_block(const RandomState& state, std::uint64_t first, double* out) {
    const Words index = Words{0, 1, 2, 3, 4, 5, 6, 7} + first;
    Words c[4] = {index & 0xFFFFFFFFu, index >> 32, Words{} + state.sample, Words{} + state.purpose};
    philox(state.seed, c);
    Reals size;
    if (state.polarised < 0) {
        const Reals square = minus_log(uniform(c[0], c[1], 1)) * std::ldexp(1.0, -state.spins);
        for (int i = 0; i < width; ++i) size[i] = std::sqrt(square[i]);
    } else {
        const Index down = (Index)(index >> state.polarised & 1) != 0;
        size = down ? Reals{} : all(std::exp2(-0.5 * (state.spins - 1)));
    }
    Reals cosine, sine;
    turn(uniform(c[2], c[3], 0), cosine, sine);
    cosine *= size;
    sine *= size;
    for (int i = 0; i < width; ++i) {
        out[2 * i] = cosine[i];
        out[2 * i + 1] = sine[i];
    }
}

void fill_random(const RandomState& state, std::uint64_t first, std::uint64_t count, double* out) {
    std::uint64_t done = 0;
    for (; done + width <= count; done += width) fill_block(state, first + done, out + 2 * done);
    if (done == count) return;
    double last[2 * width];
    fill_block(state, first + done, last);
    std::copy(last, last + 2 * (count - done), out + 2 * done);
}

}  // namespace

template <class Real>
void fill_random_state(PassKernels<Real>& table) {
    table.fill_random = fill_random;
}
template void fill_random_state(PassKernels<double>&);
template void fill_random_state(PassKernels<float>&);

}  // namespace strata::trotter::STRATA_ISA
