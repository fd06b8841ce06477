// SPDX-License-Identifier: BSD-3-Clause
// Results from pair occupations (pair_occupations.cpp) and elements of the density matrix: algebra of matrices of sites.
#include "lanczos/run/correlations.hpp"

#include <algorithm>
#include <cmath>

#include "lanczos/physics/plane_waves.hpp"

namespace strata::lanczos {
namespace {

constexpr std::size_t stride = PairOccupations::max_sites;

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
            // Sz = n - S or (n_up - n_down) / 2
            const double s = 0.5 * model.codes.bits;
            result.spin.push_back(!spins   ? (same - other) / 4
                                  : i == j ? square_of_sz(model, c, i)
                                           : c.uu[i][j] - s * (c.uu[i][i] + c.uu[j][j]) + s * s);
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

}  // namespace

double square_of_sz(const Model& model, const PairOccupations& pairs, std::size_t site) {
    const double s = 0.5 * model.codes.bits;
    return model.codes.coded() ? pairs.ud[site][site] - 2 * s * pairs.uu[site][site] + s * s : 0.25;
}

std::vector<Quantity> correlation_results(const LanczosPlan& plan, const PairOccupations& c) {
    const Model& model = plan.model();
    const auto sites = static_cast<std::size_t>(model.lattice.sites);
    const bool two = model.kind == SiteKind::electrons, spins = model.kind == SiteKind::spins;
    std::vector<double> up(sites), down(sites);
    double doubly = 0, sum = 0, squares = 0;
    for (std::size_t i = 0; i < sites; ++i) squares += square_of_sz(model, c, i);
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
    q.push_back(Quantity{two ? "occupation-up" : "occupation", "1",
                         spins && model.codes.coded() ? "<Sz + S> of each site" : "of each site", up}
                    .over("site"));
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
                                    spins ? squares : (particles - 2 * doubly) / 4,
                                    !spins                ? "(particles - 2 sum_i <n_up n_down>) / 4"
                                    : model.codes.coded() ? "sum_i <(Sz_i)^2>"
                                                          : "sites / 4"));
    if (torus) append(q, position_results(model.lattice, model.lattice.momenta()));
    return q;
}

DensityMatrix::DensityMatrix(const LanczosPlan& plan, const MakeHamiltonian& make, Timers& timers)
    : plan_(plan), make_(make), timers_(timers), re_(stride * stride), im_(stride * stride) {
    const int sites = plan.model().lattice.sites;
    const auto is_first = [&](SitePair pair) {  // the first pair of its orbit
        return std::ranges::all_of(images(plan, pair), [&](const PairImage& image) {
            return pair <= SitePair(std::minmax(image.sites.first, image.sites.second));
        });
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
    const std::vector<PairImage> bonds = images(plan_, pair);
    const LanczosPlan plan = plan_.for_model(hops_of_pair(plan_, pair, imaginary));
    const std::unique_ptr<HamiltonianOperator> hop = make_(plan, timers_);
    hop->allocate();
    const double value = hop->apply(state).vw / 2 / static_cast<double>(bonds.size());
    for (const auto& [sites, sign] : bonds) set(sites, imaginary, sign * (imaginary ? -value : value));
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
