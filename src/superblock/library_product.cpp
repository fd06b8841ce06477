// SPDX-License-Identifier: BSD-3-Clause
// The library's products read all of x from one array: own patches and those of other ranks are copied into it.
#include "superblock/library_product.hpp"

#include <algorithm>

namespace strata::kronecker {
namespace {

const char* name_of(LibraryVariant variant) {
    switch (variant) {
        case LibraryVariant::loops: return "loops";
        case LibraryVariant::tasks: return "tasks";
        case LibraryVariant::batched: return "batched products";
        case LibraryVariant::fused: break;
    }
    return "fused products";
}

/// [patch] index of its first element among the patches that a rank reads, which are contiguous; the last entry is the
/// number of all these elements.
std::vector<std::uint64_t> first_in_x(const MultiplyPlan& plan, int rank) {
    std::vector<std::uint64_t> first(plan.layout().size() + 1);
    std::uint64_t elements = 0;
    for (std::size_t patch : patches_read(plan.target(), plan.partition().columns(rank))) {
        first[patch] = elements;
        elements += plan.layout()[patch].size();
    }
    first.back() = elements;
    return first;
}

/// The threads of a rank in groups of at most `blocks`, which share a row.
LibraryThreads threads_of(const MultiplyPlan& plan, int blocks) {
    const int used = std::min(blocks, plan.threads());
    return {plan.threads() / used, used};
}

std::vector<double> identity(std::uint64_t rows) {
    std::vector<double> elements(rows * rows);
    for (std::uint64_t i = 0; i < rows; ++i) elements[i * rows + i] = 1;
    return elements;
}

/// All K left or right operators of a term, contiguous, each column by column; read(k, part, elements) reads one of
/// them.
template <class Read>
std::vector<double> whole_operators(Factor factor, std::uint64_t operators, const Rectangle& whole, Read read) {
    if (factor == Factor::identity) return identity(whole.rows.size());
    std::vector<double> elements(operators * whole.size());
    for (std::uint64_t k = 0; k < operators; ++k) read(k, whole, elements.data() + k * whole.size());
    return elements;
}

}  // namespace

/// Blocks are sorted by rows; the blocks of a row have the order of terms, which is that of J.
template <class Real>
std::vector<typename LibraryProduct<Real>::Block> LibraryProduct<Real>::blocks(const Target& target,
                                                                               const Range& columns) {
    std::vector<Block> all;
    for (std::size_t term = 0; term < target.terms.size(); ++term) {
        const Term& t = target.terms[term];
        if (!target.layout.part_of(t.i, columns).empty()) all.push_back({term, Orientation::as_listed, t.i, t.j});
        if (!t.diagonal() && !target.layout.part_of(t.j, columns).empty())
            all.push_back({term, Orientation::transposed, t.j, t.i});
    }
    std::ranges::stable_sort(all, {}, &Block::to);
    return all;
}

template <class Real>
std::vector<LibraryBlock> LibraryProduct<Real>::shapes(const MultiplyPlan& plan, int rank,
                                                       const std::vector<Block>& blocks) {
    const PatchLayout& layout = plan.layout();
    const Range columns = plan.partition().columns(rank);
    const std::vector<std::uint64_t> in_x = first_in_x(plan, rank);
    std::vector<LibraryBlock> shapes;
    for (const Block& b : blocks) {
        const std::uint64_t first = layout.element_of(std::max(layout.columns_of(b.to).first, columns.first));
        shapes.push_back({b.to, layout[b.to].r, layout.part_of(b.to, columns).size(), layout[b.from],
                          plan.target().terms[b.term].operators, in_x[b.from], first - plan.elements(rank).first});
    }
    return shapes;
}

template <class Real>
LibraryProduct<Real>::LibraryProduct(const Communicator& comm, const MultiplyPlan& plan, const Node& node,
                                     LibraryVariant variant, GemmBackend backend, int block_threads, Timers& timers)
    : HostProduct<Real>(comm, plan, node, timers),
      variant_(variant),
      backend_(backend),
      threads_(threads_of(plan, block_threads)),
      blocks_(blocks(plan.target(), plan.columns())) {}

template <class Real>
std::string LibraryProduct<Real>::name() const {
    return std::string(name_of(variant_)) + " by " + describe(backend_);
}

template <class Real>
MemoryPrediction LibraryProduct<Real>::memory(const MultiplyPlan& plan, int rank, LibraryVariant variant,
                                              int block_threads, bool in_place) {
    const Range columns = plan.partition().columns(rank);
    const std::vector<LibraryBlock> all = shapes(plan, rank, blocks(plan.target(), columns));
    const LibraryBytes bytes = LibraryMultiply<Real>::bytes(variant, all, threads_of(plan, block_threads));
    MemoryPrediction m;
    m.host.push_back({"operators", bytes.operators});
    m.host.push_back({"products of the library", bytes.scratch});
    m.host.push_back(
        {"copies of patches", sizeof(Real) * (first_in_x(plan, rank).back() + plan.elements(rank).size())});
    if (!in_place) m.host.push_back({"patches of other ranks", plan.gathered_bytes<Real>(rank)});
    return m;
}

template <class Real>
MemoryPrediction LibraryProduct<Real>::memory() const {
    return memory(plan_, plan_.rank(), variant_, threads_.blocks, this->in_place());
}

template <class Real>
void LibraryProduct<Real>::allocate(const OperatorSource& operators) {
    multiply_ =
        std::make_unique<LibraryMultiply<Real>>(variant_, shapes(plan_, plan_.rank(), blocks_), backend_, threads_);
    x_ = Buffer<Real>(first_in_x(plan_, plan_.rank()).back());
    y_ = Buffer<Real>(plan_.elements().size());
    std::ranges::fill(y_, Real(0));  // patches without terms remain 0
#pragma omp parallel for schedule(dynamic) num_threads(plan_.threads())
    for (std::size_t block = 0; block < blocks_.size(); ++block) pack(block, operators);
}

template <class Real>
void LibraryProduct<Real>::pack(std::size_t block, const OperatorSource& operators) {
    const Block& b = blocks_[block];
    const Term& t = plan_.target().terms[b.term];
    const PatchShape &i = plan_.layout()[t.i], &j = plan_.layout()[t.j];
    const std::vector<double> left = whole_operators(
        t.left, t.operators, {{0, i.l}, {0, j.l}},
        [&](std::uint64_t k, const Rectangle& part, double* to) { operators.left(b.term, k, part, to); });
    const std::vector<double> right = whole_operators(
        t.right, t.operators, {{0, i.r}, {0, j.r}},
        [&](std::uint64_t k, const Rectangle& part, double* to) { operators.right(b.term, k, part, to); });
    const bool listed = b.orientation == Orientation::as_listed;
    const std::uint64_t first = plan_.layout().part_of(b.to, plan_.columns()).first;
    multiply_->pack(
        block,
        [&](std::uint64_t k, std::uint64_t a, std::uint64_t c) {
            return left[k * i.l * j.l + (listed ? c * i.l + first + a : (first + a) * i.l + c)];
        },
        [&](std::uint64_t k, std::uint64_t p, std::uint64_t q) {
            return right[k * i.r * j.r + (listed ? q * i.r + p : p * i.r + q)];
        });
}

template <class Real>
void LibraryProduct<Real>::add_product(const NodeBuffer& x, Real* y) {
    {
        const Timers::Scope scope = timers_.scope("exchange");
        exchange_.start(x);
        exchange_.finish(x);
        Real* to = x_.data();
        for (std::size_t patch : this->patches_read_)
            to = std::copy_n(this->patch(patch, x), plan_.layout()[patch].size(), to);
    }
    const typename HostProduct<Real>::Phase phase(*this, "products");
    if (!blocks_.empty()) multiply_->multiply(x_.data(), y_.data());
    for (std::uint64_t e = 0; e < y_.size(); ++e) y[e] += y_[e];
}

template class LibraryProduct<double>;
template class LibraryProduct<float>;

}  // namespace strata::kronecker
