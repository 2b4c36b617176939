// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tessera/core/app/model.hpp"
#include "tessera/mpr/program/case_fill.hpp"

namespace tessera::mpr {

/// Task validate: known values are taken away, or a truth is given, and each case is filled in each
/// variant. Several ranks share this work.
class ValidateModel final : public Model {
 public:
  /// fills: of each variant.
  ValidateModel(const std::shared_ptr<const Parameters>& parameters, const RunSettings& settings,
                const std::vector<Variant>& variants, std::vector<std::unique_ptr<CaseFill>> fills);

  void initialize() override {}
  bool advance() override;
  std::string indivisible() const override {
    return jobs() > 1 ? "" : "one case of task validate works on one device";
  }
  Progress progress() const override;
  /// Returns the precision of the last variant: the results have maps of its last case.
  std::string precision() const override { return m_variants.back().single ? "single" : "double"; }
  std::string summary() const override;
  void write(io::ResultsFile& file) const override;

 private:
  /// Returns whether predictions are compared with samples, which have errors of their own.
  bool compares_samples() const { return !m_cases.has_truth(); }
  /// A case in a variant each.
  std::size_t jobs() const { return m_cases.count() * m_variants.size(); }
  std::size_t case_of(std::size_t job) const { return m_cases.in_order(job / m_variants.size()); }
  Scores compare(const FilledCase& filled) const;
  Predictions predictions(const FilledCase& filled) const;
  void write_scores(io::ResultsFile& file, const io::Group& group) const;
  void write_variants(io::ResultsFile& file) const;
  std::vector<double> quantile_shares(const FilledCase& filled) const;

  const std::shared_ptr<const Parameters> m_parameters;
  RunSettings m_settings;
  std::vector<Variant> m_variants;
  std::vector<std::unique_ptr<CaseFill>> m_fills;
  ValidationCases m_cases;
  FilledCase m_last;             // the last here that is complete
  std::vector<Scores> m_scores;  // of each variant, of all cases
  Scores m_last_scores;
  std::size_t m_done = 0;  // jobs
  double m_updates = 0;
};

}  // namespace tessera::mpr
