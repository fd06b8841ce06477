// SPDX-License-Identifier: BSD-3-Clause
// The keys of a Kronecker job and the values that they resolve to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kronecker/host_options.hpp"
#include "kronecker/target.hpp"
#include "krylov/hermitian_operator.hpp"
#include "strata/choices.hpp"
#include "strata/config.hpp"

namespace strata::kronecker {

inline constexpr Choice<Rule> rule_choices[] = {{"axis", Rule::axis}, {"moore", Rule::moore}};

inline constexpr Choice<Variant> variant_choices[] = {{"pairs", Variant::pairs},
                                                      {"loops", Variant::loops},
                                                      {"tasks", Variant::tasks},
                                                      {"batched", Variant::batched},
                                                      {"fused", Variant::fused}};

inline constexpr Choice<std::optional<GemmBackend>> gemm_choices[] = {
    {"auto", std::nullopt}, {"own", GemmBackend::own}, {"libxsmm", GemmBackend::libxsmm}, {"blas", GemmBackend::blas}};

/// Where the vector may be cut between ranks: before any column, or only between patches.
enum class Partition { automatic, rows, columns };
inline constexpr Choice<Partition> partition_choices[] = {
    {"auto", Partition::automatic}, {"rows", Partition::rows}, {"columns", Partition::columns}};

/// Who multiplies matrices on a device: the own kernel, tile by tile, or grouped products of cuBLAS
/// (kernels/kronecker/grouped_products.hpp), which leave results with copies among their products to the tiles.
enum class DeviceGemm { own, cublas };
inline constexpr Choice<DeviceGemm> device_gemm_choices[] = {{"own", DeviceGemm::own}, {"cublas", DeviceGemm::cublas}};

struct KroneckerConfig {
    SyntheticModel model;
    std::uint64_t operators = 8;
    Rule rule = Rule::axis;
    std::string operator_file;     ///< its path, for messages; empty: random operators
    std::string operator_content;  ///< what it held
    std::uint64_t seed = 1;

    Variant variant = Variant::pairs;
    Partition partition = Partition::automatic;
    krylov::Precision precision = krylov::Precision::double_;
    std::string simd = "auto";
    std::optional<GemmBackend> gemm;  ///< of variants by a library; none: the fastest one
    int block_threads = 1;            ///< N1 of loops
    DeviceGemm device_gemm = DeviceGemm::own;
    std::uint64_t repeats = 10;

    std::uint64_t lanczos_steps = 0;  ///< 0: y = C x is repeated instead
    std::size_t states = 1;
    std::size_t basis = 0;  ///< 0: chosen by the number of states
    double tolerance = 1e-10;
    bool allow_unconverged = false;
    bool finds_states() const { return lanczos_steps > 0; }
};

std::vector<Key> keys();
std::vector<std::string> validate(const Config& config);
std::vector<std::string> validate_resume(const Config& before, const Config& now);
/// For a Config whose values are each of their type and in their range.
KroneckerConfig resolve_config(const Config& config);

/// How a job computes on the host.
HostOptions host_options(const KroneckerConfig& config);
/// The patches and terms of a job. Throws Error(bad_input) if no patch has states.
Target make_target(const KroneckerConfig& config);
/// Its operators; `target` must outlive them. Throws Error(bad_input) for a file of other shapes.
std::unique_ptr<OperatorSource> make_operators(const KroneckerConfig& config, const Target& target);

}  // namespace strata::kronecker
