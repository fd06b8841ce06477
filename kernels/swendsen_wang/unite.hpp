// SPDX-License-Identifier: BSD-3-Clause
// Union of pairs of ids in a forest whose parents never exceed their children.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "kernels/swendsen_wang/simd.hpp"

namespace strata::swendsen_wang::STRATA_ISA {

/// Rem's algorithm with splicing, one step at a time for all pairs: of the two ends, the one with the larger parent is
/// re-pointed to the smaller parent; the pair is done if the parents were equal or a root was re-pointed, else it goes
/// on from the larger parent in the next pass. No branch depends on the data. Ids of one thread; consumes a[] and b[].
inline void unite_own(std::uint32_t* parent, std::uint32_t* a, std::uint32_t* b, std::uint64_t count) {
    std::uint32_t ca[4096+64], cb[4096+64];
    std::uint64_t left = 0;
    constexpr int K=16;
    const std::uint64_t seg=(count+K-1)/K;
    auto step=[&](std::uint32_t x, std::uint32_t y){
            const std::uint32_t px = parent[x], py = parent[y];
            std::uint32_t node = y, larger = py, smaller = px;
            asm("cmp %[py], %[px]\n\tcmova %[x], %[node]\n\tcmova %[px], %[larger]\n\tcmova %[py], %[smaller]" : [node]"+&r"(node),[larger]"+&r"(larger),[smaller]"+&r"(smaller): [x]"r"(x),[px]"r"(px),[py]"r"(py):"cc");
            const std::uint32_t other = x ^ y ^ node;
            parent[node] = smaller;
            ca[left] = other;
            cb[left] = larger;
            left += static_cast<std::uint64_t>((larger != smaller) & (node != larger));
    };
    for(std::uint64_t i=0;i<seg;i++) for(std::uint64_t j=i;j<count;j+=seg) step(a[j],b[j]);
    while (left != 0) {
        count=left; left=0;
        for (std::uint64_t i = 0; i < count; ++i) step(ca[i],cb[i]);
    }
}

/// The same for ids that several threads unite at once: the larger root's parent is set by compare-and-swap.
inline void unite_shared(std::uint32_t* parent, std::uint32_t* a, std::uint32_t* b, std::uint64_t count) {
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
