// SPDX-License-Identifier: BSD-3-Clause
// Memory, passes and sums of spin states on hosts.
#include "trotter/state/host_state.hpp"

#include <omp.h>

#include <algorithm>

#include "kernels/instruction_sets.hpp"
#include "strata/parallel.hpp"

namespace strata::trotter {
template <class Real>
HostState<Real>::HostState(const Communicator& comm, const TrotterPlan& plan, Timers& timers, Sharing sharing)
    : comm_(comm),
      plan_(plan),
      timers_(timers),
      kernels_(choose_kernels(pass_variants<Real>(), plan.config().simd)),
      layout_(plan.layout()),
      own_rows_(plan.own_rows()),
      own_states_(plan.own_states().size()),
      state_reals_(layout_.reals(own_rows_.size())),
      state_comm_(comm.split(comm.rank() / plan.ranks_of_state())),
      node_(state_comm_, sharing, plan.state_bytes()),
      products_(plan, kernels_, state_comm_, node_) {}

template <class Real>
void HostState<Real>::allocate() {
    const std::uint64_t reals = own_states_ * state_reals_;
    const bool exchanged = static_cast<int>(node_.ranks().size()) < state_comm_.size();
    if (plan_.light_cone()) allocate_windows(reals, exchanged);
    products_.allocate();
    memory_ = NodeBuffer(node_, reals * sizeof(Real) / sizeof(double));
    const auto width = RowSums::width(layout_.row_bits);
    sums_ = Buffer<double>(own_states_ * own_rows_.size() * width);
    scratch_ = Buffer<double>(layout_.row_amplitudes() * static_cast<std::uint64_t>(omp_get_max_threads()));
    if (!exchanged) return;
    std::vector<bool> remote(static_cast<std::size_t>(state_comm_.size()), true);
    for (int rank : node_.ranks()) remote[static_cast<std::size_t>(rank)] = false;
    exchange_.emplace(PiecesUnderWay::three,
                      TransposeExchange<Cpu>::equal_parts(state_comm_.size(), plan_.part_bytes()),
                      TransposeResults::in_place, remote, [&] { return std::make_unique<Exchange<Cpu>>(state_comm_); });
}

/// The column window addresses the states in shared memory, or a piece of an exchange, which holds all rows of columns
/// of both halves of a row.
template <class Real>
void HostState<Real>::allocate_windows(std::uint64_t rank_reals, bool exchanged) {
    const Window row = row_window(layout_), column = column_window(layout_);
    const std::uint64_t block = layout_.block_reals();
    windows_ = {row, column};
    window_offsets_[0] = bit_offsets(row, layout_, log2_of(own_rows_.size()), rank_reals);
    window_offsets_[1] =
        exchanged ? bit_offsets(column, layout_, plan_.part_row_blocks() * block, plan_.piece_blocks() / 2 * block)
                  : bit_offsets(column, layout_, log2_of(own_rows_.size()), rank_reals);
}

template <class Real>
Real* HostState<Real>::rows_of(int rank, std::uint64_t i) const {
    return reinterpret_cast<Real*>(memory_.first()) +
           (static_cast<std::uint64_t>(rank) * own_states_ + i) * state_reals_;
}

template <class Real>
Real* HostState<Real>::row(std::uint64_t own_row) const {
    return rows(own_row / own_rows_.size()) + layout_.row_offset(own_row % own_rows_.size());
}

template <class Real>
void HostState<Real>::fill(const std::function<InitialState(std::uint64_t)>& start) {
    const Timers::Scope scope = timers_.scope("initial state");
    for (std::uint64_t i = 0; i < own_states_; ++i) {
        for_each_row(plan_, start(plan_.own_states().first + i), own_rows_, [&](std::uint64_t r, auto amplitudes) {
            unpack_amplitudes(i * own_rows_.size() + r - own_rows_.first, amplitudes.data());
        });
    }
}

template <class Real>
void HostState<Real>::unpack_amplitudes(std::uint64_t own_row, const Complex* from) {
    const std::uint64_t width = std::uint64_t{1} << layout_.lane_bits;
    for (std::uint64_t b = 0; b < layout_.row_blocks(); ++b) {
        Real* block = row(own_row) + layout_.block_offset(b);
        for (std::uint64_t l = 0; l < width; ++l) {
            block[l] = static_cast<Real>(from[b * width + l].real());
            block[width + l] = static_cast<Real>(from[b * width + l].imag());
        }
    }
}

template <class Real>
const DiagonalTables<Real>& HostState<Real>::tables(Group group, const Phases& phases, int transforms) {
    const TileBits bits = group == Group::within_row ? plan_.row_tile_bits() : plan_.column_tile_bits();
    return tables_[index_of(group)].find(
        phases, transforms, [&] { return DiagonalTables<Real>(bits); },
        [&](DiagonalTables<Real>& tables) {
            const Timers::Scope scope = timers_.scope("tables");
            const int transformed = group == Group::within_row ? layout_.row_bits : layout_.spins - layout_.row_bits;
            tables.set(phases.diagonal, scale_of(phases.quarter_turns, transforms, transformed));
        });
}

template <class Real>
void HostState<Real>::pass(Group group, const Phases& phases, bool before, bool after) {
    Pass<Real> pass;
    pass.before = before;
    pass.after = after;
    pass.diagonal = tables(group, phases, (before ? 1 : 0) + (after ? 1 : 0)).view();
    if (group == Group::across_rows) return pass_columns(pass);
    const Timers::Scope scope = timers_.scope("pass within rows");
    pass.lanes = trotter::Lanes::transformed;
    pass.first_outer = own_rows_.first;
    for (std::uint64_t i = 0; i < own_states_; ++i) {
        Real* first = rows(i);
        pass.blocks = row_tiles(layout_, &first);
        kernels_.pass(pass, {0, own_rows_.size()});
    }
}

template <class Real>
PartialView<Real> HostState<Real>::partial_tables(Group group, const Phases& phases) {
    const auto set = [&](PartialTables<Real>& tables) {
        const Timers::Scope scope = timers_.scope("tables");
        tables.set(phases.diagonal);
    };
    return partial_tables_[index_of(group)]
        .find(
            phases, 0, [&] { return PartialTables<Real>(windows_[index_of(group)]); }, set)
        .view();
}

template <class Real>
void HostState<Real>::light_cone_pass(Group group, const Phases* before, const Phases& middle, const Phases* after) {
    const Window& window = windows_[index_of(group)];
    LightConePass<Real> pass;
    pass.window = &window;
    if (before != nullptr) pass.before = partial_tables(group, *before);
    if (after != nullptr) pass.after = partial_tables(group, *after);
    const int turns = before != nullptr ? before->quarter_turns & 3 : 0;  // the next pass applies those of `after`
    const int transforms = (before != nullptr ? 1 : 0) + (after != nullptr ? 2 : 0) + 4 * turns;
    const auto set = [&](FullTables<Real>& tables) {
        const Timers::Scope scope = timers_.scope("tables");
        const int scale = unnormalised_transforms(window, before != nullptr, after != nullptr);
        tables.set(middle.diagonal, scale_of(middle.quarter_turns + turns, 2, scale));
    };
    const FullTables<Real>& full = full_tables_[index_of(group)].find(
        middle, transforms, [&] { return FullTables<Real>(window); }, set);
    pass.full = full.view();
    if (group == Group::across_rows) return pass_columns(pass);
    const Timers::Scope scope = timers_.scope("pass within rows");
    pass.offsets = window_offsets_[0].data();
    pass.tile_stride = layout_.row_offset(1);
    pass.tile_gap = layout_.row_gap();
    pass.first_outer = own_rows_.first;
    for (std::uint64_t i = 0; i < own_states_; ++i) {
        pass.first = rows(i);
        kernels_.light_cone_pass(pass, {0, own_rows_.size()});
    }
}

template <class Real>
void HostState<Real>::pass_columns(Pass<Real> pass) {
    node_.barrier();
    if (exchange_) {
        exchange_columns(1, [&](Real* all_rows, std::uint64_t first, std::uint64_t columns) {
            const int bits = layout_.spins - layout_.row_bits;
            const std::uint64_t block = layout_.block_reals();
            pass.blocks = {&all_rows, bits, bits, plan_.part_row_blocks() * block, 0, block, 0};
            pass.first_outer = first;
            kernels_.pass(pass, {0, columns});
        });
    } else {
        const Timers::Scope scope = timers_.scope("pass across rows");
        const auto ranks = static_cast<std::uint64_t>(state_comm_.size());
        const Range columns = equal_part(layout_.row_blocks(), ranks, static_cast<std::uint64_t>(state_comm_.rank()));
        std::vector<Real*> slabs(ranks);
        for (std::uint64_t i = 0; i < own_states_; ++i) {
            for (int rank = 0; rank < state_comm_.size(); ++rank)
                slabs[static_cast<std::size_t>(rank)] = rows_of(rank, i);
            pass.blocks = column_tiles(layout_, slabs.data(), log2_of(own_rows_.size()));
            kernels_.pass(pass, columns);
        }
    }
    node_.barrier();
}

template <class Real>
void HostState<Real>::pass_columns(LightConePass<Real> pass) {
    node_.barrier();
    pass.tile_stride = layout_.block_reals();
    pass.offsets = window_offsets_[1].data();
    if (exchange_) {
        exchange_columns(2, [&](Real* all_rows, std::uint64_t first, std::uint64_t columns) {
            pass.first = all_rows;
            pass.first_outer = first;
            kernels_.light_cone_pass(pass, {0, columns});
        });
    } else {
        const Timers::Scope scope = timers_.scope("pass across rows");
        pass.tile_gap = layout_.block_reals();
        for (std::uint64_t i = 0; i < own_states_; ++i) {
            pass.first = rows_of(0, i);
            kernels_.light_cone_pass(
                pass, equal_part(layout_.row_blocks() / 2, static_cast<std::uint64_t>(state_comm_.size()),
                                 static_cast<std::uint64_t>(state_comm_.rank())));
        }
    }
    node_.barrier();
}

template <class Real>
void HostState<Real>::copy_columns(Copy direction, Real* state_rows, std::uint64_t halves, Range columns,
                                   Real* part) const {
    const std::uint64_t block = layout_.block_reals(), half = layout_.row_blocks() / halves;
    for_each_parallel({0, own_rows_.size()}, [&](std::uint64_t r) {
        for (std::uint64_t i = 0; i < halves * columns.size(); ++i) {
            const std::uint64_t c = i / columns.size() * half + columns.first + i % columns.size();
            Real* in_state = state_rows + layout_.row_offset(r) + layout_.block_offset(c);
            Real* in_part = part + (r * plan_.part_row_blocks() + i) * block;
            if (direction == Copy::pack)
                std::copy(in_state, in_state + block, in_part);
            else
                std::copy(in_part, in_part + block, in_state);
        }
    });
}

template <class Real>
template <class Work>
void HostState<Real>::exchange_columns(std::uint64_t halves, Work work) {
    const Timers::Scope scope = timers_.scope("pass across rows, exchange");
    const std::uint64_t share = layout_.row_blocks() / static_cast<std::uint64_t>(state_comm_.size()) / halves;
    const std::uint64_t piece = plan_.piece_blocks() / halves;
    const auto columns = [&](int rank, std::uint64_t p) {
        const std::uint64_t first = static_cast<std::uint64_t>(rank) * share + p * piece;
        return Range{first, first + piece};
    };
    const auto part = [](char* bytes) { return reinterpret_cast<Real*>(bytes); };
    std::vector<int> remote;
    for (int rank = 0; rank < state_comm_.size(); ++rank)
        if (!std::ranges::count(node_.ranks(), rank)) remote.push_back(rank);
    const auto copy_remote = [&](Copy direction, std::uint64_t p, int slot) {
        for (int rank : remote)
            copy_columns(direction, rows(0), halves, columns(rank, p), part(exchange_->rows(slot, rank)));
    };
    const auto copy_node = [&](Copy direction, std::uint64_t p, int slot) {
        for (std::size_t n = 0; n < node_.ranks().size(); ++n)
            copy_columns(direction, rows_of(static_cast<int>(n), 0), halves, columns(state_comm_.rank(), p),
                         part(exchange_->columns(slot, node_.ranks()[n])));
    };
    exchange_->run(
        share / piece,
        [&](std::uint64_t p, int slot) {
            copy_remote(Copy::pack, p, slot);
            copy_node(Copy::pack, p, slot);
        },
        [&](std::uint64_t p, int slot) {
            work(part(exchange_->columns(slot, 0)), columns(state_comm_.rank(), p).first, piece);
            copy_node(Copy::unpack, p, slot);
        },
        [&](std::uint64_t p, int slot) { copy_remote(Copy::unpack, p, slot); });
}

template <class Real>
std::vector<Moments> HostState<Real>::moments() {
    const Timers::Scope scope = timers_.scope("observables");
    const auto width = RowSums::width(layout_.row_bits);
    const std::uint64_t rows_here = own_rows_.size();
    std::vector<double> own;
    for (std::uint64_t i = 0; i < own_states_; ++i) {
        kernels_.row_sums(layout_, rows(i), rows_here, sums_.data(), scratch_.data(), layout_.row_amplitudes());
        const std::vector<double> joined =
            join_parts(layout_.row_bits, log2_of(rows_here), {sums_.data(), sums_.data() + rows_here * width});
        own.insert(own.end(), joined.begin(), joined.end());
    }
    return moments_of_ranks(comm_, plan_, std::move(own));
}

template <class Real>
std::vector<Complex> HostState<Real>::overlaps(const std::function<InitialState(std::uint64_t)>& start) {
    const Timers::Scope scope = timers_.scope("overlap");
    const std::uint64_t width = std::uint64_t{1} << layout_.lane_bits;
    std::vector<Complex> own(own_states_ * own_rows_.size());
    for (std::uint64_t i = 0; i < own_states_; ++i) {
        for_each_row(plan_, start(plan_.own_states().first + i), own_rows_, [&](std::uint64_t r, auto amplitudes) {
            const std::uint64_t own_row = i * own_rows_.size() + r - own_rows_.first;
            const Real* from = row(own_row);
            own[own_row] = overlap(amplitudes, [&](std::uint64_t x) {
                const Real* at = from + layout_.block_offset(x / width) + x % width;
                return std::pair(static_cast<double>(at[0]), static_cast<double>(at[width]));
            });
        });
    }
    return sums_of_ranks(comm_, plan_, std::move(own));
}

template <class Real>
void HostState<Real>::add_energies(const Diagonal& energy, const EnergySum& sum, const SpinState& from) {
    Phases key(0);
    key.diagonal = energy;
    const EnergyView view = energies_
                                .find(
                                    key, 0, [&] { return EnergyTables(energy, layout_.row_bits); },
                                    [&](EnergyTables& tables) { tables = EnergyTables(energy, layout_.row_bits); })
                                .view();
    const Timers::Scope scope = timers_.scope("energies");
    for (std::uint64_t i = 0; i < own_states_; ++i)
        kernels_.add_energies(layout_, view, own_rows_, sum, static_cast<const HostState&>(from).rows(i), rows(i));
}

template <class Real>
void HostState<Real>::add_products(const FlipProducts& products, double a, const SpinState& from) {
    const Timers::Scope scope = timers_.scope("products of H");
    const auto& other = static_cast<const HostState&>(from);
    for (std::uint64_t i = 0; i < own_states_; ++i)
        products_.add(
            products, a, [&](std::size_t node_rank) { return other.rows_of(static_cast<int>(node_rank), i); }, rows(i));
}

template <class Real>
void HostState<Real>::combine(Complex z, const SpinState& from, double c) {
    const Timers::Scope scope = timers_.scope("sums of states");
    for (std::uint64_t i = 0; i < own_states_; ++i)
        kernels_.combine(layout_, own_rows_.size(), z.real(), z.imag(), c, static_cast<const HostState&>(from).rows(i),
                         rows(i));
}

template <class Real>
void HostState<Real>::scale(const std::vector<double>& factors) {
    for (std::uint64_t i = 0; i < own_states_; ++i)
        kernels_.scale(layout_, rows(i), own_rows_.size(), factors[plan_.own_states().first + i]);
}

template <class Real>
DistributedArray HostState<Real>::array() {
    DistributedArray array = state_array(plan_);
    // calls visit(address of the real part, of the imaginary part, index of the real part in the packed slab) for every
    // amplitude of a slab
    const auto each = [this, stored_rows = array.rows.first, stored_amplitudes = array.shape.row_elements](
                          const ArraySlab& slab, auto visit) {
        const std::uint64_t width = std::uint64_t{1} << layout_.lane_bits, blocks = layout_.row_blocks();
        const std::uint64_t first = (slab.rows.first - stored_rows) * stored_amplitudes + slab.elements.first,
                            last = first + slab.elements.size();
        for_each_parallel({first / width, (last + width - 1) / width}, [&](std::uint64_t b) {
            Real* block = row(b / blocks) + layout_.block_offset(b % blocks);
            const std::uint64_t begin = b * width;
            for (std::uint64_t x = std::max(first, begin); x < std::min(last, begin + width); ++x)
                visit(block + (x - begin), block + (x - begin) + width, 2 * (x - first));
        });
    };
    array.read = [each](const ArraySlab& slab, std::byte* to) {
        Real* out = reinterpret_cast<Real*>(to);
        each(slab, [out](const Real* re, const Real* im, std::uint64_t i) {
            out[i] = *re;
            out[i + 1] = *im;
        });
    };
    array.write = [each](const ArraySlab& slab, const std::byte* from) {
        const Real* in = reinterpret_cast<const Real*>(from);
        each(slab, [in](Real* re, Real* im, std::uint64_t i) {
            *re = in[i];
            *im = in[i + 1];
        });
    };
    return array;
}

template class HostState<double>;
template class HostState<float>;

}  // namespace strata::trotter
