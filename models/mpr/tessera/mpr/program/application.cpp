// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/application.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "tessera/core/device/on_backend.hpp"
#include "tessera/mpr/program/make_model.hpp"
#include "tessera/mpr/program/validate_model.hpp"

namespace tessera::mpr {

namespace {

template <class ExecSpace>
std::unique_ptr<Model> make_on(const Parameters& parameters, const RunSettings& settings) {
  return parameters.single ? detail::make_model<ExecSpace, float>(parameters, settings)
                           : detail::make_model<ExecSpace, double>(parameters, settings);
}

template <class ExecSpace>
std::unique_ptr<CaseFill> make_fill_on(const Variant& variant, const Parameters& parameters,
                                       const RunSettings& settings) {
  return variant.single ? detail::make_case_fill<ExecSpace, float>(variant, parameters, settings)
                        : detail::make_case_fill<ExecSpace, double>(variant, parameters, settings);
}

std::unique_ptr<Model> make_validation(const Parameters& given, const RunSettings& settings) {
  const auto parameters = std::make_shared<const Parameters>(given);
  const std::vector<Variant> all = variants(given, settings.backend);
  std::vector<std::unique_ptr<CaseFill>> fills;
  for (const Variant& variant : all) {
    fills.push_back(on_backend(variant.backend, [&](auto space) {
      return make_fill_on<typename decltype(space)::type>(variant, *parameters, settings);
    }));
  }
  return std::make_unique<ValidateModel>(parameters, settings, all, std::move(fills));
}

std::unique_ptr<Model> make_model(const Parameters& parameters, const RunSettings& settings) {
  if (parameters.task == "validate") return make_validation(parameters, settings);
  return on_backend(settings.backend, [&](auto space) {
    return make_on<typename decltype(space)::type>(parameters, settings);
  });
}

}  // namespace

Application application() {
  return make_application<Parameters>(
      "mpr", "Fills gaps in gridded data, with error bars (modified planar rotator)", make_model);
}

}  // namespace tessera::mpr
