// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/gp/likelihood/solver.hpp"

/// The solvers on one execution space. Each is compiled in a file of its own, generated from
/// instantiate.cpp.in and instantiate_vecchia.cpp.in.

namespace tessera::gp::detail {

template <class ExecSpace>
std::unique_ptr<GaussianSolver> make_exact(const CovarianceModel& model, const Points& points,
                                           const parallel::Communicator& ranks);

template <class ExecSpace>
std::unique_ptr<GaussianSolver> make_vecchia(const CovarianceModel& model, const Points& points,
                                             const VecchiaOptions& options,
                                             const parallel::Communicator& ranks);

}  // namespace tessera::gp::detail
