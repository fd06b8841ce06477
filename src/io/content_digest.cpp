// SPDX-License-Identifier: BSD-3-Clause
// The digest covers the logical content of a file, i.e. names, order and values, and is independent of HDF5's layout
// and of the byte order. Datasets are read in pieces, so that sizes from the file do not determine the memory.
#include "io/content_digest.hpp"

#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "io/files.hpp"
#include "io/hdf5.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata::io {
namespace {

constexpr hsize_t piece = hsize_t{1} << 16;              // elements that are read at a time
constexpr std::size_t max_text = std::size_t{64} << 20;  // largest attribute, element or row in bytes
constexpr int max_depth = 8;  // nesting of groups, which would be infinite if a group contained itself

class Walk {
  public:
    void group(hid_t where, int depth) {
        if (depth > max_depth) throw Error(ExitCode::file, "Its groups lie too deep.");
        attributes(where, depth == 0 ? digest_name : "");
        for (const std::string& name : child_names(where)) {
            const Handle object = open_object(where, name);
            const H5I_type_t kind = H5Iget_type(object);
            add(name);
            add(std::uint64_t{kind == H5I_GROUP});
            if (kind == H5I_GROUP)
                group(object, depth + 1);
            else if (kind == H5I_DATASET)
                dataset(object, printable(name));
            else
                throw Error(ExitCode::file, printable(name) + " is neither a group nor a dataset.");
        }
        add(std::uint64_t{0});  // marks the end of the group
    }
    std::string text() const {
        char digits[24];
        std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(XXH64_digest(state_.get())));
        return digits;
    }

  private:
    void add(const void* data, std::size_t bytes) { XXH64_update(state_.get(), data, bytes); }
    void add(std::uint64_t number) { add(&number, sizeof number); }
    void add(const std::string& text) {
        add(std::uint64_t{text.size()});
        add(text.data(), text.size());
    }

    /// The type in memory of numbers and texts; adds its class to the digest. Throws Error(file) for types that strata
    /// does not write.
    Handle memory_type(hid_t file_type, const std::string& name) {
        const H5T_class_t kind = H5Tget_class(file_type);
        const bool text =
            kind == H5T_STRING && H5Tis_variable_str(file_type) == 0 && H5Tget_size(file_type) <= max_text;
        if (!text && kind != H5T_FLOAT && kind != H5T_INTEGER)
            throw Error(ExitCode::file, name + " has a type that strata does not write.");
        add(static_cast<std::uint64_t>(kind));
        const hid_t type = text ? file_type : kind == H5T_FLOAT ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
        return Handle(H5Tcopy(type), "describe " + name);
    }

    void attributes(hid_t where, const std::string& besides) {
        for (const std::string& name : attribute_names(where)) {
            // references between coordinates and datasets, on which no value depends
            if (name == besides || name == "DIMENSION_LIST" || name == "REFERENCE_LIST") continue;
            const std::string shown = printable(name), what = "read the attribute " + shown;
            const Handle attribute(H5Aopen(where, name.c_str(), H5P_DEFAULT), what);
            const Handle space(H5Aget_space(attribute), what), file_type(H5Aget_type(attribute), what);
            if (H5Sget_simple_extent_npoints(space) != 1)
                throw Error(ExitCode::file, "The attribute " + shown + " is not one value.");
            const Handle type = memory_type(file_type, shown);
            std::vector<char> value(H5Tget_size(type));
            check_hdf5(H5Aread(attribute, type, value.data()), what);
            add(name);
            add(value.data(), value.size());
        }
        add(std::uint64_t{0});
    }

    void dataset(hid_t set, const std::string& name) {
        const std::string what = "read " + name;
        attributes(set, "");
        const Handle in_file(H5Dget_space(set), what), file_type(H5Dget_type(set), what);
        const Handle type = memory_type(file_type, name);
        const int dimensions = H5Sget_simple_extent_ndims(in_file);
        if (dimensions < 0 || dimensions > 2) throw Error(ExitCode::file, name + " is not a list.");
        hsize_t extents[2] = {1, 1};  // rows, elements of a row
        H5Sget_simple_extent_dims(in_file, extents, nullptr);
        add(std::uint64_t{extents[0] * extents[1]});
        if (dimensions == 2) add(std::uint64_t{extents[1]});
        const hsize_t rows = std::max<hsize_t>(1, piece / std::max<hsize_t>(1, extents[1])), row = extents[1];
        if (row > max_text / H5Tget_size(type)) throw Error(ExitCode::file, name + " has rows that are too long.");
        std::vector<char> values(std::min(extents[0], rows) * row * H5Tget_size(type));
        for (hsize_t first = 0; first < extents[0]; first += rows) {
            const hsize_t start[2] = {first, 0}, count[2] = {std::min(rows, extents[0] - first), row};
            const hsize_t elements = count[0] * row;
            const Handle in_memory(H5Screate_simple(1, &elements, nullptr), what);
            if (dimensions != 0)
                check_hdf5(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, nullptr, count, nullptr), what);
            check_hdf5(H5Dread(set, type, in_memory, in_file, H5P_DEFAULT, values.data()), what);
            add(values.data(), elements * H5Tget_size(type));
        }
    }

    struct Free {
        void operator()(XXH64_state_t* state) const { XXH64_freeState(state); }
    };
    std::unique_ptr<XXH64_state_t, Free> state_ = [] {
        std::unique_ptr<XXH64_state_t, Free> state(XXH64_createState());
        XXH64_reset(state.get(), 0);
        return state;
    }();
};

}  // namespace

std::string content_digest(hid_t file) {
    Walk walk;
    walk.group(file, 0);
    return walk.text();
}

void write_digested_file(const std::string& path, std::uint64_t bytes, const std::function<void(hid_t)>& fill) {
    const auto lock = lock_hdf5();
    const std::string temporary = temporary_name(path);
    try {
        probe_space(temporary, bytes);
        Handle file = create_file(temporary);
        fill(file);
        write_attribute(file, digest_name, content_digest(file));
        file.close_checked("finish " + temporary);
        put_in_place(temporary, path);
    } catch (...) {
        unlink(temporary.c_str());
        throw;
    }
}

}  // namespace strata::io
