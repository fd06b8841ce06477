// SPDX-License-Identifier: BSD-3-Clause
// A step is one product; the time of the checksums of y is not part of the product's time.
#include "kronecker/run/repeated_product.hpp"

#include <cmath>

#include "comm/collectives.hpp"
#include "kernels/kronecker/gemm_rate.hpp"
#include "strata/formatted.hpp"

namespace strata::kronecker {
namespace {

/// Rows, columns and operations of each patch, for plots.
std::vector<Quantity> patch_quantities(const superblock::Target& target) {
    Quantity rows = {"patch-rows", "states", "r, states of the right block in each patch", {}};
    Quantity columns = {"patch-columns", "states", "l, states of the left block in each patch", {}};
    Quantity flops = {"patch-flops", "1", "operations of one product for each patch of y", {}};
    const std::vector<std::uint64_t> of_columns = flops_of_columns(target);
    for (std::size_t i = 0; i < of_columns.size(); ++i) {
        const PatchShape& patch = target.layout[i];
        rows.value.push_back(static_cast<double>(patch.r));
        columns.value.push_back(static_cast<double>(patch.l));
        flops.value.push_back(static_cast<double>(of_columns[i]) * static_cast<double>(patch.l));
    }
    return {std::move(rows).over("patch"), std::move(columns).over("patch"), std::move(flops).over("patch")};
}

}  // namespace

RepeatedProduct::RepeatedProduct(const Communicator& comm, const KroneckerPlan& plan,
                                 const superblock::MakeOperator& make)
    : plan_(plan),
      random_(plan_.target(), plan_.config().seed),
      operator_(make(comm, plan_.multiply(), random_, plan_.config().precision, timers_)),
      columns_({{"checksum", "1", "sum of the elements of y = C x"},
                {"norm", "1", "|y|"},
                {"rayleigh-quotient", "energy", "<x, C x> / <x, x>"}}) {}

std::vector<std::string> RepeatedProduct::description() const {
    std::vector<std::string> lines = plan_.description();
    const std::string exchange = operator_->exchange_description();
    if (!exchange.empty()) lines.push_back(exchange);
    return lines;
}

void RepeatedProduct::initialise() {
    operator_->draw(operator_->v(), 0);
    made_ = 0;
}

std::vector<DistributedArray> RepeatedProduct::state() {
    std::vector<DistributedArray> arrays;
    operator_->add_state("y", operator_->w(), arrays);
    arrays.push_back(Record("numbers").field("first-checksum", first_checksum_).field("products", made_).array());
    return arrays;
}

void RepeatedProduct::restored(std::uint64_t) {
    operator_->draw(operator_->v(), 0);
    taken_up_ = true;
}

void RepeatedProduct::step(std::uint64_t) {
    const double start = monotonic_seconds();
    operator_->product();
    all_max(operator_->comm(), 0);  // wait until all ranks have finished
    seconds_ += monotonic_seconds() - start;
    const Timers::Scope scope = timers_.scope("checksum");
    checksum_ = operator_->space().sum(operator_->w());
    if (made_ == 0) first_checksum_ = checksum_;
    ++made_;
}

void RepeatedProduct::observe(std::vector<double>& rows) {
    const double xy = operator_->space().dot(operator_->v(), operator_->w()).real();
    const double xx = operator_->space().dot(operator_->v(), operator_->v()).real();
    rows.insert(rows.end(), {checksum_, operator_->space().norm(operator_->w()), xy / xx});
    measure_imbalance();
}

void RepeatedProduct::measure_imbalance() {
    const auto nanoseconds = static_cast<std::uint64_t>(1e9 * operator_->processor_seconds());
    const std::uint64_t total = all_sum(operator_->comm(), nanoseconds), most = all_max(operator_->comm(), nanoseconds);
    imbalance_ = total == 0 ? 0 : static_cast<double>(most) * operator_->comm().size() / static_cast<double>(total);
}

std::vector<Figure> RepeatedProduct::performance(std::uint64_t steps, double) const {
    if (steps == 0) return {};
    const double per_product = seconds_ / static_cast<double>(steps), flops = plan_.multiply().flops();
    std::vector<Figure> figures = {{"gflops", 1e-9 * flops / per_product, "GFLOP/s", "over all ranks"},
                                   {"seconds_per_product", per_product, "s", "wall time"},
                                   {"gflop_per_product", 1e-9 * flops, "1", "10^9 operations, by counting"}};
    if (plan_.config().precision == krylov::Precision::double_ && !operator_->on_device()) {
        const double peak = gemm_rate(plan_.multiply().threads()) * plan_.multiply().ranks();
        figures.push_back({"fraction_of_gemm_peak", figures[0].value / peak, "1",
                           "of the rate at which all ranks would multiply matrices that stay in the caches, if each "
                           "did it as fast as rank 0 does alone"});
    }
    if (operator_->comm().size() > 1 && imbalance_ > 0)
        figures.push_back({"imbalance", imbalance_, "1",
                           "processor time of products of the busiest rank over the mean of all ranks"});
    return figures;
}

/// 0 within one run. A run that was resumed on another backend may round differently: the tensor cores of a device do.
double RepeatedProduct::checksum_tolerance(double norm) const {
    if (!taken_up_) return 0;
    const double rounding = plan_.config().precision == krylov::Precision::single ? 1e-4 : 1e-12;
    return rounding * norm * std::sqrt(operator_->dimension());
}

std::string RepeatedProduct::broken_invariant(std::span<const double> row) const {
    for (std::size_t i = 0; i < row.size(); ++i)
        if (!std::isfinite(row[i])) return columns_[i].name + " is not a number.";
    if (std::abs(row[0] - first_checksum_) <= checksum_tolerance(row[1])) return {};
    return formatted("the checksum %.17g differs from %.17g of the first product with the same x.", row[0],
                     first_checksum_);
}

std::vector<Quantity> RepeatedProduct::results(const Series& series) const {
    if (series.rows() == 0) return {};
    const std::span<const double> row = series.row(series.rows() - 1);
    std::vector<Quantity> q;
    for (std::size_t i = 0; i < columns_.size(); ++i)
        q.push_back({columns_[i].name, columns_[i].unit, columns_[i].meaning, {row[i]}});
    for (Quantity& patches : patch_quantities(plan_.target())) q.push_back(std::move(patches));
    return q;
}

}  // namespace strata::kronecker
