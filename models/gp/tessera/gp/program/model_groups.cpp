// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// The random effects of groupings of a run of tessera-gp: their simulation, what the data say of
// them, and their results.
#include <algorithm>
#include <cmath>

#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/gp/covariance/number_text.hpp"
#include "tessera/gp/program/model.hpp"
#include "tessera/gp/program/random_fields.hpp"

namespace tessera::gp {

/// Adds effects that are drawn to simulated fields; each field has its own.
void GpModel::add_effects() {
  const CovarianceModel& model = m_parameters.model;
  const std::size_t n = m_observations.size();
  std::size_t first = 0;  // stream of the grouping
  m_simulated_effects.clear();
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    const double deviation =
        std::sqrt(m_parameters.theta[static_cast<std::size_t>(model.group()) + g]);
    const std::vector<int>& level = m_observations.points.level[g];
    const std::size_t levels = m_observations.labels[g].size();
    std::vector<double> effects = standard_normals(m_settings.seed, Stream::effects, levels,
                                                   m_observations.replicates, first);
    for (double& effect : effects) effect *= deviation;
    first += m_observations.replicates;
    for (std::size_t r = 0; r < m_observations.replicates; ++r) {
      for (std::size_t i = 0; i < n; ++i)
        m_observations.values[i + r * n] +=
            effects[static_cast<std::size_t>(level[i]) + r * levels];
    }
    effects.resize(levels);
    m_simulated_effects.push_back(std::move(effects));
  }
}

/// Finds what the data of the first replicate say of each level.
void GpModel::find_effects() {
  GroupSolver* const groups = group_solver();
  if (groups == nullptr) return;
  if (m_parameters.fit.separate && m_observations.replicates > 1) use_replicate(0);
  groups->prepare(theta());
  m_effects = groups->effects(theta());
}

/// Says which effects belong to what is predicted.
void GpModel::describe_target_levels() const {
  const CovarianceModel& model = m_parameters.model;
  if (!model.has_groups()) return;
  if (m_targets.level.empty()) {
    logging::info(
        "predictions are of the field and its mean, without effects of groupings, whose levels the "
        "points do not have");
    return;
  }
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    const std::vector<int>& known = m_effects[g].level;
    const auto unknown = std::count_if(
        m_targets.level[g].begin(), m_targets.level[g].end(),
        [&](int level) { return !std::binary_search(known.begin(), known.end(), level); });
    if (unknown > 0)
      logging::info("of " + std::to_string(m_targets.size()) + " predictions " +
                    std::to_string(unknown) + " are at levels of '" + model.groups[g] +
                    "' without observations, whose effects have the mean 0 and the variance " +
                    number(theta()[static_cast<std::size_t>(model.group()) + g]));
  }
}

void GpModel::write_groups(io::ResultsFile& file) const {
  const CovarianceModel& model = m_parameters.model;
  if (m_effects.empty()) return;
  const io::Group results = file.results().group("groups");
  double total = theta()[0] + nugget_variance(model, theta()) + mean_error_variance();
  for (std::size_t g = 0; g < m_effects.size(); ++g)
    total += theta()[static_cast<std::size_t>(model.group()) + g];
  results.set_attribute("share_of_field", theta()[0] / total);
  results.set_attribute("share_of_errors",
                        (nugget_variance(model, theta()) + mean_error_variance()) / total);
  for (std::size_t g = 0; g < m_effects.size(); ++g) {
    const GroupEffects& effects = m_effects[g];
    std::string name = model.groups[g];
    std::replace(name.begin(), name.end(), '/', '_');
    const io::Group group = results.group(name);
    std::vector<std::string> labels;
    for (const int level : effects.level)
      labels.push_back(m_observations.labels[g][static_cast<std::size_t>(level)]);
    group.write("label", labels, io::Attributes{"1", "labels of the levels with observations"});
    group.write("observations", effects.observations,
                io::Attributes{"1", "number of observations of each level"});
    group.write("effect", effects.mean,
                io::Attributes{"1", "mean of the effect of each level given the data"});
    group.write(
        "deviation", effects.deviation,
        io::Attributes{"1", "standard deviation of the effect of each level given the data"});
    if (g < m_simulated_effects.size()) {
      std::vector<double> truth;
      for (const int level : effects.level)
        truth.push_back(m_simulated_effects[g][static_cast<std::size_t>(level)]);
      group.write("truth", truth, io::Attributes{"1", "effects that were simulated"});
    }
    const double variance = theta()[static_cast<std::size_t>(model.group()) + g];
    group.set_attribute("variance", variance);
    group.set_attribute("share", variance / total);
  }
}

}  // namespace tessera::gp
