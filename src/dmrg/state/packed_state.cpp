// SPDX-License-Identifier: BSD-3-Clause
// Sectors as numbers: their count, then (up, down, states) of each; the parity is bit 32 of `up`.
#include "dmrg/state/packed_state.hpp"

#include <algorithm>

#include "strata/error.hpp"

namespace strata::dmrg {
namespace {

constexpr int parity_bit = 32;

std::string tensor_name(std::size_t site) { return "tensor-" + std::to_string(site); }

/// The number of spins up and the parity as one number.
std::int64_t packed_up(const Charge& q) { return q.up | static_cast<std::int64_t>(q.parity) << parity_bit; }

void pack_sectors(const Sectors& sectors, std::vector<std::uint64_t>& to) {
    to.push_back(sectors.size());
    for (std::size_t i = 0; i < sectors.size(); ++i) {
        to.push_back(static_cast<std::uint64_t>(packed_up(sectors.charges[i])));
        to.push_back(static_cast<std::uint64_t>(sectors.charges[i].down));
        to.push_back(sectors.states[i]);
    }
}

Sectors unpack_sectors(const std::vector<std::uint64_t>& from, std::size_t& at) {
    Sectors sectors;
    const auto next = [&]() -> std::uint64_t {
        if (at >= from.size()) throw Error(ExitCode::file, "The checkpoint's list of sectors is too short.");
        return from[at++];
    };
    const std::uint64_t count = next();
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t first = next();
        const auto up = static_cast<int>(first & ((std::uint64_t{1} << parity_bit) - 1));
        const auto down = static_cast<int>(next());
        sectors.charges.push_back({up, down, static_cast<int>(first >> parity_bit & 1)});
        sectors.states.push_back(next());
    }
    return sectors;
}

std::vector<double> packed_elements(const SiteTensor& tensor) {
    std::size_t elements = 0;
    for (const Matrix& m : tensor.matrices) elements += m.elements.size();
    std::vector<double> all;
    all.reserve(elements);
    for (const Matrix& m : tensor.matrices) all.insert(all.end(), m.elements.begin(), m.elements.end());
    return all;
}

void unpack_elements(const std::vector<double>& elements, int site, SiteTensor& tensor) {
    const double* from = elements.data();
    const double* end = from + elements.size();
    for (Matrix& m : tensor.matrices) {
        if (static_cast<std::size_t>(end - from) < m.elements.size())
            throw Error(ExitCode::file, "The checkpoint's tensor of site " + std::to_string(site) + " is too short.");
        std::copy_n(from, m.elements.size(), m.elements.begin());
        from += m.elements.size();
    }
}

}  // namespace

PackedState PackedState::of(const ChainState& chain) {
    PackedState state;
    for (const Sectors& bond : chain.bonds()) pack_sectors(bond, state.bonds);
    for (const SiteTensor& tensor : chain.tensors()) state.tensors.push_back(packed_elements(tensor));
    if (chain.is_complex()) state.imaginary = packed_elements(chain.imaginary());
    state.centre_bond = chain.centre();
    state.complex_tensor = chain.complex_site();
    return state;
}

void PackedState::add_to(std::vector<DistributedArray>& arrays, const std::string& prefix, const Model& model) {
    arrays.push_back(replicated_array(prefix + "bonds", ElementType::u64, bonds.data(), bonds.size()));
    arrays.back().meaning =
        "For every bond the number of its sectors, then charges up, down and the number of states of each.";
    arrays.back().facts = {{"centre", centre_bond}, {"complex_site", complex_tensor}};
    std::vector<std::int64_t> charges;  // up and down, with the parity as in `bonds`
    for (const Charge& q : model.charges) charges.insert(charges.end(), {packed_up(q), q.down});
    arrays.back().lists = {{"site_charges", charges}};
    for (std::size_t site = 0; site < tensors.size(); ++site) {
        arrays.push_back(
            replicated_array(prefix + tensor_name(site), ElementType::f64, tensors[site].data(), tensors[site].size()));
        arrays.back().meaning =
            "The tensor of a site: for every sector of its bond towards the centre a matrix, column by column; rows "
            "are product states of the other bond and the site.";
    }
    if (imaginary.empty()) return;
    arrays.push_back(replicated_array(prefix + "imaginary", ElementType::f64, imaginary.data(), imaginary.size()));
    arrays.back().meaning = "The imaginary part of the tensor at the centre that is not orthonormal.";
}

void PackedState::resize(std::size_t sites, const std::string& prefix, const ArrayShape& shape) {
    tensors.resize(sites);
    if (shape.name == prefix + "bonds") bonds.resize(shape.row_elements);
    if (shape.name == prefix + "imaginary") imaginary.resize(shape.row_elements);
    for (std::size_t site = 0; site < sites; ++site)
        if (shape.name == prefix + tensor_name(site)) tensors[site].resize(shape.row_elements);
}

void PackedState::unpack(int centre, ChainState& chain, int complex_site) const {
    std::vector<Sectors> of_bonds;
    std::size_t at = 0;
    for (std::size_t bond = 0; bond <= tensors.size(); ++bond) of_bonds.push_back(unpack_sectors(bonds, at));
    chain.set_shapes(centre, of_bonds);
    for (std::size_t site = 0; site < tensors.size(); ++site)
        unpack_elements(tensors[site], static_cast<int>(site), chain.tensor(static_cast<int>(site)));
    if (imaginary.empty()) return;
    chain.become_complex(complex_site);
    unpack_elements(imaginary, complex_site, chain.imaginary());
}

}  // namespace strata::dmrg
