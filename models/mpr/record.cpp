// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/record.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tessera/core/error.hpp"
#include "tessera/core/io/raster.hpp"

namespace tessera::mpr {

namespace {

using io::Attributes;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// The quantile of the standard normal law, by bisection of erfc.
double normal_quantile(double p) {
  double low = -40, high = 40;
  for (int step = 0; step < 200; ++step) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

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

struct Assembled {
  std::vector<double> filled, mean, deviation;
};

/// Samples and inactive sites as they were read, missing ones as predicted.
Assembled assemble(const Field& field, const Maps& maps, bool clip) {
  Assembled all{field.values, field.values, std::vector<double>(field.values.size(), 0.0)};
  const auto ranges = clip ? sample_ranges(field) : std::vector<std::pair<double, double>>();
  const std::size_t sites = static_cast<std::size_t>(field.grid.sites());
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    if (field.status[i] == kInactive) {
      all.mean[i] = all.deviation[i] = kNan;
    } else if (field.status[i] == kMissing) {
      const bool far = !maps.far.empty() && maps.far[i] != 0;
      double mean = maps.mean[i];
      if (clip) mean = std::clamp(mean, ranges[i / sites].first, ranges[i / sites].second);
      all.filled[i] = all.mean[i] = far ? kNan : mean;
      all.deviation[i] = far || maps.deviation.empty() ? kNan : maps.deviation[i];
    }
  }
  return all;
}

void write_map(const io::Group& results, const std::string& name, const std::vector<double>& values,
               const std::vector<std::uint64_t>& shape, bool single, const Attributes& attributes) {
  if (single) {
    const std::vector<float> narrow(values.begin(), values.end());
    results.write(name, narrow, shape, attributes);
  } else {
    results.write(name, values, shape, attributes);
  }
}

}  // namespace

void write_maps(io::ResultsFile& file, const Field& field, const Maps& maps, const OutputParameters& output) {
  const io::Group results = file.results();
  const Assembled all = assemble(field, maps, output.clip);
  const std::string of = field.long_name.empty() ? field.name : field.long_name;
  write_map(results, "filled", all.filled, field.shape, field.single, {field.units, of + ", gaps filled"});
  copy_field_attributes(results, "filled", field);
  write_map(results, "mean", all.mean, field.shape, field.single, {field.units, "mean of " + of + " given the samples"});
  write_map(results, "std", all.deviation, field.shape, true, {field.units, "standard deviation of " + of + " given the samples"});
  results.write("status", field.status, field.shape, {"1", "0 inactive, 1 sample, 2 missing"});
  for (const double p : output.quantiles) {
    const double z = normal_quantile(p);
    std::vector<double> map(all.mean);
    for (std::size_t i = 0; i < map.size(); ++i) map[i] += z * all.deviation[i];
    write_map(results, "quantile_" + number_text(p), map, field.shape, field.single,
              {field.units, "quantile " + number_text(p) + " of " + of});
  }
  for (const double c : output.exceedance) {
    std::vector<double> map(all.mean.size());
    for (std::size_t i = 0; i < map.size(); ++i) {
      const double gap = all.mean[i] - c, sigma = all.deviation[i];
      map[i] = sigma > 0 ? 0.5 * std::erfc(-gap / sigma / std::sqrt(2.0)) : std::isnan(gap) ? kNan : gap > 0 ? 1.0 : 0.0;
    }
    write_map(results, "exceedance_" + number_text(c), map, field.shape, true,
              {"1", "probability that " + of + " exceeds " + number_text(c)});
  }
  if (!maps.ensemble.empty()) {
    std::vector<double> members;
    for (const auto& member : maps.ensemble) {
      for (std::size_t i = 0; i < member.size(); ++i) members.push_back(field.status[i] == kMissing ? member[i] : all.mean[i]);
    }
    std::vector<std::uint64_t> shape = field.shape;
    shape.insert(shape.begin(), maps.ensemble.size());
    write_map(results, "ensemble", members, shape, field.single, {field.units, "realisations of " + of + " given the samples"});
  }
  write_coordinates(file.coordinates(), field);
}

/// How the couplings were found.
void write_evidence(const io::Group& group, const Evidence& evidence) {
  const auto column = [&](const char* name, const char* text, const auto& member) {
    std::vector<double> values;
    for (const EvidenceStep& step : evidence.steps) values.push_back(member(step));
    group.write(name, values, Attributes{"1", text});
  };
  column("curvature", "coupling of curvature at each step of the search", [](const EvidenceStep& s) { return s.beta; });
  column("anisotropy", "coupling along x to that along y", [](const EvidenceStep& s) { return s.axis[0] / s.axis[1]; });
  column("temperature", "temperature of greatest evidence", [](const EvidenceStep& s) { return s.temperature; });
  column("step", "length of the step to the next, in standard errors", [](const EvidenceStep& s) { return s.slope; });
  group.set_attribute("log_curvature_error", evidence.beta_error);
  group.set_attribute("log_anisotropy_error", evidence.ratio_error);
}

void write_report(const io::Group& results, const RunReport& report, const Field& field) {
  const FrameReport first = report.frames.empty() ? FrameReport() : report.frames.front();
  results.set_attribute("temperature", first.temperature);
  results.set_attribute("sample_energy", first.sample_energy);
  results.set_attribute("relaxation_sweeps", static_cast<std::int64_t>(report.burn_in_sweeps));
  results.set_attribute("equilibrium_sweeps", static_cast<std::int64_t>(report.sampling_sweeps));
  results.set_attribute("updates", report.updates);
  results.set_attribute("curvature", report.beta);
  results.set_attribute("coupling_x", report.axis[0]);
  results.set_attribute("coupling_y", report.axis[1]);
  results.set_attribute("coupling_z", report.axis[2]);
  results.set_attribute("variance_factor", report.variance_factor);
  results.set_attribute("linear_iterations", static_cast<std::int64_t>(report.linear_iterations));
  results.set_attribute("linear_error", report.linear_error);
  results.set_attribute("gap_edge", static_cast<std::int64_t>(report.gap_edge));
  const io::Group frames = results.group("frames");
  const auto column = [&](const char* name, const char* text, auto member) {
    std::vector<double> values;
    for (const FrameReport& frame : report.frames) values.push_back(static_cast<double>(frame.*member));
    frames.write(name, values, Attributes{"1", text});
  };
  const auto column_of_values = [&](const char* name, const char* text, double FrameReport::*member) {
    std::vector<double> values;
    for (std::size_t f = 0; f < report.frames.size(); ++f) values.push_back(report.frames[f].*member + field.offset(static_cast<int>(f)));
    frames.write(name, values, Attributes{field.units, text});
  };
  column("temperature", "temperature of each frame", &FrameReport::temperature);
  column("sample_energy", "specific energy of the samples", &FrameReport::sample_energy);
  column("samples", "known sites", &FrameReport::samples);
  column("missing", "missing sites", &FrameReport::missing);
  column("inactive", "inactive sites", &FrameReport::inactive);
  column_of_values("low", "value that is mapped to the angle 0", &FrameReport::low);
  column_of_values("high", "value that is mapped to the angle pi", &FrameReport::high);
  if (!report.evidence.steps.empty()) write_evidence(results.group("evidence"), report.evidence);
}

void write_series(const io::Group& series, const SeriesOfChain& chain) {
  std::vector<std::uint64_t> sweep(chain.energy.size());
  for (std::size_t i = 0; i < sweep.size(); ++i) sweep[i] = i + 1;
  series.write("sweep", sweep, Attributes{"1", "number of the sweep"});
  series.write("energy", chain.energy, Attributes{"1", "specific energy after the sweep (of a batch of sweeps while sampling)"});
  series.write("acceptance", chain.acceptance, Attributes{"1", "accepted Metropolis steps"});
  series.write("step_control", chain.step_control, Attributes{"1", "a: turns are at most pi / (2 a)"});
  series.write("slope", chain.gradient, Attributes{"1", "gradient of the energy, where it was fitted"});
}

void write_geotiff(const Field& field, const Maps& maps, const OutputParameters& output) {
  if (output.geotiff.empty()) return;
  const Assembled all = assemble(field, maps, output.clip);
  io::Raster like = field.raster ? *field.raster : io::Raster();
  like.nx = field.grid.nx;
  like.ny = field.grid.ny;
  like.units = field.units == "1" ? "" : field.units;
  std::vector<std::pair<std::string, std::vector<double>>> layers;
  const std::size_t image = static_cast<std::size_t>(field.grid.nx) * field.grid.ny;
  for (std::size_t first = 0; first < all.filled.size(); first += image) {
    const std::string number = all.filled.size() > image ? " " + std::to_string(first / image) : "";
    const auto subset = [&](const std::vector<double>& v) {
      return std::vector<double>(v.begin() + static_cast<std::ptrdiff_t>(first), v.begin() + static_cast<std::ptrdiff_t>(first + image));
    };
    layers.emplace_back("filled" + number, subset(all.filled));
    layers.emplace_back("mean" + number, subset(all.mean));
    layers.emplace_back("standard deviation" + number, subset(all.deviation));
  }
  io::write_geotiff(output.geotiff, like, layers, field.single);
}

}  // namespace tessera::mpr
