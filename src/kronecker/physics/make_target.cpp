// SPDX-License-Identifier: BSD-3-Clause
// The synthetic target of the keys; a target without patches is refused with the nearest one that has some.
#include "kronecker/physics/make_target.hpp"

#include "strata/error.hpp"

namespace strata::kronecker {

namespace {

/// The nearest valid value for a target sector that has no patches, as the end of a sentence.
std::string nearest_target(const superblock::SyntheticModel& m) {
    superblock::SyntheticModel larger = m;
    for (larger.saved_states *= 2; larger.saved_states <= superblock::max_saved_states; larger.saved_states *= 2)
        if (!superblock::synthetic_patches(larger).empty())
            return "model.saved-states = " + std::to_string(larger.saved_states) + " is enough";
    return "half filling, sector.up = " + std::to_string((m.sites + 1) / 2) +
           " and sector.down = " + std::to_string(m.sites / 2) + ", needs least";
}

}  // namespace

superblock::Target make_target(const KroneckerConfig& config) {
    const superblock::SyntheticModel& m = config.model;
    superblock::Target target;
    target.layout = superblock::PatchLayout(superblock::synthetic_patches(m));
    if (target.layout.size() == 0)
        throw Error(ExitCode::bad_input,
                    "No patch reaches the target sector.up = " + std::to_string(m.up) + ", sector.down = " +
                        std::to_string(m.down) + " with model.saved-states = " + std::to_string(m.saved_states) +
                        ": every one has less than half a state in one of the blocks; " + nearest_target(m) + ".");
    target.terms = superblock::terms_of_rule(target.layout.patches(), config.rule, config.operators);
    return target;
}

}  // namespace strata::kronecker
