// SPDX-License-Identifier: BSD-3-Clause
// Launches, copies and messages. The host waits for the queue before it overwrites a table, because a copy of it may
// still be queued.
#include "superblock/device_operator.hpp"

#include <algorithm>

#include "comm/tags.hpp"
#include "kernels/kronecker/device_tiles.hpp"

namespace strata::kronecker {
namespace {

template <class T>
Buffer<T, Cuda> copied(const Queue<Cuda>& queue, const std::vector<T>& table) {
    Buffer<T, Cuda> copy(table.size());
    copy_to_device(queue, copy.view(), std::span<const T>(table));
    queue.wait();
    return copy;
}

}  // namespace

template <class Real>
struct DeviceOperator<Real>::Part : DistributedVector::Storage {
    explicit Part(std::size_t size) : memory(size) {}
    Buffer<Real, Cuda> memory;
};

template <class Real>
View<Real, Cuda> DeviceOperator<Real>::view(const DistributedVector& x) {
    return static_cast<Part&>(x.storage()).memory.view();
}

template <class Real>
DeviceOperator<Real>::DeviceOperator(const Communicator& comm, const MultiplyPlan& plan,
                                     const OperatorSource& operators, const DeviceOptions& options,
                                     const DeviceBinding& device, Timers& timers)
    : TargetOperator(comm, plan, timers),
      operators_(operators),
      options_(options),
      device_name_(device.facts.name),
      route_(device.route),
      blocks_(tiles_per_processor * static_cast<unsigned>(std::max(1, device.facts.processors))),
      kernels_(device_kernels<Real>()),
      device_plan_(plan.target(), plan.columns(), options.gemm),
      sums_(comm, queue_, plan.columns().size(), plan.layout().columns()) {
    std::vector<Range> owned;
    for (int rank = 0; rank < plan.ranks(); ++rank) owned.push_back(plan.elements(rank));
    std::uint64_t to = 0;
    for (const Range& piece : device_plan_.gathered()) {
        for (const PieceTransfer& part : transfers_of(owned, piece, to)) append_transfer(receives_, part);
        to += piece.size();
    }
    sends_ = requested_elements(comm, receives_);
    if (options_.gemm == DeviceGemm::cublas) cublas_ = std::make_unique<CublasLibrary>(queue_, options_.cublas);
}

template <class Real>
std::string DeviceOperator<Real>::name() const {
    return "cuda " + device_name_ + (sizeof(Real) == sizeof(float) ? " single" : "") +
           (cublas_ != nullptr ? ", products by cuBLAS" : "");
}

template <class Real>
krylov::Precision DeviceOperator<Real>::precision() const {
    return sizeof(Real) == sizeof(float) ? krylov::Precision::single : krylov::Precision::double_;
}

template <class Real>
MemoryPrediction DeviceOperator<Real>::memory(std::uint64_t vectors) const {
    return device_memory<Real>(plan_, comm_.rank(), vectors, options_.gemm);
}

template <class Real>
std::string DeviceOperator<Real>::exchange_description() const {
    if (comm_.size() == 1) return {};
    std::uint64_t received = 0;
    for (const PieceTransfer& t : receives_)
        if (t.rank != comm_.rank()) received += sizeof(Real) * t.elements.size();
    return "this rank receives " + human_bytes(received) + " of other ranks' patches per product, " +
           (route_ == DeviceRoute::direct ? "from device to device" : "staged through host memory");
}

template <class Real>
void DeviceOperator<Real>::allocate() {
    sums_.reserve(step_sums);
    pairs_ = Table<DotPair<Real>>(step_sums);
    std::vector<std::uint64_t> begin;
    for (std::uint64_t column = plan_.columns().first; column <= plan_.columns().last; ++column)
        begin.push_back(plan_.layout().element_of(column) - plan_.elements().first);
    column_begin_ = copied(queue_, begin);
    products_ = copied(queue_, device_plan_.products());
    make_phase(own_, device_plan_.own_tiles(), device_plan_.own_matrices(), Update::set);
    make_phase(gathered_phase_, device_plan_.gathered_tiles(), device_plan_.gathered_matrices(), Update::set);
    make_phase(result_, device_plan_.result_tiles(), device_plan_.result_matrices(), Update::add);
    gathered_ = Buffer<Real, Cuda>(device_plan_.gathered_reals());
    scratch_ = Buffer<Real, Cuda>(device_plan_.scratch_reals());
    for (DistributedVector* x : {&v_, &w_}) {
        *x = vector();
        if (comm_.size() > 1) plan_messages(*x);
    }
    pack();
}

template <class Real>
void DeviceOperator<Real>::plan_messages(const DistributedVector& x) {
    Planned planned = {elements(x), std::make_unique<Exchange<Cuda>>(comm_, queue_, route_)};
    for (const PieceTransfer& t : receives_)
        planned.exchange->plan_receive(t.rank, tag::patches, gathered_.data() + t.to, sizeof(Real) * t.elements.size());
    for (const auto& [rank, asked] : sends_)
        planned.exchange->plan_send(rank, tag::patches, elements(x) + (asked.first - plan_.elements().first),
                                    sizeof(Real) * asked.size());
    planned_.push_back(std::move(planned));
}

/// Packs the operators block by block in host memory and copies them to the device.
template <class Real>
void DeviceOperator<Real>::pack() {
    pool_ = Buffer<Real, Cuda>(device_plan_.pool_reals());
    std::uint64_t largest = 0;
    for (const DeviceBlock& b : device_plan_.blocks()) largest = std::max({largest, b.left_reals(), b.right_reals()});
    Buffer<Real> packed(largest);
    const auto copy = [&](std::uint64_t first, std::uint64_t size) {
        copy_to_device(queue_, pool_.view().part(first, size), std::span<const Real>(packed.data(), size));
        queue_.wait();
    };
    for (const DeviceBlock& b : device_plan_.blocks()) {
        if (b.has_left()) {
            pack_left(b, packed.data());
            copy(b.left, b.left_reals());
        }
        if (b.has_right()) {
            pack_right(b, packed.data());
            copy(b.right, b.right_reals());
        }
    }
}

/// Packs A as [c][k][a]; for a transposed block the operators of the term are transposed.
template <class Real>
void DeviceOperator<Real>::pack_left(const DeviceBlock& block, Real* to) const {
    const std::uint64_t operators = block.shape.operators, rows = block.own.size(), columns = block.shape.from.l;
    const bool listed = block.orientation == Orientation::as_listed;
    const Rectangle part = listed ? Rectangle{block.own, {0, columns}} : Rectangle{{0, columns}, block.own};
    const std::uint64_t row_step = listed ? 1 : columns, column_step = listed ? rows : 1;
#pragma omp parallel for schedule(static) num_threads(plan_.threads())
    for (std::uint64_t k = 0; k < operators; ++k) {
        std::vector<double> from(part.size());
        operators_.left(block.term, k, part, from.data());
        for (std::uint64_t c = 0; c < columns; ++c)
            for (std::uint64_t a = 0; a < rows; ++a)
                to[(c * operators + k) * rows + a] = static_cast<Real>(from[a * row_step + c * column_step]);
    }
}

/// Packs B as [q][k][p]; for a transposed block the operators of the term are transposed.
template <class Real>
void DeviceOperator<Real>::pack_right(const DeviceBlock& block, Real* to) const {
    const std::uint64_t operators = block.shape.operators, rows = block.shape.to.r, columns = block.shape.from.r;
    const bool listed = block.orientation == Orientation::as_listed;
    const Rectangle part = listed ? Rectangle{{0, rows}, {0, columns}} : Rectangle{{0, columns}, {0, rows}};
    const std::uint64_t row_step = listed ? 1 : columns, column_step = listed ? rows : 1;
#pragma omp parallel for schedule(static) num_threads(plan_.threads())
    for (std::uint64_t k = 0; k < operators; ++k) {
        std::vector<double> from(part.size());
        operators_.right(block.term, k, part, from.data());
        for (std::uint64_t q = 0; q < columns; ++q)
            for (std::uint64_t p = 0; p < rows; ++p)
                to[(q * operators + k) * rows + p] = static_cast<Real>(from[p * row_step + q * column_step]);
    }
}

template <class Real>
void DeviceOperator<Real>::reserve_basis(std::size_t count) {
    const std::size_t width = std::max(count + 1, step_sums);
    sums_.reserve(width);
    pairs_ = Table<DotPair<Real>>(width);
    basis_ = Table<Real*>(count);
    factors_ = Table<double>(count * count);
    rotated_ = Buffer<Real, Cuda>(rotate_scratch_reals(count, plan_.elements().size()));
}

template <class Real>
DistributedVector DeviceOperator<Real>::vector() const {
    DistributedVector v(std::make_unique<Part>(plan_.elements().size()));
    clear(v);
    return v;
}

template <class Real>
void DeviceOperator<Real>::clear(DistributedVector& x) const {
    fill_bytes(queue_, view(x), 0);
}

template <class Real>
void DeviceOperator<Real>::draw(DistributedVector& x, std::uint64_t stream) const {
    kernels_.draw(queue_, options_.seed, stream, plan_.elements().first, plan_.elements().size(), elements(x));
}

template <class Real>
void DeviceOperator<Real>::make_phase(Phase& phase, const std::vector<Tile>& tiles, const std::vector<Tile>& matrices,
                                      Update update) {
    phase.tiles = copied(queue_, tiles);
    if (!matrices.empty())
        phase.grouped =
            std::make_unique<GroupedProducts<Real>>(*cublas_, queue_, matrices, device_plan_.products(), update);
}

template <class Real>
void DeviceOperator<Real>::compute(const Phase& phase, TileMemory<Real> memory) const {
    const Real* of_source[] = {pool_.data(), elements(v_), gathered_.data(), scratch_.data()};
    std::ranges::copy(of_source, memory.sources);
    kernels_.multiply(queue_, products_.data(), phase.tiles.data(), phase.tiles.size(), blocks_, memory);
    if (phase.grouped != nullptr) phase.grouped->multiply(memory);
}

/// w += C v. Waits for the queue and adds the times of its phases to the timers.
template <class Real>
void DeviceOperator<Real>::add_product() {
    const auto planned = std::ranges::find(planned_, elements(v_), &Planned::own);
    if (planned != planned_.end()) {
        const Timers::Scope scope = timers_.scope("exchange");
        planned->exchange->start();
    }
    TileMemory<Real> memory;
    memory.result = scratch_.data();
    event_timers_.begin(queue_, timers_);
    compute(own_, memory);
    event_timers_.close(queue_, "left operators");
    if (planned != planned_.end()) {
        const Timers::Scope scope = timers_.scope("exchange");
        planned->exchange->finish();
        event_timers_.close(queue_, "");
    }
    compute(gathered_phase_, memory);
    event_timers_.close(queue_, "left operators");
    memory.result = elements(w_);
    memory.add = true;
    compute(result_, memory);
    event_timers_.close(queue_, "right operators");
    event_timers_.collect_all(timers_);
}

template <class Real>
krylov::PairProducts DeviceOperator<Real>::multiply(const krylov::StepFactors& f) {
    kernels_.advance(queue_, plan_.elements().size(), static_cast<Real>(f.inverse_beta),
                     static_cast<Real>(-f.alpha * f.inverse_beta), static_cast<Real>(-f.beta), elements(v_),
                     elements(w_));
    std::swap(v_, w_);
    add_product();
    const Timers::Scope scope = timers_.scope("vectors");
    const Real *v = elements(v_), *w = elements(w_);
    const DotPair<Real> pairs[step_sums] = {{v, w}, {w, w}, {v, v}};
    const std::vector<double>& total = dots(pairs);
    return {total[0], total[1], total[2]};
}

template <class Real>
void DeviceOperator<Real>::product() {
    clear(w_);
    add_product();
}

/// The scalar products of all pairs, summed over all ranks. Collective.
template <class Real>
const std::vector<double>& DeviceOperator<Real>::dots(std::span<const DotPair<Real>> pairs) {
    queue_.wait();
    std::ranges::copy(pairs, pairs_.host.begin());
    pairs_.copy(queue_, pairs.size());
    kernels_.dots(queue_, column_begin_.data(), plan_.columns().size(), pairs_.device.data(), pairs.size(),
                  sums_.partial());
    return sums_.total(pairs.size());
}

template <class Real>
double DeviceOperator<Real>::sum(const DistributedVector& x) {
    const DotPair<Real> pair = {elements(x), nullptr};
    return dots({&pair, 1})[0];
}

template <class Real>
Complex DeviceOperator<Real>::dot(const DistributedVector& x, const DistributedVector& y) {
    const DotPair<Real> pair = {elements(x), elements(y)};
    return dots({&pair, 1})[0];
}

template <class Real>
void DeviceOperator<Real>::project(const std::vector<DistributedVector>& basis, const DistributedVector& x,
                                   std::span<Complex> components) {
    std::vector<DotPair<Real>> pairs;
    for (std::size_t i = 0; i < components.size(); ++i) pairs.push_back({elements(basis[i]), elements(x)});
    std::ranges::copy(dots(pairs), components.begin());
}

template <class Real>
void DeviceOperator<Real>::axpby(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                                 DistributedVector& out) {
    kernels_.combine(queue_, column_begin_.data(), plan_.columns().size(), static_cast<Real>(a.real()), elements(x),
                     static_cast<Real>(b.real()), elements(y), elements(out), nullptr);
}

template <class Real>
double DeviceOperator<Real>::axpby_norm(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                                        DistributedVector* out) {
    kernels_.combine(queue_, column_begin_.data(), plan_.columns().size(), static_cast<Real>(a.real()), elements(x),
                     static_cast<Real>(b.real()), elements(y), out == nullptr ? nullptr : elements(*out),
                     sums_.partial());
    return sums_.total(1)[0];
}

/// Fills the tables of a basis and its factors on host and device.
template <class Real>
void DeviceOperator<Real>::set_basis(const std::vector<DistributedVector>& basis, std::size_t count,
                                     const std::vector<double>& factors) {
    queue_.wait();
    for (std::size_t i = 0; i < count; ++i) basis_.host[i] = elements(basis[i]);
    std::ranges::copy(factors, factors_.host.begin());
    basis_.copy(queue_, count);
    factors_.copy(queue_, factors.size());
}

template <class Real>
void DeviceOperator<Real>::subtract(const std::vector<DistributedVector>& basis, std::span<const Complex> components,
                                    DistributedVector& x) {
    std::vector<double> factors;
    for (const Complex& c : components) factors.push_back(c.real());
    set_basis(basis, components.size(), factors);
    kernels_.subtract(queue_, plan_.elements().size(), basis_.device.data(), factors_.device.data(), components.size(),
                      elements(x));
}

/// All products are one call of dots(), as on the CPU: the unit of the fixed-point sums, and thus the last bit of the
/// small ones, depends on the largest sum of the call.
template <class Real>
krylov::Projection DeviceOperator<Real>::subtract_and_project(const std::vector<DistributedVector>& basis,
                                                              std::span<const Complex> factors, DistributedVector& x) {
    subtract(basis, factors, x);
    std::vector<DotPair<Real>> pairs;
    for (std::size_t i = 0; i < factors.size(); ++i) pairs.push_back({elements(basis[i]), elements(x)});
    pairs.push_back({elements(x), elements(x)});
    const std::vector<double>& total = dots(pairs);
    return {{total.begin(), total.end() - 1}, total.back()};
}

template <class Real>
void DeviceOperator<Real>::rotate(const std::vector<DistributedVector>& basis, std::size_t count,
                                  const std::vector<Complex>& c, std::size_t kept) {
    std::vector<double> factors;
    for (std::size_t i = 0; i < kept * count; ++i) factors.push_back(c[i].real());
    set_basis(basis, count, factors);
    kernels_.rotate(queue_, plan_.elements().size(), basis_.device.data(), count, factors_.device.data(), kept,
                    rotated_.data());
}

template <class Real>
void DeviceOperator<Real>::add_state(const std::string& name, DistributedVector& x,
                                     std::vector<DistributedArray>& arrays) {
    DistributedArray array = state_array(name, sizeof(Real));
    const auto part = [this, memory = view(x)](const ArraySlab& slab) {
        return memory.part(slab_begin(slab), slab.elements.size());
    };
    array.read = [this, part](const ArraySlab& slab, std::byte* to) {
        const View<const Real, Cuda> from(part(slab));
        copy_to_host(queue_, std::span(reinterpret_cast<Real*>(to), from.size()), from);
        queue_.wait();
    };
    array.write = [this, part](const ArraySlab& slab, const std::byte* from) {
        const View<Real, Cuda> to = part(slab);
        copy_to_device(queue_, to, std::span(reinterpret_cast<const Real*>(from), to.size()));
        queue_.wait();
    };
    arrays.push_back(std::move(array));
}

template class DeviceOperator<double>;
template class DeviceOperator<float>;

}  // namespace strata::kronecker
