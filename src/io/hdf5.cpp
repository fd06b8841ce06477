// SPDX-License-Identifier: BSD-3-Clause
// HDF5's return codes are checked in this file only. HDF5 reports reasons on a stack, of which the innermost is shown.
#include "io/hdf5.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "io/files.hpp"
#include "strata/buffer.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata::io {
namespace {

constexpr hsize_t chunk_rows = 4096;

/// HDF5 is initialized before main() and never terminates. A file whose closing failed for lack of space stays in its
/// tables, and terminating HDF5 would access the freed parts of that file. HDF5 would terminate at exit(), or in
/// MPI_Finalize if it was initialized after MPI_Init. Its own printing to stderr is switched off. Files of strata have no
/// external links; following one could open any file or FIFO that its author chose. HDF5's locks are switched off
/// unless the user sets them: on file systems without flock every open would fail, and the files of strata need none,
/// because they are written under temporary names and renamed. (H5Pset_file_locking exists from HDF5 1.10.7 on only.)
[[maybe_unused]] const bool initialized = setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0) == 0 && H5dont_atexit() >= 0 &&
                                          H5open() >= 0 && H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0 &&
                                          H5Lunregister(H5L_TYPE_EXTERNAL) >= 0;

/// The innermost reason on HDF5's error stack, or the words of the system in it; clears the stack.
std::string hdf5_reason() {
    std::string reason;
    const auto keep_last = [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
        if (error->desc != nullptr) *static_cast<std::string*>(out) = error->desc;
        return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_last, &reason);
    H5Eclear2(H5E_DEFAULT);
    const std::string mark = "error message = '";
    const std::size_t words = reason.find(mark);
    if (words == std::string::npos) return reason;
    reason.erase(0, words + mark.size());
    return reason.substr(0, reason.find('\''));
}

Error failure(const std::string& what) {
    const std::string reason = hdf5_reason();
    return Error(ExitCode::file,
                 "Could not " + printable(what, 8192) + (reason.empty() ? "." : ": " + printable(reason, 500) + "."));
}

Handle text_type(std::size_t length) {
    Handle type(H5Tcopy(H5T_C_S1), "describe a text");
    check_hdf5(H5Tset_size(type, length == 0 ? 1 : length), "describe a text");
    check_hdf5(H5Tset_cset(type, H5T_CSET_UTF8), "describe a text");
    return type;
}

void write_scalar(hid_t where, const std::string& name, hid_t file_type, hid_t memory_type, const void* value) {
    const std::string what = "write the attribute " + name;
    const Handle space(H5Screate(H5S_SCALAR), what);
    const Handle attribute(H5Acreate2(where, name.c_str(), file_type, space, H5P_DEFAULT, H5P_DEFAULT), what);
    check_hdf5(H5Awrite(attribute, memory_type, value), what);
}

template <class T>
T read_scalar(hid_t where, const std::string& name, hid_t memory_type, H5T_class_t expected) {
    const std::string what = "read the attribute " + name;
    const Handle attribute(H5Aopen(where, name.c_str(), H5P_DEFAULT), what);
    const Handle type(H5Aget_type(attribute), what);
    const Handle space(H5Aget_space(attribute), what);
    if (H5Tget_class(type) != expected || H5Sget_simple_extent_npoints(space) != 1)
        throw Error(ExitCode::file, "The attribute " + name + " is not of the kind that strata writes.");
    T value{};
    check_hdf5(H5Aread(attribute, memory_type, &value), what);
    return value;
}

/// Pairs of order of creation (0 if it was not recorded) and name.
using Names = std::vector<std::pair<std::int64_t, std::string>>;

std::vector<std::string> sorted(Names names) {
    std::ranges::sort(names);
    std::vector<std::string> texts;
    for (auto& [order, name] : names) texts.push_back(std::move(name));
    return texts;
}

/// Throws Error(file) for a dataset that is stored outside of the file, filtered or larger than its stored data.
/// External and virtual storage is tested before the dataspace is read, since that of a virtual dataset opens other
/// files.
void check_storage(hid_t set, const std::string& name) {
    const auto refuse = [&](const std::string& why) { throw Error(ExitCode::file, name + why); };
    const Handle layout(H5Dget_create_plist(set), "inspect " + name);
    if (H5Pget_external_count(layout) != 0 || H5Pget_layout(layout) == H5D_VIRTUAL) refuse(" lies outside the file.");
    if (H5Pget_nfilters(layout) != 0) refuse(" is filtered, which strata never does.");
    const Handle space(H5Dget_space(set), "inspect " + name), type(H5Dget_type(set), "inspect " + name),
        file(H5Iget_file_id(set), "inspect " + name);
    hsize_t file_bytes = 0;
    check_hdf5(H5Fget_filesize(file, &file_bytes), "inspect " + name);
    const auto elements = static_cast<hsize_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space)));
    const hsize_t stored = std::min(H5Dget_storage_size(set), file_bytes);
    if (elements > stored / std::max<std::size_t>(1, H5Tget_size(type)))
        refuse(" is larger than what is stored of it.");
}

/// The digest reads attributes in the order of their creation. HDF5 keeps it only if asked: otherwise an attribute that
/// moves within the header of its object, as when groups are created between two attributes of a file, has another place.
void track_attributes(hid_t creation, const std::string& what) {
    check_hdf5(H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED), what);
}

Handle write_list(hid_t where, const std::string& name, hid_t file_type, hid_t memory_type, std::size_t count,
                  const void* data) {
    const std::string what = "write the dataset " + name;
    const hsize_t size = count;
    const Handle space(H5Screate_simple(1, &size, nullptr), what);
    const Handle layout(H5Pcreate(H5P_DATASET_CREATE), what);
    track_attributes(layout, what);
    Handle dataset(H5Dcreate2(where, name.c_str(), file_type, space, H5P_DEFAULT, layout, H5P_DEFAULT), what);
    if (count != 0) check_hdf5(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), what);
    return dataset;
}

/// Number of elements and length of a row of a dataset, which must have this class and 1 to `most` dimensions.
std::pair<std::size_t, std::size_t> expect_list(hid_t dataset, const std::string& name, H5T_class_t kind, int most) {
    const std::string what = "read the dataset " + printable(name);
    const Handle space(H5Dget_space(dataset), what), type(H5Dget_type(dataset), what);
    const int dimensions = H5Sget_simple_extent_ndims(space);
    if (H5Tget_class(type) != kind || dimensions < 1 || dimensions > most)
        throw Error(ExitCode::file, "The dataset " + printable(name) + " is not a list of numbers.");
    hsize_t extents[2] = {0, 1};
    H5Sget_simple_extent_dims(space, extents, nullptr);
    return {static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)), static_cast<std::size_t>(extents[1])};
}

/// HDF5 does not check all of its allocations for a file: it ends by a signal where one is refused.
void expect_memory_for_a_file() {
    constexpr std::size_t enough = std::size_t{8} << 20;
    Memory<Cpu>::give_back(Memory<Cpu>::take(enough));
}

}  // namespace

Handle::Handle(hid_t id, const std::string& what) : id_(id) {
    if (id_ < 0) throw failure(what);
}

void Handle::close() noexcept {
    if (id_ < 0) return;
    switch (H5Iget_type(id_)) {
        case H5I_FILE: H5Fclose(id_); break;
        case H5I_GROUP: H5Gclose(id_); break;
        case H5I_DATASET: H5Dclose(id_); break;
        case H5I_DATASPACE: H5Sclose(id_); break;
        case H5I_DATATYPE: H5Tclose(id_); break;
        case H5I_ATTR: H5Aclose(id_); break;
        case H5I_GENPROP_LST: H5Pclose(id_); break;
        default: break;
    }
    id_ = H5I_INVALID_HID;
}

void Handle::close_checked(const std::string& what) {
    const hid_t id = std::exchange(id_, H5I_INVALID_HID);
    if (id < 0) return;
    check_hdf5(H5Iget_type(id) == H5I_FILE ? H5Fclose(id) : H5Dclose(id), what);
}

void check_hdf5(herr_t status, const std::string& what) {
    if (status < 0) throw failure(what);
}

std::unique_lock<std::mutex> lock_hdf5() {
    static std::mutex mutex;
    return std::unique_lock(mutex);
}

Handle file_access() {
    const std::string what = "prepare a file";
    Handle access(H5Pcreate(H5P_FILE_ACCESS), what);
    check_hdf5(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110), what);
    check_hdf5(H5Pset_sieve_buf_size(access, 0), what);
    check_hdf5(H5Pset_cache(access, 0, 0, 0, 0), what);
    return access;
}

Handle create_file(const std::string& path, const Handle& access) {
    expect_memory_for_a_file();
    const Handle order(H5Pcreate(H5P_FILE_CREATE), "create " + path);
    track_attributes(order, "create " + path);
    return Handle(H5Fcreate(path.c_str(), H5F_ACC_EXCL, order, access), "create " + path);
}

Handle open_to_write(const std::string& path, const Handle& access) {
    expect_memory_for_a_file();
    return Handle(H5Fopen(path.c_str(), H5F_ACC_RDWR, access), "open " + path);
}

Handle open_file(const std::string& path) {
    expect_regular_file(path);
    expect_memory_for_a_file();
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        throw Error(ExitCode::file,
                    printable(path, 4096) + " is not an HDF5 file, or is damaged (" + hdf5_reason() + ").");
    return Handle(file, "open " + path);
}

Handle create_group(hid_t where, const std::string& name) {
    const Handle order(H5Pcreate(H5P_GROUP_CREATE), "prepare a group");
    check_hdf5(H5Pset_link_creation_order(order, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "prepare a group");
    check_hdf5(H5Pset_attr_creation_order(order, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), "prepare a group");
    return Handle(H5Gcreate2(where, name.c_str(), H5P_DEFAULT, order, H5P_DEFAULT), "create the group " + name);
}

void write_attribute(hid_t where, const std::string& name, const std::string& text) {
    const Handle type = text_type(text.size());
    write_scalar(where, name, type, type, text.c_str());
}
void write_attribute(hid_t where, const std::string& name, double value) {
    write_scalar(where, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}
void write_attribute(hid_t where, const std::string& name, std::int64_t value) {
    write_scalar(where, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}
void write_attribute(hid_t where, const std::string& name, const std::vector<std::int64_t>& values) {
    const std::string what = "write the attribute " + name;
    const hsize_t size = values.size();
    const Handle space(H5Screate_simple(1, &size, nullptr), what);
    const Handle attribute(H5Acreate2(where, name.c_str(), H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), what);
    check_hdf5(H5Awrite(attribute, H5T_NATIVE_INT64, values.data()), what);
}

std::string read_text_attribute(hid_t where, const std::string& name) {
    const std::string what = "read the attribute " + name;
    const Handle attribute(H5Aopen(where, name.c_str(), H5P_DEFAULT), what);
    const Handle type(H5Aget_type(attribute), what);
    const Handle space(H5Aget_space(attribute), what);
    constexpr std::size_t most = std::size_t{64} << 20;
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0 || H5Tget_size(type) > most ||
        H5Sget_simple_extent_npoints(space) != 1)
        throw Error(ExitCode::file, "The attribute " + name + " is not a text as strata writes it.");
    std::string text(H5Tget_size(type), '\0');
    check_hdf5(H5Aread(attribute, type, text.data()), what);
    return text.substr(0, text.find('\0'));
}
double read_real_attribute(hid_t where, const std::string& name) {
    return read_scalar<double>(where, name, H5T_NATIVE_DOUBLE, H5T_FLOAT);
}
std::int64_t read_integer_attribute(hid_t where, const std::string& name) {
    return read_scalar<std::int64_t>(where, name, H5T_NATIVE_INT64, H5T_INTEGER);
}

Handle write_dataset(hid_t where, const std::string& name, std::span<const double> values, Growth growth,
                     std::size_t width) {
    const std::string what = "write the dataset " + name;
    const hsize_t size[2] = {values.size() / width, width};
    const hsize_t most[2] = {growth == Growth::extendible ? H5S_UNLIMITED : size[0], width};
    const hsize_t chunk[2] = {chunk_rows, width};
    const int dimensions = width == 1 ? 1 : 2;
    const Handle space(H5Screate_simple(dimensions, size, most), what);
    const Handle layout(H5Pcreate(H5P_DATASET_CREATE), what);
    track_attributes(layout, what);
    if (growth == Growth::extendible) check_hdf5(H5Pset_chunk(layout, dimensions, chunk), what);
    Handle dataset(H5Dcreate2(where, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT), what);
    if (!values.empty())
        check_hdf5(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), what);
    return dataset;
}

Handle write_dataset(hid_t where, const std::string& name, const std::vector<std::int64_t>& values) {
    return write_list(where, name, H5T_STD_I64LE, H5T_NATIVE_INT64, values.size(), values.data());
}

Handle write_dataset(hid_t where, const std::string& name, const std::vector<std::string>& texts) {
    std::size_t longest = 1;
    for (const std::string& text : texts) longest = std::max(longest, text.size());
    std::string packed;
    for (const std::string& text : texts) packed += text + std::string(longest - text.size(), '\0');
    const Handle type = text_type(longest);
    return write_list(where, name, type, type, texts.size(), packed.data());
}

void write_text_dataset(hid_t where, const std::string& name, const std::string& text) {
    const std::string what = "write the dataset " + name;
    const Handle type = text_type(text.size());
    const Handle space(H5Screate(H5S_SCALAR), what);
    const Handle dataset(H5Dcreate2(where, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), what);
    check_hdf5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()), what);
}

Handle open_object(hid_t where, const std::string& name) {
    const std::string shown = printable(name);
    H5L_info_t link;
    if (H5Lget_info(where, name.c_str(), &link, H5P_DEFAULT) < 0)
        throw Error(ExitCode::file, "It lacks " + shown + ".");
    if (link.type != H5L_TYPE_HARD) throw Error(ExitCode::file, shown + " is a link to elsewhere.");
    Handle object(H5Oopen(where, name.c_str(), H5P_DEFAULT), "open " + shown);
    if (H5Iget_type(object) == H5I_DATASET) check_storage(object, shown);
    return object;
}

Handle open_dataset(hid_t where, const std::string& name) {
    Handle set = open_object(where, name);
    if (H5Iget_type(set) != H5I_DATASET) throw Error(ExitCode::file, printable(name) + " is not a dataset.");
    return set;
}

Handle open_group(hid_t where, const std::string& name) {
    Handle group = open_object(where, name);
    if (H5Iget_type(group) != H5I_GROUP) throw Error(ExitCode::file, printable(name) + " is not a group.");
    return group;
}

std::vector<double> read_dataset(hid_t where, const std::string& name) {
    std::size_t width = 0;
    std::vector<double> values = read_dataset(where, name, width);
    if (width != 1) throw Error(ExitCode::file, "The dataset " + printable(name) + " is not a list of numbers.");
    return values;
}

std::vector<double> read_dataset(hid_t where, const std::string& name, std::size_t& width) {
    const Handle dataset = open_dataset(where, name);
    const auto [size, columns] = expect_list(dataset, name, H5T_FLOAT, 2);
    width = columns;
    std::vector<double> values(size);
    if (size != 0)
        check_hdf5(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
                   "read the dataset " + printable(name));
    return values;
}

std::vector<std::int64_t> read_integers(hid_t where, const std::string& name) {
    const Handle dataset = open_dataset(where, name);
    std::vector<std::int64_t> values(expect_list(dataset, name, H5T_INTEGER, 1).first);
    if (!values.empty())
        check_hdf5(H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
                   "read the dataset " + printable(name));
    return values;
}

std::vector<std::string> read_texts(hid_t where, const std::string& name) {
    const Handle dataset = open_dataset(where, name);
    const std::size_t size = expect_list(dataset, name, H5T_STRING, 1).first;
    const Handle type(H5Dget_type(dataset), "read the dataset " + printable(name));
    if (H5Tis_variable_str(type) != 0)
        throw Error(ExitCode::file, "The dataset " + printable(name) + " is not as strata writes it.");
    const std::size_t length = H5Tget_size(type);
    std::string packed(size * length, '\0');  // bounded by the stored data: open_dataset() has compared both
    if (size != 0)
        check_hdf5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data()),
                   "read the dataset " + printable(name));
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < size; ++i) {
        const std::string text = packed.substr(i * length, length);
        texts.push_back(text.substr(0, text.find('\0')));
    }
    return texts;
}

// Both lists are collected in the native order of the file and sorted here: for another order HDF5 1.10 builds a table,
// and frees uninitialised entries of it if a block of the group is damaged.
std::vector<std::string> child_names(hid_t group) {
    Names names;
    const auto take = [](hid_t, const char* name, const H5L_info_t* info, void* out) -> herr_t {
        static_cast<Names*>(out)->emplace_back(info->corder_valid ? info->corder : 0, name);
        return info->type == H5L_TYPE_HARD ? 0 : 1;
    };
    const herr_t status = H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, take, &names);
    check_hdf5(status, "list a group");
    if (status > 0) throw Error(ExitCode::file, printable(names.back().second) + " is a link to elsewhere.");
    return sorted(std::move(names));
}

std::vector<std::string> attribute_names(hid_t where) {
    Names names;
    const auto take = [](hid_t, const char* name, const H5A_info_t* info, void* out) -> herr_t {
        static_cast<Names*>(out)->emplace_back(info->corder_valid ? info->corder : 0, name);
        return 0;
    };
    check_hdf5(H5Aiterate2(where, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, take, &names), "list attributes");
    return sorted(std::move(names));
}

}  // namespace strata::io
