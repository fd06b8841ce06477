// SPDX-License-Identifier: BSD-3-Clause
// Autocovariances of a long series at distances 0, 1, 2, ..., as many as are asked for.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace strata::analysis {

/// Discrete Fourier transform of a power of two of complex numbers with a fixed order of sums. Its roots of unity come from
/// square roots and products, which every processor rounds alike.
class FourierTransform {
  public:
    explicit FourierTransform(std::size_t size);
    /// Replaces x by its transform, X(k) = sum of x(j) exp(-2 pi i j k / size), in bit-reversed order of k.
    void forward(std::span<std::complex<double>> x) const;
    /// The inverse of forward(), times the size.
    void backward(std::span<std::complex<double>> x) const;

  private:
    std::vector<std::complex<double>> roots_;  ///< [length + j] exp(-pi i j / length) for lengths 1, 2, 4, ...
};

/// The first distances are summed directly, 16 at a time and each in the order of the series; the others by Fourier
/// transforms of segments of the series, in time proportional to the logarithm of the distance.
class Autocovariance {
  public:
    /// `deviations` from the mean of the series must outlive this object.
    explicit Autocovariance(std::span<const double> deviations) : deviations_(deviations) {}
    /// Mean of d(i) d(i + distance) over all i; distance < size of the series.
    double operator()(std::size_t distance);

    static constexpr std::size_t direct = 64;                ///< distances that are summed directly
    static constexpr std::size_t longest_segment = 1 << 16;  ///< bounds the memory of the transforms to 10 MB

  private:
    void add_direct_sums();
    void add_transformed();
    void read_segment(std::size_t segment, std::size_t imaginary, std::span<std::complex<double>> x) const;

    std::span<const double> deviations_;
    std::vector<double> sums_;  ///< [distance] sum of the products, as far as it is known
};

}  // namespace strata::analysis
