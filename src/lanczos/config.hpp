// SPDX-License-Identifier: BSD-3-Clause
// The keys of a Lanczos job and what they resolve to.
#pragma once

#include <string>
#include <vector>

#include "lanczos/lattice.hpp"
#include "strata/config.hpp"

namespace strata::lanczos {

enum class WishedArithmetic { automatic, real, complex };

struct LanczosConfig {
    LatticeSpec lattice;
    std::string lattice_file;        ///< instead of the spec
    std::vector<double> u, epsilon;  ///< one for all sites, or one per site
    double v = 0;
    int up = 0, down = 0;
    std::uint64_t max_steps = 0;
    double tolerance = 0;  ///< of the residual, relative to |E| or |E - mean of the diagonal|
    bool vectors = true, allow_unconverged = false;
    std::uint64_t seed = 1;
    WishedArithmetic arithmetic = WishedArithmetic::automatic;
    std::string simd;
};

std::vector<Key> keys();
std::vector<std::string> faults(const Config& config);
std::vector<std::string> resume_faults(const Config& before, const Config& now);
/// For a Config without faults.
LanczosConfig resolve_config(const Config& config);

/// Most steps a run can ever make: room for their coefficients is set aside.
constexpr std::uint64_t most_steps = 10000;

}  // namespace strata::lanczos
