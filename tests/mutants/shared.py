# SPDX-License-Identifier: BSD-3-Clause
"""What all applications share: the frame, files, placement, lattices and models.
Area -> file -> (number, text that occurs once, text in its place, what it breaks)."""

MUTANTS = {
    "frame": {
        "comm/exchange.cpp": [
            (46, "MPI_Irecv(from.data + first,", "MPI_Irecv(from.data + 0 * first,",
             "pieces of a message on top of each other"),
        ],
        "src/io/checkpoint_read.cpp": [
            (47, "found.rows()[r] != expected[rows.first + r]", "found.rows()[r] == 0",
             "digests of rows are not compared"),
            (115, "std::min(max_header_bytes, file_bytes(file))", "std::min(max_header_bytes / 32, file_bytes(file))",
             "a longer header is written than is read"),
        ],
        "include/strata/checkpoint.cpp": [
            (48, "copy(0, start + slab.elements.first * element,", "copy(0, start,",
             "pieces of a long row on top of each other"),
        ],
        "include/strata/standard_error.hpp": [
            (178, "return static_cast<double>(n - 1) / static_cast<double>(n - 3);", "return 1;",
             "errors from few samples without the variance of Student's t"),
        ],
        "src/io/checkpoint_layout.cpp": [
            (116, "!json.is_number_unsigned()", "!json.is_number()", "counts of a header with a fraction or a sign"),
        ],
        "src/run/watchdog.cpp": [
            (117, "std::min(left, longest_wait)", "left", "a wait that the clock cannot count"),
            (118, "std::max(stall_timeout_, least_pause)", "stall_timeout_", "stalls are reported without a pause"),
        ],
        "src/cli/job.cpp": [
            (119, "value == std::trunc(value) && ", "", "1.5 as an integer is cut"),
        ],
        "src/cli/input_errors.cpp": [
            (120, "word.find('/')), number)) return {};", "word.find('/')), number)) number = 0;",
             "another number is suggested"),
        ],
        "include/strata/memory.cpp": [
            (121, "(raise ? factor : 1 / factor)", "factor",
             "a series that is too long gets a remedy that makes it longer"),
        ],
        "src/io/content_digest.cpp": [
            (122, "            add(values.data(), elements * H5Tget_size(type));\n", "",
             "the digest of a result leaves numbers out"),
        ],
        "src/io/lock_file.cpp": [
            (123, "if (!path_.empty() && is_in_place(file_, path_)) unlink", "if (!path_.empty()) unlink",
             "a run removes the lock of another"),
            (124, "whole.l_type = F_WRLCK;\n    whole.l_whence", "whole.l_type = F_RDLCK;\n    whole.l_whence",
             "two runs hold one lock"),
            (192, "restarts < now.restarts", "restarts <= now.restarts",
             "a second run of one start of a batch job takes the lock"),
            (193, "owner.kernel == kernel_of(file)", "kernel_of(file) != none",
             "the lock of a container on any kernel is taken over"),
        ],
        "src/io/study_file_write.cpp": [
            (194, "if (point.exit_code) write", "if (point.exit_code == 0) write",
             "a result forgets that it has not converged"),
        ],
        "src/io/study_file_read.cpp": [
            (195, "!list.empty() && list.size() != q.value.size()", "list.size() > q.value.size()",
             "a result with lists that are too short is read"),
        ],
        "include/strata/printable.hpp": [
            (196, "printable(sentence, sentence.size(), Newlines::kept)", "std::string(sentence)",
             "control characters of files are printed"),
        ],
        "include/strata/study.cpp": [
            (197, "shortfall.empty() ? PointState::finished", "true ? PointState::finished",
             "a run that has not converged counts as finished"),
        ],
        "src/run/run.cpp": [
            (198, "std::min(options.start + options", "std::min(options", "the limit of time without the start"),
        ],
        "src/run/stop_signals.cpp": [
            (199, "if (!is_ignored(number)) sigaction", "if (!is_ignored(number) || number > 0) sigaction",
             "ignored signals stop a run"),
        ],
        "src/io/files.cpp": [
            (125, "O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC", "O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC",
             "temporary files follow links"),
        ],
    },
    "measurements": {
        "src/io/checkpoint_read.cpp": [
            (557, "found->name != field.name; ++found) first += found->size;", "found->name != field.name; ++found) {}",
             "fields of a record from its beginning"),
        ],
        "src/cli/job.cpp": [
            (558, "        value.content.clear();  // the file is read\n", "", "operators of the run that is measured"),
            (559, "if (!typed && !applies(with_old, value.key))", "if (false)", "keys of the former task stay"),
        ],
        "src/study/restore.cpp": [
            (560, "if (!same_columns || !measured->keeps_series())", "if (!same_columns)",
             "new rows after those of the run"),
        ],
        "src/lanczos/run/ground_state.cpp": [
            (561, "    if (!solver_.done()) return {};\n    measure_state();", "    if (!solver_.done()) return {};",
             "no correlations of a stored state"),
        ],
        "src/lanczos/run/sector_sequence.cpp": [
            (562, "    return steps_before_ + steps_in_part_;", "    return steps_in_part_;",
             "a measurement after steps of other sectors begins too early"),
        ],
        "src/dmrg/run/dmrg_results.cpp": [
            (563, "        keep_measured(state);\n    }", "    }", "values of the first states are those before"),
            (564, "\"states-before\", \"found-measured\"", "\"found-measured\"",
             "values at the last M but one of another list"),
        ],
        "src/trotter/run/trotter.cpp": [
            (565, "schedule.step_in_round(step - 1) + 1);\n    return",
             "schedule.step_in_round(step - 1));\n    return",
             "the final state at an earlier time"),
        ],
    },
    "ranks": {
        "comm/session.cpp": [
            (184, "comm.size() == 1 ? run_alone(comm, body) : body(comm)", "run_alone(comm, body)",
             "an error of one of several ranks unwinds the stack"),
            (185, "std::atoi(std::getenv(launcher->size)) <= 1", "std::atoi(std::getenv(launcher->size)) >= 1",
             "ranks that another MPI's launcher has started each do the whole job"),
        ],
        "comm/node_memory.cpp": [
            (186, "check_mpi(MPI_Win_free(&window_));", "MPI_Win_free(&window_);",
             "a shared window that one rank cannot free is no error"),
        ],
        "src/run/preflight.cpp": [
            (187, "if (comm.size() == 1)", "if (comm.size() >= 1)",
             "an application is made inside of collectively()"),
            (188, "    predicted = of_largest_rank(comm, predicted);\n", "",
             "each rank compares its own prediction with the free memory"),
        ],
        "include/strata/failure.hpp": [
            (189, 'does_not_fit, "The system refused memory', 'internal, "The system refused memory',
             "refused memory is an internal error"),
        ],
        "src/krylov/tridiagonal.cpp": [
            (190, "if (blas_memory_alloc == nullptr ||", "if (blas_memory_alloc != nullptr ||",
             "OpenBLAS takes its memory when the limit of the address space is near"),
        ],
        "src/main.cpp": [
            (191, "OPENBLAS_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=8",
             "OpenBLAS starts its threads under a limit of the address space"),
        ],
    },
    "names": {
        "src/lanczos/physics/observables.cpp": [
            (585, "\"particles\", \"renyi*\"", "\"renyi*\"", "a user's observable has the name of a result"),
        ],
        "src/models/observables.cpp": [
            (586, "\"-imaginary\", \"-error\", \"-step-error\"", "\"-imaginary\"",
             "a user's observable has the name of the error of a result"),
        ],
    },
    "models": {
        "src/lanczos/physics/make_model.cpp": [
            (168, "m.constant -= uniform ? 0 : h / 2;", "m.constant -= 0 * h;",
             "spins in different fields without the constant of S^z"),
            (169, "m.neutral_filling = 0.5 * from.lattice.sites;", "m.neutral_filling = 0;",
             "a uniform field acts on n, not on n - 1/2"),
        ],
        "src/models/model.hpp": [
            (170, "shell == Shell::first ? coupling : second_coupling", "coupling", "J2 as strong as J"),
        ],
        "src/dmrg/job/model.cpp": [
            (171, "config.spins() ? model.exchange[e][2] :", "config.spins() ? model.exchange[e][0] :", "J_z is J"),
        ],
        "src/models/unit_cell.cpp": [
            (172, "{{1, 1}, {2, -1}, {-1, 2}}", "{{1, 1}, {2, -1}, {-2, 2}}",
             "triangular lattice: a next-nearest neighbour too far"),
            (588, ".directions = 1, .periodic = false,", ".directions = 1,", "chains are closed"),
        ],
        "src/models/lattice.cpp": [
            (173, "if (legs > 1) join(x, y, 1, -1, Shell::second);", "", "ladders with one diagonal of each plaquette"),
            (175, "factors.amplitude * spec.t[0],", "factors.amplitude,", "edges of a file without t"),
        ],
        "src/models/filling.cpp": [
            (174, "return {(rounded + all) / 2, 0};", "return {(all - rounded) / 2, 0};",
             "the total S^z with the wrong sign"),
        ],
        "src/models/model.cpp": [
            (208, "if (idle.empty()) return;", "return;", "sites that nothing names are taken"),
        ],
    },
}
