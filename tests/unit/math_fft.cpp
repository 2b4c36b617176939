// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "tessera/core/math/fft.hpp"

namespace {

using Complex = std::complex<double>;

TEST(Fft, IsTheSumThatDefinesIt) {
  if (!tessera::math::fft_available()) GTEST_SKIP() << "no FFTW";
  const std::vector<std::vector<std::size_t>> shapes{{1}, {8}, {60}, {4, 9}, {8, 1, 4}, {2, 5, 8}};
  for (const auto& lengths : shapes) {
    std::size_t size = 1;
    for (const std::size_t n : lengths) size *= n;
    std::vector<Complex> x;
    for (std::size_t i = 0; i < size; ++i)
      x.emplace_back(std::sin(1.7 * static_cast<double>(i)),
                     std::cos(0.3 * static_cast<double>(i * i)));
    std::vector<Complex> found = x;
    tessera::math::fft(found, lengths);
    for (std::size_t k = 0; k < size; ++k) {
      Complex sum = 0;
      for (std::size_t j = 0; j < size; ++j) {
        double turns = 0;
        std::size_t left_j = j, left_k = k;
        for (std::size_t a = lengths.size(); a-- > 0;) {
          turns += static_cast<double>(left_j % lengths[a] * (left_k % lengths[a])) /
                   static_cast<double>(lengths[a]);
          left_j /= lengths[a];
          left_k /= lengths[a];
        }
        sum += x[j] * std::polar(1.0, -6.283185307179586 * turns);
      }
      EXPECT_NEAR(std::abs(found[k] - sum), 0, 1e-13 * std::sqrt(static_cast<double>(size)));
    }
  }
}

}  // namespace
