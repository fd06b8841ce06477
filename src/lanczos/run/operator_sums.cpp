// SPDX-License-Identifier: BSD-3-Clause
// The tables of a sum are those of a Hamiltonian that has no other terms.
#include "lanczos/run/operator_sums.hpp"

#include <algorithm>
#include <cmath>

#include "lanczos/physics/make_model.hpp"
#include "lanczos/state/memory.hpp"

namespace strata::lanczos {

OperatorSum hermitian_part(const OperatorSum& o, bool imaginary, Arithmetic arithmetic) {
    OperatorSum part = o.conjugate();
    if (imaginary) part *= -1;
    part += o;
    part *= imaginary ? Complex(0, -0.5) : Complex(0.5);
    if (arithmetic == Arithmetic::complex) return part;
    OperatorSum real(part.kind());
    for (const auto& [product, coefficient] : part.terms())
        real += OperatorSum::product(part.kind(), product, coefficient.real());
    return real;
}

bool acts_by_rows(const LanczosPlan& plan) {
    return plan.counts().symmetric() && !plan.counts().symmetric()->one_component;
}

Model model_of_sum(const LanczosPlan& plan, const OperatorSum& hermitian) {
    return model_of(plan.model(), acts_by_rows(plan) ? OperatorSum(hermitian.kind()) : hermitian);
}

std::uint64_t bytes_by_rows(const LanczosPlan& plan, const OperatorSum& hermitian) {
    const std::uint64_t copies = 2 * sizeof(double) * plan.layout(0, 0).size();
    return copies + SymmetricSum::bytes(hermitian, plan, plan, 0);
}

std::uint64_t sum_bytes(const LanczosPlan& plan, const OperatorSum& hermitian, BackendKind backend) {
    const std::uint64_t tables = model_bytes(plan, model_of_sum(plan, hermitian), backend);
    return tables + (acts_by_rows(plan) ? bytes_by_rows(plan, hermitian) : 0);
}

std::uint64_t model_bytes(const LanczosPlan& plan, const Model& terms, BackendKind backend) {
    return largest_operator_memory(plan.for_model(terms), 0, backend).host_bytes();
}

HermitianSum::HermitianSum(const LanczosPlan& plan, const OperatorSum& hermitian, const MakeHamiltonian& make,
                           Timers& timers)
    : HermitianSum(plan, model_of_sum(plan, hermitian), make, timers) {
    if (acts_by_rows(plan)) symmetric_ = std::make_unique<SymmetricSum>(hermitian, *operator_, *operator_);
}

HermitianSum::HermitianSum(const LanczosPlan& plan, const Model& terms, const MakeHamiltonian& make, Timers& timers)
    : plan_(plan.for_model(terms)), operator_(make(plan_, timers)) {
    operator_->allocate();
}

HermitianSum::Moments HermitianSum::moments(const DistributedVector& x) {
    const auto spread = [](double square, double mean) { return std::sqrt(std::max(0.0, square - mean * mean)); };
    if (symmetric_ != nullptr) {
        symmetric_->apply(x, operator_->w());
        krylov::VectorSpace& space = operator_->space();
        const double norm = space.dot(x, x).real(), mean = space.dot(x, operator_->w()).real() / norm;
        return {mean, spread(space.dot(operator_->w(), operator_->w()).real() / norm, mean)};
    }
    const PairProducts products = operator_->apply(x);
    const double mean = products.vw / products.vv;
    return {mean + operator_->offset(), spread(products.ww / products.vv, mean)};
}

void HermitianSum::add(Complex factor, const DistributedVector& x, krylov::VectorSpace& space, DistributedVector& y) {
    if (symmetric_ != nullptr) {
        symmetric_->apply(x, operator_->w());
        return space.axpby(factor, operator_->w(), 1, y, y);
    }
    operator_->apply(x);
    space.axpby(factor, operator_->w(), 1, y, y);
    space.axpby(factor * operator_->offset(), x, 1, y, y);
}

ChargedSum::ChargedSum(const LanczosPlan& from, const LanczosPlan& to, const OperatorSum& sum,
                       const MakeHamiltonian& make, Timers& timers)
    : plan_(from.joined(to, model_of(from.model(), sum))), operator_(make(plan_, timers)) {
    operator_->allocate();
}

std::uint64_t ChargedSum::bytes(const LanczosPlan& from, const LanczosPlan& to, const OperatorSum& sum,
                                BackendKind backend) {
    return largest_operator_memory(from.joined(to, model_of(from.model(), sum)), 0, backend).host_bytes();
}

void ChargedSum::apply(const HamiltonianOperator& from, const DistributedVector& x, const HamiltonianOperator& to,
                       DistributedVector& out) {
    const std::size_t before = from.sector().subspaces().size(), after = to.sector().subspaces().size();
    krylov::VectorSpace& space = operator_->space();
    space.clear(operator_->v());
    space.clear(operator_->w());
    for (std::size_t p = 0; p < before; ++p) operator_->set_blocks(operator_->w(), p, from.blocks(x, p).data());
    operator_->multiply({});
    for (std::size_t p = 0; p < after; ++p) to.set_blocks(out, p, operator_->blocks(operator_->w(), before + p).data());
}

LinearMap sum_between(HamiltonianOperator& from, HamiltonianOperator& to, const OperatorSum& sum,
                      const MakeHamiltonian& make, Timers& timers) {
    if (sum.empty()) return [&to](const DistributedVector&, DistributedVector& out) { to.space().clear(out); };
    if (from.plan().counts().symmetric()) {
        const auto symmetric = std::make_shared<SymmetricSum>(sum, from, to);
        return [symmetric](const DistributedVector& x, DistributedVector& out) { symmetric->apply(x, out); };
    }
    const auto charged = std::make_shared<ChargedSum>(from.plan(), to.plan(), sum, make, timers);
    return
        [charged, &from, &to](const DistributedVector& x, DistributedVector& out) { charged->apply(from, x, to, out); };
}

void apply_sum(const OperatorSum& o, const LanczosPlan& plan, const MakeHamiltonian& make, Timers& timers,
               const DistributedVector& x, krylov::VectorSpace& space, DistributedVector& y) {
    space.clear(y);
    for (const bool imaginary : {false, true})
        if (const OperatorSum part = hermitian_part(o, imaginary, plan.arithmetic()); !part.empty())
            HermitianSum(plan, part, make, timers).add(imaginary ? Complex(0, 1) : 1, x, space, y);
}

}  // namespace strata::lanczos
