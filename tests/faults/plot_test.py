# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of jobs/plot.py: every kind of result, options, several files, and the fits and exact curves in them."""

import contextlib
import itertools
import pathlib
import shutil
import subprocess
import sys
import unittest

import h5py
import numpy as np

JOBS = pathlib.Path(__file__).resolve().parents[2] / "jobs"
sys.path.insert(0, str(JOBS))
sys.dont_write_bytecode = True

import plot  # noqa: E402
import plot_axes  # noqa: E402
import plot_ising  # noqa: E402
import plot_scan  # noqa: E402
from strata_lattice import ising_spins  # noqa: E402 (plot_ising knows its folder)
from program import ProgramTest  # noqa: E402

ELECTRONS = "[model]\nu = 4\n[sector]\nup = 2\ndown = 2\n"
SPINS = "[model]\ntype = heisenberg\n"
TROTTER = "application = trotter\n[lattice]\ntype = chain\nextents = 8\n[model]\ntype = xx\n[run]\nsteps = 20\n"
LADDER = "application = dmrg\n[lattice]\ntype = ladder\nextents = 4,2\n"
FAST = "[run]\nschedule = 16,16\nnoise = 1e-5,0\nmeasure = correlations\n"

# Name of a job: its text, panels that its picture has, and words of its title.
KINDS = {
    "ising": ("application = swendsen-wang\n[lattice]\nextents = 16,16\n[model]\nbeta = 0.44\n[run]\nsweeps = 400\n"
              "correlations = 8\n",
              "energy magnetisation energy-distribution autocorrelation structure-factor plane-correlation",
              "Ising model, square lattice"),
    "scan": ("application = swendsen-wang\n[lattice]\nextents = 8,8\n[run]\nsweeps = 200\n[scan]\n"
             "model.temperature = 2:2.6:0.2\n",
             "energy specific-heat magnetisation susceptibility-connected binder", "Ising model"),
    "tempering": ("application = swendsen-wang\n[lattice]\nextents = 8,8\n[model]\nopposite-bonds = 0.5\n[run]\n"
                  "sweeps = 400\n"
                  "tempering = 1,1.5,2\n", "energy specific-heat binder exchange-acceptance",
                  "tempering at 3 temperatures"),
    "states": ("application = lanczos\n[lattice]\ntype = ring\nextents = 4\n" + ELECTRONS,
               "convergence spin-structure-factor density-structure-factor spin-correlation",
               "Hubbard model, ring of 4, $U = 4$"),
    "levels": ("application = lanczos\n[lattice]\ntype = square\nextents = 4,2\n" + SPINS + "[run]\nstates = 3\n",
               "levels spin-structure-factor spin-correlation", "Heisenberg model"),
    "momenta": ("application = lanczos\n[lattice]\ntype = ring\nextents = 4\n" + ELECTRONS + "momentum = all\n",
                "momenta", "all momenta"),
    "spectrum": ("application = lanczos\n[lattice]\ntype = ring\nextents = 4\n" + ELECTRONS +
                 "[run]\ntask = spectrum\n[spectrum]\noperator = removal\nomega = -4:10:0.1\n", "spectrum curves",
                 r"N_\uparrow = 2"),
    "two-operators": ("application = lanczos\n[lattice]\ntype = ring\nextents = 4\n" + ELECTRONS +
                      "[run]\ntask = spectrum\n[spectrum]\noperator = observable\nsecond = b\n[observables]\n"
                      "file = two-operators.txt\n", "intensity", "operator spectrum"),
    "thermal": ("application = lanczos\n[lattice]\ntype = ring\nextents = 6\n" + SPINS +
                "[run]\ntask = thermal\n[thermal]\ntemperatures = 0.05:2:0.05\nsamples = 4\n",
                "energy specific-heat entropy", "$S^z = 0$"),
    "sectors": ("application = lanczos\n[lattice]\ntype = chain\nextents = 4\n[model]\nu = 4\n[run]\ntask = thermal\n"
                "[thermal]\n"
                "temperatures = 0.1:2:0.1\n[scan]\ntogether = sector.up, sector.down\nsector.up = 0:4:1\n"
                "sector.down = 4:0:-1\n",
                "specific-heat energy entropy", "Hubbard model, chain of 4, $U = 4$"),
    "evolution": ("application = lanczos\n[lattice]\ntype = chain\nextents = 4\n" + ELECTRONS +
                  "[run]\ntask = evolution\n[evolution]\nup = 0,2\ndown = 1,3\nsteps = 10\n",
                  "sz imbalance double-occupancy", "chain of 4"),
    "wall": (TROTTER + "observables = sz,energy\n[state]\ninitial = domain-wall\n", "sz profile",
             "XX model, chain of 8"),
    "random": (TROTTER + "observables = sz,energy,loschmidt-echo\nsamples = 3\n[state]\ninitial = polarised-random\n",
               "spins energy-drift loschmidt-echo", "XX model"),
    "chain": ("application = dmrg\n[lattice]\ntype = chain\nextents = 20\n" + SPINS + FAST,
              "convergence entropies entanglement-spectrum bond-energies correlations",
              "Heisenberg model, chain of 20"),
    "ladder": (LADDER + "[model]\ntype = hubbard\nu = 8\n[sector]\nup = 3\ndown = 3\n" + FAST,
               "convergence lattice-density entropies", r"ladder 4 $\times$ 2"),
    "two-states": (LADDER + SPINS + "[run]\nstates = 2\ntolerance = 1e-4\n", "levels lattice-sz entropies",
                   "Heisenberg model"),
    "kronecker": ("application = kronecker\n[model]\nsites = 16\nsaved-states = 40\noperators = 2\n",
                  "patches operations share", "Kronecker"),
}


class PlotTest(ProgramTest):
    def run_job(self, name, text=None, *options):
        self.write("two-operators.txt", "a = 1 c_up 0\nb = 0.5+0.5i c_up 1\n")
        self.strata("run", self.write(f"{name}.ini", text or KINDS[name][0]), "--backend.threads=1", *options)
        return str(self.directory / f"out/{name}.h5")

    @contextlib.contextmanager
    def figure(self, *arguments):
        """The figure of a command line, and the results in it."""
        with contextlib.ExitStack() as stack:
            options = plot.Options([*map(str, arguments)])
            results = plot.load(options, stack)
            figure = plot.compose(results, options)
            try:
                figure.canvas.draw()
                yield figure, results
            finally:
                plot.plt.close(figure)

    def check(self, figure):
        """Every panel shows data; labels and legends lie within the figure and no panel is squeezed by them."""
        page = figure.bbox.padded(3)
        for axes in figure.axes:
            if axes.get_label() == "<colorbar>":
                continue
            drawn = [*axes.lines, *axes.collections, *axes.patches, *axes.images]
            self.assertTrue(drawn, axes.get_ylabel())
            self.assertTrue(axes.get_xlabel() and axes.get_ylabel())
            self.assertGreater(axes.bbox.width, 100, axes.get_ylabel())
            for text in filter(None, [axes.xaxis.label, axes.yaxis.label, axes.title, axes.get_legend()]):
                box = text.get_window_extent()
                self.assertTrue(page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1,
                                str(text))
            seen = [(low <= y[np.isfinite(y)]) & (y[np.isfinite(y)] <= high) for line in axes.lines
                    for low, high in [axes.get_ylim()]
                    for y in [np.asarray(line.get_ydata(), dtype=float)] if len(y) > 2]
            self.assertTrue(not seen or any(part.mean() > 0.9 for part in seen), axes.get_ylabel())  # no empty panel


class Kinds(PlotTest):
    def test_every_kind_of_result_has_a_picture(self):
        for name, (_, panels, words) in KINDS.items():
            with self.subTest(name), self.figure(source := self.run_job(name)) as (figure, results):
                self.check(figure)
                self.assertIn(words,
                              figure.get_suptitle() if hasattr(figure, "get_suptitle") else figure._suptitle.get_text())
                shown = [pair[0][1].name for pair in plot.chosen(results, plot.Options([source]))]
                self.assertEqual([p for p in panels.split() if p not in shown], [])
                if name == "ising":
                    with self.figure("--what=snapshot", source) as (snapshot, _):
                        self.check(snapshot)
                        shown = 2 * snapshot.axes[0].images[0].get_array().astype(int) - 1
                    spins = ising_spins(source.replace(".h5", ".checkpoint.h5"))
                    self.assertTrue((shown == spins).all())
                    self.assertAlmostEqual(plot_ising.bond_probability(results[0]), 1 - np.exp(-2 * 0.44), 12)
                    with self.figure("--what=clusters", source) as (clusters, _):
                        self.check(clusters)
                        colours = clusters.axes[0].images[0].get_array()
                    for colour in range(8):
                        self.assertLess(len(set(spins[colours == colour])), 2)
                if name == "scan":  # the exact curve is that of the points
                    scan = results[0].file["scan"]
                    energy, heat = plot_ising.torus(8, 8, scan["model.temperature"][:])
                    self.assertLess(abs(energy - scan["energy_reference"][:]).max(), 1e-5)
                    self.assertLess(abs(heat - scan["specific-heat_reference"][:]).max(), 1e-4)
                if name == "thermal":
                    self.assertTrue(any("negative" in note
                                        for note in results[0].notes) == bool((results[0].value("entropy") < 0).any()))
                if name in ("evolution", "wall"):  # a drift that is rounding is drawn on request alone
                    self.assertEqual("energy-drift" in shown, np.ptp(results[0].column("energy")) > 1e-12)
                if name == "two-states":  # both levels lie inside their panel, and rounding does not fill that of Sz
                    low, high = figure.axes[0].get_ylim()
                    self.assertTrue(low < 0 < results[0].value("gaps")[0] < high)

    def test_clusters_are_connected_sites(self):
        draws = np.random.default_rng(3)
        for shape, boundaries in (((9, 7), ("periodic", "open")), ((1, 12), ("open", "periodic")),
                                  ((5, 4, 6), ("open", "periodic", "open"))):
            states = draws.integers(0, 3, shape)
            labels, seen, count = plot_ising.clusters_of(states, 1.0, boundaries), np.full(shape, -1), 0
            for start in np.ndindex(shape):
                todo = [start] if seen[start] < 0 else []
                count += len(todo)
                while todo:  # a flood fill
                    site = todo.pop()
                    seen[site] = count
                    for axis, step in itertools.product(range(len(shape)), (1, -1)):
                        next_site = [*site]
                        next_site[axis] += step
                        if boundaries[axis] == "periodic":
                            next_site[axis] %= shape[axis]
                        next_site = tuple(next_site)
                        if (0 <= next_site[axis] < shape[axis] and seen[next_site] < 0
                                and states[next_site] == states[site]):
                            todo.append(next_site)
            self.assertEqual(len(np.unique(labels)), count)
            self.assertEqual(len(set(zip(labels.ravel(), seen.ravel()))), count)
        ring, p = np.zeros((1, 100000), int), 0.3  # has as many clusters as bonds that are not drawn; 5 sigma
        clusters = len(np.unique(plot_ising.clusters_of(ring, p, ("open", "periodic"))))
        self.assertLess(abs(clusters - (1 - p) * 100000), 5 * np.sqrt(p * (1 - p) * 100000))


class Options(PlotTest):
    def script(self, *arguments, code=0):
        done = subprocess.run([sys.executable, JOBS / "plot.py", *map(str, arguments)], cwd=self.directory,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        if code:
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stdout + done.stderr

    def test_files_formats_and_panels(self):
        cold = self.run_job("cold", KINDS["ising"][0].replace("0.44", "0.5"))
        warm = self.run_job("ising")
        self.assertIn("ising.pdf", self.script(warm, "--format=pdf", "--what=energy"))
        self.assertEqual((self.directory / "out/ising.pdf").read_bytes()[:5], b"%PDF-")
        self.assertIn("energy, magnetisation", self.script(warm, "--what=list"))
        self.assertIn("there are energy, magnetisation", self.script(warm, "--what=energy,temperature", code=2))
        self.script(cold, warm, self.directory / "both.pdf")
        self.assertTrue((self.directory / "both.pdf").exists())
        with self.figure(cold, warm) as (figure, _):
            self.check(figure)
            self.assertEqual([t.get_text() for t in figure.axes[1].get_legend().get_texts()]
                             if figure.axes[1].get_legend() else
                             [t.get_text() for t in figure.axes[0].get_legend().get_texts()],
                             [r"$\beta = 0.5$", r"$\beta = 0.44$"])
            self.assertEqual(len({line.get_color() for line in figure.axes[0].lines}), 2)
        with self.figure(warm, "--what=magnetisation,energy", "--range=x=-0.5:0.5", "--log=y") as (figure, _):
            self.assertEqual([axes.get_xlabel() for axes in figure.axes],
                             ["magnetisation per site $m$", "observations"])
            self.assertEqual((figure.axes[0].get_xlim(), figure.axes[0].get_yscale()), ((-0.5, 0.5), "log"))

    def test_replicas_of_which_there_are_few_have_no_error_bars(self):
        points = "".join(f"{t} {seed}\n" for t, n in ((2, 3), (2.4, 4)) for seed in range(n))
        self.write("points.txt", "model.temperature run.seed\n" + points)
        job = "application = swendsen-wang\n[lattice]\nextents = 8,8\n[run]\nsweeps = 200\n[scan]\nfile = points.txt\n"
        with self.figure(self.run_job("a", job), "--what=energy") as (figure, _):
            bars = [bar for c in figure.axes[0].containers for lines in c.lines[2] for bar in lines.get_segments()]
            lengths = [bar[1][1] - bar[0][1] for bar in bars if len(bar) == 2 and np.isfinite(bar).all()]
            self.assertEqual([length > 0 for length in lengths], [True])

    def test_legends_and_resolution(self):
        scan = self.run_job("sizes", KINDS["scan"][0].replace("extents = 8,8", "") + "lattice.extents = 4,4; 8,8\n")
        with self.figure(scan) as (figure, _):
            self.check(figure)
            words = [t.get_text() for axes in figure.axes if axes.get_legend() for t in axes.get_legend().get_texts()]
            self.assertEqual(len(words), len(set(words)), words)  # no curve is named twice
            self.assertTrue({"$L = 4$", "$L = 8$", "infinite lattice"} <= set(words))
            heads = [axes.get_ylabel() for axes in figure.axes if axes.get_yscale() == "log"]
            ticks = [[t.get_text() for t in axes.get_yticklabels() if t.get_text()]
                     for axes in figure.axes if axes.get_yscale() == "log"]
            self.assertTrue(heads and all(len(numbers) > 1 for numbers in ticks), (heads, ticks))
        large, small = (self.script(scan, self.directory / f"{n}.png", f"--dpi={n}")
                        and plot.plt.imread(self.directory / f"{n}.png").shape
                        for n in (100, 50))
        self.assertEqual(large[:2], (2 * small[0], 2 * small[1]))

    def test_wrong_ones_are_told(self):
        for arguments, words in ((["--what"], "needs a value"), (["--speed=1", "a.h5"], "no option --speed"),
                                 ([], "No result file"),
                                 (["--range=q=0:1", "a.h5"], "'q=0:1' must be"),
                                 (["--range=x=0", "a.h5"], "'x=0' must be"),
                                 (["--log=w", "a.h5"], "x, y and z"), (["a.h5", "a.gif"], "must end in"),
                                 (["--format=gif", "a.h5"], "must end in"), (["--dpi=x", "a.h5"], "from 20 to 1200"),
                                 (["--range=x=5:1", "a.h5"], "'x=5:1' the smaller number must come first"),
                                 (["--range=y=2:2", "a.h5"], "'y=2:2' the smaller number must come first"),
                                 (["--range=x=nan:1", "a.h5"], "'x=nan:1' must be"),
                                 (["--size=8", "a.h5"], "as in --size=8x5"), (["--size=0x5", "a.h5"], "from 1 to 50"),
                                 (["--size=8xa", "a.h5"], "from 1 to 50"), (["--font=99", "a.h5"], "from 3 to 50"),
                                 (["--size=50x50", "--dpi=1200", "a.h5"], "400 million dots"),
                                 ([r"--title=$\foo$", "a.h5"], "cannot be drawn")):
            with self.subTest(arguments), self.assertRaises(plot.WrongOption) as told:
                plot.Options(arguments)
            self.assertIn(words, str(told.exception))
        self.assertIn("no option --speed", self.script("--speed=1", "a.h5", code=2))
        self.assertIn("nothing.h5 does not exist", self.script("nothing.h5", code=4))

    def test_files_that_are_no_results_are_told(self):
        self.write("a.ini", KINDS["ising"][0])
        self.write("notes.h5", "applications of [lattice] models\n")
        self.write("empty.h5", "")
        self.assertEqual("a.ini is a job, not a result; run it with: strata run a.ini.\n", self.script("a.ini", code=4))
        self.assertEqual("notes.h5 is neither a result of Strata nor a job.\n", self.script("notes.h5", code=4))
        self.assertEqual("empty.h5 is empty.\n", self.script("empty.h5", code=4))
        one = self.run_job("one", KINDS["scan"][0].replace("2:2.6:0.2", "2"))
        self.assertEqual(f"{one} has one point, which makes no curve; strata show {one} prints it.\n",
                         self.script(one, code=4))

    def test_y_fits_to_the_range_of_x(self):
        scan = self.run_job("scan", KINDS["scan"][0].replace("2:2.6:0.2", "1:3:0.5"))
        for option in ("--what=binder", "--what=susceptibility-connected", "--what=energy"):
            with self.subTest(option), self.figure(scan, option, "--range=x=1.4:2.1") as (figure, results):
                scan_of, (low, high) = results[0].file["scan"], figure.axes[0].get_ylim()
                value, error = (np.nan_to_num(scan_of[option[7:] + end][:]) for end in ("", "_error"))
                self.assertTrue(low < (value - error)[1:3].min() and (value + error)[1:3].max() < high)
                self.assertFalse(low < value.min() and value.max() < high)  # T = 2.5 and 3 are not seen
        with self.figure(scan, "--what=binder", "--range=x=1.4:2.1,y=-3:3") as (figure, _):
            self.assertEqual(figure.axes[0].get_ylim(), (-3, 3))
        with self.figure(scan, "--what=binder", "--range=x=9:") as (figure, _):
            self.assertLess(*figure.axes[0].get_xlim())  # nothing is left, and no axis is turned around
        points = np.array([[0, 0], [1, 10], [2, np.nan], [3, 5], [4, 7]])
        seen = plot_axes.heights(points, 0.5, 3.5, True)
        self.assertEqual(sorted(seen[np.isfinite(seen)]), [5, 5, 6, 10])

    def test_axes_of_sites_stay_linear(self):
        for source, axes_of_sites in ((self.run_job("wall", KINDS["wall"][0].replace("domain-wall", "neel")), [0]),
                                      (self.run_job("two-states"), [0, 1, 2])):
            with self.figure(source, "--log=xy") as (figure, results):
                self.check(figure)
                self.assertEqual({figure.axes[number].get_xscale() for number in axes_of_sites}, {"linear"})
                self.assertLess(figure.axes[0].get_ylim()[0], 0.1)  # also of a time that begins at 0
                self.assertIn("--log=x leaves axes of sites, states and momenta linear", results[0].notes)
        with self.figure(source, "--what=lattice-sz", "--log=xy") as (figure, _):
            self.assertEqual((figure.axes[0].get_xscale(), figure.axes[0].get_yscale()), ("linear", "linear"))

    def test_ticks_of_short_logarithmic_axes_are_numbers(self):
        scan = self.run_job("scan")
        with self.figure(scan, "--what=binder", "--log=xy", "--range=x=2.21:2.34") as (figure, _):
            for axis in (figure.axes[0].xaxis, figure.axes[0].yaxis):
                (low, high), ticks = axis.get_view_interval(), axis.get_majorticklocs()
                words = [t.get_text() for t in axis.get_ticklabels(which="both") if t.get_text()]
                self.assertGreater(sum((low <= ticks) & (ticks <= high)), 2)
                self.assertTrue(all(float(word) for word in words), words)
        with self.figure(self.run_job("spectrum"), "--what=spectrum", "--log=z", "--range=z=0.03:0.08") as (figure, _):
            words = [t.get_text() for t in figure.axes[1].get_yticklabels(which="both") if t.get_text()]
            self.assertTrue(words and all(float(word) for word in words), words)

    def test_title_size_and_font(self):
        source = self.run_job("ising")
        options = ["--title=A chain, $T_c$", "--size=7x5", "--font=13", "--what=energy,magnetisation"]
        with self.figure(source, *options) as (figure, _):
            self.check(figure)
            self.assertEqual(figure._suptitle.get_text(), "A chain, $T_c$")
            self.assertEqual(figure.get_size_inches().tolist(), [7, 5])
            self.assertEqual(figure.axes[0].xaxis.label.get_size(), 13)
            self.assertAlmostEqual(figure.axes[0].get_legend().get_texts()[0].get_size(), 10.4)

    def test_no_two_curves_look_alike(self):
        def looks(axes):
            curves = [handle[0] if isinstance(handle, tuple) else handle  # with error bars or without
                      for handle in axes.get_legend_handles_labels()[0]]
            return [(line.get_color(), line.get_linestyle(), line.get_marker()) for line in curves]

        points = "lattice.extents = 4,4; 4,6; 4,8; 4,10; 6,6; 6,8; 6,10; 8,8; 8,10; 10,10\n"
        many = self.run_job("many", KINDS["scan"][0].replace("extents = 8,8", "").replace("200", "20") + points)
        source = self.run_job("wall")
        files = [shutil.copy(source, self.directory / f"wall-{n}.h5") for n in range(10)]
        for arguments in ([many, "--what=binder"], [*files, "--what=energy"]):
            with self.figure(*arguments) as (figure, _):
                found = looks(figure.axes[0])
                self.assertGreaterEqual(len(found), 10)
                self.assertEqual(len(found), len(set(found)), found)

    def test_removal_and_addition_are_one_map(self):
        removal = self.run_job("spectrum")
        addition = self.run_job("addition", KINDS["spectrum"][0].replace("removal", "addition"))
        with self.figure(removal, addition, "--what=spectrum") as (figure, results):
            self.check(figure)
            self.assertEqual(len(figure.axes), 2)  # the map and its scale
            cells = figure.axes[0].collections[0].get_array().reshape(-1, 5)  # k / pi = -1, -0.5, 0, 0.5, 1
            omega = results[0].column("omega")
            whole = cells.sum(axis=0) * (omega[1] - omega[0])
            self.assertLess(abs(whole - 1).max(), 0.1)  # a particle of each spin and momentum is there or is not
            of_files = figure.axes[0].collections[0].get_array()
            self.assertLess(abs(figure.axes[0].lines[0].get_ydata()[0] - 2), 0.06)  # mu = U / 2 at half filling
        scan = self.run_job("both", KINDS["spectrum"][0], "--scan.spectrum.operator=removal,addition")
        with self.figure(scan) as (figure, _):
            self.check(figure)
            self.assertLess(abs(figure.axes[0].collections[0].get_array() - of_files).max(), 1e-12)

    def test_one_wave_vector_and_operators_without_one_are_curves(self):
        self.write("current.txt", "current = 1i cdag_up 1 c_up 0\ncurrent = -1i cdag_up 0 c_up 1\n")
        own = ["--spectrum.operator=observable", "--observables.file=" + str(self.directory / "current.txt")]
        for name, options, label in (("one-k", ["--spectrum.momenta=1"], r"$A(k,\omega)$ at $m = 1$ [$1/t$]"),
                                     ("own", own, r"$S_O(\omega)$ [$1/t$]")):
            with self.figure(self.run_job(name, KINDS["spectrum"][0], *options)) as (figure, results):
                self.check(figure)
                self.assertEqual([axes.get_ylabel() for axes in figure.axes], [label])
                column = results[0].column("intensity" if name == "own" else "momentum-1")
                self.assertEqual(figure.axes[0].lines[0].get_ydata().tolist(), column.tolist())

    def test_runs_of_two_kinds_share_what_they_can(self):
        scan, one, ladder = self.run_job("scan"), self.run_job("ising"), self.run_job("ladder")
        for sources, words in (([scan, one], "do not go into one figure"), ([one, ladder], "no panel in common")):
            with self.assertRaises(plot.WrongOption) as told, self.figure(*sources):
                pass
            self.assertIn(words, str(told.exception))


class Sites(ProgramTest):
    """Quantities per site of lattices whose number of sites is not the product of the extents."""

    def scan(self, text):
        self.write("a.ini", "application = lanczos\n" + text)
        self.strata("run", "a.ini")
        with h5py.File(self.directory / "out/a.h5") as file:
            return plot_scan.Scan(file).quantities

    def test_energy_per_site(self):
        for lattice, extents, sites in (("tilted", "1,2; 2,2", [5, 8]), ("honeycomb", "1,2; 2,2", [4, 8]),
                                        ("square", "2,2; 2,3", [4, 6]), ("ring", "4; 6", [4, 6])):
            quantities = self.scan(f"[lattice]\ntype = {lattice}\n{SPINS}[output]\noverwrite = yes\n[scan]\n"
                                   f"lattice.extents = {extents}\n")
            np.testing.assert_allclose(quantities["energy-per-site"][0], quantities["energy"][0] / sites)

    def test_double_occupancy(self):
        """At infinite temperature every site has both electrons in a quarter of the states."""
        quantities = self.scan("[lattice]\ntype = honeycomb\nextents = 1,2\n[sector]\nup = 2\ndown = 2\n[run]\n"
                               "task = thermal\n"
                               "[thermal]\ntemperatures = 1e4,2e4\nsamples = 400\n[scan]\nmodel.u = 0:4:1\n")
        self.assertLess(abs(quantities["double-occupancy"][0] - 0.25).max(), 0.05)


if __name__ == "__main__":
    unittest.main()
