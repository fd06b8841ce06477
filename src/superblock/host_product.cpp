// SPDX-License-Identifier: BSD-3-Clause
// Tasks are made once: a block, or some columns of a large one, so that the work can be distributed evenly. Stored
// products have separate memory for each block, so that results do not depend on the assignment of tasks to threads.
#include "superblock/host_product.hpp"

#include <omp.h>

#include <algorithm>

#include "comm/collectives.hpp"
#include "kernels/cache_sizes.hpp"
#include "strata/parallel.hpp"
#include "superblock/patch_copies.hpp"

namespace strata::superblock {
namespace {

/// Least number of tasks per thread, if blocks have enough columns.
constexpr double tasks_per_thread = 16;
/// Elements of y to which a thread adds all products before the next ones; they remain in the first-level cache.
constexpr std::uint64_t sum_elements = 2048;
/// Panels of left operators that a thread packs at a time.
constexpr std::uint64_t packed_panels = 16;

Range shifted(const Range& part, std::uint64_t by) { return {part.first + by, part.last + by}; }

/// Packs panels of the left operators of a block; for a transposed block the operators of the term are transposed.
template <class Real>
void pack_panels(const RankBlock<Real>& block, const Range& panels, const OperatorSource& source, Real* pool) {
    const BlockLayout<Real>& layout = block.layout;
    const std::uint64_t stride = layout.row_stride(), first_row = layout.own().first;
    // rows of A that have elements in these panels
    const Range rows = {first_row + panels.first * layout.panel / stride,
                        std::min(layout.own().last, first_row + (panels.last * layout.panel - 1) / stride + 1)};
    const Range columns = {0, layout.shape().from.l};
    const bool listed = block.orientation == Orientation::as_listed;
    const Rectangle part = listed ? Rectangle{rows, columns} : Rectangle{columns, rows};
    std::vector<double> elements(layout.shape().operators * part.size());
    for (std::uint64_t k = 0; k < layout.shape().operators; ++k)
        source.left(block.term, k, part, elements.data() + k * part.size());
    const std::uint64_t row_step = listed ? 1 : columns.size(), column_step = listed ? rows.size() : 1;
    pack_left(
        layout, panels,
        [&](std::uint64_t k, std::uint64_t a, std::uint64_t c) {
            return elements[k * part.size() + (a - rows.first) * row_step + c * column_step];
        },
        pool);
}

template <class Real>
void pack_right_operators(const RankBlock<Real>& block, const OperatorSource& source, Real* pool) {
    const BlockShape& shape = block.layout.shape();
    if (shape.right == Factor::identity) return;
    const bool listed = block.orientation == Orientation::as_listed;
    const std::uint64_t rows = listed ? shape.to.r : shape.from.r, columns = listed ? shape.from.r : shape.to.r;
    std::vector<double> elements(shape.operators * rows * columns);
    for (std::uint64_t k = 0; k < shape.operators; ++k)
        source.right(block.term, k, {{0, rows}, {0, columns}}, elements.data() + k * rows * columns);
    pack_right(
        block.layout,
        [&](std::uint64_t k, std::uint64_t p, std::uint64_t q) {
            return elements[(k * columns + (listed ? q : p)) * rows + (listed ? p : q)];
        },
        pool);
}

std::vector<Range> elements_of_ranks(const MultiplyPlan& plan) {
    std::vector<Range> owned;
    for (int rank = 0; rank < plan.ranks(); ++rank) owned.push_back(plan.elements(rank));
    return owned;
}

std::vector<Range> elements_of(const PatchLayout& layout, const std::vector<std::size_t>& patches) {
    std::vector<Range> pieces;
    for (std::size_t i : patches) pieces.push_back(layout.elements_of(i));
    return pieces;
}

}  // namespace

template <class Real>
HostProduct<Real>::HostProduct(const Communicator& comm, const MultiplyPlan& plan, const Node& node,
                               const BlockKernels<Real>& kernels, Timers& timers)
    : plan_(plan),
      timers_(timers),
      patches_read_(patches_read(plan.target(), plan.columns())),
      exchange_(comm, node, elements_of_ranks(plan), elements_of(plan.layout(), patches_read_), sizeof(Real)),
      in_place_(all_max(comm, exchange_.gathered_bytes()) == 0),
      piece_of_patch_(plan.layout().size()),
      kernels_(kernels),
      blocks_(rank_blocks<Real>(plan.target(), plan.columns())),
      keeps_products_(keeps_products(plan.threads(), in_place_)),
      workspace_reals_(workspace_of(blocks_)) {
    for (std::size_t piece = 0; piece < patches_read_.size(); ++piece) piece_of_patch_[patches_read_[piece]] = piece;
    make_tasks();
    if (keeps_products_) make_sums();
}

template <class Real>
std::uint64_t HostProduct<Real>::first_in_y(std::size_t patch) const {
    const std::uint64_t column = plan_.layout().columns_of(patch).first;
    return plan_.layout().element_of(std::max(column, plan_.columns().first)) - plan_.elements().first;
}

template <class Real>
void HostProduct<Real>::make_tasks() {
    double flops = 0;
    for (const RankBlock<Real>& b : blocks_) flops += b.flops();
    const double limit = plan_.threads() == 1 ? flops : flops / (tasks_per_thread * plan_.threads());
    std::vector<std::uint64_t> own_costs, other_costs;
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
        const RankBlock<Real>& b = blocks_[block];
        const auto is_own = [&](std::size_t patch) {
            return plan_.layout().part_of(patch, plan_.columns()).size() == plan_.layout()[patch].l;
        };
        const bool own = is_own(b.from) && (b.backward.empty() || is_own(b.to));
        const auto needed = static_cast<std::uint64_t>(b.flops() / limit) + 1;
        const std::uint64_t parts = std::min(needed, std::max(b.forward.size(), b.backward.size()));
        for (std::uint64_t part = 0; part < parts; ++part) {
            (own ? own_tasks_ : other_tasks_)
                .push_back({block, shifted(equal_part(b.forward.size(), parts, part), b.forward.first),
                            shifted(equal_part(b.backward.size(), parts, part), b.backward.first)});
            (own ? own_costs : other_costs).push_back(static_cast<std::uint64_t>(b.flops()) / parts + 1);
        }
    }
    own_ranges_ = std::make_unique<TaskRanges>(own_costs, plan_.threads());
    other_ranges_ = std::make_unique<TaskRanges>(other_costs, plan_.threads());
}

/// Lists the sums and their pieces. For every patch I the order of blocks is the order of J, in which products are
/// added.
template <class Real>
void HostProduct<Real>::make_sums() {
    for (const RankBlock<Real>& b : blocks_)
        products_reals_ += b.forward.size() * b.layout.shape().to.r + b.backward.size() * b.layout.shape().from.r;
    for (std::size_t i = 0; i < plan_.layout().size(); ++i) {
        const std::uint64_t size = plan_.layout().part_of(i, plan_.columns()).size() * plan_.layout()[i].r;
        if (size == 0) continue;
        for (std::uint64_t first = 0; first < size; first += sum_elements)
            sum_pieces_.push_back({sums_.size(), {first, std::min(first + sum_elements, size)}});
        sums_.push_back({first_in_y(i), size, {}});
    }
}

/// Assigns memory to the stored products and lists them in their sums, after `products_` was allocated.
template <class Real>
void HostProduct<Real>::place_products() {
    std::vector<Sum*> of_patch(plan_.layout().size(), nullptr);
    std::size_t next = 0;
    for (std::size_t i = 0; i < plan_.layout().size(); ++i)
        if (!plan_.layout().part_of(i, plan_.columns()).empty()) of_patch[i] = &sums_[next++];
    std::vector<Real*> forward, backward;
    Real* product = products_.data();
    for (const RankBlock<Real>& b : blocks_) {
        forward.push_back(product);
        of_patch[b.to]->products.push_back(product);
        product += b.forward.size() * b.layout.shape().to.r;
        backward.push_back(product);
        if (b.backward.empty()) continue;
        of_patch[b.from]->products.push_back(product);
        product += b.backward.size() * b.layout.shape().from.r;
    }
    for (std::vector<Task>* tasks : {&own_tasks_, &other_tasks_})
        for (Task& task : *tasks) {
            const RankBlock<Real>& b = blocks_[task.block];
            task.forward_product = forward[task.block] + (task.forward.first - b.forward.first) * b.layout.shape().to.r;
            task.backward_product =
                backward[task.block] + (task.backward.first - b.backward.first) * b.layout.shape().from.r;
        }
}

template <class Real>
void HostProduct<Real>::allocate(const OperatorSource& operators) {
    pool_ = Buffer<Real>(pool_reals(blocks_));
    products_ = Buffer<Real>(products_reals_);
    workspace_ = Buffer<Real>(workspace_reals_ * static_cast<std::uint64_t>(plan_.threads()));
    if (keeps_products_) place_products();
    pack(operators);
}

/// Panels are distributed over threads in the order of memory, so that a thread packs about the memory that it will
/// read.
template <class Real>
void HostProduct<Real>::pack(const OperatorSource& operators) {
    struct Part {
        const RankBlock<Real>* block;
        Range panels;  ///< empty: the right operators
    };
    std::vector<Part> parts;
    for (const RankBlock<Real>& b : blocks_) {
        parts.push_back({&b, {}});
        for (std::uint64_t panel = 0; panel < b.layout.left_panels(); panel += packed_panels)
            parts.push_back({&b, {panel, std::min(panel + packed_panels, b.layout.left_panels())}});
    }
    const auto pack_part = [&](std::uint64_t i) {
        Real* pool = pool_.data() + parts[i].block->pool;
        if (parts[i].panels.empty())
            pack_right_operators(*parts[i].block, operators, pool);
        else
            pack_panels(*parts[i].block, parts[i].panels, operators, pool);
    };
    for_each_parallel({0, parts.size()}, pack_part, plan_.threads());
}

/// Computes both products of a task. A whole block reads its operators first for the forward and then for the backward
/// product. For a part of a large block only the panels of the forward columns are prefetched.
template <class Real>
void HostProduct<Real>::run(const Task& task, Update update, const NodeBuffer& x, Real* forward, Real* backward,
                            Real* workspace, PoolWalk& walk) const {
    const RankBlock<Real>& b = blocks_[task.block];
    if (!plan_.target().terms[b.term].copies.empty()) return run_copies(task, update, x, forward, backward);
    const Real *pool = pool_.data() + b.pool, *end = pool + b.layout.reals();
    const bool whole = task.forward == b.forward, twice = !task.backward.empty();
    const auto panel_of = [&](std::uint64_t row) {
        return pool + b.layout.left_panel_begin(b.layout.row_stride() * (row - b.layout.own().first) / b.layout.panel);
    };
    Prefetch next;
    if (!task.forward.empty()) {
        const Real* first = task.forward.first == b.forward.first ? pool : panel_of(task.forward.first);
        const Real* last = task.forward.last == b.forward.last ? end : panel_of(task.forward.last);
        next = walk.before(first, std::max(first, last), whole && twice ? ReadAgain::yes : ReadAgain::no);
        kernels_.forward(
            {b.layout, pool, patch(b.from, x), task.forward, forward, update, workspace, next, second_cache_bytes()});
    }
    if (!twice) return;
    next = whole ? walk.before(pool, end, ReadAgain::no) : Prefetch{};
    kernels_.backward(
        {b.layout, pool, patch(b.to, x), task.backward, backward, update, workspace, next, second_cache_bytes()});
}

template <class Real>
void HostProduct<Real>::run_copies(const Task& task, Update update, const NodeBuffer& x, Real* forward,
                                   Real* backward) const {
    const RankBlock<Real>& b = blocks_[task.block];
    const std::vector<PatchCopy>& listed = plan_.target().terms[b.term].copies;
    const PatchShape &to = b.layout.shape().to, &from = b.layout.shape().from;
    const bool as_listed = b.orientation == Orientation::as_listed;
    const Orientation back = as_listed ? Orientation::transposed : Orientation::as_listed;
    if (!task.forward.empty())
        copy_product(listed, b.orientation, to, from, patch(b.from, x), task.forward, forward, update);
    if (!task.backward.empty()) copy_product(listed, back, from, to, patch(b.to, x), task.backward, backward, update);
}

/// Computes all blocks by one thread and adds each product to y immediately.
template <class Real>
void HostProduct<Real>::run_in_order(const NodeBuffer& x, Real* y) {
    PoolWalk walk(pool_.begin(), pool_.end(), second_cache_bytes());
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
        const RankBlock<Real>& b = blocks_[block];
        Real* backward = b.backward.empty() ? nullptr : y + first_in_y(b.from);
        run({block, b.forward, b.backward}, Update::add, x, y + first_in_y(b.to), backward, workspace_.data(), walk);
    }
}

template <class Real>
void HostProduct<Real>::run_shared(const std::vector<Task>& tasks, TaskRanges& ranges, const NodeBuffer& x) {
    const Phase phase(*this, "products");
    ranges.restart();
#pragma omp parallel num_threads(plan_.threads())
    {
        const int thread = omp_get_thread_num();
        Real* workspace = workspace_.data() + workspace_reals_ * static_cast<std::uint64_t>(thread);
        PoolWalk walk(pool_.begin(), pool_.end(), second_cache_bytes());
        for (std::size_t task = 0; ranges.take(thread, task);)
            run(tasks[task], Update::set, x, tasks[task].forward_product, tasks[task].backward_product, workspace,
                walk);
    }
}

template <class Real>
void HostProduct<Real>::add_products(Real* y) {
    const Phase phase(*this, "sums of products");
    const auto add_piece = [&](std::uint64_t i) {
        const SumPiece& piece = sum_pieces_[i];
        const Sum& sum = sums_[piece.sum];
        Real* to = y + sum.first;
        for (const Real* product : sum.products)
            for (std::uint64_t e = piece.elements.first; e < piece.elements.last; ++e) to[e] += product[e];
    };
    for_each_parallel({0, sum_pieces_.size()}, add_piece, plan_.threads());
}

template <class Real>
void HostProduct<Real>::add_product(const NodeBuffer& x, Real* y) {
    {
        const Timers::Scope scope = timers_.scope("exchange");
        exchange_.start(x);
    }
    if (keeps_products_) run_shared(own_tasks_, *own_ranges_, x);
    {
        const Timers::Scope scope = timers_.scope("exchange");
        exchange_.finish(x);
    }
    if (!keeps_products_) {
        const Phase phase(*this, "products");
        return run_in_order(x, y);
    }
    run_shared(other_tasks_, *other_ranges_, x);
    add_products(y);
}

template class HostProduct<double>;
template class HostProduct<float>;

}  // namespace strata::superblock
