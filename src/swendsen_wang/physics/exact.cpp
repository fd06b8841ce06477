// SPDX-License-Identifier: BSD-3-Clause
// Kaufman's partition function of the square lattice on an n x m torus, Phys. Rev. 76, 1232 (1949), in the form of
// Ferdinand and Fisher, Phys. Rev. 185, 832 (1969):
// Z(K) = (2 sinh 2K)^(N/2) (Z1 + Z2 + Z3 + Z4) / 2 with
//   Z1, Z2 = prod over odd l of 2 cosh, 2 sinh (m g_l / 2)      Z3, Z4 = the same over even l
//   cosh g_l = cosh(2K)^2 / sinh(2K) - cos(pi l / n),  g_0 = 2K + ln tanh K (negative above T_c).
// Antiperiodic axes change the signs of the terms: Z1 and Z2 are traces over states of antiperiodic fermions along x,
// Z3 and Z4 of periodic ones, without and with the sign of their parity. An antiperiodic y multiplies states of one
// parity by -1, an antiperiodic x exchanges the parities. Each factor's logarithm and its first two derivatives in K
// are summed over the modes; the four terms are added with their signs relative to the largest, so that nothing
// overflows.
#include "swendsen_wang/physics/exact.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

namespace strata::swendsen_wang {
namespace {

using Real = long double;

/// A function of K with its first two derivatives.
struct Jet {
    Real value = 0, first = 0, second = 0;
};

/// (m / 2) g_l and its derivatives. cosh g - 1 is computed as a sum of squares, which does not cancel near T_c.
Jet mode(Real k, std::uint64_t n, std::uint64_t m, std::uint64_t l) {
    const Real s = std::sinh(2 * k), c = std::cosh(2 * k), half = static_cast<Real>(m) / 2;
    if (l == 0) return {half * (2 * k + std::log(std::tanh(k))), half * (2 + 2 / s), half * (-4 * c / (s * s))};
    const Real angle = std::numbers::pi_v<Real> * static_cast<Real>(l) / static_cast<Real>(2 * n);
    const Real u = (s - 1) * (s - 1) / s + 2 * std::sin(angle) * std::sin(angle);
    const Real slope = 2 * c * (1 - 1 / (s * s));
    const Real curvature = 4 * s * (1 - 1 / (s * s)) + 8 * c * c / (s * s * s);
    const Real sinh_g = std::sqrt(u * (u + 2)), first = slope / sinh_g;
    return {half * std::log1p(u + sinh_g), half * first, half * (curvature - (1 + u) * first * first) / sinh_g};
}

/// One of the four terms of Z, written as exp(log) times a scaled value and its derivatives.
struct Term {
    Real log = 0;
    Jet z;  ///< value and derivatives of the term itself, not of its logarithm, divided by exp(log)
};

/// The product of 2 cosh((m / 2) g_l) over l = 2 r + parity.
Term cosh_term(Real k, std::uint64_t n, std::uint64_t m, std::uint64_t parity) {
    Jet sum;
    for (std::uint64_t r = 0; r < n; ++r) {
        const Jet x = mode(k, n, m, 2 * r + parity);
        const Real a = std::abs(x.value), t = std::tanh(x.value);
        sum.value += a + std::log1p(std::exp(-2 * a));
        sum.first += t * x.first;
        sum.second += t * x.second + (1 - t * t) * x.first * x.first;
    }
    return {sum.value, {1, sum.first, sum.second + sum.first * sum.first}};
}

/// The product of 2 sinh((m / 2) g_l) over l = 2 r + parity. The factor r = 0, which changes sign at T_c for even l, is
/// multiplied separately.
Term sinh_term(Real k, std::uint64_t n, std::uint64_t m, std::uint64_t parity) {
    Jet rest;
    for (std::uint64_t r = 1; r < n; ++r) {
        const Jet x = mode(k, n, m, 2 * r + parity);
        const Real coth = 1 / std::tanh(x.value);
        rest.value += x.value + std::log(-std::expm1(-2 * x.value));
        rest.first += coth * x.first;
        rest.second += coth * x.second + (1 - coth * coth) * x.first * x.first;
    }
    const Real r2 = rest.second + rest.first * rest.first;
    const Jet x = mode(k, n, m, parity);
    const Real a = std::abs(x.value);
    const Real s = std::copysign(-std::expm1(-2 * a), x.value),
               c = 1 + std::exp(-2 * a);  // 2 sinh, 2 cosh over e^a
    const Jet f = {s, c * x.first, s * x.first * x.first + c * x.second};
    return {rest.value + a,
            {f.value, f.first + f.value * rest.first, f.second + 2 * f.first * rest.first + f.value * r2}};
}

}  // namespace

ExactTorus exact_torus(std::uint64_t nx, std::uint64_t ny, double reduced_coupling, Antiperiodic antiperiodic) {
    const auto [ax, ay] = antiperiodic;
    const bool negative[] = {ax && ay, ax && !ay, !ax && ay, ax || ay};
    const Real k = reduced_coupling, sites = static_cast<Real>(nx) * static_cast<Real>(ny);
    const Term terms[] = {cosh_term(k, nx, ny, 1), sinh_term(k, nx, ny, 1), cosh_term(k, nx, ny, 0),
                          sinh_term(k, nx, ny, 0)};
    Real largest = terms[0].log;
    for (const Term& t : terms) largest = std::max(largest, t.log);
    Jet z;
    for (std::size_t i = 0; i < std::size(terms); ++i) {
        const Term& t = terms[i];
        const Real weight = (negative[i] ? -1 : 1) * std::exp(t.log - largest);
        z.value += weight * t.z.value;
        z.first += weight * t.z.first;
        z.second += weight * t.z.second;
    }
    constexpr Real least = 1e-4L;  // of the largest term: fewer digits are left where they cancel
    if ((ax || ay) && !(z.value > least)) return {std::nan(""), std::nan("")};
    const Real first = z.first / z.value, second = z.second / z.value - first * first;
    const Real s = std::sinh(2 * k), c = std::cosh(2 * k), of_prefactor = 2 * sites / (s * s);
    // results below the rounding errors of their terms become 0: C falls exponentially at low temperature and as k^2 at
    // high temperature
    const auto per_site = [sites](Real sum, Real magnitude) {
        const Real rounding = 4 * std::numeric_limits<Real>::epsilon() * magnitude;
        return std::abs(sum) > rounding ? static_cast<double>(sum / sites) : 0.0;
    };
    return {per_site(-(sites * c / s + first), sites * c / s + std::abs(first)),
            per_site(k * k * (second - of_prefactor), k * k * (first * first + of_prefactor))};
}

/// The largest eigenvalue of the transfer matrix has the energies g_l of odd l, the next one those of even l, and their
/// ratio is exp(2 kappa).
double kink_weight(std::uint64_t width, double reduced_coupling) {
    Real sum = 0;
    for (std::uint64_t l = 0; l < 2 * width; ++l)
        sum += (l % 2 == 1 ? 1 : -1) * mode(reduced_coupling, width, 1, l).value;
    return static_cast<double>(sum / 2);
}

}  // namespace strata::swendsen_wang
