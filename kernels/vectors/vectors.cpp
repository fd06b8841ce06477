// SPDX-License-Identifier: BSD-3-Clause
// Tables of the linear algebra of vectors that this processor can run, and exact sums on the host.
#include <algorithm>

#include "kernels/variants.hpp"
#include "kernels/vectors/exact_sums.hpp"
#include "kernels/vectors/vector_kernels.hpp"

namespace strata::vectors {

STRATA_DECLARE_VARIANTS(template <class Real, Arithmetic A> VectorKernels<Cpu, Real> vector_kernels)

template <class Real>
const std::vector<VectorKernels<Cpu, Real>>& vector_variants(Arithmetic arithmetic) {
    return arithmetic == Arithmetic::real
               ? usable_variants([](auto set) { return vector_kernels<Real, Arithmetic::real>(set); })
               : usable_variants([](auto set) { return vector_kernels<Real, Arithmetic::complex>(set); });
}
template const std::vector<VectorKernels<Cpu, double>>& vector_variants<double>(Arithmetic);
template const std::vector<VectorKernels<Cpu, float>>& vector_variants<float>(Arithmetic);

void exact_sums(const Workers<Cpu>& workers, const double* values, std::uint64_t segments, std::uint64_t width,
                ExactSum* sums) {
    constexpr std::uint64_t together = 8;  // sums of a thread that remain in the first-level cache
    std::fill_n(sums, width, ExactSum());
#pragma omp parallel num_threads(workers.threads)
    for (std::uint64_t first = 0; first < width; first += together) {
        const std::uint64_t count = std::min(together, width - first);
        ExactSum own[together];
#pragma omp for schedule(static) nowait
        for (std::uint64_t segment = 0; segment < segments; ++segment)
            for (std::uint64_t i = 0; i < count; ++i) own[i].add(values[segment * width + first + i]);
#pragma omp critical(strata_exact_sums)
        for (std::uint64_t i = 0; i < count; ++i) sums[first + i] += own[i];
    }
}

}  // namespace strata::vectors
