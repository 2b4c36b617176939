// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/results_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>

#include "tessera/core/error.hpp"
#include "tessera/core/io/hdf5.hpp"
#include "tessera/core/io/seal.hpp"
#include "tessera/core/version.hpp"

namespace tessera::io {

namespace {

constexpr const char* kResultsFormat = "tessera-results";
constexpr const char* kResultsVersion = "1.0";

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  return std::string(text.data(),
                     std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc));
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

void write_provenance(const Group& root, const std::string& format, const std::string& version,
                      const Provenance& provenance) {
  const BuildInfo& build = build_info();
  root.set_attribute("format", format);
  root.set_attribute("format_version", version);
  root.set_attribute("software", "tessera");
  root.set_attribute("software_version", build.version);
  root.set_attribute("git_commit", build.git_commit);
  root.set_attribute("build_type", build.build_type);
  root.set_attribute("compiler", build.compiler);
  root.set_attribute("cxx_flags", build.cxx_flags);
  root.set_attribute("kokkos_version", build.kokkos_version);
  root.set_attribute("app", provenance.app);
  root.set_attribute("backend", provenance.backend);
  root.set_attribute("device_name", provenance.device_name);
  root.set_attribute("precision", provenance.precision);
  root.set_attribute("seed", provenance.seed);
  root.set_attribute("command_line", provenance.command_line);
  root.set_attribute("created", utc_now());
  root.set_attribute("hostname", host_name());
  root.set_attribute("run_status", provenance.run_status);

  std::vector<std::string> names, digests;
  std::vector<std::uint64_t> sizes;
  for (const FileDigest& file : provenance.files) {
    names.push_back(file.name);
    digests.push_back(file.sha256);
    sizes.push_back(file.bytes);
  }
  const Group files = root.group("provenance/files");
  files.write("name", names, {"1", "data files that were read"});
  files.write("sha256", digests, {"1", "SHA-256 digest of each, as it was read"});
  files.write("bytes", sizes, {"1", "size of each"});

  const Group input = root.group("input");
  input.write_scalar("yaml", provenance.input_yaml, {"1", "input file, as it was read"});
  input.write_scalar("resolved", provenance.input_resolved,
                     {"1", "input after defaults and overrides"});
}

constexpr const char* kWarnings = "warnings";

void write_warnings_below(const Group& root, const std::vector<std::string>& warnings) {
  root.write(kWarnings, warnings, {"1", "warnings of the run"});
}

[[noreturn]] void refuse(const std::string& path, const std::string& reason,
                         const std::string& remedy) {
  throw Error(ErrorKind::input, "cannot continue from '" + path + "': " + reason, remedy);
}

/// Lists what may change, for a remedy: "'backend', 'run' and 'output'", and what else there is.
std::string may_change(const Changeable& changeable) {
  std::vector<std::string> names{"backend", "run", "output"};
  names.insert(names.end(), changeable.values.begin(), changeable.values.end());
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "'" : i + 1 < names.size() ? ", '" : " and '") + names[i] + "'";
  text += " may change";
  for (const std::string& list : changeable.lists) text += ", '" + list + "' may grow";
  return text;
}

void check_same_run(const std::string& path, const Group& root, const Provenance& current,
                    const Changeable& changeable) {
  const auto app = root.attribute<std::string>("app");
  if (app != current.app)
    refuse(path, "it belongs to tessera-" + app + ", this is tessera-" + current.app,
           "run tessera-" + app);

  const auto precision = root.attribute<std::string>("precision");
  if (precision != current.precision) {
    refuse(path,
           "it was written in " + precision + " precision, this run is in " + current.precision,
           "use the same precision");
  }
  const auto seed = root.attribute<std::uint64_t>("seed");
  if (seed != current.seed) {
    refuse(path,
           "its seed is " + std::to_string(seed) + ", the seed of this run " +
               std::to_string(current.seed),
           "use the same seed");
  }
  const std::string differs = input_difference(
      root.group("input").read_scalar<std::string>("resolved"), current.input_resolved, changeable);
  if (!differs.empty()) {
    refuse(path, "the input differs: " + differs,
           "use the input of the interrupted run (only " + may_change(changeable) +
               "), or start again");
  }
}

}  // namespace

ResultsFile::ResultsFile(const std::string& path, const Provenance& provenance)
    : m_file(File::create(path)) {
  write_provenance(root(), kResultsFormat, kResultsVersion, provenance);
}

void ResultsFile::write_warnings(const std::vector<std::string>& warnings) const {
  write_warnings_below(root(), warnings);
}

void ResultsFile::write_timings(const std::vector<TimingRow>& rows) const {
  struct Row {
    const char* region;
    std::uint64_t calls;
    double seconds;
  };
  std::vector<Row> table;
  for (const TimingRow& row : rows) table.push_back({row.region.c_str(), row.calls, row.seconds});

  QuietHdf5 quiet;
  const Id text(H5Tcopy(H5T_C_S1));
  H5Tset_size(text, H5T_VARIABLE);
  H5Tset_cset(text, H5T_CSET_UTF8);
  const Id type(H5Tcreate(H5T_COMPOUND, sizeof(Row)));
  H5Tinsert(type, "region", offsetof(Row, region), text);
  H5Tinsert(type, "calls", offsetof(Row, calls), H5T_NATIVE_UINT64);
  H5Tinsert(type, "seconds", offsetof(Row, seconds), H5T_NATIVE_DOUBLE);
  const hsize_t extent = table.size();
  const Id space(H5Screate_simple(1, &extent, nullptr));
  const Id creation(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_obj_track_times(creation, false);

  const Group top = root();
  {
    const Id dataset(
        H5Dcreate2(top.id(), "timings", type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    const bool written =
        dataset >= 0 && (table.empty() ||
                         H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.data()) >= 0);
    if (!written)
      throw Error(ErrorKind::file, "cannot write '" + top.place("timings") + "'" + hdf5_reason());
  }
  top.set_attribute("units", "s", "timings");
  top.set_attribute("long_name", "wall time by region", "timings");
}

RestartWriter::RestartWriter(const std::string& path, const Provenance& provenance)
    : m_file(File::create(path, File::Role::restart)) {
  write_provenance(m_file.root(), kRestartFormat, kRestartVersion, provenance);
}

void RestartWriter::write_warnings(const std::vector<std::string>& warnings) const {
  write_warnings_below(m_file.root(), warnings);
}

RestartReader::RestartReader(const std::string& path, const Provenance& current,
                             const Changeable& changeable)
    : m_file(File::open(path, File::Role::restart)) {
  check_same_run(path, m_file.root(), current, changeable);
}

std::vector<FileDigest> RestartReader::files() const {
  const Group group = m_file.root().group("provenance/files");
  const auto names = group.read<std::string>("name");
  const auto digests = group.read<std::string>("sha256", {names.size()});
  const auto sizes = group.read<std::uint64_t>("bytes", {names.size()});
  std::vector<FileDigest> files;
  for (std::size_t i = 0; i < names.size(); ++i) files.push_back({names[i], digests[i], sizes[i]});
  return files;
}

std::vector<std::string> RestartReader::warnings() const {
  return m_file.root().read<std::string>(kWarnings);
}

}  // namespace tessera::io
