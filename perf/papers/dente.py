# SPDX-License-Identifier: BSD-3-Clause
"""A. D. Dente, C. S. Bederian, P. R. Zangara, H. M. Pastawski, GPU accelerated Trotter-Suzuki solver for quantum spin
dynamics."""

import math

from common import HERE, NOT_AT_HAND

JOB = HERE / "spin-ring.ini"
TIME = 2.0  # of the runs whose error is measured
PUBLISHED = [{"published": "largest system on a GPU, bound by its memory", "value": "27 spins", "source": "abstract"},
             {"published": "error of the echo after 5e5 steps", "value": "5.2e-8", "source": "accuracy section"},
             {"published": "times and speed-ups of Figures 2 and 3", "value": NOT_AT_HAND, "source": ""}]
COLUMNS = {"one rotation per pass": "one rotation per pass", "the paper's": "the paper's scheme, tiles",
           "the paper's, merged": "merged"}


def on_device(setting, spins):
    seconds = setting.on_device(JOB, f"--lattice.extents={spins}", "--run.steps=100", "--run.observables=sz",
                                figure="seconds_per_step")
    return 1e3 * seconds if isinstance(seconds, float) else seconds


def steps(setting):
    """ms per step; all programs take turns within the benchmark."""
    sizes = (12, 14) if setting.quick else (12, 14, 16, 18, 20, 22)
    found = setting.benchmark("trotter/trotter_bench", f"--rounds={3 if setting.quick else 5}", "--threads=1", *sizes)
    rows = []
    for row in found:
        if "ring" not in row:  # the second table has quotients
            continue
        spins, own = int(row["N"]), row["ring"]
        rows.append({"spins": spins, **{title: row[column] for column, title in COLUMNS.items()}, "ours, ring": own,
                     "ours, all pairs": row["all"],
                     "ours, ring, single precision": row["ring, single"],
                     "the paper's over ours": round(row["the paper's"] / own, 1),
                     "merged over ours": round(row["the paper's, merged"] / own, 1), "GPU": on_device(setting, spins)})
    return rows


def sz(setting, *keys):
    return setting.job(JOB, *keys)["observables"]["sz"]["value"]


def step_errors(setting):
    """Largest error of <Sz_j> at one time against the step, and the order that successive steps show. The exact values
    are those of the Chebyshev series."""
    exact = sz(setting, "--run.method=chebyshev", f"--run.step={TIME}", "--run.steps=1")
    rows = []
    for name, order, keys in (("order 2", 2, ["--run.order=2"]), ("order 4, Suzuki", 4, ["--run.order=4"]),
                              ("order 4, Blanes and Moan", 4, ["--run.order=4", "--run.scheme=blanes-moan"])):
        before = None
        for step in (0.2, 0.1, 0.05, 0.025):
            found = sz(setting, *keys, f"--run.step={step}", f"--run.steps={round(TIME / step)}")
            error = max(abs(a - b) for a, b in zip(found, exact))
            seen = math.log2(before / error) if before else None
            setting.check(seen is None or abs(seen - order) < 0.4,
                          f"the error of {name} falls with the power {seen} of the step.")
            rows.append({"splitting": name, "step": step, "largest error of <Sz>": f"{error:.2e}", "order": seen})
            before = error
    return rows


def echoes(setting):
    """Forward and back by the same number of steps: what is lost is due to rounding."""
    rows = []
    for count in (1000, 10000) if setting.quick else (1000, 10000, 100000, 500000):
        seen = setting.job(JOB, "--lattice.extents=12", "--run.observables=loschmidt-echo", f"--run.steps={count}",
                           "--run.echo=yes")["observables"]
        lost, norm = abs(1 - seen["loschmidt-echo"]["value"]), abs(1 - seen["norm"]["value"])
        setting.check(lost < 1e-15 * count + 1e-13, f"the echo after {count} steps is {lost} off.")
        rows.append({"steps forward, and back": count, "1 - echo": f"{lost:.1e}", "1 - norm": f"{norm:.1e}"})
    return rows


def picture(times, errors, lost):
    def draw(plt):
        figure, ((seconds, speeds), (steps_of, echo)) = plt.subplots(2, 2, figsize=(8.5, 6.2))
        spins = [row["spins"] for row in times]
        for column in (*COLUMNS.values(), "ours, ring", "ours, ring, single precision"):
            seconds.semilogy(spins, [row[column] for row in times], "o-" if column.startswith("ours") else "s--", ms=4,
                             label=column)
        seconds.set(title="Figure 2: time per step, 1 thread", xlabel="spins", ylabel="ms", xticks=spins)
        seconds.legend(fontsize=6)
        for column in ("the paper's over ours", "merged over ours"):
            speeds.plot(spins, [row[column] for row in times], "o-", label=column)
        speeds.set(title="Figure 3: speed-up over the paper's schemes", xlabel="spins", ylabel="times", ylim=(0, None),
                   xticks=spins)
        speeds.legend()
        for name in dict.fromkeys(row["splitting"] for row in errors):
            some = [row for row in errors if row["splitting"] == name]
            steps_of.loglog([row["step"] for row in some], [float(row["largest error of <Sz>"]) for row in some], "o-",
                            label=name)
        steps_of.set(title=f"error of <Sz> at t = {TIME:g} against the step", xlabel="step", ylabel="error")
        steps_of.legend(fontsize=6)
        echo.loglog([row["steps forward, and back"] for row in lost],
                    [max(float(row["1 - echo"]), 1e-16) for row in lost], "o-", label="ours")
        echo.loglog([5e5], [5.2e-8], "k^", mfc="none", label="published")
        echo.set(title="error of the echo against the number of steps", xlabel="steps", ylabel="1 - echo")
        echo.legend()
        return figure
    return draw


def reproduce(setting):
    times, errors, lost = steps(setting), step_errors(setting), echoes(setting)
    setting.write("dente", "Dente et al.: Trotter-Suzuki spin dynamics on GPUs", [
        ("Figures 2 and 3: time per step against the number of spins",
         "ms of one step of second order of the Heisenberg ring in random fields, one "
         "thread, double precision but for one column; medians of five rounds (with --quick three) in turns. The "
         "paper's scheme keeps every exponential between two "
         "rotations; `merged` joins neighbouring factors; both with tiles in the cache, tuned.", times),
        ("Accuracy: error against the step", f"Ring of 10 spins in random fields from a random state, t = {TIME:g}; "
                                             "exact by a Chebyshev series to 1e-13.", errors),
        ("Accuracy: forward and back", "Ring of 12 spins, steps of 0.05 of second order. 1 - echo is of the normalised "
                                       "state; the paper's system is not at hand.", lost),
        ("Published", "Of the paper's own runs.", PUBLISHED)], picture(times, errors, lost))
