// SPDX-License-Identifier: BSD-3-Clause
// Variants of the multiplication. Elements of operators are hashes of their indices, because drawing them as the
// program does would take longer than all timings.
#include "variants.hpp"

#include <algorithm>
#include <memory>

#include "comm/node_memory.hpp"
#include "kernels/instruction_sets.hpp"
#include "superblock/host_product.hpp"
#include "superblock/multiply_plan.hpp"

namespace strata::perf {
namespace {

using superblock::Target;
using superblock::Term;

double hash(std::uint64_t n) {
    n = (n ^ (n >> 31)) * 0x9E3779B97F4A7C15u;
    n = (n ^ (n >> 29)) * 0xBF58476D1CE4E5B9u;
    return static_cast<double>(static_cast<std::int64_t>(n ^ (n >> 32)) >> 12) * 0x1p-51;
}

class HashOperators : public superblock::OperatorSource {
  public:
    void left(std::size_t term, std::uint64_t k, const superblock::Rectangle& part, double* elements) const override {
        fill(2 * term, k, part, elements);
    }
    void right(std::size_t term, std::uint64_t k, const superblock::Rectangle& part, double* elements) const override {
        fill(2 * term + 1, k, part, elements);
    }
    /// Element (i, j) of the k-th left or right operator of a term.
    static double left(std::size_t term, std::uint64_t k, std::uint64_t i, std::uint64_t j) {
        return at(2 * term, k, i, j);
    }
    static double right(std::size_t term, std::uint64_t k, std::uint64_t i, std::uint64_t j) {
        return at(2 * term + 1, k, i, j);
    }

  private:
    static double at(std::uint64_t of, std::uint64_t k, std::uint64_t i, std::uint64_t j) {
        return hash(((of * 64 + k) << 40) + (i << 20) + j) * 0.02;
    }
    static void fill(std::uint64_t of, std::uint64_t k, const superblock::Rectangle& part, double* elements) {
        for (std::uint64_t j = part.columns.first; j < part.columns.last; ++j)
            for (std::uint64_t i = part.rows.first; i < part.rows.last; ++i) *elements++ = at(of, k, i, j);
    }
};

double element_of_x(std::uint64_t i) { return hash(i + (std::uint64_t{1} << 60)); }

/// A block of the full target: C_IJ of a term, or its transpose.
struct FullBlock {
    std::size_t i, j, term;
    bool transposed;
};

std::vector<FullBlock> full_blocks(const Target& target) {
    std::vector<FullBlock> blocks;
    for (std::size_t n = 0; n < target.terms.size(); ++n) {
        const Term& t = target.terms[n];
        blocks.push_back({t.i, t.j, n, false});
        if (!t.diagonal()) blocks.push_back({t.j, t.i, n, true});
    }
    std::ranges::stable_sort(blocks, {}, [](const FullBlock& b) { return std::pair(b.i, b.j); });
    return blocks;
}

}  // namespace

Target make_target(const KroneckerCase& of) {
    superblock::SyntheticModel model;
    model.sites = of.sites;
    model.up = model.down = of.sites / 2;
    model.saved_states = of.saved_states;
    model.width = of.width;
    Target target{superblock::PatchLayout(superblock::synthetic_patches(model)), {}};
    target.terms = superblock::terms_of_rule(target.layout.patches(), superblock::Rule::axis, of.operators);
    return target;
}

Multiplication own_multiplication(const Communicator& comm, const Target& target, int threads) {
    struct Own {
        superblock::MultiplyPlan plan;
        Node node;
        Timers timers;
        superblock::HostProduct<double> multiply;
        NodeBuffer x;
        Buffer<double> y;
        Own(const Communicator& of, const Target& t, int n)
            : plan(t, superblock::Partition::automatic, 1, 0, n),
              node(of, Sharing::none, 0),
              multiply(of, plan, node, strata::choose_kernels(kronecker::block_variants<double>(), STRATA_BENCH_SIMD),
                       timers),
              x(multiply.exchange().own_doubles()),
              y(t.layout.elements()) {}
    };
    auto own = std::make_shared<Own>(comm, target, threads);
    own->multiply.allocate(HashOperators());
    for (std::uint64_t i = 0; i < own->y.size(); ++i) own->x.own()[i] = element_of_x(i);
    return {"own", own->plan.pool_bytes<double>(),
            [own] {
                std::fill(own->y.begin(), own->y.end(), 0.0);
                own->multiply.add_product(own->x, own->y.data());
            },
            [own] { return own->y.data(); }};
}

Multiplication library_multiplication(const Target& target, LibraryVariant variant, GemmBackend backend,
                                      LibraryThreads threads) {
    struct Library {
        LibraryMultiply multiply;
        Buffer<double> x, y;
    };
    const superblock::PatchLayout& layout = target.layout;
    const std::vector<FullBlock> full = full_blocks(target);
    std::vector<LibraryBlock> blocks;
    for (const FullBlock& b : full)
        blocks.push_back({b.i, layout[b.i].r, layout[b.i].l, layout[b.j], target.terms[b.term].operators,
                          layout.elements_of(b.j).first, layout.elements_of(b.i).first});
    auto library =
        std::make_shared<Library>(Library{LibraryMultiply(variant, blocks, backend, threads),
                                          Buffer<double>(layout.elements()), Buffer<double>(layout.elements())});
    for (std::size_t n = 0; n < full.size(); ++n) {
        const auto [i, j, term, transposed] = full[n];
        library->multiply.pack(
            n,
            [&](auto k, auto a, auto c) {
                return transposed ? HashOperators::left(term, k, c, a) : HashOperators::left(term, k, a, c);
            },
            [&](auto k, auto p, auto q) {
                return transposed ? HashOperators::right(term, k, q, p) : HashOperators::right(term, k, p, q);
            });
    }
    for (std::uint64_t i = 0; i < library->x.size(); ++i) library->x[i] = element_of_x(i);
    constexpr const char* names[] = {"loops", "tasks", "batched", "fused"};
    return {std::string(names[static_cast<int>(variant)]) + (threads.blocks > 1 ? " within rows, " : ", ") +
                std::string(name_of(backend)),
            library->multiply.operator_bytes(),
            [library] { library->multiply.multiply(library->x.data(), library->y.data()); },
            [library] { return library->y.data(); }};
}

}  // namespace strata::perf
