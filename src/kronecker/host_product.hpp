// SPDX-License-Identifier: BSD-3-Clause
// y += C x on the CPU: what all variants share, the pieces of x that a rank reads. host_multiply.hpp is the program's
// own variant, library_product.hpp holds those that it is compared with.
#pragma once

#include <string>
#include <vector>

#include "comm/patch_exchange.hpp"
#include "kronecker/multiply_plan.hpp"
#include "strata/timer.hpp"

namespace strata::kronecker {

template <class Real>
class HostProduct {
  public:
    /// All references must outlive it. Collective.
    HostProduct(const Communicator& comm, const MultiplyPlan& plan, const Node& node, Timers& timers);
    virtual ~HostProduct() = default;

    virtual std::string name() const = 0;  ///< e.g. "avx512"
    /// Of everything that it allocates.
    virtual MemoryPrediction memory() const = 0;
    /// Allocates and packs the operators.
    virtual void allocate(const OperatorSource& operators) = 0;
    /// `x` holds this rank's elements, exchange().own_doubles() doubles of its node's memory, and must not change before
    /// a collective call that follows; `y`: this rank's elements. Collective.
    virtual void add_product(const NodeBuffer& x, Real* y) = 0;

    /// Processor time of all threads of this rank in products so far, without exchanges.
    double processor_seconds() const { return processor_seconds_; }

    const PatchExchange& exchange() const { return exchange_; }
    /// All patches that ranks read are in memory of their node, on every rank.
    bool in_place() const { return in_place_; }

  protected:
    /// Times a phase in which all threads compute, in wall time by the timers and in processor time.
    class Phase {
      public:
        Phase(HostProduct& of, std::string_view name)
            : of_(of), scope_(of.timers_.scope(name)), start_(strata::processor_seconds(ClockOf::process)) {}
        ~Phase() { of_.processor_seconds_ += strata::processor_seconds(ClockOf::process) - start_; }
        Phase(const Phase&) = delete;
        Phase& operator=(const Phase&) = delete;

      private:
        HostProduct& of_;
        const Timers::Scope scope_;
        const double start_;
    };

    /// Where the elements of a patch that this rank reads begin.
    const Real* patch(std::size_t patch, const NodeBuffer& x) const {
        return static_cast<const Real*>(exchange_.piece(piece_of_patch_[patch], x));
    }
    /// Elements of y before this rank's columns of a patch.
    std::uint64_t first_in_y(std::size_t patch) const;

    const MultiplyPlan& plan_;
    Timers& timers_;
    const std::vector<std::size_t> patches_read_;  ///< ascending
    PatchExchange exchange_;

  private:
    const bool in_place_;
    std::vector<std::size_t> piece_of_patch_;
    double processor_seconds_ = 0;
};

}  // namespace strata::kronecker
