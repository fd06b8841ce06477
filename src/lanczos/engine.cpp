// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/engine.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"
#include "lanczos/reach.hpp"
#include "strata/rng.hpp"

namespace strata::lanczos {
namespace {

/// A number in (-1, 1) that belongs to one real of a start vector, by its global place.
double start_number(std::uint64_t seed, std::uint64_t up, std::uint64_t real, std::size_t product,
                    std::uint64_t stream) {
    constexpr std::uint32_t purpose = 0x4c616e63;  // a stream of its own
    const auto rest = static_cast<std::uint32_t>(real >> 32 | product << 2 | stream << 9);
    const Philox4x32 words =
        philox(seed, {static_cast<std::uint32_t>(up), static_cast<std::uint32_t>(real), rest, purpose});
    const std::uint64_t bits = std::uint64_t{words[1]} << 32 | words[0];
    return std::ldexp(static_cast<double>(bits >> 11), -52) - 1;
}

}  // namespace

/// What one product of the sector needs.
struct Engine::Part {
    BlockLayout layout;
    HamiltonianView h;
    std::unique_ptr<HopRows> rows;
    std::unique_ptr<RowExchange> exchange;  ///< with other nodes
    std::uint64_t first_tile = 0;
    struct Entrance {  ///< of particles from another product
        std::size_t from;
        CrossingView view;
        std::vector<std::uint32_t> sources;
        std::vector<HopView> hops;
    };
    std::vector<Entrance> entrances;

    std::uint64_t blocks_in_reach() const {
        return layout.blocks.size() + (exchange == nullptr ? 0 : exchange->blocks());
    }
};

Engine::Engine(const Communicator& comm, const LanczosPlan& plan, Timers& timers)
    : comm_(comm), plan_(plan), timers_(timers), sums_(comm, plan.sector(), 3) {
    const Sector& sector = plan.sector();
    const std::size_t products = sector.products().size();
    const bool share = plan.config().transport == RowTransport::automatic;
    node_ = std::make_unique<Node>(comm, share ? Sharing::wanted : Sharing::none, 2 * plan.vector_bytes());
    const bool turned = static_cast<int>(node_->ranks().size()) < comm.size() && plan.turns();
    std::vector<std::vector<std::uint64_t>> places(products);  // [row] in reach
    std::uint64_t tiles = 0;
    for (std::size_t p = 0; p < products; ++p) {
        Part& part = parts_.emplace_back();
        part.layout = sector.layout(p, plan.arithmetic(), comm.size(), comm.rank());
        part.h = sector.hamiltonian(p, part.layout);
        part.first_tile = tiles;
        tiles += part.layout.tiles();
        if (turned) continue;
        std::vector<Range> blocks;
        for (int r = 0; r < comm.size(); ++r)
            blocks.push_back(sector.layout(p, plan.arithmetic(), comm.size(), r).blocks);
        const auto rank_of = [&](std::uint64_t row) {
            return static_cast<int>(
                part_of(part.layout.all_blocks(), static_cast<std::uint64_t>(comm.size()), row / block_rows));
        };
        const std::vector<bool> reach = rows_in_reach(sector, p, comm.size(), comm.rank());
        std::vector<std::uint64_t> needed;
        for (std::uint64_t row = 0; row < reach.size(); ++row)
            if (reach[row] && !std::ranges::count(node_->ranks(), rank_of(row))) needed.push_back(row);
        if (static_cast<int>(node_->ranks().size()) < comm.size())
            part.exchange = std::make_unique<RowExchange>(comm, RowShape{block_rows, part.layout.panels(), panel_reals},
                                                          blocks, needed);
        // where the parts of the node's ranks begin, in blocks
        const std::vector<std::uint64_t> reaches = all_gather(node_->comm(), part.blocks_in_reach());
        std::vector<std::uint64_t> begin(reaches.size() + 1, 0);
        for (std::size_t i = 0; i < reaches.size(); ++i) begin[i + 1] = begin[i] + reaches[i];
        places[p].assign(part.layout.dim_up, 0);
        for (std::size_t i = 0; i < node_->ranks().size(); ++i) {
            const Range own = blocks[static_cast<std::size_t>(node_->ranks()[i])];
            for (std::uint64_t row = own.first * block_rows; row < std::min(own.last * block_rows, part.layout.dim_up);
                 ++row)
                places[p][row] = begin[i] * block_rows + row - own.first * block_rows;
        }
        const std::uint64_t received =
            (begin[static_cast<std::size_t>(node_->place())] + part.layout.blocks.size()) * block_rows;
        for (std::size_t i = 0; i < needed.size(); ++i) places[p][needed[i]] = received + part.exchange->places()[i];
    }
    tiles_.resize(tiles);
    if (turned) {
        std::vector<Range> blocks;
        for (int r = 0; r < comm.size(); ++r)
            blocks.push_back(sector.layout(0, plan.arithmetic(), comm.size(), r).blocks);
        turned_ = std::make_unique<TurnedHops>(comm, plan.kernels(), parts_[0].h, std::move(blocks));
        return;
    }
    for (std::size_t p = 0; p < products; ++p) plan_rows(p, places);
}

/// Tables of what this rank's rows are reached from, by their places in memory.
void Engine::plan_rows(std::size_t p, const std::vector<std::vector<std::uint64_t>>& places) {
    Part& part = parts_[p];
    const BlockLayout& l = part.layout;
    const HopView all = part.h.up.hops;
    const Range rows = {std::min(l.dim_up, l.blocks.first * block_rows),
                        std::min(l.dim_up, l.blocks.last * block_rows)};
    part.rows = std::make_unique<HopRows>(sector().amplitudes());
    for (std::uint64_t row = rows.first; row < rows.last; ++row) {
        for (std::uint64_t e = all.first[row]; e < all.first[row + 1]; ++e)
            part.rows->add(places[p][all.entries[e] >> all.bits], all.entries[e] & ((1u << all.bits) - 1),
                           e >= all.complex[row]);
        part.rows->end_row();
    }
    part.h.rows = part.rows->view();
    for (const Crossing& c : sector().crossings()) {
        if (c.to != p) continue;
        Part::Entrance entrance{c.from, {}, {}, {}};
        for (const HopRows& hops : c.hops) entrance.hops.push_back(hops.view());
        for (std::uint64_t row = rows.first; row < rows.last; ++row)
            for (std::size_t s = 0; s < c.sites.size(); ++s) {
                const Sector::Source source = sector().source(c, row, s);
                entrance.sources.push_back(
                    source.row == Sector::no_row
                        ? CrossingView::none
                        : static_cast<std::uint32_t>(places[c.from][source.row] << 1 | (source.minus ? 1 : 0)));
            }
        part.entrances.push_back(std::move(entrance));
        Part::Entrance& kept = part.entrances.back();
        kept.view = {parts_[c.from].layout, l, static_cast<int>(c.sites.size()), kept.sources.data(), kept.hops.data()};
    }
}

Engine::~Engine() = default;

std::uint64_t Engine::vector_bytes() const { return plan_.vector_bytes(); }

std::string Engine::transport() const {
    if (comm_.size() == 1) return {};
    std::uint64_t received = 0;
    for (const Part& part : parts_)
        if (part.exchange != nullptr) received += part.exchange->bytes_received();
    const std::string within =
        node_->alone() ? "" : "read in place by the " + std::to_string(node_->ranks().size()) + " ranks of a node";
    if (turned_ != nullptr) return "H_up: panels are turned there and back";
    if (static_cast<int>(node_->ranks().size()) == comm_.size()) return "H_up: rows are " + within;
    return "H_up: " + (within.empty() ? "" : "rows are " + within + "; ") + human_bytes(received) +
           " of needed rows reach this rank per step";
}

std::vector<MemoryPrediction::Item> Engine::memory() const {
    std::uint64_t pair = 0, packed = 0, scratch = 0, tables = sector().table_bytes();
    for (const Part& part : parts_) {
        pair += 16 * part.blocks_in_reach() * part.layout.block_size();
        if (part.exchange != nullptr) packed += part.exchange->packed_bytes();
        if (part.rows != nullptr) tables += part.rows->bytes();
        scratch = std::max(scratch, scratch_reals(part.h));
        for (const Part::Entrance& e : part.entrances) {
            scratch = std::max(scratch, crossing_scratch_reals(e.view));
            tables += 4 * e.sources.size();
        }
    }
    if (turned_ != nullptr)
        packed = 6 * plan_.vector_bytes() /
                 SubvectorExchange::group_count(parts_[0].layout.panels(), static_cast<std::uint64_t>(comm_.size()));
    return {{"two vectors", pair},
            {"hops", tables},
            {"threads' scratch", 8 * scratch * static_cast<std::uint64_t>(plan_.threads())},
            {"sums", sizeof(TileSums) * tiles_.size()},
            {"rows for and from other ranks", packed}};
}

void Engine::allocate() {
    std::uint64_t scratch = 0;
    for (const Part& part : parts_) {
        scratch = std::max(scratch, scratch_reals(part.h));
        for (const Part::Entrance& e : part.entrances) scratch = std::max(scratch, crossing_scratch_reals(e.view));
    }
    scratch_ = Buffer<double>(scratch * static_cast<std::uint64_t>(plan_.threads()));
    for (Vector* v : {&f_, &q_}) {
        std::vector<NodeBuffer> buffers;
        for (const Part& part : parts_) buffers.emplace_back(*node_, part.blocks_in_reach() * part.layout.block_size());
        *v = Vector(std::move(buffers));
        clear(*v);
    }
}

Vector Engine::vector() const {
    std::vector<NodeBuffer> buffers;
    for (const Part& part : parts_) buffers.emplace_back(part.layout.size());
    Vector v(std::move(buffers));
    clear(v);
    return v;
}

/// First touched by those who will work on it.
void Engine::clear(Vector& x) const {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        const std::uint64_t size = parts_[p].layout.block_size();
        double* own = x.own(p);
#pragma omp parallel for schedule(static)
        for (std::uint64_t b = 0; b < parts_[p].layout.blocks.size(); ++b) std::fill_n(own + b * size, size, 0.0);
    }
}

void Engine::draw(Vector& x, std::uint64_t stream) const {
    const std::uint64_t seed = plan_.config().seed;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        const BlockLayout& l = parts_[p].layout;
        const std::uint64_t reals = l.dim_dn * l.reals();
        double* own = x.own(p);
#pragma omp parallel for schedule(static)
        for (std::uint64_t b = 0; b < l.blocks.size(); ++b)
            for (std::uint64_t row = 0; row < block_rows; ++row) {
                const std::uint64_t up = (l.blocks.first + b) * block_rows + row;
                for (std::uint64_t real = 0; real < l.panels() * panel_reals; ++real)
                    own[b * l.block_size() + real / panel_reals * tile_reals + row * panel_reals + real % panel_reals] =
                        real < reals && up < l.dim_up ? start_number(seed, up, real, p, stream) : 0;
            }
    }
}

TileSums Engine::multiply(const Recurrence& r) {
    const StepKernels& kernels = plan_.kernels();
    {
        const Timers::Scope scope = timers_.scope("H down");
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            kernels.dn_sweep(parts_[p].h, r, f_.own(p), q_.own(p), scratch_.data());
            // f, which is the next q, is not yet read by others: rows can leave at once
            if (parts_[p].exchange != nullptr)
                parts_[p].exchange->start(q_.own(p), q_.own(p) + parts_[p].layout.size());
        }
    }
    std::swap(f_, q_);
    {
        const Timers::Scope scope = timers_.scope("exchange");
        for (Part& part : parts_)
            if (part.exchange != nullptr) part.exchange->finish();
        node_->meet();
    }
    if (!sector().crossings().empty()) {
        const Timers::Scope scope = timers_.scope("H between halves");
        for (std::size_t p = 0; p < parts_.size(); ++p)
            for (const Part::Entrance& e : parts_[p].entrances)
                kernels.cross_sweep(e.view, f_.reach(e.from), q_.own(p), scratch_.data());
    }
    {
        const Timers::Scope scope = timers_.scope("H up");
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            TileSums* sums = tiles_.data() + parts_[p].first_tile;
            if (turned_ != nullptr)
                turned_->apply(f_.own(p), q_.own(p), sums);
            else
                kernels.up_sweep(parts_[p].h, f_.reach(p), f_.own(p), q_.own(p), sums);
        }
    }
    return total();
}

TileSums Engine::apply(const Vector& x) {
    combine_only(1, x, 0, x, q_);
    clear(f_);
    return multiply({0, 1, 0});
}

/// Also a meeting of all ranks: nobody overwrites f before all have read it.
TileSums Engine::total() {
    const Timers::Scope scope = timers_.scope("sums");
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        const std::uint64_t panels = parts_[p].layout.panels();
        const TileSums* tile = tiles_.data() + parts_[p].first_tile;
        for (std::uint64_t b = 0; b < parts_[p].layout.blocks.size(); ++b) {
            double* sum = sums_.block(p, b);
            std::fill_n(sum, 3, 0.0);
            for (std::uint64_t panel = 0; panel < panels; ++panel, ++tile) {
                sum[0] += tile->fq;
                sum[1] += tile->qq;
                sum[2] += tile->ff;
            }
        }
    }
    const std::vector<double>& all = sums_.total();
    return {all[0], all[1], all[2]};
}

double Engine::combine(Complex a, const Vector& x, Complex b, const Vector& y, Vector* out) {
    for (std::size_t p = 0; p < parts_.size(); ++p)
        plan_.kernels().combine(parts_[p].layout, a, x.own(p), b, y.own(p), out == nullptr ? nullptr : out->own(p),
                                tiles_.data() + parts_[p].first_tile);
    return total().ff;
}

void Engine::combine_only(Complex a, const Vector& x, Complex b, const Vector& y, Vector& out) {
    for (std::size_t p = 0; p < parts_.size(); ++p)
        plan_.kernels().combine(parts_[p].layout, a, x.own(p), b, y.own(p), out.own(p),
                                tiles_.data() + parts_[p].first_tile);
}

Complex Engine::dot(const Vector& x, const Vector& y) {
    for (std::size_t p = 0; p < parts_.size(); ++p)
        plan_.kernels().dot(parts_[p].layout, x.own(p), y.own(p), tiles_.data() + parts_[p].first_tile);
    const TileSums sums = total();
    return {sums.fq, sums.qq};
}

double Engine::norm(const Vector& x) { return std::sqrt(combine(1, x, 0, x, nullptr)); }

std::vector<Complex> Engine::orthogonalise(const std::vector<Vector>& basis, std::size_t count, Vector& x) {
    std::vector<Complex> components(count);
    if (count == 0) return components;
    BlockSum sums(comm_, sector(), 2 * count);
    for (int pass = 0; pass < 2; ++pass) {
        std::vector<std::vector<const double*>> of_part(parts_.size());
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            for (std::size_t i = 0; i < count; ++i) of_part[p].push_back(basis[i].own(p));
            plan_.kernels().project(parts_[p].layout, of_part[p].data(), count, x.own(p), sums.block(p, 0));
        }
        const std::vector<double>& all = sums.total();
        std::vector<Complex> h(count);
        for (std::size_t i = 0; i < count; ++i) components[i] += h[i] = {all[2 * i], all[2 * i + 1]};
        for (std::size_t p = 0; p < parts_.size(); ++p)
            plan_.kernels().subtract(parts_[p].layout, of_part[p].data(), count, h.data(), x.own(p));
    }
    return components;
}

void Engine::rotate(const std::vector<Vector>& basis, std::size_t count, const std::vector<Complex>& c,
                    std::size_t kept) {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        std::vector<double*> v;
        for (std::size_t i = 0; i < count; ++i) v.push_back(basis[i].own(p));
        plan_.kernels().rotate(parts_[p].layout, v.data(), count, c.data(), kept);
    }
}

void Engine::add_state(const std::string& name, Vector& x, std::vector<DistributedArray>& arrays) const {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        const BlockLayout& l = parts_[p].layout;
        const std::string suffix = parts_.size() == 1 ? "" : "-" + std::to_string(p);
        arrays.push_back(
            {name + suffix, ElementType::f64, l.all_blocks(), l.block_size(), l.block_size(), l.blocks, x.own(p)});
    }
}

}  // namespace strata::lanczos
