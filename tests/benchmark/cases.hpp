// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tessera/core/parallel/communicator.hpp"

namespace tessera::bench {

/// Returns the ranks that a launcher started together.
const parallel::Communicator& ranks();

/// Reports that a case fails on this rank, for the reason given: returns where it fails on all
/// ranks, else ends them all.
void fail_together(const std::string& why);

/// Each function registers the cases of one subject on one execution space, under names that end
/// with `backend`. The functions are compiled in files of their own.
template <class ExecSpace>
void register_ceilings(const std::string& backend);
template <class ExecSpace>
void register_transfers(const std::string& backend);
template <class ExecSpace>
void register_directory(const std::string& backend);
template <class ExecSpace>
void register_gbees(const std::string& backend);
template <class ExecSpace>
void register_boys(const std::string& backend);
template <class ExecSpace>
void register_mpr(const std::string& backend);
template <class ExecSpace>
void register_gp(const std::string& backend);
template <class ExecSpace>
void register_bessel(const std::string& backend);
template <class ExecSpace>
void register_stable(const std::string& backend);
/// Registers the cases of several ranks together; they also run with one rank.
template <class ExecSpace>
void register_ranks(const std::string& backend);

}  // namespace tessera::bench
