// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/app/run_app.hpp"
#include "tessera/core/config/document.hpp"
#include "tessera/core/device/kernels.hpp"
#include "tessera/core/io/results_file.hpp"

namespace tessera {

/// The parameters of every input besides the model's own sections.
struct CommonParameters {
  std::string app;
  std::string backend = "auto";
  std::uint64_t seed = 0;
  double checkpoint_every = 600;  ///< s
  double memory_limit = 0;        ///< MiB
  bool shared_device = false;
  Kernels kernels = Kernels::automatic;
  std::optional<std::string> output;  ///< the results file; none: the input's name with .h5
  bool keep_restart = false;          ///< a restart file stays when the run is complete
};

/// An input that has been read and checked. When the document has errors they are all there is to
/// use.
struct CheckedInput {
  config::Document document;
  CommonParameters common;
  ModelFactory factory;
  io::Changeable changeable;

  /// Builds the model for a backend. Kokkos must be running. output: where its results will go.
  /// replaces: files that it writes replace those of their names.
  std::unique_ptr<Model> make_model(Backend backend, const parallel::Communicator& ranks = {},
                                    const std::string& output = {}, bool replaces = false) const;

  /// Describes a run on a backend for its results file. Kokkos must be running.
  io::Provenance provenance(Backend backend, const std::string& command_line) const;
};

/// Reads an input for one of the applications, with overrides "key.path=value", and checks every
/// parameter. Kokkos need not run. What the user wrote wrong is recorded in the document; throws
/// Error when the file is no input at all or an override is malformed.
CheckedInput read_input(const std::vector<Application>& applications, const std::string& path,
                        const std::vector<std::string>& overrides);

/// Does the same for an input that is no file; `name` stands for it in messages, and relative paths
/// refer to it.
CheckedInput parse_input(const std::vector<Application>& applications, const std::string& text,
                         const std::string& name, const std::vector<std::string>& overrides);

/// The parameters of an application without an input, to be documented.
CheckedInput read_defaults(const Application& application,
                           const std::vector<std::string>& overrides);

}  // namespace tessera
