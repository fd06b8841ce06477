// SPDX-License-Identifier: BSD-3-Clause
// The model, H = - sum_<ij>s t_ij c+_is c_js + h.c. + sum_i U_i n_iu n_id + V sum_<ij> n_i n_j + sum_is e_i n_is, and
// its tables for one tensor factor, which the kernels read: occupation bit strings and the hopping matrix between them.
// Spins 1/2 are hard-core bosons, which have the same hopping matrix without fermionic signs. Further products of site
// operators are added as they are (split_terms.hpp).
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "kernels/lanczos/component_table.hpp"
#include "lanczos/physics/bit_strings.hpp"
#include "lanczos/physics/split_terms.hpp"
#include "models/lattice.hpp"

namespace strata::lanczos {

enum class Statistics { fermions, hard_core_bosons };

struct Model {
    Lattice lattice;
    std::vector<double> u;        ///< [site] interaction of two spin components
    double v = 0;                 ///< interaction of neighbours, times the weight of the edge
    std::vector<double> epsilon;  ///< [site] energy of a particle
    double site_energy = 0;       ///< uniform energy of a particle beside epsilon, which is no scale of energies
    double neutral_filling = 0;   ///< particles at which site_energy contributes 0: none, or half of the spins up
    SiteKind kind = SiteKind::electrons;
    int spin_components =
        2;                ///< 2: rows are bit strings of spin up, columns those of spin down; 1: halves of the sites
    SiteCodes codes;      ///< codes of sites with other than two states, whose terms are all among the others
    double constant = 0;  ///< constant that is added to every energy
    OperatorSum others;   ///< all other terms

    int bits() const { return lattice.sites * codes.bits; }  ///< number of bits of all sites of a factor

    Statistics statistics() const { return is_fermionic(kind) ? Statistics::fermions : Statistics::hard_core_bosons; }
    /// Whether all amplitudes are real.
    bool real() const;
    /// Whether every hop and every other term has its inverse with the conjugate amplitude.
    bool hermitian() const;
    /// Amplitudes of the directed hops (to, from) as they appear in H, minus sign included; those of double edges are
    /// added up.
    std::map<std::pair<int, int>, Complex> hops() const;
    /// The smallest |amplitude| of hops and other terms that do not cancel; infinite if there is none.
    double least_hop() const;
    /// The hops and energies that act on the sites first .. last - 1 alone; sites are counted from `first`. Of coded
    /// sites none, on as many bits.
    Model part(int first, int last) const;
};

/// The different amplitudes of a hopping matrix, numbered as classes; in a sector of symmetries a class also has an
/// element of the group. An entry of a hopping matrix has 32 bits; the class occupies as many as needed, at least 6.
class AmplitudeTable {
  public:
    AmplitudeTable() = default;
    /// Amplitudes of the hops of a model, each with both signs.
    explicit AmplitudeTable(const Model& model);
    /// Adds an amplitude if it is new and returns its class. It may change bits(), so that all amplitudes must be added
    /// before the first entry of a matrix.
    std::uint32_t add(Complex amplitude, std::uint32_t element = 0);
    std::uint32_t index_of(Complex amplitude, std::uint32_t element = 0) const;
    int bits() const { return bits_; }
    /// Number of columns that fit into an entry beside the class.
    std::uint64_t max_rows() const { return std::uint64_t{1} << (32 - bits_); }
    const double* re() const { return re_.data(); }
    const double* im() const { return im_.data(); }
    const std::uint32_t* element() const { return element_.data(); }

  private:
    using Class = std::tuple<std::uint32_t, double, double>;
    static Class class_of(Complex amplitude, std::uint32_t element);

    std::map<Class, std::uint32_t> numbers_;
    std::vector<double> re_, im_;
    std::vector<std::uint32_t> element_;
    int bits_ = 6;
};

/// A hopping matrix (HoppingView) with its memory, filled row by row.
class HoppingRows {
  public:
    /// Reserves memory for exactly this number of rows and entries; `amplitudes` must outlive the object.
    HoppingRows(const AmplitudeTable& amplitudes, std::uint64_t rows, std::uint64_t entries);
    /// Adds an entry to the current row. `column` must be below max_rows() of the amplitudes.
    void add(std::uint64_t column, Complex amplitude, std::uint32_t element = 0);
    /// The same for a known amplitude class, for example that of an entry of another matrix with the same amplitudes.
    void add(std::uint64_t column, std::uint32_t amplitude_class, bool complex);
    void end_row();
    /// To be called after amplitudes were added, which may widen the classes, and before further entries: `bits` they had
    /// when the last entry was added.
    void widen_classes(int bits);
    /// View that is valid until the next entry is added.
    HoppingView view() const;
    const AmplitudeTable& amplitudes() const { return *amplitudes_; }
    std::uint64_t entries() const { return entries_.size(); }
    std::uint64_t bytes() const { return bytes(complex_.size(), entries_.size()); }
    static constexpr std::uint64_t bytes(std::uint64_t rows, std::uint64_t entries) {
        return 8 * (2 * rows + 1) + 4 * entries;
    }

  private:
    const AmplitudeTable* amplitudes_;
    std::vector<std::uint64_t> first_, complex_;
    std::vector<std::uint32_t> entries_, complex_entries_;
};

/// A hop that leads to a given bit string: the bit string `source` that it comes from.
struct HopSource {
    std::uint64_t source;
    Complex amplitude;  ///< sign included
};

/// Bit strings on the sites of a model, their hopping matrix and their diagonal.
class ComponentTable {
  public:
    /// There may be at most amplitudes.max_rows() bit strings. `amplitudes` must outlive the object. `terms`: further
    /// ones, which lead from these bit strings to these.
    ComponentTable(const Model& model, const AmplitudeTable& amplitudes, const BitStrings& basis,
                   const std::vector<BitTerm>& terms = {});
    /// The same by orbits of a symmetry group (symmetric_sector.hpp): a matrix with its own amplitude classes,
    /// diagonals by orbit, bit strings by row or column.
    ComponentTable(const BitStrings& basis, std::unique_ptr<AmplitudeTable> amplitudes, HoppingRows hops,
                   std::vector<double> diagonal, std::vector<std::uint64_t> bit_strings);

    const BitStrings& basis() const { return basis_; }
    const AmplitudeTable& amplitudes() const { return hops_.amplitudes(); }
    ComponentView view() const;
    std::uint64_t entries() const { return hops_.entries(); }
    std::uint64_t bytes() const { return bytes(basis_.count(), entries()); }
    static constexpr std::uint64_t bytes(std::uint64_t rows, std::uint64_t entries) {
        return HoppingRows::bytes(rows, entries) + 16 * rows;
    }

  private:
    BitStrings basis_;
    std::unique_ptr<AmplitudeTable> own_amplitudes_;  ///< null if the matrix uses the amplitudes of the sector
    HoppingRows hops_;
    std::vector<std::uint64_t> sites_;
    std::vector<double> diagonal_;
};

/// All hops that lead to a bit string.
std::vector<HopSource> hops_to(const Model& model, const std::map<std::pair<int, int>, Complex>& hops,
                               std::uint64_t occupation);
/// Calls add(source, element) for every hop and every further term that leads to a bit string from another one. Returns
/// the energy of the bit string, that of diagonal terms included.
template <class Add>
double add_row(const Model& model, const std::map<std::pair<int, int>, Complex>& hops,
               const std::vector<BitTerm>& terms, std::uint64_t occupation, Add add);
/// Energy of a bit string without the interaction with the other spin component.
double diagonal_of(const Model& model, std::uint64_t occupation);

template <class Add>
double add_row(const Model& model, const std::map<std::pair<int, int>, Complex>& hops,
               const std::vector<BitTerm>& terms, std::uint64_t occupation, Add add) {
    for (const HopSource& hop : hops_to(model, hops, occupation)) add(hop.source, hop.amplitude);
    double energy = diagonal_of(model, occupation);
    for (const auto& [op, amplitude] : terms) {
        if (!op.reaches(occupation)) continue;
        const Complex element = op.minus(occupation) ? -amplitude : amplitude;
        if (op.flip == 0)
            energy += element.real();
        else
            add(occupation ^ op.flip, element);
    }
    return energy;
}

/// Number of entries of the hopping matrix of bit strings on the sites of a model, and of further terms. A directed hop
/// has one entry for every way to arrange the other particles on the other sites.
std::uint64_t hopping_entries(const Model& model, const BitStrings& basis, const std::vector<BitTerm>& terms = {});

/// Whether an odd number of sites between two sites is occupied, so that a fermion hopping between them changes its
/// sign.
bool odd_between(std::uint64_t occupation, int a, int b);

/// [site * sites + site] energy of a pair of particles: U_i on the diagonal for two spin components, and V between
/// neighbours. Empty if all are 0.
std::vector<double> pair_energies(const Model& model);
/// H as a sum of products, without constants.
OperatorSum sum_of_terms(const Model& model);

/// Mean of the diagonal of hops and energies over the sector. Subtracting it centres the spectrum, which keeps alpha small
/// beside beta.
double mean_diagonal(const Model& model, int up, int down);

}  // namespace strata::lanczos
