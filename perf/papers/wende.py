# SPDX-License-Identifier: BSD-3-Clause
"""F. Wende, T. Steinke, Swendsen-Wang multi-cluster algorithm for the 2D/3D Ising model on Xeon Phi and GPU, SC13."""

import math

from common import HERE, NOT_AT_HAND

# Table 2, square lattice at T_c: -E and c_V by Ferdinand and Fisher as printed there (digits are cut, not rounded).
# Those of
# 64 and 128, for --quick, are by the same formula.
EXACT = {64: (1.423938389, 2.192211393), 128: (1.419076272, 2.536331335), 480: (1.4155103, 3.1909689),
         512: (1.4154292, 3.2229079),
         960: (1.4148619, 3.5339349), 1024: (1.4148214, 3.5658628), 1920: (1.4145377, 3.8768120),
         2048: (1.4145174, 3.9087343),
         3840: (1.4143756, 4.2196445), 4096: (1.4143655, 4.2515641), 7680: (1.4142946, 4.5624548),
         8192: (1.4142895, 4.5943730), 15360: (1.4142540, 4.9052539), 30720: (1.4142338, 5.2480475)}
# Table 2, cubic lattice: -E and its error, c_V and its error, by their program
CUBIC = {(32, 0.22165): (1.00696, 4e-5, 2.234, 0.004), (64, 0.22165): (0.996582, 1.7e-5, 2.705, 0.004),
         (128, 0.22165): (0.992642, 8e-6, 3.202, 0.005), (256, 0.22165): (0.991134, 8e-6, 3.645, 0.016),
         (512, 0.22165): (0.990516, 8e-6, 3.78, 0.05), (1024, 0.22165): (0.990332, 6e-6, 3.47, 0.09),
         (256, 0.22165455): (0.991479, 8e-6, 3.867, 0.017), (512, 0.22165455): (0.990932, 1e-5, 4.54, 0.06),
         (1024, 0.22165455): (0.990726, 8e-6, 5.37, 0.14)}
# Table 3, ns per spin: square and cubic lattice
SINGLE = {"Tesla M2090": (1.16, 1.54), "Xeon Phi 5110P": (1.01, 1.41), "Xeon of 8 cores, 16 threads": (3.3, 4.8),
          "Xeon, sequential": (27.4, 33), "Weigel, GTX 580": (2.70, None), "Weigel, M2070": (3.93, None),
          "Weigel, GTX 480": (6.5, None)}
# Table 4, ns per spin on many
MANY = {"32 Xeon Phi": (0.070, 0.092), "32 Xeon sockets": (0.18, 0.25)}

OBSERVATIONS = 1000  # that the error of c_V needs: of 250 sweeps, or 15 independent ones, it was four times too small
BETA = {2: math.log1p(math.sqrt(2)) / 2, 3: 0.22165}


def sigmas(value, error, expected, expected_error=0.0):
    """None where there is no error."""
    return (value - expected) / math.hypot(error, expected_error) if error and math.isfinite(error) else None


def points(result):
    """Of a scan: extent, beta, energy and c_V with their errors. c_V is None where there were too few observations for
    its error."""
    extents = [int(str(e).split(",")[0]) for e in result["scan"]["lattice.extents"]]
    seen = result["observables"]
    columns = [seen[name].get(part, [None] * len(extents)) for name in ("energy", "specific-heat")
               for part in ("value", "error")]
    for i, sweeps_of_point in enumerate(result["scan"]["run.sweeps"]):
        if sweeps_of_point < OBSERVATIONS:
            columns[2][i] = columns[3][i] = None
    return list(zip(extents, seen["beta"]["value"], *columns))


def square_lattices(setting):
    small = ["--scan.lattice.extents=64,64; 128,128", "--scan.run.sweeps=4000, 1000",
             "--scan.run.thermalization=200, 200"]
    rows = []
    for extent, _, energy, energy_error, heat, heat_error in points(
            setting.job(HERE / "ising-2d.ini", *(small if setting.quick else []), ranks=min(2, setting.cores))):
        exact_energy, exact_heat = EXACT[extent]
        off, heat_off = sigmas(-energy, energy_error, exact_energy), sigmas(heat, heat_error, exact_heat)
        setting.check(off is not None and abs(off) < 4, f"the energy of {extent} x {extent} is {off} sigma off.")
        setting.check(heat_off is None or abs(heat_off) < 4,
                      f"the specific heat of {extent} x {extent} is {heat_off} sigma off.")
        rows.append({"L": extent, "-E": f"{-energy:.6f}", "error": energy_error, "exact": f"{exact_energy:.7f}",
                     "off, sigma": off,
                     "c_V": heat, "its error": heat_error, "its exact value": exact_heat, "it is off, sigma": heat_off})
    return rows


def cubic_lattices(setting):
    small = ["--scan.lattice.extents=32,32,32;", "--scan.model.beta=0.22165", "--scan.run.sweeps=1500",
             "--scan.run.thermalization=200"]
    rows = []
    for extent, beta, energy, energy_error, heat, heat_error in points(
            setting.job(HERE / "ising-3d.ini", *(small if setting.quick else []), ranks=min(2, setting.cores))):
        published = CUBIC[extent, beta]
        off, heat_off = sigmas(-energy, energy_error, *published[:2]), sigmas(heat, heat_error, *published[2:])
        setting.check(off is not None and abs(off) < 4, f"the energy of {extent} cubed is {off} sigma off.")
        setting.check(heat_off is None or abs(heat_off) < 4,
                      f"the specific heat of {extent} cubed is {heat_off} sigma off.")
        rows.append({"L": extent, "beta": str(beta), "-E": f"{-energy:.6f}", "error": energy_error,
                     "published": f"{published[0]:.6f}",
                      "its error": published[1], "off, sigma": off, "c_V": heat, "error of c_V": heat_error,
                      "published c_V": published[2], "error of that": published[3], "c_V is off, sigma": heat_off})
    return rows


def rate(setting, dimensions, extent, ranks=1, device=False):
    """ns per spin of a job at the critical point, without observations but the last."""
    keys = [f"--lattice.extents={','.join([str(extent)] * dimensions)}", f"--model.beta={BETA[dimensions]}",
            "--run.thermalization=10", "--run.sweeps=20", "--run.measure-every=1000000"]
    job = HERE.parents[1] / f"jobs/ising-{dimensions}d-critical.ini"
    if device:
        return setting.on_device(job, *keys, figure="ns_per_site_update")
    return setting.job(job, *keys, ranks=ranks)["performance"]["ns_per_site_update"]


def sweeps(setting):
    """ns per spin against the extent, on one thread and on all: this program and the algorithm of the paper."""
    rows = []
    for sizes in [(128, 32)] if setting.quick else [(128, 32), (512, 64), (2048, 128), (4096, 256)]:
        found = setting.benchmark("sweep_bench", f"--sizes={sizes[0]},{sizes[1]}",
                                  f"--benchmark_filter=^({setting.simd}|paper)/",
                                  *([] if setting.quick
                                    else ["--benchmark_repetitions=3", "--benchmark_enable_random_interleaving=true"]),
                                  threads=setting.cores)
        for dimensions, extent in zip((2, 3), sizes):
            device = rate(setting, dimensions, extent, device=True)
            for threads in sorted({1, setting.cores}):
                some = {row["code"]: row["ns/site"] for row in found
                        if row["lattice"] == f"{dimensions}D/{extent}" and row["threads"] == threads}
                paper, own = some["paper"], some[setting.simd]
                rows.append({"dimensions": dimensions, "L": extent, "threads": threads, "ours": own,
                             "the paper's algorithm": paper,
                             "times faster": round(paper / own, 1), "GPU": device if threads == 1 else ""})
    return rows


def ranks(setting):
    """ns per spin on ranks of one thread each; layouts take turns, and the least of the repeats counts."""
    counts, repeats, sizes = [1, 2], 1 if setting.quick else 3, (256, 32) if setting.quick else (4096, 256)
    while 2 * counts[-1] <= setting.cores and not setting.quick:
        counts.append(2 * counts[-1])
    rows = []
    for dimensions, extent in zip((2, 3), sizes):
        found = {n: [] for n in counts}
        for _ in range(repeats):
            for n in counts:
                found[n].append(rate(setting, dimensions, extent, ranks=n))
        rows += [{"dimensions": dimensions, "L": extent, "ranks": n, "ns per spin": min(found[n]),
                  "speed-up": min(found[1]) / min(found[n])} for n in counts]
    return rows


def single_table(rows):
    best = {(d, t): next(r for r in reversed(rows) if r["dimensions"] == d and r["threads"] == t)
            for d in (2, 3) for t in {row["threads"] for row in rows}}
    table = [{"code": f"{code}, {t} thread{'s' if t > 1 else ''}", "2D": best[2, t][column], "3D": best[3, t][column],
              "source": "here"}
             for column, code in (("ours", "ours"), ("the paper's algorithm", "the paper's algorithm, AVX-512"))
             for t in sorted({row["threads"] for row in rows})]
    table.append({"code": "ours, on a GPU", "2D": best[2, 1]["GPU"], "3D": best[3, 1]["GPU"], "source": "here"})
    return table + [{"code": code, "2D": a, "3D": NOT_AT_HAND if b is None else b, "source": "Table 3"}
                    for code, (a, b) in SINGLE.items()]


def picture(square, cubic, times, by_ranks):
    def draw(plt):
        figure, ((deviations, cubes), (sizes, bars)) = plt.subplots(2, 2, figsize=(9, 6.4))
        deviations.axhspan(-1, 1, color="0.92")
        deviations.semilogx([r["L"] for r in square], [r["off, sigma"] for r in square], "o", label="E")
        some = [r for r in square if r["it is off, sigma"] is not None]
        deviations.semilogx([r["L"] for r in some], [r["it is off, sigma"] for r in some], "s", mfc="none", label="c_V")
        deviations.set(title="Table 2, 2D: deviation from the exact values", xlabel="L", ylabel="sigma", ylim=(-4, 4))
        for row in cubic:
            cubes.errorbar(row["L"], 1e4 * (float(row["-E"]) - float(row["published"])), 1e4 * (row["error"] or 0),
                           fmt="o", color="C0")
            cubes.errorbar(1.08 * row["L"], 0, 1e4 * row["its error"], fmt="k_", ms=3, capsize=2)
        cubes.set(title="Table 2, 3D: -E less the published (black: its error)", xlabel="L", ylabel="1e-4",
                  xscale="log")
        for d in (2, 3):
            for threads, style in zip(sorted({r["threads"] for r in times}), ("-", "--")):
                some = [r for r in times if r["dimensions"] == d and r["threads"] == threads]
                for column, mark in (("ours", "o"), ("the paper's algorithm", "s")):
                    sizes.plot([r["L"] for r in some], [r[column] for r in some], mark + style, color=f"C{d - 2}", ms=4,
                               mfc="none" if mark == "s" else None, label=f"{d}D, {column}, {threads} thr.")
        for code, style in (("Tesla M2090", ":"), ("Xeon Phi 5110P", "-.")):
            sizes.axhline(SINGLE[code][0], color="k", lw=0.8, ls=style, label=f"2D, {code} (published)")
        sizes.set(title="Figures 7 and 8: time against L and threads", xlabel="L", ylabel="ns per spin", xscale="log",
                  yscale="log")
        sizes.set_ylim(0.5, 200)
        sizes.legend(fontsize=5.5, ncol=2, loc="upper left")
        for d in (2, 3):
            some = [r for r in by_ranks if r["dimensions"] == d]
            bars.plot([r["ranks"] for r in some], [r["ns per spin"] for r in some], "o-",
                      label=f"{d}D, ours, ranks of one core")
        for code, mark in (("32 Xeon Phi", "^"), ("32 Xeon sockets", "v")):
            bars.plot([32, 32], MANY[code], mark, color="k", mfc="none", label=f"{code} (published)")
        bars.set(title="Table 4 and Figure 9: time against ranks", xlabel="ranks", ylabel="ns per spin", xscale="log",
                 yscale="log")
        bars.legend(fontsize=6)
        deviations.legend()
        return figure
    return draw


def reproduce(setting):
    square, cubic = square_lattices(setting), cubic_lattices(setting)
    by_ranks = ranks(setting)  # their jobs tell the instruction set
    times = sweeps(setting)
    many = [{"machine": f"{r['ranks']} rank{'s' if r['ranks'] > 1 else ''} of one core, {r['dimensions']}D {r['L']}",
             "ns per spin": r["ns per spin"], "speed-up": r["speed-up"], "source": "here"} for r in by_ranks]
    many += [{"machine": f"{code}, {d}D", "ns per spin": MANY[code][d - 2], "source": "Table 4"} for code in MANY
             for d in (2, 3)]
    setting.write("wende", "Wende and Steinke, SC13: Swendsen-Wang on Xeon Phi and GPU", [
        ("Table 2, square lattice",
         "At T_c. The exact values are those that the paper prints; its own measured ones are not at hand. "
         f"c_V is left out where there are fewer than {OBSERVATIONS} observations, which its error needs.", square),
        ("Table 2, cubic lattice",
         "The published values are the paper's simulations; deviations are in units of both errors.", cubic),
        ("Table 3", "ns per spin and sweep at T_c, of the largest lattices here.", single_table(times)),
        ("Figures 7 and 8: time against L and threads",
         "ns per spin; least of three repeats of 9 sweeps (the paper's: 4), in turns. "
         "The curves of the paper are not at hand.", times),
        ("Table 4 and Figure 9: ranks",
         "Strong scaling of one lattice. The paper's program took 1.75 (Xeon Phi) and 1.5 times (Xeon) as long on "
         "one MPI rank as without MPI; here they are the same program.", many)],
                  picture(square, cubic, times, by_ranks))
