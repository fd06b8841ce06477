// SPDX-License-Identifier: BSD-3-Clause
// Time evolution by the two-site time-dependent variational principle (J. Haegeman, C. Lubich, I. Oseledets, B.
// Vandereycken, F. Verstraete, Phys. Rev. B 94, 165116 (2016)): at each bond the wave function of the two sites at the
// centre evolves forward under the Hamiltonian of the superblock, the basis of the block that grows is truncated, and the
// tensor of the other site evolves backward before the centre moves on:
//
//     forward (c, c+1), truncate, backward (c+1), forward (c+1, c+2), truncate, backward (c+2), ...
//
// A sweep to the right and back, each over half the time, errs by the third power of the time. Of H(t) each half sweep takes
// the mean over its own time (W. Magnus, Commun. Pure Appl. Math. 7, 649 (1954)). The sweep is then symmetric in time, and
// errs by the third power, too; a jump within a half sweep adds one error of the second power. Here H and all tensors but
// that of the centre are real. A basis of real states that holds the real and the imaginary part of the wave function
// (S. R. White, A. Feiguin, Phys. Rev. Lett. 93, 076401 (2004)) spans no less than the complex one, whose M it at most
// doubles, and the products of real matrices take a quarter of the operations.
#pragma once

#include "dmrg/run/swept_chain.hpp"
#include "dmrg/run/truncation.hpp"
#include "dmrg/state/superblock_solver.hpp"

namespace strata::dmrg {

/// Largest number of vectors of the Krylov space of an exponential.
inline constexpr std::size_t krylov_dimension = 24;

struct TdvpSettings {
    bool imaginary = false;  ///< exp(-H t) of a real state in place of exp(-i H t) of a complex one
    Direction direction = Direction::right;
    double time = 0;      ///< that passes in a half sweep
    bool evolves = true;  ///< false: bases take in the states that such a half sweep will need, and no time passes
    /// f_n of H = H_0 + sum_n f_n V_n in the half sweep, and largest |f_n| so far, from which follow the couplings that count;
    /// empty without a drive.
    std::vector<double> factors, largest_factors;
    TruncationOptions truncation;  ///< its noise is not used
    krylov::ExponentialOptions exponential;
};

struct TdvpResult {
    double discarded = 0;  ///< weight
    double error = 0;      ///< bound of the norm of the error of the exponentials
    double log_norm = 0;   ///< logarithm of the change of the norm in imaginary time; the state is normalised again
    std::uint64_t states = 0, products = 0;
};

class Tdvp : public SweptChain {
  public:
    /// `comm`, `model` and `timers` must outlive the object. Collective.
    Tdvp(const Communicator& comm, const Model& model, const Algebra& algebra, const superblock::MakeOperator& make,
         Timers& timers);

    /// A step at bond `centre`, the present centre or one next to it. The state must be complex, or real for imaginary
    /// time. Collective.
    TdvpResult update(int centre, const TdvpSettings& settings);
    /// Sweeps there and back without evolution, so that the bases on both sides hold what the first time step leads to.
    /// The centre must be at bond 0. Returns the weight that is kept where M is too small for the state. Collective.
    double grow_bases(const TdvpSettings& settings);
    double flops() const { return solver_.flops(); }

  private:
    /// Evolves the parts of a wave function, or its only one, by `time`; adds to `result`.
    void evolve(const Superblock& superblock, const TdvpSettings& settings, double time,
                std::vector<WaveFunction>& parts, TdvpResult& result);
    Truncation truncated(const std::vector<WaveFunction>& parts, const EnlargedBlock& left, const EnlargedBlock& right,
                         const TdvpSettings& settings);
    /// What the operators that couple the growing block to the rest make of its states, see tdvp.cpp.
    FurtherStates coupled_states(const std::vector<Matrix>& rho, const EnlargedBlock& growing, Side side,
                                 const std::vector<bool>& own, const TdvpSettings& settings) const;
    /// The tensor beside the block that has grown evolves backward.
    void evolve_back(int centre, const Block& grown, const EnlargedBlock& other, const TdvpSettings& settings,
                     std::vector<SiteTensor>& parts, TdvpResult& result);

    SuperblockSolver solver_;
};

}  // namespace strata::dmrg
