// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/validation_cases.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tessera/core/log/timings.hpp"
#include "tessera/mpr/data/transform_choice.hpp"
#include "tessera/mpr/data/validation.hpp"

namespace tessera::mpr {

ValidationCases::ValidationCases(const Parameters& parameters, std::uint64_t seed)
    : m_parameters(parameters),
      m_seed(seed),
      m_sizes(parameters.validate.sizes),
      m_fractions(parameters.validate.fraction),
      m_known(parameters.input.field) {
  const SyntheticParameters& synthetic = parameters.input.synthetic;
  if (m_sizes.empty()) m_sizes = {synthetic.given ? synthetic.size[1] : 0};
  if (!m_known || !has_truth()) return;
  const double missing = static_cast<double>(m_known->count(kMissing));
  m_fractions = {missing / (missing + static_cast<double>(m_known->count(kSample)))};
}

std::size_t ValidationCases::repeats() const {
  return static_cast<std::size_t>(m_parameters.validate.fields) *
         static_cast<std::size_t>(m_parameters.validate.samplings);
}

std::size_t ValidationCases::in_order(std::size_t turn) const {
  const std::size_t samplings = static_cast<std::size_t>(m_parameters.validate.samplings),
                    fractions = m_fractions.size(), fields = repeats() / samplings;
  const std::size_t sampling = turn % samplings, fraction = turn / samplings % fractions,
                    field = turn / samplings / fractions % fields,
                    size = turn / samplings / fractions / fields;
  return ((size * fractions + fraction) * fields + field) * samplings + sampling;
}

/// Checks that every precision of the run holds the values.
void ValidationCases::check(Field& field) const {
  const std::vector<std::string>& precisions = m_parameters.validate.precisions;
  const bool single = precisions.empty() ? m_parameters.single
                                         : std::find(precisions.begin(), precisions.end(),
                                                     "single") != precisions.end();
  check_precision(field, single,
                  m_parameters.input.synthetic.given ? field.name : m_parameters.input.file);
}

std::shared_ptr<const Field> ValidationCases::make_field(std::size_t size, std::size_t number) {
  const logging::Region region("tessera::mpr::synthesize");
  SyntheticParameters synthetic = m_parameters.input.synthetic;
  if (!m_parameters.validate.sizes.empty()) synthetic.size = {m_sizes[size], m_sizes[size]};
  if (!m_fields || m_fields->parameters().size != synthetic.size) m_fields.emplace(synthetic);
  Field field;
  field.grid = {synthetic.size[1], synthetic.size[0], 1};
  field.shape = {static_cast<std::uint64_t>(synthetic.size[0]),
                 static_cast<std::uint64_t>(synthetic.size[1])};
  field.values = m_fields->make(m_seed, number);
  field.status.assign(field.values.size(), kSample);
  field.name = "synthetic field";
  find_offsets(field);
  field.single = std::fabs(synthetic.mean) < 1000 * synthetic.deviation;
  if (m_parameters.transform == TransformKind::none) check(field);
  return std::make_shared<const Field>(std::move(field));
}

ValidationCase ValidationCases::hide(std::size_t number) {
  if (has_truth())
    return {m_parameters.validate.truth.values, *m_known,
            find_compared(*m_known, *m_parameters.validate.truth.values)};
  const std::size_t of_fraction = number / repeats(), fraction = of_fraction % m_fractions.size(),
                    size = of_fraction / m_fractions.size(),
                    of_field = static_cast<std::size_t>(m_parameters.validate.samplings),
                    field = number % repeats() / of_field;
  if (m_parameters.input.synthetic.given && m_synthesized != std::pair(size, field)) {
    m_known = nullptr;
    m_known = make_field(size, field);
    m_synthesized = {size, field};
  }
  ValidationCase next{
      std::shared_ptr<const std::vector<double>>(m_known, &m_known->values), *m_known,
      choose_hidden(*m_known, m_parameters.validate, m_fractions[fraction], m_seed, number)};
  for (const std::size_t i : next.sites) {
    next.field.status[i] = kMissing;
    next.field.values[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return next;
}

std::shared_ptr<const ValidationCase> ValidationCases::make(std::size_t number) {
  if (m_case && m_number == number) return m_case;
  const logging::Region region("tessera::mpr::make_case");
  m_case = nullptr;
  ValidationCase next = hide(number);
  if (m_parameters.transform != TransformKind::none)
    set_transform(next.field, m_parameters.transform);
  // What is left of a synthetic field lies within its range.
  if (!m_parameters.input.synthetic.given || m_parameters.transform != TransformKind::none)
    check(next.field);
  m_case = std::make_shared<const ValidationCase>(std::move(next));
  m_number = number;
  return m_case;
}

}  // namespace tessera::mpr
