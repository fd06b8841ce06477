// SPDX-License-Identifier: BSD-3-Clause
// Lists of terms: sums of equal products, Hermitian conjugates, and what is refused; sites that no list names. Energies
// and motions of random lists are compared with dense matrices by oracle/terms_oracle.py and oracle/products_oracle.py.
#include "models/terms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dmrg/job/config.hpp"
#include "lanczos/job/config.hpp"
#include "lanczos/run/validation.hpp"
#include "strata/error.hpp"
#include "support/error_of.hpp"
#include "support/job_texts.hpp"
#include "trotter/job/config.hpp"
#include "trotter/run/validation.hpp"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TermSums read(const std::string& text, TermSet taken = TermSet::all) {
    return read_terms(items_of("model.terms", text), {}, {}, taken);
}

void expect_refused(const std::string& text, const std::string& sentence, TermSet taken = TermSet::all) {
    EXPECT_THAT(error_of(ExitCode::bad_input, [&] { read(text, taken); }), HasSubstr(sentence)) << text;
}

TEST(Terms, OfElectronsAddUp) {
    const TermSums t = read(
        "4 n_up 0 n_dn 0; 1 n_up 2; 0.5 cdag_dn 2 c_dn 2; 0.5 n_dn 2; -1 cdag_up 0 c_up 1; -1 cdag_dn 0 c_dn 1; "
        "0.25 n 0 n 2; 0.25 n 2 n 0; 1 n 1 n 1");
    EXPECT_EQ(t.kind, SiteKind::electrons);
    EXPECT_EQ(t.sites, 3);
    EXPECT_THAT(t.u, ElementsAre(4, 2, 0));  // n n = n + 2 n_up n_dn
    EXPECT_THAT(t.potential, ElementsAre(0, 1, 1));
    ASSERT_EQ(t.edges.size(), 2U);
    EXPECT_EQ(t.edges[0].weight, 0.5);
    EXPECT_EQ(t.edges[1].amplitude, Complex(1));  // H = - amplitude c+ c
}

TEST(Terms, HermitianConjugatesAreAddedOrChecked) {
    for (const std::string& text : {std::string("1+2i cdag 0 c 1"), std::string("1+2i cdag 0 c 1; 1-2i cdag 1 c 0")}) {
        const TermSums t = read(text);
        EXPECT_EQ(t.kind, SiteKind::fermions);
        ASSERT_EQ(t.edges.size(), 1U);
        EXPECT_EQ(t.edges[0].to, 0);
        EXPECT_EQ(t.edges[0].amplitude, Complex(-1, -2));
    }
    // (S+ S- + S- S+) / 2 = Sx Sx + Sy Sy
    for (const std::string& text :
         {std::string("0.5 S+ 0 S- 1"), std::string("0.5 S+ 0 S- 1; 0.5 S- 0 S+ 1"),
          std::string("0.25 S- 1 S+ 0; 0.25 S+ 0 S- 1"), std::string("1 Sx 1 Sx 0; 1 Sy 0 Sy 1")})
        EXPECT_THAT(read(text).exchange, ElementsAre(Vector3{1, 1, 0})) << text;
    EXPECT_THAT(read("0.5 S+ 0 S+ 1").exchange, ElementsAre(Vector3{1, -1, 0}));
    EXPECT_EQ(read("1 S+ 0").field[0][0], 2);
    EXPECT_EQ(read("0.5i S+ 0 S- 1").edges[0].amplitude, Complex(0, 1));
    EXPECT_EQ(read("1 Sx 0 Sy 1; -1 Sy 0 Sx 1").edges[0].amplitude, Complex(0, 1));
    expect_refused("1 S+ 0 S- 1; 0.5 S- 0 S+ 1", "and its Hermitian conjugate have coefficients that are not");
    expect_refused("1i cdag 0 c 1; 1i cdag 1 c 0", "have coefficients that are not conjugate");
    expect_refused("1i Sz 0", "'1i Sz 0' is not Hermitian");
    expect_refused("1i n_up 0 n_dn 1", "is not Hermitian");
    expect_refused("1 X 0 Y 0", "is not Hermitian");  // i Z
    EXPECT_EQ(read("i X 0 Y 0").field[2][0], -2);
}

TEST(Terms, CoefficientsAreNumbersOfAnyForm) {
    for (const auto& [text, value] : {std::pair("2", Complex(2, 0)),
                                      {"-1.5e-1", {-0.15, 0}},
                                      {"2i", {0, 2}},
                                      {"-i", {0, -1}},
                                      {"i", {0, 1}},
                                      {"1e-2-3e-1i", {0.01, -0.3}},
                                      {"-1+i", {-1, 1}},
                                      {"1/2", {0.5, 0}},
                                      {"-1/4+3/2i", {-0.25, 1.5}},
                                      {"1e+2+1e+1i", {100, 10}}})
        EXPECT_EQ(read(std::string(text) + " cdag 0 c 1").edges[0].amplitude, -value) << text;
    for (const char* wrong : {"x", "1+2", "2j", "1e", "--1i", "1+-2i", "nan", "inf", "1i2i", "1/0", "1/"})
        expect_refused(std::string(wrong) + " cdag 0 c 1",
                       "is no term 'coefficient operator site [operator site ...]'");
}

TEST(Terms, RefuseWhatIsNoOperator) {
    expect_refused("1 Sx 0 Sx", "is no term");
    expect_refused("1 Sq 0", "has the operator Sq; possible are Sx, Sy, Sz, S+, S-, X, Y, Z, cdag_up");
    expect_refused("1 Sz 64", "names site 64; sites are numbered from 0 to 63.");
    expect_refused("1e10 Sz 0", "has a coefficient beyond 1e+09");
    expect_refused("1 X 0; 1 c_up 1", "'1 c_up 1' has the operator c_up on sites of spins.");
    expect_refused("1 cdag 0 c 1; 1 Sz 1", "has the operator Sz on sites of fermions without spin.");
    expect_refused("1 n 0", "give a term that tells electrons");
    const OperatorLimits spin_one = {.twice_spin = 2};
    const auto read_spin_one = [&](const std::string& text) {
        return error_of(ExitCode::bad_input, [&] { read_operators(items_of("model.terms", text), {}, spin_one); });
    };
    EXPECT_THAT(read_spin_one("1 Sz 3 Sz 3"), HasSubstr("has two spin operators on site 3"));
    EXPECT_THAT(read_spin_one("1 Z 3"), HasSubstr("of spins 1/2; give Sx, Sy or Sz"));
    EXPECT_EQ(read_spin_one("1 Sz 3 Sz 2"), "");
}

/// dmrg and trotter take sums of couplings of edges and sites; the line that has more is named.
TEST(Terms, BeyondSitesAndEdgesAreOthers) {
    for (const char* text : {"1 Sz 0 Sz 1 Sz 2", "1 Sz 0 Sz 0", "1 Sx 0 Sz 1", "1 Sx 0 Sy 1", "1 cdag_up 0 c_dn 1",
                             "1 cdag_up 0 c_up 1 n_dn 0", "1 cdag_up 0 c_up 1", "1 n_up 0", "1 n_up 0 n_up 1",
                             "1 cdag_up 0 cdag_dn 0", "1 S+ 0 S- 1; 1 n_up 0"}) {
        const std::string t = text;
        const bool spins = t.find("n_up") == t.npos && t.find("cdag") == t.npos;
        expect_refused(
            text, spins ? "a part that a splitting does not take" : "a part that is taken by lanczos and dmrg alone",
            TermSet::sites_and_edges);
        EXPECT_FALSE(read(text).others.empty()) << text;
    }
    expect_refused("1 Sz 0 Sz 1; 0.5 Sx 1 Sz 2", "'0.5 Sx 1 Sz 2' has", TermSet::sites_and_edges);
    expect_refused("1 Sz 0 Sz 1; 0.5i S+ 1 S- 2", "'0.5i S+ 1 S- 2' has", TermSet::sites_and_edges);
    const TermSums dm = read("1 Sx 0 Sy 1");  // half of it is an edge
    EXPECT_EQ(dm.edges[0].amplitude, Complex(0, 0.5));
    EXPECT_EQ(dm.others.terms().size(), 2U);
    EXPECT_TRUE(read("1 c_up 0 cdag_up 1; 1 c_dn 0 cdag_dn 1").others.empty());
    EXPECT_EQ(read("1 c_up 0 cdag_up 1; 1 c_dn 0 cdag_dn 1").edges[0].amplitude, Complex(1));
}

/// The first error of a job in lanczos, dmrg and trotter; empty where there is none.
std::array<std::string, 3> errors_everywhere(const std::string& job) {
    const auto first = [](const ReadJob& read) { return read.errors.empty() ? std::string() : read.errors[0]; };
    return {first(parsed_job("lanczos", lanczos::keys(), lanczos::validate, job)),
            first(parsed_job("dmrg", dmrg::keys(), dmrg::validate, job)),
            first(parsed_job("trotter", trotter::keys(), trotter::validate, job))};
}

const std::string spin_model = "[model]\ntype = heisenberg\n", electrons = "[model]\ntype = hubbard\nu = ";

std::string edges(const std::string& lines) { return "[lattice]\ntype = file\nfile = " + written(lines) + "\n"; }
std::string cell(const std::string& bonds) {
    return "[lattice]\ntype = custom\nextents = 2,1\ncell-bonds = " + bonds + "\n";
}
std::string terms(const std::string& lines) { return "[model]\ntype = terms\nterms = " + written(lines) + "\n"; }

/// Whoever numbers sites from 1 gets no problem with one more site.
TEST(Terms, SitesThatNoListNamesAreRefused) {
    const std::string triangle = "1 2\n2 3\n3 1\n", trimer = "1 Sz 1 Sz 2\n1 Sx 1 Sx 2\n1 Sy 1 Sy 2\n";
    struct Case {
        std::string job;
        std::array<int, 3> applies;  ///< to lanczos, dmrg, trotter
        std::string says;
    };
    for (const auto& [job, applies, says] :
         {Case{edges(triangle) + spin_model, {1, 1, 1}, "Site 0 of 4 has no edge; lattice.file numbers sites from 0."},
          {edges(triangle) + spin_model, {1, 1, 1}, "e.g. '0 1 0 0 0'"},
          {edges(triangle) + electrons + "4\n", {1, 1, 0}, "Site 0 of 4 has no edge"},
          {edges(triangle) + electrons + "4,4,4\n", {1, 1, 0}, "Site 0 of 4 has no edge"},
          {edges("0 1\n3 6\n") + spin_model + "field = 1\n", {1, 1, 1}, "Sites 2, 4, 5 of 7 have no edge"},
          {edges("0 1\n3 6\n") + spin_model, {1, 1, 1}, "e.g. '2 0 0 0 0'"},
          {cell("1 2 0 0 1; 2 1 1 0 1") + spin_model, {1, 0, 1}, "Sites 0, 3 of 6 have no bond; lattice.cell-bonds"},
          {cell("1 2 0 0 1; 2 1 1 0 1") + spin_model, {1, 0, 1}, "a cell from 0. Where a site is to stand alone"},
          {terms(trimer), {1, 1, 1}, "Site 0 of 3 has no term; model.terms numbers sites from 0."},
          {terms(trimer), {1, 1, 1}, "name it with coefficient 0, e.g. '0 Sz 0'"},
          {terms("1 n_up 0 n_dn 0\n1 n 2\n"), {1, 1, 0}, "e.g. '0 n 1'"}}) {
        const auto errors = errors_everywhere(job);
        for (std::size_t a = 0; a < errors.size(); ++a)
            if (applies[a] != 0) {
                EXPECT_THAT(errors[a], HasSubstr(says)) << a << "\n" << job;
            }
    }
    // named in the list, or by one value per site, or on a lattice that the program numbers
    for (const auto& [job, applies] :
         {std::pair(edges("0 1 0 0 0\n" + triangle) + spin_model, std::array{1, 0, 1}),
          {edges(triangle) + spin_model + "field = 1,0,0,0\n", {1, 0, 1}},
          {edges(triangle) + electrons + "4,4,4,4\n", {1, 0, 0}},
          {edges(triangle) + electrons + "4\nterms = " + written("0.5 n 0\n") + "\n", {1, 0, 0}},
          {cell("1 2 0 0 1; 0 1 0 0 0 0 0") + spin_model, {1, 0, 1}},
          {cell("1 2 0 0 1\ncell-positions = 0 0; 0 0; 0 0") + spin_model, {1, 0, 1}},
          {terms("0 Sz 0\n" + trimer), {1, 0, 1}},
          {"[lattice]\ntype = chain\nextents = 1\n" + electrons + "4\n", {1, 0, 0}}}) {
        const auto errors = errors_everywhere(job);
        for (std::size_t a = 0; a < errors.size(); ++a)
            if (applies[a] != 0) {
                EXPECT_EQ(errors[a], "") << a << "\n" << job;
            }
    }
}

}  // namespace
}  // namespace strata
