// SPDX-License-Identifier: BSD-3-Clause
// A spectrum above the ground state by time evolution: the evolution of A_c |0>, whose rows have C(x,t) = <0| A_x^+ exp(-i (H -
// E0) t) A_c |0> for all sites x in the place of local values. The state at time 0 that checkpoints hold is |0>. Spectra
// follow from the rows of the series (physics/time_spectrum.hpp), their errors from the differences of both evolutions.
#pragma once

#include "dmrg/run/evolution.hpp"

namespace strata::dmrg {

class Spectrum : public Evolution {
  public:
    /// As those of Evolution.
    Spectrum(const Communicator& comm, const DmrgPlan& plan, const superblock::MakeOperator& make);

    void observe(std::vector<double>& rows) override;
    std::string log_line(std::span<const double> row) const override;
    std::string shortfall() const override;
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override;
    /// Spectra at other energies follow from the same rows.
    std::optional<std::uint64_t> begin_with_final_state(std::uint64_t step) override;
    bool keeps_series() const override { return true; }

    static std::vector<Column> columns_of(const DmrgConfig& config);

  private:
    using Complex = std::complex<double>;
    const SpectrumSettings& spectrum() const { return *plan_.config().spectrum; }
    bool keeps_ground_state() const override { return true; }
    std::string judged() const override;
    std::string too_short() const override;
    std::vector<Complex> correlations(const Measurement& evolved) const;
    /// [row][site]
    std::vector<std::vector<Complex>> correlations(const Series& series) const;
    /// [k] sum_x cos(k (x - c)) c(x).
    std::vector<Complex> by_waves(const std::vector<Complex>& c) const;
    double largest_correlation() const;
    double aliased_weight() const;
    std::vector<double> norms_of_family() const;
    void add_intensities(const std::string& axis, const std::vector<std::vector<Complex>>& c,
                         std::vector<Quantity>& q) const;
    void add_errors(const Series& series, std::vector<Quantity>& q) const;

    std::vector<SiteOperator> adjoints_;  ///< [site] A_x^+
    bool odd_ = false;                    ///< whether A_x is odd in fermions
};

}  // namespace strata::dmrg
