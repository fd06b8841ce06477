# SPDX-License-Identifier: BSD-3-Clause
# For Spack 1.0 or newer:  spack repo add packages/spack/spack_repo/strata && spack install strata-lattice
from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class StrataLattice(CMakePackage, CudaPackage):
    """Lattice methods of computational physics on one MPI runtime: cluster Monte Carlo, exact diagonalization,
    density-matrix renormalization and dynamics of spins."""

    # There is no release yet. The source is the branch main of the checkout that holds this file.
    git = f"file://{Path(__file__).resolve().parents[6]}"

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("python", default=False, description="Packages that the Python package and plots need; PYTHONPATH")
    variant("tests", default=False, description="Build the tests")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("mpi")
    depends_on("hdf5+mpi+hl")
    depends_on("lapack")
    depends_on("boost@1.74:+program_options")
    depends_on("nlohmann-json@3.9:")
    depends_on("random123")
    depends_on("xxhash")
    depends_on("googletest+gmock", type="build", when="+tests")
    depends_on("cuda@12:", when="+cuda")
    with when("+python"):
        depends_on("python@3.9:", type="run")
        depends_on("py-numpy", type="run")
        depends_on("py-h5py", type="run")
        depends_on("py-matplotlib", type="run")

    def cmake_args(self):
        args = [
            self.define_from_variant("STRATA_TESTS", "tests"),
            self.define_from_variant("STRATA_CUDA", "cuda"),
            self.define("STRATA_PERF", False),
            self.define("STRATA_WERROR", False),
        ]
        if self.spec.satisfies("+cuda") and not self.spec.satisfies("cuda_arch=none"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            env.prepend_path("PYTHONPATH", self.prefix.share.strata.python)

    def test_selftest(self):
        """small jobs against exact results"""
        Executable(self.prefix.bin.strata)("selftest")
