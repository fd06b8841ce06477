// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/config.hpp"

#include <algorithm>
#include <numbers>

#include "kernels/instruction_sets.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

/// One fault if `list` has neither one value nor one per site.
void check_length(const Config& config, const char* key, std::size_t length, int sites,
                  std::vector<std::string>& found) {
    if (length == 1 || length == static_cast<std::size_t>(sites)) return;
    found.push_back(config.cite(key) + " has " + std::to_string(length) + " values; give one for all sites or " +
                    std::to_string(sites) + ", one per site.");
}

}  // namespace

std::vector<Key> keys() {
    using enum ValueType;
    using enum KeyRole;
    // clang-format off
    return {
        {"lattice.type", choice, "ring", "", "Cluster of sites; file reads lattice.file.", physics, 0, 0,
         {"ring", "chain", "square", "tilted", "triangular", "honeycomb", "kagome", "checkerboard", "file"}},
        {"lattice.extents", integers, "", "cells",
         "Cells along each direction: n of a ring or chain, x,y of the others; tilted: a,b of the torus (a,b), (-b,a).", physics},
        {"lattice.file", text, "", "", "Edges, one per line: from to re [im [neighbours: 0 or 1]], sites from 0.", physics},
        {"model.species", integer, "2", "", "Species of fermions: 2, up and down.", physics, 2, 2},
        {"model.t", reals, "1", "energy", "Hopping, H = -t sum c+ c + h.c.; the checkerboard takes t,t',t'' (default: its flat band).",
         physics},
        {"model.phase", real, "0.25", "pi", "Phase of the checkerboard's nearest neighbours.", physics, -1e3, 1e3},
        {"model.u", reals, "0", "energy", "Interaction on a site, sum U n_up n_dn: one for all, or one per site.", physics},
        {"model.v", real, "0", "energy", "Interaction of neighbours, V sum n n.", physics, -1e9, 1e9},
        {"model.epsilon", reals, "0", "energy", "Energy of a particle on a site: one for all, or one per site.", physics},
        {"model.flux", reals, "", "radians", "Phase on the way around the torus, along each direction.", physics},
        {"sector.up", integer, "", "particles", "Particles of the first species.", physics, 0, 64},
        {"sector.down", integer, "", "particles", "Particles of the second species.", physics, 0, 64},
        {"run.max-steps", integer, "300", "steps", "Lanczos steps at most.", length, 1, static_cast<double>(most_steps)},
        {"run.tolerance", real, "1e-9", "1", "Converged when the residual is below this times |E| or, if larger, |E - mean of the diagonal|.", length, 1e-15, 1},
        {"run.vectors", yes_no, "yes", "", "Make the ground state by a second pass, and its true residual and observables.", physics},
        {"run.allow-unconverged", yes_no, "no", "", "End with 0 and not 5 if run.max-steps were not enough.", output},
        {"backend.arithmetic", choice, "auto", "", "Numbers of the vectors; auto: real if all amplitudes are.", physics, 0, 0,
         {"auto", "real", "complex"}},
        {"backend.simd", choice, "auto", "", "Instruction set of the CPU kernels; all give the same bits.", backend, 0, 0,
         {"auto", "avx512", "x86_64_v3", "portable"}},
    };
    // clang-format on
}

std::vector<std::string> faults(const Config& config) {
    std::vector<std::string> found;
    const bool file = config.text("lattice.type") == "file";
    if (file != config.given("lattice.file"))
        found.push_back(file ? "lattice.file is missing: lattice.type = file reads the edges from there."
                             : config.cite("lattice.file") + " is read with lattice.type = file only.");
    if (!file && !config.given("lattice.extents"))
        found.push_back("lattice.extents is missing: give the cells along each direction, e.g. lattice.extents = 12.");
    for (const char* key : {"sector.up", "sector.down"})
        if (!config.given(key)) found.push_back(std::string(key) + " is missing: give the number of particles.");
    if (config.text("backend.device") == "cuda")
        found.push_back(config.cite("backend.device") +
                        " is not possible: lanczos has no CUDA kernels; use auto or cpu.");
    const std::string simd = config.text("backend.simd");
    if (simd != "auto" && !std::ranges::count(usable_instruction_sets(), simd))
        found.push_back(config.cite("backend.simd") + " is not possible on this processor.");
    if (!found.empty()) return found;
    try {
        const LanczosConfig c = resolve_config(config);
        const Lattice lattice = file ? read_lattice(c.lattice_file) : make_lattice(c.lattice);
        for (const char* key : {"sector.up", "sector.down"})
            if (config.integer(key) > lattice.sites)
                found.push_back(config.cite(key) + " is more than the " + std::to_string(lattice.sites) +
                                " sites hold; a site holds one particle of each species.");
        check_length(config, "model.u", c.u.size(), lattice.sites, found);
        check_length(config, "model.epsilon", c.epsilon.size(), lattice.sites, found);
    } catch (const Error& error) {
        found.emplace_back(error.what());
    }
    return found;
}

std::vector<std::string> resume_faults(const Config&, const Config&) { return {}; }

LanczosConfig resolve_config(const Config& config) {
    LanczosConfig c;
    c.lattice.type = config.text("lattice.type");
    c.lattice.extents = config.integers("lattice.extents");
    c.lattice.t = config.reals("model.t");
    c.lattice.phase = config.real("model.phase") * std::numbers::pi;
    c.lattice.flux = config.reals("model.flux");
    c.lattice_file = config.text("lattice.file");
    c.u = config.reals("model.u");
    c.v = config.real("model.v");
    c.epsilon = config.reals("model.epsilon");
    c.up = static_cast<int>(config.integer("sector.up"));
    c.down = static_cast<int>(config.integer("sector.down"));
    c.max_steps = static_cast<std::uint64_t>(config.integer("run.max-steps"));
    c.tolerance = config.real("run.tolerance");
    c.vectors = config.yes("run.vectors");
    c.allow_unconverged = config.yes("run.allow-unconverged");
    c.seed = static_cast<std::uint64_t>(config.integer("run.seed"));
    const std::string& arithmetic = config.text("backend.arithmetic");
    c.arithmetic = arithmetic == "real"      ? WishedArithmetic::real
                   : arithmetic == "complex" ? WishedArithmetic::complex
                                             : WishedArithmetic::automatic;
    c.simd = config.text("backend.simd");
    return c;
}

}  // namespace strata::lanczos
