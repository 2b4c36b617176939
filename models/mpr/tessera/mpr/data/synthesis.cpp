// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/synthesis.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/memory.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/math/fft.hpp"
#include "tessera/core/random.hpp"
#include "tessera/mpr/lattice/rotator.hpp"

namespace tessera::mpr {

namespace {

// sites, between two looks whether a signal has been received
constexpr std::size_t kBetweenLooks = 1 << 16;
constexpr std::uint32_t kFieldStream = 0x3f1e1du, kSubsetStream = 0x91ace5u;

double matern(double distance, double nu, double kappa) {
  if (distance == 0) return 1;
  const double x = kappa * distance;
  if (nu == 0.5) return std::exp(-x);
  if (x > 700) return 0;
  return std::pow(2.0, 1 - nu) / std::tgamma(nu) * std::pow(x, nu) * std::cyl_bessel_k(nu, x);
}

}  // namespace

std::vector<double> gaussian_field(const SyntheticParameters& p, std::uint64_t seed,
                                   std::uint64_t number) {
  const int rows = p.size[0], columns = p.size[1], m = 2 * rows, n = 2 * columns;
  const std::vector<std::size_t> lengths{static_cast<std::size_t>(m), static_cast<std::size_t>(n)};
  const std::size_t all = lengths[0] * lengths[1];
  require_host_memory(
      static_cast<double>(all) * (sizeof(std::complex<double>) + sizeof(double) * 0.25),
      "the transforms of a synthetic field", "take a smaller input.synthetic.size");
  std::vector<std::complex<double>> a(all);
  for (int i = 0; i < m; ++i) {
    stop_at_signal();
    const double y = std::min(i, m - i);
    for (int j = 0; j < n; ++j) {
      const double x = std::min(j, n - j);
      a[static_cast<std::size_t>(i) * n + j] =
          matern(std::hypot(x, y), p.smoothness, p.inverse_length);
    }
  }
  math::fft(a, lengths);
  const Philox random(static_cast<std::uint32_t>(seed),
                      static_cast<std::uint32_t>(seed >> 32) ^ kFieldStream);
  double negative = 0, total = 0;
  for (std::size_t k = 0; k < all; ++k) {
    if (k % kBetweenLooks == 0) stop_at_signal();
    const double eigenvalue = a[k].real();
    (eigenvalue < 0 ? negative : total) += std::fabs(eigenvalue);
    const auto bits = random.bits(k, number);
    const double radius = std::sqrt(-2 * std::log(Philox::uniform(bits, 0)) *
                                    std::max(eigenvalue, 0.0) / static_cast<double>(all));
    const double phase = 2 * kPi * Philox::uniform(bits, 1);
    a[k] = {radius * std::cos(phase), radius * std::sin(phase)};
  }
  if (negative > 1e-3 * total) {
    throw Error(ErrorKind::numerical,
                "the correlations of the synthetic field are too long for its grid",
                "take a larger grid or a larger inverse_length");
  }
  math::fft(a, lengths);
  std::vector<double> field(static_cast<std::size_t>(rows) * columns);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      field[static_cast<std::size_t>(i) * columns + j] =
          p.mean + p.deviation * a[static_cast<std::size_t>(i) * n + j].real();
    }
  }
  return field;
}

std::vector<std::size_t> random_subset(std::size_t n, std::size_t count, std::uint64_t seed,
                                       std::uint64_t number) {
  const Philox random(static_cast<std::uint32_t>(seed),
                      static_cast<std::uint32_t>(seed >> 32) ^ kSubsetStream);
  std::vector<std::size_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), std::size_t(0));
  for (std::size_t i = 0; i < count; ++i) {
    const double u = Philox::uniform(random.bits(i, number), 0);
    std::swap(numbers[i], numbers[i + static_cast<std::size_t>(u * static_cast<double>(n - i))]);
  }
  numbers.resize(count);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace tessera::mpr
