// SPDX-License-Identifier: BSD-3-Clause
// Predicted memory of a run, which is compared with the available memory before anything is allocated.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace strata {

/// Product and sum of unsigned integers; the largest integer of 64 bits if the result does not fit.
constexpr std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}
constexpr std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

/// Size of the series of a run: one row of numbers for every observation, stored on rank 0 and written with every
/// checkpoint and result.
struct Recording {
    std::uint64_t rows = 0, columns = 0;
    /// Upper bound of the memory for estimates and tables.
    std::uint64_t report_bytes = 0;
    /// The key that determines the number of rows, its value, and whether a larger value gives more rows or fewer.
    std::string key = {};
    std::uint64_t value = 0;
    enum class Rows { grow_with_key, fall_with_key } rows_change = Rows::grow_with_key;

    std::uint64_t series_bytes() const { return saturated_product(8 * columns, rows); }
    /// Bytes in memory: the series, a copy of one column while it is written, and the report.
    std::uint64_t bytes() const {
        return saturated_sum(saturated_sum(series_bytes(), saturated_product(8, rows)), report_bytes);
    }
    /// Advice that reduces the rows by `factor`, e.g. "raise run.measure-every to 12"; the value has two digits.
    std::string remedy(double factor) const;
};

/// Predicted bytes of one rank, item by item.
struct MemoryPrediction {
    struct Item {
        std::string name;
        std::uint64_t bytes = 0;
    };
    std::vector<Item> host, device;
    /// Bytes of one checkpoint of the whole job, on disk.
    std::uint64_t checkpoint_bytes = 0;
    /// Bytes of the scratch files of one rank, which exist until the end of the run, and their directory.
    std::uint64_t scratch_bytes = 0;
    std::string scratch_directory = {};
    Recording recording = {};  ///< additional memory of rank 0, not in `host`
    /// Sentence on how the same question takes less memory; empty if nothing is known.
    std::string advice = {};

    /// Adds the memory of another part of the run; `suffix` is appended to the names of its items.
    void add(const MemoryPrediction& other, const std::string& suffix = {}) {
        for (auto items : {&MemoryPrediction::host, &MemoryPrediction::device})
            for (const Item& item : other.*items) (this->*items).push_back({item.name + suffix, item.bytes});
        checkpoint_bytes += other.checkpoint_bytes;
        scratch_bytes += other.scratch_bytes;
        if (scratch_directory.empty()) scratch_directory = other.scratch_directory;
        if (recording.rows == 0) recording = other.recording;
    }

    std::uint64_t host_bytes() const { return sum(host); }
    std::uint64_t device_bytes() const { return sum(device); }

  private:
    static std::uint64_t sum(const std::vector<Item>& items) {
        std::uint64_t bytes = 0;
        for (const Item& item : items) bytes += item.bytes;
        return bytes;
    }
};

/// Bytes that can still be allocated: the minimum of MemAvailable, the unused part of the cgroup's limit (v1 and v2)
/// and of the limits of the process. 0 if nothing could be read.
std::uint64_t available_memory();

/// Bytes in readable units: "512 B", "1.50 MiB", "23.4 GiB".
std::string human_bytes(std::uint64_t bytes);

}  // namespace strata
