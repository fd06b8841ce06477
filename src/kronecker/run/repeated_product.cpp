// SPDX-License-Identifier: BSD-3-Clause
// A step is one product; the time of the checksums of y is not part of the product's time.
#include "kronecker/run/repeated_product.hpp"

#include <cmath>

#include "comm/collectives.hpp"
#include "strata/formatted.hpp"

namespace strata::kronecker {

RepeatedProduct::RepeatedProduct(const Communicator& comm, const KroneckerPlan& plan, const MakeOperator& make)
    : KroneckerTask(comm, plan, make),
      columns_({{"checksum", "1", "sum of the elements of y = C x"},
                {"norm", "1", "|y|"},
                {"rayleigh-quotient", "energy", "<x, C x> / <x, x>"}}) {}

void RepeatedProduct::initialise() {
    operator_.draw(operator_.v(), 0);
    made_ = 0;
}

std::vector<DistributedArray> RepeatedProduct::state() {
    std::vector<DistributedArray> arrays;
    operator_.add_state("y", operator_.w(), arrays);
    arrays.push_back(Record("numbers").field("first-checksum", first_checksum_).field("products", made_).array());
    return arrays;
}

void RepeatedProduct::restored(std::uint64_t) {
    operator_.draw(operator_.v(), 0);
    taken_up_ = true;
}

void RepeatedProduct::step(std::uint64_t) {
    const double start = monotonic_seconds();
    operator_.product();
    all_max(operator_.comm(), 0);  // wait until all ranks have finished
    seconds_ += monotonic_seconds() - start;
    const Timers::Scope scope = timers_.scope("checksum");
    checksum_ = operator_.space().sum(operator_.w());
    if (made_ == 0) first_checksum_ = checksum_;
    ++made_;
}

void RepeatedProduct::observe(std::vector<double>& rows) {
    const double xy = operator_.space().dot(operator_.v(), operator_.w()).real();
    const double xx = operator_.space().dot(operator_.v(), operator_.v()).real();
    rows.insert(rows.end(), {checksum_, operator_.space().norm(operator_.w()), xy / xx});
    measure_imbalance();
}

void RepeatedProduct::measure_imbalance() {
    const auto nanoseconds = static_cast<std::uint64_t>(1e9 * operator_.processor_seconds());
    const std::uint64_t total = all_sum(operator_.comm(), nanoseconds), most = all_max(operator_.comm(), nanoseconds);
    imbalance_ = total == 0 ? 0 : static_cast<double>(most) * operator_.comm().size() / static_cast<double>(total);
}

std::vector<Figure> RepeatedProduct::performance(std::uint64_t steps, double) const {
    std::vector<Figure> figures = rate(steps, seconds_);
    if (operator_.comm().size() > 1 && imbalance_ > 0)
        figures.push_back({"imbalance", imbalance_, "1",
                           "processor time of products of the busiest rank over the mean of all ranks"});
    return figures;
}

/// 0 within one run. A run that was resumed on another backend may round differently: the tensor cores of a device do.
double RepeatedProduct::checksum_tolerance(double norm) const {
    if (!taken_up_) return 0;
    const double rounding = plan_.config().precision == krylov::Precision::single ? 1e-4 : 1e-12;
    return rounding * norm * std::sqrt(operator_.dimension());
}

std::string RepeatedProduct::broken_invariant(std::span<const double> row) const {
    const std::string not_finite = KroneckerTask::broken_invariant(row);
    if (!not_finite.empty() || std::abs(row[0] - first_checksum_) <= checksum_tolerance(row[1])) return not_finite;
    return formatted("the checksum %.17g differs from %.17g of the first product with the same x.", row[0],
                     first_checksum_);
}

std::vector<Quantity> RepeatedProduct::results(const Series& series) const {
    if (series.rows() == 0) return {};
    const std::span<const double> row = series.row(series.rows() - 1);
    std::vector<Quantity> q;
    for (std::size_t i = 0; i < columns_.size(); ++i)
        q.push_back({columns_[i].name, columns_[i].unit, columns_[i].meaning, {row[i]}});
    for (Quantity& patches : patch_quantities()) q.push_back(std::move(patches));
    return q;
}

}  // namespace strata::kronecker
