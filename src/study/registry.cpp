// SPDX-License-Identifier: BSD-3-Clause
// Look-ups in the rows of the applications.
#include "study/registry.hpp"

#include <algorithm>

#include "cli/input_errors.hpp"
#include "cli/job.hpp"
#include "cli/key_search.hpp"
#include "kernels/instruction_sets.hpp"
#include "strata/error.hpp"

namespace strata {

const std::vector<ApplicationEntry>& applications() {
    static const std::vector<ApplicationEntry> rows = application_rows();
    return rows;
}

const ApplicationEntry& find_application(const std::string& name) {
    std::vector<std::string> names;
    for (const ApplicationEntry& entry : applications()) {
        if (entry.name == name) return entry;
        names.push_back(entry.name);
    }
    std::string all;
    for (const std::string& known : names) all += (all.empty() ? "" : ", ") + known;
    throw Error(ExitCode::bad_input, "'" + cli::printable(name) + "' is not an application of strata, which has " +
                                         all + "." + cli::suggestion(name, names));
}

std::vector<Key> all_keys(const ApplicationEntry& entry) {
    std::vector<Key> keys = cli::with_names_of_users(entry.keys());
    for (const Key& optional : cli::optional_keys())
        if (std::ranges::count(entry.optional_keys, optional.name) != 0) keys.push_back(optional);
    for (const Key& common : cli::common_keys())
        if (std::ranges::find(keys, common.name, &Key::name) == keys.end()) keys.push_back(common);
    return keys;
}

std::vector<std::string> validate(const ApplicationEntry& entry, const Config& config) {
    std::vector<std::string> found = entry.validate(config);
    if (std::ranges::count(entry.optional_keys, "backend.simd") == 0) return found;
    const std::string& simd = config.text("backend.simd");
    const std::vector<std::string_view>& usable = usable_instruction_sets();
    if (simd == "auto" || std::ranges::count(usable, simd) != 0) return found;
    std::string names = "auto";
    for (std::string_view name : usable) names += ", " + std::string(name);
    found.push_back(config.cite("backend.simd") + " is not possible here: this processor and this build can do " +
                    names + ".");
    return found;
}

}  // namespace strata
