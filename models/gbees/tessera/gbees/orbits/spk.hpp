// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tessera/gbees/orbits/daf.hpp"
#include "tessera/gbees/orbits/epoch.hpp"
#include "tessera/gbees/orbits/frames.hpp"

namespace tessera::gbees {

/// A segment of an SPK kernel: one body seen from another, by numbers of NAIF.
struct SpkSegment {
  int target = 0, centre = 0, frame = 0, type = 0;
  double first = 0, last = 0;       ///< s of TDB since 2000-01-01T12:00:00 TDB
  std::int64_t begin = 0, end = 0;  ///< addresses of its numbers
};

/// An SPK kernel of SPICE (SPK Required Reading of NAIF): ephemerides of planets, moons and
/// spacecraft. Segments of types 2 and 3 (Chebyshev polynomials of positions; of positions and
/// velocities), 9 (Lagrange, unequal steps) and 13 (Hermite, unequal steps) in J2000 or ICRF are
/// evaluated. Of segments that overlap the last one counts. Positions agree with jplephem (types 2
/// and 3) and with independent polynomials (9 and 13) to 1e-12 of themselves.
class SpkKernel {
 public:
  /// Throws Error as ArrayFile.
  explicit SpkKernel(const std::string& path) : m_file(path) { read_segments(); }

  const std::string& path() const { return m_file.path(); }
  const std::vector<SpkSegment>& segments() const { return m_segments; }

  /// The state of a body seen from another in EME2000, m and m/s, along the segments that connect
  /// them. Throws Error (input) where no segments do at the epoch, and lists what there is, and for
  /// types and frames that are not read.
  CartesianState state(int target, int centre, const Epoch& epoch) const;

 private:
  void read_segments();
  const SpkSegment* segment_of(int target, double time) const;
  CartesianState state_of(const SpkSegment& segment, double time) const;
  CartesianState chebyshev(const SpkSegment& segment, double time) const;
  CartesianState through_rows(const SpkSegment& segment, double time) const;
  std::string list() const;
  Error damaged(const SpkSegment& segment) const;

  ArrayFile m_file;
  std::vector<SpkSegment> m_segments;
};

/// The number by which NAIF knows a body: that in the text, or that of a name such as sun, earth,
/// moon, mars, earth_barycenter. Throws Error (input) for others, and lists these.
int parse_body(const std::string& text);

}  // namespace tessera::gbees
