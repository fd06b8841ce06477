// SPDX-License-Identifier: BSD-3-Clause
// A vector of the Kronecker product consists of the patches, each column by column, which is the layout of the matrices
// of the wave function.
#include "dmrg/state/superblock_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "comm/collectives.hpp"
#include "strata/random_purpose.hpp"
#include "strata/rng.hpp"

namespace strata::dmrg {
namespace {

/// Dimension below which a superblock is not distributed: its solution takes less time than an exchange.
constexpr std::uint64_t min_shared_dimension = 20000;

/// Dimension up to which superblocks are solved to convergence, with the options below, at a negligible cost.
constexpr double max_solved_dimension = 2000;
constexpr krylov::ImproveOptions to_the_end = {
    .max_basis = 40, .min_products = 2, .max_products = 2000, .tolerance = 1e-10};

/// Residual at which a search from a guess with a random part ends; the error by noise is larger.
constexpr double tolerance_of_random_parts = 1e-5;

std::vector<double> packed(const Superblock& superblock, const WaveFunction& x) {
    const superblock::PatchLayout& layout = superblock.target().layout;
    std::vector<double> all(layout.elements());
    for (std::size_t patch = 0; patch < layout.size(); ++patch) {
        const Matrix& m = x[superblock.left_sector(patch)];
        std::ranges::copy(m.elements, all.begin() + static_cast<std::ptrdiff_t>(layout.elements_of(patch).first));
    }
    return all;
}

void unpack(const Superblock& superblock, const std::vector<double>& all, WaveFunction& x) {
    const superblock::PatchLayout& layout = superblock.target().layout;
    for (std::size_t patch = 0; patch < layout.size(); ++patch) {
        Matrix& m = x[superblock.left_sector(patch)];
        m = Matrix(layout[patch].r, layout[patch].l);
        std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(layout.elements_of(patch).first), m.elements.size(),
                    m.elements.begin());
    }
}

/// Adds random numbers to a vector. They are functions of the index of the element, so that all ranks get the same
/// ones.
void add(const RandomPart& random, std::vector<double>& x) {
    double squares = 0;
    for (const double element : x) squares += element * element;
    // The mean square of a number from -1 to 1 is 1/3.
    const double factor = random.norm * std::sqrt(3 * squares / static_cast<double>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Philox4x32 words =
            philox(random.seed, {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(random.draw),
                                 static_cast<std::uint32_t>(random.draw >> 32),
                                 static_cast<std::uint32_t>(RandomPurpose::dmrg_guess)});
        x[i] += factor * (std::ldexp(static_cast<double>((std::uint64_t{words[1]} << 32 | words[0]) >> 11), -52) - 1);
    }
}

/// Copies this rank's elements of the whole vector `all` to or from v.
void set(krylov::VectorSpace& space, krylov::DistributedVector& v, Range own, const std::vector<double>& all) {
    space.set(v, 0, {0, own.size()}, all.data() + own.first);
}
void get(const krylov::VectorSpace& space, const krylov::DistributedVector& v, Range own, std::vector<double>& all) {
    space.get(v, 0, {0, own.size()}, all.data() + own.first);
}

/// An orthonormal basis of the space of `all`; vectors that are 0 or depend on earlier ones are omitted.
std::vector<krylov::DistributedVector> orthonormal(krylov::VectorSpace& space, const Superblock& superblock,
                                                   const std::vector<WaveFunction>& all, Range elements) {
    const double nothing = space.precision() == krylov::Precision::single ? 1e-5 : 1e-10;
    std::vector<krylov::DistributedVector> vectors;
    for (const WaveFunction& x : all) {
        vectors.push_back(space.vector());
        set(space, vectors.back(), elements, packed(superblock, x));
        space.orthogonalise(vectors, vectors.size() - 1, vectors.back());
        const double norm = space.norm(vectors.back());
        if (norm > nothing)
            space.axpby(1 / norm, vectors.back(), 0, vectors.back(), vectors.back());
        else
            vectors.pop_back();
    }
    return vectors;
}

}  // namespace

bool is_shared(const superblock::PatchLayout& layout, int ranks) {
    return ranks > 1 && layout.elements() >= min_shared_dimension &&
           layout.columns() >= static_cast<std::uint64_t>(ranks);
}

SuperblockSolver::SuperblockSolver(const Communicator& comm, int threads, superblock::MakeOperator make, Timers& timers)
    : comm_(comm), alone_(Communicator::alone()), threads_(threads), make_(std::move(make)), timers_(timers) {}

template <class Real>
krylov::ImprovedState SuperblockSolver::solve(const Communicator& comm, const superblock::MultiplyPlan& plan,
                                              const Superblock& superblock, const krylov::ImproveOptions& options,
                                              const std::vector<WaveFunction>& excluded, const RandomPart& random_part,
                                              std::vector<double>& x) {
    constexpr auto precision = sizeof(Real) == sizeof(float) ? krylov::Precision::single : krylov::Precision::double_;
    std::unique_ptr<superblock::TargetOperator> op;
    std::vector<krylov::DistributedVector> basis;
    {
        const Timers::Scope scope = timers_.scope("packing");
        op = make_(comm, plan, superblock, precision, timers_);
        op->allocate();
        op->space().reserve_basis(std::max(options.max_basis, excluded.size()));
        for (std::size_t i = 0; i < options.max_basis; ++i) basis.push_back(op->space().vector());
    }
    krylov::VectorSpace& space = op->space();
    const std::vector<krylov::DistributedVector> others = orthonormal(space, superblock, excluded, plan.elements());
    if (static_cast<double>(others.size()) >= op->dimension())
        return {.energy = std::numeric_limits<double>::infinity()};
    set(space, basis[0], plan.elements(), x);
    std::optional<double> start_energy;
    if (random_part.norm > 0) {
        op->space().axpby(1 / op->space().norm(basis[0]), basis[0], 0, basis[0], basis[0]);
        start_energy = op->apply(basis[0]).vw + op->offset();
        add(random_part, x);
        set(space, basis[0], plan.elements(), x);
    }
    krylov::ImprovedState state = krylov::improve_lowest(*op, basis, others, options);
    get(space, basis[0], plan.elements(), x);
    if (start_energy) {
        state.start_energy = *start_energy;
        ++state.products;
    }
    flops_ += plan.flops() * static_cast<double>(state.products);
    return state;
}

template <class Body>
auto SuperblockSolver::with_packed(const Superblock& superblock, const std::vector<WaveFunction*>& x, Body body) {
    const superblock::Target& target = superblock.target();
    const bool shared = is_shared(target.layout, comm_.size());
    const Communicator& comm = shared ? comm_ : alone_;
    const int threads = target.layout.elements() < min_threaded_dimension ? 1 : threads_;
    std::optional<superblock::MultiplyPlan> plan;
    std::vector<std::vector<double>> all;
    {
        const Timers::Scope scope = timers_.scope("packing");
        plan.emplace(target, superblock::Partition::columns, comm.size(), comm.rank(), threads);
        for (const WaveFunction* vector : x) all.push_back(packed(superblock, *vector));
    }
    auto result = body(comm, *plan, all);
    const Timers::Scope scope = timers_.scope("gathering");
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (shared) {
            const Range own = plan->elements();
            all[i] = gather(comm_, std::span<const double>(all[i]).subspan(own.first, own.size()));
            all[i].resize(target.layout.elements());
        }
        // even if every rank solved alone: LAPACK may differ in the last bit between nodes
        if (comm_.size() > 1) broadcast_bytes(comm_, all[i].data(), all[i].size() * sizeof(double), 0);
        unpack(superblock, all[i], *x[i]);
    }
    if (comm_.size() > 1) broadcast(comm_, result);
    return result;
}

krylov::ImprovedState SuperblockSolver::improve(const Superblock& superblock, const krylov::ImproveOptions& large,
                                                krylov::Precision precision, const std::vector<WaveFunction>& excluded,
                                                const RandomPart& random_part, WaveFunction& x) {
    const bool small = static_cast<double>(superblock.target().layout.elements()) <= max_solved_dimension;
    krylov::ImproveOptions options = small ? to_the_end : large;
    if (random_part.norm > 0 && !small) options.tolerance = std::max(options.tolerance, tolerance_of_random_parts);
    const bool single = precision == krylov::Precision::single && !small;
    return with_packed(superblock, {&x}, [&](const Communicator& comm, const auto& plan, auto& all) {
        return single ? solve<float>(comm, plan, superblock, options, excluded, random_part, all[0])
                      : solve<double>(comm, plan, superblock, options, excluded, random_part, all[0]);
    });
}

std::unique_ptr<superblock::TargetOperator> SuperblockSolver::allocated(const Communicator& comm,
                                                                        const superblock::MultiplyPlan& plan,
                                                                        const Superblock& superblock) {
    const Timers::Scope scope = timers_.scope("packing");
    std::unique_ptr<superblock::TargetOperator> op = make_(comm, plan, superblock, krylov::Precision::double_, timers_);
    op->allocate();
    return op;
}

krylov::RealExponentialResult SuperblockSolver::evolve(const Superblock& superblock,
                                                       const krylov::ExponentialOptions& options, double t,
                                                       WaveFunction& x, WaveFunction& y) {
    return with_packed(superblock, {&x, &y}, [&](const Communicator& comm, const auto& plan, auto& all) {
        const std::unique_ptr<superblock::TargetOperator> op = allocated(comm, plan, superblock);
        krylov::DistributedVector real = op->space().vector(), imaginary = op->space().vector();
        set(op->space(), real, plan.elements(), all[0]);
        set(op->space(), imaginary, plan.elements(), all[1]);
        const krylov::RealExponentialResult result = krylov::advance_real(*op, options, t, real, imaginary);
        get(op->space(), real, plan.elements(), all[0]);
        get(op->space(), imaginary, plan.elements(), all[1]);
        flops_ += plan.flops() * static_cast<double>(result.products);
        return result;
    });
}

krylov::RealExponentialResult SuperblockSolver::evolve_imaginary(const Superblock& superblock,
                                                                 const krylov::ExponentialOptions& options, double t,
                                                                 WaveFunction& x, double& log_norm) {
    struct Evolved {
        krylov::RealExponentialResult result;
        double log_norm = 0;
    };
    const Evolved evolved =
        with_packed(superblock, {&x}, [&](const Communicator& comm, const auto& plan, auto& all) -> Evolved {
            const std::unique_ptr<superblock::TargetOperator> op = allocated(comm, plan, superblock);
            krylov::DistributedVector vector = op->space().vector();
            set(op->space(), vector, plan.elements(), all[0]);
            Evolved c;
            c.result = krylov::advance_imaginary(*op, options, t, vector, c.log_norm);
            get(op->space(), vector, plan.elements(), all[0]);
            flops_ += plan.flops() * static_cast<double>(c.result.products);
            return c;
        });
    log_norm += evolved.log_norm;
    return evolved.result;
}

}  // namespace strata::dmrg
