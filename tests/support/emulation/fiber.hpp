// SPDX-License-Identifier: BSD-3-Clause
// A thread of control with a stack of its own that the scheduler resumes and that suspends itself. Never moves between
// system threads while it runs. The switch is a dozen instructions on x86-64 and aarch64, and ucontext elsewhere or
// with EMULATION_UCONTEXT.
#pragma once

#include <cstddef>

namespace emulation {

class Fiber {
  public:
    /// `body(argument)` runs on the first resume(); after it returns, resume() starts it again.
    Fiber(void (*body)(void*), void* argument);
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// From the scheduler: runs until the fiber suspends.
    void resume();
    /// From inside the fiber: back to whoever resumed it.
    void suspend();

  private:
    static void enter();

    struct Switch;
    void (*body_)(void*);
    void* argument_;
    void* memory_;
    Switch* switch_;
};

}  // namespace emulation
