// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace strata::perf {

/// Best rate of five at which `threads` threads read 1 GiB that no cache holds, in bytes per second.
double read_bandwidth(int threads);

}  // namespace strata::perf
