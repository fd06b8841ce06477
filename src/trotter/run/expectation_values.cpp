// SPDX-License-Identifier: BSD-3-Clause
// A state s and s ^ F give complex conjugate products of amplitudes: of every such pair the sums take the state in which
// the highest spin of F is up, or, where this bit lies within a tile, both.
#include "trotter/run/expectation_values.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>

#include "comm/collectives.hpp"
#include "kernels/instruction_sets.hpp"
#include "strata/parallel.hpp"
#include "trotter/state/plan.hpp"
#include "trotter/state/state_sums.hpp"

namespace strata::trotter {
namespace {

std::uint64_t power(int bit) { return std::uint64_t{1} << bit; }

/// The highest bit that is set; 0 of 0.
std::uint64_t highest(std::uint64_t bits) { return std::bit_floor(bits); }

}  // namespace

ExpectationValues::ExpectationValues(const Communicator& comm, const TrotterPlan& plan, Timers& timers)
    : comm_(comm),
      plan_(plan),
      timers_(timers),
      kernels_{&choose_kernels(pass_variants<double>(), plan.config().simd),
               &choose_kernels(pass_variants<float>(), plan.config().simd)},
      products_(*plan.observed()),
      layout_(plan.product_layout()),
      state_comm_(comm.split(comm.rank() / plan.ranks_of_state())) {}

void ExpectationValues::allocate() {
    const auto threads = static_cast<std::size_t>(omp_get_max_threads());
    for (int i = 0; i < layout_.slabs(); ++i)
        slabs_[i] = Buffer<double>(2 * power(layout_.slab_bits()) * plan_.real_bytes() / sizeof(double));
    scratch_ = Buffer<double>(threads * layout_.scratch_doubles());
    exact_.resize(threads * 2 * products_.sums());
}

void ExpectationValues::read(const DistributedArray& psi, std::uint64_t state, std::uint64_t slab,
                             Buffer<double>& to) const {
    const std::uint64_t size = power(layout_.slab_bits()), row = psi.shape.row_elements,
                        part = state * static_cast<std::uint64_t>(state_comm_.size()) +
                               static_cast<std::uint64_t>(state_comm_.rank()),
                        first = (part << layout_.own_bits()) + slab * size;
    psi.read({{first / row, (first + size - 1) / row + 1}, {first % row, first % row + size}},
             reinterpret_cast<std::byte*>(to.data()));
}

template <class Real>
void ExpectationValues::add_block(const TiledGroup& group, std::uint64_t s, std::uint64_t block, const Real* slab,
                                  const Real* flipped, int thread) {
    const PassKernels<Real>& kernels = *std::get<const PassKernels<Real>*>(kernels_);
    const int bits = layout_.tile_bits(), block_bits = layout_.block_bits();
    const std::uint64_t in_tile = power(bits) - 1, in_slab = power(layout_.slab_bits()) - 1,
                        above = group.flip & ~in_tile;
    double* re = scratch_.data() + static_cast<std::size_t>(thread) * layout_.scratch_doubles();
    double *im = re + power(bits), *sums = im + power(bits);
    std::fill(sums, sums + 2 * group.sums.size(), 0.0);
    const HalfRange tiles(block_bits - bits, highest(group.flip) >> bits);
    for (std::uint64_t n = 0; n < tiles.count(); ++n) {
        const std::uint64_t at = (block << block_bits) + (tiles[n] << bits), state = s + at;
        kernels.flip_sums({slab + 2 * at, flipped + 2 * (at ^ (above & in_slab)), group.flip & in_tile, group.flip == 0,
                           bits, group.of_bit.data()},
                          re, im);
        double* to = sums;
        for (const TiledGroup::Sum& sum : group.sums) {
            const double sign = __builtin_parityll(state & sum.parity) == 0 ? 1 : -1;
            if ((state & above) == sum.value) {
                to[0] += sign * re[sum.entry];
                if (group.flip != 0) to[1] += sign * im[sum.entry];
            }
            to += 2;
        }
    }
    ExactSum* exact = exact_.data() + 2 * (static_cast<std::size_t>(thread) * products_.sums() + group.first);
    for (std::size_t k = 0; k < 2 * group.sums.size(); ++k) exact[k].add(sums[k]);
}

template <class Real>
void ExpectationValues::add_slab(const Batch& batch, std::uint64_t s, const Real* slab, const Real* flipped) {
    for (const TiledGroup& group : batch) {
        const std::uint64_t top = highest(group.flip) >> layout_.block_bits();
        const HalfRange blocks(layout_.slab_bits() - layout_.block_bits(), top);
        for_each_parallel({0, blocks.count()}, [&](std::uint64_t n) {
            add_block(group, s, blocks[n], slab, flipped, omp_get_thread_num());
        });
    }
}

template <class Real>
void ExpectationValues::add_batch(const DistributedArray& psi, std::uint64_t state, std::uint64_t high,
                                  const Batch& batch) {
    const int slab_bits = layout_.slab_bits();
    const std::uint64_t first = static_cast<std::uint64_t>(state_comm_.rank()) << layout_.own_bits();
    const auto amplitudes = [this](int i) { return reinterpret_cast<const Real*>(slabs_[i].data()); };
    const HalfRange slabs(layout_.own_bits() - slab_bits, highest(high));
    for (std::uint64_t n = 0; n < slabs.count(); ++n) {
        read(psi, state, slabs[n], slabs_[0]);
        if (high != 0) read(psi, state, slabs[n] ^ high, slabs_[1]);
        add_slab(batch, first + (slabs[n] << slab_bits), amplitudes(0), amplitudes(high != 0 ? 1 : 0));
    }
}

/// The pair that begins with slab k of the lower rank is summed by the lower rank if k is in the first half, else by the
/// higher one.
template <class Real>
void ExpectationValues::add_pairs(const DistributedArray& psi, std::uint64_t state, std::uint64_t high,
                                  const Batch& batch) {
    const int slab_bits = layout_.slab_bits();
    const std::uint64_t slabs = power(layout_.own_bits() - slab_bits), half = (slabs + 1) / 2,
                        bytes = 2 * sizeof(Real) << slab_bits, within = high & (slabs - 1), of_ranks = high / slabs,
                        rank = static_cast<std::uint64_t>(state_comm_.rank()), other = rank ^ of_ranks;
    const bool lower = rank < other;
    const auto amplitudes = [this](int i) { return reinterpret_cast<const Real*>(slabs_[i].data()); };
    for (std::uint64_t n = 0; n < half; ++n) {
        const bool second = half + n < slabs;  // whether there is a pair for the higher rank
        const bool sends = lower ? second : true, sums = lower ? true : second;
        Exchange<Cpu> exchange(state_comm_);
        if (sums) exchange.plan_receive(static_cast<int>(other), tag::flipped_slabs, slabs_[1].data(), bytes);
        if (sends) {
            read(psi, state, lower ? half + n : n ^ within, slabs_[2]);
            exchange.plan_send(static_cast<int>(other), tag::flipped_slabs, slabs_[2].data(), bytes);
        }
        exchange.start();
        if (sums) read(psi, state, lower ? n : (half + n) ^ within, slabs_[0]);
        exchange.finish();
        if (!sums) continue;
        const std::uint64_t first = std::min(rank, other) << layout_.own_bits();
        add_slab(batch, first + ((lower ? n : half + n) << slab_bits), amplitudes(lower ? 0 : 1),
                 amplitudes(lower ? 1 : 0));
    }
}

std::vector<double> ExpectationValues::values(const DistributedArray& psi, const std::vector<Moments>& moments) {
    const Timers::Scope scope = timers_.scope("expectation values");
    const std::size_t count = 2 * products_.sums();
    std::vector<double> own;
    for (std::uint64_t state = plan_.own_states().first; state < plan_.own_states().last; ++state) {
        std::ranges::fill(exact_, ExactSum());
        for (const auto& [high, batch] : layout_.batches()) {
            const bool pairs = high >> (layout_.own_bits() - layout_.slab_bits()) != 0,
                       single = psi.shape.type == ElementType::c64;
            if (pairs)
                single ? add_pairs<float>(psi, state, high, batch) : add_pairs<double>(psi, state, high, batch);
            else
                single ? add_batch<float>(psi, state, high, batch) : add_batch<double>(psi, state, high, batch);
        }
        for (std::size_t i = count; i < exact_.size(); ++i) exact_[i % count] += exact_[i];
        all_sum(state_comm_, std::span(exact_).first(count));
        if (!state_comm_.is_root()) continue;
        std::vector<Complex> sums;
        for (std::size_t i = 0; i < count; i += 2) sums.emplace_back(exact_[i].value(), exact_[i + 1].value());
        const std::vector<double> values = products_.values(sums, moments[state].norm_squared());
        own.insert(own.end(), values.begin(), values.end());
    }
    std::vector<double> all = gather(comm_, std::span<const double>(own));
    all.resize(plan_.states() * products_.numbers());
    broadcast_bytes(comm_, all.data(), all.size() * sizeof(double), 0);
    return all;
}

}  // namespace strata::trotter
