// SPDX-License-Identifier: BSD-3-Clause
// cuBLAS, loaded on request: neither the build nor a run without it needs the library. Functions are those of
// cublas_api.h; callers write out the types of their arguments.
#pragma once

#include <string>
#include <vector>

#include "strata/queue.hpp"

namespace strata::perf {

/// Handle of the library; its work is queued in a given queue. The library stays loaded until the program ends: its
/// state on the device must not be freed before the device.
class CublasLibrary {
  public:
    /// Opens the first of `files` that can be loaded. Throws Error(bad_input), with advice, if there is none or if it
    /// has no grouped products (added in cuBLAS 12.5). The queue must outlive the object.
    explicit CublasLibrary(const Queue<Cuda>& queue,
                           const std::vector<std::string>& files = {"libcublas.so.13", "libcublas.so.12"});
    ~CublasLibrary();
    CublasLibrary(const CublasLibrary&) = delete;
    CublasLibrary& operator=(const CublasLibrary&) = delete;

    void* handle() const { return handle_; }
    /// Function of the library; null if it has none of this name.
    template <class Function>
    Function* function(const char* name) const {
        return reinterpret_cast<Function*>(symbol(name));
    }

  private:
    void* symbol(const char* name) const;

    void *library_ = nullptr, *handle_ = nullptr;
};

/// Operations per second of square products of order n, the best of five; 0 if the library fails.
template <class Real>
double cublas_rate(const CublasLibrary& library, const Queue<Cuda>& queue, int n);

}  // namespace strata::perf
