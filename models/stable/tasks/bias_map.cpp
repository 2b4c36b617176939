// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/tasks/bias_map.hpp"

#include <cmath>

namespace tessera::stable {

using io::Attributes;
using io::Shape;

void write_bias_map(const io::Group& results, const io::Group& coordinates, const Parameters& p, const std::vector<FitResult>& fits) {
  const std::size_t alphas = p.alphas.size(), betas = p.betas.size(), repeats = static_cast<std::size_t>(p.repeats);
  coordinates.write("alpha", p.alphas, Attributes{"1", "stability index of the distribution sampled"});
  coordinates.write("beta", p.betas, Attributes{"1", "skewness of the distribution sampled"});
  std::vector<double> estimates(alphas * betas * repeats * 4, NAN), bias(alphas * betas * 4, NAN), rmse(bias);
  std::vector<std::int64_t> failed(alphas * betas, 0);
  for (std::size_t cell = 0; cell < alphas * betas; ++cell) {
    const double truth[4] = {p.alphas[cell / betas], p.betas[cell % betas], p.sigma, p.mu};
    double sum[4] = {}, square[4] = {};
    std::size_t count = 0;
    for (std::size_t r = 0; r < repeats; ++r) {
      const std::size_t i = cell * repeats + r;
      if (i >= fits.size()) continue;
      const FitResult& fit = fits[i];
      if (fit.status > FitStatus::boundary) {
        ++failed[cell];
        continue;
      }
      const double found[4] = {fit.alpha, fit.beta, fit.sigma, fit.mu};
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
  results.write("estimates", estimates, Shape{alphas, betas, repeats, 4},
                Attributes{"1", "alpha, beta, sigma and mu of every fit; NaN where it failed"});
  results.write("bias", bias, Shape{alphas, betas, 4}, Attributes{"1", "mean of estimate minus truth"});
  results.write("rmse", rmse, Shape{alphas, betas, 4}, Attributes{"1", "root of the mean square of estimate minus truth"});
  results.write("failed", failed, Shape{alphas, betas}, Attributes{"1", "fits that did not converge"});
}

}  // namespace tessera::stable
