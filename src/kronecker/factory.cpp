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

/// From dense matrices in numpy, with operators drawn by an independent generator (tests/oracle/kronecker_oracle.py).
std::vector<Oracle> oracles() {
    const std::string equal = "application = kronecker\n[model]\nsites = 8\nsaved-states = 20\noperators = 3\n";
    const std::string narrow =
        "application = kronecker\n[model]\nsites = 10\nsaved-states = 30\noperators = 1\nrule = moore\nwidth = 0.2\n";
    const std::string states = "[run]\nlanczos-steps = 1000\n";
    return {{"9 patches, sum of y = C x", equal, "checksum", -6.932569749777406, 1e-12},
            {"9 patches, lowest eigenvalue", equal + states, "energy", -1.02417413656742, 1e-11},
            {"4 large patches, lowest eigenvalue", narrow + states, "energy", -1.205036502223885, 1e-11}};
}

}  // namespace strata::kronecker
