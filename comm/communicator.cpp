// SPDX-License-Identifier: BSD-3-Clause
#include "comm/communicator.hpp"

#include <string>

#include "strata/error.hpp"

namespace strata {

void check_mpi(int code, const char* caller) {
    if (code == MPI_SUCCESS) return;
    char words[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, words, &length);
    throw Error(ExitCode::internal, std::string("MPI failed in ") + caller + ": " + words);
}

Communicator::Communicator(MPI_Comm parent) {
    check_mpi(MPI_Comm_dup(parent, &comm_));
    check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
    check_mpi(MPI_Comm_rank(comm_, &rank_));
    check_mpi(MPI_Comm_size(comm_, &size_));
}

Communicator::~Communicator() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

}  // namespace strata
