// SPDX-License-Identifier: BSD-3-Clause
// The smallest image of a bit string under a group that permutes its bits and may invert all of them, by sublattice
// coding (A. Wietek, A. M. Laeuchli, Phys. Rev. E 98, 033309 (2018)). The highest bits of a string are a block T of the
// group: every element maps T onto itself or onto other bits. The bits that are mapped onto T are then one of a few
// blocks T_k, and a table for each of them has the smallest values that T may get:
//
//     string     | T = T_0 |  T_1  |  T_2  | ...        tops[k][value of T_k] = the smallest value of T, and a list of
//                                                       the elements with T_k -> T that lead to it
//
// Only the elements of these lists, mostly one, are applied to the whole string. An empty T has one value, to which all
// elements lead.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace strata::lanczos {

/// Tables of the search; src/lanczos/physics/smallest_images.hpp has their memory.
struct OrbitSearchView {
    /// The smallest value of T, and the elements that lead to it: the place of the first one in `elements` times 4, and
    /// their number, 3 for three or more, whose number precedes them there.
    struct Top {
        std::uint32_t smallest, list;
    };
    static constexpr std::uint32_t most_counted = 3;
    static constexpr std::uint32_t list_of(std::uint32_t first, std::uint32_t length) {
        return first << 2 | (length < most_counted ? length : most_counted);
    }
    /// The parts of a list, or of the one in each lane.
    template <class Word>
    static constexpr Word first_of(Word list) {
        return list >> 2;
    }
    template <class Word>
    static constexpr Word counted(Word list) {
        return list & most_counted;
    }
    int bits = 0, top_bits = 0;               ///< bits of a string, and of T
    std::uint32_t blocks = 1;                 ///< number of T_k
    const std::uint64_t* images = nullptr;    ///< [element][byte][value of the byte] image of a byte
    const std::uint64_t* inverted = nullptr;  ///< [element] bits that are inverted after the permutation: all or none
    const std::uint32_t* values = nullptr;    ///< [k][byte][value of the byte] what a byte adds to the value of T_k
    const Top* tops = nullptr;                ///< [k][value of T_k]
    const std::uint32_t* elements =
        nullptr;  ///< all, in their order, a further one, then lists, ascending; three more at the end
    /// Images without the bits of T, where the others are at most 32; otherwise null. Of two halves of a string one becomes T,
    /// and the tables have the other one alone.
    bool halves = false;
    const std::uint32_t* low_images =
        nullptr;  ///< tables of permutations: [byte of the bits below T, then of T][value]
    /// [element] place of its table in `low_images`, times 4, a bit for halves whose table has T, and one for an inversion.
    const std::uint32_t* low_image_of = nullptr;

    constexpr int bytes() const { return (bits + 7) / 8; }
    std::uint64_t image(std::uint32_t g, std::uint64_t string) const {
        const std::uint64_t* table = images + g * static_cast<std::uint64_t>(bytes()) * 256;
        std::uint64_t moved = 0;
        for (; string != 0; string >>= 8, table += 256) moved |= table[string & 255];
        return moved ^ inverted[g];
    }
    /// The value of T_k in a string. It is linear: the value of s ^ t is the value of s ^ the value of t.
    std::uint32_t value(std::uint32_t k, std::uint64_t string) const {
        const std::uint32_t* table = values + k * static_cast<std::uint64_t>(bytes()) * 256;
        std::uint32_t sum = 0;
        for (int byte = 0; byte < bytes(); ++byte, table += 256, string >>= 8) sum += table[string & 255];
        return sum;
    }
    const Top& top(std::uint32_t k, std::uint32_t value_of_block) const {
        return tops[(std::uint64_t{k} << top_bits) + value_of_block];
    }
    std::uint32_t count_of(std::uint32_t list) const {
        return counted(list) < most_counted ? counted(list) : elements[first_of(list) - 1];
    }
    /// Calls of(Top) for every T_k.
    template <class Of>
    void for_each_top(std::uint64_t string, Of of) const {
        for (std::uint32_t k = 0; k < blocks; ++k) of(top(k, value(k, string)));
    }
    /// Calls of(element) for the elements that may lead to the smallest image, those of one T_k after the other.
    template <class Of>
    void for_each_candidate(std::uint64_t string, Of of) const {
        std::uint32_t smallest = ~std::uint32_t{0};
        for_each_top(string, [&](Top top) { smallest = top.smallest < smallest ? top.smallest : smallest; });
        for_each_top(string, [&](Top top) {
            if (top.smallest != smallest) return;
            const std::uint32_t* list = elements + first_of(top.list);
            for (std::uint32_t i = 0; i < count_of(top.list); ++i) of(list[i]);
        });
    }
};

/// The smallest image of a string, the first element that leads to it, and how many do.
struct SmallestImage {
    std::uint64_t string;
    std::uint32_t element, count;
};

inline SmallestImage smallest_image(const OrbitSearchView& search, std::uint64_t string) {
    SmallestImage found = {~std::uint64_t{0}, 0, 0};
    search.for_each_candidate(string, [&](std::uint32_t g) {
        const std::uint64_t moved = search.image(g, string);
        if (moved < found.string || found.count == 0)
            found = {moved, g, 1};
        else if (moved == found.string)
            found = {moved, g < found.element ? g : found.element, found.count + 1};
    });
    return found;
}

/// Representatives of the orbits in ascending order, by the value of T, and within it in cells of equal next bits. They are a
/// list, where they are few of all strings:
///
///     string    | T | bits of the cell | other bits |        cells[first_cell[T] + cell] representatives of T precede
///                                                            those of the cell
///
/// or, where they are many, the bits that are set in marks of 64 strings: marks[first_cell[T] + cell].
struct OrbitListView {
    struct Mark {
        std::uint32_t bits[2];  ///< a bit for each string of the cell: other bits 0 to 31, and 32 to 63
        std::uint32_t before;   ///< number of representatives in all cells before
        std::uint64_t set() const { return bits[0] | std::uint64_t{bits[1]} << 32; }
        std::uint64_t index_of(std::uint64_t rest) const {
            const std::uint64_t below = (std::uint64_t{1} << (rest & 63)) - 1;
            return before + static_cast<std::uint64_t>(std::popcount(set() & below));
        }
    };
    static constexpr int mark_bits = 6;  ///< bits below those of the cell of a mark

    OrbitSearchView search;
    const std::uint64_t* first = nullptr;  ///< [value of T] its first representative; one more at the end
    const std::uint32_t* first_cell =
        nullptr;  ///< [value of T] its first cell; values without representatives have none
    const std::uint32_t* cells = nullptr;
    const Mark* marks = nullptr;              ///< in place of cells and of the list; null where representatives are few
    int other_bits = 0;                       ///< bits below those of the cell
    const std::uint32_t* low = nullptr;       ///< [representative] its bits below T, where they are at most 32;
    const std::uint64_t* wide_low = nullptr;  ///< otherwise these

    constexpr int low_bits() const { return search.bits - search.top_bits; }
    std::uint64_t count() const { return first[std::uint64_t{1} << search.top_bits]; }
    std::uint64_t low_of(std::uint64_t orbit) const { return low != nullptr ? low[orbit] : wide_low[orbit]; }
    std::uint64_t top_of(std::uint64_t string) const { return search.top_bits == 0 ? 0 : string >> low_bits(); }
    /// The value of T of a representative.
    std::uint64_t top_of_orbit(std::uint64_t orbit) const {
        std::uint64_t top = 0;  // the last one that does not begin behind the orbit
        for (std::uint64_t step = std::uint64_t{1} << search.top_bits >> 1; step != 0; step /= 2)
            if (first[top + step] <= orbit) top += step;
        return top;
    }
    std::uint64_t string(std::uint64_t top, std::uint64_t rest) const {
        return (search.top_bits == 0 ? 0 : top << low_bits()) | rest;
    }
    /// The cell of a representative, and the representatives in it.
    struct Cell {
        std::uint64_t top, rest;  ///< value of T, and the bits below
        const std::uint32_t* begin;
    };
    Cell cell_of(std::uint64_t string) const {
        const std::uint64_t top = top_of(string), rest = search.top_bits == 0 ? string : string ^ (top << low_bits());
        return {top, rest, cells + first_cell[top] + (rest >> other_bits)};
    }
    /// Number of marks of a value of T with so many bits below it, fewer than 64.
    static constexpr std::uint64_t marks_of_top(int low_bits) {
        return (((std::uint64_t{1} << low_bits) - 1) >> mark_bits) + 1;
    }
    /// Prefetches representatives.
    void fetch(std::uint64_t orbit) const {
        __builtin_prefetch(low != nullptr ? static_cast<const void*>(low + orbit) : wide_low + orbit);
    }
    /// Index of the representative with these bits below T among `count` from `at` on.
    std::uint64_t index_in(std::uint64_t rest, std::uint64_t at, std::uint64_t count) const {
        while (count > 1) {
            const std::uint64_t half = count / 2;
            at += low_of(at + half) <= rest ? half : 0;
            count -= half;
        }
        return at;
    }
    std::uint64_t rest_of(std::uint64_t string) const {
        return low_bits() == 64 ? string : string & ((std::uint64_t{1} << low_bits()) - 1);
    }
    /// Index of a representative.
    std::uint64_t index_of(std::uint64_t string) const {
        if (marks != nullptr) {
            const std::uint64_t rest = rest_of(string);
            return marks[first_cell[top_of(string)] + (rest >> mark_bits)].index_of(rest);
        }
        const Cell cell = cell_of(string);
        return index_in(cell.rest, first[cell.top] + cell.begin[0], cell.begin[1] - cell.begin[0]);
    }
};

/// Strings of representatives, one after the other.
class OrbitStrings {
  public:
    explicit OrbitStrings(const OrbitListView& orbits, std::uint64_t orbit = 0) : orbits_(orbits) { move_to(orbit); }

    /// The string of the next representative, which must be one.
    std::uint64_t next() {
        while (orbit_ >= orbits_.first[top_ + 1]) begin(top_ + 1, 0);
        if (orbits_.marks == nullptr) return orbits_.string(top_, orbits_.low_of(orbit_++));
        while (left_ == 0) left_ = orbits_.marks[orbits_.first_cell[top_] + ++cell_].set();
        const auto bit = static_cast<std::uint64_t>(std::countr_zero(left_));
        left_ &= left_ - 1;
        ++orbit_;
        return orbits_.string(top_, cell_ << OrbitListView::mark_bits | bit);
    }
    /// The next one is that of `orbit`.
    void move_to(std::uint64_t orbit) {
        if (orbit == orbit_) return;
        orbit_ = orbit;
        const std::uint64_t top = orbits_.top_of_orbit(orbit);
        if (orbits_.marks == nullptr || orbit >= orbits_.first[top + 1]) return begin(top, 0);
        const OrbitListView::Mark* marks = orbits_.marks + orbits_.first_cell[top];
        std::uint64_t cell = 0, count = OrbitListView::marks_of_top(
                                    orbits_.low_bits());  // the last one that does not begin behind the orbit
        while (count > 1) {
            const std::uint64_t half = count / 2;
            cell += marks[cell + half].before <= orbit ? half : 0;
            count -= half;
        }
        begin(top, cell);
        for (std::uint64_t passed = orbit - marks[cell].before; passed > 0; --passed) left_ &= left_ - 1;
    }

  private:
    void begin(std::uint64_t top, std::uint64_t cell) {
        top_ = top;
        cell_ = cell;
        const bool has_marks = orbits_.marks != nullptr && orbits_.first[top] < orbits_.first[top + 1];
        left_ = has_marks ? orbits_.marks[orbits_.first_cell[top] + cell].set() : 0;
    }

    const OrbitListView& orbits_;
    std::uint64_t orbit_ = ~std::uint64_t{0}, top_ = 0, cell_ = 0;
    std::uint64_t left_ = 0;  ///< representatives in the cell from the next one on
};

/// A term of H off the diagonal as an operator on strings (src/lanczos/physics/split_terms.hpp): it leads to a string s from
/// s ^ flip if (s & mask) = target, with the amplitude (re, im) (-1)^popcount((s ^ flip) & parity).
struct OrbitTerm {
    std::uint64_t mask, target, flip, parity;
    double re, im;
    std::uint64_t amplitudes = 0;  ///< its first number in ComputedHopsView::amplitudes
};

/// Amplitude of a hop to a representative with `own` stabilisers from the string whose smallest image is `from`: the amplitude
/// (re, im) of the term times the character chi and the square root of the stabilisers' ratio. Its products are fused:
/// g++ 12 fuses a product and a sum of neighbouring numbers for AVX-512 in spite of -ffp-contract=off.
struct HopAmplitude {
    double re, im;
};
inline HopAmplitude hop_amplitude(double re, double im, const double* chi, std::uint32_t from, std::uint32_t own) {
    const double size = from == own ? 1 : sqrt(static_cast<double>(from) / own);
    re *= size;
    im *= size;
    return {fma(re, chi[0], -(im * chi[1])), fma(re, chi[1], im * chi[0])};
}

/// H off the diagonal in a sector of symmetries of one spin component without fermions, computed for every row: a term leads
/// to representative r from a string s, whose smallest image T_g s is the representative of another row.
struct ComputedHopsView {
    OrbitListView orbits;
    std::uint64_t count = 0;
    const OrbitTerm* terms = nullptr;
    const std::uint32_t* flip_values = nullptr;  ///< [term][k] value of T_k in the flipped bits; 0 for one more term
    const double* character = nullptr;           ///< [g][re, im] character of the inverse of g
    /// [different amplitude of terms][g] hop_amplitude() with as many stabilisers on both sides
    const HopAmplitude* amplitudes = nullptr;
};

}  // namespace strata::lanczos
