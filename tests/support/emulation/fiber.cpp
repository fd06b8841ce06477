// SPDX-License-Identifier: BSD-3-Clause
// Fibers: a few instructions of assembly where the processor is known, ucontext elsewhere.
#include "emulation/fiber.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(EMULATION_UCONTEXT)
#define EMULATION_UCONTEXT
#endif
#if defined(EMULATION_UCONTEXT)
#include <ucontext.h>
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace emulation {
namespace {

constexpr std::size_t page = 4096;
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t stack_bytes = std::size_t{256} << 10;  // its frames are larger
#else
constexpr std::size_t stack_bytes = std::size_t{64} << 10;
#endif

thread_local Fiber* starting = nullptr;

}  // namespace

#if defined(EMULATION_UCONTEXT)

struct Fiber::Switch {
    ucontext_t fiber, caller;
    void prepare(void* low, void (*enter)()) {
        getcontext(&fiber);
        fiber.uc_stack.ss_sp = low;
        fiber.uc_stack.ss_size = stack_bytes;
        fiber.uc_link = nullptr;
        makecontext(&fiber, enter, 0);
    }
    void in() { swapcontext(&caller, &fiber); }
    void out() { swapcontext(&fiber, &caller); }
};

#else

// Saves the callee-saved registers and the return address on the running stack, stores its pointer at the first
// argument and takes up the stack of the second one. It ends in a jump: a `ret` to another stack is always
// mispredicted.
extern "C" void emulation_switch(void** save, void* load);
#if defined(__x86_64__)
constexpr std::size_t frame_words = 8;  // return address, six registers, alignment
constexpr std::size_t return_slot = 0;
asm(R"(
    .text
    .globl emulation_switch
    .type emulation_switch, @function
emulation_switch:
    pop %rdx
    push %rbp
    push %rbx
    push %r12
    push %r13
    push %r14
    push %r15
    push %rdx
    mov %rsp, (%rdi)
    mov %rsi, %rsp
    pop %rdx
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbx
    pop %rbp
    jmp *%rdx
    .size emulation_switch, .-emulation_switch
)");
#else
constexpr std::size_t frame_words = 20;  // x19..x30, d8..d15
constexpr std::size_t return_slot = 11;
asm(R"(
    .text
    .globl emulation_switch
    .type emulation_switch, %function
emulation_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    br x30
    .size emulation_switch, .-emulation_switch
)");
#endif

struct Fiber::Switch {
    void* fiber = nullptr;
    void* caller = nullptr;
    void prepare(void* low, void (*enter)()) {
        auto* top = reinterpret_cast<std::uintptr_t*>(static_cast<char*>(low) + stack_bytes);
        std::uintptr_t* frame = top - frame_words;  // the entry finds the stack as a call would have left it
        frame[return_slot] = reinterpret_cast<std::uintptr_t>(enter);
        fiber = frame;
    }
    void in() { emulation_switch(&caller, fiber); }
    void out() { emulation_switch(&fiber, caller); }
};

#endif

Fiber::Fiber(void (*body)(void*), void* argument) : body_(body), argument_(argument), switch_(new Switch) {
    memory_ =
        mmap(nullptr, stack_bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    mprotect(memory_, page, PROT_NONE);  // a stack that overflows ends the program here
    void* low = static_cast<char*>(memory_) + page;
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(low, stack_bytes);
#endif
    switch_->prepare(low, &Fiber::enter);
}

Fiber::~Fiber() {
    munmap(memory_, stack_bytes + page);
    delete switch_;
}

void Fiber::resume() {
    starting = this;
    switch_->in();
}

void Fiber::suspend() { switch_->out(); }

void Fiber::enter() {
    Fiber& self = *starting;
    for (;;) {
        self.body_(self.argument_);
        self.suspend();
    }
}

}  // namespace emulation
