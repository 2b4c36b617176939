// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/program/latent_log.hpp"

#include <cstdint>

namespace tessera::gp {

namespace {

// The numbers of an evaluation beside its derivatives.
constexpr std::size_t kNumbers = 7;

std::vector<double> numbers_of(const LatentEvaluation& e, LatentGradient gradient) {
  return {e.loglik,
          e.log_determinant,
          e.log_determinant_error,
          e.valid ? 1.0 : 0.0,
          static_cast<double>(e.newton_steps),
          static_cast<double>(e.cg_iterations),
          static_cast<double>(gradient)};
}

/// Takes `count` numbers from `at` on, and moves on.
std::vector<double> take(const double*& at, std::size_t count) {
  const std::vector<double> taken(at, at + count);
  at += count;
  return taken;
}

}  // namespace

LatentLog::LatentLog(std::size_t parameters, ResponseFamily family, std::size_t coefficients)
    : m_parameters(parameters),
      m_own(response_parameters(family).size()),
      m_coefficients(coefficients),
      m_family(family) {}

std::vector<double> LatentLog::row(const LatentPoint& point) const {
  std::vector<double> row = point.theta;
  row.push_back(point.response.a);
  row.push_back(point.response.b);
  row.insert(row.end(), point.coefficients.begin(), point.coefficients.end());
  return row;
}

const LatentEvaluation* LatentLog::replay(const LatentPoint& point, LatentGradient gradient) {
  if (m_next >= m_entries.size()) return nullptr;
  const Entry& next = m_entries[m_next];
  if (row(next.point) != row(point) || next.gradient != gradient) {
    m_entries.resize(m_next);
    m_mode.clear();
    return nullptr;
  }
  return &m_entries[m_next++].evaluation;
}

void LatentLog::append(const LatentPoint& point, LatentGradient gradient,
                       const LatentEvaluation& evaluation, const std::vector<double>& mode) {
  m_entries.push_back({point, gradient, evaluation});
  m_next = m_entries.size();
  m_mode = mode;
}

std::vector<double> LatentLog::mode() const {
  return m_next == m_entries.size() ? m_mode : std::vector<double>();
}

void LatentLog::save(io::Group& state) const {
  std::vector<double> points, numbers, gradients;
  std::vector<std::string> problems;
  for (const Entry& entry : m_entries) {
    const std::vector<double> point = row(entry.point),
                              own = numbers_of(entry.evaluation, entry.gradient);
    points.insert(points.end(), point.begin(), point.end());
    numbers.insert(numbers.end(), own.begin(), own.end());
    std::vector<double> theta = entry.evaluation.theta_gradient,
                        response = entry.evaluation.response_gradient,
                        coefficients = entry.evaluation.coefficient_gradient;
    theta.resize(m_parameters, 0.0);
    response.resize(2, 0.0);
    coefficients.resize(m_coefficients, 0.0);
    for (const std::vector<double>* part : {&theta, &response, &coefficients})
      gradients.insert(gradients.end(), part->begin(), part->end());
    problems.push_back(entry.evaluation.problem);
  }
  const io::Attributes plain;
  const std::uint64_t count = m_entries.size();
  state.set_attribute("count", count);
  if (count == 0) return;
  state.write("point", points, io::Shape{count, width()}, plain);
  state.write("numbers", numbers, io::Shape{count, kNumbers}, plain);
  state.write("gradient", gradients, io::Shape{count, width()}, plain);
  state.write("problem", problems, plain);
  state.write("mode", m_mode, plain);
}

void LatentLog::load(const io::Group& state, std::size_t points) {
  const auto count = state.attribute<std::uint64_t>("count");
  m_entries.clear();
  m_mode.clear();
  m_next = 0;
  if (count == 0) return;
  const auto rows = state.read<double>("point", {count, width()}),
             numbers = state.read<double>("numbers", {count, kNumbers}),
             gradients = state.read<double>("gradient", {count, width()});
  const auto problems = state.read<std::string>("problem", {count});
  m_mode = state.read<double>("mode", {points});
  for (std::uint64_t i = 0; i < count; ++i) {
    const double *at = rows.data() + i * width(), *own = numbers.data() + i * kNumbers,
                 *slope = gradients.data() + i * width();
    Entry entry{{}, static_cast<LatentGradient>(static_cast<int>(own[6])), {}};
    entry.point.theta = take(at, m_parameters);
    entry.point.response = {m_family, at[0], at[1]};
    at += 2;
    entry.point.coefficients = take(at, m_coefficients);
    LatentEvaluation& e = entry.evaluation;
    e.loglik = own[0];
    e.log_determinant = own[1];
    e.log_determinant_error = own[2];
    e.valid = own[3] != 0;
    e.newton_steps = static_cast<int>(own[4]);
    e.cg_iterations = static_cast<int>(own[5]);
    e.problem = problems[i];
    const std::vector<double> theta = take(slope, m_parameters), response = take(slope, 2),
                              coefficients = take(slope, m_coefficients);
    if (e.valid && entry.gradient == LatentGradient::all) e.theta_gradient = theta;
    if (e.valid && entry.gradient != LatentGradient::none) {
      e.response_gradient.assign(response.begin(),
                                 response.begin() + static_cast<std::ptrdiff_t>(m_own));
      e.coefficient_gradient = coefficients;
    }
    m_entries.push_back(entry);
  }
}

}  // namespace tessera::gp
