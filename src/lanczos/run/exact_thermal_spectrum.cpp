// SPDX-License-Identifier: BSD-3-Clause
// Matrices are made by operators on unit vectors, as those of sector_levels.hpp, and known on all ranks; their eigenpairs
// come from rank 0.
#include <array>
#include <cmath>
#include <functional>
#include <span>

#include "comm/collectives.hpp"
#include "lanczos/physics/currents.hpp"
#include "lanczos/run/thermal_spectrum.hpp"
#include "lanczos/run/unit_vectors.hpp"

namespace strata::lanczos {
namespace {

/// Column by column.
struct Matrix {
    std::size_t rows = 0, columns = 0;
    std::vector<Complex> elements;
    std::span<const Complex> column(std::size_t j) const { return {elements.data() + j * rows, rows}; }
};

/// The matrix of `apply`, which maps its argument, a vector of the sector of `from`, to a vector of that of `to`.
Matrix matrix_of(HamiltonianOperator& from, HamiltonianOperator& to, DistributedVector& vector,
                 const std::function<const DistributedVector&(const DistributedVector&)>& apply) {
    UnitVectors units(from);
    const UnitVectors images(to);
    const std::vector<UnitVectors::Place> before = units.places(), after = images.places();
    const auto reals = static_cast<std::size_t>(to.plan().reals());
    Matrix m{after.size(), before.size(), {}};
    for (const UnitVectors::Place& place : before) {
        units.set(place, vector);
        std::vector<double> column = images.at(after, apply(vector));
        column.resize(after.size() * reals);
        broadcast_bytes(from.comm(), column.data(), column.size() * sizeof(double), 0);
        for (std::size_t i = 0; i < after.size(); ++i)
            m.elements.emplace_back(column[i * reals], reals == 2 ? column[i * reals + 1] : 0);
    }
    return m;
}

krylov::DensePairs levels_of(HamiltonianOperator& h, DistributedVector& vector) {
    Matrix m = matrix_of(h, h, vector, [&](const DistributedVector& x) -> const DistributedVector& {
        h.apply(x);
        return h.w();
    });
    krylov::DensePairs pairs = krylov::hermitian_pairs(h.comm(), m.rows, std::move(m.elements));
    for (double& e : pairs.values) e += h.offset();
    return pairs;
}

/// A |i> for all eigenvectors i, column by column.
Matrix on_states(const Matrix& a, const krylov::DensePairs& states) {
    Matrix all{a.rows, a.columns, std::vector<Complex>(a.rows * a.columns)};
    for (std::size_t i = 0; i < a.columns; ++i)
        for (std::size_t p = 0; p < a.columns; ++p) {
            const Complex factor = states.vectors[i * a.columns + p];
            const std::span<const Complex> column = a.column(p);
            for (std::size_t q = 0; q < a.rows; ++q) all.elements[i * a.rows + q] += factor * column[q];
        }
    return all;
}

Complex dot(const Complex* x, const Complex* y, std::size_t n) {
    double re = 0, im = 0;
    for (std::size_t q = 0; q < n; ++q) {
        re += x[q].real() * y[q].real() + x[q].imag() * y[q].imag();
        im += x[q].real() * y[q].imag() - x[q].imag() * y[q].real();
    }
    return {re, im};
}

/// <j|A|i>, [i][j].
std::vector<Complex> elements(const Matrix& a, const krylov::DensePairs& from, const krylov::DensePairs& to) {
    const Matrix moved = on_states(a, from);
    std::vector<Complex> all;
    for (std::size_t i = 0; i < a.columns; ++i)
        for (std::size_t j = 0; j < a.rows; ++j)
            all.push_back(dot(to.vectors.data() + j * a.rows, moved.elements.data() + i * a.rows, a.rows));
    return all;
}

/// |<j|A|i>|^2 times a factor.
Transitions transitions(const Matrix& a, const krylov::DensePairs& from, const krylov::DensePairs& to, double factor) {
    Transitions t{from.values, to.values, {}};
    for (const Complex& element : elements(a, from, to)) t.weights.push_back(factor * std::norm(element));
    return t;
}

/// <i|A^+|j> <j|B|i> times a factor: real and imaginary parts. `adjoint`: A^+.
std::array<Transitions, 2> off_diagonal_transitions(const Matrix& adjoint, const Matrix& b,
                                                    const krylov::DensePairs& from, const krylov::DensePairs& to,
                                                    double factor) {
    std::array<Transitions, 2> parts = {Transitions{from.values, to.values, {}}, {from.values, to.values, {}}};
    const std::vector<Complex> left = elements(adjoint, to, from), right = elements(b, from, to);
    for (std::size_t i = 0; i < b.columns; ++i)
        for (std::size_t j = 0; j < b.rows; ++j) {
            const Complex product = factor * left[j * b.columns + i] * right[i * b.rows + j];
            parts[0].weights.push_back(product.real());
            parts[1].weights.push_back(product.imag());
        }
    return parts;
}

/// <i|T|i> times a factor.
std::vector<double> means(const Matrix& t, const krylov::DensePairs& states, double factor) {
    const Matrix moved = on_states(t, states);
    std::vector<double> all;
    for (std::size_t i = 0; i < t.columns; ++i)
        all.push_back(factor *
                      dot(states.vectors.data() + i * t.rows, moved.elements.data() + i * t.rows, t.rows).real());
    return all;
}

}  // namespace

ExactThermalSpectrum::ExactThermalSpectrum(const LanczosPlan& plan, const MakeHamiltonian& make)
    : LanczosTask(plan, make), make_(make), lists_(plan_), sums_(lists_.grid(), 1, lists_.lists()) {
    if (!leads_elsewhere(plan_)) return;
    other_plan_ = std::make_unique<LanczosPlan>(target_plan(plan_, lists_.all_waves()[0]));
    other_ = make_(*other_plan_, timers_);
}

std::vector<std::string> ExactThermalSpectrum::description() const {
    std::vector<std::string> lines = LanczosTask::description();
    lines.push_back("spectra at " + std::to_string(plan_.config().spectrum.temperatures.size()) +
                    " temperatures from all levels");
    return lines;
}

MemoryPrediction ExactThermalSpectrum::memory() const {
    MemoryPrediction m = LanczosTask::memory();
    if (other_ != nullptr) m.add(other_->memory(0), " of the other sector");
    return m;
}

void ExactThermalSpectrum::allocate() {
    hamiltonian_.allocate();
    unit_ = hamiltonian_.space().vector();
    if (other_ != nullptr) other_->allocate();
    image_ = target().space().vector();
}

std::vector<DistributedArray> ExactThermalSpectrum::state() {
    std::vector<DistributedArray> arrays = {Record("progress").field("done", done_).array()};
    sums_.add_state("averages", arrays);
    return arrays;
}

void ExactThermalSpectrum::step(std::uint64_t) {
    const krylov::DensePairs from = levels_of(hamiltonian_, unit_);
    const double share = 1 / static_cast<double>(from.values.size());
    sums_.set_levels(0, from.values, std::vector<double>(from.values.size(), share));
    krylov::DensePairs other;
    if (other_ != nullptr) other = levels_of(*other_, image_);
    for (const WaveOperator& wave : wave_operators(plan_, lists_.all_waves())) {
        SpectralOperation operation(plan_, other_plan_.get(), wave.weights, make_, timers_);
        const auto apply = [&](const DistributedVector& x) -> const DistributedVector& {
            operation.apply(hamiltonian_, x, target(), image_);
            return image_;
        };
        const Matrix a = matrix_of(hamiltonian_, target(), unit_, apply);
        const krylov::DensePairs& to = other_ != nullptr ? other : from;
        if (!lists_.off_diagonal()) {
            sums_.add(0, wave.wave, transitions(a, from, to, share * lists_.factor()));
            continue;
        }
        const auto apply_adjoint = [&](const DistributedVector& x) -> const DistributedVector& {
            operation.apply_adjoint(target(), x, hamiltonian_, unit_);
            return unit_;
        };
        const Matrix adjoint = matrix_of(target(), hamiltonian_, image_, apply_adjoint);
        const auto parts = off_diagonal_transitions(adjoint, a, from, to, share);
        for (std::size_t part = 0; part < parts.size(); ++part)
            sums_.add(0, part * lists_.waves() + wave.wave, parts[part]);
    }
    done_ = 1;
    if (!lists_.current()) return;
    HermitianSum kinetic(plan_, hop_moment(plan_.config(), plan_.model(), HopMoment::kinetic), make_, timers_);
    const auto apply = [&](const DistributedVector& x) -> const DistributedVector& {
        hamiltonian_.space().clear(image_);
        kinetic.add(1, x, hamiltonian_.space(), image_);
        return image_;
    };
    sums_.add_static(0, lists_.kinetic(), from.values,
                     means(matrix_of(hamiltonian_, hamiltonian_, unit_, apply), from, share));
    sums_.combine(0, lists_.stiffness(), -lists_.factor(), lists_.kinetic(), -1, 0);
}

std::vector<Quantity> ExactThermalSpectrum::results(const Series&) const {
    return done_ == 1 ? lists_.results(sums_, nullptr) : std::vector<Quantity>{};
}

}  // namespace strata::lanczos
