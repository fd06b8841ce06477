// SPDX-License-Identifier: BSD-3-Clause
// Differences of amplitudes, summed over rows.
#include "trotter/run/distance.hpp"

#include <algorithm>
#include <cmath>

#include "strata/parallel.hpp"
#include "trotter/state/plan.hpp"
#include "trotter/state/state_sums.hpp"

namespace strata::trotter {
namespace {

template <class Real>
double squared_distance(const Real* a, const Real* b, std::uint64_t reals) {
    double sum = 0;
    for (std::uint64_t i = 0; i < reals; ++i) {
        const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        sum += difference * difference;
    }
    return sum;
}

}  // namespace

StateDistance::StateDistance(const Communicator& comm, const TrotterPlan& plan, Timers& timers)
    : comm_(comm), plan_(plan), timers_(timers) {}

void StateDistance::allocate() {
    for (Buffer<double>& slab : slab_) slab = Buffer<double>(2 * plan_.compared_amplitudes());
}

std::vector<double> StateDistance::between(const DistributedArray& a, const DistributedArray& b) {
    const Timers::Scope scope = timers_.scope("distance of states");
    const std::uint64_t row = a.shape.row_elements, rows = a.rows.size(),
                        at_once = std::max<std::uint64_t>(1, plan_.compared_amplitudes() / row);
    std::vector<Complex> own(rows);
    for (std::uint64_t first = 0; first < rows; first += at_once) {
        const std::uint64_t last = std::min(rows, first + at_once);
        const ArraySlab slab = {{a.rows.first + first, a.rows.first + last}, {0, (last - first) * row}};
        a.read(slab, reinterpret_cast<std::byte*>(slab_[0].data()));
        b.read(slab, reinterpret_cast<std::byte*>(slab_[1].data()));
        for_each_parallel({first, last}, [&](std::uint64_t r) {
            const std::uint64_t at = 2 * (r - first) * row;
            const auto sum = [&](auto real) {
                using Real = decltype(real);
                return squared_distance(reinterpret_cast<const Real*>(slab_[0].data()) + at,
                                        reinterpret_cast<const Real*>(slab_[1].data()) + at, 2 * row);
            };
            own[r] = a.shape.type == ElementType::c64 ? sum(float{}) : sum(double{});
        });
    }
    std::vector<double> distances;
    for (const Complex& sum : sums_of_ranks(comm_, plan_, std::move(own))) distances.push_back(std::sqrt(sum.real()));
    return distances;
}

}  // namespace strata::trotter
