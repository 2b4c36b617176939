// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "core/math/fft.hpp"

#include <cmath>
#include <utility>

#include "core/error.hpp"

namespace tessera::math {

namespace {

using Complex = std::complex<double>;

/// exp(-2 pi i k / n), k < n / 2
std::vector<Complex> roots_of_unity(std::size_t n) {
  std::vector<Complex> roots;
  for (std::size_t k = 0; k < n / 2; ++k) {
    const double angle = -6.283185307179586477 * static_cast<double>(k) / static_cast<double>(n);
    roots.emplace_back(std::cos(angle), std::sin(angle));
  }
  return roots;
}

/// Cooley and Tukey, radix 2: bit reversal, then butterflies.
void transform(std::vector<Complex>& x, const std::vector<Complex>& roots) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t length = 2; length <= n; length *= 2) {
    const std::size_t half = length / 2, step = n / length;
    for (std::size_t begin = 0; begin < n; begin += length) {
      for (std::size_t k = 0; k < half; ++k) {
        const Complex even = x[begin + k], w = roots[k * step], o = x[begin + k + half];
        const Complex odd(o.real() * w.real() - o.imag() * w.imag(), o.real() * w.imag() + o.imag() * w.real());
        x[begin + k] = even + odd;
        x[begin + k + half] = even - odd;
      }
    }
  }
}

}  // namespace

void fft(std::vector<Complex>& values, const std::vector<std::size_t>& lengths) {
  std::size_t stride = values.size();
  for (const std::size_t n : lengths) {
    if (n == 0 || (n & (n - 1)) != 0 || stride % n != 0)
      throw Error(ErrorKind::internal, "fft: a length that is no power of two, or does not fit");
    stride /= n;
    const std::vector<Complex> roots = roots_of_unity(n);
    std::vector<Complex> line(n);
    for (std::size_t block = 0; block < values.size(); block += n * stride) {
      for (std::size_t offset = block; offset < block + stride; ++offset) {
        for (std::size_t k = 0; k < n; ++k) line[k] = values[offset + k * stride];
        transform(line, roots);
        for (std::size_t k = 0; k < n; ++k) values[offset + k * stride] = line[k];
      }
    }
  }
}

}  // namespace tessera::math
