// SPDX-License-Identifier: BSD-3-Clause
// Functions shared by the host and device operators.
#include "superblock/target_operator.hpp"

namespace strata::kronecker {

TargetOperator::TargetOperator(const Communicator& comm, const MultiplyPlan& plan, Timers& timers)
    : HermitianOperator(comm), plan_(plan), timers_(timers) {}

DistributedArray TargetOperator::state_array(const std::string& name, std::size_t real_bytes) const {
    const PatchLayout& layout = plan_.layout();
    DistributedArray array;
    array.shape = {name, real_bytes == sizeof(float) ? ElementType::f32 : ElementType::f64, layout.columns(), 0, {}};
    for (std::uint64_t column = 0; column <= layout.columns(); ++column)
        array.shape.row_starts.push_back(layout.element_of(column));
    array.rows = plan_.columns();
    array.meaning =
        "A vector over patches, one after the other. A row of this array is a column of a patch: a state of the left "
        "block, with one element for each state of the right block.";
    return array;
}

std::uint64_t TargetOperator::slab_begin(const ArraySlab& slab) const {
    return plan_.layout().element_of(slab.rows.first) + slab.elements.first - plan_.elements().first;
}

}  // namespace strata::kronecker
