// SPDX-License-Identifier: BSD-3-Clause
// Table of the linear algebra of vectors for one instruction set.
#include "kernels/instruction_sets.hpp"
#include "kernels/vectors/vector_kernels.hpp"

namespace strata::vectors {
namespace STRATA_ISA {

using On = const Workers<Cpu>&;
template <class Real>
void clear(On, const Segments&, Real*);
template <class Real>
void advance(On, const Segments&, Real, Real, Real, Real*, Real*);
template <class Real, Arithmetic>
void axpby(On, const Segments&, Factor, const Real*, Factor, const Real*, Real*, double*, std::uint64_t);
template <class Real, Arithmetic>
void dots(On, const Segments&, const Subtraction<Real>&, const Pair<Real>*, std::uint64_t, double*, std::uint64_t);
template <class Real, Arithmetic>
void subtract(On, const Segments&, const Subtraction<Real>&);
template <class Real, Arithmetic>
void rotate(On, const Segments&, Real* const*, std::uint64_t, const double*, std::uint64_t, double*);

}  // namespace STRATA_ISA

template <class Real, Arithmetic A>
VectorKernels<Cpu, Real> vector_kernels(instruction_set::STRATA_ISA set) {
    using namespace STRATA_ISA;
    return {.name = set.name,
            .clear = clear<Real>,
            .advance = advance<Real>,
            .axpby = axpby<Real, A>,
            .dots = dots<Real, A>,
            .subtract = subtract<Real, A>,
            .rotate = rotate<Real, A>};
}
#define STRATA_INSTANTIATE(Real, A) \
    template VectorKernels<Cpu, Real> vector_kernels<Real, A>(instruction_set::STRATA_ISA);
STRATA_INSTANTIATE(double, Arithmetic::real)
STRATA_INSTANTIATE(double, Arithmetic::complex)
STRATA_INSTANTIATE(float, Arithmetic::real)
STRATA_INSTANTIATE(float, Arithmetic::complex)

}  // namespace strata::vectors
