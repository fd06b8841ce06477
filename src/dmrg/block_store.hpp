// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a chain, one for every bond: of the sites to its left at bonds up to the centre, to its right at those
// behind it. A step at centre c works on those at c and c + 2 and makes the one at c + 1; the next step needs c - 1 or
// c + 3. On request the others lie in a scratch file:
//
//     bond   0 ... c-2 | c-1   c   c+1  c+2  c+3 | c+4 ... L
//              on disk |       in memory         |  on disk
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dmrg/block.hpp"
#include "io/scratch_file.hpp"

namespace strata::dmrg {

class BlockStore {
  public:
    /// Holds the blocks without sites at the ends.
    BlockStore(int sites, Charge target);

    /// From now on blocks lie in a scratch file in this directory while they are far from the centre. Throws
    /// Error(file).
    void use_disk(const std::string& directory);
    bool uses_disk() const { return disk_ != nullptr; }
    /// Gives the space on the disk free; blocks that are there are lost.
    void leave_disk() { disk_.reset(); }
    /// Gives up all blocks but those at the ends.
    void clear();

    /// The blocks that a step at this centre works on are in memory on return; those of the steps next to it are read,
    /// and others written, while the computation goes on. Throws Error(file) if anything of that has failed since the
    /// start.
    void focus(int centre);
    /// The block at a bond; next to the sites of the centre if blocks are on disk.
    const Block& operator[](int bond) const { return slots_[static_cast<std::size_t>(bond)].block; }
    void set(int bond, Block block);

    /// Of blocks in memory.
    std::uint64_t bytes() const;

  private:
    enum class State { in_memory, being_written, on_disk, being_read };
    struct Slot {
        Block block;  ///< without elements if they are on disk
        State state = State::in_memory;
        bool saved = false;  ///< the disk has the same elements
    };
    void finish(std::size_t bond);
    void begin_reading(std::size_t bond);
    void begin_writing(std::size_t bond);

    std::vector<Slot> slots_;                ///< [bond]
    std::unique_ptr<io::ScratchFile> disk_;  ///< declared last: its thread ends before the blocks do
};

/// The first and the last bond whose blocks are in memory while the centre is there.
std::pair<int, int> bonds_near(int centre, int sites);

}  // namespace strata::dmrg
