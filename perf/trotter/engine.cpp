// SPDX-License-Identifier: BSD-3-Clause
// The only file of the benchmark that includes the application: the passes of one step within an evolution, with the
// default layout and tables that are computed once.
#include "engine.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "kernels/instruction_sets.hpp"
#include "trotter/physics/layers.hpp"
#include "trotter/physics/splitting.hpp"
#include "trotter/state/plan.hpp"

namespace strata::perf {
namespace {

using namespace strata::trotter;

/// The diagonal gates of the second of three steps, in their order.
std::vector<Phases> step_of(const SpinHamiltonian& h, double dt) {
    LayerSequence sequence(h.spins);
    std::vector<Phases> all;
    std::size_t passes = 0;
    for (int step = 0; step < 3; ++step) {
        for (const Stage& stage : splitting(2, Scheme::suzuki))
            sequence.append(stage.axis, h[stage.axis], stage.fraction * dt);
        const std::size_t before = all.size();
        while (const std::optional<Phases> phases = sequence.take()) all.push_back(*phases);
        passes = all.size() - before;
    }
    return {all.end() - static_cast<std::ptrdiff_t>(passes), all.end()};
}

template <class Real>
class Engine {
  public:
    Engine(const SpinHamiltonian& h, double dt, Precision precision, int threads)
        : layout_(default_layout(h.spins, precision, BackendKind::cpu)),
          threads_(threads),
          state_(layout_.reals(layout_.rows())) {
        const TileBits rows = row_bits(layout_), columns = column_bits(layout_);
        bool within = true;
        for (const Phases& phases : step_of(h, dt)) {
            const int bits = within ? layout_.row_bits : layout_.spins - layout_.row_bits;
            tables_.push_back(
                std::make_unique<DiagonalTables<Real>>(phases.diagonal, within ? rows : columns, std::exp2(-bits)));
            within = !within;
        }
        light_cone_ = std::ranges::all_of(
            all_axes, [&](strata::Axis axis) { return served_by_windows(layout_, h[axis].coupling); });
        if (light_cone_) make_windows(step_of(h, dt));
        omp_set_num_threads(threads_);
        const double amplitude = std::exp2(-0.5 * layout_.spins);
#pragma omp parallel for schedule(static)
        for (std::uint64_t row = 0; row < layout_.rows(); ++row)
            for (std::uint64_t i = layout_.row_offset(row); i < layout_.row_offset(row + 1); ++i)
                state_[i] = static_cast<Real>(amplitude);
    }

    void operator()() {
        omp_set_num_threads(threads_);
        const PassKernels<Real>& kernels = choose_kernels(pass_variants<Real>(), STRATA_BENCH_SIMD);
        Real* first = state_.data();
        if (light_cone_) return light_cone_step(kernels);
        for (std::size_t i = 0; i < tables_.size(); ++i) {
            Pass<Real> pass;
            pass.diagonal = tables_[i]->view();
            const bool within = i % 2 == 0;
            pass.lanes = within ? trotter::Lanes::transformed : trotter::Lanes::kept;
            pass.blocks =
                within ? row_tiles(layout_, &first) : column_tiles(layout_, &first, layout_.spins - layout_.row_bits);
            kernels.pass(pass, {0, within ? layout_.rows() : layout_.row_blocks()});
        }
    }

  private:
    /// Makes the two windows of a step and their tables; d: the four diagonal gates of a step.
    void make_windows(const std::vector<Phases>& d) {
        for (std::size_t p = 0; p < 2; ++p) {
            const Window window = p == 0 ? row_window(layout_) : column_window(layout_);
            windows_.push_back(window);
            offsets_.push_back(bit_offsets(window, layout_, layout_.spins - layout_.row_bits, 0));
            before_.emplace_back(window).set(d[(2 * p + 3) % 4].diagonal);
            full_.emplace_back(window).set(d[2 * p].diagonal, std::exp2(-unnormalised_transforms(window, true, true)));
            after_.emplace_back(window).set(d[2 * p + 1].diagonal);
        }
    }

    void light_cone_step(const PassKernels<Real>& kernels) {
        const std::uint64_t block = layout_.block_reals();
        for (std::size_t p = 0; p < 2; ++p) {
            LightConePass<Real> pass;
            pass.window = &windows_[p];
            pass.first = state_.data();
            pass.offsets = offsets_[p].data();
            pass.tile_stride = p == 0 ? layout_.row_stride() * block : block;
            pass.tile_gap = p == 0 ? layout_.row_gap() : block;
            pass.before = before_[p].view();
            pass.after = after_[p].view();
            pass.full = full_[p].view();
            kernels.light_cone_pass(pass, {0, p == 0 ? layout_.rows() : layout_.row_blocks() / 2});
        }
    }

    bool light_cone_ = false;
    std::vector<Window> windows_;
    std::vector<std::vector<std::uint64_t>> offsets_;
    std::vector<PartialTables<Real>> before_, after_;
    std::vector<FullTables<Real>> full_;
    StateLayout layout_;
    int threads_;
    Buffer<Real> state_;
    std::vector<std::unique_ptr<DiagonalTables<Real>>> tables_;
};

template <class Real>
std::function<void()> make(const SpinHamiltonian& h, double dt, Precision precision, int threads) {
    auto engine = std::make_shared<Engine<Real>>(h, dt, precision, threads);
    return [engine] { (*engine)(); };
}

}  // namespace

std::function<void()> make_engine_step(const SpinProblem& problem, EnginePrecision precision, int threads) {
    SpinHamiltonian h(problem.spins);
    for (strata::Axis axis : all_axes) {
        for (std::size_t j = 0; j < problem.fields.size(); ++j) h[axis].field[j] = problem.fields[j][index_of(axis)];
        for (const SpinProblem::Coupling& c : problem.couplings)
            h[axis].coupling[pair_index(std::min(c.first, c.second), std::max(c.first, c.second))] +=
                c.values[index_of(axis)];
    }
    if (precision == EnginePrecision::single) return make<float>(h, problem.step, Precision::single, threads);
    return make<double>(h, problem.step, Precision::double_, threads);
}

}  // namespace strata::perf
