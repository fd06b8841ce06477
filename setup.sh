#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# ./setup.sh run | test [--no-apt]: installs what is missing, builds, and runs the main job or the tests.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"

usage() {
    cat <<'END'
usage: ./setup.sh run  [--no-apt]   install what is missing, build, run jobs/ising-2d-critical.ini on 2 ranks
       ./setup.sh test [--no-apt]   install what is missing, build, pass all tests
END
}

packages=(g++ cmake ninja-build git libopenmpi-dev openmpi-bin libhdf5-openmpi-dev libboost-program-options-dev
    libgtest-dev libgmock-dev librandom123-dev libxxhash-dev nlohmann-json3-dev libbenchmark-dev procps
    python3-h5py python3-matplotlib)

show() { printf '+ %s\n' "$*"; "$@"; }

install_missing() {
    local missing=()
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
    show mpirun -n 2 build/release/src/strata run jobs/ising-2d-critical.ini --output.overwrite=yes
    show /usr/bin/python3 jobs/plot.py out/ising-2d-critical.h5
    echo
    echo "By hand:  cmake --preset release && cmake --build --preset release"
    echo "          mpirun -n 2 build/release/src/strata run jobs/ising-2d-critical.ini"
}

run_tests() {
    prepare_mpi
    show ctest --preset release
    echo
    echo "By hand:  cmake --preset release && cmake --build --preset release && ctest --preset release"
}

verb="${1:-}"
case "$verb" in
run | test) ;;
*)
    usage
    exit 2
    ;;
esac
apt=yes
for option in "${@:2}"; do
    case "$option" in
    --no-apt) apt=no ;;
    *)
        usage
        exit 2
        ;;
    esac
done

[ "$apt" = no ] || install_missing
show cmake --preset release
show cmake --build --preset release
if [ "$verb" = run ]; then run_main_job; else run_tests; fi
