// SPDX-License-Identifier: BSD-3-Clause
// Tables of a symmetric sector. Rows and columns follow the same rules; the character enters the hops of spin up and
// the stabilisers of rows alone, because the columns of a row carry the whole group.
#include "lanczos/physics/symmetric_sector.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "strata/error.hpp"
#include "strata/parallel.hpp"

namespace strata::lanczos {
namespace {

/// Upper bound of the entries in the rows of representatives. Over all bit strings of all orbits there are `entries`,
/// and a representative of an orbit of full length stands for |G| of them.
std::uint64_t representative_entries(const Model& model, const SymmetryGroup& group, const BitStrings& strings,
                                     const std::vector<BitTerm>& terms, std::uint64_t orbits) {
    const std::uint64_t entries = hopping_entries(model, strings, terms);
    const std::uint64_t short_orbits =
        2 * (orbits - std::min(orbits, strings.count() / group.order()));  // upper bound of their number
    const auto flips = std::ranges::count_if(terms, [](const BitTerm& term) { return term.op.flip != 0; });
    const std::uint64_t per_row =
        std::min<std::uint64_t>(model.hops().size() + static_cast<std::uint64_t>(flips), entries);
    return std::min(orbits * per_row, entries / group.order() + 1 + short_orbits * per_row);
}

/// The sign s of T_g^-1 T_h = s T_(g^-1 h) on the bit strings of one component.
int inverse_sign(const SymmetryGroup& group, std::uint32_t g, std::uint32_t h) {
    const std::uint32_t back = group.inverse(g);
    return group.component_sign(g, back) * group.component_sign(back, h);
}

}  // namespace

SymmetricCounts::SymmetricCounts(std::shared_ptr<const SymmetryGroup> of_group, const Model& model,
                                 const BitStrings& up, const SiteStates& up_states, int down,
                                 const std::vector<BitTerm>& terms, const SymmetricLayout& layout)
    : group(std::move(of_group)),
      one_component(model.spin_components == 1),
      computes_hops(one_component && layout.computes_hops),
      line_reals(layout.line_reals),
      column_images(one_component ? 1 : group->order()),
      rows(OrbitCounts::orbits(*group, up_states)),
      orbits(one_component ? 1 : OrbitCounts::orbits(*group, SiteStates::of_particles(down))),
      up_entries(representative_entries(model, *group, up, terms, rows)),
      down_entries(representative_entries(model, *group, BitStrings(group->sites(), down), {}, orbits)),
      list_bytes(one_component ? Orbits::bytes(*group, up, rows) : 0) {}

std::uint64_t SymmetricCounts::columns(Arithmetic arithmetic) const {
    if (one_component) return 1;
    const std::uint64_t line = line_reals / vectors::reals_of(arithmetic);
    return (orbits + line - 1) / line * line * column_images;
}

std::uint64_t SymmetricCounts::panel(Arithmetic arithmetic) const {
    return one_component ? vectors::reals_of(arithmetic) : column_images * line_reals;
}

std::uint64_t SymmetricCounts::table_bytes(Arithmetic arithmetic) const {
    constexpr std::uint64_t of_diagonal = sizeof(double);
    if (computes_hops) return rows * of_diagonal + list_bytes;
    // first entries; with two spin components diagonal, bit string, stabiliser
    const std::uint64_t bytes_per_orbit = 8 * 2 + (one_component ? of_diagonal : 24);
    const std::uint64_t of_pair =
        2 * (sizeof(std::uint32_t) + (!one_component && group->has_component_signs() ? sizeof(double) : 0));
    return list_bytes + 4 * (up_entries + down_entries) + bytes_per_orbit * (rows + orbits) +
           sizeof(std::uint64_t) * columns(arithmetic) + of_pair * column_images * column_images;
}

StabiliserTable::StabiliserTable(const SymmetryGroup& group, const Orbits& orbits, bool with_character) {
    first.push_back(0);
    for (std::uint64_t i = 0; i < orbits.count(); ++i) {
        const auto stabiliser = orbits.stabiliser(i);
        for (const Orbits::Stabiliser& s : stabiliser) {
            if (stabiliser.size() == 1) break;
            const Complex character = with_character ? group.character(s.element) : Complex(1);
            const Complex factor = (s.minus ? -1.0 : 1.0) / static_cast<double>(stabiliser.size()) * character;
            element.push_back(s.element);
            re.push_back(factor.real());
            im.push_back(factor.imag());
        }
        first.push_back(element.size());
    }
}

SymmetricTables::SymmetricTables(const SymmetricCounts& counts, const Model& model, const BitStrings& up, int down,
                                 const std::vector<BitTerm>& terms, Arithmetic arithmetic)
    : counts_(counts),
      group_(*counts.group),
      model_(model),
      terms_(terms),
      up_strings_(up),
      down_strings_(group_.sites(), down),
      reals_(vectors::reals_of(arithmetic)),
      up_(group_, model.statistics(), up_strings_,
          counts.one_component ? Orbits::Order::by_blocks : Orbits::Order::numerical),
      down_(group_, model.statistics(), down_strings_, Orbits::Order::numerical),
      rows_(counts.one_component ? StabiliserTable() : StabiliserTable(group_, up_, true)),
      columns_(counts.one_component ? StabiliserTable() : StabiliserTable(group_, down_, false)) {
    if (counts.one_component) mark_vanishing_rows();
    if (counts.computes_hops) list_terms();
    for (std::uint32_t g = 0; g < images(); ++g)
        for (std::uint32_t h = 0; h < images(); ++h) {
            left_.push_back(group_.product(group_.inverse(g), h) * static_cast<std::uint32_t>(counts.line_reals));
            right_.push_back(group_.product(h, g) * static_cast<std::uint32_t>(counts.line_reals * reals_));
        }
    if (counts.one_component || !group_.has_component_signs()) return;
    for (std::uint32_t g = 0; g < images(); ++g)
        for (std::uint32_t h = 0; h < images(); ++h) {
            left_sign_.push_back(inverse_sign(group_, g, h));
            right_sign_.push_back(group_.component_sign(h, g));
        }
}

SymmetryView SymmetricTables::view() const {
    return {images(),
            left_.data(),
            right_.data(),
            rows_.view(),
            columns_.view(),
            counts_.one_component ? vanishing_.data() : nullptr,
            left_sign_.empty() ? nullptr : left_sign_.data(),
            right_sign_.empty() ? nullptr : right_sign_.data()};
}

ComponentTable SymmetricTables::table(const Orbits& orbits, bool of_rows,
                                      std::vector<std::uint64_t> bit_strings) const {
    struct Entry {
        std::uint32_t column, amplitude_class;
    };
    const auto hops = model_.hops();
    const std::vector<BitTerm> none, &terms = of_rows ? terms_ : none;
    const auto amplitude_of = [&](Complex element, const Orbits::Place& from, std::uint32_t own) -> Complex {
        const Complex character = of_rows ? group_.character(from.element) : Complex(1);
        if (!counts_.one_component) return std::sqrt(from.stabilisers / static_cast<double>(own)) * element * character;
        const double chi[] = {character.real(), character.imag()};
        const HopAmplitude amplitude = hop_amplitude(element.real(), element.imag(), chi, from.stabilisers, own);
        return {amplitude.re, amplitude.im};
    };
    auto amplitudes = std::make_unique<AmplitudeTable>();
    HoppingRows rows(*amplitudes, orbits.count(), of_rows ? counts_.up_entries : counts_.down_entries);
    std::vector<Entry> entries;  // a row at a time
    std::vector<double> diagonal;
    diagonal.reserve(orbits.count());
    for (std::uint64_t orbit = 0; orbit < orbits.count(); ++orbit) {
        const std::uint32_t own = orbits.stabilisers(orbit);
        const int bits = amplitudes->bits();
        const auto add = [&](std::uint64_t source, Complex element) {
            const Orbits::Place from = orbits.find(source);
            const Complex amplitude = amplitude_of(from.minus ? -element : element, from, own);
            const std::uint32_t moved_by = counts_.one_component ? 0 : from.element;
            entries.push_back({static_cast<std::uint32_t>(from.orbit), amplitudes->add(amplitude, moved_by)});
        };
        entries.clear();
        diagonal.push_back(add_row(model_, hops, terms, orbits.representative(orbit), add));
        if (orbits.count() > amplitudes->max_rows())
            throw Error(ExitCode::does_not_fit,
                        "This sector has " + std::to_string(orbits.count()) + " orbits of bit strings; " +
                            std::to_string(amplitudes->max_rows()) +
                            " are the most that hops are listed for. Take fewer sites or particles.");
        rows.widen_classes(bits);
        // entries of the identity come first: kernels apply them without a table
        std::ranges::stable_sort(entries, {}, [&](const Entry& e) { return amplitudes->element()[e.amplitude_class]; });
        for (const auto& [column, amplitude_class] : entries)
            rows.add(column, amplitude_class, amplitudes->im()[amplitude_class] != 0);
        rows.end_row();
    }
    return {of_rows ? up_strings_ : down_strings_, std::move(amplitudes), std::move(rows), std::move(diagonal),
            std::move(bit_strings)};
}

/// Rows whose stabiliser contradicts the character: its characters add up to 0, otherwise to its order.
void SymmetricTables::mark_vanishing_rows() {
    vanishing_.assign((up_.count() + 63) / 64, 0);
    for_each_parallel({0, vanishing_.size()}, [&](std::uint64_t word) {
        for (std::uint64_t row = 64 * word; row < std::min(64 * (word + 1), up_.count()); ++row) {
            if (up_.stabilisers(row) == 1) continue;
            Complex sum = 0;
            for (const Orbits::Stabiliser& s : up_.stabiliser(row))
                sum += (s.minus ? -1.0 : 1.0) * group_.character(s.element);
            if (std::abs(sum) < 0.5) vanishing_[word] |= std::uint64_t{1} << row % 64;
        }
    });
}

/// Hops and further terms, in the order of add_row().
void SymmetricTables::list_terms() {
    ComputedHops& all = computed_.emplace();
    const auto add = [&](const BitOperator& op, Complex amplitude) {
        const auto coded = [&](std::uint64_t sites) { return up_.images().coded(sites); };
        all.terms.push_back(
            {coded(op.mask), coded(op.target()), coded(op.flip), coded(op.parity), amplitude.real(), amplitude.imag()});
    };
    for (const auto& [sites, amplitude] : model_.hops()) {
        const std::uint64_t to = std::uint64_t{1} << sites.first, from = std::uint64_t{1} << sites.second;
        add({to | from, from, to | from, 0}, amplitude);
    }
    for (const BitTerm& term : terms_)
        if (term.op.flip != 0) add(term.op, term.amplitude);
    for (std::uint32_t g = 0; g < group_.order(); ++g) {
        const Complex character = group_.character(group_.inverse(g));
        all.character.insert(all.character.end(), {character.real(), character.imag()});
    }
    const OrbitSearchView search = up_.images().view();
    for (const OrbitTerm& term : all.terms)
        for (std::uint32_t k = 0; k < search.blocks; ++k) all.flip_values.push_back(search.value(k, term.flip));
    all.flip_values.insert(all.flip_values.end(), search.blocks, 0);
    list_amplitudes(all);
    all.view = {up_.view(),           all.terms.size(),     all.terms.data(), all.flip_values.data(),
                all.character.data(), all.amplitudes.data()};
}

/// Terms with the same amplitude share their numbers.
void SymmetricTables::list_amplitudes(ComputedHops& hops) const {
    std::map<std::pair<double, double>, std::uint64_t> first;
    for (OrbitTerm& term : hops.terms) {
        const auto [at, is_new] = first.try_emplace({term.re, term.im}, hops.amplitudes.size());
        term.amplitudes = at->second;
        for (std::uint32_t g = 0; is_new && g < group_.order(); ++g)
            hops.amplitudes.push_back(hop_amplitude(term.re, term.im, hops.character.data() + 2 * g, 1, 1));
    }
}

ComponentTable SymmetricTables::diagonal_alone() const {
    std::vector<double> diagonal(up_.count());
    const auto hops = model_.hops();
    std::vector<BitTerm> terms;
    for (const BitTerm& term : terms_)
        if (term.op.flip == 0) terms.push_back(term);
    for_each_parallel({0, up_.count()}, [&](std::uint64_t row) {
        diagonal[row] = add_row(model_, {}, terms, up_.representative(row), [](std::uint64_t, Complex) {});
    });
    auto amplitudes = std::make_unique<AmplitudeTable>();
    HoppingRows rows(*amplitudes, 0, 0);
    return {up_strings_, std::move(amplitudes), std::move(rows), std::move(diagonal), {}};
}

ComponentTable SymmetricTables::up_table() const {
    if (computed_hops() != nullptr) return diagonal_alone();
    std::vector<std::uint64_t> bit_strings;  // with one spin component representatives are those of the orbits
    for (std::uint64_t row = 0; !counts_.one_component && row < up_.count(); ++row)
        bit_strings.push_back(up_.representative(row));
    return table(up_, true, std::move(bit_strings));
}

std::uint64_t SymmetricTables::column_of(std::uint64_t down) const {
    const Orbits::Place place = down_.find(down);
    const std::uint32_t image = counts_.one_component ? 0 : place.element;
    return (place.orbit / line() * images() + image) * line() + place.orbit % line();
}

std::uint64_t SymmetricTables::moved_column(std::uint32_t g, std::uint64_t column) const {
    if (counts_.one_component) return column;
    const std::uint64_t image = column / line(), lines = image / images();
    const std::uint32_t moved = group_.product(group_.inverse(g), static_cast<std::uint32_t>(image % images()));
    return (lines * images() + moved) * line() + column % line();
}

double SymmetricTables::moved_sign(std::uint32_t g, std::uint64_t column) const {
    if (left_sign_.empty()) return 1;
    return left_sign_[g * images() + column / line() % images()];
}

std::pair<std::uint64_t, std::uint64_t> SymmetricTables::place_of(std::uint64_t up, std::uint64_t down) const {
    const Orbits::Place place = up_.find(up);
    return {place.orbit, column_of(down_.image(group_.inverse(place.element), down))};
}

double SymmetricTables::column_factor(std::uint64_t column) const {
    const std::uint64_t image = column / line(), orbit = image / images() * line() + column % line();
    if (orbit >= down_.count()) return 0;
    const auto h = static_cast<std::uint32_t>(image % images());
    return (down_.minus(h, down_.representative(orbit)) ? -1 : 1) /
           std::sqrt(static_cast<double>(down_.stabilisers(orbit)));
}

ComponentTable SymmetricTables::down_table() const {
    std::vector<std::uint64_t> bit_strings;
    for (std::uint64_t first = 0; first < down_.count(); first += line())
        for (std::uint32_t h = 0; h < images(); ++h)
            for (std::uint64_t orbit = first; orbit < first + line(); ++orbit)
                bit_strings.push_back(orbit < down_.count() ? down_.image(h, down_.representative(orbit)) : 0);
    return table(down_, false, std::move(bit_strings));
}

}  // namespace strata::lanczos
