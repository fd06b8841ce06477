#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Multiplications by H of models with any terms, on one core: this program against QuSpin.

    perf/peers/lanczos_peers.py --install                      makes the environment of the peer (build/lanczos_peers)
    perf/peers/lanczos_products_peers.py --output perf/results/lanczos-products-peers

Transverse Ising ring, XYZ ring, Kitaev's honeycomb, a t-J ring with two holes, and 4 x 6 Heisenberg spins at momentum
0,0. QuSpin takes all states, this program those of one parity, half of them, of the XYZ ring and the honeycomb. The
lowest energies are compared.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from peers import HERE, ONE_THREAD, arguments, load_of_machine, parser, print_table

CASES = {
    "ising-22": {"lattice.type": "ring", "lattice.extents": "22", "model.type": "xyz", "model.jx": "0", "model.jy": "0",
                 "model.jz": "1", "model.field-x": "0.5"},
    "xyz-22": {"lattice.type": "ring", "lattice.extents": "22", "model.type": "xyz", "model.jx": "1",
               "model.jy": "0.7", "model.jz": "0.4", "sector.number-parity": "odd"},
    "kitaev-24": {"lattice.type": "none", "model.type": "terms", "model.terms": "kitaev.txt",
                  "sector.number-parity": "odd"},
    "t-j-16": {"lattice.type": "ring", "lattice.extents": "16", "model.type": "t-j", "model.t": "1", "model.j": "0.4",
               "sector.up": "7", "sector.down": "7"},
    "heisenberg-24": {"lattice.type": "square", "lattice.extents": "4,6", "model.type": "heisenberg", "model.j": "1",
                      "sector.sz": "0", "sector.momentum": "0,0"},
}


def honeycomb(columns, rows):
    """Bonds (axis, i, j) of a torus: a site A and a site B in a cell, z within it, x and y to two neighbours."""
    def site(a, b, of):
        return 2 * (a % columns + columns * (b % rows)) + of
    return [bond for a in range(columns) for b in range(rows)
            for bond in (("z", site(a, b, 0), site(a, b, 1)), ("x", site(a, b, 0), site(a - 1, b, 1)),
                         ("y", site(a, b, 0), site(a, b - 1, 1)))]


BONDS = honeycomb(4, 3)


def peer_run(args, case):
    text = "".join(f"{axis} {i} {j}\n" for axis, i, j in BONDS)
    done = subprocess.run([args.python, HERE / "lanczos_products.py", case], input=text, capture_output=True, text=True,
                          env={**ONE_THREAD}, check=False)
    if done.returncode != 0:
        sys.exit(f"QuSpin ended with {done.returncode}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def own_run(args, case):
    program = str(pathlib.Path(args.program).resolve())
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        folder.joinpath("kitaev.txt").write_text("".join(f"-1 S{axis} {i} S{axis} {j}\n" for axis, i, j in BONDS))
        sections = {}
        for key, value in (CASES[case] | {"run.vectors": "no", "run.tolerance": "1e-9"}).items():
            section, _, name = key.partition(".")
            sections.setdefault(section, []).append(f"{name} = {value}\n")
        text = "application = lanczos\n" + "".join(f"[{s}]\n" + "".join(lines) for s, lines in sections.items())
        folder.joinpath("job.ini").write_text(text)
        done = subprocess.run([program, "run", "job.ini", "--backend.threads=1", "--quiet"], cwd=directory, check=False,
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"strata ended with {done.returncode}: {done.stderr[-2000:]}")
        shown = subprocess.run([program, "show", "--json", "out/job.h5"], cwd=directory, check=True,
                               capture_output=True, text=True)
    told = json.loads(shown.stdout)
    return {"energy": told["observables"]["energy"]["value"],
            "step": told["performance"]["seconds_per_step"]}


def rows(args):
    for case in args.cases.split(","):
        own = [own_run(args, case) for _ in range(args.rounds)]
        peer = peer_run(args, case)
        own += [own_run(args, case) for _ in range(args.rounds)]
        step = min(r["step"] for r in own)
        milliseconds = [f"{1e3 * seconds:.1f}" for seconds in (step, peer["stored"], peer["free"])]
        yield [case, str(peer["dimension"]), *milliseconds, f"{peer['matrix']:.1f}", f"{peer['bytes'] / 1e9:.1f}",
               f"{peer['stored'] / step:.1f}", f"{own[0]['energy'] - peer['energy']:+.0e}"]


def main():
    options = parser(__doc__, "lanczos_peers")
    options.add_argument("--cases", default=",".join(CASES))
    args = arguments(options, "lanczos_requirements.txt", "--no-deps")
    print_table(args, f"Milliseconds of one multiplication by H on one core; {load_of_machine()}\n\n"
                      "| case | states of QuSpin | strata, whole step | QuSpin, stored matrix | without matrix "
                      "| its matrix made in s | its peak GB | stored / strata | difference of lowest energies |\n"
                      + 9 * "|---" + "|\n", rows(args))


if __name__ == "__main__":
    main()
