// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/engine.hpp"

#include <algorithm>
#include <cmath>

#include "lanczos/device_engine.hpp"
#include "lanczos/host_engine.hpp"

namespace strata::lanczos {

Engine::Engine(const Communicator& comm, const LanczosPlan& plan, Sharing sharing, Turning turning, Timers& timers)
    : comm_(comm), plan_(plan), timers_(timers), rows_(comm, plan, sharing, turning), sums_(comm, plan.sector(), 3) {}

TileSums Engine::apply(const Vector& x) {
    combine_only(1, x, 0, x, q_);
    clear(f_);
    return multiply({0, 1, 0});
}

TileSums Engine::total() {
    const Timers::Scope scope = timers_.scope("sums");
    collect(sums_);
    const std::vector<double>& all = sums_.total();
    return {all[0], all[1], all[2]};
}

DistributedArray Engine::state_array(const std::string& name, std::size_t product, std::size_t real_bytes) const {
    const BlockLayout& l = rows_.products()[product].layout;
    const bool complex = l.reals() == 2, single = real_bytes == sizeof(float);
    const ElementType real_type = single ? ElementType::f32 : ElementType::f64,
                      complex_type = single ? ElementType::c64 : ElementType::c128;
    DistributedArray array;
    array.shape = {name + (rows_.products().size() == 1 ? "" : "-" + std::to_string(product)),
                   complex ? complex_type : real_type, l.all_blocks(), l.block_size() / l.reals()};
    array.rows = l.blocks;
    array.meaning =
        "A vector over products of up and dn strings: a row is a block of 16 up strings, [panel][up][number], 32 "
        "numbers (16 complex ones) of the dn strings in a panel, padded with zeros. Strings are numbered in the order "
        "of their bits; bit i of an up string is site up_first + i, of a dn string site i.";
    const double up_first = sector().model().species == 2 ? 0 : sector().dn_sites();
    array.facts = {{"dim_up", static_cast<double>(l.dim_up)},
                   {"dim_dn", static_cast<double>(l.dim_dn)},
                   {"complex", complex ? 1.0 : 0.0},
                   {"bytes_per_number", static_cast<double>(real_bytes)},
                   {"up_first", up_first},
                   {"up_sites", static_cast<double>(sector().up_sites())},
                   {"up_particles", static_cast<double>(sector().products()[product].up.basis().particles())},
                   {"dn_sites", static_cast<double>(sector().dn_sites())},
                   {"dn_particles", static_cast<double>(sector().products()[product].dn.basis().particles())}};
    return array;
}

double Engine::combine(Complex a, const Vector& x, Complex b, const Vector& y, Vector* out) {
    combine_tiles(a, x, b, y, out);
    return total().ff;
}

Complex Engine::dot(const Vector& x, const Vector& y) {
    dot_tiles(x, y);
    const TileSums sums = total();
    return {sums.fq, sums.qq};
}

double Engine::norm(const Vector& x) { return std::sqrt(combine(1, x, 0, x, nullptr)); }

std::vector<Complex> Engine::orthogonalise(const std::vector<Vector>& basis, std::size_t count, Vector& x,
                                           Passes passes) {
    std::vector<Complex> components(count);
    if (count == 0) return components;
    if (projections_ == nullptr || projections_->width() < 2 * count)
        projections_ = std::make_unique<BlockSum>(comm_, sector(), 2 * std::max(count, basis.size()));
    for (int pass = 0; pass < static_cast<int>(passes); ++pass) {
        project(basis, count, x, *projections_);
        const std::vector<double>& all = projections_->total();
        std::vector<Complex> h(count);
        for (std::size_t i = 0; i < count; ++i) components[i] += h[i] = {all[2 * i], all[2 * i + 1]};
        subtract(basis, count, h, x);
    }
    return components;
}

std::unique_ptr<Engine> make_engine(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding* device,
                                    Timers& timers) {
    const bool single = plan.config().precision == Precision::single;
    if (device != nullptr && single) return std::make_unique<DeviceEngine<float>>(comm, plan, *device, timers);
    if (device != nullptr) return std::make_unique<DeviceEngine<double>>(comm, plan, *device, timers);
    if (single) return std::make_unique<HostEngine<float>>(comm, plan, timers);
    return std::make_unique<HostEngine<double>>(comm, plan, timers);
}

}  // namespace strata::lanczos
