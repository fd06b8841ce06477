// SPDX-License-Identifier: BSD-3-Clause
// Rules that relate the values of several keys. Types, ranges and conditions that keys.cpp declares have been checked
// before (cli/applicability.hpp). The target and its operators are made once in order to find their errors.
#include "kronecker/run/validation.hpp"

#include <algorithm>

#include "kronecker/job/config.hpp"
#include "kronecker/physics/make_target.hpp"
#include "strata/error.hpp"

namespace strata::kronecker {

namespace {

using InputErrors = std::vector<std::string>;

/// Adds an error for a library that is not available.
void check_library(const Config& config, InputErrors& found) {
    const auto backend = chosen(config, "backend.gemm", gemm_choices);
    const std::vector<GemmBackend>& usable = usable_gemm_backends();
    if (!backend || std::ranges::count(usable, *backend) != 0) return;
    std::string words = "auto";
    for (const GemmBackend other : usable) words += ", " + std::string(name_of(other));
    found.push_back(config.cite("backend.gemm") + " is not there in this build or on this machine; it has " + words +
                    ".");
}

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
    check_library(config, found);
    if (config.text("run.variant") != "pairs" && config.text("backend.device") == "cuda")
        found.push_back(config.cite("run.variant") +
                        " runs on the CPU only; use pairs on a device, or backend.device = cpu.");
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
