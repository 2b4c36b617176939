// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/io/file.hpp"
#include "tessera/core/io/files_read.hpp"
#include "tessera/core/io/input_difference.hpp"

namespace tessera::io {

/// The provenance says where a result came from. It is written as attributes of the root.
struct Provenance {
  std::string app, backend, device_name, precision = "double", command_line,
                                         run_status = "complete";
  std::uint64_t seed = 0;
  std::string input_yaml;         ///< the bytes of the input file
  std::string input_resolved;     ///< the same after defaults and overrides
  std::vector<FileDigest> files;  ///< the data files that were read
};

/// One row of `/timings`.
struct TimingRow {
  std::string region;
  std::uint64_t calls = 0;
  double seconds = 0;
};

/// The results file of a run, format "tessera-results" 1.0: root attributes (provenance),
/// /provenance/files/{name,sha256,bytes}, /input/{yaml,resolved}, /coordinates, /results, /series,
/// /timings, /warnings.
class ResultsFile {
 public:
  ResultsFile(const std::string& path, const Provenance& provenance);

  Group root() const { return m_file.root(); }
  Group coordinates() const { return root().group("coordinates"); }
  Group results() const { return root().group("results"); }
  Group series() const { return root().group("series"); }

  /// A table with the columns region, calls and seconds.
  void write_timings(const std::vector<TimingRow>& rows) const;

  /// The texts of the run's warnings, in order.
  void write_warnings(const std::vector<std::string>& warnings) const;

  /// Flushes and gives the file its name.
  void commit() { m_file.commit(); }

  /// See File::commit_beside.
  std::string commit_beside(const FileStamp& replaceable) {
    return m_file.commit_beside(replaceable);
  }

 private:
  File m_file;
};

/// A restart file, format "tessera-restart" 2.3: the provenance (whose resolved input must equal
/// that of the run that continues, apart from `run:` and `output:`), the warnings so far, and the
/// model's state in /state.
class RestartWriter {
 public:
  RestartWriter(const std::string& path, const Provenance& provenance);
  Group state() const { return m_file.root().group("state"); }
  void write_warnings(const std::vector<std::string>& warnings) const;
  /// See File::commit_beside.
  std::string commit_beside(const FileStamp& replaceable) {
    return m_file.commit_beside(replaceable);
  }

 private:
  File m_file;
};

/// Opens a restart file and checks its format, its version and every byte (Error of kind file), and
/// that app, precision, seed and input are those of the run that continues but for what may change
/// (Error of kind input). The backend may differ; bits are the same only on the same one.
class RestartReader {
 public:
  RestartReader(const std::string& path, const Provenance& current,
                const Changeable& changeable = {});

  /// The data files that the interrupted run had read: what FilesRead::hold_to holds this one to.
  std::vector<FileDigest> files() const;

  /// The warnings that the interrupted run had given.
  std::vector<std::string> warnings() const;

  Group state() const { return m_file.root().group("state"); }

 private:
  File m_file;
};

}  // namespace tessera::io
