// SPDX-License-Identifier: BSD-3-Clause
// The keys of a Kronecker job. A key that applies only to one of the two tasks says so by when(); the program refuses it
// elsewhere, and `strata keys kronecker` prints the condition.
#include <limits>

#include "kronecker/job/config.hpp"

namespace strata::kronecker {
namespace {

using enum ValueType;
using enum KeyRole;

/// Where keys of earlier versions went.
constexpr const char* is_benchmark =
    "has left the program; the benchmarks of perf/kronecker in its sources compare the multiply with libraries.";
constexpr double no_limit = std::numeric_limits<double>::infinity();

Condition repeats() { return {"run.lanczos-steps", {}, 0, 0}; }
Condition eigenvalues() { return {"run.lanczos-steps", {}, 1, no_limit}; }

// clang-format off
std::vector<Key> model_keys() {
    return {
        {"model.sites", integer, "64", "sites", "Sites of the chain, which is cut in the middle.", physics, 2, 1000},
        {"model.saved-states", integer, "1000", "states",
         "M, states that a block keeps: the left block of the superblock has about 4 M, the right one about M.", physics,
         1, static_cast<double>(max_saved_states)},
        {"model.operators", integer, "8", "",
         "K, pairs of operators A_k, B_k between two patches that are connected.", physics, 1, 1024},
        {"model.rule", choice, "axis", "",
         "Patches that are connected with themselves and their neighbours: those where one particle number differs by "
         "one (axis), or both by one at most (moore).", physics, 0, 0, words_of(rule_choices)},
        {"model.width", real, "1", "",
         "Variance of the particle numbers relative to that of equally probable states: 1 is the model of the DMRG++ "
         "miniapps, 0.05 resembles ground states of long chains, with few and large patches.", physics, 1e-3, 1},
        {"model.file", file, "", "",
         "Operators, one element per line: 'i j k left row column value' of A_k, or 'right' of B_k, between patches "
         "i <= j, all counted from 0; the others are 0. Without it operators are random by run.seed.", physics},
        {"sector.up", integer, "", "particles", "Particles with spin up of the target; default: half of the sites.",
         physics, 0, 1000},
        {"sector.down", integer, "", "particles", "Particles with spin down of the target; default: half of the sites.",
         physics, 0, 1000},
    };
}

std::vector<Key> run_keys() {
    return {
        {"run.lanczos-steps", integer, "0", "steps",
         "Multiplications, at most, in the search for the lowest eigenvalues of C; 0: y = C x is repeated and timed "
         "instead.", length, 0, 1e9},
        Key{"run.repeats", integer, "10", "products", "How often y = C x is computed.", length, 1, 1e9}
            .when({repeats()})
            .renamed_from("run.variant", is_benchmark)
            .renamed_from("backend.gemm", is_benchmark)
            .renamed_from("backend.device-gemm", is_benchmark)
            .renamed_from("backend.block-threads", is_benchmark),
        Key{"run.states", integer, "1", "states", "Lowest states that are wanted.", physics, 1, 1000}
            .when({eigenvalues()}),
        Key{"run.basis", integer, "0", "vectors",
            "Vectors of the search; more of them need fewer steps. 0: 40 and twice the states.", physics, 0, 100000}
            .when({eigenvalues()}),
        Key{"run.tolerance", real, "1e-10", "",
            "Largest residual |C x - E x| of a state, relative to the scale of energies.", physics, 1e-13, 1}
            .when({eigenvalues()}),
        Key{"run.allow-unconverged", yes_no, "no", "",
            "End with 0 and not 5 if run.lanczos-steps were not enough.", output}
            .when({eigenvalues()}),
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
