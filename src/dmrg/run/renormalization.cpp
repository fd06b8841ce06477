// SPDX-License-Identifier: BSD-3-Clause
// Sequence of a step: enlarged blocks, wave function, lowest state, density matrix, truncation, new block.
#include "dmrg/run/renormalization.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "comm/collectives.hpp"

namespace strata::dmrg {
namespace {

/// Noise and norm of the random part in a sweep of a start.
struct StartSweep {
    double noise, random_part;
};
constexpr StartSweep start_sweeps[] = {{1e-3, 0.1}, {1e-4, 0.01}};

/// Error estimate residual^2 / gap of a Ritz value of the lowest state, at most the residual; 0 if the gap is not
/// known.
double search_error(const krylov::ImprovedState& s) {
    return s.gap > 0 ? std::min(s.residual, s.residual * s.residual / s.gap) : 0;
}

}  // namespace

Renormalization::Renormalization(const Communicator& comm, const Model& model, const Algebra& algebra,
                                 const superblock::MakeOperator& make, Timers& timers)
    : SweptChain(comm, model, algebra, timers), solver_(comm, algebra.threads(), make, timers) {}

void Renormalization::exclude_state() {
    excluded_.emplace_back(algebra_, FoundState(model_, chain_));
    if (model_.complex) excluded_.emplace_back(algebra_, excluded_.back().found().times_imaginary_unit(model_));
}

double Renormalization::begin(std::uint64_t seed, std::uint64_t state, std::uint64_t states) {
    constexpr StartColumns kinds[] = {StartColumns::low_states, StartColumns::random};
    std::vector<SiteTensor> best;
    double lowest = std::numeric_limits<double>::infinity();
    std::uint64_t start = std::size(kinds) * state;
    for (const StartColumns columns : kinds) {
        chain_.begin(columns, {seed, start}, states);
        broadcast_tensors();
        tensors_were_set(Direction::left);
        const double energy = sweep_start(seed, start++, states);
        if (best.empty() || energy < lowest) {
            lowest = energy;
            best = chain_.tensors();
        }
    }
    chain_.set_tensors(std::move(best));
    tensors_were_set(Direction::left);
    return lowest;
}

/// Broadcasts the tensors of rank 0, since the LAPACK of two nodes may differ in the last bit.
void Renormalization::broadcast_tensors() {
    if (comm_.size() == 1) return;
    std::vector<Sectors> bonds = chain_.bonds();
    for (Sectors& s : bonds) {
        std::uint64_t count = s.size();
        broadcast(comm_, count);
        s.charges.resize(count);
        s.states.resize(count);
        broadcast_bytes(comm_, s.charges.data(), count * sizeof(Charge), 0);
        broadcast_bytes(comm_, s.states.data(), count * sizeof(std::uint64_t), 0);
    }
    if (!comm_.is_root()) chain_.set_shapes(0, bonds);
    for (int site = 0; site < model_.sites; ++site)
        for (Matrix& m : chain_.tensor(site).matrices)
            broadcast_bytes(comm_, m.data(), m.elements.size() * sizeof(double), 0);
}

/// Sweeps a start with large noise and random parts of its guesses. Returns the lowest energy of the last half sweep.
double Renormalization::sweep_start(std::uint64_t seed, std::uint64_t start, std::uint64_t states) {
    double lowest = 0;
    std::uint64_t draw = start << 32;
    for (const StartSweep& sweep : start_sweeps)
        for (const Direction direction : {Direction::right, Direction::left}) {
            lowest = std::numeric_limits<double>::infinity();
            for (int n = 0; n + 1 < model_.sites; ++n) {
                const int centre = direction == Direction::right ? n : model_.sites - 2 - n;
                BondSettings s;
                s.truncation = {states, 1e-14, sweep.noise};
                s.solver = {.max_basis = 16, .min_products = 2, .max_products = 32, .tolerance = 1e-4};
                s.direction = direction;
                s.random_part = {sweep.random_part, seed, draw++};
                lowest = std::min(lowest, update(centre, s).energy);
            }
        }
    return lowest;
}

/// Recomputes blocks and overlaps from the tensors; every rank does this for itself.
void Renormalization::rebuild(Direction direction) {
    SweptChain::rebuild(direction);
    const int left_end = chain_.left_end(orthonormal_side(direction));
    for (Overlaps& o : excluded_) {
        for (int site = 0; site < left_end; ++site) o.absorb(site, chain_.tensor(site));
        for (int site = model_.sites - 1; site > left_end; --site) o.absorb(site, chain_.tensor(site));
    }
}

Renormalization::AtBond Renormalization::at_bond(int centre) {
    AtBond b;
    {
        const Timers::Scope scope = timers_.scope("enlarge blocks");
        b.left = chain_.enlarged_left();
        b.right = chain_.enlarged_right();
    }
    const Timers::Scope scope = timers_.scope("wave function");
    b.x = chain_.wave_function(b.left.basis.sectors);
    for (const Overlaps& o : excluded_) b.others.push_back(o.wave_function(centre, b.left.basis, b.right.basis));
    return b;
}

krylov::ImprovedState Renormalization::improve(int centre, AtBond& b, const BondSettings& settings) {
    std::optional<Superblock> superblock;
    {
        const Timers::Scope scope = timers_.scope("superblock");
        superblock.emplace(model_, centre, b.left, b.right);
    }
    return solver_.improve(*superblock, settings.solver, settings.precision, b.others, settings.random_part, b.x);
}

/// While noise > 0 the density matrices of the previous states are added, so that the basis can represent them: in a
/// basis without them, all states that are orthogonal to them may be far too high.
Truncation Renormalization::truncated(const AtBond& b, const BondSettings& settings) {
    const Side side = settings.direction == Direction::right ? Side::left : Side::right;
    const EnlargedBlock& growing = side == Side::left ? b.left : b.right;
    const double noise = settings.truncation.noise;
    std::vector<Matrix> rho;
    {
        const Timers::Scope scope = timers_.scope("density matrices");
        const std::vector<bool> own = own_sectors(comm_, growing.basis);
        const std::vector<bool> taken = noise > 0 ? std::vector<bool>(own.size(), true) : own;
        rho = density_matrices(algebra_, b.x, side, b.left, b.right, taken);
        if (noise > 0) {
            for (const WaveFunction& other : b.others)
                add(density_matrices(algebra_, other, side, b.left, b.right, taken), std::sqrt(noise), rho);
            add_noise(algebra_, growing, noise, own, rho);
        }
    }
    return truncate(comm_, algebra_, side, growing.basis, rho, settings.truncation, timers_);
}

BondResult Renormalization::update(int centre, const BondSettings& settings) {
    go_to(centre);
    AtBond b = at_bond(centre);
    const krylov::ImprovedState improved = improve(centre, b, settings);
    Truncation truncation = truncated(b, settings);
    const Timers::Scope scope = timers_.scope("rotation");
    const bool to_right = settings.direction == Direction::right;
    SiteTensor rest = remaining_tensor(algebra_, b.x, truncation.tensor, b.left, b.right);
    const double norm = squared_norm(b.x), kept = squared_norm(rest.matrices);
    scale(1 / std::sqrt(kept), rest);
    const std::vector<double> weights =
        settings.truncation.noise > 0 ? schmidt_weights(comm_, algebra_, rest.matrices, timers_) : truncation.weights;
    Block block = rotate(algebra_, to_right ? b.left : b.right, truncation.tensor, &comm_);
    BondResult result{improved.start_energy,
                      improved.energy,
                      improved.residual,
                      search_error(improved),
                      std::max(0.0, 1 - kept / norm),
                      entropy(weights),
                      entanglement_spectrum(weights),
                      truncation.tensor.kept.total(),
                      improved.products};
    const int grown = to_right ? centre : centre + 1;
    for (Overlaps& o : excluded_) o.absorb(grown, truncation.tensor);
    chain_.tensor(grown) = std::move(truncation.tensor);
    chain_.tensor(to_right ? centre + 1 : centre) = std::move(rest);
    chain_.set_block(std::move(block));
    return result;
}

}  // namespace strata::dmrg
