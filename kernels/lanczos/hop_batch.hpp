// SPDX-License-Identifier: BSD-3-Clause
// H off the diagonal in a sector of symmetries of one spin component, computed in every step (orbit_search.hpp). All hops
// to a few neighbouring rows go through each stage together, so that what the next stage reads is on its way from memory,
// and a register takes a hop in each lane:
//
//     list          strings from which the terms lead to the rows, term by term
//     reduce        their smallest images: tables of T_k, and of images of bytes
//     settle_ties   the same where several elements lead to the smallest T
//     locate        cells of the representatives
//     search        their indices among the representatives
//     add_up        amplitude * number
//
// The sum of a row adds its terms in the order of the list, those with real amplitudes first. Strings are kept in two
// parts, T and the bits below, of at most 32 bits each; find_each() serves strings that have more.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "kernels/lanczos/panel_rows.hpp"
#include "kernels/lanczos/step_kernels.hpp"
#include "kernels/words.hpp"

namespace strata::lanczos::STRATA_ISA {

class HopBatch {
  public:
    /// With memory for the hops of one batch of rows.
    explicit HopBatch(const ComputedHopsView& h)
        : h_(h),
          search_(h.orbits.search),
          next_(h.orbits),
          rows_(std::clamp<std::uint64_t>(most_hops / (h.count + 1), 1, block_rows)),
          capacity_(rows_ * (h.count + 1) + slack),
          rows_low_(block_rows),
          rows_values_(search_.blocks * block_rows),
          values_(search_.blocks * capacity_) {
        for (auto* of_hop : {&place_, &low_, &top_, &rest_, &element_, &stabilisers_, &cell_, &size_, &ties_})
            of_hop->resize(capacity_);
        at_.resize(capacity_);
        for (std::uint64_t t = 0; t < h.count; ++t) {
            const OrbitTerm& term = h.terms[t];
            const auto part = [&](auto of) -> Part {
                return {of(term.mask), of(term.target), of(term.flip), of(term.parity)};
            };
            terms_.push_back(
                {part([&](std::uint64_t bits) { return static_cast<std::uint32_t>(h.orbits.rest_of(bits)); }),
                 part([&](std::uint64_t bits) { return static_cast<std::uint32_t>(h.orbits.top_of(bits)); })});
        }
    }

    /// Rows of a batch.
    std::uint64_t rows() const { return rows_; }

    /// Strings of the representatives of rows; blocks of rows one after the other take least time.
    void list_rows(std::uint64_t first, std::uint64_t count, std::uint64_t* strings) {
        next_.move_to(first);
        for (std::uint64_t row = 0; row < count; ++row) strings[row] = next_.next();
    }

    /// Adds to w the sums over the hops to `count` neighbouring representatives, at most rows().
    template <int Reals, class Real>
    void add(const std::uint64_t* strings, std::uint64_t count, const Real* numbers, Real* w) {
        if (search_.low_images == nullptr) {
            find_each(strings, count);
        } else {
            list(strings, count);
            reduce();
            settle_ties();
            locate(count);
            search(count, reinterpret_cast<const char*>(numbers), sizeof(Real) * Reals);
        }
        add_up<Reals>(count, numbers, w);
    }

  private:
    /// A term's bits below T, and those of T.
    struct Part {
        std::uint32_t mask, target, flip, parity;
    };
    struct Term {
        Part low, top;
    };
    /// A term that leads to strings of one T: the value of T from which it leads there, and the smallest image of that alone.
    struct ChosenTerm {
        std::uint32_t number, value;
        OrbitSearchView::Top top;
    };
    struct Tie {
        std::uint32_t rest[words], element[words], stabilisers[words], leading[words];
    };

    static constexpr std::uint64_t most_hops = 1024, slack = 64;
    static constexpr std::uint32_t row_bits = std::bit_width(block_rows - 1), minus_bit = block_rows;

    std::uint64_t row_of(std::uint64_t i) const { return place_[i] & (block_rows - 1); }
    std::uint32_t term_of(std::uint64_t i) const { return place_[i] >> (row_bits + 1); }
    static std::uint32_t place(std::uint64_t term, std::uint64_t row) {
        return static_cast<std::uint32_t>(term << (row_bits + 1) | row);
    }
    /// Values of T_k, [hop]; those of the second half of a string are its bits below T.
    std::uint32_t* values(std::uint32_t k) {
        return search_.halves && k == 1 ? low_.data() : values_.data() + k * capacity_;
    }

    /// The rows themselves, whose stabilisers are needed, come first, as if from one more term. Rows of the same T, as most
    /// neighbours are, have the same terms on its bits, and what T alone says of a hop's smallest image.
    void list(const std::uint64_t* strings, std::uint64_t count) {
        std::ranges::fill(rows_low_, 0u);
        std::ranges::fill(rows_values_, 0u);
        for (std::uint64_t row = 0; row < count; ++row) {
            rows_low_[row] = low_[row] = static_cast<std::uint32_t>(h_.orbits.rest_of(strings[row]));
            for (std::uint32_t k = 0; k < search_.blocks; ++k)
                rows_values_[k * block_rows + row] = values(k)[row] = search_.value(k, strings[row]);
            place_[row] = place(h_.count, row);
            const OrbitSearchView::Top top = search_.top(0, rows_values_[row]);
            top_[row] = top.smallest;
            element_[row] = top.list;
        }
        end_ = count;
        for (std::uint64_t row = 0, end = 0; row < count; row = end) {
            while (end < count && rows_values_[end] == rows_values_[row]) ++end;
            if (rows_values_[row] != chosen_for_) choose_terms(rows_values_[row]);
            for (const ChosenTerm& term : chosen_terms_) list_term(term, row, end);
        }
    }

    /// The terms that lead to strings with this T.
    void choose_terms(std::uint32_t value) {
        chosen_for_ = value;
        chosen_terms_.clear();
        for (std::uint32_t t = 0; t < h_.count; ++t) {
            if ((value & terms_[t].top.mask) != terms_[t].top.target) continue;
            const std::uint32_t from = value ^ terms_[t].top.flip;
            chosen_terms_.push_back({t, from, search_.top(0, from)});
        }
    }

    /// The hops by a term to some of the rows, which have the chosen T.
    [[gnu::always_inline]] void list_term(const ChosenTerm& chosen, std::uint64_t begin_row, std::uint64_t end_row) {
        const Term term = terms_[chosen.number];
        const std::uint64_t first = end_, blocks = search_.blocks;
        const std::uint32_t rows = ((1u << end_row) - 1) & ~((1u << begin_row) - 1);
        std::uint64_t end = first;
        for (auto row = static_cast<std::uint32_t>(begin_row) & ~(words - 1); row < end_row; row += words) {
            const Words low = load_words(rows_low_.data() + row);
            const std::uint32_t lanes = equal(low & all_words(term.low.mask), all_words(term.low.target)) & rows >> row;
            store_chosen(low_.data() + end, low ^ all_words(term.low.flip), lanes);
            store_chosen(place_.data() + end, lane_numbers() + place(chosen.number, row), lanes);
            store_words(values(0) + end, all_words(chosen.value));
            store_words(top_.data() + end, all_words(chosen.top.smallest));
            store_words(element_.data() + end, all_words(chosen.top.list));
            for (std::uint32_t k = 1; !search_.halves && k < blocks; ++k)
                store_chosen(values(k) + end,
                             load_words(rows_values_.data() + k * block_rows + row) ^
                                 all_words(h_.flip_values[chosen.number * blocks + k]),
                             lanes);
            end += static_cast<std::uint64_t>(std::popcount(lanes));
        }
        end_ = end;
        if (term.low.parity == 0 && term.top.parity == 0) return;
        for (std::uint64_t i = first; i < end; ++i) {
            const int odd = std::popcount(low_[i] & term.low.parity) + std::popcount(values(0)[i] & term.top.parity);
            place_[i] |= odd % 2 != 0 ? minus_bit : 0;
        }
    }

    /// Images of strings under elements, without the bits of T.
    template <class Word>
    [[gnu::always_inline]] Word low_image(Word element, Word low, Word top) const {
        const auto read = [](const std::uint32_t* table, Word at) {
            if constexpr (sizeof(Word) == sizeof(std::uint32_t))
                return table[at];
            else
                return gather(table, at);
        };
        const Word code = read(search_.low_image_of, element);
        Word at = code >> 2, image = -(code & 1) & low_mask();
        if (search_.halves) low = (code & 2) != 0 ? top : low;
        for (int byte = 0; byte < h_.orbits.low_bits(); byte += 8, at += 256, low >>= 8)
            image ^= read(search_.low_images, at + (low & 255));
        for (int byte = 0; !search_.halves && byte < search_.top_bits; byte += 8, at += 256, top >>= 8)
            image ^= read(search_.low_images, at + (top & 255));
        return image;
    }
    std::uint32_t low_mask() const { return static_cast<std::uint32_t>(h_.orbits.rest_of(~std::uint64_t{0})); }

    /// Where one element alone leads to the smallest T, its image is the smallest one; the other hops are listed as ties.
    void reduce() {
        const auto* tops = reinterpret_cast<const std::uint32_t*>(search_.tops);
        tie_count_ = 0;
        for (std::uint64_t i = 0; i < end_; i += words) {
            Words smallest = load_words(top_.data() + i), list = load_words(element_.data() + i), several = {};
            for (std::uint32_t k = 1; k < search_.blocks; ++k) {
                const Words entry = load_words(values(k) + i) + all_words(k << search_.top_bits),
                            top = gather<2>(tops, entry), list_of_top = gather<2>(tops + 1, entry);
                several = top < smallest ? Words{} : several | Words(top == smallest);
                list = top < smallest ? list_of_top : list;
                smallest = top < smallest ? top : smallest;
            }
            list |= several;
            const Words single = Words(OrbitSearchView::counted(list) == 1),
                        element = OrbitSearchView::first_of(list) & single;
            store_words(top_.data() + i, smallest);
            store_words(element_.data() + i, element);
            store_words(stabilisers_.data() + i, all_words(1));
            store_words(rest_.data() + i, low_image(element, load_words(low_.data() + i), load_words(values(0) + i)));
            std::uint32_t tie = equal(single, Words{});
            if (end_ - i < words) tie &= (1u << (end_ - i)) - 1;
            store_chosen(ties_.data() + tie_count_, lane_numbers() + static_cast<std::uint32_t>(i), tie);
            tie_count_ += static_cast<std::uint64_t>(std::popcount(tie));
        }
    }

    /// Ties of two elements, as most are, are settled together.
    void settle_ties() {
        const auto* tops = reinterpret_cast<const std::uint32_t*>(search_.tops);
        for (std::uint64_t n = 0; n < tie_count_; n += words) {
            const Words hop = load_words(ties_.data() + n);
            Words smallest = ~Words{}, low = {}, top = {};
            Words leading = {}, one = {}, other = {};  // number of elements, and places of the first two
            for (std::uint32_t k = 0; k < search_.blocks; ++k) {
                const Words value = gather(values(k), hop), entry = value + all_words(k << search_.top_bits),
                            least = gather<2>(tops, entry), list = gather<2>(tops + 1, entry),
                            first = OrbitSearchView::first_of(list);
                leading = least < smallest ? Words{} : leading;
                smallest = least < smallest ? least : smallest;
                other = leading == 0 ? first + 1 : leading == 1 ? first : other;
                one = leading == 0 ? first : one;
                leading += least == smallest ? OrbitSearchView::counted(list) : Words{};
                (k == 0 ? top : low) = value;
            }
            if (!search_.halves) low = gather(low_.data(), hop);
            const Words g = gather(search_.elements, one), h = gather(search_.elements, other);
            const Words image_g = low_image(g, low, top), image_h = low_image(h, low, top);
            store_words(tie_.rest, image_g < image_h ? image_g : image_h);
            store_words(tie_.element, image_g == image_h ? (g < h ? g : h) : image_g < image_h ? g : h);
            store_words(tie_.stabilisers, image_g == image_h ? all_words(2) : all_words(1));
            store_words(tie_.leading, leading);
            for (std::uint64_t lane = 0; lane < std::min<std::uint64_t>(words, tie_count_ - n); ++lane) {
                const std::uint32_t i = ties_[n + lane];
                rest_[i] = tie_.rest[lane];
                element_[i] = tie_.element[lane];
                stabilisers_[i] = tie_.stabilisers[lane];
                if (tie_.leading[lane] > 2) settle(i);
            }
        }
    }

    /// A tie of any number of elements.
    void settle(std::uint32_t i) {
        std::uint32_t best = ~0u, leading = 0, element = 0;
        for (std::uint32_t k = 0; k < search_.blocks; ++k) {
            const OrbitSearchView::Top top = search_.top(k, values(k)[i]);
            if (top.smallest != top_[i]) continue;
            const std::uint32_t* list = search_.elements + OrbitSearchView::first_of(top.list);
            for (std::uint32_t e = 0; e < search_.count_of(top.list); ++e) {
                const std::uint32_t g = list[e], image = low_image(g, low_[i], values(0)[i]);
                if (leading == 0 || image < best) {
                    best = image;
                    leading = 1;
                    element = g;
                } else if (image == best) {
                    ++leading;
                    element = std::min(element, g);
                }
            }
        }
        rest_[i] = best;
        element_[i] = element;
        stabilisers_[i] = leading;
    }

    void locate(std::uint64_t rows) {
        const OrbitListView& orbits = h_.orbits;
        const int shift = std::min(orbits.other_bits, 31);
        const Words kept = all_words(orbits.other_bits == shift ? ~0u : 0);
        for (std::uint64_t i = 0; i < end_; i += words) {
            const Words cell =
                gather(orbits.first_cell, load_words(top_.data() + i)) + (load_words(rest_.data() + i) >> shift & kept);
            store_words(cell_.data() + i, cell);
        }
        if (orbits.marks != nullptr) {
            for (std::uint64_t i = rows; i < end_; ++i) __builtin_prefetch(orbits.marks + cell_[i]);
            return;
        }
        for (std::uint64_t i = rows; i < end_; ++i) __builtin_prefetch(orbits.cells + cell_[i]);
        for (std::uint64_t i = rows; i < end_; ++i) {
            const std::uint32_t* cell = orbits.cells + cell_[i];
            at_[i] = orbits.first[top_[i]] + cell[0];
            size_[i] = cell[1] - cell[0];
            orbits.fetch(at_[i]);
        }
    }

    /// Most cells have at most 16 representatives, which are compared together.
    void search(std::uint64_t rows, const char* numbers, std::uint64_t bytes) {
        const OrbitListView& orbits = h_.orbits;
        for (std::uint64_t i = rows; orbits.marks != nullptr && i < end_; ++i) {
            at_[i] = orbits.marks[cell_[i]].index_of(rest_[i]);
            __builtin_prefetch(numbers + at_[i] * bytes);
        }
        for (std::uint64_t i = rows; orbits.marks == nullptr && i < end_; ++i) {
            std::uint64_t at = at_[i];
            const std::uint32_t size = size_[i];
            if (size <= 16 && at + 16 <= orbits.count()) {
                std::uint32_t before = 0;
                for (std::uint32_t j = 0; j < 16; j += words)
                    before |= at_most(load_words(orbits.low + at + j), all_words(rest_[i])) << j;
                at += static_cast<std::uint64_t>(std::popcount(before & ((1u << size) - 1))) - 1;
            } else {
                at = orbits.index_in(rest_[i], at, size);
            }
            at_[i] = at;
            __builtin_prefetch(numbers + at * bytes);
        }
    }

    /// In place of all stages, hop by hop.
    void find_each(const std::uint64_t* strings, std::uint64_t count) {
        end_ = 0;
        for (std::uint64_t t = 0; t <= h_.count; ++t)
            for (std::uint64_t row = 0; row < count; ++row) {
                const OrbitTerm term = t == 0 ? OrbitTerm{} : h_.terms[t - 1];
                if ((strings[row] & term.mask) != term.target) continue;
                const std::uint64_t from = strings[row] ^ term.flip;
                const SmallestImage image = smallest_image(search_, from);
                place_[end_] = place(t == 0 ? h_.count : t - 1, row);
                place_[end_] |= (std::popcount(from & term.parity) & 1) != 0 ? minus_bit : 0;
                element_[end_] = image.element;
                stabilisers_[end_] = image.count;
                at_[end_++] = h_.orbits.index_of(image.string);
            }
    }

    template <int Reals, class Real>
    void add_up(std::uint64_t rows, const Real* numbers, Real* w) {
        Real sums[block_rows * Reals] = {}, imaginary[block_rows * Reals] = {};
        bool complex = false;
        for (std::uint64_t i = rows; i < end_; ++i) {
            const HopAmplitude amplitude = amplitude_of(i);
            complex = complex || amplitude.im != 0;
            if (amplitude.im != 0) continue;
            const Real* number = numbers + at_[i] * Reals;
            Real* sum = sums + row_of(i) * Reals;
            for (int k = 0; k < Reals; ++k) sum[k] = fused(static_cast<Real>(amplitude.re), number[k], sum[k]);
        }
        for (std::uint64_t i = rows; Reals == 2 && complex && i < end_; ++i) {
            const HopAmplitude amplitude = amplitude_of(i);
            if (amplitude.im == 0) continue;
            const Real* number = numbers + at_[i] * Reals;
            for (int k = 0; k < Reals; ++k) {
                Real &sum = sums[row_of(i) * Reals + k], &crossed = imaginary[row_of(i) * Reals + k];
                sum = fused(static_cast<Real>(amplitude.re), number[k], sum);
                crossed = fused(static_cast<Real>(amplitude.im), number[k], crossed);
            }
        }
        for (std::uint64_t row = 0; row < rows; ++row, w += Reals) {
            Real* sum = sums + row * Reals;
            if constexpr (Reals == 2) {
                sum[0] -= imaginary[2 * row + 1];
                sum[1] += imaginary[2 * row];
            }
            for (int k = 0; k < Reals; ++k) w[k] += sum[k];
        }
    }

    HopAmplitude amplitude_of(std::uint64_t i) const {
        const OrbitTerm& term = h_.terms[term_of(i)];
        const std::uint32_t from = stabilisers_[i], own = stabilisers_[row_of(i)];
        HopAmplitude amplitude = h_.amplitudes[term.amplitudes + element_[i]];
        if (from != own) amplitude = hop_amplitude(term.re, term.im, h_.character + 2 * element_[i], from, own);
        if ((place_[i] & minus_bit) != 0) amplitude = {-amplitude.re, -amplitude.im};
        return amplitude;
    }

    const ComputedHopsView& h_;
    const OrbitSearchView& search_;
    OrbitStrings next_;
    std::uint64_t rows_, capacity_, end_ = 0, tie_count_ = 0;
    std::vector<Term> terms_;
    std::vector<ChosenTerm> chosen_terms_;
    std::uint32_t chosen_for_ = ~0u;                     ///< value of T; at first none
    std::vector<std::uint32_t> rows_low_, rows_values_;  ///< [row], [k][row] parts of the batch's rows
    // Lists over the hops:
    std::vector<std::uint32_t>
        place_;  ///< first amplitude of the term, bits for a short orbit and the sign, number of the row
    std::vector<std::uint32_t> low_;         ///< bits below T of the string that the term leads from
    std::vector<std::uint32_t> values_;      ///< [k][hop] value of T_k in it
    std::vector<std::uint32_t> top_, rest_;  ///< the smallest image; at first T of that of the string's T alone
    std::vector<std::uint32_t> element_;     ///< an element that leads to it; at first the list of those of T alone
    std::vector<std::uint32_t> stabilisers_;
    std::vector<std::uint32_t> cell_, size_;  ///< cell of the representative, and the number of those in it
    std::vector<std::uint64_t> at_;           ///< the first of these, then the representative
    std::vector<std::uint32_t> ties_;         ///< numbers of hops whose smallest T several elements lead to
    Tie tie_;
};

}  // namespace strata::lanczos::STRATA_ISA
