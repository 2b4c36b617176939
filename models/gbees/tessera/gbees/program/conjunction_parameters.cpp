// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/conjunction_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "tessera/core/config/choice.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/io/bytes.hpp"
#include "tessera/core/io/sha256.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/names.hpp"
#include "tessera/gbees/program/output_folder.hpp"

namespace tessera::gbees {

namespace {

namespace fs = std::filesystem;

constexpr double kMostPairs = 1e10;  // whose weights ExactSum holds

/// What the section says before messages are read.
struct ConjunctionText {
  std::vector<std::string> messages;
  std::optional<double> radius;
  std::string orientation;
  std::optional<std::pair<double, double>> window;
};

std::vector<std::string> read_names(config::Section& in) {
  std::vector<std::string> names;
  if (in.form("messages") == config::Form::list) {
    in.get("messages", names).path();
    return names;
  }
  std::string name;
  in.require("messages", name)
      .path()
      .doc(
          "conjunction data messages (CCSDS 508.0, key = value or XML): a file, a list of files, "
          "or a folder, of which all files that end in .cdm are taken");
  if (in.has("messages")) names.push_back(name);
  return names;
}

ConjunctionText read_text(config::Section& in, ConjunctionParameters& p) {
  ConjunctionText text;
  text.messages = read_names(in);
  in.get("hard_body_radius", text.radius)
      .positive()
      .unit("m")
      .doc("of both objects together: closer than this they meet")
      .otherwise("as each message says, in a line COMMENT HBR = 20 [m]");
  in.get("earth_orientation", text.orientation)
      .path()
      .doc(
          "UT1 - UTC and polar motion for states in ITRF: a table finals2000A or EOP C04 of the "
          "IERS; empty: none, which is said");
  std::optional<std::vector<double>> window;
  in.get("window", window)
      .size(2)
      .unit("s")
      .doc("begin and end of the time in which they may meet, after TCA")
      .otherwise(
          "the encounter: from one maximum of the distance to the next, half a period each way at "
          "most");
  if (window) {
    if (!((*window)[0] < (*window)[1]))
      in.error("window", "the window's end must be later than its beginning");
    text.window = std::pair((*window)[0], (*window)[1]);
  }
  in.get("relative_error", p.options.relative_error)
      .positive()
      .range(1e-5, 1)
      .doc("standard error over probability at which a message is done");
  double most_pairs = 1e9;
  in.get("most_pairs", most_pairs)
      .range(1e5, kMostPairs)
      .doc("pairs after which a message is done all the same, with a warning");
  p.options.most_pairs = static_cast<std::uint64_t>(most_pairs);
  config::choose(in, "sampling", p.options.sampling,
                 {{"auto", Sampling::automatic},
                  {"direct", Sampling::direct},
                  {"importance", Sampling::importance}})
      .doc(
          "how pairs are drawn: from their distribution, with an exact binomial interval, or close "
          "to those that meet, with weights; auto: directly where one in a hundred meets, else as "
          "needs the fewer pairs");
  in.get("confidence", p.options.level)
      .range(0.5, 0.9999)
      .doc("probability that an interval holds the true value");
  in.get("table", p.table)
      .doc(
          "a CSV file for the results too, in the working directory, written when all messages are "
          "done; empty: none");
  check_folder(in, "table", p.table);
  return text;
}

/// The files that the input names; folders are listed by name.
std::vector<std::string> list_files(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    std::error_code ignored;
    if (!fs::is_directory(name, ignored)) {
      files.push_back(name);
      continue;
    }
    const std::size_t before = files.size();
    std::vector<std::string> others;  // that may be messages, too
    for (const fs::directory_entry& entry : fs::directory_iterator(name)) {
      const std::string ending = entry.path().extension().string();
      if (ending == ".cdm") {
        files.push_back(entry.path().string());
      } else if (ending == ".CDM" || ending == ".xml" || ending == ".XML") {
        others.push_back(entry.path().filename().string());
      }
    }
    if (!others.empty()) {
      std::sort(others.begin(), others.end());
      const std::string more =
          others.size() == 1 ? "" : " and " + std::to_string(others.size() - 1) + " more";
      logging::warning("of the folder '" + name + "' only files that end in .cdm are read, not '" +
                       others.front() + "'" + more +
                       "; name them one by one in conjunction.messages");
    }
    if (files.size() == before) {
      throw Error(ErrorKind::input, "the folder '" + name + "' has no file that ends in .cdm");
    }
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
  }
  return files;
}

std::string metres(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g m", value);
  return text;
}

/// Says what the user should know of a message.
void warn_about(const Conjunction& c) {
  const ConjunctionMessage& message = c.message;
  for (const std::string& note : message.notes) logging::warning(note);
  if (!message.unknown.empty()) {
    logging::warning(message.path + ": keywords that CCSDS 508.0-B-1 does not have are not used: " +
                     join_names(message.unknown, 20));
  }
  if (is_beyond_leap_seconds(message.closest_approach)) {
    logging::detail(message.path + ": TCA is later than the table of leap seconds (" +
                    leap_second_source() + "), as if there were no other until then");
  }
  const double found = c.encounter.miss_distance;
  if (message.miss_distance &&
      std::fabs(*message.miss_distance - found) > 2 + 0.02 * *message.miss_distance) {
    logging::warning(message.path + ": MISS_DISTANCE = " + metres(*message.miss_distance) +
                     ", but the states come no closer than " + metres(found) +
                     " about TCA; check the states and their frame");
  }
}

Conjunction read_conjunction(const std::string& file, const ConjunctionText& text,
                             const SharedOrientation& orientation) {
  Conjunction c;
  c.message = read_cdm(file, orientation);
  const std::optional<double> radius = text.radius ? text.radius : c.message.hard_body_radius;
  if (!radius) {
    throw Error(ErrorKind::input,
                file +
                    " has no hard-body radius, a line such as COMMENT HBR = 20 [m]: set "
                    "conjunction.hard_body_radius");
  }
  c.radius = *radius;
  const std::string bytes = io::read_bytes(file);
  const std::string digest = io::sha256(bytes.data(), bytes.size());
  // Two streams a message: this one and the next.
  c.stream = static_cast<std::uint32_t>(std::stoul(digest.substr(0, 8), nullptr, 16)) & ~1u;
  std::array<ObjectState, 2> objects;
  std::array<std::string, 2> names;
  for (std::size_t n = 0; n < 2; ++n) {
    const ConjunctionObject& object = c.message.objects[n];
    objects[n] = {object.state, object.inertial_covariance()};
    names[n] = "object " + std::to_string(n + 1);
  }
  try {
    c.encounter = prepare_encounter(objects, c.radius, text.window, names);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    const std::string what = error.what();
    const std::size_t n = what.find("object 2") != std::string::npos ? 1 : 0;
    throw Error(ErrorKind::input,
                file + ":" + std::to_string(c.message.objects[n].line) + ": " + what);
  }
  return c;
}

/// Reads all messages; their problems become one error of the input, a line each.
std::vector<Conjunction> read_all(config::Section& in, const ConjunctionText& text) {
  std::vector<Conjunction> all;
  std::vector<std::string> problems;
  const auto collect = [&](const auto& work) {
    try {
      work();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
      problems.emplace_back(error.what());
    }
  };
  std::vector<std::string> files;
  collect([&] { files = list_files(text.messages); });
  SharedOrientation orientation;
  collect([&] {
    if (!text.orientation.empty()) orientation = read_earth_orientation(text.orientation);
  });
  for (const std::string& file : files)
    collect([&] { all.push_back(read_conjunction(file, text, orientation)); });
  if (problems.empty() && all.empty()) problems.emplace_back("there is no message");
  constexpr std::size_t kMost = 20;
  std::string shown;
  for (std::size_t n = 0; n < std::min(problems.size(), kMost); ++n)
    shown += (n == 0 ? "" : "\n  ") + problems[n];
  if (problems.size() > kMost)
    shown += "\n  and " + std::to_string(problems.size() - kMost) + " more";
  if (!problems.empty()) in.error("messages", shown);
  return all;
}

}  // namespace

ConjunctionParameters ConjunctionParameters::read(config::Section& root) {
  ConjunctionParameters p;
  config::Section in = root.section("conjunction", "the probability that two objects meet");
  const ConjunctionText text = read_text(in, p);
  in.finish();
  if (root.documenting() || root.has_errors()) return p;
  p.conjunctions = read_all(in, text);
  for (const Conjunction& conjunction : p.conjunctions) warn_about(conjunction);
  return p;
}

}  // namespace tessera::gbees
