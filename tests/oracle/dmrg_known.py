# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of dmrg whose sweeps once ended in a wrong state, or claimed too small an error: (name, keys, levels[, bonds and
sites]). dmrg_oracle.py --known runs them, --known --exact computes the levels again. Levels of long chains of easy axis
are those of 16 sites and -1/4 for every further bond."""

import math


def heisenberg(**keys):
    """up: the sum of m + S over all sites."""
    if "up" in keys:
        sites = math.prod(int(n) for n in str(keys["extents"]).split(","))
        keys["sz"] = keys.pop("up") - float(keys.get("spin", 0.5)) * sites
    return {"model.type": "heisenberg", **named(keys)}


def hubbard(**keys):
    return {"model.type": "hubbard", **named({"u": 4, **keys})}


SECTIONS = {"type": "lattice", "extents": "lattice", "up": "sector", "down": "sector", "sz": "sector"}
OF_RUN = {"tolerance", "seed", "states", "start_states", "max_states", "products", "schedule", "noise", "cutoff"}


def named(keys):
    return {f"{SECTIONS.get(key, 'run' if key in OF_RUN else 'model')}.{key.replace('_', '-')}": str(value)
            for key, value in keys.items()}


WALL = -3.252506281447  # one domain wall of J = 0.1 on 16 sites
FM = {"extents": 16, "j": 0.1, "jz": -1}
RUNGS = {"type": "ladder", "extents": "3,2", "t": 1, "t2": 1, "u": 8, "up": 1, "down": 5}
RUNGS_LEVEL = -1.597181280
LADDER = {"type": "ladder", "extents": "4,2", "t2": -1, "tolerance": "1e-6"}
TWO_CHAINS = [(i, i + 1, 1) for i in (*range(7), *range(8, 15))]

KNOWN = [
    ("1 J 0.1", heisenberg(**FM), [WALL]),
    ("1 J 0.1, seed 2", heisenberg(**FM, seed=2), [WALL]),
    ("1 J 0.1, seed 3", heisenberg(**FM, seed=3), [WALL]),
    ("1 J 0.05", heisenberg(**FM | {"j": 0.05}), [-3.250625391114]),
    ("1 three states", heisenberg(**FM, states=3), [WALL, WALL, -2.757506281447]),
    ("1 L 24, J 0.3", heisenberg(extents=24, j=0.3, jz=-1), [-5.27303]),
    ("1 L 32, J 0.3", heisenberg(extents=32, j=0.3, jz=-1), [-7.27303]),
    *((f"1 L 32, J 0.5, seed {seed}", heisenberg(extents=32, j=0.5, jz=-1, seed=seed), [-7.31699])
      for seed in (1, 2, 3)),
    ("1 L 32, J 0.5, noise", heisenberg(extents=32, j=0.5, jz=-1, noise="1e-2,1e-2,1e-3,1e-3,1e-4,1e-5,0"), [-7.31699]),
    ("1 L 32, J 0.5, schedule", heisenberg(extents=32, j=0.5, jz=-1, schedule="100,100,200,200,200,200,200,200"),
     [-7.31699]),
    *((f"2 J 0, L {n}", heisenberg(extents=n, j=0, jz=-1), [-(n - 1) / 4 + 0.5]) for n in (8, 12, 16, 24, 32)),
    ("2 seven states", heisenberg(extents=7, j=0, jz=1, field="1.234,-1.13,1.959,-1.456,4.203,1.105,-5.051", up=1),
     [-4.483]),
    *((f"2 t 0, u 0, L {n}",
       hubbard(extents=n, t=0, u=0, potential=",".join(["5"] * (n // 2) + ["0"] * (n // 2)), up=n // 2, down=n // 2),
       [0.0]) for n in (8, 12, 16)),
    ("2 t 0, u 10", hubbard(extents=16, t=0, u=10, potential=",".join(map(str, range(16))), up=4, down=4), [28.0]),
    ("2 two chains", hubbard(u=0, potential=",".join(["0"] * 8 + ["-6"] * 8), up=8, down=8), [-96.0], TWO_CHAINS, 16),
    ("2 a loose site", hubbard(u=3, potential="0,0,-1,0,0,0,0", start_states=1), None,
     [(0, 1, 1), (1, 2, 1), (2, 3, 0), (3, 4, 1), (4, 5, 0), (5, 6, 1)], 7),
    ("2 a star", hubbard(t=-1, u=-1.5, potential="0.3,-0.7,1,0.2,-1,0.4,0.1,-0.5", schedule="100,200,300,300,300,300"),
     None, [(5, 0, 1), (5, 1, 1), (5, 3, 1), (5, 6, 1), (5, 7, 1), (2, 4, 0)], 8),
    *((f"2 rungs, start {m}, seed {seed}", hubbard(**RUNGS, start_states=m, seed=seed), [RUNGS_LEVEL])
      for m, seed in ((64, 1), (8, 1), (8, 2), (8, 3), (8, 4), (16, 1))),
    ("2 rungs, noise", hubbard(**RUNGS, noise="1e-2,1e-2,1e-3,1e-4,0"), [RUNGS_LEVEL]),
    ("2 rungs, schedule", hubbard(**RUNGS, schedule="8,40,40,40,40,40"), [RUNGS_LEVEL]),
    ("2 rungs, u 30", hubbard(**LADDER, u=30, start_states=16), [-1.004668279752]),
    ("2 rungs, u 100", hubbard(**LADDER, u=100, start_states=16), [-0.305419907919]),
    ("2 rungs, u 300, start 8", hubbard(**LADDER, u=300, start_states=8), [-0.101928121366]),
    ("2 rungs, u 300, start 16", hubbard(**LADDER, u=300, start_states=16), [-0.101928121366]),
    ("2 one hole", hubbard(type="ladder", extents="12,2", t2=-1, u=100, up=23, down=1, seed=44), [-0.157520]),
    ("2 cylinder", hubbard(type="cylinder", extents="6,3", t2=1, u=8, v=-1, up=17, down=17, start_states=32, seed=50),
     [4.448340]),
    ("2 spins", heisenberg(type="ladder", extents="8,2", j=1, jz=-1, j2=1, up=3, start_states=32, seed=34),
     [-7.178653]),
    ("3 u 1e5", hubbard(type="ladder", extents="4,2", t=-1, t2=1, u=1e5, start_states=2, tolerance="1e-6"),
     [-3.05830e-4]),
    ("3 spin 1, cutoff", heisenberg(extents=8, spin=1, j2=0.3, anisotropy=-1, up=12, cutoff="1e-10",
                                    schedule="20,200,300,300,300,300", seed=302487), [-10.8428857203302]),
    ("3b slow", hubbard(extents=24, u=4, t2=0.5, v=-1, up=23, down=1, tolerance="1e-7", seed=22), [-24.57084551]),
    ("3b slow, one state at first",
     hubbard(extents=24, u=6.856, t2=0.45, v=-1.243, up=23, down=1, tolerance="1e-6", start_states=1,
             seed=119320730957), [-29.5396406975]),
    ("3b slow, two sweeps",
     hubbard(extents=24, u=6.263, t2=0.566, v=-0.84, up=23, down=1, schedule="12,12", seed=799239562801),
     [-20.4771060616]),
    ("4 u 1000", hubbard(**LADDER, u=1000, start_states=8), [-0.03058259]),
    ("5 two states",
     heisenberg(type="cylinder", extents="2,4", spin=1, j2=0.5, field=0.25, anisotropy=1, up=2, states=2,
                start_states=2, products=5, tolerance="1e-10"), [8.95651, 9.59113]),
    ("6 electrons", hubbard(extents=7, t2=-0.5, u=8, up=5, down=6, schedule="2,2,4,4,8,8"), None),
    ("6 spin 1 in fields", heisenberg(type="ladder", extents="4,2", spin=1, field="0.3,-0.8,0.5,0.1,-0.4,0.9,-0.6,0.2",
                                      schedule="3,3,3,3,6,12"), None),
    ("6 cylinder", heisenberg(type="cylinder", extents="5,2", schedule="2,2,4,4,8,8"), None),
    ("6 free electrons", hubbard(extents=8, u=0, schedule="6,6,6,6"), None),
    ("9 u is not in units of t", hubbard(extents=2, t=2, u=4), [-2.472136]),
    ("9 t 1e-310", hubbard(extents=6, t="1e-310", t2=1, u=4), None),
    ("9 t 0, t2 1", hubbard(extents=6, t=0, t2=1, u=4), None),
    ("9 two states, few kept", hubbard(extents=8, states=2, max_states=24), None),
]
