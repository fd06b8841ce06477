// SPDX-License-Identifier: BSD-3-Clause
// Tables in device memory, and the kernels of one multiplication in one queue.
#include "lanczos/state/device_hamiltonian.hpp"

#include <algorithm>

#include "lanczos/state/device_tables.hpp"
#include "lanczos/state/memory.hpp"

namespace strata::lanczos {
namespace {

/// Kernels for the layout of the vectors of a sector.
template <class Real>
const DeviceStepKernels<Real>& kernels(const SectorCounts& counts) {
    if (!counts.symmetric()) return device_step_kernels<Real>();
    return counts.symmetric()->one_component ? orbit_device_step_kernels<Real>()
                                             : symmetric_device_step_kernels<Real>();
}

}  // namespace

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
DeviceHamiltonian<Real>::DeviceHamiltonian(const Communicator& comm, const LanczosPlan& plan,
                                           const DeviceBinding& device, Timers& timers)
    : HamiltonianOperator(comm, plan, Sharing::none, PanelTranspose::none, timers),
      device_name_(device.facts.name),
      route_(device.route),
      kernels_(kernels<Real>(plan.counts())),
      space_(comm, space_layout(), {&queue_}, {}, timers) {}

template <class Real>
DeviceHamiltonian<Real>::~DeviceHamiltonian() = default;

template <class Real>
MemoryPrediction DeviceHamiltonian<Real>::memory(std::uint64_t vectors) const {
    return operator_memory(plan_, comm_.rank(), rows_.rank_rows(), ExchangeMethod::rows, vectors, BackendKind::cuda);
}

template <class Real>
void DeviceHamiltonian<Real>::allocate() {
    std::uint64_t columns = 0;
    for (const SubspaceRows& subspace : rows_.subspaces())
        columns =
            std::max(columns, device_blocks_together(subspace.layout, sizeof(Real)) * subspace.layout.block_size());
    columns_ = Buffer<Real, Cuda>(columns);
    space_.allocate();
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
        std::vector<Buffer<Real, Cuda>> memory;
        for (const SubspaceRows& subspace : rows_.subspaces()) memory.emplace_back(subspace.local_reals());
        *v = space_.adopt(std::move(memory));
        for (std::size_t p = 0; p < subspaces_.size(); ++p) {
            const SubspaceRows& rows = rows_.subspaces()[p];
            if (rows.exchange == nullptr) continue;
            auto exchange = std::make_unique<Exchange<Cuda>>(comm_, queue_, route_);
            rows.exchange->plan(*exchange, subspaces_[p]->packed.data(), Space::own(*v, p) + rows.layout.size());
            subspaces_[p]->exchanges.push_back({Space::own(*v, p), std::move(exchange)});
        }
    }
    // without symmetries every vector lies in the sector, and there is no such kernel
    if (kernels_.project_onto_sector != nullptr)
        space_.set_restriction(
            [this](DistributedVector& x) { kernels_.project_onto_sector(queue_, subspaces_[0]->h, Space::own(x)); });
}

template <class Real>
void DeviceHamiltonian<Real>::draw_from(Distribution distribution, DistributedVector& x, std::uint64_t stream) {
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p)
        kernels_.draw(queue_, {plan_.config().seed, p, stream, distribution}, rows_.subspaces()[p].layout,
                      Space::own(x, p));
    space_.restrict(x);
}

template <class Real>
void DeviceHamiltonian<Real>::start_exchange(std::size_t p) {
    const SubspaceRows& rows = rows_.subspaces()[p];
    Subspace& subspace = *subspaces_[p];
    if (rows.exchange == nullptr) return;
    kernels_.pack_rows(queue_, rows.layout, subspace.sent_rows, rows.exchange->sent_rows().size(), Space::own(w_, p),
                       subspace.packed.data());
    for (auto& planned : subspace.exchanges)
        if (planned.into == Space::own(w_, p)) subspace.under_way = planned.exchange.get();
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
                kernels_.advance(queue_, subspaces_[p]->h, blocks, r, Space::own(v_, p), Space::own(w_, p),
                                 columns_.data());
                kernels_.down_hops(queue_, subspaces_[p]->h, blocks, r.beta, columns_.data(), Space::own(v_, p));
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
                                       Space::own(v_, rows_.subspaces()[p].incoming[e].from), Space::own(w_, p));
            kernels_.up_hops(queue_, subspaces_[p]->h, Space::own(v_, p), Space::own(v_, p), Space::own(w_, p),
                             reinterpret_cast<TileSums*>(space_.partial_sums(p)));
        }
        queue_.wait();
    }
    const std::vector<double>& sums = space_.total();
    return {sums[0], sums[1], sums[2]};
}

template class DeviceHamiltonian<double>;
template class DeviceHamiltonian<float>;

}  // namespace strata::lanczos
