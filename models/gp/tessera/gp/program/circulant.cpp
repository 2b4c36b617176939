// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/program/circulant.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/memory.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/math/fft.hpp"
#include "tessera/gp/covariance/host_correlation.hpp"
#include "tessera/gp/program/random_fields.hpp"

namespace tessera::gp {

namespace {

using Complex = std::complex<double>;

// points between two checks whether a signal has been received
constexpr std::size_t kBetweenLooks = 1 << 16;

/// A torus of `length` points along each of the coordinates; the first coordinate runs fastest.
struct Torus {
  std::size_t length;
  std::size_t dimension;

  std::size_t size() const {
    std::size_t size = 1;
    for (std::size_t k = 0; k < dimension; ++k) size *= length;
    return size;
  }
};

/// The eigenvalues of the covariance on the torus.
std::vector<double> eigenvalues(const CovarianceModel& model, const Theta& theta,
                                const Torus& torus, const std::vector<double>& spacing) {
  const auto correlation = host_correlation(model, theta);
  require_host_memory((sizeof(Complex) + sizeof(double)) * static_cast<double>(torus.size()),
                      "the transforms of a circulant embedding", "take a smaller simulate.points");
  std::vector<Complex> row(torus.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i % kBetweenLooks == 0) stop_at_signal();
    std::size_t rest = i;
    double s = 0;
    for (std::size_t k = 0; k < torus.dimension; ++k) {
      const std::size_t lag = rest % torus.length;
      rest /= torus.length;
      const double range = theta[model.beta() + (model.anisotropic ? static_cast<int>(k) : 0)];
      const double u = static_cast<double>(std::min(lag, torus.length - lag)) * spacing[k] / range;
      s += u * u;
    }
    row[i] = theta[0] * correlation(s);
  }
  if (model.has_nugget) row[0] += theta[model.nugget()];
  math::fft(row, std::vector<std::size_t>(torus.dimension, torus.length));
  std::vector<double> values;
  for (const Complex& value : row) values.push_back(value.real());
  return values;
}

/// The smallest torus on which no eigenvalue is negative, and its eigenvalues.
std::vector<double> embed(const CovarianceModel& model, const Theta& theta, std::size_t side,
                          const std::vector<double>& spacing, Torus& torus) {
  torus.length = 1;
  while (torus.length < 2 * side) torus.length *= 2;
  double worst = 0;
  for (int enlargement = 0; enlargement < 4; ++enlargement, torus.length *= 2) {
    std::vector<double> values = eigenvalues(model, theta, torus, spacing);
    const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
    worst = *smallest / *largest;
    if (worst < -1e-12) continue;
    for (double& value : values) value = std::max(value, 0.0);
    return values;
  }
  throw Error(
      ErrorKind::numerical,
      "circulant embedding: the covariance on the torus has negative eigenvalues (" +
          std::to_string(worst) + " of the largest)",
      "use simulate.method: cholesky, a smaller range for this region, or a lower smoothness");
}

}  // namespace

std::vector<double> simulate_on_grid(const CovarianceModel& model, const Theta& theta,
                                     std::size_t side, const std::vector<double>& spacing,
                                     std::uint64_t seed, std::size_t fields) {
  Torus torus{0, spacing.size()};
  const std::vector<double> lambda = embed(model, theta, side, spacing, torus);
  const std::size_t size = torus.size(), n = [&] {
    std::size_t product = 1;
    for (std::size_t k = 0; k < spacing.size(); ++k) product *= side;
    return product;
  }();
  std::vector<double> values(n * fields);
  std::vector<Complex> wave(size);
  for (std::size_t pair = 0; 2 * pair < fields; ++pair) {
    stop_at_signal();  // real and imaginary part are independent fields
    const std::vector<double> a = standard_normals(seed, Stream::fields, size, 1, 2 * pair),
                              b = standard_normals(seed, Stream::fields, size, 1, 2 * pair + 1);
    for (std::size_t i = 0; i < size; ++i)
      wave[i] = std::sqrt(lambda[i] / static_cast<double>(size)) * Complex(a[i], b[i]);
    math::fft(wave, std::vector<std::size_t>(torus.dimension, torus.length));
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t rest = i, at = 0, stride = 1;
      for (std::size_t k = 0; k < torus.dimension; ++k, stride *= torus.length) {
        at += rest % side * stride;
        rest /= side;
      }
      values[i + 2 * pair * n] = wave[at].real();
      if (2 * pair + 1 < fields) values[i + (2 * pair + 1) * n] = wave[at].imag();
    }
  }
  return values;
}

}  // namespace tessera::gp
