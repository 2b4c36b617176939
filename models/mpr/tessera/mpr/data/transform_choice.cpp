// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/transform_choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tessera/core/config/scalar.hpp"
#include "tessera/core/error.hpp"

namespace tessera::mpr {

namespace {

constexpr std::size_t kMostSamples = std::size_t{1} << 20;  ///< from which normal scores are made
constexpr std::size_t kMostPredictions = 10000;
constexpr std::size_t kLeastPredictions = 100;
constexpr double kLeastGain = 0.02;

/// The samples, or some of them evenly spread, with the smallest and the greatest.
std::vector<double> take_samples(const Field& field) {
  const std::size_t all = static_cast<std::size_t>(field.count(kSample)),
                    stride = all / kMostSamples + 1;
  std::vector<double> samples;
  samples.reserve(all / stride + 3);
  double low = INFINITY, high = -INFINITY;
  std::size_t number = 0;
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    if (field.status[i] != kSample) continue;
    low = std::min(low, field.values[i]);
    high = std::max(high, field.values[i]);
    if (number++ % stride == 0) samples.push_back(field.values[i]);
  }
  if (stride > 1) samples.insert(samples.end(), {low, high});
  return samples;
}

Transform make_transform(const Field& field, TransformKind kind) {
  if (kind == TransformKind::normal_score && field.count(kSample) > 0)
    return Transform::normal_score(take_samples(field));
  return kind == TransformKind::log ? Transform::logarithm() : Transform();
}

/// Half the median length of the gaps along the rows, over the missing sites; 1 ... 64.
int find_distance(const Field& field) {
  const std::size_t row = static_cast<std::size_t>(field.grid.nx);
  std::vector<std::int64_t> sites(row + 1, 0);  // in gaps of each length
  std::int64_t missing = 0;
  std::size_t length = 0;
  for (std::size_t i = 0; i < field.status.size(); ++i) {
    const bool is_missing = field.status[i] == kMissing;
    length += is_missing ? 1 : 0;
    missing += is_missing ? 1 : 0;
    if (is_missing && (i + 1) % row != 0) continue;
    sites[length] += static_cast<std::int64_t>(length);
    length = 0;
  }
  std::int64_t below = 0;
  std::size_t median = 0;
  while (median < row && 2 * below < missing) below += sites[++median];
  return std::clamp(static_cast<int>((median + 1) / 2), 1, 64);
}

/// A sample, and those that it is predicted from.
struct Prediction {
  double truth;
  double neighbours[4];
  int count = 0;
};

std::vector<Prediction> take_predictions(const Field& field, int distance) {
  const std::int64_t nx = field.grid.nx, ny = field.grid.ny, image = nx * ny;
  const std::size_t stride = static_cast<std::size_t>(field.count(kSample)) / kMostPredictions + 1;
  std::vector<Prediction> predictions;
  std::size_t number = 0;
  for (std::size_t i = 0; i < field.status.size(); ++i) {
    if (field.status[i] != kSample || number++ % stride != 0) continue;
    Prediction p{field.values[i], {}, 0};
    const std::int64_t x = static_cast<std::int64_t>(i) % nx,
                       y = static_cast<std::int64_t>(i) % image / nx;
    const auto add = [&](std::int64_t at, std::int64_t size, std::int64_t step) {
      if (at < distance || at + distance >= size) return;
      const std::size_t low = i - static_cast<std::size_t>(distance * step),
                        high = i + static_cast<std::size_t>(distance * step);
      if (field.status[low] != kSample || field.status[high] != kSample) return;
      p.neighbours[p.count++] = field.values[low];
      p.neighbours[p.count++] = field.values[high];
    };
    add(x, nx, 1);
    add(y, ny, nx);
    if (p.count > 0) predictions.push_back(p);
  }
  return predictions;
}

TransformTrial try_transform(const Transform& transform, int distance,
                             const std::vector<Prediction>& predictions) {
  const double n = static_cast<double>(predictions.size());
  std::vector<double> centre;
  double squares = 0;
  for (const Prediction& p : predictions) {
    double sum = 0;
    for (int k = 0; k < p.count; ++k) sum += transform.forward(p.neighbours[k]);
    centre.push_back(sum / p.count);
    squares += std::pow(transform.forward(p.truth) - centre.back(), 2);
  }
  const double spread = std::sqrt(squares / n);
  TransformTrial trial{transform.kind(), distance, 0, 0};
  for (std::size_t k = 0; k < predictions.size(); ++k) {
    const double truth = predictions[k].truth;
    trial.crps += transform.crps(truth, centre[k], spread) / n;
    trial.error += std::pow(truth - transform.moments(centre[k], spread).mean, 2) / n;
  }
  trial.error = std::sqrt(trial.error);
  return trial;
}

/// Returns the number of samples that are not positive, and finds the site of the first.
std::int64_t count_without_logarithm(const Field& field, std::size_t& first) {
  std::int64_t count = 0;
  for (std::size_t i = field.values.size(); i-- > 0;) {
    if (field.status[i] != kSample || field.values[i] > 0) continue;
    first = i;
    ++count;
  }
  return count;
}

/// Chooses a transform by the rule of transform_choice.hpp; notes the trials.
Transform choose_transform(Field& field) {
  std::map<int, std::vector<Prediction>> predictions;  // by distance
  for (const int distance : {1, find_distance(field)}) {
    auto found = take_predictions(field, distance);
    if (found.size() >= kLeastPredictions) predictions[distance] = std::move(found);
  }
  Transform chosen;
  double best = 1;  // of relative CRPS
  std::size_t first = 0;
  for (const TransformKind kind :
       {TransformKind::none, TransformKind::log, TransformKind::normal_score}) {
    if (kind == TransformKind::log && count_without_logarithm(field, first) > 0) continue;
    const Transform transform = make_transform(field, kind);
    bool is_better = !predictions.empty() && kind != TransformKind::none;
    double relative = 0;
    for (const auto& [distance, at_distance] : predictions) {
      const TransformTrial here = try_transform(transform, distance, at_distance);
      field.trials.push_back(here);
      const TransformTrial& plain = *std::find_if(
          field.trials.begin(), field.trials.end(),
          [d = distance](const TransformTrial& trial) { return trial.distance == d; });
      is_better =
          is_better && here.crps <= (1 - kLeastGain) * plain.crps && here.error <= plain.error;
      relative += here.crps / plain.crps / static_cast<double>(predictions.size());
    }
    if (!is_better || relative >= best) continue;
    chosen = transform;
    best = relative;
  }
  return chosen;
}

}  // namespace

void set_transform(Field& field, std::optional<TransformKind> kind) {
  if (kind == TransformKind::log) check_positive(field, field.name);
  field.trials.clear();
  field.transform = kind ? make_transform(field, *kind) : choose_transform(field);
  find_offsets(field);
}

void check_positive(const Field& field, const std::string& name) {
  std::size_t first = 0;
  const std::int64_t count = count_without_logarithm(field, first);
  if (count > 0) throw_without_logarithm(field, name, count, first, field.values[first]);
}

void throw_without_logarithm(const Field& field, const std::string& name, std::int64_t samples,
                             std::size_t site, double value) {
  throw Error(ErrorKind::input,
              "'" + name + "' holds " + std::to_string(samples) +
                  " samples that have no logarithm; the first is " + config::yaml_text(value) +
                  " (" + describe_site(field, site) + ")",
              "take 'transform: normal_score', or mark them as missing with input.mask or "
              "input.missing_value");
}

}  // namespace tessera::mpr
