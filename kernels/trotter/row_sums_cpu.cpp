// SPDX-License-Identifier: BSD-3-Clause
// Sums of probabilities over rows. All sums are computed by halving: the row is folded at its highest bit into sums,
// which exclude that bit from the product of signs, and differences, which include it. The sums over all products of at
// most two signs together take about five additions per amplitude.
#include <omp.h>

#include <bit>

#include "kernels/lanes.hpp"
#include "kernels/trotter/pass_kernels.hpp"

namespace strata::trotter::STRATA_ISA {

using namespace strata::STRATA_ISA;
namespace {

/// Probabilities of one row in the order of its states, their sums by the number of bits set, and the sum of their
/// squares.
template <class Real>
void probabilities(const StateLayout& layout, const Real* row, double* p, double* histogram, double& squares) {
    constexpr int width = lanes<Real>;
    alignas(64) double by_count[64][width] = {};
    DoubleSum<double> square;
    for (std::uint64_t b = 0; b < layout.row_blocks(); ++b) {
        const Real* block = row + layout.block_offset(b);
        double* of_block = p + b * width;
        double* same_count = by_count[std::popcount(b)];
        for (int l = 0; l < width; ++l) {
            const auto re = static_cast<double>(block[l]), im = static_cast<double>(block[width + l]);
            of_block[l] = re * re + im * im;
        }
        for (int l = 0; l < width; ++l) same_count[l] += of_block[l];
        for (int l = 0; l < width; l += lanes<double>) square.add(load(of_block + l), load(of_block + l));
    }
    for (int n = 0; n <= layout.row_bits; ++n) histogram[n] = 0;
    for (int n = 0; n <= layout.row_bits - layout.lane_bits; ++n)
        for (unsigned l = 0; l < static_cast<unsigned>(width); ++l) histogram[n + std::popcount(l)] += by_count[n][l];
    squares = square.total();
}

/// Recursive sums over p[0 .. 2^bits) with all choices of further signs, up to two in all; `first` and `second` are the
/// bits chosen so far, -1 for none.
class Folding {
  public:
    Folding(int row_bits, double* out) : row_bits_(row_bits), out_(out) {}

    void fold(double* p, int bits, int first, int second) const {
        const int signs = second >= 0 ? 0 : first >= 0 ? 1 : 2;
        if (bits == 0) {
            out_[place(first, second)] = p[0];
            return;
        }
        const std::uint64_t half = std::uint64_t{1} << (bits - 1);
        if (signs == 0) {
            for (std::uint64_t x = 0; x < half; ++x) p[x] += p[x + half];
        } else {
            for (std::uint64_t x = 0; x < half; ++x) {
                const double a = p[x], b = p[x + half];
                p[x] = a + b;
                p[x + half] = a - b;
            }
            fold(p + half, bits - 1, first >= 0 ? first : bits - 1, first >= 0 ? bits - 1 : -1);
        }
        fold(p, bits - 1, first, second);
    }

  private:
    /// Index of a sum in RowSums; `first` is the higher bit.
    std::uint64_t place(int first, int second) const {
        if (first < 0) return 0;
        if (second < 0) return 1 + static_cast<std::uint64_t>(first);
        return 1 + static_cast<std::uint64_t>(row_bits_) + pair_index(second, first);
    }
    int row_bits_;
    double* out_;
};

template <class Real>
void row_sums(const StateLayout& layout, const Real* state, std::uint64_t rows, double* out, double* scratch,
              std::uint64_t scratch_doubles) {
    const std::uint64_t width = RowSums::width(layout.row_bits);
    const auto a = static_cast<std::uint64_t>(layout.row_bits);
#pragma omp parallel for schedule(static)
    for (std::uint64_t row = 0; row < rows; ++row) {
        double* p = scratch + static_cast<std::uint64_t>(omp_get_thread_num()) * scratch_doubles;
        double* sums = out + row * width;
        double* histogram = sums + 1 + a + a * (a - 1) / 2;
        probabilities(layout, state + layout.row_offset(row), p, histogram, histogram[a + 1]);
        Folding(layout.row_bits, sums).fold(p, layout.row_bits, -1, -1);
    }
}

template <class Real>
void scale(const StateLayout& layout, Real* state, std::uint64_t rows, double factor) {
    const auto by = static_cast<Real>(factor);
#pragma omp parallel for schedule(static)
    for (std::uint64_t row = 0; row < rows; ++row) {
        Real* p = state + layout.row_offset(row);
        for (std::uint64_t b = 0; b < layout.row_blocks(); ++b) {
            Real* block = p + layout.block_offset(b);
            for (std::uint64_t i = 0; i < layout.block_reals(); ++i) block[i] *= by;
        }
    }
}

}  // namespace

template <class Real>
void fill_row_sums(PassKernels<Real>& table) {
    table.row_sums = row_sums;
    table.scale = scale;
}
template void fill_row_sums(PassKernels<double>&);
template void fill_row_sums(PassKernels<float>&);

}  // namespace strata::trotter::STRATA_ISA
