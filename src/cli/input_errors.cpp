// SPDX-License-Identifier: BSD-3-Clause
// Search for the nearest valid word: by synonyms, as an abbreviation, then by the smallest edit distance, if that is
// small in relation to the length of the word.
#include "cli/input_errors.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "strata/config.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata::cli {
namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

/// Levenshtein distance, with one row of the table in memory.
std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

/// Names of a key or a choice in other programs and papers, and the corresponding names here, the likeliest first.
struct Synonym {
    std::string_view others;  ///< words in lower case
    std::string_view here;    ///< names, or last parts of names
};
constexpr Synonym synonyms[] = {
    {"l lx ly size length lattice-size linear-size n-sites nsites n sites", "extents sites"},
    {"m chi d bond-dimension bond-dim maxdim max-dim max-m maxm", "max-states saved-states"},
    {"t temp temps temperatures", "temperature temperatures"},
    {"q", "states"},
    {"t-max tmax t-end tend t-final time total-time duration n-steps nsteps", "evolution.steps run.steps"},
    {"dt delta-t time-step timestep", "evolution.step run.step"},
    {"h h-z hz field-z b magnetic-field", "field potential"},
    {"n-up nup filling particles electrons n n-particles", "up"},
    {"magnetization magnetisation total-sz s-z m-z", "sz"},
    {"ndown n-down", "down"},
    {"j exchange", "coupling j jz"},
    {"delta", "jz"},
    {"jxy", "j"},
    {"alpha", "range"},
    {"d single-ion", "anisotropy"},
    {"chi-max", "max-states"},
    {"realisations realizations samples", "seed"},
    {"species", "type"},
    {"w", "disorder"},
    {"mu epsilon site-energy on-site", "potential field"},
    {"mcs n-sweeps nsweeps sweeps max-sweeps iterations", "sweeps max-sweeps max-steps repeats"},
    {"tol eps accuracy", "tolerance"},
    {"omp-num-threads cores nthreads", "threads"},
    {"walltime time-limit timelimit", "wall-time"},
    {"tight-binding fermi-hubbard electrons", "hubbard"},
    {"spinless spinless-fermions", "fermions"},
    {"fermions", "hubbard"},
    {"spins spin-chain", "heisenberg"},
    {"gpu nvidia", "cuda"},
    {"ring periodic torus", "ring file"},
    {"ising potts monte-carlo", "swendsen-wang"},
    {"ed exact-diagonalization", "lanczos"},
};

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    for (std::size_t from = 0; from < text.size(); from += words.back().size() + 1)
        words.emplace_back(text.substr(from, text.find(' ', from) - from));
    return words;
}

/// The first candidate that corresponds to `word` by the table of synonyms; empty if there is none.
std::string synonym(std::string_view word, const std::vector<std::string>& candidates) {
    for (const Synonym& s : synonyms) {
        if (std::ranges::count(words_of(s.others), word) == 0) continue;
        for (const std::string& here : words_of(s.here))
            for (const std::string& candidate : candidates)
                if (candidate == here || last_part(candidate) == here) return candidate;
    }
    return {};
}

/// The only candidate whose last part begins with three or more letters of `name`; empty if there is none.
std::string completed(std::string_view name, const std::vector<std::string>& candidates) {
    const auto begins = [&](const std::string& known) { return lower(last_part(known)).starts_with(name); };
    if (name.size() < 3 || std::ranges::count_if(candidates, begins) != 1) return {};
    return *std::ranges::find_if(candidates, begins);
}

}  // namespace

void InputErrors::throw_if_any() const {
    if (sentences_.empty()) return;
    std::string all;
    for (const std::string& sentence : sentences_) all += (all.empty() ? "" : "\n        ") + sentence;
    throw Error(ExitCode::bad_input, all);
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
    double number = 0;
    if (parse_real(word.substr(0, word.find('/')), number)) return {};  // a number is never replaced by another one
    std::string typed = lower(word.substr(0, 100));
    std::ranges::replace(typed, '_', '-');
    const std::string_view name = last_part(typed);
    const auto same = std::ranges::find(candidates, name, last_part);
    if (same != candidates.end()) return *same;
    if (const std::string other = synonym(name, candidates); !other.empty()) return other;
    if (const std::string whole = completed(name, candidates); !whole.empty()) return whole;
    std::string best;
    std::size_t least = std::max<std::size_t>(2, typed.size() / 4) + 1;
    for (const std::string& candidate : candidates) {
        const std::string known = lower(candidate);
        const std::string_view last = last_part(known);
        if (edits(name, last) >= std::min(name.size(), last.size())) continue;  // no letter in common
        const std::size_t distance = edits(typed, known);
        if (distance < least) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
    std::vector<std::string> of_section;  // those of the section that was typed come first
    const std::string_view section = word.substr(0, word.find('.') + 1);
    for (const std::string& candidate : candidates)
        if (!section.empty() && candidate.starts_with(section)) of_section.push_back(candidate);
    std::string near = nearest(word, of_section);
    if (near.empty()) near = nearest(word, candidates);
    return near.empty() ? "" : " Did you mean " + near + "?";
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    return text;
}

std::string printable(std::string_view text) { return strata::printable(text); }

}  // namespace strata::cli
