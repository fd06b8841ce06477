// SPDX-License-Identifier: BSD-3-Clause
// Sums of products of site operators: the one form of Hamiltonians and observables. A site has one or two modes, and a
// mode has three operators beside 1:
//
//                          modes of a site                  z      raise   lower
//     spins 1/2            one                              S^z    S+      S-
//     electrons            two, of spin down and up         n_s    c+_s    c_s
//     fermions             one                              n      c+      c
//     hard-core bosons     one                              n      b+      b
//
// A product names every mode at most once, in ascending order: spin down of all sites before spin up. Products of
// operators on one mode are reduced, with z = n - h, h = 1/2 for spins and 0 for particles:
//
//     z z = (1 - 2h) z + h (1 - h)     raise lower = z + h     lower raise = 1 - h - z     raise raise = lower lower = 0
//     z raise = (1 - h) raise          raise z = -h raise      lower z = (1 - h) lower     z lower = -h lower
//
// A spin above 1/2 has levels 0 to 2 S, m + S, and operators of levels: A_k projects on those above level k, and
// |a><b| leads from level b to another level a:
//
//     A_k A_l = A_max(k, l)     |a><b| |b><a| = A_(a-1) - A_a, with A_-1 = 1 and A_2S = 0     S^z = sum_k A_k - S
//
// Operators of fermions on different modes anticommute; the exchanges are counted in the sign of the coefficient. Every
// product maps a basis state to one basis state or to zero, and the form of a sum is unique.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace strata {

using Complex = std::complex<double>;

enum class SiteKind { electrons, fermions, spins, bosons };
const char* name_of(SiteKind kind);
/// Whether operators that raise or lower different modes anticommute.
constexpr bool is_fermionic(SiteKind kind) { return kind == SiteKind::electrons || kind == SiteKind::fermions; }

/// Modes of a site; the only mode of spins, fermions without spin and bosons is `down`.
enum class Mode : std::uint8_t { down, up };
enum class Local : std::uint16_t { z, raise, lower };

/// A_k, and |to><from| of so many levels, at most 31.
constexpr Local above_level(int k) { return static_cast<Local>(0x100 + k); }
constexpr Local level_unit(int levels, int to, int from) {
    return static_cast<Local>(0x8000 | levels << 10 | to << 5 | from);
}
constexpr bool is_unit(Local o) { return (static_cast<int>(o) & 0x8000) != 0; }
constexpr bool is_of_levels(Local o) { return static_cast<int>(o) >= 0x100; }
constexpr int level_of(Local above) { return static_cast<int>(above) - 0x100; }
constexpr int levels_of(Local unit) { return static_cast<int>(unit) >> 10 & 31; }
constexpr int target_level(Local unit) { return static_cast<int>(unit) >> 5 & 31; }
constexpr int source_level(Local unit) { return static_cast<int>(unit) & 31; }
constexpr bool is_diagonal(Local o) { return o == Local::z || (is_of_levels(o) && !is_unit(o)); }

struct ModeOperator {
    Mode mode = Mode::down;
    int site = 0;
    Local local = Local::z;
    auto operator<=>(const ModeOperator&) const = default;
    bool same_mode(const ModeOperator& other) const { return mode == other.mode && site == other.site; }
};
using OperatorProduct = std::vector<ModeOperator>;

/// Change of the numbers of raised modes, [Mode].
using ChargeChange = std::array<int, 2>;
ChargeChange change_of(const OperatorProduct& product);
/// "S+ 0 Sz 3".
std::string text_of(const OperatorProduct& product, SiteKind kind);

class OperatorSum {
  public:
    OperatorSum() = default;  ///< 0, on sites of any kind
    explicit OperatorSum(SiteKind kind) : kind_(kind) {}
    /// The operators multiplied in the order in which they are written.
    static OperatorSum product(SiteKind kind, const std::vector<ModeOperator>& factors, Complex coefficient = 1);

    SiteKind kind() const { return kind_; }
    const std::map<OperatorProduct, Complex>& terms() const { return terms_; }
    bool empty() const { return terms_.empty(); }
    /// Coefficient of a product, 0 if the sum does not have it.
    Complex operator[](const OperatorProduct& product) const;

    OperatorSum& operator+=(const OperatorSum& other);
    OperatorSum& operator*=(Complex factor);
    OperatorSum operator*(const OperatorSum& right) const;
    /// The Hermitian conjugate.
    OperatorSum conjugate() const;
    /// Removes real and imaginary parts that are at most `relative` times the largest coefficient: those that cancel up
    /// to rounding.
    void remove_rounding(double relative = rounding);

    bool is_hermitian(double relative = rounding) const;
    bool is_real() const;  ///< whether all matrix elements are real
    double largest() const;
    /// The changes of charge of all products: a charge a N_down + b N_up is conserved if a x + b y = 0 for all of them.
    std::set<ChargeChange> changes() const;
    /// The sum with every site replaced by its image.
    OperatorSum permuted(const std::vector<int>& image) const;
    /// Of spins 1/2: the sum with all spins inverted, S^z by -S^z and S+ by S-.
    OperatorSum inverted() const;
    /// The sum with particles and holes exchanged, for fermions: c_i by e_i c+_i and n_i by 1 - n_i; `signs`: [site] e_i.
    OperatorSum exchanged(const std::vector<int>& signs) const;

    static constexpr double rounding = 1e-13;

    friend bool operator==(const OperatorSum&, const OperatorSum&) = default;

  private:
    double h() const { return kind_ == SiteKind::spins ? 0.5 : 0; }
    bool is_odd(const ModeOperator& o) const { return is_fermionic(kind_) && o.local != Local::z; }
    void add(const OperatorProduct& product, Complex coefficient);
    OperatorSum times(const ModeOperator& right) const;

    SiteKind kind_ = SiteKind::spins;
    std::map<OperatorProduct, Complex> terms_;
};

/// Whether two sums differ by rounding at most.
bool are_equal(const OperatorSum& a, const OperatorSum& b);
/// a b - b a.
OperatorSum commutator(const OperatorSum& a, const OperatorSum& b);

}  // namespace strata
