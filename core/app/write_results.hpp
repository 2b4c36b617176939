// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tessera {

class Model;
namespace io {
struct Provenance;
}

/// Writes what the model has, and where the time went, to a results file.
void write_results(const Model& model, const io::Provenance& provenance, const std::string& path);

}  // namespace tessera
