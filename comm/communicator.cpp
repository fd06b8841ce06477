// SPDX-License-Identifier: BSD-3-Clause
// MPI's errors are returned to check_mpi() instead of ending the program, so that every failure becomes a sentence. In a
// destructor an error ends all ranks, since others may wait in the collective call that has failed on this one.
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

namespace {

MPI_Comm duplicate(MPI_Comm parent) {
    MPI_Comm made = MPI_COMM_NULL;
    check_mpi(MPI_Comm_dup(parent, &made));
    return made;
}

}  // namespace

Communicator::Communicator(MPI_Comm parent) : Communicator(Owned{duplicate(parent)}) {}

Communicator::Communicator(Owned made) : comm_(made.comm) {
    check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
    check_mpi(MPI_Comm_rank(comm_, &rank_));
    check_mpi(MPI_Comm_size(comm_, &size_));
}

Communicator Communicator::split(int colour) const {
    MPI_Comm made = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split(comm_, colour, rank_, &made));
    return Communicator(Owned{made});
}

Communicator Communicator::on_node() const {
    MPI_Comm made = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &made));
    return Communicator(Owned{made});
}

Communicator::~Communicator() {
    if (comm_ != MPI_COMM_NULL) check_mpi(MPI_Comm_free(&comm_));
}

}  // namespace strata
