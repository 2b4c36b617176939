// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/parameters.hpp"
#include "tessera/mpr/data/synthesis.hpp"

/// The cases of task validate. Host code.

namespace tessera::mpr {

/// A field with gaps, and what is below them.
struct ValidationCase {
  std::shared_ptr<const std::vector<double>> truth;  ///< of all sites; NaN where it is not known
  Field field;
  std::vector<std::size_t> sites;  ///< that are compared
};

/// All cases: sizes x fractions x fields x samplings of each, or samplings of data with a truth. A
/// synthetic field is simulated once for cases in a row that have it, as in_order() sorts them.
class ValidationCases {
 public:
  /// The parameters must outlive the cases.
  ValidationCases(const Parameters& parameters, std::uint64_t seed);

  std::size_t count() const { return m_sizes.size() * m_fractions.size() * repeats(); }
  /// Cases of one size and one fraction.
  std::size_t repeats() const;
  const std::vector<int>& sizes() const { return m_sizes; }  ///< 0: as in its file
  const std::vector<double>& fractions() const { return m_fractions; }
  bool has_truth() const { return m_parameters.validate.truth.values != nullptr; }

  /// The number of the case that is due in this turn, so that all fractions of a field come before
  /// the next field.
  std::size_t in_order(std::size_t turn) const;
  /// The case of a number below count(). Throws Error as choose_hidden, set_transform and
  /// check_precision do.
  std::shared_ptr<const ValidationCase> make(std::size_t number);

 private:
  std::shared_ptr<const Field> make_field(std::size_t size, std::size_t field);
  ValidationCase hide(std::size_t number);
  void check(Field& field) const;

  const Parameters& m_parameters;
  std::uint64_t m_seed;
  std::vector<int> m_sizes;
  std::vector<double> m_fractions;
  // the data, or the synthetic field of the last cases
  std::shared_ptr<const Field> m_known;
  std::optional<std::pair<std::size_t, std::size_t>> m_synthesized;  // size and number of that
  std::optional<GaussianFields> m_fields;                            // of that size
  // the last case
  std::shared_ptr<const ValidationCase> m_case;
  std::size_t m_number = 0;
};

}  // namespace tessera::mpr
