#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# ./setup.sh run | test [--all] | package [--no-apt] [--cuda]: installs what is missing, builds, and runs the main job,
# the tests, or makes a Debian package.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"

usage() {
    cat <<'END'
usage: ./setup.sh run  [--no-apt] [--cuda]   install what is missing, build the program, run jobs/ising-2d-critical.ini
       ./setup.sh test [--no-apt] [--cuda]   install what is missing, build the program, test every promise once:
                                             at most ten minutes on two cores
       ./setup.sh test --all [--no-apt] [--cuda] [-- OPTIONS OF CTEST]   install, build and test everything: all
                                             instruction sets, emulated devices, campaigns of faults, documents
       ./setup.sh package [--no-apt] [--cuda]   install what is missing, build the program for all processors, make
                                                a .deb
  --no-apt  install nothing
  --cuda    insist on CUDA kernels, with the distribution's nvidia-cuda-toolkit where no nvcc is found; without it they
            are built where nvcc is found (on PATH, in CUDA_HOME or in /usr/local/cuda), by run and test only if there
            is a device
run and test build what this machine can use: kernels for its own instruction set and device (-DSTRATA_QUICK=ON); what
package and test --all build for all processors, they keep.
END
}

packages=(g++ cmake ninja-build git libopenmpi-dev openmpi-bin libhdf5-openmpi-dev libboost-program-options-dev
    libgtest-dev libgmock-dev librandom123-dev libxxhash-dev nlohmann-json3-dev libbenchmark-dev procps dpkg-dev file
    libopenblas-dev python3-h5py python3-matplotlib python3-scipy)
optional_packages=()
# The Python package converts results to their arrays and tables, recipes are parsed, a benchmark compares with libxsmm,
# the site of the documentation is built; left out where the distribution has none.
optional_test_packages=(python3-xarray python3-pandas python3-yaml tcl libxsmm-dev mkdocs mkdocs-material)

show() { printf '+ %s\n' "$*"; "$@"; }

install_missing() {
    local missing=()
    for package in "${optional_packages[@]}"; do
        if apt-cache show "$package" >/dev/null 2>&1; then packages+=("$package"); fi
    done
    for package in "${packages[@]}"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    local sudo=()
    [ "$(id -u)" -eq 0 ] || sudo=(sudo)
    echo "Installing with apt: ${missing[*]}"
    show "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q update
    show "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${missing[@]}"
}

# The toolkit is no free software: a distribution may leave it out, or hide it in a section of its own.
install_cuda() {
    find_nvcc && return
    if ! apt-cache show nvidia-cuda-toolkit >/dev/null 2>&1; then
        echo "There is no nvcc, and this system's package sources offer no nvidia-cuda-toolkit" \
            "(Debian has it in non-free)."
        echo "Enable that section, or install CUDA 12.0 or newer from NVIDIA into /usr/local/cuda, and repeat."
        exit 1
    fi
    packages=(nvidia-cuda-toolkit)
    optional_packages=()
    install_missing
}

find_nvcc() { PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin:/usr/local/cuda/bin" command -v nvcc >/dev/null; }

# mpirun refuses root and more ranks than cores, and in containers its single-copy transport has no permission.
prepare_mpi() {
    export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
    export OMPI_MCA_btl_vader_single_copy_mechanism=none
    if [ "$(id -u)" -eq 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
}

run_main_job() {
    prepare_mpi
    show mpirun -n 2 "build/$preset/src/strata" run jobs/ising-2d-critical.ini --output.overwrite=yes
    show /usr/bin/python3 jobs/plot.py out/ising-2d-critical.h5
    echo
    echo "By hand:  cmake --preset $preset && cmake --build --preset $preset --target strata"
    echo "          mpirun -n 2 build/$preset/src/strata run jobs/ising-2d-critical.ini"
}

make_package() {
    (cd "build/$preset" && show cpack -G DEB)
    echo
    echo "Install it with:  apt-get install ./$(ls -t "build/$preset"/strata_*.deb | head -1)"
}

run_tests() {
    prepare_mpi
    local slots="$((2 * $(nproc)))"  # tests/CMakeLists.txt counts two for a busy core
    show ctest --preset "$preset" --parallel "$slots" "$@"
    echo
    echo "By hand:  cmake --preset $preset ${options[*]} && cmake --build --preset $preset ${targets[*]} &&" \
        "ctest --preset $preset --parallel $slots $*"
}

verb="${1:-}"
case "$verb" in
run | test | package) ;;
*)
    usage
    exit 2
    ;;
esac
apt=yes
preset=release
tests=promises
shift
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    case "$1" in
    --no-apt) apt=no ;;
    --cuda) preset=cuda ;;
    --all) tests=all ;;
    *)
        usage
        exit 2
        ;;
    esac
    shift
done
if { [ $# -gt 0 ] || [ $tests = all ]; } && [ "$verb $tests" != "test all" ]; then
    usage
    exit 2
fi
[ $# -eq 0 ] || shift  # the rest is for ctest

[ "$verb $tests" != "test all" ] || optional_packages+=("${optional_test_packages[@]}")
[ "$apt" = no ] || install_missing
[ "$apt" = no ] || [ "$preset" = release ] || install_cuda
# The program alone is built for this machine only, unless a build for all is there already.
options=()
targets=()
if [ "$verb" = package ] || [ "$tests" = all ]; then
    options=(-DSTRATA_QUICK=OFF)
elif [ ! -e "build/$preset/CMakeCache.txt" ]; then
    options=(-DSTRATA_QUICK=ON)
fi
show cmake --preset "$preset" "${options[@]}"
if [ "$verb" = run ]; then
    show cmake --build --preset "$preset" --target strata
    run_main_job
elif [ "$verb" = package ]; then
    show cmake --build --preset "$preset" --target strata
    make_package
elif [ "$tests" = all ]; then
    show cmake --build --preset "$preset"
    run_tests "$@"
else
    targets=(--target promises)
    show cmake --build --preset "$preset" "${targets[@]}"
    run_tests --label-regex promise
fi
