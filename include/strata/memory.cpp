// SPDX-License-Identifier: BSD-3-Clause
// Free memory from Linux: /proc/meminfo, the cgroup files of version 1 and 2, and the limits of the process.
#include "strata/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>

namespace strata {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The number in a file of one number; `unlimited` if the file does not exist or contains "max".
std::uint64_t number_in(const std::string& path) {
    std::ifstream file(path);
    std::uint64_t value = unlimited;
    if (!(file >> value)) return unlimited;
    return value;
}

std::uint64_t system_available() {
    std::ifstream file("/proc/meminfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("MemAvailable:")) return std::stoull(line.substr(13)) * 1024;
    return unlimited;
}

/// Bytes below the limit of one control group. Reclaimable page cache is not counted as used.
std::uint64_t group_available(const std::string& limit, const std::string& use, const std::string& statistics,
                              const std::string& cache) {
    const std::uint64_t most = number_in(limit), used = number_in(use);
    if (most == unlimited || used == unlimited) return unlimited;
    std::uint64_t reclaimable = 0;
    std::ifstream file(statistics);
    std::string name;
    for (std::uint64_t value = 0; file >> name >> value;)
        if (name == cache) reclaimable = value;
    const std::uint64_t firm = used - std::min(used, reclaimable);
    return most - std::min(most, firm);
}

/// Minimum over the control group of this process and its visible parents.
std::uint64_t all_groups_available() {
    std::uint64_t least = unlimited;
    std::ifstream file("/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const bool unified = controllers.empty();
        if (!unified && controllers.find("memory") == std::string::npos) continue;
        const std::string root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
        for (std::string group = line.substr(second + 1);; group.erase(group.rfind('/'))) {
            const std::string d = root + (group == "/" ? "" : group);
            least = std::min(
                least,
                unified ? group_available(d + "/memory.max", d + "/memory.current", d + "/memory.stat", "inactive_file")
                        : group_available(d + "/memory.limit_in_bytes", d + "/memory.usage_in_bytes",
                                          d + "/memory.stat", "total_inactive_file"));
            if (group.empty() || group == "/") break;
        }
    }
    return least;
}

/// Bytes below a limit of this process. `used`: index of the pages that count for it in /proc/self/statm.
template <class Resource>
std::uint64_t process_available(Resource resource, int used) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
    std::ifstream file("/proc/self/statm");
    std::uint64_t pages = 0;
    for (int i = 0; i <= used; ++i) file >> pages;
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return file ? limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, pages * page) : limit.rlim_cur;
}

}  // namespace

std::uint64_t available_memory() {
    const std::uint64_t least = std::min({system_available(), all_groups_available(), process_available(RLIMIT_AS, 0),
                                          process_available(RLIMIT_DATA, 5)});
    return least == unlimited ? 0 : least;
}

std::string Recording::remedy(double factor) const {
    const bool raise = rows_change == Rows::fall_with_key;
    const double exact = static_cast<double>(value) * (raise ? factor : 1 / factor);
    const double digits = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(exact, 1.0))) - 1));
    const double rounded = raise ? std::ceil(exact / digits) : std::max(1 / digits, std::floor(exact / digits));
    char text[32];
    std::snprintf(text, sizeof text, "%.0f", rounded * digits);
    return (raise ? "raise " : "lower ") + key + " to " + text;
}

std::string human_bytes(std::uint64_t bytes) {
    constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1024 && unit < 6; ++unit) value /= 1024;
    char text[32];
    std::snprintf(text, sizeof text,
                  unit == 0     ? "%.0f %s"
                  : value < 10  ? "%.2f %s"
                  : value < 100 ? "%.1f %s"
                                : "%.0f %s",
                  value, units[unit]);
    return text;
}

}  // namespace strata
