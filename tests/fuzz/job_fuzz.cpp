// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a job file: a job, or an Error(bad_input); nothing else.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "strata/error.hpp"
#include "study/study_source.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const strata::Study job = strata::read_job_from_text("fuzz", text, {});
        const std::string canonical = strata::cli::canonical_text(job.config);
        const strata::Config again = strata::cli::from_canonical_text(canonical, strata::all_keys(*job.entry));
        if (strata::cli::canonical_text(again) != canonical) std::abort();
    } catch (const strata::Error& error) {
        if (error.code() != strata::ExitCode::bad_input) std::abort();
    }
    return 0;
}
