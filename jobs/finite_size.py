#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finite-size analysis of scans of swendsen-wang over lattice.extents and model.temperature or model.beta.

    strata fit SCAN.h5 [SCAN2.h5 ...] [--out=NAME] [--format=png|pdf] [--dpi=130] [--tc=VALUE]

prints tables and writes NAME.json and NAME.png (by default SCAN-sizes): curves between the temperatures of the runs,
crossings of U4 and xi/L, and fits of T_c, 1/nu, beta/nu and gamma/nu for several smallest sizes L_min. Errors are one
standard deviation. --tc takes T_c as known. docs/swendsen-wang.md has an example."""

import argparse
import json
import math
import sys

from packages import require

require("h5py", "matplotlib")

import numpy as np  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

from plot_axes import few_decades  # noqa: E402
from reweighting import BadInput, StrataFileError, covariance, jackknife, read_lattices, shape  # noqa: E402

SHOWN = ("energy", "specific-heat", "magnetisation", "susceptibility", "susceptibility-connected", "binder",
         "xi-over-l", "log-slope")   # d ln|m| / d beta
BETWEEN = 4           # intervals of a curve from one temperature of the runs to the next
W, W_ERROR = 2.5, 1   # expected exponent of the leading correction to crossings: 2.75 and 2.42 for d = 2 and 3
POWERS = (("1/nu", "binder-slope", 1), ("beta/nu", "magnetisation", -1), ("gamma/nu", "susceptibility", 1))
SYMBOLS = {"T_c": "T_c", "1/nu": r"1/\nu", "beta/nu": r"\beta/\nu", "gamma/nu": r"\gamma/\nu",
           "magnetisation": r"$\langle|m|\rangle$", "susceptibility": r"susceptibility $\beta N\langle m^2\rangle$"}
GOOD, LARGE, NO_DOF = "good", "chi^2 too large", "no degrees of freedom"


def number(value, error):
    """2.26920(51): the error has two digits, in units of the last places of the value."""
    if not (np.isfinite(value) and np.isfinite(error) and error > 0):
        return "-"
    places = max(0, 1 - math.floor(math.log10(error)))
    places -= places > 0 and round(error * 10**places) >= 100
    return f"{value:.{places}f}({round(error * 10**places)})"


def print_table(title, head, rows):
    widths = [max(len(str(r[i])) for r in [head, *rows]) for i in range(len(head))]
    print(f"\n{title}")
    for row in [head, ["-" * w for w in widths], *rows]:
        print("  " + "  ".join(str(cell).rjust(w) for cell, w in zip(row, widths)))


def curve(lattice):
    """Rows with T, whether there are runs, and (value, error) of each quantity."""
    rows = []
    for piece in reversed(lattice.pieces):
        ends = lattice.coupling / piece.k[::-1]
        inner = [np.linspace(a, b, BETWEEN, endpoint=False) for a, b in zip(ends, ends[1:])]
        for i, t in enumerate(np.concatenate([*inner, ends[-1:]])):
            found = lattice.at(t)
            rows.append({"T": float(t), "run": i % BETWEEN == 0,
                         **{n: jackknife(found[n]) for n in SHOWN if n in found}})
    return rows


def crossing(a, b, name):
    """Samples of the temperature where two sizes have equal values, None if there is none within both ranges by more
    than its error. Of several, noise where the curves nearly agree, it is the one with the largest difference of
    slopes."""
    def difference(t, samples=slice(None)):
        return a.at(t, samples)[name] - b.at(t, samples)[name]

    candidates = []
    for low, high in [(max(p[0], q[0]), min(p[1], q[1])) for p in a.ranges for q in b.ranges]:
        if low < high and name in a.at(low) and name in b.at(low):
            grid = np.linspace(low, high, 33)
            d = np.array([difference(t, slice(0, 1))[0] for t in grid])
            slope = np.diff(d) / np.diff(grid)
            changes = np.flatnonzero(d[1:] * d[:-1] < 0)
            candidates += [(abs(slope[i]), slope[i], grid[i] - d[i] / slope[i], low, high) for i in changes]
    if not candidates:
        return None
    _, slope, start, low, high = max(candidates)
    t = np.full(len(a.pieces[0].sums), start)
    for _ in range(20):   # the slopes of all samples are nearly equal: the distance falls fast
        t = np.clip(t - difference(t) / slope, low, high)
    error = jackknife(t)[1]
    return t if low + error < t[0] < high - error and np.max(np.abs(difference(t) / slope)) < 1e-3 * error else None


def crossings(sizes):
    """Of L and 2 L, or of neighbours where no size has its double."""
    pairs = [(a, b) for a in sizes for b in sizes if b.size == 2 * a.size] or list(zip(sizes, sizes[1:]))
    return [{"of": n, "sizes": (a.size, b.size), "T": t, "value": jackknife(a.at(t)[n])[0]}
            for n in ("binder", "xi-over-l") for a, b in pairs if (t := crossing(a, b, n)) is not None]


def too_large(chi2, dof):
    """Whether a larger chi^2 has a probability below 5 %: M. Abramowitz, I. Stegun, Handbook of Mathematical Functions,
    26.4.17."""
    return ((chi2 / dof)**(1 / 3) - 1 + 2 / (9 * dof)) / math.sqrt(2 / (9 * dof)) > 1.645


def least_squares(samples, columns, by_w=0, distance=None):
    """Parameters of a linear fit with the covariance of the data, the matrix that computes them from the data, their
    covariance, and chi^2. The inverse of a covariance from B blocks is too large by (B - 1) / (B - n - 2) for n data:
    J. Hartlap, P. Simon, P. Schneider, Astron. Astrophys. 464, 399 (2007). `by_w` is the change of the data when W is
    larger by its error; `distance`, where given, is expected of the last parameter with that error."""
    (y, scale), blocks, n = jackknife(samples), len(samples) - 1, samples.shape[1]
    correlations = covariance(samples / scale) * (blocks - 1) / (blocks - n - 2) + np.outer(by_w / scale, by_w / scale)
    inverse = np.linalg.inv(correlations) / np.outer(scale, scale)
    normal, expected = columns.T @ inverse @ columns, np.zeros(columns.shape[1])
    if distance is not None:
        normal[-1, -1] += 1 / W_ERROR**2
        expected[-1] = distance / W_ERROR**2
    of_parameters = np.linalg.inv(normal)
    solution = of_parameters @ columns.T @ inverse
    p = solution @ y + of_parameters @ expected
    rest, missed = y - columns @ p, 0 if distance is None else (p[-1] - distance) / W_ERROR
    return p, solution, of_parameters, float(rest @ inverse @ rest) + missed**2


def make_fit(result, data, smallest, samples, columns, more=(), by_w=0, w=None):
    """A fit, the result of which is its first parameter. Where `w` is given the last one is its change, with the datum
    W."""
    p, solution, of_parameters, chi2 = least_squares(samples, columns, by_w, w and W - w)
    p[-1] += w or 0
    errors, dof = np.sqrt(np.diag(of_parameters)), len(columns) - len(p) + (w is not None)
    return {"result": result, "data": data, "smallest": smallest, "value": p[0], "error": errors[0], "chi2": chi2,
            "dof": dof, "verdict": NO_DOF if dof < 1 else LARGE if too_large(chi2, dof) else GOOD,
            "more": dict(zip(more, zip(p[1:], errors[1:]))),
            "samples": p[0] + (samples - jackknife(samples)[0]) @ solution[0],
            "by_w": of_parameters[0, -1] / W_ERROR if w else np.sum(solution[0] * by_w)}


def fit_crossings(found, smallest):
    """T_c by crossings at T_c + a (L / L_min)^-w, w = 1 / nu + omega, L the smaller size, with one w and an a for each
    quantity (K. Binder, Z. Phys. B 43, 119 (1981)). Few crossings hardly determine w, and their mean is wrong without a
    large chi^2: W is a datum of the fit (G. P. Lepage et al., Nucl. Phys. B Proc. Suppl. 106, 12 (2002)). Errors are
    those of the fit linear in w."""
    used = [c for c in found if c["sizes"][0] >= smallest]
    names = sorted({c["of"] for c in used})
    if len(used) < 1 + len(names) or len(used[0]["T"]) < len(used) + 4:
        return None
    data, length = np.array([c["T"] for c in used]).T, np.array([c["sizes"][0] / smallest for c in used])
    one, member = np.ones((len(used), 1)), np.array([[float(c["of"] == n) for n in names] for c in used])
    solved = {w: least_squares(data, np.hstack([one, member * length[:, None]**-w])) for w in np.arange(0.5, 6, 0.02)}
    w = min(solved, key=lambda w: solved[w][3] + ((w - W) / W_ERROR)**2)
    shift = member * length[:, None]**-w
    by_w = -(shift @ solved[w][0][1:] * np.log(length))[:, None]
    columns, more = np.hstack([one, shift, by_w]), [*(f"a of {n}" for n in names), "w"]
    return make_fit("T_c", f"crossings of {' and '.join(names)}", smallest, data, columns, more, w=w)


def fits_of_powers(sizes, t, by_w):
    """Powers of L at T_c (A. M. Ferrenberg, D. P. Landau, Phys. Rev. B 44, 5081 (1991)), without corrections; `by_w` as
    above, of T_c. d ln|m| / d beta is left out: in two dimensions its exponent is 2 to 4 % too large up to L = 64,
    while chi^2 is good."""
    fits, at = [], [(s.size, q, s.at(t[:1] + by_w, slice(0, 1)) or q) for s in sizes if (q := s.at(t))]
    for result, name, sign in POWERS:
        for first in range(max(0, len(at) + 4 - len(t)), len(at) - 1):
            length = np.log([size for size, _, _ in at[first:]])
            samples = sign * np.log(np.abs([q[name] for _, q, _ in at[first:]])).T
            change = sign * np.log([moved[name][0] / q[name][0] for _, q, moved in at[first:]])
            fits.append(make_fit(result, name, at[first][0], samples, np.column_stack([length, np.ones_like(length)]),
                                 (), change))
    return fits


def print_all(sizes, curves, found, fits, results):
    for s, rows in zip(sizes, curves):
        names, tau = [n for n in SHOWN if n in rows[0]], [r.tau for r in s.runs]
        print_table(f"{shape(s.extents)}: {sum(len(r.energy) for r in s.runs)} observations, tau_int {min(tau):.2f} to "
                    f"{max(tau):.2f}; * between the temperatures of the runs", ["T", *names],
                    [[f"{r['T']:.6g}{' ' if r['run'] else '*'}", *(number(*r[n]) for n in names)]
                     for r in rows[::BETWEEN // 2]])
        for low, high in s.gaps:
            print(f"  Histograms do not overlap between T = {low:.6g} and {high:.6g}: nothing is given there.")
    print_table("Crossings", ["of", "sizes", "T"], [[c["of"], c["sizes"], number(*jackknife(c["T"]))] for c in found])
    print_table("Fits; crossings are at T_c + a (L / L_min)^-w",
                ["", "data", "L_min", "value", "chi^2/dof", "verdict", ""],
                [[f["result"], f["data"], f["smallest"], number(f["value"], f["error"]), f"{f['chi2']:.2f}/{f['dof']}",
                  f["verdict"], ", ".join(f"{k} {number(*v)}" for k, v in f["more"].items())] for f in fits])
    print("\nResults: the first good fits")
    for name, f in results.items():
        print(f"  {name:8}  "
              + (f"{number(f['value'], f['error'])}, {f['data']}, L >= {f['smallest']}" if f else "no fit is good"))


def plain(x):
    """What JSON can hold: no samples, and None in place of numbers that are not finite."""
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items() if k not in ("samples", "by_w")}
    if isinstance(x, (list, tuple, np.ndarray)):
        return [plain(v) for v in x]
    return x if not isinstance(x, (float, np.floating)) else float(x) if math.isfinite(x) else None


def write_json(path, sizes, curves, found, fits, results, notes):
    good = [n for n, f in results.items() if f]
    samples, by_w = np.array([results[n]["samples"] for n in good]).T, [results[n]["by_w"] for n in good]
    content = {"notes": notes, "crossings": [{**c, "T": jackknife(c["T"])} for c in found], "fits": fits,
               "results": results,
               "covariance": {"of": good, "values": covariance(samples) + np.outer(by_w, by_w) if good else []},
               "sizes": [{"extents": s.extents, "ranges": s.ranges, "gaps": s.gaps, "curve": rows, "runs":
                          [{"T": s.coupling / r.k, "observations": len(r.energy), "tau": r.tau} for r in s.runs]}
                         for s, rows in zip(sizes, curves)]}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(plain(content), file, indent=1)


def draw(path, sizes, curves, found, results, t, dpi):
    figure = Figure(figsize=(11, 8))
    (top, collapse), lower = figure.subplots(2, 2)
    for i, (s, rows) in enumerate(zip(sizes, curves)):
        x, (u, error) = np.array([r["T"] for r in rows]), np.array([r["binder"] for r in rows]).T
        for low, high in s.ranges:
            part = (x > low - 1e-9) & (x < high + 1e-9)
            top.fill_between(x[part], (u - error)[part], (u + error)[part], color=f"C{i}", alpha=0.4, lw=0.5)
        alone = np.array([(s.coupling / r.k, *r.binder) for r in s.runs]).T
        top.errorbar(*alone, fmt=".", color=f"C{i}", label=f"L = {s.size}")
        if t is not None and results["1/nu"]:
            collapse.errorbar((x / t[0] - 1) * s.size**results["1/nu"]["value"], u, error, fmt=".", ms=4, color=f"C{i}")
    for c in found:
        if c["of"] == "binder":
            top.errorbar(jackknife(c["T"])[0], c["value"], xerr=jackknife(c["T"])[1], fmt="kx", ms=6, zorder=9)
    for axes, (result, name, sign) in zip(lower, POWERS[1:]):
        points, f = [(s.size, *jackknife(q[name])) for s in sizes if t is not None and (q := s.at(t))], results[result]
        for length, y, error in points:
            axes.errorbar(length, y, error, fmt="o", ms=4, color="C0")
        if f:
            ends, (size, y, _) = np.array([points[0][0], points[-1][0]]), points[-1]
            axes.plot(ends, y * (ends / size)**(sign * f["value"]), "C3", lw=1)
            axes.set_title(f"${SYMBOLS[result]}$ = {number(f['value'], f['error'])}", fontsize=10)
        axes.set(xscale="log", yscale="log", xlabel="length $L$", ylabel=f"{SYMBOLS[name]} at $T_c$")
        axes.set_xticks([s.size for s in sizes], [s.size for s in sizes])
        axes.set_xticks([], minor=True)
        few_decades(axes.yaxis)
    top.set(xlabel="temperature $T$ [$J/k_B$]", ylabel="Binder cumulant $U_4$")
    top.legend(frameon=False, fontsize=7)
    for axes, result in ((top, "T_c"), (collapse, "1/nu")):
        if results[result]:
            axes.set_title(f"${SYMBOLS[result]}$ = {number(results[result]['value'], results[result]['error'])}",
                           fontsize=10)
    collapse.set(xlabel=r"$(T / T_c - 1)\,L^{1/\nu}$", ylabel="Binder cumulant $U_4$")
    figure.tight_layout()
    figure.savefig(path, dpi=dpi)


def analyse(options):
    sizes, notes = read_lattices(options.scans)
    curves, found = [curve(s) for s in sizes], crossings(sizes)
    fits = [f for smallest in sorted({c["sizes"][0] for c in found}) if (f := fit_crossings(found, smallest))]
    best = next((f for f in fits if f["verdict"] == GOOD), None)
    t = np.full(len(sizes[0].pieces[0].sums), options.tc) if options.tc else best["samples"] if best else None
    if t is not None:
        fits += fits_of_powers(sizes, t, 0 if options.tc else best["by_w"])
        notes += [f"T_c is outside the range of {shape(s.extents)}." for s in sizes if s.at(t) is None]
    names = ["T_c", *(result for result, _, _ in POWERS)]
    results = {n: next((f for f in fits if f["result"] == n and f["verdict"] == GOOD), None) for n in names}
    print(*notes, sep="\n")
    print_all(sizes, curves, found, fits, results)
    name = options.out or options.scans[0].removesuffix(".h5") + "-sizes"
    write_json(f"{name}.json", sizes, curves, found, fits, results, notes)
    draw(f"{name}.{options.format}", sizes, curves, found, results, t, options.dpi)
    print(f"\n{name}.json\n{name}.{options.format}")


def main():
    parser = argparse.ArgumentParser(prog="strata fit", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scans", nargs="+", metavar="SCAN.h5")
    parser.add_argument("--out")
    parser.add_argument("--format", choices=("png", "pdf"), default="png")
    parser.add_argument("--dpi", type=int, default=130)
    parser.add_argument("--tc", type=float)
    try:
        analyse(parser.parse_args())
    except BadInput as reason:
        print(reason, file=sys.stderr)
        return 2
    except StrataFileError as reason:
        print(reason, file=sys.stderr)
        return 4
    except (OSError, KeyError) as reason:
        print(f"A file could not be read or written: {reason}.", file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
