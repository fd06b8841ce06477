// SPDX-License-Identifier: BSD-3-Clause
// Rules that relate the values of several keys. Types, ranges and conditions that keys.cpp declares have been checked
// before (cli/applicability.hpp). The target is made once in order to find its errors.
#include "kronecker/run/validation.hpp"

#include "kronecker/job/config.hpp"
#include "kronecker/physics/make_target.hpp"
#include "strata/error.hpp"

namespace strata::kronecker {

std::vector<std::string> validate(const Config& config) {
    std::vector<std::string> found;
    const std::int64_t sites = config.integer("model.sites");
    for (const char* key : {"sector.up", "sector.down"})
        if (config.given(key) && config.integer(key) > sites)
            found.push_back(config.cite(key) + " is more than model.sites = " + std::to_string(sites) +
                            ", which hold one particle of each kind; use at most that.");
    if (!found.empty()) return found;
    try {
        make_target(resolve_config(config));
    } catch (const Error& error) {
        found.emplace_back(error.what());
    }
    return found;
}

}  // namespace strata::kronecker
