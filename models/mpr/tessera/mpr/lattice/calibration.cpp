// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/lattice/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace tessera::mpr {

namespace {

constexpr double kNormal975 = 1.959963984540054;
/// First distances of the classes, and the end of the last.
constexpr std::array<int, 9> kClass{1, 2, 3, 5, 10, 20, 40, 80, Calibration::kFarthest + 1};
constexpr std::size_t kClasses = kClass.size() - 1;
/// Independent samples that what a factor leans on counts as.
constexpr double kLean = 5;

std::size_t class_of(int distance) {
  const auto above = std::upper_bound(kClass.begin(), kClass.end() - 1, std::max(distance, 1));
  return static_cast<std::size_t>(above - kClass.begin()) - 1;
}

/// The 0.95 quantile of the sizes over that of the normal law.
double spread(std::vector<double>& sizes) {
  const auto at =
      sizes.begin() + static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(sizes.size()));
  std::nth_element(sizes.begin(), at, sizes.end());
  return std::clamp(*at / kNormal975, 1e-2, 1e2);
}

/// Returns the size of a sample: its |truth - mean| / standard deviation, less the part of the
/// error. The 0.95 quantile of sizes over 1.96 is the factor of the standard deviation.
double size_of(const HeldOutSample& s) {
  if (!(s.noise > 0)) return std::fabs(s.ratio);
  const double part = kNormal975 * s.noise;
  return std::sqrt(std::max(0.0, s.ratio * s.ratio - part * part));
}

/// Returns how much a sample tells of the factor, 0 ... 1: the square of the field's share of its
/// variance.
double weight_of(const HeldOutSample& s) {
  return 1 / ((1 + s.noise * s.noise) * (1 + s.noise * s.noise));
}

bool any_noise(const std::vector<HeldOutSample>& samples) {
  return std::any_of(samples.begin(), samples.end(),
                     [](const HeldOutSample& s) { return s.noise > 0; });
}

/// See Calibration::size_by_errors.
double find_size_by_errors(const std::vector<HeldOutSample>& samples) {
  double sum = 0;
  for (const HeldOutSample& s : samples) sum += (s.ratio / s.noise) * (s.ratio / s.noise);
  return std::sqrt(sum / static_cast<double>(samples.size()));
}

/// The nearest sequence, in squares with weights, that rises (sign = 1) or falls (-1): pools
/// adjacent violators.
std::vector<double> monotone(const std::vector<double>& values, const std::vector<double>& weights,
                             double sign) {
  struct Pool {
    double value, weight;
    std::size_t size;
  };
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < values.size(); ++i) {
    pools.push_back({sign * values[i], weights[i], 1});
    while (pools.size() > 1 && pools[pools.size() - 2].value > pools.back().value) {
      const Pool last = pools.back();
      pools.pop_back();
      Pool& before = pools.back();
      const double weight = before.weight + last.weight;
      before.value = (before.value * before.weight + last.value * last.weight) / weight;
      before.weight = weight;
      before.size += last.size;
    }
  }
  std::vector<double> result;
  for (const Pool& pool : pools) result.insert(result.end(), pool.size, sign * pool.value);
  return result;
}

/// Lets the logarithm of a factor that `weight` independent samples give lean on that of a base.
/// Beside errors of the samples a variance is the rest of two large numbers, which may be next to
/// nothing by chance, with a logarithm of no meaning: below the base squares of factors are
/// averaged. Their error is 1.9 / sqrt(weight), and the base counts as one of an error of 0.85.
double lean(double own, double base, double weight, bool noise) {
  if (!noise || own >= base) return (weight * own + kLean * base) / (weight + kLean);
  const double square = std::exp(2 * (own - base));
  return base + 0.5 * std::log((weight * square + kLean) / (weight + kLean));
}

double squares(const std::vector<double>& a, const std::vector<double>& b,
               const std::vector<double>& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += weights[i] * (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/// Returns the factor of one class; `share`: sum of the squares of its samples' shares.
double own_factor(std::vector<double>& sizes, double share, int draws_held, int draws) {
  const double n = static_cast<double>(sizes.size()), factor = spread(sizes);
  if (draws_held == 0 || !(share > 0)) return factor;
  return factor * student_to_normal(draws * n / share) / student_to_normal(draws_held * n / share);
}

}  // namespace

double class_centre(int distance) {
  const std::size_t c = class_of(distance);
  return std::sqrt(static_cast<double>(kClass[c]) * (kClass[c + 1] - 1));
}

double normal_quantile(double p) {
  double low = -40, high = 40;
  for (int step = 0; step < 200; ++step) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double student_to_normal(double degrees) {
  const double z = kNormal975, z2 = z * z, n = degrees;
  const double first = (z2 + 1) / 4, second = (5 * z2 * z2 + 16 * z2 + 3) / 96,
               third = (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  return 1 + (first + (second + third / n) / n) / n;
}

Calibration::Calibration(const std::vector<HeldOutSample>& samples, Calibrate kind, int draws_held,
                         int draws, int frames, int layers)
    : m_layers(layers) {
  if (kind == Calibrate::none || samples.size() < kLeast) return;
  m_samples = static_cast<std::int64_t>(samples.size());
  m_size_by_errors = find_size_by_errors(samples);
  if (is_contradicted()) kind = Calibrate::none;
  m_shared = find_factors(samples, kind, draws_held, draws, nullptr);
  const auto split = [](const std::vector<HeldOutSample>& of_all, int count,
                        int HeldOutSample::*number) {
    std::vector<std::vector<HeldOutSample>> parts(static_cast<std::size_t>(count));
    for (const HeldOutSample& s : of_all) parts[static_cast<std::size_t>(s.*number)].push_back(s);
    return parts;
  };
  const auto factors_of = [&](const std::vector<HeldOutSample>& own, const Factors& shared) {
    return own.size() < kLeast ? shared : find_factors(own, kind, draws_held, draws, &shared);
  };
  if (frames * layers > 1) {
    for (const std::vector<HeldOutSample>& own : split(samples, frames, &HeldOutSample::frame)) {
      const Factors of_frame = frames > 1 ? factors_of(own, m_shared) : m_shared;
      if (layers == 1) {
        m_parts.push_back(of_frame);
        continue;
      }
      for (const std::vector<HeldOutSample>& of_layer : split(own, layers, &HeldOutSample::layer))
        m_parts.push_back(factors_of(of_layer, of_frame));
    }
  }
  // factors by distance; 0: not asked for yet
  std::vector<std::vector<double>> found(static_cast<std::size_t>(frames * layers));
  m_residual.reserve(samples.size());
  for (const HeldOutSample& s : samples) {
    std::vector<double>& of_part = found[static_cast<std::size_t>(s.frame * layers + s.layer)];
    of_part.resize(kFarthest + 1);
    double& f = of_part[static_cast<std::size_t>(s.distance)];
    if (f == 0) f = factor(s.distance, s.frame, s.layer);
    m_residual.push_back(s.ratio / (s.noise > 0 ? std::hypot(f, s.noise) : f));
  }
}

/// shared: those of all frames, or of the frame of a layer, on which these lean; null: these are
/// the first.
Calibration::Factors Calibration::find_factors(const std::vector<HeldOutSample>& samples,
                                               Calibrate kind, int draws_held, int draws,
                                               const Factors* shared) {
  Factors factors;
  if (kind == Calibrate::none) return factors;
  if (kind == Calibrate::by_distance)
    factors.classes = find_classes(samples, draws_held, draws, shared);
  if (factors.classes.size() >= 2) {
    double weight = 0, sum = 0;
    for (const Class& c : factors.classes) {
      weight += static_cast<double>(c.samples);
      sum += static_cast<double>(c.samples) * std::log(c.factor);
    }
    factors.common = std::exp(sum / weight);
    return factors;
  }
  factors.classes.clear();
  std::vector<double> sizes;
  double share = 0, weight = 0;
  for (const HeldOutSample& s : samples) {
    sizes.push_back(size_of(s));
    share += s.share * s.share / static_cast<double>(samples.size());
    weight += weight_of(s);
  }
  factors.common = spread(sizes);
  if (draws_held > 0 && share > 0)
    factors.common *= student_to_normal(draws / share) / student_to_normal(draws_held / share);
  if (any_noise(samples))
    factors.common = std::exp(lean(std::log(factors.common), 0, weight, true));
  return factors;
}

std::vector<Calibration::Class> Calibration::find_classes(const std::vector<HeldOutSample>& samples,
                                                          int draws_held, int draws,
                                                          const Factors* shared) {
  std::array<std::vector<double>, kClasses> sizes;
  std::array<double, kClasses> share{}, weight{};
  for (const HeldOutSample& s : samples) {
    const std::size_t c = class_of(s.distance);
    sizes[c].push_back(size_of(s));
    share[c] += s.share * s.share;
    weight[c] += weight_of(s);
  }
  std::vector<Class> classes;
  const bool leans_on_one = any_noise(samples);
  std::vector<double> logarithm, weights;
  // The logarithm of the factor of this part over the shared one, at the distance before
  double beyond = 0;
  for (std::size_t c = 0; c < kClasses; ++c) {
    const double centre = class_centre(kClass[c]);
    const bool is_known = sizes[c].size() >= kLeast;
    const bool is_shared =
        shared && std::any_of(shared->classes.begin(), shared->classes.end(),
                              [centre](const Class& of_all) { return of_all.centre == centre; });
    if (!is_known && !is_shared) continue;
    // Errors within a distance d of each other are alike: that many count as one. Few of them lean
    // on the class before, those of a frame on all frames, times what it needed more at the class
    // before.
    const double independent = is_known ? weight[c] / (kClass[c] * kClass[c]) : 0;
    const double own = is_known ? std::log(own_factor(sizes[c], share[c], draws_held, draws)) : 0;
    const bool has_base = shared || !logarithm.empty() || leans_on_one;
    const double of_shared = shared ? std::log(shared->at(centre)) : 0;
    const double base = shared ? of_shared + beyond : !logarithm.empty() ? logarithm.back() : 0;
    logarithm.push_back(has_base ? lean(own, base, independent, leans_on_one) : own);
    beyond = logarithm.back() - of_shared;
    weights.push_back(shared ? independent + kLean : independent);
    classes.push_back({centre, static_cast<std::int64_t>(sizes[c].size()), 1});
  }
  const std::vector<double> rising = monotone(logarithm, weights, 1),
                            falling = monotone(logarithm, weights, -1);
  const bool rises = squares(rising, logarithm, weights) <= squares(falling, logarithm, weights);
  for (std::size_t k = 0; k < classes.size(); ++k)
    classes[k].factor = std::exp(rises ? rising[k] : falling[k]);
  return classes;
}

bool Calibration::is_contradicted() const {
  // The mean square of n numbers with a normal law of variance 1 has the variance 2 / n.
  const double samples = static_cast<double>(std::max<std::int64_t>(m_samples, 1)),
               least = 1 - 4 * std::sqrt(2 / samples);
  return m_size_by_errors * m_size_by_errors < least;
}

double Calibration::Factors::at(double distance) const {
  if (classes.empty()) return common;
  if (distance <= classes.front().centre) return classes.front().factor;
  if (distance >= classes.back().centre) return classes.back().factor;
  std::size_t k = 1;
  while (classes[k].centre < distance) ++k;
  const Class &low = classes[k - 1], &high = classes[k];
  const double part = std::log(distance / low.centre) / std::log(high.centre / low.centre);
  return std::exp((1 - part) * std::log(low.factor) + part * std::log(high.factor));
}

double Calibration::quantile(double p, bool empirical) const {
  constexpr double kEnough = 50;  // on either side
  const double n = static_cast<double>(m_residual.size());
  if (!empirical || is_contradicted() || p * n < kEnough || (1 - p) * n < kEnough)
    return normal_quantile(p);
  const double at = p * (n - 1);
  const std::size_t below = static_cast<std::size_t>(at);
  std::vector<double> residual = m_residual;
  const auto low = residual.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(residual.begin(), low, residual.end());
  const double high = low + 1 == residual.end() ? *low : *std::min_element(low + 1, residual.end());
  return *low + (at - static_cast<double>(below)) * (high - *low);
}

}  // namespace tessera::mpr
