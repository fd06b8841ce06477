// SPDX-License-Identifier: BSD-3-Clause
// Requests to a running job by signals. Handlers only set a flag; the run loop looks at it.
#pragma once

namespace strata {

/// Flags, combined over ranks by maximum per flag.
enum Request : unsigned { no_request = 0, request_checkpoint = 1, request_stop = 2 };

/// USR1 asks for a checkpoint; USR2, TERM and INT ask to stop, a second INT ends the process at once; PIPE and XFSZ
/// are ignored: a closed terminal must not end a run, and a file at its size limit is an error of its write.
void install_signal_handlers();

/// The requests since the last call.
unsigned take_requests();

}  // namespace strata
