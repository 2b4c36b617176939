// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Specific energy of the unconditional model, 128 x 128 sites, open boundaries. The first value is
/// the spin-wave law's; the others are simulated, with a statistical error of 1e-4 to 3e-4:
/// `tessera-mpr inputs/mpr/specific_energy.yaml` measures them again.

namespace tessera::mpr::detail {

inline constexpr int kTableSize = 15;
inline constexpr double kTemperature[kTableSize] = {0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7,
                                                    1,    1.5, 2,    3,   5,   10,  20};
inline constexpr double kSpecificEnergy[kTableSize] = {
    -0.98740234, -0.97454995, -0.96141642, -0.94838952, -0.92193947,
    -0.89520426, -0.86933916, -0.82039899, -0.75688518, -0.68013038,
    -0.62806517, -0.56600479, -0.50762806, -0.45906458, -0.43325225};

}  // namespace tessera::mpr::detail
