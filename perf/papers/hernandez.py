# SPDX-License-Identifier: BSD-3-Clause
"""A. Hernandez et al., the DMRG++ miniapps: y = C x with C a sum of Kronecker products between patches."""

import collections
import math
import re
import subprocess

from common import HERE, NOT_AT_HAND

JOB = HERE.parents[1] / "jobs/kronecker-equal.ini"
OPERATORS = 8  # K; the paper does not state it
WIDTHS = {1: "equally probable states, as in the paper", 0.05: "a ground state's shape"}
PUBLISHED = [{"published": "12 threads over one (OpenMP)", "value": "9"},
             {"published": "seconds with N0 = 12 threads over rows of blocks", "value": "5.78"},
             {"published": "seconds with N1 = 12 threads within a row", "value": "6.94"},
             {"published": "Titan V, single precision, in DMRG++ of a 10 x 10 lattice, 10^12 operations per second",
              "value": "7.2"},
             {"published": "the same, of the peak", "value": "48 %"},
             {"published": "totals of operations, and curves of Figures 4 to 9", "value": NOT_AT_HAND}]


def patches(sites, saved_states):
    """Patch (up, down) -> states l of the left and r of the right block: the paper's model of equally probable
    states."""
    half = sites // 2
    share = [math.comb(half, n) / 2 ** half for n in range(half + 1)]
    found = {}
    for up in range(half + 1):
        for down in range(half + 1):
            left = math.floor(4 * saved_states * share[up] * share[down] + 0.5)
            right = math.floor(saved_states * share[half - up] * share[half - down] + 0.5)
            if left and right:
                found[up, down] = (left, right)
    return found


def products(sites, saved_states):
    """Operations of every matrix product of y = C x, by the patch of y: X_J A_k^T (r_J x l_I), then B_k (r_I x r_J)
    times that. The other order, B_k first, has the same total, because the pattern is symmetric."""
    of = patches(sites, saved_states)
    found = collections.defaultdict(list)
    for (up, down), (left, right) in of.items():
        for there in ((up, down), (up - 1, down), (up + 1, down), (up, down - 1), (up, down + 1)):
            if there in of:
                other_left, other_right = of[there]
                found[up, down] += OPERATORS * [2 * other_right * other_left * left, 2 * right * other_right * left]
    return found


def distribution(setting, saved_states):
    """Counts of the model here against those of the program, and both distributions of work."""
    counted = products(64, saved_states)
    work = {}
    for width in WIDTHS:
        result = setting.job(JOB, f"--model.saved-states={saved_states}", f"--model.width={width}", "--run.repeats=1")
        work[width] = sorted(result["observables"]["patch-flops"]["value"], reverse=True)
        if width == 1:
            total = sum(map(sum, counted.values()))
            gflop = result["performance"]["gflop_per_product"]
            setting.check(sorted((sum(p) for p in counted.values()), reverse=True) == work[1],
                          "operations of the patches are not those of the program.")
            setting.check(abs(gflop - 1e-9 * total) < 1e-12 * total,
                          f"{gflop} 10^9 operations in all, {1e-9 * total} by counting.")
    every = [operations for of_patch in counted.values() for operations in of_patch]
    bins = collections.Counter(int(math.log2(operations)) for operations in every)
    rows = [{"width": f"{width} ({name})", "patches": len(work[width]), "10^9 operations": 1e-9 * sum(work[width]),
             "largest patch": f"{100 * work[width][0] / sum(work[width]):.1f} %",
             "patches with half of the work": half_of(work[width])} for width, name in WIDTHS.items()]
    histogram = [{"operations": f"2^{b} to 2^{b + 1}", "products": bins[b],
                  "share of products": f"{100 * bins[b] / len(every):.1f} %",
                  "share of work": f"{100 * sum(o for o in every if int(math.log2(o)) == b) / sum(every):.1f} %"}
                 for b in sorted(bins)]
    return rows, histogram, {"by patch": counted, "work": work, "bins": bins}


def half_of(sorted_work):
    total, reached = sum(sorted_work), 0
    for count, work in enumerate(sorted_work, 1):
        reached += work
        if reached >= total / 2:
            return count
    return len(sorted_work)


def on_device(setting, saved_states):
    seconds = setting.on_device(JOB, f"--model.saved-states={saved_states}", f"--model.operators={OPERATORS}",
                                figure="seconds_per_product")
    return 1e3 * seconds if isinstance(seconds, float) else seconds


def variants(setting):
    """ms per product; all variants take turns within the benchmark."""
    rows = []
    for saved_states in (200,) if setting.quick else (500, 1000, 2000):
        for threads in sorted({1, setting.cores}):
            found = setting.benchmark("kronecker/kronecker_bench", 3 if setting.quick else 9, 64, saved_states,
                                      OPERATORS, 1, threads=threads)
            for row in found:
                if "variant" in row:
                    rows.append({"M": saved_states, "threads": threads, "variant": row["variant"], "ms": row["ms"],
                                 "GFLOP/s": row["GFLOP/s"],
                                 "% of a matrix product": row["% of GEMM"],
                                 "times as long as ours": row["slower than own"],
                                 "GPU, ms": on_device(setting, saved_states) if row["variant"] == "own" and threads == 1
                                 else ""})
    return rows


def nested(times):
    """The paper's loops with threads over rows (N0) or within them (N1), beside this program, by the library whose
    loops are the fastest on one thread."""
    largest = max(row["M"] for row in times)
    ms = {(row["variant"], row["threads"]): row["ms"] for row in times if row["M"] == largest}
    n = max(threads for _, threads in ms)
    loops = min((row for row in ms if row[0].startswith("loops, ") and row[1] == 1), key=ms.get)[0]
    layouts = [("loops, 1 thread", loops, 1), (f"loops, N0 = {n}", loops, n),
               (f"loops, N1 = {n}", loops.replace("loops", "loops within rows"), n), ("ours, 1 thread", "own", 1),
               (f"ours, {n} threads", "own", n)]
    return [{"layout": name, "ms": ms[variant, threads],
             "over one thread": ms[loops if variant != "own" else "own", 1] / ms[variant, threads]}
            for name, variant, threads in layouts if (variant, threads) in ms]


def balance(setting):
    """Work of the busiest rank over the mean, as `strata plan` counts it, cut at rows of blocks and at columns."""
    rows = []
    for width in WIDTHS:
        plan = subprocess.run([str(setting.build / "src/strata"), "plan", str(JOB), "--ranks=2",
                               f"--model.width={width}"],
                              capture_output=True, text=True, check=True).stdout
        before = plan[:plan.find("On a GPU")]
        for ranks, at_rows, at_columns in re.findall(r"(\d+) ranks: +rows +([\d.]+).*?columns +([\d.]+)", before):
            rows.append({"width": width, "ranks": int(ranks), "cut at rows": float(at_rows),
                         "cut at columns": float(at_columns)})
    return rows


def picture(seen, times, threads, balances):
    def draw(plt):
        figure, ((places, curve, sizes), (bars, layouts, ranks)) = plt.subplots(2, 3, figsize=(10.5, 6))
        grid = [[0] * 33 for _ in range(33)]
        for (up, down), of_patch in seen["by patch"].items():
            grid[down][up] = 1e-6 * sum(of_patch)
        image = places.imshow(grid, origin="lower", cmap="Blues", extent=(-0.5, 32.5, -0.5, 32.5))
        figure.colorbar(image, ax=places, shrink=0.8)
        places.set(title="work of the patches, 10^6 operations", xlabel="up, left block", ylabel="down, left block",
                   xlim=(5, 27), ylim=(5, 27))
        for width, name in WIDTHS.items():
            work = seen["work"][width]
            curve.semilogx(range(1, len(work) + 1), [100 * sum(work[:n + 1]) / sum(work) for n in range(len(work))],
                           label=name)
        curve.set(title="share of the largest patches in the work", xlabel="patches", ylabel="%", ylim=(0, 100))
        curve.legend(fontsize=6)
        bins = seen["bins"]
        sizes.bar(list(bins), list(bins.values()), width=0.9)
        sizes.set(title="matrix products by their operations", xlabel="log2(operations)", ylabel="products")
        largest = max(row["M"] for row in times)
        some = [row for row in times if row["M"] == largest and row["threads"] == 1]
        bars.barh([row["variant"] for row in some], [row["ms"] for row in some],
                  color=["C2" if row["variant"] == "own" else "C0" for row in some])
        bars.invert_yaxis()
        bars.set(title=f"time of a product, M = {largest}, 1 thread", xlabel="ms")
        layouts.bar([row["layout"].replace(", ", "\n") for row in threads], [row["over one thread"] for row in threads])
        layouts.tick_params(axis="x", labelsize=6)
        layouts.set(title="threads over rows (N0) and within rows (N1)", ylabel="speed-up")
        for width in WIDTHS:
            some = [row for row in balances if row["width"] == width]
            for column, style in (("cut at rows", "s--"), ("cut at columns", "o-")):
                ranks.loglog([row["ranks"] for row in some], [row[column] for row in some], style, ms=4,
                             label=f"{column}, width {width}")
        ranks.set(title="busiest rank over the mean, by counting", xlabel="ranks", ylabel="imbalance")
        ranks.legend(fontsize=6)
        return figure
    return draw


def reproduce(setting):
    saved_states = 200 if setting.quick else 2000
    rows, histogram, seen = distribution(setting, saved_states)
    times, balances = variants(setting), balance(setting)
    threads = nested(times)
    setting.write("hernandez", "Hernandez et al.: the DMRG++ miniapps", [
        ("Distribution of work over patches", f"64 sites, M = {saved_states}, K = {OPERATORS}. Operations of every "
                                              "patch agree with a count of their own.", rows),
        ("Histogram of matrix products", "Width 1; a product of B_k, X and A_k is two matrix products.", histogram),
        ("Loops, tasks and batches", "`own` is this program, the others are the published ways on the library named. "
                                     "Medians of rounds in turns.", times),
        ("Threads over rows (N0) and within rows (N1)", f"64 sites, M = {saved_states}; rows of the table above.",
         threads),
        ("Load balance", "64 sites, M = 2000: work of the busiest rank over the mean, by counting. The paper divides "
                         "rows of blocks.", balances),
        ("Published",
         "Times are seconds of the paper's own problem on its machines; they compare with each other only.",
         PUBLISHED)], picture(seen, times, threads, balances))
