// SPDX-License-Identifier: BSD-3-Clause
// One step reads: blocks with their sites, wave function, lowest state, density matrix, truncation, new block.
#include "dmrg/renormalization.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace strata::dmrg {
namespace {

double squared_norm(const std::vector<Matrix>& x) {
    double sum = 0;
    for (const Matrix& m : x) sum += squared_norm(m);
    return sum;
}

/// The wave function in the kept states of one side: the tensor of the other site at the centre.
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

/// residual^2 / gap, the error of a Ritz value that belongs to the lowest state.
double search_error(const krylov::ImprovedState& s) {
    return s.gap > 0 ? std::min(s.residual, s.residual * s.residual / s.gap) : 0;
}

void scale(double factor, SiteTensor& t) {
    for (Matrix& m : t.matrices)
        for (double& element : m.elements) element *= factor;
}

}  // namespace

Renormalization::Renormalization(const Communicator& comm, const Model& model, const SolverOptions& options,
                                 Timers& timers)
    : comm_(comm),
      model_(model),
      algebra_(options.simd, options.threads),
      solver_(comm, options, timers),
      chain_(model_, algebra_),
      timers_(timers) {}

void Renormalization::exclude_state() { excluded_.emplace_back(algebra_, FoundState(model_, chain_)); }

void Renormalization::begin(std::uint64_t seed, std::uint64_t state, std::uint64_t states) {
    chain_.randomise(seed, state, states);
    rebuild(Direction::left);
}

void Renormalization::rebuild(Direction direction) {
    const Side orthonormal = direction == Direction::right ? Side::left : Side::right;
    chain_.rebuild_blocks(orthonormal);
    const int left_end = chain_.left_end(orthonormal);
    for (Overlaps& o : excluded_) {
        for (int site = 0; site < left_end; ++site) o.absorb(site, chain_.tensor(site));
        for (int site = model_.sites - 1; site > left_end; --site) o.absorb(site, chain_.tensor(site));
    }
}

void Renormalization::go_to(int centre) {
    while (chain_.centre() < centre) chain_.move_right();
    while (chain_.centre() > centre) chain_.move_left();
}

krylov::ImprovedState Renormalization::improve(int centre, const EnlargedBlock& left, const EnlargedBlock& right,
                                               const BondSettings& settings, WaveFunction& x) {
    std::optional<Superblock> superblock;
    std::vector<WaveFunction> others;
    {
        const Timers::Scope scope = timers_.scope("superblock");
        superblock.emplace(model_, centre, left, right);
        for (const Overlaps& o : excluded_) others.push_back(o.wave_function(centre, left.basis, right.basis));
    }
    return solver_.improve(*superblock, settings.solver, settings.precision, others, x);
}

BondResult Renormalization::update(int centre, const BondSettings& settings) {
    const bool to_right = settings.direction == Direction::right;
    EnlargedBlock left, right;
    WaveFunction x;
    {
        const Timers::Scope scope = timers_.scope("wave function");
        go_to(centre);
    }
    {
        const Timers::Scope scope = timers_.scope("enlarge blocks");
        left = chain_.enlarged_left();
        right = chain_.enlarged_right();
    }
    {
        const Timers::Scope scope = timers_.scope("wave function");
        x = chain_.wave_function(left.basis.sectors);
    }
    const krylov::ImprovedState improved = improve(centre, left, right, settings, x);
    const Side side = to_right ? Side::left : Side::right;
    const EnlargedBlock& growing = to_right ? left : right;
    Truncation truncation;
    {
        const Timers::Scope scope = timers_.scope("truncation");
        std::vector<Matrix> rho = density_matrices(algebra_, x, side, left, right);
        if (settings.truncation.noise > 0) add_noise(algebra_, growing, settings.truncation.noise, rho);
        truncation = truncate(comm_, algebra_, side, growing.basis, rho, settings.truncation);
    }
    const Timers::Scope scope = timers_.scope("rotation");
    SiteTensor rest = remaining_tensor(algebra_, x, truncation.tensor, left, right);
    const double norm = squared_norm(x), kept = squared_norm(rest.matrices);
    scale(1 / std::sqrt(kept), rest);
    Block block = rotate(algebra_, growing, truncation.tensor);
    BondResult result{improved.energy,
                      improved.residual,
                      search_error(improved),
                      std::max(0.0, 1 - kept / norm),
                      entropy(truncation.weights),
                      truncation.tensor.kept.total(),
                      improved.products};
    chain_.tensor(to_right ? centre : centre + 1) = std::move(truncation.tensor);
    chain_.tensor(to_right ? centre + 1 : centre) = std::move(rest);
    to_right ? chain_.set_left_block(std::move(block)) : chain_.set_right_block(std::move(block));
    const int grown = to_right ? centre : centre + 1;
    for (Overlaps& o : excluded_) o.absorb(grown, chain_.tensor(grown));
    return result;
}

}  // namespace strata::dmrg
