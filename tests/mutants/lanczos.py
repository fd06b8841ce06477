# SPDX-License-Identifier: BSD-3-Clause
"""Exact diagonalization: solvers, tasks and symmetry sectors.
Area -> file -> (number, text that occurs once, text in its place, what it breaks)."""

MUTANTS = {
    "lanczos": {
        "src/krylov/recurrence.cpp": [
            (1, "2e-6 : 1e-11;", "2e-6 : 1e-3;", "a beta that is small, but no rounding, ends it"),
            (2, "square <= recomputed_below * products.ww", "square <= 0",
             "a beta that has lost its digits is not computed again"),
        ],
        "src/krylov/levels.hpp": [
            (3, "clear_distance = 1e-4;", "clear_distance = 1;",
             "a Ritz value counts as another level although a ground state may hide in it"),
            (140, "explained = 0.01,", "explained = 100,", "states within their residuals are one level"),
            (141, "least_coupling * least_coupling < (rounding + residuals) * scale", "false",
             "equal energies below the rounding are one level"),
        ],
        "src/krylov/ground_state.cpp": [
            (4, "{&op_.v(), &op_.w()}) op_.space().orthogonalise(", "{&op_.w()}) op_.orthogonalise(",
             "v is not orthogonalised against the states found"),
            (5, "(states() > 0 && residual() <= tolerance())", "states() > 0",
             "the true residual is not compared with run.tolerance"),
            (142, "std::abs(s_.energy - op_.constant())", "std::abs(s_.energy)",
             "a site energy that all sites have is a scale of energies"),
            (639, "if (s_.recurrence.start_norm == 0) {", "if (k == 0) {",
             "kept vectors that a checkpoint has not brought are not made up for"),
        ],
        "src/krylov/lowest_pair.cpp": [
            (640, "(z[i] = -t.off[i] * z[i + 1]", "(z[i] = t.off[i] * z[i + 1]",
             "signs of a Ritz vector above its joint"),
        ],
        "src/krylov/lowest_states.cpp": [
            (6, "= coupling[t * kept + i];", "= coupling[i * rest + t];", "couplings after a restart are transposed"),
            (7, "if (s_.confirming == 0) return false;", "if (s_.confirming == 0) return true;",
             "several states: no look with a random vector before the end"),
            (167, "std::min(std::sqrt(options_.tolerance) * s_.scale, clear_distance * distance)",
             "std::sqrt(options_.tolerance) * s_.scale",
             "the state beyond several need not be known better than sqrt(run.tolerance) U"),
            (209, "s_.more == 0 && mixes_levels()", "s_.more == 0 && false",
             "levels whose true residuals are too large for their distance"),
        ],
        "src/krylov/lowest_states_report.cpp": [
            (210, "{complete ? states : NAN}", "{states}", "a lower bound is called the degeneracy"),
        ],
        "src/lanczos/job/config.hpp": [
            (214, ".steps_per_state = 100", ".steps_per_state = 0", "several states get the steps of one"),
        ],
        "src/lanczos/run/work.cpp": [
            (215, "(of_h + others.moved) * vector", "of_h * vector", "the time of several states is that of H"),
        ],
        "src/lanczos/physics/scaled_sums.hpp": [
            (8, "sums.push_back(before + behind[i + 1]);", "sums.push_back(before + behind[i]);",
             "the jackknife leaves no sample out"),
        ],
        "src/lanczos/physics/thermal_point.hpp": [
            (9, "log_z = std::log(m.sum[0]) + m.offset;", "log_z = std::log(m.sum[0]);",
             "entropy without the scale of the sums"),
            (470, "return {zero + energy.mean + mu * particles.mean,", "return {zero + energy.mean,",
             "<H - mu N> in place of <H>"),
            (471, "charges.spin_square - 2 * charges.spin * spin.mean + spin.mean * spin.mean",
             "charges.spin * charges.spin", "errors of the spin susceptibility without inverted sectors"),
        ],
        "src/lanczos/physics/orbits.cpp": [
            (477, "state.odd && length % 2 == 0", "length < 0", "states of sectors are counted without signs"),
        ],
        "src/lanczos/physics/symmetric_sector.cpp": [
            (478, "diagonal.push_back(add_row(model_, hops, terms, orbits.representative(orbit), add));",
             "diagonal.push_back(0 * add_row(model_, hops, terms, orbits.representative(orbit), add) + "
             "diagonal_of(model_, orbits.representative(orbit)));",
             "sectors of symmetries without diagonal terms"),
        ],
        "src/lanczos/physics/point_operations.cpp": [
            (479, "if (others_.empty()) return {};", "return {};", "symmetries that some terms break"),
        ],
        "src/lanczos/physics/characters.cpp": [
            (480, "return signs.empty() ? moved.inverted() : moved.exchanged(signs);", "return moved;",
             "observables that an inversion of spins changes"),
        ],
        "src/lanczos/run/sector_traces.cpp": [
            (472, "offset - charges.chemical_potential * charges.particles,", "offset,", "no chemical potential"),
        ],
        "src/lanczos/run/unit_vectors.cpp": [
            (473, "1 + 2 * std::max(", "0 * std::max(", "numbers that a sector of symmetries stores twice are levels"),
        ],
        "src/lanczos/run/sector_list.cpp": [
            (481, "momentum.empty() || model_.real() ? momentum", "true ? momentum",
             "inverted sectors of complex H have the momentum of their image"),
            (475, "if (sectors_[k].mirrored)", "if (false)", "levels of inverted sectors are left out"),
        ],
        "src/lanczos/run/levels.cpp": [
            (474, "if (most == 0) continue;", "", "spacings of degenerate levels have ratios"),
        ],
        "src/models/filling.cpp": [
            (476, "std::min(sites, together - up)", "sites - 1",
             "no sectors of as many electrons of one spin as sites"),
        ],
        "src/lanczos/physics/thermal_averages.cpp": [
            (211, "constexpr double further = 10;", "constexpr double further = 0;",
             "errors of few random vectors by the jackknife alone"),
            (212, "std::max(error[1], 3 * weights / point.sites)", "error[1]",
             "a specific heat that all quadratures miss alike has no error by too few steps"),
            (213, "point.rounding_variances(trace, rounding_of_levels(samples));",
             "point.rounding_variances(trace, 0 * rounding_of_levels(samples));",
             "levels are not rounded"),
        ],
        "src/krylov/tridiagonal.cpp": [
            (10, "beta[i - 1] * beta[i - 1] / pivot", "beta[i] * beta[i] / pivot",
             "Radau's rule: pivots with the next beta"),
        ],
        "src/lanczos/state/spectral_target.cpp": [
            (11, "for (Complex& w : weights) w = std::conj(w);", "{}", "c+_k with the phases of c_k"),
        ],
        "src/krylov/continued_fraction.cpp": [
            (12, "beta[k] * beta[k] * fraction;", "beta[k + 1] * beta[k + 1] * fraction;",
             "continued fraction with the next beta"),
        ],
        "src/lanczos/physics/currents.cpp": [
            (500, "Complex(0, -moment) : Complex(moment)", "Complex(0, -moment) : Complex(-moment)",
             "sign of the kinetic energy"),
            (501, "return std::pow(along(from.lattice.displacements[edge]), static_cast<int>(power));",
             "return moment(e.from, e.to, 1, power);", "bonds around small tori as those to nearest images"),
        ],
        "src/lanczos/physics/thermal_spectra.cpp": [
            (503, "-std::exp(-a) * std::expm1(-d) / d", "std::exp(-a)", "the conductivity without 1 - exp(-omega/T)"),
            (504, "before += vectors[r];", "before.numerator += vectors[r].numerator;",
             "the jackknife with too small a trace"),
            (661, "if (even) lorentz[o] +=", "if (false) lorentz[o] +=", "conductivity at one sign of omega alone"),
        ],
        "src/lanczos/run/thermal_spectrum.cpp": [
            (505, "pairs(wave_, target().offset())", "pairs(wave_, hamiltonian_.offset())",
             "levels of the other sector with the offset of the first"),
            (622, "+ place] = p.components[k].imag();", "+ place] = -p.components[k].imag();",
             "off-diagonal spectra at temperatures of B and A"),
            (643, "random_pairs_.reset();\n    add_levels();", "add_levels();", "levels of the random vector before"),
            (660, "space.axpby(coefficients[k], basis_[k], 1, start_, start_);",
             "space.axpby(k == 0 ? 1 : 0, basis_[k], 1, start_, start_);",
             "low-temperature spectra of |r> instead of exp(-H/2T) |r>"),
            (506, "lists_.stiffness(), -lists_.factor(),", "lists_.stiffness(), lists_.factor(),",
             "sign of the kinetic energy in the stiffness"),
        ],
        "src/lanczos/run/exact_thermal_spectrum.cpp": [
            (507, "share * lists_.factor()", "lists_.factor()", "spectra of all levels times the number of states"),
        ],
        "src/lanczos/run/conductivity.cpp": [
            (502, "sum += rule.weights[n] / rule.nodes[n];", "sum += rule.weights[n];",
             "Drude weight with the norm of J |0>"),
        ],
        "src/lanczos/run/spectrum_results.cpp": [
            (13, "intensity(p, omega) / static_cast<double>(solver_.states());", "intensity(p, omega);",
             "spectrum: sum, not average, over the ground states"),
        ],
        "src/lanczos/run/evolution.cpp": [
            (14, "1e-7 : 1e-12;", "1e-7 : 1e-6;", "pieces of time too long for the error bound"),
            (16, "s_.error += piece.error;", "s_.error = piece.error;", "error bound of the last piece only"),
        ],
        "src/krylov/exponential.cpp": [
            (15, "std::ceil(left * spread /", "std::ceil(0 * left * spread /",
             "the error bound is sampled however long the step is"),
        ],
        "src/lanczos/run/correlations.cpp": [
            (17, "other = c.ud[i][j] + c.ud[j][i];", "other = 2 * c.ud[i][j];",
             "<n_up n_down> taken as symmetric in the sites"),
            (18, "set(sites, imaginary, sign * (imaginary ? -value : value));", "set(sites, imaginary, sign * value);",
             "sign of the imaginary part of <c+_i c_j>"),
        ],
        "src/lanczos/physics/plane_waves.cpp": [
            (19, "sublattice < 0 ? lattice.sites : lattice.sites / lattice.sublattices", "lattice.sites",
             "norm of the plane waves of one sublattice"),
        ],
        "src/models/unit_cell.cpp": [
            (20, "{2, 1, -1, 1, t}", "{2, 1, 1, -1, t}", "kagome: a bond to the wrong cell"),
        ],
        "src/models/lattice.cpp": [
            (21, "(angle[1] * real(a[0]) - angle[0]", "(angle[1] * real(a[0]) + angle[0]",
             "sign in the wave vectors of tilted tori"),
        ],
        "src/lanczos/physics/left_hops.hpp": [
            (22, "occupation >> (j + 1)", "occupation >> j", "hops between the halves: one site too many in the sign"),
        ],
        "src/lanczos/run/operators.cpp": [
            (23, "occupied & (bit - 1)", "occupied & (bit >> 1)", "sign of c_down from the neighbouring site alone"),
        ],
        "src/lanczos/physics/hamiltonian.cpp": [
            (24, "energy[static_cast<std::size_t>(e.to) * sites + static_cast<std::size_t>(e.from)] += model.v * "
                 "e.weight;", "", "interaction of an up and a down particle in one order of the sites only"),
        ],
        "comm/row_exchange.cpp": [
            (25, ">= blocks[owner].last", "> blocks[owner].last", "the first row of a rank is asked of the one before"),
        ],
        "kernels/lanczos/down_sweep_cpu.cpp": [
            (26, "sites >>= c.chunk_bits, table +=", "table +=",
             "interaction of more than 9 sites: every group of sites looks up the first"),
            (27, "k == 0 ? -imaginary[groups<Real> + g] : imaginary[g]",
             "k == 0 ? imaginary[groups<Real> + g] : -imaginary[g]", "down hops with conjugate amplitudes"),
        ],
        "kernels/lanczos/panel_rows.hpp": [
            (28, "((panel - panels.first) * blocks + block) * tile;",
             "(block * panels.size() + panel - panels.first) * tile;", "returned panels in the other order"),
        ],
        "kernels/lanczos/subspace_sweep_cpu.cpp": [
            (29, "fma(-im, y, real)", "fma(im, y, real)", "hops between the halves: sign of an imaginary part"),
        ],
        "kernels/vectors/vectors_cpu.cpp": [
            (30, "im += doubles<Real>(times_i<Real, piece_bytes<Real>>(x)) * y;",
             "im += doubles<Real>(times_i<Real, piece_bytes<Real>>(x)) * (Sums{} - y);", "projections conjugated"),
        ],
        "kernels/lanczos/start_vector.hpp": [
            (31, "if (up >= l.dim_up || real >= l.dim_down * l.reals()) return 0;", "if (up >= l.dim_up) return 0;",
             "start vectors with numbers in the padding"),
            (144, "nearest == 1 || nearest == 2 ? -sum : sum", "nearest == 2 || nearest == 3 ? -sum : sum",
             "sine for cosine in normal numbers"),
        ],
    },
    "sectors": {
        "src/lanczos/run/spectral_operation.cpp": [
            (625, "if (target.arithmetic() == Arithmetic::complex", "if (plan.arithmetic() == Arithmetic::complex",
             "plane waves that lead from real to complex sectors as cosines and sines"),
        ],
        "src/lanczos/run/exact_thermal_spectrum.cpp": [
            (626, "pairs_.values.resize(static_cast<std::size_t>(h_.plan().dimension()));", "{}",
             "spectra of numbers that a sector of symmetries stores twice"),
        ],
        "kernels/lanczos/wide_product_cpu.cpp": [
            (580, "if (!rows.empty(row)) {", "if (false) {", "certified: rows of short orbits outside of the sector"),
            (581, "x[i] = static_cast<double>(from[i]);", "x[i] = static_cast<float>(1.0000001 * from[i]);",
             "certified: a vector that is rounded again"),
            (582, "to[i] -= a.im * from[i + 1];", "to[i] += a.im * from[i + 1];", "certified: H_up is not Hermitian"),
        ],
        "src/krylov/ground_state.cpp": [
            (583, "degeneracy() != Degeneracy::complete || !(gap > bound)", "!(gap > bound)",
             "certified: an error below the distance of levels that are not told apart"),
        ],
        "src/lanczos/run/operators.cpp": [
            (89, "result[l.at(row, column)] = 1;", "result[l.at(row, 0)] = 1;", "motion of another product state"),
            (102, "factor / from.column_factor(source)});", "factor});",
             "operators on short orbits without their weight"),
        ],
        "src/lanczos/state/hamiltonian_operator.cpp": [
            (90, "    space().restrict(x);\n", "", "a product state is not projected"),
        ],
        "src/lanczos/physics/symmetric_sector.cpp": [
            (91, "column_of(down_.image(group_.inverse(place.element), down))", "column_of(down)",
             "a product state: down particles are not moved with those of the row"),
            (94, "of_rows ? group_.character(from.element) : Complex(1);",
             "of_rows ? std::conj(group_.character(from.element)) : Complex(1);",
             "hops between orbits with the conjugate character"),
            (95, "std::sqrt(from.stabilisers / static_cast<double>(own)) * element", "element",
             "hops to short orbits without their weight"),
        ],
        "kernels/lanczos/orbit_search.hpp": [
            (97, "return moved ^ inverted[g];", "return moved;", "a spin inversion inverts no spin"),
            (590, "from == own ? 1 : sqrt(static_cast<double>(from) / own)", "from == own ? 1 : 1",
             "hops to short orbits of one spin component without their weight"),
            (591, "low_of(at + half) <= rest", "low_of(at + half) < rest",
             "representatives are found beside their place"),
            (632, "below = (std::uint64_t{1} << (rest & 63)) - 1", "below = (std::uint64_t{2} << (rest & 63)) - 1",
             "a marked representative is counted as one before itself"),
            (641, "passed > 0; --passed", "passed > 1; --passed",
             "representatives by marks: of those that are passed over in a cell, one too few"),
        ],
        "kernels/lanczos/hop_batch.hpp": [
            (592, "several | Words(top == smallest)", "several",
             "computed hops: of two sublattices with equal smallest values the first one counts"),
            (642, "rows_values_[row] != chosen_for_", "chosen_for_ == ~0u",
             "computed hops: terms are chosen for the first T alone"),
        ],
        "src/lanczos/physics/orbits.cpp": [
            (92, "(u.minus != d.minus ? -1 : 1) * group.character(g).real();", "group.character(g).real();",
             "weight of a product state without signs"),
            (96, "minus(back, images_.occupation(smallest.string))", "false",
             "hops between orbits without the signs of fermions"),
        ],
        "src/lanczos/run/evolution.cpp": [
            (93, "    initial_.set(first_);\n    const std::string error", "    const std::string error",
             "a resumed evolution has no first state"),
        ],
        "src/lanczos/run/pair_occupations.cpp": [
            (98, "? 1 - of_a - of_b + both : both", "? both : both", "pairs of spins are not inverted"),
            (99, "pair(sums.uu(a, a), sums.dd(b, b), sums.ud(a, b));",
             "pair(sums.uu(a, a), sums.dd(b, b), sums.ud(x, y));",
             "<n_up n_down> of representatives alone"),
        ],
        "src/lanczos/physics/characters.cpp": [
            (100, "*turn + from.turn(g)", "from.turn(g) - *turn", "a wave leads to the opposite momentum"),
        ],
        "src/lanczos/state/spectral_target.cpp": [
            (101, "std::abs(sum) < near) return -1;", "std::abs(sum) < near) return 1;",
             "S^z keeps the parity of the spin inversion"),
        ],
        "src/models/wave_vectors.cpp": [
            (138, "m[i] %= lattice.momentum_period(i);", "m[i] %= 2 * lattice.momentum_period(i);",
             "momenta outside of the zone run as others"),
            (139, "if (are_same(all[i], all[j], lattice))", "if (all[i] == all[j])",
             "a wave vector twice by other numbers"),
        ],
        "src/lanczos/run/sector_list.hpp": [
            (103, "dimension * static_cast<double>(star.size()) *", "dimension *",
             "a trace over one momentum of each star"),
        ],
        "src/lanczos/run/sector_traces.cpp": [
            (143, "? Distribution::normal : Distribution::uniform", "? Distribution::uniform : Distribution::uniform",
             "traces over sectors by uniform numbers"),
        ],
        "src/lanczos/run/thermal.cpp": [
            (104, "stream = sector * c.thermal.samples;", "stream = 0;", "the same random numbers in all sectors"),
        ],
        "src/lanczos/state/host_hamiltonian.cpp": [
            (584, "sums[1] / sums[2] - shift * shift", "sums[1] / sums[2] - 2 * shift * shift",
             "certified: a residual that is too small"),
            (105, "    space_.restrict(x);\n", "", "random vectors are not projected"),
        ],
        "src/lanczos/physics/point_operations.cpp": [
            (135, "if (pure_translations({a}, 1) == 1)", "if (true)", "a glide counts as a reflection"),
            (136, "if (pure_translations(chosen, 1) == 1 && choose_next())", "if (choose_next())",
             "every point operation about a centre of its own"),
            (137, "rounding * std::max(neighbours, largest(model.epsilon))", "rounding * largest(model.epsilon)",
             "site energies that cancel are compared with each other"),
        ],
        "kernels/lanczos/four_rows.hpp": [
            (638, "Rows::of_rows(_mm256_sub_pd(next, count))", "Rows::of_rows(_mm256_sub_pd(e, count))",
             "four rows: the entry behind a row of odd length is added to it"),
        ],
    },
}
