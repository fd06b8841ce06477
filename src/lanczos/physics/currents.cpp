// SPDX-License-Identifier: BSD-3-Clause
// Terms of edges stay edges, with other amplitudes, so that they serve sectors of symmetries as those of H do.
#include "lanczos/physics/currents.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "lanczos/physics/make_model.hpp"
#include "lanczos/physics/symmetries.hpp"
#include "models/model.hpp"
#include "models/operator_text.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

/// The sites, their positions, and the direction of a job.
struct Places {
    LatticeModel from;
    Geometry geometry;
    Vector3 direction;

    explicit Places(const LanczosConfig& c)
        : from(make_lattice_model(c)), geometry(positions(c, from.lattice)), direction(c.spectrum.direction) {}

    static Geometry positions(const LanczosConfig& c, const Lattice& lattice) {
        if (auto geometry = geometry_of(c.lattice, lattice)) return *std::move(geometry);
        const bool cells = lattice.positions_unknown();
        throw Error(ExitCode::bad_input,
                    std::string("spectrum.operator = current needs positions of the sites, which ") +
                        (cells ? "lattice.cell-positions gives."
                         : c.lattice.type == "none"
                             ? "model.type = terms does not have; add model.terms to a model on a lattice."
                             : "lattice.type = " + c.lattice.type +
                                   " does not have; take observable, with the current in [observables]."));
    }
    double along(const Vector3& r) const { return r[0] * direction[0] + r[1] * direction[1] + r[2] * direction[2]; }
    /// Mean of a power of `charge` times the distance along the direction, over the nearest images.
    double moment(int start, int end, double charge, HopMoment power) const {
        double sum = 0;
        const auto images = geometry.displacements(static_cast<std::size_t>(start), static_cast<std::size_t>(end));
        for (const Vector3& r : images) sum += std::pow(charge * along(r), static_cast<int>(power));
        return sum / static_cast<double>(images.size());
    }
    double moment(std::size_t edge, HopMoment power) const {
        const Edge& e = from.lattice.edges[edge];
        if (edge >= from.lattice.displacements.size()) return moment(e.from, e.to, 1, power);
        return std::pow(along(from.lattice.displacements[edge]), static_cast<int>(power));
    }
};

/// -i delta or delta^2.
Complex factor_of(double moment, HopMoment power) {
    return power == HopMoment::current ? Complex(0, -moment) : Complex(moment);
}

/// [site]: change of its number of particles.
std::map<int, int> moved_by(const OperatorProduct& product) {
    std::map<int, int> change;
    for (const ModeOperator& o : product)
        if (!is_diagonal(o.local)) change[o.site] += o.local == Local::raise ? 1 : -1;
    std::erase_if(change, [](const auto& site) { return site.second == 0; });
    return change;
}

/// The terms beside those of edges that move particles between two sites.
OperatorSum moments_of_others(const Places& places, HopMoment power) {
    OperatorSum sum(places.from.others.kind());
    for (const auto& [product, coefficient] : places.from.others.terms()) {
        const std::map<int, int> change = moved_by(product);
        if (change.empty()) continue;
        const auto [first, second] = std::pair(*change.begin(), *change.rbegin());
        if (change.size() != 2 || first.second != -second.second)
            throw Error(ExitCode::bad_input,
                        "spectrum.operator = current is known for terms that move particles between two sites; " +
                            text_of(product, places.from.others.kind()) +
                            " does not. Take observable, with the current in [observables].");
        const double moment = places.moment(first.first, second.first, second.second, power);
        if (moment != 0) sum += OperatorSum::product(sum.kind(), product, coefficient * factor_of(moment, power));
    }
    return sum;
}

/// The hop of an edge in both directions, for both spins.
OperatorSum hops_of_edge(const Edge& e) {
    constexpr SiteKind kind = SiteKind::electrons;
    OperatorSum sum(kind);
    for (const auto& [raise, lower] : {std::pair("cdag_up", "c_up"), {"cdag_dn", "c_dn"}}) {
        OperatorSum hop = site_operator(kind, raise, e.to) * site_operator(kind, lower, e.from);
        hop *= -e.amplitude;
        sum += hop.conjugate();
        sum += hop;
    }
    return sum;
}

/// The image of every site under an element of a group, which permutes bits.
std::vector<int> image_of_sites(const SymmetryGroup& group, std::uint32_t g, int bits) {
    std::vector<int> image;
    for (int bit = 0; bit < group.sites(); bit += bits)
        image.push_back(group.image(g)[static_cast<std::size_t>(bit)] / bits);
    return image;
}

/// Whether a permutation of the sites leaves a model of hops as it is.
bool is_invariant(const Model& model, const std::vector<int>& image) {
    const auto hops = model.hops();
    double largest = 0;  // amplitude of an edge; those of a pair that is joined more than once may cancel
    for (const Edge& e : model.lattice.edges) largest = std::max(largest, std::abs(e.amplitude));
    for (const auto& [sites, amplitude] : hops) {
        const auto at = [&](int site) { return image[static_cast<std::size_t>(site)]; };
        const auto moved = hops.find({at(sites.first), at(sites.second)});
        if (std::abs((moved == hops.end() ? Complex(0) : moved->second) - amplitude) > 1e-10 * largest) return false;
    }
    return are_equal(model.others, model.others.permuted(image));
}

}  // namespace

Model hop_moment(const LanczosConfig& c, const Model& model, HopMoment power) {
    const Places places(c);
    OperatorSum sum = moments_of_others(places, power);
    Model m = model_of(model, {});
    for (std::size_t i = 0; i < places.from.lattice.edges.size(); ++i) {
        Edge e = places.from.lattice.edges[i];
        e.amplitude *= factor_of(places.moment(i, power), power);
        e.weight = 0;
        if (e.amplitude == Complex(0)) continue;
        if (model.codes.coded())
            sum += hops_of_edge(e);
        else
            m.lattice.edges.push_back(e);
    }
    m.others = model.codes.coded() ? between_codes(sum, model.codes) : sum;
    return m;
}

std::string without_current(const LanczosConfig& c, const Model& model) {
    if (c.conserved != Conserved::numbers && c.conserved != Conserved::particles)
        return "spectrum.operator = current needs an H that conserves the number of particles.";
    const Model kinetic = hop_moment(c, model, HopMoment::kinetic);
    if (kinetic.lattice.edges.empty() && kinetic.others.empty())
        return "spectrum.direction: no term of H moves particles along this direction; take another one.";
    const auto group = make_symmetry_group(c.symmetry, model);
    if (group == nullptr) return {};
    if (c.symmetry.complements())
        return "spectrum.operator = current is not possible in this sector: holes carry the opposite current, which "
               "leads to another sector. Leave " +
               keys_of_further(c.symmetry) + " out.";
    const Model current = hop_moment(c, model, HopMoment::current);
    for (std::uint32_t g = 0; g < group->order(); ++g)
        if (!is_invariant(current, image_of_sites(*group, g, model.codes.bits)))
            return "spectrum.operator = current is not possible in this sector: a point operation changes the current, "
                   "which leads to another sector. Leave sector.parity, sector.rotation and sector.reflection out; "
                   "sector.momentum may stay.";
    return {};
}

bool has_open_ends(const LanczosConfig& c) {
    const std::string& type = c.lattice.type == "all" ? c.lattice.geometry : c.lattice.type;
    return type == "chain" || type == "ladder" || type == "positions" ||
           (type == "cylinder" && c.spectrum.direction[1] == 0);
}

}  // namespace strata::lanczos
