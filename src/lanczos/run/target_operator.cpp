// SPDX-License-Identifier: BSD-3-Clause
// The sector of the current wave must be known before a state is read, because vectors of different sectors differ in
// their shapes.
#include "lanczos/run/target_operator.hpp"

#include "lanczos/run/task.hpp"
#include "lanczos/state/memory.hpp"
#include "lanczos/state/spectral_target.hpp"

namespace strata::lanczos {

TargetOperator::TargetOperator(HamiltonianOperator& own, std::vector<PlaneWave> waves, MakeHamiltonian make,
                               Timers& timers)
    : own_(own),
      waves_(std::move(waves)),
      make_(std::move(make)),
      timers_(timers),
      changes_(own.plan().counts().symmetric() && leads_elsewhere(own.plan())) {
    if (changes_ || !leads_elsewhere(own.plan())) return;
    plan_ = std::make_unique<LanczosPlan>(target_plan(own_.plan(), waves_[0]));
    other_ = make_(*plan_, timers_);
}

void TargetOperator::allocate() {
    if (!changes_ && other_ != nullptr) other_->allocate();
}

bool TargetOperator::make(std::size_t wave) {
    if (!changes_ || wave_.get() == wave + 1) return false;
    other_.reset();
    plan_ = std::make_unique<LanczosPlan>(target_plan(own_.plan(), waves_[wave]));
    other_ = make_(*plan_, timers_);
    other_->allocate();
    wave_.set(wave + 1);
    return true;
}

void TargetOperator::clear() {
    if (!changes_) return;
    other_.reset();
    wave_.set(0);
}

bool TargetOperator::prepare_state(const std::vector<ArrayShape>& stored) {
    const auto wave = wave_.stored(stored);
    if (!wave || *wave > waves_.size() || *wave == wave_.get()) return false;
    clear();
    return *wave > 0 && make(*wave - 1);
}

void TargetOperator::add_working_pairs(std::vector<DistributedArray>& arrays) {
    if (changes_) arrays.push_back(wave_.array());
    add_working_pair(own_, "", arrays);
    if (other_ != nullptr) add_working_pair(*other_, "other-", arrays);
}

std::string TargetOperator::words() const {
    if (changes_) return ", each in the sector that its wave vector leads to";
    return plan_ != nullptr ? " in the sector of " + particles_of(plan_->config()) : "";
}

void TargetOperator::add_memory(BackendKind backend, MemoryPrediction& memory) const {
    if (changes_)
        memory.add(largest_operator_memory(*largest_target(own_.plan()), 0, backend), " of the other sector");
    else if (other_ != nullptr)
        memory.add(other_->memory(0), " of the other sector");
}

}  // namespace strata::lanczos
