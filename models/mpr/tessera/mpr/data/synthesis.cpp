// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/synthesis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <utility>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/host_loop.hpp"
#include "tessera/core/device/memory.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/math/fft.hpp"
#include "tessera/core/random.hpp"
#include "tessera/mpr/lattice/rotator.hpp"

namespace tessera::mpr {

namespace {

constexpr std::uint32_t kFieldStream = 0x3f1e1du, kSubsetStream = 0x91ace5u;

double matern(double distance, double nu, double kappa) {
  if (distance == 0) return 1;
  const double x = kappa * distance;
  if (nu == 0.5) return std::exp(-x);
  if (x > 700) return 0;
  return std::pow(2.0, 1 - nu) / std::tgamma(nu) * std::pow(x, nu) * std::cyl_bessel_k(nu, x);
}

/// The grid of twice the extents, whose opposite edges meet.
struct Torus {
  explicit Torus(const SyntheticParameters& p)
      : rows(2 * static_cast<std::size_t>(p.size[0])),
        columns(2 * static_cast<std::size_t>(p.size[1])) {}

  std::vector<std::complex<double>> allocate() const {
    const std::size_t all = rows * columns;
    require_host_memory(
        static_cast<double>(all) * (sizeof(std::complex<double>) + sizeof(double) * 0.5),
        "the transforms of a synthetic field", "take a smaller input.synthetic.size");
    return std::vector<std::complex<double>>(all);
  }

  std::size_t rows, columns;
};

}  // namespace

GaussianFields::GaussianFields(const SyntheticParameters& parameters) : m_parameters(parameters) {
  const Torus torus(m_parameters);
  std::vector<std::complex<double>> a = torus.allocate();
  for_each_on_host("tessera::mpr::covariance", torus.rows / 2 + 1, [&](std::size_t i) {
    stop_at_signal();
    std::complex<double>* const row = a.data() + i * torus.columns;
    for (std::size_t j = 0; j < torus.columns; ++j) {
      const std::size_t x = std::min(j, torus.columns - j);
      row[j] = x < j ? row[x]
                     : matern(std::hypot(static_cast<double>(x), static_cast<double>(i)),
                              m_parameters.smoothness, m_parameters.inverse_length);
    }
    if (i > 0 && i < torus.rows / 2)
      std::copy_n(row, torus.columns, a.data() + (torus.rows - i) * torus.columns);
  });
  math::fft(a, {torus.rows, torus.columns});
  double negative = 0, total = 0;
  for (const std::complex<double>& value : a)
    (value.real() < 0 ? negative : total) += std::fabs(value.real());
  if (negative > 1e-3 * total) {
    throw Error(ErrorKind::numerical,
                "the correlations of the synthetic field are too long for its grid",
                "take a larger grid or a larger inverse_length");
  }
  for (std::size_t i = 0; i <= torus.rows / 2; ++i) {
    for (std::size_t j = 0; j <= torus.columns / 2; ++j)
      m_eigenvalues.push_back(a[i * torus.columns + j].real());
  }
}

std::vector<double> GaussianFields::make(std::uint64_t seed, std::uint64_t number) const {
  const Torus torus(m_parameters);
  std::vector<std::complex<double>> a = torus.allocate();
  const Philox random(static_cast<std::uint32_t>(seed),
                      static_cast<std::uint32_t>(seed >> 32) ^ kFieldStream);
  for_each_on_host("tessera::mpr::modes", torus.rows, [&](std::size_t i) {
    stop_at_signal();
    const double* const eigenvalues =
        m_eigenvalues.data() + std::min(i, torus.rows - i) * (torus.columns / 2 + 1);
    for (std::size_t j = 0; j < torus.columns; ++j) {
      const std::size_t k = i * torus.columns + j;
      const double eigenvalue = eigenvalues[std::min(j, torus.columns - j)];
      const auto bits = random.bits(k, number);
      const double radius = std::sqrt(-2 * std::log(Philox::uniform(bits, 0)) *
                                      std::max(eigenvalue, 0.0) / static_cast<double>(a.size()));
      const double phase = 2 * kPi * Philox::uniform(bits, 1);
      a[k] = {radius * std::cos(phase), radius * std::sin(phase)};
    }
  });
  math::fft(a, {torus.rows, torus.columns});
  const std::size_t rows = torus.rows / 2, columns = torus.columns / 2;
  std::vector<double> field(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j)
      field[i * columns + j] =
          m_parameters.mean + m_parameters.deviation * a[i * torus.columns + j].real();
  }
  return field;
}

std::vector<double> gaussian_field(const SyntheticParameters& parameters, std::uint64_t seed,
                                   std::uint64_t number) {
  return GaussianFields(parameters).make(seed, number);
}

namespace {

/// The first `count` places of a shuffle of 0 ... n - 1. Index: a type that holds n; a narrow one
/// needs less of the cache.
template <class Index>
std::vector<std::size_t> shuffle(std::size_t n, std::size_t count, const Philox& random,
                                 std::uint64_t number) {
  constexpr std::size_t kAhead = 64;  // numbers that are on their way from memory
  std::vector<Index> numbers(n);
  std::iota(numbers.begin(), numbers.end(), Index(0));
  std::array<Index*, kAhead> other;
  for (std::size_t first = 0; first < count; first += kAhead) {
    const std::size_t last = std::min(first + kAhead, count);
    for (std::size_t i = first; i < last; ++i) {
      const double u = Philox::uniform(random.bits(i, number), 0);
      Index* const place =
          numbers.data() + i + static_cast<std::size_t>(u * static_cast<double>(n - i));
      __builtin_prefetch(place, 1);
      other[i - first] = place;
    }
    for (std::size_t i = first; i < last; ++i) std::swap(numbers[i], *other[i - first]);
  }
  std::vector<std::uint8_t> is_taken(n, 0);
  for (std::size_t i = 0; i < count; ++i) is_taken[numbers[i]] = 1;
  std::vector<std::size_t> taken;
  taken.reserve(count);
  for (std::size_t i = 0; i < n; ++i) {
    if (is_taken[i] != 0) taken.push_back(i);
  }
  return taken;
}

}  // namespace

std::vector<std::size_t> random_subset(std::size_t n, std::size_t count, std::uint64_t seed,
                                       std::uint64_t number) {
  const Philox random(static_cast<std::uint32_t>(seed),
                      static_cast<std::uint32_t>(seed >> 32) ^ kSubsetStream);
  return n <= std::numeric_limits<std::uint32_t>::max()
             ? shuffle<std::uint32_t>(n, count, random, number)
             : shuffle<std::size_t>(n, count, random, number);
}

}  // namespace tessera::mpr
