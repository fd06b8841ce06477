// SPDX-License-Identifier: BSD-3-Clause
// A density matrix has weights down to the rounding of its trace, 1e-16; what is discarded below that is not known.
#include "dmrg/truncation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "comm/collectives.hpp"
#include "krylov/tridiagonal.hpp"
#include "strata/error.hpp"

namespace strata::dmrg {
namespace {

/// Weights that differ by less than this part of them belong to one multiplet.
constexpr double degenerate = 1e-5;

/// X^T X of the left, X X^T of the right block.
Matrix density_matrix(const Algebra& algebra, const Matrix& x, Side side) {
    const Matrix t = transposed(x);
    return side == Side::left ? algebra.product(t, x) : algebra.product(x, t);
}

void add_scaled(const Matrix& a, double factor, Matrix& to) {
    for (std::size_t i = 0; i < a.elements.size(); ++i) to.elements[i] += factor * a.elements[i];
}

}  // namespace

std::vector<Matrix> density_matrices(const Algebra& algebra, const std::vector<Matrix>& x, Side side,
                                     const EnlargedBlock& left, const EnlargedBlock& right) {
    const Sectors& own = (side == Side::left ? left : right).basis.sectors;
    std::vector<Matrix> rho(own.size());
    for (std::size_t s = 0; s < own.size(); ++s) rho[s] = Matrix(own.states[s], own.states[s]);
    for_each(algebra, x.size(), [&](std::size_t l) {
        if (x[l].empty()) return;
        const std::size_t s = *own.find(left.basis.sectors.charges[l]);
        rho[s] = density_matrix(algebra, x[l], side);
    });
    return rho;
}

void add_noise(const Algebra& algebra, const EnlargedBlock& block, double noise, std::vector<Matrix>& rho) {
    const Sectors& sectors = block.basis.sectors;
    const std::vector<Matrix> before = rho;
    for (const auto& [name, op] : block.operators)
        for (std::size_t from = 0; from < sectors.size(); ++from) {
            const auto to = sectors.find(sectors.charges[from] + op.change);
            if (!to || op.from_sector[from].empty()) continue;
            Matrix o(sectors.states[*to], sectors.states[from]);
            add_dense(op, from, 1, o);
            const Matrix t = transposed(o);
            add_scaled(algebra.product(algebra.product(o, before[from]), t), noise, rho[*to]);
            add_scaled(algebra.product(algebra.product(t, before[*to]), o), noise, rho[from]);
        }
}

namespace {

/// Eigenvectors of the sectors with their weights, the largest first.
struct WeightedStates {
    std::vector<double> weights;
    Matrix vectors;
};

WeightedStates eigenvectors(const Matrix& rho, double cutoff) {
    const std::size_t n = rho.rows;
    krylov::LargestPairs pairs = krylov::largest_symmetric_pairs(n, rho.elements, cutoff);
    WeightedStates s;
    s.weights = std::move(pairs.values);
    s.vectors.rows = n;
    s.vectors.columns = s.weights.size();
    s.vectors.elements = std::move(pairs.vectors);
    return s;
}

/// The rank that solves each sector: the costliest sectors first, each to the rank with the least work.
std::vector<int> solving_ranks(const std::vector<Matrix>& rho, int ranks) {
    std::vector<std::size_t> order(rho.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return rho[a].rows > rho[b].rows; });
    std::vector<double> work(static_cast<std::size_t>(ranks));
    std::vector<int> rank(rho.size());
    for (std::size_t s : order) {
        const auto least = std::ranges::min_element(work) - work.begin();
        rank[s] = static_cast<int>(least);
        work[static_cast<std::size_t>(least)] += std::pow(static_cast<double>(rho[s].rows), 3);
    }
    return rank;
}

void share(const Communicator& comm, int root, std::uint64_t rows, WeightedStates& s) {
    std::uint64_t count = s.weights.size();
    broadcast(comm, count, root);
    s.weights.resize(count);
    s.vectors.rows = rows;
    s.vectors.columns = count;
    s.vectors.elements.resize(rows * count);
    if (count == 0) return;
    broadcast_bytes(comm, s.weights.data(), count * sizeof(double), root);
    broadcast_bytes(comm, s.vectors.data(), rows * count * sizeof(double), root);
}

/// How many of the states, of which there are more than M, are kept: up to a quarter fewer than M, so that no multiplet
/// is cut.
std::size_t states_without_cut_multiplet(const std::vector<double>& descending, std::uint64_t max_states) {
    for (std::size_t m = max_states; 4 * m >= 3 * max_states && m > 0; --m)
        if (descending[m - 1] - descending[m] > degenerate * descending[m - 1]) return m;
    return max_states;
}

/// [sector] number of states to keep.
std::vector<std::size_t> kept_states(const std::vector<WeightedStates>& states, std::uint64_t max_states) {
    std::vector<std::tuple<double, std::size_t>> all;  // weight, sector
    for (std::size_t s = 0; s < states.size(); ++s)
        for (double w : states[s].weights) all.emplace_back(w, s);
    std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return std::get<0>(a) > std::get<0>(b); });
    std::size_t count = all.size();
    if (count > max_states) {
        std::vector<double> descending;
        for (const auto& [w, s] : all) descending.push_back(w);
        count = states_without_cut_multiplet(descending, max_states);
    }
    std::vector<std::size_t> kept(states.size());
    for (std::size_t i = 0; i < count; ++i) ++kept[std::get<1>(all[i])];
    return kept;
}

}  // namespace

Truncation truncate(const Communicator& comm, const Algebra& algebra, Side side, const EnlargedSectors& basis,
                    const std::vector<Matrix>& rho, const TruncationOptions& options, Timers& timers) {
    const std::vector<int> solver = solving_ranks(rho, comm.size());
    std::vector<WeightedStates> states(rho.size());
    {
        const Timers::Scope scope = timers.scope("truncation");
        for_each(algebra, rho.size(), [&](std::size_t s) {
            if (solver[s] == comm.rank()) states[s] = eigenvectors(rho[s], options.cutoff);
        });
    }
    if (comm.size() > 1) {
        const Timers::Scope scope = timers.scope("sharing states");
        for (std::size_t s = 0; s < states.size(); ++s) share(comm, solver[s], basis.sectors.states[s], states[s]);
    }
    const Timers::Scope scope = timers.scope("truncation");
    const std::vector<std::size_t> kept = kept_states(states, options.max_states);
    Truncation t;
    t.tensor.side = side;
    t.tensor.enlarged = basis;
    for (std::size_t s = 0; s < states.size(); ++s) {
        if (kept[s] == 0) continue;
        Matrix& v = states[s].vectors;
        v.columns = kept[s];
        v.elements.resize(v.rows * v.columns);
        t.tensor.kept.charges.push_back(basis.sectors.charges[s]);
        t.tensor.kept.states.push_back(kept[s]);
        t.tensor.matrices.push_back(std::move(v));
        t.weights.insert(t.weights.end(), states[s].weights.begin(),
                         states[s].weights.begin() + static_cast<std::ptrdiff_t>(kept[s]));
    }
    if (t.weights.empty()) throw Error(ExitCode::internal, "A density matrix has no weight.");
    return t;
}

double entropy(const std::vector<double>& weights) {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    double sum = 0;
    for (double w : weights)
        if (w > 0) sum -= w / total * std::log(w / total);
    return sum;
}

}  // namespace strata::dmrg
