# SPDX-License-Identifier: BSD-3-Clause
# Debian's cross compiler for 64-bit ARM; programs run in qemu (packages g++-aarch64-linux-gnu, qemu-user, googletest).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
