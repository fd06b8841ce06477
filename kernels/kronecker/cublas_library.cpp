// SPDX-License-Identifier: BSD-3-Clause
// The library stays loaded until the program ends: its state on the device must not be freed before the device.
#include "kernels/kronecker/cublas_library.hpp"

#include <dlfcn.h>

#include "strata/error.hpp"

namespace strata::kronecker {
namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw Error(ExitCode::bad_input, "backend.device-gemm = cublas: " + why + ", or use backend.device-gemm = own.");
}

std::string list(const std::vector<std::string>& files) {
    std::string text;
    for (const std::string& file : files) text += (text.empty() ? "" : " nor ") + file;
    return text;
}

}  // namespace

CublasLibrary::CublasLibrary(const Queue<Cuda>& queue, const std::vector<std::string>& files) {
    for (const std::string& file : files)
        if (library_ == nullptr) library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr)
        refuse("neither " + list(files) +
               " can be loaded; install cuBLAS 12.5 or newer, add its folder to LD_LIBRARY_PATH");
    if (symbol("cublasDgemmGroupedBatched_64") == nullptr)
        refuse("the cuBLAS of this machine has no grouped products; install 12.5 or newer");
    const auto create = function<int(void**)>("cublasCreate_v2");
    const auto set_stream = function<int(void*, void*)>("cublasSetStream_v2");
    if (create == nullptr || set_stream == nullptr || create(&handle_) != 0 || set_stream(handle_, queue.raw()) != 0)
        refuse("cuBLAS cannot work on this device; use another one");
}

CublasLibrary::~CublasLibrary() {
    const auto destroy = function<int(void*)>("cublasDestroy_v2");
    if (handle_ != nullptr && destroy != nullptr) destroy(handle_);
}

void* CublasLibrary::symbol(const char* name) const { return dlsym(library_, name); }

}  // namespace strata::kronecker
