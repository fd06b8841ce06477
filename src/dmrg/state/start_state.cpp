// SPDX-License-Identifier: BSD-3-Clause
// Random numbers are functions of state, site, sector, column and row (counter-based generator).
#include "dmrg/state/start_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "krylov/tridiagonal.hpp"
#include "strata/random_purpose.hpp"
#include "strata/rng.hpp"

namespace strata::dmrg {
namespace {

/// States of each charge that the estimate of energies keeps.
constexpr std::size_t states_per_charge = 3;

double random_number(const RandomStream& stream, int site, std::size_t sector, std::uint64_t column,
                     std::uint64_t row) {
    const Philox4x32 words =
        philox(stream.seed, {static_cast<std::uint32_t>(site) << 16 | static_cast<std::uint32_t>(sector),
                             static_cast<std::uint32_t>(stream.state << 20 | column), static_cast<std::uint32_t>(row),
                             static_cast<std::uint32_t>(RandomPurpose::dmrg_state)});
    return std::ldexp(static_cast<double>((std::uint64_t{words[1]} << 32 | words[0]) >> 11), -52) - 1;
}

/// Charges of a bond within a radius of the mean filling, which includes all charges of short chains.
ChargeRange near_mean(const Model& model, int bond) {
    const int radius = model.kind == SiteKind::electrons ? 10 : 40;
    const auto mean = [&](int n) { return static_cast<int>(std::int64_t{n} * bond / model.sites); };
    const int up = mean(model.target.up), down = mean(model.target.down);
    ChargeRange range = reachable_charges(model, bond);
    range.lowest.up = std::max(range.lowest.up, up - radius);
    range.lowest.down = std::max(range.lowest.down, down - radius);
    range.highest.up = std::min(range.highest.up, up + radius);
    range.highest.down = std::min(range.highest.down, down + radius);
    return range;
}

/// Eigenvalues, ascending, and eigenvectors of a sector's Hamiltonian.
krylov::LargestPairs lowest_pairs(Matrix h) {
    for (double& element : h.elements) element = -element;
    krylov::LargestPairs pairs =
        krylov::largest_symmetric_pairs(h.rows, h.elements, -std::numeric_limits<double>::max());
    for (double& value : pairs.values) value = -value;
    return pairs;
}

/// Makes the columns from `first` on orthonormal to all before them, by Gram-Schmidt, twice for accuracy.
void orthonormalise(Matrix& m, std::uint64_t first) {
    for (std::uint64_t j = first; j < m.columns; ++j)
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

const double* find(const ChargeEnergies& energies, const Charge& charge) {
    const auto e = std::ranges::lower_bound(energies, charge, {}, &ChargeEnergies::value_type::first);
    return e != energies.end() && e->first == charge ? &e->second : nullptr;
}

/// [bond] empty lists with reserved memory: small allocations that persist between large ones that are freed would
/// fragment the memory of the C library.
std::vector<ChargeEnergies> empty_energies(const Model& model) {
    std::vector<ChargeEnergies> energies(static_cast<std::size_t>(model.sites) + 1);
    for (int bond = 0; bond <= model.sites; ++bond) {
        const ChargeRange range = near_mean(model, bond);
        const Charge size = range.highest - range.lowest;
        energies[static_cast<std::size_t>(bond)].reserve(2 * static_cast<std::size_t>(size.up + 1) *
                                                         static_cast<std::size_t>(size.down + 1));
    }
    return energies;
}

/// [bond] lowest energy of the block of one side for each charge.
std::vector<ChargeEnergies> block_energies(const Model& model, const Algebra& algebra, Side side) {
    const bool left = side == Side::left;
    std::vector<ChargeEnergies> energies = empty_energies(model);
    Block block = left ? Block::left_end(model) : Block::right_end(model);
    energies[static_cast<std::size_t>(left ? 0 : model.sites)] = {{block.sectors.charges[0], 0.0}};
    for (int n = 0; n < model.sites; ++n) {
        const int site = left ? n : model.sites - 1 - n, bond = left ? site + 1 : site;
        const auto b = static_cast<std::size_t>(bond);
        const EnlargedBlock grown = grow(model, block, side, site, near_mean(model, bond));
        SiteTensor t;
        t.side = side;
        t.enlarged = grown.basis;
        for (std::size_t s = 0; s < grown.basis.sectors.size(); ++s) {
            const krylov::LargestPairs pairs = lowest_pairs(grown.hamiltonian.from_sector[s]);
            const std::size_t kept = std::min(states_per_charge, pairs.values.size());
            t.kept.charges.push_back(grown.basis.sectors.charges[s]);
            t.kept.states.push_back(kept);
            t.matrices.emplace_back(grown.basis.sectors.states[s], kept);
            std::copy_n(pairs.vectors.begin(), t.matrices.back().elements.size(), t.matrices.back().elements.begin());
            energies[b].emplace_back(t.kept.charges.back(), pairs.values[0]);
        }
        block = rotate(algebra, grown, t);
    }
    return energies;
}

/// [sector] relative number of columns: a Gaussian around the charge of lowest energy, and a thermal distribution.
std::vector<double> shares(const Model& model, const Sectors& sectors, const ChargeEnergies& energies) {
    constexpr double variance = 0.8;
    const double temperature = 2 * exchange_scale(model);
    const auto lowest = std::ranges::min_element(energies, {}, [](const auto& e) { return e.second; });
    std::vector<double> gaussian, thermal;
    for (const Charge& q : sectors.charges) {
        const Charge d = q - lowest->first;
        gaussian.push_back(std::exp(-(d.up * d.up + d.down * d.down) / (2 * variance)));
        const double* e = find(energies, q);
        thermal.push_back(e == nullptr ? 0 : std::exp((lowest->second - *e) / temperature));
    }
    double gaussians = 0, thermals = 0;
    for (std::size_t s = 0; s < sectors.size(); ++s) gaussians += gaussian[s], thermals += thermal[s];
    std::vector<double> all;
    for (std::size_t s = 0; s < sectors.size(); ++s)
        all.push_back((gaussians > 0 ? gaussian[s] / gaussians : 0) + (thermals > 0 ? thermal[s] / thermals : 0));
    return all;
}

/// [sector] number of columns.
std::vector<std::uint64_t> column_counts(const Model& model, const Sectors& sectors, std::uint64_t states,
                                         const ChargeEnergies& energies) {
    const std::vector<double> share = shares(model, sectors, energies);
    std::vector<std::size_t> order(sectors.size());
    for (std::size_t s = 0; s < order.size(); ++s) order[s] = s;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return share[a] > share[b]; });
    if (order.size() > states) order.resize(states);
    std::vector<std::uint64_t> counts(sectors.size());
    for (const std::size_t s : order) {
        const auto requested = static_cast<std::uint64_t>(std::llround(0.5 * share[s] * static_cast<double>(states)));
        counts[s] = std::min(std::max<std::uint64_t>(requested, 1), sectors.states[s]);
    }
    return counts;
}

}  // namespace

double exchange_scale(const Model& model) {
    double scale = 0;
    for (const Term& t : model.terms.all())
        if (t.conjugate) scale = std::max(scale, std::abs(t.amplitude));
    return scale > 0 ? scale : 1;
}

std::vector<ChargeEnergies> estimate_energies(const Model& model, const Algebra& algebra) {
    const std::vector<ChargeEnergies> left = block_energies(model, algebra, Side::left);
    std::vector<ChargeEnergies> both = block_energies(model, algebra, Side::right);
    for (std::size_t bond = 0; bond < both.size(); ++bond) {
        for (auto& [q, energy] : both[bond]) {
            const double* l = find(left[bond], q);
            energy += l == nullptr ? std::numeric_limits<double>::infinity() : *l;
        }
        std::erase_if(both[bond], [](const auto& e) { return std::isinf(e.second); });
    }
    return both;
}

SiteTensor start_tensor(const Model& model, const EnlargedBlock& enlarged, int site, std::uint64_t states,
                        const ChargeEnergies& energies, StartColumns columns, const RandomStream& stream) {
    const Sectors& all = enlarged.basis.sectors;
    const std::vector<std::uint64_t> counts = column_counts(model, all, states, energies);
    SiteTensor t;
    t.side = Side::right;
    t.enlarged = enlarged.basis;
    for (std::size_t s = 0; s < all.size(); ++s) {
        if (counts[s] == 0) continue;
        const std::size_t sector = t.kept.size();
        t.kept.charges.push_back(all.charges[s]);
        t.kept.states.push_back(counts[s]);
        Matrix& m = t.matrices.emplace_back(all.states[s], counts[s]);
        std::uint64_t low = 0;
        if (columns == StartColumns::low_states) {
            low = (counts[s] + 1) / 2;
            const krylov::LargestPairs pairs = lowest_pairs(enlarged.hamiltonian.from_sector[s]);
            std::copy_n(pairs.vectors.begin(), m.rows * low, m.elements.begin());
        }
        for (std::uint64_t j = low; j < m.columns; ++j)
            for (std::uint64_t i = 0; i < m.rows; ++i) m(i, j) = random_number(stream, site, sector, j, i);
        orthonormalise(m, low);
    }
    return t;
}

}  // namespace strata::dmrg
