// SPDX-License-Identifier: BSD-3-Clause
// The file is walked as a reader sees it, so that the digest depends on names, order and numbers, and neither on how
// HDF5 lays them out nor on the byte order. Datasets are read in pieces: no memory is taken by the word of the file.
#include "io/content_digest.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "io/hdf5.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata::io {
namespace {

constexpr hsize_t piece = hsize_t{1} << 16;              // elements that are read at once
constexpr std::size_t max_text = std::size_t{64} << 20;  // bytes of an attribute or of one element
constexpr int max_depth = 8;                             // of groups in groups; a group that holds itself has no end

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
        add(std::uint64_t{0});  // the end
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

    /// The type in memory of numbers and texts as strata writes them; their class is part of the digest.
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
            if (name == besides) continue;
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
        if (dimensions != 0 && dimensions != 1) throw Error(ExitCode::file, name + " is not a list.");
        const auto size = static_cast<hsize_t>(H5Sget_simple_extent_npoints(in_file));
        add(std::uint64_t{size});
        std::vector<char> values(std::min(size, piece) * H5Tget_size(type));
        for (hsize_t first = 0; first < size; first += piece) {
            const hsize_t count = std::min(piece, size - first);
            const Handle in_memory(H5Screate_simple(1, &count, nullptr), what);
            if (dimensions == 1)
                check_hdf5(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &first, nullptr, &count, nullptr), what);
            check_hdf5(H5Dread(set, type, in_memory, in_file, H5P_DEFAULT, values.data()), what);
            add(values.data(), count * H5Tget_size(type));
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

}  // namespace strata::io
