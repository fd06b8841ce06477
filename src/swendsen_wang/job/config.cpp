// SPDX-License-Identifier: BSD-3-Clause
// The table of keys of Swendsen-Wang jobs, the conditions between several keys, and the resolved values.
#include "swendsen_wang/job/config.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <sstream>

#include "strata/formatted.hpp"

namespace strata::swendsen_wang {
namespace {

constexpr double max_sites = 9007199254740992.0;    // 2^53: counters of half tiles have 48 bits (counters.hpp)
constexpr double max_clusters = 281474976710656.0;  // 2^48: sweep numbers of these counters

/// Boundaries of a text: one for all axes, or one per axis, separated by commas; empty if it cannot be read.
std::vector<Boundary> read_boundaries(const std::string& text, std::size_t axes) {
    std::vector<Boundary> all;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        std::erase(word, ' ');
        const auto found = std::ranges::find(boundary_choices, word, &Choice<Boundary>::word);
        if (found == std::end(boundary_choices)) return {};
        all.push_back(found->value);
    }
    if (all.size() == 1) all.resize(axes, all[0]);
    if (all.size() != axes) return {};
    return all;
}

bool even(std::uint64_t extent) { return extent % 2 == 0; }

/// What the Potts model of more than two states cannot take.
void validate_potts(const Config& config, std::vector<std::string>& found) {
    const SwendsenWangConfig c = resolve_config(config);
    const char* reason = c.has_metropolis()  ? "run.update"
                         : c.coupling < 0    ? "model.coupling"
                         : c.opposite > 0    ? "model.opposite-bonds"
                         : c.field != 0      ? "model.field"
                         : c.ferromagnetic() ? nullptr
                                             : "lattice.boundaries";
    if (reason != nullptr)
        found.push_back(
            config.cite(reason) + " is for the Ising model; with model.states = " + std::to_string(c.states) +
            " give run.update = swendsen-wang or wolff, a positive model.coupling without opposite bonds, no "
            "field, and periodic or open boundaries.");
}

/// What single-spin updates in the order of a checkerboard cannot take.
void validate_metropolis(const Config& config, std::vector<std::string>& found) {
    const SwendsenWangConfig c = resolve_config(config);
    if (!c.bipartite())
        found.push_back(
            config.cite("lattice.extents") + ": run.update = " + config.text("run.update") +
            " updates the colours of a checkerboard in turn and needs even extents on all axes that are not "
            "open.");
    const std::string given = config.given("model.beta") ? "model.beta" : "model.temperature";
    if (!std::isfinite(c.beta))
        found.push_back(config.cite(given) + ": run.update = " + config.text("run.update") +
                        " needs a temperature above 0.");
}

/// What single clusters cannot take.
void validate_wolff(const Config& config, std::vector<std::string>& found) {
    if (config.real("model.field") != 0)
        found.push_back(config.cite("model.field") +
                        ": run.update = wolff has no field; give run.update = swendsen-wang, metropolis or mixed.");
    if (config.text("backend.device") == "cuda")
        found.push_back(config.cite("backend.device") +
                        ": run.update = wolff grows its clusters on the CPU; give backend.device = cpu or auto, or "
                        "run.update = swendsen-wang.");
    const double clusters =
        static_cast<double>(config.integer("run.clusters-per-sweep")) *
        (static_cast<double>(config.integer("run.sweeps")) + static_cast<double>(config.integer("run.thermalization")));
    if (clusters > max_clusters)
        found.push_back(config.cite("run.clusters-per-sweep") +
                        " makes more than 2^48 clusters in all sweeps, the largest possible number.");
}

/// The one key that gives the temperature or temperatures, and what parallel tempering cannot take.
void validate_temperature(const Config& config, std::vector<std::string>& found) {
    std::vector<std::string> given;
    for (const char* key : {"model.temperature", "model.beta", "run.tempering"})
        if (config.given(key)) given.push_back(config.cite(key));
    if (given.size() > 1) found.push_back(given[0] + " and " + given[1] + " exclude each other; keep one.");
    if (given.empty())
        found.push_back(
            "model.temperature or model.beta is missing: give one, e.g. model.temperature = 2.269185314213022.");
    if (!config.given("run.tempering")) {
        for (const auto& [key, asked] : {std::pair("run.exchange-every", config.given("run.exchange-every")),
                                         std::pair("run.overlap", config.boolean("run.overlap"))})
            if (asked)
                found.push_back(config.cite(key) + " is for parallel tempering; give run.tempering, e.g. 1:2:0.1.");
        return;
    }
    if (config.boolean("run.overlap") && config.integer("model.states") > 2)
        found.push_back(config.cite("run.overlap") + " is for the Ising model; with model.states = " +
                        std::to_string(config.integer("model.states")) + " give run.overlap = no.");
    const std::vector<double> temperatures = config.reals("run.tempering");
    if (temperatures.size() < 2 || temperatures.size() > max_temperatures ||
        std::ranges::adjacent_find(temperatures, std::greater_equal<>()) != temperatures.end())
        found.push_back(config.cite("run.tempering") + " must be 2 to " + std::to_string(max_temperatures) +
                        " temperatures in ascending order, e.g. 1:2:0.1.");
    if (config.has("scan.start") && config.text("scan.start") == "previous")
        found.push_back(config.cite("scan.start") +
                        " is for one temperature; the points of a scan of run.tempering all start alike.");
    for (const auto& [key, without] : {std::pair("run.thermalization", config.is_word("run.thermalization", "auto")),
                                       std::pair("run.target-error", config.real("run.target-error") > 0),
                                       std::pair("run.correlations", config.integer("run.correlations") > 0)})
        if (without)
            found.push_back(config.cite(key) + " is for one temperature; with run.tempering give " + key +
                            (std::string(key) == "run.thermalization" ? " a number of sweeps." : " = 0."));
}

}  // namespace

bool SwendsenWangConfig::periodic() const {
    return std::ranges::all_of(boundaries, [](Boundary b) { return b == Boundary::periodic; });
}

double SwendsenWangConfig::bonds_per_site() const {
    double bonds = 0;
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
        bonds += boundary(axis) == Boundary::open ? 1 - 1 / static_cast<double>(extents[axis]) : 1;
    return bonds;
}

bool SwendsenWangConfig::bipartite() const {
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
        if (!even(extents[axis]) && boundary(axis) != Boundary::open) return false;
    return true;
}

bool SwendsenWangConfig::ferromagnetic() const {
    return coupling > 0 && opposite == 0 && std::ranges::count(boundaries, Boundary::antiperiodic) == 0;
}

bool SwendsenWangConfig::twisted(std::size_t axis) const {
    const bool inverted = (coupling < 0) != (opposite == 1);
    return boundary(axis) != Boundary::open &&
           (boundary(axis) == Boundary::antiperiodic) != (inverted && !even(extents[axis]));
}

bool SwendsenWangConfig::frustrated() const {
    if (opposite > 0 && opposite < 1) return true;
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
        if (twisted(axis)) return true;
    return false;
}

Couplings SwendsenWangConfig::couplings() const {
    Couplings c;
    c.uniform = coupling > 0 && opposite == 0 && periodic();
    c.inverted = coupling < 0;
    std::ranges::copy(boundaries, c.boundary);
    c.opposite = threshold_of(opposite);
    c.seed = disorder_seed;
    return c;
}

GhostSpin SwendsenWangConfig::ghost() const {
    if (field == 0 || !flips_all_clusters()) return {};
    return {bond_probability(beta * std::abs(field)), field > 0};
}

MetropolisTable SwendsenWangConfig::metropolis() const {
    const auto open = static_cast<int>(std::ranges::count(boundaries, Boundary::open));
    return metropolis_table(static_cast<int>(extents.size()), open, reduced_coupling(), beta * field);
}

bool SwendsenWangConfig::may_freeze() const {
    const double critical = extents.size() == 2 ? 0.440687 : 0.221655;  // K_c of the infinite lattice
    const bool clusters_move = changes_clusters() && (field == 0 || ferromagnetic());
    if (clusters_move || !(reduced_coupling() > critical)) return false;
    const double well =
        beta * std::abs(field) * static_cast<double>(sites());  // weight of the other sign: exp(-2 of it)
    return start == Start::hot || !ferromagnetic() || (field != 0 && well < 10);
}

std::uint64_t SwendsenWangConfig::sites() const {
    std::uint64_t product = 1;
    for (std::uint64_t extent : extents) product *= extent;
    return product;
}

std::vector<Key> keys() {
    using enum ValueType;
    using enum KeyRole;
    // clang-format off
    return {
        Key{"lattice.extents", integers, "", "sites",
            "x,y of a square or x,y,z of a cubic lattice; the last axis is cut into slabs.", physics, 2,
            1099511627776.0}
            .required("give the sites along x,y or x,y,z, e.g. lattice.extents = 1024,1024.")
            .renamed_from("lattice.type", "is no key here: two lattice.extents are a square lattice, three a cubic one."),
        {"lattice.boundaries", text, "periodic", "",
         "What follows the last sites: periodic, open, or antiperiodic (the first sites, with couplings of the other "
         "sign); one for all axes, or one per axis, e.g. periodic,antiperiodic.", physics},
        Key{"model.states", integer, "2", "",
            "States of a spin: 2 is the Ising model, H = -J sum s s'; q = 3 to 256 the Potts model, H = -J sum delta(s, s').",
            physics, 2, max_states}
            .renamed_from("model.q")
            .renamed_from("model.type", "is no key here: model.states = 2 is the Ising model, 3 or more a Potts model."),
        {"model.coupling", real, "1", "J",
         "Coupling of neighbours, H = -J sum s s'; negative: antiferromagnetic.", physics, -1e12, 1e12},
        {"model.opposite-bonds", real, "0", "",
         "Fraction of bonds with the coupling -J (the random-bond, or +-J model); which ones is drawn from "
         "model.disorder-seed.", physics, 0, 1},
        Key{"model.disorder-seed", integer, "1", "", "Seed of the signs of couplings.", physics, 0, 9.2e18}
            .when({{"model.opposite-bonds", {}, std::numeric_limits<double>::min(), 1}}),
        {"model.temperature", real, "", "J/k_B", "Temperature.", physics, 0},
        {"model.beta", real, "", "k_B/J", "Inverse temperature, instead of model.temperature.", physics, 0},
        {"run.tempering", reals, "", "J/k_B",
         "Parallel tempering: ascending temperatures instead of model.temperature, e.g. 1:2:0.1, with a replica of the lattice at "
         "each; they exchange replicas, which frees those that would be stuck at low temperature.", physics,
         1e-9, 1e12},
        {"run.exchange-every", integer, "10", "sweeps", "Sweeps from one round of exchanges of run.tempering to the next.",
         physics, 1, 1e9},
        {"run.overlap", yes_no, "no", "",
         "With run.tempering: a second, independent replica at each temperature, and the overlap q of both, the order parameter of "
         "spin glasses (Ising only).", physics},
        {"model.field", real, "0", "J", "Uniform field h, H = ... - h sum s.", physics, -1e12, 1e12},
        {"run.update", choice, "swendsen-wang", "",
         "What one sweep does: flips of all clusters, of single spins (faster away from T_c; the clusters of an observation "
         "are drawn for it alone), single spins and then clusters, or flips of single clusters, each grown from a random site.",
         physics, 0, 0, words_of(update_rows)},
        Key{"run.clusters-per-sweep", integer, "1", "", "Single clusters that one sweep of run.update = wolff flips.", physics, 1,
            1e9}
            .when({{"run.update", {"wolff"}}}),
        Key{"run.clusters", yes_no, "yes", "",
            "Improved estimators, numbers and sizes of clusters. Single spins need no clusters: without these an observation of a "
            "small lattice takes a third of the time.", physics}
            .when({{"run.update", {"metropolis"}}}),
        {"run.sweeps", integer, "1000", "", "Sweeps after thermalization; with run.thermalization = auto all sweeps.",
         length, 1, 9e15},
        {"run.thermalization", integer, "200", "",
         "Sweeps before the first observation; auto: the observations that are left out are found in the series.",
         physics, 0, 9e15, {"auto"}},
        {"run.target-error", real, "0", "",
         "The run ends when the error of run.target is no larger, after at most run.sweeps sweeps; 0: it makes them all.",
         length, 0, 1e12},
        Key{"run.target", choice, "energy", "", "Row of the table whose error run.target-error means, in the unit of the row.",
            length, 0, 0, {"energy", "specific-heat", "magnetisation", "binder", "susceptibility"}}
            .when({{"run.target-error", {}, std::numeric_limits<double>::min()}}),
        {"run.measure-every", integer, "1", "sweeps", "Sweeps from one observation to the next.", physics, 1, 1e9},
        {"run.correlations", integer, "0", "",
         "Structure factors at k = 2 pi n / L and correlations of planes at distance n along each periodic axis, to this n "
         "(L / 2 at most); 0: none.",
         physics, 0, 512},
        {"run.start", choice, "cold", "", "First configuration: all spins up (down in a negative field), or random.", physics, 0, 0,
         {"cold", "hot"}},
        {"run.merge", choice, "auto", "",
         "How border labels are resolved: all borders at once and then along a tree of ranks (auto), or by neighbours until nothing "
         "changes.", backend, 0, 0,
         {"auto", "exchange", "tree"}},
    };
    // clang-format on
}

std::vector<std::string> validate(const Config& config) {
    std::vector<std::string> found;
    const std::vector<std::int64_t> extents = config.integers("lattice.extents");
    if (extents.size() < 2 || extents.size() > 3)
        found.push_back(config.cite("lattice.extents") + " has " + counted(extents.size(), "extent") +
                        "; a lattice has 2 or 3.");
    double sites = 1;
    for (std::int64_t extent : extents) sites *= static_cast<double>(extent);
    if (sites > max_sites)
        found.push_back(config.cite("lattice.extents") + " makes more than 2^53 sites, the largest possible number.");
    if (std::abs(config.real("model.coupling")) < 1e-12)
        found.push_back(config.cite("model.coupling") +
                        " must be at least 1e-12 in magnitude; free spins have model.beta = 0.");
    if (read_boundaries(config.text("lattice.boundaries"), extents.size()).empty())
        found.push_back(config.cite("lattice.boundaries") +
                        " must be periodic, open or antiperiodic, once or for each of the " +
                        std::to_string(extents.size()) + " axes, e.g. periodic,open.");
    validate_temperature(config, found);
    if (found.empty() && config.integer("run.correlations") > 0 &&
        std::ranges::count(resolve_config(config).boundaries, Boundary::periodic) == 0)
        found.push_back(config.cite("run.correlations") +
                        " are measured along periodic axes, and lattice.boundaries leaves none.");
    if (found.empty() && config.integer("model.states") > 2) validate_potts(config, found);
    if (found.empty() && resolve_config(config).has_metropolis()) validate_metropolis(config, found);
    if (found.empty() && config.text("run.update") == "wolff") validate_wolff(config, found);
    const bool chained = config.has("scan.start") && config.text("scan.start") == "previous";
    if (found.empty() && (chained || config.given("run.tempering"))) {
        const SwendsenWangConfig c = resolve_config(config);
        if ((c.sweeps + c.thermalization) * c.clusters_per_sweep > max_chained_sweeps)
            found.push_back(config.cite("run.sweeps") + " and run.thermalization are more than 2^31 " +
                            (c.grows_clusters() ? "clusters" : "sweeps") + ", the most of a run with " +
                            (chained ? "scan.start = previous." : "run.tempering."));
    }
    return found;
}

SwendsenWangConfig resolve_config(const Config& config) {
    SwendsenWangConfig c;
    for (std::int64_t extent : config.integers("lattice.extents"))
        c.extents.push_back(static_cast<std::uint64_t>(extent));
    c.coupling = config.real("model.coupling");
    c.boundaries = read_boundaries(config.text("lattice.boundaries"), c.extents.size());
    c.states = static_cast<int>(config.integer("model.states"));
    c.opposite = config.real("model.opposite-bonds");
    c.disorder_seed = config.count("model.disorder-seed");
    if (config.given("run.tempering")) {
        c.coordinate = Coordinate::temperature;
        for (const double temperature : config.reals("run.tempering")) c.betas.push_back(1 / temperature);
        c.beta = c.betas.front();
        c.exchange_every = config.count("run.exchange-every");
        c.overlap = config.boolean("run.overlap");
    } else if (config.given("model.beta")) {
        c.beta = config.real("model.beta");
    } else {
        c.coordinate = Coordinate::temperature;
        c.beta = 1 / config.real("model.temperature");
    }
    c.sweeps = config.count("run.sweeps");
    c.thermalization = config.count("run.thermalization");
    c.finds_thermalization = config.is_word("run.thermalization", "auto");
    c.measure_every = config.count("run.measure-every");
    c.correlations = config.count("run.correlations");
    c.target_error = config.real("run.target-error");
    c.target = config.text("run.target");
    c.seed = config.count("run.seed");
    c.field = config.real("model.field");
    c.update = chosen(config, "run.update", update_rows);
    if (c.grows_clusters()) c.clusters_per_sweep = config.count("run.clusters-per-sweep");
    if (!c.changes_clusters()) c.clusters = config.boolean("run.clusters");
    c.start = config.text("run.start") == "hot" ? Start::hot : c.field < 0 ? Start::cold_down : Start::cold;
    const std::string& merge = config.text("run.merge");
    c.merge = merge == "tree" ? Merge::tree : merge == "exchange" ? Merge::exchange : Merge::automatic;
    c.simd = config.text("backend.simd");
    return c;
}

}  // namespace strata::swendsen_wang
