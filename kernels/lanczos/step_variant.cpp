// SPDX-License-Identifier: BSD-3-Clause
// Table of the kernels of a Lanczos step for one instruction set.
#include "kernels/instruction_sets.hpp"
#include "kernels/lanczos/step_kernels.hpp"

namespace strata::lanczos {
namespace STRATA_ISA {

template <class Real>
void down_sweep(const HamiltonianView&, const Recurrence&, Real*, Real*, Real*);
template <class Real>
void up_sweep(const HamiltonianView&, const Real*, const Real*, Real*, TileSums*);
template <class Real>
void subspace_sweep(const SubspaceHopsView*, int, const Real* const*, Real*, Real*, std::uint64_t);
template <class Real>
void up_gathered(const HamiltonianView&, const GatheredPanels<Real>&, std::uint64_t, Real* const*);
template <class Real>
void add_up(const HamiltonianView&, const Real*, Range, const Real*, Real*, TileSums*);
template <class Real>
void symmetric_down_sweep(const HamiltonianView&, const Recurrence&, Real*, Real*, Real*);
template <class Real>
void symmetric_up_sweep(const HamiltonianView&, const Real*, const Real*, Real*, TileSums*);
template <class Real>
void symmetric_up_gathered(const HamiltonianView&, const GatheredPanels<Real>&, std::uint64_t, Real* const*);
template <class Real>
void symmetric_add_up(const HamiltonianView&, const Real*, Range, const Real*, Real*, TileSums*);
template <class Real>
void project_onto_sector(const HamiltonianView&, Real*, Real*);

}  // namespace STRATA_ISA

template <class Real>
StepKernels<Real> step_kernels(instruction_set::STRATA_ISA set) {
    using namespace STRATA_ISA;
    return {.name = set.name,
            .down_sweep = down_sweep<Real>,
            .up_sweep = up_sweep<Real>,
            .subspace_sweep = subspace_sweep<Real>,
            .up_gathered = up_gathered<Real>,
            .add_up = add_up<Real>};
}
template <class Real>
StepKernels<Real> symmetric_step_kernels(instruction_set::STRATA_ISA set) {
    using namespace STRATA_ISA;
    StepKernels<Real> kernels = step_kernels<Real>(set);
    kernels.down_sweep = symmetric_down_sweep<Real>;
    kernels.up_sweep = symmetric_up_sweep<Real>;
    kernels.up_gathered = symmetric_up_gathered<Real>;
    kernels.add_up = symmetric_add_up<Real>;
    kernels.project_onto_sector = project_onto_sector<Real>;
    return kernels;
}
template StepKernels<double> step_kernels<double>(instruction_set::STRATA_ISA);
template StepKernels<float> step_kernels<float>(instruction_set::STRATA_ISA);
template StepKernels<double> symmetric_step_kernels<double>(instruction_set::STRATA_ISA);
template StepKernels<float> symmetric_step_kernels<float>(instruction_set::STRATA_ISA);

}  // namespace strata::lanczos
