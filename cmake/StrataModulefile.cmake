# SPDX-License-Identifier: BSD-3-Clause
# The file for environment modules. The prefix is known when the program is installed (cmake --install --prefix). No part
# of the Debian package, whose prefix is on every PATH.
set(values "")
foreach(name PROJECT_VERSION PROJECT_DESCRIPTION CMAKE_INSTALL_BINDIR CMAKE_INSTALL_DATADIR)
  string(APPEND values "set(${name} [==[${${name}}]==])\n")
endforeach()
install(CODE "${values}
configure_file([==[${CMAKE_CURRENT_LIST_DIR}/../packages/modulefile.in]==]
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/modulefiles/strata/${PROJECT_VERSION}\" @ONLY)"
  COMPONENT modulefile)
