# SPDX-License-Identifier: BSD-3-Clause
"""What pictures of jobs/plot.py claim: fits held against exact results of free fermions, exact lines only where they
are exact, and what is said of runs that did not converge, of unknown errors and of spectra that are cut."""

import os
import re
import subprocess
import sys
import unittest

import numpy as np
from plot_test import KINDS, PlotTest, plot, plot_scan

import plot_axes  # noqa: E402 (plot_test knows its folder)
import plot_dmrg  # noqa: E402
import plot_ising  # noqa: E402
import plot_sectors  # noqa: E402


def hops(sites, dimerised=0.0):
    """H of free fermions on an open chain, the bonds of which alternate, the stronger ones first."""
    bonds = np.diag(1 + dimerised * (-1.0) ** np.arange(sites - 1), 1)
    return -bonds - bonds.T


def entropies_of(h, particles):
    """Entanglement entropies of all cuts from the correlation matrix (I. Peschel, J. Phys. A 36, L205 (2003))."""
    orbitals = np.linalg.eigh(h)[1][:, :particles]
    correlations, found = orbitals @ orbitals.T, []
    for cut in range(1, len(h)):
        p = np.clip(np.linalg.eigvalsh(correlations[:cut, :cut]), 1e-15, 1 - 1e-15)
        found.append(-np.sum(p * np.log(p) + (1 - p) * np.log(1 - p)))
    return np.array(found)


def labels_of(figure):
    return [label for axes in figure.axes for label in axes.get_legend_handles_labels()[1]]


def head_of(figure):
    return figure._suptitle.get_text().replace("\n", " ")


class Fits(unittest.TestCase):
    def test_central_charge_of_free_fermions(self):
        """Of every number of particles in chains of five lengths, c = 1, and 2 of two such species: no line is off by
        0.1, and there is one at half filling and at most fillings."""
        for species in (1, 2):
            drawn, many = 0, 0
            for sites in (16, 24, 32, 48, 64):
                cut = np.arange(1, sites)
                for particles in range(1, sites // 2 + 1):
                    entropies = species * entropies_of(hops(sites), particles)
                    found = plot_axes.central_charge(cut, entropies, [particles] * species)
                    with self.subTest(sites=sites, particles=particles, species=species):
                        self.assertTrue(found or particles < sites // 2)
                        if found:
                            self.assertAlmostEqual(found[0], species, delta=0.1)
                            self.assertLess(abs(found[1] - entropies)[sites // 4:-sites // 4].max(), 3e-3)
                    drawn, many = drawn + bool(found), many + 1
            self.assertGreater(drawn, 0.4 * many)

    def test_central_charge_of_other_chains(self):
        sites, cut = 48, np.arange(1, 48)
        chord = 96 / np.pi * np.sin(np.pi * cut / sites)
        found = plot_axes.central_charge(cut, 0.5 / 6 * np.log(chord) + 0.3 + 0.1 * (-1.0) ** cut / chord**0.6, [24])
        self.assertAlmostEqual(found[0], 0.5, delta=0.03)
        saturated = 1.5 - 1.2 * (np.exp(-cut / 3) + np.exp((cut - 48) / 3))
        self.assertIsNone(plot_axes.central_charge(cut, saturated, [24]))
        self.assertIsNone(plot_axes.central_charge(cut[:10], np.log(chord[:10]), [5]))
        for dimerised in (0.05, 0.1, 0.2, 0.3):  # a gap, with strong and with weak bonds at the ends
            for sites in (16, 24, 32, 48, 64):
                for sign in (1, -1):
                    entropies = entropies_of(hops(sites, sign * dimerised), sites // 2)
                    with self.subTest(dimerised=sign * dimerised, sites=sites):
                        self.assertIsNone(plot_axes.central_charge(np.arange(1, sites), entropies, [sites // 2]))

    def test_central_charge_of_halves_has_its_change_without_the_smallest(self):
        from matplotlib.figure import Figure

        length = np.array([16, 24, 32, 48, 64.0])
        for more, change in ((0, "+0.000"), (0.5, None)):
            axes = Figure().subplots()
            plot_scan.draw_central_charge(length, np.log(length) / 6 + 0.4 + 1 / length + more / length**2, axes,
                                          plot_axes.Look())
            label = axes.get_legend_handles_labels()[1][0]
            charge, found = re.search(r"c = ([\d.]+)\$, \$([+-][\d.]+)\$ without \$L = 16\$", label).groups()
            self.assertEqual(found, change or found)
            # the change is of the order of the error
            self.assertLess(abs(float(charge) - 1), 4 * abs(float(found)) + 1e-9)

    def test_central_charge_is_not_mixed_from_halves_of_both_parities(self):
        from matplotlib.figure import Figure

        def label(lengths):
            length = np.array(lengths, dtype=float)
            sign = 1 - 2 * (length // 2 % 2)
            axes = Figure().subplots()
            entropy = np.log(length) / 6 + 0.4 + (0.5 + sign) / length
            plot_scan.draw_central_charge(length, entropy, axes, plot_axes.Look())
            return "".join(axes.get_legend_handles_labels()[1])

        self.assertIn("c = 1.000$", label((16, 24, 32, 48)))
        self.assertEqual(label((16, 18, 20, 22, 24, 26)), "")  # three of either kind
        self.assertEqual(label((12, 20, 33, 47)), "")
        self.assertRegex(label((12, 14, 16, 18, 20, 22, 24, 33)), r"c = 1\.000\$.*L = 4n\$ alone")
        self.assertRegex(label((10, 14, 16, 18, 22, 24, 26)), r"c = 1\.000\$.*L = 4n \+ 2\$ alone")

    def test_sectors_add_up(self):
        sectors = [np.random.default_rng(seed).normal(size=5 + seed) for seed in range(4)]
        temperature = np.array([0.05, 0.3, 1.0, 5.0])

        def averages(levels):
            weights = np.exp(-(levels - levels.min())[:, None] / temperature)
            total = weights.sum(axis=0)
            energy, square = (levels**n @ weights / total for n in (1, 2))
            return energy, (square - energy**2) / temperature**2, np.log(total) + (energy - levels.min()) / temperature

        parts = np.array([averages(levels) for levels in sectors]).swapaxes(0, 1)
        whole = np.array(averages(np.concatenate(sectors)))
        np.testing.assert_allclose(plot_sectors.sum_of_sectors(temperature, *parts), whole, rtol=1e-9, atol=1e-9)
        sums, errors = plot_sectors.with_errors(temperature, parts, np.full_like(parts, 1e-6), True)
        np.testing.assert_allclose(sums, whole, rtol=1e-9, atol=1e-9)
        self.assertTrue(((1e-8 < errors[2]) & (errors[2] < 1e-4)).all())
        # two of each sector, with equal random numbers: the entropy gains ln 2
        twice = np.concatenate([parts, parts], axis=1)
        sums_of_twice, errors_of_twice = plot_sectors.with_errors(temperature, twice, np.full_like(twice, 1e-6), False)
        np.testing.assert_allclose(sums_of_twice - sums, np.array([0, 0, np.log(2)])[:, None] + 0 * sums, atol=1e-9)
        self.assertTrue((errors_of_twice > 0.99 * errors).all())
        parts[0, 1, 2] = np.nan  # a sector without an error
        self.assertTrue(np.isnan(plot_sectors.with_errors(temperature, twice, parts[:, [0, 1, 2, 3] * 2], False)[1][0,
                                                                                                                    2]))

    def test_decay(self):
        distance = np.arange(1.0, 30)
        power = (-1) ** distance * distance**-0.5
        self.assertEqual(plot_axes.decay(distance, power)[0], "roughly $r^{-0.5}$")
        self.assertEqual(plot_axes.decay(distance, np.exp(-distance / 12))[0], "roughly $e^{-r/10}$")
        self.assertIsNone(plot_axes.decay(distance, np.full(29, 1e-14)))

    def test_decay_of_free_fermions(self):
        """Connected density correlations fall as r^-2 at every filling: no other power and no length is drawn."""
        drawn = 0
        for sites in (16, 24, 32, 48, 64):
            for particles in range(4, sites // 2 + 1):
                orbitals = np.linalg.eigh(hops(sites))[1][:, :particles]
                distance, values = plot_dmrg.around_middle(-(orbitals @ orbitals.T) ** 2)
                found = plot_axes.decay(distance[:sites // 2].astype(float), values[:sites // 2])
                drawn += found is not None
                with self.subTest(sites=sites, particles=particles):
                    self.assertIn(found and found[0], (None, "roughly $r^{-2}$"))
        self.assertGreater(drawn, 20)

    def test_rounding_does_not_fill_a_panel(self):
        figure = plot.plt.figure()
        axes = figure.add_subplot()
        axes.plot([0, 1, 2], [0, 1e-13, -1e-13])
        plot_axes.finish(axes, 1e-3)
        plot_axes.settle(axes)
        self.assertAlmostEqual(np.ptp(axes.get_ylim()), 1e-3)
        plot.plt.close(figure)


ISING = "application = swendsen-wang\n[lattice]\nextents = 16,16\n[model]\ntemperature = 3\n{}[run]\nsweeps = 400\n{}"
SPECTRUM = ("application = lanczos\n[lattice]\ntype = ring\nextents = 4\n[model]\nu = 6\n[sector]\nup = 2\n"
            "down = 2\n[run]\ntask = spectrum\n[spectrum]\n{}[scan]\nspectrum.operator = removal,addition\n")
UNFINISHED = "application = lanczos\n[lattice]\ntype = ring\nextents = 8\n[model]\nu = 4\n[run]\nmax-steps = 4\n"
DMRG = "application = dmrg\n[lattice]\ntype = chain\nextents = {}\n[model]\ntype = xx\n{}[run]\nschedule = 20,40\n" \
       "noise = 1e-5,0\n"


class Claims(PlotTest):
    def test_lines_of_the_ising_model_are_in_no_other_picture(self):
        exact = "exact decay"
        for name, model, has in (("ising", "", True), ("potts", "states = 3\n", False),
                                 ("field", "field = 0.1\n", False), ("negative", "coupling = -1\n", False),
                                 ("signs", "opposite-bonds = 0.2\n", False)):
            job = ISING.format(model, "correlations = 6\n")
            with self.subTest(name), self.figure(self.run_job(name, job), "--what=plane-correlation") as (figure, _):
                self.assertEqual(any(exact in label for label in labels_of(figure)), has)
        temperatures = "[scan]\nmodel.temperature = 0.8:3.2:0.8\n"
        for name, model, lines, scan in (
                ("ising", "", {"lines: exact, this lattice", "$T_c$"}, ""),
                ("negative", "coupling = -1\n", {"$T_c$", "exact"}, ""),  # the program's own values
                ("potts", "states = 3\n", {"$T_c$"}, ""),
                ("field", "field = 0.1\n", set(), ""), ("open", "", {"$T_c$"}, "lattice.boundaries = open\n"),
                ("fields", "", {"exact"},
                 "together = model.temperature, model.field\nmodel.field = 0; 0.1; 0.2; 0.3\n"),
                ("couplings", "", {"lines: exact, this lattice"}, "model.coupling = 1,2\n")):
            job = ISING.format(model, temperatures + scan).replace("temperature = 3\n", "")
            source = self.run_job(f"{name}-scan", job)
            with self.subTest(scan=name), self.figure(source, "--what=energy") as (figure, _):
                found = {label for label in labels_of(figure) if "exact" in label or "T_c" in label}
                self.assertEqual(found, lines)

    def test_each_file_has_the_critical_temperature_of_its_own(self):
        job = ISING.format("", "[scan]\nmodel.temperature = 0.8:3.2:0.4\n").replace("temperature = 3\n", "")
        two = [self.run_job(f"q{q}", job.replace("[run]", f"states = {q}\n[run]")) for q in (2, 3)]
        with self.figure(*two, "--what=energy") as (figure, _):
            lines = [line for line in figure.axes[0].lines if str(line.get_gid()).startswith("critical")]
            places = [line.get_xdata()[0] for line in lines]
            np.testing.assert_allclose(places, [2 / np.log(1 + np.sqrt(2)), 1 / np.log(1 + np.sqrt(3))])

    def test_panels_and_titles_of_fields_and_antiferromagnets(self):
        for model, words, panels in (
                ("field = 0.2\n", ["$h = 0.2$", r"\langle m\rangle = 0."], ["signed-magnetisation"]),
                ("coupling = -1\n", ["$J = -1$", r"U_4^{\rm st}"],
                 ["staggered-magnetisation-2", "staggered-susceptibility", "staggered-binder"])):
            with self.subTest(model):
                source = self.run_job("one", ISING.format(model, "[output]\noverwrite = yes\n"))
                with self.figure(source) as (figure, _):
                    for word in words:
                        self.assertIn(word, head_of(figure))
                    self.assertNotIn(r"\langle|m|\rangle", head_of(figure))
                    self.assertNotIn("$P(m)$, made even", [axes.get_ylabel() for axes in figure.axes])
                job = ISING.format(model, "[output]\noverwrite = yes\n[scan]\nmodel.temperature = 2:3:0.5\n")
                source = self.run_job("scan", job.replace("temperature = 3\n", "", 1))
                with self.figure(source) as (figure, results):
                    shown = [pair[0][1].name for pair in plot.chosen(results, plot.Options([source]))]
                    self.assertLessEqual(set(panels), set(shown))
                    self.assertFalse({"magnetisation", "binder"} & set(shown), shown)

    def test_what_is_not_known_is_said(self):
        self.strata("run", self.write("loose.ini", UNFINISHED), code=5)
        with self.figure(self.directory / "out/loose.h5") as (figure, _):
            self.assertIn("not converged", head_of(figure))
        self.strata("run", self.write("points.ini", UNFINISHED + "[scan]\nmodel.v = 0, 0.5\n"), code=5)
        with self.figure(self.directory / "out/points.h5") as (figure, _):
            self.assertIn("2 of 2 points not converged", head_of(figure))
            self.assertTrue(any(line.get_markerfacecolor() == "white" for line in figure.axes[0].lines))
        few = ISING.format("", "").replace("sweeps = 400", "sweeps = 8")
        with self.figure(self.run_job("few", few)) as (figure, results):
            self.assertIn("errors unknown of 4 of 4 numbers", head_of(figure))
            self.assertRegex(head_of(figure), r"\$e = -\d\.\d{2,4}\$")
            self.assertGreater(len(figure.axes[0].lines[0].get_xdata()), 1)
        scan = few.replace("temperature = 3\n", "") + "[scan]\nmodel.temperature = 2.2,2.4\n"
        with self.figure(self.run_job("few-points", scan)) as (figure, _):
            self.assertIn("errors unknown at 2 of 2 points", head_of(figure))

    def test_energies_of_renormalization_have_their_error(self):
        with self.figure(self.run_job("chain", DMRG.format(20, ""))) as (figure, results):
            self.assertRegex(head_of(figure), r"\$E_0 = -[\d.]+\(\d+\)")
        job = DMRG.format(12, "") + "[scan]\nmodel.field = 0; 0.1\n"
        source = self.run_job("scan", job)
        with self.figure(source) as (figure, results):
            self.assertEqual(plot.chosen(results, plot.Options([source]))[0][0][1].name, "energy")
            np.testing.assert_array_equal(results[0].scan.quantities["energy"][1],
                                          results[0].file["scan/error-estimate"][:])

    def test_central_charge_of_a_partly_polarised_chain(self):
        for sz, drawn in ((0, True), (1, True), (10, False)):
            job = DMRG.format(32, f"[sector]\nsz = {sz}\n").replace("20,40", "40,80").replace("1e-5,0", "1e-6,0")
            with self.subTest(sz), self.figure(self.run_job(f"sz-{sz}", job), "--what=entropies") as (figure, _):
                self.assertEqual(["roughly $c = 1.0$" in x for x in labels_of(figure) if "c =" in x], [True] * drawn)

    def test_no_chemical_potential_of_a_band_that_is_cut(self):
        for name, window, cut in (("cut", "omega = 0:10:0.05\n", True), ("whole", "omega = -6:14:0.05\n", False)):
            with self.subTest(name), self.figure(self.run_job(name, SPECTRUM.format(window))) as (figure, results):
                labels = labels_of(figure)
                self.assertEqual(any(r"$\mu = 3" in label for label in labels), not cut, labels)
                outside = [x for x in labels if re.search(r"\d+% of the weight of removal lies outside", x)]
                self.assertEqual(bool(outside), cut, labels)
                self.assertEqual(any(r"\mu" in label for label in labels), not cut, labels)

    def test_echoes_of_a_disorder_average_go_forward_in_time(self):
        job = ("application = trotter\n[lattice]\ntype = chain\nextents = 6\n[model]\ntype = xx\ndisorder = 1\n[run]\n"
               "steps = 20\necho = yes\nobservables = sz\n[state]\ninitial = neel\n[scan]\nrun.seed = 1:4:1\n")
        with self.figure(self.run_job("echo", job), "--what=imbalance") as (figure, results):
            time = figure.axes[0].lines[0].get_xdata()
            self.assertTrue((np.diff(time) > 0).all())
            self.assertAlmostEqual(time[-1], 2 * results[0].file["series/time"][:].max())
            self.assertIn("H is reversed", labels_of(figure))


class Legends(PlotTest):
    def test_place_and_markers(self):
        source = self.run_job("a", KINDS["ising"][0])
        for place in ("inside", "none"):
            with self.figure(source, f"--legend={place}", "--markers=7", "--what=energy") as (figure, _):
                axes = figure.axes[0]
                self.assertEqual({line.get_markersize() for line in axes.get_lines()}, {7})
                self.assertEqual(axes.get_legend() is not None, place == "inside")
        with self.assertRaisesRegex(plot.WrongOption, "above, inside, none"):
            plot.Options(["--legend=left", "a.h5"])


class Interpreters(PlotTest):
    def stub(self, name, text):
        path = self.directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    def test_the_interpreter_is_that_of_the_user(self):
        source = self.run_job("a", KINDS["ising"][0])
        ours = self.stub("ours/python3", '#!/bin/sh\necho "ours: $1"\n')
        without = self.stub("without/python3", f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')  # finds no packages
        search = lambda path: os.path.dirname(path) + os.pathsep + os.environ["PATH"]  # noqa: E731
        for environment, words in (({"STRATA_PYTHON": ours}, r"^ours: .*plot\.py"),
                                   ({"STRATA_PYTHON": "", "PATH": search(ours)}, r"^ours: .*plot\.py"),
                                   ({"STRATA_PYTHON": sys.executable, "PATH": search(without)}, "energy, magnet"),
                                   ({"STRATA_PYTHON": "", "PATH": search(without)}, "energy, magnetisation")):
            with self.subTest(environment):
                self.assertRegex(self.strata("plot", "--what=list", source, environment=environment)[0], words)
        script = [without, plot.__file__, "--what=list", source]  # as where the script itself is started
        for environment, code in ((sys.executable, 0), (without, 4)):
            done = subprocess.run(script, env={**os.environ, "STRATA_PYTHON": environment}, capture_output=True,
                                  text=True)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (code, code // 4), done.stderr)
        told = self.strata("plot", source, environment={"STRATA_PYTHON": "/nowhere/python"}, code=4)[1]
        self.assertIn("/nowhere/python, which draws the figures, cannot be started", told)

    def test_bins_of_a_histogram_hold_equal_numbers_of_levels(self):
        levels = np.arange(-100, 101) / 54.0
        edges = plot_ising.bins_of(np.random.default_rng(1).choice(levels, 5000))
        inside = [((levels > a) & (levels < b)).sum() for a, b in zip(edges, edges[1:])]
        self.assertEqual((len(inside), set(inside[:-1])), (51, {4}))
        self.assertEqual(plot_ising.bins_of(np.random.default_rng(1).normal(size=5000)), 60)

    def test_a_package_that_is_missing_is_named(self):
        source = self.run_job("a", KINDS["ising"][0])
        self.stub("packages/h5py.py", "raise ModuleNotFoundError('h5py')\n")
        environment = {"STRATA_PYTHON": "/usr/bin/python3", "PYTHONPATH": str(self.directory / "packages")}
        told = self.strata("plot", source, environment=environment, code=4)[1]
        self.assertRegex(told, r"^plot\.py needs the Python packages h5py and matplotlib, and \S+ lacks h5py: .*\n$")


if __name__ == "__main__":
    unittest.main()
