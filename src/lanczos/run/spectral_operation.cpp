// SPDX-License-Identifier: BSD-3-Clause
// Sums between two sectors, sums in one sector as two Hermitian parts, and the operators that act row by row.
#include "lanczos/run/spectral_operation.hpp"

#include "lanczos/physics/currents.hpp"
#include "lanczos/physics/observables.hpp"
#include "lanczos/run/operators.hpp"
#include "lanczos/state/spectral_target.hpp"

namespace strata::lanczos {
namespace {

/// A sum in one sector as real + i imaginary, each null where it is 0.
struct HermitianParts {
    std::unique_ptr<HermitianSum> real, imaginary;

    HermitianParts(const OperatorSum& sum, const LanczosPlan& plan, const MakeHamiltonian& make, Timers& timers) {
        for (const bool of_imaginary : {false, true})
            if (const OperatorSum part = hermitian_part(sum, of_imaginary, plan.arithmetic()); !part.empty())
                (of_imaginary ? imaginary : real) = std::make_unique<HermitianSum>(plan, part, make, timers);
    }
    explicit HermitianParts(std::unique_ptr<HermitianSum> sum) : real(std::move(sum)) {}

    /// `sign`: -1 for the adjoint.
    void apply(double sign, krylov::VectorSpace& space, const DistributedVector& x, DistributedVector& out) {
        space.clear(out);
        if (real != nullptr) real->add(1, x, space, out);
        if (imaginary != nullptr) imaginary->add(Complex(0, sign), x, space, out);
    }
};

}  // namespace

std::vector<WaveOperator> wave_operators(const LanczosPlan& plan, const std::vector<PlaneWave>& waves) {
    std::vector<WaveOperator> all;
    for (std::size_t wave = 0; wave < waves.size(); ++wave) {
        const LanczosPlan target = leads_elsewhere(plan) ? target_plan(plan, waves[wave]) : plan;
        if (target.dimension() == 0) continue;
        const std::vector<Complex> weights = operator_weights(plan.config().spectrum.op, waves[wave]);
        if (target.arithmetic() == Arithmetic::complex || waves[wave].m.empty()) {
            all.push_back({wave, weights});
            continue;
        }
        std::vector<Complex> cosines, sines;
        for (const Complex& w : weights) {
            cosines.emplace_back(w.real());
            sines.emplace_back(w.imag());
        }
        all.push_back({wave, cosines});
        all.push_back({wave, sines});
    }
    return all;
}

SpectralOperator adjoint_of(SpectralOperator op) {
    if (op == SpectralOperator::removal) return SpectralOperator::addition;
    return op == SpectralOperator::addition ? SpectralOperator::removal : op;
}

SpectralOperation::SpectralOperation(HamiltonianOperator& from, HamiltonianOperator& to,
                                     const std::vector<Complex>& weights, const MakeHamiltonian& make, Timers& timers) {
    const LanczosPlan& plan = from.plan();
    const SpectralOperator op = plan.config().spectrum.op;
    if (op == SpectralOperator::current) {
        const Model current = hop_moment(plan.config(), plan.model(), HopMoment::current);
        const auto parts =
            std::make_shared<HermitianParts>(std::make_unique<HermitianSum>(plan, current, make, timers));
        forth_ = back_ = [parts, &from](const DistributedVector& x, DistributedVector& out) {
            parts->apply(1, from.space(), x, out);
        };
        return;
    }
    if (const std::optional<OwnObservable> own = own_operator(plan.config()), left = left_operator(plan.config());
        own) {
        const OperatorSum sum = weighted_sum(*own, weights), of_left = left ? weighted_sum(*left, weights) : sum;
        if (&from == &to) {
            set_parts(from, sum, left ? &of_left : nullptr, make, timers);
        } else {
            forth_ = sum_between(from, to, sum, make, timers);
            back_ = sum_between(to, from, of_left.conjugate(), make, timers);
        }
        return;
    }
    std::vector<Complex> conjugates = weights;
    for (Complex& w : conjugates) w = std::conj(w);
    forth_ = [op, weights, &from, &to](const DistributedVector& x, DistributedVector& out) {
        apply_operator(op, weights, from, x, to, out);
    };
    back_ = [op = adjoint_of(op), conjugates, &from, &to](const DistributedVector& x, DistributedVector& out) {
        apply_operator(op, conjugates, to, x, from, out);
    };
}

void SpectralOperation::set_parts(HamiltonianOperator& h, const OperatorSum& sum, const OperatorSum* left,
                                  const MakeHamiltonian& make, Timers& timers) {
    const auto right = std::make_shared<HermitianParts>(sum, h.plan(), make, timers),
               other = left == nullptr ? right : std::make_shared<HermitianParts>(*left, h.plan(), make, timers);
    forth_ = [right, &h](const DistributedVector& x, DistributedVector& out) { right->apply(1, h.space(), x, out); };
    back_ = [other, &h](const DistributedVector& x, DistributedVector& out) { other->apply(-1, h.space(), x, out); };
}

}  // namespace strata::lanczos
