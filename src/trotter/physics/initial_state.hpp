// SPDX-License-Identifier: BSD-3-Clause
// Amplitudes of the state at time 0. Bit j of a basis state is spin j: 0 up, 1 down. An amplitude depends on its index
// (and for random states on seed and sample) alone, so that any rank and thread can fill any piece.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "trotter/job/config.hpp"

namespace strata::trotter {

/// Amplitudes of up and of down.
using Spinor = std::array<Complex, 2>;

class InitialState {
  public:
    /// `sample`: number of a random state in the job; other states ignore it. Throws Error(bad_input) that names the
    /// key for texts and lists that do not fit the number of spins, and for a file whose state is not normalised.
    InitialState(const TrotterConfig& config, int spins, std::uint64_t sample);

    /// False for Gaussian random amplitudes, whose norm is known only once all of them are drawn: |psi|^2 is about 1.
    bool normalised() const { return type_ != StateType::random; }
    /// Amplitudes of the basis states first, first + 1, ...; safe to call from several threads.
    void fill(std::uint64_t first, std::span<Complex> amplitudes) const;

  private:
    void fill_product(std::uint64_t first, std::span<Complex> amplitudes) const;
    void fill_random(std::uint64_t first, std::span<Complex> amplitudes) const;

    StateType type_;
    int spins_;
    std::uint64_t seed_, sample_;
    int polarised_ = 0;  ///< the spin that is up in a polarised random state
    /// Product states: the amplitude of index i is low_[i % low_.size()] * high_[i / low_.size()].
    std::vector<Complex> low_, high_;
    std::vector<Complex> listed_;  ///< [basis state] amplitudes of state.file
};

/// The spinors of a product state. Throws Error(bad_input) as InitialState does, and Error(internal) for other states.
std::vector<Spinor> product_spinors(const TrotterConfig& config, int spins);

}  // namespace strata::trotter
