// SPDX-License-Identifier: BSD-3-Clause
// Matrices are made by operators on unit vectors, as those of sector_levels.hpp, and known on all ranks; their eigenpairs
// come from rank 0. In a sector of symmetries, whose stored numbers are redundant, the unit vectors are projected, and the
// states beyond the sector get levels beyond all others, which are left out.
#include <array>
#include <cmath>
#include <functional>
#include <span>

#include "comm/collectives.hpp"
#include "lanczos/physics/currents.hpp"
#include "lanczos/run/operator_sums.hpp"
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

using LinearMap = std::function<const DistributedVector&(const DistributedVector&)>;

Complex dot(const Complex* x, const Complex* y, std::size_t n) {
    double re = 0, im = 0;
    for (std::size_t q = 0; q < n; ++q) {
        re += x[q].real() * y[q].real() + x[q].imag() * y[q].imag();
        im += x[q].real() * y[q].imag() - x[q].imag() * y[q].real();
    }
    return {re, im};
}

/// All eigenpairs of a sector; their vectors hold the elements at places.
class Eigenstates {
  public:
    /// `vector`: any vector of the sector, which is changed. Collective.
    Eigenstates(HamiltonianOperator& h, DistributedVector& vector);

    std::size_t size() const { return pairs_.values.size(); }
    const std::vector<double>& levels() const { return pairs_.values; }
    const Complex* state(std::size_t i) const { return pairs_.vectors.data() + i * places_.size(); }
    /// The matrix of `apply`, which maps its argument `vector`, of this sector, to a vector of that of `to`. Collective.
    Matrix matrix_of(const Eigenstates& to, DistributedVector& vector, const LinearMap& apply);
    /// A |i> for all states i, column by column.
    Matrix moved(const Matrix& a) const;

  private:
    HamiltonianOperator& h_;
    UnitVectors units_;
    std::vector<UnitVectors::Place> places_;
    krylov::DensePairs pairs_;
};

Eigenstates::Eigenstates(HamiltonianOperator& h, DistributedVector& vector)
    : h_(h), units_(h), places_(units_.places_of_states(vector)) {
    Matrix m = matrix_of(*this, vector, [&](const DistributedVector& x) -> const DistributedVector& {
        h_.apply(x);
        return h_.w();
    });
    if (h_.plan().counts().symmetric()) {
        const double beyond = units_.level_beyond_others();
        const Matrix projector =
            matrix_of(*this, vector, [](const DistributedVector& x) -> const DistributedVector& { return x; });
        for (std::size_t k = 0; k < m.elements.size(); ++k) m.elements[k] -= beyond * projector.elements[k];
        for (std::size_t j = 0; j < m.rows; ++j) m.elements[j * m.rows + j] += beyond;
    }
    pairs_ = krylov::hermitian_pairs(h_.comm(), m.rows, std::move(m.elements));
    pairs_.values.resize(static_cast<std::size_t>(h_.plan().dimension()));
    for (double& e : pairs_.values) e += h_.offset();
}

Matrix Eigenstates::matrix_of(const Eigenstates& to, DistributedVector& vector, const LinearMap& apply) {
    const auto reals = static_cast<std::size_t>(to.h_.plan().reals());
    Matrix m{to.places_.size(), places_.size(), {}};
    for (const UnitVectors::Place& place : places_) {
        units_.set(place, vector);
        std::vector<double> column = to.units_.at(to.places_, apply(vector));
        column.resize(m.rows * reals);
        broadcast_bytes(h_.comm(), column.data(), column.size() * sizeof(double), 0);
        for (std::size_t i = 0; i < m.rows; ++i)
            m.elements.emplace_back(column[i * reals], reals == 2 ? column[i * reals + 1] : 0);
    }
    return m;
}

Matrix Eigenstates::moved(const Matrix& a) const {
    Matrix all{a.rows, size(), std::vector<Complex>(a.rows * size())};
    for (std::size_t i = 0; i < size(); ++i)
        for (std::size_t p = 0; p < a.columns; ++p) {
            const Complex factor = state(i)[p];
            const std::span<const Complex> column = a.column(p);
            for (std::size_t q = 0; q < a.rows; ++q) all.elements[i * a.rows + q] += factor * column[q];
        }
    return all;
}

/// <j|A|i>, [i][j].
std::vector<Complex> elements(const Matrix& a, const Eigenstates& from, const Eigenstates& to) {
    const Matrix moved = from.moved(a);
    std::vector<Complex> all;
    for (std::size_t i = 0; i < from.size(); ++i)
        for (std::size_t j = 0; j < to.size(); ++j)
            all.push_back(dot(to.state(j), moved.elements.data() + i * a.rows, a.rows));
    return all;
}

/// |<j|A|i>|^2 times a factor.
Transitions transitions(const Matrix& a, const Eigenstates& from, const Eigenstates& to, double factor) {
    Transitions t{from.levels(), to.levels(), {}};
    for (const Complex& element : elements(a, from, to)) t.weights.push_back(factor * std::norm(element));
    return t;
}

/// <i|A^+|j> <j|B|i> times a factor: real and imaginary parts. `adjoint`: A^+.
std::vector<Transitions> off_diagonal_transitions(const Matrix& adjoint, const Matrix& b, const Eigenstates& from,
                                                  const Eigenstates& to, double factor) {
    std::vector<Transitions> parts(2, {from.levels(), to.levels(), {}});
    const std::vector<Complex> left = elements(adjoint, to, from), right = elements(b, from, to);
    for (std::size_t i = 0; i < from.size(); ++i)
        for (std::size_t j = 0; j < to.size(); ++j) {
            const Complex product = factor * left[j * from.size() + i] * right[i * to.size() + j];
            parts[0].weights.push_back(product.real());
            parts[1].weights.push_back(product.imag());
        }
    return parts;
}

/// <i|T|i> times a factor.
std::vector<double> means(const Matrix& t, const Eigenstates& states, double factor) {
    const Matrix moved = states.moved(t);
    std::vector<double> all;
    for (std::size_t i = 0; i < states.size(); ++i)
        all.push_back(factor * dot(states.state(i), moved.elements.data() + i * t.rows, t.rows).real());
    return all;
}

}  // namespace

ExactThermalSpectrum::ExactThermalSpectrum(const LanczosPlan& plan, const MakeHamiltonian& make, std::uint64_t)
    : LanczosTask(plan, make),
      make_(make),
      lists_(plan_),
      target_(hamiltonian_, lists_.all_waves(), make_, timers_),
      sums_(lists_.grid(), 1, lists_.lists()) {}

std::vector<std::string> ExactThermalSpectrum::description() const {
    std::vector<std::string> lines = LanczosTask::description();
    lines.push_back("spectra at " + std::to_string(plan_.config().spectrum.temperatures.size()) +
                    " temperatures from all levels" + target_.words());
    return lines;
}

MemoryPrediction ExactThermalSpectrum::memory() const {
    MemoryPrediction m = LanczosTask::memory();
    target_.add_memory(backend_kind(), m);
    return m;
}

void ExactThermalSpectrum::allocate() {
    hamiltonian_.allocate();
    target_.allocate();
    unit_ = hamiltonian_.space().vector();
    if (!target_.changes()) image_ = target_.get().space().vector();
}

std::vector<DistributedArray> ExactThermalSpectrum::state() {
    std::vector<DistributedArray> arrays = {Record("progress").field("done", done_).array()};
    sums_.add_state("averages", arrays);
    return arrays;
}

void ExactThermalSpectrum::step(std::uint64_t) {
    Eigenstates from(hamiltonian_, unit_);
    const double share = 1 / static_cast<double>(from.size());
    sums_.set_levels(0, from.levels(), std::vector<double>(from.size(), share));
    std::unique_ptr<Eigenstates> others;
    for (const WaveOperator& wave : wave_operators(plan_, lists_.all_waves())) {
        if (target_.make(wave.wave)) {
            others.reset();
            image_ = target_.get().space().vector();
        }
        if (others == nullptr && target_.other() != nullptr)
            others = std::make_unique<Eigenstates>(*target_.other(), image_);
        Eigenstates& to = others != nullptr ? *others : from;
        SpectralOperation operation(hamiltonian_, target_.get(), wave.weights, make_, timers_);
        const Matrix a = from.matrix_of(to, unit_, [&](const DistributedVector& x) -> const DistributedVector& {
            operation.apply(x, image_);
            return image_;
        });
        if (!lists_.off_diagonal()) {
            sums_.add(0, wave.wave, transitions(a, from, to, share * lists_.factor()));
            continue;
        }
        const Matrix adjoint = to.matrix_of(from, image_, [&](const DistributedVector& x) -> const DistributedVector& {
            operation.apply_adjoint(x, unit_);
            return unit_;
        });
        const std::vector<Transitions> parts = off_diagonal_transitions(adjoint, a, from, to, share);
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
    sums_.add_static(0, lists_.kinetic(), from.levels(), means(from.matrix_of(from, unit_, apply), from, share));
    sums_.combine(0, lists_.stiffness(), -lists_.factor(), lists_.kinetic(), -1, 0);
}

std::vector<Quantity> ExactThermalSpectrum::results(const Series&) const {
    return done_ == 1 ? lists_.results(sums_, nullptr) : std::vector<Quantity>{};
}

}  // namespace strata::lanczos
