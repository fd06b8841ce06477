# SPDX-License-Identifier: BSD-3-Clause
"""The Python packages that a script needs. An interpreter that lacks one leaves the script to that of STRATA_PYTHON or,
without that, of the system; if that lacks one, too, a sentence says so."""

import importlib
import os
import shutil
import sys

SYSTEM = "/usr/bin/python3"
PASSED_ON = "STRATA_PYTHON_PASSED_ON"  # in the environment of a script that was passed on
FILE = 4  # the exit code of the program for what it cannot read


def require(*names):
    """Ends the script, or starts it again by another interpreter, where a package cannot be imported."""
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            other = shutil.which(os.environ.get("STRATA_PYTHON") or SYSTEM)
            if other and PASSED_ON not in os.environ:
                os.environ[PASSED_ON] = sys.executable
                os.execv(other, [other, *sys.argv])
            print(f"{os.path.basename(sys.argv[0])} needs the Python packages {' and '.join(names)}, and "
                  f"{sys.executable} lacks {name}: install it there, or name an interpreter that has them in "
                  "STRATA_PYTHON.", file=sys.stderr)
            sys.exit(FILE)
