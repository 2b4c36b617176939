// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/latent/separation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/symmetric.hpp"

namespace tessera::gp {

namespace {

constexpr int kMostSteps = 60;
constexpr double kTolerance = 1e-6;

bool is_binary(ResponseFamily family) {
  return family == ResponseFamily::bernoulli_logit || family == ResponseFamily::bernoulli_probit;
}

/// A regression without a field; probit's observations are separated where logit's are, and those
/// of the negative binomial where Poisson's are.
struct Regression {
  Response response;
  const std::vector<double>& values;
  std::vector<double> offset;
  std::vector<std::vector<double>> columns;  // of largest number 1

  std::vector<double> changes(const std::vector<double>& direction) const {
    std::vector<double> sum(values.size(), 0.0);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += direction[k] * columns[k][i];
    }
    return sum;
  }

  double loglik(const std::vector<double>& predictor) const {
    long double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      sum += response.slopes(values[i], offset[i] + predictor[i]).value;
    return static_cast<double>(sum);
  }

  /// Newton's step; empty where the weights leave no positive definite matrix.
  std::vector<double> step(const std::vector<double>& predictor) const {
    const std::size_t count = columns.size();
    std::vector<double> slope(count, 0.0), result(count, 0.0);
    linalg::Matrix information(count, std::vector<double>(count, 0.0));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const ResponseSlopes s = response.slopes(values[i], offset[i] + predictor[i]);
      for (std::size_t k = 0; k < count; ++k) {
        slope[k] += s.slope * columns[k][i];
        for (std::size_t l = 0; l <= k; ++l)
          information[k][l] += s.weight * columns[k][i] * columns[l][i];
      }
    }
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t l = 0; l < k; ++l) information[l][k] = information[k][l];
    }
    try {
      const linalg::Matrix inverse = linalg::inverse_positive_definite(information);
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t l = 0; l < count; ++l) result[k] += inverse[k][l] * slope[l];
      }
    } catch (const Error&) {
      return {};
    }
    return result;
  }

  bool separates(const std::vector<double>& change) const {
    double largest = 0, wrong = 0;
    for (std::size_t i = 0; i < change.size(); ++i) {
      largest = std::max(largest, std::fabs(change[i]));
      const double against = is_binary(response.family) ? (values[i] > 0.5 ? -change[i] : change[i])
                             : values[i] > 0            ? std::fabs(change[i])
                                                        : change[i];
      wrong = std::max(wrong, against);
    }
    return largest > 0 && wrong <= kTolerance * largest;
  }
};

double largest(const std::vector<double>& values) {
  double size = 0;
  for (const double value : values) size = std::max(size, std::fabs(value));
  return size;
}

}  // namespace

std::vector<double> find_separation(const Response& response, const std::vector<double>& values,
                                    const std::vector<double>& offset,
                                    const std::vector<std::vector<double>>& columns) {
  const bool is_bernoulli = is_binary(response.family);
  if (columns.empty() || response.family == ResponseFamily::gamma ||
      response.family == ResponseFamily::student_t)
    return {};
  Regression regression{
      {is_bernoulli ? ResponseFamily::bernoulli_logit : ResponseFamily::poisson, 1, 1},
      values,
      offset,
      columns};
  regression.offset.resize(values.size(), 0.0);
  std::vector<double> scale;
  for (std::vector<double>& column : regression.columns) {
    scale.push_back(largest(column));
    for (double& x : column) x /= scale.back();
  }
  std::vector<double> predictor(values.size(), 0.0);
  double value = regression.loglik(predictor);
  for (int k = 0; k < kMostSteps; ++k) {
    std::vector<double> step = regression.step(predictor);
    const std::vector<double> change = regression.changes(step.empty() ? scale : step);
    if (step.empty() || !(largest(change) > kTolerance)) return {};
    if (regression.separates(change)) {
      for (std::size_t c = 0; c < step.size(); ++c) step[c] /= scale[c];
      return step;
    }
    std::vector<double> next(predictor.size());
    double length = 1, reached = 0;
    for (;; length *= 0.5) {
      for (std::size_t i = 0; i < next.size(); ++i) next[i] = predictor[i] + length * change[i];
      reached = regression.loglik(next);
      if (reached >= value || length < 1e-10) break;
    }
    predictor = next;
    value = reached;
  }
  return {};
}

}  // namespace tessera::gp
