// SPDX-License-Identifier: BSD-3-Clause
// Restoring a state. A checkpoint with a good header may hold a damaged state: then the next older checkpoint is tried.
#include "study/restore.hpp"

#include <algorithm>
#include <cstdio>

#include "cli/job.hpp"
#include "comm/collectives.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata {
namespace {

/// Throws CollectiveError(file) unless the series of the checkpoint has the columns that this run appends to.
void expect_columns(const io::StoredCheckpoint& stored, const std::vector<Column>& columns) {
    if (std::ranges::equal(stored.header.columns, columns, {}, {}, &Column::name)) return;
    throw CollectiveError(ExitCode::file, stored.path +
                                              " holds a series of other columns than this program records; "
                                              "resume it with the version of strata that wrote it, " +
                                              stored.header.version + ".");
}

std::vector<ArrayShape> shapes_of(const io::StoredCheckpoint& stored) {
    std::vector<ArrayShape> shapes;
    for (const io::StoredArray& array : stored.arrays) shapes.push_back(array.shape);
    return shapes;
}

}  // namespace

bool is_of_job(const io::StoredCheckpoint& stored, const Study& study) {
    return stored.header.application == study.entry->name &&
           cli::physics_text(cli::from_canonical_text(stored.header.job, all_keys(*study.entry))) ==
               cli::physics_text(study.config);
}

void restore(const Communicator& comm, Application& application, const Study& study, const std::string& path,
             io::StoredCheckpoint& stored, std::vector<std::string>& rejections) {
    for (;;) {
        try {
            expect_columns(stored, application.columns());
            if (auto* growing = optional_of<Growing>(application)) growing->prepare_state(shapes_of(stored));
            io::read_state(comm, stored, application.state());
            application.restored(stored.header.step);
            return;
        } catch (const CollectiveError& error) {
            if (error.code() == ExitCode::bad_input) throw;  // the job asks for what the state cannot be
            rejections.emplace_back(error.what());
            if (comm.is_root()) print_error(error.what());
        }
        stored = io::open_checkpoint(comm, path, stored.age + 1, rejections);
        if (!is_of_job(stored, study))
            throw CollectiveError(ExitCode::file,
                                  stored.path + " belongs to another job than the damaged checkpoint after it.");
    }
}

void restore_final_state(const Communicator& comm, Application& application, const Study& study,
                         io::StoredCheckpoint& stored) {
    auto* measured = optional_of<Remeasured>(application);
    if (measured == nullptr)
        throw CollectiveError(
            ExitCode::bad_input,
            "strata measure is not possible here: the results of " + study.entry->name +
                (study.config.has("run.task") ? " with " + study.config.cite("run.task") : "") +
                " do not follow from the state that a checkpoint has. Run the job with the new keys.");
    io::read_final_state(comm, stored, measured->final_state(shapes_of(stored)));
    const std::optional<std::uint64_t> next = measured->begin_with_final_state(stored.header.step);
    if (!next)
        throw CollectiveError(ExitCode::bad_input, "The run of " + stored.path +
                                                       " has not come to its end: strata resume " + stored.path +
                                                       " first, then measure.");
    stored.header.step = *next;
    stored.header.seconds = 0;
    const bool same_columns = std::ranges::equal(stored.header.columns, application.columns(), {}, {}, &Column::name);
    if (!same_columns || !measured->keeps_series()) stored.series.clear();
}

}  // namespace strata
