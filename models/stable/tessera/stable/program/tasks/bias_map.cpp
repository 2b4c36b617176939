// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/program/tasks/bias_map.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::stable {

using io::Attributes;
using io::Shape;

std::size_t count_cells(const Parameters& p) {
  const auto count = [](const std::vector<double>& axis) {
    return std::max<std::size_t>(axis.size(), 1);
  };
  return p.alphas.size() * p.betas.size() * count(p.sigmas) * count(p.mus);
}

FourParameters true_parameters(const Parameters& p, std::size_t cell) {
  // Takes the place on the last axis off the number of the cell.
  const auto next = [&cell](const std::vector<double>& axis, double otherwise) {
    if (axis.empty()) return otherwise;
    const double value = axis[cell % axis.size()];
    cell /= axis.size();
    return value;
  };
  const double mu = next(p.mus, p.mu), sigma = next(p.sigmas, p.sigma), beta = next(p.betas, 0),
               alpha = next(p.alphas, 0);
  return {alpha, beta, sigma, mu};
}

namespace {

/// The axes of the map, and those behind them.
Shape map_shape(const Parameters& p, const Shape& behind) {
  Shape shape{p.alphas.size(), p.betas.size()};
  if (p.maps_places()) {
    shape.push_back(std::max<std::size_t>(p.sigmas.size(), 1));
    shape.push_back(std::max<std::size_t>(p.mus.size(), 1));
  }
  shape.insert(shape.end(), behind.begin(), behind.end());
  return shape;
}

void write_axes(const io::Group& coordinates, const Parameters& p) {
  coordinates.write("alpha", p.alphas,
                    Attributes{"1", "stability index of the distribution sampled"});
  coordinates.write("beta", p.betas, Attributes{"1", "skewness of the distribution sampled"});
  if (!p.maps_places()) return;
  const auto values = [](const std::vector<double>& axis, double otherwise) {
    return axis.empty() ? std::vector<double>{otherwise} : axis;
  };
  coordinates.write("sigma", values(p.sigmas, p.sigma),
                    Attributes{"1", "scale of the distribution sampled"});
  coordinates.write("mu", values(p.mus, p.mu),
                    Attributes{"1", "location of the distribution sampled"});
}

/// Writes how often Wald and profile intervals of the fits done so far hold the true parameters.
void write_coverage(const io::Group& results, const Parameters& p,
                    const std::vector<FitResult>& fits) {
  const auto each = static_cast<std::size_t>(fits_a_sample(p)),
             repeats = static_cast<std::size_t>(p.repeats);
  const std::size_t cells = count_cells(p);
  const double critical = critical_deviance(p.level);
  std::vector<double> covered(cells * 8, 0), count(cells * 8, 0);
  for (std::size_t first = 0; first + each <= fits.size(); first += each) {
    const FitResult& fit = fits[first];
    if (fit.status > FitStatus::boundary) continue;
    const std::size_t cell = first / each / repeats;
    const FourParameters truth = true_parameters(p, cell);
    const std::vector<Quantity> quantities = p.quantities();
    for (std::size_t k = 0; k < 4; ++k) {
      const double value = evaluate(quantities[k], truth);
      const Interval wald = wald_interval(quantities[k], fit, p.level);
      if (!std::isnan(wald.lower)) {
        count[8 * cell + k] += 1;
        covered[8 * cell + k] += wald.lower <= value && value <= wald.upper ? 1 : 0;
      }
      const FitResult& held = fits[first + 1 + k];
      if (held.status > FitStatus::boundary) continue;
      count[8 * cell + 4 + k] += 1;
      covered[8 * cell + 4 + k] +=
          2 * (fit.log_likelihood - held.log_likelihood) <= critical ? 1 : 0;
    }
  }
  for (std::size_t k = 0; k < covered.size(); ++k)
    covered[k] = count[k] > 0 ? covered[k] / count[k] : NAN;
  const Shape shape = map_shape(p, {2, 4});
  results.write("coverage", covered, shape,
                Attributes{"1",
                           "share of Wald (0) and of profile (1) intervals at 95 % that hold the "
                           "true alpha, beta, sigma and mu"});
  results.write(
      "intervals", count, shape,
      Attributes{"1", "how many intervals there are: no Wald intervals at the end of a range"});
}

}  // namespace

void write_bias_map(const io::Group& results, const io::Group& coordinates, const Parameters& p,
                    const std::vector<FitResult>& fits) {
  const std::size_t each = static_cast<std::size_t>(fits_a_sample(p)), cells = count_cells(p),
                    repeats = static_cast<std::size_t>(p.repeats);
  write_axes(coordinates, p);
  std::vector<double> estimates(cells * repeats * 4, NAN), bias(cells * 4, NAN), rmse(bias);
  std::vector<std::int64_t> failed(cells, 0);
  const bool in_s1 = p.parameterization == Parameterization::S1;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const FourParameters t = true_parameters(p, cell);
    const double truth[4] = {t.alpha, t.beta, t.sigma, t.mu};
    double sum[4] = {}, square[4] = {};
    std::size_t count = 0;
    for (std::size_t r = 0; r < repeats; ++r) {
      const std::size_t i = cell * repeats + r, first = i * each;
      if (first >= fits.size()) continue;
      const FitResult& fit = fits[first];
      if (fit.status > FitStatus::boundary) {
        ++failed[cell];
        continue;
      }
      const double found[4] = {fit.alpha, fit.beta, fit.sigma, in_s1 ? mu_s1(fit) : fit.mu};
      ++count;
      for (int k = 0; k < 4; ++k) {
        estimates[4 * i + k] = found[k];
        sum[k] += found[k] - truth[k];
        square[k] += (found[k] - truth[k]) * (found[k] - truth[k]);
      }
    }
    for (int k = 0; k < 4 && count > 0; ++k) {
      bias[4 * cell + k] = sum[k] / static_cast<double>(count);
      rmse[4 * cell + k] = std::sqrt(square[k] / static_cast<double>(count));
    }
  }
  results.write("estimates", estimates, map_shape(p, {repeats, 4}),
                Attributes{"1", std::string("alpha, beta, sigma and mu, in ") +
                                    (in_s1 ? "S1" : "S0") + ", of every fit; NaN where it failed"});
  results.write("bias", bias, map_shape(p, {4}), Attributes{"1", "mean of estimate minus truth"});
  results.write("rmse", rmse, map_shape(p, {4}),
                Attributes{"1", "root of the mean square of estimate minus truth"});
  if (p.coverage) write_coverage(results, p, fits);
  results.write("failed", failed, map_shape(p, {}), Attributes{"1", "fits that did not converge"});
}

}  // namespace tessera::stable
