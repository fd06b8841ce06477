// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a chain, one for every bond: left blocks at bonds up to the centre, right blocks at bonds behind it. A
// step at centre c reads the blocks at c and c + 2 and makes the block at c + 1; the next step needs c - 1 or c + 3.
// The other blocks can be stored in a scratch file:
//
//     bond   0 ... c-2 | c-1   c   c+1  c+2  c+3 | c+4 ... L
//              on disk |       in memory         |  on disk
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dmrg/state/block.hpp"
#include "io/scratch_file.hpp"

namespace strata::dmrg {

class BlockStore {
  public:
    /// A store with only the blocks without sites at both ends.
    explicit BlockStore(const Model& model);

    /// Moves blocks that are far from the centre to a scratch file in this directory, beginning with the next focus().
    /// Throws Error(file).
    void use_disk(const std::string& directory);
    bool uses_disk() const { return disk_ != nullptr; }
    /// Frees the space on the disk; blocks that are stored there are lost.
    void leave_disk() { disk_.reset(); }
    /// Deletes all blocks except the two at the ends.
    void clear();

    /// Returns when the blocks that a step at this centre reads are in memory. The blocks of the steps next to it are
    /// read, and others are written, in the background. Throws Error(file) if any read or write has failed since the
    /// start.
    void focus(int centre);
    /// The block at a bond. If blocks are on disk, only those that the last focus() has brought to memory may be used.
    const Block& operator[](int bond) const { return slots_[static_cast<std::size_t>(bond)].block; }
    void set(int bond, Block block);

    /// Bytes of all blocks in memory.
    std::uint64_t bytes() const;

  private:
    enum class State { in_memory, being_written, on_disk, being_read };
    struct Slot {
        Block block;  ///< without elements while they are on disk
        State state = State::in_memory;
        bool saved = false;  ///< true if the disk has the same elements
    };
    void finish(std::size_t bond);
    void begin_reading(std::size_t bond);
    void begin_writing(std::size_t bond);

    std::vector<Slot> slots_;                ///< [bond]
    std::unique_ptr<io::ScratchFile> disk_;  ///< declared last, so that its thread ends before the blocks are destroyed
};

/// The first and the last bond whose blocks are in memory during a step at this centre.
std::pair<int, int> bonds_near(int centre, int sites);

}  // namespace strata::dmrg
