#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sectors of the exchange of particles and holes: what they exclude."""

import unittest

from program import ProgramTest


class Refusals(ProgramTest):
    def test_what_an_exchange_of_particles_and_holes_excludes_is_refused(self):
        job = self.write("a.ini", "application = lanczos\n[lattice]\ntype = ring\nextents = 8\n[model]\n"
                                  "v = 0\n[sector]\nparticle-hole = odd\n")
        fermions = "--model.type=fermions"
        for overrides, words in ((("--run.task=thermal", "--sector.momentum=all"), ["Leave sector.particle-hole out"]),
                                 (("--run.task=levels", "--sector.numbers=all"), ["that of half filling; leave it"]),
                                 (("--sector.up=3",), ["half filling", "sector.up = 4 and sector.down = 4"]),
                                 (("--lattice.extents=7",), ["7 sites are an odd number; leave it out"]),
                                 (("--model.t2=0.3",), ["of the same sublattice. Leave the key out"]),
                                 (("--model.flux=0.3",), ["amplitude is not real. Leave the key out"]),
                                 (("--model.potential=0,1,0,0,0,0,0,0",), ["the energy of site 1", "Leave the key"]),
                                 (("--lattice.type=chain", "--model.v=1"), ["changes the energy of site 1"]),
                                 (("--model.u=1,2,1,2,1,2,1,2",), ["the interaction of site 1", "Leave the key out"]),
                                 (("--sector.momentum=0", "--backend.device=cuda"), ["signs that devices do not take"]),
                                 ((fermions, "--sector.momentum=0"), ["does not commute with a translation",
                                                                      "Leave one of both keys out"]),
                                 (("--run.task=spectrum", "--spectrum.operator=removal"), ["leave the key out"]),
                                 (("--run.task=spectrum", "--spectrum.operator=current"),
                                  ["holes carry the opposite current", "Leave sector.particle-hole out"])):
            self.refused("run", job, *overrides, says=words)


if __name__ == "__main__":
    unittest.main(verbosity=2)
