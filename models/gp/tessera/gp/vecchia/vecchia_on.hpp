// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/gp/likelihood/solver.hpp"

namespace tessera::gp::detail {

/// The Vecchia solver on one execution space; each is compiled in a file of its own, generated from
/// instantiate_vecchia.cpp.in.
template <class ExecSpace>
std::unique_ptr<Solver> vecchia_on(const CovarianceModel& model, const Points& points,
                                   const VecchiaOptions& options,
                                   const parallel::Communicator& ranks);

}  // namespace tessera::gp::detail
