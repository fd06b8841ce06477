// SPDX-License-Identifier: BSD-3-Clause
// The one place that chooses the task of a job and the precision of its operator.
#include "kronecker/factory.hpp"

#include "kronecker/eigenvalues.hpp"
#include "kronecker/host_operator.hpp"
#include "kronecker/repeated_product.hpp"

namespace strata::kronecker {

std::string example_job() {
    return "application = kronecker\n"
           "[model]\nsites = 64\nsaved-states = 1000\noperators = 8\n"
           "[run]\nrepeats = 20\n";
}

MakeOperator host_operator_maker(const Communicator& comm, krylov::Precision precision, const HostOptions& options) {
    return [&comm, precision, options](const MultiplyPlan& plan, const OperatorSource& operators,
                                       Timers& timers) -> std::unique_ptr<TargetOperator> {
        if (precision == krylov::Precision::single)
            return std::make_unique<HostOperator<float>>(comm, plan, operators, options, timers);
        return std::make_unique<HostOperator<double>>(comm, plan, operators, options, timers);
    };
}

std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads, const DeviceBinding*) {
    const KroneckerPlan plan(resolve_config(config), comm.size(), comm.rank(), threads);
    const MakeOperator host = host_operator_maker(comm, plan.config().precision, host_options(plan.config()));
    if (plan.config().finds_states()) return std::make_unique<Eigenvalues>(plan, host);
    return std::make_unique<RepeatedProduct>(plan, host);
}

Forecast forecast(const Config& config, const RunLayout& layout, BackendKind) {
    const KroneckerPlan plan(resolve_config(config), layout.ranks, 0, layout.threads);
    const KroneckerConfig& c = plan.config();
    return {plan.description(),
            plan.largest_memory(layout.ranks <= layout.ranks_per_node),
            [plan] { return plan.traffic(); },
            c.finds_states() ? c.lanczos_steps : c.repeats,
            c.finds_states() ? "steps" : "products",
            plan.seconds()};
}

std::vector<Oracle> oracles() { return {}; }

}  // namespace strata::kronecker
