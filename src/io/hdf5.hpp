// SPDX-License-Identifier: BSD-3-Clause
// HDF5's handles as values and its return codes as exceptions; private to this module.
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

/// The library is not made for threads: who calls it holds this lock. Public functions of this module that use it take
/// the lock; the functions of this file expect that it is held.
std::unique_lock<std::mutex> lock_hdf5();

/// Switches off HDF5's own printing to stderr for this process.
void silence_hdf5();

/// A file made for writing with checksummed metadata that h5py reads. Throws if there is anything of this name.
Handle create_file(const std::string& path);
/// A regular file opened for reading by this process alone. Throws Error(file) in plain words for anything else.
Handle open_file(const std::string& path);
Handle create_group(hid_t where, const std::string& name);

void write_attribute(hid_t where, const std::string& name, const std::string& text);
void write_attribute(hid_t where, const std::string& name, double value);
void write_attribute(hid_t where, const std::string& name, std::int64_t value);
/// Beyond 64 KiB in files of layout 1.8 and later only.
void write_attribute(hid_t where, const std::string& name, const std::vector<std::int64_t>& values);
std::string read_text_attribute(hid_t where, const std::string& name);
double read_real_attribute(hid_t where, const std::string& name);
std::int64_t read_integer_attribute(hid_t where, const std::string& name);

/// A one-dimensional dataset; extendible ones are chunked.
enum class Growth { fixed, extendible };
Handle write_dataset(hid_t where, const std::string& name, std::span<const double> values, Growth growth);
/// A text of any length as one string.
void write_text_dataset(hid_t where, const std::string& name, const std::string& text);
/// A dataset or a group that lies in this file itself. Throws Error(file) for links, external storage, virtual or
/// filtered datasets, and for an extent that is larger than what is stored: nobody may allocate by it.
Handle open_dataset(hid_t where, const std::string& name);
Handle open_group(hid_t where, const std::string& name);
/// Either of them.
Handle open_object(hid_t where, const std::string& name);
std::vector<double> read_dataset(hid_t where, const std::string& name);

/// Names of the members or attributes of a group, in order of creation where that was recorded, else by name. Throws
/// Error(file) for a group with links to elsewhere.
std::vector<std::string> child_names(hid_t group);
std::vector<std::string> attribute_names(hid_t where);

}  // namespace strata::io
