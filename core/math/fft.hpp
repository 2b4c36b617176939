// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace tessera::math {

/// The discrete Fourier transform in place, X_k = sum_j x_j exp(-2 pi i sum_a j_a k_a / n_a), of an array in row-major order. On the host,
/// for set-up work. Every length must be a power of two (Error of kind internal otherwise). Error: 1e-15 log2(size) relative to the root
/// mean square of the result.
void fft(std::vector<std::complex<double>>& values, const std::vector<std::size_t>& lengths);

}  // namespace tessera::math
