// SPDX-License-Identifier: BSD-3-Clause
// Digests, the header as JSON text, and slabs as HDF5 selections.
#include "io/checkpoint_layout.hpp"

#include <xxhash.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "comm/collectives.hpp"
#include "strata/error.hpp"

namespace strata::io {
namespace {

const char* name_of(ElementType type) { return type == ElementType::u64 ? "u64" : "f64"; }

ElementType type_of(const std::string& name) {
    if (name == "u64") return ElementType::u64;
    if (name == "f64") return ElementType::f64;
    throw Error(ExitCode::file, "it holds an array of unknown type");
}

}  // namespace

std::uint64_t digest(const void* data, std::size_t bytes) { return XXH64(data, bytes, 0); }

hid_t memory_type(ElementType type) { return type == ElementType::u64 ? H5T_NATIVE_UINT64 : H5T_NATIVE_DOUBLE; }
hid_t file_type(ElementType type) { return type == ElementType::u64 ? H5T_STD_U64LE : H5T_IEEE_F64LE; }

std::vector<std::uint64_t> row_digests(const DistributedArray& array) {
    std::vector<std::uint64_t> digests(array.rows.size());
    const auto* words = static_cast<const std::uint64_t*>(array.data);
#pragma omp parallel for schedule(static)
    for (std::uint64_t r = 0; r < digests.size(); ++r)
        digests[r] = digest(words + r * array.row_stride, array.row_elements * sizeof(std::uint64_t));
    return digests;
}

Handle select_slab(hid_t file_space, const Slab& slab, const std::string& what) {
    const hsize_t start[2] = {slab.rows.first, slab.elements.first};
    const hsize_t count[2] = {slab.rows.size(), slab.elements.size()};
    check_hdf5(H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, nullptr, count, nullptr), what);
    return Handle(H5Screate_simple(2, count, nullptr), what);
}

std::string state_hash(const Communicator& comm, std::span<const DistributedArray> state) {
    std::vector<std::uint64_t> all;
    for (const DistributedArray& array : state) {
        const std::vector<std::uint64_t> mine = row_digests(array);
        const std::vector<std::uint64_t> digests = gather(comm, std::span<const std::uint64_t>(mine));
        all.insert(all.end(), digests.begin(), digests.end());
    }
    std::uint64_t hash = digest(all.data(), all.size() * sizeof(std::uint64_t));
    broadcast(comm, hash);
    char text[24];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

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
    json["series_values"] = series_values;
    json["series_digest"] = series_digest;
    for (const StoredArray& a : arrays)
        json["arrays"].push_back({{"name", a.name},
                                  {"type", name_of(a.type)},
                                  {"rows", a.rows},
                                  {"row_elements", a.row_elements},
                                  {"digest", a.digest}});
    return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void parse_header(const std::string& text, StoredCheckpoint& stored, std::uint64_t& series_values,
                  std::uint64_t& series_digest) {
    try {
        const auto json = nlohmann::json::parse(text);
        if (json.at("format") != checkpoint_format_name) throw Error(ExitCode::file, "it is no checkpoint of strata");
        const int version = json.at("format_version");
        if (version > checkpoint_format)
            throw Error(ExitCode::file, "its layout version is " + std::to_string(version) +
                                            ", this program reads up to " + std::to_string(checkpoint_format));
        CheckpointHeader& h = stored.header;
        h.application = json.at("application");
        h.version = json.at("version");
        h.job = json.at("job");
        h.job_text = json.at("job_text");
        h.step = json.at("step");
        h.seconds = json.at("seconds");
        h.state_hash = json.at("state_hash");
        series_values = json.at("series_values");
        series_digest = json.at("series_digest");
        for (const auto& a : json.at("arrays"))
            stored.arrays.push_back(
                {a.at("name"), type_of(a.at("type")), a.at("rows"), a.at("row_elements"), a.at("digest")});
    } catch (const nlohmann::json::exception&) {
        throw Error(ExitCode::file, "its header is not one of strata");
    }
}

}  // namespace strata::io
