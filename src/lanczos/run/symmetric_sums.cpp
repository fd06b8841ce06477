// SPDX-License-Identifier: BSD-3-Clause
// Row by row (physics/symmetric_sector.hpp): a product R x C leads to row u from the up bit string u' = s T_g r, which is
// not stored unless it is a representative, and to column T_h o of that row from a column T_h' o',
//
//     (A psi)(u, T_h o) += s chi(g) R C psi(r, T_(g^-1 h') o')
//
// with the signs of T_g^-1 T_h' = +- T_(g^-1 h') and with stored numbers, from whose factors the square roots of the
// stabilisers' orders come. Ranks send each other the rows r. They are as many as the rows of the result times the
// different R, so that the rows of the result are computed in as many parts as there are R, and those that a rank receives
// together are no more than its own.
#include "lanczos/run/symmetric_sums.hpp"

#include <algorithm>
#include <cmath>

#include "comm/row_exchange.hpp"
#include "lanczos/physics/split_terms.hpp"
#include "strata/parallel.hpp"

namespace strata::lanczos {
namespace {

SplitTerms terms_of(const OperatorSum& sum, const SectorCounts& sector) {
    return split(sum, sector.down_sites(), sector.model().codes, OneFactor::joined);
}

}  // namespace

/// The rows of the result from those of x.
class SymmetricSum::Rows {
  public:
    /// Rows of other ranks, as RowExchange delivers them.
    struct ReceivedRows {
        std::vector<std::uint64_t> rows;           ///< ascending
        std::vector<std::uint64_t> local_indices;  ///< [i] place of rows[i] in `blocks`
        Buffer<double> blocks;
    };

    Rows(const OperatorSum& sum, const HamiltonianOperator& from, const HamiltonianOperator& to)
        : from_(from.sector()),
          to_(to.sector()),
          before_(layout(from)),
          after_(layout(to)),
          rows_(terms_of(sum, from_).both) {
        for (const RowTerm& term : rows_) columns_.push_back(matrix_of(term));
    }

    const BlockLayout& before() const { return before_; }
    const BlockLayout& after() const { return after_; }
    std::uint64_t products() const { return rows_.size(); }

    /// The rows that these rows of the result need and that are not in `own`, ascending.
    std::vector<std::uint64_t> needed(const Range& rows, const Range& own) const {
        std::vector<std::uint64_t> all;
        for (std::uint64_t row = rows.first; row < rows.last; ++row) {
            const std::uint64_t up = to_.up_string(0, row);
            for (const RowTerm& term : rows_)
                if (term.row.reaches(up))
                    if (const std::uint64_t source = from_.row_place(up ^ term.row.flip).orbit; !own.contains(source))
                        all.push_back(source);
        }
        std::ranges::sort(all);
        all.erase(std::ranges::unique(all).begin(), all.end());
        return all;
    }

    /// These rows of x from the ranks that own them. Collective.
    ReceivedRows receive(const Communicator& comm, const double* own, std::vector<std::uint64_t> rows) const {
        std::vector<Range> blocks;
        for (int rank = 0; rank < comm.size(); ++rank)
            blocks.push_back(from_.layout(0, before_.arithmetic, comm.size(), rank).blocks);
        RowExchange exchange(comm, {block_rows, before_.panels(), before_.panel * sizeof(double)}, blocks, rows);
        ReceivedRows received = {std::move(rows), exchange.local_indices(),
                                 Buffer<double>(exchange.blocks() * before_.block_size())};
        exchange.start(own, received.blocks.data());
        exchange.finish();
        return received;
    }

    void apply(const Range& rows, const double* own, const ReceivedRows& others, double* result) const {
        for_each_parallel(rows, [&](std::uint64_t row) { add_to_row(row, own, others, result); });
    }

    /// C_R: [column of the result] its entries.
    struct ColumnMatrix {
        struct Entry {
            std::uint64_t source;
            Complex amplitude;
        };
        std::vector<std::uint64_t> first = {0};
        std::vector<Entry> entries;
    };

  private:
    static BlockLayout layout(const HamiltonianOperator& h) {
        return h.sector().layout(0, h.plan().arithmetic(), h.comm().size(), h.comm().rank());
    }

    ColumnMatrix matrix_of(const RowTerm& term) const {
        ColumnMatrix matrix;
        for (std::uint64_t column = 0; column < after_.dim_down; ++column) {
            const double factor = to_.column_factor(column);
            const std::uint64_t down = to_.occupied_down(0, column);
            const auto first = static_cast<std::ptrdiff_t>(matrix.entries.size());
            for (const auto& [op, amplitude] : term.columns) {
                if (factor == 0 || !op.reaches(down)) continue;
                const std::uint64_t source = from_.column_of(down ^ op.flip);
                const Complex scaled =
                    (op.minus(down) ? -amplitude : amplitude) * (factor / from_.column_factor(source));
                const auto same = std::find_if(matrix.entries.begin() + first, matrix.entries.end(),
                                               [&](const ColumnMatrix::Entry& e) { return e.source == source; });
                if (same != matrix.entries.end())
                    same->amplitude += scaled;
                else
                    matrix.entries.push_back({source, scaled});
            }
            matrix.first.push_back(matrix.entries.size());
        }
        return matrix;
    }

    void add_to_row(std::uint64_t row, const double* own, const ReceivedRows& others, double* result) const {
        const SymmetryGroup& group = *from_.symmetric()->group;
        const std::uint64_t up = to_.up_string(0, row);
        const double own_size = to_.row_stabilisers(row);
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            const BitOperator& op = rows_[r].row;
            if (!op.reaches(up)) continue;
            const Orbits::Place place = from_.row_place(up ^ op.flip);
            const double size = std::sqrt(place.stabilisers / own_size), sign = op.minus(up) != place.minus ? -1 : 1;
            const Complex factor = sign * size * group.character(place.element);
            const double* source = own;
            std::uint64_t at = place.orbit;
            if (!before_.own_rows().contains(at)) {
                const auto found = std::ranges::lower_bound(others.rows, at) - others.rows.begin();
                source = others.blocks.data();
                at = before_.blocks.first * block_rows + others.local_indices[static_cast<std::size_t>(found)];
            }
            for (std::uint64_t column = 0; column < after_.dim_down; ++column)
                for (std::uint64_t e = columns_[r].first[column]; e < columns_[r].first[column + 1]; ++e) {
                    const auto& [from, amplitude] = columns_[r].entries[e];
                    add(factor * amplitude * from_.moved_sign(place.element, from),
                        source + before_.at(at, from_.moved_column(place.element, from)),
                        result + after_.at(row, column));
                }
        }
    }

    void add(Complex factor, const double* x, double* out) const {
        const Complex product = factor * Complex(x[0], before_.reals() == 2 ? x[1] : 0);
        out[0] += product.real();
        if (after_.reals() == 2) out[1] += product.imag();
    }

    const Sector &from_, &to_;
    BlockLayout before_, after_;
    std::vector<RowTerm> rows_;
    std::vector<ColumnMatrix> columns_;  ///< [R]
};

SymmetricSum::SymmetricSum(const OperatorSum& sum, const HamiltonianOperator& from, const HamiltonianOperator& to)
    : from_(from), to_(to), rows_(std::make_unique<Rows>(sum, from, to)), result_(rows_->after().size()) {}

SymmetricSum::~SymmetricSum() = default;

void SymmetricSum::apply(const DistributedVector& x, DistributedVector& out) {
    const HamiltonianOperator::Blocks source = from_.blocks(x, 0);
    const BlockLayout& before = rows_->before();
    std::fill(result_.begin(), result_.end(), 0.0);
    const Range own = rows_->after().own_rows();
    const std::uint64_t parts = from_.comm().size() == 1 ? 1 : std::max<std::uint64_t>(1, rows_->products());
    for (std::uint64_t part = 0; part < parts; ++part) {
        Range some = equal_part(own.size(), parts, part);
        some = {own.first + some.first, own.first + some.last};
        Rows::ReceivedRows others;
        if (from_.comm().size() > 1)
            others = rows_->receive(from_.comm(), source.data(), rows_->needed(some, before.own_rows()));
        rows_->apply(some, source.data(), others, result_.data());
    }
    to_.set_blocks(out, 0, result_.data());
}

std::uint64_t SymmetricSum::bytes(const OperatorSum& sum, const LanczosPlan& from, const LanczosPlan& to, int rank) {
    const SplitTerms terms = terms_of(sum, from.counts());
    std::uint64_t bytes = 0;
    for (const RowTerm& term : terms.both)
        bytes += to.layout(0, rank).dim_down *
                 (sizeof(std::uint64_t) + 2 * sizeof(Rows::ColumnMatrix::Entry) * term.columns.size());
    // rows of others and the buffer from which they are sent, each padded to blocks for every rank
    const BlockLayout l = from.layout(0, rank);
    const auto ranks = static_cast<std::uint64_t>(from.ranks());
    return bytes + (ranks == 1 ? 0 : 2 * sizeof(double) * (l.size() + ranks * l.block_size()));
}

}  // namespace strata::lanczos
