// SPDX-License-Identifier: BSD-3-Clause
// Union-find over ids: a forest in which no parent exceeds its children, so that the root of a tree is its smallest id.
// unite_own() is for the ids of one thread, unite_shared() for ids that several threads unite at once. Source: Rem's
// algorithm (E. W. Dijkstra, A Discipline of Programming, 1976) with splicing (Patwary, Blair, Manne, SEA 2010).
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "kernels/swendsen_wang/simd.hpp"
#include "kernels/swendsen_wang/slab_view.hpp"

namespace strata::swendsen_wang::STRATA_ISA {

/// One step of Rem's algorithm for a pair of ids: the parent of `node` becomes `smaller` instead of `larger`.
struct RemStep {
    std::uint32_t node;             ///< id of the pair whose parent is larger
    std::uint32_t larger, smaller;  ///< the two parents
};

/// Chooses between x (parent px) and y (parent py) without a branch. The outcome cannot be predicted, and compilers
/// turn the plain comparison into a jump.
inline RemStep choose_larger(std::uint32_t x, std::uint32_t px, std::uint32_t y, std::uint32_t py) {
    RemStep step = {y, py, px};
#if defined(__x86_64__)
    asm("cmp %[py], %[px]\n\tcmova %[x], %[node]\n\tcmova %[px], %[larger]\n\tcmova %[py], %[smaller]"
        : [node] "+&r"(step.node), [larger] "+&r"(step.larger), [smaller] "+&r"(step.smaller)
        : [x] "r"(x), [px] "r"(px), [py] "r"(py)
        : "cc");
#else
    if (px > py) step = {x, px, py};
#endif
    return step;
}

/// Rem's algorithm with splicing, one step at a time for all pairs: the id with the larger parent gets the smaller
/// parent. The pair is finished if the parents were equal or the id was a root; otherwise the two parents are the pair of
/// the next pass. No branch depends on the data. Neighbouring pairs often touch the same ids and would wait for each
/// other's stores, so the first pass alternates between `segments` parts of the list. For ids of one thread and at most
/// staged_pairs pairs.
inline void unite_own(std::uint32_t* parent, const std::uint32_t* a, const std::uint32_t* b, std::uint64_t count) {
    constexpr std::uint64_t segments = 16;
    std::uint32_t next_a[staged_pairs], next_b[staged_pairs];
    std::uint64_t remaining = 0;
    const auto step = [&](std::uint32_t x, std::uint32_t y) {
        const RemStep s = choose_larger(x, parent[x], y, parent[y]);
        parent[s.node] = s.smaller;
        next_a[remaining] = s.smaller;
        next_b[remaining] = s.larger;
        remaining += static_cast<std::uint64_t>((s.larger != s.smaller) & (s.node != s.larger));
    };
    const std::uint64_t length = (count + segments - 1) / segments;
    for (std::uint64_t i = 0; i < length; ++i)
        for (std::uint64_t j = i; j < count; j += length) step(a[j], b[j]);
    while (remaining != 0) {
        const std::uint64_t pending = remaining;
        remaining = 0;
        for (std::uint64_t i = 0; i < pending; ++i) step(next_a[i], next_b[i]);
    }
}

/// Unites pairs of ids while other threads unite pairs of the same forest. The parent of the larger root is set by
/// compare-and-swap; if another thread has changed it before, the search for the roots is repeated from the changed
/// parent.
inline void unite_shared(std::uint32_t* parent, const std::uint32_t* a, const std::uint32_t* b, std::uint64_t count) {
    const auto root = [parent](std::uint32_t id) {
        for (;;) {
            const std::uint32_t up = __atomic_load_n(parent + id, __ATOMIC_RELAXED);
            if (up == id) return id;
            id = up;
        }
    };
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint32_t x = root(a[i]), y = root(b[i]);
        while (x != y) {
            if (x < y) std::swap(x, y);
            std::uint32_t expected = x;
            if (__atomic_compare_exchange_n(parent + x, &expected, y, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
            x = root(expected);
            y = root(y);
        }
    }
}

}  // namespace strata::swendsen_wang::STRATA_ISA
