# SPDX-License-Identifier: BSD-3-Clause
"""Renormalization and the Kronecker multiply.
Area -> file -> (number, text that occurs once, text in its place, what it breaks)."""

MUTANTS = {
    "dmrg": {
        "src/dmrg/job/model.cpp": [
            (80, "{{{0, 2, 1}, {1, 3, -1}}}", "{{{0, 2, 1}, {1, 3, 1}}}",
             "an electron with spin down passes one with spin up without a sign"),
            (81, "fermionic && parity == 1 ? -1 : 1", "1", "electrons between two sites do not count"),
            (145, "std::min(all.up, bond * most.up)", "all.up", "charges that the sites to the left cannot have"),
            (146, "if (most == 1) return binary;", "return binary;",
             "product states of larger spins are counted as those of spins 1/2"),
        ],
        "src/dmrg/run/truncation.cpp": [
            (82, "> degenerate * descending[m - 1]) return m;", "> 0) return m;", "multiplets are cut"),
            (83, "std::get<0>(a) > std::get<0>(b)", "std::get<0>(a) < std::get<0>(b)",
             "the states of least weight are kept"),
            (162, "    mix_site(block.basis, noise, requested, before, rho);", "    (void)&mix_site;",
             "noise by the operators of couplings alone"),
        ],
        "src/dmrg/run/dmrg_results.cpp": [
            (631, "imaginary ? -of_pairs[n] : of_pairs[n]", "of_pairs[n]",
             "imaginary parts of correlations are symmetric"),
            (84, ".field(\"half-sweep-energy\", half_.energy)", "", "a resumed half sweep forgets its lowest energy"),
        ],
        "src/models/unit_cell.cpp": [
            (85, "second_of_line[] = {{2, 0}}", "second_of_line[] = {{3, 0}}", "next-nearest neighbours of chains"),
        ],
        "src/models/model.cpp": [
            (86, "spec.second = {real_or(config, \"model.t2\", 0), 0};",
             "spec.second = {real_or(config, \"model.t2\", 0), 1};", "V between next neighbours"),
            (154, "first[2] / first[0] * j2;", "first[2] * j2;", "J2 without the anisotropy of J"),
        ],
        "src/krylov/improved_state.cpp": [
            (87, "state.residual = c.beta[j] *", "state.residual = 0.1 * c.beta[j] *", "a residual that is too small"),
        ],
        "src/dmrg/run/renormalization.cpp": [
            (630, "if (model_.complex) excluded_", "if (false) excluded_",
             "a complex state is found again as i times itself"),
            (147, "settings.truncation.noise > 0", "settings.truncation.noise > 1",
             "entropies of a density matrix with noise"),
            (161, "{StartColumns::low_states, StartColumns::random}", "{StartColumns::random}",
             "no start of low states"),
        ],
        "src/dmrg/run/measurement_transitions.cpp": [
            (644, "factor_between(model_, odd)", "factor_between(model_, false)", "spectra without signs of fermions"),
        ],
        "src/dmrg/run/evolution.cpp": [
            (645, "keeps_ground_state() ? first : chain", "keeps_ground_state() ? chain : chain",
             "correlations with the excited state in place of the ground state"),
            (646, "r.field(\"moment\", s_.moment);", "(void)s_.moment;", "a resumed spectrum forgets its first moment"),
        ],
        "src/dmrg/physics/time_spectrum.cpp": [
            (647, "row == 0 ? 0.5 * step : step", "step", "time 0 counts as a whole step"),
        ],
        "src/dmrg/run/complex_state.cpp": [
            (629, "scale(-std::sqrt(0.5), y);", "scale(std::sqrt(0.5), y);",
             "values of the complex conjugate of a state"),
        ],
        "src/dmrg/run/dmrg_states.cpp": [
            (148, "std::abs(table_.energies[order[r]] - table_.ritz[r])", "0.0",
             "errors of several states leave out the distance to the upper bounds"),
            (149, "above > tolerance || -above > measured_truncation * tolerance", "above > 1e9 * tolerance",
             "energies above their upper bounds are called converged"),
            (150, "levels[r] == levels[rank]", "r == rank", "values of a degenerate level are not averaged"),
        ],
        "src/dmrg/physics/symmetries.cpp": [
            (151, "(y + 1) % width", "y", "no symmetry around a cylinder"),
        ],
        "src/cli/job.cpp": [
            (152, "value == \"none\"", "value == \"withdrawn\"", "a list that was given cannot be withdrawn"),
        ],
        "src/dmrg/physics/entanglement.cpp": [
            (153, "of_b *= b / (k + 1);", "of_b *= b / (k + 2);", "the weights that M states leave out"),
        ],
        "src/dmrg/run/sweep_history.cpp": [
            (155, "window <= 4 &&", "window <= 1 &&", "what sweeps can still gain: by the last half sweep alone"),
            (156, "lowest - energy - 2 * cost", "lowest - energy - 0 * cost",
             "what a truncation had cost counts as a gain"),
            (230, "(above && decreases < approaches)", "(above && decreases < 100 * approaches)",
             "a descent above the energy of a state that is lost is no gain"),
            (157, "std::max(h.truncation_costs[h.last()], distance)", "distance",
             "claimed errors without what truncations cost"),
            (158, "return energies[last()] - lowest;", "return 0 * lowest;",
             "a lower energy of an earlier sweep is forgotten"),
            (216, "ratio_after_change = 0.5", "ratio_after_change = 0.99", "gains before a change of M give a rate"),
            (217, "gain < before ? next : std::min(next, h.descent(single_sweeps))", "next",
             "gains that do not decrease go on beyond all that sweeps have shown"),
        ],
        "src/dmrg/run/plan.cpp": [
            (221, "shared ? ranks_ : 1, 0, threads", "1, 0, threads",
             "memory of distributed superblocks as on one rank"),
        ],
        "src/dmrg/job/conserved.cpp": [
            (159, "if (groups.size() < 2) return {};", "if (groups.size() < 99) return {};",
             "charges of parts that nothing connects are not refused"),
            (160, "if (!moves_charge(model, f)) continue;",
             "if (t.amplitude == 0 && !moves_charge(model, f)) continue;",
             "sites count as connected by any coupling"),
        ],
        "src/dmrg/run/dmrg.cpp": [
            (589, ".evolves = false,", "", "a search is predicted as an evolution"),
            (163, "if (s.truncation.noise > 0) s.random_part", "if (s.truncation.noise > 1) s.random_part",
             "no random part of guesses"),
        ],
        "src/dmrg/run/sweep_control.cpp": [
            (164, "if (converged()) return !is_unconfirmed();", "if (converged()) return true;",
             "exact truncations end a run without a sweep with noise"),
            (219, "std::max(2 * used, settings_.states_of_starts())", "std::max(2 * used, states)",
             "exact states are checked with the M of the last sweep"),
        ],
    },
    "dmrg-evolution": {
        "src/krylov/real_exponential.cpp": [
            (540, "space.add(piece, 1, real, -1, imaginary);", "space.add(piece, 1, real, 1, imaginary);",
             "the imaginary part of an evolution has the other sign"),
        ],
        "src/dmrg/run/tdvp.cpp": [
            (541, "settings, -settings.time, x, result)", "settings, settings.time, x, result)",
             "single sites evolve forward, too"),
            (542, "amplitude * amplitude, own, rho, further.rho)", "0 * amplitude, own, rho, further.rho)",
             "bases do not hold what H leads to"),
        ],
        "src/dmrg/run/evolution.cpp": [
            (634, "v.factor.mean(begin, end)", "v.factor.mean(begin - s.time, end - s.time)",
             "factors of a drive are those of the half sweep before"),
        ],
        "src/dmrg/job/terms.cpp": [
            (635, "{left_id, right->right, t.factor_in(numbers)}", "{left_id, right->right, 1}",
             "what left blocks have of complex operators of a drive has the factor 1"),
        ],
        "src/models/drive_factor.cpp": [
            (637, "at(last + (time - last) / 2)", "at(last)", "means of ramps are the values at their beginning"),
        ],
        "src/dmrg/run/measurement.cpp": [
            (544, "carry(y, x, op, of_site), real ? 1 : -1, result)", "carry(y, x, op, of_site), 1, result)",
             "imaginary parts of expectation values"),
        ],
        "src/dmrg/job/model.hpp": [
            (633, "complex = true;\n        flips.clear();\n        flip_signs.clear();", "complex = true;",
             "the spin flip is measured on the real part of a complex state"),
        ],
        "src/dmrg/run/expectation_values.cpp": [
            (545, "rho[i].imag(imaginary_->density(bond)[s].elements[i]);", "rho[i].imag(0);",
             "entropies of the real part of a density matrix"),
        ],
        "src/dmrg/run/apply_operator.cpp": [
            (627, "factor_between(model_, odd_));", "factor_between(model_, false));",
             "no signs from fermions before an operator that adds or removes one"),
            (628, "times_i ? -1 : 1, y", "1, y", "i times the imaginary part of a state"),
        ],
        "src/dmrg/run/evolution_results.cpp": [
            (546, "2 * std::abs(local[i] - other[i])", "0 * std::abs(local[i] - other[i])", "no error is told"),
        ],
        "src/dmrg/run/evolution.cpp": [
            (547, "* (coarse ? 2 : 1)", "* (coarse ? 2 : 2)", "an evolution over twice the time"),
        ],
        "src/dmrg/run/two_evolutions.cpp": [
            (556, "{states, std::min(cutoff, most), 0}", "{states, cutoff, 0}",
             "what a sweep adds is cut off again after every one"),
            (548, "last.direction == Direction::right ? last.bond + 1 : last.bond", "last.bond",
             "a resumed evolution has its imaginary part at another site"),
        ],
        "src/dmrg/state/superblock.cpp": [
            (636, "driven_right_ = driven_hamiltonian(right, numbers);",
             "driven_right_ = driven_hamiltonian(right, {});",
             "right blocks have the operators of a drive with the factor 1"),
            (549, "{{&right_.operators.at(r), t.amplitude_in(numbers)}}", "{{&right_.operators.at(r), 1.0}}",
             "terms of the centre of a single site without their amplitudes"),
        ],
    },
    "dmrg-thermal": {
        "src/dmrg/run/thermal.cpp": [
            (550, "log_norms_[coarse] += 2 * r.log_norm;", "log_norms_[coarse] += r.log_norm;",
             "ln Z from the norm, not its square"),
            (551, "s.time = change / 4;", "s.time = change / 2;",
             "half of the temperature"),
        ],
        "src/dmrg/run/thermal_results.cpp": [
            (552, "c.thermal.chemical_potential * m.moments", "0 * m.moments", "<H - mu N> as the energy"),
            (553, "(total.square - total.mean * total.mean)", "total.square",
             "susceptibilities without the square of the mean"),
        ],
        "src/dmrg/job/config.cpp": [
            (555, "c.model.energies[site].assign(c.model.states(), 0);", "(void)site;",
             "auxiliary spins have an anisotropy"),
        ],
    },
    "kronecker": {
        "src/superblock/patches.cpp": [
            (69, "(1 / width - 1) / n", "(1 / width) / n", "width 1 is not the limit of smaller ones"),
        ],
        "src/kronecker/physics/random_operators.cpp": [
            (70, "symmetric ? std::min(a, c) : a", "a", "operators within a patch are not symmetric"),
        ],
        "src/superblock/partition.cpp": [
            (71, "f(t, t.j, target.layout[t.j], target.layout[t.i]);",
             "f(t, t.i, target.layout[t.j], target.layout[t.i]);", "work of a block is counted for one row only"),
        ],
        "src/superblock/rank_blocks.cpp": [
            (72, "both.backward = swapped ? there.forward : back.forward;", "both.backward = back.forward;",
             "backward products of the wrong columns"),
        ],
        "src/superblock/host_product.cpp": [
            (73, "own_tasks_ : other_tasks_)", "other_tasks_ : own_tasks_)",
             "blocks are multiplied before the pieces of x have come"),
            (74, "const std::uint64_t row_step = listed ? 1 : columns.size(), column_step = listed ? rows.size() : 1;",
             "const std::uint64_t row_step = 1, column_step = rows.size();",
             "transposed blocks are packed as listed ones"),
            (75, "of_patch[b.from]->products.push_back(product);",
             "of_patch[b.from]->products.insert(of_patch[b.from]->products.begin(), product);",
             "backward products are added in another order"),
        ],
        "include/strata/exact_sum.hpp": [
            (76, "addend.raise(first_);", "", "ranks add digits of different positions"),
        ],
        "kernels/vectors/vectors_cpu.cpp": [
            (77, "v[i] = beta * v[i];", "v[i] = beta * 0;", "the recurrence forgets the vector before"),
        ],
        "comm/patch_exchange.cpp": [
            (78, "(!location.gathered && byte_in_node(rank, part.first) != next)", "(!location.gathered && next == 0)",
             "a piece is read in place although its parts are apart"),
        ],
        "src/kronecker/run/repeated_product.cpp": [
            (79, "operator_->draw(operator_->v(), 0);\n    taken_up_",
             "operator_->draw(operator_->v(), 1);\n    taken_up_",
             "a resumed run multiplies another vector"),
        ],
    },
    "dmrg-jobs": {
        "src/dmrg/job/config.cpp": [
            (218, "if (now.count(\"run.states\") == 1) return {};", "if (now.count(\"run.states\") >= 1) return {};",
             "settings of several states change halfway"),
        ],
        "src/models/keys.cpp": [
            (220, "{{\"model.spin\", without(offer.spins, {\"0.5\"})}}", "{}",
             "a single-ion anisotropy of spins 1/2"),
        ],
    },
    "dmrg-terms": {
        "src/dmrg/job/site_products.cpp": [
            (420, "result.sign = -result.sign;", "result.sign = +result.sign;",
             "the order of fermion operators on different sites does not count"),
            (421, "factor.odd && parities", "false && parities",
             "factors of a product without the parities of later ones"),
            (422, "o.mode == Mode::down && (state & 1) != 0 ? -1 : 1", "1",
             "a product's electron with spin down passes one with spin up without a sign"),
        ],
        "src/dmrg/job/model_terms.cpp": [
            (423, "return OperatorSum::product(kind, {o}, -1);", "return OperatorSum::product(kind, {o}, 1);",
             "turning all spins over keeps the sign of S^z in other terms"),
            (424, "return {numbers.up - numbers.down + 1};", "return {numbers.up + numbers.down};",
             "states of a sector of N_up - N_down are sorted by N_up + N_down"),
        ],
        "src/dmrg/job/terms.cpp": [
            (425, "partial(Side::right, rest, factors[k], factors[k - 1].odd)",
             "partial(Side::right, rest, factors[k], false)",
             "right parts of terms without the parities of the sites before them"),
            (426, "furthest = std::max(furthest, factors[k + 1].site);",
             "if (furthest == factors[k].site) furthest = factors[k + 1].site;",
             "a left part is dropped after the first term that it belongs to"),
        ],
        "src/dmrg/state/superblock.cpp": [
            (427, "if (conjugate && q_i + change == q_j) f(true);",
             "if (conjugate && i != j && q_i + change == q_j) f(true);",
             "terms within a sector without their conjugates"),
        ],
    },
}
