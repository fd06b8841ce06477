// SPDX-License-Identifier: BSD-3-Clause
// Union-find by many threads at once, in a forest in which no parent exceeds its children: the larger of two roots gets
// the smaller one as its parent by an atomic minimum (Komura and Okabe, CPC 183, 1155 (2012); Wende and Steinke,
// Listing 4). `Parents` has load(i), store(i, parent) and minimum(i, parent), which returns the previous parent.
#pragma once

#include <cstdint>

#include "strata/gpu.hpp"

namespace strata::swendsen_wang {

/// Root of `i` while no thread unites. Nothing is written, so that threads may store the roots that they have found.
template <class Parents>
__device__ std::uint32_t root_of(const Parents& parents, std::uint32_t i) {
    for (;;) {
        const std::uint32_t up = parents.load(i);
        if (up == i) return i;
        i = up;
    }
}

/// Root of `i` at the time of the call, for unions. The search replaces the parent of every node on the path by its
/// grandparent, which is always an ancestor, so that a concurrent union by another thread is not lost. What it stores can
/// be older than what another thread stores at the same node: after concurrent searches a parent need not be the root.
template <class Parents>
__device__ std::uint32_t halve_path(const Parents& parents, std::uint32_t i) {
    std::uint32_t up = parents.load(i);
    while (up != i) {
        const std::uint32_t above = parents.load(up);
        if (above == up) return up;
        parents.store(i, above);
        i = above;
        up = parents.load(i);
    }
    return i;
}

/// Unites the trees of `a` and `b`. If another thread has changed the parent of the larger root in the meantime, that
/// parent is then united with the smaller root.
template <class Parents>
__device__ void unite(const Parents& parents, std::uint32_t a, std::uint32_t b) {
    a = halve_path(parents, a);
    b = halve_path(parents, b);
    while (a != b) {
        const std::uint32_t larger = a > b ? a : b, smaller = a > b ? b : a;
        const std::uint32_t was = parents.minimum(larger, smaller);
        if (was == larger) return;
        a = was;
        b = smaller;
    }
}

/// Parents in global memory.
struct GlobalParents {
    View<std::uint32_t, Cuda> parent;
    __device__ std::uint32_t load(std::uint32_t i) const { return gpu_load_relaxed(&parent[i]); }
    __device__ void store(std::uint32_t i, std::uint32_t up) const { gpu_store_relaxed(&parent[i], up); }
    __device__ std::uint32_t minimum(std::uint32_t i, std::uint32_t up) const { return atomicMin(&parent[i], up); }
};

}  // namespace strata::swendsen_wang
