#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The GPU tests and benchmarks of one machine in one go, a few minutes:
#   perf/gpu.sh [results file] [build folder]
# With a build folder nothing is configured or built. The results file holds device, clocks, test results and the tables
# of perf/gpu_bench.cpp, perf/gpu_lanczos_bench.cpp, perf/trotter/gpu_trotter_bench.cpp and
# perf/kronecker/gpu_kronecker_bench.cpp.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
build="${2:-build/cuda}"
if [ $# -lt 2 ]; then
    cmake --preset cuda
    cmake --build --preset cuda
fi
name="$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1 | tr 'A-Z ' 'a-z-')"
results="${1:-perf/results/gpu-$name.md}"
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
[ "$(id -u)" -ne 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

clocks() { nvidia-smi --query-gpu=clocks.sm,clocks.mem,temperature.gpu,power.draw --format=csv,noheader | head -n 1; }
log="$(mktemp)"
status=0
(cd "$build" && STRATA_REQUIRE_DEVICE=1 ctest -L cuda --output-on-failure) 2>&1 | tee "$log" || status=$?
{
    echo "# Strata on one GPU"
    echo
    echo "$(date -u +%F), commit $(git describe --always --dirty 2>/dev/null || echo unknown), \`perf/gpu.sh\`"
    echo
    nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem,power.limit --format=csv
    echo
    echo "Tests: $(grep 'tests passed' "$log")"
    echo
    echo "Clocks, temperature, power before: $(clocks)"
    echo
    "$build/perf/gpu_bench" "${STRATA_BENCH_SECONDS:-4}"
    echo
    echo "## Lanczos"
    echo
    "$build/perf/gpu_lanczos_bench"
    echo
    echo "## Trotter"
    echo
    "$build/perf/trotter/gpu_trotter_bench"
    echo
    echo "## Kronecker"
    echo
    "$build/perf/kronecker/gpu_kronecker_bench"
    echo
    echo "After: $(clocks)"
} | tee "$results.part"
mv "$results.part" "$results"
rm -f "$log"
exit "$status"
