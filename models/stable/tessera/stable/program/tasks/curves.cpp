// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/stable/program/tasks/curves.hpp"

#include <algorithm>

#include "tessera/core/device/memory.hpp"

namespace tessera::stable {

using io::Attributes;
using io::Shape;

Curves make_curves(const Parameters& parameters) {
  const config::Numbers& given = parameters.task == Task::quantile ? parameters.p : parameters.x;
  const std::size_t count = parameters.data ? parameters.data->value.size() : given.size();
  std::size_t results = parameters.task == Task::quantile ? 1 : parameters.scores ? 9 : 6;
  if (parameters.by_paper()) results += 2 + 2 * static_cast<std::size_t>(parameters.integrand);
  const std::size_t each = 2 + results * std::max<std::size_t>(parameters.distributions.size(), 1);
  require_host_memory(static_cast<double>(count) * static_cast<double>(each * sizeof(double)),
                      "the points and their results",
                      "take fewer points or distributions at a time");
  Curves curves;
  curves.points = parameters.data ? parameters.data->value : given.values();
  if (parameters.distributions.empty()) {
    curves.alpha = {parameters.alpha};
    curves.beta = {parameters.beta};
  }
  for (const std::vector<double>& distribution : parameters.distributions) {
    curves.alpha.push_back(distribution[0]);
    curves.beta.push_back(distribution[1]);
  }
  return curves;
}

namespace {

Shape result_shape(const Curves& c, bool one) {
  const std::uint64_t distributions = c.alpha.size(), points = c.points.size();
  return one ? Shape{points} : Shape{distributions, points};
}

void write_distributions(const io::Group& results, const Curves& c, bool one) {
  if (!one) {
    results.write("alpha", c.alpha, Attributes{"1", "stability index of each row"});
    results.write("beta", c.beta, Attributes{"1", "skewness of each row"});
  }
  if (c.table_error.empty()) return;
  results.write(
      "table_error", c.table_error,
      Attributes{
          "1",
          "largest relative error of the table, of the density and the smaller tail, as found "
          "while it was built; 0: above 1e-9, so that the distribution was evaluated directly"});
}

}  // namespace

void write_evaluations(const io::Group& results, const Curves& c, bool one) {
  const Shape shape = result_shape(c, one);
  write_distributions(results, c, one);
  results.write("x", c.points, Attributes{"1", "where the distribution is evaluated"});
  results.write("pdf", c.pdf, shape, Attributes{"1", "density"});
  results.write("logpdf", c.log_pdf, shape, Attributes{"1", "logarithm of the density"});
  results.write("cdf", c.cdf, shape, Attributes{"1", "P(X <= x)"});
  results.write("sf", c.sf, shape, Attributes{"1", "P(X > x)"});
  results.write("logcdf", c.log_cdf, shape, Attributes{"1", "logarithm of P(X <= x)"});
  results.write("logsf", c.log_sf, shape, Attributes{"1", "logarithm of P(X > x)"});
  if (!c.pdf_error.empty()) {
    results.write("pdf_error", c.pdf_error, shape,
                  Attributes{"1", "|Gauss - Kronrod|, an estimate of the error of the density"});
    results.write("cdf_error", c.cdf_error, shape,
                  Attributes{"1", "the same of the distribution function"});
  }
  if (!c.integrand.empty()) {
    Shape places = shape;
    places.push_back(c.integrand.size() / c.pdf.size());
    results.write("theta", c.theta, places,
                  Attributes{"rad", "places over the range of integration of each point"});
    results.write("integrand", c.integrand, places,
                  Attributes{"1",
                             "g e^-g of Nolan's integral there, whose integral is the density "
                             "but for a factor"});
  }
  if (c.d_x.empty()) return;
  results.write("dlogpdf_dx", c.d_x, shape, Attributes{"1", "d log pdf/dx"});
  results.write("dlogpdf_dalpha", c.d_alpha, shape, Attributes{"1", "d log pdf/d alpha"});
  results.write("dlogpdf_dbeta", c.d_beta, shape, Attributes{"1", "d log pdf/d beta"});
}

void write_quantiles(const io::Group& results, const Curves& c, bool one) {
  write_distributions(results, c, one);
  results.write("p", c.points, Attributes{"1", "probabilities"});
  results.write("x", c.quantile, result_shape(c, one), Attributes{"1", "quantiles"});
}

}  // namespace tessera::stable
