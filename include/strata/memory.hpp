// SPDX-License-Identifier: BSD-3-Clause
// Predicted memory of a run, held against what this process may still take before anything is allocated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata {

/// Predicted bytes of one rank, item by item.
struct MemoryPrediction {
    struct Item {
        std::string name;
        std::uint64_t bytes = 0;
    };
    std::vector<Item> host, device;
    std::uint64_t checkpoint_bytes = 0;  ///< of one checkpoint of the whole job, on disk
    /// Of the scratch files of one rank, which last as long as the run, and where they are.
    std::uint64_t scratch_bytes = 0;
    std::string scratch_directory = {};

    /// Adds what another part of the run takes; `suffix` distinguishes its items.
    void add(const MemoryPrediction& other, const std::string& suffix = {}) {
        for (auto items : {&MemoryPrediction::host, &MemoryPrediction::device})
            for (const Item& item : other.*items) (this->*items).push_back({item.name + suffix, item.bytes});
        checkpoint_bytes += other.checkpoint_bytes;
        scratch_bytes += other.scratch_bytes;
        if (scratch_directory.empty()) scratch_directory = other.scratch_directory;
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

/// Bytes that processes on this node may still take: the least of MemAvailable, the cgroup's limit less its use
/// (v1 and v2) and the address-space limit. 0 when nothing could be read.
std::uint64_t available_memory();

/// Bytes as a person writes them: "512 B", "1.50 MiB", "23.4 GiB".
std::string human_bytes(std::uint64_t bytes);

}  // namespace strata
