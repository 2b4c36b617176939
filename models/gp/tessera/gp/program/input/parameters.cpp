// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/program/parameters.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/gp/program/input/columns.hpp"
#include "tessera/gp/program/input/sections.hpp"

namespace tessera::gp {

namespace {

/// Checks that there is something to work on, and something to do.
void check_task(config::Section& root, const Parameters& p) {
  if (root.documenting() || p.generate.given) return;
  if (!p.data.given && !p.simulate.given)
    root.error("", "the input has neither 'data' nor 'simulate': there is nothing to work on");
  const bool has_task =
      p.simulate.given || p.fit.given || p.predict.given || p.cross_validate || !p.loglik.empty();
  if (p.data.given && !has_task)
    root.error("",
               "the input says nothing to do with its data: add one of 'fit', 'predict', 'loglik' "
               "and 'cross_validation' ('fit: {}' will do)");
}

}  // namespace

std::vector<std::string> Parameters::covariate_names() const {
  std::vector<std::string> names = input::name_coordinates(*this);
  names.insert(names.end(), data.columns.covariates.begin(), data.columns.covariates.end());
  return names;
}

std::vector<std::vector<std::string>> Parameters::group_labels() const {
  if (data.given) return data.groups ? data.groups->label : std::vector<std::vector<std::string>>();
  std::vector<std::vector<std::string>> labels(simulate.groups.size());
  for (std::size_t g = 0; g < labels.size(); ++g) {
    for (int k = 1; k <= simulate.levels[g]; ++k) labels[g].push_back(std::to_string(k));
  }
  return labels;
}

std::vector<std::size_t> PredictParameters::grid_shape() const {
  std::vector<std::size_t> shape(counts.begin(), counts.end());
  for (const config::Numbers& values : axes) shape.push_back(values.size());
  return shape;
}

Parameters Parameters::read(config::Section& root) {
  Parameters p;
  input::read_covariance(root, p);
  input::read_marginal(root, p);
  input::read_mean(root, p);
  input::read_method(root, p);
  input::read_response(root, p);
  input::check_bins(root, p);
  input::read_data(root, p);
  input::read_simulate(root, p);
  input::read_groups(root, p);
  input::check_simulate(root, p);
  input::set_dimension_of_variables(p);
  input::complete_local(root, p);
  input::read_generate(root, p);
  input::read_loglik(root, p);
  input::read_fit(root, p);
  input::read_predict(root, p);
  input::read_cross_validation(root, p);
  check_task(root, p);
  input::check_response_sections(root, p);
  input::check_variables(root, p);
  input::check_marginal(root, p);
  input::check_groups(root, p);
  input::check_dimension(root, p);
  if (root.documenting()) {
    input::choose_defaults(root, p);
    return p;
  }
  input::check_covariates(root, p);
  input::check_local(root, p);
  if (!root.has_errors()) input::read_files(root, p);
  return p;
}

}  // namespace tessera::gp
