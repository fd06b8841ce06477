// SPDX-License-Identifier: BSD-3-Clause
// Random fields are functions of seed and site, the same in every application.
#include "models/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "models/patterns.hpp"
#include "strata/error.hpp"
#include "strata/random_purpose.hpp"
#include "strata/rng.hpp"

namespace strata {
namespace {

constexpr int max_sites_of_pairs = 1000;  // largest number of sites where all pairs interact

/// Whether the application declares the key and it has a value.
bool has_value(const Config& config, const char* key) { return config.has(key) && !config.value(key).text.empty(); }

double real_or(const Config& config, const char* key, double otherwise) {
    return has_value(config, key) ? config.real(key) : otherwise;
}

std::vector<double> reals_or(const Config& config, const char* key, std::vector<double> otherwise) {
    return has_value(config, key) ? config.reals(key) : otherwise;
}

std::string text_or(const Config& config, const char* key, const char* otherwise) {
    return has_value(config, key) ? config.text(key) : otherwise;
}

NamedText file_or_none(const Config& config, const char* key) {
    return config.has(key) ? NamedText{config.text(key), config.content(key)} : NamedText{};
}

/// J^x, J^y, J^z of nearest neighbours.
Vector3 couplings(const Config& config, ModelType type) {
    const double j = real_or(config, "model.j", 1);
    switch (type) {
        case ModelType::t_j: return {j, j, j};
        case ModelType::heisenberg:
        case ModelType::xxz: return {j, j, real_or(config, "model.jz", j)};
        case ModelType::xyz:
            return {real_or(config, "model.jx", 0), real_or(config, "model.jy", 0), real_or(config, "model.jz", 0)};
        case ModelType::xx: return {j, j, 0};
        case ModelType::ising: return {0, 0, real_or(config, "model.jz", 0)};
        case ModelType::dipolar: return {-j, -j, 2 * j};
        case ModelType::double_quantum: return {j, -j, 0};
        default: return {0, 0, 0};
    }
}

/// J2 has the anisotropy of J.
Vector3 second_couplings(const Config& config, const Vector3& first) {
    const double j2 = real_or(config, "model.j2", 0);
    if (j2 == 0) return {0, 0, 0};
    const double j2z = first[2] == first[0] ? j2 : first[2] / first[0] * j2;
    if (!std::isfinite(j2z))
        refuse(config.cite("model.j2") + " has the anisotropy Jz / J of the neighbours, and " + config.cite("model.j") +
               " is too small for it; give model.j another value, or model.jz the same.");
    return {j2, j2, j2z};
}

LatticeSpec resolve_lattice(const Config& config, const ModelConfig& model, const ModelLimits& limits) {
    LatticeSpec spec;
    spec.type = config.text("lattice.type");
    spec.extents = config.integers("lattice.extents");
    spec.cell_bonds = text_or(config, "lattice.cell-bonds", "");
    spec.cell_positions = text_or(config, "lattice.cell-positions", "");
    spec.file = file_or_none(config, "lattice.file");
    spec.geometry = text_or(config, "lattice.geometry", "chain");
    spec.positions = file_or_none(config, "lattice.positions");
    const bool dipolar = model.model == ModelType::dipolar;
    spec.law = {dipolar ? 3 : real_or(config, "model.range", 0), dipolar, {0, 0, 1}};
    if (dipolar) {
        const std::vector<double> direction = config.reals("model.direction");
        if (direction.size() != 3 || std::ranges::count(direction, 0.0) == 3)
            refuse(config.cite("model.direction") + " must be a vector x,y,z that is not zero.");
        std::ranges::copy(direction, spec.law.direction.begin());
        if (spec.type != "all")
            refuse(config.cite("model.type") + " couples every pair by its distance; it needs lattice.type = all.");
    }
    spec.amplitudes = limits.amplitudes;
    spec.max_sites = spec.type == "all" ? std::min(limits.max_sites, max_sites_of_pairs) : limits.max_sites;
    const bool alone = model.model == ModelType::terms;
    if (spec.type == "none" && !alone)
        refuse(config.cite("lattice.type") +
               " belongs to model.type = terms, whose terms name their sites; take ring, "
               "chain or another lattice.");
    if ((alone && (spec.type == "none" || !config.given("lattice.type"))) ||
        (spec.type.empty() && model.terms.sites > 0)) {
        spec.type = "none";
        spec.sites = model.terms.sites;
    }
    if (model.spins()) {
        spec.t = {1, 0, 0};  // spins have none of the checkerboard's hops within a sublattice, which flatten its band
        spec.default_weight = DefaultWeight::amplitude;
        if (model.second_coupling != Vector3{}) spec.second = {1, 1};
    } else {
        spec.t = reals_or(config, "model.t", {1});
        spec.phase = real_or(config, "model.phase", 0) * std::numbers::pi;
        spec.second = {real_or(config, "model.t2", 0), 0};
    }
    spec.flux = reals_or(config, "model.flux", {});
    return spec;
}

/// The terms of model.terms, those of patterns one by one.
std::vector<Item> listed_terms(const Config& config, const ModelConfig& model, const ModelLimits& limits) {
    const std::vector<Item> lines = lines_of(file_or_none(config, "model.terms"));
    return have_patterns(lines) ? all_terms(lines, PatternLattice(resolve_lattice(config, model, limits))) : lines;
}

/// The terms of model.terms, which are empty where it is not given.
TermSums resolve_terms(const Config& config, const ModelConfig& model, const ModelLimits& limits) {
    const bool alone = model.model == ModelType::terms;
    if (!has_value(config, "model.terms")) {
        if (alone) refuse(config.cite("model.type") + " reads them from a file: give model.terms = FILE.");
        return {};
    }
    TermSums terms = read_terms(listed_terms(config, model, limits), alone ? std::nullopt : std::optional(model.kind()),
                                {limits.max_sites, limits.max_energy, model.twice_spin}, limits.terms);
    if (terms.sites == 0) refuse(config.cite("model.terms") + " holds no term.");
    for (const Edge& e : terms.edges)
        if (limits.term_amplitudes == Amplitudes::real && e.amplitude.imag() != 0)
            refuse(config.cite("model.terms") + ": the amplitude between sites " + std::to_string(e.to) + " and " +
                   std::to_string(e.from) + " is complex, and this application takes real ones.");
    return terms;
}

/// Whether a key names the number of sites: it has one value per site, or one position per site of a cell.
bool names_sites(const ModelConfig& model, int sites) {
    const auto per_site = [&](const std::vector<double>& values) {
        return values.size() > 1 && values.size() == static_cast<std::size_t>(sites);
    };
    return per_site(model.u) || per_site(model.potential) || std::ranges::any_of(model.field, per_site) ||
           (model.lattice.type == "custom" && !model.lattice.cell_positions.empty());
}

/// Numbers as text, the first few of many.
std::string list_text(const std::vector<int>& numbers) {
    constexpr std::size_t most = 6;
    std::string text;
    for (std::size_t i = 0; i < std::min(numbers.size(), most); ++i)
        text += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
    return text + (numbers.size() > most ? ", ..." : "");
}

/// Sites that neither an edge nor a term names, if only with a factor of 0; none where another key names their number.
std::vector<int> idle_sites(const Config& config, const ModelConfig& model, const ModelLimits& limits,
                            const Lattice& lattice) {
    std::vector<int> idle;
    if (names_sites(model, lattice.sites)) return idle;
    std::vector<bool> named(static_cast<std::size_t>(lattice.sites));
    for (const Edge& e : lattice.edges)
        for (const int site : {e.from, e.to}) named[static_cast<std::size_t>(site)] = true;
    for (const Item& term : listed_terms(config, model, limits))
        for (std::size_t word = 2; word < term.words.size(); word += 2)
            named[static_cast<std::size_t>(term.index(word, lattice.sites, "site"))] = true;
    for (int site = 0; site < lattice.sites; ++site)
        if (!named[static_cast<std::size_t>(site)]) idle.push_back(site);
    return idle;
}

/// Refuses idle sites, which are there only because a larger number is named: whoever numbers sites from 1 would
/// otherwise solve a problem with one more site and other default numbers of particles. Lattices that the program
/// numbers itself are not concerned.
void require_named_sites(const Config& config, const ModelConfig& model, const ModelLimits& limits) {
    struct Listing {
        const char *type, *key, *entry, *without_effect, *rest;
    };
    static constexpr Listing listings[] = {
        {"file", "lattice.file", "edge", "amplitude and weight 0", " 0 0 0"},
        {"custom", "lattice.cell-bonds", "bond", "amplitude and weight 0", " 0 0 0 0 0"},
        {"none", "model.terms", "term", "coefficient 0", ""}};
    const auto listing = std::ranges::find(listings, model.lattice.type, &Listing::type);
    if (listing == std::end(listings)) return;
    const Lattice lattice = make_lattice(model.lattice);
    const std::vector<int> idle = idle_sites(config, model, limits, lattice);
    if (idle.empty()) return;
    const int site = lattice.sublattice.empty() ? idle[0] : lattice.sublattice[static_cast<std::size_t>(idle[0])];
    const std::string number = std::to_string(site);
    const std::string named =
        model.lattice.type == "none" ? (model.spins() ? "0 Sz " : "0 n ") + number : number + (site == 0 ? " 1" : " 0");
    refuse((idle.size() == 1 ? "Site " : "Sites ") + list_text(idle) + " of " + std::to_string(lattice.sites) +
           (idle.size() == 1 ? " has no " : " have no ") + listing->entry + "; " + listing->key +
           (lattice.sublattice.empty() ? " numbers sites" : " numbers the sites of a cell") +
           " from 0. Where a site is to stand alone, name it with " + listing->without_effect + ", e.g. '" + named +
           listing->rest + "'.");
}

/// Adds the terms to a model that has its values per site and edge.
void add_terms(const ModelConfig& config, LatticeModel& model) {
    const TermSums& terms = config.terms;
    if (terms.sites > model.lattice.sites)
        refuse("model.terms names site " + std::to_string(terms.sites - 1) +
               "; the sites of the lattice are numbered from 0 to " + std::to_string(model.lattice.sites - 1) + ".");
    const auto add = [](std::vector<double>& to, const std::vector<double>& values) {
        for (std::size_t i = 0; i < values.size(); ++i) to[i] += values[i];
    };
    add(model.u, terms.u);
    add(model.potential, terms.potential);
    for (const Axis axis : all_axes) add(model.field[index_of(axis)], terms.field[index_of(axis)]);
    for (Edge& e : model.lattice.edges) e.weight *= config.v;
    model.v = 1;
    model.lattice.edges.insert(model.lattice.edges.end(), terms.edges.begin(), terms.edges.end());
    model.exchange.insert(model.exchange.end(), terms.exchange.begin(), terms.exchange.end());
    model.others += terms.others;
}

/// Values per site, from one for all sites or a list of one per site; other lengths are refused.
std::vector<double> per_site(const char* key, const std::vector<double>& values, int sites) {
    const auto count = static_cast<std::size_t>(sites);
    if (values.size() == 1) return std::vector<double>(count, values[0]);
    if (values.size() != count)
        refuse(std::string(key) + " has " + std::to_string(values.size()) + " values; give one for all sites or " +
               std::to_string(sites) + ", one per site.");
    return values;
}

/// Adds random fields, uniform in [-disorder, disorder), along the axis of the disorder.
void add_disorder(const ModelConfig& config, LatticeModel& model) {
    constexpr auto purpose = static_cast<std::uint32_t>(RandomPurpose::random_field);
    for (int site = 0; site < model.lattice.sites && config.disorder != 0; ++site) {
        const Philox4x32 words = philox(config.disorder_seed, {static_cast<std::uint32_t>(site), 0, 0, purpose});
        const std::uint64_t bits = std::uint64_t{words[1]} << 32 | words[0];
        const double number = std::ldexp(static_cast<double>(bits >> 11), -52) - 1;
        model.field[index_of(config.disorder_axis)][static_cast<std::size_t>(site)] += config.disorder * number;
    }
}

/// Refuses products of factors and couplings that are too large for a number.
void check_finite(const LatticeModel& model) {
    const auto finite = [](double value) { return std::isfinite(value); };
    for (std::size_t e = 0; e < model.lattice.edges.size(); ++e) {
        const Edge& edge = model.lattice.edges[e];
        if (!finite(edge.amplitude.real()) || !finite(edge.amplitude.imag()) || !finite(model.v * edge.weight) ||
            !std::ranges::all_of(model.exchange[e], finite))
            refuse("The bond of sites " + std::to_string(edge.from) + " and " + std::to_string(edge.to) +
                   " has an amplitude or weight that is too large; use smaller factors.");
    }
}

}  // namespace

ModelConfig resolve_model(const Config& config, const ModelLimits& limits) {
    ModelConfig m;
    m.model = chosen(config, "model.type", model_choices);
    const auto given = [&](const char* key) { return config.has(key) && config.given(key); };
    m.couples = (m.model != ModelType::xyz && m.model != ModelType::ising) || given("model.jx") || given("model.jy") ||
                given("model.jz");
    if (m.model == ModelType::xxz && !given("model.jz"))
        refuse(config.cite("model.type") + " is missing model.jz, e.g. model.jz = 0.5; heisenberg has Jz = J.");
    m.twice_spin = static_cast<int>(std::lround(2 * std::stod(text_or(config, "model.spin", "0.5"))));
    m.u = reals_or(config, "model.u", {0});
    m.potential = reals_or(config, "model.potential", {0});
    m.v = real_or(config, "model.v", 0);
    m.coupling = couplings(config, m.model);
    m.second_coupling = second_couplings(config, m.coupling);
    m.field = {reals_or(config, "model.field-x", {0}), reals_or(config, "model.field-y", {0}),
               reals_or(config, "model.field", {0})};
    m.anisotropy = real_or(config, "model.anisotropy", 0);
    m.disorder = real_or(config, "model.disorder", 0);
    if (has_value(config, "model.disorder-axis")) m.disorder_axis = chosen(config, "model.disorder-axis", axis_choices);
    m.disorder_seed = config.count("run.seed");
    m.terms = resolve_terms(config, m, limits);
    m.couples = m.couples || m.terms.sites > 0;
    if (m.model == ModelType::terms && !m.spins() && given("model.spin"))
        refuse(config.cite("model.spin") + " does not apply to the sites of model.terms, which are " +
               name_of(m.kind()) + "; leave it out.");
    m.lattice = resolve_lattice(config, m, limits);
    require_named_sites(config, m, limits);
    return m;
}

LatticeModel make_lattice_model(const ModelConfig& config) {
    LatticeModel m;
    m.lattice = make_lattice(config.lattice);
    if (config.model == ModelType::terms) {  // whose bonds are those of the terms
        m.lattice.edges.clear();
        m.lattice.double_edges = 0;
    }
    const int sites = m.lattice.sites;
    m.u = per_site("model.u", config.u, sites);
    m.potential = per_site("model.potential", config.potential, sites);
    const std::array<const char*, 3> keys = {"model.field-x", "model.field-y", "model.field"};
    for (const Axis axis : all_axes)
        m.field[index_of(axis)] = per_site(keys[index_of(axis)], config.field[index_of(axis)], sites);
    add_disorder(config, m);
    for (const Edge& e : m.lattice.edges) {
        const auto& [x, y, z] = config.coupling_of(e.shell);
        m.exchange.push_back({e.amplitude.real() * x, e.amplitude.real() * y, e.weight * z});
    }
    m.v = config.v;
    if (config.terms.sites > 0) add_terms(config, m);
    check_finite(m);
    return m;
}

std::vector<std::string> length_errors(const Config& config, int sites) {
    std::vector<std::string> errors;
    for (const char* key : {"model.u", "model.potential", "model.field", "model.field-x", "model.field-y"}) {
        if (!has_value(config, key)) continue;
        const std::size_t length = config.reals(key).size();
        if (length == 1 || length == static_cast<std::size_t>(sites)) continue;
        errors.push_back(config.cite(key) + " has " + std::to_string(length) + " values; give one for all sites or " +
                         std::to_string(sites) + ", one per site." +
                         (config.value(key).text.find(':') == std::string::npos
                              ? ""
                              : " A range gives values to sites; --scan." + std::string(key) + "=" +
                                    config.value(key).text + " makes a point of each value."));
    }
    const std::string& type = config.text("lattice.type");
    const LatticeType* row = lattice_type(type);
    const auto check_most = [&](const char* key, std::size_t most, const std::string& what) {
        const std::size_t length = has_value(config, key) ? config.reals(key).size() : 0;
        if (length > most)
            errors.push_back(config.cite(key) + " has " + std::to_string(length) + " values; lattice.type = " + type +
                             " has " + std::to_string(most) + " " + what + (most == 1 ? "." : "s."));
    };
    check_most("model.t", row == nullptr ? 1 : row->hoppings, "hopping amplitude");
    check_most("model.flux", row == nullptr ? 2 : row->directions, "direction");
    return errors;
}

void require_couplings(const ModelConfig& config) {
    if (config.couples) return;
    refuse(
        "The spins have no couplings: give model.jx, model.jy or model.jz (0 for none), or a model.type that has "
        "them, e.g. heisenberg." +
        std::string(config.lattice.type == "file" ? " Edges of lattice.file hold factors of them." : ""));
}

}  // namespace strata
