# SPDX-License-Identifier: BSD-3-Clause
# Writes the manual pages and the completion of bash below TO. Called after the program was linked. Where programs of MPI
# cannot start, as in some build systems, there are no pages, and the build goes on.
file(MAKE_DIRECTORY "${TO}/man1" "${TO}/completions")

# Writes what the program prints for the arguments to a file; removes the file if it cannot run.
function(write_page file)
  execute_process(COMMAND "${PROGRAM}" ${ARGN} OUTPUT_FILE "${TO}/${file}" RESULT_VARIABLE code ERROR_QUIET)
  if(NOT code EQUAL 0)
    file(REMOVE "${TO}/${file}")
    message(STATUS "strata ${ARGN} could not run here: ${file} is not made")
  endif()
endfunction()

write_page(completions/strata completion)
write_page(man1/strata.1 manual)
execute_process(COMMAND "${PROGRAM}" keys OUTPUT_VARIABLE listed ERROR_QUIET)
string(REGEX MATCHALL "strata keys [a-z-]+" applications "${listed}")
foreach(application IN LISTS applications)
  string(REPLACE "strata keys " "" application "${application}")
  write_page(man1/strata-${application}.1 manual ${application})
endforeach()
