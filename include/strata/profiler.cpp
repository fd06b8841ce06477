// SPDX-License-Identifier: BSD-3-Clause
// Calls of NVTX and Caliper, or nothing. Both may be there: regions of one lie within those of the other.
#include "strata/profiler.hpp"

#if defined(STRATA_HAS_NVTX)
#include <nvtx3/nvToolsExt.h>
#endif
#if defined(STRATA_HAS_CALIPER)
#include <caliper/cali.h>
#endif

namespace strata::profiler {

void begin_region([[maybe_unused]] const char* name) {
#if defined(STRATA_HAS_NVTX)
    nvtxRangePushA(name);
#endif
#if defined(STRATA_HAS_CALIPER)
    cali_begin_region(name);
#endif
}

void end_region([[maybe_unused]] const char* name) {
#if defined(STRATA_HAS_CALIPER)
    cali_end_region(name);
#endif
#if defined(STRATA_HAS_NVTX)
    nvtxRangePop();
#endif
}

const char* kinds() {
#if defined(STRATA_HAS_NVTX) && defined(STRATA_HAS_CALIPER)
    return "NVTX, Caliper";
#elif defined(STRATA_HAS_NVTX)
    return "NVTX";
#elif defined(STRATA_HAS_CALIPER)
    return "Caliper";
#else
    return "none";
#endif
}

}  // namespace strata::profiler
