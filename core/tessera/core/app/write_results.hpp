// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "tessera/core/io/file_stamp.hpp"

namespace tessera {

class Model;
namespace io {
struct Provenance;
}

/// Writes what the model has (null: nothing yet), and where the time went, to a results file. With
/// `replaceable`, only a file of that stamp is replaced: see io::File::commit_beside. Returns the
/// name of the file.
std::string write_results(const Model* model, const io::Provenance& provenance,
                          const std::string& path,
                          const std::optional<io::FileStamp>& replaceable = {});

}  // namespace tessera
