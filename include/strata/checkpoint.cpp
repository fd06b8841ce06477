// SPDX-License-Identifier: BSD-3-Clause
// The two common kinds of arrays: rows in host memory, and a record of named fields.
#include "strata/checkpoint.hpp"

#include <algorithm>
#include <cstring>

#include "strata/error.hpp"

namespace strata {
namespace {

constexpr std::uint64_t max_count = std::uint64_t{1} << 53;  // doubles represent all integers up to it

/// Calls copy(packed offset, memory offset, bytes) for the parts of a slab that are contiguous in memory; both offsets
/// are in bytes.
template <class Copy>
void for_each_run(const ArraySlab& slab, const Range& rows, std::uint64_t row_bytes, std::uint64_t stride_bytes,
                  std::uint64_t element, const Copy& copy) {
    const std::uint64_t start = (slab.rows.first - rows.first) * stride_bytes;
    if (slab.rows.size() == 1) return copy(0, start + slab.elements.first * element, slab.elements.size() * element);
    for (std::uint64_t r = 0; r < slab.rows.size(); ++r) copy(r * row_bytes, start + r * stride_bytes, row_bytes);
}

}  // namespace

DistributedArray host_array(ArrayShape shape, Range rows, void* data, std::uint64_t row_stride) {
    DistributedArray array;
    const std::uint64_t element = element_bytes(shape.type);
    const std::uint64_t row_bytes = shape.row_elements * element, stride = row_stride * element;
    auto* memory = static_cast<std::byte*>(data);
    array.read = [=](const ArraySlab& slab, std::byte* to) {
        for_each_run(slab, rows, row_bytes, stride, element,
                     [&](std::uint64_t packed, std::uint64_t at, std::uint64_t bytes) {
                         std::memcpy(to + packed, memory + at, bytes);
                     });
    };
    array.write = [=](const ArraySlab& slab, const std::byte* from) {
        for_each_run(slab, rows, row_bytes, stride, element,
                     [&](std::uint64_t packed, std::uint64_t at, std::uint64_t bytes) {
                         std::memcpy(memory + at, from + packed, bytes);
                     });
    };
    array.shape = std::move(shape);
    array.rows = rows;
    return array;
}

DistributedArray replicated_array(std::string name, ElementType type, void* data, std::uint64_t elements) {
    DistributedArray array = host_array({std::move(name), type, 1, elements, {}}, {0, 1}, data, elements);
    array.replicated = true;
    return array;
}

DistributedArray ShapingNumber::array() {
    DistributedArray array = replicated_array(name_, ElementType::u64, ones_.data(), ones_.size());
    array.meaning = meaning_;
    return array;
}

std::optional<std::uint64_t> ShapingNumber::stored(std::span<const ArrayShape> shapes) const {
    const auto found = std::ranges::find(shapes, name_, &ArrayShape::name);
    if (found == shapes.end() || found->row_elements == 0) return std::nullopt;
    return found->row_elements - 1;
}

Record& Record::add(std::string name, double* values, std::uint64_t* counts, std::uint64_t size, bool scalar) {
    fields_.push_back({{std::move(name), size, counts != nullptr, scalar}, values, counts});
    return *this;
}
Record& Record::field(std::string name, double& value) { return add(std::move(name), &value, nullptr, 1, true); }
Record& Record::field(std::string name, std::uint64_t& count) { return add(std::move(name), nullptr, &count, 1, true); }
Record& Record::field(std::string name, std::span<double> values) {
    return add(std::move(name), values.data(), nullptr, values.size(), false);
}
Record& Record::field(std::string name, std::span<std::uint64_t> counts) {
    return add(std::move(name), nullptr, counts.data(), counts.size(), false);
}

Record Record::without(const std::vector<std::string>& names) const {
    Record rest(*this);
    std::erase_if(rest.fields_, [&](const Field& f) { return std::ranges::count(names, f.member.name) > 0; });
    return rest;
}

DistributedArray Record::array() const {
    DistributedArray array;
    std::uint64_t size = 0;
    for (const Field& f : fields_) {
        size += f.member.size;
        array.members.push_back(f.member);
    }
    array.shape = {name_, ElementType::f64, 1, size};
    array.rows = {0, 1};
    array.replicated = true;
    // HDF5 reads and writes a structure as a whole: a record is always one slab.
    array.read = [fields = fields_](const ArraySlab&, std::byte* to) {
        for (const Field& f : fields) {
            if (f.counts == nullptr) {
                std::copy_n(reinterpret_cast<const std::byte*>(f.values), f.member.size * sizeof(double), to);
                to += f.member.size * sizeof(double);
                continue;
            }
            for (std::uint64_t i = 0; i < f.member.size; ++i, to += sizeof(double)) {
                if (f.counts[i] > max_count)
                    throw Error(ExitCode::internal, "The count " + f.member.name + " does not fit in a checkpoint.");
                const auto value = static_cast<double>(f.counts[i]);
                std::memcpy(to, &value, sizeof value);
            }
        }
    };
    array.write = [fields = fields_](const ArraySlab&, const std::byte* from) {
        for (const Field& f : fields)
            for (std::uint64_t i = 0; i < f.member.size; ++i, from += sizeof(double)) {
                double value = 0;
                std::memcpy(&value, from, sizeof value);
                if (f.counts != nullptr)
                    f.counts[i] = static_cast<std::uint64_t>(value);
                else
                    f.values[i] = value;
            }
    };
    return array;
}

}  // namespace strata
