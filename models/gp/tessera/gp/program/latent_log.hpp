// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/gp/latent/latent.hpp"

namespace tessera::gp {

/// The likelihoods of a run with observations that are not Gaussian, in the order of their
/// evaluation, and the mode of the field after the last one. A restarted run evaluates the same
/// ones again; the log replays them, and the first likelihood that it does not have begins at that
/// mode, so that the run goes on with the same bits.
class LatentLog {
 public:
  /// `parameters`, `coefficients`: how many theta and the mean have.
  LatentLog(std::size_t parameters, ResponseFamily family, std::size_t coefficients);

  /// The next entry, if it is of this point with these derivatives; otherwise nullptr, and the rest
  /// of the log is dropped.
  const LatentEvaluation* replay(const LatentPoint& point, LatentGradient gradient);

  void append(const LatentPoint& point, LatentGradient gradient, const LatentEvaluation& evaluation,
              const std::vector<double>& mode);

  /// Returns the mode where the entry that was replayed last is the last one; empty elsewhere.
  std::vector<double> mode() const;

  void save(io::Group& state) const;

  /// Reads the entries and starts the replay; a field has `points` numbers. Throws Error (file)
  /// where an array is missing or of another length.
  void load(const io::Group& state, std::size_t points);

 private:
  struct Entry {
    LatentPoint point;
    LatentGradient gradient;
    LatentEvaluation evaluation;
  };

  std::size_t width() const { return m_parameters + 2 + m_coefficients; }
  std::vector<double> row(const LatentPoint& point) const;

  std::size_t m_parameters, m_own, m_coefficients;
  ResponseFamily m_family;
  std::vector<Entry> m_entries;
  std::size_t m_next = 0;
  std::vector<double> m_mode;
};

}  // namespace tessera::gp
