// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "comm/subvector_exchange.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

Model make_model(const LanczosConfig& c) {
    Model m;
    m.lattice = c.lattice_file.empty() ? make_lattice(c.lattice) : read_lattice(c.lattice_file);
    const auto sites = static_cast<std::size_t>(m.lattice.sites);
    const auto per_site = [&](const std::vector<double>& values) {
        return values.size() == 1 ? std::vector<double>(sites, values[0]) : values;
    };
    m.u = per_site(c.u);
    m.epsilon = per_site(c.epsilon);
    m.v = c.v;
    return m;
}

const StepKernels& choose_kernels(const std::string& name) {
    for (const StepKernels& variant : step_variants())
        if (name == variant.name) return variant;
    return step_variants().front();
}

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

}  // namespace

LanczosPlan::LanczosPlan(const LanczosConfig& config, int ranks, int rank, int threads)
    : config_(config),
      model_(make_model(config)),
      up_(model_, config.up),
      dn_(model_, config.down),
      coupling_(coupling(model_)),
      kernels_(&choose_kernels(config.simd)),
      ranks_(ranks),
      threads_(std::max(1, threads)) {
    layout_.dim_up = up_.basis().count();
    layout_.dim_dn = dn_.basis().count();
    layout_.arithmetic = choose_arithmetic(config, model_);
    if (static_cast<std::uint64_t>(ranks) > layout_.all_blocks())
        throw Error(ExitCode::bad_input, std::to_string(ranks) + " ranks are more than the " +
                                             std::to_string(layout_.all_blocks()) +
                                             " blocks of 16 states of the first species; use at most " +
                                             std::to_string(layout_.all_blocks()) +
                                             " ranks, or give the larger number of states to sector.up.");
    layout_.blocks = blocks_of(rank);
}

Range LanczosPlan::blocks_of(int rank) const {
    return equal_part(layout_.all_blocks(), static_cast<std::uint64_t>(ranks_), static_cast<std::uint64_t>(rank));
}

HamiltonianView LanczosPlan::hamiltonian() const {
    HamiltonianView h;
    h.layout = layout_;
    h.up = up_.view();
    h.dn = dn_.view();
    h.shift = mean_diagonal(model_, config_.up, config_.down);
    if (coupling_.empty()) return h;
    constexpr int most_bits = 9;
    h.coupling.sites = model_.lattice.sites;
    h.coupling.energy = coupling_.data();
    h.coupling.chunks = (model_.lattice.sites + most_bits - 1) / most_bits;
    h.coupling.chunk_bits = (model_.lattice.sites + h.coupling.chunks - 1) / h.coupling.chunks;
    return h;
}

double LanczosPlan::nonzeros() const {
    return static_cast<double>(up_.entries()) * static_cast<double>(layout_.dim_dn) +
           static_cast<double>(dn_.entries()) * static_cast<double>(layout_.dim_up);
}

double LanczosPlan::flops_per_step() const {
    const bool complex = layout_.arithmetic == Arithmetic::complex;
    return nonzeros() * (complex ? 8 : 2) + dimension() * (complex ? 24 : 12);
}

double LanczosPlan::lower_bound() const {
    double hops = 0, lowest = 0;
    for (const Edge& e : model_.lattice.edges) hops += 2 * std::abs(e.amplitude) * 2;
    for (std::size_t i = 0; i < model_.u.size(); ++i)
        lowest += std::min(0.0, model_.u[i]) + 2 * std::min(0.0, model_.epsilon[i]);
    for (const Edge& e : model_.lattice.edges)
        if (e.neighbours) lowest += 4 * std::min(0.0, model_.v);
    return lowest - hops - 1e-9;
}

MemoryPrediction LanczosPlan::memory() const {
    const std::uint64_t vector = 8 * layout_.size();
    const std::uint64_t groups = SubvectorExchange::group_count(layout_.panels(), static_cast<std::uint64_t>(ranks_));
    const HamiltonianView h = hamiltonian();
    MemoryPrediction m;
    m.host = {
        {"two vectors", 2 * vector},
        {"ground state", config_.vectors ? vector : 0},
        {"hops of both species", up_.bytes() + dn_.bytes()},
        {"threads' scratch", 8 * scratch_reals(h) * static_cast<std::uint64_t>(threads_)},
        {"sums", sizeof(TileSums) * (layout_.tiles() + layout_.all_blocks())},
        {"panels from other ranks", ranks_ > 1 ? 6 * vector / groups : 0},
    };
    m.checkpoint_bytes = 8 * layout_.all_blocks() * layout_.block_size() * (config_.vectors ? 3 : 2);
    return m;
}

std::vector<std::string> LanczosPlan::description() const {
    const bool complex = layout_.arithmetic == Arithmetic::complex;
    const std::string name = config_.lattice_file.empty() ? config_.lattice.type : config_.lattice_file;
    std::string extents;
    for (std::int64_t e : config_.lattice.extents) extents += (extents.empty() ? " " : " x ") + std::to_string(e);
    std::vector<std::string> lines;
    lines.push_back("Hubbard model on " + name + extents + ": " + std::to_string(model_.lattice.sites) + " sites, " +
                    std::to_string(model_.lattice.edges.size()) + " edges" +
                    (model_.lattice.double_edges == 0
                         ? std::string()
                         : " (" + std::to_string(model_.lattice.double_edges) +
                               " pairs of sites are joined more than once: their amplitudes are added)"));
    lines.push_back(std::to_string(config_.up) + " up, " + std::to_string(config_.down) + " down: dimension " +
                    std::to_string(layout_.dim_up) + " x " + std::to_string(layout_.dim_dn) + " = " +
                    human_count(dimension()) + ", " + human_count(nonzeros()) + " non-zeros off the diagonal, " +
                    (complex ? "complex" : "real") + " numbers");
    return lines;
}

std::vector<std::string> LanczosPlan::traffic() const {
    std::vector<std::string> lines;
    lines.push_back("memory: " + human_bytes(static_cast<std::uint64_t>(bytes_per_step())) + " over all ranks, and " +
                    human_count(flops_per_step()) + " operations, per step");
    if (ranks_ > 1)
        lines.push_back("network: 2 (P - 1) / P vectors = " +
                        human_bytes(static_cast<std::uint64_t>(2.0 * (ranks_ - 1) / ranks_ * 8 * dimension() *
                                                               static_cast<double>(layout_.reals()))) +
                        " over all ranks per step, while H_up is at work");
    return lines;
}

}  // namespace strata::lanczos
