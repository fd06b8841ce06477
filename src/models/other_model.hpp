// SPDX-License-Identifier: BSD-3-Clause
// A second Hamiltonian of a job on the same sites, e.g. that whose ground state a quench begins with: a section whose
// keys are those of [model], each with the value of [model] where it is not given.
#pragma once

#include "models/keys.hpp"

namespace strata {

/// The keys of the section, which apply where the condition holds. `whose`: what the Hamiltonian is for, as the end of
/// a noun phrase.
std::vector<Key> other_model_keys(const std::string& section, const ModelOffer& offer, const Condition& where,
                                  const std::string& whose);
/// Whether a key of the section is given.
bool has_other_model(const Config& config, const std::string& section);
/// The job with the values of the section in the place of those of [model].
Config with_other_model(const Config& config, const std::string& section);
/// The job with another number as the value of one key.
Config with_model_value(const Config& config, const std::string& key, double number);

}  // namespace strata
