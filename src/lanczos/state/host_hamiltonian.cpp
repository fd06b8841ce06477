// SPDX-License-Identifier: BSD-3-Clause
// The passes of one multiplication. A step is two passes over the working pair (kernels/lanczos/step_kernels.hpp); between
// them rows are sent to other nodes. Ranks that share rows wait for each other twice: before they read v of others, and
// before they overwrite their own.
#include "lanczos/state/host_hamiltonian.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "kernels/instruction_sets.hpp"
#include "kernels/lanczos/start_vector.hpp"
#include "lanczos/state/memory.hpp"
#include "strata/parallel.hpp"

namespace strata::lanczos {
namespace {

/// Kernels for the layout of the vectors of a sector.
template <class Real>
const std::vector<StepKernels<Real>>& variants(const SectorCounts& counts) {
    if (!counts.symmetric()) return step_variants<Real>();
    return counts.symmetric()->one_component ? orbit_step_variants<Real>() : symmetric_step_variants<Real>();
}

Sharing sharing(const LanczosPlan& plan) {
    return plan.config().exchange == RequestedExchange::automatic ? Sharing::allowed : Sharing::none;
}

}  // namespace

template <class Real>
Real* HostHamiltonian<Real>::local_rows(const DistributedVector& x, std::size_t subspace) {
    return reinterpret_cast<Real*>(Space::memory_of(x, subspace).first());
}

template <class Real>
HostHamiltonian<Real>::HostHamiltonian(const Communicator& comm, const LanczosPlan& plan, Timers& timers)
    : HamiltonianOperator(comm, plan, sharing(plan), PanelTranspose::allowed, timers),
      kernels_(choose_kernels(variants<Real>(plan.counts()), plan.config().simd)),
      space_(comm, space_layout(), {omp_get_max_threads()}, plan.config().simd, timers) {
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
    if (plan_.config().certified) {
        wide_scratch_ = Buffer<double>(rows_.wide_scratch_doubles() * static_cast<std::uint64_t>(threads));
        quotient_rounding_ = rows_.product_rounding();
    }
    space_.allocate();
    if (rows_.copies_whole()) {
        const std::uint64_t bytes = rows_.subspaces()[0].layout.block_size() * sizeof(Real);
        std::vector<Range> parts;
        for (const Range& blocks : rows_.blocks_of_ranks(0))
            parts.push_back({blocks.first * bytes, blocks.last * bytes});
        whole_ = std::make_unique<WholeVector>(comm(), parts);
    }
    for (DistributedVector* v : {&v_, &w_}) {
        std::vector<NodeBuffer> memory;
        for (const SubspaceRows& subspace : rows_.subspaces())
            memory.push_back(Space::shared_memory(rows_.node(), subspace.local_reals()));
        *v = space_.adopt(std::move(memory));
    }
    // without symmetries every vector lies in the sector, and there is no such kernel
    if (kernels_.project_onto_sector != nullptr)
        space_.set_restriction([this](DistributedVector& x) {
            kernels_.project_onto_sector(rows_.subspaces()[0].h, Space::own(x), scratch_.data());
        });
}

template <class Real>
void HostHamiltonian<Real>::draw_from(Distribution distribution, DistributedVector& x, std::uint64_t stream) {
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p) {
        const BlockLayout& l = rows_.subspaces()[p].layout;
        const StartVector v = {plan_.config().seed, p, stream, distribution};
        Real* const own = Space::own(x, p);
        const auto draw_tile = [&](std::uint64_t tile) {
            const std::uint64_t block = tile / l.panels(), panel = tile % l.panels();
            Real* to = own + tile * l.tile();
            for (std::uint64_t row = 0; row < block_rows; ++row, to += l.panel)
                for (std::uint64_t i = 0; i < l.panel; ++i)
                    to[i] = start_number_of_tile<Real>(v, l, block, panel, row, i);
        };
        for_each_parallel({0, l.tiles()}, draw_tile, plan_.threads());
    }
    space_.restrict(x);
}

template <class Real>
const Real* HostHamiltonian<Real>::read_rows(std::size_t p) const {
    return whole_ == nullptr ? local_rows(v_, p) : static_cast<const Real*>(whole_->data());
}

/// Sends rows of x; ghost rows are received behind its own.
template <class Real>
void HostHamiltonian<Real>::start_exchange(const DistributedVector& x, std::size_t p) {
    const SubspaceRows& subspace = rows_.subspaces()[p];
    if (subspace.exchange == nullptr && whole_ == nullptr) return;
    const Timers::Scope scope = timers_.scope("exchange");
    Real* sent = Space::own(x, p);
    if (whole_ != nullptr) return whole_->start(sent);
    subspace.exchange->start(sent, sent + subspace.layout.size());
}

template <class Real>
void HostHamiltonian<Real>::finish_exchange() {
    const Timers::Scope scope = timers_.scope("exchange");
    for (const SubspaceRows& subspace : rows_.subspaces())
        if (subspace.exchange != nullptr) subspace.exchange->finish();
    if (whole_ != nullptr) whole_->finish();
    rows_.node().barrier();
}

template <class Real>
void HostHamiltonian<Real>::multiply_in_doubles(std::size_t p, double energy) {
    const SubspaceRows& subspace = rows_.subspaces()[p];
    std::vector<const Real*> sources;
    for (const IncomingHops& hops : subspace.incoming) sources.push_back(local_rows(v_, hops.from));
    const WideVector<Real> x = {Space::own(v_, p),
                                local_rows(v_, p),
                                subspace.row_numbers.empty() ? nullptr : subspace.row_numbers.data(),
                                subspace.incoming_views.data(),
                                static_cast<int>(subspace.incoming_views.size()),
                                sources.data()};
    kernels_.wide_product(subspace.h, energy, x, wide_scratch_.data(), rows_.wide_scratch_doubles(),
                          reinterpret_cast<TileSums*>(space_.partial_sums(p)));
}

/// H is shifted by the energy that is known, so that neither the value nor the residual is a difference of large numbers.
template <class Real>
krylov::RayleighQuotient HostHamiltonian<Real>::quotient(const DistributedVector& x, double guess) {
    if (!plan_.config().certified) return HamiltonianOperator::quotient(x, guess);
    space_.copy(x, v_);
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p) start_exchange(v_, p);
    finish_exchange();
    {
        const Timers::Scope scope = timers_.scope("H in doubles");
        for (std::size_t p = 0; p < rows_.subspaces().size(); ++p) multiply_in_doubles(p, guess);
    }
    {
        const Timers::Scope scope = timers_.scope("exchange");
        rows_.node().barrier();
    }
    const std::vector<double>& sums = space_.total();
    const double shift = sums[0] / sums[2];
    return {guess + shift, std::sqrt(std::max(0.0, sums[1] / sums[2] - shift * shift))};
}

template <class Real>
PairProducts HostHamiltonian<Real>::multiply(const krylov::StepFactors& factors) {
    const Recurrence r = {factors.alpha, factors.inverse_beta, factors.beta};
    const std::vector<SubspaceRows>& subspaces = rows_.subspaces();
    {
        const Timers::Scope scope = timers_.scope("H down");
        for (std::size_t p = 0; p < subspaces.size(); ++p) {
            kernels_.down_sweep(subspaces[p].h, r, Space::own(v_, p), Space::own(w_, p), scratch_.data());
            start_exchange(w_, p);  // the next v
        }
    }
    std::swap(v_, w_);
    finish_exchange();
    if (!sector().subspace_hops().empty()) {
        const Timers::Scope scope = timers_.scope("H between subspaces");
        for (std::size_t p = 0; p < subspaces.size(); ++p) {
            const std::vector<IncomingHops>& incoming = subspaces[p].incoming;
            std::vector<const Real*> from;
            for (const IncomingHops& hops : incoming) from.push_back(local_rows(v_, hops.from));
            kernels_.subspace_sweep(subspaces[p].incoming_views.data(), static_cast<int>(incoming.size()), from.data(),
                                    Space::own(w_, p), scratch_.data(), scratch_reals_);
        }
    }
    {
        const Timers::Scope scope = timers_.scope("H up");
        for (std::size_t p = 0; p < subspaces.size(); ++p) {
            auto* sums = reinterpret_cast<TileSums*>(space_.partial_sums(p));
            if (transposed_ != nullptr)
                transposed_->apply(Space::own(v_, p), Space::own(w_, p), sums);
            else
                kernels_.up_sweep(subspaces[p].h, read_rows(p), Space::own(v_, p), Space::own(w_, p), sums);
        }
    }
    {
        const Timers::Scope scope = timers_.scope("exchange");
        rows_.node().barrier();
    }
    const std::vector<double>& sums = space_.total();
    return {sums[0], sums[1], sums[2]};
}

template class HostHamiltonian<double>;
template class HostHamiltonian<float>;

}  // namespace strata::lanczos
