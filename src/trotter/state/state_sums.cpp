// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 joins the sums of all ranks and broadcasts the result, so that all ranks decide alike.
#include "trotter/state/state_sums.hpp"

#include <algorithm>

#include "comm/collectives.hpp"
#include "strata/parallel.hpp"

namespace strata::trotter {
namespace {

template <class T>
void broadcast_all(const Communicator& comm, std::vector<T>& values, std::size_t size) {
    values.resize(size);
    broadcast_bytes(comm, values.data(), size * sizeof(T), 0);
}

/// Pairwise sums of every `count` neighbouring values; `count` is a power of two.
std::vector<Complex> join_sums(std::vector<Complex> values, std::uint64_t count) {
    for (; count > 1; count /= 2) {
        for (std::size_t i = 0; i < values.size() / 2; ++i) values[i] = values[2 * i] + values[2 * i + 1];
        values.resize(values.size() / 2);
    }
    return values;
}

}  // namespace

std::vector<Moments> moments_of_ranks(const Communicator& comm, const TrotterPlan& plan, std::vector<double> own) {
    const int spins = plan.layout().spins, part_bits = plan.layout().row_bits + log2_of(plan.own_rows().size());
    const auto parts = static_cast<std::uint64_t>(plan.ranks_of_state());
    const std::uint64_t part_width = RowSums::width(part_bits), joined_width = RowSums::width(spins);
    const std::vector<double> all = gather<double>(comm, own);
    std::vector<double> joined;
    for (std::uint64_t s = 0; comm.is_root() && s < plan.states(); ++s) {
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(s * parts * part_width);
        const auto last = first + static_cast<std::ptrdiff_t>(parts * part_width);
        const std::vector<double> one = join_parts(part_bits, log2_of(parts), {first, last});
        joined.insert(joined.end(), one.begin(), one.end());
    }
    broadcast_all(comm, joined, plan.states() * joined_width);
    std::vector<Moments> moments;
    for (std::uint64_t s = 0; s < plan.states(); ++s) {
        const auto first = joined.begin() + static_cast<std::ptrdiff_t>(s * joined_width);
        moments.emplace_back(spins, std::vector<double>(first, first + static_cast<std::ptrdiff_t>(joined_width)));
    }
    return moments;
}

std::vector<Complex> sums_of_ranks(const Communicator& comm, const TrotterPlan& plan, std::vector<Complex> own) {
    const std::uint64_t rows = own.size() / plan.own_states().size();
    const std::vector<Complex> parts = join_sums(std::move(own), rows);
    std::vector<Complex> sums =
        join_sums(gather<Complex>(comm, parts), static_cast<std::uint64_t>(plan.ranks_of_state()));
    broadcast_all(comm, sums, plan.states());
    return sums;
}

void for_each_row(const TrotterPlan& plan, const InitialState& start, const Range& rows,
                  const std::function<void(std::uint64_t row, std::span<const Complex> amplitudes)>& visit) {
    const std::uint64_t size = plan.layout().row_amplitudes(), all = std::uint64_t{1} << plan.spins();
    std::vector<Complex> of_threads(size * static_cast<std::size_t>(omp_get_max_threads()));
    for_each_parallel(rows, [&](std::uint64_t row) {
        const std::span amplitudes =
            std::span(of_threads).subspan(size * static_cast<std::size_t>(omp_get_thread_num()), size);
        const std::uint64_t first = row * size;
        std::ranges::fill(amplitudes, Complex(0));
        if (first < all) start.fill(first, amplitudes.first(std::min(size, all - first)));
        visit(row, amplitudes);
    });
}

DistributedArray state_array(const TrotterPlan& plan) {
    const Precision precision = plan.config().precision;
    const StateLayout layout = default_layout(plan.spins(), precision, BackendKind::cpu);
    const std::uint64_t rows = plan.states() * layout.rows();
    DistributedArray array;
    array.shape = {"psi", precision == Precision::double_ ? ElementType::c128 : ElementType::c64, rows,
                   layout.row_amplitudes()};
    array.rows = equal_part(rows, static_cast<std::uint64_t>(plan.ranks()), static_cast<std::uint64_t>(plan.rank()));
    array.meaning = "amplitudes of 2^row-bits consecutive basis states; bit j of a basis state is 1 if spin j is down";
    array.facts = {{"spins", plan.spins()}, {"row-bits", layout.row_bits}};
    return array;
}

}  // namespace strata::trotter
