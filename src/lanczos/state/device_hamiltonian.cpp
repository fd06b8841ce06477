// SPDX-License-Identifier: BSD-3-Clause
// Tables, vectors and sums in device memory, and the kernels of one multiplication in one queue. Host copies are made
// only of block sums, and of whole subspaces for observables.
#include "lanczos/state/device_hamiltonian.hpp"

#include <algorithm>

#include "lanczos/state/device_tables.hpp"
#include "lanczos/state/memory.hpp"
#include "lanczos/state/start_vector.hpp"

namespace strata::lanczos {

template <class Real>
struct DeviceHamiltonian<Real>::Parts : DistributedVector::Storage {
    std::vector<Buffer<Real, Cuda>> of_subspace;
};

/// Tables and exchange buffers of a subspace on the device.
template <class Real>
struct DeviceHamiltonian<Real>::Subspace {
    HamiltonianView h;
    std::vector<SubspaceHopsView> incoming;
    const std::uint64_t* sent_rows = nullptr;
    Buffer<Real, Cuda> packed;
    /// A planned exchange into one vector of the working pair, whose vectors swap memory in every step.
    struct Planned {
        const Real* into;
        std::unique_ptr<Exchange<Cuda>> exchange;
    };
    std::vector<Planned> exchanges;
    Exchange<Cuda>* under_way = nullptr;
    std::unique_ptr<DeviceTables> tables;
};

template <class Real>
typename DeviceHamiltonian<Real>::Parts& DeviceHamiltonian<Real>::parts(const DistributedVector& x) {
    return static_cast<Parts&>(x.storage());
}
template <class Real>
Real* DeviceHamiltonian<Real>::own(const DistributedVector& x, std::size_t subspace) {
    return parts(x).of_subspace[subspace].data();
}

template <class Real>
DeviceHamiltonian<Real>::DeviceHamiltonian(const Communicator& comm, const LanczosPlan& plan,
                                           const DeviceBinding& device, Timers& timers)
    : HamiltonianOperator(comm, plan, Sharing::none, PanelTranspose::none, timers),
      device_name_(device.facts.name),
      route_(device.route),
      kernels_(plan.counts().symmetric() ? symmetric_device_step_kernels<Real>() : device_step_kernels<Real>()) {}

template <class Real>
DeviceHamiltonian<Real>::~DeviceHamiltonian() = default;

template <class Real>
MemoryPrediction DeviceHamiltonian<Real>::memory(std::uint64_t vectors) const {
    return operator_memory(plan_, comm_.rank(), rows_.rank_rows(), ExchangeMethod::rows, vectors, BackendKind::cuda);
}

template <class Real>
void DeviceHamiltonian<Real>::allocate() {
    std::uint64_t columns = 0, blocks = 0;
    for (const SubspaceRows& subspace : rows_.subspaces()) {
        columns =
            std::max(columns, device_blocks_together(subspace.layout, sizeof(Real)) * subspace.layout.block_size());
        blocks += subspace.layout.blocks.size();
    }
    columns_ = Buffer<Real, Cuda>(columns);
    tile_sums_ = Buffer<TileSums, Cuda>(rows_.tiles());
    block_sums_ = Buffer<TileSums, Cuda>(blocks);
    host_sums_ = Buffer<TileSums, Pinned>(blocks);
    for (const SubspaceRows& rows : rows_.subspaces()) {
        Subspace& subspace = *subspaces_.emplace_back(std::make_unique<Subspace>());
        subspace.tables = std::make_unique<DeviceTables>(queue_);
        const BlockLayout& l = rows.layout;
        const std::uint64_t own_rows = l.own_rows().size();
        subspace.h = subspace.tables->hamiltonian(rows.h, own_rows);
        for (const SubspaceHopsView& c : rows.incoming_views)
            subspace.incoming.push_back(subspace.tables->subspace_hops(c, own_rows));
        if (rows.exchange == nullptr) continue;
        const std::vector<std::uint64_t>& sent = rows.exchange->sent_rows();
        subspace.sent_rows = subspace.tables->copy(sent.data(), sent.size());
        subspace.packed = Buffer<Real, Cuda>(sent.size() / block_rows * l.block_size());
    }
    for (DistributedVector* v : {&v_, &w_}) {
        auto storage = std::make_unique<Parts>();
        for (const SubspaceRows& subspace : rows_.subspaces())
            storage->of_subspace.emplace_back(subspace.local_reals());
        *v = DistributedVector(std::move(storage));
        clear(*v);
        for (std::size_t p = 0; p < subspaces_.size(); ++p) {
            const SubspaceRows& rows = rows_.subspaces()[p];
            if (rows.exchange == nullptr) continue;
            auto exchange = std::make_unique<Exchange<Cuda>>(comm_, queue_, route_);
            rows.exchange->plan(*exchange, subspaces_[p]->packed.data(), own(*v, p) + rows.layout.size());
            subspaces_[p]->exchanges.push_back({own(*v, p), std::move(exchange)});
        }
    }
}

template <class Real>
DistributedVector DeviceHamiltonian<Real>::vector() const {
    auto storage = std::make_unique<Parts>();
    for (const SubspaceRows& subspace : rows_.subspaces()) storage->of_subspace.emplace_back(subspace.layout.size());
    DistributedVector v(std::move(storage));
    clear(v);
    return v;
}

template <class Real>
void DeviceHamiltonian<Real>::clear(DistributedVector& x) const {
    for (Buffer<Real, Cuda>& part : parts(x).of_subspace) fill_bytes(queue_, part.view(), 0);
}

/// The numbers are drawn on the host, some blocks at a time, and copied to the device.
template <class Real>
void DeviceHamiltonian<Real>::draw(DistributedVector& x, std::uint64_t stream) const {
    constexpr std::uint64_t together = 64;
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p) {
        const BlockLayout& l = rows_.subspaces()[p].layout;
        const std::uint64_t size = l.block_size();
        Buffer<Real> some(std::min(together, l.blocks.size()) * size);
        for (std::uint64_t first = 0; first < l.blocks.size(); first += together) {
            const Range blocks = {first, std::min(first + together, l.blocks.size())};
            draw_blocks<Real>({plan_.config().seed, p, stream, plan_.distribution()}, l, blocks, some.data());
            copy_to_device(queue_, parts(x).of_subspace[p].view().part(first * size, blocks.size() * size),
                           std::span<const Real>(some.data(), blocks.size() * size));
            queue_.wait();
        }
    }
    project_onto_sector(x);
}

/// Without symmetries every vector lies in the sector, and there is no such kernel.
template <class Real>
void DeviceHamiltonian<Real>::project_onto_sector(const DistributedVector& x) const {
    if (kernels_.project_onto_sector != nullptr) kernels_.project_onto_sector(queue_, subspaces_[0]->h, own(x, 0));
}

template <class Real>
void DeviceHamiltonian<Real>::start_exchange(std::size_t p) {
    const SubspaceRows& rows = rows_.subspaces()[p];
    Subspace& subspace = *subspaces_[p];
    if (rows.exchange == nullptr) return;
    kernels_.pack_rows(queue_, rows.layout, subspace.sent_rows, rows.exchange->sent_rows().size(), own(w_, p),
                       subspace.packed.data());
    for (auto& planned : subspace.exchanges)
        if (planned.into == own(w_, p)) subspace.under_way = planned.exchange.get();
    subspace.under_way->start();
}

/// The host waits for the queue after each phase, so that phases can be timed; a step is long compared with the wait.
template <class Real>
PairProducts DeviceHamiltonian<Real>::multiply(const krylov::StepFactors& factors) {
    const Recurrence r = {factors.alpha, factors.inverse_beta, factors.beta};
    {
        const Timers::Scope scope = timers_.scope("H down");
        for (std::size_t p = 0; p < subspaces_.size(); ++p) {
            const BlockLayout& l = rows_.subspaces()[p].layout;
            const std::uint64_t together = device_blocks_together(l, sizeof(Real));
            for (std::uint64_t first = 0; first < l.blocks.size(); first += together) {
                const Range blocks = {first, std::min(first + together, l.blocks.size())};
                kernels_.advance(queue_, subspaces_[p]->h, blocks, r, own(v_, p), own(w_, p), columns_.data());
                kernels_.down_hops(queue_, subspaces_[p]->h, blocks, r.beta, columns_.data(), own(v_, p));
            }
            start_exchange(p);
        }
        queue_.wait();
    }
    std::swap(v_, w_);
    {
        const Timers::Scope scope = timers_.scope("exchange");
        for (const auto& subspace : subspaces_)
            if (subspace->under_way != nullptr) subspace->under_way->finish();
    }
    {
        const Timers::Scope scope = timers_.scope("H up");
        for (std::size_t p = 0; p < subspaces_.size(); ++p) {
            for (std::size_t e = 0; e < subspaces_[p]->incoming.size(); ++e)
                kernels_.subspace_hops(queue_, subspaces_[p]->incoming[e],
                                       own(v_, rows_.subspaces()[p].incoming[e].from), own(w_, p));
            kernels_.up_hops(queue_, subspaces_[p]->h, own(v_, p), own(v_, p), own(w_, p),
                             tile_sums_.data() + rows_.subspaces()[p].first_tile);
        }
        queue_.wait();
    }
    const TileSums sums = total();
    return {sums.vw, sums.ww, sums.vv};
}

template <class Real>
void DeviceHamiltonian<Real>::axpby_tiles(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                                          DistributedVector* out) {
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p)
        kernels_.axpby(queue_, rows_.subspaces()[p].layout, a, own(x, p), b, own(y, p),
                       out == nullptr ? nullptr : own(*out, p), tile_sums_.data() + rows_.subspaces()[p].first_tile);
}

template <class Real>
void DeviceHamiltonian<Real>::dot_tiles(const DistributedVector& x, const DistributedVector& y) {
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p)
        kernels_.dot(queue_, rows_.subspaces()[p].layout, own(x, p), own(y, p),
                     tile_sums_.data() + rows_.subspaces()[p].first_tile);
}

/// Sums the tiles of each block, subspace by subspace, and copies the sums to the host.
template <class Real>
void DeviceHamiltonian<Real>::sum_blocks() {
    std::uint64_t first = 0;
    for (const SubspaceRows& subspace : rows_.subspaces()) {
        kernels_.sum_blocks(queue_, subspace.layout, tile_sums_.data() + subspace.first_tile,
                            block_sums_.data() + first);
        first += subspace.layout.blocks.size();
    }
    if (first != 0)
        copy_to_host(queue_, std::span<TileSums>(host_sums_), View<const TileSums, Cuda>(block_sums_.view()));
    queue_.wait();
}

template <class Real>
void DeviceHamiltonian<Real>::collect(OrderedSum& sums) {
    sum_blocks();
    std::uint64_t at = 0;
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p)
        for (std::uint64_t b = 0; b < rows_.subspaces()[p].layout.blocks.size(); ++b, ++at) {
            double* sum = sums.block(p, b);
            sum[0] = host_sums_[at].vw;
            sum[1] = host_sums_[at].ww;
            sum[2] = host_sums_[at].vv;
        }
}

template <class Real>
void DeviceHamiltonian<Real>::project_blocks(const std::vector<DistributedVector>& basis, std::size_t count,
                                             const DistributedVector& x, OrderedSum& sums) {
    for (std::size_t i = 0; i < count; ++i) {
        dot_tiles(basis[i], x);
        sum_blocks();
        std::uint64_t at = 0;
        for (std::size_t p = 0; p < rows_.subspaces().size(); ++p)
            for (std::uint64_t b = 0; b < rows_.subspaces()[p].layout.blocks.size(); ++b, ++at) {
                sums.block(p, b)[2 * i] = host_sums_[at].vw;
                sums.block(p, b)[2 * i + 1] = host_sums_[at].ww;
            }
    }
}

template <class Real>
void DeviceHamiltonian<Real>::subtract(const std::vector<DistributedVector>& basis, std::span<const Complex> components,
                                       DistributedVector& x) {
    for (std::size_t i = 0; i < components.size(); ++i) axpby_tiles(-components[i], basis[i], 1, x, &x);
    project_onto_sector(x);  // if little of x remains, rounding errors outside of the sector are no longer small
}

template <class Real>
void DeviceHamiltonian<Real>::rotate(const std::vector<DistributedVector>& basis, std::size_t count,
                                     const std::vector<Complex>& c, std::size_t kept) {
    DeviceTables arguments(queue_);
    const double* factors = arguments.copy(reinterpret_cast<const double*>(c.data()), 2 * kept * count);
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p) {
        std::vector<Real*> v;
        for (std::size_t i = 0; i < count; ++i) v.push_back(own(basis[i], p));
        kernels_.rotate(queue_, rows_.subspaces()[p].layout, arguments.copy(v.data(), count), count, factors, kept);
    }
    queue_.wait();
}

template <class Real>
HamiltonianOperator::Blocks DeviceHamiltonian<Real>::blocks(const DistributedVector& x, std::size_t subspace) const {
    const std::uint64_t size = rows_.subspaces()[subspace].layout.size();
    Buffer<Real> copy(size);
    const View<const Real, Cuda> from(parts(x).of_subspace[subspace].view().part(0, size));
    copy_to_host(queue_, std::span<Real>(copy), from);
    queue_.wait();
    if constexpr (sizeof(Real) == sizeof(double)) {
        return Blocks(std::move(copy));
    } else {
        Buffer<double> wide(size);
        std::copy_n(copy.data(), size, wide.data());
        return Blocks(std::move(wide));
    }
}

template <class Real>
void DeviceHamiltonian<Real>::set_blocks(DistributedVector& x, std::size_t subspace, const double* from) const {
    const std::uint64_t size = rows_.subspaces()[subspace].layout.size();
    Buffer<Real> copy(size);
    std::transform(from, from + size, copy.data(), [](double value) { return static_cast<Real>(value); });
    copy_to_device(queue_, parts(x).of_subspace[subspace].view().part(0, size), std::span<const Real>(copy));
    project_onto_sector(x);
    queue_.wait();
}

template <class Real>
void DeviceHamiltonian<Real>::add_state(const std::string& name, DistributedVector& x,
                                        std::vector<DistributedArray>& arrays) {
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p) {
        DistributedArray array = state_array(name, p, sizeof(Real));
        const std::uint64_t reals = rows_.subspaces()[p].layout.reals(), row = array.shape.row_elements;
        const auto part = [memory = parts(x).of_subspace[p].view(), first = array.rows.first, reals,
                           row](const ArraySlab& slab) {  // rows lie one after another
            return memory.part(((slab.rows.first - first) * row + slab.elements.first) * reals,
                               slab.elements.size() * reals);
        };
        array.read = [this, part](const ArraySlab& slab, std::byte* to) {
            const View<const Real, Cuda> from(part(slab));
            copy_to_host(queue_, std::span(reinterpret_cast<Real*>(to), from.size()), from);
            queue_.wait();
        };
        array.write = [this, part](const ArraySlab& slab, const std::byte* from) {
            const auto to = part(slab);
            copy_to_device(queue_, to, std::span(reinterpret_cast<const Real*>(from), to.size()));
            queue_.wait();
        };
        arrays.push_back(std::move(array));
    }
}

template class DeviceHamiltonian<double>;
template class DeviceHamiltonian<float>;

}  // namespace strata::lanczos
