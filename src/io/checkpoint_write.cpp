// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 creates the file with the series and with space for the state. Then all ranks write their rows to the datasets'
// places in it, with the digest of every slab computed on the way; last, rank 0 adds row digests and header.
// Thus one process alone makes HDF5 calls, the state is read once, and a file without a header is not a checkpoint.
// (HDF5's own parallel files hang: if a write fails on one rank, the others wait in H5Fclose for a barrier that this rank
// leaves out. MPI-IO writes datasets of independent ranks by pwrite as well.)
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "comm/collectives.hpp"
#include "io/checkpoint_layout.hpp"
#include "io/files.hpp"
#include "io/hdf5.hpp"
#include "strata/error.hpp"

namespace strata::io {
namespace {

constexpr hsize_t data_alignment = hsize_t{1} << 20;

void write_words(hid_t where, const std::string& name, std::span<const std::uint64_t> words) {
    const hsize_t size = words.size();
    const Handle space(H5Screate_simple(1, &size, nullptr), "write " + name);
    const Handle set(H5Dcreate2(where, name.c_str(), H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     "write " + name);
    if (size != 0)
        check_hdf5(H5Dwrite(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, words.data()), "write " + name);
}

void write_header(hid_t file, const std::string& text) {
    if (text.size() > max_header_bytes)
        throw Error(ExitCode::file, "The header of the checkpoint would have " + std::to_string(text.size()) +
                                        " bytes, more than the " + std::to_string(max_header_bytes) +
                                        " that are read: the state has too many rows of different lengths.");
    const hsize_t size = text.size();
    const Handle space(H5Screate_simple(1, &size, nullptr), "write the header");
    const Handle set(H5Dcreate2(file, "header", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     "write the header");
    check_hdf5(H5Dwrite(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), "write the header");
    write_attribute(set, "digest", static_cast<std::int64_t>(digest(text.data(), text.size())));
}

/// Creates the dataset of one array, with its space allocated and not initialised; returns its first byte in the file.
std::uint64_t lay_out(hid_t where, const DistributedArray& array) {
    const std::string& name = array.shape.name;
    const std::vector<hsize_t> shape = extents(array);
    const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), "lay out " + name);
    const Handle layout(H5Pcreate(H5P_DATASET_CREATE), "lay out " + name);
    check_hdf5(H5Pset_alloc_time(layout, H5D_ALLOC_TIME_EARLY), "lay out " + name);
    check_hdf5(H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER), "lay out " + name);
    const Handle set(H5Dcreate2(where, name.c_str(), file_type(array), space, H5P_DEFAULT, layout, H5P_DEFAULT),
                     "lay out " + name);
    if (!array.meaning.empty()) write_attribute(set, "meaning", array.meaning);
    for (const auto& [fact, value] : array.facts) write_attribute(set, fact, value);
    for (const auto& [list, values] : array.lists) write_attribute(set, list, values);
    return H5Dget_offset(set);  // undefined, and not used, if there are no elements
}

/// Upper bound of the size of the file: large datasets are aligned, and metadata needs some kilobytes.
std::uint64_t file_bytes(const CheckpointHeader& header, const Series& series,
                         std::span<const DistributedArray> state) {
    std::uint64_t total = (std::uint64_t{128} << 10) + 2 * (header.job.size() + header.job_text.size());
    const auto add = [&](std::uint64_t bytes) { total += bytes + (bytes >= data_alignment ? data_alignment : 0); };
    add(series.values().size_bytes());
    for (const DistributedArray& array : state) {
        add(array.shape.bytes() + 2048);
        add(8 * array.shape.rows);
        add(24 * array.shape.row_starts.size() + 256 * array.members.size());
        for (const auto& [list, values] : array.lists) add(256 + 8 * values.size());
    }
    return total;
}

Handle aligned_access() {
    Handle access = file_access();
    check_hdf5(H5Pset_alignment(access, data_alignment, data_alignment), "prepare a checkpoint");
    return access;
}

/// Creates the file with the series and with space for the state; returns the first byte of every array in it.
std::vector<std::uint64_t> lay_out_file(const std::string& path, const CheckpointHeader& header, const Series& series,
                                        std::span<const DistributedArray> state) {
    probe_space(path, file_bytes(header, series, state));
    Handle file = create_file(path, aligned_access());
    write_dataset(file, "series", series.values(), Growth::fixed);
    std::vector<std::uint64_t> starts;
    {  // objects in a file must be closed before it, otherwise closing it reports no error
        const Handle group = create_group(file, "state");
        for (const DistributedArray& array : state) starts.push_back(lay_out(group, array));
    }
    file.close_checked("finish " + path);
    return starts;
}

/// Writes rows of one array slab by slab, in the type of the file, and returns their digests.
std::vector<std::uint64_t> write_rows(OpenFile& file, std::uint64_t start, const DistributedArray& array,
                                      const Range& rows) {
    const Handle from = memory_type(array), to = file_type(array);
    const bool same = H5Tequal(from, to) > 0;
    const std::size_t bytes = element_bytes(array.shape.type);
    RowDigests digests(array.shape, rows);
    std::vector<std::byte> packed;
    for_each_slab(array, rows, [&](const ArraySlab& slab) {
        packed.resize(slab.elements.size() * bytes);
        array.read(slab, packed.data());
        digests.add(slab, packed.data());
        if (!same) {  // a record, or this machine is big-endian
            std::vector<std::byte> background(packed.size());
            const std::size_t count = packed.size() / H5Tget_size(from);
            check_hdf5(H5Tconvert(from, to, count, packed.data(), background.data(), H5P_DEFAULT),
                       "convert " + array.shape.name);
        }
        file.write(start + (array.shape.elements({0, slab.rows.first}) + slab.elements.first) * bytes, packed);
    });
    return digests.rows();
}

/// Writes the rows of all ranks. Returns the row digests of every array, complete on rank 0. Collective.
std::vector<std::vector<std::uint64_t>> write_state(const Communicator& comm, const std::string& path,
                                                    std::span<const std::uint64_t> starts,
                                                    std::span<const DistributedArray> state) {
    std::vector<std::vector<std::uint64_t>> digests(state.size());
    collectively(comm, [&] {
        OpenFile file(path);
        for (std::size_t a = 0; a < state.size(); ++a)
            digests[a] = write_rows(file, starts[a], state[a], written_rows(comm, state[a]));
        file.sync();
    });
    for (std::vector<std::uint64_t>& rows : digests) rows = gather(comm, std::span<const std::uint64_t>(rows));
    return digests;
}

/// Adds row digests and header, which verify the rest of the file.
void seal(const std::string& path, const CheckpointHeader& header, const Series& series,
          std::span<const DistributedArray> state, std::span<const std::vector<std::uint64_t>> digests) {
    Handle file = open_to_write(path, aligned_access());
    std::vector<StoredArray> arrays;
    {
        const Handle group = create_group(file, "digest");
        for (std::size_t a = 0; a < state.size(); ++a) {
            write_words(group, state[a].shape.name, digests[a]);
            arrays.push_back({state[a].shape, digest(digests[a].data(), digests[a].size() * sizeof(std::uint64_t))});
        }
    }
    const std::span<const double> values = series.values();
    write_header(file, header_text(header, arrays, values.size(), digest(values.data(), values.size_bytes())));
    file.close_checked("finish " + path);
}

/// Increases the age of every checkpoint by one. Does nothing if there is no newest one, since an interrupted call has
/// then renamed the files already.
void rotate(const std::string& path, int keep) {
    if (!exists(path)) return;
    for (int age = keep - 1; age > 0; --age)
        move_if_there(older_checkpoint(path, age - 1), older_checkpoint(path, age));
}

}  // namespace

std::string older_checkpoint(const std::string& path, int age) {
    if (age == 0) return path;
    const std::filesystem::path p(path);
    return (p.parent_path() / (p.stem().string() + "." + std::to_string(age) + p.extension().string())).string();
}

std::vector<std::string> existing_checkpoints(const std::string& path) {
    std::vector<std::string> paths;
    for (int age = 0; age < max_kept; ++age)
        if (exists(older_checkpoint(path, age))) paths.push_back(older_checkpoint(path, age));
    return paths;
}

std::string write_checkpoint(const Communicator& comm, const std::string& path, int keep, CheckpointHeader header,
                             const Series& series, std::span<const DistributedArray> state) {
    const auto lock = lock_hdf5();
    std::string temporary = temporary_name(path);
    broadcast(comm, temporary);
    try {
        std::vector<std::uint64_t> starts(state.size());
        collectively(comm, [&] {
            if (comm.is_root()) starts = lay_out_file(temporary, header, series, state);
        });
        broadcast_bytes(comm, starts.data(), starts.size() * sizeof(std::uint64_t), 0);
        const std::vector<std::vector<std::uint64_t>> digests = write_state(comm, temporary, starts, state);
        header.state_hash = hash_text(digests);
        for (const Column& column : series.columns()) header.columns.push_back(column.name);
        collectively(comm, [&] {
            if (!comm.is_root()) return;
            seal(temporary, header, series, state, digests);
            // if the process is killed between the renames, the newest good checkpoint is .1, which resume finds;
            // nothing that waits for a disk is between them
            sync_to_disk(temporary);
            rotate(path, keep);
            rename_synced(temporary, path);
        });
    } catch (const Error&) {
        if (comm.is_root()) unlink(temporary.c_str());
        throw;
    }
    broadcast(comm, header.state_hash);
    return header.state_hash;
}

}  // namespace strata::io
