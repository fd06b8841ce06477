// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "comm/subvector_exchange.hpp"
#include "kernels/bandwidth.hpp"
#include "lanczos/reach.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

Arithmetic choose_arithmetic(const LanczosConfig& c, const Model& model) {
    if (c.arithmetic == WishedArithmetic::complex) return Arithmetic::complex;
    if (model.real()) return Arithmetic::real;
    if (c.arithmetic == WishedArithmetic::real)
        throw Error(ExitCode::bad_input,
                    "backend.arithmetic = real is not possible: some amplitudes are complex; use auto or complex.");
    return Arithmetic::complex;
}

/// "11778624", or in powers of ten where nobody counts digits.
std::string human_count(double n) {
    char text[32];
    std::snprintf(text, sizeof text, n < 1e9 ? "%.0f" : "%.3e", n);
    return text;
}

std::string human_bytes(double bytes) { return strata::human_bytes(static_cast<std::uint64_t>(bytes)); }

}  // namespace

LanczosPlan::LanczosPlan(const LanczosConfig& config, int ranks, int rank, int threads)
    : LanczosPlan(config, make_model(config), ranks, rank, threads) {}

LanczosPlan::LanczosPlan(const LanczosConfig& config, Model model, int ranks, int rank, int threads)
    : config_(config),
      ranks_(ranks),
      rank_(rank),
      threads_(std::max(1, threads)),
      sector_(std::make_shared<const Sector>(std::move(model), config.up, config.down)),
      arithmetic_(choose_arithmetic(config, sector_->model())) {
    if (ranks == 1 || config.species == 1) return;
    const WireVolume volume = wire_volume(*sector_, ranks);
    turns_ = config.transport == RowTransport::panels ||
             (config.transport == RowTransport::automatic && volume.turned < volume.rows);
}

LanczosPlan LanczosPlan::in_sector(int up, int down) const {
    LanczosConfig config = config_;
    config.up = up;
    config.down = down;
    config.arithmetic = arithmetic_ == Arithmetic::complex ? WishedArithmetic::complex : WishedArithmetic::real;
    return {config, ranks_, rank_, threads_};
}

LanczosPlan LanczosPlan::for_model(Model model) const {
    LanczosConfig config = config_;
    config.arithmetic = arithmetic_ == Arithmetic::complex ? WishedArithmetic::complex : WishedArithmetic::real;
    return {config, std::move(model), ranks_, rank_, threads_};
}

std::uint64_t LanczosPlan::vector_bytes() const {
    std::uint64_t reals = 0;
    for (std::size_t p = 0; p < sector_->products().size(); ++p)
        reals += sector_->layout(p, arithmetic_, ranks_, rank_).size();
    return real_bytes() * reals;
}

std::uint64_t LanczosPlan::all_vector_bytes() const {
    std::uint64_t reals = 0;
    for (std::size_t p = 0; p < sector_->products().size(); ++p) reals += sector_->layout(p, arithmetic_, 1, 0).size();
    return real_bytes() * reals;
}

double LanczosPlan::bytes_per_step() const {
    return static_cast<double>(real_bytes()) * (7 + (sector_->crossings().empty() ? 0 : 3)) * dimension() * reals();
}

double LanczosPlan::flops_per_step() const {
    const bool complex = arithmetic_ == Arithmetic::complex;
    return sector_->nonzeros() * (complex ? 8 : 2) + dimension() * (complex ? 24 : 12);
}

std::uint64_t LanczosPlan::turning_bytes() const {
    const std::uint64_t panels = sector_->layout(0, arithmetic_, 1, 0).panels();
    return 6 * vector_bytes() / SubvectorExchange::group_count(panels, static_cast<std::uint64_t>(ranks_));
}

MemoryPrediction LanczosPlan::memory(std::uint64_t vectors, BackendKind backend) const {
    const bool device = backend == BackendKind::cuda, turned = turns_ && !device;
    const std::uint64_t vector = vector_bytes();
    std::uint64_t tiles = 0, scratch = 0, in_reach = 0;
    for (std::size_t p = 0; p < sector_->products().size(); ++p) {
        const BlockLayout l = sector_->layout(p, arithmetic_, ranks_, rank_);
        tiles += l.tiles();
        scratch = std::max({scratch, scratch_reals(sector_->hamiltonian(p, l)), 2 * l.block_size()});
        if (ranks_ == 1 || turned) continue;
        const std::vector<bool> reach = rows_in_reach(*sector_, p, ranks_, rank_);
        const auto rows = static_cast<std::uint64_t>(std::ranges::count(reach, true));
        in_reach += real_bytes() * (rows / block_rows) * l.block_size();
    }
    const std::uint64_t others = in_reach > vector ? in_reach - vector : 0;  // for each of the working pair, and packed
    MemoryPrediction m;
    std::vector<MemoryPrediction::Item>& items = device ? m.device : m.host;
    items = {{"two vectors", 2 * vector},
             {"other vectors", vectors * vector},
             {"hops", 2 * sector_->table_bytes()},
             {"sums", sizeof(TileSums) * tiles},
             {"rows for and from other nodes", turned ? turning_bytes() : 3 * others}};
    if (device) {
        items.push_back({"columns", device_columns_bytes});
        m.host = {{"vectors for checkpoints", (2 + vectors) * vector}, {"hops", 2 * sector_->table_bytes()}};
    } else {
        items.push_back({"threads' scratch", real_bytes() * scratch * static_cast<std::uint64_t>(threads_)});
    }
    m.checkpoint_bytes = all_vector_bytes() * (vectors + 2);
    return m;
}

std::vector<std::string> LanczosPlan::description() const {
    const Lattice& lattice = model().lattice;
    const std::string name = config_.lattice_file.empty() ? config_.lattice.type : config_.lattice_file;
    std::string extents;
    for (std::int64_t e : config_.lattice.extents) extents += (extents.empty() ? " " : " x ") + std::to_string(e);
    const char* kind = config_.spins ? "XXZ spins 1/2" : config_.species == 1 ? "Spinless fermions" : "Hubbard model";
    std::vector<std::string> lines;
    lines.push_back(std::string(kind) + " on " + name + extents + ": " + std::to_string(lattice.sites) + " sites, " +
                    std::to_string(lattice.edges.size()) + " edges" +
                    (lattice.double_edges == 0
                         ? std::string()
                         : " (" + std::to_string(lattice.double_edges) +
                               " pairs of sites are joined more than once: their amplitudes are added)"));
    std::string states;
    if (config_.species == 2) {
        const Product& p = sector_->products()[0];
        states = std::to_string(config_.up) + " up, " + std::to_string(config_.down) + " down: dimension " +
                 std::to_string(p.up.basis().count()) + " x " + std::to_string(p.dn.basis().count()) + " = ";
    } else {
        states = std::to_string(config_.up) + (config_.spins ? " spins up" : " particles") + ": dimension ";
    }
    lines.push_back(states + human_count(dimension()) + ", " + human_count(sector_->nonzeros()) +
                    " non-zeros off the diagonal, " + (arithmetic_ == Arithmetic::complex ? "complex" : "real") +
                    " numbers" + (config_.precision == Precision::single ? " of single precision" : ""));
    return lines;
}

std::vector<std::string> LanczosPlan::traffic(BackendKind backend) const {
    std::vector<std::string> lines;
    lines.push_back(sector_->hermitian() ? "every hop has its inverse: H is Hermitian"
                                         : "H is not Hermitian: some hop has no inverse");
    lines.push_back("memory: " + human_bytes(bytes_per_step()) + " over all ranks, and " +
                    human_count(flops_per_step()) + " operations, per step");
    if (backend == BackendKind::cpu) {
        // once: forecasts for many numbers of ranks are made when one looks for what fits
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
    const WireVolume volume = wire_volume(*sector_, ranks_);
    const double element = static_cast<double>(real_bytes()) * reals();
    lines.push_back("network: " + human_bytes(element * volume.rows) + " of needed rows over all ranks per step" +
                    (config_.species == 2 ? ", or " + human_bytes(element * volume.turned) +
                                                " to turn panels there and back; the lesser is taken"
                                          : std::string()) +
                    "; ranks of one node read each other's rows in place and send nothing");
    return lines;
}

}  // namespace strata::lanczos
