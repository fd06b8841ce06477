# SPDX-License-Identifier: BSD-3-Clause
"""Panels of plot.py: spectra of exact diagonalization, and of renormalization."""

import re

import numpy as np

from plot_axes import Panel, around_zero, image, integer_ticks, letters, never
from plot_labels import Unusable
from plot_states import draw_over_k, in_plane, on_square, wave_vectors

MOST_CUT = 0.1  # share of the weight of a spectrum that may lie outside of its energies, in tails of the Lorentzians


def wave_columns(result):
    """Names of the intensities at wave vectors, of off-diagonal spectra of their real parts."""
    return [name for name in result.file["series"] if re.match("momentum-[0-9]", name)]


def in_results(result):
    """Whether intensities are a list over wave vectors and energies: those of dmrg, whose series is one over times."""
    return result.has("results/intensity")


def energies_of(result):
    return result.value("omega") if result.has("results/omega") else result.column("omega")


def has_energies(result):
    return result.has("results/omega") or result.has("series/omega")


def waves_of(result):
    """Number of wave vectors of a spectrum, 0 of an operator without one."""
    return len(result.value("weight")) if in_results(result) else len(wave_columns(result))


def is_off_diagonal(result):
    return bool(result.key("spectrum.second"))


def has_waves(result):
    return waves_of(result) > 1


def is_one_curve(result):
    return result.has("series/omega") and waves_of(result) < 2  # of lanczos


def curve_of(result):
    """The column of a spectrum without wave vectors."""
    return "conductivity" if result.has("series/conductivity") else "intensity"


def imaginary(result, name):
    return result.column(re.sub("^[a-z]+", r"\g<0>-imaginary", name))


def size_of(result, name):
    """An intensity, of off-diagonal spectra its absolute value."""
    return np.hypot(result.column(name), imaginary(result, name)) if is_off_diagonal(result) else result.column(name)


def spectrum_columns(result):
    """Intensities [wave vector][omega], their wave vectors, and the numbers m of these."""
    if in_results(result):
        intensity = result.value("intensity").reshape(waves_of(result), -1)
        given = result.key("spectrum.momenta")
        return intensity, *wave_vectors(result), given.split(",") if given else list(map(str, range(len(intensity))))
    names = wave_columns(result)
    numbers = [re.sub("(?<=[^-])-", ",", n.removeprefix("momentum-")) for n in names]
    if not names:
        raise Unusable("has no spectrum of a wave vector")
    kx, ky = wave_vectors(result)
    if len(kx) != len(names):
        kx, ky = None, None
        if result.key("lattice.type") == "ring":
            kx = 2 * np.pi * np.array([float(n) for n in numbers]) / result.extents()[0]
    return np.array([size_of(result, n) for n in names]), kx, ky, numbers


def path(kx, ky):
    """Wave vectors on the way (0,0), (pi,0), (pi,pi), (0,0): rows, places on the way, and the corners that are
    there."""
    x, y = (np.abs(k / np.pi - 2 * np.round(k / (2 * np.pi))) for k in (kx, ky))
    place = np.full(len(x), np.nan)
    for use, where in ((np.isclose(y, 0), x), (np.isclose(x, 1), 1 + y), (np.isclose(x, y), 2 + np.sqrt(2) * (1 - x))):
        place = np.where(use & np.isnan(place), where, place)
    rows = np.flatnonzero(~np.isnan(place))
    places, first = np.unique(np.round(place[rows], 9), return_index=True)
    return rows[first], places


def in_order(result):
    """Places of wave vectors on an axis, their intensities, ticks (places and names) and the label of the axis."""
    intensity, kx, ky, numbers = spectrum_columns(result)
    x = np.arange(len(numbers))
    if kx is None:
        return x, intensity, (x, numbers), "wave numbers $m$"
    if ky is None:
        x, intensity = around_zero(kx, intensity)
        return x, intensity, (np.linspace(-1, 1, 5), None), r"$k/\pi$"
    if on_square(result) and len(path(kx, ky)[0]) > 2:
        rows, x = path(kx, ky)
        corners = [0, 1, 2, 2 + np.sqrt(2)]  # back at (0,0)
        return (np.append(x, corners[-1]), np.concatenate([intensity[rows], intensity[rows[:1]]]),
                (corners, ["(0,0)", "(1,0)", "(1,1)", "(0,0)"]), r"$(k_x, k_y)/\pi$")
    return x, intensity, (x, [f"({a / np.pi:.2g},{b / np.pi:.2g})" for a, b in zip(kx, ky)]), r"$(k_x, k_y)/\pi$"


def omega_label(result):
    removal = result.key("spectrum.operator") == "removal"
    return result.energy_label(r"$-\omega$, energy of the hole" if removal else r"$\omega$")


def share_outside(result):
    """Share of the weight of a spectrum that lies outside of its energies, the tails of its Lorentzians among it."""
    omega, waves = energies_of(result), waves_of(result)
    intensity = spectrum_columns(result)[0] if waves else result.column(curve_of(result))[np.newaxis]
    widths = np.gradient(omega) if len(omega) > 1 else np.zeros(1)
    widths[[0, -1]] /= 2
    if in_results(result):
        return 1 - (intensity @ widths).sum() / result.value("weight").sum()
    return 1 - (intensity @ widths).sum() / result.value(
        "weight-sum" if waves else {"intensity": "weight"}.get(curve_of(result), "conductivity-weight")).sum()


def note_cut(results, axes):
    """Says on the picture, and in a note, which spectra are cut. Returns whether there are any."""
    cut = [(result.key("spectrum.operator"), share) for result in results
           if not is_off_diagonal(result) and (share := share_outside(result)) > MOST_CUT]
    for operator, share in cut:
        name = {"observable": "the operator", "current": "the conductivity"}.get(operator, operator)
        sentence = f"{share:.0%} of the weight of {name} lies outside of spectrum.omega"
        axes.plot([], [], " ", label=sentence)
        results[0].notes.append(sentence)
    return bool(cut)


def symbol_of(result):
    name = {"spin": "S^{zz}", "density": "N", "observable": "S_O"}.get(result.key("spectrum.operator"), "A")
    if is_off_diagonal(result):
        return r"$|S_{AB}(k,\omega)|$" if has_waves(result) else r"$S_{AB}(\omega)$"
    return rf"${name}(k,\omega)$" if waves_of(result) else rf"${name}(\omega)$"


def draw_spectrum(result, axes, look):
    """Intensity over wave vector and energy. Of removals the energy is that of the hole, -omega of A(k, omega)."""
    x, intensity, (places, names), label = in_order(result)
    image(axes, x, energies_of(result), intensity.T, symbol_of(result) + result_unit(result), floor=True)
    axes.set_xticks(places, names, rotation=90 if names and len(names) > 8 else 0,
                    fontsize=letters(7) if names and len(names) > 8 else None)
    axes.set_ylim(*filled(energies_of(result), intensity))
    axes.set_xlabel(label)
    axes.set_ylabel(omega_label(result))
    draw_continuum(result, axes, x)
    note_cut([result], axes)


def draw_continuum(result, axes, x):
    """Edges of the two-spinon continuum of the infinite Heisenberg chain (J. des Cloizeaux, J. J. Pearson, Phys. Rev.
    128, 2131 (1962)), over k / pi, where the spectrum is that of Sz of a ring or chain without a field."""
    plain = {"spectrum.operator": "spin", "model.type": "heisenberg", "model.spin": "0.5", "model.terms": "",
             **dict.fromkeys(("model.j2", "model.field", "model.disorder"), "0")}
    if any(result.key(key) != value for key, value in plain.items()) or float(result.key("model.j")) <= 0 or \
            result.key("sector.sz") not in ("", "0") or result.key("lattice.type") not in ("ring", "chain"):
        return
    k, j = np.pi * np.linspace(min(x), max(x), 200), float(result.key("model.j"))
    lower, upper = j * np.pi / 2 * abs(np.sin(k)), j * np.pi * abs(np.sin(k / 2))
    axes.plot(k / np.pi, lower, color="0.7", lw=0.8, ls="--", label="two-spinon continuum")
    axes.plot(k / np.pi, upper, color="0.7", lw=0.8, ls="--")


def whole_spectrum(results):
    """Of a removal and an addition of one ground state: draws both over omega from the energy of that state, removals
    below; mu only where no band is cut."""
    found = {result.key("spectrum.operator"): result for result in results}
    same = ("model.", "lattice.", "sector.")
    if set(found) != {"removal", "addition"} or len(results) != 2 or any(
            results[0].key(k) != results[1].key(k) for k in results[0].keys if k.startswith(same)):
        return None

    def draw(result, axes, look):
        (x, below, (places, names), label), (_, above, _, _) = in_order(found["removal"]), in_order(found["addition"])
        left, right = -energies_of(found["removal"])[::-1], energies_of(found["addition"])
        omega = np.arange(min(left[0], right[0]), max(left[-1], right[-1]),
                          min(np.diff(left).min(), np.diff(right).min()))
        if below.shape[0] != above.shape[0]:
            raise Unusable("has other wave vectors than the other file")
        intensity = np.array([np.interp(omega, left, r[::-1], 0, 0) + np.interp(omega, right, a, 0, 0)
                              for r, a in zip(below, above)])
        image(axes, x, omega, intensity.T, r"$A(k,\omega)$" + result_unit(result), floor=True)
        axes.set_xticks(places, names)
        axes.set_ylim(*filled(omega, intensity))
        axes.set_xlabel(label)
        axes.set_ylabel(result.energy_label(r"$\omega$, removals and additions"))
        top, bottom = -nearest_peak(-left[::-1], below), nearest_peak(right, above)
        if not note_cut([found["removal"], found["addition"]], axes) and top < bottom:
            axes.axhline((top + bottom) / 2, color="0.7", lw=1, ls="--",
                         label=rf"$\mu = {(top + bottom) / 2:.3g}$, centre of the gap")
            axes.set_ylim(min(axes.get_ylim()[0], top - 0.3), max(axes.get_ylim()[1], bottom + 0.3))
    return draw


def nearest_peak(omega, intensity):
    """The smallest energy at which a spectrum [wave vector][omega] has a maximum of at least a hundredth of the
    largest."""
    inner = intensity[:, 1:-1]
    peak = (inner > intensity[:, :-2]) & (inner >= intensity[:, 2:]) & (inner > 0.01 * intensity.max())
    return omega[1:-1][peak.any(axis=0)].min(initial=np.inf)


def result_unit(result):
    unit = result.energy_unit()
    return f" [$1/{unit}$]" if unit else ""


def filled(omega, intensity):
    """The range of energies with more than a hundredth of the largest intensity, a little widened."""
    use = omega[intensity.max(axis=0) > 0.01 * intensity.max()]
    return max(omega[0], use[0] - 0.3), min(omega[-1], use[-1] + 0.3)


def draw_curves(result, axes, look):
    """One curve for each wave vector, those of k and -k once, shifted by the same step."""
    x, intensity, (places, names), label = in_order(result)
    if names is None:
        intensity, x = intensity[x > -1e-9], x[x > -1e-9]
    named = (dict(zip(np.round(places, 6), names or [])) if names
             else {value: f"{value:.3g}" for value in np.round(x, 6)})
    omega, step = energies_of(result), 0.6 * intensity.max()
    for number, curve in enumerate(intensity):
        axes.plot(omega, curve + number * step, color=look.colour, lw=0.9, zorder=len(x) - number)
    axes.set_yticks(step * np.arange(len(x)), [named.get(value, "") for value in np.round(x, 6)],
                    fontsize=letters(8 if len(x) < 14 else 6))
    axes.set_xlim(*filled(omega, intensity))
    axes.set_xlabel(omega_label(result))
    axes.set_ylabel("intensity at " + label)


def draw_intensity(result, axes, look):
    """The spectrum of one wave vector, or of an operator without one."""
    omega = energies_of(result)
    name = wave_columns(result)[0] if waves_of(result) else curve_of(result)
    intensity = result.column(name)
    axes.plot(omega, intensity, color=look.colour, lw=1,
              label="real part" if is_off_diagonal(result) and not look.label else look.label)
    axes.set_xlim(*filled(omega, size_of(result, name)[np.newaxis]))
    if is_off_diagonal(result):
        axes.plot(omega, imaginary(result, name), color=look.colour, lw=1, ls="--",
                  label=None if look.label else "imaginary part")
        axes.legend()
    axes.set_xlabel(omega_label(result))
    m = spectrum_columns(result)[3][0] if waves_of(result) else ""
    if curve_of(result) == "conductivity" and not waves_of(result):
        axes.set_ylabel(result.label("conductivity", "e^2/hbar"))
    else:
        axes.set_ylabel(symbol_of(result) + (f" at $m = {m}$" if m else "") + result_unit(result))
    note_cut([result], axes)


def draw_temperatures(result, axes, look):
    """Spectra at temperatures with their errors: of one wave vector, the middle one of several, or the conductivity."""
    waves = wave_columns(result)
    name = waves[len(waves) // 2] if waves else curve_of(result)
    error = name.replace("momentum", "momentum-error") if waves else name + "-error"
    temperatures, omega = result.column("temperature"), energies_of(result)
    for number, temperature in enumerate(dict.fromkeys(temperatures)):
        rows = temperatures == temperature
        value, half = result.column(name)[rows], np.nan_to_num(result.column(error)[rows])
        axes.plot(omega[rows], value, color=f"C{number}", lw=1, label=f"$T = {temperature:.3g}$")
        axes.fill_between(omega[rows], value - half, value + half, color=f"C{number}", alpha=0.3, lw=0)
        if is_off_diagonal(result):
            axes.plot(omega[rows], imaginary(result, name)[rows], color=f"C{number}", lw=1, ls="--",
                      label=None if number else "imaginary parts")
    axes.set_xlabel(omega_label(result))
    if name == "conductivity":
        axes.set_ylabel(result.label("conductivity", "e^2/hbar"))
    else:
        m = name.removeprefix("momentum-")
        axes.set_ylabel(symbol_of(result) + (f" at $m = {m}$" if waves else "") + result_unit(result))
    axes.legend()


def draw_sites_spectrum(result, axes, look):
    """S(x, omega) of correlations with one site."""
    intensity = result.value("site-intensity").reshape(len(result.value("site-weight")), -1)
    omega = energies_of(result)
    image(axes, np.arange(len(intensity)), omega, intensity.T, r"$S(x,\omega)$" + result_unit(result), centred=True)
    integer_ticks(axes.xaxis)
    axes.set_ylim(*filled(omega, abs(intensity)))
    axes.set_xlabel("site")
    axes.set_ylabel(omega_label(result))


def at_zero(result):
    return not result.has("series/temperature")


SPECTRUM = [
    Panel("spectrum", draw_spectrum, (has_energies, has_waves, at_zero), map=True, together=whole_spectrum),
    Panel("curves", draw_curves, (has_energies, has_waves, at_zero), map=True),
    Panel("intensity", draw_intensity, (is_one_curve, at_zero)),
    Panel("sites", draw_sites_spectrum, ("results/site-intensity",), lambda r: not has_waves(r), map=True),
    Panel("weight", draw_over_k("weight"), ("results/weight", "results/wave-vector-x", at_zero), never, in_plane),
    Panel("temperatures", draw_temperatures, ("series/temperature", "series/omega")),
]
