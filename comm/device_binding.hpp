// SPDX-License-Identifier: BSD-3-Clause
// The device of each rank: rank i of a node uses device i modulo the number of devices that it sees. Where the batch
// system shows every rank one device of its own, this is device 0.
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
    device::Facts facts;      ///< properties of this rank's device
    int ranks_on_device = 1;  ///< ranks of this job that share this rank's device
    DeviceRoute route = DeviceRoute::staged;
    std::string remark;  ///< sentence on the choice of the route; empty if nothing went wrong
};

/// Binds this rank to a device and chooses the route of messages between devices. If any rank has no usable device,
/// `usable` is false on all ranks. Collective.
DeviceBinding bind_device(const Communicator& comm, const Placement& placement, GpuAware requested);

/// One line per rank, for at most `most` ranks: device, UUID, free and total memory. On rank 0; empty elsewhere.
/// Collective.
std::vector<std::string> device_lines(const Communicator& comm, const DeviceBinding& binding, std::size_t most);

/// A sentence for the user if other ranks share this rank's device; empty otherwise.
std::string shared_device(const DeviceBinding& binding);

}  // namespace strata
