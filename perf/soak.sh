#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The long form of the fault tests: perf/soak.sh BUILD [REPEATS] repeats the random ones REPEATS (4) times as often, then
# runs the fuzz targets for a minute each where clang is found. Takes about 10 minutes on two cores.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
build="$(readlink -f "${1:?usage: perf/soak.sh BUILD [REPEATS]}")"

STRATA_SOAK="${2:-4}" ctest --test-dir "$build" -R faults_test --output-on-failure

if command -v clang++ >/dev/null; then
    fuzz="$(mktemp -d)"
    trap 'rm -rf "$fuzz"' EXIT
    cmake -S . -B "$fuzz" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DSTRATA_FUZZ=ON -DSTRATA_SANITIZE=ON \
        -DSTRATA_PERF=OFF -DSTRATA_WERROR=OFF -DCMAKE_BUILD_TYPE=RelWithDebInfo >/dev/null
    cmake --build "$fuzz" --target job_fuzz checkpoint_fuzz
    mkdir "$fuzz/jobs" "$fuzz/checkpoints"
    cp jobs/*.ini "$fuzz/jobs"
    "$build/src/strata" run jobs/ising-2d-critical.ini --lattice.extents=16,16 --run.sweeps=20 --quiet --output.directory="$fuzz/out" >/dev/null
    cp "$fuzz"/out/*.checkpoint.h5 "$fuzz/checkpoints"
    for target in job checkpoint; do
        ASAN_OPTIONS=detect_leaks=0 "$fuzz/tests/fuzz/${target}_fuzz" -max_total_time=60 -max_len=65536 -print_final_stats=1 "$fuzz/${target}s"
    done
fi
