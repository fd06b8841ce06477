// SPDX-License-Identifier: BSD-3-Clause
// The sector of the current part must be known before a state is read, because vectors of different sectors differ in
// their shapes.
#include "lanczos/run/sector_sequence.hpp"

#include <algorithm>

#include "comm/collectives.hpp"

namespace strata::lanczos {

std::vector<std::string> SectorSequence::description() const {
    std::vector<std::string> lines = largest_plan().description();
    lines.push_back(sectors_.line());
    return lines;
}

void SectorSequence::make_part(std::uint64_t sector) {
    task_.reset();
    part_ = std::min(sector, parts() - 1);
    task_ = make_task(sector);
    steps_in_part_ = 0;
    sector_.set(sector);
}

void SectorSequence::initialise() {
    if (part_ != 0) {
        make_part(0);
        task_->allocate();
    }
    steps_before_ = steps_in_part_ = 0;
    task_->initialise();
}

std::vector<DistributedArray> SectorSequence::state() {
    std::vector<DistributedArray> arrays = {sector_.array()};
    arrays.push_back(
        Record("parts").field("steps-before", steps_before_).field("steps-in-part", steps_in_part_).array());
    add_kept(arrays);
    for (DistributedArray& array : task_->state()) arrays.push_back(std::move(array));
    return arrays;
}

std::vector<DistributedArray> SectorSequence::final_state(const std::vector<ArrayShape>& stored) {
    const auto sector = sector_.stored(stored);
    if (!searches_sector() || !sector || *sector >= sectors())
        throw CollectiveError(
            ExitCode::bad_input,
            "A run over several sectors keeps no states; run the job of one sector, and measure that.");
    make_part(*sector);
    task_->allocate();
    std::vector<DistributedArray> arrays = {
        Record("parts").field("steps-before", steps_before_).field("steps-in-part", steps_in_part_).array()};
    add_kept(arrays);
    for (DistributedArray& array : dynamic_cast<Remeasured&>(*task_).final_state(stored))
        arrays.push_back(std::move(array));
    return arrays;
}

std::optional<std::uint64_t> SectorSequence::begin_with_final_state(std::uint64_t step) {
    const auto next = dynamic_cast<Remeasured&>(*task_).begin_with_final_state(step - steps_before_);
    if (!next || part_ + 1 < parts()) return {};
    steps_in_part_ = *next;
    if (part_done()) keep_result();
    return steps_before_ + steps_in_part_;
}

void SectorSequence::prepare_state(const std::vector<ArrayShape>& stored) {
    const auto sector = sector_.stored(stored);
    if (!sector || *sector >= sectors()) return;
    if (*sector != sector_.get()) {
        make_part(*sector);
        task_->allocate();
    }
    if (auto* growing = optional_of<Growing>(*task_)) growing->prepare_state(stored);
}

/// The remaining parts are expected to take as many steps as the current one.
std::uint64_t SectorSequence::total_steps() const { return steps_before_ + task_->total_steps() * (parts() - part_); }

void SectorSequence::step(std::uint64_t step) {
    if (part_done()) {
        steps_before_ += steps_in_part_;
        make_part(next_sector());
        task_->allocate();
        task_->initialise();
    }
    task_->step(step - steps_before_);
    ++steps_in_part_;
    if (!part_done()) return;
    for (const Timers::Phase& phase : task_->timers().phases()) timers_.add(phase.name, phase.seconds);
    keep_result();
}

std::vector<Figure> SectorSequence::performance(std::uint64_t steps, double seconds) const {
    return task_->performance(steps, seconds);
}

}  // namespace strata::lanczos
