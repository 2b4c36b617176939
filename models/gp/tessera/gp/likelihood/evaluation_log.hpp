// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/core/io/group.hpp"
#include "tessera/gp/covariance/covariance.hpp"
#include "tessera/gp/likelihood/solver.hpp"

namespace tessera::gp {

/// The likelihoods of a run in the order of their evaluation. A restarted run evaluates the same
/// ones again; the log replays them, so that it goes on with the same bits without computing them.
class EvaluationLog {
 public:
  struct Entry {
    Theta theta;
    Evaluation evaluation;
  };

  /// The next entry, if it is of this theta and has a gradient where one is wanted; otherwise
  /// nullptr, and the rest of the log is dropped.
  const Evaluation* replay(const Theta& theta, bool with_gradient);

  void append(const Theta& theta, const Evaluation& evaluation);

  std::size_t size() const { return m_entries.size(); }

  /// Writes the entries, whose theta have so many elements each.
  void save(io::Group& state, std::size_t parameters) const;

  /// Reads them and starts the replay. Throws Error (file) when they do not have so many elements.
  void load(const io::Group& state, std::size_t parameters);

 private:
  std::vector<Entry> m_entries;
  std::size_t m_next = 0;
};

}  // namespace tessera::gp
