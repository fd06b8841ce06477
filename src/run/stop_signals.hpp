// SPDX-License-Identifier: BSD-3-Clause
// Requests to a running job by signals. Handlers only set a flag, which the run loop polls.
#pragma once

namespace strata {

/// Flags; the run loop combines them over the ranks, by maximum per flag.
enum Request : unsigned { no_request = 0, request_checkpoint = 1, request_stop = 2 };

/// USR1 requests a checkpoint; USR2, TERM, INT, HUP (the terminal is gone) and XCPU (the limit of processor time is
/// near) request a stop; a second INT ends the process at once. TERM, INT, HUP and XCPU stay ignored if they were at the
/// start, as INT is for background jobs of a script and HUP under nohup; the others mean nothing but these requests. PIPE
/// and XFSZ are ignored: a closed terminal must not end a run, and a file at its size limit becomes an error of its
/// write.
void install_signal_handlers();

/// Returns the requests since the last call and clears them.
unsigned take_requests();

}  // namespace strata
