// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra goes column by column: a column is the unit whose sums have the same bits on any rank.
#include "kronecker/host_operator.hpp"

#include <omp.h>

#include <algorithm>

#include "kernels/kronecker/column_core.hpp"
#include "kronecker/host_variants.hpp"

namespace strata::kronecker {
namespace {

template <class Real>
double dot_of_column(const Real* x, const Real* y, std::uint64_t size) {
    return column_sum(
        size, [=](std::uint64_t e) { return rounded_product(static_cast<double>(x[e]), static_cast<double>(y[e])); });
}

}  // namespace

template <class Real>
struct HostOperator<Real>::Part : DistributedVector::Storage {
    explicit Part(NodeBuffer buffer) : memory(std::move(buffer)) {}
    NodeBuffer memory;
};

template <class Real>
Real* HostOperator<Real>::elements(const DistributedVector& x) {
    return reinterpret_cast<Real*>(static_cast<Part&>(x.storage()).memory.own());
}

/// Calls body(column, first element, elements) for this rank's columns.
template <class Real>
template <class Body>
void HostOperator<Real>::for_columns(Body body) const {
    const std::uint64_t columns = plan_.columns().size();
#pragma omp parallel for schedule(static) num_threads(plan_.threads())
    for (std::uint64_t column = 0; column < columns; ++column)
        body(column, column_begin_[column], column_begin_[column + 1] - column_begin_[column]);
}

template <class Real>
HostOperator<Real>::HostOperator(const Communicator& comm, const MultiplyPlan& plan, const OperatorSource& operators,
                                 const HostOptions& options, Timers& timers)
    : TargetOperator(comm, plan, timers),
      operators_(operators),
      seed_(options.seed),
      node_(comm, options.sharing, 2 * (plan.elements().size() + 1) * sizeof(Real)),
      product_(make_product<Real>(comm, plan, node_, options, timers)),
      sums_(comm, plan.columns().size(), plan.layout().columns(), plan.threads()) {
    for (std::uint64_t column = plan.columns().first; column <= plan.columns().last; ++column)
        column_begin_.push_back(plan.layout().element_of(column) - plan.elements().first);
}

template <class Real>
std::string HostOperator<Real>::name() const {
    return "cpu " + product_->name() + (sizeof(Real) == 4 ? " single" : "");
}

template <class Real>
krylov::Precision HostOperator<Real>::precision() const {
    return sizeof(Real) == 4 ? krylov::Precision::single : krylov::Precision::double_;
}

template <class Real>
MemoryPrediction HostOperator<Real>::memory(std::uint64_t vectors) const {
    MemoryPrediction m = product_->memory();
    m.add(plan_.vector_memory<Real>(plan_.rank(), vectors));
    return m;
}

template <class Real>
std::string HostOperator<Real>::exchange_description() const {
    if (comm_.size() == 1) return {};
    const std::uint64_t received = product_->exchange().received_bytes();
    return received == 0 ? "patches of other ranks are read in place, in memory that this node shares"
                         : "this rank receives " + human_bytes(received) + " of patches from other nodes per product";
}

template <class Real>
DistributedVector HostOperator<Real>::make(NodeBuffer memory) const {
    DistributedVector v(std::make_unique<Part>(std::move(memory)));
    clear(v);
    return v;
}

template <class Real>
void HostOperator<Real>::allocate() {
    sums_.reserve(step_sums);
    v_ = make(NodeBuffer(node_, product_->exchange().own_doubles()));
    w_ = make(NodeBuffer(node_, product_->exchange().own_doubles()));
    product_->allocate(operators_);
}

template <class Real>
DistributedVector HostOperator<Real>::vector() const {
    return make(NodeBuffer(product_->exchange().own_doubles()));
}

template <class Real>
void HostOperator<Real>::clear(DistributedVector& x) const {
    Real* to = elements(x);
    for_columns(
        [&](std::uint64_t, std::uint64_t first, std::uint64_t size) { std::fill_n(to + first, size, Real(0)); });
}

template <class Real>
void HostOperator<Real>::draw(DistributedVector& x, std::uint64_t stream) const {
    Real* to = elements(x);
    const std::uint64_t begin = plan_.elements().first;
    for_columns([&](std::uint64_t, std::uint64_t first, std::uint64_t size) {
        for (std::uint64_t e = first; e < first + size; ++e)
            to[e] = static_cast<Real>(random_element(seed_, begin + e, stream));
    });
}

template <class Real>
krylov::PairProducts HostOperator<Real>::multiply(const krylov::StepFactors& f) {
    Real *before = elements(v_), *next = elements(w_);
    const auto scale = static_cast<Real>(f.inverse_beta), part = static_cast<Real>(-f.alpha * f.inverse_beta),
               beta = static_cast<Real>(-f.beta);
    for_columns([&](std::uint64_t, std::uint64_t first, std::uint64_t size) {
        for (std::uint64_t e = first; e < first + size; ++e) {
            next[e] = scale * next[e] + part * before[e];
            before[e] = beta * before[e];
        }
    });
    std::swap(v_, w_);
    product_->add_product(static_cast<Part&>(v_.storage()).memory, elements(w_));
    const Timers::Scope scope = timers_.scope("vector sums");
    const Real *v = elements(v_), *w = elements(w_);
    for_columns([&](std::uint64_t column, std::uint64_t first, std::uint64_t size) {
        double* sums = sums_.column(column, step_sums);
        sums[0] = dot_of_column(v + first, w + first, size);
        sums[1] = dot_of_column(w + first, w + first, size);
        sums[2] = dot_of_column(v + first, v + first, size);
    });
    const std::vector<double>& total = sums_.total(step_sums);
    return {total[0], total[1], total[2]};
}

template <class Real>
void HostOperator<Real>::product() {
    clear(w_);
    product_->add_product(static_cast<Part&>(v_.storage()).memory, elements(w_));
}

template <class Real>
double HostOperator<Real>::sum(const DistributedVector& x) {
    const Real* from = elements(x);
    for_columns([&](std::uint64_t column, std::uint64_t first, std::uint64_t size) {
        *sums_.column(column, 1) =
            column_sum(size, [=](std::uint64_t e) { return static_cast<double>(from[first + e]); });
    });
    return sums_.total(1)[0];
}

template <class Real>
void HostOperator<Real>::axpby(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                               DistributedVector& out) {
    const Real *of_x = elements(x), *of_y = elements(y);
    Real* to = elements(out);
    const auto factor_x = static_cast<Real>(a.real()), factor_y = static_cast<Real>(b.real());
    for_columns([&](std::uint64_t, std::uint64_t first, std::uint64_t size) {
        for (std::uint64_t e = first; e < first + size; ++e) to[e] = factor_x * of_x[e] + factor_y * of_y[e];
    });
}

template <class Real>
double HostOperator<Real>::axpby_norm(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                                      DistributedVector* out) {
    const Real *of_x = elements(x), *of_y = elements(y);
    Real* to = out == nullptr ? nullptr : elements(*out);
    const auto factor_x = static_cast<Real>(a.real()), factor_y = static_cast<Real>(b.real());
    for_columns([&](std::uint64_t column, std::uint64_t first, std::uint64_t size) {
        *sums_.column(column, 1) = column_sum(size, [=](std::uint64_t e) {
            const Real value = factor_x * of_x[first + e] + factor_y * of_y[first + e];
            if (to != nullptr) to[first + e] = value;
            return rounded_product(static_cast<double>(value), static_cast<double>(value));
        });
    });
    return sums_.total(1)[0];
}

template <class Real>
Complex HostOperator<Real>::dot(const DistributedVector& x, const DistributedVector& y) {
    const Real *of_x = elements(x), *of_y = elements(y);
    for_columns([&](std::uint64_t column, std::uint64_t first, std::uint64_t size) {
        *sums_.column(column, 1) = dot_of_column(of_x + first, of_y + first, size);
    });
    return sums_.total(1)[0];
}

template <class Real>
void HostOperator<Real>::project(const std::vector<DistributedVector>& basis, const DistributedVector& x,
                                 std::span<Complex> components) {
    const Real* of_x = elements(x);
    for_columns([&](std::uint64_t column, std::uint64_t first, std::uint64_t size) {
        double* sums = sums_.column(column, components.size());
        for (std::size_t i = 0; i < components.size(); ++i)
            sums[i] = dot_of_column(elements(basis[i]) + first, of_x + first, size);
    });
    const std::vector<double>& total = sums_.total(components.size());
    for (std::size_t i = 0; i < components.size(); ++i) components[i] = total[i];
}

template <class Real>
void HostOperator<Real>::subtract(const std::vector<DistributedVector>& basis, std::span<const Complex> components,
                                  DistributedVector& x) {
    Real* of_x = elements(x);
    for_columns([&](std::uint64_t, std::uint64_t first, std::uint64_t size) {
        for (std::size_t i = 0; i < components.size(); ++i) {
            const auto factor = static_cast<Real>(components[i].real());
            const Real* of_basis = elements(basis[i]);
            for (std::uint64_t e = first; e < first + size; ++e) of_x[e] -= factor * of_basis[e];
        }
    });
}

template <class Real>
void HostOperator<Real>::reserve_basis(std::size_t count) {
    sums_.reserve(std::max(count, step_sums));
    rotated_ = Buffer<double>(count * rotated_elements * static_cast<std::size_t>(plan_.threads()));
}

template <class Real>
void HostOperator<Real>::rotate(const std::vector<DistributedVector>& basis, std::size_t count,
                                const std::vector<Complex>& c, std::size_t kept) {
    const std::uint64_t elements_of_rank = plan_.elements().size();
    const std::uint64_t pieces = (elements_of_rank + rotated_elements - 1) / rotated_elements;
#pragma omp parallel for schedule(static) num_threads(plan_.threads())
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
        double* rotated = rotated_.data() + kept * rotated_elements * static_cast<std::size_t>(omp_get_thread_num());
        const std::uint64_t first = piece * rotated_elements,
                            size = std::min(rotated_elements, elements_of_rank - first);
        std::fill_n(rotated, kept * rotated_elements, 0.0);
        for (std::size_t j = 0; j < kept; ++j)
            for (std::size_t i = 0; i < count; ++i) {
                const double factor = c[j * count + i].real();
                const Real* from = elements(basis[i]) + first;
                double* to = rotated + j * rotated_elements;
                for (std::uint64_t e = 0; e < size; ++e) to[e] += factor * static_cast<double>(from[e]);
            }
        for (std::size_t j = 0; j < kept; ++j)
            std::transform(rotated + j * rotated_elements, rotated + j * rotated_elements + size,
                           elements(basis[j]) + first, [](double value) { return static_cast<Real>(value); });
    }
}

template <class Real>
void HostOperator<Real>::add_state(const std::string& name, DistributedVector& x,
                                   std::vector<DistributedArray>& arrays) {
    DistributedArray array = state_array(name, sizeof(Real));
    Real* own = elements(x);
    array.read = [this, own](const ArraySlab& slab, std::byte* to) {
        const auto* from = reinterpret_cast<const std::byte*>(own + slab_begin(slab));
        std::copy_n(from, slab.elements.size() * sizeof(Real), to);
    };
    array.write = [this, own](const ArraySlab& slab, const std::byte* from) {
        std::copy_n(from, slab.elements.size() * sizeof(Real), reinterpret_cast<std::byte*>(own + slab_begin(slab)));
    };
    arrays.push_back(std::move(array));
}

template class HostOperator<double>;
template class HostOperator<float>;

}  // namespace strata::kronecker
