// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/app/run_app.hpp"
#include "tessera/gp/likelihood/generation.hpp"
#include "tessera/gp/program/parameters.hpp"

namespace tessera::gp {

/// The section `generate`: times the generation of the covariance matrix, size by size.
class GenerationModel final : public Model {
 public:
  GenerationModel(const Parameters& parameters, const RunSettings& settings)
      : m_parameters(parameters), m_settings(settings) {}

  void initialize() override {}
  bool advance() override;
  Progress progress() const override;
  std::string indivisible() const override { return ""; }
  std::string summary() const override;
  void write(io::ResultsFile& file) const override;

 private:
  std::size_t repeats() const { return static_cast<std::size_t>(m_parameters.generate.repeats); }
  void begin_size();

  Parameters m_parameters;
  RunSettings m_settings;
  std::unique_ptr<Generation> m_generation;  // of the present size
  std::vector<std::int64_t> m_entries;       // of each size
  std::vector<double> m_seconds;             // [size][repeat]
};

}  // namespace tessera::gp
