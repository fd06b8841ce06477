// SPDX-License-Identifier: BSD-3-Clause
// Scratch files: arrays are read back unchanged for any sizes and order of the calls; the file has no name, and damage
// is detected.
#include "io/scratch_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <numeric>
#include <random>

#include "strata/error.hpp"
#include "support/error_of.hpp"

namespace strata::io {
namespace {

namespace fs = std::filesystem;

class ScratchFiles : public testing::Test {
  protected:
    const std::string directory_ = testing::TempDir() + "scratch-" + std::to_string(getpid());
    ~ScratchFiles() override { fs::remove_all(directory_); }
};

using Parts = std::vector<std::vector<double>>;

template <class Real>
std::vector<std::span<Real>> spans(Parts& parts) {
    return {parts.begin(), parts.end()};
}

Parts random_parts(std::mt19937& random, std::size_t max_elements) {
    Parts parts(random() % 20);
    for (std::vector<double>& part : parts) {
        part.resize(random() % 3 == 0 ? random() % 5 : random() % max_elements);
        for (double& x : part) x = std::uniform_real_distribution<double>(-1, 1)(random);
    }
    return parts;
}

TEST_F(ScratchFiles, GiveBackWhatWasWritten) {
    std::mt19937 random(7);
    std::map<std::size_t, Parts> expected, loaded;
    ScratchFile file(directory_);
    for (int step = 0; step < 200; ++step) {
        const std::size_t number = random() % 9;
        file.wait(number);
        if (loaded.contains(number)) {
            EXPECT_EQ(loaded[number], expected[number]) << "array " << number << " in step " << step;
        }
        loaded.erase(number);
        if (random() % 2 == 0 || !expected.contains(number)) {
            expected[number] = random_parts(random, step % 40 == 0 ? 900'000 : 3000);  // also larger than one transfer
            file.write(number, spans<const double>(expected[number]));
        } else {
            Parts& to = loaded[number] = expected[number];
            for (std::vector<double>& part : to) std::ranges::fill(part, 7);
            file.read(number, spans<double>(to));
        }
    }
    for (auto& [number, parts] : loaded) {
        file.wait(number);
        EXPECT_EQ(parts, expected[number]) << "array " << number;
    }
    EXPECT_TRUE(fs::is_empty(directory_));
}

/// Path of the unlinked file of this process.
std::string nameless_file() {
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        const std::string target = fs::read_symlink(entry.path(), gone).string();
        if (target.find("/scratch.") != std::string::npos) return entry.path().string();
    }
    return {};
}

TEST_F(ScratchFiles, ReportOtherNumbersThanWereWritten) {
    ScratchFile file(directory_);
    Parts numbers = {std::vector<double>(100'000, 1.5)};
    file.write(3, spans<const double>(numbers));
    file.wait(3);
    const int damaged = open(nameless_file().c_str(), O_WRONLY | O_CLOEXEC);
    ASSERT_GE(damaged, 0);
    for (off_t at = off_t{1} << 20; at < (off_t{1} << 20) + 800'000; at += 4096)
        EXPECT_EQ(pwrite(damaged, "x", 1, at), 1);
    close(damaged);
    file.read(3, spans<double>(numbers));
    EXPECT_THAT(error_of(ExitCode::file, [&] { file.wait(3); }), testing::HasSubstr("other numbers"));
}

TEST_F(ScratchFiles, TakeNoMoreSpaceThanWasForeseen) {
    ScratchFile file(directory_);
    for (const std::size_t elements : {1000, 20'000, 50'000, 52'000, 48'000, 54'000}) {
        Parts numbers = {std::vector<double>(elements, 2.0)};
        for (std::size_t array = 0; array < 10; ++array) file.write(array, spans<const double>(numbers));
        for (std::size_t array = 0; array < 10; ++array) file.wait(array);
    }
    // arrays that move leave gaps, which later arrays fill
    EXPECT_LT(fs::file_size(nameless_file()), ScratchFile::bytes_for(10 * 54'000 * 8) * 3 / 2 + (4U << 20));
}

}  // namespace
}  // namespace strata::io
