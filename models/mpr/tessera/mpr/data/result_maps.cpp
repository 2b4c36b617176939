// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/result_maps.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>

#include "tessera/mpr/lattice/calibration.hpp"

namespace tessera::mpr {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// Sites that are read at once.
constexpr std::size_t kPiece = std::size_t{1} << 20;

/// Range of the samples of each frame, for clipping.
std::vector<std::pair<double, double>> sample_ranges(const Field& field) {
  const std::size_t sites = static_cast<std::size_t>(field.grid.sites());
  std::vector<std::pair<double, double>> ranges;
  std::vector<double> values(std::min(sites, kPiece));
  std::vector<std::uint8_t> status(values.size());
  for (int f = 0; f < field.frames; ++f) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t first = 0; first < sites; first += kPiece) {
      const std::size_t count = std::min(kPiece, sites - first);
      field.read_sites(static_cast<std::size_t>(f) * sites + first, count, values.data(),
                       status.data());
      for (std::size_t i = 0; i < count; ++i) {
        if (status[i] != kSample) continue;
        low = std::min(low, values[i]);
        high = std::max(high, values[i]);
      }
    }
    ranges.emplace_back(low, high);
  }
  return ranges;
}

/// Values and what the sites are, kNoisy where samples have errors.
struct MarkedSites {
  std::vector<double> values;
  std::vector<std::uint8_t> status;
  MarkedSites(const Field& field, std::size_t first, std::size_t count)
      : values(count), status(count) {
    field.read_sites(first, count, values.data(), status.data());
    field.mark_noisy(first, count, status.data());
  }
};

/// Functions of the predictive laws of the missing sites.
class SiteLaws {
 public:
  SiteLaws(const Field& field, const Predictions& predictions, bool clip)
      : m_field(field), m_predictions(predictions) {
    if (clip) m_ranges = sample_ranges(field);
  }

  /// of_law(centre, spread) at missing sites and noisy samples, of_sample(value) at exact ones, NaN
  /// at inactive sites. The centre of a clipped law is within the range of the samples.
  template <class OfLaw, class OfSample>
  PieceOfMap map(const OfLaw& of_law, const OfSample& of_sample) const {
    return [this, of_law, of_sample](std::size_t first, std::size_t count, double* values) {
      std::vector<double> spread(count);
      const MarkedSites sites(m_field, first, count);
      m_predictions.law(first, count, values, spread.data());
      for (std::size_t i = 0; i < count; ++i) {
        if (is_unknown(sites.status[i])) {
          values[i] = of_law(clip_centre(values[i], first + i), spread[i]);
        } else {
          values[i] = sites.status[i] == kSample ? of_sample(sites.values[i]) : kNan;
        }
      }
    };
  }

  /// Values of missing sites within the range of the samples, if laws are clipped.
  void clip_values(std::size_t first, std::size_t count, double* values) const {
    if (m_ranges.empty()) return;
    std::vector<double> known(count);
    std::vector<std::uint8_t> status(count);
    m_field.read_sites(first, count, known.data(), status.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (status[i] != kMissing || std::isnan(values[i])) continue;
      values[i] = std::clamp(values[i], range(first + i).first, range(first + i).second);
    }
  }

 private:
  const std::pair<double, double>& range(std::size_t site) const {
    return m_ranges[site / static_cast<std::size_t>(m_field.grid.sites())];
  }
  double clip_centre(double centre, std::size_t site) const {
    if (m_ranges.empty() || std::isnan(centre)) return centre;
    return std::clamp(centre, m_field.transform.forward(range(site).first),
                      m_field.transform.forward(range(site).second));
  }

  const Field& m_field;
  const Predictions& m_predictions;
  std::vector<std::pair<double, double>> m_ranges;
};

std::string long_name(const Field& field) {
  return field.long_name.empty() ? field.name : field.long_name;
}

}  // namespace

std::vector<ResultMap> make_result_maps(const Field& field, const Predictions& predictions,
                                        const OutputParameters& output) {
  const auto laws = std::make_shared<const SiteLaws>(field, predictions, output.clip);
  const std::string of = long_name(field);
  const bool single = field.single && field.single_spread;
  const auto own_value = [](double value) { return value; };
  // The maps hold the laws; the transform belongs to the field.
  const auto make_map = [laws](const auto& of_law, const auto& of_sample) -> PieceOfMap {
    return [laws, map = laws->map(of_law, of_sample)](
               std::size_t first, std::size_t count, double* values) { map(first, count, values); };
  };
  const Transform& transform = field.transform;
  const PieceOfMap plain_mean = make_map(
      [&transform](double m, double s) { return transform.moments(m, s).mean; }, own_value);
  const PieceOfMap mean = [laws, plain_mean](std::size_t first, std::size_t count, double* values) {
    plain_mean(first, count, values);
    laws->clip_values(first, count, values);
  };
  const PieceOfMap filled = [&field, mean](std::size_t first, std::size_t count, double* values) {
    mean(first, count, values);
    const MarkedSites sites(field, first, count);
    for (std::size_t i = 0; i < count; ++i) {
      if (sites.status[i] == kInactive || sites.status[i] == kNoisy) values[i] = sites.values[i];
    }
  };
  std::vector<ResultMap> maps;
  maps.push_back({"filled", {field.units, of + ", gaps filled"}, single, filled});
  maps.push_back({"mean", {field.units, "mean of " + of + " given the samples"}, single, mean});
  maps.push_back(
      {"std",
       {field.units, "standard deviation of " + of + " given the samples"},
       field.single_spread,
       make_map([&transform](double m, double s) { return transform.moments(m, s).deviation; },
                [](double) { return 0.0; })});
  for (const double p : output.quantiles) {
    const double z = predictions.quantile ? predictions.quantile(p) : normal_quantile(p);
    maps.push_back(
        {"quantile_" + number_text(p),
         {field.units, "quantile " + number_text(p) + " of " + of},
         single,
         make_map([&transform, z](double m, double s) { return transform.back(m + z * s); },
                  own_value)});
  }
  for (const double c : output.exceedance) {
    maps.push_back(
        {"exceedance_" + number_text(c),
         {"1", "probability that " + of + " exceeds " + number_text(c)},
         true,
         make_map(
             [&transform, c](double m, double s) { return transform.probability_above(c, m, s); },
             [c](double value) { return value > c ? 1.0 : 0.0; })});
  }
  return maps;
}

ResultMap make_error_map(const Field& field, const Predictions& predictions) {
  const PieceOfMap piece = [&](std::size_t first, std::size_t count, double* errors) {
    std::vector<double> centre(count), spread(count);
    const MarkedSites sites(field, first, count);
    predictions.law(first, count, centre.data(), spread.data());
    predictions.centre_error(first, count, errors);
    const auto mean = [&](double m, double s) { return field.transform.moments(m, s).mean; };
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_unknown(sites.status[i])) {
        errors[i] = sites.status[i] == kSample ? 0.0 : kNan;
      } else if (std::isnan(centre[i])) {
        errors[i] = kNan;
      } else if (field.transform.kind() != TransformKind::none) {
        const double m = centre[i], s = spread[i], e = errors[i], q = predictions.spread_error;
        errors[i] = 0.5 * std::hypot(mean(m + e, s) - mean(m - e, s),
                                     mean(m, s * (1 + q)) - mean(m, s * (1 - q)));
      }
    }
  };
  return {"mc_error",
          {field.units, "standard error of the mean that comes from the computation alone"},
          field.single_spread,
          piece};
}

ResultMap make_ensemble_map(const Field& field, const Predictions& predictions) {
  const PieceOfMap piece = [&](std::size_t first, std::size_t count, double* result) {
    const std::size_t of_member = static_cast<std::size_t>(field.sites());
    for (std::size_t done = 0, here; done < count; done += here) {
      const std::size_t member = (first + done) / of_member, site = (first + done) % of_member;
      here = std::min(count - done, of_member - site);
      const MarkedSites sites(field, site, here);
      predictions.realisation(member, site, here, result + done);
      for (std::size_t i = 0; i < here; ++i) {
        if (!is_unknown(sites.status[i]))
          result[done + i] = sites.status[i] == kSample ? sites.values[i] : kNan;
      }
    }
  };
  return {"ensemble",
          {field.units, "realisations of " + long_name(field) + " given the samples"},
          field.single && field.single_spread,
          piece};
}

}  // namespace tessera::mpr
