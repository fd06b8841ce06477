#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The figures and tables of the four papers that this program is measured against, by one command each.

    papers.py wende        Swendsen-Wang on GPUs and Xeon Phi: Tables 2 to 4, Figures 7 to 9
    papers.py siro         exact diagonalization on coprocessors: Figures 3 to 6
    papers.py hernandez    the DMRG++ miniapps: Figures 4 to 9
    papers.py dente        Trotter-Suzuki dynamics on GPUs: Figures 2 and 3, accuracy

Written: NAME.md, NAME.json and NAME.png in the folder of results; README.md beside this file compares them. Times of
this program and of the paper's algorithm are measured in the same run, in turns. The exit code is 1 if an exact
comparison fails.
"""

import argparse
import importlib
import sys

from common import HERE, Setting


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paper", choices=("wende", "siro", "hernandez", "dente"))
    parser.add_argument("--quick", action="store_true", help="small sizes, in less than a minute")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="cuda: time the jobs on a GPU, too")
    parser.add_argument("--build", default=HERE.parents[1] / "build/release", help="where the programs were built")
    parser.add_argument("--output", default=HERE / "results", help="folder of results")
    arguments = parser.parse_args()
    setting = Setting(arguments)
    importlib.import_module(arguments.paper).reproduce(setting)
    for sentence in setting.wrong:
        print(f"papers.py: {sentence}", file=sys.stderr)
    sys.exit(1 if setting.wrong else 0)


if __name__ == "__main__":
    main()
