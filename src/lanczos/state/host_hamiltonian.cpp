// SPDX-License-Identifier: BSD-3-Clause
// Memory of vectors by subspaces, the passes of one multiplication, linear algebra and the sums of tiles. A step is two
// passes over the working pair (kernels/lanczos/step_kernels.hpp); between them rows are sent to other nodes.
#include "lanczos/state/host_hamiltonian.hpp"

#include <omp.h>

#include <algorithm>

#include "kernels/instruction_sets.hpp"
#include "lanczos/state/memory.hpp"
#include "lanczos/state/start_vector.hpp"

namespace strata::lanczos {
namespace {

/// Number of doubles that hold so many reals: node memory is counted in doubles.
template <class Real>
std::uint64_t doubles(std::uint64_t reals) {
    return reals * sizeof(Real) / sizeof(double);
}

Sharing sharing(const LanczosPlan& plan) {
    return plan.config().exchange == RequestedExchange::automatic ? Sharing::allowed : Sharing::none;
}

}  // namespace

template <class Real>
struct HostHamiltonian<Real>::Parts : DistributedVector::Storage {
    std::vector<NodeBuffer> of_subspace;
};

template <class Real>
Real* HostHamiltonian<Real>::own(const DistributedVector& x, std::size_t subspace) {
    return reinterpret_cast<Real*>(static_cast<Parts&>(x.storage()).of_subspace[subspace].own());
}
template <class Real>
Real* HostHamiltonian<Real>::local_rows(const DistributedVector& x, std::size_t subspace) {
    return reinterpret_cast<Real*>(static_cast<Parts&>(x.storage()).of_subspace[subspace].first());
}
template <class Real>
template <class Pointer>
std::vector<Pointer> HostHamiltonian<Real>::all_own(const std::vector<DistributedVector>& basis, std::size_t count,
                                                    std::size_t subspace) {
    std::vector<Pointer> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(own(basis[i], subspace));
    return all;
}

template <class Real>
HostHamiltonian<Real>::HostHamiltonian(const Communicator& comm, const LanczosPlan& plan, Timers& timers)
    : HamiltonianOperator(comm, plan, sharing(plan), PanelTranspose::allowed, timers),
      kernels_(choose_kernels(plan.counts().symmetric() ? symmetric_step_variants<Real>() : step_variants<Real>(),
                              plan.config().simd)),
      tiles_(rows_.tiles()) {
    if (rows_.transposed())
        transposed_ =
            std::make_unique<TransposedHopping<Real>>(comm, kernels_, rows_.subspaces()[0].h, rows_.blocks_of_ranks(0));
}

template <class Real>
std::string HostHamiltonian<Real>::name() const {
    return "cpu " + std::string(kernels_.name) + (sizeof(Real) == 4 ? " single" : "");
}

template <class Real>
MemoryPrediction HostHamiltonian<Real>::memory(std::uint64_t vectors) const {
    return operator_memory(plan_, comm_.rank(), rows_.rank_rows(),
                           rows_.transposed() ? ExchangeMethod::transpose : ExchangeMethod::rows, vectors,
                           BackendKind::cpu);
}

template <class Real>
void HostHamiltonian<Real>::allocate() {
    scratch_reals_ = rows_.scratch_reals();
    const int threads = std::max(plan_.threads(), omp_get_max_threads());
    scratch_ = Buffer<Real>(scratch_reals_ * static_cast<std::uint64_t>(threads));
    for (DistributedVector* v : {&v_, &w_}) {
        auto parts = std::make_unique<Parts>();
        for (const SubspaceRows& subspace : rows_.subspaces())
            parts->of_subspace.emplace_back(rows_.node(), doubles<Real>(subspace.local_reals()));
        *v = DistributedVector(std::move(parts));
        clear(*v);
    }
}

template <class Real>
DistributedVector HostHamiltonian<Real>::vector() const {
    auto parts = std::make_unique<Parts>();
    for (const SubspaceRows& subspace : rows_.subspaces())
        parts->of_subspace.emplace_back(doubles<Real>(subspace.layout.size()));
    DistributedVector v(std::move(parts));
    clear(v);
    return v;
}

/// Each thread clears the blocks that it will work on, so that their pages are placed in its memory (first touch).
template <class Real>
void HostHamiltonian<Real>::clear(DistributedVector& x) const {
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p) {
        const BlockLayout& l = rows_.subspaces()[p].layout;
        const std::uint64_t size = l.block_size();
        Real* to = own(x, p);
#pragma omp parallel for schedule(static)
        for (std::uint64_t b = 0; b < l.blocks.size(); ++b) std::fill_n(to + b * size, size, Real(0));
    }
}

template <class Real>
void HostHamiltonian<Real>::draw(DistributedVector& x, std::uint64_t stream) const {
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p) {
        const BlockLayout& l = rows_.subspaces()[p].layout;
        draw_blocks<Real>({plan_.config().seed, p, stream, plan_.distribution()}, l, {0, l.blocks.size()}, own(x, p));
    }
    project_onto_sector(x);
}

/// Without symmetries every vector lies in the sector, and there is no such kernel.
template <class Real>
void HostHamiltonian<Real>::project_onto_sector(DistributedVector& x) const {
    if (kernels_.project_onto_sector != nullptr)
        kernels_.project_onto_sector(rows_.subspaces()[0].h, own(x, 0), scratch_.data());
}

/// After down_sweep the memory of w holds the next v, whose rows are sent at once; ghost rows are received behind them.
template <class Real>
void HostHamiltonian<Real>::start_exchange(std::size_t p) {
    const SubspaceRows& subspace = rows_.subspaces()[p];
    if (subspace.exchange == nullptr) return;
    const Timers::Scope scope = timers_.scope("exchange");
    auto* sent = reinterpret_cast<double*>(own(w_, p));
    subspace.exchange->start(sent, sent + doubles<Real>(subspace.layout.size()));
}

template <class Real>
PairProducts HostHamiltonian<Real>::multiply(const krylov::StepFactors& factors) {
    const Recurrence r = {factors.alpha, factors.inverse_beta, factors.beta};
    const std::vector<SubspaceRows>& subspaces = rows_.subspaces();
    {
        const Timers::Scope scope = timers_.scope("H down");
        for (std::size_t p = 0; p < subspaces.size(); ++p) {
            kernels_.down_sweep(subspaces[p].h, r, own(v_, p), own(w_, p), scratch_.data());
            start_exchange(p);
        }
    }
    std::swap(v_, w_);
    {
        const Timers::Scope scope = timers_.scope("exchange");
        for (const SubspaceRows& subspace : subspaces)
            if (subspace.exchange != nullptr) subspace.exchange->finish();
        rows_.node().barrier();
    }
    if (!sector().subspace_hops().empty()) {
        const Timers::Scope scope = timers_.scope("H between halves");
        for (std::size_t p = 0; p < subspaces.size(); ++p) {
            const std::vector<IncomingHops>& incoming = subspaces[p].incoming;
            const Real* from[2] = {};  // one particle less in the right half, or one more
            for (std::size_t i = 0; i < incoming.size(); ++i) from[i] = local_rows(v_, incoming[i].from);
            kernels_.subspace_sweep(subspaces[p].incoming_views.data(), static_cast<int>(incoming.size()), from,
                                    own(w_, p), scratch_.data(), scratch_reals_);
        }
    }
    {
        const Timers::Scope scope = timers_.scope("H up");
        for (std::size_t p = 0; p < subspaces.size(); ++p) {
            TileSums* sums = tiles_.data() + subspaces[p].first_tile;
            if (transposed_ != nullptr)
                transposed_->apply(own(v_, p), own(w_, p), sums);
            else
                kernels_.up_sweep(subspaces[p].h, local_rows(v_, p), own(v_, p), own(w_, p), sums);
        }
    }
    const TileSums sums = total();
    return {sums.vw, sums.ww, sums.vv};
}

template <class Real>
void HostHamiltonian<Real>::axpby_tiles(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                                        DistributedVector* out) {
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p)
        kernels_.axpby(rows_.subspaces()[p].layout, a, own(x, p), b, own(y, p), out == nullptr ? nullptr : own(*out, p),
                       tiles_.data() + rows_.subspaces()[p].first_tile);
}

template <class Real>
void HostHamiltonian<Real>::dot_tiles(const DistributedVector& x, const DistributedVector& y) {
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p)
        kernels_.dot(rows_.subspaces()[p].layout, own(x, p), own(y, p),
                     tiles_.data() + rows_.subspaces()[p].first_tile);
}

template <class Real>
void HostHamiltonian<Real>::project_blocks(const std::vector<DistributedVector>& basis, std::size_t count,
                                           const DistributedVector& x, OrderedSum& sums) {
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p)
        kernels_.project(rows_.subspaces()[p].layout, all_own<const Real*>(basis, count, p).data(), count, own(x, p),
                         sums.block(p, 0), sums.width());
}

template <class Real>
void HostHamiltonian<Real>::subtract(const std::vector<DistributedVector>& basis, std::span<const Complex> components,
                                     DistributedVector& x) {
    const std::size_t count = components.size();
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p)
        kernels_.subtract(rows_.subspaces()[p].layout, all_own<const Real*>(basis, count, p).data(), count,
                          components.data(), own(x, p));
    project_onto_sector(x);  // if little of x remains, rounding errors outside of the sector are no longer small
}

template <class Real>
void HostHamiltonian<Real>::rotate(const std::vector<DistributedVector>& basis, std::size_t count,
                                   const std::vector<Complex>& c, std::size_t kept) {
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p)
        kernels_.rotate(rows_.subspaces()[p].layout, all_own<Real*>(basis, count, p).data(), count, c.data(), kept);
}

template <class Real>
HamiltonianOperator::Blocks HostHamiltonian<Real>::blocks(const DistributedVector& x, std::size_t subspace) const {
    if constexpr (sizeof(Real) == sizeof(double)) {
        return Blocks(own(x, subspace));
    } else {
        Buffer<double> copy(rows_.subspaces()[subspace].layout.size());
        std::copy_n(own(x, subspace), copy.size(), copy.data());
        return Blocks(std::move(copy));
    }
}

template <class Real>
void HostHamiltonian<Real>::set_blocks(DistributedVector& x, std::size_t subspace, const double* from) const {
    std::transform(from, from + rows_.subspaces()[subspace].layout.size(), own(x, subspace),
                   [](double value) { return static_cast<Real>(value); });
    project_onto_sector(x);
}

template <class Real>
void HostHamiltonian<Real>::collect(OrderedSum& sums) {
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p) {
        const SubspaceRows& subspace = rows_.subspaces()[p];
        const std::uint64_t panels = subspace.layout.panels();
        const TileSums* tile = tiles_.data() + subspace.first_tile;
        for (std::uint64_t b = 0; b < subspace.layout.blocks.size(); ++b) {
            double* sum = sums.block(p, b);
            std::fill_n(sum, 3, 0.0);
            for (std::uint64_t panel = 0; panel < panels; ++panel, ++tile) {
                sum[0] += tile->vw;
                sum[1] += tile->ww;
                sum[2] += tile->vv;
            }
        }
    }
}

template <class Real>
void HostHamiltonian<Real>::add_state(const std::string& name, DistributedVector& x,
                                      std::vector<DistributedArray>& arrays) {
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p) {
        DistributedArray array = state_array(name, p, sizeof(Real));
        const DistributedArray memory = host_array(array.shape, array.rows, own(x, p), array.shape.row_elements);
        array.read = memory.read;
        array.write = memory.write;
        arrays.push_back(std::move(array));
    }
}

template class HostHamiltonian<double>;
template class HostHamiltonian<float>;

}  // namespace strata::lanczos
