// SPDX-License-Identifier: BSD-3-Clause
// Physical site i is site 2 i of the row.
#include "dmrg/job/purified_model.hpp"

namespace strata::dmrg {
namespace {

std::vector<double> spread(const std::vector<double>& values, double shift = 0) {
    std::vector<double> all(2 * values.size());
    for (std::size_t i = 0; i < values.size(); ++i) all[2 * i] = values[i] + shift;
    return all;
}

}  // namespace

OperatorProduct purified(OperatorProduct product) {
    for (ModeOperator& o : product) o.site *= 2;
    return product;
}

PurifiedValues purified(const LatticeModel& values, const std::vector<Bond>& bonds, const OperatorSum& others,
                        double chemical_potential) {
    PurifiedValues p{values, bonds, OperatorSum(others.kind())};
    p.values.u = spread(values.u);
    p.values.potential = spread(values.potential, -chemical_potential);
    for (std::vector<double>& field : p.values.field) field = spread(field);
    for (Bond& b : p.bonds) b.i *= 2, b.j *= 2;
    for (const auto& [product, coefficient] : others.terms())
        p.others += OperatorSum::product(others.kind(), purified(product), coefficient);
    return p;
}

Filling purified_filling(const ModelConfig& model, Conserved conserved, int physical_sites) {
    const int per_pair = model.spins() ? model.twice_spin : 1;  // particles of each component, or m + S
    const int all = per_pair * physical_sites;
    switch (conserved) {
        case Conserved::numbers: return {all, model.components() == 2 ? all : 0, conserved};
        case Conserved::particles: return {2 * all, 0, conserved};
        case Conserved::parity: return {model.components() == 2 ? 0 : all % 2, 0, conserved};
        default: return {0, 0, conserved};  // N_up - N_down, or nothing
    }
}

}  // namespace strata::dmrg
