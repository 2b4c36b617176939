// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/compare/files.hpp"

#include <algorithm>
#include <iostream>

#include "apps/compare/report.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/io/file.hpp"
#include "tessera/core/log/log.hpp"

namespace tessera::compare {

namespace {

/// The root of a results file, which stays open with it.
io::Group open_results(const std::string& path) {
  const io::Group root = io::File::open(path, io::File::Role::own).root();
  if (!root.has_attribute("format") || root.attribute<std::string>("format") != "tessera-results") {
    throw Error(ErrorKind::file, "'" + path + "' is not a results file of Tessera",
                "give files that an application wrote with --output");
  }
  const auto status = root.attribute<std::string>("run_status");
  if (status != "complete")
    logging::warning("'" + path + "' holds the results of a run that was not completed (" + status +
                     ")");
  return root;
}

}  // namespace

bool compare_files(const NamedFile& first, const NamedFile& second,
                   const io::CompareOptions& options, bool list_equal) {
  const auto differences =
      io::compare_results(open_results(first.path), open_results(second.path), options);
  std::cout << difference_table(first.name, second.name, differences, list_equal);
  return std::all_of(differences.begin(), differences.end(),
                     [](const io::DatasetDifference& d) { return d.acceptable(); });
}

}  // namespace tessera::compare
