// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/up_hops.hpp"

#include "comm/collectives.hpp"

namespace strata::lanczos {
namespace {

void add(TileSums& sums, const TileSums& more) {
    sums.fq += more.fq;
    sums.qq += more.qq;
    sums.ff += more.ff;
}

}  // namespace

UpHops::UpHops(const Communicator& comm, const LanczosPlan& plan, const HamiltonianView& hamiltonian)
    : comm_(comm), kernels_(plan.kernels()), h_(hamiltonian), tiles_(plan.layout().tiles()) {
    if (comm.size() == 1) return;
    std::vector<Range> blocks;
    for (int r = 0; r < comm.size(); ++r) blocks.push_back(plan.blocks_of(r));
    exchange_ = std::make_unique<SubvectorExchange>(comm, blocks, plan.layout().panels(), tile_reals);
}

TileSums UpHops::apply(const double* f, double* q) {
    if (exchange_ == nullptr) {
        kernels_.up_sweep(h_, f, q, tiles_.data());
        return total(tiles_);
    }
    const std::uint64_t groups = exchange_->groups();
    exchange_->start_gather(0, f);
    for (std::uint64_t g = 0; g < groups; ++g) {
        exchange_->finish_gather(g);
        if (g > 0) add_returned(g - 1, f, q);
        if (g + 1 < groups) exchange_->start_gather(g + 1, f);
        const GatheredPanels panels = {exchange_->gathered(g), exchange_->blocks().data(), comm_.size()};
        kernels_.up_gathered(h_, panels, exchange_->panels(g, comm_.rank()).size(), exchange_->answer(g));
        exchange_->start_return(g);
    }
    add_returned(groups - 1, f, q);
    return total(tiles_);
}

void UpHops::add_returned(std::uint64_t group, const double* f, double* q) {
    exchange_->finish_return(group);
    for (int r = 0; r < comm_.size(); ++r)
        kernels_.add_up(h_, exchange_->returned(group, r), exchange_->panels(group, r), f, q, tiles_.data());
}

TileSums UpHops::total(std::vector<TileSums>& tiles) const {
    const std::uint64_t panels = h_.layout.panels(), blocks = h_.layout.blocks.size();
    std::vector<TileSums> of_block(blocks);
    for (std::uint64_t b = 0; b < blocks; ++b)
        for (std::uint64_t p = 0; p < panels; ++p) add(of_block[b], tiles[b * panels + p]);
    const std::vector<TileSums> all = gather(comm_, std::span<const TileSums>(of_block));
    TileSums sums;
    for (const TileSums& s : all) add(sums, s);
    broadcast(comm_, sums);
    return sums;
}

}  // namespace strata::lanczos
