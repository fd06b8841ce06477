// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/device_engine.hpp"

#include <algorithm>

#include "lanczos/device_tables.hpp"
#include "lanczos/memory.hpp"
#include "lanczos/start_vector.hpp"

namespace strata::lanczos {
namespace {

std::uint64_t blocks_together(const BlockLayout& l, std::uint64_t real_bytes) {
    return std::clamp<std::uint64_t>(device_columns_bytes / (l.block_size() * real_bytes), 1, 4096);
}

}  // namespace

template <class Real>
struct DeviceEngine<Real>::Parts : Vector::Storage {
    std::vector<Buffer<Real, Cuda>> of_product;
};

/// What a product needs on the device.
template <class Real>
struct DeviceEngine<Real>::Product {
    HamiltonianView h;
    std::vector<CrossingView> entrances;
    const std::uint64_t* sent_rows = nullptr;
    Buffer<Real, Cuda> packed;
    /// Messages into one vector and into the other.
    struct Planned {
        const Real* into;
        std::unique_ptr<Exchange<Cuda>> exchange;
    };
    std::vector<Planned> exchanges;
    Exchange<Cuda>* under_way = nullptr;
    std::unique_ptr<DeviceTables> tables;
};

template <class Real>
typename DeviceEngine<Real>::Parts& DeviceEngine<Real>::parts(const Vector& x) {
    return static_cast<Parts&>(x.storage());
}
template <class Real>
Real* DeviceEngine<Real>::own(const Vector& x, std::size_t product) {
    return parts(x).of_product[product].data();
}

template <class Real>
DeviceEngine<Real>::DeviceEngine(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding& device,
                                 Timers& timers)
    : Engine(comm, plan, Sharing::none, Turning::none, timers),
      device_name_(device.facts.name),
      route_(device.route),
      kernels_(device_step_kernels<Real>()) {}

template <class Real>
DeviceEngine<Real>::~DeviceEngine() = default;

template <class Real>
MemoryPrediction DeviceEngine<Real>::memory(std::uint64_t vectors) const {
    return engine_memory(plan_, comm_.rank(), rows_.rank_rows(), Exchanged::rows, vectors, BackendKind::cuda);
}

template <class Real>
void DeviceEngine<Real>::allocate() {
    std::uint64_t columns = 0, blocks = 0;
    for (const ProductRows& product : rows_.products()) {
        columns = std::max(columns, blocks_together(product.layout, sizeof(Real)) * product.layout.block_size());
        blocks += product.layout.blocks.size();
    }
    columns_ = Buffer<Real, Cuda>(columns);
    tile_sums_ = Buffer<TileSums, Cuda>(rows_.tiles());
    block_sums_ = Buffer<TileSums, Cuda>(blocks);
    host_sums_ = Buffer<TileSums, Pinned>(blocks);
    for (const ProductRows& rows : rows_.products()) {
        Product& product = *products_.emplace_back(std::make_unique<Product>());
        product.tables = std::make_unique<DeviceTables>(queue_);
        const BlockLayout& l = rows.layout;
        const std::uint64_t own_rows =
            std::min(l.dim_up, l.blocks.last * block_rows) - std::min(l.dim_up, l.blocks.first * block_rows);
        product.h = product.tables->hamiltonian(rows.h, own_rows);
        for (const CrossingView& c : rows.entrances.views)
            product.entrances.push_back(product.tables->crossing(c, own_rows));
        if (rows.exchange == nullptr) continue;
        const std::vector<std::uint64_t>& sent = rows.exchange->sent_rows();
        product.sent_rows = product.tables->copy(sent.data(), sent.size());
        product.packed = Buffer<Real, Cuda>(sent.size() / block_rows * l.block_size());
    }
    for (Vector* v : {&f_, &q_}) {
        auto made = std::make_unique<Parts>();
        for (const ProductRows& product : rows_.products()) made->of_product.emplace_back(product.reals_in_reach());
        *v = Vector(std::move(made));
        clear(*v);
        for (std::size_t p = 0; p < products_.size(); ++p) {
            const ProductRows& rows = rows_.products()[p];
            if (rows.exchange == nullptr) continue;
            auto exchange = std::make_unique<Exchange<Cuda>>(comm_, queue_, route_);
            rows.exchange->plan(*exchange, products_[p]->packed.data(), own(*v, p) + rows.layout.size());
            products_[p]->exchanges.push_back({own(*v, p), std::move(exchange)});
        }
    }
}

template <class Real>
Vector DeviceEngine<Real>::vector() const {
    auto made = std::make_unique<Parts>();
    for (const ProductRows& product : rows_.products()) made->of_product.emplace_back(product.layout.size());
    Vector v(std::move(made));
    clear(v);
    return v;
}

template <class Real>
void DeviceEngine<Real>::clear(Vector& x) const {
    for (Buffer<Real, Cuda>& part : parts(x).of_product) fill_bytes(queue_, part.view(), 0);
}

/// Some blocks at a time from the host.
template <class Real>
void DeviceEngine<Real>::draw(Vector& x, std::uint64_t stream) const {
    constexpr std::uint64_t together = 64;
    for (std::size_t p = 0; p < rows_.products().size(); ++p) {
        const BlockLayout& l = rows_.products()[p].layout;
        const std::uint64_t size = l.block_size();
        Buffer<Real> some(std::min(together, l.blocks.size()) * size);
        for (std::uint64_t first = 0; first < l.blocks.size(); first += together) {
            const Range blocks = {first, std::min(first + together, l.blocks.size())};
            draw_blocks<Real>({plan_.config().seed, p, stream}, l, blocks, some.data());
            copy_to_device(queue_, parts(x).of_product[p].view().part(first * size, blocks.size() * size),
                           std::span<const Real>(some.data(), blocks.size() * size));
            queue_.wait();
        }
    }
}

template <class Real>
void DeviceEngine<Real>::start_exchange(std::size_t p) {
    const ProductRows& rows = rows_.products()[p];
    Product& product = *products_[p];
    if (rows.exchange == nullptr) return;
    kernels_.pack_rows(queue_, rows.layout.panels(), product.sent_rows, rows.exchange->sent_rows().size(), own(q_, p),
                       product.packed.data());
    for (auto& planned : product.exchanges)
        if (planned.into == own(q_, p)) product.under_way = planned.exchange.get();
    product.under_way->start();
}

/// The phases are waited for, so that their times are told apart; a step is long beside that.
template <class Real>
TileSums DeviceEngine<Real>::multiply(const Recurrence& r) {
    {
        const Timers::Scope scope = timers_.scope("H down");
        for (std::size_t p = 0; p < products_.size(); ++p) {
            const BlockLayout& l = rows_.products()[p].layout;
            const std::uint64_t together = blocks_together(l, sizeof(Real));
            for (std::uint64_t first = 0; first < l.blocks.size(); first += together) {
                const Range blocks = {first, std::min(first + together, l.blocks.size())};
                kernels_.advance(queue_, products_[p]->h, blocks, r, own(f_, p), own(q_, p), columns_.data());
                kernels_.dn_hops(queue_, products_[p]->h, blocks, r.beta, columns_.data(), own(f_, p));
            }
            start_exchange(p);
        }
        queue_.wait();
    }
    std::swap(f_, q_);
    {
        const Timers::Scope scope = timers_.scope("exchange");
        for (const auto& product : products_)
            if (product->under_way != nullptr) product->under_way->finish();
    }
    {
        const Timers::Scope scope = timers_.scope("H up");
        for (std::size_t p = 0; p < products_.size(); ++p) {
            for (std::size_t e = 0; e < products_[p]->entrances.size(); ++e)
                kernels_.cross(queue_, products_[p]->entrances[e], own(f_, rows_.products()[p].entrances.from[e]),
                               own(q_, p));
            kernels_.up_hops(queue_, products_[p]->h, own(f_, p), own(f_, p), own(q_, p),
                             tile_sums_.data() + rows_.products()[p].first_tile);
        }
        queue_.wait();
    }
    return total();
}

template <class Real>
void DeviceEngine<Real>::combine_tiles(Complex a, const Vector& x, Complex b, const Vector& y, Vector* out) {
    for (std::size_t p = 0; p < rows_.products().size(); ++p)
        kernels_.combine(queue_, rows_.products()[p].layout, a, own(x, p), b, own(y, p),
                         out == nullptr ? nullptr : own(*out, p), tile_sums_.data() + rows_.products()[p].first_tile);
}

template <class Real>
void DeviceEngine<Real>::dot_tiles(const Vector& x, const Vector& y) {
    for (std::size_t p = 0; p < rows_.products().size(); ++p)
        kernels_.dot(queue_, rows_.products()[p].layout, own(x, p), own(y, p),
                     tile_sums_.data() + rows_.products()[p].first_tile);
}

/// The sums of all blocks, product by product, to the host.
template <class Real>
void DeviceEngine<Real>::sum_blocks() {
    std::uint64_t first = 0;
    for (const ProductRows& product : rows_.products()) {
        kernels_.sum_blocks(queue_, product.layout, tile_sums_.data() + product.first_tile, block_sums_.data() + first);
        first += product.layout.blocks.size();
    }
    if (first != 0)
        copy_to_host(queue_, std::span<TileSums>(host_sums_), View<const TileSums, Cuda>(block_sums_.view()));
    queue_.wait();
}

template <class Real>
void DeviceEngine<Real>::collect(BlockSum& sums) {
    sum_blocks();
    std::uint64_t at = 0;
    for (std::size_t p = 0; p < rows_.products().size(); ++p)
        for (std::uint64_t b = 0; b < rows_.products()[p].layout.blocks.size(); ++b, ++at) {
            double* sum = sums.block(p, b);
            sum[0] = host_sums_[at].fq;
            sum[1] = host_sums_[at].qq;
            sum[2] = host_sums_[at].ff;
        }
}

template <class Real>
void DeviceEngine<Real>::project(const std::vector<Vector>& basis, std::size_t count, const Vector& x, BlockSum& sums) {
    for (std::size_t i = 0; i < count; ++i) {
        dot_tiles(basis[i], x);
        sum_blocks();
        std::uint64_t at = 0;
        for (std::size_t p = 0; p < rows_.products().size(); ++p)
            for (std::uint64_t b = 0; b < rows_.products()[p].layout.blocks.size(); ++b, ++at) {
                sums.block(p, b)[2 * i] = host_sums_[at].fq;
                sums.block(p, b)[2 * i + 1] = host_sums_[at].qq;
            }
    }
}

template <class Real>
void DeviceEngine<Real>::subtract(const std::vector<Vector>& basis, std::size_t count, const std::vector<Complex>& h,
                                  Vector& x) {
    for (std::size_t i = 0; i < count; ++i) combine_tiles(-h[i], basis[i], 1, x, &x);
}

template <class Real>
void DeviceEngine<Real>::rotate(const std::vector<Vector>& basis, std::size_t count, const std::vector<Complex>& c,
                                std::size_t kept) {
    DeviceTables arguments(queue_);
    const double* factors = arguments.copy(reinterpret_cast<const double*>(c.data()), 2 * kept * count);
    for (std::size_t p = 0; p < rows_.products().size(); ++p) {
        std::vector<Real*> v;
        for (std::size_t i = 0; i < count; ++i) v.push_back(own(basis[i], p));
        kernels_.rotate(queue_, rows_.products()[p].layout, arguments.copy(v.data(), count), count, factors, kept);
    }
    queue_.wait();
}

template <class Real>
Engine::Blocks DeviceEngine<Real>::blocks(const Vector& x, std::size_t product) const {
    const std::uint64_t size = rows_.products()[product].layout.size();
    Buffer<Real> copy(size);
    const View<const Real, Cuda> from(parts(x).of_product[product].view().part(0, size));
    copy_to_host(queue_, std::span<Real>(copy), from);
    queue_.wait();
    if constexpr (sizeof(Real) == sizeof(double)) {
        return Blocks(std::move(copy));
    } else {
        Buffer<double> wide(size);
        std::copy_n(copy.data(), size, wide.data());
        return Blocks(std::move(wide));
    }
}

template <class Real>
void DeviceEngine<Real>::set_blocks(Vector& x, std::size_t product, const double* from) const {
    const std::uint64_t size = rows_.products()[product].layout.size();
    Buffer<Real> copy(size);
    std::transform(from, from + size, copy.data(), [](double value) { return static_cast<Real>(value); });
    copy_to_device(queue_, parts(x).of_product[product].view().part(0, size), std::span<const Real>(copy));
    queue_.wait();
}

template <class Real>
void DeviceEngine<Real>::add_state(const std::string& name, Vector& x, std::vector<DistributedArray>& arrays) {
    for (std::size_t p = 0; p < rows_.products().size(); ++p) {
        DistributedArray array = state_array(name, p, sizeof(Real));
        const std::uint64_t reals = rows_.products()[p].layout.reals(), row = array.shape.row_elements;
        const auto part = [memory = parts(x).of_product[p].view(), first = array.rows.first, reals,
                           row](const Slab& slab) {  // rows lie one after another
            return memory.part(((slab.rows.first - first) * row + slab.elements.first) * reals,
                               slab.elements.size() * reals);
        };
        array.read = [this, part](const Slab& slab, std::byte* to) {
            const View<const Real, Cuda> from(part(slab));
            copy_to_host(queue_, std::span(reinterpret_cast<Real*>(to), from.size()), from);
            queue_.wait();
        };
        array.write = [this, part](const Slab& slab, const std::byte* from) {
            const auto to = part(slab);
            copy_to_device(queue_, to, std::span(reinterpret_cast<const Real*>(from), to.size()));
            queue_.wait();
        };
        arrays.push_back(std::move(array));
    }
}

template class DeviceEngine<double>;
template class DeviceEngine<float>;

}  // namespace strata::lanczos
