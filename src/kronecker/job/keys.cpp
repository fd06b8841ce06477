// SPDX-License-Identifier: BSD-3-Clause
// The keys of a Kronecker job, and those of earlier versions with what takes their place.
#include "kronecker/job/config.hpp"

namespace strata::kronecker {
namespace {

using enum ValueType;
using enum KeyRole;

/// Where keys of earlier versions went.
constexpr const char* is_benchmark =
    "has left the program; the benchmarks of perf/kronecker in its sources compare the multiply with libraries.";
constexpr const char* is_search =
    "has left the program: kronecker repeats y = C x with random operators, and application = dmrg searches states.";

// clang-format off
std::vector<Key> model_keys() {
    return {
        {"model.sites", integer, "64", "sites", "Sites of the chain, which is cut in the middle.", physics, 2, 1000},
        {"model.saved-states", integer, "1000", "states",
         "M, states that a block keeps: the left block of the superblock has about 4 M, the right one about M.", physics,
         1, static_cast<double>(superblock::max_saved_states)},
        {"model.operators", integer, "8", "",
         "K, pairs of operators A_k, B_k between two patches that are connected.", physics, 1, 1024},
        {"model.rule", choice, "axis", "",
         "Patches that are connected with themselves and their neighbours: those where one particle number differs by "
         "one (axis), or both by one at most (moore).", physics, 0, 0, words_of(rule_choices)},
        {"model.width", real, "1", "",
         "Variance of the particle numbers relative to that of equally probable states: 1 is the model of the DMRG++ "
         "miniapps, 0.05 resembles ground states of long chains, with few and large patches.", physics, 1e-3, 1},
        {"sector.up", integer, "", "particles", "Particles with spin up of the target; default: half of the sites.",
         physics, 0, 1000},
        {"sector.down", integer, "", "particles", "Particles with spin down of the target; default: half of the sites.",
         physics, 0, 1000},
    };
}

std::vector<Key> run_keys() {
    return {
        Key{"run.repeats", integer, "10", "products", "How often y = C x is computed.", length, 1, 1e9}
            .renamed_from("run.variant", is_benchmark)
            .renamed_from("backend.gemm", is_benchmark)
            .renamed_from("backend.device-gemm", is_benchmark)
            .renamed_from("backend.block-threads", is_benchmark)
            .renamed_from("model.file", is_search)
            .renamed_from("run.lanczos-steps", is_search)
            .renamed_from("run.states", is_search)
            .renamed_from("run.basis", is_search)
            .renamed_from("run.tolerance", is_search)
            .renamed_from("run.allow-unconverged", is_search),
        {"run.partition", choice, "auto", "",
         "Vectors are cut between ranks at patches (rows of blocks) or at any column; auto takes rows where they "
         "balance to 2 %.", backend, 0, 0, words_of(partition_choices)},
    };
}
// clang-format on

}  // namespace

std::vector<Key> keys() {
    std::vector<Key> all;
    for (const auto& part : {model_keys(), run_keys()}) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace strata::kronecker
