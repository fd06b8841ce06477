// SPDX-License-Identifier: BSD-3-Clause
// Memory of an operator on a device, by counting the tables of its plan; device_operator.cpp makes these allocations.
#include <algorithm>

#include "superblock/device_operator.hpp"

namespace strata::superblock {

template <class Real>
MemoryPrediction device_memory(const MultiplyPlan& plan, int rank, std::uint64_t others) {
    const Range columns = plan.partition().columns(rank);
    const DevicePlan device(plan.target(), columns);
    const std::uint64_t elements = plan.elements(rank).size(), real = sizeof(Real);
    std::uint64_t packed = 0;
    for (const DeviceBlock& b : device.blocks()) packed = std::max({packed, b.left_reals(), b.right_reals()});
    MemoryPrediction m;
    m.host = {{"packing of operators", (real + sizeof(double)) * packed}};
    m.device = {{"operators", real * device.pool_reals()},
                {"products of left operators", real * device.scratch_reals()},
                {"tables of tiles", device.table_bytes() + sizeof(std::uint64_t) * (columns.size() + 1)},
                {"working pair", 2 * real * elements},
                {"sums and rotation of vectors", krylov::BackendSpace<Cuda, Real>::work_bytes(
                                                     columns.size(), elements, krylov::Arithmetic::real, others, 1)}};
    if (device.gathered_reals() != 0) m.device.push_back({"patches of other ranks", real * device.gathered_reals()});
    if (others != 0) {
        m.device.push_back({"other vectors", real * others * elements});
        m.host.push_back({"tables of vectors", others * (sizeof(Real*) + 2 * others * sizeof(double))});
    }
    // each vector of the working pair has its own messages; a rank sends about as many bytes as it receives
    if (plan.ranks() > 1) m.host.push_back({"staging of messages", 4 * real * device.gathered_reals()});
    return m;
}

template MemoryPrediction device_memory<double>(const MultiplyPlan&, int, std::uint64_t);
template MemoryPrediction device_memory<float>(const MultiplyPlan&, int, std::uint64_t);

}  // namespace strata::superblock
