// SPDX-License-Identifier: BSD-3-Clause
// Which cases the sanitizers leave out.
#pragma once

namespace strata {

/// False under the address sanitizer, which makes kernels ten to twenty times slower: it needs every path of the code, not
/// every size, and the other builds hold the large cases against their exact values.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool large_cases = false;
#else
inline constexpr bool large_cases = true;
#endif

}  // namespace strata
