// SPDX-License-Identifier: BSD-3-Clause
// Sizes by counting. A directed hop between two of n sites has one entry for each of the C(n - 2, k - 1) bit strings of
// k particles with one of the sites occupied and the other empty; a hop between the halves of the lattice has, in each
// half, one for each bit string with its site occupied, or empty.
#include "lanczos/physics/sector_counts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <string>

#include "kernels/lanczos/step_kernels.hpp"
#include "lanczos/physics/left_hops.hpp"
#include "lanczos/physics/string_charges.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

/// Throws unless an entry of a hopping matrix can name every bit string.
void check_states(const BitStrings& strings, std::uint64_t max_states, const std::string& where) {
    if (strings.count() <= max_states) return;
    const std::string which = strings.kind() == BitStrings::Kind::number
                                  ? std::to_string(strings.particles()) + " particles on "
                                  : "All occupations of ";
    throw Error(ExitCode::does_not_fit, which + where + " have " + std::to_string(strings.count()) + " states; " +
                                            std::to_string(max_states) +
                                            " are the most that hops are listed for. Take fewer sites or particles.");
}

/// Adds the bit strings of rows and columns of each subspace of a sector.
void add_subspaces_of(const Filling& f, int components, int up_sites, int down_sites,
                      std::vector<std::pair<BitStrings, BitStrings>>& subspaces) {
    using enum BitStrings::Kind;
    if (f.conserved == Conserved::nothing) return subspaces.push_back({{up_sites, all, 0}, {down_sites, all, 0}});
    if (f.conserved == Conserved::numbers && components == 2)
        return subspaces.push_back({{up_sites, f.up}, {down_sites, f.down}});
    const int last = f.conserved == Conserved::parity ? 1 : up_sites;
    for (int k = 0; k <= last; ++k) {
        const int down = f.conserved == Conserved::spin ? k - f.up : f.up - k;
        if (f.conserved == Conserved::parity)
            subspaces.push_back({{up_sites, parity, k}, {down_sites, parity, down & 1}});
        else if (down >= 0 && down <= down_sites)
            subspaces.push_back({{up_sites, k}, {down_sites, down}});
    }
    std::erase_if(subspaces, [](const auto& s) { return s.first.count() == 0 || s.second.count() == 0; });
}

/// The bit strings of rows and columns of coded sites, the columns on this many of them.
std::vector<std::pair<BitStrings, BitStrings>> coded_subspaces(const Model& model, const std::vector<Filling>& fillings,
                                                               int left) {
    const StringCharge charge = charge_of(model, fillings[0].conserved);
    const auto rows = std::make_shared<const CodedStrings>(model.lattice.sites - left, model.codes, charge),
               columns = std::make_shared<const CodedStrings>(left, model.codes, charge);
    std::vector<std::pair<BitStrings, BitStrings>> subspaces;
    for (const Filling& f : fillings)
        for (int k = rows->least(), all = total_charge(model, f); k <= rows->most(); ++k)
            if (rows->count(k) > 0 && columns->count(all - k) > 0) subspaces.push_back({{rows, k}, {columns, all - k}});
    return subspaces;
}

/// Hops between sites below `left` and others, as a sum of products.
OperatorSum hops_between_halves(const Model& model, int left) {
    OperatorSum sum(model.kind);
    for (const auto& [hop, amplitude] : model.hops())
        if ((hop.first < left) != (hop.second < left))
            sum += OperatorSum::product(
                model.kind, {{Mode::down, hop.first, Local::raise}, {Mode::down, hop.second, Local::lower}}, amplitude);
    return sum;
}

/// The model with a uniform site energy as energies of sites, where the number of particles is not conserved.
Model without_site_energy(Model model, Conserved conserved) {
    if (conserved == Conserved::numbers || conserved == Conserved::particles) return model;
    for (double& e : model.epsilon) e += model.site_energy;
    model.constant -= model.site_energy * model.neutral_filling;
    model.site_energy = 0;
    return model;
}

/// The numbers of the components that bit strings have.
Filling of_components(const Filling& f, const Model& model) {
    return {f.up, model.spin_components == 2 || model.codes.coded() ? f.down : 0, f.conserved};
}

/// Numbers whose mean diagonal is subtracted: those of the sector, or half filling.
std::pair<int, int> typical(const Filling& f, const Model& model) {
    if (f.conserved == Conserved::numbers) return {f.up, f.down};
    const int half = f.conserved == Conserved::particles ? f.up / 2 : model.lattice.sites / 2;
    return {half, model.spin_components == 2 ? half : 0};
}

/// Largest (sign = 1) or smallest (sign = -1) sum of the energies of `least` to `most` sites.
double extreme_sum(std::vector<double> energies, int least, int most, double sign) {
    std::ranges::sort(energies, {}, [sign](double e) { return -sign * e; });
    double sum = 0;
    for (int i = 0; i < most && (i < least || sign * energies[static_cast<std::size_t>(i)] > 0); ++i)
        sum += energies[static_cast<std::size_t>(i)];
    return sum;
}

/// Extreme of a product with its Hermitian conjugate: S^z has the size 1/2, all else 1, and half of that belongs to each
/// of two products that flip bits.
double extreme_of(const OperatorProduct& product, SiteKind kind, Complex coefficient, double sign) {
    if (product.empty()) return 0;  // part of the constant
    double size = std::abs(coefficient);
    bool flips = false;
    for (const ModeOperator& o : product) {
        if (o.local == Local::z && kind == SiteKind::spins) size /= 2;
        flips = flips || !is_diagonal(o.local);
    }
    return sign * (flips ? size / 2 : size);
}

}  // namespace

SectorCounts::SectorCounts(Model model, const std::vector<Filling>& fillings)
    : model_(without_site_energy(std::move(model), fillings[0].conserved)),
      filling_(of_components(fillings[0], model_)),
      amplitudes_(model_),
      constant_(model_.site_energy * (fillings[0].up + fillings[0].down - model_.neutral_filling)) {
    const Filling& filling = fillings[0];
    const auto [up, down] = typical(filling, model_);
    shift_ = mean_diagonal(model_, up, down);
    const int sites = model_.lattice.sites, left = left_sites();
    const bool two = model_.spin_components == 2, numbers = filling.conserved == Conserved::numbers;
    up_model_ = two ? model_ : model_.part(left, sites);
    down_model_ = two ? model_ : model_.part(0, left);
    OperatorSum others = model_.others;
    if (!two && !numbers) others += hops_between_halves(model_, left);
    split_terms(others, fillings.size() > 1 ? OneFactor::joined : OneFactor::apart);
    add_subspaces(fillings);
    if (!two && numbers)
        for (std::size_t to = 0; to < subspace_counts_.size(); ++to) {
            if (to > 0) count_subspace_hops(to - 1, to);
            if (to + 1 < subspace_counts_.size()) count_subspace_hops(to + 1, to);
        }
    count_row_terms();
    if (model_.codes.coded()) return;
    const std::vector<double> pairs = pair_energies(model_);
    if (two || pairs.empty()) {
        coupling_ = pairs;
        return;
    }
    // rows of right sites, columns of left sites
    for (int i = left; i < sites; ++i)
        coupling_.insert(coupling_.end(), pairs.begin() + i * sites, pairs.begin() + i * sites + left);
}

SectorCounts::SectorCounts(Model model, const Filling& filling, std::shared_ptr<const SymmetryGroup> group,
                           const SymmetricLayout& layout)
    : model_(without_site_energy(std::move(model), filling.conserved)),
      filling_(of_components(filling, model_)),
      up_model_(model_.codes.coded() ? model_.part(0, model_.lattice.sites) : model_),
      down_model_(model_.spin_components == 2 ? model_ : model_.part(0, 0)),
      amplitudes_(model_),
      constant_(model_.site_energy * (filling.up + filling.down - model_.neutral_filling)) {
    const auto [up, down] = typical(filling, model_);
    shift_ = mean_diagonal(model_, up, down);
    split_terms(model_.others);
    const bool two = model_.spin_components == 2;
    const BitStrings rows = two ? BitStrings(up_sites(), filling_.up) : whole_strings(model_, filling_);
    symmetric_.emplace(std::move(group), up_model_, rows,
                       two ? SiteStates::of_particles(filling_.up) : site_states(model_, filling_),
                       two ? filling_.down : 0, terms_.up, layout);
    symmetric_->states = OrbitCounts::states(*symmetric_->group, model_, filling_);
    for (std::uint64_t orbits : {symmetric_->rows, symmetric_->orbits})
        if (orbits > amplitudes_.max_rows() && !symmetric_->computes_hops)
            throw Error(ExitCode::does_not_fit,
                        "A sector of " + std::to_string(orbits) + " orbits of bit strings; " +
                            std::to_string(amplitudes_.max_rows()) + " are the most that hops are listed for. " +
                            (two || model_.statistics() == Statistics::fermions ? "Take fewer sites or particles."
                                                                                : "Use backend.hops = computed."));
    subspace_counts_.push_back(
        {rows, BitStrings(down_sites(), two ? filling_.down : 0), symmetric_->up_entries, symmetric_->down_entries});
    if (two) coupling_ = pair_energies(model_);
}

/// Amplitudes must be known before the size of a matrix is, which depends on the number of different ones.
void SectorCounts::split_terms(const OperatorSum& others, OneFactor one_factor) {
    terms_ = split(others, down_sites(), model_.codes, one_factor);
    if (model_.codes.coded()) take_coupling();
    constant_ += terms_.constant.real();  // not of model_, from which plans of other sectors are made
    const auto add_amplitude = [&](const BitTerm& term) {
        amplitudes_.add(term.amplitude);
        amplitudes_.add(-term.amplitude);
    };
    for (const auto& terms : {terms_.up, terms_.down})
        for (const BitTerm& term : terms)
            if (term.op.flip != 0) add_amplitude(term);  // others are part of the diagonal
    for (const RowTerm& term : terms_.both) std::ranges::for_each(term.columns, add_amplitude);
}

/// Energies of pairs of bits, one of a row and one of a column, are those of the interaction between them.
void SectorCounts::take_coupling() {
    const auto occupied = [](const BitOperator& op) {
        return op.flip == 0 && op.parity == 0 && op.mask == op.value && std::popcount(op.mask) == 1;
    };
    const auto columns = static_cast<std::size_t>(down_sites());
    coupling_.assign(static_cast<std::size_t>(up_sites()) * columns, 0);
    for (RowTerm& term : terms_.both) {
        if (!occupied(term.row)) continue;
        const auto row = static_cast<std::size_t>(std::countr_zero(term.row.mask));
        for (const auto& [op, amplitude] : term.columns)
            if (occupied(op))
                coupling_[row * columns + static_cast<std::size_t>(std::countr_zero(op.mask))] = amplitude.real();
        std::erase_if(term.columns, [&](const BitTerm& c) { return occupied(c.op); });
    }
    std::erase_if(terms_.both, [](const RowTerm& term) { return term.columns.empty(); });
    if (std::ranges::all_of(coupling_, [](double energy) { return energy == 0; })) coupling_.clear();
}

void SectorCounts::add_subspaces(const std::vector<Filling>& fillings) {
    const std::string sites = std::to_string(model_.lattice.sites);
    const auto where = [&](int part) {
        return model_.spin_components == 2
                   ? sites + " sites"
                   : std::to_string(part) + " of the " + sites + " sites, which are taken by halves,";
    };
    std::vector<std::pair<BitStrings, BitStrings>> subspaces;
    if (model_.codes.coded())
        subspaces = coded_subspaces(model_, fillings, left_sites());
    else
        for (const Filling& f : fillings)
            add_subspaces_of(of_components(f, model_), model_.spin_components, up_sites(), down_sites(), subspaces);
    for (const auto& [up, down] : subspaces) {
        check_states(up, amplitudes_.max_rows(), where(up_sites()));
        check_states(down, amplitudes_.max_rows(), where(down_sites()));
        subspace_counts_.push_back(
            {up, down, hopping_entries(up_model_, up, terms_.up), hopping_entries(down_model_, down, terms_.down)});
    }
}

/// R x C_R in every pair of subspaces that it connects.
void SectorCounts::count_row_terms() {
    for (std::size_t to = 0; to < subspace_counts_.size(); ++to)
        for (std::size_t from = 0; from < subspace_counts_.size(); ++from) {
            const SubspaceCounts &target = subspace_counts_[to], &source = subspace_counts_[from];
            SubspaceHopCounts between = {.from = from, .to = to};
            for (const RowTerm& term : terms_.both) {
                if (target.up.before(term.row.flip, term.row.value) != source.up ||
                    target.up.count_with(term.row.mask, term.row.target()) == 0)
                    continue;
                RowTerm leading = {term.row, {}};
                std::uint64_t entries = 0;
                for (const BitTerm& c : term.columns)
                    if (target.down.before(c.op.flip, c.op.value) == source.down) {
                        leading.columns.push_back(c);
                        entries += target.down.count_with(c.op.mask, c.op.target());
                    }
                if (entries == 0) continue;
                between.rows.push_back(std::move(leading));
                between.entries.push_back(entries);
            }
            if (!between.rows.empty()) subspace_hop_counts_.push_back(std::move(between));
        }
}

int SectorCounts::right_site(std::pair<int, int> hop, bool gains) const {
    const int right = gains ? hop.first : hop.second;
    return right >= down_sites() && left_site(hop, gains) < down_sites() ? right - down_sites() : -1;
}

/// With S_i = c+_i or c_i of right site i and B_i = sum_j t_ij c_j or its inverse. A fermion that hops from left site j
/// to right site i passes the particles of the left half above j and those of the right half below i.
void SectorCounts::count_subspace_hops(std::size_t from, std::size_t to) {
    const bool gains = to > from;  // whether the right half gains a particle
    const bool fermions = model_.statistics() == Statistics::fermions;
    const auto hop_of = [](int site, bool fills, std::uint64_t passed) {
        const std::uint64_t bit = std::uint64_t{1} << site;
        return BitOperator{bit, fills ? 0 : bit, bit, passed};
    };
    std::map<int, RowTerm> rows;  // [right site]
    std::set<int> left_sites;
    for (const auto& [hop, amplitude] : model_.hops()) {
        const int i = right_site(hop, gains), j = left_site(hop, gains);
        if (i < 0) continue;
        rows[i].row = hop_of(i, gains, fermions ? (std::uint64_t{1} << i) - 1 : 0);
        rows[i].columns.push_back({hop_of(j, !gains, fermions ? ~((std::uint64_t{2} << j) - 1) : 0), amplitude});
        left_sites.insert(j);
    }
    if (rows.empty()) return;
    // down bit strings of `to` in which the hop has just emptied, or filled, its left site
    const std::uint64_t rows_of_hop = subspace_counts_[to].down.with_fixed(1, gains ? 0 : 1);
    SubspaceHopCounts between = {.from = from, .to = to, .kind = SubspaceHopCounts::Kind::between_halves};
    between.left_entries = rows_of_hop * left_sites.size();
    for (auto& [site, term] : rows) {
        between.entries.push_back(rows_of_hop * term.columns.size());
        between.rows.push_back(std::move(term));
    }
    subspace_hop_counts_.push_back(std::move(between));
}

BlockLayout SectorCounts::layout(std::size_t subspace, Arithmetic arithmetic, int ranks, int rank) const {
    BlockLayout l;
    l.dim_up = subspace_counts_[subspace].up.count();
    l.dim_down = subspace_counts_[subspace].down.count();
    l.arithmetic = arithmetic;
    if (symmetric_) {
        l.dim_up = symmetric_->rows;
        l.dim_down = symmetric_->columns(arithmetic);
        l.panel = symmetric_->panel(arithmetic);
    }
    l.blocks = equal_part(l.all_blocks(), static_cast<std::uint64_t>(ranks), static_cast<std::uint64_t>(rank));
    return l;
}

CouplingView SectorCounts::coupling() const {
    if (coupling_.empty() || down_sites() == 0) return {};
    CouplingView view;
    view.up_sites = up_sites();
    view.down_sites = down_sites();
    view.energy = coupling_.data();
    std::uint64_t strings = 0;
    for (const SubspaceCounts& s : subspace_counts_) strings = std::max(strings, s.down.count());
    cut_into_chunks(view, strings);
    return view;
}

double SectorCounts::dimension() const {
    if (symmetric_) return symmetric_->states;
    double sum = 0;
    for (const SubspaceCounts& p : subspace_counts_)
        sum += static_cast<double>(p.up.count()) * static_cast<double>(p.down.count());
    return sum;
}

std::uint64_t SectorCounts::up_entries() const {
    std::uint64_t sum = 0;
    for (const SubspaceCounts& p : subspace_counts_) sum += p.up_entries;
    for (const SubspaceHopCounts& c : subspace_hop_counts_) sum += subspace_counts_[c.to].up.count() * c.rows.size();
    return sum;
}

double SectorCounts::nonzeros() const {
    double sum = 0;
    if (symmetric_) {
        const SubspaceCounts& p = subspace_counts_[0];
        return (static_cast<double>(hopping_entries(up_model_, p.up, terms_.up)) / static_cast<double>(p.up.count()) +
                static_cast<double>(hopping_entries(down_model_, p.down)) / static_cast<double>(p.down.count())) *
               symmetric_->states;
    }
    for (const SubspaceCounts& p : subspace_counts_)
        sum += static_cast<double>(p.up_entries) * static_cast<double>(p.down.count()) +
               static_cast<double>(p.down_entries) * static_cast<double>(p.up.count());
    for (const SubspaceHopCounts& c : subspace_hop_counts_)
        for (std::size_t r = 0; r < c.rows.size(); ++r)
            sum +=
                static_cast<double>(subspace_counts_[c.to].up.count_with(c.rows[r].row.mask, c.rows[r].row.target())) *
                static_cast<double>(c.entries[r]);
    return sum;
}

std::uint64_t SectorCounts::table_bytes(Arithmetic arithmetic) const {
    if (symmetric_) return symmetric_->table_bytes(arithmetic);
    std::uint64_t bytes = 0;
    for (const SubspaceCounts& p : subspace_counts_)
        bytes +=
            ComponentTable::bytes(p.up.count(), p.up_entries) + ComponentTable::bytes(p.down.count(), p.down_entries);
    for (const SubspaceHopCounts& c : subspace_hop_counts_) {
        const BitStrings& down = subspace_counts_[c.to].down;
        if (c.kind == SubspaceHopCounts::Kind::between_halves)
            bytes +=
                LeftHops::bytes(down.count(), static_cast<std::uint64_t>(down.sites()), c.rows.size(), c.left_entries);
        for (std::uint64_t entries : c.entries) bytes += HoppingRows::bytes(down.count(), entries);
    }
    return bytes;
}

/// Sum of the extremes in the direction `sign` of all terms that act in the sector: |t| for a hop and its inverse of a
/// component that is neither empty nor full, U for the possible numbers of sites with two particles.
double SectorCounts::bound(double sign) const {
    const int sites = model_.lattice.sites, components = model_.spin_components, up = filling_.up, down = filling_.down;
    const bool numbers = filling_.conserved == Conserved::numbers;
    const auto extreme = [&](double energy) { return sign * std::max(0.0, sign * energy); };
    double bound = model_.constant + constant_, components_that_move = numbers ? 0 : components;
    if (numbers)
        for (const int particles : {up, down}) {
            if (particles > 0 && !model_.codes.coded())
                bound += extreme_sum(model_.epsilon, particles, particles, sign);
            if (particles > 0 && particles < sites) ++components_that_move;
        }
    else
        for (const double e : model_.epsilon) bound += components * extreme(e);
    for (const auto& [hop, amplitude] : model_.hops()) bound += sign * components_that_move * std::abs(amplitude) / 2;
    if (components == 2)
        bound += numbers ? extreme_sum(model_.u, std::max(0, up + down - sites), std::min(up, down), sign)
                         : extreme_sum(model_.u, 0, sites, sign);
    if (up + down > 1 || !numbers)
        for (const Edge& e : model_.lattice.edges) bound += components * components * extreme(model_.v * e.weight);
    for (const auto& [product, coefficient] : model_.others.terms())
        bound += extreme_of(product, model_.others.kind(), coefficient, sign);
    return bound + sign * 1e-9 * (1 + std::abs(bound));
}

}  // namespace strata::lanczos
