// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/program/result_groups.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/core/io/netcdf.hpp"
#include "tessera/core/io/pieces.hpp"
#include "tessera/mpr/data/coordinates.hpp"

namespace tessera::mpr {

namespace {

using io::Attributes;

/// Writes maps with the dimensions of the field.
class MapWriter {
 public:
  MapWriter(const io::ResultsFile& file, const Field& field)
      : m_field(field),
        m_results(file.results()),
        m_coordinates(file.coordinates()),
        m_dimensions(dimension_names(field)) {}

  void write(const ResultMap& map) const { write(map, m_field.shape, m_dimensions); }

  void write_status() const {
    std::vector<double> known;
    io::write_pieces<std::uint8_t>(
        m_results, "status", m_field.shape,
        [&](std::uint64_t first, std::uint64_t count, std::uint8_t* status) {
          known.resize(count);
          m_field.read_sites(first, count, known.data(), status);
        });
    m_results.set_attribute("units", "1", "status");
    m_results.set_attribute("long_name", "0 inactive, 1 sample, 2 missing", "status");
    io::attach_scales(m_results, "status", m_coordinates, m_dimensions);
  }

  void write_ensemble(const Predictions& predictions) const {
    const std::size_t members = predictions.members;
    write_numbers(m_coordinates, "member", members, "number of the realisation");
    std::vector<std::uint64_t> shape = m_field.shape;
    shape.insert(shape.begin(), members);
    std::vector<std::string> dimensions = m_dimensions;
    dimensions.insert(dimensions.begin(), "member");
    write(make_ensemble_map(m_field, predictions), shape, dimensions);
  }

 private:
  void write(const ResultMap& map, const std::vector<std::uint64_t>& shape,
             const std::vector<std::string>& dimensions) const {
    if (map.single) {
      std::vector<double> wide;
      io::write_pieces<float>(m_results, map.name, shape,
                              [&](std::uint64_t first, std::uint64_t count, float* values) {
                                wide.resize(count);
                                map.values(first, count, wide.data());
                                std::copy(wide.begin(), wide.end(), values);
                              });
    } else {
      io::write_pieces<double>(m_results, map.name, shape, map.values);
    }
    m_results.set_attribute("units", map.attributes.units, map.name);
    m_results.set_attribute("long_name", map.attributes.long_name, map.name);
    io::attach_scales(m_results, map.name, m_coordinates, dimensions);
  }

  const Field& m_field;
  io::Group m_results, m_coordinates;
  std::vector<std::string> m_dimensions;
};

}  // namespace

void write_maps(io::ResultsFile& file, const Field& field, const Predictions& predictions,
                const OutputParameters& output) {
  write_coordinates(file.coordinates(), field);
  const MapWriter writer(file, field);
  for (const ResultMap& map : make_result_maps(field, predictions, output)) writer.write(map);
  copy_field_attributes(file.results(), "filled", field);
  if (predictions.centre_error) writer.write(make_error_map(field, predictions));
  writer.write_status();
  if (predictions.members > 0) writer.write_ensemble(predictions);
}

/// The direction in which the field is smoothest, in images.
struct Direction {
  double angle;  ///< from the x axis towards greater y, in degrees, -90 ... 90
  double ratio;  ///< of the lengths of correlation in it and across, at least 1
};

/// The principal axes of the tensor of the couplings.
Direction strongest_direction(const AxisCouplings& axis) {
  const auto [xx, xy, yy] = axis.tensor();
  const double middle = 0.5 * (xx + yy), half = std::hypot(0.5 * (xx - yy), xy);
  return {90 / std::acos(0.0) * 0.5 * std::atan2(2 * xy, xx - yy),
          std::sqrt((middle + half) / std::max(middle - half, 1e-300))};
}

/// Writes how the couplings were found.
void write_evidence(const io::Group& group, const Evidence& evidence) {
  write_numbers(group, "iteration", evidence.steps.size(), "number of the step of the search");
  const auto column = [&](const char* name, const char* text, const auto& member) {
    std::vector<double> values;
    for (const EvidenceStep& step : evidence.steps) values.push_back(member(step));
    group.write(name, values, Attributes{"1", text});
    io::attach_scales(group, name, group, {"iteration"});
  };
  column("curvature", "coupling of curvature at each step of the search",
         [](const EvidenceStep& s) { return s.beta; });
  column("anisotropy", "coupling along x to that along y",
         [](const EvidenceStep& s) { return s.axis[0] / s.axis[1]; });
  column("diagonal", "coupling along the diagonal, negative for that of (-1, 1)",
         [](const EvidenceStep& s) { return s.axis.tilt * s.axis[2]; });
  column("temperature", "temperature of greatest evidence",
         [](const EvidenceStep& s) { return s.temperature; });
  column("step", "length of the step to the next, in standard errors",
         [](const EvidenceStep& s) { return s.slope; });
  group.set_attribute("log_curvature_error", evidence.beta_error);
  group.set_attribute("log_anisotropy_error", evidence.ratio_error);
}

void write_reliability(const io::Group& validation, const Reliability& reliability,
                       const std::string& units) {
  const io::Group group = validation.group("reliability");
  const auto column = [&](const char* name, const char* of_units, const char* text,
                          const std::vector<double>& values, const char* scale) {
    group.write(name, values, Attributes{of_units, text});
    io::attach_scales(group, name, group, {scale});
  };
  write_numbers(group, "bin", reliability.pit.size(), "number of the twentieth");
  column("pit", "1", "share of the true values in each twentieth of their normal laws",
         reliability.pit, "bin");
  if (reliability.class_spread.size() == reliability.pit.size()) {
    column("spread", units.c_str(), "standard deviation, by twentieths of the sites in its order",
           reliability.class_spread, "bin");
    column("error", units.c_str(), "root mean square error of the same sites",
           reliability.class_error, "bin");
  }
  if (reliability.classes.empty()) return;
  const auto values = [&](double DistanceScores::*member) {
    std::vector<double> of_classes;
    for (const DistanceScores& c : reliability.classes) of_classes.push_back(c.*member);
    return of_classes;
  };
  group.write("distance", values(&DistanceScores::distance),
              Attributes{"1", "steps to the nearest sample, in the middle of each class"});
  io::make_scale(group, "distance");
  column("coverage95", "1", "share of the true values within 1.96 standard deviations",
         values(&DistanceScores::coverage), "distance");
  column("sites", "1", "sites of the class that were compared", values(&DistanceScores::sites),
         "distance");
  column("distance_error", units.c_str(), "root mean square error of the class",
         values(&DistanceScores::error), "distance");
  column("distance_spread", units.c_str(), "root mean square of its standard deviations",
         values(&DistanceScores::spread), "distance");
  column("distance_crps", units.c_str(),
         "continuous ranked probability score of normal laws of the class",
         values(&DistanceScores::crps), "distance");
}

void write_quantile_shares(const io::Group& validation, const std::vector<double>& quantiles,
                           const std::vector<double>& shares) {
  const io::Group group = validation.group("reliability");
  group.write("quantile", quantiles,
              Attributes{"1", "probability of the quantiles of the results"});
  io::make_scale(group, "quantile");
  group.write("quantile_share", shares,
              Attributes{"1", "share of the true values that are not above the quantile"});
  io::attach_scales(group, "quantile_share", group, {"quantile"});
}

std::vector<ScoreColumn> score_columns(const std::string& units) {
  return {{"maae", units, "mean absolute error", &Scores::maae},
          {"mare", "1", "mean relative error", &Scores::mare},
          {"maare", "1", "mean absolute relative error", &Scores::maare},
          {"mrase", units, "root mean square error", &Scores::mrase},
          {"coverage95", "1", "share of the true values within 1.96 standard deviations",
           &Scores::coverage95},
          {"spread", units, "mean standard deviation", &Scores::spread},
          {"crps", units, "continuous ranked probability score of normal laws", &Scores::crps},
          {"crps_ensemble", units,
           "that of the realisations, where output.ensemble asks for at least two",
           &Scores::crps_ensemble},
          {"interval_score", units, "score of the 95 % intervals: width, and 40 times the misses",
           &Scores::interval_score},
          {"seconds", "s", "wall time of the filling, transfers excluded", &Scores::seconds},
          {"transfer_seconds", "s", "wall time of the copies of samples, mean and deviation",
           &Scores::transfer_seconds},
          {"updates", "1", "spin updates", &Scores::updates},
          {"relaxation_sweeps", "1", "sweeps of the burn-in", &Scores::burn_in_sweeps},
          {"temperature", "1", "temperature of the model", &Scores::temperature},
          {"curvature", "1", "coupling of curvature", &Scores::beta}};
}

/// Writes the factors of each frame, or of each layer of stacks, at some distances.
void write_factors_of_parts(const io::Group& group, const Calibration& calibration,
                            const std::vector<double>& distance, int frames) {
  const bool stacks = calibration.layers() > 1;
  std::vector<double> factors;
  for (int f = 0; f < frames; ++f) {
    for (int layer = 0; layer < calibration.layers(); ++layer) {
      for (const double d : distance) factors.push_back(calibration.factor(d, f, layer));
    }
  }
  const std::uint64_t count = static_cast<std::uint64_t>(frames),
                      layers = static_cast<std::uint64_t>(calibration.layers());
  write_numbers(group, "frame", count, "number of the frame");
  if (stacks) write_numbers(group, "layer", layers, "number of the layer");
  io::make_scale(group, "distance");
  if (stacks) {
    group.write("layer_factor", factors, {count, layers, distance.size()},
                {"1", "the same, of each layer of each frame"});
    io::attach_scales(group, "layer_factor", group, {"frame", "layer", "distance"});
  } else {
    group.write("frame_factor", factors, {count, distance.size()},
                {"1", "the same, of each frame"});
    io::attach_scales(group, "frame_factor", group, {"frame", "distance"});
  }
}

/// Writes the factors of standard deviations.
void write_calibration(const io::Group& group, const Calibration& calibration, int frames) {
  std::vector<double> distance, samples, factor;
  for (const Calibration::Class& c : calibration.classes()) {
    distance.push_back(c.centre);
    samples.push_back(static_cast<double>(c.samples));
    factor.push_back(c.factor);
  }
  group.write("distance", distance,
              Attributes{"1", "steps to the nearest sample, in the middle of each class"});
  group.write("samples", samples, Attributes{"1", "held out in the class"});
  group.write("factor", factor,
              Attributes{"1", "of standard deviations; interpolated between the classes"});
  if (calibration.has_parts()) write_factors_of_parts(group, calibration, distance, frames);
  group.set_attribute("samples", calibration.samples());
  group.set_attribute("common_factor", calibration.common_factor());
}

/// Writes how well samples were predicted with each transform.
void write_trials(const io::Group& group, const Field& field) {
  std::vector<std::int64_t> transform, distance;
  std::vector<double> crps, error;
  for (const TransformTrial& trial : field.trials) {
    transform.push_back(static_cast<std::int64_t>(trial.kind));
    distance.push_back(trial.distance);
    crps.push_back(trial.crps);
    error.push_back(trial.error);
  }
  write_numbers(group, "trial", field.trials.size(), "number of the trial");
  group.write("transform", transform, Attributes{"1", "0 none, 1 log, 2 normal_score"});
  group.write("distance", distance,
              Attributes{"1", "of samples from those that they were predicted from, in sites"});
  group.write("crps", crps,
              Attributes{field.units, "continuous ranked probability score of the predictions"});
  group.write("error", error, Attributes{field.units, "their root mean square error"});
  for (const char* name : {"transform", "distance", "crps", "error"})
    io::attach_scales(group, name, group, {"trial"});
}

/// Returns the root mean square of the errors of the samples.
double root_mean_square_noise(const Field& field) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < field.status.size(); ++i) {
    if (field.status[i] != kSample) continue;
    sum += field.noise_at(i) * field.noise_at(i);
    count += 1;
  }
  return std::sqrt(sum / std::max(count, 1.0));
}

/// The coefficients of each frame.
void write_trend(const io::Group& group, const Trend& trend,
                 const std::vector<TrendReport>& reports, const std::string& units) {
  const std::size_t columns = trend.size();
  std::vector<std::string> names;
  for (const Trend::Column& column : trend.columns()) names.push_back(column.name);
  std::vector<double> coefficient, error;
  for (const TrendReport& report : reports) {
    coefficient.insert(coefficient.end(), report.coefficient.begin(), report.coefficient.end());
    error.insert(error.end(), report.error.begin(), report.error.end());
  }
  write_numbers(group, "frame", reports.size(), "number of the frame");
  write_numbers(group, "column", columns, "number of the column of the trend");
  group.write("name", names,
              Attributes{"1", "fields, and monomials of x, y, z, which run from -1 to 1"});
  const std::string of = units + " / unit of the column";
  group.write("coefficient", coefficient, {reports.size(), columns},
              {of, "coefficient of each column, by generalised least squares"});
  group.write("standard_error", error, {reports.size(), columns},
              {of, "standard error of the coefficient"});
  io::attach_scales(group, "name", group, {"column"});
  for (const char* name : {"coefficient", "standard_error"})
    io::attach_scales(group, name, group, {"frame", "column"});
}

void write_report(const io::Group& results, const RunReport& report, const Field& field) {
  const FrameReport first = report.frames.empty() ? FrameReport() : report.frames.front();
  results.set_attribute("temperature", first.temperature);
  results.set_attribute("sample_energy", first.sample_energy);
  results.set_attribute("relaxation_sweeps", static_cast<std::int64_t>(report.burn_in_sweeps));
  results.set_attribute("equilibrium_sweeps",
                        static_cast<std::int64_t>(report.uses_draws ? 0 : report.sampling_sweeps));
  results.set_attribute("draws",
                        static_cast<std::int64_t>(report.uses_draws ? report.sampling_sweeps : 0));
  results.set_attribute("updates", report.updates);
  results.set_attribute("curvature", report.beta);
  results.set_attribute("coupling_x", report.axis[0]);
  results.set_attribute("coupling_y", report.axis[1]);
  results.set_attribute("coupling_z", report.axis.tilt == 0 ? report.axis[2] : 0.0);
  results.set_attribute("coupling_diagonal", report.axis.tilt * report.axis[2]);
  const Direction direction = strongest_direction(report.axis);
  results.set_attribute("anisotropy_ratio", direction.ratio);
  results.set_attribute("anisotropy_angle", direction.angle);
  results.set_attribute("variance_factor", std::pow(report.calibration.common_factor(), 2));
  results.set_attribute("linear_iterations", static_cast<std::int64_t>(report.linear_iterations));
  results.set_attribute("linear_error", report.linear_error);
  results.set_attribute("gap_edge", static_cast<std::int64_t>(report.gap_edge));
  results.set_attribute("transform", transform_name(field.transform.kind()));
  if (field.noise || report.noise > 0)
    results.set_attribute("noise", field.noise ? root_mean_square_noise(field) : report.noise);
  if (!report.trend.empty())
    write_trend(results.group("trend"), *field.trend, report.trend, field.units);
  if (!field.trials.empty()) write_trials(results.group("transform"), field);
  const io::Group frames = results.group("frames");
  write_numbers(frames, "frame", report.frames.size(), "number of the frame");
  const auto column = [&](const char* name, const char* text, auto member) {
    std::vector<double> values;
    for (const FrameReport& frame : report.frames)
      values.push_back(static_cast<double>(frame.*member));
    frames.write(name, values, Attributes{"1", text});
    io::attach_scales(frames, name, frames, {"frame"});
  };
  const auto column_of_values = [&](const char* name, const char* text,
                                    double FrameReport::*member) {
    std::vector<double> values;
    for (std::size_t f = 0; f < report.frames.size(); ++f)
      values.push_back(
          field.transform.back(report.frames[f].*member + field.offset(static_cast<int>(f))));
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
  if (!report.calibration.classes().empty())
    write_calibration(results.group("calibration"), report.calibration,
                      static_cast<int>(report.frames.size()));
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
  column("energy", chain.energy,
         "specific energy after the sweep (of a batch of sweeps while sampling)");
  column("acceptance", chain.acceptance, "accepted Metropolis steps");
  column("step_control", chain.step_control, "a: turns are at most pi / (2 a)");
  column("slope", chain.gradient, "gradient of the energy, where it was fitted");
}

}  // namespace tessera::mpr
