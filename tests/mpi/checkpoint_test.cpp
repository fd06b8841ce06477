// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: written by all ranks, read by any number of ranks, and rejected if any content differs from what was
// written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>

#include "comm/collectives.hpp"
#include "io/checkpoint_file.hpp"
#include "io/slabs.hpp"
#include "strata/error.hpp"
#include "support/error_of.hpp"
#include "support/world.hpp"

namespace strata::io {
namespace {

constexpr std::uint64_t rows = 37, short_row = 11, long_row = 101;

/// Two arrays distributed over the ranks of a communicator, with gaps between the rows.
struct State {
    std::uint64_t elements, stride;
    std::vector<std::uint64_t> words;
    std::vector<double> numbers;
    Range range;

    explicit State(const Communicator& comm, std::uint64_t row_elements = short_row)
        : elements(row_elements),
          stride(row_elements + 5),
          range(equal_part(rows, static_cast<std::uint64_t>(comm.size()), static_cast<std::uint64_t>(comm.rank()))) {
        words.assign(range.size() * stride, 0);
        numbers.assign(range.size() * stride, 0);
    }
    void fill() {
        for (std::uint64_t r = range.first; r < range.last; ++r)
            for (std::uint64_t e = 0; e < stride; ++e) {
                words[(r - range.first) * stride + e] = e < elements ? r * 1000 + e : 77;
                numbers[(r - range.first) * stride + e] = e < elements ? 0.5 * static_cast<double>(r * 1000 + e) : 77;
            }
    }
    std::vector<DistributedArray> arrays() {
        return {host_array({"words", ElementType::u64, rows, elements}, range, words.data(), stride),
                host_array({"numbers", ElementType::f64, rows, elements}, range, numbers.data(), stride)};
    }
    bool as_written() const {
        for (std::uint64_t r = range.first; r < range.last; ++r)
            for (std::uint64_t e = 0; e < elements; ++e)
                if (words[(r - range.first) * stride + e] != r * 1000 + e ||
                    numbers[(r - range.first) * stride + e] != 0.5 * static_cast<double>(r * 1000 + e))
                    return false;
        return true;
    }
};

class Checkpoint : public testing::Test {
  protected:
    void SetUp() override {
        directory_ = testing::TempDir() + "strata_checkpoint_" + std::to_string(getpid());
        broadcast(world(), directory_);
        if (world().is_root()) std::filesystem::create_directory(directory_);
        path_ = directory_ + "/a.checkpoint.h5";
        all_max(world(), 0);
    }
    void TearDown() override {
        all_max(world(), 0);
        if (world().is_root()) std::filesystem::remove_all(directory_);
    }
    void write(std::uint64_t step, std::uint64_t row_elements = short_row) {
        State state(world(), row_elements);
        state.fill();
        Series series({{"a", "1", ""}, {"b", "1", ""}});
        series.append(std::vector<double>{1, 2});
        series.append(std::vector<double>{3, static_cast<double>(step)});
        write_checkpoint(world(), path_, 2, {"swendsen-wang", "9.9", "job", "text", step, 2.5, "hash"}, series,
                         state.arrays());
    }
    std::string directory_, path_;
    const Communicator alone_ = Communicator::alone();
};

TEST_F(Checkpoint, IsReadBackByTheSameRanksAndByOneAlone) {
    write(42);
    std::vector<std::string> rejections;
    const StoredCheckpoint stored = open_checkpoint(world(), path_, 0, rejections);
    EXPECT_EQ(stored.header.step, 42u);
    EXPECT_EQ(stored.header.application, "swendsen-wang");
    EXPECT_EQ(stored.header.job_text, "text");
    if (world().is_root()) {
        EXPECT_EQ(stored.series, (std::vector<double>{1, 2, 3, 42}));
    }
    State state(world());
    read_state(world(), stored, state.arrays());
    EXPECT_TRUE(state.as_written());

    const Communicator alone = Communicator::alone();
    const StoredCheckpoint again = open_checkpoint(alone, path_, 0, rejections);
    State whole(alone);
    read_state(alone, again, whole.arrays());
    EXPECT_TRUE(whole.as_written());
    EXPECT_TRUE(rejections.empty());
    EXPECT_EQ(state_hash(world(), state.arrays()), state_hash(alone, whole.arrays()));
}

/// Lowers the limit of one transfer during a test.
class SlabLimit {
  public:
    explicit SlabLimit(std::size_t bytes) { set_slab_limit(bytes); }
    ~SlabLimit() { set_slab_limit(before_); }

  private:
    const std::size_t before_ = slab_limit();
};

TEST(Slabs, HoldEveryElementOnceAndNeverMoreThanTheLimit) {
    for (std::size_t bytes : {64, 200, 1000})
        for (std::uint64_t row_elements : {1, 7, 8, 9, 25, 26, 101, 300}) {
            const SlabLimit limit(bytes);
            std::vector<std::uint64_t> memory(13 * (row_elements + 3), 0);
            const DistributedArray array =
                host_array({"a", ElementType::u64, 40, row_elements}, {20, 33}, memory.data(), row_elements + 3);
            std::uint64_t slabs = 0;
            for_each_slab(array.shape, array.rows, [&](const ArraySlab& slab) {
                EXPECT_LE(slab.elements.size() * 8, bytes);
                ++slabs;
                std::vector<std::uint64_t> counts(slab.elements.size());
                array.read(slab, reinterpret_cast<std::byte*>(counts.data()));
                for (std::uint64_t& count : counts) ++count;
                array.write(slab, reinterpret_cast<const std::byte*>(counts.data()));
            });
            for (std::size_t i = 0; i < memory.size(); ++i)
                EXPECT_EQ(memory[i], i % (row_elements + 3) < row_elements ? 1u : 0u) << row_elements << " at " << i;
            EXPECT_LE(slabs, 2 * (13 * 8 * row_elements / bytes + 13));
        }
}

TEST_F(Checkpoint, GoesInSlabsOfRowsAndOfPiecesOfRows) {
    for (std::size_t bytes : {64, 200, 1 << 20})  // a row of 808 bytes is 13 or 5 transfers, or part of one slab
        for (std::uint64_t row_elements : {short_row, long_row}) {
            const SlabLimit limit(bytes);
            write(1, row_elements);
            std::vector<std::string> rejections;
            const StoredCheckpoint stored = open_checkpoint(world(), path_, 0, rejections);
            State state(world(), row_elements);
            read_state(world(), stored, state.arrays());
            EXPECT_TRUE(state.as_written());
        }
}

TEST_F(Checkpoint, DamageInTheMiddleOfALongRowIsFound) {
    const SlabLimit limit(64);
    write(1, long_row);
    if (world().is_root()) {
        std::string bytes(std::filesystem::file_size(path_), '\0');
        std::ifstream(path_, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        const std::uint64_t pair[2] = {20050, 20051};  // elements 50 and 51 of row 20
        const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(pair), sizeof pair));
        ASSERT_NE(at, std::string::npos);
        bytes[at + 7] = static_cast<char>(bytes[at + 7] ^ 16);
        std::ofstream(path_, std::ios::binary) << bytes;
    }
    all_max(world(), 0);
    std::vector<std::string> rejections;
    const StoredCheckpoint stored = open_checkpoint(world(), path_, 0, rejections);
    State state(world(), long_row);
    EXPECT_THAT(error_of<CollectiveError>(ExitCode::file, [&] { read_state(world(), stored, state.arrays()); }),
                testing::HasSubstr("row 20 of state/words is damaged"));
}

TEST_F(Checkpoint, KeepsTheOneBefore) {
    for (std::uint64_t step : {1, 2, 3}) write(step);
    std::vector<std::string> rejections;
    EXPECT_EQ(open_checkpoint(world(), path_, 0, rejections).header.step, 3u);
    EXPECT_EQ(open_checkpoint(world(), path_, 1, rejections).header.step, 2u);
    EXPECT_THROW(open_checkpoint(world(), path_, 2, rejections), CollectiveError);
    if (world().is_root()) std::filesystem::remove(path_);
    all_max(world(), 0);
    rejections.clear();
    EXPECT_EQ(open_checkpoint(world(), path_, 0, rejections).header.step, 2u);
    if (world().is_root()) {
        EXPECT_EQ(rejections.size(), 1u);
    }
}

TEST_F(Checkpoint, AFailureLeavesTheGoodOneAlone) {
    write(5);
    const std::string good = path_;
    path_ = directory_ + "/missing/a.checkpoint.h5";
    EXPECT_THROW(write(6), CollectiveError);
    path_ = good;
    std::vector<std::string> rejections;
    EXPECT_EQ(open_checkpoint(world(), path_, 0, rejections).header.step, 5u);
}

TEST_F(Checkpoint, AnotherShapeIsRefused) {
    write(5);
    std::vector<std::string> rejections;
    const StoredCheckpoint stored = open_checkpoint(world(), path_, 0, rejections);
    State state(world());
    std::vector<DistributedArray> arrays = state.arrays();
    arrays[1].shape.row_elements = short_row - 1;
    EXPECT_THROW(read_state(world(), stored, arrays), CollectiveError);
    arrays.pop_back();
    EXPECT_THROW(read_state(world(), stored, arrays), CollectiveError);
}

/// The header lists the start of every row; it must be readable for any number of rows.
TEST_F(Checkpoint, HeadersMayBeLong) {
    std::vector<std::uint64_t> starts(1000001);
    std::iota(starts.begin(), starts.end(), std::uint64_t{0});
    const StoredArray array = {{"v", ElementType::f64, starts.size() - 1, 0, starts}, 0};
    ASSERT_GT(header_text({}, {&array, 1}, 0, 0).size(), std::size_t{8} << 20);
    if (!world().is_root()) return;
    const Communicator alone = Communicator::alone();
    DistributedArray long_array;
    long_array.shape = array.shape;
    long_array.rows = {0, starts.size() - 1};
    long_array.read = [](const ArraySlab& slab, std::byte* to) { std::memset(to, 1, 8 * slab.elements.size()); };
    write_checkpoint(alone, path_, 1, {"a", "1", "job", "text", 3, 1, ""}, Series(), {&long_array, 1});
    std::vector<std::string> rejections;
    EXPECT_EQ(open_checkpoint(alone, path_, 0, rejections).arrays.at(0).shape.row_starts, starts);
}

TEST(CheckpointHeader, CountsAreWholeNumbers) {
    const StoredArray array = {{"v", ElementType::f64, 4, 2, {}}, 7};
    const std::string good = header_text({"a", "1", "job", "text", 5, 1, ""}, {&array, 1}, 6, 8);
    const auto refused = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        StoredCheckpoint stored;
        std::uint64_t values = 0, expected = 0;
        EXPECT_THROW(parse_header(text, stored, values, expected), Error) << to;
    };
    StoredCheckpoint stored;
    std::uint64_t values = 0, expected = 0;
    EXPECT_NO_THROW(parse_header(good, stored, values, expected));
    for (const char* version : {"4294967298", "2.5", "-4294967294", "\"2\""})
        refused("\"format_version\": 3", std::string("\"format_version\": ") + version);
    for (const char* step : {"5.5", "-5", "true", "1e30"}) refused("\"step\": 5", std::string("\"step\": ") + step);
    for (const char* count : {"4.5", "-4", "1e30"}) refused("\"rows\": 4", std::string("\"rows\": ") + count);
}

/// Arrays of every type, one with rows of different lengths, and a record that all ranks hold.
struct Mixed {
    Range range;
    std::vector<float> singles, complex_singles;
    std::vector<double> complex_doubles, ragged;
    std::vector<std::uint64_t> starts = {0};
    double energy = 0;
    std::uint64_t count = 0;
    std::vector<double> coefficients = std::vector<double>(5);

    explicit Mixed(const Communicator& comm)
        : range(equal_part(rows, static_cast<std::uint64_t>(comm.size()), static_cast<std::uint64_t>(comm.rank()))) {
        for (std::uint64_t r = 0; r < rows; ++r) starts.push_back(starts.back() + r * r % 7);  // some rows are empty
        singles.resize(range.size() * 3);
        complex_singles.resize(range.size() * 6);
        complex_doubles.resize(range.size() * 4);
        ragged.resize(starts[range.last] - starts[range.first]);
    }
    /// Value of element e of the global array.
    static double value(std::uint64_t e) { return 0.25 * static_cast<double>(e) + 1; }
    template <class Visit>
    void visit(const Visit& each) {
        const auto all = [&](auto& values, std::uint64_t first) {
            for (std::size_t i = 0; i < values.size(); ++i) each(values[i], value(first + i));
        };
        all(singles, range.first * 3);
        all(complex_singles, range.first * 6);
        all(complex_doubles, range.first * 4);
        all(ragged, starts[range.first]);
        all(coefficients, 100);
        each(energy, -1.5);
        each(count, 12345678901);
    }
    std::vector<DistributedArray> arrays() {
        DistributedArray uneven;
        uneven.shape = {"ragged", ElementType::f64, rows, 0, starts};
        uneven.rows = range;
        const auto at = [this](const ArraySlab& slab) { return starts[slab.rows.first] - starts[range.first]; };
        uneven.read = [this, at](const ArraySlab& slab, std::byte* to) {
            std::memcpy(to, ragged.data() + at(slab) + slab.elements.first, 8 * slab.elements.size());
        };
        uneven.write = [this, at](const ArraySlab& slab, const std::byte* from) {
            std::memcpy(ragged.data() + at(slab) + slab.elements.first, from, 8 * slab.elements.size());
        };
        return {host_array({"f32", ElementType::f32, rows, 3}, range, singles.data(), 3),
                host_array({"c64", ElementType::c64, rows, 3}, range, complex_singles.data(), 3),
                host_array({"c128", ElementType::c128, rows, 2}, range, complex_doubles.data(), 2), uneven,
                Record("state").field("energy", energy).field("count", count).field("c", coefficients).array()};
    }
};

TEST_F(Checkpoint, KeepsEveryTypeRowsOfAnyLengthAndRecords) {
    for (std::size_t bytes : {64, 1 << 20}) {
        const SlabLimit limit(bytes);
        Mixed before(world());
        before.visit([](auto& to, double value) { to = static_cast<std::remove_reference_t<decltype(to)>>(value); });
        if (!world().is_root()) before.energy = 99;  // records are written by rank 0
        const std::string hash = write_checkpoint(world(), path_, 1, {"x", "9", "job", "text", 1, 0},
                                                  Series({{"a", "1", ""}}), before.arrays());
        EXPECT_EQ(hash, state_hash(world(), before.arrays()));
        for (const Communicator* comm : {&world(), &alone_}) {
            std::vector<std::string> rejections;
            const StoredCheckpoint stored = open_checkpoint(*comm, path_, 0, rejections);
            Mixed after(*comm);
            const std::vector<DistributedArray> arrays = after.arrays();
            ASSERT_EQ(stored.arrays.size(), arrays.size());
            for (std::size_t a = 0; a < arrays.size(); ++a) EXPECT_EQ(stored.arrays[a].shape, arrays[a].shape);
            read_state(*comm, stored, arrays);
            after.visit([](const auto& found, double value) { EXPECT_EQ(static_cast<double>(found), value); });
            EXPECT_EQ(state_hash(*comm, arrays), hash);
        }
    }
}

TEST_F(Checkpoint, CountsOfARecordAreExactOrRefused) {
    std::uint64_t count = (std::uint64_t{1} << 53) + 1;
    const std::vector<DistributedArray> state = {Record("state").field("count", count).array()};
    EXPECT_THROW(state_hash(alone_, state), Error);
}

enum class Verdict { refused, same, different };

/// Reads a damaged file: it is rejected, read unchanged, or read with different content.
Verdict judge(const std::string& path) {
    const Communicator alone = Communicator::alone();
    std::vector<std::string> rejections;
    try {
        const StoredCheckpoint stored = open_checkpoint(alone, path, 0, rejections);
        State state(alone);
        read_state(alone, stored, state.arrays());
        const bool same = state.as_written() && stored.header.step == 5 &&
                          stored.series == std::vector<double>{1, 2, 3, 5} && stored.header.job == "job" &&
                          stored.header.application == "swendsen-wang";
        return same ? Verdict::same : Verdict::different;
    } catch (const CollectiveError&) {
        return Verdict::refused;
    }
}

TEST_F(Checkpoint, NoFlippedByteAndNoTruncationPassesUnseen) {
    write(5);
    if (world().is_root()) {
        std::string bytes(std::filesystem::file_size(path_), '\0');
        std::ifstream(path_, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        std::mt19937_64 random(20);
        const std::string damaged = directory_ + "/damaged.h5";
        int refused = 0;
        for (int i = 0; i < 500; ++i) {
            std::string copy = bytes;
            // most of the file is zero padding for alignment: only other bytes are changed
            std::size_t at = random() % copy.size();
            for (int tries = 0; copy[at] == 0 && tries < 1000; ++tries) at = random() % copy.size();
            copy[at] = static_cast<char>(copy[at] ^ (1 << random() % 8));
            std::ofstream(damaged, std::ios::binary) << copy;
            const Verdict verdict = judge(damaged);
            EXPECT_NE(verdict, Verdict::different) << "byte " << at;
            refused += verdict == Verdict::refused ? 1 : 0;
        }
        EXPECT_GT(refused, 250);  // otherwise the test is void
        for (int i = 0; i < 200; ++i) {
            std::ofstream(damaged, std::ios::binary) << bytes.substr(0, random() % bytes.size());
            EXPECT_NE(judge(damaged), Verdict::different);
        }
    }
    all_max(world(), 0);
}

}  // namespace
}  // namespace strata::io
