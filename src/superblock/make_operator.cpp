// SPDX-License-Identifier: BSD-3-Clause
// Each operator class is named here once for either precision.
#include "superblock/make_operator.hpp"

#include "superblock/device_operator.hpp"

namespace strata::superblock {
namespace {

/// An operator of a class in the given precision; `options` are the arguments between its operators and its timers.
template <template <class> class Operator, class... Options>
std::unique_ptr<TargetOperator> made(const Communicator& comm, const MultiplyPlan& plan,
                                     const OperatorSource& operators, krylov::Precision precision, Timers& timers,
                                     const Options&... options) {
    if (precision == krylov::Precision::single)
        return std::make_unique<Operator<float>>(comm, plan, operators, options..., timers);
    return std::make_unique<Operator<double>>(comm, plan, operators, options..., timers);
}

}  // namespace

MakeOperator host_operators(const HostOptions& options) {
    return [options](const Communicator& comm, const MultiplyPlan& plan, const OperatorSource& operators,
                     krylov::Precision precision,
                     Timers& timers) { return made<HostOperator>(comm, plan, operators, precision, timers, options); };
}

MakeOperator device_operators(const HostOptions& options, const DeviceBinding& device, double min_flops) {
    return [options, device, min_flops](const Communicator& comm, const MultiplyPlan& plan,
                                        const OperatorSource& operators, krylov::Precision precision, Timers& timers) {
        if (plan.flops() < min_flops) return made<HostOperator>(comm, plan, operators, precision, timers, options);
        return made<DeviceOperator>(comm, plan, operators, precision, timers, options.seed, device);
    };
}

}  // namespace strata::superblock
