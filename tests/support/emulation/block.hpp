// SPDX-License-Identifier: BSD-3-Clause
// One thread block at a time per system thread. A fiber runs CUDA threads one after another until one waits at a
// barrier or for its warp; that thread keeps the fiber and another fiber goes on with the rest, so that a kernel
// without barriers is a plain loop. With a seed the threads start and go on in a shuffled order and also give way at
// atomics.
//
// Ends a kernel with a sentence: __syncthreads of one barrier at different places, a lane outside its own mask, lanes
// of one mask in different intrinsics, a mask that names lanes which have returned, threads that wait for each other,
// reads of shared memory that no thread has set, and more shared memory than a block has. Threads that returned no longer
// count at barriers, as on Volta and later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "emulation/fiber.hpp"

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// Of the block that this system thread runs.
inline thread_local dim3 gridDim, blockDim;

namespace emulation {

constexpr unsigned warp_lanes = 32;

/// Where in the kernel.
struct Place {
    const char* file;
    int line;
};

enum class Intrinsic { sync, shuffle, shuffle_up, shuffle_down, shuffle_xor, ballot, any, all };

/// What a lane brings to a warp intrinsic.
struct Offer {
    Intrinsic intrinsic;
    std::uint32_t mask;
    std::uint64_t value;  ///< bits of the lane's operand
    unsigned operand;     ///< source lane, distance or lane mask
    unsigned width;
};

struct Geometry {
    dim3 grid, block;
    std::size_t dynamic_shared_bytes = 0;
    std::size_t shared_limit = 0;  ///< largest shared memory of a block, declared and dynamic
};

/// Memory of one shared array of the running block, with a flag per byte that somebody set.
struct SharedMemory {
    std::unique_ptr<unsigned char[]> bytes;
    std::unique_ptr<bool[]> set;
    std::size_t size = 0;
};

class Block {
  public:
    Block(const Geometry& geometry, std::uint64_t seed);
    ~Block();

    /// Runs all threads of one block; returns what went wrong, or "".
    std::string run(dim3 block_index, const std::function<void()>& thread);

    // from inside a thread
    static Block& current();
    dim3 thread_index() const { return running_->index; }
    unsigned lane() const { return running_->rank % warp_lanes; }
    dim3 block_index() const { return block_index_; }
    const Geometry& geometry() const { return geometry_; }
    void barrier(Place place);
    std::uint64_t exchange(const Offer& offer, Place place);
    /// Lets others run, sometimes, when the schedule is shuffled.
    void give_way();
    /// The array declared at `key`, made when the first thread comes by. `real`: a device has it, too.
    SharedMemory& shared(const void* key, std::size_t bytes, bool real = true);
    /// Ends the block.
    void fault(const std::string& sentence);

  private:
    enum class Status { unstarted, ready, at_barrier, in_warp, finished };
    struct Thread {
        unsigned rank = 0;
        dim3 index = {};
        Status status = Status::unstarted;
        Fiber* fiber = nullptr;
        Place place = {};
        Offer offer = {};
        std::uint64_t result = 0;
    };

    struct Gathering {
        std::uint32_t mask, arrived;
        Intrinsic intrinsic;
        Place place;
    };

    void run_unstarted();
    bool resume_something();
    void release_barrier();
    void release_warp(unsigned warp, std::uint32_t mask);
    std::uint64_t evaluate(unsigned first, unsigned lane, std::uint32_t mask, std::uint32_t votes) const;
    Gathering& gathering(unsigned warp, const Offer& offer, Place place);
    std::string standstill() const;
    std::string name(const Thread& thread) const;

    Geometry geometry_;
    std::mt19937_64 random_;
    bool shuffled_;
    dim3 block_index_;
    const std::function<void()>* body_ = nullptr;
    std::vector<Thread> threads_;
    std::vector<unsigned> order_;  ///< of starting
    std::size_t started_ = 0;
    std::vector<unsigned> ready_;
    std::size_t unfinished_ = 0, at_barrier_ = 0;
    std::vector<std::vector<Gathering>> gatherings_;  ///< [warp]
    Thread* running_ = nullptr;
    Fiber* fiber_ = nullptr;  ///< the one that runs
    std::map<const void*, SharedMemory> shared_;
    std::size_t shared_bytes_ = 0;  ///< size of all arrays that a device has, too
    std::string fault_;
};

/// One element of shared memory: reading one that no thread has set ends the kernel.
template <class T>
class SharedElement {
  public:
    SharedElement(SharedMemory& memory, std::size_t index, const char* name)
        : memory_(memory), index_(index), name_(name) {}
    operator T() const {
        if (!memory_.set[index_ * sizeof(T)])
            Block::current().fault(std::string("a thread reads ") + name_ + "[" + std::to_string(index_) +
                                   "], which no thread has set");
        return *place();
    }
    SharedElement& operator=(T value) {
        for (std::size_t i = 0; i < sizeof(T); ++i) memory_.set[index_ * sizeof(T) + i] = true;
        *place() = value;
        return *this;
    }
    SharedElement& operator=(const SharedElement& other) { return *this = static_cast<T>(other); }
    SharedElement& operator+=(T value) { return *this = static_cast<T>(*this) + value; }
    /// For atomics, which read first.
    T* operator&() const {
        static_cast<void>(static_cast<T>(*this));
        return place();
    }

  private:
    T* place() const { return reinterpret_cast<T*>(memory_.bytes.get()) + index_; }
    SharedMemory& memory_;
    std::size_t index_;
    const char* name_;
};

/// A shared array of the running block; indices beyond it end the kernel.
template <class T>
class SharedArray {
  public:
    SharedArray(SharedMemory& memory, const char* name) : memory_(&memory), name_(name) {}
    SharedElement<T> operator[](std::size_t index) const {
        if (index >= memory_->size / sizeof(T))
            Block::current().fault(std::string("a thread reaches for ") + name_ + "[" + std::to_string(index) +
                                   "] of " + std::to_string(memory_->size / sizeof(T)));
        return {*memory_, index, name_};
    }

  private:
    SharedMemory* memory_;
    const char* name_;
};

}  // namespace emulation
