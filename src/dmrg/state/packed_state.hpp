// SPDX-License-Identifier: BSD-3-Clause
// A matrix product state in the form of a checkpoint: a copy of its tensors, whose shapes a resumed run gets from the file.
#pragma once

#include <string>
#include <vector>

#include "dmrg/state/chain_state.hpp"
#include "strata/checkpoint.hpp"

namespace strata::dmrg {

struct PackedState {
    std::vector<std::uint64_t> bonds;          ///< for every bond: number of sectors, then (up, down, states) of each
    std::vector<std::vector<double>> tensors;  ///< [site]
    std::vector<double> imaginary = {};        ///< imaginary part of the complex tensor; empty: the state is real
    int centre_bond = 0, complex_tensor = -1;  ///< as in ChainState; not read from files

    static PackedState of(const ChainState& chain);
    /// Adds the arrays to those of a checkpoint, under names that begin with `prefix`.
    void add_to(std::vector<DistributedArray>& arrays, const std::string& prefix, const Model& model);
    /// Resizes the member that the array `shape` is read into, if the name of the array begins with `prefix`.
    void resize(std::size_t sites, const std::string& prefix, const ArrayShape& shape);
    /// Copies the state to `chain`, with the centre at a bond. `complex_site`: the site of the complex tensor of a complex
    /// state. Throws Error(file) if arrays are too short.
    void unpack(int centre, ChainState& chain, int complex_site = 0) const;
};

}  // namespace strata::dmrg
