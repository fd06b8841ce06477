// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/hamiltonian.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

/// Directed hops, the amplitudes of double edges added up.
std::map<std::pair<int, int>, Complex> directed_hops(const Lattice& lattice) {
    std::map<std::pair<int, int>, Complex> hops;  // (to, from)
    for (const Edge& e : lattice.edges) {
        hops[{e.to, e.from}] -= e.amplitude;
        hops[{e.from, e.to}] -= std::conj(e.amplitude);
    }
    std::erase_if(hops, [](const auto& hop) { return hop.second == Complex(0); });
    return hops;
}

/// Sign of moving a particle between two sites past those in between.
bool odd_between(std::uint64_t string, int a, int b) {
    const int low = std::min(a, b), high = std::max(a, b);
    const std::uint64_t between = (std::uint64_t{1} << high) - (std::uint64_t{2} << low);
    return __builtin_popcountll(string & between) % 2 == 1;
}

}  // namespace

bool Model::real() const {
    return std::ranges::all_of(directed_hops(lattice), [](const auto& hop) { return hop.second.imag() == 0; });
}

SpeciesTable::SpeciesTable(const Model& model, int particles) : basis_(model.lattice.sites, particles) {
    if (basis_.count() >= std::uint64_t{1} << (32 - amplitude_bits))
        throw Error(ExitCode::does_not_fit, std::to_string(particles) + " particles of one species have " +
                                                std::to_string(basis_.count()) +
                                                " states; 2^26 is the most that hops are listed for.");
    const auto hops = directed_hops(model.lattice);
    const std::uint64_t one = 1;
    std::vector<std::uint32_t> complex_entries;
    std::uint64_t string = particles == 64 ? ~std::uint64_t{0} : (one << particles) - 1;
    for (std::uint64_t row = 0; row < basis_.count(); ++row, string = Combinations::next(string)) {
        first_.push_back(entries_.size());
        sites_.push_back(string);
        for (const auto& [sites, amplitude] : hops) {
            const auto [to, from] = sites;  // this row is reached from the string with the particle on `from`
            if ((string >> to & 1) == 0 || (string >> from & 1) == 1) continue;
            const std::uint64_t before = string ^ (one << to) ^ (one << from);
            const Complex signed_amplitude = odd_between(string, to, from) ? -amplitude : amplitude;
            const std::uint32_t entry =
                static_cast<std::uint32_t>(basis_.number(before)) << amplitude_bits | amplitude_class(signed_amplitude);
            (amplitude.imag() == 0 ? entries_ : complex_entries).push_back(entry);
        }
        complex_.push_back(entries_.size());
        entries_.insert(entries_.end(), complex_entries.begin(), complex_entries.end());
        complex_entries.clear();
        double energy = 0;
        for (int i = 0; i < model.lattice.sites; ++i)
            if (string >> i & 1) energy += model.epsilon[static_cast<std::size_t>(i)];
        for (const Edge& e : model.lattice.edges)
            if (e.neighbours && (string >> e.from & 1) && (string >> e.to & 1)) energy += model.v;
        diagonal_.push_back(energy);
    }
    first_.push_back(entries_.size());
}

std::uint32_t SpeciesTable::amplitude_class(Complex amplitude) {
    std::uint32_t c = 0;
    while (c < re_.size() && (re_[c] != amplitude.real() || im_[c] != amplitude.imag())) ++c;
    if (c == most_amplitudes)
        throw Error(ExitCode::bad_input, "The hops have more than " + std::to_string(most_amplitudes) +
                                             " different amplitudes, signs counted apart.");
    if (c == re_.size()) {
        re_.push_back(amplitude.real());
        im_.push_back(amplitude.imag());
    }
    return c;
}

SpeciesView SpeciesTable::view() const {
    return {basis_.count(), first_.data(), complex_.data(),  entries_.data(),
            re_.data(),     im_.data(),    diagonal_.data(), sites_.data()};
}

std::uint64_t SpeciesTable::bytes() const { return 32 * basis_.count() + 4 * entries_.size(); }

std::vector<double> coupling(const Model& model) {
    const auto sites = static_cast<std::size_t>(model.lattice.sites);
    std::vector<double> energy(sites * sites, 0);
    for (std::size_t i = 0; i < sites; ++i) energy[i * sites + i] = model.u[i];
    for (const Edge& e : model.lattice.edges) {
        if (!e.neighbours) continue;
        energy[static_cast<std::size_t>(e.from) * sites + static_cast<std::size_t>(e.to)] += model.v;
        energy[static_cast<std::size_t>(e.to) * sites + static_cast<std::size_t>(e.from)] += model.v;
    }
    const bool none = std::ranges::all_of(energy, [](double e) { return e == 0; });
    return none ? std::vector<double>() : energy;
}

double mean_diagonal(const Model& model, int up, int down) {
    const double n = model.lattice.sites, pairs = n > 1 ? n * (n - 1) : 1;
    double mean = 0;
    for (double e : model.epsilon) mean += e * (up + down) / n;
    for (double e : coupling(model)) mean += e * up / n * down / n;
    for (const Edge& e : model.lattice.edges)
        if (e.neighbours) mean += model.v * (up * (up - 1.0) + down * (down - 1.0)) / pairs;
    return mean;
}

}  // namespace strata::lanczos
