# SPDX-License-Identifier: BSD-3-Clause
"""Ising runs at several temperatures combined into curves between them, for finite_size.py: runs of scans,
autocorrelation times, multi-histogram reweighting, jackknife. Of every quantity, sample 0 is that of all observations;
sample j lacks block j of every run of every size, so that functions of samples keep all correlations, also those of
runs with equal random numbers."""

import os
import pathlib
import sys
from dataclasses import dataclass

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from strata_lattice.digest import StrataFileError, checked_file  # noqa: E402

MOST_BLOCKS, LEAST_BLOCKS, BLOCK_IN_TAU = 100, 8, 5
MOST_LEVELS = 4096   # energies of a histogram; more are put into bins, which are far narrower than the distribution
FEW = 20             # observations up to which a run may give no errors
# independent observations of a run beyond the middle between its mean energy and that of the next one
LEAST_OVERLAP = 20


class BadInput(Exception):
    """Why files cannot be analysed, as a sentence."""


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def shape(extents):
    return " x ".join(map(str, extents))


@dataclass
class Run:
    """A point of a scan, or one temperature of a point with parallel tempering."""
    extents: tuple
    k: float                             # beta J
    energy: np.ndarray                   # H / J, integers
    magnetisation: np.ndarray            # |m|
    structure_factor: np.ndarray | None  # S(k_min)
    binder: tuple                        # value and error of this run alone
    tau: float = 0.5                     # of the energy, in observations


def integrated_time(series):
    """Integrated autocorrelation time, at least 1/2, with the window of U. Wolff, Comput. Phys. Commun. 156, 143
    (2004), S = 1.5, as in src/analysis/gamma_method.cpp."""
    if len(series) < 2:
        return 0.5
    x = np.asarray(series, dtype=float) - np.mean(series)
    n, variance, tau, window = len(x), np.mean(x * x), 0.5, 0
    while variance > 0 and window + 1 < n // 2:
        window += 1
        tau += x[:-window] @ x[window:] / (n - window) / variance
        decay = 1.5 / np.log((2 * tau + 1) / (2 * tau - 1)) if tau > 0.5 else 1e-12
        if np.exp(-window / decay) < decay / np.sqrt(window * n):
            break
    return max(tau * (1 + (2 * window + 1) / n), 0.5)


def read_scan(path):
    """J, the runs of the finished points of a scan, and a note if there are others."""
    if not os.path.isfile(path):
        raise StrataFileError(f"{path} {'is no file' if os.path.exists(path) else 'does not exist'}.")
    with checked_file(path) as file:
        if text(file.attrs.get("format", "")) != "strata-scan":
            raise BadInput(f"{path} is not a scan: a job with [scan] lattice.extents and model.temperature writes one.")
        if text(file["job"].attrs["application"]) != "swendsen-wang":
            raise BadInput(f"{path} is a scan of {text(file['job'].attrs['application'])}, not of swendsen-wang.")
        scan, keys, series = (file["scan"], {k: text(v) for k, v in file["job/keys"].attrs.items()},
                              file.get("series", {}))
        axis = next((k for k in ("model.temperature", "model.beta") if k in scan), None)
        tempers = "temperature" in series  # parallel tempering: a point has all temperatures
        other = [k for k in scan if "." in k and not k.startswith("run.") and k not in ("lattice.extents", axis)]
        if axis is None and not tempers or other:
            raise BadInput(f"{path} scans {', '.join(other) or 'no temperature'}: finite-size analysis is of scans "
                           "over lattice.extents, model.temperature or model.beta, and keys of [run], or with "
                           "run.tempering.")
        if not {"point", "energy", "absolute-magnetisation"} <= set(series):
            raise BadInput(f"{path} has no series of energy and absolute-magnetisation.")
        if float(keys.get("model.coupling", 1)) < 0 or float(keys.get("model.opposite-bonds", 0)) > 0 or \
                float(keys.get("model.field", 0)) != 0 or \
                set(keys.get("lattice.boundaries", "periodic").replace(" ", "").split(",")) != {"periodic"}:
            raise BadInput(f"{path} is no scan of a periodic ferromagnet without field, whose magnetisation orders at "
                           "T_c.")
        owner, energy, magnetisation = (series[c][:] for c in ("point", "energy", "absolute-magnetisation"))
        structure = series["structure-factor"][:] if "structure-factor" in series else None
        coupling, runs, state = float(keys.get("model.coupling", 1)), [], file["points/state"][:]
        for point in np.flatnonzero(state == 1):
            words = text(scan["lattice.extents"][point]) if "lattice.extents" in scan else keys["lattice.extents"]
            extents, own = tuple(int(n) for n in words.split(",")), np.flatnonzero(owner == point)
            if tempers:
                temperature = series["temperature"][own]
                parts = [(1 / t, own[temperature == t]) for t in np.unique(temperature)]
            else:
                x = float(scan[axis][point])
                if x <= 0:
                    raise BadInput(f"{path} has a point at {axis} = {x:g}, which cannot be reweighted.")
                parts = [(x if axis == "model.beta" else 1 / x, own)]
            binder, error, energy_error = (np.atleast_1d(scan[name][point]) if name in scan
                                           else np.full(len(parts), np.nan)
                                           for name in ("binder", "binder_error", "energy_error"))
            for number, (beta, rows) in enumerate(parts):
                if len(rows) > FEW and np.ptp(energy[rows]) > 0 and not np.isfinite(energy_error[number]):
                    raise BadInput(f"{path}: point {point} is not known to be in equilibrium: "
                                   f"{text(file['points/remark'][point])}")
                runs.append(Run(extents, coupling * beta, np.rint(energy[rows] * np.prod(extents)), magnetisation[rows],
                                None if structure is None else structure[rows], (binder[number], error[number])))
    finished = int(np.sum(state == 1))
    note = f"{path}: only {finished} of {len(state)} points are finished; these are used."
    return coupling, runs, [note] * (finished < len(state))


def overlap(hot, cold):
    """Whether the histograms of runs at neighbouring temperatures have enough energies in common."""
    middle = np.mean([np.mean(np.concatenate([r.energy for r in runs])) for runs in (hot, cold)])
    return (sum(np.sum(r.energy <= middle) / (2 * r.tau) for r in hot) >= LEAST_OVERLAP and
            sum(np.sum(r.energy >= middle) / (2 * r.tau) for r in cold) >= LEAST_OVERLAP)


class Histograms:
    """Runs of one size whose histograms overlap from one temperature to the next. Each counts with the weight 1 / (2
    tau)."""

    def __init__(self, runs, blocks):
        self.k = np.unique([r.k for r in runs])
        levels = np.unique(np.concatenate([r.energy for r in runs]))
        levels = levels if len(levels) <= MOST_LEVELS else np.linspace(levels[0], levels[-1], MOST_LEVELS)
        sums, lengths, cells = 0, np.zeros((blocks, len(self.k))), blocks * len(levels)
        for run in runs:
            m, n = run.magnetisation, len(run.energy)
            columns = [np.ones(n), m, m**2, m**4] + ([] if run.structure_factor is None else [run.structure_factor])
            block = np.arange(n) * blocks // n
            cell = block * len(levels) + np.searchsorted((levels[1:] + levels[:-1]) / 2, run.energy)
            sums = sums + np.array([np.bincount(cell, c, cells).reshape(blocks, -1) for c in columns]) / (2 * run.tau)
            lengths[:, np.searchsorted(self.k, run.k)] += np.bincount(block, minlength=blocks) / (2 * run.tau)
        total = sums.sum(axis=1, keepdims=True)
        self.sums = np.moveaxis(np.concatenate([total, total - sums], axis=1), 0, 1)   # [sample, column, level]
        self.lengths = np.concatenate([[lengths.sum(axis=0)], lengths.sum(axis=0) - lengths])
        self.origin = np.average(levels, weights=self.sums[0, 0])
        self.energies = levels - self.origin
        means = [np.mean(np.concatenate([r.energy for r in runs if r.k == k])) for k in self.k]
        self.log_d = self.solve(np.array(means) - self.origin)

    def solve(self, means):
        """[sample, level] ln D(E), D = sum_r n_r exp(f_r - K_r E), exp(-f_r) = sum_E g(E) exp(-K_r E), density of
        states g = h / D, with histogram h and lengths n_r in independent observations: A. M. Ferrenberg, R. H.
        Swendsen, Phys. Rev. Lett. 63, 1195 (1989). By Newton's method for the minimum of sum_E h ln D - sum_r n_r f_r,
        as M. R. Shirts, J. D. Chodera, J. Chem. Phys. 129, 124105 (2008); it starts from df / dK = <E>."""
        h, n = self.sums[:, 0], self.lengths
        f = np.tile(np.concatenate([[0], np.cumsum(np.diff(self.k) * (means[1:] + means[:-1]) / 2)]), (len(n), 1))
        for _ in range(200):
            terms = (np.log(n) + f)[:, :, None] - self.k[:, None] * self.energies
            largest = terms.max(axis=1, keepdims=True)
            share = np.exp(terms - largest)
            log_d = largest[:, 0] + np.log(share.sum(axis=1))
            share /= share.sum(axis=1, keepdims=True)
            expected = np.einsum("krl,kl->kr", share, h)
            if np.max(np.abs(expected / n - 1)) < 1e-9:
                return log_d
            hessian = np.eye(len(self.k)) * expected[:, None] - (share * h[:, None]) @ share.transpose(0, 2, 1)
            f[:, 1:] += np.clip(np.linalg.solve(hessian[:, 1:, 1:], (n - expected)[:, 1:, None])[:, :, 0], -1, 1)
        raise BadInput("The equations of multi-histogram reweighting are not solved after 200 steps.")

    def averages(self, k, samples):
        """Means of the columns after the first, d/dK of them, mean and variance of E, at one K or at one for each
        sample."""
        logs = -np.reshape(k, (-1, 1)) * self.energies - self.log_d[samples]
        weight = np.exp(logs - logs.max(axis=1, keepdims=True))
        moments = [np.einsum("kl,kcl->ck", weight * self.energies**power, self.sums[samples]) for power in range(3)]
        plain, by_e, by_square = (m / moments[0][0] for m in moments)
        return plain[1:], plain[1:] * by_e[0] - by_e[1:], by_e[0] + self.origin, by_square[0] - by_e[0]**2


class Lattice:
    """Runs of one size. Where neighbouring histograms do not overlap, the range of temperatures is divided."""

    def __init__(self, extents, coupling, runs, blocks):
        self.extents, self.coupling, self.runs, self.size = extents, coupling, runs, max(extents)
        at = [[r for r in runs if r.k == k] for k in sorted({r.k for r in runs})]
        ends = [i for i in range(1, len(at)) if not overlap(at[i - 1], at[i])]
        self.gaps = [(coupling / at[i][0].k, coupling / at[i - 1][0].k) for i in ends]
        self.pieces = [Histograms(sum(at[i:j], []), blocks) for i, j in zip([0, *ends], [*ends, len(at)])]
        self.ranges = [(coupling / p.k[-1], coupling / p.k[0]) for p in self.pieces]

    def at(self, temperature, samples=slice(None)):
        """Quantities at a temperature, or at one for each sample; None outside the ranges. Definitions of
        src/swendsen_wang/run/results.cpp; xi: F. Cooper, B. Freedman, D. Preston, Nucl. Phys. B 210, 210 (1982), with
        S(0) = N <m^2> of the spins: improved estimators are means over flips with other energies, and cannot be
        reweighted. Derivatives by beta: A. M. Ferrenberg, D. P. Landau, Phys. Rev. B 44, 5081 (1991)."""
        beta, j, n = 1 / np.asarray(temperature, dtype=float), self.coupling, float(np.prod(self.extents))
        k = beta * j
        piece = next((p for p in self.pieces if p.k[0] - 1e-12 <= np.ravel(k)[0] <= p.k[-1] + 1e-12), None)
        if piece is None:
            return None
        (m, m2, m4, *s), (dm, dm2, dm4, *_), energy, variance = piece.averages(k, samples)
        found = {"energy": energy / n, "specific-heat": k**2 * variance / n, "magnetisation": m,
                 "susceptibility": beta * n * m2,
                 "susceptibility-connected": beta * n * (m2 - m**2), "binder": 1 - m4 / (3 * m2**2),
                 "binder-slope": j * (2 * m4 * dm2 / m2 - dm4) / (3 * m2**2), "log-slope": j * dm / m}
        if s:
            found["xi-over-l"] = np.sqrt(np.maximum(n * m2 / s[0] - 1, 0)) / (2 * np.sin(np.pi / self.size) * self.size)
        return found


def covariance(samples):
    """Of [sample, quantity] by the jackknife: B. Efron, The Jackknife (SIAM, 1982), chapter 3."""
    deviation = samples[1:] - np.mean(samples[1:], axis=0)
    return deviation.T @ deviation * (len(deviation) - 1) / len(deviation)


def jackknife(samples):
    """Value without the bias of order 1 / length, and error, enlarged by the root of (B - 1) / (B - 3) for B blocks,
    the variance of Student's t, because the error itself is uncertain."""
    blocks, mean = len(samples) - 1, np.mean(samples[1:], axis=0)
    error = (blocks - 1) * np.sqrt(np.mean((samples[1:] - mean)**2, axis=0) / (blocks - 3))
    return blocks * samples[0] - (blocks - 1) * mean, error


def read_lattices(paths):
    """All sizes in ascending order, and notes."""
    runs, notes, couplings = {}, [], set()
    for path in paths:
        coupling, found, note = read_scan(path)
        fresh = {(r.extents, r.k, r.energy.tobytes()): r for r in found}
        repeated = len(fresh) < len(found) or not runs.keys().isdisjoint(fresh)
        notes += note + [f"{path} repeats runs; each counts once."] * repeated
        runs |= fresh
        couplings.add(coupling)
    runs = list(runs.values())
    sizes = sorted({r.extents for r in runs}, key=max)
    if len(sizes) < 2 or len(couplings) > 1 or len({tuple(x / max(s) for x in s) for s in sizes}) > 1:
        found = ", ".join(map(shape, sizes)) or "no size"
        raise BadInput("Finite-size analysis needs finished runs of several sizes of one shape and coupling, not of "
                       f"{found}.")
    blocks = MOST_BLOCKS
    for run in runs:
        run.tau, length = integrated_time(run.energy), len(run.energy)
        blocks = min(blocks, int(length / (BLOCK_IN_TAU * max(run.tau, integrated_time(run.magnetisation)))))
        if blocks < LEAST_BLOCKS:
            raise BadInput(f"The {length} observations of {shape(run.extents)} at K = {run.k:.6g} are fewer than "
                           f"{LEAST_BLOCKS} "
                           f"blocks of {BLOCK_IN_TAU} autocorrelation times: raise run.sweeps.")
    return [Lattice(s, coupling, [r for r in runs if r.extents == s], blocks) for s in sizes], notes
