// SPDX-License-Identifier: BSD-3-Clause
// The two-site space of a matrix product state holds what terms of two neighbouring sites make of it. What others make of
// it, such as hops along the legs of a ladder, changes sites that no superblock has at its centre together, and would be
// projected away in a state with few states per bond. The basis therefore keeps the states that the operators of these
// terms lead to, where the weight (J t)^2 that a first-order step gives them is above the cut-off.
#include "dmrg/run/tdvp.hpp"

#include <algorithm>
#include <cmath>

namespace strata::dmrg {
namespace {

/// Matrices of a tensor as those of a superblock, whose rows are states of its right block.
WaveFunction as_wave_function(const SiteTensor& t, const Sectors& left) {
    WaveFunction x(left.size());
    for (std::size_t k = 0; k < t.kept.size(); ++k)
        if (const auto sector = left.find(t.kept.charges[k]))
            x[*sector] = t.side == Side::right ? t.matrices[k] : transposed(t.matrices[k]);
    return x;
}

void set_matrices(const WaveFunction& x, const Sectors& left, SiteTensor& t) {
    for (std::size_t k = 0; k < t.kept.size(); ++k)
        if (const auto sector = left.find(t.kept.charges[k]); sector && !x[*sector].empty())
            t.matrices[k] = t.side == Side::right ? x[*sector] : transposed(x[*sector]);
}

}  // namespace

Tdvp::Tdvp(const Communicator& comm, const Model& model, const Algebra& algebra, const superblock::MakeOperator& make,
           Timers& timers)
    : SweptChain(comm, model, algebra, timers),
      solver_(comm, algebra.threads(), make, timers),
      has_long_terms_(
          std::ranges::any_of(model.terms.all(), [](const Term& t) { return t.last_site() - t.first_site() > 1; })) {}

Truncation Tdvp::truncated(const WaveFunction& x, const WaveFunction& y, const EnlargedBlock& left,
                           const EnlargedBlock& right, const TdvpSettings& settings) {
    const Side side = orthonormal_side(settings.direction);
    const EnlargedBlock& growing = side == Side::left ? left : right;
    std::vector<Matrix> rho;
    std::optional<FurtherStates> further;
    {
        const Timers::Scope scope = timers_.scope("density matrices");
        const std::vector<bool> own = own_sectors(comm_, growing.basis);
        const std::vector<bool> taken = has_long_terms_ ? std::vector<bool>(own.size(), true) : own;
        rho = density_matrices(algebra_, x, side, left, right, taken);
        add(density_matrices(algebra_, y, side, left, right, taken), 1, rho);
        if (has_long_terms_) further = coupled_states(rho, growing, side, own, settings.time);
    }
    return truncate(comm_, algebra_, side, growing.basis, rho, settings.truncation, timers_,
                    further ? &*further : nullptr);
}

FurtherStates Tdvp::coupled_states(const std::vector<Matrix>& rho, const EnlargedBlock& growing, Side side,
                                   const std::vector<bool>& own, double time) const {
    const double amplitude = model_.terms.largest() * time;
    FurtherStates further{rho, {}};
    add_coupled_states(algebra_, growing, amplitude * amplitude, own, further.rho);
    add(rho, -1, further.rho);
    const int left_sites = chain_.centre() + 1;
    for (const Charge& q : growing.basis.sectors.charges)  // no more than the sites on the other side have
        further.limits.push_back(side == Side::left
                                     ? product_states(model_, model_.sites - left_sites, model_.target - q)
                                     : product_states(model_, left_sites, q));
    return further;
}

krylov::RealExponentialResult Tdvp::evolve_back(int centre, const Block& grown, const EnlargedBlock& other,
                                                const TdvpSettings& settings, SiteTensor& x, SiteTensor& y) {
    const EnlargedBlock alone = without_site(grown);
    const bool to_right = settings.direction == Direction::right;
    const EnlargedBlock &left = to_right ? alone : other, &right = to_right ? other : alone;
    WaveFunction re = as_wave_function(x, left.basis.sectors), im = as_wave_function(y, left.basis.sectors);
    const krylov::RealExponentialResult result =
        solver_.evolve(Superblock(model_, centre, left, right), settings.exponential, -settings.time, re, im);
    set_matrices(re, left.basis.sectors, x);
    set_matrices(im, left.basis.sectors, y);
    return result;
}

TdvpResult Tdvp::update(int centre, const TdvpSettings& settings) {
    go_to(centre);
    const bool to_right = settings.direction == Direction::right;
    const int grown = to_right ? centre : centre + 1;
    const EnlargedBlock left = chain_.enlarged_left(), right = chain_.enlarged_right();
    WaveFunction x = chain_.wave_function(left.basis.sectors), y = chain_.imaginary_wave_function(left.basis.sectors);
    const krylov::RealExponentialResult forward =
        solver_.evolve(Superblock(model_, centre, left, right), settings.exponential, settings.time, x, y);
    Truncation truncation = truncated(x, y, left, right, settings);
    TdvpResult result{0, forward.error, truncation.tensor.kept.total(), forward.products};
    SiteTensor re, im;
    {
        const Timers::Scope scope = timers_.scope("rotation");
        re = remaining_tensor(algebra_, x, truncation.tensor, left, right);
        im = remaining_tensor(algebra_, y, truncation.tensor, left, right);
        const double norm = squared_norm(x) + squared_norm(y),
                     kept = squared_norm(re.matrices) + squared_norm(im.matrices);
        result.discarded = std::max(0.0, 1 - kept / norm);
        for (SiteTensor* part : {&re, &im}) scale(1 / std::sqrt(kept), *part);
        chain_.set_block(rotate(algebra_, to_right ? left : right, truncation.tensor, &comm_));
        chain_.tensor(grown) = std::move(truncation.tensor);
    }
    const bool last = to_right ? centre + 2 == model_.sites : centre == 0;
    if (!last) {
        const krylov::RealExponentialResult back =
            evolve_back(centre, chain_.blocks()[centre + 1], to_right ? right : left, settings, re, im);
        result.error += back.error;
        result.products += back.products;
    }
    chain_.set_complex(to_right ? centre + 1 : centre, std::move(re), std::move(im));
    return result;
}

}  // namespace strata::dmrg
