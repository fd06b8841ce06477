// SPDX-License-Identifier: BSD-3-Clause
// Products of a segment of length S with itself and the next one give the sums of distances below S: the segment is
// transformed with S zeros behind it, and S numbers later the transform of the next one has its odd elements negated.
// Two halves of the series, as real and imaginary parts, share each transform: the real part of the correlation of a
// complex series is the sum of those of both parts.
#include "analysis/autocovariance.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace strata::analysis {
namespace {

using Complex = std::complex<double>;

/// Without the test for infinities that the operator makes.
Complex product(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

FourierTransform::FourierTransform(std::size_t size) : roots_(std::max<std::size_t>(size, 2), Complex(1)) {
    Complex first(0, -1);  // exp(-pi i / length), by halving the angle
    for (std::size_t length = 2; length < size; length *= 2) {
        for (std::size_t j = 0; j < length; ++j) {
            const Complex even = roots_[length / 2 + j / 2];
            roots_[length + j] = j % 2 == 0 ? even : product(even, first);
        }
        const double cosine = std::sqrt((1 + first.real()) / 2);
        first = {cosine, first.imag() / (2 * cosine)};
    }
}

void FourierTransform::forward(std::span<Complex> x) const {
    for (std::size_t length = x.size() / 2; length > 0; length /= 2)
        for (std::size_t first = 0; first < x.size(); first += 2 * length)
            for (std::size_t j = first; j < first + length; ++j) {
                const Complex difference = x[j] - x[j + length];
                x[j] += x[j + length];
                x[j + length] = product(difference, roots_[length + j - first]);
            }
}

void FourierTransform::backward(std::span<Complex> x) const {
    for (std::size_t length = 1; length < x.size(); length *= 2)
        for (std::size_t first = 0; first < x.size(); first += 2 * length)
            for (std::size_t j = first; j < first + length; ++j) {
                const Complex rotated = product(x[j + length], std::conj(roots_[length + j - first]));
                x[j + length] = x[j] - rotated;
                x[j] += rotated;
            }
}

double Autocovariance::operator()(std::size_t distance) {
    while (distance >= sums_.size()) sums_.size() < direct ? add_direct_sums() : add_transformed();
    return sums_[distance] / static_cast<double>(deviations_.size() - distance);
}

/// Sums of distances that are accumulated side by side, two in a vector, do not wait for each other.
void Autocovariance::add_direct_sums() {
    using Pair = double __attribute__((vector_size(16)));
    constexpr std::size_t together = 16;
    const std::size_t known = sums_.size(), n = deviations_.size(), most = known + together - 1;
    const double* d = deviations_.data();
    const std::size_t whole = n > most ? n - most : 0;  // numbers that have partners at all of these distances
    Pair pairs[together / 2] = {};
    for (std::size_t i = 0; i < whole; ++i)
        for (std::size_t t = 0; t < together; t += 2) {
            Pair partners;
            std::memcpy(&partners, d + i + known + t, sizeof partners);
            pairs[t / 2] += d[i] * partners;
        }
    for (std::size_t t = 0; t < together; ++t) {
        double sum = pairs[t / 2][t % 2];
        for (std::size_t i = whole; i + known + t < n; ++i) sum += d[i] * d[i + known + t];
        sums_.push_back(sum);
    }
}

/// Writes a segment of the series, and as imaginary parts the segment that begins `imaginary` numbers later; zeros follow.
void Autocovariance::read_segment(std::size_t segment, std::size_t imaginary, std::span<Complex> x) const {
    const std::size_t length = x.size() / 2, first = segment * length;
    const auto value = [&](std::size_t i) { return i < deviations_.size() ? deviations_[i] : 0.0; };
    for (std::size_t i = 0; i < length; ++i) x[i] = {value(first + i), value(first + i + imaginary)};
    std::fill(x.begin() + static_cast<std::ptrdiff_t>(length), x.end(), Complex());
}

/// Adds distances up to eight times the known ones, or as many as a segment is long. Distances from `apart` segments on are
/// products of segments that are so far apart.
void Autocovariance::add_transformed() {
    const std::size_t known = sums_.size(), n = deviations_.size();
    const std::size_t length = std::min({8 * std::bit_floor(known), longest_segment, std::bit_ceil(n)});
    const std::size_t apart = known / length, segments = (n + length - 1) / length, half = (segments + 1) / 2;
    const FourierTransform transform(2 * length);
    std::vector<Complex> own(2 * length), here(2 * length), next(2 * length), sum(2 * length);
    const auto read = [&](std::size_t segment, std::vector<Complex>& x) {
        read_segment(segment, half * length, x);
        transform.forward(x);
    };
    read(apart, here);
    for (std::size_t s = 0; s < half; ++s) {
        read(s + apart + 1, next);
        if (apart > 0) read(s, own);
        const std::vector<Complex>& first = apart > 0 ? own : here;
        for (std::size_t k = 0; k < length; ++k) {  // even elements of the transforms, then the odd ones
            sum[k] += product(std::conj(first[k]), here[k] + next[k]);
            sum[length + k] += product(std::conj(first[length + k]), here[length + k] - next[length + k]);
        }
        std::swap(here, next);
    }
    transform.backward(sum);
    for (std::size_t t = known - apart * length; t < length; ++t)
        sums_.push_back(sum[t].real() / static_cast<double>(2 * length));
}

}  // namespace strata::analysis
