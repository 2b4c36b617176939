// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The default mode is never worse than the harmonic interpolant by more than 1 %, and its error
// does not depend on the seed, on parts of the fields that inputs/mpr/harmonic.py goes through.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/io/npy.hpp"
#include "tessera/mpr/data/synthesis.hpp"
#include "tessera/mpr/data/transform_choice.hpp"
#include "tessera/mpr/data/validation.hpp"
#include "tessera/mpr/instances.hpp"
#include "tessera/mpr/lattice/host_copy.hpp"
#include "tessera/mpr/program/field_copy.hpp"
#include "tests/harness/exec_space.hpp"
#include "tests/harness/paths.hpp"

namespace tessera::test {
namespace {

using mpr::Field;
using mpr::FillOptions;
using mpr::TransformKind;

struct Truth {
  std::string name;
  int nx, ny;
  std::vector<double> values;
};

/// Reads at most `edge` rows and columns of a file.
Truth crop(const std::string& name, int edge) {
  const auto whole = io::read_npy<double>(std::string(kInputsDirectory) + "/mpr/" + name + ".npy");
  const std::size_t rows = std::min<std::size_t>(whole.shape[0], edge),
                    columns = std::min<std::size_t>(whole.shape[1], edge);
  Truth truth{name, static_cast<int>(columns), static_cast<int>(rows), {}};
  for (std::size_t y = 0; y < rows; ++y) {
    for (std::size_t x = 0; x < columns; ++x)
      truth.values.push_back(whole.values[y * whole.shape[1] + x]);
  }
  return truth;
}

/// Variances of the elevations in windows of 3 x 3 sites, side by side: skewed and rough, as V of
/// Walker Lake, which was made from elevations in much the same way.
Truth relief(const Truth& terrain) {
  Truth truth{"relief", terrain.nx / 3, terrain.ny / 3, {}};
  for (int y = 0; y < truth.ny; ++y) {
    for (int x = 0; x < truth.nx; ++x) {
      double sum = 0, squares = 0;
      for (int k = 0; k < 9; ++k) {
        const double z =
            terrain.values[static_cast<std::size_t>((3 * y + k / 3) * terrain.nx + 3 * x + k % 3)];
        sum += z / 9;
        squares += z * z / 9;
      }
      truth.values.push_back(std::max(0.0, squares - sum * sum));
    }
  }
  return truth;
}

Truth gaussian(double smoothness) {
  mpr::SyntheticParameters p;
  p.size = {128, 128};
  p.smoothness = smoothness;
  return {"Gaussian", 128, 128, mpr::gaussian_field(p, 11, 0)};
}

/// A third of the sites missing: single ones, or blocks of 16 x 16.
Field with_gaps(const Truth& truth, bool blocks, unsigned seed) {
  Field field;
  field.grid = {truth.nx, truth.ny, 1};
  field.values = truth.values;
  field.status.assign(truth.values.size(), mpr::kSample);
  std::mt19937 random(seed);
  std::size_t missing = 0;
  while (3 * missing < field.status.size()) {
    const int edge = blocks ? 16 : 1;
    const std::size_t nx = static_cast<std::size_t>(truth.nx),
                      x0 = random() % static_cast<unsigned>(truth.nx - edge + 1),
                      y0 = random() % static_cast<unsigned>(truth.ny - edge + 1);
    for (std::size_t k = 0; k < static_cast<std::size_t>(edge * edge); ++k) {
      const std::size_t i =
          (y0 + k / static_cast<std::size_t>(edge)) * nx + x0 + k % static_cast<std::size_t>(edge);
      missing += field.status[i] == mpr::kSample ? 1 : 0;
      field.status[i] = mpr::kMissing;
      field.values[i] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  mpr::find_offsets(field);
  return field;
}

/// Root mean square error of the mean.
double error_of(const Truth& truth, const Field& field, const FillOptions& options) {
  const ExecSpace exec;
  mpr::GapFill<ExecSpace, float> fill(exec, field.grid, 1, options);
  fill.prepare(mpr::detail::upload_values<float>(exec, "mpr test", field),
               upload(exec, "mpr test", field.status));
  while (fill.advance()) {
  }
  const Kokkos::View<float*, ExecSpace> mean("mpr test", truth.values.size()),
      deviation("mpr test", truth.values.size());
  fill.moments(mean, deviation);
  const mpr::PredictedLaws laws(field.transform, mpr::detail::download_values(exec, mean, field),
                                mpr::detail::download_doubles(exec, deviation));
  return mpr::score(truth.values, laws, mpr::find_compared(field, truth.values)).mrase;
}

FillOptions harmonic() {
  FillOptions options;
  options.curvature = 0;
  options.anisotropy = mpr::Anisotropy::equal;
  options.calibrate = mpr::Calibrate::none;
  options.draws = 8;
  return options;
}

/// Returns the error of the mean with the transform that is chosen, if one is.
double transformed_error(const Truth& truth, Field& field, double plain) {
  mpr::set_transform(field, std::nullopt);
  // calibrated: the mean of such a law depends on its spread
  return field.transform.is_identity() ? plain : error_of(truth, field, {});
}

/// Errors over several masks of each kind.
void expect_not_worse(const Truth& truth, int masks = 1) {
  for (const bool blocks : {false, true}) {
    double plain = 0, error = 0, transformed = 0;  // squares
    for (int mask = 0; mask < masks; ++mask) {
      Field field = with_gaps(truth, blocks, static_cast<unsigned>(mask + 1));
      double errors[2] = {};
      for (const std::uint64_t seed : {0u, 1u}) {
        FillOptions options;
        options.seed = seed;
        options.calibrate = mpr::Calibrate::none;
        options.draws = 8;
        errors[seed] = error_of(truth, field, options);
      }
      EXPECT_NEAR(errors[1] / errors[0], 1, 0.01)
          << truth.name << ": the seed says nothing of the field";
      plain += std::pow(error_of(truth, field, harmonic()), 2) / masks;
      error += std::pow(errors[0], 2) / masks;
      transformed += std::pow(transformed_error(truth, field, errors[0]), 2) / masks;
    }
    std::printf(
        "%-10s %s: harmonic %.5g, default %.5g, with a transform where one is chosen %.5g\n",
        truth.name.c_str(), blocks ? "blocks" : "random", std::sqrt(plain), std::sqrt(error),
        std::sqrt(transformed));
    EXPECT_LT(std::sqrt(error), 1.01 * std::sqrt(plain))
        << truth.name << (blocks ? ", blocks" : ", random");
    EXPECT_LT(std::sqrt(transformed), 1.01 * std::sqrt(plain))
        << truth.name << (blocks ? ", blocks" : ", random");
  }
}

TEST(Harmonic, Terrain) { expect_not_worse(crop("jacksboro", 150)); }
TEST(Harmonic, Relief) { expect_not_worse(relief(crop("jacksboro", 1000)), 2); }
TEST(Harmonic, SeaFloor) { expect_not_worse(crop("topobathy", 150), 6); }
TEST(Harmonic, RoughGaussianField) { expect_not_worse(gaussian(0.5)); }
TEST(Harmonic, SmoothGaussianField) { expect_not_worse(gaussian(1.5)); }

}  // namespace
}  // namespace tessera::test
