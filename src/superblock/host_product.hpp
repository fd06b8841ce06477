// SPDX-License-Identifier: BSD-3-Clause
// y += C x on the CPU: base class of all variants, with the exchange of the pieces of x that a rank reads. The
// program's own variant is in host_multiply.hpp; library_product.hpp has the variants that it is compared with.
#pragma once

#include <string>
#include <vector>

#include "comm/patch_exchange.hpp"
#include "strata/timer.hpp"
#include "superblock/multiply_plan.hpp"

namespace strata::kronecker {

template <class Real>
class HostProduct {
  public:
    /// All references must outlive the object. Collective.
    HostProduct(const Communicator& comm, const MultiplyPlan& plan, const Node& node, Timers& timers);
    virtual ~HostProduct() = default;

    virtual std::string name() const = 0;  ///< e.g. "avx512"
    /// All memory that the object allocates.
    virtual MemoryPrediction memory() const = 0;
    /// Allocates and packs the operators.
    virtual void allocate(const OperatorSource& operators) = 0;
    /// `x`: this rank's elements, exchange().own_doubles() doubles of its node's memory; they must not change before a
    /// later collective call. `y`: this rank's elements. Collective.
    virtual void add_product(const NodeBuffer& x, Real* y) = 0;

    /// Processor time of all threads of this rank in products so far, without exchanges.
    double processor_seconds() const { return processor_seconds_; }

    const PatchExchange& exchange() const { return exchange_; }
    /// True if every rank finds all patches that it reads in the memory of its node.
    bool in_place() const { return in_place_; }

  protected:
    /// Measures a phase in which all threads compute: wall time for the timers, and processor time of all threads.
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

    /// First element of a patch that this rank reads.
    const Real* patch(std::size_t patch, const NodeBuffer& x) const {
        return static_cast<const Real*>(exchange_.piece(piece_of_patch_[patch], x));
    }
    /// Index in y of the first of this rank's columns of a patch.
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
