// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/covariance/rotation.hpp"

#include <cmath>

namespace tessera::gp {

namespace {

Axes multiply(const Axes& a, const Axes& b) {
  Axes c{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

Axes transpose(const Axes& a) {
  Axes t{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) t[i][j] = a[j][i];
  }
  return t;
}

/// The rotation in the plane from axis i to axis j, or its derivative in the angle.
Axes rotation_in_plane(int i, int j, double angle, bool derivative) {
  const double c = derivative ? -std::sin(angle) : std::cos(angle),
               s = derivative ? std::cos(angle) : std::sin(angle);
  Axes r{};
  for (int k = 0; k < 3; ++k) r[k][k] = derivative ? 0 : 1;
  r[i][i] = r[j][j] = c;
  r[i][j] = -s;
  r[j][i] = s;
  return r;
}

/// R, or its derivative in one angle.
Axes rotation(const CovarianceModel& model, const Theta& theta, int derivative = -1) {
  const double* const angle = theta.data() + model.angle();
  const Axes yaw = rotation_in_plane(0, 1, angle[0], derivative == 0);
  if (model.angles() == 1) return yaw;
  return multiply(yaw, multiply(rotation_in_plane(2, 0, angle[1], derivative == 1),
                                rotation_in_plane(1, 2, angle[2], derivative == 2)));
}

}  // namespace

Axes range_axes(const CovarianceModel& model, const Theta& theta) {
  return transpose(rotation(model, theta));
}

/// The skew matrix W = (dR/dangle)' R gives d(A x) = W A x, and u^2 / 2 changes by the sum of w_k
/// W_kl (beta_l / beta_k) w_l.
std::array<double, 3> angle_derivative(const CovarianceModel& model, const Theta& theta,
                                       int angle) {
  const Axes skew = multiply(transpose(rotation(model, theta, angle)), rotation(model, theta));
  std::array<double, 3> factor{};
  int pair = 0;
  for (int k = 0; k < 3; ++k) {
    for (int l = k + 1; l < 3; ++l, ++pair) {
      if (l >= model.dimension) continue;
      const double a = theta[model.beta() + k], b = theta[model.beta() + l];
      factor[pair] = skew[k][l] * (b / a - a / b);
    }
  }
  return factor;
}

}  // namespace tessera::gp
