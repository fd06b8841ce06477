// SPDX-License-Identifier: BSD-3-Clause
// A profiler in miniature: NVTX loads this library because NVTX_INJECTION64_PATH names it, and it prints how often the
// region "H up" was opened, and how many regions were opened and not closed, when the program ends.
#include <nvtx3/nvToolsExt.h>

#include <atomic>
#include <cstdio>
#include <cstring>

namespace {

std::atomic<int> up_sweeps{0}, open{0};

int push(const char* name) {
    if (std::strcmp(name, "H up") == 0) ++up_sweeps;
    return open++;
}
int pop() { return --open; }

struct Printer {
    ~Printer() { std::printf("NVTX: %d regions H up, %d left open\n", up_sweeps.load(), open.load()); }
} printer;

}  // namespace

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
    const auto* tables = static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
    NvtxFunctionTable core = nullptr;
    unsigned size = 0;
    if (tables == nullptr || tables->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &core, &size) == 0) return 0;
    *core[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(push);
    *core[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
    return 1;
}
