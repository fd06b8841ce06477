// SPDX-License-Identifier: BSD-3-Clause
// States are listed site by site, and found again by bisection.
#include "lanczos/physics/subset_states.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "lanczos/physics/string_charges.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

/// The states of one site.
std::vector<BasisWords> states_of_site(int site, const Model& model) {
    std::vector<BasisWords> states;
    if (model.codes.coded()) {
        for (const std::uint64_t code : model.codes.codes) states.push_back({code << (site * model.codes.bits), 0});
        return states;
    }
    const std::uint64_t one = std::uint64_t{1} << site;
    for (const std::uint64_t up : {std::uint64_t{0}, one})
        for (const std::uint64_t down : {std::uint64_t{0}, one})
            if (model.spin_components == 2 || up == 0) states.push_back({down, up});
    return states;
}

/// The charge of a state that tells its block from others.
int charge_of_state(const BasisWords& words, const Model& model, const StringCharge& charge) {
    int sum = 0;
    for (std::size_t word = 0; word < 2; ++word)
        for (std::uint64_t bits = words[word]; bits != 0; bits &= bits - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
            sum += charge.weight[model.spin_components == 2 ? word : bit % charge.weight.size()];
        }
    return charge.modulus == 0 ? sum : sum % charge.modulus;
}

[[noreturn]] void refuse_size(std::size_t sites) {
    throw Error(ExitCode::bad_input, "run.cut has " + std::to_string(sites) +
                                         " sites on its smaller side, whose density matrix is too large: at most " +
                                         std::to_string(SubsetStates::max_states) + " states and " +
                                         std::to_string(SubsetStates::max_elements) +
                                         " elements between states of equal charges are possible; name fewer sites.");
}

}  // namespace

SubsetStates::SubsetStates(const std::vector<int>& sites, const Model& model, Conserved conserved)
    : fermions_(is_fermionic(model.kind)), states_({{0, 0}}) {
    for (const int site : sites) {
        const std::vector<BasisWords> of_site = states_of_site(site, model);
        if (states_.size() * of_site.size() > max_states) refuse_size(sites.size());
        std::vector<BasisWords> all;
        for (const BasisWords& state : states_)
            for (const BasisWords& more : of_site) all.push_back({state[0] | more[0], state[1] | more[1]});
        states_ = std::move(all);
        const std::uint64_t bits = (std::uint64_t{1} << model.codes.bits) - 1;
        mask_[0] |= bits << (site * model.codes.bits);
        if (model.spin_components == 2) mask_[1] |= std::uint64_t{1} << site;
    }
    std::ranges::sort(states_);
    const StringCharge of_sector = charge_of(model, conserved);
    std::map<int, std::uint32_t> block_of;
    for (const BasisWords& state : states_) {
        const int charge = charge_of_state(state, model, of_sector);
        const std::uint32_t block =
            block_of.try_emplace(charge, static_cast<std::uint32_t>(blocks_.size())).first->second;
        if (block == blocks_.size()) {
            blocks_.push_back(0);
            states_of_block_.emplace_back();
        }
        places_.push_back({block, static_cast<std::uint32_t>(blocks_[block]++)});
        states_of_block_[block].push_back(state);
    }
    std::uint64_t elements = 0;
    for (const std::size_t n : blocks_) {
        first_element_.push_back(elements);
        elements += n * n;
    }
    if (elements > max_elements) refuse_size(sites.size());
}

std::uint64_t SubsetStates::elements() const { return first_element_.back() + blocks_.back() * blocks_.back(); }

SubsetStates::Place SubsetStates::place(const BasisWords& words) const {
    const BasisWords own = {words[0] & mask_[0], words[1] & mask_[1]};
    return places_[static_cast<std::size_t>(std::ranges::lower_bound(states_, own) - states_.begin())];
}

bool SubsetStates::minus(const BasisWords& words) const {
    if (!fermions_) return false;
    const BasisWords others = rest(words);
    int passed = 0, before = 0;  // others in the words before
    for (std::size_t word = 0; word < 2; ++word) {
        for (std::uint64_t own = words[word] & mask_[word]; own != 0; own &= own - 1)
            passed += before + std::popcount(others[word] & ((own & -own) - 1));
        before += std::popcount(others[word]);
    }
    return passed % 2 != 0;
}

}  // namespace strata::lanczos
