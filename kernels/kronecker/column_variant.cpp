// SPDX-License-Identifier: BSD-3-Clause
// Table of the linear algebra of patch vectors for one instruction set.
#include "kernels/instruction_sets.hpp"
#include "kernels/kronecker/column_vectors.hpp"

namespace strata::kronecker {
namespace STRATA_ISA {

template <class Real>
void dots(const std::uint64_t*, Range, std::span<const ColumnPair<Real>>, double*);
template <class Real>
void subtract(Range, std::span<const Real* const>, std::span<const Real>, Real*);

}  // namespace STRATA_ISA

template <class Real>
ColumnKernels<Real> column_kernels(instruction_set::STRATA_ISA set) {
    return {set.name, STRATA_ISA::dots<Real>, STRATA_ISA::subtract<Real>};
}
template ColumnKernels<double> column_kernels<double>(instruction_set::STRATA_ISA);
template ColumnKernels<float> column_kernels<float>(instruction_set::STRATA_ISA);

}  // namespace strata::kronecker
