#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# conda build sets CMAKE_ARGS (compilers and prefix), SRC_DIR and CPU_COUNT.
set -euo pipefail
read -r -a args <<<"$CMAKE_ARGS"
cmake -S . -B build -G Ninja "${args[@]}" -DCMAKE_BUILD_TYPE=Release -DSTRATA_TESTS=OFF -DSTRATA_PERF=OFF \
    -DSTRATA_WERROR=OFF -DSTRATA_CUDA=OFF -DRANDOM123_INCLUDE_DIR="$SRC_DIR/random123/include"
cmake --build build --parallel "$CPU_COUNT"
cmake --install build
