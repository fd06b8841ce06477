// SPDX-License-Identifier: BSD-3-Clause
// Operators of enlarged blocks and their transformation to the kept states. The sites of a left block are below the new
// site, those of a right block above it. Of a product and its Hermitian conjugate only the product is built; the conjugate
// is its transpose.
#include "dmrg/state/block.hpp"

#include <algorithm>
#include <numeric>

#include "dmrg/state/sharing.hpp"

namespace strata::dmrg {
namespace {

using kronecker::GemmUpdate;

Charge label_change(Side side, Charge of_site) { return side == Side::left ? of_site : Charge{} - of_site; }

/// Makes the pieces of block operator x site operator. The block operator may be the identity (null). Both change the
/// charge of the enlarged block, the site operator by the charges of the states that its elements connect.
class PieceBuilder {
  public:
    PieceBuilder(const Model& model, const Block& block, Side side, const EnlargedSectors& basis)
        : model_(model), block_(block), side_(side), basis_(basis) {}

    /// Calls f(enlarged sector, piece) for every piece of amplitude * op x site.
    template <class F>
    void for_pieces(const BlockOperator* op, const SiteOperator& site, double amplitude, F f) const {
        for (std::size_t e = 0; e < basis_.sectors.size(); ++e)
            for (const Segment& from : basis_.segments[e])
                for (const SiteOperator::Element& element : site.elements)
                    if (static_cast<std::size_t>(element.from) == from.site_state && element.value != 0)
                        add(e, from, op, element, amplitude * element.value, f);
    }

  private:
    template <class F>
    void add(std::size_t e, const Segment& from, const BlockOperator* op, const SiteOperator::Element& element,
             double amplitude, F f) const {
        if (op != nullptr && op->from_sector[from.sector].empty()) return;
        const auto to_state = static_cast<std::size_t>(element.to);
        const Charge block_change = op == nullptr ? Charge{} : op->change;
        const Charge change =
            block_change + label_change(side_, model_.charges[to_state] - model_.charges[from.site_state]);
        const auto to_sector = block_.sectors.find(block_.sectors.charges[from.sector] + block_change);
        const auto to_enlarged = basis_.sectors.find(basis_.sectors.charges[e] + change);
        if (!to_sector || !to_enlarged) return;
        const Segment* to = basis_.find(*to_enlarged, to_state, *to_sector);
        if (to == nullptr) return;
        f(e, Piece{to->rows, from.rows, amplitude, op == nullptr ? nullptr : &op->from_sector[from.sector]});
    }

    const Model& model_;
    const Block& block_;
    Side side_;
    const EnlargedSectors& basis_;
};

void add_piece(const Piece& p, double factor, Matrix& to) {
    const double amplitude = factor * p.amplitude;
    for (std::uint64_t j = 0; j < p.from.count; ++j) {
        double* out = &to(p.to.first, p.from.first + j);
        if (p.matrix == nullptr)
            out[j] += amplitude;
        else
            for (std::uint64_t i = 0; i < p.to.count; ++i) out[i] += amplitude * (*p.matrix)(i, j);
    }
}

void add_transposed(const Piece& p, Matrix& to) {
    for (std::uint64_t j = 0; j < p.from.count; ++j)
        if (p.matrix == nullptr)
            to(p.from.first + j, p.to.first + j) += p.amplitude;
        else
            for (std::uint64_t i = 0; i < p.to.count; ++i)
                to(p.from.first + j, p.to.first + i) += p.amplitude * (*p.matrix)(i, j);
}

/// The operator of a block for a partial product; null: the identity.
const BlockOperator* find(const Block& block, std::size_t partial) {
    return partial == PartialProduct::none ? nullptr : &block.operators.at(partial);
}

/// H x 1 + 1 x h + the terms that the site completes; of V_n for driven = n + 1 (Term).
BlockOperator enlarged_hamiltonian(const Model& model, const Block& block, Side side, int site,
                                   const EnlargedSectors& basis, std::size_t driven = 0) {
    BlockOperator h;
    const auto& energies = driven == 0 ? model.energies : model.driven_energies[driven - 1];
    for (std::uint64_t states : basis.sectors.states) h.from_sector.emplace_back(states, states);
    const PieceBuilder pieces(model, block, side, basis);
    const auto add = [&](std::size_t e, const Piece& p) { add_piece(p, 1, h.from_sector[e]); };
    pieces.for_pieces(driven == 0 ? &block.hamiltonian : &block.driven[driven - 1],
                      diagonal(std::vector<double>(model.states(), 1.0)), 1, add);
    pieces.for_pieces(nullptr, diagonal(energies[static_cast<std::size_t>(site)]), 1, add);
    for (const std::size_t t : model.terms.ending(side, site)) {
        const Term& term = model.terms.all()[t];
        if (term.driven != driven) continue;
        pieces.for_pieces(find(block, term.rest(side)), model.terms.matrix(term.last(side).op), term.amplitude,
                          [&](std::size_t e, const Piece& p) {
                              add_piece(p, 1, h.from_sector[e]);
                              if (term.conjugate) add_transposed(p, h.from_sector[e]);
                          });
    }
    return h;
}

}  // namespace

Block Block::left_end(const Model& model) {
    Block b;
    b.sectors = {{Charge{}}, {1}};
    b.hamiltonian.from_sector.emplace_back(1, 1);
    b.driven.assign(model.driven_energies.size(), b.hamiltonian);
    return b;
}

Block Block::right_end(const Model& model) {
    const std::uint64_t n = model.end_states();
    Block b;
    b.sectors = {{model.target}, {n}};
    b.hamiltonian.from_sector.emplace_back(n, n);
    b.driven.assign(model.driven_energies.size(), b.hamiltonian);
    for (const std::size_t id : model.terms.partials_of(Side::right, model.sites)) {
        Matrix& unit = b.operators[id].from_sector.emplace_back(n, n);
        for (const auto& [to, from, value] : model.terms.imaginary_unit().op.elements)
            unit(static_cast<std::uint64_t>(to), static_cast<std::uint64_t>(from)) = value;
    }
    return b;
}

namespace {

/// Calls f(matrix) for all matrices of a block, in a fixed order.
template <class Block, class F>
void for_matrices(Block& block, F f) {
    for (auto& m : block.hamiltonian.from_sector) f(m);
    for (auto& op : block.driven)
        for (auto& m : op.from_sector) f(m);
    for (auto& [name, op] : block.operators)
        for (auto& m : op.from_sector) f(m);
}

}  // namespace

std::uint64_t Block::bytes() const {
    std::uint64_t elements = 0;
    for_matrices(*this, [&](const Matrix& m) { elements += m.elements.size(); });
    return elements * sizeof(double);
}

std::vector<std::span<double>> Block::parts() {
    std::vector<std::span<double>> all;
    for_matrices(*this, [&](Matrix& m) {
        if (!m.empty()) all.emplace_back(m.elements);
    });
    return all;
}

void Block::release_elements() {
    for_matrices(*this, [](Matrix& m) { std::vector<double>().swap(m.elements); });
}

void Block::allocate_elements() {
    for_matrices(*this, [](Matrix& m) { m.elements.resize(m.rows * m.columns); });
}

EnlargedBlock grow(const Model& model, const Block& block, Side side, int site, const ChargeRange& allowed) {
    EnlargedBlock e;
    e.basis = enlarge(block.sectors, model.charges, side, allowed);
    e.hamiltonian = enlarged_hamiltonian(model, block, side, site, e.basis);
    for (std::size_t n = 0; n < block.driven.size(); ++n)
        e.driven.push_back(enlarged_hamiltonian(model, block, side, site, e.basis, n + 1));
    const PieceBuilder pieces(model, block, side, e.basis);
    const auto add = [&](std::size_t id, const BlockOperator* op, const SiteOperator& of_site, double amplitude = 1) {
        if (!model.terms.is_needed(side, id, site)) return;
        EnlargedOperator& to = e.operators[id];
        to.change = model.terms.partial(side, id).change;
        to.from_sector.resize(e.basis.sectors.size());
        pieces.for_pieces(op, of_site, amplitude,
                          [&](std::size_t s, const Piece& p) { to.from_sector[s].push_back(p); });
    };
    for (const auto& [id, op] : block.operators) add(id, &op, factor_between(model, model.terms.partial(side, id).odd));
    for (const std::size_t id : model.terms.partials_of(side, site)) {
        const PartialProduct& partial = model.terms.partial(side, id);
        add(id, find(block, partial.rest), model.terms.matrix(partial.op));
    }
    if (side == Side::left)
        for (const ImaginaryPart& part : model.terms.imaginary_parts(site))
            add(part.sum, find(block, part.rest), model.terms.matrix(part.op), part.amplitude);
    for (auto& [id, op] : e.operators) op.is_sum = side == Side::left && model.terms.is_imaginary_sum(id);
    return e;
}

EnlargedBlock without_site(const Block& block) {
    EnlargedBlock e;
    e.has_site = false;
    e.basis.sectors = block.sectors;
    for (std::size_t s = 0; s < block.sectors.size(); ++s)
        e.basis.segments.push_back({{0, s, {0, block.sectors.states[s]}}});
    e.hamiltonian = block.hamiltonian;
    e.driven = block.driven;
    for (const auto& [id, op] : block.operators) {
        EnlargedOperator& to = e.operators[id];
        to.change = op.change;
        to.from_sector.resize(block.sectors.size());
        for (std::size_t s = 0; s < block.sectors.size(); ++s)
            if (const Matrix& m = op.from_sector[s]; !m.empty())
                to.from_sector[s].push_back({{0, m.rows}, {0, m.columns}, 1, &m});
    }
    return e;
}

std::vector<Matrix> driven_hamiltonian(const EnlargedBlock& block, DriveNumbers numbers) {
    std::vector<Matrix> sum = block.hamiltonian.from_sector;
    for (std::size_t n = 0; n < block.driven.size(); ++n)
        for (std::size_t s = 0; s < sum.size(); ++s)
            add_scaled(block.driven[n].from_sector[s], numbers.empty() ? 1 : numbers[n], sum[s]);
    return sum;
}

void add_dense(const EnlargedOperator& op, std::size_t sector, double factor, Matrix& to) {
    for (const Piece& p : op.from_sector[sector]) add_piece(p, factor, to);
}

namespace {

/// U'^T O U, where O is given by its pieces; O U is computed first. `u_to_t`: U'^T.
Matrix rotated(const Algebra& algebra, const std::vector<Piece>& pieces, const Matrix& u_from, const Matrix& u_to_t) {
    Matrix ou(u_to_t.columns, u_from.columns);
    for (const Piece& p : pieces) {
        if (p.matrix != nullptr) {
            Matrix scaled;
            if (p.amplitude != 1) {
                scaled = *p.matrix;
                for (double& x : scaled.elements) x *= p.amplitude;
            }
            algebra.multiply(p.amplitude == 1 ? *p.matrix : scaled, u_from, p.from, ou, p.to, GemmUpdate::add);
            continue;
        }
        for (std::uint64_t j = 0; j < u_from.columns; ++j)
            for (std::uint64_t i = 0; i < p.to.count; ++i)
                ou(p.to.first + i, j) += p.amplitude * u_from(p.from.first + i, j);
    }
    return algebra.product(u_to_t, ou);
}

/// The computation of one matrix of the new block, from sector `kept` to sector `target`: a matrix of the operator
/// `from`, or of `hamiltonian`, that of the block or of a V_n, if `from` is null.
struct RotationTask {
    const EnlargedOperator* from;
    const BlockOperator* hamiltonian;
    std::size_t kept, target, enlarged;
    Matrix* to;
};

/// Allocates the matrices of the new block `b` and lists the tasks that compute them.
std::vector<RotationTask> prepare_rotation(const EnlargedBlock& block, const SiteTensor& tensor, Block& b) {
    std::vector<RotationTask> tasks;
    b.sectors = tensor.kept;
    const std::size_t n = tensor.kept.size();
    const auto add = [&](const EnlargedOperator* from, const BlockOperator* hamiltonian, std::size_t k,
                         std::size_t target, Matrix& to) {
        to = Matrix(tensor.kept.states[target], tensor.kept.states[k]);
        tasks.push_back({from, hamiltonian, k, target, *tensor.enlarged_sector(k), &to});
    };
    const auto add_hamiltonian = [&](const BlockOperator& h, BlockOperator& to) {
        to.from_sector.resize(n);
        for (std::size_t k = 0; k < n; ++k) add(nullptr, &h, k, k, to.from_sector[k]);
    };
    add_hamiltonian(block.hamiltonian, b.hamiltonian);
    b.driven.resize(block.driven.size());
    for (std::size_t v = 0; v < block.driven.size(); ++v) add_hamiltonian(block.driven[v], b.driven[v]);
    for (const auto& [name, op] : block.operators) {
        BlockOperator& to = b.operators[name];
        to.change = op.change;
        to.from_sector.resize(n);
        for (std::size_t k = 0; k < n; ++k) {
            const auto target = tensor.kept.find(tensor.kept.charges[k] + op.change);
            if (target && !op.from_sector[*tensor.enlarged_sector(k)].empty())
                add(&op, nullptr, k, *target, to.from_sector[k]);
        }
    }
    return tasks;
}

/// Floating-point operations of a task.
double cost(const RotationTask& task, const SiteTensor& tensor) {
    const Matrix &u = tensor.matrices[task.kept], &u_to = tensor.matrices[task.target];
    const auto product = [](std::uint64_t m, std::uint64_t n, std::uint64_t k) {
        return 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    };
    double flops = product(u_to.columns, u.columns, u_to.rows);
    if (task.from == nullptr) return flops + product(u.rows, u.columns, u.rows);
    for (const Piece& p : task.from->from_sector[task.enlarged]) flops += product(p.to.count, u.columns, p.from.count);
    return flops;
}

}  // namespace

Block rotate(const Algebra& algebra, const EnlargedBlock& block, const SiteTensor& tensor, const Communicator* shared,
             double min_shared) {
    Block b;
    const std::vector<RotationTask> tasks = prepare_rotation(block, tensor, b);
    std::vector<double> costs;
    for (const RotationTask& task : tasks) costs.push_back(cost(task, tensor));
    const bool all = shared == nullptr || std::accumulate(costs.begin(), costs.end(), 0.0) < min_shared;
    const std::vector<int> rank = shared_out(costs, all ? 1 : shared->size());
    std::vector<Matrix> transposes(tensor.kept.size());
    for_each(algebra, transposes.size(), [&](std::size_t k) { transposes[k] = transposed(tensor.matrices[k]); });
    for_each(algebra, tasks.size(), [&](std::size_t i) {
        const RotationTask& task = tasks[i];
        if (!all && rank[i] != shared->rank()) return;
        const Matrix &u = tensor.matrices[task.kept], &u_to_t = transposes[task.target];
        *task.to = task.from == nullptr
                       ? algebra.product(u_to_t, algebra.product(task.hamiltonian->from_sector[task.enlarged], u))
                       : rotated(algebra, task.from->from_sector[task.enlarged], u, u_to_t);
    });
    if (all) return b;
    std::vector<Matrix*> results;
    for (const RotationTask& task : tasks) results.push_back(task.to);
    share(*shared, rank, results);
    return b;
}

}  // namespace strata::dmrg
