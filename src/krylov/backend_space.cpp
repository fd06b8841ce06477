// SPDX-License-Identifier: BSD-3-Clause
// Every function is a kernel for each array of this rank, followed by a sum over the segments of all ranks where it
// returns a number. Tables of a device are written on the host after the queue has read the previous ones.
#include "krylov/backend_space.hpp"

#include <algorithm>

#include "kernels/instruction_sets.hpp"
#include "strata/error.hpp"

namespace strata::krylov {
namespace {

template <class Backend, class Real>
const vectors::VectorKernels<Backend, Real>& choose(Arithmetic arithmetic, [[maybe_unused]] std::string_view simd) {
    if constexpr (std::is_same_v<Backend, Cpu>)
        return choose_kernels(vectors::vector_variants<Real>(arithmetic), simd);
    else
        return vectors::device_vector_kernels<Real>(arithmetic);
}

std::uint64_t own_segments(const SpaceLayout& layout) {
    std::uint64_t segments = 0;
    for (const ArraySegments& array : layout.arrays) segments += array.count;
    return segments;
}

int threads_of(const vectors::Workers<Cpu>& workers) { return workers.threads; }
int threads_of(const vectors::Workers<Cuda>&) { return 1; }

vectors::Factor factor(Complex z) { return {z.real(), z.imag()}; }

}  // namespace

template <class Backend, class Real>
template <class T>
void BackendSpace<Backend, Real>::Table<T>::reserve(std::size_t size) {
    if (host.size() >= size) return;
    host = decltype(host)(size);
    if constexpr (!on_host) device = decltype(device)(size);
}

template <class Backend, class Real>
template <class T>
T* BackendSpace<Backend, Real>::Table<T>::send([[maybe_unused]] const Workers& workers, std::size_t first,
                                               [[maybe_unused]] std::size_t count) {
    if constexpr (on_host) {
        return host.data() + first;
    } else {
        copy_to_device(*workers.queue, device.view().part(first, count),
                       std::span<const T>(host.data() + first, count));
        return device.data() + first;
    }
}

template <class Backend, class Real>
BackendSpace<Backend, Real>::BackendSpace(const Communicator& comm, SpaceLayout layout, Workers workers,
                                          std::string_view simd, Timers& timers)
    : comm_(comm),
      layout_(std::move(layout)),
      workers_(workers),
      kernels_(choose<Backend, Real>(layout_.arithmetic, simd)),
      timers_(timers),
      sums_(comm, workers, own_segments(layout_), timers) {
    if (layout_.all_segments > std::uint64_t{1} << 31)
        throw Error(ExitCode::bad_input, "A vector of " + std::to_string(layout_.all_segments) +
                                             " segments is too long: exact sums take at most 2^31 of them.");
    std::uint64_t first = 0;
    for (const ArraySegments& array : layout_.arrays) {
        first_segment_.push_back(first);
        first += array.count;
    }
}

template <class Backend, class Real>
std::uint64_t BackendSpace<Backend, Real>::work_bytes(std::uint64_t segments, std::uint64_t reals,
                                                      Arithmetic arithmetic, std::uint64_t count, int threads) {
    const std::uint64_t width =
        (arithmetic == Arithmetic::complex ? 2 : 1) * std::max<std::uint64_t>(count + 1, step_sums);
    return ExactSums<Backend>::bytes(segments, width) +
           sizeof(double) * vectors::rotation_scratch<Backend>(count, reals, threads) +
           count * (sizeof(Real*) + sizeof(vectors::Pair<Real>) + 2 * sizeof(double) * count);
}

template <class Backend, class Real>
void BackendSpace<Backend, Real>::allocate() {
    for (const ArraySegments& array : layout_.arrays) {
        const std::vector<std::uint64_t>& begins = array.begins;
        const std::uint64_t* table = begins.data();
        if constexpr (!on_host)
            if (!begins.empty()) {
                Buffer<std::uint64_t, Cuda>& copy = begins_.emplace_back(begins.size());
                copy_to_device(*workers_.queue, copy.view(), std::span<const std::uint64_t>(begins));
                wait();
                table = copy.data();
            }
        segments_.push_back(begins.empty() ? vectors::Segments::equal(array.count, array.length)
                                           : vectors::Segments{array.count, begins.back(), 0, table});
    }
    sums_.reserve(numbers() * step_sums);
    pairs_.reserve(arrays() * step_sums);
}

template <class Backend, class Real>
void BackendSpace<Backend, Real>::reserve_basis(std::size_t count) {
    sums_.reserve(numbers() * std::max(count + 1, step_sums));
    pairs_.reserve(arrays() * (count + 1));
    basis_.reserve(arrays() * count);
    factors_.reserve(2 * count * count);
    std::uint64_t reals = 0;
    for (const vectors::Segments& s : segments_) reals = std::max(reals, s.reals);
    const std::uint64_t scratch = vectors::rotation_scratch<Backend>(count, reals, threads_of(workers_));
    if (scratch_.size() < scratch) scratch_ = Buffer<double, Backend>(scratch);
    reserved_ = std::max(reserved_, count);
}

template <class Backend, class Real>
void BackendSpace<Backend, Real>::check_basis(std::size_t count) const {
    if (count > reserved_)
        throw Error(ExitCode::internal, "A basis has " + std::to_string(count) +
                                            " vectors, and work memory was reserved for " + std::to_string(reserved_) +
                                            ".");
}

template <class Backend, class Real>
typename BackendSpace<Backend, Real>::Memory BackendSpace<Backend, Real>::memory(std::uint64_t reals) {
    if constexpr (on_host)
        return NodeBuffer((reals * sizeof(Real) + sizeof(double) - 1) / sizeof(double));
    else
        return Buffer<Real, Cuda>(reals);
}

template <class Backend, class Real>
typename BackendSpace<Backend, Real>::Memory BackendSpace<Backend, Real>::shared_memory(
    const Node& node, std::uint64_t reals) requires on_host {
    return NodeBuffer(node, (reals * sizeof(Real) + sizeof(double) - 1) / sizeof(double));
}

template <class Backend, class Real>
DistributedVector BackendSpace<Backend, Real>::adopt(std::vector<Memory> arrays) const {
    auto storage = std::make_unique<Arrays>();
    storage->memory = std::move(arrays);
    DistributedVector x(std::move(storage));
    clear(x);
    return x;
}

template <class Backend, class Real>
DistributedVector BackendSpace<Backend, Real>::vector() const {
    std::vector<Memory> arrays;
    for (const vectors::Segments& s : segments_) arrays.push_back(memory(s.reals));
    return adopt(std::move(arrays));
}

template <class Backend, class Real>
void BackendSpace<Backend, Real>::clear(DistributedVector& x) const {
    for (std::size_t p = 0; p < arrays(); ++p) kernels_.clear(workers_, segments_[p], own(x, p));
}

template <class Backend, class Real>
void BackendSpace<Backend, Real>::advance(double scale, double part, double beta, DistributedVector& v,
                                          DistributedVector& w) {
    const Timers::Scope scope = timers_.scope("vectors");
    for (std::size_t p = 0; p < arrays(); ++p)
        kernels_.advance(workers_, segments_[p], static_cast<Real>(scale), static_cast<Real>(part),
                         static_cast<Real>(beta), own(v, p), own(w, p));
}

/// Subtracts vectors of the basis from `from` if there are factors; then the scalar products of all pairs, summed over
/// all ranks. All are one call of the exact sums, whose unit, and thus the last bit of the small ones, depends on the
/// largest sum of the call. Collective.
template <class Backend, class Real>
const std::vector<double>& BackendSpace<Backend, Real>::dots(std::span<const VectorPair> pairs,
                                                             const std::vector<DistributedVector>& basis,
                                                             std::span<const Complex> subtracted,
                                                             DistributedVector* from) {
    const std::size_t width = numbers() * pairs.size();
    {
        const Timers::Scope scope = timers_.scope("vectors");
        wait();
        set_factors(subtracted);
        for (std::size_t p = 0; p < arrays(); ++p) {
            const std::size_t first = p * pairs.size();
            for (std::size_t i = 0; i < pairs.size(); ++i)
                pairs_.host[first + i] = {own(*pairs[i].x, p), pairs[i].y == nullptr ? nullptr : own(*pairs[i].y, p)};
            const vectors::Subtraction<Real> s =
                from == nullptr ? vectors::Subtraction<Real>() : subtraction(p, basis, subtracted.size(), *from);
            kernels_.dots(workers_, segments_[p], s, pairs_.send(workers_, first, pairs.size()), pairs.size(),
                          sums_.partial() + first_segment_[p] * width, width);
        }
    }
    return sums_.total(width);
}

template <class Backend, class Real>
void BackendSpace<Backend, Real>::set_factors(std::span<const Complex> factors) {
    for (std::size_t i = 0; i < factors.size(); ++i) {
        factors_.host[2 * i] = factors[i].real();
        factors_.host[2 * i + 1] = factors[i].imag();
    }
}

/// The factors must have been set. Vectors before the first factor that is not 0 are not subtracted.
template <class Backend, class Real>
vectors::Subtraction<Real> BackendSpace<Backend, Real>::subtraction(std::size_t part,
                                                                    const std::vector<DistributedVector>& basis,
                                                                    std::size_t count, const DistributedVector& x) {
    std::size_t first = 0;
    while (first < count && factors_.host[2 * first] == 0 && factors_.host[2 * first + 1] == 0) ++first;
    if (first == count) return {};
    for (std::size_t i = 0; i < count; ++i) basis_.host[part * count + i] = own(basis[i], part);
    return {basis_.send(workers_, part * count + first, count - first),
            factors_.send(workers_, 2 * first, 2 * (count - first)), count - first, own(x, part)};
}

template <class Backend, class Real>
PairProducts BackendSpace<Backend, Real>::products(const DistributedVector& v, const DistributedVector& w) {
    const VectorPair pairs[] = {{&v, &w}, {&w, &w}, {&v, &v}};
    const std::vector<double>& sums = dots(pairs);
    return {sums[0], sums[numbers()], sums[2 * numbers()]};
}

template <class Backend, class Real>
double BackendSpace<Backend, Real>::sum(const DistributedVector& x) {
    const VectorPair pair = {&x, nullptr};
    return dots({&pair, 1})[0];
}

template <class Backend, class Real>
Complex BackendSpace<Backend, Real>::dot(const DistributedVector& x, const DistributedVector& y) {
    const VectorPair pair = {&x, &y};
    const std::vector<double>& sums = dots({&pair, 1});
    return {sums[0], numbers() == 2 ? sums[1] : 0};
}

template <class Backend, class Real>
void BackendSpace<Backend, Real>::project(const std::vector<DistributedVector>& basis, const DistributedVector& x,
                                          std::span<Complex> components) {
    check_basis(components.size());
    std::vector<VectorPair> pairs;
    for (std::size_t i = 0; i < components.size(); ++i) pairs.push_back({&basis[i], &x});
    const std::vector<double>& sums = dots(pairs);
    for (std::size_t i = 0; i < components.size(); ++i)
        components[i] = {sums[numbers() * i], numbers() == 2 ? sums[2 * i + 1] : 0};
}

template <class Backend, class Real>
void BackendSpace<Backend, Real>::subtract(const std::vector<DistributedVector>& basis,
                                           std::span<const Complex> components, DistributedVector& x) {
    check_basis(components.size());
    {
        const Timers::Scope scope = timers_.scope("vectors");
        wait();
        set_factors(components);
        for (std::size_t p = 0; p < arrays(); ++p)
            kernels_.subtract(workers_, segments_[p], subtraction(p, basis, components.size(), x));
    }
    restrict(x);
}

/// Subtraction and products in one pass where nothing lies between them, so that vectors are read from memory once.
template <class Backend, class Real>
Projection BackendSpace<Backend, Real>::subtract_and_project(const std::vector<DistributedVector>& basis,
                                                             std::span<const Complex> factors, DistributedVector& x) {
    check_basis(factors.size());
    std::vector<VectorPair> pairs;
    for (std::size_t i = 0; i < factors.size(); ++i) pairs.push_back({&basis[i], &x});
    pairs.push_back({&x, &x});
    if (restriction_) subtract(basis, factors, x);
    const std::vector<double>& sums = restriction_ ? dots(pairs) : dots(pairs, basis, factors, &x);
    Projection p{std::vector<Complex>(factors.size()), sums[numbers() * factors.size()]};
    for (std::size_t i = 0; i < factors.size(); ++i)
        p.components[i] = {sums[numbers() * i], numbers() == 2 ? sums[2 * i + 1] : 0};
    return p;
}

template <class Backend, class Real>
void BackendSpace<Backend, Real>::combine(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                                          DistributedVector* out, bool with_sums) {
    const Timers::Scope scope = timers_.scope("vectors");
    for (std::size_t p = 0; p < arrays(); ++p)
        kernels_.axpby(workers_, segments_[p], factor(a), own(x, p), factor(b), own(y, p),
                       out == nullptr ? nullptr : own(*out, p),
                       with_sums ? sums_.partial() + first_segment_[p] : nullptr, 1);
}

template <class Backend, class Real>
void BackendSpace<Backend, Real>::axpby(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                                        DistributedVector& out) {
    combine(a, x, b, y, &out, false);
}

template <class Backend, class Real>
double BackendSpace<Backend, Real>::axpby_norm(Complex a, const DistributedVector& x, Complex b,
                                               const DistributedVector& y, DistributedVector* out) {
    combine(a, x, b, y, out, true);
    return sums_.total(1)[0];
}

template <class Backend, class Real>
void BackendSpace<Backend, Real>::rotate(const std::vector<DistributedVector>& basis, std::size_t count,
                                         const std::vector<Complex>& c, std::size_t kept) {
    check_basis(count);
    const Timers::Scope scope = timers_.scope("vectors");
    wait();
    set_factors(std::span(c).first(kept * count));
    const double* factors = factors_.send(workers_, 0, 2 * kept * count);
    for (std::size_t p = 0; p < arrays(); ++p) {
        for (std::size_t i = 0; i < count; ++i) basis_.host[p * count + i] = own(basis[i], p);
        kernels_.rotate(workers_, segments_[p], basis_.send(workers_, p * count, count), count, factors, kept,
                        scratch_.data());
    }
}

template <class Backend, class Real>
void BackendSpace<Backend, Real>::wait() const {
    if constexpr (!on_host) workers_.queue->wait();
}

template <class Backend, class Real>
void BackendSpace<Backend, Real>::copy_out(const Real* from, std::size_t size, Real* to) const {
    if constexpr (on_host) {
        std::copy_n(from, size, to);
    } else {
        copy_to_host(*workers_.queue, std::span<Real>(to, size), View<const Real, Cuda>(from, size));
        wait();
    }
}

template <class Backend, class Real>
void BackendSpace<Backend, Real>::copy_in(const Real* from, std::size_t size, Real* to) const {
    if constexpr (on_host) {
        std::copy_n(from, size, to);
    } else {
        copy_to_device(*workers_.queue, View<Real, Cuda>(to, size), std::span<const Real>(from, size));
        wait();
    }
}

template <class Backend, class Real>
void BackendSpace<Backend, Real>::get(const DistributedVector& x, std::size_t part, Range reals, double* to) const {
    const Real* from = own(x, part) + reals.first;
    if constexpr (std::is_same_v<Real, double>) {
        copy_out(from, reals.size(), to);
    } else if constexpr (on_host) {
        std::copy_n(from, reals.size(), to);
    } else {
        Buffer<Real> copy(reals.size());
        copy_out(from, reals.size(), copy.data());
        std::copy_n(copy.data(), reals.size(), to);
    }
}

template <class Backend, class Real>
void BackendSpace<Backend, Real>::set(DistributedVector& x, std::size_t part, Range reals, const double* from) const {
    Real* to = own(x, part) + reals.first;
    const auto converted = [](double value) { return static_cast<Real>(value); };
    if constexpr (std::is_same_v<Real, double>) {
        copy_in(from, reals.size(), to);
    } else if constexpr (on_host) {
        std::transform(from, from + reals.size(), to, converted);
    } else {
        Buffer<Real> copy(reals.size());
        std::transform(from, from + reals.size(), copy.data(), converted);
        copy_in(copy.data(), reals.size(), to);
    }
}

template <class Backend, class Real>
const double* BackendSpace<Backend, Real>::in_place([[maybe_unused]] const DistributedVector& x,
                                                    [[maybe_unused]] std::size_t part) const {
    if constexpr (on_host && std::is_same_v<Real, double>) return own(x, part);
    return nullptr;
}

template <class Backend, class Real>
void BackendSpace<Backend, Real>::connect(DistributedArray& array, DistributedVector& x, std::size_t part) const {
    const std::size_t reals = element_bytes(array.shape.type) / sizeof(Real);
    // rows of different lengths are the segments of the array
    const std::uint64_t* starts = array.shape.ragged() ? layout_.arrays[part].begins.data() : nullptr;
    const auto begin = [starts, first = array.rows.first, row = array.shape.row_elements,
                        reals](const ArraySlab& slab) {
        const std::uint64_t before = slab.rows.first - first;
        return reals * ((starts == nullptr ? before * row : starts[before]) + slab.elements.first);
    };
    Real* memory = own(x, part);
    array.read = [this, begin, memory, reals](const ArraySlab& slab, std::byte* to) {
        copy_out(memory + begin(slab), reals * slab.elements.size(), reinterpret_cast<Real*>(to));
    };
    array.write = [this, begin, memory, reals](const ArraySlab& slab, const std::byte* from) {
        copy_in(reinterpret_cast<const Real*>(from), reals * slab.elements.size(), memory + begin(slab));
    };
}

template class BackendSpace<Cpu, double>;
template class BackendSpace<Cpu, float>;
template class BackendSpace<Cuda, double>;
template class BackendSpace<Cuda, float>;

}  // namespace strata::krylov
