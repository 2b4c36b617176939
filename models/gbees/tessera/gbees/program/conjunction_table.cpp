// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/conjunction_table.hpp"

#include <limits>

#include "tessera/core/io/shortest.hpp"
#include "tessera/core/io/temporary_file.hpp"
#include "tessera/core/log/log.hpp"

namespace tessera::gbees {

namespace {

/// A field of a CSV file, in quotes where it needs them.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

ConjunctionTable::ConjunctionTable(const std::vector<Conjunction>& conjunctions,
                                   const std::vector<MeetingProbability>& found,
                                   const std::vector<GridProbability>& grids) {
  for (const Conjunction& c : conjunctions) m_files.push_back(c.message.path);
  const auto add_text = [&](const std::string& name, const std::string& long_name,
                            const auto& value) {
    Texts column{name, long_name, {}};
    for (std::size_t n = 0; n < conjunctions.size(); ++n)
      column.values.push_back(value(conjunctions[n], found[n]));
    m_texts.push_back(std::move(column));
  };
  const auto add = [&](const std::string& name, const std::string& units,
                       const std::string& long_name, const auto& value) {
    Numbers column{name, units, long_name, {}};
    for (std::size_t n = 0; n < conjunctions.size(); ++n)
      column.values.push_back(value(conjunctions[n], found[n]));
    m_numbers.push_back(std::move(column));
  };
  const auto add_count = [&](const std::string& name, const std::string& long_name,
                             const auto& value) {
    Counts column{name, long_name, {}};
    for (std::size_t n = 0; n < conjunctions.size(); ++n)
      column.values.push_back(value(conjunctions[n], found[n]));
    m_counts.push_back(std::move(column));
  };
  using C = Conjunction;
  using P = MeetingProbability;
  add_text("message_id", "MESSAGE_ID", [](const C& c, const P&) { return c.message.id; });
  add_text("object_1", "name of the first object",
           [](const C& c, const P&) { return c.message.objects[0].name; });
  add_text("object_2", "name of the second object",
           [](const C& c, const P&) { return c.message.objects[1].name; });
  add_text("tca", "time of closest approach in the message, UTC", [](const C& c, const P&) {
    return format_epoch(c.message.closest_approach, TimeSystem::utc);
  });
  add_text("sampling", "how pairs were drawn", [](const C&, const P& p) {
    return std::string(p.is_importance ? "importance" : "direct");
  });
  add("probability", "1", "probability of coming closer than the radius within the window",
      [](const C&, const P& p) { return p.value; });
  add("standard_error", "1", "standard error of the probability",
      [](const C&, const P& p) { return p.standard_error; });
  add("interval_low", "1", "lower end of the interval of the probability",
      [](const C&, const P& p) { return p.interval.low; });
  add("interval_high", "1", "upper end of the interval of the probability",
      [](const C&, const P& p) { return p.interval.high; });
  add("entry_probability", "1", "probability of coming closer than the radius from outside",
      [](const C&, const P& p) { return p.entries; });
  add("initial_probability", "1", "probability of being closer when the window begins",
      [](const C&, const P& p) { return p.starts_inside; });
  add("plane_probability", "1", "probability by the formula in the encounter plane",
      [](const C& c, const P&) { return c.encounter.plane_probability; });
  Numbers grid{
      "grid_probability",
      "1",
      "probability by a grid in the encounter plane; not a number where the passage is not "
      "short",
      {}};
  for (std::size_t n = 0; n < conjunctions.size(); ++n)
    grid.values.push_back(n < grids.size() ? grids[n].value
                                           : std::numeric_limits<double>::quiet_NaN());
  m_numbers.push_back(std::move(grid));
  const char* const axes[] = {"wider", "narrower"};
  for (const std::size_t k : {0, 1}) {
    const std::string along = std::string(axes[k]) + " axis of the encounter plane";
    const std::string axis = k == 0 ? "x" : "y";
    add("plane_" + axis, "m", "distance of the mean orbits along the " + along,
        [=](const C& c, const P&) { return c.encounter.plane_place[k]; });
    add("plane_deviation_" + axis, "m", "standard deviation along the " + along,
        [=](const C& c, const P&) { return c.encounter.plane_deviation[k]; });
  }
  add("hard_body_radius", "m", "hard-body radius of both objects",
      [](const C& c, const P&) { return c.radius; });
  add("miss_distance", "m", "least distance of the mean orbits about TCA",
      [](const C& c, const P&) { return c.encounter.miss_distance; });
  add("relative_speed", "m s-1", "relative speed there",
      [](const C& c, const P&) { return c.encounter.relative_speed; });
  add("closest_approach", "s", "time of that after TCA",
      [](const C& c, const P&) { return c.encounter.closest_approach; });
  add("window_begin", "s", "beginning of the window after TCA",
      [](const C& c, const P&) { return c.encounter.pairs.window.begin; });
  add("window_end", "s", "end of the window after TCA",
      [](const C& c, const P&) { return c.encounter.pairs.window.end; });
  add_count("pairs", "pairs drawn", [](const C&, const P& p) { return p.pairs; });
  add_count("hits", "pairs that met", [](const C&, const P& p) { return p.hits; });
  add_count("unbound", "pairs that are no ellipses, counted as misses",
            [](const C&, const P& p) { return p.unbound; });
  add_count("converged", "whether the error asked for was reached",
            [](const C&, const P& p) { return std::uint64_t(p.has_converged); });
  add_count("mended", "covariances of the message with negative eigenvalues, which were raised",
            [](const C& c, const P&) {
              return std::uint64_t(c.message.objects[0].covariance.mended) +
                     std::uint64_t(c.message.objects[1].covariance.mended);
            });
}

void ConjunctionTable::write(const io::ResultsFile& file) const {
  file.coordinates().write("message", m_files, io::Attributes{"1", "file of the message"});
  file.series();  // every results file has the group
  const io::Group results = file.results();
  for (const Texts& c : m_texts) results.write(c.name, c.values, io::Attributes{"1", c.long_name});
  for (const Numbers& c : m_numbers)
    results.write(c.name, c.values, io::Attributes{c.units, c.long_name});
  for (const Counts& c : m_counts)
    results.write(c.name, c.values, io::Attributes{"1", c.long_name});
}

void ConjunctionTable::write_csv(const std::string& path, bool replaces) const {
  std::string text = "file";
  for (const Texts& c : m_texts) text += "," + c.name;
  for (const Numbers& c : m_numbers) text += "," + c.name;
  for (const Counts& c : m_counts) text += "," + c.name;
  text += "\n";
  for (std::size_t n = 0; n < m_files.size(); ++n) {
    text += field(m_files[n]);
    for (const Texts& c : m_texts) text += "," + field(c.values[n]);
    for (const Numbers& c : m_numbers) text += "," + io::shortest(c.values[n]);
    for (const Counts& c : m_counts) text += "," + std::to_string(c.values[n]);
    text += "\n";
  }
  io::TemporaryFile file(path);
  file.write(0, text.data(), text.size());
  if (replaces) return file.commit();
  const std::string name = file.commit_beside({});
  if (name != path)
    logging::warning("'" + path + "' exists and is kept; the table of this run is '" + name + "'");
}

void write_statistics(const io::ResultsFile& file, const std::vector<MeetingProbability>& found,
                      const std::vector<ApproachStatistics>& statistics) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double>& levels = ApproachStatistics::levels();
  constexpr std::size_t kTimes = ApproachStatistics::kIntervals + 1;
  constexpr std::size_t kBins = ApproachStatistics::kBins;
  std::vector<double> quantiles, times, history, edges, density;
  for (std::size_t n = 0; n < found.size(); ++n) {
    const bool is_known = n < statistics.size();
    for (std::size_t k = 0; k < levels.size(); ++k)
      quantiles.push_back(is_known ? statistics[n].miss_quantiles[k] : kNone);
    for (std::size_t k = 0; k < kTimes; ++k) {
      times.push_back(is_known ? statistics[n].times[k] : kNone);
      history.push_back(is_known ? found[n].value * statistics[n].share_before[k] : kNone);
    }
    for (std::size_t k = 0; k <= kBins; ++k) {
      const double part = static_cast<double>(k) / kBins;
      edges.push_back(is_known ? part * statistics[n].miss_quantiles.back() : kNone);
      if (k < kBins) density.push_back(is_known ? statistics[n].miss_density[k] : kNone);
    }
  }
  const std::uint64_t rows = found.size();
  file.coordinates().write("level", levels, io::Attributes{"1", "probability of the quantiles"});
  file.coordinates().write("history_time", times, io::Shape{rows, kTimes},
                           io::Attributes{"s", "times of the history after TCA"});
  file.coordinates().write("miss_distance", edges, io::Shape{rows, kBins + 1},
                           io::Attributes{"m", "edges of the bins of the density"});
  file.results().write("miss_density", density, io::Shape{rows, kBins},
                       io::Attributes{"m-1", "density of the least distance within the window"});
  file.results().write("miss_quantiles", quantiles, io::Shape{rows, levels.size()},
                       io::Attributes{"m", "quantiles of the least distance within the window"});
  file.results().write(
      "probability_history", history, io::Shape{rows, kTimes},
      io::Attributes{"1", "probability of a closest approach below the radius before the time"});
}

}  // namespace tessera::gbees
