// SPDX-License-Identifier: BSD-3-Clause
// psi is a matrix of the states a of the set and the states b of the other sites, and rho is the sum of the outer products
// of its columns. All basis states are listed, up string by up string; a column belongs to one of its basis states, which a
// hash of b chooses, so that the columns of all parts and ranks are about equally many. The elements of rho are at most 1,
// and a product is rounded to a multiple of 2^-62.
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
/// Number of basis states of a part; more where an up string for each thread has more of them.
constexpr std::uint64_t states_of_part = std::uint64_t{1} << 17;

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

/// Number of basis states of the sector without symmetries.
double all_states(const LanczosPlan& plan) {
    double states = 0;
    for (const SubspaceCounts& p : plan.counts().subspace_counts())
        states += static_cast<double>(p.up.count()) * static_cast<double>(p.down.count());
    return states;
}

/// The up strings of a subspace whose basis states a rank lists: those of its rows, if strings have rows of their own.
Range own_strings(const LanczosPlan& plan, std::size_t subspace, int rank) {
    if (!plan.counts().symmetric()) return plan.layout(subspace, rank).own_rows();
    return equal_part(plan.counts().subspace_counts()[subspace].up.count(), static_cast<std::uint64_t>(plan.ranks()),
                      static_cast<std::uint64_t>(rank));
}

/// A number of a vector that another rank has.
struct Request {
    std::uint64_t subspace, row, column;
};

/// Columns of psi as a matrix: for a state b of the other sites the amplitudes of all states a of one block.
class ColumnList {
  public:
    /// `states`, `hamiltonian` and `state` must outlive it.
    ColumnList(const SubsetStates& states, const HamiltonianOperator& hamiltonian, const DistributedVector& state)
        : states_(states), plan_(hamiltonian.plan()), sector_(hamiltonian.sector()), comm_(hamiltonian.comm()) {
        for (std::size_t p = 0; p < sector_.subspaces().size(); ++p) {
            blocks_.push_back(hamiltonian.blocks(state, p));
            layouts_.push_back(plan_.layout(p, comm_.rank()));
            last_rows_.emplace_back();
            for (int rank = 0; rank < comm_.size(); ++rank)
                last_rows_.back().push_back(plan_.layout(p, rank).own_rows().last);
        }
    }

    /// Lists the columns that belong to basis states of these strings, with their amplitudes. Collective.
    void list(std::size_t subspace, const Range& up, const std::vector<std::uint64_t>& down) {
        const auto threads = static_cast<std::uint64_t>(plan_.threads());
        columns_.resize(threads);
        for_each_parallel(
            {0, threads},
            [&](std::uint64_t t) {
                const Range some = equal_part(up.size(), threads, t);
                columns_[t].clear(static_cast<std::size_t>(comm_.size()));
                for (std::uint64_t i = up.first + some.first; i < up.first + some.last; ++i) {
                    const std::uint64_t string = plan_.counts().subspace_counts()[subspace].up.occupation(i);
                    for (const std::uint64_t of_down : down) add(sector_.words(string, of_down), columns_[t]);
                }
            },
            plan_.threads());
        if (comm_.size() > 1) ask_others();
    }

    /// Adds x_i conj(x_j), j <= i, of all columns x.
    void add_products(std::vector<std::uint64_t>& all) const {
        const auto threads = static_cast<std::uint64_t>(plan_.threads());
        for_each_parallel(
            {0, threads},
            [&](std::uint64_t thread) {  // each thread has rows of its own
                for (const Columns& columns : columns_) {
                    const Complex* x = columns.amplitudes.data();
                    for (const std::uint32_t block : columns.blocks) {
                        const std::size_t n = states_.blocks()[block];
                        for (std::size_t i = thread; i < n; i += threads) {
                            if (x[i] == Complex{}) continue;
                            std::uint64_t* const row = all.data() + 2 * (states_.first_element()[block] + n * i);
                            for (std::size_t j = 0; j <= i; ++j) {
                                row[2 * j] += fixed_point(x[i].real() * x[j].real() + x[i].imag() * x[j].imag());
                                row[2 * j + 1] += fixed_point(x[i].imag() * x[j].real() - x[i].real() * x[j].imag());
                            }
                        }
                        x += n;
                    }
                }
            },
            plan_.threads());
    }

  private:
    struct Columns {
        std::vector<std::uint32_t> blocks;             ///< [column]
        std::vector<Complex> amplitudes;               ///< column after column
        std::vector<std::vector<Request>> requests;    ///< [rank]
        std::vector<std::vector<std::size_t>> places;  ///< [rank][request] of an amplitude, which is a factor before

        void clear(std::size_t ranks) {
            blocks.clear();
            amplitudes.clear();
            requests.assign(ranks, {});
            places.assign(ranks, {});
        }
    };

    void add(const BasisWords& words, Columns& columns) const {
        const std::uint32_t block = states_.place(words).block;
        const std::vector<BasisWords>& of_set = states_.states_of(block);
        const BasisWords rest = states_.rest(words);
        const BasisWords& chosen = of_set[hash_of(rest) % of_set.size()];
        if (words != BasisWords{rest[0] | chosen[0], rest[1] | chosen[1]}) return;
        columns.blocks.push_back(block);
        for (const BasisWords& a : of_set) {
            const BasisWords both = {rest[0] | a[0], rest[1] | a[1]};
            auto [subspace, row, column, factor] = sector_.stored(both);
            if (states_.minus(both)) factor = -factor;
            const std::vector<std::uint64_t>& last = last_rows_[subspace];
            const auto rank = static_cast<std::size_t>(std::ranges::upper_bound(last, row) - last.begin());
            if (rank == static_cast<std::size_t>(comm_.rank())) {
                factor *= number(subspace, row, column);
            } else {
                columns.requests[rank].push_back({subspace, row, column});
                columns.places[rank].push_back(columns.amplitudes.size());
            }
            columns.amplitudes.push_back(factor);
        }
    }

    Complex number(std::size_t subspace, std::uint64_t row, std::uint64_t column) const {
        const BlockLayout& l = layouts_[subspace];
        const double* x = blocks_[subspace].data() + l.at(row, column);
        return {x[0], l.reals() == 2 ? x[1] : 0};
    }

    void ask_others() {
        std::vector<std::vector<Request>> to_rank(static_cast<std::size_t>(comm_.size()));
        for (std::size_t rank = 0; rank < to_rank.size(); ++rank)
            for (const Columns& columns : columns_)
                to_rank[rank].insert(to_rank[rank].end(), columns.requests[rank].begin(), columns.requests[rank].end());
        std::vector<std::vector<Complex>> numbers(to_rank.size());
        const std::vector<std::vector<Request>> asked = all_to_all(comm_, to_rank);
        for (std::size_t rank = 0; rank < asked.size(); ++rank)
            for (const Request& r : asked[rank]) numbers[rank].push_back(number(r.subspace, r.row, r.column));
        numbers = all_to_all(comm_, numbers);
        for (std::size_t rank = 0; rank < numbers.size(); ++rank) {
            auto answer = numbers[rank].begin();
            for (Columns& columns : columns_)
                for (const std::size_t place : columns.places[rank]) columns.amplitudes[place] *= *answer++;
        }
    }

    const SubsetStates& states_;
    const LanczosPlan& plan_;
    const Sector& sector_;
    const Communicator& comm_;
    std::vector<HamiltonianOperator::Blocks> blocks_;    ///< [subspace] this rank's numbers
    std::vector<BlockLayout> layouts_;                   ///< [subspace]
    std::vector<std::vector<std::uint64_t>> last_rows_;  ///< [subspace][rank] the row behind its rows
    std::vector<Columns> columns_;                       ///< [thread that listed them]
};

/// Results of one state, or of several over an axis.
std::vector<Quantity> quantities(std::span<const double> values, std::size_t width, const std::string& axis) {
    std::vector<Quantity> q = {{"entanglement-entropy", "nat", "-tr rho ln rho of the sites of run.cut", {}},
                               {"renyi-entropy", "nat", "-ln tr rho^2 of the sites of run.cut", {}},
                               {"entanglement-spectrum", "1", "largest eigenvalues of rho", {}}};
    for (; !values.empty(); values = values.subspan(width)) {
        q[0].value.push_back(values[0]);
        q[1].value.push_back(values[1]);
        q[2].value.insert(q[2].value.end(), values.begin() + 2, values.begin() + static_cast<std::ptrdiff_t>(width));
    }
    if (axis.empty()) {
        q[2] = std::move(q[2]).over("level");
        return q;
    }
    for (Quantity* entropy : {&q[0], &q[1]}) *entropy = std::move(*entropy).over(axis);
    q[2] = std::move(q[2]).over(axis, "level", width - 2);
    return q;
}

}  // namespace

void check_cut(const Config& config, const LanczosConfig& c, const Model& model, InputErrors& found) {
    if (c.cut.empty()) return;
    const auto refuse = [&](const std::string& why) { found.push_back(config.cite("run.cut") + why); };
    if (c.symmetry.momenta == Momenta::all)
        return refuse(" is measured in the states of one momentum; give that, or sector.momentum = auto.");
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

MemoryItems entanglement_memory(const LanczosPlan& plan, int rank, BackendKind backend) {
    const std::optional<SubsetStates> states = cut_states(plan.config(), plan.model());
    if (!states) return {};
    std::uint64_t strings = 0;
    for (const SubspaceCounts& p : plan.counts().subspace_counts()) strings = std::max(strings, p.down.count());
    const double own = all_states(plan) / plan.ranks();
    const std::uint64_t most = std::max(states_of_part, strings * static_cast<std::uint64_t>(plan.threads()));
    const auto part = static_cast<std::uint64_t>(std::min(own, static_cast<double>(most)));
    // amplitudes; requests with their places and answers, here and where they are answered, in vectors that grow
    const std::uint64_t of_state =
        sizeof(Complex) * 3 / 2 + (plan.ranks() == 1 ? 0 : 2 * (2 * sizeof(Request) + 8 + 2 * sizeof(Complex)));
    const std::uint64_t copy = backend == BackendKind::cpu ? 0 : plan.vector_bytes(rank);
    const std::size_t largest = std::ranges::max(states->blocks());
    // sums and what the root receives; LAPACK
    return {{"density matrix of run.cut", copy + part * of_state + strings * sizeof(std::uint64_t) +
                                              3 * 16 * states->elements() + 3 * 16 * largest * largest}};
}

double entanglement_seconds(const LanczosPlan& plan) {
    const std::optional<SubsetStates> states = cut_states(plan.config(), plan.model());
    if (!states) return 0;
    constexpr double of_element = 6e-8, of_image = 1.5e-7, of_product = 1e-9, of_eigenvalues = 4e-9;
    const auto largest = static_cast<double>(std::ranges::max(states->blocks()));
    return all_states(plan) * ((plan.counts().symmetric() ? of_image : of_element) + of_product * largest) /
               plan.ranks() +
           of_eigenvalues * std::pow(largest, 3);
}

Entanglement::Entanglement(const LanczosPlan& plan, Timers& timers, std::size_t states)
    : plan_(plan), timers_(timers), states_(cut_states(plan.config(), plan.model())), n_(states) {
    if (!states_) return;
    sums_.resize(2 * states_->elements());
    values_.resize(n_ * (2 + std::min(max_levels, states_->size())));
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
    std::ranges::fill(sums_, 0);
    ColumnList columns(*states_, hamiltonian, state);
    for (std::size_t p = 0; p < plan_.counts().subspace_counts().size(); ++p) {
        const BitStrings& strings = plan_.counts().subspace_counts()[p].down;
        std::vector<std::uint64_t> down(strings.count());
        for (std::uint64_t i = 0; i < down.size(); ++i) down[i] = strings.occupation(i);
        const Range own = own_strings(plan_, p, comm.rank());
        const std::uint64_t together = std::max(static_cast<std::uint64_t>(plan_.threads()),
                                                states_of_part / std::max<std::uint64_t>(1, down.size())),
                            parts = all_max(comm, (own.size() + together - 1) / together);
        for (std::uint64_t i = 0; i < parts; ++i) {
            const auto in_own = [&](std::uint64_t k) { return std::min(own.last, own.first + k * together); };
            columns.list(p, {in_own(i), in_own(i + 1)}, down);
            columns.add_products(sums_);
        }
    }
    sum_to_root(comm, sums_);
    if (comm.is_root()) {
        const std::vector<double> p = eigenvalues();
        double entropy = 0, squares = 0;
        for (const double value : p) {
            if (value > 0) entropy -= value * std::log(value);
            squares += value * value;
        }
        const auto values = values_.begin() + static_cast<std::ptrdiff_t>(measured_ % n_ * width());
        values[0] = entropy;
        values[1] = -std::log(squares);
        std::copy_n(p.begin(), width() - 2, values + 2);
    }
    broadcast_bytes(comm, values_.data(), values_.size() * sizeof(double), 0);
    ++measured_;
}

std::vector<Quantity> Entanglement::results() const {
    if (measured_ == 0) return {};
    return quantities(values_, width(), {});
}

std::vector<Quantity> Entanglement::results(const std::vector<krylov::ComputedLevel>& levels) const {
    if (!states_ || measured_ < n_) return {};
    std::vector<double> known(values_.size(), NAN);
    for (const krylov::ComputedLevel& level : levels)
        if (level.resolved && level.count == 1)
            std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(level.first * width()), width(),
                        known.begin() + static_cast<std::ptrdiff_t>(level.first * width()));
    return quantities(known, width(), "state");
}

}  // namespace strata::lanczos
