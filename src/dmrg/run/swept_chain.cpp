// SPDX-License-Identifier: BSD-3-Clause
// Errors of background disk I/O are reported by prepare(), so that no rank leaves the collective calls of a step.
#include "dmrg/run/swept_chain.hpp"

#include "comm/collectives.hpp"

namespace strata::dmrg {

std::vector<Figure> performance_of_bonds(std::uint64_t steps, double seconds, double flops) {
    if (steps == 0) return {};
    return {{"seconds_per_step", seconds / static_cast<double>(steps), "s", "time per bond"},
            {"gflops", 1e-9 * flops / seconds, "GFLOP/s", "of all multiplications, over the whole time"}};
}

SweptChain::SweptChain(const Communicator& comm, const Model& model, const Algebra& algebra, Timers& timers)
    : comm_(comm), model_(model), algebra_(algebra), chain_(model_, algebra_), timers_(timers) {}

void SweptChain::prepare(int centre) {
    if (!stale_blocks_ && !chain_.blocks().uses_disk()) return;
    const Timers::Scope scope = timers_.scope("fetch blocks");
    collectively(comm_, [&] {
        if (stale_blocks_) rebuild(*stale_blocks_);
        chain_.blocks().focus(centre);
    });
    stale_blocks_.reset();
    prepared_ = centre;
}

void SweptChain::rebuild(Direction direction) { chain_.rebuild_blocks(orthonormal_side(direction)); }

void SweptChain::go_to(int centre) {
    if (prepared_ != centre) prepare(centre);
    prepared_.reset();
    const Timers::Scope scope = timers_.scope("wave function");
    while (chain_.centre() < centre) chain_.move_right();
    while (chain_.centre() > centre) chain_.move_left();
}

}  // namespace strata::dmrg
