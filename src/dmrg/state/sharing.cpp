// SPDX-License-Identifier: BSD-3-Clause
// Longest processing time first (R. L. Graham, SIAM J. Appl. Math. 17, 416 (1969)): the busiest rank has at most a
// third more work than in the best distribution.
#include "dmrg/state/sharing.hpp"

#include <algorithm>
#include <numeric>

#include "comm/collectives.hpp"

namespace strata::dmrg {

std::vector<int> shared_out(const std::vector<double>& costs, int ranks) {
    std::vector<std::size_t> order(costs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
    std::vector<double> work(static_cast<std::size_t>(ranks));
    std::vector<int> rank(costs.size());
    for (std::size_t piece : order) {
        const auto least = std::ranges::min_element(work) - work.begin();
        rank[piece] = static_cast<int>(least);
        work[static_cast<std::size_t>(least)] += costs[piece];
    }
    return rank;
}

void share(const Communicator& comm, const std::vector<int>& made_by, const std::vector<Matrix*>& matrices) {
    if (comm.size() == 1) return;
    std::vector<double> message;
    for (int root = 0; root < comm.size(); ++root) {
        message.clear();
        for (std::size_t i = 0; i < matrices.size(); ++i)
            if (made_by[i] == root)
                message.insert(message.end(), matrices[i]->elements.begin(), matrices[i]->elements.end());
        if (message.empty()) continue;
        broadcast_bytes(comm, message.data(), message.size() * sizeof(double), root);
        auto from = message.cbegin();
        for (std::size_t i = 0; i < matrices.size(); ++i) {
            if (made_by[i] != root) continue;
            std::vector<double>& to = matrices[i]->elements;
            if (root != comm.rank()) std::copy_n(from, to.size(), to.begin());
            from += static_cast<std::ptrdiff_t>(to.size());
        }
    }
}

}  // namespace strata::dmrg
