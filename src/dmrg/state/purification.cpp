// SPDX-License-Identifier: BSD-3-Clause
// The bond within a pair has one state for each state of the site, in the order of the enlarged block: by charge, then by the
// state of the site. The bonds between pairs have one state.
#include "dmrg/state/purification.hpp"

#include <cmath>

namespace strata::dmrg {
namespace {

/// The state that completes the charge of s: that with all digits inverted, e.g. both for empty, -m for m.
std::size_t partner(const Model& model, std::size_t s) { return model.states() - 1 - s; }

/// Sectors of the bond within the pair whose left bond has the charge q, and [state of the site] sector and number there.
struct PairBond {
    Sectors sectors;
    std::vector<std::pair<std::size_t, std::size_t>> place;

    PairBond(const Model& model, Charge q) : place(model.states()) {
        std::vector<Charge> charges;
        for (const Charge& c : model.charges) charges.push_back(q + c);
        sectors.charges = charges;
        std::ranges::sort(sectors.charges);
        sectors.charges.erase(std::ranges::unique(sectors.charges).begin(), sectors.charges.end());
        sectors.states.resize(sectors.charges.size());
        for (std::size_t s = 0; s < charges.size(); ++s) {
            const std::size_t sector = *sectors.find(charges[s]);
            place[s] = {sector, sectors.states[sector]++};
        }
    }
};

/// The element of a tensor that connects a state of its kept bond with a state of the site and one of the other bond.
double& element(SiteTensor& t, std::size_t kept_sector, std::size_t kept_number, std::size_t site_state,
                std::size_t other_sector, std::size_t other_number) {
    const Segment* s = t.enlarged.find(*t.enlarged_sector(kept_sector), site_state, other_sector);
    return t.matrices[kept_sector](s->rows.first + other_number, kept_number);
}

}  // namespace

void set_infinite_temperature(const Model& model, ChainState& chain) {
    const Charge of_pair = model.charges[0] + model.charges[partner(model, 0)];
    std::vector<Sectors> bonds = {{{Charge{}}, {1}}};
    std::vector<PairBond> pairs;
    for (int site = 0; site < model.sites; site += 2) {
        const Charge q = bonds.back().charges[0];
        pairs.emplace_back(model, q);
        bonds.push_back(pairs.back().sectors);
        bonds.push_back({{q + of_pair}, {site + 2 == model.sites ? model.end_states() : 1}});
    }
    chain.set_shapes(0, bonds);
    const double amplitude = 1 / std::sqrt(static_cast<double>(model.states()));
    for (int site = 0; site < model.sites; site += 2) {
        const PairBond& pair = pairs[static_cast<std::size_t>(site) / 2];
        for (std::size_t s = 0; s < model.states(); ++s) {
            const auto [sector, number] = pair.place[s];
            if (site == 0)  // its kept bond is the one within the pair
                element(chain.tensor(0), sector, number, s, 0, 0) = amplitude;
            else
                element(chain.tensor(site), 0, 0, s, sector, number) = amplitude;
            element(chain.tensor(site + 1), sector, number, partner(model, s), 0, 0) = 1;
        }
    }
}

}  // namespace strata::dmrg
