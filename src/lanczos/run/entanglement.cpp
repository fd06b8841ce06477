// SPDX-License-Identifier: BSD-3-Clause
// Every state b of the other sites belongs to a rank and to a part by a hash of its bits. The elements of a part are sent
// to their ranks and sorted by b; those of one b are a column of psi as a matrix, and rho is the sum of their outer
// products. Its elements are at most 1, and a product is rounded to a multiple of 2^-62.
#include "lanczos/run/entanglement.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "comm/collectives.hpp"
#include "krylov/tridiagonal.hpp"
#include "models/cut.hpp"
#include "strata/parallel.hpp"

namespace strata::lanczos {
namespace {

constexpr double unit = 0x1p62;
/// Bytes of the entries of a part, at least; larger vectors have parts of a quarter of their bytes.
constexpr std::uint64_t least_part_bytes = std::uint64_t{4} << 20;

/// A hash of the bits of all other sites (D. Steele et al., SplitMix64).
std::uint64_t hash_of(const BasisWords& words) {
    std::uint64_t x = words[0] * 0x9e3779b97f4a7c15 + words[1] * 0xd1b54a32d192ed03;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

std::uint64_t fixed_point(double product) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(product * unit + std::copysign(0.5, product)));
}

double number_of(std::uint64_t sum) { return static_cast<double>(static_cast<std::int64_t>(sum)) / unit; }

/// Elements of a vector on a rank, by its layout.
double elements_on(const LanczosPlan& plan, int rank) {
    double elements = 0;
    for (std::size_t p = 0; p < plan.counts().subspace_counts().size(); ++p) {
        const BlockLayout l = plan.layout(p, rank);
        elements += static_cast<double>(l.own_rows().size()) * static_cast<double>(l.dim_down);
    }
    return elements;
}

}  // namespace

void check_cut(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    if (c.cut.empty()) return;
    const auto refuse = [&](const std::string& why) { found.push_back(config.cite("run.cut") + why); };
    if (c.symmetry.any())
        return refuse(" is not possible in a sector of lattice symmetries; leave sector.momentum and others out.");
    if (!c.vectors) return refuse(" needs the state, which run.vectors = no leaves out.");
    if (is_fermionic(model.kind) && c.conserved == Conserved::nothing)
        return refuse(
            " needs a sector of one parity of the number of fermions, without which the entanglement depends on the "
            "order of the sites: give sector.number-parity, if H conserves it.");
    cut_states(c, model);
}

std::optional<SubsetStates> cut_states(const LanczosConfig& c, const Model& model) {
    if (c.cut.empty()) return {};
    return SubsetStates(smaller_side(c.cut, model.lattice.sites, "site"), model, c.conserved);
}

std::uint64_t Entanglement::part_bytes(const LanczosPlan& plan, int rank) {
    return std::max(least_part_bytes, plan.vector_bytes(rank) / 4);
}

MemoryItems entanglement_memory(const LanczosPlan& plan, int rank) {
    const std::optional<SubsetStates> states = cut_states(plan.config(), plan.model());
    if (!states) return {};
    const std::size_t largest = std::ranges::max(states->blocks());
    const auto all = static_cast<std::uint64_t>(elements_on(plan, rank)) * sizeof(Entanglement::Entry);
    // entries that are sent and received, which a hash divides unevenly; sums and what the root receives; LAPACK
    const std::uint64_t entries = std::min(all, Entanglement::part_bytes(plan, rank)) * 5 / 2;
    return {{"density matrix of run.cut", entries + 3 * 16 * states->elements() + 3 * 16 * largest * largest}};
}

double entanglement_seconds(const LanczosPlan& plan) {
    const std::optional<SubsetStates> states = cut_states(plan.config(), plan.model());
    if (!states) return 0;
    constexpr double of_element = 1.2e-7, of_product = 1e-9, of_eigenvalues = 4e-9;
    const auto largest = static_cast<double>(std::ranges::max(states->blocks()));
    return plan.dimension() * (of_element + of_product * largest) / plan.ranks() +
           of_eigenvalues * std::pow(largest, 3);
}

Entanglement::Entanglement(const LanczosPlan& plan, Timers& timers)
    : plan_(plan), timers_(timers), states_(cut_states(plan.config(), plan.model())) {
    if (!states_) return;
    sums_.resize(2 * states_->elements());
    values_.resize(2 + std::min(max_levels, states_->size()));
}

void Entanglement::add_columns(const LanczosPlan& plan, std::vector<Column>& columns) {
    const std::optional<SubsetStates> states = cut_states(plan.config(), plan.model());
    if (!states) return;
    columns.push_back({"entanglement-entropy", "nat", "-tr rho ln rho of the sites of run.cut"});
    columns.push_back({"renyi-entropy", "nat", "-ln tr rho^2 of the sites of run.cut"});
    for (std::size_t i = 0; i < std::min(max_levels, states->size()); ++i)
        columns.push_back(member_column("entanglement-spectrum", "level", {static_cast<std::int64_t>(i)}, "1",
                                        "eigenvalue of rho, the largest first"));
}

void Entanglement::initialise() {
    std::ranges::fill(values_, 0.0);
    measured_ = 0;
}

void Entanglement::add_fields(Record& record) {
    if (states_) record.field("entanglement", std::span(values_)).field("entanglement-measured", measured_);
}

/// The entries of a part on this rank, [rank that they belong to].
std::vector<std::vector<Entanglement::Entry>> Entanglement::entries_of_part(const HamiltonianOperator& hamiltonian,
                                                                            const DistributedVector& state,
                                                                            std::uint64_t part,
                                                                            std::uint64_t parts) const {
    const Sector& sector = hamiltonian.sector();
    const bool two = sector.model().spin_components == 2;
    const auto ranks = static_cast<std::uint64_t>(plan_.ranks());
    std::vector<std::vector<Entry>> to_rank(ranks);
    for (std::vector<Entry>& entries : to_rank)
        entries.reserve(static_cast<std::size_t>(elements_on(plan_, hamiltonian.comm().rank()) * 1.1 /
                                                 static_cast<double>(parts * ranks)) +
                        64);
    for (std::size_t p = 0; p < sector.subspaces().size(); ++p) {
        const BlockLayout l = plan_.layout(p, hamiltonian.comm().rank());
        const HamiltonianOperator::Blocks blocks = hamiltonian.blocks(state, p);
        for (std::uint64_t row = l.own_rows().first; row < l.own_rows().last; ++row)
            for (std::uint64_t d = 0; d < l.dim_down; ++d) {
                const std::uint64_t occupied = sector.occupied(p, row, d);
                const BasisWords words =
                    two ? BasisWords{sector.occupied_down(p, d), occupied} : BasisWords{occupied, 0};
                const BasisWords rest = states_->rest(words);
                const std::uint64_t hash = hash_of(rest);
                if (hash / ranks % parts != part) continue;
                const double* x = blocks.data() + l.at(row, d);
                const double sign = states_->minus(words) ? -1 : 1;
                to_rank[hash % ranks].push_back(
                    {rest, sign * x[0], l.reals() == 2 ? sign * x[1] : 0, states_->place(words)});
            }
    }
    return to_rank;
}

/// Adds x_i conj(x_j), j <= i, of all entries with the same state of the other sites.
void Entanglement::add_products(std::vector<Entry>& entries) {
    std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
        return std::tuple(a.rest, a.place.block, a.place.number) < std::tuple(b.rest, b.place.block, b.place.number);
    });
    const auto other = [](const Entry& a, const Entry& b) {
        return a.rest != b.rest || a.place.block != b.place.block;
    };
    const auto threads = static_cast<std::uint64_t>(plan_.threads());
    for_each_parallel(
        {0, threads},
        [&](std::uint64_t thread) {  // each thread has rows of its own
            for (auto first = entries.begin(); first != entries.end();) {
                const auto found = std::adjacent_find(first, entries.end(), other);
                const auto end = found == entries.end() ? found : found + 1;
                const std::size_t n = states_->blocks()[first->place.block];
                std::uint64_t* const sums = sums_.data() + 2 * states_->first_element()[first->place.block];
                for (auto a = first; a != end; ++a) {
                    if (a->place.number % threads != thread) continue;
                    std::uint64_t* const row = sums + 2 * n * a->place.number;
                    for (auto b = first; b <= a; ++b) {
                        row[2 * b->place.number] += fixed_point(a->re * b->re + a->im * b->im);
                        row[2 * b->place.number + 1] += fixed_point(a->im * b->re - a->re * b->im);
                    }
                }
                first = end;
            }
        },
        plan_.threads());
}

/// On rank 0: all eigenvalues, the largest first, which add up to 1.
std::vector<double> Entanglement::eigenvalues() const {
    std::vector<double> all;
    for (std::size_t block = 0; block < states_->blocks().size(); ++block) {
        const std::size_t n = states_->blocks()[block];
        const std::uint64_t* sums = sums_.data() + 2 * states_->first_element()[block];
        std::vector<Complex> rho(n * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                const Complex element = {number_of(sums[2 * (i * n + j)]), number_of(sums[2 * (i * n + j) + 1])};
                rho[i * n + j] = std::conj(element);  // column i, row j
                rho[j * n + i] = element;
            }
        for (const double value : krylov::hermitian_values(n, std::move(rho))) all.push_back(std::max(0.0, value));
    }
    std::ranges::sort(all, std::greater());
    double trace = 0;
    for (const double value : all) trace += value;
    for (double& value : all) value /= trace;
    return all;
}

void Entanglement::measure(const HamiltonianOperator& hamiltonian, const DistributedVector& state) {
    if (!states_) return;
    const Timers::Scope scope = timers_.scope("entanglement");
    const Communicator& comm = hamiltonian.comm();
    const double bytes = elements_on(plan_, comm.rank()) * sizeof(Entry);
    const std::uint64_t parts = all_max(
        comm, static_cast<std::uint64_t>(std::ceil(bytes / static_cast<double>(part_bytes(plan_, comm.rank())))));
    std::ranges::fill(sums_, 0);
    for (std::uint64_t part = 0; part < std::max<std::uint64_t>(1, parts); ++part) {
        std::vector<std::vector<Entry>> entries =
            entries_of_part(hamiltonian, state, part, std::max<std::uint64_t>(1, parts));
        if (comm.size() > 1) entries = all_to_all(comm, entries);
        std::vector<Entry> together = std::move(entries[0]);
        for (std::size_t rank = 1; rank < entries.size(); ++rank) {
            together.insert(together.end(), entries[rank].begin(), entries[rank].end());
            entries[rank] = {};
        }
        add_products(together);
    }
    sum_to_root(comm, sums_);
    if (comm.is_root()) {
        const std::vector<double> p = eigenvalues();
        double entropy = 0, squares = 0;
        for (const double value : p) {
            if (value > 0) entropy -= value * std::log(value);
            squares += value * value;
        }
        values_[0] = entropy;
        values_[1] = -std::log(squares);
        std::copy_n(p.begin(), values_.size() - 2, values_.begin() + 2);
    }
    broadcast_bytes(comm, values_.data(), values_.size() * sizeof(double), 0);
    ++measured_;
}

std::vector<Quantity> Entanglement::results() const {
    if (measured_ == 0) return {};
    return {
        {"entanglement-entropy", "nat", "-tr rho ln rho of the sites of run.cut", {values_[0]}},
        {"renyi-entropy", "nat", "-ln tr rho^2 of the sites of run.cut", {values_[1]}},
        Quantity{"entanglement-spectrum", "1", "largest eigenvalues of rho", {values_.begin() + 2, values_.end()}}.over(
            "level")};
}

}  // namespace strata::lanczos
