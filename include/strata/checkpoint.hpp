// SPDX-License-Identifier: BSD-3-Clause
// How an application shows its state to the outside: arrays in global order, cut into rows, each rank holding a
// contiguous range of rows. Checkpoint, restart on other rank counts and the state hash read this one view. The frame
// asks for slabs and packs them, so the memory of an array may have any layout and may lie on a device: no array is
// ever mirrored as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "strata/partition.hpp"

namespace strata {

/// Types of elements; complex numbers are pairs (re, im).
enum class ElementType { u64, f32, f64, c64, c128 };

constexpr std::size_t element_bytes(ElementType type) {
    return type == ElementType::f32 ? 4 : type == ElementType::c128 ? 16 : 8;
}

/// Bytes of an array that a rank packs and writes to a checkpoint at a time, at most.
constexpr std::size_t checkpoint_slab_bytes = std::size_t{128} << 20;

/// Consecutive elements of an array: all elements of some rows, or some elements of a single row.
struct ArraySlab {
    Range rows;      ///< global rows
    Range elements;  ///< counted from the first element of rows.first, over all the rows
};

/// Name, type and shape of an array.
struct ArrayShape {
    std::string name;
    ElementType type = ElementType::u64;
    std::uint64_t rows = 0;
    std::uint64_t row_elements = 0;           ///< elements of every row; not used where row_starts is given
    std::vector<std::uint64_t> row_starts{};  ///< [rows + 1] for rows of different lengths: elements before each row

    bool ragged() const { return !row_starts.empty(); }
    /// Elements of some rows together.
    std::uint64_t elements(const Range& some) const {
        return ragged() ? row_starts[some.last] - row_starts[some.first] : some.size() * row_elements;
    }
    std::uint64_t bytes() const { return elements({0, rows}) * element_bytes(type); }
    friend bool operator==(const ArrayShape&, const ArrayShape&) = default;
};

/// One array of the state and the two functions that move slabs between it and packed memory. Both are called on the
/// rank that holds the rows, with slabs in ascending order.
struct DistributedArray {
    ArrayShape shape;
    Range rows;                                                          ///< rows held by this rank
    std::function<void(const ArraySlab&, std::byte* to)> read;           ///< packs the elements of a slab
    std::function<void(const ArraySlab&, const std::byte* from)> write;  ///< takes them back
    bool replicated = false;  ///< every rank holds all rows: rank 0 writes them, every rank reads them
    /// Members of a structure, for an array of one row of f64 that a checkpoint shows as one record: name, number of
    /// elements, and whether they are counts (stored as integers). See Record.
    struct Member {
        std::string name;
        std::uint64_t size = 1;
        bool count = false;
        bool scalar = true;
    };
    std::vector<Member> members{};
    /// For those who read the file with other programs: what a row is, and numbers that it takes to interpret it.
    std::string meaning{};
    std::vector<std::pair<std::string, double>> facts{};
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> lists{};  ///< the same for lists of integers
};

/// An array in host memory. Row r of `shape.rows` begins at data + (r - rows.first) * row_stride elements; rows have
/// equal lengths.
DistributedArray host_array(ArrayShape shape, Range rows, void* data, std::uint64_t row_stride);

/// A list that every rank holds whole: written by rank 0, read by every rank.
DistributedArray replicated_array(std::string name, ElementType type, void* data, std::uint64_t elements);

/// Small state that every rank holds, as named fields: written by rank 0, read by every rank, shown by h5py as one
/// structure. The fields must outlive the array. The state hash counts every field as doubles, in order of declaration.
class Record {
  public:
    explicit Record(std::string name) : name_(std::move(name)) {}
    Record& field(std::string name, double& value);
    Record& field(std::string name, std::uint64_t& count);  ///< at most 2^53, else Error(internal) when it is written
    Record& field(std::string name, std::span<double> values);
    Record& field(std::string name, std::span<std::uint64_t> counts);

    DistributedArray array() const;

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
