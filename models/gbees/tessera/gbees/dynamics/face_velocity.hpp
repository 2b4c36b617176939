// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tessera/gbees/dynamics/dynamics.hpp"

namespace tessera::gbees {

/// Velocities normal to the faces of a cell, taken at the centre of each face: one component of the
/// dynamics a face.
template <class Dynamics>
struct FaceVelocity {
  static constexpr int D = Dynamics::dimension;
  Dynamics dynamics;
  Grid<D> grid;
  const double* time;  ///< at which dynamics that vary in time are taken; lives on the device

  /// Returns the velocity through the face on the upper side of the cell along axis i.
  KOKKOS_FORCEINLINE_FUNCTION double upper(const CellLocation<D>& cell, int i) const {
    return through(cell, i, index(cell, i));
  }

  /// Returns the velocity through the face on its lower side: bit for bit the upper velocity of the
  /// cell below.
  KOKKOS_FORCEINLINE_FUNCTION double lower(const CellLocation<D>& cell, int i) const {
    return through(cell, i, index(cell, i) - 1);
  }

  /// Returns the velocity through the face `offset` cells above the upper one.
  KOKKOS_FORCEINLINE_FUNCTION double next(const CellLocation<D>& cell, int i, int offset) const {
    return through(cell, i, index(cell, i) + offset);
  }

  /// Returns the spectral density of noise along axis i in the cell `offset` cells above, of
  /// dynamics that have such noise.
  KOKKOS_INLINE_FUNCTION double noise(const CellLocation<D>& cell, int i, int offset) const {
    int k = index(cell, i) + offset;
    if constexpr (detail::takes_circles<Dynamics>()) k = grid.bring_in_next(i, k);
    const double coordinate = grid.coordinate(i, k);
    Vector<D> centre;
    TESSERA_UNROLL
    for (int j = 0; j < D; ++j) centre[j] = j == i ? coordinate : cell.x[j];
    return dynamics.noise(i, centre, *time);
  }

  /// Finds the velocities through all faces `offset` cells above the upper ones at once, for
  /// processors and dynamics that have much in common.
  KOKKOS_INLINE_FUNCTION void all(const CellLocation<D>& cell, int offset,
                                  double* velocities) const {
    dynamics.at_places(
        [&](int i, int j) {
          return j == i ? face_coordinate(i, index(cell, i) + offset) : cell.x[j];
        },
        *time, velocities);
  }

 private:
  /// The face between the ends of a circle has one coordinate, so that both sides see the same
  /// velocity.
  KOKKOS_FORCEINLINE_FUNCTION double face_coordinate(int i, int k) const {
    if constexpr (detail::takes_circles<Dynamics>()) {
      return grid.face_coordinate(i, grid.bring_in_next(i, k));
    } else {
      return grid.face_coordinate(i, k);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static int index(const CellLocation<D>& cell, int i) {
    return compat::element(cell.k, static_cast<std::uint32_t>(i));
  }

  KOKKOS_FORCEINLINE_FUNCTION double through(const CellLocation<D>& cell, int i, int k) const {
    const double coordinate = face_coordinate(i, k);
    Vector<D> face;
    TESSERA_UNROLL
    // no array of a GPU's is indexed by i
    for (int j = 0; j < D; ++j) face[j] = j == i ? coordinate : cell.x[j];
    if constexpr (detail::takes_time<Dynamics>) {
      return dynamics(i, face, *time);
    } else {
      return dynamics(i, face);
    }
  }
};

}  // namespace tessera::gbees
