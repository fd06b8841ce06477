// SPDX-License-Identifier: BSD-3-Clause
// Pair occupations are weights |x|^2 summed over all basis states. Within a block of 16 rows doubles are summed in a
// fixed order; over blocks, threads and ranks the sums are exact (strata/exact_sum.hpp), so that nothing is stored per
// block and the bits do not depend on which rank or thread sums which block. All else is algebra of matrices of sites.
#include "lanczos/run/correlations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "comm/collectives.hpp"
#include "lanczos/physics/plane_waves.hpp"
#include "strata/exact_sum.hpp"
#include "strata/parallel.hpp"

namespace strata::lanczos {
namespace {

constexpr std::size_t stride = PairOccupations::max_sites;

/// Calls visit(site) for every bit that is set.
template <class Visit>
void for_each_site(std::uint64_t occupation, Visit visit) {
    for (; occupation != 0; occupation &= occupation - 1) visit(static_cast<std::size_t>(__builtin_ctzll(occupation)));
}

/// Adds weight to out[i * sites + j] for all pairs of occupied sites i <= j.
void add_pairs(std::uint64_t occupation, double weight, std::size_t sites, double* out) {
    for (; occupation != 0; occupation &= occupation - 1) {
        double* row = out + static_cast<std::size_t>(__builtin_ctzll(occupation)) * sites;
        for_each_site(occupation, [&](std::size_t j) { row[j] += weight; });
    }
}

using RowWeights = std::array<double, block_rows>;

/// |x|^2 of the elements of one column in all rows of a block; 0 for padding rows.
RowWeights row_weights(const double* z, std::uint64_t rows, const BlockLayout& l) {
    RowWeights weights{};
    for (std::uint64_t row = 0; row < rows; ++row, z += l.panel)
        weights[row] = z[0] * z[0] + (l.reals() == 2 ? z[1] * z[1] : 0);
    return weights;
}

/// The sum of all rows, always in the same order.
double over_rows(RowWeights weights) {
    for (std::size_t half = block_rows / 2; half > 0; half /= 2)
        for (std::size_t row = 0; row < half; ++row) weights[row] += weights[row + half];
    return weights[0];
}

/// Weights of pairs of occupied sites: doubles within one block, in a fixed order, and exact sums over blocks.
class PairSums {
  public:
    PairSums(std::size_t up_sites, std::size_t down_sites)
        : us_(up_sites), ds_(down_sites), of_block_(entries(us_, ds_)), beside_(ds_), total_(entries(us_, ds_)) {}

    static std::size_t entries(std::size_t us, std::size_t ds) { return us * us + ds * ds + us * ds; }

    void add_block(const HamiltonianView& h, const double* x, std::uint64_t block);
    void add(const PairSums& other) {
        for (std::size_t i = 0; i < total_.size(); ++i) total_[i] += other.total_[i];
    }
    void over_ranks(const Communicator& comm) { all_sum(comm, total_); }

    double uu(std::size_t i, std::size_t j) const { return total_[std::min(i, j) * us_ + std::max(i, j)].value(); }
    double dd(std::size_t i, std::size_t j) const {
        return total_[us_ * us_ + std::min(i, j) * ds_ + std::max(i, j)].value();
    }
    double ud(std::size_t i, std::size_t j) const { return total_[us_ * us_ + ds_ * ds_ + i * ds_ + j].value(); }

  private:
    std::size_t us_, ds_;
    std::vector<double> of_block_;    ///< [up][up], [down][down] of pairs i <= j, and [up][down]
    std::vector<RowWeights> beside_;  ///< [down site][row of the block]: weight with that down site occupied
    std::vector<ExactSum> total_;     ///< sums over blocks, in the order of of_block_
};

void PairSums::add_block(const HamiltonianView& h, const double* x, std::uint64_t block) {
    const BlockLayout& l = h.layout;
    const std::uint64_t first = (l.blocks.first + block) * block_rows, rows = l.rows_of(block);
    std::ranges::fill(of_block_, 0);
    std::ranges::fill(beside_, RowWeights{});
    double *uu = of_block_.data(), *dd = uu + us_ * us_, *ud = dd + ds_ * ds_;
    RowWeights* const beside = beside_.data();
    RowWeights of_up{};
    for (std::uint64_t d = 0; d < l.dim_down; ++d) {
        const RowWeights weights = row_weights(x + l.at(first, d), rows, l);
        for (std::size_t row = 0; row < block_rows; ++row) of_up[row] += weights[row];
        for_each_site(h.down.sites[d], [&](std::size_t j) {
            for (std::size_t row = 0; row < block_rows; ++row) beside[j][row] += weights[row];
        });
        add_pairs(h.down.sites[d], over_rows(weights), ds_, dd);
    }
    for (std::uint64_t row = 0; row < rows; ++row) {
        add_pairs(h.up.sites[first + row], of_up[row], us_, uu);
        for_each_site(h.up.sites[first + row], [&](std::size_t i) {
            for (std::size_t j = 0; j < ds_; ++j) ud[i * ds_ + j] += beside[j][row];
        });
    }
    for (std::size_t i = 0; i < of_block_.size(); ++i)
        if (of_block_[i] != 0) total_[i].add(of_block_[i]);
}

/// sum_ij conj(w_i) w_j c[i][j] of a Hermitian matrix.
double expectation(const PlaneWave& wave, const std::vector<Complex>& c) {
    const std::size_t sites = wave.weight.size();
    double sum = 0;
    for (std::size_t i = 0; i < sites; ++i)
        for (std::size_t j = 0; j < sites; ++j)
            sum += (std::conj(wave.weight[i]) * wave.weight[j] * c[i * sites + j]).real();
    return sum;
}

/// <A+_k A_k> for every wave vector from c[i][j] = <A+_i A_j>, over all sites or for each sublattice. The sum over all
/// wave vectors, whose exact value is `exact`, is added where the sum rule holds: for cells of one site, and for
/// separate sublattices.
std::vector<Quantity> over_wave_vectors(const LanczosPlan& plan, const std::string& name, const std::string& pairs,
                                        const std::vector<Complex>& c, double exact, const std::string& rule) {
    const Lattice& lattice = plan.model().lattice;
    const bool separate = plan.config().sublattices == Sublattices::separate;
    const std::size_t kinds = separate ? static_cast<std::size_t>(lattice.sublattices) : 1;
    std::vector<Quantity> q;
    for (std::size_t s = 0; s < kinds; ++s)
        q.push_back(Quantity{
            name + suffix_of(separate ? static_cast<int>(s) : -1),
            "1",
            "sum_ij e^(ik(r_i - r_j)) " + pairs + " / N for every wave vector, " +
                (separate ? "i, j of the N sites of this sublattice" : "r: positions of the sites"),
            {}}.over("k"));
    const std::vector<PlaneWave> waves = plane_waves(lattice, lattice.momenta(), plan.config().sublattices);
    double sum = 0;
    for (std::size_t i = 0; i < waves.size(); ++i) {
        q[i % kinds].value.push_back(expectation(waves[i], c));
        sum += q[i % kinds].value.back();
    }
    if (separate || lattice.sublattices == 1)
        q.push_back(
            {name + "-sum", "1", "over all wave vectors (and sublattices); exact: " + rule, {sum}, {}, {}, {exact}});
    return q;
}

/// <n_i n_j> and <Sz_i Sz_j>, [i][j].
struct PairCorrelations {
    std::vector<Complex> density, spin;
};

PairCorrelations pair_correlations(const Model& model, const PairOccupations& c) {
    const auto sites = static_cast<std::size_t>(model.lattice.sites);
    const bool spins = model.kind == SiteKind::spins;
    PairCorrelations result;
    for (std::size_t i = 0; i < sites; ++i)
        for (std::size_t j = 0; j < sites; ++j) {
            const double same = c.uu[i][j] + c.dd[i][j], other = c.ud[i][j] + c.ud[j][i];
            result.density.push_back(same + other);
            // Sz = n - 1/2 or (n_up - n_down) / 2
            result.spin.push_back(spins ? c.uu[i][j] - (c.uu[i][i] + c.uu[j][j]) / 2 + 0.25 : (same - other) / 4);
        }
    return result;
}

/// The first row of a real matrix.
std::vector<double> with_first_site(const std::vector<Complex>& matrix, std::size_t sites) {
    std::vector<double> row;
    for (std::size_t j = 0; j < sites; ++j) row.push_back(matrix[j].real());
    return row;
}

void append(std::vector<Quantity>& q, std::vector<Quantity> more) {
    for (Quantity& each : more) q.push_back(std::move(each));
}

void take_two_components(const PairSums& sums, std::size_t sites, PairOccupations& result) {
    for (std::size_t i = 0; i < sites; ++i)
        for (std::size_t j = 0; j < sites; ++j) {
            result.uu[i][j] = sums.uu(i, j);
            result.dd[i][j] = sums.dd(i, j);
            result.ud[i][j] = sums.ud(i, j);
        }
}

/// In a sector of symmetries a row represents all its images, so that the result is the mean over the group. `two`:
/// whether there are two spin components.
void take_orbits(const PairSums& sums, const SymmetryGroup& group, bool two, PairOccupations& result) {
    const int sites = group.sites();
    for (int i = 0; i < sites; ++i)
        for (int j = 0; j < sites; ++j)
            for (std::uint32_t g = 0; g < group.order(); ++g) {
                const auto a = static_cast<std::size_t>(group.image(g)[static_cast<std::size_t>(i)]),
                           b = static_cast<std::size_t>(group.image(g)[static_cast<std::size_t>(j)]);
                const auto [x, y] = std::pair(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
                const double pair =  // both sites occupied, or both empty
                    group.spin_inversion(g) ? 1 - sums.uu(a, a) - sums.uu(b, b) + sums.uu(a, b) : sums.uu(a, b);
                result.uu[x][y] += pair / group.order();
                if (!two) continue;
                result.dd[x][y] += sums.dd(a, b) / group.order();
                result.ud[x][y] += sums.ud(a, b) / group.order();
            }
}

/// Pairs of sites from pairs of bits, of coded electrons: spin down is the lower bit of a site.
void take_electrons(const PairOccupations& of_bits, std::size_t sites, PairOccupations& result) {
    for (std::size_t i = 0; i < sites; ++i)
        for (std::size_t j = 0; j < sites; ++j) {
            result.uu[i][j] = of_bits.uu[2 * i + 1][2 * j + 1];
            result.dd[i][j] = of_bits.uu[2 * i][2 * j];
            result.ud[i][j] = of_bits.uu[2 * i + 1][2 * j];
        }
}

/// With one spin component the down bit strings are the left half of the sites, the up bit strings the right half.
void take_halves(const PairSums& sums, std::size_t us, std::size_t ds, PairOccupations& result) {
    for (std::size_t i = 0; i < ds; ++i)
        for (std::size_t j = 0; j < ds; ++j) result.uu[i][j] = sums.dd(i, j);
    for (std::size_t i = 0; i < us; ++i) {
        for (std::size_t j = 0; j < us; ++j) result.uu[ds + i][ds + j] = sums.uu(i, j);
        for (std::size_t j = 0; j < ds; ++j) result.uu[ds + i][j] = result.uu[j][ds + i] = sums.ud(i, j);
    }
}

}  // namespace

void PairOccupations::add(const PairOccupations& other) {
    for (std::size_t i = 0; i < max_sites; ++i)
        for (std::size_t j = 0; j < max_sites; ++j) {
            uu[i][j] += other.uu[i][j];
            dd[i][j] += other.dd[i][j];
            ud[i][j] += other.ud[i][j];
        }
    measured += other.measured;
}

PairOccupations PairOccupations::mean() const {
    PairOccupations result = *this;
    for (auto matrix : {result.uu, result.dd, result.ud})
        for (std::size_t i = 0; i < max_sites; ++i)
            for (std::size_t j = 0; j < max_sites; ++j) matrix[i][j] /= measured;
    result.measured = 1;
    return result;
}

void PairOccupations::add_fields(Record& record) {
    constexpr std::size_t size = max_sites * max_sites;
    record.field("up-up", std::span(&uu[0][0], size));
    record.field("down-down", std::span(&dd[0][0], size));
    record.field("up-down", std::span(&ud[0][0], size));
    record.field("measured", measured);
}

void measure(HamiltonianOperator& hamiltonian, const DistributedVector& state, PairOccupations& result) {
    const Sector& sector = hamiltonian.sector();
    const auto us = static_cast<std::size_t>(sector.up_sites()), ds = static_cast<std::size_t>(sector.down_sites());
    PairSums sums(us, ds);
    std::vector<PairSums> of_threads(static_cast<std::size_t>(omp_get_max_threads()), sums);
    for (std::size_t p = 0; p < sector.subspaces().size(); ++p) {
        const BlockLayout l =
            sector.layout(p, hamiltonian.plan().arithmetic(), hamiltonian.comm().size(), hamiltonian.comm().rank());
        const HamiltonianView h = sector.hamiltonian(p, l);
        const HamiltonianOperator::Blocks x = hamiltonian.blocks(state, p);
        for_each_parallel({0, l.blocks.size()}, [&](std::uint64_t b) {
            of_threads[static_cast<std::size_t>(omp_get_thread_num())].add_block(h, x.data(), b);
        });
    }
    for (const PairSums& own : of_threads) sums.add(own);
    sums.over_ranks(hamiltonian.comm());
    result = PairOccupations();
    result.measured = 1;
    const bool two = sector.model().spin_components == 2;
    if (sector.symmetric())
        take_orbits(sums, *sector.symmetric()->group, two, result);
    else if (two)
        take_two_components(sums, us, result);
    else
        take_halves(sums, us, ds, result);
    if (!sector.model().codes.coded()) return;
    const auto of_bits = std::make_unique<const PairOccupations>(result);
    result = PairOccupations();
    result.measured = 1;
    take_electrons(*of_bits, static_cast<std::size_t>(sector.model().lattice.sites), result);
}

std::vector<Quantity> correlation_results(const LanczosPlan& plan, const PairOccupations& c) {
    const Model& model = plan.model();
    const auto sites = static_cast<std::size_t>(model.lattice.sites);
    const bool two = model.kind == SiteKind::electrons, spins = model.kind == SiteKind::spins;
    std::vector<double> up(sites), down(sites);
    double doubly = 0, sum = 0;
    for (std::size_t i = 0; i < sites; ++i) {
        up[i] = c.uu[i][i];
        down[i] = c.dd[i][i];
        sum += up[i] + down[i];
        doubly += c.ud[i][i];
    }
    const PairCorrelations pairs = pair_correlations(model, c);
    const bool conserved = plan.conserves_particles();
    const double particles = conserved ? plan.config().up + plan.config().down : sum,
                 extent = static_cast<double>(sites);
    const bool torus = !model.lattice.torus.empty();
    std::vector<Quantity> q;
    if (two) q.push_back({"double-occupancy", "1", "mean of n_up n_down over the sites", {doubly / extent}});
    q.push_back(Quantity{two ? "occupation-up" : "occupation", "1", "of each site", up}.over("site"));
    if (two) q.push_back(Quantity{"occupation-down", "1", "of each site", down}.over("site"));
    if (conserved)
        q.push_back({"density-sum", "1", "occupations of all sites; exact: particles", {sum}, {}, {}, {particles}});
    else
        q.push_back({"density-sum", "1", "occupations of all sites", {sum}});
    if (!spins)
        q.push_back(
            Quantity{"density-correlation", "1", "<n_0 n_j> for every site j", with_first_site(pairs.density, sites)}
                .over("site"));
    if (!spins && torus)
        append(q, over_wave_vectors(plan, "density-structure-factor", "<n_i n_j>", pairs.density,
                                    particles + 2 * doubly, two ? "particles + 2 sum_i <n_up n_down>" : "particles"));
    if (two || spins)
        q.push_back(
            Quantity{"spin-correlation", "1", "<Sz_0 Sz_j> for every site j", with_first_site(pairs.spin, sites)}.over(
                "site"));
    if ((two || spins) && torus)
        append(q, over_wave_vectors(plan, "spin-structure-factor", "<Sz_i Sz_j>", pairs.spin,
                                    spins ? extent / 4 : (particles - 2 * doubly) / 4,
                                    spins ? "sites / 4" : "(particles - 2 sum_i <n_up n_down>) / 4"));
    if (torus) append(q, position_results(model.lattice, model.lattice.momenta()));
    return q;
}

DensityMatrix::DensityMatrix(const LanczosPlan& plan, const MakeHamiltonian& make, Timers& timers)
    : plan_(plan), make_(make), timers_(timers), re_(stride * stride), im_(stride * stride) {
    const int sites = plan.model().lattice.sites;
    const auto is_first = [&](SitePair pair) {  // the first pair of its orbit
        return std::ranges::all_of(images(plan, pair),
                                   [&](SitePair p) { return pair <= SitePair(std::minmax(p.first, p.second)); });
    };
    for (int i = 0; i < sites; ++i)
        for (int j = i + 1; j < sites; ++j)
            if (is_first({i, j})) pairs_.emplace_back(i, j);
}

void DensityMatrix::set(SitePair pair, bool imaginary, double value) {
    const bool reversed = pair.first > pair.second;
    if (reversed) std::swap(pair.first, pair.second);
    const std::size_t at = index(static_cast<std::size_t>(pair.first), static_cast<std::size_t>(pair.second));
    (imaginary ? im_ : re_)[at] = imaginary && reversed ? -value : value;
}

void DensityMatrix::initialise() {
    for (std::vector<double>* numbers : {&re_, &im_}) std::ranges::fill(*numbers, 0.0);
    steps_ = 0;
}

void DensityMatrix::add_fields(Record& record) {
    record.field("density-matrix-re", re_).field("density-matrix-im", im_).field("density-matrix-steps", steps_);
}

std::uint64_t DensityMatrix::total_steps() const {
    return pairs_.size() * (plan_.arithmetic() == Arithmetic::complex ? 2 : 1);
}

void DensityMatrix::step(const DistributedVector& state) {
    const bool complex = plan_.arithmetic() == Arithmetic::complex;
    const SitePair pair = pairs_[complex ? steps_ / 2 : steps_];
    const bool imaginary = complex && steps_ % 2 == 1;
    const std::vector<SitePair> bonds = images(plan_, pair);
    const LanczosPlan plan = plan_.for_model(hops_of_pair(plan_, pair, imaginary));
    const std::unique_ptr<HamiltonianOperator> hop = make_(plan, timers_);
    hop->allocate();
    const double value = hop->apply(state).vw / 2 / static_cast<double>(bonds.size());
    for (const SitePair& image : bonds) set(image, imaginary, imaginary ? -value : value);
    ++steps_;
}

std::vector<Quantity> momentum_distribution(const LanczosPlan& plan, const PairOccupations& c,
                                            const DensityMatrix& density_matrix) {
    const auto sites = static_cast<std::size_t>(plan.model().lattice.sites);
    std::vector<Complex> matrix(sites * sites);
    for (std::size_t i = 0; i < sites; ++i) {
        matrix[i * sites + i] = c.uu[i][i] + c.dd[i][i];
        for (std::size_t j = i + 1; j < sites; ++j) {
            matrix[i * sites + j] = density_matrix(i, j);
            matrix[j * sites + i] = std::conj(matrix[i * sites + j]);
        }
    }
    double particles = 0;  // exactly that of the sector, where it has a number
    for (std::size_t i = 0; i < sites; ++i) particles += matrix[i * sites + i].real();
    if (plan.conserves_particles()) particles = plan.config().up + plan.config().down;
    return over_wave_vectors(plan, "momentum-distribution", "<c+_i c_j>", matrix, particles, "particles");
}

}  // namespace strata::lanczos
