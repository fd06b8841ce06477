// SPDX-License-Identifier: BSD-3-Clause
// Restoring a state. A checkpoint with a good header may hold a damaged state: then the next older checkpoint is tried.
#include "restore.hpp"

#include <cstdio>

#include "cli/job.hpp"
#include "comm/collectives.hpp"
#include "strata/error.hpp"

namespace strata {

void restore(const Communicator& comm, Application& application, const Job& job, const std::string& path,
             io::StoredCheckpoint& stored, std::vector<std::string>& rejections) {
    for (;;) {
        try {
            std::vector<ArrayShape> shapes;
            for (const io::StoredArray& array : stored.arrays) shapes.push_back(array.shape);
            application.prepare_state(shapes);
            io::read_state(comm, stored, application.state());
            application.restored(stored.header.step);
            return;
        } catch (const CollectiveError& error) {
            rejections.emplace_back(error.what());
            if (comm.is_root()) std::fprintf(stderr, "strata: %s\n", error.what());
        }
        stored = io::open_checkpoint(comm, path, stored.age + 1, rejections);
        const Config before = cli::from_canonical_text(stored.header.job, all_keys(*job.entry));
        if (cli::physics_text(before) != cli::physics_text(job.config))
            throw CollectiveError(ExitCode::file,
                                  stored.path + " belongs to another job than the damaged checkpoint after it.");
    }
}

}  // namespace strata
