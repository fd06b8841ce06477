// SPDX-License-Identifier: BSD-3-Clause
// Which device each rank uses: the one of its number among the ranks of its node, round and round. Where the batch
// system shows every rank one device of its own, that is the same.
#pragma once

#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/device_exchange.hpp"
#include "comm/placement.hpp"
#include "strata/device.hpp"

namespace strata {

struct DeviceBinding {
    bool usable = false;      ///< every rank has a device that runs this program's kernels
    std::string reason;       ///< why not, as the end of a sentence
    device::Facts facts;      ///< of this rank's device
    int ranks_on_device = 1;  ///< ranks of this job that share it
    DeviceRoute route = DeviceRoute::staged;
    std::string remark;  ///< on the route, if there is something to say
};

/// Binds this rank and chooses the route of device memory to others; if any rank has no device, no rank is to use one.
/// Collective.
DeviceBinding bind_device(const Communicator& comm, const Placement& placement, GpuAware requested);

/// One line per rank, for at most `most` ranks: device, UUID, memory. Complete on rank 0. Collective.
std::vector<std::string> device_lines(const Communicator& comm, const DeviceBinding& binding, std::size_t most);

/// A sentence for the user if ranks share a device; empty otherwise.
std::string shared_device(const DeviceBinding& binding);

}  // namespace strata
