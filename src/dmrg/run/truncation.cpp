// SPDX-License-Identifier: BSD-3-Clause
// The weights of a density matrix are accurate to the rounding of its trace, 1e-16; smaller discarded weights are not
// known.
#include "dmrg/run/truncation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

#include "dmrg/state/sharing.hpp"
#include "krylov/tridiagonal.hpp"
#include "strata/error.hpp"

namespace strata::dmrg {
namespace {

/// Relative difference below which successive weights belong to one multiplet.
constexpr double degenerate = 1e-5;

/// X^T X for the left block, X X^T for the right one.
Matrix density_matrix(const Algebra& algebra, const Matrix& x, Side side) {
    const Matrix t = transposed(x);
    return side == Side::left ? algebra.product(t, x) : algebra.product(x, t);
}

}  // namespace

std::vector<bool> own_sectors(const Communicator& comm, const EnlargedSectors& basis) {
    std::vector<bool> own;
    for (const int rank : solving_ranks(basis, comm.size())) own.push_back(rank == comm.rank());
    return own;
}

std::vector<Matrix> density_matrices(const Algebra& algebra, const std::vector<Matrix>& x, Side side,
                                     const EnlargedBlock& left, const EnlargedBlock& right,
                                     const std::vector<bool>& requested) {
    const Sectors& own = (side == Side::left ? left : right).basis.sectors;
    std::vector<Matrix> rho(own.size());
    for (std::size_t s = 0; s < own.size(); ++s) rho[s] = Matrix(own.states[s], own.states[s]);
    for_each(algebra, x.size(), [&](std::size_t l) {
        if (x[l].empty()) return;
        const std::size_t s = *own.find(left.basis.sectors.charges[l]);
        if (requested[s]) rho[s] = density_matrix(algebra, x[l], side);
    });
    return rho;
}

namespace {

/// rho += noise * (trace of rho over the site) x (identity of the site / number of its states).
void mix_site(const EnlargedSectors& basis, double noise, const std::vector<bool>& requested,
              const std::vector<Matrix>& before, std::vector<Matrix>& rho) {
    std::map<std::size_t, Matrix> traces;  // by sector of the block
    const auto for_segments = [&](auto f) {
        for (std::size_t e = 0; e < basis.sectors.size(); ++e)
            for (const Segment& s : basis.segments[e]) f(e, s);
    };
    std::size_t site_states = 0;
    for_segments([&](std::size_t e, const Segment& s) {
        site_states = std::max(site_states, s.site_state + 1);
        Matrix& trace = traces.try_emplace(s.sector, s.rows.count, s.rows.count).first->second;
        for (std::uint64_t j = 0; j < s.rows.count; ++j)
            for (std::uint64_t i = 0; i < s.rows.count; ++i)
                trace(i, j) += before[e](s.rows.first + i, s.rows.first + j);
    });
    for_segments([&](std::size_t e, const Segment& s) {
        if (!requested[e]) return;
        const Matrix& trace = traces.at(s.sector);
        for (std::uint64_t j = 0; j < s.rows.count; ++j)
            for (std::uint64_t i = 0; i < s.rows.count; ++i)
                rho[e](s.rows.first + i, s.rows.first + j) += noise / static_cast<double>(site_states) * trace(i, j);
    });
}

/// rho += 1e-6 noise / (number of states) * identity, so that states without weight are kept if fewer than M have
/// weight.
void mix_all(const Sectors& sectors, double noise, const std::vector<bool>& requested, std::vector<Matrix>& rho) {
    constexpr double part = 1e-6;
    for (std::size_t s = 0; s < sectors.size(); ++s)
        for (std::uint64_t i = 0; requested[s] && i < sectors.states[s]; ++i)
            rho[s](i, i) += part * noise / static_cast<double>(sectors.total());
}

}  // namespace

void add_coupled_states(const Algebra& algebra, const EnlargedBlock& block, double factor,
                        const std::vector<bool>& requested, const std::vector<Matrix>& rho, std::vector<Matrix>& sum) {
    const Sectors& sectors = block.basis.sectors;
    for (const auto& [name, op] : block.operators)
        for (std::size_t from = 0; from < sectors.size(); ++from) {
            const auto to = sectors.find(sectors.charges[from] + op.change);
            if (op.is_sum || !to || op.from_sector[from].empty() || !(requested[*to] || requested[from])) continue;
            Matrix o(sectors.states[*to], sectors.states[from]);
            add_dense(op, from, 1, o);
            const Matrix t = transposed(o);
            if (requested[*to]) add_scaled(algebra.product(algebra.product(o, rho[from]), t), factor, sum[*to]);
            if (requested[from]) add_scaled(algebra.product(algebra.product(t, rho[*to]), o), factor, sum[from]);
        }
}

void add_noise(const Algebra& algebra, const EnlargedBlock& block, double noise, const std::vector<bool>& requested,
               std::vector<Matrix>& rho) {
    const std::vector<Matrix> before = rho;
    add_coupled_states(algebra, block, noise, requested, before, rho);
    mix_site(block.basis, noise, requested, before, rho);
    mix_all(block.basis.sectors, noise, requested, rho);
}

namespace {

/// Eigenvectors of a sector by descending weights; weights below the cutoff are 0.
struct WeightedStates {
    Matrix weights;  ///< one column
    Matrix vectors;

    std::size_t count() const {
        const auto weighted = [](double w) { return w > 0; };
        return static_cast<std::size_t>(std::ranges::count_if(weights.elements, weighted));
    }
};

WeightedStates eigenvectors(const Matrix& rho, double cutoff) {
    krylov::LargestPairs pairs = krylov::largest_symmetric_pairs(rho.rows, rho.elements, cutoff);
    WeightedStates s{Matrix(rho.rows, 1), Matrix()};
    std::ranges::copy(pairs.values, s.weights.elements.begin());
    s.vectors.rows = rho.rows;
    s.vectors.columns = pairs.values.size();
    s.vectors.elements = std::move(pairs.vectors);
    return s;
}

/// Weights of further states are multiplied by this, so that they are kept after those of the density matrix.
constexpr double after_all_others = 1e-30;

/// Appends eigenvectors of `rho` in the space orthogonal to the states, up to `limit` of both.
void append_further(const Algebra& algebra, const Matrix& rho, double cutoff, std::uint64_t limit, WeightedStates& s) {
    const std::size_t first = s.vectors.columns;
    if (first >= limit) return;
    Matrix rest = rho;
    if (first > 0) {  // (1 - V V^T) rho (1 - V V^T)
        const Matrix vt = transposed(s.vectors), vt_rho = algebra.product(vt, rho),
                     part = algebra.product(s.vectors, vt_rho);
        add_scaled(part, -1, rest);
        add_scaled(transposed(part), -1, rest);
        add_scaled(algebra.product(algebra.product(s.vectors, algebra.product(vt_rho, s.vectors)), vt), 1, rest);
    }
    const WeightedStates added = eigenvectors(rest, cutoff);
    const auto count = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(added.count(), limit - first));
    for (std::ptrdiff_t i = 0; i < count; ++i)
        s.weights.elements[first + static_cast<std::size_t>(i)] =
            after_all_others * added.weights.elements[static_cast<std::size_t>(i)];
    s.vectors.columns += static_cast<std::uint64_t>(count);
    const auto begin = added.vectors.elements.begin();
    s.vectors.elements.insert(s.vectors.elements.end(), begin, begin + count * static_cast<std::ptrdiff_t>(rho.rows));
}

/// Pointers to the member `which` of each sector.
std::vector<Matrix*> of_sectors(std::vector<WeightedStates>& states, Matrix WeightedStates::*which) {
    std::vector<Matrix*> matrices;
    for (WeightedStates& s : states) matrices.push_back(&(s.*which));
    return matrices;
}

double heaviest(const std::vector<WeightedStates>& states) {
    double most = 0;
    for (const WeightedStates& s : states)
        for (const double w : s.weights.elements) most = std::max(most, w);
    return most;
}

/// Number of states to keep if there are more than M: up to a quarter fewer than M, so that no multiplet is divided.
std::size_t states_without_cut_multiplet(const std::vector<double>& descending, std::uint64_t max_states) {
    for (std::size_t m = max_states; 4 * m >= 3 * max_states && m > 0; --m)
        if (descending[m - 1] - descending[m] > degenerate * descending[m - 1]) return m;
    return max_states;
}

/// [sector] number of states to keep.
std::vector<std::size_t> kept_states(const std::vector<WeightedStates>& states, std::uint64_t max_states) {
    std::vector<std::tuple<double, std::size_t>> all;  // weight, sector
    for (std::size_t s = 0; s < states.size(); ++s)
        for (std::size_t i = 0, count = states[s].count(); i < count; ++i)
            all.emplace_back(states[s].weights.elements[i], s);
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

std::vector<int> solving_ranks(const EnlargedSectors& basis, int ranks) {
    std::vector<double> costs;
    for (const std::uint64_t states : basis.sectors.states) costs.push_back(std::pow(static_cast<double>(states), 3));
    return shared_out(costs, ranks);
}

Truncation truncate(const Communicator& comm, const Algebra& algebra, Side side, const EnlargedSectors& basis,
                    const std::vector<Matrix>& rho, const TruncationOptions& options, Timers& timers,
                    const FurtherStates* further) {
    const std::vector<int> solver = solving_ranks(basis, comm.size());
    std::vector<WeightedStates> states(rho.size());
    {
        const Timers::Scope scope = timers.scope("truncation");
        for_each(algebra, rho.size(), [&](std::size_t s) {
            if (solver[s] != comm.rank()) {
                states[s].weights = Matrix(rho[s].rows, 1);
                return;
            }
            states[s] = eigenvectors(rho[s], options.cutoff);
            if (further != nullptr)
                append_further(algebra, further->rho[s], further->cutoff, further->limits[s], states[s]);
        });
    }
    const Timers::Scope scope = timers.scope("sharing states");
    share(comm, solver, of_sectors(states, &WeightedStates::weights));
    if (options.cutoff > 0 && heaviest(states) < options.cutoff)  // many states of small weight: all below the cut-off
        return truncate(comm, algebra, side, basis, rho, {options.max_states, 0, options.noise}, timers, further);
    const std::vector<std::size_t> kept = kept_states(states, options.max_states);
    for (std::size_t s = 0; s < states.size(); ++s) {
        Matrix& v = states[s].vectors;
        v.rows = rho[s].rows;
        v.columns = kept[s];
        v.elements.resize(v.rows * v.columns);
        v.elements.shrink_to_fit();
    }
    share(comm, solver, of_sectors(states, &WeightedStates::vectors));
    Truncation t;
    t.tensor.side = side;
    t.tensor.enlarged = basis;
    for (std::size_t s = 0; s < states.size(); ++s) {
        if (kept[s] == 0) continue;
        t.tensor.kept.charges.push_back(basis.sectors.charges[s]);
        t.tensor.kept.states.push_back(kept[s]);
        t.tensor.matrices.push_back(std::move(states[s].vectors));
        const auto weights = states[s].weights.elements.begin();
        t.weights.insert(t.weights.end(), weights, weights + static_cast<std::ptrdiff_t>(kept[s]));
    }
    if (t.weights.empty()) throw Error(ExitCode::internal, "A density matrix has no weight.");
    return t;
}

double squared_norm(const std::vector<Matrix>& x) {
    double sum = 0;
    for (const Matrix& m : x) sum += squared_norm(m);
    return sum;
}

SiteTensor remaining_tensor(const Algebra& algebra, const std::vector<Matrix>& x, const SiteTensor& kept,
                            const EnlargedBlock& left, const EnlargedBlock& right) {
    const bool to_left = kept.side == Side::left;
    SiteTensor t;
    t.side = to_left ? Side::right : Side::left;
    t.enlarged = (to_left ? right : left).basis;
    t.kept = kept.kept;
    t.allocate_matrices();
    for_each(algebra, t.kept.size(), [&](std::size_t k) {
        const auto sector = left.basis.sectors.find(t.kept.charges[k]);
        if (!sector || x[*sector].empty()) return;
        t.matrices[k] = algebra.product(to_left ? x[*sector] : transposed(x[*sector]), kept.matrices[k]);
    });
    return t;
}

void scale(double factor, SiteTensor& t) {
    for (Matrix& m : t.matrices)
        for (double& element : m.elements) element *= factor;
}

void add(const std::vector<Matrix>& a, double factor, std::vector<Matrix>& to) {
    for (std::size_t s = 0; s < a.size(); ++s) add_scaled(a[s], factor, to[s]);
}

std::vector<double> schmidt_weights(const Communicator& comm, const Algebra& algebra, const std::vector<Matrix>& x,
                                    Timers& timers) {
    constexpr double rounding = 1e-16;
    std::vector<double> costs;
    for (const Matrix& m : x) costs.push_back(std::pow(static_cast<double>(m.columns), 3));
    const std::vector<int> solver = shared_out(costs, comm.size());
    std::vector<Matrix> weights(x.size());
    std::vector<Matrix*> all;
    {
        const Timers::Scope scope = timers.scope("truncation");
        for_each(algebra, x.size(), [&](std::size_t s) {
            weights[s] = Matrix(x[s].columns, 1);
            if (solver[s] != comm.rank() || x[s].empty()) return;
            const Matrix gram = algebra.product(transposed(x[s]), x[s]);
            std::ranges::copy(krylov::largest_symmetric_pairs(gram.rows, gram.elements, rounding).values,
                              weights[s].elements.begin());
        });
    }
    const Timers::Scope scope = timers.scope("sharing states");
    for (Matrix& m : weights) all.push_back(&m);
    share(comm, solver, all);
    std::vector<double> joined;
    for (const Matrix& m : weights) joined.insert(joined.end(), m.elements.begin(), m.elements.end());
    return joined;
}

double entropy(const std::vector<double>& weights) {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    double sum = 0;
    for (double w : weights)
        if (w > 0) sum -= w / total * std::log(w / total);
    return sum;
}

std::vector<double> entanglement_spectrum(std::vector<double> weights) {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::ranges::sort(weights, std::greater<>());
    weights.resize(spectrum_levels);
    for (double& w : weights) w /= total;
    return weights;
}

}  // namespace strata::dmrg
