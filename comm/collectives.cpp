// SPDX-License-Identifier: BSD-3-Clause
// A single rank calls no MPI. MPI reduces integers and exact sums only; what would depend on the order of a reduction is
// gathered and combined in rank order. What is made collectively must be made outside of collectively(): there a failure
// ends all ranks (session.cpp).
#include "comm/collectives.hpp"

#include <algorithm>

#include "strata/failure.hpp"

namespace strata {
namespace {

std::uint64_t reduced(const Communicator& comm, std::uint64_t value, MPI_Op operation) {
    if (comm.size() == 1) return value;
    std::uint64_t result = 0;
    check_mpi(MPI_Allreduce(&value, &result, 1, MPI_UINT64_T, operation, comm.raw()));
    return result;
}

void reduce_to_root(const Communicator& comm, std::span<std::uint64_t> values, MPI_Op operation) {
    if (comm.size() == 1) return;
    const std::size_t most = message_limit() / sizeof(std::uint64_t) + 1;
    for (std::size_t done = 0; done < values.size();) {
        const auto count = static_cast<int>(std::min(most, values.size() - done));
        std::uint64_t* part = values.data() + done;
        check_mpi(
            MPI_Reduce(comm.is_root() ? MPI_IN_PLACE : part, part, count, MPI_UINT64_T, operation, 0, comm.raw()));
        done += static_cast<std::size_t>(count);
    }
}

/// The type of an exact sum and its addition, as MPI knows them.
struct SumsOfRanks {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op add = MPI_OP_NULL;
    SumsOfRanks() {
        static_assert(std::is_trivially_copyable_v<ExactSum>);
        check_mpi(MPI_Type_contiguous(sizeof(ExactSum), MPI_BYTE, &type));
        check_mpi(MPI_Type_commit(&type));
        check_mpi(MPI_Op_create(
            [](void* from, void* to, int* count, MPI_Datatype*) {
                for (int i = 0; i < *count; ++i) static_cast<ExactSum*>(to)[i] += static_cast<const ExactSum*>(from)[i];
            },
            1, &add));
    }
    ~SumsOfRanks() {
        check_mpi(MPI_Op_free(&add));
        check_mpi(MPI_Type_free(&type));
    }
    SumsOfRanks(const SumsOfRanks&) = delete;
    SumsOfRanks& operator=(const SumsOfRanks&) = delete;
};

}  // namespace

void sum_to_root(const Communicator& comm, std::span<std::uint64_t> values) { reduce_to_root(comm, values, MPI_SUM); }
void max_to_root(const Communicator& comm, std::span<std::uint64_t> values) { reduce_to_root(comm, values, MPI_MAX); }

void all_sum(const Communicator& comm, std::span<ExactSum> values) {
    if (comm.size() == 1) return;
    const SumsOfRanks mpi;
    check_mpi(
        MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), mpi.type, mpi.add, comm.raw()));
}

std::uint64_t all_sum(const Communicator& comm, std::uint64_t value) { return reduced(comm, value, MPI_SUM); }
std::uint64_t all_max(const Communicator& comm, std::uint64_t value) { return reduced(comm, value, MPI_MAX); }
std::uint64_t all_min(const Communicator& comm, std::uint64_t value) { return reduced(comm, value, MPI_MIN); }

std::uint64_t exclusive_sum(const Communicator& comm, std::uint64_t value) {
    std::uint64_t result = 0;
    check_mpi(MPI_Exscan(&value, &result, 1, MPI_UINT64_T, MPI_SUM, comm.raw()));
    return comm.is_root() ? 0 : result;  // MPI leaves rank 0's result undefined
}

bool same_on_all_ranks(const Communicator& comm, std::uint64_t value) {
    return all_min(comm, value) == all_max(comm, value);
}

void broadcast_bytes(const Communicator& comm, void* data, std::size_t bytes, int root) {
    if (comm.size() == 1) return;
    for (std::size_t done = 0; done < bytes;) {
        const std::size_t piece = std::min(message_limit(), bytes - done);
        check_mpi(MPI_Bcast(static_cast<char*>(data) + done, static_cast<int>(piece), MPI_BYTE, root, comm.raw()));
        done += piece;
    }
}

void broadcast(const Communicator& comm, std::string& text, int root) {
    std::uint64_t length = text.size();
    broadcast(comm, length, root);
    text.resize(length);
    broadcast_bytes(comm, text.data(), length, root);
}

std::vector<std::uint64_t> all_gather(const Communicator& comm, std::uint64_t value) {
    if (comm.size() == 1) return {value};
    std::vector<std::uint64_t> all(static_cast<std::size_t>(comm.size()));
    check_mpi(MPI_Allgather(&value, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, comm.raw()));
    return all;
}

std::vector<std::string> gather(const Communicator& comm, const std::string& text) {
    const std::vector<char> letters = gather(comm, std::span<const char>(text));
    const std::vector<std::uint64_t> lengths = all_gather(comm, text.size());
    std::vector<std::string> texts;
    auto at = letters.begin();
    for (std::size_t r = 0; comm.is_root() && r < lengths.size(); ++r) {
        texts.emplace_back(at, at + static_cast<std::ptrdiff_t>(lengths[r]));
        at += static_cast<std::ptrdiff_t>(lengths[r]);
    }
    return texts;
}

std::vector<std::uint64_t> transpose(const Communicator& comm, const std::vector<std::uint64_t>& counts) {
    if (comm.size() == 1) return counts;
    std::vector<std::uint64_t> incoming(counts.size());
    check_mpi(MPI_Alltoall(counts.data(), 1, MPI_UINT64_T, incoming.data(), 1, MPI_UINT64_T, comm.raw()));
    return incoming;
}

void collectively(const Communicator& comm, const std::function<void()>& body) {
    int code = 0;
    std::string sentence;
    try {
        body();
    } catch (...) {
        with_failure([&](ExitCode failure, const char* text) {
            code = static_cast<int>(failure);
            sentence = text;
        });
    }
    const auto none = static_cast<std::uint64_t>(comm.size());
    const std::uint64_t reporting_rank = all_min(comm, code != 0 ? static_cast<std::uint64_t>(comm.rank()) : none);
    if (reporting_rank == none) return;
    broadcast(comm, code, static_cast<int>(reporting_rank));
    broadcast(comm, sentence, static_cast<int>(reporting_rank));
    throw CollectiveError(static_cast<ExitCode>(code), sentence);
}

}  // namespace strata
