// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "tessera/gp/likelihood/solver.hpp"

namespace tessera::gp::detail {

/// The exact solver on one execution space; each is compiled in a file of its own, generated from
/// instantiate.cpp.in.
template <class ExecSpace>
std::unique_ptr<Solver> exact_on(const CovarianceModel& model, const Points& points,
                                 const parallel::Communicator& ranks);

}  // namespace tessera::gp::detail
