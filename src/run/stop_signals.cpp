// SPDX-License-Identifier: BSD-3-Clause
// Signal handlers set bits of lock-free atomic words, the only operation that is safe in a handler here.
#include "run/stop_signals.hpp"

#include <atomic>
#include <csignal>

namespace strata {
namespace {

std::atomic<unsigned> pending{no_request};
std::atomic<int> interrupts{0};
static_assert(std::atomic<unsigned>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

extern "C" void on_signal(int number) {
    if (number == SIGINT && interrupts.fetch_add(1) > 0) {
        std::signal(SIGINT, SIG_DFL);
        std::raise(SIGINT);
        return;
    }
    pending.fetch_or(number == SIGUSR1 ? request_checkpoint : request_stop);
}

bool is_ignored(int number) {
    struct sigaction before {};
    return sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
}

}  // namespace

void install_signal_handlers() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    for (const int number : {SIGUSR1, SIGUSR2}) sigaction(number, &action, nullptr);
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGXCPU})
        if (!is_ignored(number)) sigaction(number, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

unsigned take_requests() { return pending.exchange(no_request); }

}  // namespace strata
