// SPDX-License-Identifier: BSD-3-Clause
// Rules that relate the values of several keys. Types, ranges and conditions that keys.cpp declares have been checked
// before (cli/applicability.hpp). The target and its operators are made once in order to find their errors.
#include "kronecker/config.hpp"

#include <algorithm>

#include "kronecker/operator_file.hpp"
#include "kronecker/random_operators.hpp"
#include "strata/error.hpp"

namespace strata::kronecker {
namespace {

using InputErrors = std::vector<std::string>;

/// The nearest valid value for a target sector that has no patches, as the end of a sentence.
std::string nearest_target(const SyntheticModel& m) {
    SyntheticModel larger = m;
    for (larger.saved_states *= 2; larger.saved_states <= max_saved_states; larger.saved_states *= 2)
        if (!synthetic_patches(larger).empty())
            return "model.saved-states = " + std::to_string(larger.saved_states) + " is enough";
    return "half filling, sector.up = " + std::to_string((m.sites + 1) / 2) +
           " and sector.down = " + std::to_string(m.sites / 2) + ", needs least";
}

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

KroneckerConfig resolve_config(const Config& config) {
    const auto count = [&](const char* key) { return static_cast<std::uint64_t>(config.integer(key)); };
    const auto particles = [&](const char* key, int half) {
        return config.given(key) ? static_cast<int>(config.integer(key)) : half;
    };
    KroneckerConfig c;
    c.model.sites = static_cast<int>(config.integer("model.sites"));
    c.model.up = particles("sector.up", (c.model.sites + 1) / 2);
    c.model.down = particles("sector.down", c.model.sites / 2);
    c.model.saved_states = count("model.saved-states");
    c.model.width = config.real("model.width");
    c.operators = count("model.operators");
    c.rule = chosen(config, "model.rule", rule_choices);
    c.operator_file = config.text("model.file");
    c.operator_content = config.content("model.file");
    c.seed = count("run.seed");
    c.variant = chosen(config, "run.variant", variant_choices);
    c.partition = chosen(config, "run.partition", partition_choices);
    c.precision = config.text("backend.precision") == "single" ? krylov::Precision::single : krylov::Precision::double_;
    c.gemm = chosen(config, "backend.gemm", gemm_choices);
    c.block_threads = static_cast<int>(config.integer("backend.block-threads"));
    c.device_gemm = chosen(config, "backend.device-gemm", device_gemm_choices);
    c.simd = config.text("backend.simd");
    c.repeats = count("run.repeats");
    c.lanczos_steps = count("run.lanczos-steps");
    c.states = count("run.states");
    c.basis = count("run.basis");
    c.tolerance = config.real("run.tolerance");
    c.allow_unconverged = config.boolean("run.allow-unconverged");
    return c;
}

HostOptions host_options(const KroneckerConfig& c) {
    return {c.variant, c.simd, c.gemm, c.block_threads, c.seed, Sharing::allowed};
}

Target make_target(const KroneckerConfig& config) {
    const SyntheticModel& m = config.model;
    Target target;
    target.layout = PatchLayout(synthetic_patches(m));
    if (target.layout.size() == 0)
        throw Error(ExitCode::bad_input,
                    "No patch reaches the target sector.up = " + std::to_string(m.up) + ", sector.down = " +
                        std::to_string(m.down) + " with model.saved-states = " + std::to_string(m.saved_states) +
                        ": every one has less than half a state in one of the blocks; " + nearest_target(m) + ".");
    target.terms = terms_of_rule(target.layout.patches(), config.rule, config.operators);
    return target;
}

std::unique_ptr<OperatorSource> make_operators(const KroneckerConfig& config, const Target& target) {
    if (config.operator_file.empty()) return std::make_unique<RandomOperators>(target, config.seed);
    return std::make_unique<FileOperators>(target, config.operator_file, config.operator_content);
}

}  // namespace strata::kronecker
