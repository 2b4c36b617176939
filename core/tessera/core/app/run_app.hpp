// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/core/app/model.hpp"
#include "tessera/core/device/backend.hpp"
#include "tessera/core/device/kernels.hpp"
#include "tessera/core/io/input_difference.hpp"
#include "tessera/core/parallel/communicator.hpp"

namespace tessera {

struct CommandLine;
namespace config {
class Section;
}
namespace parallel {
class Launch;
}

/// The settings of a run from the `run:` section and the command line.
struct RunSettings {
  Backend backend = Backend::serial;
  std::uint64_t seed = 0;
  std::uint64_t memory_limit = 0;  ///< bytes a model may take on its device; 0: what there is
  bool shared_device = false;      ///< another program uses the GPU too
  Kernels kernels = Kernels::automatic;
  parallel::Communicator ranks;  ///< among which the work is divided
  std::string output;            ///< the results file; empty: not known
  bool replaces = false;  ///< --force: files that the run writes replace those of their names
};

/// Builds the configured model. Called after Kokkos has started.
using ModelFactory = std::function<std::unique_ptr<Model>(const RunSettings&)>;

/// A parameter that an input may give as a section, too: the value `value` with options.
struct SectionForm {
  std::string key, value;
  std::string text;  ///< such a section without options, in YAML
};

/// The description of an executable: its name, its purpose and how it reads its input.
struct Application {
  std::string name;     ///< value of the input's `app:` key; the executable is tessera-<name>
  std::string summary;  ///< one line for --help

  /// Declares, reads and checks every parameter of the model below the root of the input. Kokkos is
  /// not running yet. Problems are recorded in the section and reported together by the caller; the
  /// returned factory is used only when there are none.
  std::function<ModelFactory(config::Section& root)> configure;

  /// Paths of parameters on whose values it depends which others there are, for the list of
  /// parameters.
  std::vector<std::string> selectors = {};

  /// The parameters that may change when a run is continued.
  io::Changeable changeable = {};

  /// The meaning of `run.kernels`, for the list of parameters. Empty: the system has kernels of one
  /// kind, and no such key.
  std::string kernels = {};

  /// The parameters that may be sections, for the list of parameters.
  std::vector<SectionForm> section_forms = {};
};

/// The application of a model whose input Parameters::read declares, reads and checks, and that
/// `make` builds.
template <class Parameters>
Application make_application(const std::string& name, const std::string& summary,
                             std::unique_ptr<Model> (*make)(const Parameters&, const RunSettings&),
                             const std::vector<std::string>& selectors = {},
                             const io::Changeable& changeable = {}) {
  const auto configure = [make](config::Section& root) -> ModelFactory {
    // they may hold data
    const auto parameters = std::make_shared<const Parameters>(Parameters::read(root));
    return [make, parameters](const RunSettings& settings) { return make(*parameters, settings); };
  };
  return {name, summary, configure, selectors, changeable};
}

/// Runs one application from command line to exit code:
///
///   1. parse the command line        (no Kokkos yet: --help, --version, --validate,
///                                    --print-defaults work anywhere)
///   2. read, override and validate the input
///   3. check that the output can be written
///   4. start Kokkos on the chosen backend
///   5. build the model, initialize it or load a restart
///   6. advance until done, with progress, checkpoints and signals
///   7. write the results and the summary
///
/// Under a launcher (mpirun -n 4 tessera-gp input.yaml) all ranks do so together; the first writes
/// and talks. A failure of one rank ends all of them with its message and exit code; a signal is
/// obeyed by all at the same step.
///
/// Exit codes: 0 ok, 1 internal, 2 usage, 3 input, 4 files, 5 numerical, 6 device or memory, 128+n
/// signal n.
int run_app(const Application& application, int argc, char** argv);

/// The outcome of a run.
struct RunOutcome {
  int exit_code = 0;    ///< of run_app
  std::string results;  ///< the file that was written; empty: none
  std::string message;  ///< of the error that ended the run; empty: none did
};

/// Steps 2 to 7 for a program that has a command line of another kind, or none: one run of the
/// application that the input names. `text`, where it is given, is the input itself, and line.input
/// its name. Kokkos may run already. Throws Error for what is wrong before the run begins; its
/// message is what run_app would print. `launch`: the ranks that run it together; none: this
/// process alone.
RunOutcome run_application(const std::vector<Application>& applications, const CommandLine& line,
                           const std::optional<std::string>& text = {},
                           const parallel::Launch* launch = nullptr);

}  // namespace tessera
