// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 lays the file out alone: header, series, row digests and the room for the state. Then all ranks open it and
// fill in their rows, so that no metadata is ever changed by several ranks.
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
    const hsize_t size = text.size();
    const Handle space(H5Screate_simple(1, &size, nullptr), "write the header");
    const Handle set(H5Dcreate2(file, "header", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     "write the header");
    check_hdf5(H5Dwrite(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), "write the header");
    write_attribute(set, "digest", static_cast<std::int64_t>(digest(text.data(), text.size())));
}

/// Room for one array, allocated now and not filled.
void lay_out(hid_t where, const StoredArray& array, const DistributedArray& described) {
    const hsize_t shape[2] = {array.rows, array.row_elements};
    const Handle space(H5Screate_simple(2, shape, nullptr), "lay out " + array.name);
    const Handle layout(H5Pcreate(H5P_DATASET_CREATE), "lay out " + array.name);
    check_hdf5(H5Pset_alloc_time(layout, H5D_ALLOC_TIME_EARLY), "lay out " + array.name);
    check_hdf5(H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER), "lay out " + array.name);
    const Handle set(
        H5Dcreate2(where, array.name.c_str(), file_type(array.type), space, H5P_DEFAULT, layout, H5P_DEFAULT),
        "lay out " + array.name);
    if (!described.meaning.empty()) write_attribute(set, "meaning", described.meaning);
    for (const auto& [name, value] : described.facts) write_attribute(set, name, value);
}

/// Size of the file, generously: large datasets are aligned, metadata takes some kilobytes.
std::uint64_t file_bytes(const Series& series, std::span<const StoredArray> arrays) {
    std::uint64_t total = std::uint64_t{128} << 10;
    const auto add = [&](std::uint64_t bytes) { total += bytes + (bytes >= data_alignment ? data_alignment : 0); };
    add(series.values().size_bytes());
    for (const StoredArray& a : arrays) {
        add(8 * a.rows * a.row_elements + 2048);
        add(8 * a.rows);
    }
    return total;
}

void lay_out_file(const std::string& path, const CheckpointHeader& header, const Series& series,
                  std::span<const StoredArray> arrays, std::span<const DistributedArray> described,
                  const std::vector<std::vector<std::uint64_t>>& digests) {
    silence_hdf5();
    probe_room(path, file_bytes(series, arrays));
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), "prepare " + path);
    check_hdf5(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110), "prepare " + path);
    check_hdf5(H5Pset_alignment(access, data_alignment, data_alignment), "prepare " + path);
    Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), "create " + path);
    const std::span<const double> values = series.values();
    write_header(file, header_text(header, arrays, values.size(), digest(values.data(), values.size_bytes())));
    write_dataset(file, "series", values, Growth::fixed);
    {  // whatever lies in a file is closed before it, or its own close reports nothing
        const Handle state = create_group(file, "state"), digest_group = create_group(file, "digest");
        for (std::size_t a = 0; a < arrays.size(); ++a) {
            lay_out(state, arrays[a], described[a]);
            write_words(digest_group, arrays[a].name, digests[a]);
        }
    }
    file.close_checked("finish " + path);
}

/// Writes this rank's rows of one array in slabs, packed first: rows in memory have gaps.
void write_rows(hid_t state, const DistributedArray& array) {
    const std::string what = "write " + array.name;
    const Handle set(H5Dopen2(state, array.name.c_str(), H5P_DEFAULT), what);
    const Handle file_space(H5Dget_space(set), what);
    std::vector<std::uint64_t> packed;
    for_each_slab(array, [&](const Slab& slab) {
        packed.resize(slab.size());
        const std::uint64_t *from = slab_start(array, slab), length = slab.elements.size();
        for (std::uint64_t r = 0; r < slab.rows.size(); ++r)
            std::copy_n(from + r * array.row_stride, length, packed.data() + r * length);
        const Handle memory_space = select_slab(file_space, slab, what);
        check_hdf5(H5Dwrite(set, memory_type(array.type), memory_space, file_space, H5P_DEFAULT, packed.data()), what);
    });
}

/// All ranks write their rows. Opening and closing are collective, so a rank that fails in between still closes.
void write_state(const Communicator& comm, const std::string& path, std::span<const DistributedArray> state) {
    silence_hdf5();
    Handle file;
    collectively(comm, [&] {
        const Handle access(H5Pcreate(H5P_FILE_ACCESS), "prepare " + path);
        check_hdf5(H5Pset_fapl_mpio(access, comm.raw(), MPI_INFO_NULL), "prepare " + path);
        file = Handle(H5Fopen(path.c_str(), H5F_ACC_RDWR, access), "open " + path);
    });
    std::string failure;
    try {
        const Handle group(H5Gopen2(file, "state", H5P_DEFAULT), "open the state in " + path);
        for (const DistributedArray& array : state) write_rows(group, array);
    } catch (const Error& error) {
        failure = error.what();
    }
    collectively(comm, [&] {
        file.close_checked("finish " + path);
        if (!failure.empty()) throw Error(ExitCode::file, failure);
    });
}

/// Every checkpoint becomes one older. Nothing is moved where there is no newest: that was done already.
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

void write_checkpoint(const Communicator& comm, const std::string& path, int keep, const CheckpointHeader& header,
                      const Series& series, std::span<const DistributedArray> state) {
    std::vector<StoredArray> arrays;
    std::vector<std::vector<std::uint64_t>> digests;
    for (const DistributedArray& array : state) {
        const std::vector<std::uint64_t> mine = row_digests(array);
        digests.push_back(gather(comm, std::span<const std::uint64_t>(mine)));
        arrays.push_back({array.name, array.type, array.global_rows, array.row_elements,
                          digest(digests.back().data(), digests.back().size() * sizeof(std::uint64_t))});
    }
    std::string temporary = temporary_name(path);
    broadcast(comm, temporary);
    try {
        collectively(comm, [&] {
            if (comm.is_root()) lay_out_file(temporary, header, series, arrays, state, digests);
        });
        write_state(comm, temporary, state);
        collectively(comm, [&] {
            if (!comm.is_root()) return;
            // a kill between the renames leaves the newest good checkpoint as .1, which resume finds
            sync_to_disk(temporary);
            rotate(path, keep);
            put_in_place(temporary, path);
        });
    } catch (const Error&) {
        if (comm.is_root()) unlink(temporary.c_str());
        throw;
    }
}

}  // namespace strata::io
