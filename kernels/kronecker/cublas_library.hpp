// SPDX-License-Identifier: BSD-3-Clause
// cuBLAS, loaded when it is asked for: neither the build nor a run without it needs the library. Functions are those of
// cublas_api.h; the types of their arguments are written out by those who call them.
#pragma once

#include <string>
#include <vector>

#include "strata/queue.hpp"

namespace strata::kronecker {

/// A handle of the library that works in a queue.
class CublasLibrary {
  public:
    /// Opens the first of some files. Throws Error(bad_input), with a sentence that says what to do, if none can be
    /// loaded or if it has no grouped products (they came with cuBLAS 12.5). The queue must outlive the object.
    explicit CublasLibrary(const Queue<Cuda>& queue,
                           const std::vector<std::string>& files = {"libcublas.so.13", "libcublas.so.12"});
    ~CublasLibrary();
    CublasLibrary(const CublasLibrary&) = delete;
    CublasLibrary& operator=(const CublasLibrary&) = delete;

    void* handle() const { return handle_; }
    /// A function of the library; null if it has none of this name.
    template <class Function>
    Function* function(const char* name) const {
        return reinterpret_cast<Function*>(symbol(name));
    }

  private:
    void* symbol(const char* name) const;

    void *library_ = nullptr, *handle_ = nullptr;
};

}  // namespace strata::kronecker
