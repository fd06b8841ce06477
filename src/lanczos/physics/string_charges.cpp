// SPDX-License-Identifier: BSD-3-Clause
// Sites of one bit have the charge of a particle; those of several the charges of their codes.
#include "lanczos/physics/string_charges.hpp"

#include <bit>
#include <memory>

namespace strata::lanczos {

StringCharge charge_of(const Model& model, Conserved conserved) {
    using enum Conserved;
    constexpr int up = 64;  // more than there are electrons with spin down
    const int modes = model.kind == SiteKind::electrons ? 2 : model.codes.bits;
    StringCharge charge = {std::vector<int>(static_cast<std::size_t>(modes), 1)};
    if (conserved == parity) charge.modulus = 2;
    if (conserved == nothing) charge.modulus = 1;
    if (model.kind == SiteKind::electrons && conserved == numbers) charge.weight = {1, up};
    if (conserved == spin) charge.weight = {-1, 1};
    return charge;
}

int total_charge(const Model& model, const Filling& f) {
    if (!model.codes.coded() || model.kind != SiteKind::electrons || f.conserved != Conserved::numbers) return f.up;
    const StringCharge charge = charge_of(model, f.conserved);
    return f.down * charge.weight[0] + f.up * charge.weight[1];
}

SiteStates site_states(const Model& model, const Filling& filling) {
    const StringCharge charge = charge_of(model, filling.conserved);
    SiteStates all = {{}, total_charge(model, filling), charge.modulus, model.codes.bits};
    const std::vector<std::uint64_t> codes = model.codes.coded() ? model.codes.codes : std::vector<std::uint64_t>{0, 1};
    for (const std::uint64_t code : codes) {
        int sum = 0;
        for (std::size_t bit = 0; bit < charge.weight.size(); ++bit)
            sum += (code >> bit & 1) != 0 ? charge.weight[bit] : 0;
        all.states.push_back({sum, std::popcount(code) % 2 == 1});
    }
    return all;
}

BitStrings whole_strings(const Model& model, const Filling& f) {
    using enum BitStrings::Kind;
    const int sites = model.lattice.sites;
    if (model.codes.coded())
        return {std::make_shared<const CodedStrings>(sites, model.codes, charge_of(model, f.conserved)),
                total_charge(model, f)};
    if (f.conserved == Conserved::parity) return {sites, parity, f.up};
    return f.conserved == Conserved::nothing ? BitStrings(sites, all, 0) : BitStrings(sites, f.up);
}

}  // namespace strata::lanczos
