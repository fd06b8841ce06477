# SPDX-License-Identifier: BSD-3-Clause
"""Result files as plot.py reads them, and the only place that has symbols, units, labels and titles."""

import re

import numpy as np

ELECTRONS = ("hubbard", "fermions")
MODELS = {"hubbard": "Hubbard model", "fermions": "spinless fermions", "t-j": "t-J model",
          "heisenberg": "Heisenberg model", "xxz": "XXZ model", "xyz": "XYZ model", "xx": "XX model",
          "ising": "Ising model", "dipolar": "dipolar spins",
          "double-quantum": "double-quantum dipolar spins", "terms": "model of a file of terms"}
SITES_OF_A_CELL = {"honeycomb": 2, "kagome": 3, "checkerboard": 2}

# Keys of a title: symbol, the value that is not shown, and the models that have the key (none: all).
SPINS = ("heisenberg", "xxz", "xyz", "xx", "ising", "dipolar", "double-quantum")
PARAMETERS = {
    "model.t": ("t", "1", ELECTRONS), "model.t2": ("t_2", "0", ELECTRONS), "model.u": ("U", "", ("hubbard",)),
    "model.v": ("V", "0", ELECTRONS), "model.potential": (r"\epsilon", "0", ELECTRONS),
    "model.flux": (r"\phi", "", ELECTRONS),
    "model.spin": ("S", "0.5", SPINS), "model.j": ("J", "1", ("heisenberg", "xxz", "xx", "dipolar")),
    "model.jx": ("J_x", "", ("xyz",)), "model.jy": ("J_y", "", ("xyz",)), "model.jz": ("J_z", "", SPINS),
    "model.j2": ("J_2", "0", ("heisenberg", "xxz", "xx")), "model.range": (r"\alpha", "0", ()),
    "model.states": ("q", "2", ()), "model.field-x": ("h_x", "0", SPINS), "model.field-y": ("h_y", "0", SPINS),
    "model.field": ("h", "0", (*SPINS, "")), "model.coupling": ("J", "1", ()),
    "model.anisotropy": ("D", "0", SPINS), "model.disorder": ("W", "0", SPINS), "model.temperature": ("T", "", ()),
    "model.opposite-bonds": (r"{\rm share\ of}\ {-J}", "0", ()), "model.beta": (r"\beta", "", ()),
    "model.sites": ("L", "", ()), "model.saved-states": ("M", "", ()),
    "model.operators": ("K", "", ()), "model.width": (r"{\rm width}", "", ()),
}
OTHER_KEYS = {"sector.up": r"N_\uparrow", "sector.down": r"N_\downarrow", "sector.sz": "S^z", "sector.particles": "N",
              "run.step": r"\Delta t", "run.tolerance": "tolerance", "lattice.extents": "L",
              "spectrum.broadening": r"\eta"}

# Quantities: words with a symbol, per site or total. `application:name` comes before `name`.
QUANTITIES = {
    "swendsen-wang:energy": "energy per site $e$", "energy": "total energy $E$",
    "energy-per-site": "energy per site $E/N$",
    "energies": "total energies $E_n$", "gap": r"gap $E_1 - E_0$", "gaps": r"energy above the lowest $E_n - E_0$",
    "specific-heat": "specific heat per site $C/N$", "lanczos:entropy": "entropy per site $S/N$",
    "entanglement-entropy": "entanglement entropy $S$", "renyi-entropy": "Renyi entropy $S_2$",
    "entropy": "entanglement entropy $S$", "entropies": "entanglement entropy $S$",
    "magnetisation": r"magnetisation $\langle|m|\rangle$", "signed-magnetisation": r"magnetisation $\langle m\rangle$",
    "susceptibility": r"susceptibility $\beta N\langle m^2\rangle$", "binder": "Binder cumulant $U_4$",
    "spin-susceptibility": r"spin susceptibility $\chi/N$", "particles": r"particles $\langle N\rangle$",
    "compressibility": r"compressibility $\partial n/\partial\mu$", "total-sz": r"$\langle S^z\rangle$",
    "susceptibility-connected": r"susceptibility $\chi$ per site", "correlation-length": r"correlation length $\xi$",
    "overlap": r"overlap $\langle|q|\rangle$", "overlap-binder": "Binder cumulant of the overlap",
    "spin-glass-susceptibility": r"spin-glass susceptibility $N\langle q^2\rangle$",
    "overlap-correlation-length": r"correlation length of the overlap $\xi$",
    "staggered-magnetisation-2": r"staggered magnetisation $\langle m_{\rm st}^2\rangle$",
    "staggered-susceptibility": r"staggered susceptibility $\beta N\langle m_{\rm st}^2\rangle$",
    "staggered-binder": r"staggered Binder cumulant $U_4^{\rm st}$",
    "exchange-acceptance": "accepted exchanges, fraction", "clusters": "clusters per site",
    "largest-cluster": "largest cluster, share of sites", "temperature": "temperature $T$",
    "time": "time", "sz": r"$\langle S^z_i\rangle$", "sx": r"$\langle S^x_i\rangle$", "sy": r"$\langle S^y_i\rangle$",
    "density": r"density $\langle n_i\rangle$",
    "double-occupancy": r"double occupancy $\langle n_\uparrow n_\downarrow\rangle$",
    "bond-energies": "energy of a bond", "truncation-error": "truncation error", "lanczos:states": "number of states",
    "states": "bond dimension $M$",
    "spin-structure-factor": r"spin structure factor $S^{zz}(k)$", "structure-factor": r"structure factor $S^{zz}(k)$",
    "density-structure-factor": r"density structure factor $N(k)$",
    "momentum-distribution": r"momentum distribution $n(k)$",
    "spin-correlation": r"$\langle S^z_0 S^z_j\rangle$",
    "density-correlation": r"$\langle n_0 n_j\rangle - \langle n_0\rangle\langle n_j\rangle$",
    "loschmidt-echo": r"$|\langle\psi(0)|\psi(t)\rangle|^2$", "imbalance": "imbalance",
    "weight": r"weight $\int A(k,\omega)\,d\omega$",
    "conductivity": r"conductivity $\sigma_{\mathrm{reg}}(\omega)$",
    "entanglement-spectrum": r"entanglement spectrum $-\ln p$", "momentum-energies": r"lowest energy $E(k) - E_0$",
    "energy-drift": r"energy drift $|E(t) - E(0)|$", "staggered": r"staggered $\langle S^z\rangle$ per site",
    "residual": r"residual $|H\psi - E\psi|$", "norm": "norm",
}


# Of Ising and Potts models: what orders, and its symbol. A field has a sign, an antiferromagnet two sublattices.
ORDER = {"ferromagnet": {"magnetisation": r"\langle|m|\rangle", "binder": "U_4"},
         "in a field": {"signed-magnetisation": r"\langle m\rangle"},
         "antiferromagnet": {"signed-magnetisation": r"\langle m\rangle",
                             "staggered-magnetisation-2": r"\langle m_{\rm st}^2\rangle",
                             "staggered-binder": r"U_4^{\rm st}"}}
NOT_CONVERGED = 5  # exit code of the program


class Unusable(Exception):
    """Why a file cannot be plotted, as the end of a sentence that begins with its name."""


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def visible_length(label):
    """Letters of a label as it is drawn, about."""
    return len(re.sub(r"\\[a-zA-Z]+", "x", label).translate({ord(c): None for c in "${}_^,"}))


def with_unit(words, unit):
    return f"{words} [{unit}]" if unit else words


def measured(value, error=None, digits=8):
    """A number with its error in brackets, -1.4188(3); where that is unknown with the digits."""
    if error is None or not np.isfinite(error) or error <= 0:
        return f"{value:.{digits}g}"
    digits = max(0, 1 - int(np.floor(np.log10(error))))
    return f"{value:.{digits}f}({error * 10**digits:.0f})"


class Result:
    """An open result file or scan, with sentences about what is doubtful in it as `notes`."""

    def __init__(self, file, source):
        self.file, self.source, self.notes = file, source, []
        self.application = text(file["job"].attrs["application"])
        self.keys = {name: text(value) for name, value in file["job/keys"].attrs.items()}
        self.mixed = "is a mixture" in text(file.attrs.get("remark", ""))
        if self.mixed:
            self.notes.append("the state is a mixture, on which all values but energies depend (strata show has the "
                              "remark)")

    def key(self, name):
        return self.keys.get(name, "")

    def has(self, path):
        return path in self.file

    def value(self, name):
        return self.file[f"results/{name}/value"][:]

    def error(self, name, of="error"):
        path = f"results/{name}/{of}"
        return self.file[path][:] if path in self.file else np.full(len(self.value(name)), np.nan)

    def column(self, name):
        return self.file[f"series/{name}"][:]

    def columns(self, stem):
        """Names of the columns stem-0, stem-1, ..."""
        names = [n for n in self.file["series"] if n.startswith(stem + "-") and n[len(stem) + 1:].isdigit()]
        return sorted(names, key=lambda n: int(n[len(stem) + 1:]))

    def converged(self):
        """Whether the run met its tolerance, as far as the file tells."""
        numbers = self.file["results/converged/value"][:] if self.has("results/converged") else np.ones(1)
        return bool(numbers.all()) and int(self.file.attrs.get("exit_code", 0)) != NOT_CONVERGED

    def magnet(self):
        """The kind of order of an Ising or Potts model, a key of ORDER."""
        if float(self.key("model.coupling") or 1) < 0:
            return "antiferromagnet"
        return "in a field" if float(self.key("model.field") or 0) else "ferromagnet"

    def energy_unit(self):
        """The symbol of the coupling that is 1, or nothing."""
        if self.application == "swendsen-wang":
            return "J"
        model = self.key("model.type")
        name = ("t" if model in ELECTRONS else "j" if model in ("heisenberg", "xxz", "xx", "dipolar", "double-quantum")
                else "")
        return name and self.key("model." + name) == "1" and {"t": "t", "j": "J"}[name] or ""

    def unit(self, unit):
        """A unit of the file as it stands in a label."""
        energy = self.energy_unit()
        if "energy" in unit:
            if not energy:
                return ""
            unit = unit.replace("1/energy", r"\hbar/energy").replace("energy", energy)
        if self.application == "swendsen-wang" and self.key("model.coupling").startswith("-"):
            unit = unit.replace("J", "|J|")
        words = {"1": "", "sites": "sites", "lattice constant": "", "1/lattice constant": "", "radians": "rad",
                 "nat": "", "": ""}
        return words[unit] if unit in words else f"${unit}$"

    def label(self, name, unit=None):
        """Words, symbol and unit of a quantity of the results, the series or the points of a scan."""
        of = "lanczos" if self.key("run.task") == "thermal" else self.application
        words = QUANTITIES.get(f"{of}:{name}", QUANTITIES.get(name, name.replace("-", " ")))
        if unit is None:
            found = [p for p in (f"results/{name}", f"series/{name}", f"averages/{name}", f"scan/{name}")
                     if p in self.file]
            unit = text(self.file[found[0]].attrs.get("unit", "")) if found else ""
        return with_unit(words, self.unit(unit))

    def energy_label(self, words):
        return with_unit(words, self.unit("energy"))

    def extents(self):
        return [int(x) for x in self.key("lattice.extents").split(",") if x.strip().isdigit()]

    def sites(self):
        """Number of sites; 0 where the file does not tell."""
        for name in ("site-x", "sz", "density-up", "occupation", "occupation-up"):
            if f"results/{name}" in self.file:
                length = self.file[f"results/{name}"].attrs.get("row_length", 1)  # of lists over temperatures, too
                return int(length) if length > 1 else len(self.value(name))
        return number_of_sites(self.key("lattice.type"), self.key("lattice.geometry"), self.key("lattice.extents"))

    def positions(self):
        """x and y of the sites of a lattice in two dimensions, or None."""
        if "results/site-y" in self.file:
            return np.array([self.value("site-x"), self.value("site-y")]).T
        extents, lattice = self.extents(), self.key("lattice.type")
        number = np.arange(int(np.prod(extents)))
        if len(extents) == 2 and lattice in ("ladder", "cylinder"):  # rung by rung
            return np.array([number // extents[1], number % extents[1]]).T
        if len(extents) == 2 and lattice == "square":
            return np.array([number % extents[0], number // extents[0]]).T
        return None


def number_of_sites(lattice, geometry, extents):
    """Of values of these keys; 0 where they do not tell."""
    lattice = geometry if lattice == "all" else lattice
    extents = [int(float(x)) for x in extents.split(",") if x.strip()]
    if lattice in ("file", "custom", "positions") or not extents:
        return 0
    if lattice == "tilted":
        return extents[0] ** 2 + extents[1] ** 2
    return int(np.prod(extents)) * SITES_OF_A_CELL.get(lattice, 1)


def parameter_text(name, value):
    symbol = PARAMETERS.get(name, (OTHER_KEYS.get(name),))[0]
    if symbol is None:
        return f"{name.split('.')[-1]} {value}"
    try:
        value = f"{float(value):.8g}"
    except ValueError:
        if len(value) > 14:
            return f"${symbol}$ of a list"
    return f"${symbol} = {value}$"


def lattice_text(result):
    lattice, extents = result.key("lattice.type"), result.extents()
    if result.application == "swendsen-wang":
        scanned = result.has("scan/lattice.extents") and text(result.file["scan/lattice.extents"][0]).split(",")
        dimensions = len(extents or scanned or [])
        lattice = {2: "square lattice", 3: "cubic lattice"}.get(dimensions, "")
    if lattice in ("file", "all"):
        words = {"file": "lattice of a file", "all": "all pairs, " + result.key("lattice.geometry")}[lattice]
        return words + (f" of {result.sites()} sites" if result.sites() else "")
    return (f"{lattice} of {extents[0]}" if len(extents) == 1
            else " ".join([lattice, r" $\times$ ".join(map(str, extents))]).strip())


def conserves_numbers(result):
    """Whether the keys alone show that H conserves the numbers of particles, or Sz."""
    models = (*ELECTRONS, "heisenberg", "xxz", "xx", "dipolar")
    transverse = [result.key("model." + name) for name in ("field-x", "field-y", "disorder-axis")]
    return (result.key("model.type") in models and not result.key("model.terms")
            and all(value in ("", "0", "z") for value in transverse))


def sector_text(result):
    """Particles or Sz, momentum and symmetries, as far as they are given or follow from defaults."""
    parts, model = [], result.key("model.type")
    if result.application in ("lanczos", "dmrg") and result.key("run.task") != "evolution":
        numbers = ("sector.up", "sector.down", "sector.sz", "sector.particles")
        given = [parameter_text(k, result.key(k)) for k in numbers if result.key(k)]
        if result.key("sector.numbers") == "all" or (result.application, result.key("run.task")) == ("dmrg", "thermal"):
            given = ["all numbers"]
        elif result.has("scan") and any(k in result.file["scan"] for k in numbers):
            pass  # every point has its own
        elif not given and model in ELECTRONS and conserves_numbers(result):
            given = ["half filling"]
        elif not given and model in SPINS and conserves_numbers(result) and result.sites():
            half = result.sites() % 2 and float(result.key("model.spin") or 0.5) % 1
            given = ["$S^z = 1/2$" if half else "$S^z = 0$"]
        parts += given
    momentum = result.key("sector.momentum")
    if momentum:
        sizes = result.extents()
        numbers = momentum.split(",")
        fits = (momentum not in ("all", "auto") and len(numbers) == len(sizes)
                and result.key("lattice.type") in ("ring", "square"))
        values = [f"{2 * int(m) / n:.3g}" for m, n in zip(numbers, sizes)] if fits else []
        parts.append("all momenta" if momentum == "all" else rf"$k/\pi = {','.join(values)}$" if fits
                     else f"momentum {momentum}")
    for name in ("number-parity", "parity", "rotation", "reflection", "spin-inversion", "particle-hole"):
        if result.key("sector." + name) not in ("", "any"):
            parts.append(f"{name} {result.key('sector.' + name)}")
    return ", ".join(parts)


def model_text(result):
    if result.application == "kronecker":
        return "Kronecker target"
    if result.application == "swendsen-wang":
        return "Ising model" if result.key("model.states") in ("", "2") else "Potts model"
    return MODELS.get(result.key("model.type"), "")


def title(result):
    """Model, lattice, parameters and sector."""
    model = result.key("model.type")
    shown = [parameter_text(name, result.key(name)) for name, (_, hidden, models) in PARAMETERS.items()
             if result.key(name) not in ("", hidden) and (not models or model in models)]
    if model != "terms" and result.key("model.terms"):
        shown.append("and " + result.key("model.terms").split("/")[-1])
    return ", ".join(part for part in (model_text(result), lattice_text(result), *shown, sector_text(result)) if part)


def facts(result):
    """The second line of a title: numbers of the result, and how it was obtained."""
    parts = []
    if result.key("run.tempering"):
        parts.append(f"parallel tempering at {len(result.value('temperature'))} temperatures")
    elif result.application == "swendsen-wang":
        names = {"energy": "e", "specific-heat": "C/N", **ORDER[result.magnet()]}
        shown = {name: result.error(name)[0] for name in names if result.has(f"results/{name}")}
        parts += [f"${names[name]} = {measured(result.value(name)[0], error, 4)}$" for name, error in shown.items()]
        if unknown := sum(not np.isfinite(error) for error in shown.values()):
            parts.append(f"errors unknown of {unknown} of {len(shown)} numbers")
        if np.isfinite(tau := result.error("energy", "tau")[0]):
            parts.append(rf"$\tau_e = {tau:.3g}$ observations")
    elif result.application == "trotter":
        parts += ["initial state " + result.key("state.initial").replace("-", " "),
                  rf"$\Delta t = {result.key('run.step')}$"]
        if result.key("run.samples") not in ("", "1"):
            parts.append(f"{result.key('run.samples')} random states")
    elif result.key("run.task") == "spectrum":
        operator = result.key("spectrum.operator")
        parts += [{"observable": "operator spectrum",
                   "current": "optical conductivity"}.get(operator, operator + " spectrum"),
                  (r"deviation $\sigma" if result.application == "dmrg" else r"half width $\eta")
                  + f" = {result.key('spectrum.broadening')}$"]
    elif result.key("run.task") == "thermal":
        tensors, exact = result.application == "dmrg", result.key("thermal.method") == "all-levels"
        parts.append("purified states" if tensors else "all levels" if exact else
                     f"{result.key('thermal.samples')} random vectors")
        if not tensors and result.key("sector.numbers") != "all":
            parts.append("fixed particle numbers")
        elif result.has("results/particles"):
            parts.append(rf"$\mu = {result.key('thermal.chemical-potential') or 0}$")
    elif result.key("run.task") == "evolution":
        parts.append(rf"$\Delta t = {result.key('evolution.step')}$")
    elif result.has("results/energy") and result.application in ("lanczos", "dmrg"):
        bound = "results/error-estimate/value"  # of renormalization
        error = result.file[bound][0] if result.has(bound) else result.error("energy")[0]
        energy, unit = measured(result.value("energy")[0], error), result.energy_unit()
        parts.append(rf"$E_0 = {energy}{chr(92) + ',' + unit if unit else ''}$")
        if result.application == "lanczos" and result.has("results/double-occupancy"):
            parts.append(rf"$\langle n_\uparrow n_\downarrow\rangle = {result.value('double-occupancy')[0]:.6g}$")
        if result.application == "dmrg":
            parts.append(f"$M = {result.value('states')[0]:.0f}$")
    if not result.converged():
        parts.insert(0, "not converged")
    if result.mixed:
        parts.append("a mixture of states")
    if not result.file.attrs["complete"]:
        parts.append(f"after {result.file.attrs['steps']} of {result.file.attrs['total_steps']} steps")
    return ", ".join(parts)


def applies(name, result):
    """Whether a key says something about the model of a result."""
    models = PARAMETERS.get(name, ("", "", ()))[2]
    return not models or result.key("model.type") in models


def difference_text(name, result):
    value = result.key(name)
    if name == "model.type":
        return MODELS.get(value, value).removesuffix(" model")
    if name == "lattice.extents":
        return f"$L = {value}$" if value.isdigit() else r" $\times$ ".join(value.split(","))
    if name in ("lattice.type", "spectrum.operator", "state.initial"):
        return value.replace("-", " ")
    return parameter_text(name, value)


def differences(results):
    """A label for every file: the keys in which they differ, those of the physics first; their names where that is
    long."""
    kinds = {result.application for result in results}
    ignored = ("output.", "backend.", "checkpoint.", "run.wall-time", "run.stall", "run.observables", "run.cut",
               "scan.")
    names = sorted({name for result in results for name in result.keys if not name.startswith(ignored)})
    varied = [n for n in names if len({result.key(n) for result in results if applies(n, result)}) > 1]
    physics = [n for n in varied if not n.startswith("run.") or n == "run.task"]
    best = physics or varied if len(kinds) == 1 else [n for n in physics if all(n in result.keys for result in results)]
    labels = [", ".join(([result.application] if len(kinds) > 1 else []) +
                        [difference_text(n, result) for n in best if result.key(n) and applies(n, result)])
              for result in results]
    if any(not label or visible_length(label) > 36 for label in labels) or len(set(labels)) < len(labels):
        return [result.source.replace("\\", "/").split("/")[-1].removesuffix(".h5") for result in results]
    return labels


def shared_title(results):
    """What the titles of several files have in common."""
    parts = [title(result).split(", ") for result in results]
    return ", ".join(part for part in parts[0] if all(part in other for other in parts)) or "several runs"
