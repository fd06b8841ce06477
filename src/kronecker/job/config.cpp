// SPDX-License-Identifier: BSD-3-Clause
// Texts become values; run/validation.cpp checks which of them can be combined.
#include "kronecker/job/config.hpp"

namespace strata::kronecker {

KroneckerConfig resolve_config(const Config& config) {
    const auto particles = [&](const char* key, int half) {
        return config.given(key) ? static_cast<int>(config.integer(key)) : half;
    };
    KroneckerConfig c;
    c.model.sites = static_cast<int>(config.integer("model.sites"));
    c.model.up = particles("sector.up", (c.model.sites + 1) / 2);
    c.model.down = particles("sector.down", c.model.sites / 2);
    c.model.saved_states = config.count("model.saved-states");
    c.model.width = config.real("model.width");
    c.operators = config.count("model.operators");
    c.rule = chosen(config, "model.rule", rule_choices);
    c.seed = config.count("run.seed");
    c.partition = chosen(config, "run.partition", partition_choices);
    c.precision = config.text("backend.precision") == "single" ? krylov::Precision::single : krylov::Precision::double_;
    c.simd = config.text("backend.simd");
    c.repeats = config.count("run.repeats");
    return c;
}

}  // namespace strata::kronecker
