// SPDX-License-Identifier: BSD-3-Clause
// Launches and copies of spin states on devices. Passes are queued; the host waits only for observations, checkpoints,
// messages and sums of states, and for the pass before last, whose time it reads.
#include "trotter/state/device_state.hpp"

#include <algorithm>

namespace strata::trotter {

template <class Real>
DeviceState<Real>::DeviceState(const Communicator& comm, const TrotterPlan& plan, const DeviceBinding& device,
                               Timers& timers)
    : comm_(comm),
      plan_(plan),
      timers_(timers),
      kernels_(device_pass_kernels<Real>()),
      device_name_(device.facts.name),
      route_(device.route),
      layout_(plan.layout()),
      own_rows_(plan.own_rows()),
      own_states_(plan.own_states().size()),
      state_comm_(comm.split(comm.rank() / plan.ranks_of_state())),
      products_(plan, state_comm_, queue_, route_) {}

template <class Real>
void DeviceState<Real>::allocate() {
    const std::uint64_t rows = plan_.slab_rows();
    const std::uint64_t sums = RowSums::width(plan_.sum_bits()) * rows << (layout_.row_bits - plan_.sum_bits());
    amplitudes_ = Buffer<Amplitude<Real>, Cuda>(own_states_ * part_amplitudes());
    slab_ = Buffer<Amplitude<Real>, Pinned>(rows << layout_.row_bits);
    sums_ = Buffer<double, Cuda>(sums);
    host_sums_ = Buffer<double, Pinned>(sums);
    products_.allocate();
    if (state_comm_.size() == 1) return;
    std::vector<bool> remote(static_cast<std::size_t>(state_comm_.size()), true);
    remote[static_cast<std::size_t>(state_comm_.rank())] = false;
    exchange_.emplace(PiecesUnderWay::three,
                      TransposeExchange<Cuda>::equal_parts(state_comm_.size(), plan_.part_bytes()),
                      TransposeResults::in_place, remote,
                      [&] { return std::make_unique<Exchange<Cuda>>(state_comm_, queue_, route_); });
}

template <class Real>
template <class Visit>
void DeviceState<Real>::each_slab(Visit visit) {
    const std::uint64_t count = plan_.slab_rows();
    for (std::uint64_t i = 0; i < own_states_; ++i)
        for (std::uint64_t r = 0; r < own_rows_.size(); r += count)
            visit(i, Range{r, r + count},
                  amplitudes_.view().part((i * own_rows_.size() + r) << layout_.row_bits, slab_.size()));
}

template <class Real>
void DeviceState<Real>::fill(const std::function<InitialState(std::uint64_t)>& start) {
    const Timers::Scope scope = timers_.scope("initial state");
    each_slab([&](std::uint64_t i, Range rows, View<Amplitude<Real>, Cuda> to) {
        const Range all = {own_rows_.first + rows.first, own_rows_.first + rows.last};
        for_each_row(plan_, start(plan_.own_states().first + i), all, [&](std::uint64_t r, auto amplitudes) {
            std::ranges::transform(amplitudes, slab_.begin() + ((r - all.first) << layout_.row_bits),
                                   [](Complex z) -> Amplitude<Real> {
                                       return {static_cast<Real>(z.real()), static_cast<Real>(z.imag())};
                                   });
        });
        copy_to_device(queue_, to, std::span<const Amplitude<Real>>(slab_));
        queue_.wait();
    });
}

template <class Real>
const std::vector<DeviceTile>& DeviceState<Real>::tiles(Group group) const {
    return group == Group::within_row ? plan_.tiles().within_row : plan_.tiles().across_rows;
}

template <class Real>
void DeviceState<Real>::set_tables(Group group, const Phases& phases, int transforms, Tables& tables) const {
    const DeviceTile tile = tiles(group).back();
    std::vector<int> inside;
    for (int j = 0; j < tile.low; ++j) inside.push_back(j);
    for (int j = 0; j < tile.count; ++j) inside.push_back(tile.first + j);
    const int transformed = group == Group::within_row ? layout_.row_bits : layout_.spins - layout_.row_bits;
    const Complex scale = scale_of(phases.quarter_turns, transforms, transformed);
    std::vector<Amplitude<Real>> factors;
    for (double energy : energies(phases.diagonal, inside)) {
        const Complex z = scale * std::polar(1.0, -energy);
        factors.push_back({static_cast<Real>(z.real()), static_cast<Real>(z.imag())});
    }
    std::vector<double> angles;
    for (int j = 0; j < layout_.spins; ++j)
        for (int k = 0; k < layout_.spins; ++k)
            angles.push_back(j == k ? phases.diagonal.field[static_cast<std::size_t>(j)] : phases.diagonal.angle(j, k));
    copy_to_device(queue_, tables.tile.view(), std::span<const Amplitude<Real>>(factors));
    copy_to_device(queue_, tables.angles.view(), std::span<const double>(angles));
    queue_.wait();
}

template <class Real>
const typename DeviceState<Real>::Tables& DeviceState<Real>::tables(Group group, const Phases& phases, int transforms) {
    const auto make = [&] {
        const DeviceTile tile = tiles(group).back();
        const auto spins = static_cast<std::uint64_t>(layout_.spins);
        return Tables{Buffer<Amplitude<Real>, Cuda>(std::uint64_t{1} << (tile.low + tile.count)),
                      Buffer<double, Cuda>(spins * spins)};
    };
    return tables_[group == Group::within_row ? 0 : 1].find(phases, transforms, make, [&](Tables& tables) {
        const Timers::Scope scope = timers_.scope("tables");
        set_tables(group, phases, transforms, tables);
    });
}

template <class Real>
void DeviceState<Real>::pass(Group group, const Phases& phases, bool before, bool after) {
    const Tables& of_phases = tables(group, phases, (before ? 1 : 0) + (after ? 1 : 0));
    DevicePass<Real> pass;
    pass.before = before;
    pass.after = after;
    pass.phases = {of_phases.tile.data(), of_phases.angles.data(), layout_.spins};
    if (group == Group::across_rows && exchange_) return exchange_columns(pass);
    pass.bits = layout_.row_bits + log2_of(own_rows_.size());
    pass.fixed = own_rows_.first << layout_.row_bits;
    event_timers_.begin(queue_, timers_);
    for (std::uint64_t i = 0; i < own_states_; ++i) {
        pass.amplitudes = state(i);
        launch(group, pass);
    }
    event_timers_.close(queue_, group == Group::within_row ? "pass within rows" : "pass across rows");
}

template <class Real>
void DeviceState<Real>::launch(Group group, DevicePass<Real> pass) const {
    const std::vector<DeviceTile>& cuts = tiles(group);
    const DevicePass<Real> with_phases = pass;
    const auto run = [&](const DeviceTile& tile, bool last) {
        pass = with_phases;
        pass.low = tile.low;
        pass.first = tile.first - pass.shift;
        pass.count = tile.count;
        if (!last) {
            pass.phases.tile = nullptr;
            pass.before = true;
            pass.after = false;
        }
        kernels_.pass(queue_, pass);
    };
    for (std::size_t i = 0; with_phases.before && i + 1 < cuts.size(); ++i) run(cuts[i], false);
    run(cuts.back(), true);
    for (std::size_t i = cuts.size() - 1; with_phases.after && i-- > 0;) run(cuts[i], false);
}

/// A piece is laid out as a state whose rows have only the piece's columns.
template <class Real>
void DeviceState<Real>::exchange_columns(DevicePass<Real> pass) {
    event_timers_.collect_all(timers_);  // so that this phase does not include those before it
    const Timers::Scope scope = timers_.scope("pass across rows, exchange");
    const int ranks = state_comm_.size(), own = state_comm_.rank();
    const std::uint64_t share = layout_.row_amplitudes() / static_cast<std::uint64_t>(ranks);
    const std::uint64_t piece = plan_.piece_blocks();
    const auto columns = [&](int rank, std::uint64_t p) {
        const std::uint64_t first = static_cast<std::uint64_t>(rank) * share + p * piece;
        return Range{first, first + piece};
    };
    // the part of this rank's own rows is not sent: it is packed into the columns directly
    const auto part = [&](int slot, int rank) {
        char* bytes = rank == own ? exchange_->columns(slot, rank) : exchange_->rows(slot, rank);
        return reinterpret_cast<Amplitude<Real>*>(bytes);
    };
    pass.split = log2_of(piece);
    pass.shift = layout_.row_bits - pass.split;
    pass.bits = layout_.spins - pass.shift;
    const auto put = [&](std::uint64_t p, int slot, int rank) {
        kernels_.unpack(queue_, layout_.row_bits, state(0), own_rows_.size(), columns(rank, p), part(slot, rank));
    };
    exchange_->run(
        share / piece,
        [&](std::uint64_t p, int slot) {
            for (int rank = 0; rank < ranks; ++rank)
                kernels_.pack(queue_, layout_.row_bits, state(0), own_rows_.size(), columns(rank, p), part(slot, rank));
        },
        [&](std::uint64_t p, int slot) {
            pass.amplitudes = reinterpret_cast<Amplitude<Real>*>(exchange_->columns(slot, 0));
            pass.fixed = columns(own, p).first;
            launch(Group::across_rows, pass);
            put(p, slot, own);
        },
        [&](std::uint64_t p, int slot) {
            for (int rank = 0; rank < ranks; ++rank)
                if (rank != own) put(p, slot, rank);
        });
    queue_.wait();
}

template <class Real>
std::vector<Moments> DeviceState<Real>::moments() {
    event_timers_.collect_all(timers_);
    const Timers::Scope scope = timers_.scope("observables");
    const int sum_bits = plan_.sum_bits(), slab_bits = layout_.row_bits - sum_bits + log2_of(plan_.slab_rows());
    const int own_bits = layout_.row_bits + log2_of(own_rows_.size());
    std::vector<double> own, parts;
    each_slab([&](std::uint64_t, Range rows, View<Amplitude<Real>, Cuda> amplitudes) {
        kernels_.row_sums(queue_, sum_bits, amplitudes.data(), std::uint64_t{1} << slab_bits, sums_.data());
        copy_to_host(queue_, std::span<double>(host_sums_), View<const double, Cuda>(sums_.view()));
        queue_.wait();
        const std::vector<double> slab = join_parts(sum_bits, slab_bits, {host_sums_.begin(), host_sums_.end()});
        parts.insert(parts.end(), slab.begin(), slab.end());
        if (rows.last < own_rows_.size()) return;
        const std::vector<double> joined =
            join_parts(sum_bits + slab_bits, own_bits - sum_bits - slab_bits, std::move(parts));
        own.insert(own.end(), joined.begin(), joined.end());
        parts.clear();
    });
    return moments_of_ranks(comm_, plan_, std::move(own));
}

template <class Real>
std::vector<Complex> DeviceState<Real>::overlaps(const std::function<InitialState(std::uint64_t)>& start) {
    event_timers_.collect_all(timers_);
    const Timers::Scope scope = timers_.scope("overlap");
    std::vector<Complex> own(own_states_ * own_rows_.size());
    each_slab([&](std::uint64_t i, Range rows, View<Amplitude<Real>, Cuda> from) {
        const Range all = {own_rows_.first + rows.first, own_rows_.first + rows.last};
        copy_to_host(queue_, std::span<Amplitude<Real>>(slab_), View<const Amplitude<Real>, Cuda>(from));
        queue_.wait();
        for_each_row(plan_, start(plan_.own_states().first + i), all, [&](std::uint64_t r, auto amplitudes) {
            const Amplitude<Real>* row = slab_.data() + ((r - all.first) << layout_.row_bits);
            own[i * own_rows_.size() + r - own_rows_.first] = overlap(amplitudes, [row](std::uint64_t x) {
                return std::pair(static_cast<double>(row[x].re), static_cast<double>(row[x].im));
            });
        });
    });
    return sums_of_ranks(comm_, plan_, std::move(own));
}

template <class Real>
EnergyView DeviceState<Real>::energy_tables(const Diagonal& energy) {
    Phases key(0);
    key.diagonal = energy;
    const auto make = [&] {
        const EnergyTables tables(energy, layout_.row_bits);
        return Energies{Buffer<double, Cuda>(tables.low().size()), Buffer<double, Cuda>(tables.angles().size())};
    };
    const Energies& kept = energies_.find(key, 0, make, [&](Energies& energies) {
        const EnergyTables tables(energy, layout_.row_bits);
        copy_to_device(queue_, energies.low.view(), std::span<const double>(tables.low()));
        copy_to_device(queue_, energies.angles.view(), std::span<const double>(tables.angles()));
        queue_.wait();
    });
    return {kept.low.data(), kept.angles.data(), layout_.spins, layout_.row_bits};
}

/// Every state has its own queue: the work of `from` must finish before the sum begins, and `from` must not change
/// until the sum is done.
template <class Real>
void DeviceState<Real>::add_energies(const Diagonal& energy, const EnergySum& sum, const SpinState& from) {
    const auto& other = static_cast<const DeviceState&>(from);
    const EnergyView view = energy_tables(energy);
    other.queue_.wait();
    for (std::uint64_t i = 0; i < own_states_; ++i)
        device_sum_kernels<Real>().add_energies(queue_, view, own_rows_, sum, other.state(i), state(i));
    queue_.wait();
}

template <class Real>
void DeviceState<Real>::add_products(const FlipProducts& products, double a, const SpinState& from) {
    const auto& other = static_cast<const DeviceState&>(from);
    other.queue_.wait();
    for (std::uint64_t i = 0; i < own_states_; ++i) products_.add(products, a, other.state(i), state(i));
    queue_.wait();
}

template <class Real>
void DeviceState<Real>::combine(Complex z, const SpinState& from, double c) {
    const auto& other = static_cast<const DeviceState&>(from);
    other.queue_.wait();
    const Amplitude<Real> factor = {static_cast<Real>(z.real()), static_cast<Real>(z.imag())};
    device_sum_kernels<Real>().combine(queue_, amplitudes_.size(), factor, static_cast<Real>(c),
                                       other.amplitudes_.data(), amplitudes_.data());
    queue_.wait();
}

template <class Real>
void DeviceState<Real>::scale(const std::vector<double>& factors) {
    for (std::uint64_t i = 0; i < own_states_; ++i)
        kernels_.scale(queue_, state(i), part_amplitudes(), factors[plan_.own_states().first + i]);
}

template <class Real>
void DeviceState<Real>::finish() {
    event_timers_.collect_all(timers_);
    queue_.wait();
}

/// Rows lie one after another, so that rows of another length, as a host has them, are ranges of the same memory.
template <class Real>
DistributedArray DeviceState<Real>::array() {
    DistributedArray array = state_array(plan_);
    const auto part = [this, first = array.rows.first, row = array.shape.row_elements](const ArraySlab& slab) {
        return amplitudes_.view().part((slab.rows.first - first) * row + slab.elements.first, slab.elements.size());
    };
    array.read = [this, part](const ArraySlab& slab, std::byte* to) {
        const View<const Amplitude<Real>, Cuda> from(part(slab));
        copy_to_host(queue_, std::span(reinterpret_cast<Amplitude<Real>*>(to), from.size()), from);
        queue_.wait();
    };
    array.write = [this, part](const ArraySlab& slab, const std::byte* from) {
        const auto to = part(slab);
        copy_to_device(queue_, to, std::span(reinterpret_cast<const Amplitude<Real>*>(from), to.size()));
        queue_.wait();
    };
    return array;
}

template class DeviceState<double>;
template class DeviceState<float>;

}  // namespace strata::trotter
