// SPDX-License-Identifier: BSD-3-Clause
// Numbers are counted by state, site, sector, column and row.
#include "dmrg/random_state.hpp"

#include <algorithm>
#include <cmath>

#include "strata/random_purpose.hpp"
#include "strata/rng.hpp"

namespace strata::dmrg {
namespace {

/// A Gaussian around the part of the target's charge that falls to `sites` sites.
double weight(const Model& model, Charge q, int sites) {
    constexpr double variance = 0.8;
    const double part = static_cast<double>(sites) / model.sites;
    const double up = q.up - part * model.target.up, down = q.down - part * model.target.down;
    return std::exp(-(up * up + down * down) / (2 * variance));
}

double random_number(const RandomStream& stream, int site, std::size_t sector, std::uint64_t column,
                     std::uint64_t row) {
    const Philox4x32 words =
        philox(stream.seed, {static_cast<std::uint32_t>(site) << 16 | static_cast<std::uint32_t>(sector),
                             static_cast<std::uint32_t>(stream.state << 20 | column), static_cast<std::uint32_t>(row),
                             static_cast<std::uint32_t>(RandomPurpose::dmrg_state)});
    return std::ldexp(static_cast<double>((std::uint64_t{words[1]} << 32 | words[0]) >> 11), -52) - 1;
}

/// Gram-Schmidt, twice.
void orthonormalise(Matrix& m) {
    for (std::uint64_t j = 0; j < m.columns; ++j)
        for (int pass = 0; pass < 2; ++pass) {
            double* x = &m(0, j);
            for (std::uint64_t i = 0; i < j; ++i) {
                double overlap = 0;
                for (std::uint64_t r = 0; r < m.rows; ++r) overlap += m(r, i) * x[r];
                for (std::uint64_t r = 0; r < m.rows; ++r) x[r] -= overlap * m(r, i);
            }
            double squares = 0;
            for (std::uint64_t r = 0; r < m.rows; ++r) squares += x[r] * x[r];
            for (std::uint64_t r = 0; r < m.rows; ++r) x[r] /= std::sqrt(squares);
        }
}

}  // namespace

SiteTensor random_tensor(const Model& model, const EnlargedSectors& enlarged, int site, std::uint64_t states,
                         const RandomStream& stream) {
    const Sectors& all = enlarged.sectors;
    double total = 0, largest = 0;
    for (const Charge& q : all.charges) {
        total += weight(model, q, site);
        largest = std::max(largest, weight(model, q, site));
    }
    SiteTensor t;
    t.side = Side::right;
    t.enlarged = enlarged;
    for (std::size_t s = 0; s < all.size(); ++s) {
        const double share = weight(model, all.charges[s], site);
        const auto wanted = static_cast<std::uint64_t>(std::llround(share / total * static_cast<double>(states)));
        if (wanted == 0 && share < largest) continue;
        const std::uint64_t limit = std::min(all.states[s], product_states(model, site, all.charges[s]));
        t.kept.charges.push_back(all.charges[s]);
        t.kept.states.push_back(std::min(std::max<std::uint64_t>(wanted, 1), limit));
    }
    t.allocate_matrices();
    for (std::size_t k = 0; k < t.kept.size(); ++k) {
        Matrix& m = t.matrices[k];
        for (std::uint64_t j = 0; j < m.columns; ++j)
            for (std::uint64_t i = 0; i < m.rows; ++i) m(i, j) = random_number(stream, site, k, j, i);
        orthonormalise(m);
    }
    return t;
}

}  // namespace strata::dmrg
