// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/app/write_results.hpp"

#include <vector>

#include "tessera/core/app/model.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/core/log/warnings.hpp"

namespace tessera {

std::string write_results(const Model* model, const io::Provenance& provenance,
                          const std::string& path,
                          const std::optional<io::FileStamp>& replaceable) {
  io::Provenance now = provenance;
  now.files = io::FilesRead::global().list();
  io::ResultsFile file(path, now);
  if (model != nullptr) {
    const logging::Region region("write");
    model->write(file);
  }
  file.write_warnings(logging::warnings());
  std::vector<io::TimingRow> rows;
  for (const auto& entry : logging::Timings::global().entries())
    rows.push_back({entry.region, entry.calls, entry.seconds});
  file.write_timings(rows);
  if (replaceable) return file.commit_beside(*replaceable);
  file.commit();
  return path;
}

}  // namespace tessera
