// SPDX-License-Identifier: BSD-3-Clause
// Small eigenvalue problems, most by LAPACK. Problems whose results steer a run are solved on rank 0 and their results
// broadcast, since the libraries of two nodes may differ in the last bit.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "comm/communicator.hpp"

namespace strata::krylov {

/// Fraction of the tolerance that estimated residuals must reach, so that true ones do not exceed it by rounding.
constexpr double estimate_margin = 0.5;

/// Takes, once, the memory that LAPACK needs for calls from so many threads at the same time, if the address space or the
/// data of this process are limited: OpenBLAS waits for ever for memory that such a limit refuses. Throws
/// Error(does_not_fit).
void reserve_lapack_memory(int threads);

struct RitzPair {
    double value = 0;
    std::vector<double> vector;  ///< coefficients in the basis of the matrix, normalised
};

/// Lowest eigenpair of a symmetric tridiagonal matrix, to a few roundings of its norm (lowest_pair.cpp). `diagonal` has
/// n >= 1 entries, `off` at least n - 1. The first component that is not 0 is positive. Throws Error(numerical) if an entry
/// is not a finite number.
RitzPair lowest_pair(std::span<const double> diagonal, std::span<const double> off);
/// The same, solved on rank 0. Collective.
RitzPair lowest_pair(const Communicator& comm, std::span<const double> diagonal, std::span<const double> off);

/// All eigenpairs of a symmetric tridiagonal matrix in ascending order.
struct TridiagonalPairs {
    std::vector<double> values;
    std::vector<double> vectors;  ///< [i * n + j]: component j of the normalised vector i
};
TridiagonalPairs all_pairs(std::span<const double> diagonal, std::span<const double> off);

/// Gauss and Gauss-Radau rules of a recurrence (G. Golub, G. Meurant, Matrices, Moments and Quadrature, chapter 6):
/// nodes and weights, which add up to 1, for <v_0| f(H) |v_0>. With the node `lowest` below the spectrum prescribed,
/// the two bracket the exact value for every f whose derivatives alternate in sign, such as exp(-x / T).
struct Quadrature {
    std::vector<double> nodes, weights;
    std::vector<std::vector<double>> mixed = {};  ///< [y][node]: weights for <y| f(H) |v_0>
};
/// Products <v_k, y> of vectors y with those of a recurrence, [y][k].
using Overlaps = std::vector<std::span<const double>>;
Quadrature gauss_rule(std::span<const double> alpha, std::span<const double> beta, const Overlaps& overlaps = {});
/// `beta` has as many entries as `alpha`. The Gauss rule if `lowest` is not below the spectrum or beta.back() is 0.
Quadrature gauss_radau_rule(std::span<const double> alpha, std::span<const double> beta, double lowest,
                            const Overlaps& overlaps = {});

/// All eigenpairs of a Hermitian matrix of n rows, column by column; vectors[i * n + j] is component j of vector i.
struct DensePairs {
    std::vector<double> values;
    std::vector<std::complex<double>> vectors;
};
DensePairs hermitian_pairs(std::size_t n, std::vector<std::complex<double>> matrix);
/// The same, solved on rank 0. Collective.
DensePairs hermitian_pairs(const Communicator& comm, std::size_t n, std::vector<std::complex<double>> matrix);
/// Eigenpairs of a real symmetric matrix of n rows, column by column, with eigenvalues above `lower`, the largest
/// first; vectors[i * n + j] is component j of vector i. Several threads may call the function at once. n <= 46306.
struct LargestPairs {
    std::vector<double> values, vectors;
};
LargestPairs largest_symmetric_pairs(std::size_t n, std::span<const double> matrix, double lower);
/// Eigenvalues alone of a Hermitian matrix, column by column, in ascending order. The lower triangle is not read.
std::vector<double> hermitian_values(std::size_t n, std::vector<std::complex<double>> matrix);

}  // namespace strata::krylov
