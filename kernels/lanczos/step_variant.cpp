// SPDX-License-Identifier: BSD-3-Clause
// The table of one instruction set's kernels.
#include "kernels/lanczos/step_kernels.hpp"

#define STRATA_QUOTE_(x) #x
#define STRATA_QUOTE(x) STRATA_QUOTE_(x)

namespace strata::lanczos::STRATA_ISA {

void dn_sweep(const HamiltonianView&, const Recurrence&, double*, double*, double*);
void up_sweep(const HamiltonianView&, const double*, const double*, double*, TileSums*);
void cross_sweep(const CrossingView&, const double*, double*, double*);
void up_gathered(const HamiltonianView&, const GatheredPanels&, std::uint64_t, double* const*);
void add_up(const HamiltonianView&, const double*, Range, const double*, double*, TileSums*);
void combine(const BlockLayout&, Complex, const double*, Complex, const double*, double*, TileSums*);
void dot(const BlockLayout&, const double*, const double*, TileSums*);

void project(const BlockLayout&, const double* const*, std::uint64_t, const double*, double*);
void subtract(const BlockLayout&, const double* const*, std::uint64_t, const Complex*, double*);
void rotate(const BlockLayout&, double* const*, std::uint64_t, const Complex*, std::uint64_t);

StepKernels step_kernels() {
    return {STRATA_QUOTE(STRATA_ISA),
            dn_sweep,
            up_sweep,
            cross_sweep,
            up_gathered,
            add_up,
            combine,
            dot,
            project,
            subtract,
            rotate};
}

}  // namespace strata::lanczos::STRATA_ISA
