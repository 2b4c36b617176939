// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace tessera::math {

/// The discrete Fourier transform in place, X_k = sum_j x_j exp(-2 pi i sum_a j_a k_a / n_a), of an
/// array in row-major order, by FFTW on the host with one thread and a plan chosen without timing:
/// the same bits every time. Lengths with small factors are fastest. Throws Error (input) in a
/// build without FFTW.
void fft(std::vector<std::complex<double>>& values, const std::vector<std::size_t>& lengths);

/// Returns whether this build has FFTW.
bool fft_available();

}  // namespace tessera::math
