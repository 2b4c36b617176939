// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/application.hpp"

#include <algorithm>
#include <string>

#include "tessera/core/config/choice.hpp"
#include "tessera/core/device/on_backend.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/gbees/dynamics/compiled_dimensions.hpp"
#include "tessera/gbees/program/compiled_instance.hpp"
#include "tessera/gbees/program/conjunction_model.hpp"

namespace tessera::gbees {

namespace {

template <class ExecSpace, class Dynamics, class Real>
std::unique_ptr<Model> make(const Parameters& parameters, const RunSettings& settings) {
  return detail::make_model(detail::instance<ExecSpace, Dynamics, Real>(), parameters, settings);
}

[[noreturn]] void refuse_dimension(int dimension) {
  const std::string number = std::to_string(dimension);
  throw Error(ErrorKind::input,
              "this tessera-gbees has been compiled without dynamics of " + number + " variables",
              "configure with " + number + " among -DTESSERA_GBEES_DIMENSIONS, and build again");
}

/// Makes the model of equations of the dimension that the parameters ask for, from D to 8.
template <class ExecSpace, class Real, int D = 1>
std::unique_ptr<Model> make_equations(const Parameters& parameters, const RunSettings& settings) {
  if constexpr (D <= 8) {
    if (parameters.dynamics.dimension != D)
      return make_equations<ExecSpace, Real, D + 1>(parameters, settings);
    if constexpr (has_dimension(D))
      return make<ExecSpace, Equations<D>, Real>(parameters, settings);
  }
  refuse_dimension(parameters.dynamics.dimension);
}

/// Makes the model of equations with wide keys, of which there are few dimensions.
template <class ExecSpace, int D = kWideKeysFrom>
std::unique_ptr<Model> make_wide(const Parameters& parameters, const RunSettings& settings) {
  if constexpr (D <= 8) {
    if (parameters.dynamics.dimension != D)
      return make_wide<ExecSpace, D + 1>(parameters, settings);
    if constexpr (has_dimension(D))
      return detail::make_model(detail::wide_instance<ExecSpace, D>(), parameters, settings);
  }
  refuse_dimension(parameters.dynamics.dimension);
}

/// Makes the model of compiled dynamics where there are any, else of equations.
template <class ExecSpace, class Real>
std::unique_ptr<Model> make_on(const Parameters& parameters, const RunSettings& settings) {
  const DynamicsParameters& dynamics = parameters.dynamics;
  if (!parameters.frame.is_turned() && !parameters.follows() && dynamics.circles.empty() &&
      dynamics.text.noise.empty()) {
    if constexpr (has_dimension(3)) {
      if (dynamics.name == "lorenz63") return make<ExecSpace, Lorenz63, Real>(parameters, settings);
    }
    if constexpr (has_dimension(6)) {
      if (dynamics.name == "lorenz96" && dynamics.dimension == 6)
        return make<ExecSpace, Lorenz96<6>, Real>(parameters, settings);
    }
  }
  return make_equations<ExecSpace, Real>(parameters, settings);
}

/// Says why no kernel of a run has teams whose size can be given; empty where one may.
std::string why_no_teams(const Parameters& p, const RunSettings& settings) {
  const auto absorbs = [](const RegionParameters& region) { return region.absorbs; };
  if (settings.backend != Backend::cuda) return "only a GPU has teams of threads";
  if (settings.kernels == Kernels::plain) return "run.kernels: plain has a kernel for each phase";
  if (settings.shared_device) return "run.shared_device: true has a kernel for each phase";
  if (settings.ranks.size() > 1) return "several ranks have a kernel for each phase";
  if (p.wide_keys) return "keys of 128 bits have a kernel for each phase";
  if (p.propagator.directory == DirectoryKind::unordered_map)
    return "grid.directory: unordered_map has a kernel for each phase";
  if (p.follows()) return "a grid that follows the flow has a kernel for each phase";
  if (std::any_of(p.regions.begin(), p.regions.end(), absorbs))
    return "regions that absorb have a kernel for each phase";
  return {};
}

std::unique_ptr<Model> make_model(const Parameters& parameters, const RunSettings& settings) {
  if (parameters.propagator.team_size > 0) {
    const std::string why = why_no_teams(parameters, settings);
    if (!why.empty()) {
      logging::warning("grid.team_size has no effect: " + why +
                       "; leave it out, or run where a kernel makes many steps (run.kernels)");
    }
  }
  return on_backend(settings.backend, [&](auto space) {
    using ExecSpace = typename decltype(space)::type;
    if (parameters.wide_keys) return make_wide<ExecSpace>(parameters, settings);
    return parameters.is_single ? make_on<ExecSpace, float>(parameters, settings)
                                : make_on<ExecSpace, double>(parameters, settings);
  });
}

enum class Task { propagate, conjunction };

Task read_task(config::Section& root) {
  Task task = Task::propagate;
  config::choose(root, "task", task,
                 {{"propagate", Task::propagate}, {"conjunction", Task::conjunction}})
      .doc(
          "what to do: carry a density through dynamics, or find the probability that two objects "
          "in orbit meet");
  return task;
}

ModelFactory configure_conjunction(config::Section& root) {
  const auto parameters =
      std::make_shared<const ConjunctionParameters>(ConjunctionParameters::read(root));
  return [parameters](const RunSettings& settings) {
    return make_conjunction_model(*parameters, settings);
  };
}

}  // namespace

Application application() {
  Application gbees = make_application<Parameters>(
      "gbees",
      "Carries a probability density through nonlinear dynamics, with measurements (GBEES)",
      make_model, {"task", "model.name", "initial.shape"},
      {{"time.end"}, {"measurements", "maneuvers"}});
  gbees.configure = [propagate = gbees.configure](config::Section& root) {
    return read_task(root) == Task::conjunction ? configure_conjunction(root) : propagate(root);
  };
  gbees.kernels =
      "plain: a Kokkos kernel for each phase of a step, with Kokkos::UnorderedMap; fused: many "
      "steps in one kernel, with a flat map; auto: the faster one. The results are the same. Ranks "
      "that share a run always work as 'plain' does";
  return gbees;
}

}  // namespace tessera::gbees
