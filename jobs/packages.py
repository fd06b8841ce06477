# SPDX-License-Identifier: BSD-3-Clause
"""The Python packages that a script needs, of which it says in one sentence that they are not there."""

import importlib
import os
import sys

FILE = 4  # the exit code of the program for what it cannot read


def require(*names):
    """Ends the script with a sentence where one of the packages cannot be imported by this interpreter."""
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            print(f"{os.path.basename(sys.argv[0])} needs the Python packages {' and '.join(names)}, and "
                  f"{sys.executable} lacks {name}: install it there, or take an interpreter that has them (strata plot "
                  "takes that of STRATA_PYTHON).", file=sys.stderr)
            sys.exit(FILE)
