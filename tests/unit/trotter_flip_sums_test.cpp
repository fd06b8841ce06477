// SPDX-License-Identifier: BSD-3-Clause
// Sums over a tile for products that flip spins, in every instruction set against sums over amplitudes, with equal bits;
// with the two tiles exchanged they are complex conjugates, to the bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <complex>
#include <random>

#include "kernels/trotter/pass_kernels.hpp"
#include "strata/buffer.hpp"

namespace strata::trotter {
namespace {

using Number = std::complex<double>;

/// What the bits of a tile mean, and the sum with the number `entry` of the results.
struct Sums {
    std::vector<BitSum> of_bit;

    /// Bits of x that the result fixes, their values, and bits whose parity gives the sign.
    struct Meaning {
        std::uint64_t fixed = 0, value = 0, parity = 0;
    };
    Meaning of(std::uint64_t entry) const {
        Meaning m;
        for (std::size_t bit = 0; bit < of_bit.size(); ++bit) {
            const std::uint64_t mask = std::uint64_t{1} << bit;
            if (of_bit[bit] == BitSum::difference) m.parity |= mask;
            if (of_bit[bit] != BitSum::kept && of_bit[bit] != BitSum::both) continue;
            if (of_bit[bit] == BitSum::kept) m.fixed |= mask;
            if ((entry & 1) != 0) (of_bit[bit] == BitSum::kept ? m.value : m.parity) |= mask;
            entry >>= 1;
        }
        return m;
    }
    std::uint64_t count() const {
        std::uint64_t count = 1;
        for (const BitSum b : of_bit) count *= b == BitSum::kept || b == BitSum::both ? 2 : 1;
        return count;
    }
};

template <class Real>
void expect_sums(const Sums& sums, std::uint64_t flip, bool diagonal, std::mt19937_64& engine) {
    const std::uint64_t size = std::uint64_t{1} << sums.of_bit.size();
    std::normal_distribution<double> normal;
    std::vector<Real> own(2 * size), partner(2 * size);
    for (auto* tile : {&own, &partner})
        for (Real& value : *tile) value = static_cast<Real>(normal(engine));
    const auto at = [](const std::vector<Real>& tile, std::uint64_t x) { return Number(tile[2 * x], tile[2 * x + 1]); };
    std::vector<double> first;
    for (const PassKernels<Real>& kernels : pass_variants<Real>()) {
        Buffer<double> re(size), im(size), other_re(size), other_im(size);
        const int bits = static_cast<int>(sums.of_bit.size());
        kernels.flip_sums({own.data(), partner.data(), flip, diagonal, bits, sums.of_bit.data()}, re.data(), im.data());
        kernels.flip_sums({partner.data(), own.data(), flip, diagonal, bits, sums.of_bit.data()}, other_re.data(),
                          other_im.data());
        std::vector<double> values;
        for (std::uint64_t entry = 0; entry < sums.count(); ++entry) {
            const Sums::Meaning m = sums.of(entry);
            Number expected = 0;
            for (std::uint64_t x = 0; x < size; ++x)
                if ((x & m.fixed) == m.value)
                    expected += (std::popcount(x & m.parity) % 2 == 0 ? 1.0 : -1.0) *
                                (diagonal ? std::norm(at(own, x)) : std::conj(at(partner, x ^ flip)) * at(own, x));
            const Number found(re[entry], diagonal ? 0 : im[entry]);
            EXPECT_LT(std::abs(found - expected), 1e-10) << kernels.name << " " << entry;
            values.insert(values.end(), {found.real(), found.imag()});
        }
        if (first.empty()) first = values;
        EXPECT_EQ(values, first) << kernels.name;
        if (diagonal) continue;
        for (std::uint64_t entry = 0; entry < sums.count(); ++entry) {
            const Sums::Meaning m = sums.of(entry);
            for (std::uint64_t e = 0; e < sums.count(); ++e) {
                const Sums::Meaning o = sums.of(e);
                if (o.parity != m.parity || (o.value ^ m.value) != (flip & m.fixed)) continue;
                EXPECT_EQ(other_re[e], re[entry]);
                EXPECT_EQ(other_im[e], -im[entry]);
            }
        }
    }
}

TEST(TrotterFlipSums, AreSumsOverAmplitudes) {
    std::mt19937_64 engine(1);
    for (int trial = 0; trial < 60; ++trial) {
        const int bits = 3 + trial % (max_flip_tile_bits - 2);
        const bool diagonal = trial % 4 == 0;
        const std::uint64_t flip = diagonal ? 0 : engine() & engine() & ((std::uint64_t{1} << bits) - 1);
        Sums sums;
        for (int bit = 0; bit < bits; ++bit) {
            constexpr BitSum choices[] = {BitSum::sum, BitSum::difference, BitSum::both};
            sums.of_bit.push_back((flip >> bit & 1) != 0 ? BitSum::kept
                                  : bit < 3              ? BitSum::both
                                                         : choices[engine() % 3]);
        }
        expect_sums<double>(sums, flip, diagonal, engine);
        expect_sums<float>(sums, flip, diagonal, engine);
    }
}

}  // namespace
}  // namespace strata::trotter
