// SPDX-License-Identifier: BSD-3-Clause
// Distribution, memory and traffic of spin states, by counting.
#include "trotter/state/plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "comm/transpose_exchange.hpp"
#include "kernels/trotter/device_pass.hpp"
#include "strata/checkpoint.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"
#include "trotter/physics/layers.hpp"
#include "trotter/physics/splitting.hpp"

namespace strata::trotter {
namespace {

/// Largest size of one piece of an exchange between two ranks, in bytes; a device needs more work at a time.
std::uint64_t default_part_bytes(BackendKind backend) {
    return std::uint64_t{backend == BackendKind::cuda ? 32U : 4U} << 20;
}

/// Largest number of amplitudes that are compared at a time, and that are copied at a time between a device and the
/// host.
constexpr std::uint64_t max_compared_amplitudes = std::uint64_t{1} << 20;
constexpr std::uint64_t max_slab_amplitudes = std::uint64_t{1} << 22;

/// log2 of the blocks of a row that a pass across rows transforms together: the columns of a tile of a device, two
/// blocks in a light-cone pass.
int column_bits(const DeviceTiles& tiles, bool light_cone) { return light_cone ? 1 : tiles.column_bits(); }

/// Every rank needs at least one row, and 2^column_bits blocks of each row when it transforms the bits across rows.
std::uint64_t max_ranks(const StateLayout& layout, int column_bits, std::uint64_t states) {
    return states * std::min(layout.rows(), layout.row_blocks() >> column_bits);
}

/// Whether light-cone passes are possible: a splitting on hosts whose couplings join neighbours only.
bool neighbours_only(BackendKind backend, const StateLayout& layout, const TrotterConfig& config, const Drive& drive) {
    if (backend != BackendKind::cpu || config.method != Method::splitting) return false;
    return std::ranges::all_of(all_axes, [&](Axis axis) {
        return served_by_windows(layout, drive.hamiltonian()[axis].coupling) &&
               served_by_windows(layout, drive.perturbation()[axis].coupling);
    });
}

DeviceTiles tiles_of(BackendKind backend, const StateLayout& layout, Precision precision, int tile_bits) {
    return backend == BackendKind::cuda ? device_tiles(layout, precision, tile_bits) : DeviceTiles{};
}

/// Throws unless a row, and one block of every row, each fit in a tile.
void check_tiles(const StateLayout& layout) {
    const int most = 2 * max_tile_block_bits + layout.lane_bits;
    if (layout.row_bits - layout.lane_bits > max_tile_block_bits ||
        layout.spins - layout.row_bits > max_tile_block_bits)
        throw Error(ExitCode::bad_input, "The passes of a host transform at most " + std::to_string(most) +
                                             " spins in this precision, not " + std::to_string(layout.spins) +
                                             "; those of a device transform more.");
}

std::string text_of(double value) { return formatted("%.4g", value); }

}  // namespace

/// Rows and columns have about the same number of blocks, so that tiles of both fit in the second-level cache. More
/// than 2^10 rows slow a pass across rows more (the blocks of a column lie in as many pages of memory) than longer
/// rows, which the processor prefetches, slow a pass within rows, up to rows of 1 MiB
/// (perf/results/trotter-light-cone-zen4-2cores.md). A row on a device fits in the shared memory of a block of threads.
StateLayout default_layout(int spins, Precision precision, BackendKind backend) {
    const bool single = precision == Precision::single;
    const int lane_bits = single ? 4 : 3, bits = std::max(spins, lane_bits + 1);
    if (backend == BackendKind::cuda)
        return {bits, std::min(bits, single ? max_tile_bits<float> : max_tile_bits<double>), 0};
    constexpr int max_column_bits = 10, max_block_bits = 13;
    const int balanced = (bits + lane_bits + 1) / 2,
              long_rows = std::min(bits - max_column_bits, lane_bits + max_block_bits);
    return {bits, std::clamp(std::max(balanced, long_rows), lane_bits + 1, bits), lane_bits};
}

int next_ranks(const Config& config, int ranks) {
    const TrotterConfig c = resolve_config(config);
    const Drive drive(c);
    std::uint64_t most = 0;
    for (const BackendKind backend : {BackendKind::cpu, BackendKind::cuda}) {
        const StateLayout layout = default_layout(drive.hamiltonian().spins, c.precision, backend);
        const DeviceTiles tiles = tiles_of(backend, layout, c.precision, 0);
        const int columns = column_bits(tiles, neighbours_only(backend, layout, c, drive));
        most = std::max(most, max_ranks(layout, columns, c.concurrent));
    }
    const auto next = std::bit_ceil(static_cast<std::uint64_t>(std::max(ranks, 1)));
    return next <= most ? static_cast<int>(next) : 0;
}

TrotterPlan::TrotterPlan(const TrotterConfig& config, int ranks, int rank, int threads, BackendKind backend,
                         const PlanOptions& options)
    : config_(config),
      drive_(config),
      schedule_(config),
      ranks_(ranks),
      rank_(rank),
      threads_(threads),
      backend_(backend),
      layout_(default_layout(hamiltonian().spins, config.precision, backend)),
      options_(options) {
    if (options_.part_bytes == 0) options_.part_bytes = default_part_bytes(backend);
    if (options.row_bits != 0) layout_.row_bits = options.row_bits;
    if (backend == BackendKind::cpu) check_tiles(layout_);
    tiles_ = tiles_of(backend, layout_, config.precision, options.tile_bits);
    light_cone_ = neighbours_only(backend, layout_, config_, drive_);
    const std::uint64_t most = max_ranks(layout_, column_bits(tiles_, light_cone_), states());
    const auto given = static_cast<std::uint64_t>(ranks);
    if (!std::has_single_bit(given))
        throw Error(ExitCode::bad_input,
                    "A state of spins is divided over a power of two ranks, not " + std::to_string(ranks) + "; start " +
                        std::to_string(std::min(std::bit_floor(given), most)) +
                        (std::bit_ceil(given) <= most ? " or " + std::to_string(std::bit_ceil(given)) : std::string()) +
                        ".");
    if (given > most)
        throw Error(ExitCode::bad_input, std::to_string(ranks) + " ranks are too many for " + std::to_string(spins()) +
                                             " spins, whose state has " + std::to_string(layout_.rows()) +
                                             " rows; start at most " + std::to_string(most) + ".");
    if (config_.method == Method::chebyshev) {
        bounds_ = spectral_bounds(hamiltonian());
        series_ = chebyshev_series(bounds_, config_.step, config_.tolerance);
    }
    layers_per_step_ =
        config_.method == Method::chebyshev
            ? count_chebyshev_layers()
            : count_layers() * parts_per_step() * (config_.estimate_error ? 3 : 1);  // and two steps of half the size
    if (config_.needs(Need::cut)) cut_ = CutLayout(cut_spins(config_.cut, spins()), layout_.spins, own_bits());
    const std::vector<OperatorSum> others = drive_.other_products();
    if (!others.empty()) products_ = count_products(FlipTerms(others[1]), layout_, own_bits(), product_slab_rows());
    const bool in_energy = !others.empty() && config_.needs(Need::hamiltonian);
    if (config_.own_observables.source.empty() && !in_energy) return;
    observed_ = std::make_shared<const ObservedProducts>(config_, in_energy ? others : std::vector<OperatorSum>());
    const StateLayout on_host = default_layout(spins(), config_.precision, BackendKind::cpu);
    const int slab_bits =
        options_.slab_bits != 0 ? options_.slab_bits : ProductLayout::default_slab_bits(std::max(threads, 1));
    product_layout_ = ProductLayout(observed_->groups(), on_host.row_bits, own_bits(), layout_.spins, slab_bits);
}

std::uint64_t TrotterPlan::product_slab_rows() const {
    if (ranks_of_state() == 1 || drive_.other_products().empty()) return 0;
    const std::uint64_t rows = options_.part_bytes / (2 * real_bytes() << layout_.row_bits);
    return std::min(own_rows().size(), std::bit_floor(std::max<std::uint64_t>(rows, 1)));
}

int TrotterPlan::ranks_of_state() const {
    return static_cast<int>(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(ranks_) / states()));
}

Range TrotterPlan::own_states() const {
    const auto rank = static_cast<std::uint64_t>(rank_), ranks = static_cast<std::uint64_t>(ranks_);
    const std::uint64_t first = rank * states() / ranks, count = std::max<std::uint64_t>(1, states() / ranks);
    return {first, first + count};
}

Range TrotterPlan::own_rows() const {
    const auto parts = static_cast<std::uint64_t>(ranks_of_state());
    return equal_part(layout_.rows(), parts, static_cast<std::uint64_t>(rank_) % parts);
}

Range TrotterPlan::all_own_rows() const {
    return equal_part(states() * layout_.rows(), static_cast<std::uint64_t>(ranks_), static_cast<std::uint64_t>(rank_));
}

std::uint64_t TrotterPlan::state_bytes() const {
    const std::uint64_t rows = own_rows().size();
    const std::uint64_t reals =
        backend_ == BackendKind::cuda ? 2 * rows * layout_.row_amplitudes() : layout_.reals(rows);
    return own_states().size() * reals * real_bytes();
}

std::uint64_t TrotterPlan::piece_blocks() const {
    const std::uint64_t block = own_rows().size() * layout_.block_reals() * real_bytes();
    const std::uint64_t share = layout_.row_blocks() / static_cast<std::uint64_t>(ranks_of_state());
    const std::uint64_t least = std::uint64_t{1} << column_bits(tiles_, light_cone_);
    return std::min(std::max(std::bit_floor(std::max<std::uint64_t>(options_.part_bytes / block, 1)), least), share);
}

std::uint64_t TrotterPlan::part_bytes() const {
    return own_rows().size() * part_row_blocks() * layout_.block_reals() * real_bytes();
}

/// Counts the final layers of some steps with H without its drive. The first step is not counted, since every step
/// leaves its last layers to the next one.
double TrotterPlan::count_layers() const {
    constexpr int steps = 4;
    LayerSequence sequence(spins());
    std::size_t layers = 0;
    for (int step = 0; step <= steps; ++step) {
        for (const Stage& stage : splitting(config_.order, config_.scheme))
            sequence.append(stage.axis, hamiltonian()[stage.axis], stage.fraction * config_.step);
        while (sequence.take())
            if (step > 0) ++layers;
    }
    return static_cast<double>(layers) / steps;
}

/// Both vectors are transformed between the bases in which H has terms; each of these transforms takes two passes.
double TrotterPlan::count_chebyshev_layers() const {
    const int x = hamiltonian()[Axis::x].has_terms() ? 1 : 0, y = hamiltonian()[Axis::y].has_terms() ? 1 : 0;
    return products_per_step() * 4 * (x + y > 0 ? x + y + 1 : 0);
}

/// A sum reads one state and reads and writes another; for the products that flip one set of spins a state is read, and
/// half of it from a cache.
double TrotterPlan::sum_passes_per_step() const {
    if (config_.method == Method::splitting) return 0;
    const int x = hamiltonian()[Axis::x].has_terms() ? 1 : 0, y = hamiltonian()[Axis::y].has_terms() ? 1 : 0;
    const double products = products_.groups > 0 ? 1 + 0.25 * static_cast<double>(products_.groups) : 0;
    return 2 + products_per_step() * (1.5 * (2 + x + y) + products);
}

double TrotterPlan::products_per_step() const { return static_cast<double>(series_.coefficients.size()) - 1; }

std::uint64_t TrotterPlan::copies() const {
    return config_.method == Method::chebyshev ? 3 : config_.estimate_error ? 2 : 1;
}

double TrotterPlan::parts_per_step() const {
    return 1 + static_cast<double>(drive_.kinks_inside()) / static_cast<double>(config_.steps);
}

double TrotterPlan::error_factor() const {
    const double power = std::exp2(config_.order);
    return power / (power - 1);
}

double TrotterPlan::amplitude_bytes() const {
    return 2 * static_cast<double>(real_bytes() * states()) *
           static_cast<double>(layout_.rows() * layout_.row_amplitudes());
}

std::uint64_t TrotterPlan::table_bytes() const {
    const bool single = config_.precision == Precision::single;
    if (backend_ == BackendKind::cuda)
        return 2 * (single ? device_table_bytes<float>(layout_.spins) : device_table_bytes<double>(layout_.spins));
    const auto tables = [&](const TileBits& bits) {
        return single ? DiagonalTables<float>::bytes(bits) : DiagonalTables<double>::bytes(bits);
    };
    const auto window_tables = [&](const Window& window) {
        return single ? PartialTables<float>::bytes(window) + FullTables<float>::bytes(window)
                      : PartialTables<double>::bytes(window) + FullTables<double>::bytes(window);
    };
    const std::uint64_t plain = tables(row_tile_bits()) + tables(column_tile_bits());
    return light_cone_ ? plain + window_tables(row_window(layout_)) + window_tables(column_window(layout_)) : plain;
}

std::uint64_t TrotterPlan::slab_rows() const {
    return std::min(own_rows().size(), std::max<std::uint64_t>(max_slab_amplitudes >> layout_.row_bits, 1));
}

std::uint64_t TrotterPlan::compared_amplitudes() const {
    const StateLayout on_host = default_layout(spins(), config_.precision, BackendKind::cpu);
    return std::min(all_own_rows().size() * layout_.row_amplitudes(),
                    std::max({max_compared_amplitudes, on_host.row_amplitudes(), layout_.row_amplitudes()}));
}

int TrotterPlan::sum_bits() const { return std::min(layout_.row_bits, max_sum_bits); }

MemoryPrediction TrotterPlan::memory() const {
    MemoryPrediction m;
    const bool device = backend_ == BackendKind::cuda;
    auto& where = device ? m.device : m.host;
    where.push_back({"states", state_bytes()});
    where.push_back({"tables", kept_diagonals * table_bytes()});
    const std::uint64_t width = RowSums::width(layout_.row_bits),
                        parts = TransposeExchange<Cpu>::bytes(part_bytes(), ranks_of_state());
    const std::uint64_t slab_sums = 8 * RowSums::width(sum_bits()) * slab_rows() << (layout_.row_bits - sum_bits());
    if (ranks_of_state() > 1) where.push_back({"exchange", parts});
    if (device) {
        m.device.push_back({"sums", slab_sums});
        m.host.push_back({"sums", 3 * slab_sums});
        m.host.push_back({"slab of the state", 2 * real_bytes() * slab_rows() << layout_.row_bits});
        if (ranks_of_state() > 1) m.host.push_back({"staged messages", 2 * parts});
    } else {
        m.host.push_back({"sums", 8 * (3 * width * own_states().size() * own_rows().size() +
                                       2 * layout_.row_amplitudes() * static_cast<std::uint64_t>(threads_))});
    }
    for (auto* items : {&m.host, &m.device})
        for (MemoryPrediction::Item& item : *items) item.bytes *= copies();
    if (config_.method == Method::chebyshev)
        where.push_back({"energies", 2 * 6 * EnergyTables::bytes(layout_.spins, layout_.row_bits)});
    if (products_.groups > 0) {
        where.push_back(
            {"products of H", (device ? 4 : 2) * products_.bytes + (device ? 6 : 3) * product_slab_bytes()});
        if (device) m.host.push_back({"staged products", 4 * products_.partners * product_slab_bytes()});
    }
    if (config_.estimate_error) m.host.push_back({"distance of states", 2 * 16 * compared_amplitudes()});
    if (cut_.size() > 0) m.host.push_back({"entropy", cut_.bytes(ranks_of_state())});
    if (observed_) m.host.push_back({"expectation values", product_layout_.bytes(threads_, real_bytes(), *observed_)});
    const std::uint64_t amplitudes = all_own_rows().size() * layout_.row_amplitudes();
    m.host.push_back(
        {"checkpoint slab", std::min<std::uint64_t>(checkpoint_slab_bytes, 2 * real_bytes() * amplitudes)});
    m.checkpoint_bytes =
        (config_.estimate_error ? 4 : 2) * real_bytes() * states() * layout_.rows() * layout_.row_amplitudes();
    return m;
}

std::string TrotterPlan::method_line() const {
    const std::string steps = std::to_string(config_.steps) + " steps of " + text_of(config_.step) + ", ";
    if (config_.method == Method::chebyshev)
        return "Chebyshev series, " + steps + std::to_string(series_.coefficients.size() - 1) +
               " products with H per step, which leave out less than " + text_of(config_.tolerance) +
               " of the state; spectrum within " + text_of(bounds_.lowest) + " and " + text_of(bounds_.highest) +
               "; two vectors beside the state";
    const char* scheme = config_.order != 4                 ? ""
                         : config_.scheme == Scheme::suzuki ? " (Suzuki)"
                                                            : " (Blanes and Moan)";
    return "XYZ splitting of order " + std::to_string(config_.order) + scheme + ", " + steps +
           text_of(passes_per_step()) + " passes over the state per step" +
           (light_cone_ ? " (light-cone passes: only neighbours are coupled)" : "");
}

std::string TrotterPlan::long_step() const {
    const double turn = drive_.largest_turn();
    if (config_.method == Method::chebyshev || turn <= std::numbers::pi) return {};
    return "run.step = " + text_of(config_.step) + " is so long that one field or coupling alone turns phases by " +
           formatted("%.2g", turn) +
           ", more than pi, where a splitting mistakes it for a weaker one; take run.step = " +
           step_text(config_.step * std::numbers::pi / turn) + " or less";
}

std::vector<std::string> TrotterPlan::description() const {
    const std::string n = std::to_string(spins());
    std::vector<std::string> lines = {
        n + " spins 1/2, " + std::to_string(std::uint64_t{1} << spins()) + " amplitudes in " +
        (config_.precision == Precision::single ? "single" : "double") + " precision" +
        (config_.samples > 1
             ? ", " + std::to_string(config_.samples) + " random states, " + std::to_string(states()) + " at once"
             : std::string())};
    if (config_.target_error > 0)
        lines.push_back("as many states as bring the error of " + config_.target_observable + " down to " +
                        text_of(config_.target_error) + ", in batches of " + std::to_string(states()) + ", at least " +
                        std::to_string(min_target_states));
    lines.push_back(method_line());
    if (const std::uint64_t kinks = drive_.kinks_inside(); kinks > 0)
        lines.push_back(std::to_string(kinks) + " kinks of the drive lie inside steps, which are divided there: " +
                        text_of(parts_per_step()) + " parts per step on average");
    if (const std::string text = long_step(); !text.empty()) lines.push_back(text);
    if (config_.estimate_error)
        lines.push_back(
            "errors by the time step: a second evolution with half the step takes the memory of one state more; errors "
            "are taken to fall as the step to the power " +
            std::to_string(config_.order));
    if (cut_.size() > 0)
        lines.push_back("entanglement entropy of " + std::to_string(cut_.size()) + " spins with the other " +
                        std::to_string(spins() - cut_.size()) + ": a density matrix of " +
                        std::to_string(1 << cut_.size()) + " rows, " + text_of(cut_.operations()) +
                        " operations and the whole state sent to every rank per observation");
    if (products_.groups > 0)
        lines.push_back("terms that are neither fields nor pairs of one axis: products that flip " +
                        std::to_string(products_.groups) + " sets of spins");
    if (observed_)
        lines.push_back("expectation values" +
                        std::string(config_.own_observables.source.empty() ? "" : " of [observables]") +
                        ": products that flip " + std::to_string(observed_->groups().size()) + " sets of spins, " +
                        text_of(product_layout_.reads()) + " readings of the state per observation");
    if (hamiltonian().double_pairs > 0)
        lines.push_back(std::to_string(hamiltonian().double_pairs) +
                        " pairs of spins are joined more than once by this lattice; their couplings are added");
    if (!options_.origin.empty()) lines.push_back("plan: " + options_.origin + (tuned().empty() ? "" : ": " + tuned()));
    return lines;
}

std::string TrotterPlan::tuned() const {
    const auto amplitudes = [](int bits) { return std::to_string(std::uint64_t{1} << bits) + " amplitudes"; };
    if (options_.origin.empty() || options_.row_bits == 0) return {};
    if (backend_ == BackendKind::cuda) return "tiles of " + amplitudes(options_.tile_bits);
    return "rows of " + amplitudes(layout_.row_bits) + ", " + std::to_string(1 << options_.top_bits) +
           " blocks in registers";
}

std::vector<std::string> TrotterPlan::traffic() const {
    std::vector<std::string> lines = {"memory: " + human_bytes(static_cast<std::uint64_t>(bytes_per_step())) +
                                      " per step over all ranks, " + text_of(passes_per_step()) + " passes"};
    if (ranks_of_state() > 1)
        lines.push_back(
            "between ranks: " + human_bytes(static_cast<std::uint64_t>(sent_bytes())) + " sent per rank and step" +
            (backend_ == BackendKind::cuda ? "" : "; ranks of one node work in shared memory and send nothing"));
    return lines;
}

/// Every second layer transforms across rows, for which columns are sent and returned; products with H send whole
/// states.
double TrotterPlan::sent_bytes() const {
    return (layers_per_step_ * (1 - 1.0 / ranks_of_state()) + products_per_step() * products_.sends) *
           amplitude_bytes() / ranks_;
}

}  // namespace strata::trotter
