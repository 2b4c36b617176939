// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/app/input.hpp"

#include <algorithm>

#include "tessera/core/config/choice.hpp"
#include "tessera/core/config/section.hpp"

namespace tessera {

namespace {

/// The application that the input names; nullptr when it is none of those there are, which is
/// recorded. With only one there is no question whose parameters an input lacks that names none.
const Application* choose_application(const std::vector<Application>& applications,
                                      config::Section& root, CommonParameters& p) {
  const bool single = applications.size() == 1;
  std::vector<std::string> names;
  for (const Application& application : applications) names.push_back(application.name);
  p.app = single ? names.front() : "";
  auto app = root.require("app", p.app).doc("the application this input is for");
  if (!single) {
    app.one_of(names);
  } else if (p.app != names.front()) {
    root.error("app",
               "this input is for '" + p.app + "', and this program is tessera-" + names.front());
  }
  const auto chosen = std::find_if(applications.begin(), applications.end(),
                                   [&](const Application& a) { return a.name == p.app; });
  return chosen == applications.end() ? nullptr : &*chosen;
}

void read_kernels(config::Section& run, const std::string& doc, CommonParameters& p) {
  config::choose(
      run, "kernels", p.kernels,
      {{"auto", Kernels::automatic}, {"plain", Kernels::plain}, {"fused", Kernels::fused}})
      .doc(doc);
  if (p.kernels == Kernels::fused && p.shared_device) {
    run.error(
        "kernels",
        "the threads of fused kernels wait for each other, which run.shared_device: true forbids");
  }
}

void read_run_section(const Application& application, config::Section& root, CommonParameters& p) {
  config::Section run = root.section("run", "how to run");
  run.get("checkpoint_every", p.checkpoint_every)
      .non_negative()
      .unit("s")
      .doc("wall time between restart files; 0: only when interrupted");
  run.get("keep_restart", p.keep_restart)
      .doc("leave a restart file when the run is complete, from which a longer run continues");
  run.get("memory_limit", p.memory_limit)
      .non_negative()
      .unit("MiB")
      .doc("memory the model may take on its device; 0: all there is");
  run.get("output", p.output)
      .doc("results file, where --output names no other")
      .otherwise("the input's name with the ending .h5, in the working directory");
  run.get("seed", p.seed).doc("seed of random numbers");
  run.get("shared_device", p.shared_device)
      .doc(
          "another program uses the GPU too: no kernel may wait for all of its blocks to run at "
          "the same time");
  if (!application.kernels.empty()) read_kernels(run, application.kernels, p);
  run.finish();
}

void declare_all(const std::vector<Application>& applications,
                 const std::vector<std::string>& overrides, CheckedInput& input) {
  for (const std::string& argument : overrides) input.document.apply_override(argument);
  config::Section root = input.document.root();
  CommonParameters& p = input.common;
  const Application* application = choose_application(applications, root, p);
  if (application == nullptr) return;
  root.get("backend", p.backend)
      .one_of({"auto", "serial", "openmp", "cuda"})
      .doc("where to run; auto: CUDA, else OpenMP, else Serial");
  input.factory = application->configure(root);
  input.changeable = application->changeable;
  read_run_section(*application, root, p);
  root.finish();
}

}  // namespace

std::unique_ptr<Model> CheckedInput::make_model(Backend backend,
                                                const parallel::Communicator& ranks,
                                                const std::string& output, bool replaces) const {
  const auto memory_limit = static_cast<std::uint64_t>(common.memory_limit * 1048576.0);
  return factory(RunSettings{backend, common.seed, memory_limit, common.shared_device,
                             common.kernels, ranks, output, replaces});
}

io::Provenance CheckedInput::provenance(Backend backend, const std::string& command_line) const {
  io::Provenance provenance;
  provenance.app = common.app;
  provenance.backend = to_string(backend);
  provenance.device_name = device_name(backend);
  provenance.command_line = command_line;
  provenance.seed = common.seed;
  provenance.input_yaml = document.text();
  provenance.input_resolved = document.resolved();
  return provenance;
}

CheckedInput read_input(const std::vector<Application>& applications, const std::string& path,
                        const std::vector<std::string>& overrides) {
  CheckedInput input{config::Document::load(path), {}, {}, {}};
  declare_all(applications, overrides, input);
  return input;
}

CheckedInput parse_input(const std::vector<Application>& applications, const std::string& text,
                         const std::string& name, const std::vector<std::string>& overrides) {
  CheckedInput input{config::Document::parse(text, name), {}, {}, {}};
  declare_all(applications, overrides, input);
  return input;
}

CheckedInput read_defaults(const Application& application,
                           const std::vector<std::string>& overrides) {
  CheckedInput input{config::Document::defaults(), {}, {}, {}};
  declare_all({application}, overrides, input);
  return input;
}

}  // namespace tessera
