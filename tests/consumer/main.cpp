// SPDX-License-Identifier: BSD-3-Clause
// A project that finds the installed package and uses one exported module.
#include <cmath>
#include <cstdio>

#include "comm/session.hpp"
#include "io/provenance.hpp"
#include "swendsen_wang/physics/exact.hpp"
#include "swendsen_wang/run/swendsen_wang.hpp"

int main(int argc, char** argv) {
    return strata::mpi_session(argc, argv, [](const strata::Communicator& comm) {
        strata::swendsen_wang::SwendsenWangConfig config;
        config.extents = {32, 32};
        config.beta = 0.3;
        config.sweeps = 10;
        config.simd = "auto";
        strata::swendsen_wang::SwendsenWang<strata::Cpu> system(comm, {config, comm.size(), comm.rank(), 1});
        system.allocate();
        system.initialise();
        system.step(0);
        std::printf("strata %s, exact energy %.6f\n", strata::io::program_version().c_str(),
                    strata::swendsen_wang::exact_torus(32, 32, 0.3).energy);
        return 0;
    });
}
