// SPDX-License-Identifier: BSD-3-Clause
// Vectors of different sectors are drawn from different random numbers: their errors add up independently.
#include "lanczos/run/thermal_spectrum.hpp"

namespace strata::lanczos {

template <class Part>
ThermalSpectrumSum<Part>::ThermalSpectrumSum(const LanczosConfig& config, int ranks, int rank, int threads,
                                             MakeHamiltonian make)
    : SectorSequence(config, ranks, rank, threads, std::move(make)),
      largest_(largest_plan()),
      lists_(largest_),
      sums_(lists_.grid(), Part::vectors(config), lists_.lists(), states_of_sectors()),
      shorter_(sums_) {
    make_part(0);
}

template <class Part>
std::vector<double> ThermalSpectrumSum<Part>::states_of_sectors() const {
    std::vector<double> states;
    for (const ListedSector& sector : sectors_.all()) states.push_back(sector.states());
    return states;
}

template <class Part>
std::unique_ptr<LanczosTask> ThermalSpectrumSum<Part>::make_task(std::uint64_t sector) {
    const LanczosConfig c = sectors_.job_of(sector);
    auto task = std::make_unique<Part>(plan_of(c), make_, sector * Part::vectors(c));
    current_ = task.get();
    return task;
}

template <class Part>
void ThermalSpectrumSum<Part>::keep_result() {
    sums_.replace(part(), current_->sums());
    shorter_.replace(part(), current_->shorter());
}

template <class Part>
void ThermalSpectrumSum<Part>::add_kept(std::vector<DistributedArray>& arrays) {
    sums_.add_state("all-averages", arrays);
    if (Part::has_shorter) shorter_.add_state("all-shorter", arrays);
}

template <class Part>
std::vector<Quantity> ThermalSpectrumSum<Part>::results(const Series&) const {
    if (!all_done()) return {};
    return lists_.results(sums_, Part::has_shorter ? &shorter_ : nullptr);
}

template class ThermalSpectrumSum<ThermalSpectrum>;
template class ThermalSpectrumSum<ExactThermalSpectrum>;

}  // namespace strata::lanczos
