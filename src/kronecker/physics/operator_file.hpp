// SPDX-License-Identifier: BSD-3-Clause
// Operators of a target from a file, one element per line; elements that are not listed are zero:
//
//     i j k left row column value        A_k of the term between patches i <= j
//     i j k right row column value       B_k
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "superblock/target.hpp"

namespace strata::kronecker {

class FileOperators : public OperatorSource {
  public:
    /// `target` must outlive the object. Throws Error(bad_input) with the line number if a line is not an element of
    /// the target's operators.
    FileOperators(const Target& target, const std::string& path, const std::string& content);
    void left(std::size_t term, std::uint64_t k, const Rectangle& part, double* elements) const override;
    void right(std::size_t term, std::uint64_t k, const Rectangle& part, double* elements) const override;

  private:
    enum class Side { left, right };
    using Operator = std::tuple<std::size_t, std::uint64_t, Side>;  ///< term, k, side
    /// Values by (row, column).
    using Elements = std::map<std::pair<std::uint64_t, std::uint64_t>, double>;

    void read_line(const std::string& line, const std::string& place);
    std::size_t find_term(std::int64_t i, std::int64_t j, const std::string& place) const;
    void fill(const Operator& which, const Rectangle& part, double* elements) const;

    const Target& target_;
    std::map<Operator, Elements> operators_;
};

}  // namespace strata::kronecker
