// SPDX-License-Identifier: BSD-3-Clause
// Interface to the state of an application: arrays in global order, consisting of rows, of which each rank has a
// contiguous range. Checkpoints, resumption on other numbers of ranks and the state hash use this one view. Arrays are
// packed and unpacked slab by slab, so that the memory of an array may have any layout and may be on a device, and no
// array is copied as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "strata/partition.hpp"

namespace strata {

/// Types of elements; c64 and c128 are pairs (re, im) of f32 and f64.
enum class ElementType { u64, f32, f64, c64, c128 };

constexpr std::size_t element_bytes(ElementType type) {
    return type == ElementType::f32 ? 4 : type == ElementType::c128 ? 16 : 8;
}

/// Largest number of bytes that a rank packs and writes to a checkpoint at a time.
constexpr std::size_t checkpoint_slab_bytes = std::size_t{128} << 20;

/// Consecutive elements of an array: all elements of a range of rows, or a part of a single row.
struct ArraySlab {
    Range rows;      ///< global rows
    Range elements;  ///< counted from the first element of rows.first, over all the rows
};

/// Name, type and shape of an array.
struct ArrayShape {
    std::string name;
    ElementType type = ElementType::u64;
    std::uint64_t rows = 0;
    /// Elements of every row; not used if row_starts is not empty.
    std::uint64_t row_elements = 0;
    /// [rows + 1] for rows of different lengths: index of the first element of each row.
    std::vector<std::uint64_t> row_starts{};

    bool ragged() const { return !row_starts.empty(); }
    /// Number of elements of some rows.
    std::uint64_t elements(const Range& some) const {
        return ragged() ? row_starts[some.last] - row_starts[some.first] : some.size() * row_elements;
    }
    std::uint64_t bytes() const { return elements({0, rows}) * element_bytes(type); }
    friend bool operator==(const ArrayShape&, const ArrayShape&) = default;
};

/// One array of the state, with two functions that copy slabs between it and packed memory. Both are called on the rank
/// that has the rows, with slabs in ascending order.
struct DistributedArray {
    ArrayShape shape;
    Range rows;                                                          ///< rows of this rank
    std::function<void(const ArraySlab&, std::byte* to)> read;           ///< packs the elements of a slab
    std::function<void(const ArraySlab&, const std::byte* from)> write;  ///< unpacks the elements of a slab
    /// True if every rank has all rows: rank 0 writes them, every rank reads them.
    bool replicated = false;
    /// Member of a structure, for an array of one row of f64 that is stored as one record: name, number of elements,
    /// and whether they are counts (stored as integers). See Record.
    struct Member {
        std::string name;
        std::uint64_t size = 1;
        bool count = false;
        bool scalar = true;
    };
    std::vector<Member> members{};
    /// Description for readers that use other programs: the meaning of a row, and numbers needed to interpret it.
    std::string meaning{};
    std::vector<std::pair<std::string, double>> facts{};
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> lists{};  ///< the same, for lists of integers
};

/// An array in host memory. Row r begins at data + (r - rows.first) * row_stride elements; all rows have the same
/// length. `data` must outlive the array.
DistributedArray host_array(ArrayShape shape, Range rows, void* data, std::uint64_t row_stride);

/// A list of which every rank has a copy: rank 0 writes it, every rank reads it. `data` must outlive the array.
DistributedArray replicated_array(std::string name, ElementType type, void* data, std::uint64_t elements);

/// A small number on which the shapes of other arrays depend. It must be known before any element is read; files show
/// shapes first, so it is the length of an array of ones, less one.
class ShapingNumber {
  public:
    ShapingNumber(std::string name, std::string meaning) : name_(std::move(name)), meaning_(std::move(meaning)) {}
    std::uint64_t get() const { return ones_.size() - 1; }
    void set(std::uint64_t number) { ones_.assign(number + 1, 1); }
    /// The array of a checkpoint, which must not outlive the object; a stored one must have the length of this one.
    DistributedArray array();
    /// The number in a file that holds these arrays; none if there is no such array.
    std::optional<std::uint64_t> stored(std::span<const ArrayShape> shapes) const;

  private:
    std::string name_, meaning_;
    std::vector<std::uint64_t> ones_ = {1};
};

/// Small state of which every rank has a copy, as named fields: rank 0 writes it, every rank reads it, and h5py shows
/// it as one structure. The fields must outlive the array. The state hash includes every field as doubles, in order of
/// declaration.
class Record {
  public:
    explicit Record(std::string name) : name_(std::move(name)) {}
    Record& field(std::string name, double& value);
    /// A count of more than 2^53 makes the writing throw Error(internal).
    Record& field(std::string name, std::uint64_t& count);
    Record& field(std::string name, std::span<double> values);
    Record& field(std::string name, std::span<std::uint64_t> counts);

    DistributedArray array() const;
    /// The same record without some of its fields.
    Record without(const std::vector<std::string>& names) const;

  private:
    struct Field {
        DistributedArray::Member member;
        double* values;
        std::uint64_t* counts;
    };
    Record& add(std::string name, double* values, std::uint64_t* counts, std::uint64_t size, bool scalar);

    std::string name_;
    std::vector<Field> fields_;
};

}  // namespace strata
