// SPDX-License-Identifier: BSD-3-Clause
// Predictions for a job (operations, bytes, memory), by counting.
#include "kronecker/run/plan.hpp"

#include <algorithm>

#include "kronecker/physics/make_target.hpp"
#include "strata/formatted.hpp"
#include "superblock/device_operator.hpp"

namespace strata::kronecker {
namespace {

/// Operations per second of one core of an AVX-512 server with patches of all sizes (perf/notebook.md).
constexpr double core_rate = 48e9;
/// Seconds of the launches of a product on an H100, and its operations per second beyond them (perf/results/gpu-h100.md).
constexpr double launch_seconds = 60e-6, device_rate = 12e12;

const char* name_of(superblock::Partition partition) {
    return partition == superblock::Partition::rows ? "rows" : "columns";
}

std::string bytes_text(double bytes) { return human_bytes(static_cast<std::uint64_t>(bytes)); }

}  // namespace

KroneckerPlan::KroneckerPlan(const KroneckerConfig& config, int ranks, int rank, int threads)
    : config_(config),
      target_(std::make_shared<superblock::Target>(make_target(config))),
      multiply_(*target_, config.partition, ranks, rank, threads) {}

template <class Real>
MemoryPrediction KroneckerPlan::rank_memory(BackendKind backend, int rank, bool in_place) const {
    if (backend == BackendKind::cuda) return device_memory<Real>(multiply_, rank, 0);
    MemoryPrediction m = multiply_.multiply_memory<Real>(rank, in_place);
    m.add(multiply_.vector_memory<Real>(rank, 0));
    return m;
}

MemoryPrediction KroneckerPlan::largest_memory(BackendKind backend, bool in_place) const {
    const bool single = config_.precision == krylov::Precision::single, device = backend == BackendKind::cuda;
    const auto bytes = [device](const MemoryPrediction& m) { return device ? m.device_bytes() : m.host_bytes(); };
    MemoryPrediction largest;
    for (int rank = 0; rank < multiply_.ranks(); ++rank) {
        const MemoryPrediction m =
            single ? rank_memory<float>(backend, rank, in_place) : rank_memory<double>(backend, rank, in_place);
        if (bytes(largest) < bytes(m)) largest = m;
    }
    largest.checkpoint_bytes = multiply_.layout().elements() * real_bytes();
    return largest;
}

double KroneckerPlan::seconds(BackendKind backend) const {
    const double of_rank = multiply_.flops() / multiply_.ranks();
    return backend == BackendKind::cuda ? launch_seconds + of_rank / device_rate
                                        : of_rank / (core_rate * multiply_.threads());
}

/// Each rank reads its operators once, and about six vectors of its part.
Work KroneckerPlan::count_work() const {
    const superblock::PartitionCost cost = cost_of(*target_, multiply_.partition());
    const double ranks = multiply_.ranks(), real = static_cast<double>(real_bytes());
    Work work;
    work.imbalance = cost.imbalance;
    work.core_seconds = multiply_.flops() / (core_rate * ranks) * cost.imbalance * real / sizeof(double);
    work.memory_bytes = static_cast<double>(pool_bytes()) / ranks + 6 * real * static_cast<double>(cost.max_elements);
    work.shares_memory = true;
    if (multiply_.ranks() == 1) return work;
    work.sent_bytes = real * cost.max_received;  // the busiest rank sends about as much as it receives
    work.messages = std::min<double>(ranks - 1, static_cast<double>(multiply_.layout().size()));
    work.collectives = 2;
    return work;
}

std::uint64_t KroneckerPlan::pool_bytes() const {
    return config_.precision == krylov::Precision::single ? multiply_.pool_bytes<float>()
                                                          : multiply_.pool_bytes<double>();
}

std::uint64_t KroneckerPlan::full_bytes() const {
    return config_.precision == krylov::Precision::single ? multiply_.full_bytes<float>()
                                                          : multiply_.full_bytes<double>();
}

std::vector<std::string> KroneckerPlan::description() const {
    const superblock::SyntheticModel& m = config_.model;
    const superblock::PatchLayout& layout = multiply_.layout();
    PatchShape largest;
    for (const superblock::Patch& patch : layout.patches())
        largest = {std::max(largest.r, patch.shape.r), std::max(largest.l, patch.shape.l)};
    std::size_t blocks = 0;
    for (const superblock::Term& t : target_->terms) blocks += t.diagonal() ? 1 : 2;
    std::vector<std::string> lines = {
        formatted("%d sites with %d up and %d down, M = %llu, K = %llu, width %g: %zu patches, %zu blocks", m.sites,
                  m.up, m.down, static_cast<unsigned long long>(m.saved_states),
                  static_cast<unsigned long long>(config_.operators), m.width, layout.size(), blocks),
        formatted("vector of %llu elements, largest patch r x l = %llu x %llu; %.4g GFLOP per product",
                  static_cast<unsigned long long>(layout.elements()), static_cast<unsigned long long>(largest.r),
                  static_cast<unsigned long long>(largest.l), 1e-9 * multiply_.flops())};
    if (multiply_.ranks() > 1)
        lines.push_back(formatted("cut at %s over %d ranks, imbalance %.4f",
                                  multiply_.partition().kind() == superblock::Partition::rows ? "patches" : "columns",
                                  multiply_.ranks(), cost_of(*target_, multiply_.partition()).imbalance));
    return lines;
}

/// A device stores both directions of a block, and it writes the products of left operators to memory between its two
/// launches.
std::string KroneckerPlan::operator_line(BackendKind backend) const {
    if (backend == BackendKind::cpu) {
        const auto pool = static_cast<double>(pool_bytes()), full = static_cast<double>(full_bytes());
        return "memory: operators of " + bytes_text(pool) + " are read once per product, " +
               formatted("%.2f of storing both directions; %.3g operations per byte", pool / full,
                         multiply_.flops() / pool);
    }
    std::uint64_t operators = 0, products = 0;
    for (int rank = 0; rank < multiply_.ranks(); ++rank) {
        const superblock::DevicePlan device(*target_, multiply_.partition().columns(rank));
        operators += real_bytes() * device.pool_reals();
        products += real_bytes() * device.scratch_reals();
    }
    return "memory: operators of " + human_bytes(operators) + " are read once per product, " + human_bytes(products) +
           " of products of left operators written and read" +
           formatted("; %.3g operations per byte", multiply_.flops() / static_cast<double>(operators + 2 * products));
}

std::vector<std::string> KroneckerPlan::traffic(BackendKind backend) const {
    std::vector<std::string> lines = {operator_line(backend),
                                      "vector: " + human_bytes(real_bytes() * multiply_.layout().elements())};
    for (const auto& some : {partition_lines(), larger_lines(backend)})
        lines.insert(lines.end(), some.begin(), some.end());
    return lines;
}

/// Imbalance, and largest number of bytes of X that a rank receives, for this number of ranks and for powers of two.
std::vector<std::string> KroneckerPlan::partition_lines() const {
    std::vector<int> counts = {2, 4, 8, 16, 32, 64};
    if (multiply_.ranks() > 1 && !std::ranges::count(counts, multiply_.ranks())) counts.push_back(multiply_.ranks());
    std::ranges::sort(counts);
    const std::vector<std::uint64_t> costs = costs_of_columns(*target_);
    const auto real = static_cast<double>(real_bytes());
    std::vector<std::string> lines = {"partitions: imbalance, and bytes of X that a rank reads of others, at most"};
    for (int ranks : counts) {
        if (static_cast<std::uint64_t>(ranks) > multiply_.layout().columns()) break;
        const superblock::ColumnPartition taken = choose_partition(*target_, config_.partition, ranks);
        std::string line = formatted("  %3d ranks:", ranks);
        for (superblock::Partition kind : {superblock::Partition::rows, superblock::Partition::columns}) {
            const superblock::PartitionCost cost =
                cost_of(*target_, superblock::ColumnPartition(multiply_.layout(), costs, kind, ranks));
            line +=
                formatted("  %s %7.4f, %10s%s", name_of(kind), cost.imbalance,
                          bytes_text(real * cost.max_received).c_str(), taken.kind() == kind ? " (taken)" : "        ");
        }
        line.erase(line.find_last_not_of(' ') + 1);
        lines.push_back(line);
    }
    return lines;
}

std::vector<std::string> KroneckerPlan::larger_lines(BackendKind backend) const {
    std::vector<std::string> lines = {"larger M, with as many ranks"};
    KroneckerConfig larger = config_;
    for (int factor : {2, 4, 8}) {
        larger.model.saved_states = config_.model.saved_states * static_cast<std::uint64_t>(factor);
        if (larger.model.saved_states > superblock::max_saved_states) break;
        const KroneckerPlan plan(larger, multiply_.ranks(), 0, multiply_.threads());
        const MemoryPrediction memory = plan.largest_memory(backend, multiply_.ranks() == 1);
        const bool cpu = backend == BackendKind::cpu;
        lines.push_back(formatted(
            "  M = %llu: vector of %llu elements, %.4g GFLOP and about %.2g s per product, "
            "%s per rank",
            static_cast<unsigned long long>(larger.model.saved_states),
            static_cast<unsigned long long>(plan.multiply().layout().elements()), 1e-9 * plan.multiply().flops(),
            plan.seconds(backend), human_bytes(cpu ? memory.host_bytes() : memory.device_bytes()).c_str()));
    }
    return lines.size() > 1 ? lines : std::vector<std::string>();
}

}  // namespace strata::kronecker
