# SPDX-License-Identifier: BSD-3-Clause
"""T. Siro, A. Harju, Exact diagonalization of quantum lattice models on coprocessors."""

import math

from common import HERE, NOT_AT_HAND, medians

LIEB_WU_10 = -5.834322635773  # half-filled ring of 10 sites, U = 4
# The four systems of the paper, in complex numbers and double precision: lattice, extents, sites, spin components,
# numbers of particles (of each component) here, and those of --quick. The full matrix of larger numbers takes the
# paper's algorithm more than 4 GB.
SYSTEMS = {"ring of 26, one component": ("ring", "26", 26, 1, (2, 4, 6, 8, 10), (2, 4)),
           "checkerboard of 30, one component": ("checkerboard", "5,3", 30, 1, (2, 3, 4, 5, 6, 7), (2, 3)),
           "ring of 18, two components": ("ring", "18", 18, 2, (2, 3, 4, 5), (1, 2)),
           "checkerboard of 18, two components": ("checkerboard", "3,3", 18, 2, (2, 3, 4, 5), (1, 2))}
PUBLISHED = [{"published": "the GPU over the Xeon of 6 cores, at most", "value": "7.6", "source": "abstract"},
             {"published": "the Xeon Phi over the Xeon, at most", "value": "2.5", "source": "abstract"},
             {"published": "rate of the GPU (Tesla K40), 10^9 operations per second", "value": "75 to 180",
              "source": "text"},
             {"published": "times per step of Figures 3 to 6", "value": NOT_AT_HAND, "source": ""}]
SECONDS = ("ms per step", "the paper's, ms")


def dimension(sites, components, particles):
    return math.comb(sites, particles) ** components


def on_device(setting, system, particles):
    lattice, extents, _, components, *_ = SYSTEMS[system]
    keys = [f"--lattice.type={lattice}", f"--lattice.extents={extents}", f"--sector.up={particles}",
            "--backend.arithmetic=complex", "--run.vectors=no",
            "--run.degeneracy=no", "--run.max-steps=20", "--run.allow-unconverged=yes"]
    job = HERE / "fermions.ini"
    if components == 2:
        job, keys = HERE.parents[1] / "jobs/hubbard-ring.ini", [*keys, f"--sector.down={particles}"]
    seconds = setting.on_device(job, *keys)
    return 1e3 * seconds if isinstance(seconds, float) else seconds


def steps(setting):
    cases = [(system, particles) for system, (*_, full, quick) in SYSTEMS.items()
             for particles in (quick if setting.quick else full)]
    words = []
    for system, particles in cases:
        lattice, extents, _, components, *_ = SYSTEMS[system]
        words += [lattice, extents, particles, particles if components == 2 else -1, "complex"]
    rounds = [setting.benchmark("lanczos_bench", 4, *words, threads=setting.cores)
              for _ in range(1 if setting.quick else 3)]
    rows = []
    for (system, particles), row in zip(cases, medians(rounds, SECONDS)):
        _, _, sites, components, *_ = SYSTEMS[system]
        setting.check(row["dimension"] == dimension(sites, components, particles),
                      f"{system}: {row['dimension']} states")
        own, paper = (row[key] for key in SECONDS)
        rows.append({"system": system, "particles": particles, "states": int(row["dimension"]),
                     "ours, ms per step": own,
                     "the paper's algorithm, ms": paper, "times faster": round(paper / own, 1),
                     "ns per state": 1e6 * own / row["dimension"], "GPU, ms": on_device(setting, system, particles)})
    return rows


def picture(rows):
    def draw(plt):
        figure, panels = plt.subplots(2, 3, figsize=(10, 5.6))
        speeds = panels[0][2]
        for panel, system, colour in zip((panels[0][0], panels[0][1], panels[1][0], panels[1][1]), SYSTEMS,
                                         ("C0", "C1", "C2", "C3")):
            some = [row for row in rows if row["system"] == system]
            numbers = [row["particles"] for row in some]
            panel.semilogy(numbers, [row["the paper's algorithm, ms"] for row in some], "s--", color=colour, mfc="none",
                           label="the paper's algorithm")
            panel.semilogy(numbers, [row["ours, ms per step"] for row in some], "o-", color=colour, label="ours")
            panel.set(title=system, xlabel="particles of each component", ylabel="ms per step", xticks=numbers)
            panel.legend(fontsize=6)
            speeds.semilogx([row["states"] for row in some], [row["times faster"] for row in some], "o-", color=colour,
                            label=system)
        speeds.set(title="speed-up over the paper's algorithm", xlabel="states", ylabel="times", ylim=(0, None))
        panels[1][2].axis("off")
        panels[1][2].legend(*speeds.get_legend_handles_labels(), loc="center", fontsize=7)
        return figure
    return draw


def reproduce(setting):
    ring = setting.job(HERE.parents[1] / "jobs/hubbard-ring.ini", "--lattice.extents=10", "--sector.up=5",
                       "--sector.down=5")
    energy = ring["observables"]["energy"]["value"]
    setting.check(abs(energy - LIEB_WU_10) < 1e-9, f"the ring of 10 sites has the energy {energy}, not {LIEB_WU_10}.")
    rows = steps(setting)
    setting.write("siro", "Siro and Harju: exact diagonalization on coprocessors", [
        ("Figures 3 to 6: time per step against the number of particles",
         f"Complex numbers, double precision, {setting.cores} threads for both; "
         "median of three runs of the least of 4 steps (the paper's: 1 after one to warm up). The paper's algorithm is "
         "its Algorithm 3 for two "
         "components and a full padded matrix for one, which the paper leaves to a library.", rows),
        ("Published", "On a Xeon of 6 cores, a Xeon Phi and a Tesla K40.", PUBLISHED),
        ("Exact comparison", "The ground state of the half-filled ring of 10 sites, U = 4, by Lieb and Wu.",
         [{"energy": f"{energy:.12f}", "exact": f"{LIEB_WU_10:.12f}", "difference": energy - LIEB_WU_10}])],
                  picture(rows))
