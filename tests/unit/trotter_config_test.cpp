// SPDX-License-Identifier: BSD-3-Clause
// Wrong jobs of spin dynamics: each gets one sentence that names the key, the value, the rule and a valid value.
#include "trotter/job/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "support/trotter_jobs.hpp"

namespace strata::trotter {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string ring = "[lattice]\ntype = ring\nextents = 8\n";
const std::string heisenberg = "[model]\ntype = heisenberg\n";

/// Expects that the job has this error and no other.
void expect_error(const std::string& job, const std::string& sentence) {
    EXPECT_THAT(read_job(job).errors, ElementsAre(HasSubstr(sentence))) << job;
}

/// Expects the error of a ring of eight spins with additional lines.
void expect_ring_error(const std::string& lines, const std::string& sentence) {
    expect_error(ring + heisenberg + lines, sentence);
}

TEST(TrotterConfig, ResolvesAJob) {
    const TrotterConfig c = trotter_job(
        ring +
        "[model]\njx = 1\nfield = 1,2,3,4,5,6,7,8\n[run]\norder = 4\nscheme = blanes-moan\nstep = 0.1\nsteps = 20\n"
        "measure-times = 0.5,2\nobservables = sz, energy\n[backend]\nprecision = single\n");
    EXPECT_EQ(c.coupling, (std::array<double, 3>{1, 0, 0}));
    EXPECT_EQ(c.field[2].size(), 8U);
    EXPECT_EQ(c.scheme, Scheme::blanes_moan);
    EXPECT_EQ(c.measure_every, 0U);
    EXPECT_THAT(c.observables, ElementsAre(observable_row("sz"), observable_row("energy")));
    EXPECT_TRUE(c.observes("energy"));
    EXPECT_FALSE(c.observes("sx"));
    EXPECT_EQ(c.precision, Precision::single);
    EXPECT_EQ(trotter_job(ring + heisenberg).measure_every, 1U);
    EXPECT_EQ(trotter_job(ring + heisenberg + "[run]\nmeasure-per-decade = 5\n").measure_every, 0U);
}

TEST(TrotterConfig, RefusesLattices) {
    expect_error("", "neither a lattice nor couplings: give lattice.type, e.g. ring, or model.terms.");
    expect_error("[model]\nfield = 1\n", "neither a lattice nor couplings");
    expect_error(ring, "The spins have no couplings: give model.jx, model.jy or model.jz");
    expect_error(ring + "[model]\ntype = ising\nfield-x = 1\n", "The spins have no couplings");
    expect_error("[lattice]\ntype = ring\n" + heisenberg, "lattice.extents is missing");
    expect_error("[lattice]\ntype = all\n" + heisenberg, "lattice.extents is missing");
    expect_error("[lattice]\ntype = ring\nextents = 41\n" + heisenberg, "The lattice has 41 sites; 40 are the most");
    expect_error("[lattice]\ntype = all\nextents = 41\n" + heisenberg, "The lattice has 41 sites; 40 are the most");
    expect_error("[lattice]\ntype = square\nextents = 100,100\n" + heisenberg, "are the most");
    expect_error("[lattice]\ntype = square\nextents = 6\n" + heisenberg, "lattice.type = square takes 2 extents");
    expect_error("[lattice]\ntype = ring\nextents = 1\n" + heisenberg, "site 0 is its own neighbour");
    expect_error("[lattice]\ntype = tilted\nextents = -9223372036854775808,-1\n" + heisenberg,
                 "lattice.extents has -9223372036854775808; it must lie between -10000 and 10000.");
    expect_error("[lattice]\ntype = square\nextents = 0,4\n" + heisenberg,
                 "lattice.extents has 0; it must lie between 1 and 10000.");
    expect_error("[lattice]\ntype = custom\nextents = 4,1\ncell-bonds = 0 0 -2147483648 0 1\n" + heisenberg,
                 "lattice.cell-bonds: '0 0 -2147483648 0 1' is no bond");
    expect_error("[lattice]\ntype = rong\nextents = 8\n" + heisenberg, "Did you mean ring?");
    expect_error("[lattice]\ntype = custom\nextents = 4,1\ncell-bonds = 0 0 1 0 1 1 1\n" + heisenberg,
                 "lattice.cell-bonds: '0 0 1 0 1 1 1' has an imaginary part, which this application does not take");
}

TEST(TrotterConfig, RefusesFilesOfEdgesAndPositions) {
    const auto edges = [](const std::string& text) { return "[lattice]\ntype = file\nfile = " + written(text) + "\n"; };
    expect_error(edges("0 1\n2 2\n") + heisenberg,
                 ":2: '2 2' is not understood; an edge is 'from to [re [im [weight]]]' of two different sites");
    expect_error(
        edges("0 40\n") + heisenberg,
        ":1: '0 40' is not understood; an edge is 'from to [re [im [weight]]]' of two different sites from 0 to 39");
    expect_error(edges("0 1 1 1\n") + heisenberg, ":1: '0 1 1 1' has an imaginary part");
    expect_error(edges("0 1 1 0\n") + heisenberg, "a weight follows as the third number");
    expect_error(edges("0 1 x\n") + heisenberg, ":1: '0 1 x' is not understood");
    expect_error(edges("# nothing\n") + heisenberg, "holds no edge.");
    expect_error(edges("0 1\n1 2\n"), "The spins have no couplings: give model.jx");
    EXPECT_THAT(read_job(edges("0 1\n1 2 0.5\n0 2 1 0 0.5\n") + heisenberg).errors, IsEmpty());

    const auto positions = [](const std::string& text) {
        return "[lattice]\ntype = all\ngeometry = positions\npositions = " + written(text) +
               "\n[model]\ntype = dipolar\n";
    };
    expect_error(positions("0 0 0\n1 0\n"), ":2: '1 0' is no position 'x y z', three numbers between blanks");
    expect_error(positions("0 0 0\n1 0 0\n0 0 0\n"), ": sites 0 and 2 have the same position.");
    expect_error(positions("\n"), "holds no position.");
    expect_error(positions("0 0 0\n1 0 0\n") + "direction = 1,0\n", "must be a vector x,y,z that is not zero.");
    expect_error(positions("0 0 0\n1 0 0\n") + "direction = 0,0,0\n", "must be a vector x,y,z that is not zero.");
    expect_error(ring + "[model]\ntype = dipolar\n",
                 "couples every pair by its distance; it needs lattice.type = all.");
}

TEST(TrotterConfig, RefusesTermsAndFields) {
    const auto terms = [](const std::string& text) { return "terms = " + written(text) + "\n"; };
    expect_ring_error(terms("1 Sz 0 Sz 8"),
                      "model.terms names site 8; the sites of the lattice are numbered from 0 to 7.");
    expect_ring_error(terms("1 cdag_up 0 c_up 1"),
                      ":1: '1 cdag_up 0 c_up 1' has the operator cdag_up on sites of spins.");
    expect_ring_error(terms("1e13 Sz 0"), "has a coefficient beyond 1e+09");
    expect_ring_error(terms("1i S+ 0 S- 1"), "a part that a splitting does not take");
    expect_ring_error("terms = 1 Sz 0", "cannot be opened");
    expect_error("[model]\ntype = terms\nterms = " + written("1 n_up 0 n_dn 0") + "\n",
                 "has terms of electrons, and this application");
    expect_ring_error("hz = 1\n", "model.hz is now model.field.");
    expect_ring_error("field = 1,2\n", "model.field = 1,2 has 2 values; give one for all sites or 8, one per site.");
    expect_ring_error("jx = 1\n", "model.jx = 1 belongs to model.type = xyz");
    expect_ring_error("range = 3\n", "model.range = 3 belongs to ");
}

TEST(TrotterConfig, RefusesStates) {
    const auto state = [](const std::string& lines) { return "[state]\ninitial = " + lines + "\n"; };
    expect_ring_error(state("pattern\npattern = uudduu"), "state.pattern = uudduu has 6 letters; give 8, one per spin");
    expect_ring_error(state("pattern\npattern = uudx"),
                      "state.pattern = uudx has the letter 'x'; a spin is u or 0 (up)");
    expect_ring_error(state("pattern"), "state.pattern is missing");
    expect_ring_error(state("flipped\nspin = 8"), "state.spin = 8 is no spin of the system");
    expect_ring_error(state("polarised-random\nspin = 9"), "state.spin = 9 is no spin of the system");
    expect_ring_error(state("product\ntheta = 1,2"), "state.theta has 2 values; give one for all spins or 8");
    expect_ring_error(state("product\nphi = 1,2"), "state.phi has 2 values; give one for all spins or 8");
    const auto file = [&](const std::string& text) { return state("file\nfile = " + written(text)); };
    expect_ring_error(file("uuuuuuuu 0.5\n"), "holds a state of norm 0.5; it must be 1.");
    expect_ring_error(file("uuu 1\n"),
                      ":1: 'uuu 1' is no amplitude 'spins re [im]', spins a letter u or d for each of "
                      "the 8 spins.");
    expect_ring_error(file("uuuuuuuu 0.6\n00000000 0.8\n"), ":2: '00000000 0.8' is the second amplitude");
    expect_error("[lattice]\ntype = ring\nextents = 21\n" + heisenberg + file("u 1\n"), "takes at most 20 spins");
}

TEST(TrotterConfig, RefusesDrives) {
    const auto drive = [](const std::string& line) { return "[run]\nstep = 0.5\nsteps = 4\n[drive]\n" + line + "\n"; };
    expect_ring_error(drive("pulses = 0.6 x 1 all"),
                      "drive.pulses: the time of '0.6 x 1 all' is no multiple of run.step "
                      "= 0.5 from time 0 on; the nearest one is 0.5.");
    expect_ring_error(drive("pulses = -1 x 1 all"), "the nearest one is 0.");
    expect_ring_error(drive("pulses = 2 x 1 all"), "lies beyond the last step, which begins at time 1.5.");
    expect_ring_error(drive("pulses = 1 x all"), "'1 x all' is no pulse 'time axis angle spins'");
    expect_ring_error(drive("pulses = 1 w 1 all"), "has the axis w; it must be x, y or z.");
    expect_ring_error(drive("pulses = 1 x 1 0,8"), "names spin 8; spins are numbered from 0 to 7.");
    expect_ring_error(drive("pulses = 1 x 1 3,3"), "names spin 3 twice.");
    expect_ring_error(drive("pulses = 1 x 1 some"), "has no spins such as all, even, odd or 0,3,4");
    expect_ring_error(drive("fields = 3"), "drive.fields: '3' is no factor 'cos mean amplitude frequency phase'");
    expect_ring_error(drive("hz = cos 1 2"), "drive.hz: 'cos 1 2' is no factor");
    expect_ring_error(drive("jx = steps 0 1; 0.7 2"), "drive.jx: the jump at time 0.7 is no multiple of run.step");
    expect_ring_error(drive("jx = linear 1 1; 0 2"), "drive.jx: '0 2' must have a later time than the point before.");
    expect_ring_error(drive("reversals = 0.75"), "drive.reversals: the time 0.75 is no multiple of run.step = 0.5");
    expect_ring_error(drive("table = " + written("0 1 1 1 1 1\n")), "is no line 'time hx hy hz jx jy jz'");
    expect_ring_error(drive("table = " + written("1 1 1 1 1 1 1\n1 1 1 1 1 1 1\n")),
                      "later time than the line before.");
    expect_ring_error(drive("table = " + written("#\n")), "holds no line.");
    expect_ring_error(drive("jz = linear 0 1e308; 1 -1e308"),
                      "The factors in time raise a coupling of z components to 1e+308; 1e12 is the most that is taken: "
                      "check drive.couplings, drive.jz and drive.table.");
    expect_ring_error(drive("table = " + written("0 1 1 1 1 1 2e12\n")), "raise a coupling of z components to 2e+12;");
    expect_ring_error("field-x = 3\n" + drive("fields = cos 1 1e12 1 0"), "a field along x to 3");
    EXPECT_THAT(read_job(ring + heisenberg + drive("fields = cos 1e12 1e15 1 0")).errors, IsEmpty()) << "no field";
    // half a period is pi / 7 = 0.449
    expect_ring_error(
        drive("jz = cos 1 1 7 0"),
        "run.step = 0.5 is longer than half a period of the coupling of z components, which drive.couplings, "
        "drive.jz and drive.table let oscillate with the angular frequency 7; take run.step = 0.44 or less.");
    expect_ring_error(drive("jz = cos 1 1 -4 0\ncouplings = cos 1 1 3 0"), "with the angular frequency 7;");
    EXPECT_THAT(read_job(ring + heisenberg + drive("jz = cos 1 0 1e9 0\nhx = cos 1 1 1e9 0")).errors, IsEmpty())
        << "no amplitude, no field";
    EXPECT_THAT(read_job(ring + heisenberg + drive("jz = cos 1 1 6.2831853071795862 0")).errors, IsEmpty());
}

TEST(TrotterConfig, RefusesRuns) {
    const auto run = [](const std::string& lines) { return "[run]\n" + lines + "\n"; };
    expect_ring_error(run("step = 0"), "run.step = 0 must be a number from 1e-12");
    expect_ring_error(run("order = 3"), "run.order = 3 is no order of a splitting here; use 1, 2 or 4.");
    expect_ring_error(run("scheme = blanes-moan"), "run.scheme = blanes-moan belongs to run.order = 4");
    expect_ring_error(run("measure-every = 2\nmeasure-times = 1"), "run.measure-times = 1 excludes run.measure-every");
    expect_ring_error(run("measure-times = 0.07"), "run.measure-times: 0.07 is no multiple of run.step = 0.05");
    expect_ring_error(run("measure-times = 6"), "run.measure-times: 6 lies beyond the end of the run");
    expect_ring_error(run("observables = sz,spin"), "run.observables = sz,spin names 'spin'; possible are sx, sy, sz,");
    expect_ring_error(run("observables = sz,energy, sz"), "names sz twice.");
    expect_error("[lattice]\ntype = all\nextents = 8\n" + heisenberg + run("observables = structure-factor"),
                 "names structure-factor, which is computed for lattice.type = ring or chain only.");
    expect_ring_error(run("observables = entropy"),
                      "names entropy, which needs the spins of one side: give run.cut, e.g. run.cut = first 6.");
    expect_ring_error(run("cut = first 4"), "run.cut = first 4 is for the entropy; add entropy to run.observables.");
    const std::string chebyshev = "method = chebyshev\n";
    expect_ring_error(run(chebyshev + "order = 2"), "run.order = 2 belongs to run.method = splitting");
    expect_ring_error(run(chebyshev + "estimate-error = yes"), "run.estimate-error = yes belongs to run.method");
    expect_ring_error(run("tolerance = 1e-8"), "run.tolerance = 1e-8 belongs to run.method = chebyshev");
    expect_ring_error(run(chebyshev + "tolerance = 0"), "run.tolerance = 0 must be a number from 1e-15 to 0.01");
    expect_ring_error(run(chebyshev + "step = 1e6"),
                      "terms of the Chebyshev series, more than a million; take smaller");
    for (const char* line : {"pulses = 0.5 x 1 all", "fields = cos 1 1 1 0", "reversals = 1"})
        expect_ring_error(
            run(chebyshev + "step = 0.5") + "[drive]\n" + line + "\n",
            std::string(line) + " changes H or the state in time, which run.method = chebyshev does not take");
    expect_ring_error(run(chebyshev + "echo = yes") + "[echo]\npulse = x 1 all\n", "echo.pulse = x 1 all changes H or");
    const auto cut = [&](const std::string& text) { return run("observables = sz, entropy\ncut = " + text); };
    expect_ring_error(cut("half"), "run.cut: 'half' is no cut 'first 6' or list of spins such as 0,3,4.");
    expect_ring_error(cut("first 8"), "run.cut: 'first 8' must leave spins on both sides: 1 to 7 of the 8 spins.");
    expect_ring_error(cut("first"), "is no cut");
    expect_ring_error(cut("0,8"), "run.cut: '0,8' names spin 8; spins are numbered from 0 to 7.");
    expect_ring_error(cut("0,3,0"), "run.cut: '0,3,0' names a spin twice.");
    expect_ring_error(cut("0,1,2,3,4,5,6,7"), "run.cut: '0,1,2,3,4,5,6,7' leaves no spin on the other side.");
    expect_error("[lattice]\ntype = ring\nextents = 32\n" + heisenberg + cut("first 16"),
                 "run.cut: 'first 16' has 16 spins on its smaller side; at most 14 are taken.");
    expect_ring_error("[echo]\npulse = x 1 all\n", "echo.pulse = x 1 all belongs to run.echo = yes");
    expect_ring_error(run("echo = yes\n[echo]\npulse = x all"), "echo.pulse: 'x all' is no pulse 'axis angle spins'");
    expect_ring_error(run("echo = yes\n[echo]\nperturbation = 1 Sz 9"), "echo.perturbation: '1 Sz 9' names site 9");
    expect_ring_error(run("samples = 4"), "run.samples = 4 belongs to state.initial = random or polarised-random");
    const std::string random = "[state]\ninitial = random\n";
    expect_ring_error(random + run("samples = 6\ntarget-error = 0.1"), "run.target-observable is missing");
    expect_ring_error(random + run("samples = 6\ntarget-observable = sz"), "run.target-observable = sz belongs to");
    expect_ring_error(run("target-error = 0.1\ntarget-observable = sz"), "run.target-error = 0.1 belongs to");
    expect_ring_error(random + run("samples = 6\nconcurrent = 3"),
                      "run.concurrent = 3 must be a power of two, e.g. 2.");
    expect_ring_error(random + run("samples = 6\nconcurrent = 4"), "multiple of run.concurrent = 4, e.g. 8.");
}

TEST(TrotterConfig, ListsAllErrors) {
    EXPECT_EQ(read_job(ring + heisenberg +
                       "[state]\ninitial = pattern\npattern = uud\n[drive]\npulses = 1 x all\n[run]\n"
                       "measure-times = 0.07\n")
                  .errors.size(),
              3U);
}

TEST(TrotterConfig, LetsARunBecomeLonger) {
    const auto changes = [](const std::string& before, const std::string& now) {
        const std::string job = ring + heisenberg + "[state]\ninitial = random\n[run]\n";
        return validate_resume(read_job(job + before).config, read_job(job + now).config);
    };
    EXPECT_THAT(changes("steps = 10\n", "steps = 20\n"), IsEmpty());
    EXPECT_THAT(changes("samples = 2\n", "samples = 4\n"), IsEmpty());
    EXPECT_THAT(changes("steps = 10\necho = yes\n", "steps = 20\necho = yes\n"),
                ElementsAre(HasSubstr("run.steps = 20 was 10; it can be changed only in a run of one state without")));
    EXPECT_EQ(changes("steps = 10\nsamples = 2\n", "steps = 20\nsamples = 2\n").size(), 1U);
}

}  // namespace
}  // namespace strata::trotter
