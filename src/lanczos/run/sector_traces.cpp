// SPDX-License-Identifier: BSD-3-Clause
// The numbers that a sector has, and the keys that sums over sectors cannot serve.
#include "lanczos/run/sector_traces.hpp"

#include "comm/collectives.hpp"

namespace strata::lanczos {
namespace {

/// Whether all states of a sector have the same number of particles, or the same S^z.
bool has_particles(const LanczosConfig& c) {
    return !c.spins() && (c.conserved == Conserved::numbers || c.conserved == Conserved::particles);
}
bool has_spin(const LanczosConfig& c) {
    return c.conserved == Conserved::spin ||
           (c.conserved == Conserved::numbers && (c.spins() || c.kind() == SiteKind::electrons));
}

SectorCharges charges_of(const LanczosConfig& c, int sites, const ListedSector& sector) {
    const Filling& f = sector.filling;
    SectorCharges charges;
    charges.chemical_potential = c.thermal.chemical_potential;
    if (has_particles(c)) charges.particles = f.up + (c.conserved == Conserved::numbers ? f.down : 0);
    if (!has_spin(c)) return charges;
    const double twice_spin = c.conserved == Conserved::spin ? f.up
                              : c.spins()                    ? 2 * f.up - c.twice_spin * sites
                                                             : f.up - f.down;
    charges.spin = sector.mirrored ? 0 : twice_spin / 2;
    charges.spin_square = twice_spin * twice_spin / 4;
    return charges;
}

}  // namespace

Distribution random_distribution(const LanczosPlan& plan) {
    return plan.counts().symmetric() ? Distribution::normal : Distribution::uniform;
}

ThermalChoice thermal_choice(const LanczosConfig& c) {
    const bool exact = c.thermal.method == TraceMethod::all_levels;
    return {c.all_numbers && has_particles(c), c.all_numbers && has_spin(c), exact};
}

TracedSector traced_sector(const SectorList& sectors, std::size_t k, double offset) {
    const LanczosConfig& c = sectors.config();
    const SectorCharges charges = charges_of(c, sectors.model().lattice.sites, sectors[k]);
    return {sectors[k].states(),
            sectors[k].dimension,
            sectors[k].arithmetic == Arithmetic::complex ? 2.0 : 1.0,
            offset - charges.chemical_potential * charges.particles,
            c.precision,
            charges};
}

void append_thermal_rows(const Communicator& comm, const LanczosConfig& c, int sites,
                         const std::function<std::vector<SectorSamples>()>& sectors, std::size_t observed,
                         std::vector<double>& rows) {
    const ThermalChoice choice = thermal_choice(c);
    std::vector<double> all;
    collectively(comm, [&] {
        if (comm.is_root()) append_thermal_rows(sectors(), c.thermal.temperatures, sites, choice, observed, all);
    });
    all.resize(c.thermal.temperatures.size() * (thermal_columns(choice).size() + 3 * observed));
    broadcast_bytes(comm, all.data(), all.size() * sizeof(double), 0);
    rows.insert(rows.end(), all.begin(), all.end());
}

void check_all_numbers(const Config& config, InputErrors& found) {
    if (config.text("sector.numbers") != "all") return;
    const SymmetryRequest request = symmetry_request(config);
    if (request.momenta == Momenta::one || request.momenta == Momenta::automatic)
        found.push_back(config.cite("sector.momentum") +
                        " is not possible with sector.numbers = all; take all momenta, or leave it out.");
    if (request.spin_inversion != Parity::any)
        found.push_back(config.cite("sector.spin-inversion") +
                        " is not possible with sector.numbers = all, since it is that of S^z = 0; leave it out.");
    if (request.particle_hole != Parity::any)
        found.push_back(config.cite("sector.particle-hole") +
                        " is not possible with sector.numbers = all, since it is that of half filling; leave it out.");
    for (const char* key : {"sector.up", "sector.down", "sector.sz", "sector.particles", "sector.number-parity"})
        if (config.has(key) && config.given(key))
            found.push_back(config.cite(key) + " does not apply beside sector.numbers = all; leave one of them out.");
}

void check_several_sectors(const Config& config, const ModelConfig&, InputErrors& found) {
    check_all_numbers(config, found);
    const SymmetryRequest request = symmetry_request(config);
    const bool inverts = request.complements(), numbers = config.text("sector.numbers") == "all";
    const std::string task = "run.task = " + config.text("run.task");
    if (request.momenta == Momenta::automatic && !numbers)
        found.push_back(config.cite("sector.momentum") + " is not possible with " + task +
                        "; take all, for all states, or one momentum.");
    const bool sums = config.text("run.task") == "thermal" && (numbers || request.momenta == Momenta::all);
    if (sums && (request.point_operations() || inverts))
        found.push_back(config.cite(numbers ? "sector.numbers" : "sector.momentum") + " is not possible with " + task +
                        " and " + words_of_further(request) + ": the averages are those over all states. Leave " +
                        keys_of_further(request) + " out, or take one " + (numbers ? "sector." : "momentum."));
}

void check_ensemble(const Config& config, const LanczosConfig& c, InputErrors& found) {
    if (config.given("thermal.chemical-potential") && !thermal_choice(c).particles)
        found.push_back(config.cite("thermal.chemical-potential") + " does not apply: " +
                        (c.spins() ? "of spins" : "of this H") + " no number of particles is conserved" +
                        (c.spins() ? "; give a field along z in [model]." : "; leave it out."));
}

}  // namespace strata::lanczos
