// SPDX-License-Identifier: BSD-3-Clause
// carry(): F'(q', q) = sum over elements (to, from) of the site operator of  value * A_to F A_from^T.
#include "dmrg/measurement.hpp"

#include <algorithm>
#include <map>

namespace strata::dmrg {
namespace {

Matrix rows_of(const Matrix& m, Rows rows) {
    Matrix part(rows.count, m.columns);
    for (std::uint64_t j = 0; j < m.columns; ++j)
        for (std::uint64_t i = 0; i < rows.count; ++i) part(i, j) = m(rows.first + i, j);
    return part;
}

}  // namespace

Measurement::Measurement(const Model& model, const Algebra& algebra, const ChainState& chain)
    : model_(model), algebra_(algebra) {
    const std::vector<Sectors> bonds = chain.bonds();
    for (int i = 0; i < model.sites; ++i) {
        const SiteTensor& stored = chain.tensors()[static_cast<std::size_t>(i)];
        const SiteTensor tensor = stored.side == Side::left ? regrouped(stored, model.charges) : stored;
        const Sectors& right = bonds[static_cast<std::size_t>(i) + 1];
        Site site{{tensor.kept, right}, std::vector<std::vector<Part>>(model.states())};
        for (std::size_t k = 0; k < tensor.kept.size(); ++k) {
            const auto e = tensor.enlarged_sector(k);
            if (!e) continue;
            for (const Segment& s : tensor.enlarged.segments[*e]) {
                Part part{k, s.sector, rows_of(tensor.matrices[k], s.rows), {}};
                part.transpose = transposed(part.matrix);
                site.of_state[s.site_state].push_back(std::move(part));
            }
        }
        sites_.push_back(std::move(site));
    }
    BlockOperator nothing{{}, {Matrix(1, 1)}};
    nothing.from_sector[0](0, 0) = 1;
    density_.push_back(nothing);
    for (int i = 0; i < model.sites; ++i)
        density_.push_back(carry(i, density_.back(), diagonal(std::vector<double>(model.states(), 1.0))));
}

BlockOperator Measurement::carry(int site, const BlockOperator& op, const SiteOperator& of_site) const {
    const Site& s = sites_[static_cast<std::size_t>(site)];
    const Sectors &before = s.bond[0], &after = s.bond[1];
    BlockOperator result;
    result.change = op.change;
    if (!of_site.elements.empty()) {
        const SiteOperator::Element& e = of_site.elements.front();
        result.change = op.change + (model_.charges[std::size_t(e.to)] - model_.charges[std::size_t(e.from)]);
    }
    result.from_sector.resize(after.size());
    for (const SiteOperator::Element& element : of_site.elements)
        for (const Part& ket : s.of_state[std::size_t(element.from)]) {
            const Matrix& f = op.from_sector[ket.left];
            const auto bra_left = before.find(before.charges[ket.left] + op.change);
            if (f.empty() || !bra_left) continue;
            for (const Part& bra : s.of_state[std::size_t(element.to)]) {
                if (bra.left != *bra_left) continue;
                Matrix part = algebra_.product(bra.matrix, algebra_.product(f, ket.transpose));
                Matrix& sum = result.from_sector[ket.right];
                if (sum.empty()) sum = Matrix(part.rows, part.columns);
                for (std::size_t i = 0; i < part.elements.size(); ++i)
                    sum.elements[i] += element.value * part.elements[i];
            }
        }
    return result;
}

double Measurement::trace(const BlockOperator& op) const {
    double sum = 0;
    for (const Matrix& m : op.from_sector)
        for (std::uint64_t i = 0; i < std::min(m.rows, m.columns); ++i) sum += m(i, i);
    return sum / (density_.back().from_sector.empty() ? 1 : density_.back().from_sector[0](0, 0));
}

std::vector<double> Measurement::local(const std::vector<double>& values) const {
    std::vector<double> result;
    for (int i = 0; i < model_.sites; ++i)
        result.push_back(trace(carry(i, density_[static_cast<std::size_t>(i)], diagonal(values))));
    return result;
}

std::vector<double> Measurement::pairs(const Channel& channel, const std::vector<std::pair<int, int>>& sites) const {
    std::map<int, std::vector<std::size_t>> of_first;  // site i -> members of `sites`
    for (std::size_t n = 0; n < sites.size(); ++n) of_first[sites[n].first].push_back(n);
    std::vector<std::pair<int, std::vector<std::size_t>>> tasks(of_first.begin(), of_first.end());
    std::vector<double> result(sites.size());
    const SiteOperator between = factor_between(model_, channel);
    for_each(algebra_, tasks.size(), [&](std::size_t task) {
        const auto& [i, members] = tasks[task];
        int last = 0;
        for (std::size_t n : members) last = std::max(last, sites[n].second);
        BlockOperator op = carry(i, density_[static_cast<std::size_t>(i)], channel.x);
        for (int j = i + 1; j <= last; ++j) {
            for (std::size_t n : members)
                if (sites[n].second == j) result[n] = trace(carry(j, op, channel.y));
            if (j < last) op = carry(j, op, between);
        }
    });
    return result;
}

std::vector<double> Measurement::bond_energies(const std::vector<Bond>& bonds) const {
    std::map<std::pair<int, int>, double> of_pair;
    for (std::size_t c = 0; c < model_.channels.size(); ++c) {
        std::vector<std::pair<int, int>> sites;
        std::vector<double> factors;
        for (const Coupling& coupling : model_.couplings)
            if (coupling.channel == c) {
                sites.emplace_back(coupling.i, coupling.j);
                factors.push_back(coupling.amplitude * (model_.channels[c].conjugate ? 2 : 1));
            }
        const std::vector<double> values = pairs(model_.channels[c], sites);
        for (std::size_t n = 0; n < sites.size(); ++n) of_pair[sites[n]] += factors[n] * values[n];
    }
    std::vector<double> result;
    for (const Bond& b : bonds) result.push_back(of_pair[{b.i, b.j}]);
    return result;
}

double Measurement::energy(const std::vector<double>& of_bonds) const {
    double sum = 0;
    for (double e : of_bonds) sum += e;
    for (int i = 0; i < model_.sites; ++i)
        sum += trace(
            carry(i, density_[static_cast<std::size_t>(i)], diagonal(model_.energies[static_cast<std::size_t>(i)])));
    return sum;
}

}  // namespace strata::dmrg
