# SPDX-License-Identifier: BSD-3-Clause
"""Spin dynamics, on the host and on a device.
Area -> file -> (number, text that occurs once, text in its place, what it breaks)."""

MUTANTS = {
    "trotter": {
        "src/trotter/job/observables.hpp": [
            (587, "{\"total-y\", Axis::y}", "{\"total-y\", Axis::x}", "a column of an observable along another axis"),
        ],
        "kernels/trotter/pass_cpu.cpp": [
            (49, "g = high; g < high + step; ++g)", "g = high; g < high + 1; ++g)",
             "more than four bits between a group and u: some groups are left out"),
            (50, "flip + 2 * (d.lanes + d.q)", "flip + 2 * d.lanes",
             "couplings of the upper bits of a tile to outer ones taken from the wrong bits"),
        ],
        "kernels/trotter/diagonal.cpp": [
            (51, "energy += flip_[2 * i] / 2;", "energy += flip_[2 * i];",
             "energy of the couplings between a tile and the outer bits"),
        ],
        "kernels/trotter/row_sums_cpu.cpp": [
            (52, "first >= 0 ? first : bits - 1, first >= 0 ? bits - 1 : -1", "bits - 1, first",
             "pairs of spins of a row in the other order"),
        ],
        "kernels/trotter/flip_sums_cpu.cpp": [
            (413, "what == BitSum::difference ? a - b : a + b", "a + b",
             "bits of all parities are added without signs"),
        ],
        "kernels/trotter/flip_products.hpp": [
            (450, "if ((s & group.above) != t->value) continue;", "if (false) continue;",
             "products of H act in tiles in which the flipped spins above are other ones"),
        ],
        "src/trotter/physics/spin_products.cpp": [
            (451, "p.sum.value ^= p.flip;", "p.sum.value ^= 0;",
             "coefficients of H of the state that a product acts on, not of the one that it leads to"),
            (452, "largest = std::max(largest, size);", "largest = size;",
             "bounds of the spectrum from one state of the flipped spins"),
        ],
        "src/trotter/state/host_products.cpp": [
            (453, "const std::uint64_t into = n ^ slab_flips(first);", "const std::uint64_t into = n;",
             "slabs of another rank are added to those of the same number"),
        ],
        "src/trotter/run/trotter.cpp": [
            (454, "(leg == Leg::forward ? 0 : 1)]", "0]", "the energy on the way back lacks the products of Sigma"),
        ],
        "src/trotter/physics/observed_products.cpp": [
            (414, "t.conjugate ? std::conj(sums[t.sum]) : sums[t.sum]", "sums[t.sum]",
             "products whose highest flipped spin is lowered are those of their conjugates"),
        ],
        "src/trotter/run/expectation_values.cpp": [
            (415, "amplitudes(lower ? 0 : 1),", "amplitudes(0),",
             "of two ranks that differ in a flipped spin the higher one takes its own amplitudes for both"),
        ],
        "src/trotter/physics/moments.cpp": [
            (53, "zero[1 + j] - one[1 + j]", "zero[1 + j] + one[1 + j]", "sign of pairs with a spin outside of a row"),
        ],
        "src/trotter/physics/layers.cpp": [
            (54, "turns + static_cast<int>(-sign) * spins_", "turns", "global phase of W K W"),
        ],
        "src/trotter/physics/splitting.cpp": [
            (55, "stages.push_back({axis, half, start + half});", "stages.push_back({axis, half, start});",
             "the last stages of order 2 have the mean of the first half of the step"),
        ],
        "src/trotter/physics/factor.cpp": [
            (222, "return gauss_mean(product);", "return product(0);",
             "one sample of a drive for each stage, not its mean"),
        ],
        "src/trotter/physics/drive.cpp": [
            (56, "for (auto timed = pulses_.rbegin(); timed != pulses_.rend(); ++timed)",
             "for (auto timed = pulses_.begin(); timed != pulses_.end(); ++timed)",
             "pulses at one time are undone in the order in which they came"),
            (57, "time <= t + tolerance", "time < t - tolerance", "H changes its sign a step late"),
            (112, "!(most <= max_term)", "most < 0", "factors in time of any size"),
            (223, "std::abs(time - boundary) > rounding", "std::abs(time - boundary) > rounding + step_",
             "steps are not divided at kinks of a drive"),
            (224, "frequency += factor.frequency();", "frequency = std::max(frequency, factor.frequency());",
             "frequencies of two cosines on the same terms do not add up"),
            (225, "std::ranges::count_if(hamiltonian_.axis, acts) < 2",
             "std::ranges::count_if(hamiltonian_.axis, acts) < 1",
             "long steps are told where all terms commute"),
        ],
        "src/trotter/run/energy_watch.cpp": [
            (226, "reference.period != period", "!reference.period", "energies before and after a pulse are compared"),
            (227, "c.echo && rows[sample] > forward", "c.echo && rows[sample] > forward + c.steps",
             "a resumed echo takes rows of the way back for rows of the way there"),
            (228, "if (!plan.drive().constant()) return;", "", "the energy of a driven H is watched"),
        ],
        "src/trotter/run/evolution.cpp": [
            (229, "for (auto part = parts.rbegin(); part != parts.rend(); ++part)",
             "for (auto part = parts.begin(); part != parts.end(); ++part)",
             "the parts of a divided step are undone in the order in which they came"),
        ],
        "kernels/trotter/random_state_cpu.cpp": [
            (58, "(index >> state.polarised & 1)", "(index & 1)",
             "the first spin is polarised, whichever was asked for"),
        ],
        "src/trotter/run/observation.cpp": [
            (59, "std::sqrt(variance_of_mean(square, last.size()))", "std::sqrt(square / (n - 1))",
             "error of one state instead of the mean's"),
            (106, "if (counts[sample] == counts[0])", "if (counts[sample] > 0)", "states under way count as finished"),
            (109, "std::expm1(steps * std::log1p(config_.tolerance))", "0 * steps",
             "the norm may not differ by what a Chebyshev series leaves out"),
        ],
        "comm/transpose_exchange.hpp": [
            (60, "static_cast<std::size_t>(slot) * starts_.back()",
             "static_cast<std::size_t>(slot % 1) * starts_.back()",
             "pieces that are under way share their memory"),
        ],
        "src/trotter/state/host_state.cpp": [
            (61, "static_cast<std::uint64_t>(rank) * share + p * piece",
             "static_cast<std::uint64_t>(rank) * share + p % 2 * piece", "the third piece is the first one again"),
            (62, "columns(state_comm_.rank(), p).first, piece);", "columns(state_comm_.rank(), 0).first, piece);",
             "all pieces with the diagonal of the first"),
        ],
        "src/trotter/state/state_sums.cpp": [
            (63, "join_parts(part_bits, log2_of(parts), {first, last})",
             "join_parts(part_bits, log2_of(parts), {all.begin(), all.begin() + (last - first)})",
             "sums of the first state for all states"),
        ],
        "src/models/distances.cpp": [
            (107, "return factor / static_cast<double>(images.size());", "return factor_at(law, images.front());",
             "dipoles: one of several nearest images"),
            (108, "if (!(shortest < norm(nearest) * (1 - same_length))) break;", "if (shortest >= 0) break;",
             "images one period away at most"),
        ],
        "src/trotter/physics/initial_state.cpp": [
            (110, "amplitude /= std::sqrt(norm);", "amplitude /= 1;", "amplitudes of a file as they are"),
        ],
        "src/trotter/physics/chebyshev_series.cpp": [
            (111, "if (z / 2 < negligible) return {1};", "if (z == 0) return {1};",
             "Bessel functions of arguments near 0 overflow"),
        ],
        "src/models/lattice.cpp": [
            (113, "return value < -most || value > most;", "return std::abs(value) > most;",
             "the most negative integer passes as small"),
        ],
        "src/models/model.cpp": [
            (114, "spec.t = {1, 0, 0};", "spec.t = {1};", "further hops of the checkerboard are bonds of spins"),
        ],
    },
    "trotter-device": {
        "kernels/trotter/passes_cuda.cu": [
            (64, "(pass.split + pass.shift) | pass.fixed;", "(pass.split + pass.shift);",
             "the diagonal does not know the rows of a rank"),
            (65, "for (int j = 0; !is_lower && j < spins; ++j) total", "for (int j = 0; j < spins; ++j) total",
             "energy of the outer spins twice"),
            (66, "tile >> middle << (pass.first + pass.count)", "tile >> middle << (pass.low + pass.count)",
             "tiles in the wrong place above the transformed bits"),
        ],
        "src/trotter/state/device_state.cpp": [
            (67, "pass.first = tile.first - pass.shift;", "pass.first = tile.first;",
             "an exchanged piece is transformed as if it were a whole row"),
        ],
        "src/trotter/state/device_tiles.cpp": [
            (68, "tile_bits - (end - begin))", "tile_bits)", "tiles larger than the shared memory"),
        ],
    },
}
