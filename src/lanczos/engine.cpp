// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/engine.hpp"

#include <algorithm>
#include <cmath>

#include "lanczos/host_engine.hpp"

namespace strata::lanczos {

Engine::Engine(const Communicator& comm, const LanczosPlan& plan, Sharing sharing, Timers& timers)
    : comm_(comm),
      plan_(plan),
      timers_(timers),
      rows_(comm, plan, sharing),
      sums_(comm, plan.sector(), 3),
      tiles_(rows_.tiles()) {}

TileSums Engine::apply(const Vector& x) {
    combine_only(1, x, 0, x, q_);
    clear(f_);
    return multiply({0, 1, 0});
}

TileSums Engine::total() {
    const Timers::Scope scope = timers_.scope("sums");
    collect_tiles();
    for (std::size_t p = 0; p < rows_.products().size(); ++p) {
        const ProductRows& product = rows_.products()[p];
        const std::uint64_t panels = product.layout.panels();
        const TileSums* tile = tiles_.data() + product.first_tile;
        for (std::uint64_t b = 0; b < product.layout.blocks.size(); ++b) {
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
    combine_tiles(a, x, b, y, out);
    return total().ff;
}

Complex Engine::dot(const Vector& x, const Vector& y) {
    dot_tiles(x, y);
    const TileSums sums = total();
    return {sums.fq, sums.qq};
}

double Engine::norm(const Vector& x) { return std::sqrt(combine(1, x, 0, x, nullptr)); }

std::vector<Complex> Engine::orthogonalise(const std::vector<Vector>& basis, std::size_t count, Vector& x) {
    std::vector<Complex> components(count);
    if (count == 0) return components;
    BlockSum sums(comm_, sector(), 2 * count);
    for (int pass = 0; pass < 2; ++pass) {
        project(basis, count, x, sums);
        const std::vector<double>& all = sums.total();
        std::vector<Complex> h(count);
        for (std::size_t i = 0; i < count; ++i) components[i] += h[i] = {all[2 * i], all[2 * i + 1]};
        subtract(basis, count, h, x);
    }
    return components;
}

std::unique_ptr<Engine> make_engine(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding*,
                                    Timers& timers) {
    if (plan.config().precision == Precision::single) return std::make_unique<HostEngine<float>>(comm, plan, timers);
    return std::make_unique<HostEngine<double>>(comm, plan, timers);
}

}  // namespace strata::lanczos
