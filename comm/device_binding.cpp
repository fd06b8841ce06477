// SPDX-License-Identifier: BSD-3-Clause
// A device is usable for a rank if the driver is installed, the build has code for it, and it accepts a kernel; the run
// uses devices only if every rank has one. The devices of a node are assigned to its ranks cyclically.
#include "comm/device_binding.hpp"

#include <algorithm>

#include "comm/collectives.hpp"
#include "strata/memory.hpp"

namespace strata {
namespace {

/// The text of the lowest rank whose `own` is not empty, on all ranks; "" if there is none. Collective.
std::string first_reason(const Communicator& comm, const std::string& own) {
    const auto size = static_cast<std::uint64_t>(comm.size());
    const std::uint64_t lowest = all_min(comm, own.empty() ? size : static_cast<std::uint64_t>(comm.rank()));
    if (lowest == size) return {};
    std::string reason = own;
    broadcast(comm, reason, static_cast<int>(lowest));
    return reason;
}

/// Returns "" after binding, else the reason for which this rank has no device.
std::string try_to_bind(const Placement& placement, DeviceBinding& binding) {
    const device::Support support = device::support();
    if (support.count == 0) return support.reason;
    const int index = placement.local_rank % support.count;
    const std::string error = device::use(index);
    if (!error.empty()) return error;
    binding.facts = device::facts(index);
    return {};
}

}  // namespace

DeviceBinding bind_device(const Communicator& comm, const Placement& placement, GpuAware requested) {
    DeviceBinding binding;
    std::string reason;
    collectively(comm, [&] { reason = try_to_bind(placement, binding); });
    binding.reason = first_reason(comm, reason);
    binding.usable = binding.reason.empty();
    if (!binding.usable) return binding;
    std::vector<std::string> all = gather(comm, binding.facts.uuid);
    std::string joined;
    for (const std::string& uuid : all) joined += uuid + "\n";
    broadcast(comm, joined);
    // devices are compared by UUID, because the batch system may number them for each rank separately
    binding.ranks_on_device = 0;
    for (std::size_t at = joined.find(binding.facts.uuid); at != std::string::npos;
         at = joined.find(binding.facts.uuid, at + 1))
        ++binding.ranks_on_device;
    const auto test_message = [&] {
        constexpr std::size_t bytes = std::size_t{1} << 20;
        return ring_of_device_buffers(comm, Queue<Cuda>(), DeviceRoute::direct, bytes);
    };
    binding.route = choose_route(comm, requested, test_message, binding.remark);
    return binding;
}

std::vector<std::string> device_lines(const Communicator& comm, const DeviceBinding& binding, std::size_t most) {
    const device::Facts& f = binding.facts;
    const std::string own = "rank " + std::to_string(comm.rank()) + ": device " + std::to_string(f.index) + ", " +
                            f.name + ", " + f.uuid + ", " + human_bytes(device::free_memory()) + " of " +
                            human_bytes(f.memory) + " free";
    std::vector<std::string> lines = gather(comm, own);
    if (lines.size() <= most) return lines;
    const std::size_t more = lines.size() - most;
    lines.resize(most);
    lines.push_back("and so on for " + std::to_string(more) + " more");
    return lines;
}

std::string shared_device(const DeviceBinding& binding) {
    if (binding.ranks_on_device == 1) return {};
    return std::to_string(binding.ranks_on_device) + " ranks share " + binding.facts.name + " " + binding.facts.uuid +
           ": correct, but slower than one rank per device.";
}

}  // namespace strata
