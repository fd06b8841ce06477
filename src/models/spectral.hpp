// SPDX-License-Identifier: BSD-3-Clause
// What all applications with spectra above a ground state share: the operators that act on it, and keys of [spectrum] that
// mean the same.
#pragma once

#include <string>
#include <vector>

#include "models/operators.hpp"
#include "strata/choices.hpp"
#include "strata/config.hpp"

namespace strata {

/// `current`: of particles along a direction, at wave vector 0; `observable`: the one of [observables].
enum class SpectralOperator { removal, addition, density, spin, current, observable };
inline constexpr Choice<SpectralOperator> spectral_operator_choices[] = {
    {"removal", SpectralOperator::removal}, {"addition", SpectralOperator::addition},
    {"density", SpectralOperator::density}, {"spin", SpectralOperator::spin},
    {"current", SpectralOperator::current}, {"observable", SpectralOperator::observable}};

/// spectrum.operator, where `spectrum` holds; `further`: what stands in its meaning behind the operators of all applications.
Key spectral_operator_key(const Condition& spectrum, const std::vector<std::string>& words, const std::string& further);
/// spectrum.momenta.
Key spectral_momenta_key(const Condition& spectrum);
/// spectrum.omega.
Key spectral_omega_key(const Condition& spectrum);

/// The terms of an operator on site {i}, separated by semicolons as those of [observables]; empty where sites of this kind have
/// none, and for `current` and `observable`.
std::string terms_of(SpectralOperator op, SiteKind kind);

}  // namespace strata
