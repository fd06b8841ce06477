// SPDX-License-Identifier: BSD-3-Clause
// Choices of products on a device.
#pragma once

namespace strata::kronecker {

/// Matrix products on a device: the own kernel, tile by tile, or grouped products of cuBLAS
/// (kernels/kronecker/grouped_products.hpp). Results with copies among their products are always computed by tiles.
enum class DeviceGemm { own, cublas };

}  // namespace strata::kronecker
