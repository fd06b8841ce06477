// SPDX-License-Identifier: BSD-3-Clause
// Tables of kernels that this processor can run, for all families of kernels. The function that makes a table is defined
// in one *_cpu.cpp of its family, once for every instruction set.
#include "kernels/instruction_sets.hpp"
#include "kernels/kronecker/block_product.hpp"
#include "kernels/lanczos/step_kernels.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "kernels/trotter/pass_kernels.hpp"
#include "kernels/vectors/vector_kernels.hpp"

/// Declares a function, given without its parameter, for every instruction set.
#define STRATA_DECLARE_VARIANTS(...)         \
    __VA_ARGS__(instruction_set::portable);  \
    __VA_ARGS__(instruction_set::x86_64_v3); \
    __VA_ARGS__(instruction_set::avx512);

namespace strata {
namespace {

/// Results of `table(tag)` for every instruction set that this processor supports, the fastest first. They are made
/// once for every lambda expression `table`, which has no state.
template <class Table>
const auto& usable_variants(Table table) {
    static const auto all = [table] {
        std::vector<decltype(table(instruction_set::portable()))> variants;
        for (std::string_view name : usable_instruction_sets()) {
#if defined(STRATA_HAS_avx512)
            if (name == instruction_set::avx512::name) variants.push_back(table(instruction_set::avx512()));
#endif
#if defined(STRATA_HAS_x86_64_v3)
            if (name == instruction_set::x86_64_v3::name) variants.push_back(table(instruction_set::x86_64_v3()));
#endif
            if (name == instruction_set::portable::name) variants.push_back(table(instruction_set::portable()));
        }
        return variants;
    }();
    return all;
}

}  // namespace

namespace swendsen_wang {
STRATA_DECLARE_VARIANTS(SweepKernels sweep_kernels)

const std::vector<SweepKernels>& sweep_variants() {
    return usable_variants([](auto set) { return sweep_kernels(set); });
}
}  // namespace swendsen_wang

namespace lanczos {
STRATA_DECLARE_VARIANTS(template <class Real> StepKernels<Real> step_kernels)
STRATA_DECLARE_VARIANTS(template <class Real> StepKernels<Real> symmetric_step_kernels)
STRATA_DECLARE_VARIANTS(template <class Real> StepKernels<Real> orbit_step_kernels)

template <class Real>
const std::vector<StepKernels<Real>>& step_variants() {
    return usable_variants([](auto set) { return step_kernels<Real>(set); });
}
template <class Real>
const std::vector<StepKernels<Real>>& symmetric_step_variants() {
    return usable_variants([](auto set) { return symmetric_step_kernels<Real>(set); });
}
template <class Real>
const std::vector<StepKernels<Real>>& orbit_step_variants() {
    return usable_variants([](auto set) { return orbit_step_kernels<Real>(set); });
}
template const std::vector<StepKernels<double>>& step_variants();
template const std::vector<StepKernels<float>>& step_variants();
template const std::vector<StepKernels<double>>& symmetric_step_variants();
template const std::vector<StepKernels<float>>& symmetric_step_variants();
template const std::vector<StepKernels<double>>& orbit_step_variants();
template const std::vector<StepKernels<float>>& orbit_step_variants();
}  // namespace lanczos

namespace trotter {
STRATA_DECLARE_VARIANTS(template <class Real> PassKernels<Real> pass_kernels)

template <class Real>
const std::vector<PassKernels<Real>>& pass_variants() {
    return usable_variants([](auto set) { return pass_kernels<Real>(set); });
}
template const std::vector<PassKernels<double>>& pass_variants();
template const std::vector<PassKernels<float>>& pass_variants();
}  // namespace trotter

namespace kronecker {
STRATA_DECLARE_VARIANTS(template <class Real> BlockKernels<Real> block_kernels)

template <class Real>
const std::vector<BlockKernels<Real>>& block_variants() {
    return usable_variants([](auto set) { return block_kernels<Real>(set); });
}
template const std::vector<BlockKernels<double>>& block_variants();
template const std::vector<BlockKernels<float>>& block_variants();
}  // namespace kronecker

namespace vectors {
STRATA_DECLARE_VARIANTS(template <class Real, Arithmetic A> VectorKernels<Cpu, Real> vector_kernels)

template <class Real>
const std::vector<VectorKernels<Cpu, Real>>& vector_variants(Arithmetic arithmetic) {
    return arithmetic == Arithmetic::real
               ? usable_variants([](auto set) { return vector_kernels<Real, Arithmetic::real>(set); })
               : usable_variants([](auto set) { return vector_kernels<Real, Arithmetic::complex>(set); });
}
template const std::vector<VectorKernels<Cpu, double>>& vector_variants(Arithmetic);
template const std::vector<VectorKernels<Cpu, float>>& vector_variants(Arithmetic);
}  // namespace vectors

}  // namespace strata
