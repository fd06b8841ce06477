// SPDX-License-Identifier: BSD-3-Clause
// Rules that relate the values of several keys. Types, ranges and conditions that keys.cpp declares have been checked
// before (cli/applicability.hpp). The target and its operators are made once in order to find their errors.
#include "kronecker/run/validation.hpp"

#include "kronecker/job/config.hpp"
#include "kronecker/physics/make_target.hpp"
#include "strata/error.hpp"

namespace strata::kronecker {

namespace {

using InputErrors = std::vector<std::string>;

}  // namespace

InputErrors validate(const Config& config) {
    InputErrors found;
    const std::int64_t sites = config.integer("model.sites");
    for (const char* key : {"sector.up", "sector.down"})
        if (config.given(key) && config.integer(key) > sites)
            found.push_back(config.cite(key) + " is more than model.sites = " + std::to_string(sites) +
                            ", which hold one particle of each kind; use at most that.");
    const std::int64_t states = config.integer("run.states"), basis = config.integer("run.basis");
    if (basis != 0 && basis < states + 4)
        found.push_back(config.cite("run.basis") + " is too small for run.states = " + std::to_string(states) +
                        "; use at least " + std::to_string(states + 4) + ", or 0.");
    if (!found.empty()) return found;
    try {
        const KroneckerConfig c = resolve_config(config);
        const Target target = make_target(c);
        make_operators(c, target);
    } catch (const Error& error) {
        found.emplace_back(error.what());
    }
    return found;
}

InputErrors validate_resume(const Config& before, const Config& now) {
    const char* key = "run.lanczos-steps";
    if ((before.integer(key) == 0) == (now.integer(key) == 0)) return {};
    return {now.cite(key) + " was " + before.value(key).text +
            "; a run of products cannot go on as a search for eigenvalues, nor the other way round. Start a new one."};
}

}  // namespace strata::kronecker
