// SPDX-License-Identifier: BSD-3-Clause
// Digests, types, the header as JSON text, and slabs as HDF5 selections.
#include "io/checkpoint_layout.hpp"

#include <xxhash.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "comm/collectives.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"
#include "strata/parallel.hpp"

namespace strata::io {
namespace {

constexpr std::pair<ElementType, const char*> type_names[] = {{ElementType::u64, "u64"},
                                                              {ElementType::f32, "f32"},
                                                              {ElementType::f64, "f64"},
                                                              {ElementType::c64, "c64"},
                                                              {ElementType::c128, "c128"}};

const char* name_of(ElementType type) {
    return std::ranges::find(type_names, type, &std::pair<ElementType, const char*>::first)->second;
}

ElementType type_of(const std::string& name) {
    for (const auto& [type, known] : type_names)
        if (name == known) return type;
    throw Error(ExitCode::file, "it holds an array of unknown type");
}

/// Throws Error(file) for an impossible shape, so that other functions can rely on stored shapes.
void check_shape(const ArrayShape& s) {
    constexpr std::uint64_t max_elements = std::uint64_t{1} << 56;
    const bool sound = s.ragged() ? s.row_starts.size() == s.rows + 1 && s.row_starts.front() == 0 &&
                                        std::ranges::is_sorted(s.row_starts) && s.row_starts.back() <= max_elements
                                  : s.row_elements == 0 || s.rows <= max_elements / s.row_elements;
    if (!sound) throw Error(ExitCode::file, "the array " + s.name + " has an impossible shape");
}

Handle copy_of(hid_t type) { return Handle(H5Tcopy(type), "describe a type"); }

/// A structure (r, i), which h5py shows as complex numbers.
Handle complex_type(hid_t real) {
    const std::size_t bytes = H5Tget_size(real);
    Handle type(H5Tcreate(H5T_COMPOUND, 2 * bytes), "describe complex numbers");
    check_hdf5(H5Tinsert(type, "r", 0, real), "describe complex numbers");
    check_hdf5(H5Tinsert(type, "i", bytes, real), "describe complex numbers");
    return type;
}

enum class Place { memory, file };

Handle element_type(ElementType type, Place place) {
    const bool memory = place == Place::memory;
    const hid_t single = memory ? H5T_NATIVE_FLOAT : H5T_IEEE_F32LE, real = memory ? H5T_NATIVE_DOUBLE : H5T_IEEE_F64LE;
    switch (type) {
        case ElementType::f32: return copy_of(single);
        case ElementType::f64: return copy_of(real);
        case ElementType::c64: return complex_type(single);
        case ElementType::c128: return complex_type(real);
        default: return copy_of(memory ? H5T_NATIVE_UINT64 : H5T_STD_U64LE);
    }
}

/// The structure of a record. In memory every member is a double; HDF5 converts counts to integers and back.
Handle record_type(const DistributedArray& record, Place place) {
    const std::string what = "describe the record " + record.shape.name;
    Handle type(H5Tcreate(H5T_COMPOUND, 8 * record.shape.row_elements), what);
    std::size_t offset = 0;
    for (const DistributedArray::Member& m : record.members) {
        const Handle one = element_type(place == Place::file && m.count ? ElementType::u64 : ElementType::f64, place);
        const hsize_t size = m.size;
        const Handle member = m.scalar ? copy_of(one) : Handle(H5Tarray_create2(one, 1, &size), what);
        check_hdf5(H5Tinsert(type, m.name.c_str(), offset, member), what);
        offset += 8 * m.size;
    }
    return type;
}

Handle type_of_array(const DistributedArray& array, Place place) {
    return array.members.empty() ? element_type(array.shape.type, place) : record_type(array, place);
}

}  // namespace

std::uint64_t digest(const void* data, std::size_t bytes) { return XXH64(data, bytes, 0); }

Handle memory_type(const DistributedArray& array) { return type_of_array(array, Place::memory); }
Handle file_type(const DistributedArray& array) { return type_of_array(array, Place::file); }

H5T_class_t type_class(const DistributedArray& array) { return H5Tget_class(file_type(array)); }

std::vector<hsize_t> extents(const DistributedArray& array) {
    const ArrayShape& s = array.shape;
    if (!array.members.empty()) return {1};
    if (s.ragged()) return {s.row_starts.back()};
    return {s.rows, s.row_elements};
}

struct RowDigests::State {
    XXH64_state_t* hash = XXH64_createState();
    ~State() { XXH64_freeState(hash); }
};

RowDigests::RowDigests(const ArrayShape& shape, const Range& rows)
    : shape_(shape), rows_(rows), digests_(rows.size(), digest(nullptr, 0)), state_(std::make_unique<State>()) {}
RowDigests::~RowDigests() = default;

void RowDigests::add(const ArraySlab& slab, const std::byte* packed) {
    const std::size_t element = element_bytes(shape_.type);
    const std::uint64_t first = slab.rows.first - rows_.first;
    if (slab.elements.size() != shape_.elements(slab.rows)) {  // a piece of one row
        if (slab.elements.first == 0) XXH64_reset(state_->hash, 0);
        XXH64_update(state_->hash, packed, slab.elements.size() * element);
        digests_[first] = XXH64_digest(state_->hash);  // the last piece gives the digest of the row
        return;
    }
    for_each_parallel(slab.rows, [&](std::uint64_t row) {
        digests_[row - rows_.first] = digest(packed + shape_.elements({slab.rows.first, row}) * element,
                                             shape_.elements({row, row + 1}) * element);
    });
}

Range written_rows(const Communicator& comm, const DistributedArray& array) {
    if (!array.replicated) return array.rows;
    return comm.is_root() ? Range{0, array.shape.rows} : Range{array.shape.rows, array.shape.rows};
}

Range read_rows_of(const DistributedArray& array) { return array.replicated ? Range{0, array.shape.rows} : array.rows; }

void for_each_slab(const DistributedArray& array, const Range& rows,
                   const std::function<void(const ArraySlab&)>& part) {
    if (array.members.empty()) return for_each_slab(array.shape, rows, part);
    if (!rows.empty()) part({rows, {0, array.shape.row_elements}});
}

Handle select_slab(hid_t file_space, const DistributedArray& array, const ArraySlab& slab, const std::string& what) {
    const std::size_t dimensions = extents(array).size();
    hsize_t start[2] = {slab.rows.first, slab.elements.first}, count[2] = {1, slab.elements.size()};
    if (slab.rows.size() > 1) start[1] = 0, count[0] = slab.rows.size(), count[1] = array.shape.row_elements;
    if (array.shape.ragged()) {
        start[0] = array.shape.row_starts[slab.rows.first] + slab.elements.first;
        count[0] = slab.elements.size();
    }
    check_hdf5(H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, nullptr, count, nullptr), what);
    return Handle(H5Screate_simple(static_cast<int>(dimensions), count, nullptr), what);
}

std::string hash_text(std::span<const std::vector<std::uint64_t>> digests) {
    std::vector<std::uint64_t> all;
    for (const std::vector<std::uint64_t>& rows : digests) all.insert(all.end(), rows.begin(), rows.end());
    return formatted("%016llx",
                     static_cast<unsigned long long>(digest(all.data(), all.size() * sizeof(std::uint64_t))));
}

std::string state_hash(const Communicator& comm, std::span<const DistributedArray> state) {
    std::vector<std::vector<std::uint64_t>> digests;
    std::vector<std::byte> packed;
    for (const DistributedArray& array : state) {
        const Range rows = written_rows(comm, array);
        RowDigests mine(array.shape, rows);
        for_each_slab(array, rows, [&](const ArraySlab& slab) {
            packed.resize(slab.elements.size() * element_bytes(array.shape.type));
            array.read(slab, packed.data());
            mine.add(slab, packed.data());
        });
        digests.push_back(gather(comm, std::span<const std::uint64_t>(mine.rows())));
    }
    std::string hash = hash_text(digests);
    broadcast(comm, hash);
    return hash;
}

namespace {

/// A count in a header. The JSON library would convert negative, fractional or too large numbers silently.
std::uint64_t count(const nlohmann::json& json) {
    if (!json.is_number_unsigned()) throw Error(ExitCode::file, "its header is not one of strata");
    return json;
}

}  // namespace

std::string header_text(const CheckpointHeader& header, std::span<const StoredArray> arrays,
                        std::uint64_t series_values, std::uint64_t series_digest) {
    nlohmann::ordered_json json;
    json["format"] = checkpoint_format_name;
    json["format_version"] = checkpoint_format;
    json["application"] = header.application;
    json["version"] = header.version;
    json["job"] = header.job;
    json["job_text"] = header.job_text;
    json["step"] = header.step;
    json["seconds"] = header.seconds;
    json["state_hash"] = header.state_hash;
    json["columns"] = header.columns;
    json["series_values"] = series_values;
    json["series_digest"] = series_digest;
    for (const StoredArray& a : arrays)
        json["arrays"].push_back({{"name", a.shape.name},
                                  {"type", name_of(a.shape.type)},
                                  {"rows", a.shape.rows},
                                  {"row_elements", a.shape.row_elements},
                                  {"row_starts", a.shape.row_starts},
                                  {"digest", a.digest}});
    return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void parse_header(const std::string& text, StoredCheckpoint& stored, std::uint64_t& series_values,
                  std::uint64_t& series_digest) {
    try {
        const auto json = nlohmann::json::parse(text);
        if (json.at("format") != checkpoint_format_name) throw Error(ExitCode::file, "it is no checkpoint of strata");
        const auto version = count(json.at("format_version"));
        if (version != checkpoint_format)
            throw Error(ExitCode::file, "its layout version is " + std::to_string(version) + ", this program reads " +
                                            std::to_string(checkpoint_format) +
                                            ": resume it with the version of strata that wrote it");
        CheckpointHeader& h = stored.header;
        h.application = json.at("application");
        h.version = json.at("version");
        h.job = json.at("job");
        h.job_text = json.at("job_text");
        h.step = count(json.at("step"));
        h.seconds = json.at("seconds");
        h.state_hash = json.at("state_hash");
        h.columns = json.at("columns");
        series_values = count(json.at("series_values"));
        series_digest = count(json.at("series_digest"));
        for (const auto& a : json.at("arrays")) {
            std::vector<std::uint64_t> row_starts;
            for (const auto& start : a.at("row_starts")) row_starts.push_back(count(start));
            stored.arrays.push_back({{a.at("name"), type_of(a.at("type")), count(a.at("rows")),
                                      count(a.at("row_elements")), std::move(row_starts)},
                                     count(a.at("digest"))});
            check_shape(stored.arrays.back().shape);
        }
    } catch (const nlohmann::json::exception&) {
        throw Error(ExitCode::file, "its header is not one of strata");
    }
}

}  // namespace strata::io
