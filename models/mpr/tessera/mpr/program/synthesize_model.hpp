// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/core/app/run_app.hpp"
#include "tessera/core/io/netcdf.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/mpr/data/coordinates.hpp"
#include "tessera/mpr/data/parameters.hpp"
#include "tessera/mpr/data/synthesis.hpp"

namespace tessera::mpr {

/// Task synthesize.
class SynthesizeModel final : public Model {
 public:
  SynthesizeModel(const Parameters& parameters, const RunSettings& settings)
      : m_parameters(parameters), m_seed(settings.seed) {}
  void initialize() override {}
  bool advance() override {
    m_field = gaussian_field(m_parameters.input.synthetic, m_seed, 0);
    return false;
  }
  Progress progress() const override {
    return {m_field.empty() ? 0.0 : 1.0,         1,       "fields",
            static_cast<double>(m_field.size()), "sites", ""};
  }
  std::string summary() const override {
    return "a field of " + std::to_string(m_field.size()) + " sites";
  }
  void write(io::ResultsFile& file) const override {
    const auto& size = m_parameters.input.synthetic.size;
    const std::vector<float> values(m_field.begin(), m_field.end());
    if (values.empty()) return;
    file.results().write(
        "field", values,
        io::Shape{static_cast<std::uint64_t>(size[0]), static_cast<std::uint64_t>(size[1])},
        {"1", "Gaussian field with Whittle-Matern covariance"});
    for (const int axis : {0, 1})
      write_numbers(file.coordinates(), axis == 0 ? "y" : "x",
                    static_cast<std::uint64_t>(size[static_cast<std::size_t>(axis)]),
                    "number of the site along the axis");
    io::attach_scales(file.results(), "field", file.coordinates(), {"y", "x"});
  }

 private:
  Parameters m_parameters;
  std::uint64_t m_seed;
  std::vector<double> m_field;
};

}  // namespace tessera::mpr
