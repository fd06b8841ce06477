// SPDX-License-Identifier: BSD-3-Clause
// Traces over one sector or several, of all momenta or of all conserved numbers, as thermal averages. Where sectors
// differ in the number of particles N, the ensemble is the grand-canonical one, exp(-(H - mu N) / T).
#pragma once

#include <functional>
#include <vector>

#include "lanczos/physics/thermal_averages.hpp"
#include "lanczos/run/sector_list.hpp"
#include "lanczos/run/task.hpp"

namespace strata::lanczos {

/// Random numbers of the vectors of a trace: one over a sector of symmetries needs vectors without a preferred
/// direction, which normal numbers have.
Distribution random_distribution(const LanczosPlan& plan);
/// The conserved numbers whose averages a job gives.
ThermalChoice thermal_choice(const LanczosConfig& config);
/// The trace over sector k of a list; `offset`: energy that is added to all levels.
TracedSector traced_sector(const SectorList& sectors, std::size_t k, double offset);
/// Appends the rows of all temperatures that rank 0 computes from the levels that `sectors` returns, and broadcasts.
/// Collective.
void append_thermal_rows(const Communicator& comm, const LanczosConfig& config, int sites,
                         const std::function<std::vector<SectorSamples>()>& sectors, std::size_t observed,
                         std::vector<double>& rows);
/// Adds errors of keys that do not go with sector.numbers = all.
void check_all_numbers(const Config& config, InputErrors& found);
/// Adds errors of keys that sums over sectors cannot serve.
void check_several_sectors(const Config& config, const ModelConfig& model, InputErrors& found);
/// Adds an error of a chemical potential where H does not conserve the number of particles.
void check_ensemble(const Config& config, const LanczosConfig& c, InputErrors& found);

}  // namespace strata::lanczos
