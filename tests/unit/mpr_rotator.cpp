// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tessera/mpr/lattice/rotator.hpp"
#include "tests/harness/exec_space.hpp"

namespace tessera::test {
namespace {

using mpr::Rotor;

template <class Real>
struct Worst {
  // angle, energy of over-relaxation, involution, length, half plane
  Kokkos::View<double*, ExecSpace> errors;

  KOKKOS_INLINE_FUNCTION static Rotor<Real> spin(double angle) {
    return {static_cast<Real>(compat::math::cos(angle)),
            static_cast<Real>(compat::math::sin(angle))};
  }
  KOKKOS_INLINE_FUNCTION void raise(int i, double value) const {
    if (!(value <= errors(i))) errors(i) = value;
  }
  KOKKOS_INLINE_FUNCTION void operator()(int) const {
    constexpr int n = 400;
    for (int i = 0; i <= n; ++i) {
      const double theta = mpr::kPi * i / n;
      for (const double length : {0.01, 1.0, 3.7}) {
        const Rotor<Real> v{static_cast<Real>(length * compat::math::cos(theta)),
                            static_cast<Real>(length * compat::math::sin(theta))};
        raise(0, compat::math::fabs(mpr::angle(v) - theta));
      }
      for (int j = 0; j <= n; ++j) {
        const double direction = mpr::kPi * j / n;
        const Rotor<Real> s = spin(theta),
                          h{Real(2.5) * spin(direction).x, Real(2.5) * spin(direction).y};
        const Rotor<Real> once = mpr::over_relaxed(s, h);
        raise(1, compat::math::fabs(static_cast<double>(dot(once, h)) -
                                    static_cast<double>(dot(s, h))));
        const bool moved = once.x != s.x || once.y != s.y;
        const Rotor<Real> twice = mpr::over_relaxed(once, h);
        if (moved && once.y > Real(1e-3) && s.y > Real(1e-3)) {
          raise(2, compat::math::fabs(static_cast<double>(twice.x - s.x)) +
                       compat::math::fabs(static_cast<double>(twice.y - s.y)));
        }
        const double reflected = 2 * direction - theta;
        if (reflected > 1e-3 && reflected < mpr::kPi - 1e-3)
          raise(0, compat::math::fabs(mpr::angle(once) - reflected));
        if ((reflected < -1e-3 || reflected > mpr::kPi + 1e-3) && moved) raise(4, 1);
        const Rotor<Real> t = mpr::turned(s, static_cast<Real>((direction - 0.5 * mpr::kPi)));
        raise(3, compat::math::fabs(static_cast<double>(dot(t, t)) - 1));
        if (once.y < Real(0) || t.y < Real(0)) raise(4, 1);
      }
    }
  }
};

/// The paper's Eq. 6 in the angles phi = 2 theta, and the most by which the function here is off.
template <class Real>
struct WorstOfPublished {
  Kokkos::View<double*, ExecSpace> errors;

  KOKKOS_INLINE_FUNCTION void operator()(int) const {
    constexpr int n = 40;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const double theta = mpr::kPi * (i + 0.5) / n, one = mpr::kPi * (j + 0.25) / n,
                     other = mpr::kPi * ((7 * j) % n + 0.25) / n;
        const Rotor<Real> spin = Worst<Real>::spin(theta), a = mpr::doubled(Worst<Real>::spin(one)),
                          b = mpr::doubled(Worst<Real>::spin(other));
        const double x = compat::math::cos(2 * one) + compat::math::cos(2 * other),
                     y = compat::math::sin(2 * one) + compat::math::sin(2 * other);
        if (x * x + y * y < 0.01) continue;
        const double turn = 2 * mpr::kPi, phi = 2 * compat::math::atan2(y, x) - 2 * theta,
                     wanted = 0.5 * (phi - turn * compat::math::floor(phi / turn));
        const Rotor<Real> found =
            mpr::over_relaxed_as_published(spin, Rotor<Real>{a.x + b.x, a.y + b.y});
        double error = compat::math::fabs(mpr::angle(found) - wanted);
        if (error > 3) error = mpr::kPi - error;  // on the other side of the walls
        if (!(error <= errors(0))) errors(0) = error;
      }
    }
  }
};

template <class Real>
double worst_of_published() {
  const Kokkos::View<double*, ExecSpace> errors("tessera::test::errors", 1);
  Kokkos::parallel_for("tessera::test::worst_of_published", Kokkos::RangePolicy<ExecSpace>(0, 1),
                       WorstOfPublished<Real>{errors});
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), errors)(0);
}

TEST(Rotator, PublishedReflectionIsEquationSix) {
  EXPECT_LT(worst_of_published<float>(), 3e-5);
  EXPECT_LT(worst_of_published<double>(), 1e-10);
}

template <class Real>
void check(double angle, double energy, double length) {
  const Kokkos::View<double*, ExecSpace> errors("tessera::test::errors", 5);
  Kokkos::parallel_for("tessera::test::worst_errors", Kokkos::RangePolicy<ExecSpace>(0, 1),
                       Worst<Real>{errors});
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), errors);
  std::printf("worst errors: angle %.2g, energy %.2g, involution %.2g, length %.2g\n", host(0),
              host(1), host(2), host(3));
  EXPECT_LT(host(0), angle);
  EXPECT_LT(host(1), energy);
  EXPECT_LT(host(2), energy);
  EXPECT_LT(host(3), length);
  EXPECT_EQ(host(4), 0) << "a spin left the upper half plane";
}

TEST(Rotator, DoublePrecision) { check<double>(1e-11, 1e-14, 1e-12); }
TEST(Rotator, SinglePrecision) { check<float>(3e-6, 3e-6, 4e-6); }

TEST(Rotator, ExponentialIsAccurate) {
  for (double x = -99.0; x <= 0; x += 0.0137) {
    EXPECT_NEAR(mpr::detail::exp2_negative(x) / std::exp2(x), 1.0, 1e-11) << x;
    EXPECT_NEAR(mpr::detail::exp2_negative(static_cast<float>(x)) /
                    std::exp2(static_cast<double>(static_cast<float>(x))),
                1.0, 3e-7)
        << x;
  }
  EXPECT_EQ(mpr::detail::exp2_negative(0.0), 1.0);
  EXPECT_EQ(mpr::detail::exp2_negative(0.0f), 1.0f);
  EXPECT_LT(mpr::detail::exp2_negative(-1e30), 1e-29);
}

/// A proposal is accepted with probability min(1, exp(-dH / T)), and energy_change is what the
/// energy changes by.
TEST(Rotator, MetropolisStep) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  const Rotor<double> h{0.6, 1.7};
  const mpr::Proposal<double> proposal{mpr::kPi, 1.44269504088896340736 / 0.8};
  Rotor<double> s{std::cos(0.4), std::sin(0.4)};
  double direct = 0, weight = 0, mean = 0;
  const int steps = 400000;
  for (int i = 0; i < steps; ++i) {
    double change;
    int accepted;
    const double before = -dot(s, h);
    s = updated(s, h, proposal, uniform(random), uniform(random), change, accepted);
    EXPECT_NEAR(-dot(s, h) - before, change, 1e-10);
    mean += mpr::angle(s) / steps;
  }
  for (double theta = 5e-4; theta < mpr::kPi; theta += 1e-3) {
    const double p = std::exp((h.x * std::cos(theta) + h.y * std::sin(theta)) / 0.8);
    direct += p * theta;
    weight += p;
  }
  EXPECT_NEAR(mean, direct / weight, 5e-3);
}

}  // namespace
}  // namespace tessera::test
