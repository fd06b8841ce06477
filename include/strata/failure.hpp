// SPDX-License-Identifier: BSD-3-Clause
// Exit code and sentence of any exception. Those of the C++ library are given them here, so that a refusal of the system
// reads the same wherever it is caught.
#pragma once

#include <exception>
#include <new>
#include <system_error>

#include "strata/error.hpp"

namespace strata {

/// Calls report(code, sentence) for the exception that a catch clause handles. `sentence` is a C string, since there may
/// be no memory for another one.
template <class Report>
void with_failure(Report report) {
    try {
        throw;
    } catch (const Error& error) {
        report(error.code(), error.what());
    } catch (const std::bad_alloc&) {
        report(ExitCode::does_not_fit, "The system refused memory that was free when the run began.");
    } catch (const std::system_error& error) {
        if (error.code() == std::errc::resource_unavailable_try_again)
            report(ExitCode::does_not_fit,
                   "The system refused a further thread (limits of processes, of memory or of address space).");
        else
            report(ExitCode::internal, error.what());
    } catch (const std::exception& error) {
        report(ExitCode::internal, error.what());
    } catch (...) {
        report(ExitCode::internal, "An exception that is none of the C++ library ended the run.");
    }
}

}  // namespace strata
