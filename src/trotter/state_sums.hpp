// SPDX-License-Identifier: BSD-3-Clause
// What states on hosts and on devices share: joining sums over rows and ranks, the tables that are kept, and the array
// that a checkpoint sees. All sums are joined pairwise, neighbours first, over rows and then over ranks: a tree that is
// the same for every power of two of ranks.
#pragma once

#include <bit>
#include <cmath>
#include <vector>

#include "comm/communicator.hpp"
#include "strata/checkpoint.hpp"
#include "trotter/moments.hpp"
#include "trotter/plan.hpp"
#include "trotter/spin_state.hpp"

namespace strata::trotter {

inline int log2_of(std::uint64_t power) { return std::countr_zero(power); }

/// The moments of all states, on all ranks. `own`: for each state of this rank the sums over its rows here, joined.
std::vector<Moments> moments_of_ranks(const Communicator& comm, const TrotterPlan& plan, std::vector<double> own);

/// The sum of each state over its rows, on all ranks. `own`: [state of this rank][row], 2^n rows here.
std::vector<Complex> sums_of_ranks(const Communicator& comm, const TrotterPlan& plan, std::vector<Complex> own);

/// <a|psi> of a row; amplitude(x) gives psi as two doubles (re, im).
template <class Amplitude>
Complex overlap(std::span<const Complex> a, Amplitude amplitude) {
    Complex sum = 0;
    for (std::uint64_t x = 0; x < a.size(); ++x) {
        const auto [re, im] = amplitude(x);
        sum += Complex(a[x].real() * re + a[x].imag() * im, a[x].real() * im - a[x].imag() * re);
    }
    return sum;
}

/// The amplitudes of row `row` of a state at its start; zero where further spins, which no Hamiltonian has, are down.
void fill_row(const TrotterPlan& plan, const InitialState& start, std::uint64_t row, std::span<Complex> amplitudes);

/// Shape, rows and description of the amplitudes in a checkpoint. The rows are the default ones of a host, whatever the
/// backend and the plan, so that a job may go on with others: rows of another length are pieces of the same memory.
DistributedArray state_array(const TrotterPlan& plan);

/// i^quarter_turns, and the scale of so many transforms of `bits` bits, 2^(-bits/2) each.
inline Complex scale_of(int quarter_turns, int transforms, int bits) {
    constexpr Complex turns[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    return turns[quarter_turns & 3] * std::exp2(-0.5 * transforms * bits);
}

/// Tables of the diagonals of one group that were used most recently.
template <class Tables>
class KeptTables {
  public:
    /// Those of a diagonal whose transforms are told apart by a number. set(tables) fills tables that make() makes, or the
    /// ones that were not used for longest.
    template <class Make, class Set>
    const Tables& find(const Phases& phases, int transforms, Make make, Set set) {
        Entry* oldest = nullptr;
        for (Entry& e : entries_) {
            if (e.transforms == transforms && e.phases == phases) {
                e.last_use = ++uses_;
                return e.tables;
            }
            if (oldest == nullptr || e.last_use < oldest->last_use) oldest = &e;
        }
        if (entries_.size() < TrotterPlan::kept_diagonals) oldest = &entries_.emplace_back(Entry{phases, 0, make(), 0});
        oldest->phases = phases;
        oldest->transforms = transforms;
        oldest->last_use = ++uses_;
        set(oldest->tables);
        return oldest->tables;
    }

  private:
    struct Entry {
        Phases phases;
        int transforms;
        Tables tables;
        std::uint64_t last_use;
    };
    std::vector<Entry> entries_;
    std::uint64_t uses_ = 0;
};

}  // namespace strata::trotter
