# SPDX-License-Identifier: BSD-3-Clause
cmake_minimum_required(VERSION 3.25)
# Run by the build: writes build_info.hpp if the commit or its cleanliness changed.
execute_process(COMMAND git -C "${SOURCE_DIR}" describe --always --dirty --abbrev=12 --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT "// SPDX-License-Identifier: BSD-3-Clause
#pragma once
namespace strata::io {
constexpr const char* build_version = \"@VERSION@\";
constexpr const char* build_commit = \"@commit@\";
constexpr const char* build_compiler = \"@COMPILER@\";
constexpr const char* build_type = \"@TYPE@\";
}  // namespace strata::io
")
