// SPDX-License-Identifier: BSD-3-Clause
// Every array is a dataset with some spare capacity. HDF5 does not survive a write that fails for lack of space, so
// that disk space is reserved before. A thread of this file makes the HDF5 calls, under the module's lock; it never
// calls MPI.
#include "io/scratch_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "comm/session.hpp"
#include "io/checkpoint_layout.hpp"
#include "io/files.hpp"
#include "io/hdf5.hpp"
#include "strata/error.hpp"

namespace strata::io {
namespace {

constexpr hsize_t elements_of_call = hsize_t{1} << 19;  // elements that one call reads or writes

/// Number of elements of all parts.
template <class Real>
std::uint64_t total(const std::vector<std::span<Real>>& parts) {
    std::uint64_t sum = 0;
    for (const std::span<Real>& part : parts) sum += part.size();
    return sum;
}

/// Calls body(first element, number of elements, their parts) for successive pieces of the concatenated parts.
template <class Real, class Body>
void for_pieces(const std::vector<std::span<Real>>& parts, Body body) {
    hsize_t first = 0, count = 0;
    std::vector<std::span<Real>> cut;
    const auto end = [&] {
        body(first, count, cut);
        first += std::exchange(count, 0);
        cut.clear();
    };
    for (std::span<Real> part : parts)
        while (!part.empty()) {
            cut.push_back(part.first(std::min<std::size_t>(part.size(), elements_of_call - count)));
            count += cut.back().size();
            part = part.subspan(cut.back().size());
            if (count == elements_of_call) end();
        }
    if (count > 0) end();
}

/// The digest of the previous pieces, extended by one piece.
std::uint64_t chained(std::uint64_t before, const std::vector<double>& buffer, hsize_t count) {
    const std::uint64_t both[] = {before, digest(buffer.data(), count * sizeof(double))};
    return digest(both, sizeof both);
}

/// Calls call(dataspace of the buffer, dataspace of the file) for `count` elements of a dataset from `first` on.
template <class Call>
void transfer(hid_t dataset, hsize_t first, hsize_t count, Call call) {
    const std::string what = "read or write scratch data";
    const Handle in_memory(H5Screate_simple(1, &count, nullptr), what), in_file(H5Dget_space(dataset), what);
    check_hdf5(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &first, nullptr, &count, nullptr), what);
    check_hdf5(call(in_memory, in_file), what);
}

}  // namespace

struct ScratchFile::Impl {
    struct Array {
        Handle dataset;
        hsize_t capacity = 0;
        std::uint64_t digest = 0;
    };
    struct Task {
        std::size_t number;
        std::function<void()> run;
    };

    explicit Impl(const std::string& where);
    ~Impl();
    void begin(Task task);
    std::exception_ptr settle(std::size_t number);
    void work();
    void write(std::size_t number, const std::vector<std::span<const double>>& parts);
    void read(std::size_t number, const std::vector<std::span<double>>& parts);
    void make_room(Array& array, std::size_t number, hsize_t elements) const;
    int descriptor() const;

    const std::string directory;
    Handle file;
    std::map<std::size_t, Array> arrays;  // used by the thread only
    std::vector<double> buffer;           // used by the thread only

    std::mutex mutex;  // protects the members below
    std::condition_variable changed;
    std::deque<Task> tasks;  // the first one is being executed
    std::exception_ptr failure;
    bool leaving = false;
    std::thread thread;  // last, since it uses all other members
};

ScratchFile::Impl::Impl(const std::string& where) : directory(where), buffer(elements_of_call) {
    make_directory(directory);
    const auto lock = lock_hdf5();
    const std::string path = temporary_name(directory + "/scratch." + host_name());
    const Handle access = file_access();
    check_hdf5(H5Pset_meta_block_size(access, head_bytes - 4096), "prepare " + path);
    try {
        file = create_file(path, access);
    } catch (const Error&) {
        unlink(path.c_str());
        throw;
    }
    unlink(path.c_str());
    reserve_space(descriptor(), 0, head_bytes, "a scratch file in " + directory);
    thread = std::thread([this] { work(); });
}

ScratchFile::Impl::~Impl() {
    {
        const std::lock_guard lock(mutex);
        leaving = true;
    }
    changed.notify_all();
    thread.join();
    const auto lock = lock_hdf5();
    arrays.clear();
    file = Handle();
}

int ScratchFile::Impl::descriptor() const {
    void* descriptor = nullptr;
    check_hdf5(H5Fget_vfd_handle(file, H5P_DEFAULT, &descriptor), "ask for the scratch file");
    return *static_cast<int*>(descriptor);
}

void ScratchFile::Impl::begin(Task task) {
    {
        const std::lock_guard lock(mutex);
        tasks.push_back(std::move(task));
    }
    changed.notify_all();
}

/// Waits until no task of this array remains. Returns the failure since the start, if any; a failure removes all tasks.
std::exception_ptr ScratchFile::Impl::settle(std::size_t number) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return std::ranges::find(tasks, number, &Task::number) == tasks.end(); });
    return failure;
}

/// Executes tasks until the destructor runs. After a failure the remaining tasks are removed.
void ScratchFile::Impl::work() {
    std::unique_lock lock(mutex);
    for (;;) {
        changed.wait(lock, [&] { return leaving || !tasks.empty(); });
        if (leaving) return;
        const Task& task = tasks.front();  // remains valid while others are appended
        lock.unlock();
        std::exception_ptr failed;
        try {
            task.run();
        } catch (...) {
            failed = std::current_exception();
        }
        lock.lock();
        tasks.pop_front();
        if (failed) {
            failure = failed;
            tasks.clear();
        }
        changed.notify_all();
    }
}

/// Creates a dataset for `elements` elements, with its disk space reserved, if the existing one is too small.
void ScratchFile::Impl::make_room(Array& array, std::size_t number, hsize_t elements) const {
    if (elements <= array.capacity && array.dataset >= 0) return;
    const std::string name = std::to_string(number), what = "lay out scratch data in " + directory;
    if (array.dataset >= 0) {
        array.dataset = Handle();
        check_hdf5(H5Ldelete(file, name.c_str(), H5P_DEFAULT), what);
    }
    array.capacity = with_room(elements) + 1;
    const Handle space(H5Screate_simple(1, &array.capacity, nullptr), what);
    const Handle layout(H5Pcreate(H5P_DATASET_CREATE), what);
    check_hdf5(H5Pset_alloc_time(layout, H5D_ALLOC_TIME_EARLY), what);
    check_hdf5(H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER), what);
    array.dataset =
        Handle(H5Dcreate2(file, name.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, layout, H5P_DEFAULT), what);
    reserve_space(descriptor(), H5Dget_offset(array.dataset), array.capacity * sizeof(double),
                  "a scratch file in " + directory);
}

void ScratchFile::Impl::write(std::size_t number, const std::vector<std::span<const double>>& parts) {
    const auto lock = lock_hdf5();
    Array& array = arrays[number];
    make_room(array, number, total(parts));
    array.digest = 0;
    for_pieces(parts, [&](hsize_t first, hsize_t count, const std::vector<std::span<const double>>& cut) {
        auto to = buffer.begin();
        for (const std::span<const double> part : cut) to = std::ranges::copy(part, to).out;
        transfer(array.dataset, first, count, [&](hid_t in_memory, hid_t in_file) {
            return H5Dwrite(array.dataset, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, buffer.data());
        });
        array.digest = chained(array.digest, buffer, count);
    });
}

void ScratchFile::Impl::read(std::size_t number, const std::vector<std::span<double>>& parts) {
    const auto lock = lock_hdf5();
    const Array& array = arrays[number];
    std::uint64_t found = 0;
    for_pieces(parts, [&](hsize_t first, hsize_t count, const std::vector<std::span<double>>& cut) {
        transfer(array.dataset, first, count, [&](hid_t in_memory, hid_t in_file) {
            return H5Dread(array.dataset, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, buffer.data());
        });
        found = chained(found, buffer, count);
        auto from = buffer.cbegin();
        for (const std::span<double> part : cut) {
            std::copy_n(from, part.size(), part.begin());
            from += static_cast<std::ptrdiff_t>(part.size());
        }
    });
    if (found != array.digest)
        throw Error(ExitCode::file, "A scratch file in " + directory + " gave back other numbers than were written.");
}

ScratchFile::ScratchFile(const std::string& directory) : impl_(std::make_unique<Impl>(directory)) {}
ScratchFile::~ScratchFile() = default;

void ScratchFile::write(std::size_t number, std::vector<std::span<const double>> parts) {
    impl_->begin({number, [this, number, all = std::move(parts)] { impl_->write(number, all); }});
}
void ScratchFile::read(std::size_t number, std::vector<std::span<double>> parts) {
    impl_->begin({number, [this, number, all = std::move(parts)] { impl_->read(number, all); }});
}
void ScratchFile::wait(std::size_t number) {
    if (const std::exception_ptr failure = impl_->settle(number)) std::rethrow_exception(failure);
}
void ScratchFile::settle(std::size_t number) { impl_->settle(number); }

}  // namespace strata::io
