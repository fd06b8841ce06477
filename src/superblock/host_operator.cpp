// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra column by column: the partial sums of a column have the same bits on any rank.
#include "superblock/host_operator.hpp"

#include <omp.h>

#include <algorithm>

#include "kernels/instruction_sets.hpp"
#include "kernels/kronecker/column_core.hpp"
#include "superblock/host_variants.hpp"

namespace strata::kronecker {
namespace {

/// Columns per unit of work of a thread: their elements of all vectors of a basis remain in the second-level cache.
constexpr std::uint64_t columns_at_once = 16;

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

/// Calls body(own column, its first own element, number of elements) for all columns of this rank, by all threads.
template <class Real>
template <class Body>
void HostOperator<Real>::for_columns(Body body) const {
    const std::uint64_t columns = plan_.columns().size();
    const Timers::Scope scope = timers_.scope("vectors");
#pragma omp parallel for schedule(static) num_threads(plan_.threads())
    for (std::uint64_t column = 0; column < columns; ++column)
        body(column, column_begin_[column], column_begin_[column + 1] - column_begin_[column]);
}

/// Calls body(own columns, their own elements) for all columns of this rank, in groups of columns_at_once, by all
/// threads.
template <class Real>
template <class Body>
void HostOperator<Real>::for_column_groups(Body body) const {
    const std::uint64_t columns = plan_.columns().size();
    const Timers::Scope scope = timers_.scope("vectors");
#pragma omp parallel for schedule(static) num_threads(plan_.threads())
    for (std::uint64_t first = 0; first < columns; first += columns_at_once) {
        const Range group = {first, std::min(first + columns_at_once, columns)};
        body(group, Range{column_begin_[group.first], column_begin_[group.last]});
    }
}

template <class Real>
HostOperator<Real>::HostOperator(const Communicator& comm, const MultiplyPlan& plan, const OperatorSource& operators,
                                 const HostOptions& options, Timers& timers)
    : TargetOperator(comm, plan, timers),
      operators_(operators),
      seed_(options.seed),
      node_(comm, options.sharing, 2 * (plan.elements().size() + 1) * sizeof(Real)),
      product_(make_product<Real>(comm, plan, node_, options, timers)),
      kernels_(choose_kernels(column_variants<Real>(), options.simd)),
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
    return add_product();
}

template <class Real>
krylov::PairProducts HostOperator<Real>::apply(const DistributedVector& x) {
    const Real* from = elements(x);
    Real *v = elements(v_), *w = elements(w_);
    for_columns([&](std::uint64_t, std::uint64_t first, std::uint64_t size) {
        std::copy_n(from + first, size, v + first);
        std::fill_n(w + first, size, Real(0));
    });
    return add_product();
}

/// w <- w + C v; returns <v,w>, <w,w> and <v,v>. Collective.
template <class Real>
krylov::PairProducts HostOperator<Real>::add_product() {
    product_->add_product(static_cast<Part&>(v_.storage()).memory, elements(w_));
    const Real *v = elements(v_), *w = elements(w_);
    const ColumnPair<Real> pairs[step_sums] = {{v, w}, {w, w}, {v, v}};
    const std::vector<double>& total = dots(pairs);
    return {total[0], total[1], total[2]};
}

/// The scalar products of all pairs, summed over all ranks. prepare(elements) is called for each group of columns
/// before its products are computed. Collective.
template <class Real>
template <class Prepare>
const std::vector<double>& HostOperator<Real>::dots(std::span<const ColumnPair<Real>> pairs, Prepare prepare) {
    for_column_groups([&](const Range& columns, const Range& of_columns) {
        prepare(of_columns);
        kernels_.dots(column_begin_.data(), columns, pairs, sums_.column(0, pairs.size()));
    });
    const Timers::Scope scope = timers_.scope("vectors");
    return sums_.total(pairs.size());
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
    const ColumnPair<Real> pair = {elements(x), elements(y)};
    return dots({&pair, 1})[0];
}

template <class Real>
void HostOperator<Real>::project(const std::vector<DistributedVector>& basis, const DistributedVector& x,
                                 std::span<Complex> components) {
    set_basis(basis, components.size(), elements(x));
    std::ranges::copy(dots(std::span(pairs_).first(components.size())), components.begin());
}

/// Fills the tables of a basis for the products with `x`; the last pair is the square of the norm of `x`.
template <class Real>
void HostOperator<Real>::set_basis(const std::vector<DistributedVector>& basis, std::size_t count, const Real* x) {
    for (std::size_t i = 0; i < count; ++i) pairs_[i] = {basis_[i] = elements(basis[i]), x};
    pairs_[count] = {x, x};
}

template <class Real>
void HostOperator<Real>::set_factors(std::span<const Complex> factors) {
    std::ranges::transform(factors, factors_.begin(), [](Complex c) { return static_cast<Real>(c.real()); });
}

template <class Real>
void HostOperator<Real>::subtract(const std::vector<DistributedVector>& basis, std::span<const Complex> components,
                                  DistributedVector& x) {
    const std::size_t count = components.size();
    set_basis(basis, count, elements(x));
    set_factors(components);
    for_column_groups([&](const Range&, const Range& of_columns) {
        kernels_.subtract(of_columns, std::span(basis_).first(count), std::span(factors_).first(count), elements(x));
    });
}

/// Subtraction and products in one pass, so that every vector is read from memory once.
template <class Real>
krylov::Projection HostOperator<Real>::subtract_and_project(const std::vector<DistributedVector>& basis,
                                                            std::span<const Complex> factors, DistributedVector& x) {
    const std::size_t count = factors.size();
    set_basis(basis, count, elements(x));
    set_factors(factors);
    // vectors before the first factor that is not 0 are not subtracted
    const std::size_t zeros =
        static_cast<std::size_t>(std::ranges::find_if(factors, [](Complex c) { return c != 0.0; }) - factors.begin());
    const auto subtracted = std::span(basis_).first(count).subspan(zeros);
    const auto of_subtracted = std::span(factors_).first(count).subspan(zeros);
    const std::vector<double>& total = dots(std::span(pairs_).first(count + 1), [&](const Range& elements_of) {
        kernels_.subtract(elements_of, subtracted, of_subtracted, elements(x));
    });
    return {{total.begin(), total.end() - 1}, total.back()};
}

template <class Real>
void HostOperator<Real>::reserve_basis(std::size_t count) {
    sums_.reserve(std::max(count + 1, step_sums));
    pairs_.resize(count + 1);
    basis_.resize(count);
    factors_.resize(count);
    rotated_ = Buffer<double>(count * rotated_elements * static_cast<std::size_t>(plan_.threads()));
}

template <class Real>
void HostOperator<Real>::rotate(const std::vector<DistributedVector>& basis, std::size_t count,
                                const std::vector<Complex>& c, std::size_t kept) {
    const std::uint64_t elements_of_rank = plan_.elements().size();
    const std::uint64_t pieces = (elements_of_rank + rotated_elements - 1) / rotated_elements;
    const Timers::Scope scope = timers_.scope("vectors");
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
