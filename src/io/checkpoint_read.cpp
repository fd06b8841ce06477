// SPDX-License-Identifier: BSD-3-Clause
// Reading of checkpoints. All data is verified by a digest or compared with the shape that the job requires, and no
// memory is allocated by a size from the file that exceeds the size of the file.
#include <algorithm>

#include "comm/collectives.hpp"
#include "io/checkpoint_layout.hpp"
#include "io/files.hpp"
#include "io/hdf5.hpp"
#include "strata/error.hpp"

namespace strata::io {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ExitCode::file, why); }

/// Opens a dataset of this file that has the given shape.
Handle open_shaped(hid_t where, const std::string& name, const std::vector<hsize_t>& shape, H5T_class_t kind) {
    Handle set = open_dataset(where, name);
    const Handle space(H5Dget_space(set), "inspect " + name), type(H5Dget_type(set), "inspect " + name);
    if (H5Tget_class(type) != kind) refuse(name + " has another type than strata writes");
    std::vector<hsize_t> found(32);
    const int rank = H5Sget_simple_extent_dims(space, found.data(), nullptr);
    found.resize(rank < 0 ? 0 : static_cast<std::size_t>(rank));
    if (found != shape) refuse(name + " has another shape than the header says");
    return set;
}

/// Size of the open file. Its path cannot be used, because a run may have replaced the file in the meantime.
std::uint64_t file_bytes(hid_t file) {
    hsize_t bytes = 0;
    check_hdf5(H5Fget_filesize(file, &bytes), "find the size of the file");
    return bytes;
}

/// The text of the header, after its size was compared with that of the file and its digest was verified.
std::string read_header_text(hid_t file) {
    const Handle probe = open_dataset(file, "header");
    const Handle space(H5Dget_space(probe), "inspect the header");
    hsize_t size = 0;
    if (H5Sget_simple_extent_ndims(space) != 1 || H5Sget_simple_extent_dims(space, &size, nullptr) != 1 ||
        size > std::min(max_header_bytes, file_bytes(file)))
        refuse("its header has an impossible size");
    const Handle set = open_shaped(file, "header", {size}, H5T_INTEGER);
    std::string text(size, '\0');
    check_hdf5(H5Dread(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), "read the header");
    if (static_cast<std::uint64_t>(read_integer_attribute(set, "digest")) != digest(text.data(), text.size()))
        refuse("its header is damaged");
    return text;
}

/// Throws Error(file) if the stored shapes need more than `limit` bytes, the size of the file.
void check_size(const StoredCheckpoint& stored, std::uint64_t limit) {
    std::uint64_t bytes = 0;
    for (const StoredArray& a : stored.arrays) {
        bytes += a.shape.bytes() + 8 * a.shape.rows;
        if (bytes > limit) refuse("its arrays are larger than the file");
    }
}

StoredCheckpoint read_head(const std::string& path) {
    const Handle file = open_file(path);
    StoredCheckpoint stored;
    stored.path = path;
    std::uint64_t values = 0, expected = 0;
    parse_header(read_header_text(file), stored, values, expected);
    check_size(stored, file_bytes(file));
    const Handle set = open_shaped(file, "series", {values}, H5T_FLOAT);
    stored.series.resize(values);
    if (values != 0)
        check_hdf5(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, stored.series.data()),
                   "read the series");
    if (digest(stored.series.data(), values * sizeof(double)) != expected) refuse("its series is damaged");
    return stored;
}

/// Row digests of one array, verified by the header.
std::vector<std::uint64_t> read_digests(hid_t file, const StoredArray& array) {
    const std::string& name = array.shape.name;
    const Handle set = open_shaped(open_group(file, "digest"), name, {array.shape.rows}, H5T_INTEGER);
    std::vector<std::uint64_t> digests(array.shape.rows);
    check_hdf5(H5Dread(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, digests.data()),
               "read the digests of " + name);
    if (digest(digests.data(), digests.size() * sizeof(std::uint64_t)) != array.digest)
        refuse("its digests are damaged");
    return digests;
}

/// Reads this rank's rows slab by slab and verifies the digest of each row.
void read_rows(hid_t file, const StoredArray& stored, const DistributedArray& array) {
    const std::string name = "state/" + stored.shape.name, what = "read " + name;
    const std::vector<std::uint64_t> expected = read_digests(file, stored);
    const Handle set = open_shaped(open_group(file, "state"), stored.shape.name, extents(array), type_class(array));
    const Handle file_space(H5Dget_space(set), what), type = memory_type(array);
    const Range rows = read_rows_of(array);
    RowDigests found(array.shape, rows);
    std::vector<std::byte> packed;
    for_each_slab(array, rows, [&](const ArraySlab& slab) {
        packed.assign(slab.elements.size() * element_bytes(array.shape.type), std::byte{0});
        const Handle memory_space = select_slab(file_space, array, slab, what);
        check_hdf5(H5Dread(set, type, memory_space, file_space, H5P_DEFAULT, packed.data()), what);
        found.add(slab, packed.data());
        array.write(slab, packed.data());
    });
    for (std::uint64_t r = 0; r < rows.size(); ++r)
        if (found.rows()[r] != expected[rows.first + r])
            refuse("row " + std::to_string(rows.first + r) + " of " + name + " is damaged");
}

/// The fields of a stored record.
std::vector<DistributedArray::Member> stored_members(hid_t file, const ArrayShape& record) {
    const std::string what = "inspect the record " + record.name;
    const Handle set = open_shaped(open_group(file, "state"), record.name, {1}, H5T_COMPOUND);
    const Handle type(H5Dget_type(set), what);
    std::vector<DistributedArray::Member> members;
    std::uint64_t elements = 0;
    for (unsigned i = 0; i < static_cast<unsigned>(std::max(0, H5Tget_nmembers(type))); ++i) {
        const Handle of_member(H5Tget_member_type(type, i), what);
        const bool list = H5Tget_class(of_member) == H5T_ARRAY;
        hsize_t size = 1;
        if (list && (H5Tget_array_ndims(of_member) != 1 || H5Tget_array_dims2(of_member, &size) < 0))
            refuse(record.name + " holds a field of another shape than strata writes");
        const Handle number(list ? H5Tget_super(of_member) : H5Tcopy(of_member), what);
        char* const name = H5Tget_member_name(type, i);
        members.push_back({name, size, H5Tget_class(number) == H5T_INTEGER, !list});
        H5free_memory(name);
        elements += size;
    }
    if (elements != record.row_elements) refuse(record.name + " has other fields than the header says");
    return members;
}

/// The stored record as an array whose write() copies the fields of `requested` to it. Throws Error(file) unless all of
/// them are stored. `requested` must outlive the array.
DistributedArray fields_of(hid_t file, const StoredArray& stored, const DistributedArray& requested) {
    DistributedArray whole;
    whole.shape = stored.shape;
    whole.rows = {0, 1};
    whole.replicated = true;
    whole.members = stored_members(file, stored.shape);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;  // first double and number of each field of `requested`
    for (const DistributedArray::Member& field : requested.members) {
        std::uint64_t first = 0;
        auto found = whole.members.begin();
        for (; found != whole.members.end() && found->name != field.name; ++found) first += found->size;
        if (found == whole.members.end() || found->size != field.size)
            refuse("the field " + field.name + " of " + stored.shape.name + " has another size than this job has");
        parts.emplace_back(first, field.size);
    }
    whole.write = [&requested, parts](const ArraySlab& slab, const std::byte* from) {
        std::vector<std::byte> packed;
        for (const auto& [first, size] : parts)
            packed.insert(packed.end(), from + 8 * first, from + 8 * (first + size));
        requested.write(slab, packed.data());
    };
    return whole;
}

/// Reads an array of a file; the reason of a failure names the file.
void read_array(hid_t file, const std::string& path, const StoredArray& stored, const DistributedArray& array) {
    try {
        read_rows(file, stored, array);
    } catch (const Error& error) {
        const std::string reason = error.what();
        refuse(path + " is not used: " + reason + (reason.ends_with('.') ? "" : "."));
    }
}

void broadcast_head(const Communicator& comm, StoredCheckpoint& stored) {
    std::string text = comm.is_root() ? header_text(stored.header, stored.arrays, 0, 0) : "";
    broadcast(comm, text);
    broadcast(comm, stored.path);
    broadcast(comm, stored.age);
    if (comm.is_root()) return;
    std::uint64_t values = 0, expected = 0;
    parse_header(text, stored, values, expected);
}

}  // namespace

StoredCheckpoint open_checkpoint(const Communicator& comm, const std::string& path, int first_age,
                                 std::vector<std::string>& rejections) {
    const auto lock = lock_hdf5();
    StoredCheckpoint stored;
    collectively(comm, [&] {
        if (!comm.is_root()) return;
        for (int age = first_age; age < max_kept; ++age) {
            const std::string candidate = older_checkpoint(path, age);
            if (!exists(candidate) && age > 0) continue;
            try {
                stored = read_head(candidate);
                stored.age = age;
                return;
            } catch (const Error& error) {
                rejections.push_back(candidate + " is not used: " + error.what());
            }
        }
        std::string all = "No good checkpoint was found.";
        for (const std::string& rejection : rejections) all += "\n        " + rejection;
        throw Error(ExitCode::file, all);
    });
    broadcast_head(comm, stored);
    return stored;
}

void read_state(const Communicator& comm, const StoredCheckpoint& stored, std::span<const DistributedArray> state) {
    const auto lock = lock_hdf5();
    collectively(comm, [&] {
        const Handle file = open_file(stored.path);
        if (stored.arrays.size() != state.size()) refuse(stored.path + " holds other arrays than this job has.");
        for (std::size_t a = 0; a < state.size(); ++a) {
            const StoredArray& s = stored.arrays[a];
            const DistributedArray& d = state[a];
            if (s.shape != d.shape)
                refuse(stored.path + " holds the array " + s.shape.name + " in another shape than this job has.");
            read_array(file, stored.path, s, d);
        }
    });
}

void read_final_state(const Communicator& comm, const StoredCheckpoint& stored,
                      std::span<const DistributedArray> arrays) {
    const auto lock = lock_hdf5();
    collectively(comm, [&] {
        const Handle file = open_file(stored.path);
        for (const DistributedArray& requested : arrays) {
            const auto found = std::ranges::find(stored.arrays, requested.shape.name,
                                                 [](const StoredArray& a) { return a.shape.name; });
            const bool record = !requested.members.empty();
            if (found == stored.arrays.end() || (!record && found->shape != requested.shape))
                refuse(stored.path + " holds no array " + requested.shape.name +
                       (found == stored.arrays.end() ? "" : " of this shape") +
                       ", which this measurement begins with.");
            read_array(file, stored.path, *found, record ? fields_of(file, *found, requested) : requested);
        }
    });
}

}  // namespace strata::io
