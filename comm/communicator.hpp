// SPDX-License-Identifier: BSD-3-Clause
// An MPI communicator, owned: duplicated by the constructor, freed by the destructor, and passed to the functions that
// communicate. check_mpi() is the one place where MPI's return codes become exceptions.
#pragma once

#include <mpi.h>

namespace strata {

/// Throws Error(internal) with MPI's own words and the name of the calling function unless `code` is MPI_SUCCESS.
void check_mpi(int code, const char* caller = __builtin_FUNCTION());

class Communicator {
  public:
    /// A duplicate of `parent` whose errors are returned, not fatal. Collective.
    explicit Communicator(MPI_Comm parent);
    /// This rank alone.
    static Communicator alone() { return Communicator(MPI_COMM_SELF); }
    /// The ranks of this communicator that passed the same `colour`, in the order of their ranks here. Collective.
    Communicator split(int colour) const;
    /// The ranks of this communicator that share memory with this rank. Collective.
    Communicator on_node() const;
    ~Communicator();
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }
    bool is_root() const { return rank_ == 0; }
    /// The neighbours on the ring of ranks.
    int next() const { return (rank_ + 1) % size_; }
    int previous() const { return (rank_ + size_ - 1) % size_; }
    MPI_Comm raw() const { return comm_; }

  private:
    struct Owned {
        MPI_Comm comm;
    };
    explicit Communicator(Owned made);  ///< takes over the ownership of `made`

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
};

}  // namespace strata
