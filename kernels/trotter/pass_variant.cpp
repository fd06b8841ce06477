// SPDX-License-Identifier: BSD-3-Clause
// Table of the kernels of spin dynamics for one instruction set.
#include "kernels/instruction_sets.hpp"
#include "kernels/trotter/pass_kernels.hpp"

namespace strata::trotter {
namespace STRATA_ISA {

template <class Real>
void pass(const Pass<Real>&, Range);
template <class Real>
void light_cone_pass(const LightConePass<Real>&, Range);
template <class Real>
void row_sums(const StateLayout&, const Real*, std::uint64_t, double*, double*, std::uint64_t);
template <class Real>
void scale(const StateLayout&, Real*, std::uint64_t, double);
template <class Real>
void add_energies(const StateLayout&, const EnergyView&, Range, const EnergySum&, const Real*, Real*);
template <class Real>
void combine(const StateLayout&, std::uint64_t, double, double, double, const Real*, Real*);
void add_density(const double*, std::uint64_t, Range, double*);
void fill_random(const RandomState&, std::uint64_t, std::uint64_t, double*);

}  // namespace STRATA_ISA

template <class Real>
PassKernels<Real> pass_kernels(instruction_set::STRATA_ISA set) {
    using namespace STRATA_ISA;
    return {.name = set.name,
            .pass = pass<Real>,
            .light_cone_pass = light_cone_pass<Real>,
            .row_sums = row_sums<Real>,
            .scale = scale<Real>,
            .add_energies = add_energies<Real>,
            .combine = combine<Real>,
            .add_density = add_density,
            .fill_random = fill_random};
}
template PassKernels<double> pass_kernels<double>(instruction_set::STRATA_ISA);
template PassKernels<float> pass_kernels<float>(instruction_set::STRATA_ISA);

}  // namespace strata::trotter
