// SPDX-License-Identifier: BSD-3-Clause
// Everything but the product itself.
#include "superblock/target_operator.hpp"

#include <algorithm>

#include "strata/parallel.hpp"
#include "strata/random_purpose.hpp"
#include "strata/rng.hpp"

namespace strata::superblock {
namespace {

/// Random number in [-1, 1) for element `element` of the whole vector.
double random_element(std::uint64_t seed, std::uint64_t element, std::uint64_t stream) {
    constexpr auto purpose = static_cast<std::uint32_t>(RandomPurpose::kronecker_vector);
    const Philox4x32 words =
        philox(seed, {static_cast<std::uint32_t>(element), static_cast<std::uint32_t>(element >> 32),
                      static_cast<std::uint32_t>(stream), purpose});
    const std::uint64_t bits = std::uint64_t{words[1]} << 32 | words[0];
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

}  // namespace

TargetOperator::TargetOperator(const Communicator& comm, const MultiplyPlan& plan, std::uint64_t seed, Timers& timers)
    : HermitianOperator(comm), plan_(plan), seed_(seed), timers_(timers) {}

krylov::SpaceLayout TargetOperator::space_layout() const {
    krylov::ArraySegments columns{plan_.columns().size(), 0};
    for (std::uint64_t column = plan_.columns().first; column <= plan_.columns().last; ++column)
        columns.begins.push_back(plan_.layout().element_of(column) - plan_.elements().first);
    return {{std::move(columns)}, plan_.layout().columns()};
}

krylov::PairProducts TargetOperator::multiply(const krylov::StepFactors& f) {
    space().advance(f.inverse_beta, -f.alpha * f.inverse_beta, -f.beta, v_, w_);
    std::swap(v_, w_);
    add_product();
    return space().products(v_, w_);
}

krylov::PairProducts TargetOperator::apply(const DistributedVector& x) {
    space().copy(x, v_);
    product();
    return space().products(v_, w_);
}

void TargetOperator::product() {
    space().clear(w_);
    add_product();
}

void TargetOperator::draw(DistributedVector& x, std::uint64_t stream) {
    constexpr std::uint64_t together = std::uint64_t{1} << 16;
    const Range own = plan_.elements();
    Buffer<double> some(std::min(together, own.size()));
    for (std::uint64_t first = 0; first < own.size(); first += together) {
        const std::uint64_t size = std::min(together, own.size() - first);
        const auto set = [&](std::uint64_t e) { some[e] = random_element(seed_, own.first + first + e, stream); };
        for_each_parallel({0, size}, set, plan_.threads());
        space().set(x, 0, {first, first + size}, some.data());
    }
}

void TargetOperator::add_state(const std::string& name, DistributedVector& x, std::vector<DistributedArray>& arrays) {
    const PatchLayout& layout = plan_.layout();
    const bool single = space().precision() == krylov::Precision::single;
    DistributedArray array;
    array.shape = {name, single ? ElementType::f32 : ElementType::f64, layout.columns(), 0, {}};
    for (std::uint64_t column = 0; column <= layout.columns(); ++column)
        array.shape.row_starts.push_back(layout.element_of(column));
    array.rows = plan_.columns();
    array.meaning =
        "A vector over patches, one after the other. A row of this array is a column of a patch: a state of the left "
        "block, with one element for each state of the right block.";
    space().connect(array, x, 0);
    arrays.push_back(std::move(array));
}

}  // namespace strata::superblock
