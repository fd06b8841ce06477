// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/host_engine.hpp"

#include <omp.h>

#include <algorithm>

#include "lanczos/memory.hpp"
#include "lanczos/start_vector.hpp"

namespace strata::lanczos {
namespace {

/// Node memory is counted in doubles.
template <class Real>
std::uint64_t doubles(std::uint64_t reals) {
    return reals * sizeof(Real) / sizeof(double);
}

template <class Real>
const StepKernels<Real>& choose_kernels(const std::string& name) {
    for (const StepKernels<Real>& variant : step_variants<Real>())
        if (name == variant.name) return variant;
    return step_variants<Real>().front();
}

Sharing sharing(const LanczosPlan& plan) {
    return plan.config().transport == RowTransport::automatic ? Sharing::wanted : Sharing::none;
}

}  // namespace

template <class Real>
struct HostEngine<Real>::Parts : Vector::Storage {
    std::vector<NodeBuffer> of_product;
};

template <class Real>
Real* HostEngine<Real>::own(const Vector& x, std::size_t product) {
    return reinterpret_cast<Real*>(static_cast<Parts&>(x.storage()).of_product[product].own());
}
template <class Real>
Real* HostEngine<Real>::reach(const Vector& x, std::size_t product) {
    return reinterpret_cast<Real*>(static_cast<Parts&>(x.storage()).of_product[product].first());
}
template <class Real>
template <class Pointer>
std::vector<Pointer> HostEngine<Real>::all_own(const std::vector<Vector>& basis, std::size_t count,
                                               std::size_t product) {
    std::vector<Pointer> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(own(basis[i], product));
    return all;
}

template <class Real>
HostEngine<Real>::HostEngine(const Communicator& comm, const LanczosPlan& plan, Timers& timers)
    : Engine(comm, plan, sharing(plan), Turning::allowed, timers),
      kernels_(choose_kernels<Real>(plan.config().simd)),
      tiles_(rows_.tiles()) {
    if (rows_.turned())
        turned_ = std::make_unique<TurnedHops<Real>>(comm, kernels_, rows_.products()[0].h, rows_.blocks_of_ranks(0));
}

template <class Real>
std::string HostEngine<Real>::name() const {
    return "cpu " + std::string(kernels_.name) + (sizeof(Real) == 4 ? " single" : "");
}

template <class Real>
MemoryPrediction HostEngine<Real>::memory(std::uint64_t vectors) const {
    return engine_memory(plan_, comm_.rank(), rows_.rank_rows(), rows_.turned() ? Exchanged::panels : Exchanged::rows,
                         vectors, BackendKind::cpu);
}

template <class Real>
void HostEngine<Real>::allocate() {
    scratch_reals_ = rows_.scratch_reals();
    const int threads = std::max(plan_.threads(), omp_get_max_threads());
    scratch_ = Buffer<Real>(scratch_reals_ * static_cast<std::uint64_t>(threads));
    for (Vector* v : {&f_, &q_}) {
        auto parts = std::make_unique<Parts>();
        for (const ProductRows& product : rows_.products())
            parts->of_product.emplace_back(rows_.node(), doubles<Real>(product.reals_in_reach()));
        *v = Vector(std::move(parts));
        clear(*v);
    }
}

template <class Real>
Vector HostEngine<Real>::vector() const {
    auto parts = std::make_unique<Parts>();
    for (const ProductRows& product : rows_.products())
        parts->of_product.emplace_back(doubles<Real>(product.layout.size()));
    Vector v(std::move(parts));
    clear(v);
    return v;
}

/// First touched by those who will work on it.
template <class Real>
void HostEngine<Real>::clear(Vector& x) const {
    for (std::size_t p = 0; p < rows_.products().size(); ++p) {
        const BlockLayout& l = rows_.products()[p].layout;
        const std::uint64_t size = l.block_size();
        Real* to = own(x, p);
#pragma omp parallel for schedule(static)
        for (std::uint64_t b = 0; b < l.blocks.size(); ++b) std::fill_n(to + b * size, size, Real(0));
    }
}

template <class Real>
void HostEngine<Real>::draw(Vector& x, std::uint64_t stream) const {
    for (std::size_t p = 0; p < rows_.products().size(); ++p) {
        const BlockLayout& l = rows_.products()[p].layout;
        draw_blocks<Real>({plan_.config().seed, p, stream}, l, {0, l.blocks.size()}, own(x, p));
    }
}

/// f, which is the next q, is not yet read by others: its rows can leave at once.
template <class Real>
void HostEngine<Real>::start_exchange(std::size_t p) {
    const ProductRows& product = rows_.products()[p];
    if (product.exchange == nullptr) return;
    const Timers::Scope scope = timers_.scope("exchange");
    auto* sent = reinterpret_cast<double*>(own(q_, p));
    product.exchange->start(sent, sent + doubles<Real>(product.layout.size()));
}

template <class Real>
TileSums HostEngine<Real>::multiply(const Recurrence& r) {
    const std::vector<ProductRows>& products = rows_.products();
    {
        const Timers::Scope scope = timers_.scope("H down");
        for (std::size_t p = 0; p < products.size(); ++p) {
            kernels_.dn_sweep(products[p].h, r, own(f_, p), own(q_, p), scratch_.data());
            start_exchange(p);
        }
    }
    std::swap(f_, q_);
    {
        const Timers::Scope scope = timers_.scope("exchange");
        for (const ProductRows& product : products)
            if (product.exchange != nullptr) product.exchange->finish();
        rows_.node().meet();
    }
    if (!sector().crossings().empty()) {
        const Timers::Scope scope = timers_.scope("H between halves");
        for (std::size_t p = 0; p < products.size(); ++p) {
            const Entrances& entrances = products[p].entrances;
            const Real* from[2] = {};  // one particle less in the upper half, or one more
            for (std::size_t i = 0; i < entrances.from.size(); ++i) from[i] = reach(f_, entrances.from[i]);
            kernels_.cross_sweep(entrances.views.data(), static_cast<int>(entrances.views.size()), from, own(q_, p),
                                 scratch_.data(), scratch_reals_);
        }
    }
    {
        const Timers::Scope scope = timers_.scope("H up");
        for (std::size_t p = 0; p < products.size(); ++p) {
            TileSums* sums = tiles_.data() + products[p].first_tile;
            if (turned_ != nullptr)
                turned_->apply(own(f_, p), own(q_, p), sums);
            else
                kernels_.up_sweep(products[p].h, reach(f_, p), own(f_, p), own(q_, p), sums);
        }
    }
    return total();
}

template <class Real>
void HostEngine<Real>::combine_tiles(Complex a, const Vector& x, Complex b, const Vector& y, Vector* out) {
    for (std::size_t p = 0; p < rows_.products().size(); ++p)
        kernels_.combine(rows_.products()[p].layout, a, own(x, p), b, own(y, p),
                         out == nullptr ? nullptr : own(*out, p), tiles_.data() + rows_.products()[p].first_tile);
}

template <class Real>
void HostEngine<Real>::dot_tiles(const Vector& x, const Vector& y) {
    for (std::size_t p = 0; p < rows_.products().size(); ++p)
        kernels_.dot(rows_.products()[p].layout, own(x, p), own(y, p), tiles_.data() + rows_.products()[p].first_tile);
}

template <class Real>
void HostEngine<Real>::project(const std::vector<Vector>& basis, std::size_t count, const Vector& x, BlockSum& sums) {
    for (std::size_t p = 0; p < rows_.products().size(); ++p)
        kernels_.project(rows_.products()[p].layout, all_own<const Real*>(basis, count, p).data(), count, own(x, p),
                         sums.block(p, 0), sums.width());
}

template <class Real>
void HostEngine<Real>::subtract(const std::vector<Vector>& basis, std::size_t count, const std::vector<Complex>& h,
                                Vector& x) {
    for (std::size_t p = 0; p < rows_.products().size(); ++p)
        kernels_.subtract(rows_.products()[p].layout, all_own<const Real*>(basis, count, p).data(), count, h.data(),
                          own(x, p));
}

template <class Real>
void HostEngine<Real>::rotate(const std::vector<Vector>& basis, std::size_t count, const std::vector<Complex>& c,
                              std::size_t kept) {
    for (std::size_t p = 0; p < rows_.products().size(); ++p)
        kernels_.rotate(rows_.products()[p].layout, all_own<Real*>(basis, count, p).data(), count, c.data(), kept);
}

template <class Real>
Engine::Blocks HostEngine<Real>::blocks(const Vector& x, std::size_t product) const {
    if constexpr (sizeof(Real) == sizeof(double)) {
        return Blocks(own(x, product));
    } else {
        Buffer<double> copy(rows_.products()[product].layout.size());
        std::copy_n(own(x, product), copy.size(), copy.data());
        return Blocks(std::move(copy));
    }
}

template <class Real>
void HostEngine<Real>::set_blocks(Vector& x, std::size_t product, const double* from) const {
    std::transform(from, from + rows_.products()[product].layout.size(), own(x, product),
                   [](double value) { return static_cast<Real>(value); });
}

template <class Real>
void HostEngine<Real>::collect(BlockSum& sums) {
    for (std::size_t p = 0; p < rows_.products().size(); ++p) {
        const ProductRows& product = rows_.products()[p];
        const std::uint64_t panels = product.layout.panels();
        const TileSums* tile = tiles_.data() + product.first_tile;
        for (std::uint64_t b = 0; b < product.layout.blocks.size(); ++b) {
            double* sum = sums.block(p, b);
            std::fill_n(sum, 3, 0.0);
            for (std::uint64_t panel = 0; panel < panels; ++panel, ++tile) {
                sum[0] += tile->fq;
                sum[1] += tile->qq;
                sum[2] += tile->ff;
            }
        }
    }
}

template <class Real>
void HostEngine<Real>::add_state(const std::string& name, Vector& x, std::vector<DistributedArray>& arrays) {
    for (std::size_t p = 0; p < rows_.products().size(); ++p) {
        DistributedArray array = state_array(name, p, sizeof(Real));
        const DistributedArray memory = host_array(array.shape, array.rows, own(x, p), array.shape.row_elements);
        array.read = memory.read;
        array.write = memory.write;
        arrays.push_back(std::move(array));
    }
}

template class HostEngine<double>;
template class HostEngine<float>;

}  // namespace strata::lanczos
