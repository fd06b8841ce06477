#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Breaks the sources in one place after another and reports which test notices.

    git worktree add --detach ../scratch && cmake -S ../scratch -B ../scratch/build/dev ...
    tests/mutants.py ../scratch [--build build/dev] [--only N ...] [--jobs 2]
    tests/mutants.py --list

Each mutant replaces a text that occurs once in its file; only the targets its tests need are built, the tests run in a
fixed order up to the first that fails, and the file is restored. The randomised oracle runs in any case, alone. The
unbroken tree must pass everything first. A tool for developers: ctest does not run it.
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

Mutant = collections.namedtuple("Mutant", "area file old new what")
KRYLOV, LANCZOS, KERNELS, ISING = "src/krylov/", "src/lanczos/", "kernels/lanczos/", "swendsen_wang/"
TROTTER = "trotter/"
KRONECKER = "kronecker/"
DMRG = "src/dmrg/"

MUTANTS = [Mutant(*fields) for fields in (
    ("lanczos", KRYLOV + "recurrence.cpp", "2e-6 : 1e-11;", "2e-6 : 1e-3;",
     "a beta that is small, but no rounding, ends it"),
    ("lanczos", KRYLOV + "recurrence.cpp", "square <= recomputed_below * products.ww", "square <= 0",
     "a beta that has lost its digits is not computed again"),
    ("lanczos", KRYLOV + "levels.hpp", "clear_distance = 1e-4;", "clear_distance = 1;",
     "a Ritz value counts as another level although a ground state may hide in it"),
    ("lanczos", KRYLOV + "ground_state.cpp", "{&op_.v(), &op_.w()}) op_.space().orthogonalise(",
     "{&op_.w()}) op_.orthogonalise(", "v is not orthogonalised against the states found"),
    ("lanczos", KRYLOV + "ground_state.cpp", "(states() > 0 && residual() <= tolerance())", "states() > 0",
     "the true residual is not compared with run.tolerance"),
    ("lanczos", KRYLOV + "lowest_states.cpp", "= coupling[t * kept + i];", "= coupling[i * rest + t];",
     "couplings after a restart are transposed"),
    ("lanczos", KRYLOV + "lowest_states.cpp", "if (s_.confirming == 0) return false;",
     "if (s_.confirming == 0) return true;",
     "several states: no look with a random vector before the end"),
    ("lanczos", LANCZOS + "physics/thermal_averages.cpp", "sums.push_back(before + behind[i + 1]);", "sums.push_back(before + behind[i]);",
     "the jackknife leaves no sample out"),
    ("lanczos", LANCZOS + "physics/thermal_averages.cpp", "log_z = std::log(m.sum[0]) + m.offset;", "log_z = std::log(m.sum[0]);",
     "entropy without the scale of the sums"),
    ("lanczos", KRYLOV + "tridiagonal.cpp", "beta[i - 1] * beta[i - 1] / pivot", "beta[i] * beta[i] / pivot",
     "Radau's rule: pivots with the next beta"),
    ("lanczos", LANCZOS + "state/spectral_target.cpp", "for (Complex& w : weights) w = std::conj(w);", "{}",
     "c+_k with the phases of c_k"),
    ("lanczos", KRYLOV + "continued_fraction.cpp", "beta[k] * beta[k] * fraction;",
     "beta[k + 1] * beta[k + 1] * fraction;", "continued fraction with the next beta"),
    ("lanczos", LANCZOS + "run/spectrum.cpp", "intensity(p, omega) / static_cast<double>(solver_.states());",
     "intensity(p, omega);", "spectrum: sum, not average, over the ground states"),
    ("lanczos", LANCZOS + "run/evolution.cpp", "1e-7 : 1e-12;", "1e-7 : 1e-6;",
     "pieces of time too long for the error bound"),
    ("lanczos", KRYLOV + "exponential.cpp", "std::ceil(left * spread /", "std::ceil(0 * left * spread /",
     "the error bound is sampled however long the step is"),
    ("lanczos", LANCZOS + "run/evolution.cpp", "s_.error += piece.error;", "s_.error = piece.error;",
     "error bound of the last piece only"),
    ("lanczos", LANCZOS + "run/correlations.cpp", "other = c.ud[i][j] + c.ud[j][i];", "other = 2 * c.ud[i][j];",
     "<n_up n_down> taken as symmetric in the sites"),
    ("lanczos", LANCZOS + "run/correlations.cpp", "set(image, imaginary, imaginary ? -value : value);", "set(image, imaginary, value);",
     "sign of the imaginary part of <c+_i c_j>"),
    ("lanczos", LANCZOS + "physics/plane_waves.cpp", "sublattice < 0 ? lattice.sites : lattice.sites / lattice.sublattices",
     "lattice.sites", "norm of the plane waves of one sublattice"),
    ("lanczos", "src/models/unit_cell.cpp", "{2, 1, -1, 1, t}", "{2, 1, 1, -1, t}", "kagome: a bond to the wrong cell"),
    ("lanczos", "src/models/lattice.cpp", "(angle[1] * real(a[0]) - angle[0]", "(angle[1] * real(a[0]) + angle[0]",
     "sign in the wave vectors of tilted tori"),
    ("lanczos", LANCZOS + "physics/left_hops.hpp", "occupation >> (j + 1)", "occupation >> j",
     "hops between the halves: one site too many in the sign"),
    ("lanczos", LANCZOS + "run/operators.cpp", "occupied & (bit - 1)", "occupied & (bit >> 1)",
     "sign of c_down from the neighbouring site alone"),
    ("lanczos", LANCZOS + "physics/hamiltonian.cpp",
     "energy[static_cast<std::size_t>(e.to) * sites + static_cast<std::size_t>(e.from)] += model.v * e.weight;", "",
     "interaction of an up and a down particle in one order of the sites only"),
    ("lanczos", "comm/row_exchange.cpp", ">= blocks[owner].last", "> blocks[owner].last",
     "the first row of a rank is asked of the one before"),
    ("lanczos", KERNELS + "down_sweep_cpu.cpp", "sites >>= c.chunk_bits, table +=", "table +=",
     "interaction of more than 9 sites: every group of sites looks up the first"),
    ("lanczos", KERNELS + "down_sweep_cpu.cpp", "k == 0 ? -imaginary[1][g] : imaginary[0][g]",
     "k == 0 ? imaginary[1][g] : -imaginary[0][g]", "down hops with conjugate amplitudes"),
    ("lanczos", KERNELS + "panel_rows.hpp", "((panel - panels.first) * blocks + block) * tile;",
     "(block * panels.size() + panel - panels.first) * tile;", "returned panels in the other order"),
    ("lanczos", KERNELS + "subspace_sweep_cpu.cpp", "fma(-im, y, real)",
     "fma(im, y, real)", "hops between the halves: sign of an imaginary part"),
    ("lanczos", "kernels/vectors/vectors_cpu.cpp", "im += doubles<Real>(times_i<Real, piece_bytes<Real>>(x)) * y;",
     "im += doubles<Real>(times_i<Real, piece_bytes<Real>>(x)) * (Sums{} - y);", "projections conjugated"),
    ("lanczos", LANCZOS + "state/start_vector.hpp", "real < reals && up < l.dim_up", "real < reals",
     "start vectors with numbers in the padding"),
    ("ising", "kernels/" + ISING + "neighbours_simd.hpp", "call < 16 &&", "call < 2 &&",
     "bond probability of 8 binary digits"),
    ("ising", "kernels/" + ISING + "tile_boundaries.hpp", "(across & joined & ~along.last)", "(across & joined)",
     "a bond dropped across the end of a tile"),
    ("ising", "kernels/" + ISING + "flips_cpu.cpp", "in_row = row_sites(l, row), first",
     "in_row = row_sites(l, 0), first",
     "sites beyond the lattice are flipped"),
    ("ising", "kernels/" + ISING + "cluster_statistics_cpu.cpp", "up >= mine.first_id) {", "up > mine.first_id) {",
     "sizes of the children of a thread's first component stay with them"),
    ("ising", "src/" + ISING + "state/observation.cpp", "m * m * m * m;", "std::abs(m * m * m);", "m^3 for m^4"),
    ("ising", "src/" + ISING + "state/observation.cpp", "/ n / n / n / n;", "/ n / n / n;", "norm of cluster-4"),
    ("ising", "src/" + ISING + "state/observation.cpp", "2 * fourth_moment_shift", "fourth_moment_shift",
     "scale of cluster-4 beyond 2^31 sites"),
    ("ising", "src/" + ISING + "run/results.cpp", "p.reduced() * std::sqrt(p.sites)", "p.beta * std::sqrt(p.sites)",
     "specific heat without the coupling"),
    ("ising", "src/" + ISING + "run/results.cpp", "2 * std::sin(std::numbers::pi / p.longest)",
     "std::sin(2 * std::numbers::pi / p.longest)", "correlation length with sin k for 2 sin(k / 2)"),
    ("ising", "src/analysis/jackknife.cpp", "change *= static_cast<double>(count - 1);",
     "change *= std::sqrt(static_cast<double>(count - 1));", "changes by one value with the factor of blocks"),
    ("ising", "src/analysis/jackknife.cpp", "std::ceil(5 * tau)", "std::ceil(0.5 * tau)", "jackknife blocks too short"),
    ("ising", "src/analysis/gamma_method.cpp", "std::sqrt(2 * tau * f.variance", "std::sqrt(tau * f.variance",
     "a factor of 2 in the error"),
    ("ising", "src/analysis/gamma_method.cpp", "tau * (1 + (2 *", "tau * (1 - (2 *", "sign of the bias of tau"),
    ("ising", "comm/label_ownership.cpp", "std::ranges::upper_bound(last_, global)",
     "std::ranges::lower_bound(last_, global)",
     "owner of the first label of a rank"),
    ("frame", "comm/exchange.cpp", "MPI_Irecv(from.data + first,", "MPI_Irecv(from.data + 0 * first,",
     "pieces of a message on top of each other"),
    ("frame", "src/io/checkpoint_read.cpp", "found.rows()[r] != expected[rows.first + r]", "found.rows()[r] == 0",
     "digests of rows are not compared"),
    ("frame", "include/strata/checkpoint.cpp", "copy(0, start + slab.elements.first * element,", "copy(0, start,",
     "pieces of a long row on top of each other"),
    ("trotter", "kernels/" + TROTTER + "pass_cpu.cpp", "g = high; g < high + step; ++g)", "g = high; g < high + 1; ++g)",
     "more than four bits between a group and u: some groups are left out"),
    ("trotter", "kernels/" + TROTTER + "pass_cpu.cpp", "flip + 2 * (d.lanes + d.q)", "flip + 2 * d.lanes",
     "couplings of the upper bits of a tile to outer ones taken from the wrong bits"),
    ("trotter", "kernels/" + TROTTER + "diagonal.cpp", "energy += flip_[2 * i] / 2;", "energy += flip_[2 * i];",
     "energy of the couplings between a tile and the outer bits"),
    ("trotter", "kernels/" + TROTTER + "row_sums_cpu.cpp", "first >= 0 ? first : bits - 1, first >= 0 ? bits - 1 : -1",
     "bits - 1, first", "pairs of spins of a row in the other order"),
    ("trotter", "src/" + TROTTER + "physics/moments.cpp", "zero[1 + j] - one[1 + j]", "zero[1 + j] + one[1 + j]",
     "sign of pairs with a spin outside of a row"),
    ("trotter", "src/" + TROTTER + "physics/layers.cpp", "turns + static_cast<int>(-sign) * spins_", "turns",
     "global phase of W K W"),
    ("trotter", "src/" + TROTTER + "physics/splitting.cpp", "stages.push_back({axis, fraction, start + fraction});",
     "stages.push_back({axis, fraction, start});", "order 4 (Blanes and Moan): the clock of an adjoint stage"),
    ("trotter", "src/" + TROTTER + "physics/drive.cpp", "for (auto timed = pulses_.rbegin(); timed != pulses_.rend(); ++timed)",
     "for (auto timed = pulses_.begin(); timed != pulses_.end(); ++timed)",
     "pulses at one time are undone in the order in which they came"),
    ("trotter", "src/" + TROTTER + "physics/drive.cpp", "time <= t + tolerance", "time < t - tolerance",
     "H changes its sign a step late"),
    ("trotter", "kernels/" + TROTTER + "random_state_cpu.cpp", "(index >> state.polarised & 1)", "(index & 1)",
     "the first spin is polarised, whichever was asked for"),
    ("trotter", "src/" + TROTTER + "run/observation.cpp", "std::sqrt(square / (n * (n - 1)))", "std::sqrt(square / (n - 1))",
     "error of one state instead of the mean's"),
    ("trotter", "comm/bit_exchange.hpp", "(static_cast<std::size_t>(slot) * static_cast<std::size_t>(comm_size_)",
     "(static_cast<std::size_t>(slot % 1) * static_cast<std::size_t>(comm_size_)",
     "pieces that are under way share their memory"),
    ("trotter", "src/" + TROTTER + "state/host_state.cpp", "static_cast<std::uint64_t>(rank) * share + p * piece",
     "static_cast<std::uint64_t>(rank) * share + p % 2 * piece", "the third piece is the first one again"),
    ("trotter", "src/" + TROTTER + "state/host_state.cpp", "columns(state_comm_.rank(), p).first, piece);",
     "columns(state_comm_.rank(), 0).first, piece);", "all pieces with the diagonal of the first"),
    ("trotter", "src/" + TROTTER + "state/state_sums.cpp", "join_parts(part_bits, log2_of(parts), {first, last})",
     "join_parts(part_bits, log2_of(parts), {all.begin(), all.begin() + (last - first)})",
     "sums of the first state for all states"),
    ("kronecker", "src/superblock/patches.cpp", "(1 / width - 1) / n", "(1 / width) / n",
     "width 1 is not the limit of smaller ones"),
    ("kronecker", "src/" + KRONECKER + "physics/random_operators.cpp", "symmetric ? std::min(a, c) : a", "a",
     "operators within a patch are not symmetric"),
    ("kronecker", "src/superblock/partition.cpp", "f(t, t.j, target.layout[t.j], target.layout[t.i]);",
     "f(t, t.i, target.layout[t.j], target.layout[t.i]);",
     "work of a block is counted for one row only"),
    ("kronecker", "src/superblock/rank_blocks.cpp", "both.backward = swapped ? there.forward : back.forward;",
     "both.backward = back.forward;",
     "backward products of the wrong columns"),
    ("kronecker", "src/superblock/host_product.cpp", "own_tasks_ : other_tasks_)", "other_tasks_ : own_tasks_)",
     "blocks are multiplied before the pieces of x have come"),
    ("kronecker", "src/superblock/host_product.cpp",
     "const std::uint64_t row_step = listed ? 1 : columns.size(), column_step = listed ? rows.size() : 1;",
     "const std::uint64_t row_step = 1, column_step = rows.size();", "transposed blocks are packed as listed ones"),
    ("kronecker", "src/superblock/host_product.cpp", "of_patch[b.from]->products.push_back(product);",
     "of_patch[b.from]->products.insert(of_patch[b.from]->products.begin(), product);",
     "backward products are added in another order"),
    ("kronecker", "include/strata/exact_sum.hpp", "addend.raise(first_);", "",
     "ranks add digits of different positions"),
    ("kronecker", "kernels/vectors/vectors_cpu.cpp", "v[i] = beta * v[i];", "v[i] = beta * 0;",
     "the recurrence forgets the vector before"),
    ("kronecker", "comm/patch_exchange.cpp", "(!location.gathered && byte_in_node(rank, part.first) != next)",
     "(!location.gathered && next == 0)",
     "a piece is read in place although its parts are apart"),
    ("kronecker", "src/" + KRONECKER + "run/repeated_product.cpp", "operator_.draw(operator_.v(), 0);\n    taken_up_",
     "operator_.draw(operator_.v(), 1);\n    taken_up_", "a resumed run multiplies another vector"),
    ("dmrg", DMRG + "job/model.cpp", "{{{0, 2, 1}, {1, 3, -1}}}", "{{{0, 2, 1}, {1, 3, 1}}}",
     "an electron with spin down passes one with spin up without a sign"),
    ("dmrg", DMRG + "job/model.cpp", "channel.fermionic && parity == 1 ? -1 : 1", "1",
     "electrons between two sites do not count"),
    ("dmrg", DMRG + "run/truncation.cpp", "> degenerate * descending[m - 1]) return m;", "> 0) return m;",
     "multiplets are cut"),
    ("dmrg", DMRG + "run/truncation.cpp", "std::get<0>(a) > std::get<0>(b)", "std::get<0>(a) < std::get<0>(b)",
     "the states of least weight are kept"),
    ("dmrg", DMRG + "run/dmrg_results.cpp", ".field(\"half-sweep-energy\", half_.energy)", "",
     "a resumed half sweep forgets its lowest energy"),
    ("dmrg", "src/models/unit_cell.cpp", "if (type == \"ring\" || type == \"chain\") return {{2, 0}};", "",
     "chains without next neighbours"),
    ("dmrg", "src/models/model.cpp", "spec.second = {real_or(config, \"model.t2\", 0), 0};",
     "spec.second = {real_or(config, \"model.t2\", 0), 1};",
     "V between next neighbours"),
    ("dmrg", KRYLOV + "improved_state.cpp", "state.residual = c.beta[j] *", "state.residual = 0.1 * c.beta[j] *",
     "a residual that is too small"),
    ("trotter-device", "kernels/" + TROTTER + "passes_cuda.cu", "(pass.split + pass.shift) | pass.fixed;",
     "(pass.split + pass.shift);", "the diagonal does not know the rows of a rank"),
    ("trotter-device", "kernels/" + TROTTER + "passes_cuda.cu", "for (int j = 0; !is_lower && j < spins; ++j) total",
     "for (int j = 0; j < spins; ++j) total", "energy of the outer spins twice"),
    ("trotter-device", "kernels/" + TROTTER + "passes_cuda.cu", "tile >> middle << (pass.first + pass.count)",
     "tile >> middle << (pass.low + pass.count)", "tiles in the wrong place above the transformed bits"),
    ("trotter-device", "src/" + TROTTER + "state/device_state.cpp", "pass.first = tile.first - pass.shift;",
     "pass.first = tile.first;", "an exchanged piece is transformed as if it were a whole row"),
    ("trotter-device", "src/" + TROTTER + "state/device_tiles.cpp", "tile_bits - (end - begin))", "tile_bits)",
     "tiles larger than the shared memory"),
    ("sectors", LANCZOS + "run/operators.cpp", "result[l.at(row, column)] = 1;", "result[l.at(row, 0)] = 1;",
     "motion of another product state"),
    ("sectors", LANCZOS + "state/hamiltonian_operator.cpp", "    space().restrict(x);\n", "", "a product state is not projected"),
    ("sectors", LANCZOS + "physics/symmetric_sector.cpp",
     "column_of(down_.image(group_.inverse(place.element), down))", "column_of(down)",
     "a product state: down particles are not moved with those of the row"),
    ("sectors", LANCZOS + "physics/orbits.cpp", "(u.minus != d.minus ? -1 : 1) * group.character(g).real();",
     "group.character(g).real();", "weight of a product state without signs"),
    ("sectors", LANCZOS + "run/evolution.cpp", "    set_first_state(first_);\n    exponential_.reset();", "    exponential_.reset();",
     "a resumed motion has no first state"),
    ("sectors", LANCZOS + "physics/symmetric_sector.cpp", "of_rows ? group_.character(from.element) : Complex(1);",
     "of_rows ? std::conj(group_.character(from.element)) : Complex(1);", "hops between orbits with the conjugate character"),
    ("sectors", LANCZOS + "physics/symmetric_sector.cpp", "std::sqrt(sizes) * hop.amplitude", "std::sqrt(sizes / sizes) * hop.amplitude",
     "hops to short orbits without their weight"),
    ("sectors", LANCZOS + "physics/orbits.cpp", "back, minus(back, smallest)};", "back, false};",
     "hops between orbits without the signs of fermions"),
    ("sectors", LANCZOS + "physics/orbits.cpp", "return group_.spin_inversion(g) ? ~moved & all_sites_ : moved;", "return moved;",
     "a spin inversion inverts no spin"),
    ("sectors", LANCZOS + "run/correlations.cpp", "1 - sums.uu(a, a) - sums.uu(b, b) + sums.uu(a, b)", "sums.uu(a, b)",
     "pairs of spins are not inverted"),
    ("sectors", LANCZOS + "run/correlations.cpp", "sums.ud(a, b) / group.order();", "sums.ud(x, y) / group.order();",
     "<n_up n_down> of representatives alone"),
    ("sectors", LANCZOS + "state/spectral_target.cpp", "*turn + from.turn(g)", "from.turn(g) - *turn",
     "a wave leads to the opposite momentum"),
    ("sectors", LANCZOS + "state/spectral_target.cpp", "std::abs(sum) < near) return -1;", "std::abs(sum) < near) return 1;",
     "S^z keeps the parity of the spin inversion"),
    ("sectors", LANCZOS + "run/operators.cpp", "factor / from.column_factor(source)});", "factor});",
     "operators on short orbits without their weight"),
    ("sectors", LANCZOS + "run/thermal.cpp", "sectors_[k].dimension * static_cast<double>(sectors_[k].star.size())",
     "sectors_[k].dimension", "a trace over one momentum of each star"),
    ("sectors", LANCZOS + "run/thermal.cpp", "sector * c.thermal.samples);", "0);",
     "the same random numbers in all sectors"),
    ("sectors", LANCZOS + "state/host_hamiltonian.cpp", "    space_.restrict(x);\n", "", "random vectors are not projected"),
    ("trotter", "src/" + TROTTER + "run/observation.cpp", "if (counts[sample] == counts[0])", "if (counts[sample] > 0)",
     "states under way count as finished"),
    ("trotter", "src/models/distances.cpp", "return factor / static_cast<double>(images.size());",
     "return factor_at(law, images.front());", "dipoles: one of several nearest images"),
    ("trotter", "src/models/distances.cpp", "if (!(shortest < norm(nearest) * (1 - same_length))) break;",
     "if (shortest >= 0) break;", "images one period away at most"),
    ("trotter", "src/" + TROTTER + "run/observation.cpp", "std::expm1(steps * std::log1p(config_.tolerance))", "0 * steps",
     "the norm may not differ by what a Chebyshev series leaves out"),
    ("trotter", "src/" + TROTTER + "physics/initial_state.cpp", "amplitude /= std::sqrt(norm);", "amplitude /= 1;",
     "amplitudes of a file as they are"),
    ("trotter", "src/" + TROTTER + "physics/chebyshev_series.cpp", "if (z / 2 < negligible) return {1};", "if (z == 0) return {1};",
     "Bessel functions of arguments near 0 overflow"),
    ("trotter", "src/" + TROTTER + "physics/drive.cpp", "if (!(largest <= max_term))", "if (largest < 0)",
     "factors in time of any size"),
    ("trotter", "src/models/lattice.cpp", "return value < -most || value > most;", "return std::abs(value) > most;",
     "the most negative integer passes as small"),
    ("trotter", "src/models/model.cpp", "spec.t = {1, 0, 0};", "spec.t = {1};",
     "further hops of the checkerboard are bonds of spins"),
    ("frame", "src/io/checkpoint_read.cpp", "std::min(max_header_bytes, file_bytes(file))",
     "std::min(max_header_bytes / 32, file_bytes(file))", "a longer header is written than is read"),
    ("frame", "src/io/checkpoint_layout.cpp", "!json.is_number_unsigned()", "!json.is_number()",
     "counts of a header with a fraction or a sign"),
    ("frame", "src/watchdog.cpp", "std::min(left, longest_wait)", "left", "a wait that the clock cannot count"),
    ("frame", "src/watchdog.cpp", "std::max(stall_timeout_, least_pause)", "stall_timeout_",
     "stalls are reported without a pause"),
    ("frame", "src/cli/job.cpp", "value == std::trunc(value) && ", "", "1.5 as an integer is cut"),
    ("frame", "src/cli/input_errors.cpp", "word.find('/')), number)) return {};", "word.find('/')), number)) number = 0;",
     "another number is suggested"),
    ("frame", "include/strata/memory.cpp", "(raise ? factor : 1 / factor)", "factor",
     "a series that is too long gets a remedy that makes it longer"),
    ("frame", "src/io/content_digest.cpp", "            add(values.data(), elements * H5Tget_size(type));\n", "",
     "the digest of a result leaves numbers out"),
    ("frame", "src/io/lock_file.cpp", "if (!path_.empty() && is_in_place(file_, path_)) unlink", "if (!path_.empty()) unlink",
     "a run removes the lock of another"),
    ("frame", "src/io/lock_file.cpp", "whole.l_type = F_WRLCK;", "whole.l_type = F_RDLCK;", "two runs hold one lock"),
    ("frame", "src/io/files.cpp", "O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC", "O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC",
     "temporary files follow links"),
    ("ising", "src/analysis/jackknife.cpp", "estimate.value -= correction;", "estimate.value -= 0 * correction;",
     "functions of means keep their bias"),
    ("ising", "src/analysis/gamma_method.cpp", " * f.count / (f.count - few));", ");", "errors of few values as those of many"),
    ("ising", "src/analysis/gamma_method.cpp", "if (!(f.count > few) || ", "if (", "errors from any number of values"),
    ("ising", "src/" + ISING + "state/observation.cpp", "planes_[start + x]) - up;", "planes_[start + x]);",
     "the mean over the planes drops out by rounding"),
    ("ising", "src/" + ISING + "run/results.cpp", "if (value > ordered * p.longest)", "if (value > 1e9 * ordered * p.longest)",
     "correlation lengths of ordered lattices"),
    ("ising", "src/" + ISING + "run/results.cpp", "!(r.value + below_one * r.error < 1)", "!(r.value + 0 * below_one < 1)",
     "correlation lengths that are noise"),
    ("ising", "src/" + ISING + "run/results.cpp", "return x == 0 ? 0 : x * factor;", "return x * factor;",
     "0 times an infinite factor"),
    ("ising", "src/" + ISING + "run/results.cpp", "moved && e.error > 0 && ", "moved && ", "errors of exactly 0"),
    ("ising", "src/" + ISING + "run/results.cpp", ">= std::max(least, least_in_tau * slowest)", ">= 0", "short runs are not remarked on"),
    ("sectors", LANCZOS + "physics/point_operations.cpp", "if (pure_translations({a}, 1) == 1)", "if (true)",
     "a glide counts as a reflection"),
    ("sectors", LANCZOS + "physics/point_operations.cpp", "if (pure_translations(chosen, 1) == 1 && choose_next())",
     "if (choose_next())", "every point operation about a centre of its own"),
    ("sectors", LANCZOS + "physics/point_operations.cpp", "rounding * std::max(neighbours, largest(model.epsilon))",
     "rounding * largest(model.epsilon)", "site energies that cancel are compared with each other"),
    ("sectors", LANCZOS + "physics/symmetries.cpp", "inside[i] %= period;", "inside[i] %= 2 * period;",
     "momenta outside of the zone run as others"),
    ("sectors", LANCZOS + "state/spectral_target.cpp", "if (same(all[i], all[j]))", "if (all[i] == all[j])",
     "a wave vector twice by other numbers"),
    ("lanczos", KRYLOV + "levels.hpp", "explained = 0.01,", "explained = 100,", "states within their residuals are one level"),
    ("lanczos", KRYLOV + "levels.hpp", "least_coupling * least_coupling < (rounding + residuals) * scale",
     "false", "equal energies below the rounding are one level"),
    ("lanczos", KRYLOV + "ground_state.cpp", "std::abs(s_.energy - op_.constant())", "std::abs(s_.energy)",
     "a site energy that all sites have is a scale of energies"),
    ("sectors", LANCZOS + "state/plan.hpp", "? Distribution::normal : Distribution::uniform", "? Distribution::uniform : Distribution::uniform",
     "traces over sectors by uniform numbers"),
    ("lanczos", LANCZOS + "state/start_vector.hpp", "nearest == 1 || nearest == 2 ? -sum : sum", "nearest == 2 || nearest == 3 ? -sum : sum",
     "sine for cosine in normal numbers"),
    ("dmrg", DMRG + "job/model.cpp", "std::min(all.up, bond * most.up)", "all.up",
     "charges that the sites to the left cannot have"),
    ("dmrg", DMRG + "job/model.cpp", "if (most == 1) return binary;", "return binary;",
     "product states of larger spins are counted as those of spins 1/2"),
    ("dmrg", DMRG + "run/renormalization.cpp", "settings.truncation.noise > 0", "settings.truncation.noise > 1",
     "entropies of a density matrix with noise"),
    ("dmrg", DMRG + "run/dmrg_states.cpp", "std::abs(table_.energies[order[r]] - table_.ritz[r])", "0.0",
     "errors of several states leave out the distance to the upper bounds"),
    ("dmrg", DMRG + "run/dmrg_states.cpp", "above > tolerance || -above > measured_truncation * tolerance",
     "above > 1e9 * tolerance",
     "energies above their upper bounds are called converged"),
    ("dmrg", DMRG + "run/dmrg_states.cpp", "levels[r] == levels[rank]", "r == rank",
     "values of a degenerate level are not averaged"),
    ("dmrg", DMRG + "physics/symmetries.cpp", "(y + 1) % width", "y", "no symmetry around a cylinder"),
    ("dmrg", "src/cli/job.cpp", "value == \"none\"", "value == \"withdrawn\"",
     "a list that was given cannot be withdrawn"),
    ("dmrg", DMRG + "physics/entanglement.cpp", "of_b *= b / (k + 1);", "of_b *= b / (k + 2);",
     "the weights that M states leave out"),
    ("dmrg", "src/models/model.cpp", "first[2] / first[0] * j2;", "first[2] * j2;", "J2 without the anisotropy of J"),
    ("dmrg", DMRG + "run/sweep_history.cpp", "window <= 4 &&", "window <= 1 &&",
     "what sweeps can still gain: by the last half sweep alone"),
    ("dmrg", DMRG + "run/sweep_history.cpp", "lowest - energy - 2 * cost", "lowest - energy - 0 * cost", "what a truncation had cost counts as a gain"),
    ("dmrg", DMRG + "run/sweep_history.cpp", "std::max(h.truncation_costs[h.last()], distance)", "distance",
     "claimed errors without what truncations cost"),
    ("dmrg", DMRG + "run/sweep_history.cpp", "return energies[last()] - lowest;", "return 0 * lowest;",
     "a lower energy of an earlier sweep is forgotten"),
    ("dmrg", DMRG + "job/conserved.cpp", "if (groups.size() < 2) return {};", "if (groups.size() < 99) return {};",
     "charges of parts that nothing connects are not refused"),
    ("dmrg", DMRG + "job/conserved.cpp", "if (!moves_charge(model, c)) continue;", "if (c.amplitude == 0 && !moves_charge(model, c)) continue;",
     "sites count as connected by any coupling"),
    ("dmrg", DMRG + "run/renormalization.cpp", "{StartColumns::low_states, StartColumns::random}", "{StartColumns::random}",
     "no start of low states"),
    ("dmrg", DMRG + "run/truncation.cpp", "    mix_site(block.basis, noise, requested, before, rho);", "    (void)&mix_site;",
     "noise by the operators of couplings alone"),
    ("dmrg", DMRG + "run/dmrg.cpp", "if (s.truncation.noise > 0) s.random_part", "if (s.truncation.noise > 1) s.random_part",
     "no random part of guesses"),
    ("dmrg", DMRG + "run/dmrg.cpp", "if (converged()) return !is_unconfirmed();", "if (converged()) return true;",
     "exact truncations end a run without a sweep with noise"),
    ("ising", "src/analysis/jackknife.cpp", "std::max(of_linear, ", "std::max(of_linear, 0 * ",
     "errors that vanish with the gradient at the measured means"),
    ("ising", "src/analysis/jackknife.cpp", "i % n * n + j / n", "i % n * n + i % n",
     "the quadratic part without correlations"),
    ("lanczos", KRYLOV + "lowest_states.cpp", "std::min(std::sqrt(options_.tolerance) * s_.scale, clear_distance * distance)",
     "std::sqrt(options_.tolerance) * s_.scale",
     "the state beyond several need not be known better than sqrt(run.tolerance) U"),
    ("models", LANCZOS + "physics/make_model.cpp", "m.constant -= uniform ? 0 : h / 2;", "m.constant -= 0 * h;",
     "spins in different fields without the constant of S^z"),
    ("models", LANCZOS + "physics/make_model.cpp", "m.neutral_filling = 0.5 * from.lattice.sites;", "m.neutral_filling = 0;",
     "a uniform field acts on n, not on n - 1/2"),
    ("models", "src/models/model.hpp", "shell == Shell::first ? coupling : second_coupling", "coupling",
     "J2 as strong as J"),
    ("models", DMRG + "job/model.cpp", "config.spins() ? model.exchange[e][2] :", "config.spins() ? model.exchange[e][0] :",
     "J_z is J"),
    ("models", "src/models/unit_cell.cpp", "{{1, 1}, {2, -1}, {-1, 2}}", "{{1, 1}, {2, -1}, {-2, 2}}",
     "triangular lattice: a next-nearest neighbour too far"),
    ("models", "src/models/lattice.cpp", "if (legs > 1) join(x, y, 1, -1, Shell::second);", "",
     "ladders with one diagonal of each plaquette"),
    ("models", "src/models/model.cpp", "return {(rounded + all) / 2, 0};", "return {(all - rounded) / 2, 0};",
     "the total S^z with the wrong sign"),
    ("models", "src/models/lattice.cpp", "factors.amplitude * spec.t[0],", "factors.amplitude,",
     "edges of a file without t"),
    ("ising", "src/" + ISING + "job/config.cpp", "bond_probability(beta * std::abs(field))",
     "bond_probability(beta * std::abs(field) / 2)", "sites are bound to the ghost spin with 1 - exp(-beta h)"),
    ("ising", "src/" + ISING + "state/slab.hpp", "bound ? Preference::preferred", "bound && spin != bound_spin ? Preference::preferred",
     "a cluster is bound to the ghost spin on some of its ranks only"),
)]

# Per area: gtest filters on 1 and on several ranks, the randomised oracle, what runs on 2 ranks only where all before
# passes, and the several ranks.
FRAME_TESTS = "Collectives*:*Pieces*:Checkpoint*:Slabs*:Run*:Collectively*:Placement*:Watchdogs*:Recordings*"
TROTTER_PHYSICS = "Splittings*:TwoSpins*:XxChain*:RandomStates*:Echo*"
AREAS = {
    "lanczos": ((f"-{FRAME_TESTS}:*Resolve*:*Trajectory*",
                 "*Multiply*:*SameBits*:Energies.OfC*:Observables.AreThose*:Spectrum.IsThatOf*:LowestStates.AreThose*"),
                ["lanczos_oracle.py", "--count", "60", "--seed", "3"], [], 3),
    "sectors": (2 * ("Sector*:Thermal*:MomentumSearch*:TakenUpAgain*",), ["lanczos_oracle.py", "--count", "150", "--seed", "3"], [], 3),
    "ising": (2 * ("*Resolve*:*Trajectory*:StructureFactor*:Invariants*:LabelOwnership*:Cluster*",),
              ["ising_oracle.py", "--count", "60"], [("physics_tests", f"-{TROTTER_PHYSICS}:Kronecker*:Dmrg*")], 3),
    "frame": (2 * (FRAME_TESTS,), ["lanczos_oracle.py", "--count", "60", "--seed", "3"], [], 3),
    "trotter": (2 * ("Trotter*",), ["trotter_oracle.py", "--count", "20"], [("physics_tests", TROTTER_PHYSICS)], 4),
    "kronecker": (2 * ("Kronecker*:PatchExchange*",), ["kronecker_oracle.py", "--count", "30"],
                  [("physics_tests", "Kronecker*")], 3),
    "dmrg": (2 * ("Dmrg*:Job.*:Krylov.*Guess*",), ["dmrg_oracle.py", "--count", "30"], [("physics_tests", "Dmrg*")], 3),
    "models": (2 * ("Positions*:Lattices*:Dmrg*:TrotterHamiltonian*",), ["lanczos_oracle.py", "--count", "100"], [], 3),
    "trotter-device": (2 * ("TrotterPlans*",), ["trotter_oracle.py", "--count", "2"],
                       [("cuda_tests_emulated", "TrotterCuda*")], 4),
}
LIMIT = 240  # seconds, of one command


class Tree:
    """A checkout that may be broken, and its build."""

    def __init__(self, root, build, jobs):
        self.root, self.build, self.jobs = pathlib.Path(root).resolve(), build, jobs
        self.environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "PYTHONDONTWRITEBYTECODE": "1",
                            "STRATA_PROGRAM": str(self.root / build / "src/strata"), "STRATA_MPIEXEC": "mpirun"}
        if subprocess.run(["git", "diff", "--quiet"], cwd=self.root).returncode != 0:
            sys.exit(f"{self.root} has uncommitted changes; give a scratch worktree.")

    def make(self, area):
        targets = ["strata", "unit_tests", "mpi_tests"] + [program for program, _ in AREAS[area][2]]
        done = subprocess.run(["cmake", "--build", self.build, f"-j{self.jobs}", "--target", *targets], cwd=self.root,
                              capture_output=True, text=True, env=self.environment)
        return "" if done.returncode == 0 else (re.findall(r".*error:.*", done.stdout) or ["?"])[0]

    def failing_test(self, program, filter_="*", ranks=0):
        """Name of the first gtest case that fails; empty if none does."""
        command = [str(self.root / self.build / "tests" / program), "--gtest_color=no", f"--gtest_filter={filter_}"]
        if ranks:
            command = ["mpirun", "-n", str(ranks), *command]
        process = subprocess.Popen(command, cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   errors="replace", env={**self.environment, "OMP_NUM_THREADS": "1" if ranks else "2"})
        timer = threading.Timer(LIMIT, process.terminate)
        timer.start()
        case, failed = "start", ""
        for line in process.stdout:
            if found := re.match(r"\[ RUN +\] (\S+)", line):
                case = found.group(1)
            if found := re.match(r"\[rank \d+\] (\S+) failed at|.*: (Failure)$|.*\[  FAILED  \] (\S+)", line):
                failed = failed or (found.group(1) or found.group(3) or case).rstrip(",")
                process.terminate()  # MPI's other ranks might wait for ever
        process.wait()
        timer.cancel()
        if not failed and process.returncode != 0:
            failed = f"{case} (exit code {process.returncode})"
        return failed and f"{program}{f' on {ranks}' if ranks > 1 else ''}: {failed}"

    def oracle(self, area):
        """What the randomised oracle finds: jobs that fail and the kinds of failures seen most."""
        script, *rest = AREAS[area][1]
        try:
            done = subprocess.run(["/usr/bin/python3", str(self.root / "tests/oracle" / script), *rest], cwd=self.root,
                                  capture_output=True, text=True, errors="replace", timeout=2 * LIMIT,
                                  env=self.environment)
        except subprocess.TimeoutExpired:
            return "does not end"
        if done.returncode == 0:
            return ""
        listed = done.stdout.partition("failures by kind:\n")[2].partition("failed indices")[0]
        kinds = re.findall(r"^ *\d+ (.+)$", listed, re.M)
        number = re.search(r"(\d+) jobs failed", done.stdout)
        told = "; ".join(" ".join(kind.split())[:60] for kind in kinds[:2])
        last_line = (done.stdout + done.stderr).strip().split("\n")[-1][:100]
        return f"{number.group(1) if number else '?'} jobs: {told or last_line}"

    def examine(self, area):
        """(first test that fails, oracle)"""
        oracle = self.oracle(area)
        filters, _, more, ranks = AREAS[area]
        caught = (self.failing_test("unit_tests") or self.failing_test("mpi_tests", filters[0], 1)
                  or self.failing_test("mpi_tests", filters[1], ranks) or ("oracle" if oracle else ""))
        for program, filter_ in more if not caught else []:
            caught = self.failing_test(program, filter_, ranks=2)
        return caught, oracle

    def row(self, number, mutant):
        path = self.root / mutant.file
        text = path.read_text()
        try:
            path.write_text(text.replace(mutant.old, mutant.new))
            error = self.make(mutant.area)
            caught, oracle = (f"does not compile: {error}", "") if error else self.examine(mutant.area)
        finally:
            path.write_text(text)
        return f"| {number} | {mutant.file} | {mutant.what} | {caught or 'SURVIVED'} | {oracle or '-'} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", nargs="?", help="a scratch worktree with a configured build")
    parser.add_argument("--build", default="build/dev", help="its build folder")
    parser.add_argument("--jobs", type=int, default=2, help="of the build")
    parser.add_argument("--only", type=int, action="append", help="numbers of mutants")
    parser.add_argument("--list", action="store_true", help="shows the mutants, and whose text is lost")
    parser.add_argument("--skip-check", action="store_true", help="the unbroken tree has passed before")
    options = parser.parse_args()
    root = pathlib.Path(options.tree or pathlib.Path(__file__).resolve().parents[1])
    chosen = [(n, m) for n, m in enumerate(MUTANTS, 1) if not options.only or n in options.only]
    lost = [n for n, m in chosen if (root / m.file).read_text().count(m.old) != 1]
    if options.list or lost or not options.tree:
        for n, m in chosen:
            print(f"{n:3} {'NOT FOUND ONCE ' if n in lost else ''}{m.file}: {m.what}")
        return 1 if lost else 0
    tree = Tree(options.tree, options.build, options.jobs)
    for area in [] if options.skip_check else sorted({m.area for _, m in chosen}):
        complaint = tree.make(area) or "; ".join(filter(None, tree.examine(area)))
        if complaint:
            sys.exit(f"The unbroken tree fails ({area}): {complaint}")
    print("| | file | mutant | caught first by | by the randomised oracle alone |\n|---|---|---|---|---|", flush=True)
    for n, m in chosen:
        begin = time.monotonic()
        print(tree.row(n, m), flush=True)
        print(f"{n}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
