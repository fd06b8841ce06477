# SPDX-License-Identifier: BSD-3-Clause
"""Exact diagonalization: any products of operators, patterns, and H in time.
Area -> file -> (number, text that occurs once, text in its place, what it breaks)."""

MUTANTS = {
    "products": {
        "src/models/operator_text.cpp": [
            (314, "std::sqrt((twice_spin - k) * (k + 1.0))", "std::sqrt((twice_spin - k) * (k + 0.9))",
             "wrong elements of S+ of spins above 1/2"),
        ],
        "src/lanczos/run/initial_state.cpp": [
            (440, "    hamiltonian_.space().axpby(1 / norm_, out, 0, out, out);\n", "",
             "a state after an operator is not normalised"),
        ],
        "src/lanczos/physics/subset_states.cpp": [
            (443, "passed += before + std::popcount(", "passed += std::popcount(",
             "entanglement of fermions without the signs of the other spin component"),
        ],
        "src/lanczos/run/entanglement.cpp": [
            (444, "x[i].imag() * x[j].real() - x[i].real()", "x[i].imag() * x[j].real() + x[i].real()",
             "reduced density matrix without complex conjugation"),
        ],
        "src/models/initial_state.cpp": [
            (441, "if (!to.terms().contains(product)) to +=", "if (false) to +=",
             "the sector of what H conserves, whatever the initial Hamiltonian does"),
        ],
        "src/lanczos/run/operator_means.cpp": [
            (442, "list.imaginary ? Complex(0, 1) : 1, x, space, y);", "1, x, space, y);",
             "an operator on the initial state without the i of its second part"),
            (402, "level.resolved ? sum", "true ? sum", "values of levels that are cut off"),
        ],
        "src/lanczos/run/operator_sums.cpp": [
            (570, "operator_->blocks(operator_->w(), before + p)", "operator_->blocks(operator_->v(), before + p)",
             "operators that lead to another sector give 0"),
            (308, "imaginary ? Complex(0, -0.5)", "imaginary ? Complex(0, 0.5)",
             "imaginary parts with the other sign"),
            (309, "return {mean + operator_->offset(), ", "return {mean, ",
             "expectation values without constants"),
            (401, "    space.axpby(factor * operator_->offset(), x, 1, y, y);\n", "",
             "thermal averages and spectra without constants"),
            (410, "imaginary ? Complex(0, 1) : 1, x", "1, x", "H1 + H2 in place of H1 + i H2"),
        ],
        "src/lanczos/run/spectrum_results.cpp": [
            (571, "moment + norms_[part] * table_.beta(part)[0] * overlap(part, 1)", "moment + Complex(0)",
             "off-diagonal first moments without the second vector"),
            (572, "sum += overlap(part, k) * column[k].imag();",
             "sum += std::conj(overlap(part, k)) * column[k].imag();", "off-diagonal spectra of B and A"),
            (411, "+ target_offset_ - solver_.energy());", "- solver_.energy());",
             "first moments without the offset"),
        ],
        "src/lanczos/physics/observables.cpp": [
            (412, "(!(*o)->hermitian() && (*o)->change == FillingChange{})", "false",
             "real vectors for operators that are not Hermitian"),
        ],
        "src/lanczos/physics/observed_averages.cpp": [
            (403, "variance * (count - 1) / (count - 3) + bias", "variance / count + bias",
             "errors of thermal averages that are too small"),
            (620, "(pairs.values[j] - pairs.values[0]) / (2 * t));", "(pairs.values[j] - pairs.values[0]) / t);",
             "states exp(-H/T) |r> in the place of exp(-H/2T) |r>"),
        ],
        "src/lanczos/run/low_temperature.cpp": [
            (621, "measures_ != 0 ? table_.steps(s_.sample) : s_.recurrence.steps;", "s_.recurrence.steps;",
             "resumed measurements in states that are 0"),
        ],
        "src/lanczos/run/thermal.cpp": [
            (404, "    if (s_.recurrence.steps > 0) make_images();\n", "", "resumed recurrences without O r"),
            (405, "const std::size_t first = s_.repetition * images_at_once;", "const std::size_t first = 0;",
             "operators beyond those of the first repetition"),
        ],
        "src/krylov/tridiagonal.cpp": [
            (406, "            mixed[i] *= pairs.vectors[i * n];\n", "", "weights of <r|O f(H)|r> without <r|"),
        ],
        "src/models/operators.cpp": [
            (300, "is_odd(right) && passed % 2 == 1 ?", "is_odd(right) && passed < 0 ?",
             "operators of fermions on different modes commute"),
            (301, "return left == raise ? LocalProduct{.raise = -h} : LocalProduct{.lower = 1 - h};",
             "return left == raise ? LocalProduct{.raise = h} : LocalProduct{.lower = 1 - h};",
             "S+ Sz with the sign of Sz S+"),
        ],
        "src/models/filling.cpp": [
            (302, "0 - model.field[1][i] / 2", "model.field[1][i] / 2", "a field along y with the wrong sign"),
            (303, "(jx - jy) / 4);", "(jx - jy) / 2);", "S+ S+ of different couplings twice"),
        ],
        "src/lanczos/physics/split_terms.cpp": [
            (304, "all.column.parity ^= below(down_sites);", "continue;",
             "an operator of a row does not pass the particles of the columns"),
            (313, "(from ^ to) << first;", "to << first;", "levels flip the wrong bits"),
            (311, "minus = !minus;", "minus = false;", "coded electrons are sorted without signs"),
            (312, "(code & mask) == value && std::ranges", "std::ranges",
             "bits of coded sites that no operator names are those of any code"),
        ],
        "src/lanczos/state/spectral_target.cpp": [
            (573, "spectral_change(plan.config()) != FillingChange{};",
             "plan.config().spectrum.op != SpectralOperator::observable;",
             "operators of the user's own stay in their sector"),
        ],
        "src/lanczos/physics/sector_counts.cpp": [
            (574, "fillings.size() > 1 ? OneFactor::joined : OneFactor::apart", "OneFactor::apart",
             "operators of one factor that change a number stay in its subspace"),
            (310, "constant_ += terms_.constant.real();", "model_.constant += terms_.constant.real();",
             "spectra are shifted by a constant of the terms"),
        ],
        "src/lanczos/physics/bit_strings.cpp": [
            (305, "(value_ - added) & 1 : 0}", "value_ : 0}", "parities that operators do not change"),
        ],
        "kernels/lanczos/subspace_sweep_cpu.cpp": [
            (306, "(source & 1) != 0 ? Real(-1) : Real(1);", "Real(1);", "products without the sign of their rows"),
            (307, "real[0] = real[0] - imaginary[1];", "real[0] = real[0] + imaginary[1];",
             "products: sign of an imaginary part"),
        ],
    },
    "symmetric": {
        "src/lanczos/run/entanglement.cpp": [
            (651, "level.resolved && level.count == 1", "level.resolved",
             "entanglement of one of several degenerate states"),
        ],
        "src/lanczos/physics/split_terms.cpp": [
            (662, "std::ranges::count_if(codes.codes, leads) > 1", "std::ranges::count_if(codes.codes, leads) > 9",
             "hops of coded electrons from one state of a site alone"),
        ],
        "src/lanczos/physics/total_spin.cpp": [
            (658, "of(s) - of(s + 2), 0.5 * s);", "of(s) - of(s + 2), 0.5 * twice);",
             "S^z in the place of the total spin"),
            (659, "return commutator(sum, raise).largest() <=", "return true || commutator(sum, raise).largest() <=",
             "total spins of H that does not conserve them"),
        ],
        "src/lanczos/run/matrix_elements.cpp": [
            (653, "sum / static_cast<double>(of_m.count * of_n.count)", "sum / static_cast<double>(of_m.count)",
             "matrix elements that are not averaged over one of both levels"),
        ],
        "src/lanczos/physics/sector.cpp": [
            (652, "const Complex factor = row * group.character(place.element);", "const Complex factor = row;",
             "amplitudes of images without their phases"),
        ],
        "src/lanczos/physics/observed_averages.cpp": [
            (656, "sectors.size() == 1 ? 1 : sectors[k].states /", "sectors.size() == 1 ? 1 : 1 /",
             "averages of operators with equal weights of all sectors"),
            (657, "const std::size_t vector = sectors[k].first_vector + r;", "const std::size_t vector = r;",
             "errors by too few steps of the first sector for all"),
        ],
        "src/lanczos/run/operator_means.cpp": [
            (654, "std::ranges::count(operators_.parts()[part].places, list.first) > 0",
             "operators_.parts()[part].places[0] == list.first",
             "operators that equal another one by symmetry act as 0"),
        ],
        "src/lanczos/run/sector_list.cpp": [
            (655, "(c.task == Task::thermal && !c.observables.source.empty())", "false",
             "averages of operators over one momentum of each star"),
        ],
        "src/lanczos/physics/thermal_spectra.cpp": [
            (623, "all.push_back(sum * states_[k]);", "all.push_back(sum);",
             "averages of all momenta as if each had as many states"),
        ],
        "src/lanczos/run/spectral_operation.cpp": [
            (624, "for (Complex& w : conjugates) w = std::conj(w);", "{}",
             "A^+ of a plane wave with the phases of A"),
        ],
        "src/lanczos/run/symmetric_sums.cpp": [
            (593, "op.minus(up) != place.minus ? -1 : 1", "op.minus(up) ? -1 : 1",
             "operators between sectors of symmetries without the signs of moved fermions"),
            (594, "from_.moved_column(place.element, from)", "from",
             "operators between sectors of symmetries: columns are not moved with their row"),
            (595, "std::sqrt(place.stabilisers / own_size)", "own_size / own_size",
             "operators between sectors of symmetries: short orbits without their weight"),
            (597, "(factor / from_.column_factor(source))", "factor",
             "operators between sectors of symmetries: short columns without their weight"),
        ],
        "src/lanczos/physics/characters.cpp": [
            (596, "return std::conj(coefficient / before);", "return coefficient / before;",
             "operators lead to the opposite momentum"),
        ],
    },
    "particle-hole": {
        "src/models/symmetry.cpp": [
            (648, "(sublattice_signs[i] < 0) != (i % 2 == 1)", "false",
             "particles and holes are exchanged without the signs of the sites"),
            (649, "return odd != changes ? -1 : 1;", "return odd && changes ? -1 : 1;",
             "operations that anticommute on each spin multiply like those that commute"),
        ],
        "src/lanczos/physics/symmetric_sector.cpp": [
            (650, "group_.component_sign(h, g)", "group_.component_sign(g, h)",
             "hops of spin down have the signs of the products in the other order"),
        ],
    },
    "driven": {
        "src/krylov/driven_exponential.cpp": [
            (575, "factors[size_ - j] = -series.terms[j];", "factors[j] = -series.terms[j];",
             "a drive multiplies the terms of the series in the wrong order"),
        ],
        "src/lanczos/run/drive.cpp": [
            (576, "return {time.begin, *next - time.begin};", "return time;", "pieces of time pass jumps of a drive"),
        ],
        "src/models/drive_factor.cpp": [
            (577, " - h * h * before)", ")", "series of pulses without their curvature"),
        ],
        "src/lanczos/run/fidelity.cpp": [
            (578, "-2 * logarithm / (step * step)", "-2 * logarithm / step", "a fidelity susceptibility over one step"),
        ],
        "src/models/initial_state.cpp": [
            (579, "for (const OperatorSum& sum : further) add_products(sum, all);", "",
             "a drive does not decide about the sector"),
        ],
    },
    "patterns": {
        "src/models/patterns.cpp": [
            (407, "if (site < 0 || site >= lattice.sites) return {};", "site = (site + lattice.sites) % lattice.sites;",
             "chains are closed"),
            (408, "minus ? -offset : offset", "offset", "{i-1} is the next site"),
            (409, "bonds.emplace_back(e.from, e.to);", "bonds.emplace_back(e.to, e.from);",
             "bonds in the other direction"),
        ],
    },
}
