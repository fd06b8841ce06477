#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The long form of the random tests: perf/soak.sh BUILD [REPEATS] repeats the faults REPEATS (4) times as often,
# compares 500 x REPEATS random jobs of Lanczos, 100 x REPEATS of Swendsen-Wang, 200 x REPEATS of Kronecker and as many
# of DMRG with dense matrices and enumeration, the claimed errors of 100 x REPEATS jobs of DMRG with the true ones
# (tests/oracle), then runs the fuzz targets for a minute each where clang is found. STRATA_SOAK_SEED is the seed of the
# jobs, by default the date. About 15 minutes on two cores. The summaries tell what was compared, the largest
# deviations, and of each failed job its text and the command that runs it again.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
build="$(readlink -f "${1:?usage: perf/soak.sh BUILD [REPEATS]}")"

# the distribution's own interpreter has h5py and numpy
python=/usr/bin/python3; [ -x "$python" ] || python=python3
repeats="${2:-4}"
seed="${STRATA_SOAK_SEED:-$(date +%Y%m%d)}"

failed=0
for oracle in "lanczos_oracle.py --count $((500 * repeats))" "ising_oracle.py --count $((100 * repeats))" \
    "kronecker_oracle.py --count $((200 * repeats))" "dmrg_oracle.py --count $((200 * repeats))" \
    "dmrg_oracle.py --claims $((100 * repeats))" "dmrg_oracle.py --known"; do
    # shellcheck disable=SC2086  # name and options
    STRATA_PROGRAM="$build/src/strata" PYTHONDONTWRITEBYTECODE=1 \
        "$python" tests/oracle/$oracle --seed "$seed" || failed=1
done

STRATA_SOAK="$repeats" STRATA_CHAINS="$((25 * repeats))" STRATA_CHAINS_SEED="$seed" \
    ctest --test-dir "$build" -R "^(faults|disks|files|chains)_test" --output-on-failure || failed=1

if command -v clang++ >/dev/null; then
    fuzz="$(mktemp -d)"
    trap 'rm -rf "$fuzz"' EXIT
    cmake -S . -B "$fuzz" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DSTRATA_FUZZ=ON \
        -DSTRATA_SANITIZE=ON -DSTRATA_PERF=OFF -DSTRATA_WERROR=OFF -DCMAKE_BUILD_TYPE=RelWithDebInfo >/dev/null
    cmake --build "$fuzz" --target job_fuzz checkpoint_fuzz
    mkdir "$fuzz/jobs" "$fuzz/checkpoints"
    cp jobs/*.ini "$fuzz/jobs"
    "$build/src/strata" run jobs/ising-2d-critical.ini --lattice.extents=16,16 --run.sweeps=20 --quiet \
        --output.directory="$fuzz/out" >/dev/null
    cp "$fuzz"/out/*.checkpoint.h5 "$fuzz/checkpoints"
    for target in job checkpoint; do
        ASAN_OPTIONS=detect_leaks=0 "$fuzz/tests/fuzz/${target}_fuzz" -max_total_time=60 -max_len=65536 \
            -print_final_stats=1 "$fuzz/${target}s"
    done
fi
exit "$failed"
