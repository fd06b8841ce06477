// SPDX-License-Identifier: BSD-3-Clause
// Description, memory and performance of a Kronecker job, from its plan and its operator.
#include "kronecker/run/task.hpp"

#include <cmath>

#include "kernels/kronecker/gemm_rate.hpp"
#include "kronecker/physics/make_target.hpp"

namespace strata::kronecker {

KroneckerTask::KroneckerTask(const Communicator& comm, const KroneckerPlan& plan, const MakeOperator& make)
    : plan_(plan),
      operators_(make_operators(plan_.config(), plan_.target())),
      owned_operator_(make(comm, plan_.multiply(), *operators_, plan_.config().precision, timers_)),
      operator_(*owned_operator_) {}

std::vector<std::string> KroneckerTask::description() const {
    std::vector<std::string> lines = plan_.description();
    const std::string exchange = operator_.exchange_description();
    if (!exchange.empty()) lines.push_back(exchange);
    return lines;
}

MemoryPrediction KroneckerTask::memory() const { return operator_.memory(plan_.other_vectors()); }

std::string KroneckerTask::broken_invariant(std::span<const double> row) const {
    for (std::size_t i = 0; i < row.size(); ++i)
        if (!std::isfinite(row[i])) return columns()[i].name + " is not a number.";
    return {};
}

std::vector<Quantity> KroneckerTask::patch_quantities() const {
    Quantity rows = {"patch-rows", "states", "r, states of the right block in each patch", {}};
    Quantity columns = {"patch-columns", "states", "l, states of the left block in each patch", {}};
    Quantity flops = {"patch-flops", "1", "operations of one product for each patch of y", {}};
    const std::vector<std::uint64_t> of_columns = flops_of_columns(plan_.target());
    for (std::size_t i = 0; i < of_columns.size(); ++i) {
        const PatchShape& patch = plan_.target().layout[i];
        rows.value.push_back(static_cast<double>(patch.r));
        columns.value.push_back(static_cast<double>(patch.l));
        flops.value.push_back(static_cast<double>(of_columns[i]) * static_cast<double>(patch.l));
    }
    return {std::move(rows).over("patch"), std::move(columns).over("patch"), std::move(flops).over("patch")};
}

std::vector<Figure> KroneckerTask::rate(std::uint64_t products, double seconds) const {
    if (products == 0) return {};
    const double per_product = seconds / static_cast<double>(products), flops = plan_.multiply().flops();
    std::vector<Figure> figures = {{"gflops", 1e-9 * flops / per_product, "GFLOP/s", "over all ranks"},
                                   {"seconds_per_product", per_product, "s", "wall time"},
                                   {"gflop_per_product", 1e-9 * flops, "1", "10^9 operations, by counting"}};
    if (plan_.config().precision == krylov::Precision::single || operator_.on_device()) return figures;
    const double peak = gemm_rate(plan_.multiply().threads()) * plan_.multiply().ranks();
    figures.push_back({"fraction_of_gemm_peak", figures[0].value / peak, "1",
                       "of the rate at which all ranks would multiply matrices that stay in the caches, if each did it "
                       "as fast as rank 0 does alone"});
    return figures;
}

}  // namespace strata::kronecker
