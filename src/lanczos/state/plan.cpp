// SPDX-License-Identifier: BSD-3-Clause
// The plan of a rank, and its description of a job: dimensions, bytes and operations of a step, by counting.
#include "lanczos/state/plan.hpp"

#include "lanczos/physics/characters.hpp"
#include "lanczos/physics/make_model.hpp"
#include "lanczos/physics/observables.hpp"
#include "lanczos/physics/symmetries.hpp"
#include "lanczos/state/transposed_hopping.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "kernels/bandwidth.hpp"
#include "strata/error.hpp"
#include "strata/memory.hpp"

namespace strata::lanczos {
namespace {

std::shared_ptr<const SectorCounts> count_sector(const LanczosConfig& c, Model model,
                                                 std::shared_ptr<const SymmetryGroup> group,
                                                 const std::vector<Filling>& further) {
    const Filling filling = {c.up, c.down, c.conserved};
    std::vector<Filling> fillings = {filling};
    fillings.insert(fillings.end(), further.begin(), further.end());
    if (group == nullptr) return std::make_shared<const SectorCounts>(std::move(model), fillings);
    const std::uint64_t line_reals = c.precision == Precision::single ? 8 : 4;  // 32 bytes
    const SymmetricLayout layout = {line_reals, c.hops == Hops::computed};
    return std::make_shared<const SectorCounts>(std::move(model), filling, std::move(group), layout);
}

/// "11778624"; from 1e9 on in powers of ten.
std::string human_count(double n) {
    char text[32];
    std::snprintf(text, sizeof text, n < 1e9 ? "%.0f" : "%.3e", n);
    return text;
}

std::string human_size(double bytes) { return human_bytes(static_cast<std::uint64_t>(bytes)); }

}  // namespace

Arithmetic choose_arithmetic(const LanczosConfig& c, const Model& model, const SymmetryGroup* group) {
    if (c.arithmetic == RequestedArithmetic::complex) return Arithmetic::complex;
    const bool real_characters = group == nullptr || group->real();
    const std::string of_spectrum = without_real_vectors(c);
    if (model.real() && real_characters && of_spectrum.empty()) return Arithmetic::real;
    if (c.arithmetic == RequestedArithmetic::real)
        throw Error(ExitCode::bad_input, std::string("backend.arithmetic = real is not possible: ") +
                                             (!model.real()      ? "some amplitudes are complex"
                                              : !real_characters ? "this momentum is complex"
                                                                 : of_spectrum) +
                                             "; use auto or complex.");
    return Arithmetic::complex;
}

std::uint64_t device_blocks_together(const BlockLayout& l, std::uint64_t real_bytes) {
    constexpr std::uint64_t bytes = std::uint64_t{16} << 20;
    return std::clamp<std::uint64_t>(bytes / (l.block_size() * real_bytes), 1, 4096);
}

LanczosPlan::LanczosPlan(const LanczosConfig& config, int ranks, int rank, int threads)
    : LanczosPlan(config, make_model(config), ranks, rank, threads) {}

LanczosPlan::LanczosPlan(const LanczosConfig& config, const Model& model, int ranks, int rank, int threads)
    : LanczosPlan(config, model, group_of_job(config, model), ranks, rank, threads) {}

LanczosPlan::LanczosPlan(const LanczosConfig& config, Model model, std::shared_ptr<const SymmetryGroup> group,
                         int ranks, int rank, int threads, const std::vector<Filling>& further)
    : config_(config),
      ranks_(ranks),
      rank_(rank),
      threads_(std::max(1, threads)),
      counts_(count_sector(config, std::move(model), std::move(group), further)),
      arithmetic_(choose_arithmetic(config, counts_->model(),
                                    counts_->symmetric() ? counts_->symmetric()->group.get() : nullptr)),
      cached_(std::make_shared<Cached>()) {}

const Sector& LanczosPlan::sector() const {
    std::call_once(cached_->tables_once,
                   [&] { cached_->tables = std::make_unique<const Sector>(*counts_, arithmetic_); });
    return *cached_->tables;
}

const GhostRows& LanczosPlan::ghost_rows() const {
    std::call_once(cached_->rows_once, [&] {
        // rows of orbits, and those of products of operators, can only be listed from the tables, which take minutes
        // where they are large
        const bool counted = !counts_->symmetric() && counts_->hops_alone();
        const bool listed = !counted && !counts_->computes_hops() && ranks_ > 1 && counts_->up_entries() <= max_visits;
        cached_->rows = listed ? listed_ghost_rows(sector(), arithmetic_, ranks_)
                               : count_ghost_rows(*counts_, arithmetic_, ranks_, counted ? max_visits : 0);
    });
    return cached_->rows;
}

double LanczosPlan::transposed_elements() const {
    const double p = ranks_;
    const bool possible = model().spin_components == 2 && counts_->subspace_hop_counts().empty() && !config_.certified;
    return possible ? 2 * (p - 1) / p * dimension() : std::numeric_limits<double>::infinity();
}

bool LanczosPlan::transposes() const {
    if (ranks_ == 1 || model().spin_components == 1 || counts_->subspace_counts().size() > 1 ||
        !counts_->subspace_hop_counts().empty())
        return false;
    if (config_.certified) return false;  // the last multiplication reads rows
    return config_.exchange == RequestedExchange::transpose ||
           (config_.exchange == RequestedExchange::automatic && transposed_elements() < ghost_rows().elements);
}

LanczosPlan LanczosPlan::in_sector(int up, int down, std::shared_ptr<const SymmetryGroup> group) const {
    LanczosConfig config = config_;
    config.up = up;
    config.down = down;
    config.arithmetic =
        arithmetic_ == Arithmetic::complex ? RequestedArithmetic::complex : RequestedArithmetic::automatic;
    return {config, model(), std::move(group), ranks_, rank_, threads_};
}

LanczosPlan LanczosPlan::for_model(Model model) const {
    LanczosConfig config = config_;
    config.certified = false;
    config.arithmetic = arithmetic_ == Arithmetic::complex ? RequestedArithmetic::complex : RequestedArithmetic::real;
    const auto& symmetric = counts_->symmetric();
    return {config, std::move(model), symmetric ? symmetric->group : nullptr, ranks_, rank_, threads_};
}

LanczosPlan LanczosPlan::joined(const LanczosPlan& target, Model model) const {
    LanczosConfig config = config_;
    config.arithmetic = arithmetic_ == Arithmetic::complex ? RequestedArithmetic::complex : RequestedArithmetic::real;
    return {config, std::move(model), nullptr, ranks_, rank_, threads_, {target.filling()}};
}

std::uint64_t LanczosPlan::vector_bytes(int rank) const {
    std::uint64_t reals = 0;
    for (std::size_t p = 0; p < counts_->subspace_counts().size(); ++p) reals += layout(p, rank).size();
    return real_bytes() * reals;
}

std::uint64_t LanczosPlan::all_vector_bytes() const {
    std::uint64_t reals = 0;
    for (std::size_t p = 0; p < counts_->subspace_counts().size(); ++p)
        reals += counts_->layout(p, arithmetic_, 1, 0).size();
    return real_bytes() * reals;
}

/// down_sweep moves 4 reals per real number and up_sweep 3; subspace_sweep moves 3 more.
double LanczosPlan::bytes_per_step() const {
    if (counts_->symmetric()) return 7 * static_cast<double>(all_vector_bytes());
    return static_cast<double>(real_bytes()) * (7 + (counts_->subspace_hop_counts().empty() ? 0 : 3)) * dimension() *
           reals();
}

/// A hop is one multiplication and addition, 4 of each for complex numbers; the recurrence, the diagonal and the three
/// sums are 6 of them.
double LanczosPlan::flops_per_step() const {
    const bool complex = arithmetic_ == Arithmetic::complex;
    return counts_->nonzeros() * (complex ? 8 : 2) + dimension() * (complex ? 24 : 12);
}

/// Two sets of buffers, each for this rank's tiles of a group of panels, and twice for all tiles of the panels that it
/// works on (received tiles and results).
std::uint64_t LanczosPlan::transpose_bytes(int rank) const {
    const auto ranks = static_cast<std::uint64_t>(ranks_);
    const BlockLayout l = layout(0, rank);
    const PanelGroups groups = {l.panels(), ranks};
    return 2 * real_bytes() * l.tile() *
           (l.blocks.size() * groups.of(0).size() + 2 * l.all_blocks() * groups.of(0, rank).size());
}

std::vector<std::string> LanczosPlan::description() const {
    const Lattice& lattice = model().lattice;
    const std::string& type = config_.lattice.type;
    const std::string name = type == "file"   ? config_.lattice.file.name
                             : type == "none" ? "the sites of a list of terms"
                                              : type;
    std::string extents;
    for (std::int64_t e : config_.lattice.extents) extents += (extents.empty() ? " " : " x ") + std::to_string(e);
    const char* kind = config_.spins() && config_.twice_spin > 1 ? "Spins above 1/2"
                       : config_.spins()                         ? "Spins 1/2"
                       : config_.kind() == SiteKind::bosons      ? "Hard-core bosons"
                       : config_.components() == 1               ? "Fermions without spin"
                       : config_.projected()                     ? "t-J model"
                       : type == "none"                          ? "Electrons"
                                                                 : "Hubbard model";
    std::vector<std::string> lines;
    lines.push_back(std::string(kind) + " on " + name + extents + ": " + std::to_string(lattice.sites) + " sites, " +
                    std::to_string(lattice.edges.size()) + " edges" +
                    (lattice.double_edges == 0
                         ? std::string()
                         : " (" + std::to_string(lattice.double_edges) +
                               " pairs of sites are joined more than once: their amplitudes are added)"));
    std::string states = particles_of(config_) + ": dimension ";
    if (model().spin_components == 2 && config_.conserved == Conserved::numbers) {
        const SubspaceCounts& p = counts_->subspace_counts()[0];
        states = std::to_string(config_.up) + " up, " + std::to_string(config_.down) + " down: dimension " +
                 std::to_string(p.up.count()) + " x " + std::to_string(p.down.count()) + " = ";
    }
    if (!model().others.empty())
        lines.push_back(std::to_string(model().others.terms().size()) +
                        " products of operators beside hops and energies of sites and pairs");
    if (const auto& s = counts_->symmetric()) {
        states.insert(states.find(": dimension"), ", " + std::to_string(s->group->order()) + " symmetries");
        states.resize(states.find(": dimension") + std::string(": dimension ").size());
        const SubspaceCounts& p = counts_->subspace_counts()[0];
        const double all = static_cast<double>(p.up.count()) * static_cast<double>(p.down.count());
        lines.push_back("without symmetries the dimension is " + human_count(all) + "; stored are " +
                        std::to_string(s->rows) + " rows of " + std::to_string(s->columns(arithmetic_)) + " numbers");
    }
    lines.push_back(states + human_count(dimension()) + (counts_->symmetric() ? ", about " : ", ") +
                    human_count(counts_->nonzeros()) + " non-zeros off the diagonal, " +
                    (arithmetic_ == Arithmetic::complex ? "complex" : "real") + " numbers" +
                    (config_.precision == Precision::single ? " of single precision" : "") +
                    (config_.certified ? ", the energy by products in doubles" : ""));
    return lines;
}

std::vector<std::string> LanczosPlan::traffic(BackendKind backend) const {
    std::vector<std::string> lines;
    lines.push_back(model().hermitian() ? "every hop has its inverse: H is Hermitian"
                                        : "H is not Hermitian: some hop has no inverse");
    lines.push_back("memory: " + human_size(bytes_per_step()) + " over all ranks, and " +
                    human_count(flops_per_step()) + " operations, per step");
    if (backend == BackendKind::cpu) {
        // measured once: the search for a number of ranks that fits makes many forecasts
        static const double bandwidth = read_bandwidth(threads_, std::size_t{256} << 20);
        char text[160];
        std::snprintf(
            text, sizeof text,
            "memory: this machine reads %.1f GB/s with %d thread(s), which makes that %.3g s per step and rank "
            "at least",
            1e-9 * bandwidth, threads_, bytes_per_step() / ranks_ / bandwidth);
        lines.push_back(text);
    }
    if (ranks_ == 1) return lines;
    const double element = static_cast<double>(real_bytes()) * reals();
    lines.push_back("network: " + std::string(ghost_rows().exact ? "" : "at most ") +
                    human_size(element * ghost_rows().elements) + " of needed rows over all ranks per step" +
                    (std::isfinite(transposed_elements())
                         ? ", or " + human_size(element * transposed_elements()) +
                               " to transpose panels there and back; the lesser is taken"
                         : std::string()) +
                    "; ranks of one node read each other's rows in place and send nothing");
    return lines;
}

}  // namespace strata::lanczos
