# SPDX-License-Identifier: BSD-3-Clause
"""compiled_kernels.py NVCC SOURCE: what nvcc makes of every kernel, without a device. A host function that needs the
address of a constant which only the host has (std::min of one) becomes a trap without a warning, and with it the whole
kernel; the emulation cannot see that. No kernel of this program traps on purpose."""

import concurrent.futures
import pathlib
import re
import subprocess
import sys


def kernels(nvcc, source, path):
    """Names of the kernels and functions in a file, and of those that trap."""
    command = [nvcc, "-std=c++20", "--expt-relaxed-constexpr", "-arch=sm_90", "-ptx", "-o", "-",
               "-DSTRATA_CUDA_TARGETS=\"\"", f"-I{source}/include", f"-I{source}", str(path)]
    ptx = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    bodies = re.split(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?(?=\w)", ptx)[1:]
    names = [re.match(r"\w+", body)[0] for body in bodies]
    return names, [name for name, body in zip(names, bodies) if "trap;" in body]


if __name__ == "__main__":
    nvcc, source = sys.argv[1], pathlib.Path(sys.argv[2])
    files = sorted(path for folder in ("include", "kernels") for path in (source / folder).rglob("*.cu"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda path: kernels(nvcc, source, path), files))
    for path, (_, traps) in zip(files, found):
        for name in traps:
            print(f"{path.relative_to(source)}: {name} is a trap")
    all_kernels = sum(len(names) for names, _ in found)
    print(f"{len(files)} files, {all_kernels} kernels")
    sys.exit(1 if all_kernels == 0 or any(traps for _, traps in found) else 0)
