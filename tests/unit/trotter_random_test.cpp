// SPDX-License-Identifier: BSD-3-Clause
// Random amplitudes in every instruction set against the formulas with functions of the C library; equal bits among
// instruction sets, for parts of any length.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "kernels/trotter/pass_kernels.hpp"
#include "strata/rng.hpp"

namespace strata::trotter {
namespace {

using Complex = std::complex<double>;

Complex amplitude(const RandomState& s, std::uint64_t index) {
    const Philox4x32 w = philox(
        s.seed, {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), s.sample, s.purpose});
    const std::uint64_t first = std::uint64_t{w[1]} << 32 | w[0], second = std::uint64_t{w[3]} << 32 | w[2];
    const double u = static_cast<double>((first >> 11) + 1) * 0x1p-53, v = static_cast<double>(second >> 11) * 0x1p-53;
    if (s.polarised >= 0)
        return (index >> s.polarised & 1) != 0 ? 0
                                               : std::polar(std::exp2(-0.5 * (s.spins - 1)), 2 * std::numbers::pi * v);
    return std::polar(std::sqrt(-std::log(u) * std::ldexp(1.0, -s.spins)), 2 * std::numbers::pi * v);
}

std::vector<Complex> filled(const PassKernels<double>& kernels, const RandomState& s, std::uint64_t first,
                            std::uint64_t count) {
    std::vector<Complex> out(count);
    kernels.fill_random(s, first, count, reinterpret_cast<double*>(out.data()));
    return out;
}

TEST(TrotterRandom, IsThatOfTheFormulas) {
    for (const RandomState& s : {RandomState{5, 0, 7, 17, -1}, RandomState{~std::uint64_t{0} - 3, 9, 1, 40, -1},
                                 RandomState{1, 2, 3, 17, 0}, RandomState{1, 2, 3, 40, 33}})
        for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{(std::uint64_t{1} << 33) - 300}}) {
            const std::vector<Complex> fastest = filled(pass_variants<double>().front(), s, first, 20000);
            const double scale = std::exp2(-0.5 * s.spins);
            for (std::uint64_t i = 0; i < fastest.size(); ++i) {
                const Complex exact = amplitude(s, first + i);
                ASSERT_LT(std::abs(fastest[i] - exact), 2e-15 * std::max(std::abs(exact), 1e-3 * scale)) << first + i;
            }
            for (const PassKernels<double>& kernels : pass_variants<double>())
                EXPECT_EQ(filled(kernels, s, first, 20000), fastest) << kernels.name;
        }
}

TEST(TrotterRandom, IsTheSameInPieces) {
    const RandomState s = {5, 0, 7, 12, -1};
    for (const PassKernels<double>& kernels : pass_variants<double>()) {
        const std::vector<Complex> whole = filled(kernels, s, 0, 64);
        for (std::uint64_t first = 0; first < 9; ++first)
            for (std::uint64_t count = 0; count < 20; ++count)
                EXPECT_EQ(filled(kernels, s, first, count),
                          std::vector<Complex>(whole.begin() + static_cast<std::ptrdiff_t>(first),
                                               whole.begin() + static_cast<std::ptrdiff_t>(first + count)));
    }
}

}  // namespace
}  // namespace strata::trotter
