# SPDX-License-Identifier: BSD-3-Clause
"""Results, jobs and states of Strata in Python. Guide: docs/python.md."""

from .digest import StrataFileError
from .jobs import Job, Key, Plan, keys, measure, resume
from .program import StrataError
from .results import Quantity, Result, open_result, open_results
from .states import ising_spins, matrix_product_state, potts_states, spin_state
from .vectors import read_vector, spin_amplitudes

__all__ = ["Job", "Key", "Plan", "Quantity", "Result", "StrataError", "StrataFileError", "ising_spins", "keys",
           "matrix_product_state", "measure", "open_result", "open_results", "potts_states", "read_vector", "resume",
           "spin_amplitudes", "spin_state"]
