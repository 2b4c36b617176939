// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/result_maps.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>

#include "tessera/mpr/calibration.hpp"

namespace tessera::mpr {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// Range of the samples of each frame, for clipping.
std::vector<std::pair<double, double>> sample_ranges(const Field& field) {
  const std::size_t sites = static_cast<std::size_t>(field.grid.sites());
  std::vector<std::pair<double, double>> ranges;
  for (int f = 0; f < field.frames; ++f) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = f * sites; i < (f + 1) * sites; ++i) {
      if (field.status[i] != kSample) continue;
      low = std::min(low, field.values[i]);
      high = std::max(high, field.values[i]);
    }
    ranges.emplace_back(low, high);
  }
  return ranges;
}

/// Mean and standard deviation at all sites: NaN at inactive ones, the value and 0 at samples.
class SiteMoments {
 public:
  SiteMoments(const Field& field, const Predictions& predictions, bool clip) : m_field(field), m_predictions(predictions) {
    if (clip) m_ranges = sample_ranges(field);
  }

  void read(std::size_t first, std::size_t count, double* mean, double* deviation) const {
    m_predictions.moments(first, count, mean, deviation);
    const std::size_t sites = static_cast<std::size_t>(m_field.grid.sites());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t site = first + i;
      if (m_field.status[site] == kInactive) {
        mean[i] = deviation[i] = kNan;
      } else if (m_field.status[site] == kSample) {
        mean[i] = m_field.values[site];
        deviation[i] = 0;
      } else if (!m_ranges.empty() && !std::isnan(mean[i])) {
        mean[i] = std::clamp(mean[i], m_ranges[site / sites].first, m_ranges[site / sites].second);
      }
    }
  }

 private:
  const Field& m_field;
  const Predictions& m_predictions;
  std::vector<std::pair<double, double>> m_ranges;
};

/// A map that is a function of mean and standard deviation.
template <class Function>
PieceOfMap map_of_moments(const std::shared_ptr<const SiteMoments>& moments, const Function& function) {
  return [=](std::size_t first, std::size_t count, double* values) {
    std::vector<double> deviation(count);
    moments->read(first, count, values, deviation.data());
    for (std::size_t i = 0; i < count; ++i) values[i] = function(values[i], deviation[i]);
  };
}

std::string long_name(const Field& field) { return field.long_name.empty() ? field.name : field.long_name; }

}  // namespace

std::vector<ResultMap> make_result_maps(const Field& field, const Predictions& predictions, const OutputParameters& output) {
  const auto moments = std::make_shared<const SiteMoments>(field, predictions, output.clip);
  const std::string of = long_name(field);
  const PieceOfMap mean = map_of_moments(moments, [](double m, double) { return m; });
  const PieceOfMap filled = [&field, mean](std::size_t first, std::size_t count, double* values) {
    mean(first, count, values);
    for (std::size_t i = 0; i < count; ++i) {
      if (field.status[first + i] == kInactive) values[i] = field.values[first + i];
    }
  };
  std::vector<ResultMap> maps;
  maps.push_back({"filled", {field.units, of + ", gaps filled"}, field.single, filled});
  maps.push_back({"mean", {field.units, "mean of " + of + " given the samples"}, field.single, mean});
  maps.push_back({"std",
                  {field.units, "standard deviation of " + of + " given the samples"},
                  true,
                  map_of_moments(moments, [](double, double deviation) { return deviation; })});
  for (const double p : output.quantiles) {
    const double z = predictions.quantile ? predictions.quantile(p) : normal_quantile(p);
    maps.push_back({"quantile_" + number_text(p),
                    {field.units, "quantile " + number_text(p) + " of " + of},
                    field.single,
                    map_of_moments(moments, [z](double m, double deviation) { return m + z * deviation; })});
  }
  for (const double c : output.exceedance) {
    const auto probability = [c](double m, double deviation) {
      const double gap = m - c;
      return deviation > 0 ? 0.5 * std::erfc(-gap / deviation / std::sqrt(2.0)) : std::isnan(gap) ? kNan : gap > 0 ? 1.0 : 0.0;
    };
    maps.push_back({"exceedance_" + number_text(c),
                    {"1", "probability that " + of + " exceeds " + number_text(c)},
                    true,
                    map_of_moments(moments, probability)});
  }
  return maps;
}

ResultMap make_ensemble_map(const Field& field, const Predictions& predictions) {
  const PieceOfMap piece = [&](std::size_t first, std::size_t count, double* result) {
    const std::size_t sites = field.values.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t member = (first + i) / sites, site = (first + i) % sites;
      result[i] = field.status[site] == kMissing  ? predictions.realisation(member, site)
                  : field.status[site] == kSample ? field.values[site]
                                                  : kNan;
    }
  };
  return {"ensemble", {field.units, "realisations of " + long_name(field) + " given the samples"}, field.single, piece};
}

}  // namespace tessera::mpr
