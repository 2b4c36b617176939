// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>

namespace tessera::test {

/// The execution space that this executable tests; CMake builds one per enabled backend from the
/// same source.
using ExecSpace = TESSERA_TEST_EXEC_SPACE;

}  // namespace tessera::test
