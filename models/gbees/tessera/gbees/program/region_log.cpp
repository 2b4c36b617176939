// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/region_log.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace tessera::gbees {

namespace {

using io::Attributes;
using io::Shape;

std::uint64_t entries(const RegionParameters::Histogram& histogram) {
  return static_cast<std::uint64_t>(histogram.bins) + 2;
}

void write_histogram(const io::Group& group, const RegionParameters::Histogram& histogram,
                     const std::vector<double>& values) {
  std::vector<double> edges;
  for (int b = 0; b <= histogram.bins; ++b)
    edges.push_back(histogram.low + (histogram.high - histogram.low) * b / histogram.bins);
  group.write("edges", edges, Attributes{"1", "of the bins, by " + histogram.of});
  group.write("probability", values, Shape{values.size() / entries(histogram), entries(histogram)},
              Attributes{"1",
                         "absorbed in each segment between measurements: below the first edge, in "
                         "each bin, above the last edge"});
}

/// Writes what an absorbing region has taken after each step.
void write_series(const io::Group& group, const RegionLog& log, std::size_t region,
                  const std::vector<double>& dt) {
  const std::size_t regions = log.time.size();
  std::vector<double> absorbed(dt.size()), rate(dt.size());
  for (std::size_t i = 0; i < dt.size(); ++i) {
    absorbed[i] = log.absorbed[i * regions + region];
    const bool is_first = i == 0 || std::count(log.emptied.begin(), log.emptied.end(), i) > 0;
    rate[i] = (absorbed[i] - (is_first ? 0 : absorbed[i - 1])) / dt[i];
  }
  group.write("probability", absorbed,
              Attributes{"1", "absorbed after each step, since the start or the last measurement"});
  group.write("rate", rate, Attributes{"1", "absorbed in each step, by its length"});
}

}  // namespace

RegionLog::RegionLog(const std::vector<RegionParameters>& regions)
    : time(regions.size()), probability(regions.size()), histograms(regions.size()) {
  for (std::size_t r = 0; r < regions.size(); ++r)
    histograms[r].resize(regions[r].histograms.size());
}

std::vector<double> RegionLog::largest() const {
  std::vector<double> result;
  for (const std::vector<double>& of_region : probability) {
    const auto most = std::max_element(of_region.begin(), of_region.end());
    result.push_back(most == of_region.end() ? 0 : *most);
  }
  return result;
}

void RegionLog::add_histograms(std::size_t region,
                               const std::vector<std::vector<double>>& of_segment) {
  for (std::size_t h = 0; h < of_segment.size(); ++h) {
    histograms[region][h].insert(histograms[region][h].end(), of_segment[h].begin(),
                                 of_segment[h].end());
  }
}

void write_regions(const io::Group& results, const io::Group& series, const RegionLog& log,
                   const std::vector<RegionParameters>& regions, const std::vector<double>& dt) {
  for (std::size_t r = 0; r < regions.size(); ++r) {
    const RegionParameters& region = regions[r];
    const io::Group group = results.group("regions").group(region.name);
    group.set_attribute("inside", region.inside);
    group.set_attribute("number", static_cast<std::uint64_t>(r));
    group.write("time", log.time[r], Attributes{"1", "when the region was looked at"});
    group.write("probability", log.probability[r],
                Attributes{"1", region.absorbs ? "absorbed since the start or the last measurement"
                                               : "of being in the region"});
    for (std::size_t h = 0; h < region.histograms.size(); ++h) {
      write_histogram(group.group("histogram_" + std::to_string(h + 1)), region.histograms[h],
                      log.histograms[r][h]);
    }
    if (region.absorbs) write_series(series.group("regions").group(region.name), log, r, dt);
  }
}

void save_regions(const io::Group& group, const RegionLog& log) {
  const Attributes plain;
  group.write("absorbed", log.absorbed, plain);
  group.write("emptied", log.emptied, plain);
  for (std::size_t r = 0; r < log.time.size(); ++r) {
    const io::Group region = group.group("region_" + std::to_string(r));
    region.write("time", log.time[r], plain);
    region.write("probability", log.probability[r], plain);
    for (std::size_t h = 0; h < log.histograms[r].size(); ++h) {
      region.write("histogram_" + std::to_string(h), log.histograms[r][h], plain);
    }
  }
}

RegionLog load_regions(const io::Group& group, const std::vector<RegionParameters>& regions,
                       std::size_t steps) {
  RegionLog log(regions);
  log.absorbed = group.read<double>("absorbed", {steps * regions.size()});
  log.emptied = group.read<std::uint64_t>("emptied");
  for (std::size_t r = 0; r < regions.size(); ++r) {
    const io::Group region = group.group("region_" + std::to_string(r));
    log.time[r] = region.read<double>("time");
    log.probability[r] = region.read<double>("probability", {log.time[r].size()});
    for (std::size_t h = 0; h < regions[r].histograms.size(); ++h) {
      const std::string name = "histogram_" + std::to_string(h);
      log.histograms[r][h] = region.read<double>(name);
      if (log.histograms[r][h].size() % entries(regions[r].histograms[h]) != 0)
        throw region.misfit(name, "does not hold whole histograms");
    }
  }
  return log;
}

}  // namespace tessera::gbees
