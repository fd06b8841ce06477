// SPDX-License-Identifier: BSD-3-Clause
// The numbers that a Hamiltonian conserves, and their values in [sector]. Models of sites and edges conserve the numbers of
// electrons of both spins, of fermions, or the total S^z; other terms may leave less.
#pragma once

#include <string>
#include <vector>

#include "models/model.hpp"

namespace strata {

/// Sign of the states under an operation of order two, or parity of a number.
enum class Parity { any, even, odd };
inline constexpr Choice<Parity> parity_choices[] = {{"any", Parity::any}, {"even", Parity::even}, {"odd", Parity::odd}};

/// What the states of a sector have in common.
enum class Conserved {
    numbers,    ///< N_up and N_down of electrons, N of fermions, S^z of spins
    particles,  ///< N_up + N_down of electrons alone
    spin,       ///< N_up - N_down alone
    parity,     ///< the parity of the number of particles, or of spins up
    nothing     ///< all states are in one sector
};

/// What is conserved beside numbers that every product of the sum conserves.
Conserved conserved_by(const OperatorSum& sum);

/// Numbers of a sector. For spins `up` is the sum of m + S over all sites: for S = 1/2 the number of spins up.
struct Filling {
    int up = 0, down = 0;  ///< numbers; particles: N, 0; spin: N_up - N_down, 0; parity: 0 or 1, 0; nothing: 0, 0
    Conserved conserved = Conserved::numbers;
};

/// What is added to the numbers of a sector, of a parity modulo 2.
struct FillingChange {
    int up = 0, down = 0;
    bool operator==(const FillingChange&) const = default;
};
/// The change by a product that changes the numbers of raised modes by `change`.
FillingChange filling_change(const ChargeChange& change, SiteKind kind, Conserved conserved);
/// "Sz by 1"; of several numbers those that change, or all where none does.
std::string text_of(const FillingChange& change, SiteKind kind, Conserved conserved);
/// The sector with changed numbers, which need not exist.
Filling changed(const Filling& filling, const FillingChange& change);

/// The sectors of all values of what is conserved, in ascending order: of sites that hold `twice_spin` quanta, one particle
/// of each component or one electron.
std::vector<Filling> all_fillings(const ModelConfig& model, int sites, Conserved conserved);

/// The terms of a model beside hops, energies of sites and pairs, and an exchange that conserves S^z: those of
/// LatticeModel::others and, of spins, fields along x and y and (J^x - J^y) / 4 S+ S+ + h.c. Throws Error(bad_input) where
/// J^x and J^y of a bond with a complex amplitude differ.
OperatorSum other_terms(const ModelConfig& config, const LatticeModel& model);

/// Particles by the section [sector], for a Hamiltonian with these terms beside those of sites and edges; without its
/// keys half filling, the smallest total S^z >= 0, or all states where nothing else is conserved. Throws
/// Error(bad_input) for more particles than the sites hold, for a total S^z that the spins cannot have, and for numbers
/// that are not conserved.
Filling resolve_filling(const Config& config, const ModelConfig& model, int sites, const OperatorSum& others = {});

}  // namespace strata
