// SPDX-License-Identifier: BSD-3-Clause
// Product states are two tables, of the lower and of the upper half of the spins, so that an amplitude is one complex
// product.
#include "trotter/physics/initial_state.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/trotter/pass_kernels.hpp"
#include "strata/error.hpp"
#include "strata/random_purpose.hpp"
#include "trotter/job/text.hpp"

namespace strata::trotter {
namespace {

constexpr int max_listed_spins = 20;
constexpr double norm_tolerance = 1e-6;  // largest ||psi|^2 - 1| of a file, whose numbers are rounded

const Spinor up = {1, 0}, down = {0, 1};

struct Direction {
    char letter;
    Spinor spinor;
};
constexpr double root_of_half = std::numbers::sqrt2 / 2;
/// Eigenstates of S^z (u, d; also 0, 1), S^x (+, -) and S^y (r, l: right and left circular).
const Direction directions[] = {{'u', up},
                                {'d', down},
                                {'0', up},
                                {'1', down},
                                {'+', {root_of_half, root_of_half}},
                                {'-', {root_of_half, -root_of_half}},
                                {'r', {root_of_half, Complex(0, root_of_half)}},
                                {'l', {root_of_half, Complex(0, -root_of_half)}}};

Spinor spinor_of(char letter, const std::string& where) {
    for (const Direction& direction : directions)
        if (direction.letter == letter) return direction.spinor;
    throw Error(ExitCode::bad_input, where + " has the letter '" + letter +
                                         "'; a spin is u or 0 (up), d or 1 (down), " +
                                         "+ or - (along x), r or l (along y).");
}

/// Spinors of the pattern, one letter per spin, repeated over all spins.
std::vector<Spinor> pattern_spinors(const std::string& pattern, int spins) {
    const std::string where = "state.pattern = " + pattern;
    if (pattern.empty() || static_cast<std::size_t>(spins) % pattern.size() != 0)
        throw Error(ExitCode::bad_input, where + " has " + std::to_string(pattern.size()) + " letters; give " +
                                             std::to_string(spins) + ", one per spin, or a part that is repeated.");
    std::vector<Spinor> spinors;
    for (std::size_t j = 0; j < static_cast<std::size_t>(spins); ++j)
        spinors.push_back(spinor_of(pattern[j % pattern.size()], where));
    return spinors;
}

/// cos(theta/2) up + exp(i phi) sin(theta/2) down: a spin along the direction (theta, phi).
std::vector<Spinor> direction_spinors(const TrotterConfig::State& state, int spins) {
    const auto count = static_cast<std::size_t>(spins);
    const auto check = [&](const char* key, const std::vector<double>& values) {
        if (values.size() == 1 || values.size() == count) return;
        throw Error(ExitCode::bad_input, std::string(key) + " has " + std::to_string(values.size()) +
                                             " values; give one for all spins or " + std::to_string(spins) +
                                             ", one per spin.");
    };
    check("state.theta", state.theta);
    check("state.phi", state.phi);
    std::vector<Spinor> spinors;
    for (std::size_t j = 0; j < count; ++j) {
        const double theta = state.theta[state.theta.size() == 1 ? 0 : j] * std::numbers::pi;
        const double phi = state.phi[state.phi.size() == 1 ? 0 : j] * std::numbers::pi;
        spinors.push_back({std::cos(theta / 2), std::polar(1.0, phi) * std::sin(theta / 2)});
    }
    return spinors;
}

/// Kronecker product of some spinors, [basis state]; bit 0 of the index is the first spinor.
std::vector<Complex> kronecker(std::span<const Spinor> spinors) {
    std::vector<Complex> table = {1};
    for (const Spinor& spinor : spinors) {
        const std::size_t size = table.size();
        table.resize(2 * size);
        for (std::size_t i = 0; i < size; ++i) {
            table[size + i] = table[i] * spinor[1];
            table[i] *= spinor[0];
        }
    }
    return table;
}

/// Reads lines "spins re [im]", spins such as uddu with spin 0 first; basis states that are not listed have amplitude
/// 0. The state is normalised, since numbers of a file have fewer digits than a double.
std::vector<Complex> read_amplitudes(const NamedText& file, int spins) {
    if (spins > max_listed_spins)
        throw Error(ExitCode::bad_input, "state.initial = file takes at most " + std::to_string(max_listed_spins) +
                                             " spins; the system has " + std::to_string(spins) + ".");
    const std::string rule =
        "is no amplitude 'spins re [im]', spins a letter u or d for each of the " + std::to_string(spins) + " spins.";
    std::vector<Complex> amplitudes(std::size_t{1} << spins);
    double norm = 0;
    for (const Item& line : lines_of(file)) {
        const std::string& letters = line.words[0];
        const std::vector<double> numbers = line.reals_from(1, rule);
        if (letters.size() != static_cast<std::size_t>(spins) || numbers.empty() || numbers.size() > 2 ||
            letters.find_first_not_of("ud01") != std::string::npos)
            line.refuse(rule);
        std::size_t index = 0;
        for (std::size_t j = 0; j < letters.size(); ++j)
            index |= std::size_t{letters[j] == 'd' || letters[j] == '1'} << j;
        if (amplitudes[index] != 0.0) line.refuse("is the second amplitude of this basis state.");
        amplitudes[index] = {numbers[0], numbers.size() > 1 ? numbers[1] : 0};
        norm += std::norm(amplitudes[index]);
    }
    if (std::abs(norm - 1) > norm_tolerance)
        throw Error(ExitCode::bad_input, "state.file = " + file.name + " holds a state of norm " +
                                             number_text(std::sqrt(norm)) + "; it must be 1.");
    for (Complex& amplitude : amplitudes) amplitude /= std::sqrt(norm);
    return amplitudes;
}

}  // namespace

std::vector<Spinor> product_spinors(const TrotterConfig& config, int spins) {
    const TrotterConfig::State& state = config.state;
    if (state.type == StateType::pattern) return pattern_spinors(state.pattern, spins);
    if (state.type == StateType::product) return direction_spinors(state, spins);
    std::vector<Spinor> spinors(static_cast<std::size_t>(spins), state.type == StateType::flipped ? down : up);
    switch (state.type) {
        case StateType::up: break;
        case StateType::neel:
            for (std::size_t j = 0; j < spinors.size(); j += 2) spinors[j] = down;
            break;
        case StateType::flipped: spinors[static_cast<std::size_t>(state.spin)] = up; break;
        case StateType::domain_wall:
            for (std::size_t j = spinors.size() / 2; j < spinors.size(); ++j) spinors[j] = down;
            break;
        default: throw Error(ExitCode::internal, "This state is no product of spins.");
    }
    return spinors;
}

InitialState::InitialState(const TrotterConfig& config, int spins, std::uint64_t sample)
    : type_(config.state.type), spins_(spins), seed_(config.seed), sample_(sample), polarised_(config.state.spin) {
    const bool one_spin = type_ == StateType::flipped || type_ == StateType::polarised_random;
    if (one_spin && polarised_ >= spins)
        throw Error(ExitCode::bad_input, "state.spin = " + std::to_string(polarised_) +
                                             " is no spin of the system; spins are numbered from 0 to " +
                                             std::to_string(spins - 1) + ".");
    if (type_ == StateType::random || type_ == StateType::polarised_random) return;
    if (type_ == StateType::file) {
        listed_ = read_amplitudes(config.state.file, spins);
        return;
    }
    const std::vector<Spinor> spinors = product_spinors(config, spins);
    const auto lower = static_cast<std::size_t>(spins / 2);
    low_ = kronecker(std::span(spinors).first(lower));
    high_ = kronecker(std::span(spinors).subspan(lower));
}

void InitialState::fill(std::uint64_t first, std::span<Complex> amplitudes) const {
    switch (type_) {
        case StateType::random:
        case StateType::polarised_random: return fill_random(first, amplitudes);
        case StateType::file:
            std::ranges::copy(std::span(listed_).subspan(first, amplitudes.size()), amplitudes.begin());
            return;
        default: return fill_product(first, amplitudes);
    }
}

void InitialState::fill_product(std::uint64_t first, std::span<Complex> amplitudes) const {
    for (std::size_t done = 0; done < amplitudes.size();) {
        const std::uint64_t index = first + done, from = index % low_.size();
        const std::size_t count = std::min<std::uint64_t>(amplitudes.size() - done, low_.size() - from);
        const double re = high_[index / low_.size()].real(), im = high_[index / low_.size()].imag();
        for (std::size_t i = 0; i < count; ++i) {  // written out: the product of std::complex also handles infinities
            const Complex low = low_[from + i];
            amplitudes[done + i] = {low.real() * re - low.imag() * im, low.real() * im + low.imag() * re};
        }
        done += count;
    }
}

void InitialState::fill_random(std::uint64_t first, std::span<Complex> amplitudes) const {
    const RandomState state = {seed_, static_cast<std::uint32_t>(sample_),
                               static_cast<std::uint32_t>(RandomPurpose::trotter_state), spins_,
                               type_ == StateType::polarised_random ? polarised_ : -1};
    pass_variants<double>().front().fill_random(state, first, amplitudes.size(),
                                                reinterpret_cast<double*>(amplitudes.data()));
}

}  // namespace strata::trotter
