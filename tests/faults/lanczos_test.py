# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of lanczos: what a user types and gets, sectors and their states."""

import os
import re
import subprocess
import sys
import unittest

from program import JOBS, ProgramTest


class Lanczos(ProgramTest):
    JOB = """application = lanczos
[lattice]
type = ring
extents = 10
[model]
u = 4
[sector]
up = 5
down = 5
[run]
tolerance = 1e-10
"""

    def test_energy_and_bits_on_any_ranks(self):
        hashes = set()
        for ranks, threads in ((None, 1), (2, 2), (3, 1)):
            out, _ = self.strata("run", self.write("a.ini", self.JOB), "--output.overwrite=yes",
                                 f"--backend.threads={threads}", ranks=ranks)
            r = self.result()
            self.assertAlmostEqual(r["observables"]["energy"]["value"], -5.834322635773, delta=1e-11)
            self.assertLess(r["observables"]["residual"]["value"], 1e-8)
            self.assertIn("seconds_per_step", r["performance"])
            hashes.add(r["state_hash"])
        self.assertEqual(len(hashes), 1)
        self.assertIn("-5.834322635773", out)

    def test_sectors_take_the_memory_that_was_predicted(self):
        self.write("a.ini", self.JOB.replace("down = 5\n[run]\ntolerance = 1e-10\n", "down = 5\nmomentum = 0\n"))
        program = self.peak_bytes()
        ring = ("--lattice.extents=14", "--sector.up=7", "--sector.down=7")
        spectrum = ("--run.task=spectrum", "--spectrum.momenta=2,0", "--spectrum.steps=4", "--run.tolerance=1e-3",
                    "--run.degeneracy=no", "--spectrum.operator=removal")
        sites = ",".join(str(i) for i in range(0, 14, 2))
        for keys in (("--sector.momentum=1", "--run.max-steps=5", "--run.allow-unconverged=yes"),
                     ("--run.task=thermal", "--sector.momentum=all", "--thermal.samples=2", "--thermal.steps=2"),
                     spectrum, ("--run.task=spectrum", "--sector.momentum=0", "--spectrum.operator=current",
                                "--spectrum.steps=4", "--run.tolerance=1e-3", "--run.degeneracy=no"),
                     ("--run.task=evolution", f"--evolution.up={sites}", f"--evolution.down={sites}",
                      "--evolution.steps=1", "--evolution.krylov=6"),
                     ("--run.task=evolution", "--evolution.start=ground-state", "--initial-model.u=2",
                      "--run.tolerance=1e-3", "--run.degeneracy=no", "--evolution.steps=1", "--evolution.krylov=6")):
            predicted = self.planned("a.ini", *ring, *keys, "--backend.threads=1")["host_memory"]["total"]
            used = self.peak_bytes(*ring, *keys) - program
            self.assertLess(used, predicted, keys)
            self.assertGreater(used, 0.4 * predicted, keys)

    def test_every_momentum_has_the_energy_of_lieb_and_wu(self):
        import h5py
        sys.path.append(os.path.join(os.path.dirname(__file__), "../oracle"))
        import lieb_wu
        for sites, u in ((6, 4), (8, 4), (8, 10), (10, 1.5)):
            job = (f"application = lanczos\n[lattice]\ntype = ring\nextents = {sites}\n[model]\nu = {u}\n[sector]\n"
                   f"up = {sites // 2}\ndown = {sites // 2}\nmomentum = all\n")
            out, _ = self.strata("run", self.write("a.ini", job), "--output.overwrite=yes", "--backend.threads=1")
            exact, ground = lieb_wu.lowest_energies(sites, u)
            self.assertIn(f"belongs to sector.momentum = {ground}.", out)
            with h5py.File(self.directory / "out/a.h5") as file:
                momenta = [int(m) for m in file["results/momentum-x/value"]]
                energies = file["results/momentum-energies/value"][:]
            self.assertEqual(sorted(momenta), list(range(sites)))
            for m, energy in zip(momenta, energies):
                self.assertAlmostEqual(energy, exact[m], delta=1e-9, msg=f"ring of {sites}, U = {u}, momentum {m}")

    def test_momenta_that_are_done_are_not_repeated(self):
        job = ("application = lanczos\n[lattice]\ntype = ring\nextents = 8\n[model]\nu = 4\n"
               "[sector]\nmomentum = all\n[run]\nmax-steps = 10\n")
        self.strata("run", self.write("a.ini", job), code=5)
        _, err = self.strata("resume", "out/a.checkpoint.h5", "--run.max-steps=300", code=5)
        self.assertIn("Start anew with more run.max-steps", err)

    def test_the_job_of_fourteen_sites(self):
        self.strata("run", JOBS / "hubbard-ring.ini", ranks=2)
        r = self.result("hubbard-ring")["observables"]
        self.assertAlmostEqual(r["energy"]["value"], -8.088349103862, delta=1e-10)
        self.assertLess(r["residual"]["value"], 1e-7)

    def test_it_goes_on_where_it_stopped_on_other_ranks(self):
        self.strata("run", self.write("a.ini", self.JOB), "--output.name=whole")
        _, err = self.strata("run", self.directory / "a.ini", "--run.max-steps=20", ranks=2, code=5)
        self.assertEqual(err.count("has not converged in 20 steps"), 1)
        self.assertEqual(self.result()["observables"]["converged"]["value"], 0)
        self.strata("resume", "out/a.checkpoint.h5", "--run.max-steps=25", "--run.allow-unconverged=yes")
        self.refused("resume", "out/a.checkpoint.h5", "--run.max-steps=10", says="has 25 steps already, more than the")
        self.strata("resume", "out/a.checkpoint.h5", "--run.max-steps=300", ranks=2)
        self.expect_same_result()
        out, _ = self.strata("resume", "out/a.checkpoint.h5", "--run.max-steps=200")
        self.assertIn("Nothing to do", out)

    def test_it_goes_on_from_the_phase_in_which_its_states_are_examined(self):
        # energies on the sites leave no symmetry, so that the search takes long and the examination some steps
        job = self.write("a.ini", self.JOB.replace("extents = 10", "extents = 6").replace("up = 5", "up = 3").replace(
            "down = 5", "down = 2").replace("u = 4",
                                            "u = 4\npotential = 0.31,-0.72,0.15,0.88,-0.4,0.05") + "states = 6\n")
        self.strata("run", job, "--output.name=whole")
        search = int(self.result("whole")["observables"]["steps"]["value"])
        limit = f"--run.max-steps={search}"
        self.strata("run", job, f"--run.max-steps={search - 1}", "--run.allow-unconverged=yes")
        self.strata("resume", "out/a.checkpoint.h5", limit, "--run.wall-time=0s")
        out, _ = self.strata("resume", "out/a.checkpoint.h5", limit, "--run.wall-time=0s", ranks=2)
        self.assertIn(f"Stopped cleanly after {search + 1} of {search + 6} steps", out)
        self.strata("resume", "out/a.checkpoint.h5", limit, "--run.wall-time=none", ranks=3)
        self.expect_same_result()
        out, _ = self.strata("resume", "out/a.checkpoint.h5", limit)
        self.assertIn("Nothing to do", out)

    def test_h5py_reads_the_ground_state(self):
        sys.path.insert(0, str(JOBS))
        from read_vector import read_vector
        self.strata("run", self.write("a.ini", self.JOB))
        psi, up, dn = read_vector(self.directory / "out/a.checkpoint.h5")
        self.assertEqual(psi.shape, (252, 252))
        self.assertAlmostEqual(float((psi ** 2).sum()), 1, delta=1e-12)
        self.assertAlmostEqual(float(abs((psi * psi.T).sum())), 1, delta=1e-6)  # up and down are alike
        double = sum(bin(u & d).count("1") * psi[i, j] ** 2 for i, u in enumerate(up) for j, d in enumerate(dn)) / 10
        self.assertAlmostEqual(double, self.result()["observables"]["double-occupancy"]["value"], delta=1e-12)
        self.strata("run", self.directory / "a.ini", "--output.name=s", "--backend.precision=single",
                    "--model.flux=0.3", "--run.tolerance=1e-5", ranks=2)
        psi, _, _ = read_vector(self.directory / "out/s.checkpoint.h5")
        self.assertEqual(psi.dtype.kind, "c")
        self.assertAlmostEqual(float((abs(psi) ** 2).sum()), 1, delta=1e-5)

    def test_bad_input_is_told(self):
        for override, words in (("--sector.up=11", ["sector.up", "10 sites"]),
                                ("--lattice.extents=1", ["own neighbour"]),
                                ("--lattice.extents=4,4", ["takes 1 extent"]), ("--model.u=1,2", ["one per site"]),
                                ("--sector.momentum=pi", ["one integer for each direction", "all"]),
                                ("--sector.momentum=0,1", ["takes 1"]), ("--sector.parity=left", ["even"]),
                                ("--sector.rotation=0/2", ["lattice.type"]),
                                ("--spectrum.steps=3", ["run.task = spectrum"]),
                                ("--model.species=1", ["model.species is now model.type"]),
                                ("--model.type=fermions", ["sector.down", "model.type = hubbard"]),
                                (("--run.states=2", "--run.basis=2"), ["too small"]),
                                ("--model.jz=1", ["heisenberg, xxz"]),
                                (("--run.task=spectrum", "--run.vectors=no"), ["run.vectors", "run.task = states"]),
                                (("--run.density-matrix=yes", "--run.vectors=no"), ["run.vectors", "density-matrix"]),
                                ("--lattice.type=file", ["lattice.file"]),
                                ("--sector.momentum=11", ["outside of the zone", "the same momentum is 1."]),
                                (("--run.task=spectrum", "--spectrum.momenta=1,1"), ["the same wave vector twice"]),
                                (("--run.task=spectrum", "--spectrum.momenta=1,-9"), ["the same wave vector twice"]),
                                (("--run.task=spectrum", "--spectrum.momenta=12"), ["the same momentum is 2."]),
                                (("--run.task=spectrum", "--spectrum.momenta=6000000000000001"), ["1000"]),
                                ("--lattice.extents=100", ["100 sites", "64"])):
            overrides = override if isinstance(override, tuple) else (override,)
            self.refused("run", self.write("a.ini", self.JOB), *overrides, says=words)
        job = self.write("a.ini", self.JOB.replace("tolerance = 1e-10", "task = evolution"))
        self.refused("run", job, says=["evolution.up", "5 particles"])

    def test_initial_states_of_an_evolution_are_checked(self):
        job = self.write("a.ini", self.JOB.replace("tolerance = 1e-10", "task = evolution\n[evolution]\n"
                                                   "start = ground-state\nsteps = 2"))
        self.write("own.txt", "pair = 1 n_up 0 n_dn 1\nlist = 1 n_up {i}\nnothing = 1 n_up 0\nnothing = -1 n_up 0\n"
                              "eight = 1 n_up 0 n_up 1 n_up 2 n_up 3 n_up 4 n_up 5\n")
        self.write("spins.txt", "1 S+ 0\n")
        self.write("leave.txt", "leave = 1 c_dn 0\n")
        own = "--observables.file=own.txt"
        for overrides, words in (((), ["eigenstate", "[initial-model]", "evolution.operator"]),
                                 (("--initial-model.u=1,2",), ["--initial-model.u=1,2", "10, one per site"]),
                                 (("--initial-model.u=x",), ["initial-model.u", "list of numbers"]),
                                 (("--initial-model.jz=1",), ["initial-model.jz", "model.type is hubbard"]),
                                 (("--initial-model.spin=1",), ["initial-model.spin is not a key"]),
                                 (("--initial-model.u=0", "--evolution.up=1"), ["evolution.start = product"]),
                                 (("--initial-model.u=0", "--evolution.start=product"),
                                  ["initial-model.u", "evolution.start is product"]),
                                 (("--initial-model.potential=1,0,0,0,0,0,0,0,0,0", "--sector.momentum=0"),
                                  ["[initial-model]", "symmetries"]),
                                 (("--initial-model.terms=spins.txt",),
                                  ["sector.up", "cdag_dn 0 c_up 0", "H is that of [initial-model]"]),
                                 (("--evolution.operator=pair",), ["needs the operator's definition"]),
                                 (("--evolution.operator=list", own), ["is a list", "which is pair, nothing, eight"]),
                                 (("--evolution.operator=pairs", own), ["no name in observables.file = own.txt"]),
                                 (("--evolution.operator=nothing", own), ["is 0", "cancel"]),
                                 (("--evolution.operator=leave", "--observables.file=leave.txt", "--sector.down=0"),
                                  ["evolution.operator=leave changes the number of electrons with spin down by -1",
                                   "no such state exists beside 5 up and 0 down particles"])):
            self.refused("run", job, *overrides, says=words)
        _, err = self.strata("run", job, "--evolution.operator=eight", own, code=2)
        self.assertIn("does not annihilate it", err)

    def test_observables_do_not_have_names_of_results(self):
        job = self.write("a.ini", self.JOB.replace("tolerance = 1e-10", "task = evolution\n[evolution]\n"
                                                   "up = 0,1,2,3,4\ndown = 0,1,2,3,4\n"))
        for name in ("norm", "time", "loschmidt-echo", "error-bound", "initial-norm", "renyi-entropy", "entropy"):
            self.write("own.txt", f"{name} = 1 n_up 0\n")
            self.refused("run", job, "--observables.file=own.txt", says=[f"has the name {name}", f"my-{name}"])

    def test_an_evolution_without_an_initial_state_says_so(self):
        job = self.write("a.ini", self.JOB.replace("tolerance = 1e-10", "task = evolution\n[evolution]\n"
                                                   "start = ground-state\nsteps = 2\n[initial-model]\nu = 0"))
        self.strata("run", job, "--output.name=whole")
        _, err = self.strata("run", job, "--run.max-steps=4", ranks=2, code=5)
        self.assertIn("no initial state", err)
        out, _ = self.strata("run", job, "--run.max-steps=4", "--run.allow-unconverged=yes", "--output.overwrite=yes")
        self.assertIn("nothing was computed in time", out)
        self.assertNotIn("energy", self.result()["observables"])
        self.strata("resume", "out/a.checkpoint.h5", "--run.max-steps=300", ranks=2)
        self.expect_same_result()

    def test_a_cut_that_has_no_density_matrix_is_refused(self):
        for overrides, words in ((("--run.cut=first 10",), ["1 to 9 of the 10 sites"]),
                                 (("--run.cut=0,10",), ["names site 10", "from 0 to 9"]),
                                 (("--run.cut=0,0",), ["names a site twice"]),
                                 (("--run.cut=half",), ["no cut 'first 6' or list of sites"]),
                                 (("--run.cut=0", "--sector.momentum=all"), ["the states of one momentum"]),
                                 (("--run.cut=0", "--run.vectors=no"), ["run.vectors"]),
                                 (("--run.cut=first 7", "--lattice.extents=14"), ["7 sites", "4096 states"])):
            self.refused("run", self.write("a.ini", self.JOB), *overrides, says=words)
        every = self.write("a.ini", self.JOB.replace("up = 5\ndown = 5", "numbers = all"))
        self.refused("run", every, "--run.cut=0", says=["run.cut", "sector.numbers is all"])

    def test_a_resumed_evolution_does_not_end_before_its_checkpoint(self):
        evolution = "task = evolution\n[evolution]\nup = 0,2,4,6,8\ndown = 1,3,5,7,9\nsteps = 4\n"
        job = self.write("a.ini", self.JOB.replace("tolerance = 1e-10", evolution))
        self.strata("run", job)
        self.refused("resume", "out/a.checkpoint.h5", "--evolution.steps=2", ranks=2,
                     says=["evolution.steps = 2", "has made 4 time steps; ask for 4 or more"])
        self.strata("resume", "out/a.checkpoint.h5", "--evolution.steps=5")

    def test_what_a_spin_inversion_excludes_is_refused(self):
        job = self.write("a.ini", "application = lanczos\n[lattice]\ntype = ring\nextents = 12\n[model]\n"
                                  "type = heisenberg\n[sector]\n"
                                  "spin-inversion = odd\n")
        for overrides, words in ((("--run.task=thermal", "--sector.momentum=all"), ["Leave sector.spin-inversion out"]),
                                 (("--run.task=spectrum", "--lattice.type=honeycomb", "--lattice.extents=2,3",
                                   "--spectrum.momenta=0,0", "--run.sublattices=separate"),
                                  ["wave vector 0,0", "take spectrum.operator = spin"]),
                                 (("--run.task=evolution", "--evolution.up=0,2,4,6,8,10", "--sector.momentum=0"),
                                  ["no part in this sector"]),
                                 (("--sector.sz=1",), ["as many spins up as down", "sector.sz = 0"]),
                                 (("--lattice.extents=9",), ["9 spins are an odd number; leave it out"])):
            self.refused("run", job, *overrides, says=words)

    FILE_JOB = """application = lanczos
[lattice]
type = file
file = edges.txt
[model]
u = 4
[sector]
up = 2
down = 2
"""

    def test_a_file_is_part_of_the_run(self):
        """Changed or removed between run and resume, it changes nothing; result and checkpoint hold its content."""
        import h5py

        edges = "".join(f"{i} {(i + 1) % 4} 1.0  # \u00fc\n" for i in range(4))
        for name, change in (("a", lambda p: p.write_text(edges.replace("3 0 1.0", "3 0 0.2"))),
                             ("b", lambda p: p.unlink())):
            path = self.write("edges.txt", edges)
            job = self.write(name + ".ini", self.FILE_JOB)
            self.strata("run", job, f"--output.name=whole-{name}")
            self.strata("run", job, "--run.max-steps=4", ranks=2, code=5)
            change(path)
            _, err = self.strata("resume", f"out/{name}.checkpoint.h5", "--run.max-steps=300", ranks=2)
            self.assertEqual(err.count("stored"), 1)
            resumed = self.expect_same_result(name, "whole-" + name)
            # Lieb and Wu
            self.assertAlmostEqual(resumed["observables"]["energy"]["value"], -2.102748483462, delta=1e-10)
            with h5py.File(self.directory / f"out/{name}.h5") as f:
                self.assertEqual(f["job/files/lattice.file"][()].decode(), edges)
            self.assertEqual(resumed["parameters"]["lattice.file"], "edges.txt")
        self.refused("resume", "out/a.checkpoint.h5", "--lattice.file=other.txt",
                     says="would change what the run computes")

    def test_an_edge_of_half_strength_is_half_an_exchange(self):
        """Two spins 1/2: the singlet has -jz w / 4 - j a / 2."""
        spins = self.FILE_JOB.replace("u = 4", "type = heisenberg").replace("[sector]\nup = 2\ndown = 2\n", "")
        custom = spins.replace("type = file\nfile = edges.txt", "type = custom\nextents = 1,1\ncell-bonds = 0 1 0 0 {}")
        for amplitude, options, exact in (("1", (), -0.75), ("0.5", (), -0.375), ("0.5 0 1", (), -0.5),
                                          ("0.5", ("--model.jz=3",), -0.625),
                                          ("0.5", ("--model.j=3", "--model.jz=1"), -0.875),
                                          ("0 0.5 0.5", (), -0.375), ("-0.5 0 0.5", (), -0.375)):
            self.write("edges.txt", f"0 1 {amplitude}\n")
            for job in (spins, custom.format(amplitude)):
                self.strata("run", self.write("a.ini", job), "--output.overwrite=yes", *options)
                self.assertAlmostEqual(self.result()["observables"]["energy"]["value"], exact, delta=1e-12,
                                       msg=amplitude)


class SectorStates(ProgramTest):
    """States of sectors of lattice symmetries as jobs/read_vector.py unfolds them: eigenvectors of the dense
    Hamiltonian of tests/oracle, which knows no symmetries."""

    def setUp(self):
        super().setUp()
        for folder in ("../../jobs", "../oracle"):
            if os.path.join(os.path.dirname(__file__), folder) not in sys.path:
                sys.path.append(os.path.join(os.path.dirname(__file__), folder))

    def run_job(self, lattice, model, sector, options=()):
        job = f"application = lanczos\n[lattice]\n{lattice}\n[model]\n{model}\n[sector]\n{sector}\n"
        self.strata("run", self.write("a.ini", job), "--run.degeneracy=no", "--output.overwrite=yes",
                    *(() if "--backend.threads=2" in options else ("--backend.threads=1",)), *options)
        return self.result()["observables"]["energy"]["value"]

    def test_they_are_eigenvectors_of_the_whole_hamiltonian(self):
        import dense
        import lattices
        import numpy as np
        from read_vector import read_vector

        ring, torus = "type = ring\nextents = {}", "type = square\nextents = {}\n"
        half, xxz = "up = 3\ndown = 3\n", "type = xxz\njz = 1.3\n"
        square = lattices.textbook("square", [(3, 0), (0, 3)])
        for lattice, cluster, model, filling, sector, options in (
                (ring.format(6), lattices.ring(6), "u = 4", (3, 3), half + "momentum = 0\nparity = even", ()),
                (ring.format(6), lattices.ring(6), "u = 4", (3, 3), half + "momentum = 1", ()),
                (ring.format(6), lattices.ring(6), "u = 4", (3, 3), half + "momentum = 2",
                 ("--backend.precision=single", "--run.tolerance=1e-6")),
                (ring.format(7), lattices.ring(7), "u = 4", (3, 2), "up = 3\ndown = 2\nmomentum = 2", ()),
                (ring.format(6), lattices.ring(6, 1, [0.7]), "u = 4\nflux = 0.7", (3, 2),
                 "up = 3\ndown = 2\nmomentum = 5", ()),
                (torus.format("3,3"), square, "u = 4", (2, 2), "up = 2\ndown = 2\nmomentum = 0,0\nrotation = 1/4", ()),
                (torus.format("3,3"), square, "u = 4", (3, 1),
                 "up = 3\ndown = 1\nmomentum = 0,0\nrotation = 2/4\nreflection = odd", ("--backend.threads=2",)),
                (torus.format("3,3"), square, "u = 4", (2, 1), "up = 2\ndown = 1\nmomentum = 1,2", ()),
                (ring.format(8), lattices.ring(8), "type = fermions\nv = 2", (4,), "up = 4\nmomentum = 3", ()),
                (ring.format(4), lattices.ring(4), "u = 4", (2, 2), "momentum = 1\nparticle-hole = odd", ()),
                (ring.format(6), lattices.ring(6), "u = 4", (3, 3), "momentum = 2\nparticle-hole = even", ()),
                (ring.format(10), lattices.ring(10), "type = fermions\nv = 2", (5,), "particle-hole = odd", ()),
                (ring.format(10), lattices.ring(10), xxz, (5,), "momentum = 5\nspin-inversion = odd", ()),
                (ring.format(10), lattices.ring(10), xxz, (5,), "momentum = 3\nspin-inversion = even", ())):
            energy = self.run_job(lattice, model, sector, options)
            spins = "xxz" in model
            whole = dense.Model(cluster, spins, len(filling), [4.0] * cluster.sites, 2.0 if "v =" in model else 0.0,
                                [0.0] * cluster.sites, 1.0, 1.3)
            space = whole.sector(filling)
            psi, up, dn = read_vector(self.directory / "out/a.checkpoint.h5")
            x = np.zeros(space.dimension, complex)
            strings = up.astype(np.uint64)[:, None] | dn.astype(np.uint64)[None, :] << np.uint64(cluster.sites)
            x[space.index(strings.ravel())] = psi.ravel()
            delta = 1e-5 if options and "single" in options[0] else 1e-8
            self.assertEqual(psi.size, space.dimension, sector)
            self.assertAlmostEqual(np.linalg.norm(x), 1, delta=delta, msg=sector)
            self.assertLess(np.linalg.norm(whole.hamiltonian(space) @ x - energy * x), delta, sector)

    def test_a_state_of_spins_goes_into_the_dynamics_of_spins(self):
        energy = self.run_job("type = ring\nextents = 12", "type = xxz\njz = 1.3", "momentum = 2\nspin-inversion = odd")
        script = JOBS / "read_vector.py"
        lines = subprocess.run([sys.executable, script, "--spins", "out/a.checkpoint.h5"], cwd=self.directory,
                               capture_output=True, text=True, check=True).stdout
        self.write("psi.txt", lines)
        self.run_job("type = ring\nextents = 4", "type = fermions", "up = 2")
        refused = subprocess.run([sys.executable, script, "--spins", "out/a.checkpoint.h5"], cwd=self.directory,
                                 capture_output=True, text=True)
        self.assertEqual(refused.returncode, 4)
        self.assertIn("state of fermions", refused.stderr)
        job = ("application = trotter\n[lattice]\ntype = ring\nextents = 12\n[model]\ntype = xxz\njz = 1.3\n"
               "[state]\ninitial = file\nfile = psi.txt\n[run]\nsteps = 10\nstep = 0.05\norder = 4\n")
        self.strata("run", self.write("b.ini", job))
        result = self.result("b")["observables"]
        self.assertAlmostEqual(result["energy"]["value"], energy, delta=1e-7)
        self.assertAlmostEqual(result["loschmidt-echo"]["value"], 1, delta=1e-7)

    def test_weight_outside_of_the_window_is_told(self):
        """The share beside the integral of the intensities over fine steps; nothing where all poles are inside."""
        import h5py

        job = self.write("a.ini", "application = lanczos\n[lattice]\ntype = ring\nextents = 8\n[model]\n"
                                  "type = heisenberg\n[run]\ntask = spectrum\n[spectrum]\noperator = spin\n")
        told = {}
        for name, omega in (("all", "-1:5:0.002"), ("some", "0:1.2:0.1")):
            out, _ = self.strata("run", job, f"--spectrum.omega={omega}", "--spectrum.broadening=0.006",
                                 f"--output.name={name}")
            told[name] = re.search(r"(\d+) % of the weight lies outside of spectrum.omega; the poles reach", out)
        self.assertIsNone(told["all"])
        with h5py.File(self.directory / "out/all.h5") as file:
            omega = file["series/omega"][:]
            intensity = sum(file[f"series/{name}"][:] for name in file["series"] if name != "omega")
        share = 100 * intensity[(omega < 0) | (omega > 1.2)].sum() / intensity.sum()
        self.assertAlmostEqual(int(told["some"][1]), share, delta=2)

    def test_a_group_of_any_size_is_stored(self):
        from read_vector import read_vector

        self.run_job("type = square\nextents = 6,6", "type = fermions", "up = 2\nmomentum = 0,0\nrotation = 1/4")
        self.run_job("type = triangular\nextents = 6,6", "type = fermions",
                     "up = 2\nmomentum = 0,0\nrotation = 3/6\nreflection = odd")
        psi, _, _ = read_vector(self.directory / "out/a.checkpoint.h5")  # images: 124 KB
        self.assertEqual(psi.shape, (630, 1))
        self.assertAlmostEqual(float((abs(psi) ** 2).sum()), 1, delta=1e-12)


if __name__ == "__main__":
    unittest.main(verbosity=2)
