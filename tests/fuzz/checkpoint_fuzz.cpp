// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a checkpoint: a good one, or an Error(file); nothing else. Start it with good ones as corpus.
#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "io/checkpoint_file.hpp"
#include "strata/error.hpp"

namespace {

const std::string path = "/tmp/strata_fuzz_" + std::to_string(getpid()) + ".checkpoint.h5";

void finish() {
    std::remove(path.c_str());
    MPI_Finalize();
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    std::atexit(finish);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const strata::Communicator alone = strata::Communicator::alone();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    try {
        std::vector<std::string> rejections;
        strata::io::open_checkpoint(alone, path, 0, rejections);
    } catch (const strata::Error& error) {
        if (error.code() != strata::ExitCode::file) std::abort();
    }
    return 0;
}
