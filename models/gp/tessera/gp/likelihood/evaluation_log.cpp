// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/likelihood/evaluation_log.hpp"

#include <string>
#include <utility>

namespace tessera::gp {

const Evaluation* EvaluationLog::replay(const Theta& theta, bool with_gradient) {
  if (m_next >= m_entries.size()) return nullptr;
  const Entry& next = m_entries[m_next];
  if (next.theta != theta ||
      (with_gradient && next.evaluation.valid && next.evaluation.gradient.empty())) {
    m_entries.resize(m_next);
    return nullptr;
  }
  return &m_entries[m_next++].evaluation;
}

void EvaluationLog::append(const Theta& theta, const Evaluation& evaluation) {
  m_entries.push_back({theta, evaluation});
  m_next = m_entries.size();
}

void EvaluationLog::save(io::Group& state, std::size_t parameters) const {
  std::vector<double> theta, loglik, gradient, information;
  std::vector<std::int64_t> valid, has_gradient, has_information;
  std::vector<std::string> problem;
  for (const Entry& entry : m_entries) {
    theta.insert(theta.end(), entry.theta.begin(), entry.theta.end());
    loglik.push_back(entry.evaluation.loglik);
    valid.push_back(entry.evaluation.valid ? 1 : 0);
    has_gradient.push_back(entry.evaluation.gradient.empty() ? 0 : 1);
    std::vector<double> padded = entry.evaluation.gradient;
    padded.resize(parameters, 0.0);
    gradient.insert(gradient.end(), padded.begin(), padded.end());
    has_information.push_back(entry.evaluation.information.empty() ? 0 : 1);
    padded = entry.evaluation.information;
    padded.resize(parameters * parameters, 0.0);
    information.insert(information.end(), padded.begin(), padded.end());
    problem.push_back(entry.evaluation.problem);
  }
  const io::Attributes plain;
  state.set_attribute("count", static_cast<std::uint64_t>(m_entries.size()));
  if (m_entries.empty()) return;
  const io::Shape rows{m_entries.size(), parameters};
  state.write("theta", theta, rows, plain);
  state.write("loglik", loglik, plain);
  state.write("gradient", gradient, rows, plain);
  state.write("valid", valid, plain);
  state.write("has_gradient", has_gradient, plain);
  state.write("information", information, {m_entries.size(), parameters * parameters}, plain);
  state.write("has_information", has_information, plain);
  state.write("problem", problem, plain);
}

void EvaluationLog::load(const io::Group& state, std::size_t parameters) {
  const auto count = state.attribute<std::uint64_t>("count");
  std::vector<Entry> entries;
  if (count > 0) {
    const auto loglik = state.read<double>("loglik", {count});
    const auto theta = state.read<double>("theta", {count, parameters}),
               gradient = state.read<double>("gradient", {count, parameters});
    const auto valid = state.read<std::int64_t>("valid", {count}),
               has_gradient = state.read<std::int64_t>("has_gradient", {count});
    std::vector<double> information;
    std::vector<std::int64_t> has_information(count, 0);
    if (state.has("information")) {  // not in older restart files
      information = state.read<double>("information", {count, parameters * parameters});
      has_information = state.read<std::int64_t>("has_information", {count});
    }
    const auto problem = state.read<std::string>("problem", {count});
    entries.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = [&](const std::vector<double>& rows, std::size_t width) {
        return std::vector<double>(rows.begin() + static_cast<std::ptrdiff_t>(i * width),
                                   rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
      };
      entries[i].theta = row(theta, parameters);
      entries[i].evaluation.loglik = loglik[i];
      entries[i].evaluation.valid = valid[i] != 0;
      if (has_gradient[i] != 0) entries[i].evaluation.gradient = row(gradient, parameters);
      if (has_information[i] != 0)
        entries[i].evaluation.information = row(information, parameters * parameters);
      entries[i].evaluation.problem = problem[i];
    }
  }
  m_entries = std::move(entries);
  m_next = 0;
}

}  // namespace tessera::gp
