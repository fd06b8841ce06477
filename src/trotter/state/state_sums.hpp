// SPDX-License-Identifier: BSD-3-Clause
// Functions that states on hosts and on devices share: sums over rows and ranks, a cache of tables, and the array for
// checkpoints. All sums are joined pairwise, neighbours first, over rows and then over ranks: a tree that is the same
// for every power of two of ranks.
#pragma once

#include <bit>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "strata/checkpoint.hpp"
#include "trotter/physics/moments.hpp"
#include "trotter/state/plan.hpp"
#include "trotter/state/spin_state.hpp"

namespace strata::trotter {

inline int log2_of(std::uint64_t power) { return std::countr_zero(power); }

/// Moments of all states, [state], on all ranks. `own`: for each state of this rank the joined sums over this rank's
/// rows. Collective.
std::vector<Moments> moments_of_ranks(const Communicator& comm, const TrotterPlan& plan, std::vector<double> own);

/// Sum of each state over its rows, [state], on all ranks. `own`: [state of this rank][own row], 2^n rows. Collective.
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

/// Calls visit(row, amplitudes) on all threads for rows of a state at time 0; amplitudes are zero where a padding spin
/// beyond those of the Hamiltonian is down.
void for_each_row(const TrotterPlan& plan, const InitialState& start, const Range& rows,
                  const std::function<void(std::uint64_t row, std::span<const Complex> amplitudes)>& visit);

/// Shape, rows and description of the amplitudes in a checkpoint. The rows are the default ones of a host, whatever the
/// backend and the plan, so that a job can be resumed with others: rows of another length are ranges of the same
/// memory.
DistributedArray state_array(const TrotterPlan& plan);

/// i^quarter_turns, and the scale of so many transforms of `bits` bits, 2^(-bits/2) each.
inline Complex scale_of(int quarter_turns, int transforms, int bits) {
    constexpr Complex turns[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    return turns[quarter_turns & 3] * std::exp2(-0.5 * transforms * bits);
}

/// Cache of the tables of those diagonals of one group that were used most recently.
template <class Tables>
class KeptTables {
  public:
    /// Tables of `phases`; `transforms` distinguishes tables of one diagonal that differ in their scale. Where they are
    /// not cached, set(tables) fills new ones from make(), or the least recently used ones.
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
