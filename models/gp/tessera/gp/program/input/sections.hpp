// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/core/config/section.hpp"
#include "tessera/gp/program/parameters.hpp"

/// The parts of Parameters::read, each in the source file of its name. Each reads and checks its
/// section, as far as the sections before it allow, and records problems in it.

namespace tessera::gp::input {

/// covariance.cpp: the elements of theta that the section does not give stay NaN.
void read_covariance(config::Section& root, Parameters& p);

/// local.cpp: how the covariance differs from place to place, by keys of its section. Its
/// coefficients follow in theta when the coordinates are known; what it does not go with is refused
/// then. The covariates must be expressions of what there is, when all other sections have been
/// read.
void read_local(config::Section& covariance, Parameters& p);
void complete_local(config::Section& root, Parameters& p);
void check_local(config::Section& root, const Parameters& p);

/// Takes the number of coordinates from the data, or the simulation; a range for each coordinate
/// must be one for each of these.
void check_dimension(config::Section& root, Parameters& p);
/// Makes the range of `ranges: each` one for each of so many coordinates.
void spread_ranges(Parameters& p, std::size_t coordinates);

/// variables.cpp: the number of coordinates that bounds of cross-correlations depend on must be
/// known before other sections are checked. What several variables do not go with; all other
/// sections have been read when check_variables is called.
void set_dimension_of_variables(Parameters& p);
void check_variables(config::Section& root, const Parameters& p);

/// mean.cpp: a name, or a mapping with covariates.
void read_mean(config::Section& root, Parameters& p);

/// The covariates must be expressions of what there is. All other sections have been read.
void check_covariates(config::Section& root, const Parameters& p);

/// method.cpp: a name, or the options of Vecchia's approximation.
void read_method(config::Section& root, Parameters& p);

/// Vecchia's approximation has no use for `covariance.bins` and `covariance.bessel`.
void check_bins(config::Section& root, const Parameters& p);

/// data.cpp
void read_data(config::Section& root, Parameters& p);

/// simulate.cpp: a simulation needs all of theta, which groupings end.
void read_simulate(config::Section& root, Parameters& p);
void check_simulate(config::Section& root, const Parameters& p);

/// likelihood.cpp: the sections of likelihoods at given parameters, and of the largest.
void read_loglik(config::Section& root, Parameters& p);
void read_fit(config::Section& root, Parameters& p);

/// response.cpp: the law of the observations, and what it does not go with. All other sections
/// have been read when check_response_sections is called.
void read_response(config::Section& root, Parameters& p);
void check_response_sections(config::Section& root, const Parameters& p);

/// marginal.cpp: the law of the field at a point, which adds g and h to theta, and what it does
/// not go with. All other sections have been read when check_marginal is called.
void read_marginal(config::Section& root, Parameters& p);
void check_marginal(config::Section& root, const Parameters& p);

/// groups.cpp: random effects of groupings, which add their variances to theta, and what they do
/// not go with. The columns of the labels have been read when read_groups is called, and all other
/// sections when check_groups is.
void read_groups(config::Section& root, Parameters& p);
void check_groups(config::Section& root, const Parameters& p);

/// generate.cpp
void read_generate(config::Section& root, Parameters& p);

/// predict.cpp
void read_predict(config::Section& root, Parameters& p);
void read_cross_validation(config::Section& root, Parameters& p);

/// files.cpp: reads the files of points that the other sections name.
void read_files(config::Section& root, Parameters& p);

/// defaults.cpp: --print-defaults prints an input that is valid: with simulated observations where
/// it has no data, and without the keys of other covariances and metrics.
void choose_defaults(config::Section& root, const Parameters& p);

}  // namespace tessera::gp::input
