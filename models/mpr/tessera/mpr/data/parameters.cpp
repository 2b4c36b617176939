// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "tessera/core/config/choice.hpp"
#include "tessera/core/config/numbers.hpp"
#include "tessera/core/config/record_errors.hpp"
#include "tessera/core/config/scalar.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/io/raster.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/core/math/fft.hpp"
#include "tessera/mpr/data/companion_field.hpp"
#include "tessera/mpr/data/end_values.hpp"
#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/masks.hpp"
#include "tessera/mpr/data/source.hpp"
#include "tessera/mpr/data/stored_image.hpp"
#include "tessera/mpr/data/transform_choice.hpp"
#include "tessera/mpr/data/trend.hpp"
#include "tessera/mpr/data/truth.hpp"

namespace tessera::mpr {

namespace {

/// The key of a parameter that has two names: the other one where the input uses that.
std::string name_or_other(config::Section& in, const std::string& name, const std::string& other) {
  if (!in.has(other)) return name;
  if (in.has(name))
    in.error(name, "'" + other + "' is another name of '" + name + "': give only one of them");
  return other;
}

/// Numbers in one of the ways in which inputs give them; an empty list is none. `requirement` is
/// what each of them must be, as `holds` tells.
template <class Check>
std::vector<double> read_list(config::Section& in, const std::string& key, const std::string& doc,
                              const std::string& requirement, const Check& holds) {
  std::vector<double> numbers;
  const bool is_list = in.form(key) == config::Form::list;
  if (is_list) {
    in.get(key, numbers).doc(doc);
  } else {
    config::NumbersOptions options;
    options.doc = doc + "; each " + requirement + ": a number, a list of numbers, or one of these";
    options.most = 1e6;
    numbers = config::read_numbers(in, key, options);
  }
  const auto bad = std::find_if(numbers.begin(), numbers.end(),
                                [&](double x) { return !(std::isfinite(x) && holds(x)); });
  if (bad == numbers.end()) return numbers;
  const auto index = bad - numbers.begin();
  in.error_within(key, is_list ? static_cast<int>(index) : -1, 0,
                  "number " + std::to_string(index + 1) + " of '" + in.path() + "." + key +
                      "' is " + config::yaml_text(*bad) + ", but must be " + requirement);
  return {};
}

/// Does the same for numbers between limits.
std::vector<double> read_list(config::Section& in, const std::string& key, const std::string& doc,
                              double low, double high) {
  const std::string limits =
      "between " + config::yaml_text(low) + " and " + config::yaml_text(high);
  return read_list(in, key, doc, limits, [=](double x) { return x >= low && x <= high; });
}

/// The dataset of a file, which may be called a variable.
void read_dataset(config::Section& in, std::string& dataset) {
  in.get(name_or_other(in, "dataset", "variable"), dataset)
      .doc("path of the dataset (NetCDF: of the variable) in an HDF5 or NetCDF-4 file");
}

/// One band, several, or all of them.
void read_bands(config::Section& in, std::vector<int>& bands) {
  bool all = false;
  int band = 1;
  const bool has_band = in.get("band", band).range(1, 1e6).doc("band of a raster").given();
  std::vector<int> several;
  in.get("bands", several)
      .range(1, 1e6)
      .doc("several bands of a raster at once, as frames or layers");
  in.get("all_bands", all).doc("all bands of a raster");
  if ((has_band && (all || !several.empty())) || (all && !several.empty()))
    in.error("bands", "give one of 'band', 'bands' and 'all_bands'");
  bands = all ? std::vector<int>() : several.empty() ? std::vector<int>{band} : several;
}

/// `data`: the file of the data, in which a mask stands that names only its dataset.
void read_mask(config::Section& parent, const std::string& key, const std::string& doc,
               const std::string& data, MaskParameters& p) {
  config::Section in = parent.section(key, doc);
  in.get("file", p.file)
      .path()
      .doc("HDF5, NetCDF, .npy or a raster; of the shape of the data, or of one image of them")
      .otherwise("the file of the data, where 'dataset' is given");
  read_dataset(in, p.dataset);
  in.get("flags", p.flags)
      .doc(
          "names of CF flags (flag_meanings of the dataset) that are marked, instead of all that "
          "is not zero");
  in.get("bits", p.bits)
      .range(1, 9e18)
      .doc("numbers that have any of these bits are marked: a sum of powers of two");
  in.get("inverted", p.inverted).doc("what is not marked is, and the other way round");
  if (!p.flags.empty() && p.bits) in.error("bits", "give either 'flags' or 'bits', not both");
  const bool is_given = p.inverted || p.bits || !p.flags.empty();
  if (p.file.empty() && !p.dataset.empty()) p.file = data;
  if (p.file.empty() && is_given)
    in.error("file", "a mask needs 'file', or 'dataset' in the file of the data");
  in.finish();
}

void read_synthetic(config::Section& parent, SyntheticParameters& p) {
  config::Section in = parent.section(
      "synthetic", "instead of a file: a Gaussian field with Whittle-Matern covariance");
  p.given = in.present();
  in.get("size", p.size).size(2).range(2, 1 << 15).doc("rows and columns");
  in.get("smoothness", p.smoothness).range(0.05, 10).doc("nu of the covariance");
  in.get("inverse_length", p.inverse_length)
      .positive()
      .doc("kappa: correlations fall off over 1 / kappa sites");
  in.get("mean", p.mean).doc("mean of the field");
  in.get("standard_deviation", p.deviation).positive().doc("of the field");
  in.finish();
}

void read_input(config::Section& root, Parameters& p) {
  InputParameters& i = p.input;
  config::Section in = root.section("input", "the data");
  in.get("file", i.file).path().doc("HDF5 (.h5), NetCDF-4 (.nc), .npy, or whatever GDAL reads");
  read_dataset(in, i.dataset);
  read_bands(in, i.bands);
  in.get("third_axis", i.third_axis)
      .one_of({"frames", "coupled"})
      .doc(
          "what comes before rows and columns: independent frames, or depth or time whose "
          "neighbours are coupled");
  in.get("missing_value", i.missing_value)
      .doc("marks missing sites, besides NaN and the file's own fill values");
  in.get("refine", i.refine)
      .range(1, 64)
      .doc(
          "the data are a coarse product: their rows and columns stand so many sites apart on the "
          "grid that is filled, whose shape inactive sites, background, errors, trend and truth "
          "have");
  read_mask(in, "mask", "missing sites", i.file, i.mask);
  read_mask(in, "inactive", "sites that are no part of the field, such as land; left as they are",
            i.file, i.inactive);
  read_synthetic(in, i.synthetic);
  const bool needs_data = p.task == "fill" || p.task == "validate";
  if (!in.documenting()) {
    if (i.synthetic.given && !i.file.empty())
      in.error("synthetic", "give either 'file' or 'synthetic', not both");
    if (needs_data && i.file.empty() && !i.synthetic.given)
      in.error("file", "'input' needs 'file' or 'synthetic'");
    if (p.task == "fill" && i.synthetic.given)
      in.error("synthetic", "a synthetic field has no gaps: use task 'validate' or 'synthesize'");
    if (p.task == "synthesize") i.synthetic.given = true;
    if (i.synthetic.given && !math::fft_available())
      in.error("synthetic",
               "this build has no FFTW, which synthetic fields need (Debian: libfftw3-dev)");
  } else if (p.task == "validate" && i.file.empty() && math::fft_available()) {
    in.write_out("synthetic");
  }
  in.finish();
}

void read_grid(config::Section& root, Parameters& p) {
  config::Section in = root.section("grid", "the shape of the cells");
  in.get("metric", p.grid.metric)
      .one_of({"auto", "pixels", "geographic", "projected"})
      .doc(
          "couplings are those of distances: on a sphere with latitudes and longitudes, or in a "
          "plane with coordinates that are lengths or a projection; auto: what the file has, else "
          "pixels (mode paper: pixels)");
  in.get("periodic", p.grid.periodic)
      .doc(
          "[lon]: the last column is next to the first, which is checked; [x]: also where there "
          "are no longitudes");
  in.finish();
}

/// `doc`: of the file.
void read_companion_file(config::Section& in, CompanionFile& of, const std::string& doc) {
  in.get("file", of.file).path().doc(doc);
  read_dataset(in, of.dataset);
  read_bands(in, of.bands);
}

void read_background_file(config::Section& parent, Parameters& p) {
  config::Section in = parent.section(
      "background",
      "a field that is taken off the data and added to what fills them, such as a climatology");
  read_companion_file(
      in, p.background,
      "of the shape of the data, or of one image of them, without gaps where the data are active");
  if (in.present() && p.background.file.empty() && !in.documenting())
    in.error("file", "'background' needs 'file'");
  if (!p.background.file.empty() && !in.documenting() && p.input.file.empty())
    in.error("file", "a background needs data in input.file");
  in.finish();
}

/// A number, or a section.
void read_noise_source(config::Section& parent, NoiseParameters& noise) {
  const std::string doc =
      "known errors of the samples, independent of each other: samples are filled, too, and the "
      "spread at a sample is that of the field given all samples; needs exact draws "
      "(simulation.sampler). A number instead of the section is the standard deviation";
  if (parent.form("noise") == config::Form::scalar) {
    parent.get("noise", noise.deviation).non_negative().doc(doc);
    return;
  }
  config::Section in = parent.section("noise", doc);
  const bool is_given = in.present();
  in.get("standard_deviation", noise.deviation)
      .non_negative()
      .doc("of the error of each sample, in the units of the data");
  read_companion_file(
      in, noise.of,
      "instead: of the shape of the data, or of one image of them, with a value at each sample");

  config::choose(in, "kind", noise.are_variances,
                 {{"standard_deviation", false}, {"variance", true}})
      .doc("what the numbers of the file are");

  if (is_given && !in.documenting() && noise.deviation.has_value() == !noise.of.file.empty())
    in.error("", "'noise' needs either 'standard_deviation' or 'file'");
  in.finish();
}

void read_noise_parameters(config::Section& in, Parameters& p) {
  read_noise_source(in, p.noise);
  if (in.documenting()) return;
  p.fill.noise = p.noise.deviation.value_or(0) > 0 || !p.noise.of.file.empty();
  if (!p.fill.noise) return;
  if (p.fill.paper) in.error("noise", "mode 'paper' takes samples for exact");
  if (p.transform != TransformKind::none)
    in.error("transform",
             "errors are those of values, not of what they are transformed to: give either "
             "'transform' or 'noise'");
  if (p.fill.local_temperature)
    in.error("local_temperature", "with 'noise' there is one temperature for each frame");
  if (p.input.file.empty()) in.error("noise", "errors of samples need data in input.file");
}

void read_trend(config::Section& parent, Parameters& p) {
  config::Section in = parent.section("trend",
                                      "values are a combination of fields, by generalised least "
                                      "squares, and of what the rotator knows: external drift");
  const bool is_given = in.present();
  TrendParameters& trend = p.trend;
  in.get("fields", trend.fields)
      .path()
      .doc(
          "files of the shape of the data, or of one image of them, without gaps where they are "
          "active");
  in.get("datasets", trend.datasets)
      .doc("of each of the fields, in HDF5 and NetCDF files; '' for others");
  in.get("polynomial", trend.polynomial)
      .range(0, 2)
      .doc(
          "degree of a polynomial in columns, rows (and layers), each from -1 at the first to 1 at "
          "the last");
  in.finish();
  if (in.documenting() || !is_given) return;
  if (trend.fields.empty() && trend.polynomial == 0)
    in.error("", "'trend' needs 'fields' or a 'polynomial' of degree 1 or 2");
  const auto empty = std::find(trend.fields.begin(), trend.fields.end(), "");
  if (empty != trend.fields.end())
    in.error("fields", "an element of 'fields' is empty, but must name a file");
  if (!trend.datasets.empty() && trend.datasets.size() != trend.fields.size())
    in.error("datasets", "there are " + std::to_string(trend.datasets.size()) + " datasets for " +
                             std::to_string(trend.fields.size()) +
                             " fields: give one of each field");
  if (p.fill.paper) parent.error("trend", "mode 'paper' has no trend");
  if (p.input.file.empty()) parent.error("trend", "a trend needs data in input.file");
}

void read_model(config::Section& root, Parameters& p) {
  config::Section in = root.section("model", "the rotator");

  bool by_paper = false;
  config::choose(in, "mode", by_paper, {{"default", false}, {"paper", true}})
      .doc("paper: the published method, with the corrected over-relaxation");
  if (by_paper) p.fill = FillOptions::published();
  config::choose(in, "transform", p.transform,
                 {{"none", TransformKind::none},
                  {"log", TransformKind::log},
                  {"normal_score", TransformKind::normal_score},
                  {"auto", std::nullopt}})
      .doc(
          "of the values before all else, for skewed data and for errors that grow with the value; "
          "auto: the one that predicts samples from others best, or none");

  std::optional<double> q;
  const bool has_q =
      in.get("q", q)
          .range(0.05, 0.5)
          .doc("the range of the data covers an angle of 2 pi q: another way to give the padding")
          .otherwise("1 / (2 + 4 padding)")
          .given();
  const bool has_padding =
      in.get("padding", p.fill.padding)
          .range(0, 10)
          .doc("of the range of the samples, on each side, before it is mapped to the half circle")
          .given();
  if (has_q && has_padding) in.error("q", "give either 'q' or 'padding', not both");
  if (q) p.fill.padding = 0.25 / *q - 0.5;
  in.get("curvature", p.fill.curvature)
      .non_negative()
      .doc("coupling of curvature beta")
      .otherwise("of greatest evidence (mode paper: 0)");

  config::choose(in, "anisotropy", p.fill.anisotropy,
                 {{"evidence", Anisotropy::evidence},
                  {"equal", Anisotropy::equal},
                  {"estimated", Anisotropy::estimated},
                  {"choose", Anisotropy::evidence}})
      .doc(
          "couplings of the axes: of greatest evidence, equal, or from differences of neighbours; "
          "'choose' is another name of evidence");

  std::vector<double> couplings;
  in.get("couplings", couplings)
      .positive()
      .doc("relative couplings along x, y (and z), instead of 'anisotropy'");
  if (!couplings.empty()) {
    if (couplings.size() < 2 || couplings.size() > 3) {
      in.error("couplings", "two or three couplings are needed");
    } else {
      p.fill.axis = {{couplings[0], couplings[1], couplings.size() == 3 ? couplings[2] : 0}};
    }
  }
  double diagonal = 0;
  in.get("diagonal", diagonal)
      .doc(
          "with two 'couplings': that of diagonal neighbours in images, those at (1, 1) from each "
          "other, or at (-1, 1) where it is negative; needs exact draws (simulation.sampler)");
  if (diagonal != 0 && couplings.size() != 2) {
    in.error("diagonal", "'diagonal' goes with two 'couplings'");
  } else if (diagonal != 0 && p.fill.axis) {
    p.fill.axis =
        AxisCouplings{{couplings[0], couplings[1], std::fabs(diagonal)}, diagonal > 0 ? 1 : -1};
  }
  in.get("temperature", p.fill.temperature)
      .positive()
      .doc("of the rotator")
      .otherwise("from the samples");

  config::choose(in, "calibrate", p.fill.calibrate,
                 {{"by_distance", Calibrate::by_distance},
                  {"one", Calibrate::one},
                  {"false", Calibrate::none},
                  {"true", Calibrate::by_distance}})
      .doc(
          "scale standard deviations so that 95 % of samples held out lie in their 95 % intervals, "
          "by a factor for each distance from the nearest sample, or by one factor; true: "
          "by_distance (mode paper: false)");

  in.get("local_temperature", p.fill.local_temperature)
      .doc("a temperature that varies over the field");
  in.get("window", p.fill.window)
      .range(4, 4096)
      .unit("sites")
      .doc("edge of the windows of the local temperature");
  read_background_file(in, p);
  if (p.transform != TransformKind::none && !p.background.file.empty())
    in.error("transform",
             "a background is taken off values, not off what they are transformed to: give either "
             "'transform' or 'background'");
  read_trend(in, p);
  read_noise_parameters(in, p);

  config::choose(in, "precision", p.single, {{"single", true}, {"double", false}})
      .doc("of the spins; sums are always double");

  if (p.fill.local_temperature && by_paper)
    in.error("local_temperature", "mode 'paper' has one temperature");

  in.finish();
}

constexpr const char* kRowsOfTiles = "4, 8, 16, 32 or 64";
bool are_rows_of_tile(double rows) {
  return rows == 4 || rows == 8 || rows == 16 || rows == 32 || rows == 64;
}

void read_simulation(config::Section& root, Parameters& p) {
  config::Section in = root.section("simulation", "how long, and how estimates are taken");
  FillOptions& f = p.fill;

  in.get(name_or_other(in, "sampling_sweeps", "equilibrium_sweeps"), f.sampling_sweeps)
      .range(1, 1e6)
      .doc("over which estimates are averaged")
      .otherwise("25, more for wide gaps and many realisations (mode paper: 100)");
  in.get(name_or_other(in, "burn_in_sweeps", "relaxation_sweeps"), f.burn_in_sweeps)
      .range(0, 1e6)
      .doc("before estimates are averaged, a fixed number")
      .otherwise("10, more for wide gaps (mode paper: until the energy is flat)");
  int most = static_cast<int>(f.burn_in.most);
  in.get(name_or_other(in, "max_burn_in_sweeps", "max_relaxation_sweeps"), most)
      .range(1, 1e6)
      .doc("i_max of Algorithm 2");
  f.burn_in.most = static_cast<std::uint32_t>(std::max(most, 1));
  in.get("target_acceptance", f.burn_in.target).range(0, 1).doc("A_targ of Algorithm 2");
  in.get("step_growth", f.burn_in.growth).positive().doc("k_a of Algorithm 2: a = 1 + sweep / k_a");
  in.get("fit_sweeps", f.burn_in.fit)
      .range(2, 1000)
      .doc("n_fit of Algorithm 2: energies that a polynomial is fitted to");
  in.get("fit_degree", f.burn_in.degree)
      .range(1, 9)
      .doc(
          "of that polynomial, below 'fit_sweeps' (a Savitzky-Golay filter): the burn-in ends when "
          "it no longer falls in the middle; degrees 1 and 2, 3 and 4 ... are the same");
  if (f.burn_in.degree >= f.burn_in.fit)
    in.error("fit_degree", "'simulation.fit_degree' is " + std::to_string(f.burn_in.degree) +
                               ", but must be below fit_sweeps, " + std::to_string(f.burn_in.fit));
  in.get("check_every", f.burn_in.check_every)
      .range(1, 16)
      .unit("sweeps")
      .doc("n_f of Algorithm 2");

  config::choose(in, "over_relaxation", f.published_reflection,
                 {{"corrected", false}, {"published", true}})
      .doc(
          "the reflection that keeps the energy, or the paper's Eq. 6, which does not, to see its "
          "error (mode paper)");
  if (f.published_reflection && (!f.paper || f.curvature.value_or(0) != 0))
    in.error("over_relaxation", "'published' is of mode 'paper', without curvature");

  config::choose(in, "estimator", f.estimator,
                 {{"rao_blackwell", Estimator::conditional_mean}, {"sample", Estimator::spin}})
      .doc("average conditional means given the neighbours, or the spins themselves (mode paper)");

  in.get("replicas", f.replicas).range(1, 4096).doc("independent chains of each frame");
  in.get("tile_rows", f.tile_rows)
      .doc(
          "rows of the tiles, of 64 columns, that sweeps of images hold in fast memory: 4, 8, 16, "
          "32 or 64")
      .otherwise("by the size of the grid");
  if (f.tile_rows && !are_rows_of_tile(*f.tile_rows))
    in.error("tile_rows", "'simulation.tile_rows' is " + std::to_string(*f.tile_rows) +
                              ", but must be " + kRowsOfTiles);

  config::choose(
      in, "sampler", f.sampler,
      {{"auto", Sampler::automatic}, {"sweeps", Sampler::sweeps}, {"draws", Sampler::draws}})
      .doc(
          "standard deviations and realisations from sweeps of the rotator, or from independent "
          "exact draws of its Gaussian approximation; auto: draws where gaps are wide (mode paper: "
          "sweeps)");

  if (f.paper && f.sampler == Sampler::draws) in.error("sampler", "mode 'paper' has sweeps only");
  if (f.axis && f.axis->tilt != 0 && f.sampler == Sampler::sweeps)
    in.error("sampler", "sweeps have no couplings with a direction ('diagonal'): use draws");
  if (f.noise && !f.paper && f.sampler == Sampler::sweeps)
    in.error("sampler", "sweeps cannot take 'noise' into account: use draws");
  in.get("draws", f.draws).range(8, 4096).doc("exact draws of each frame, where they are used");
  in.finish();
}

/// A number of sites, or a length with its unit.
void read_max_gap_distance(config::Section& in, OutputParameters& p) {
  std::string distance = "0";
  in.get("max_gap_distance", distance)
      .doc(
          "sites further than this from every sample stay empty: 0 to 250 sites (0: no limit), or "
          "a length such as '25 km' or '800 m' where the cells are geographic or projected, within "
          "an image");
  char* end = nullptr;
  const double number = std::strtod(distance.c_str(), &end);
  std::string unit = end;
  unit.erase(0, unit.find_first_not_of(' '));
  if (unit == "km" || unit == "m") {
    if (number > 0 && std::isfinite(number)) {
      p.max_gap_length = unit == "km" ? 1000 * number : number;
    } else {
      in.error("max_gap_distance", "'output.max_gap_distance' is " + distance +
                                       ", but a length must be greater than 0");
    }
  } else if (end == distance.c_str() || !unit.empty() ||
             !(number >= 0 && number <= 250 && number == std::floor(number))) {
    in.error("max_gap_distance",
             "'output.max_gap_distance' is '" + distance +
                 "', but must be a whole number of sites from 0 to 250, or a length in m or km");
  } else if (number > 0) {
    p.max_gap_distance = static_cast<int>(number);
  }
}

void read_output(config::Section& root, Parameters& p) {
  config::Section in =
      root.section("output", "what the results hold besides mean and standard deviation");
  p.output.quantiles =
      read_list(in, "quantiles", "maps of these quantiles of the predictive law, e.g. [0.05, 0.95]",
                1e-6, 1 - 1e-6);

  config::choose(in, "quantile_law", p.output.empirical_quantiles,
                 {{"empirical", true}, {"normal", false}})
      .doc(
          "quantiles of the standardised errors of samples held out, where there are enough of "
          "them, or of the normal law");

  p.output.exceedance =
      read_list(in, "exceedance", "maps of the probability to exceed each of these values",
                "a finite number", [](double) { return true; });
  in.get("ensemble", p.output.ensemble).range(0, 10000).doc("realisations to keep");
  read_max_gap_distance(in, p.output);
  in.get("clip", p.output.clip).doc("predictions are kept within the range of the samples");
  in.get("netcdf", p.output.netcdf)
      .path()
      .doc(
          "also write a NetCDF-4 file (CF conventions) with the coordinates and attributes of a "
          "NetCDF source");
  in.get("geotiff", p.output.geotiff)
      .path()
      .doc("also write filled, mean and standard deviation as a GeoTIFF");
  in.get("cloud_optimised", p.output.cloud).doc("the GeoTIFF is in tiles, with overviews");

  config::choose(in, "packing", p.output.packed, {{"none", false}, {"source", true}})
      .doc(
          "of the filled field in 'netcdf' and 'geotiff'; source: its type, scale, offset and fill "
          "value (GeoTIFF: standard deviations go to a second file, NAME_std)");

  if (!p.output.geotiff.empty() && p.output.geotiff == p.output.netcdf)
    in.error("geotiff", "output.geotiff and output.netcdf name the same file: choose another name");
  if (p.task == "fill" && !p.output.geotiff.empty() && !io::have_gdal()) {
    in.error("geotiff",
             "output.geotiff needs GDAL, which this build lacks\n  remedy: leave it out, or build "
             "where GDAL is installed (Debian: libgdal-dev)");
  }
  in.finish();
}

/// Whole numbers that a range by even ratios gives are so but for rounding.
bool is_size(double x) {
  return std::fabs(x - std::round(x)) <= 1e-9 * x && x > 7.5 && x < 32768.5;
}

void read_truth_file(config::Section& parent, Parameters& p) {
  config::Section in = parent.section(
      "truth", "the values below the gaps of input.file, instead of values that are taken away");
  TruthParameters& truth = p.validate.truth;
  in.get("file", truth.file).path().doc("of the shape of the data; NaN where nothing is known");
  read_dataset(in, truth.dataset);
  read_bands(in, truth.bands);
  if (in.present() && truth.file.empty() && !in.documenting())
    in.error("file", "'truth' needs 'file'");
  in.finish();
  if (truth.file.empty() || in.documenting()) return;
  if (p.task == "validate" && p.input.file.empty())
    parent.error("truth", "'truth' needs data with gaps in input.file");
  for (const char* key : {"fraction", "sizes", "pattern", "block"}) {
    if (parent.has(key))
      parent.error(key,
                   std::string("'") + key + "' says what is taken away: give either it or 'truth'");
  }
}

/// The numbers of synthetic fields, and of the samplings of each.
void read_samplings(config::Section& in, Parameters& p) {
  std::optional<int> repeats;
  in.get("fields", p.validate.fields)
      .range(1, 1e6)
      .doc("synthetic fields, each with other random numbers");
  in.get("samplings", p.validate.samplings)
      .range(1, 1e6)
      .doc("of each field, with other sites and other random numbers");
  in.get("repeats", repeats)
      .range(1, 1e6)
      .doc("instead of both: samplings, each of a synthetic field of its own")
      .otherwise("fields times samplings");
  if (in.documenting()) return;
  if (repeats && (p.validate.fields > 1 || p.validate.samplings > 1))
    in.error("repeats", "give either 'repeats' or 'fields' and 'samplings'");
  if (p.validate.fields > 1 && !p.input.synthetic.given)
    in.error("fields", "'fields' needs input.synthetic; 'samplings' takes other sites of a file");
  if (repeats) (p.input.synthetic.given ? p.validate.fields : p.validate.samplings) = *repeats;
}

/// Precisions, backends and tiles with which each case is filled.
void read_variants(config::Section& in, ValidateParameters& p) {
  in.get("precisions", p.precisions)
      .one_of({"single", "double"})
      .doc("fill each case in each of these, instead of model.precision");
  in.get("backends", p.backends)
      .one_of({"all", "serial", "openmp", "cuda"})
      .doc("fill each case on each of these, instead of 'backend'; [all]: those of the program");
  in.get("tile_rows", p.tile_rows)
      .range(4, 64)
      .doc("fill each case with each of these simulation.tile_rows");
  const auto bad = std::find_if_not(p.tile_rows.begin(), p.tile_rows.end(), &are_rows_of_tile);
  if (bad != p.tile_rows.end())
    in.error_within(
        "tile_rows", static_cast<int>(bad - p.tile_rows.begin()), 0,
        "'validate.tile_rows' holds " + std::to_string(*bad) + ", but must hold " + kRowsOfTiles);
}

void read_validate(config::Section& root, Parameters& p) {
  config::Section in = root.section(
      "validate",
      "task validate: known values are taken away, or a truth is given; filled in and compared");
  read_truth_file(in, p);
  const auto fractions = read_list(
      in, "fraction", "of the known values to take away (default: 0.33); several are taken in turn",
      0.001, 0.999);
  if (!fractions.empty()) p.validate.fraction = fractions;
  const std::string sizes =
      "edges of square synthetic fields to go through, in sites, instead of input.synthetic.size";
  for (const double size :
       read_list(in, "sizes", sizes, "a whole number from 8 to 32768", &is_size))
    p.validate.sizes.push_back(static_cast<int>(std::lround(size)));
  in.get("pattern", p.validate.pattern)
      .one_of({"random", "blocks"})
      .doc("single sites, or square blocks");
  in.get("block", p.validate.block).range(2, 4096).unit("sites").doc("edge of a block");
  read_samplings(in, p);
  read_variants(in, p.validate);
  if (!p.validate.sizes.empty() && !p.input.synthetic.given && !in.documenting())
    in.error("sizes", "'sizes' needs input.synthetic");
  in.finish();
}

void read_simulate(config::Section& root, Parameters& p) {
  config::Section in =
      root.section("simulate", "task simulate: the unconditional model, without data");
  in.get("size", p.simulate.size)
      .range(2, 1 << 15)
      .doc("rows and columns, or layers, rows and columns");
  if (p.simulate.size.size() < 2 || p.simulate.size.size() > 3) {
    in.error("size", "two or three extents are needed");
    p.simulate.size = {128, 128};
  }
  const auto temperatures = read_list(in, "temperatures", "one chain each (default: 0.5)",
                                      "greater than 0", [](double t) { return t > 0; });
  if (!temperatures.empty()) p.simulate.temperatures = temperatures;
  in.get(name_or_other(in, "burn_in_sweeps", "relaxation_sweeps"), p.simulate.burn_in)
      .range(0, 1e7)
      .doc("before energies are averaged");
  in.get("sweeps", p.simulate.sweeps).range(1, 1e7).doc("over which energies are averaged");
  if (p.task == "simulate" && !p.grid.periodic.empty()) {
    if (p.grid.periodic != std::vector<std::string>{"x"})
      root.section("grid").error("periodic", "task simulate knows [x]: columns");
    if (p.simulate.size.size() == 3 || p.simulate.size.back() < kLeastColumns)
      in.error("size", "columns go round in images of at least 4 columns");
  }
  in.finish();
}

/// A whole number, or "auto", which is none.
std::optional<int> read_number_or_auto(config::Section& in, const std::string& key, int low,
                                       int high, int step, const std::string& doc) {
  std::string text = "auto";
  in.get(key, text).doc(doc);
  if (text == "auto") return {};
  char* end = nullptr;
  const long number = std::strtol(text.c_str(), &end, 10);
  if (end != text.c_str() && *end == '\0' && number >= low && number <= high && number % step == 0)
    return static_cast<int>(number);
  in.error(key, "'" + in.path() + "." + key + "' is '" + text +
                    "', but must be auto or a multiple of " + std::to_string(step) + " from " +
                    std::to_string(low) + " to " + std::to_string(high));
  return {};
}

/// "8 GiB", in bytes.
double read_memory(config::Section& in) {
  std::string text = "8 GiB";
  in.get("memory", text)
      .doc(
          "the most that a process takes on the host, e.g. '500 MiB'; on a CPU with what the model "
          "takes");
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  std::string unit = end;
  unit.erase(0, unit.find_first_not_of(' '));
  const double bytes = unit == "MiB" ? 0x1p20 : unit == "GiB" ? 0x1p30 : unit == "TiB" ? 0x1p40 : 0;
  if (number > 0 && std::isfinite(number) && bytes > 0) return number * bytes;
  in.error("memory", "'stream.memory' is '" + text +
                         "', but must be a number of MiB, GiB or TiB, such as '8 GiB'");
  return 0x1p33;
}

/// Refuses what a stream does not know, with the way out.
void check_stream(config::Section& root, const Parameters& p) {
  const auto refuse = [&root](const char* section, const char* key, const std::string& what) {
    config::Section in = *section == '\0' ? root : root.section(section);
    in.error(key, what + ", which a stream does not have: leave it out, or fill without 'stream'");
  };
  if (p.task != "fill") refuse("", "task", "task '" + p.task + "' works on a whole field");
  if (p.fill.paper) refuse("model", "mode", "mode 'paper' works on a whole field");
  if (p.fill.local_temperature)
    refuse("model", "local_temperature", "local temperatures are relative to a whole field");
  if (p.input.refine > 1) refuse("input", "refine", "the finer grid is made as a whole");
  if (!p.grid.periodic.empty()) refuse("grid", "periodic", "columns that go round join windows");
  if (p.output.max_gap_length || p.output.max_gap_distance.value_or(0) > p.stream.halo)
    refuse("output", "max_gap_distance",
           "a distance in metres, or greater than the halo, reaches beyond windows");
}

void read_stream(config::Section& root, Parameters& p) {
  config::Section in = root.section("stream",
                                    "task fill of an image that does not fit into memory, which is "
                                    "read, filled and written in windows");
  StreamParameters& stream = p.stream;
  stream.given = in.present();
  stream.window = read_number_or_auto(in, "window", 256, 1 << 16, 128,
                                      "edge of the windows, in sites: a multiple of 128; auto: the "
                                      "largest that 'memory' allows, up to 8192");
  stream.halo = read_number_or_auto(
                    in, "halo", 16, 240, 16,
                    "what windows see beyond their edges, in sites: a multiple of 16; auto: 64")
                    .value_or(stream.halo);
  stream.memory = read_memory(in);
  if (stream.given && !in.documenting()) check_stream(root, p);
  in.finish();
}

/// Calls read(failed), which reads or opens the fields of the trend and says in `failed` which of
/// them an error is about, -1: none of them. What is wrong is recorded there. Returns whether
/// nothing is.
template <class Read>
bool read_trend_fields(config::Section& model, const Read& read) {
  config::Section in = model.section("trend");
  int failed = -1;
  try {
    read(failed);
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    failed >= 0 ? in.error_within("fields", failed, 0, error.what())
                : in.error("polynomial", error.what());
    return false;
  }
}

/// "2, 5 and 7"; the first of many.
std::string list_of(const std::vector<int>& numbers) {
  constexpr std::size_t kMost = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(numbers.size(), kMost); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
  return numbers.size() > kMost ? text + ", ..." : text;
}

/// Warns of what the data do not say.
void warn_of_data(Field& field, const Parameters& p) {
  EndValues ends;
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    if (field.status[i] == kSample) ends.add(field.values[i]);
  }
  if (const std::string doubt = ends.doubt("'" + p.input.file + "'"); !doubt.empty())
    logging::warning(doubt);
  const std::vector<int> empty = set_empty_frames_aside(field);
  if (!empty.empty()) {
    logging::warning(
        std::to_string(empty.size()) + " of " + std::to_string(field.frames) +
        " frames have no sample and stay empty: number " + list_of(empty) +
        ", counted from 0 (input.third_axis: coupled fills them from their neighbours)");
  }
  if (p.task == "fill" && empty.empty() && field.count(kMissing) == 0 && !p.fill.noise) {
    logging::warning("nothing is missing in '" + p.input.file +
                     "': no site is filled; gaps are NaN, the file's fill value, "
                     "input.missing_value or what input.mask marks");
  }
}

/// Reads the data, the masks, the background, the errors of the samples and the fields of the
/// trend. What is wrong in a file is recorded at the key that names it. Data that are to be filled
/// are transformed; a validation does so when it has taken values away.
void load_field(config::Section& root, const Parameters& parameters, InputParameters& p) {
  const logging::Region region("tessera::mpr::read");
  config::Section in = root.section("input"), mask = in.section("mask"),
                  inactive = in.section("inactive"), model = root.section("model");
  Field field;
  const auto read = [&] { field = read_field(p); };
  const auto mark_missing = [&] { apply_mask(field, p.mask, kMissing); };
  const auto refine = [&] { refine_grid(field, p.refine, p.file); };
  const auto mark_inactive = [&] { apply_mask(field, p.inactive, kInactive); };
  const auto check = [&] { check_samples(field, p.file); };
  if (config::record_errors(in, "file", read) &&
      config::record_errors(mask, "file", mark_missing) &&
      config::record_errors(in, "refine", refine) &&
      config::record_errors(inactive, "file", mark_inactive) &&
      config::record_errors(in, "file", check)) {
    warn_of_data(field, parameters);
    const CompanionFile& background = parameters.background;
    config::Section in_background = model.section("background");
    const auto read_it = [&] {
      field.background =
          std::make_shared<const std::vector<double>>(read_background(background, field));
    };
    if (!background.file.empty() && !config::record_errors(in_background, "file", read_it)) return;
    const auto read_errors = [&] {
      field.noise =
          std::make_shared<const std::vector<double>>(read_noise(parameters.noise, field));
    };
    const bool is_file = !parameters.noise.of.file.empty();
    config::Section in_noise = is_file ? model.section("noise") : model;
    if (parameters.fill.noise &&
        !config::record_errors(in_noise, is_file ? "file" : "noise", read_errors))
      return;
    const auto read_trend = [&](int& failed) {
      field.trend = std::make_shared<const Trend>(Trend::make(parameters.trend, field, &failed));
    };
    if (parameters.trend.fields.size() + static_cast<std::size_t>(parameters.trend.polynomial) >
            0 &&
        !read_trend_fields(model, read_trend))
      return;
    const auto transform = [&] {
      if (parameters.transform == TransformKind::log) check_positive(field, p.file);
      parameters.task == "fill" ? set_transform(field, parameters.transform) : find_offsets(field);
    };
    // a validation does it later
    const bool is_transformed = parameters.transform != TransformKind::none;
    const auto check_range = [&] {
      check_precision(field, parameters.single && !is_transformed, p.file);
    };
    if (config::record_errors(model, "transform", transform) &&
        config::record_errors(model, "precision", check_range))
      p.field = std::make_shared<const Field>(std::move(field));
  }
}

/// Opens the data and the masks of a stream, and what goes with them. What is wrong with a file is
/// recorded at the key that names it.
void open_stream(config::Section& root, const Parameters& parameters, InputParameters& p) {
  config::Section in = root.section("input"), mask = in.section("mask"),
                  inactive = in.section("inactive"), model = root.section("model");
  Field field;
  std::shared_ptr<StoredImage> image;
  const auto open = [&] {
    field = describe_field(p, open_source(p.file, p.dataset, p.bands, true));
    image = std::make_shared<StoredImage>(p, field);
  };
  const auto add_mask = [&] { image->add_mask(field, p.mask, kMissing); };
  const auto add_inactive = [&] { image->add_mask(field, p.inactive, kInactive); };
  if (!config::record_errors(in, "file", open) || !config::record_errors(mask, "file", add_mask) ||
      !config::record_errors(inactive, "file", add_inactive))
    return;
  config::Section in_background = model.section("background");
  const auto add_background = [&] { image->add_background(field, parameters.background); };
  if (!parameters.background.file.empty() &&
      !config::record_errors(in_background, "file", add_background))
    return;
  const bool is_file = !parameters.noise.of.file.empty();
  config::Section in_noise = is_file ? model.section("noise") : model;
  const auto add_noise = [&] { image->add_noise(field, parameters.noise); };
  if (parameters.fill.noise &&
      !config::record_errors(in_noise, is_file ? "file" : "noise", add_noise))
    return;
  if (!read_trend_fields(model,
                         [&](int& failed) { image->add_trend(field, parameters.trend, failed); }))
    return;
  field.stored = image;
  p.field = std::make_shared<const Field>(std::move(field));
}

/// Reads the values below the gaps.
void load_truth(config::Section& root, const Field& field, TruthParameters& p) {
  config::Section in = root.section("validate").section("truth");
  config::record_errors(in, "file", [&] {
    p.values = std::make_shared<const std::vector<double>>(read_truth(p, field));
  });
}

/// The shape of the cells, from the coordinates of the field.
void find_cells(config::Section& root, Parameters& p) {
  config::Section in = root.section("grid");
  const bool asks = p.grid.metric == "geographic" || p.grid.metric == "projected";
  if (p.fill.paper && asks) return in.error("metric", "mode 'paper' knows square cells only");
  if (!p.grid.periodic.empty() && p.fill.paper)
    return in.error("periodic", "mode 'paper' has no columns that go round");
  const Grid& cells = p.input.field->grid;
  if (!p.grid.periodic.empty() && p.fill.sampler == Sampler::sweeps &&
      (cells.nz > 1 || cells.nx < kLeastColumns))
    return in.error("periodic",
                    "sweeps know columns that go round in images of at least 4 columns: use "
                    "simulation.sampler: draws");
  if (p.fill.paper) p.grid.metric = "pixels";
  const auto find = [&] { p.geography = find_geography(*p.input.field, p.grid); };
  if (!config::record_errors(in, p.grid.periodic.empty() ? "metric" : "periodic", find)) return;
  p.fill.metric = p.geography.metric;
  if (!p.geography.doubt.empty()) logging::warning(p.geography.doubt);
  if (p.geography.metric.periodic && p.trend.polynomial > 0)
    root.section("model").section("trend").error(
        "polynomial", "a polynomial does not go round as columns do: give 'fields' instead");
  if (!p.output.max_gap_length || !p.geography.positions.rows.empty()) return;
  config::Section output = root.section("output");
  output.error("max_gap_distance",
               "a length needs cells whose sizes are known, and here they are pixels" +
                   (p.geography.why.empty() ? "" : ": " + p.geography.why));
}

/// Refuses packing as in the source where the data come from no source of that kind.
void check_packing(config::Section& root, const Field& field, const OutputParameters& p) {
  if (!p.packed) return;
  config::Section in = root.section("output");
  if (!p.netcdf.empty() && !field.source)
    in.error("packing", "packing 'source' in 'netcdf' needs data from a NetCDF or HDF5 file");
  if (!p.geotiff.empty() && !field.raster)
    in.error("packing", "packing 'source' in 'geotiff' needs data from a raster");
}

/// Refuses what a fill of an array does not know.
void check_array(config::Section& root, const Parameters& p) {
  config::Section in = root.section("model");
  const auto refuse = [&in](const char* key) {
    in.error(key, std::string("'") + key + "' needs data that tessera-mpr reads");
  };
  if (p.transform != TransformKind::none) refuse("transform");
  if (!p.background.file.empty()) refuse("background");
  if (p.fill.noise) refuse("noise");
  if (!p.trend.fields.empty() || p.trend.polynomial > 0) refuse("trend");
}

}  // namespace

Parameters Parameters::read_of_array(config::Section& root, const Source& data,
                                     const std::string& third_axis) {
  Parameters p;
  p.input.file = data.place;
  p.input.third_axis = third_axis;
  read_grid(root, p);
  read_model(root, p);
  read_simulation(root, p);
  root.finish();
  check_array(root, p);
  p.input.field = std::make_shared<const Field>(describe_field(p.input, data));
  find_cells(root, p);
  return p;
}

Parameters Parameters::read(config::Section& root) {
  Parameters p;
  root.get("task", p.task)
      .one_of({"fill", "validate", "simulate", "synthesize"})
      .doc("fill gaps, measure how well that works, simulate without data, or make a field");
  read_input(root, p);
  read_grid(root, p);
  read_model(root, p);
  read_simulation(root, p);
  read_output(root, p);
  read_stream(root, p);
  read_validate(root, p);
  read_simulate(root, p);
  const bool needs_data = p.task == "fill" || p.task == "validate";
  if (needs_data && !p.input.file.empty() && !root.documenting() && !root.has_errors())
    p.stream.given ? open_stream(root, p, p.input) : load_field(root, p, p.input);
  if (p.task == "validate" && p.input.field && !p.validate.truth.file.empty())
    load_truth(root, *p.input.field, p.validate.truth);
  if (p.input.field && p.input.field->trend)
    p.fill.trend = static_cast<int>(p.input.field->trend->size());
  if (p.input.field && p.input.field->stored)
    p.fill.trend = static_cast<int>(p.input.field->stored->columns());
  if (p.input.field) find_cells(root, p);
  if (p.task == "fill" && p.input.field) check_packing(root, *p.input.field, p.output);
  return p;
}

}  // namespace tessera::mpr
