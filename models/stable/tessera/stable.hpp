// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Alpha-stable laws: functions, samples, fits, regressions, GARCH and elliptical laws.

#include "tessera/stable/fit/bootstrap.hpp"
#include "tessera/stable/fit/fit.hpp"
#include "tessera/stable/fit/goodness.hpp"
#include "tessera/stable/fit/intervals.hpp"
#include "tessera/stable/fit/rounded_values.hpp"
#include "tessera/stable/fit/series_panel.hpp"
#include "tessera/stable/garch/backtest.hpp"
#include "tessera/stable/garch/garch.hpp"
#include "tessera/stable/instances.hpp"
#include "tessera/stable/law/absolute_mean.hpp"
#include "tessera/stable/law/batch.hpp"
#include "tessera/stable/law/expected_shortfall.hpp"
#include "tessera/stable/law/parameterization.hpp"
#include "tessera/stable/law/quantile_function.hpp"
#include "tessera/stable/law/radial.hpp"
#include "tessera/stable/law/sample.hpp"
#include "tessera/stable/law/stable_distribution.hpp"
#include "tessera/stable/law/table.hpp"
#include "tessera/stable/multivariate/elliptical.hpp"
#include "tessera/stable/regression/regression.hpp"
