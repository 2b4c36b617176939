// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/record.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tessera/core/error.hpp"
#include "tessera/core/io/netcdf.hpp"
#include "tessera/core/io/raster.hpp"
#include "tessera/mpr/coordinates.hpp"

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

/// A map with the dimensions of the field.
class MapWriter {
 public:
  MapWriter(const io::ResultsFile& file, const Field& field)
      : m_field(field), m_results(file.results()), m_coordinates(file.coordinates()), m_dimensions(dimension_names(field)) {}

  void write(const std::string& name, const std::vector<double>& values, bool single, const Attributes& attributes) const {
    write(name, values, m_field.shape, m_dimensions, single, attributes);
  }

  void write(const std::string& name, const std::vector<double>& values, const std::vector<std::uint64_t>& shape,
             const std::vector<std::string>& dimensions, bool single, const Attributes& attributes) const {
    if (single) {
      const std::vector<float> narrow(values.begin(), values.end());
      m_results.write(name, narrow, shape, attributes);
    } else {
      m_results.write(name, values, shape, attributes);
    }
    io::attach_scales(m_results, name, m_coordinates, dimensions);
  }

  void write_status() const {
    m_results.write("status", m_field.status, m_field.shape, {"1", "0 inactive, 1 sample, 2 missing"});
    io::attach_scales(m_results, "status", m_coordinates, m_dimensions);
  }

  void write_ensemble(const std::vector<double>& members, std::uint64_t count, const Attributes& attributes) const {
    write_numbers(m_coordinates, "member", count, "number of the realisation");
    std::vector<std::uint64_t> shape = m_field.shape;
    shape.insert(shape.begin(), count);
    std::vector<std::string> dimensions = m_dimensions;
    dimensions.insert(dimensions.begin(), "member");
    write("ensemble", members, shape, dimensions, m_field.single, attributes);
  }

 private:
  const Field& m_field;
  io::Group m_results, m_coordinates;
  std::vector<std::string> m_dimensions;
};

}  // namespace

void write_maps(io::ResultsFile& file, const Field& field, const Maps& maps, const OutputParameters& output) {
  write_coordinates(file.coordinates(), field);
  const MapWriter map(file, field);
  const Assembled all = assemble(field, maps, output.clip);
  const std::string of = field.long_name.empty() ? field.name : field.long_name;
  map.write("filled", all.filled, field.single, {field.units, of + ", gaps filled"});
  copy_field_attributes(file.results(), "filled", field);
  map.write("mean", all.mean, field.single, {field.units, "mean of " + of + " given the samples"});
  map.write("std", all.deviation, true, {field.units, "standard deviation of " + of + " given the samples"});
  map.write_status();
  for (const double p : output.quantiles) {
    const double z = normal_quantile(p);
    std::vector<double> quantile(all.mean);
    for (std::size_t i = 0; i < quantile.size(); ++i) quantile[i] += z * all.deviation[i];
    map.write("quantile_" + number_text(p), quantile, field.single, {field.units, "quantile " + number_text(p) + " of " + of});
  }
  for (const double c : output.exceedance) {
    std::vector<double> probability(all.mean.size());
    for (std::size_t i = 0; i < probability.size(); ++i) {
      const double gap = all.mean[i] - c, sigma = all.deviation[i];
      probability[i] = sigma > 0 ? 0.5 * std::erfc(-gap / sigma / std::sqrt(2.0)) : std::isnan(gap) ? kNan : gap > 0 ? 1.0 : 0.0;
    }
    map.write("exceedance_" + number_text(c), probability, true, {"1", "probability that " + of + " exceeds " + number_text(c)});
  }
  if (!maps.ensemble.empty()) {
    std::vector<double> members;
    for (const auto& member : maps.ensemble) {
      for (std::size_t i = 0; i < member.size(); ++i) members.push_back(field.status[i] == kMissing ? member[i] : all.mean[i]);
    }
    map.write_ensemble(members, maps.ensemble.size(), {field.units, "realisations of " + of + " given the samples"});
  }
}

/// How the couplings were found.
void write_evidence(const io::Group& group, const Evidence& evidence) {
  write_numbers(group, "iteration", evidence.steps.size(), "number of the step of the search");
  const auto column = [&](const char* name, const char* text, const auto& member) {
    std::vector<double> values;
    for (const EvidenceStep& step : evidence.steps) values.push_back(member(step));
    group.write(name, values, Attributes{"1", text});
    io::attach_scales(group, name, group, {"iteration"});
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
  write_numbers(frames, "frame", report.frames.size(), "number of the frame");
  const auto column = [&](const char* name, const char* text, auto member) {
    std::vector<double> values;
    for (const FrameReport& frame : report.frames) values.push_back(static_cast<double>(frame.*member));
    frames.write(name, values, Attributes{"1", text});
    io::attach_scales(frames, name, frames, {"frame"});
  };
  const auto column_of_values = [&](const char* name, const char* text, double FrameReport::*member) {
    std::vector<double> values;
    for (std::size_t f = 0; f < report.frames.size(); ++f) values.push_back(report.frames[f].*member + field.offset(static_cast<int>(f)));
    frames.write(name, values, Attributes{field.units, text});
    io::attach_scales(frames, name, frames, {"frame"});
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
  io::make_scale(series, "sweep");
  const auto column = [&](const char* name, const std::vector<double>& values, const char* text) {
    series.write(name, values, Attributes{"1", text});
    io::attach_scales(series, name, series, {"sweep"});
  };
  column("energy", chain.energy, "specific energy after the sweep (of a batch of sweeps while sampling)");
  column("acceptance", chain.acceptance, "accepted Metropolis steps");
  column("step_control", chain.step_control, "a: turns are at most pi / (2 a)");
  column("slope", chain.gradient, "gradient of the energy, where it was fitted");
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
