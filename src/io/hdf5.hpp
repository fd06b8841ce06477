// SPDX-License-Identifier: BSD-3-Clause
// HDF5 identifiers with ownership and return codes as exceptions; private to this module.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace strata::io {

/// Owns one HDF5 identifier of any kind.
class Handle {
  public:
    Handle() = default;
    /// Throws Error(file) "could not WHAT" if `id` is negative, with HDF5's own reason.
    Handle(hid_t id, const std::string& what);
    ~Handle() { close(); }
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }
    operator hid_t() const { return id_; }
    /// Closes now; throws if that fails (a full disk may show only here).
    void close_checked(const std::string& what);

  private:
    void close() noexcept;
    hid_t id_ = H5I_INVALID_HID;
};

/// Throws Error(file) if `status` is negative.
void check_hdf5(herr_t status, const std::string& what);

/// Lock of the HDF5 library, which is not thread-safe. Public functions of this module that call HDF5 take the lock;
/// the functions of this file expect that it is held.
std::unique_lock<std::mutex> lock_hdf5();

/// Properties of files that are written: a format with checksums of the metadata, which libraries from 1.10 on read, and
/// no buffers for elements of datasets. H5Dwrite then returns after the system has taken the elements and reports if it
/// did not; with buffers, only closing the dataset would fail, and reading would return zeros.
Handle file_access();
/// Creates a file for writing. Throws Error(file) if `path` exists. All three throw std::bad_alloc where the system has
/// too little memory for HDF5's tables of a file.
Handle create_file(const std::string& path, const Handle& access = file_access());
/// Opens a file for further writing.
Handle open_to_write(const std::string& path, const Handle& access);
/// Opens a regular file for reading by this process alone. Throws Error(file) for anything else.
Handle open_file(const std::string& path);
Handle create_group(hid_t where, const std::string& name);

void write_attribute(hid_t where, const std::string& name, const std::string& text);
void write_attribute(hid_t where, const std::string& name, double value);
void write_attribute(hid_t where, const std::string& name, std::int64_t value);
/// Attributes of more than 64 KiB require a file of layout 1.8 or later.
void write_attribute(hid_t where, const std::string& name, const std::vector<std::int64_t>& values);
std::string read_text_attribute(hid_t where, const std::string& name);
double read_real_attribute(hid_t where, const std::string& name);
std::int64_t read_integer_attribute(hid_t where, const std::string& name);

/// Writes a dataset [values], or [rows][width] if `width` is not 1; extendible datasets are chunked.
enum class Growth { fixed, extendible };
Handle write_dataset(hid_t where, const std::string& name, std::span<const double> values, Growth growth,
                     std::size_t width = 1);
Handle write_dataset(hid_t where, const std::string& name, const std::vector<std::int64_t>& values);
/// Writes texts padded with NUL to a common length.
Handle write_dataset(hid_t where, const std::string& name, const std::vector<std::string>& texts);
/// Writes a text of any length as one string.
void write_text_dataset(hid_t where, const std::string& name, const std::string& text);
/// Opens a dataset or a group that is stored in this file itself. Throws Error(file) for links, external storage,
/// virtual or filtered datasets, and for an extent that exceeds the stored data, so that callers can allocate memory by
/// the extent.
Handle open_dataset(hid_t where, const std::string& name);
Handle open_group(hid_t where, const std::string& name);
/// Opens a dataset or a group.
Handle open_object(hid_t where, const std::string& name);
std::vector<double> read_dataset(hid_t where, const std::string& name);
/// Reads a dataset of one or two dimensions; `width` is set to the length of a row.
std::vector<double> read_dataset(hid_t where, const std::string& name, std::size_t& width);
std::vector<std::int64_t> read_integers(hid_t where, const std::string& name);
std::vector<std::string> read_texts(hid_t where, const std::string& name);

/// Names of the members, or of the attributes, of a group, in the order of creation if that was recorded, else by name.
/// Throws Error(file) for a group with soft or external links.
std::vector<std::string> child_names(hid_t group);
std::vector<std::string> attribute_names(hid_t where);

}  // namespace strata::io
