// SPDX-License-Identifier: BSD-3-Clause
// Makers of operators on the backend that a factory has chosen, in double or single precision.
#pragma once

#include <functional>
#include <memory>

#include "comm/device_binding.hpp"
#include "superblock/host_operator.hpp"

namespace strata::superblock {

/// Makes the operator of a plan with vectors of the given precision; allocate() packs its operators. The references must
/// outlive the result. Collective over the communicator.
using MakeOperator = std::function<std::unique_ptr<TargetOperator>(const Communicator&, const MultiplyPlan&,
                                                                   const OperatorSource&, krylov::Precision, Timers&)>;

MakeOperator host_operators(const HostOptions& options);
/// On a device, whose binding is copied, if a product has `min_flops` operations or more; else on the host.
MakeOperator device_operators(const HostOptions& options, const DeviceBinding& device, double min_flops = 0);

}  // namespace strata::superblock
