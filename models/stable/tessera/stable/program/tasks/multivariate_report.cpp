// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/program/tasks/multivariate_report.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>

#include "tessera/stable/program/tasks/fit_report.hpp"

namespace tessera::stable {

using io::Attributes;
using io::Shape;

std::string describe(const MultivariateReport& report, const MultivariateSettings& settings) {
  const std::size_t d = report.names.size(), n = report.points.size() / d;
  const std::string size = std::to_string(n) +
                           (settings.compute == "sample" ? " random vectors of " : " points of ") +
                           std::to_string(d) + " dimensions";
  if (settings.compute != "fit") return size;
  char text[200];
  std::snprintf(text, sizeof text, "; alpha %.5f (%.2g), log-likelihood %.6f, %d iterations, ",
                report.fit.law.alpha, report.fit.alpha_error, report.fit.log_likelihood,
                report.fit.iterations);
  return size + text + describe(report.fit.status) + (settings.data ? "" : "; of simulated values");
}

void write_multivariate(const io::Group& results, const MultivariateReport& report,
                        const MultivariateSettings& settings) {
  const std::size_t d = report.names.size(), n = report.points.size() / d;
  results.set_attribute("data", settings.data ? settings.data->file : "random vectors");
  results.write("coordinates", report.names, Attributes{"1", "names of the coordinates"});
  results.write("points", report.points, Shape{n, d},
                Attributes{"1", settings.data ? "the points" : "random vectors"});
  const bool fitted = settings.compute == "fit";
  const EllipticalLaw& law = fitted ? report.fit.law : settings.law;
  const auto write_matrix = [&](const std::string& name, const linalg::Matrix& rows,
                                const std::string& long_name) {
    std::vector<double> values;
    for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
    results.write(name, values, Shape{d, d}, Attributes{"1", long_name});
  };
  results.write_scalar("alpha", law.alpha, Attributes{"1", "stability index"});
  results.write("location", law.location, Attributes{"1", "location"});
  write_matrix("shape", law.shape,
               "shape matrix: ln of the characteristic function is i t'mu - (t'S t)^(alpha/2)");
  if (settings.compute == "evaluate") {
    results.write("logpdf", report.log_pdf,
                  Attributes{"1", "logarithm of the density at the points"});
    std::vector<double> pdf;
    for (const double v : report.log_pdf) pdf.push_back(std::exp(v));
    results.write("pdf", pdf, Attributes{"1", "density at the points"});
  }
  if (!fitted) return;
  const EllipticalFit& fit = report.fit;
  results.write_scalar(
      "alpha_se", fit.alpha_error,
      Attributes{"1", "standard error of alpha; 0: fixed; NaN: at the end of its range"});
  results.write("location_se", fit.location_error,
                Attributes{"1", "standard errors of the location"});
  write_matrix("shape_se", fit.shape_error, "standard errors of the shape matrix");
  results.write_scalar("loglik", fit.log_likelihood, Attributes{"1", "log-likelihood"});
  results.write_scalar(
      "gradient_norm", fit.gradient_norm,
      Attributes{"1", "largest component of the gradient by the number of points"});
  results.write_scalar("iterations", static_cast<std::int32_t>(fit.iterations),
                       Attributes{"1", "of ECME"});
  results.write_scalar("status", static_cast<std::int32_t>(fit.status),
                       Attributes{"1", "0 converged, 1 at the end of a range, 2 not converged"});
  results.write_scalar("status_text", describe(fit.status), Attributes{"1", "the status in words"});
  results.write("radius", fit.radius, Attributes{"1", "of every point, in units of the shape"});
  results.write("weight", fit.weight,
                Attributes{"1", "of every point in the fit, E[1/(2 W)]; small for those far out"});
  results.write("whitened_cdf", report.cdf, Shape{n, d},
                Attributes{"1", "fitted distribution function of the whitened coordinates"});
}

}  // namespace tessera::stable
