// SPDX-License-Identifier: BSD-3-Clause
// Parts shared by host and device: segments of the vectors, blocks in host memory, and the description of checkpoints.
#include "lanczos/state/hamiltonian_operator.hpp"

#include <algorithm>
#include <cmath>

namespace strata::lanczos {
namespace {

/// Adds to an array the group and the rules by which a reader of the file unfolds a vector of a sector of symmetries,
/// of which only representatives are stored.
void describe_symmetries(const Sector& sector, DistributedArray& array) {
    const SymmetryGroup& group = *sector.symmetric()->group;
    array.meaning =
        "A vector in a sector of lattice symmetries, Psi(T_g u, T_g d) = chi(g) Psi(u, d) for bit strings u (up) and d "
        "(down). Element g of the group moves a particle from site i to site images[g * sites + i], empties occupied "
        "sites and fills empty ones where inverts_spins[g] is 1, and has chi(g) = exp(2 pi i turn[g] / turns). T_g of "
        "fermions includes the sign of ordering their operators again by site. A row of this array is a block of 16 "
        "representatives u, the smallest bit strings of their orbits in ascending order: [panel][u][h][o]. Where there "
        "is a list bit_of_site, strings are compared with site i as bit bit_of_site[i]. With two "
        "spin components a panel holds the images T_h o under all elements h of as many representatives o of down bit "
        "strings as fill 32 bytes, padded with zeros; with one it holds one number. A number is Psi "
        "sqrt(|G| / (|S_u| |S_o|)), S the elements that leave a representative unchanged.";
    array.facts.push_back({"symmetries", static_cast<double>(group.order())});
    array.facts.push_back({"turns", static_cast<double>(group.turns())});
    std::vector<std::int64_t> images, turn, inverts;
    for (std::uint32_t g = 0; g < group.order(); ++g) {
        images.insert(images.end(), group.image(g).begin(), group.image(g).end());
        turn.push_back(group.turn(g));
        inverts.push_back(group.complements(g) ? 1 : 0);
    }
    array.lists = {{"images", std::move(images)}, {"turn", std::move(turn)}, {"inverts_spins", std::move(inverts)}};
    if (const std::vector<int>& signs = group.sublattice_signs(); !signs.empty()) {
        array.meaning +=
            " An element with inverts_spins exchanges particles and holes, T_g c_i T_g^-1 = sublattice_signs[j] c+_j: "
            "the string whose particles it has moved has the sign sublattice_signs[j] (-1)^j for each occupied site j.";
        array.lists.push_back({"sublattice_signs", {signs.begin(), signs.end()}});
    }
    if (sector.symmetric()->one_component) {
        const std::vector<int>& order = sector.bit_of_site();
        array.lists.push_back({"bit_of_site", {order.begin(), order.end()}});
    }
}

}  // namespace

HamiltonianOperator::HamiltonianOperator(const Communicator& comm, const LanczosPlan& plan, Sharing sharing,
                                         PanelTranspose transpose, Timers& timers)
    : HermitianOperator(comm), plan_(plan), timers_(timers), rows_(comm, plan, sharing, transpose) {}

krylov::SpaceLayout HamiltonianOperator::space_layout() const {
    krylov::SpaceLayout space;
    space.arithmetic = plan_.arithmetic();
    for (const SubspaceRows& subspace : rows_.subspaces()) {
        const BlockLayout& l = subspace.layout;
        space.arrays.push_back({l.tiles(), l.tile()});
        space.all_segments += l.all_blocks() * l.panels();
    }
    return space;
}

/// A small fraction of the sum of the sizes of all terms, which the width of a spectrum exceeds unless terms cancel.
double HamiltonianOperator::least_scale() const {
    return 1e-4 *
           std::max(std::abs(sector().lower_bound() - constant()), std::abs(sector().upper_bound() - constant()));
}

HamiltonianOperator::Blocks HamiltonianOperator::blocks(const DistributedVector& x, std::size_t subspace) const {
    if (const double* in_place = space().in_place(x, subspace)) return Blocks(in_place);
    Buffer<double> copy(rows_.subspaces()[subspace].layout.size());
    space().get(x, subspace, {0, copy.size()}, copy.data());
    return Blocks(std::move(copy));
}

void HamiltonianOperator::set_blocks(DistributedVector& x, std::size_t subspace, const double* from) const {
    space().set(x, subspace, {0, rows_.subspaces()[subspace].layout.size()}, from);
    space().restrict(x);
    finish();
}

void HamiltonianOperator::add_state(const std::string& name, DistributedVector& x,
                                    std::vector<DistributedArray>& arrays) {
    for (std::size_t p = 0; p < rows_.subspaces().size(); ++p) {
        arrays.push_back(state_array(name, p));
        space().connect(arrays.back(), x, p);
    }
}

DistributedArray HamiltonianOperator::state_array(const std::string& name, std::size_t subspace) const {
    const BlockLayout& l = rows_.subspaces()[subspace].layout;
    const bool complex = l.reals() == 2, single = space().precision() == krylov::Precision::single;
    const ElementType real_type = single ? ElementType::f32 : ElementType::f64,
                      complex_type = single ? ElementType::c64 : ElementType::c128;
    DistributedArray array;
    array.shape = {name + (rows_.subspaces().size() == 1 ? "" : "-" + std::to_string(subspace)),
                   complex ? complex_type : real_type, l.all_blocks(), l.block_size() / l.reals()};
    array.rows = l.blocks;
    array.meaning =
        "A vector over pairs of up and down occupation bit strings. A row of this array is a block of 16 up bit "
        "strings, [panel][up][number]; a panel holds 32 numbers (16 complex ones) of consecutive down bit strings, "
        "padded with zeros. Bit strings are numbered in numerical order; bit i of an up bit string is site "
        "up_first + i, of a down bit string site i.";
    const Subspace& basis = sector().subspaces()[subspace];
    const auto particles_in = [](const BitStrings& strings) {
        return strings.kind() == BitStrings::Kind::number ? static_cast<double>(strings.particles()) : -1;
    };
    // of bit strings without a number: 0 or 1 for their parity, -1 for all
    const auto parity_of = [](const BitStrings& strings) {
        return strings.kind() == BitStrings::Kind::parity ? static_cast<double>(strings.value()) : -1;
    };
    const double up_first = sector().model().spin_components == 2 ? 0 : sector().down_sites();
    array.facts = {{"dim_up", static_cast<double>(l.dim_up)},
                   {"dim_down", static_cast<double>(l.dim_down)},
                   {"complex", complex ? 1.0 : 0.0},
                   {"bytes_per_number", single ? sizeof(float) : sizeof(double)},
                   {"fermions", sector().model().statistics() == Statistics::fermions ? 1.0 : 0.0},
                   {"up_first", up_first},
                   {"up_sites", static_cast<double>(sector().up_sites())},
                   {"up_particles", particles_in(basis.up.basis())},
                   {"down_sites", static_cast<double>(sector().down_sites())},
                   {"down_particles", particles_in(basis.down.basis())}};
    if (const SiteCodes& codes = sector().model().codes; codes.coded()) {
        array.meaning +=
            " A site takes bits_per_site of them, bits_per_site * site + b, and has one of the patterns in codes; "
            "charges of the strings are not given.";
        array.facts.push_back({"bits_per_site", static_cast<double>(codes.bits)});
        array.lists = {{"codes", {codes.codes.begin(), codes.codes.end()}}};
    }
    if (basis.up.basis().kind() != BitStrings::Kind::number) {
        array.facts.push_back({"up_parity", parity_of(basis.up.basis())});
        array.facts.push_back({"down_parity", parity_of(basis.down.basis())});
    }
    if (sector().symmetric()) describe_symmetries(sector(), array);
    return array;
}

}  // namespace strata::lanczos
