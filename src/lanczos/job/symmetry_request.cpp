// SPDX-License-Identifier: BSD-3-Clause
// Texts of symmetry keys and the requests that they become.
#include "lanczos/job/symmetry_request.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

namespace strata::lanczos {

std::string words_of_further(const SymmetryRequest& request) {
    return request.spin_inversion != Parity::any  ? "a spin inversion"
           : request.particle_hole != Parity::any ? "an exchange of particles and holes"
                                                  : "point operations";
}

std::string keys_of_further(const SymmetryRequest& request) {
    return request.spin_inversion != Parity::any  ? "sector.spin-inversion"
           : request.particle_hole != Parity::any ? "sector.particle-hole"
                                                  : "sector.parity, sector.rotation and sector.reflection";
}

std::optional<SymmetryRequest> parse_momentum(const std::string& text) {
    if (text.empty()) return SymmetryRequest{};
    if (text == "all") return SymmetryRequest{Momenta::all};
    if (text == "auto") return SymmetryRequest{Momenta::automatic};
    std::string words = text;
    std::ranges::replace(words, ',', ' ');
    std::istringstream numbers(words);
    SymmetryRequest request{Momenta::one};
    for (std::int64_t m = 0; numbers >> m;) request.momentum.push_back(m);
    constexpr std::int64_t largest = 1000;
    const bool valid = numbers.eof() && !request.momentum.empty() && request.momentum.size() <= 2 &&
                       std::ranges::all_of(request.momentum, [](auto m) { return m >= -largest && m <= largest; });
    return valid ? std::optional(request) : std::nullopt;
}

std::optional<Rotation> parse_rotation(const std::string& text) {
    if (text.empty()) return Rotation{};
    std::istringstream words(text);
    Rotation r;
    char slash = 0;
    words >> r.number >> slash >> r.order;
    const bool valid = words && words.peek() == std::istringstream::traits_type::eof() && slash == '/' &&
                       std::ranges::count(std::array{2, 3, 4, 6}, r.order) == 1 && std::abs(r.number) < r.order;
    if (!valid) return {};
    r.number = (r.number + r.order) % r.order;
    return r;
}

}  // namespace strata::lanczos
