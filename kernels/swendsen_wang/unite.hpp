// SPDX-License-Identifier: BSD-3-Clause
// Union of pairs of ids in a forest whose parents never exceed their children.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "kernels/swendsen_wang/simd.hpp"
#include "kernels/swendsen_wang/slice_view.hpp"

namespace strata::swendsen_wang::STRATA_ISA {

/// A pair's next step in Rem's algorithm: `node`, whose parent is the larger, is to point to `smaller`.
struct RemStep {
    std::uint32_t node, larger, smaller;
};

/// Chooses between x (parent px) and y (parent py) without a branch: the comparison is a coin toss, and compilers turn
/// the plain choice into a jump.
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

/// Rem's algorithm with splicing, one step at a time for all pairs: of the two ends, the one with the larger parent is
/// re-pointed to the smaller parent; the pair is done if the parents were equal or a root was re-pointed, else it goes
/// on from the larger parent in the next pass. No branch depends on the data. Neighbouring pairs often touch the same
/// ids and would wait for each other's stores, so the first pass walks `segments` parts of the list in turns. For ids
/// of one thread; at most staged_pairs pairs.
inline void unite_own(std::uint32_t* parent, const std::uint32_t* a, const std::uint32_t* b, std::uint64_t count) {
    constexpr std::uint64_t segments = 16;
    std::uint32_t open_a[staged_pairs], open_b[staged_pairs];
    std::uint64_t open = 0;
    const auto step = [&](std::uint32_t x, std::uint32_t y) {
        const RemStep s = choose_larger(x, parent[x], y, parent[y]);
        parent[s.node] = s.smaller;
        open_a[open] = x ^ y ^ s.node;
        open_b[open] = s.larger;
        open += static_cast<std::uint64_t>((s.larger != s.smaller) & (s.node != s.larger));
    };
    const std::uint64_t length = (count + segments - 1) / segments;
    for (std::uint64_t i = 0; i < length; ++i)
        for (std::uint64_t j = i; j < count; j += length) step(a[j], b[j]);
    while (open != 0) {
        const std::uint64_t left = open;
        open = 0;
        for (std::uint64_t i = 0; i < left; ++i) step(open_a[i], open_b[i]);
    }
}

/// The same for ids that several threads unite at once: the larger root's parent is set by compare-and-swap.
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
