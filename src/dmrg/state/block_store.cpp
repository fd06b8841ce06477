// SPDX-License-Identifier: BSD-3-Clause
// Rules between the computation and the thread of the scratch file: a block that is being written is only read by both,
// a block that is being read from disk is not used before the read is complete, and only the computation allocates and
// frees the memory of blocks.
#include "dmrg/state/block_store.hpp"

#include <algorithm>

namespace strata::dmrg {

std::pair<int, int> bonds_near(int centre, int sites) { return {std::max(0, centre - 1), std::min(sites, centre + 3)}; }

BlockStore::BlockStore(const Model& model) : slots_(static_cast<std::size_t>(model.sites) + 1) {
    slots_.front().block = Block::left_end(model);
    slots_.back().block = Block::right_end(model);
}

void BlockStore::use_disk(const std::string& directory) { disk_ = std::make_unique<io::ScratchFile>(directory); }

void BlockStore::clear() {
    for (std::size_t bond = 1; bond + 1 < slots_.size(); ++bond) set(static_cast<int>(bond), {});
}

void BlockStore::set(int bond, Block block) {
    const auto b = static_cast<std::size_t>(bond);
    if (uses_disk()) disk_->settle(b);
    slots_[b] = {std::move(block)};
}

void BlockStore::focus(int centre) {
    if (!uses_disk()) return;
    const auto [first, last] = bonds_near(centre, static_cast<int>(slots_.size()) - 1);
    const auto inner = [&](auto body) {  // the blocks at the ends always remain in memory
        for (std::size_t bond = 1; bond + 1 < slots_.size(); ++bond)
            body(bond, std::cmp_greater_equal(bond, first) && std::cmp_less_equal(bond, last));
    };
    inner([&](std::size_t bond, bool) {  // writes of the previous step end first, which bounds the memory
        if (slots_[bond].state == State::being_written) finish(bond);
    });
    inner([&](std::size_t bond, bool near) {
        if (near) begin_reading(bond);
    });
    inner([&](std::size_t bond, bool near) {
        if (!near) begin_writing(bond);
    });
    for (const int bond : {centre, centre + 2}) finish(static_cast<std::size_t>(bond));
}

void BlockStore::begin_reading(std::size_t bond) {
    Slot& s = slots_[bond];
    if (s.state != State::on_disk) return;
    s.block.allocate_elements();
    disk_->read(bond, s.block.parts());
    s.state = State::being_read;
}

void BlockStore::begin_writing(std::size_t bond) {
    Slot& s = slots_[bond];
    finish(bond);
    if (s.state == State::on_disk || s.block.bytes() == 0) return;
    if (s.saved) {
        s.block.release_elements();
        s.state = State::on_disk;
        return;
    }
    const std::vector<std::span<double>> parts = s.block.parts();
    disk_->write(bond, {parts.begin(), parts.end()});
    s.state = State::being_written;
}

/// Waits for the read or write of a block that is under way.
void BlockStore::finish(std::size_t bond) {
    Slot& s = slots_[bond];
    if (s.state != State::being_written && s.state != State::being_read) return;
    disk_->wait(bond);
    s.saved = true;
    if (s.state == State::being_written) s.block.release_elements();
    s.state = s.state == State::being_written ? State::on_disk : State::in_memory;
}

std::uint64_t BlockStore::bytes() const {
    std::uint64_t sum = 0;
    for (const Slot& s : slots_) sum += s.block.bytes();
    return sum;
}

}  // namespace strata::dmrg
