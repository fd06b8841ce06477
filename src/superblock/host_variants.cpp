// SPDX-License-Identifier: BSD-3-Clause
// Variants by a library use the requested library, or the fastest one of a trial on rank 0.
#include "superblock/host_variants.hpp"

#include "comm/collectives.hpp"
#include "kernels/instruction_sets.hpp"
#include "superblock/host_multiply.hpp"
#include "superblock/library_product.hpp"

namespace strata::kronecker {
namespace {

LibraryVariant library_variant(Variant variant) {
    switch (variant) {
        case Variant::loops: return LibraryVariant::loops;
        case Variant::tasks: return LibraryVariant::tasks;
        case Variant::batched: return LibraryVariant::batched;
        default: return LibraryVariant::fused;
    }
}

}  // namespace

template <class Real>
std::unique_ptr<HostProduct<Real>> make_product(const Communicator& comm, const MultiplyPlan& plan, const Node& node,
                                                const HostOptions& options, Timers& timers) {
    if (options.variant == Variant::pairs)
        return std::make_unique<HostMultiply<Real>>(comm, plan, node,
                                                    choose_kernels(block_variants<Real>(), options.simd), timers);
    GemmBackend backend = options.backend.value_or(GemmBackend::own);
    if (!options.backend && comm.is_root()) backend = try_gemm_backends<Real>().front().backend;
    broadcast(comm, backend);
    return std::make_unique<LibraryProduct<Real>>(comm, plan, node, library_variant(options.variant), backend,
                                                  options.block_threads, timers);
}

template <class Real>
MemoryPrediction product_memory(const MultiplyPlan& plan, const HostOptions& options, int rank, bool in_place) {
    if (options.variant == Variant::pairs) return plan.multiply_memory<Real>(rank, in_place);
    return LibraryProduct<Real>::memory(plan, rank, library_variant(options.variant), options.block_threads, in_place);
}

template std::unique_ptr<HostProduct<double>> make_product(const Communicator&, const MultiplyPlan&, const Node&,
                                                           const HostOptions&, Timers&);
template std::unique_ptr<HostProduct<float>> make_product(const Communicator&, const MultiplyPlan&, const Node&,
                                                          const HostOptions&, Timers&);
template MemoryPrediction product_memory<double>(const MultiplyPlan&, const HostOptions&, int, bool);
template MemoryPrediction product_memory<float>(const MultiplyPlan&, const HostOptions&, int, bool);

}  // namespace strata::kronecker
