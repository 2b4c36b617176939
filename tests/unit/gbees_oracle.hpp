// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

namespace tessera::test {

/// The published algorithm in its published form: cells in a map, corner corrections scattered to
/// the faces they reach, candidates for removal sorted and removed one by one. Slow and plain, to
/// hold the reference scheme against where no results of the published code are at hand: dynamics
/// that vary in time, and an invariant that bounds the grid.
template <int D>
class Oracle {
 public:
  using Index = std::array<int, D>;
  using Point = std::array<double, D>;
  struct Cell {
    double p = 0;
    Point velocity{}, corner{}, donor{};
  };

  std::function<double(int, const Point&, double)> dynamics;
  std::function<double(const Point&)> invariant;  ///< empty: unbounded
  Point origin{}, spacing{};
  double threshold = 0;
  bool time_varying = false;
  int prune_every = 20;

  std::map<Index, Cell> cells;
  double time = 0;
  std::uint64_t steps = 0, cell_steps = 0;

  /// A Gaussian with independent variables about the origin, on the box |k_i| <= extent.
  void initialize(const Point& sigma, int extent) {
    Index k;
    k.fill(-extent);
    while (true) {
      double form = 0;
      for (int i = 0; i < D; ++i) form += std::pow(k[i] * spacing[i] / sigma[i], 2);
      cells[k].p = std::exp(-0.5 * form);
      int i = D - 1;
      while (i >= 0 && k[i] == extent) k[i--] = -extent;
      if (i < 0) break;
      ++k[i];
    }
    for (auto& [key, cell] : cells) {
      set_velocity(key, cell);
      if (!invariant) continue;
      m_low = std::min(m_low, invariant(centre(key)));
      m_high = std::max(m_high, invariant(centre(key)));
    }
    normalise();
  }

  void propagate(double length) {
    double done = 0;
    while (done < length) {
      grow();
      double dt = length - done;
      for (const auto& [key, cell] : cells) dt = std::min(dt, crossing_time(cell));
      fluxes(dt);
      update(dt);
      normalise();
      done += dt;
      time += dt;
      ++steps;
      cell_steps += cells.size();
      if (steps % static_cast<std::uint64_t>(prune_every) == 0) {
        prune();
        normalise();
      }
    }
  }

 private:
  static Index moved(Index k, int i, int by) {
    k[i] += by;
    return k;
  }

  Cell* find(const Index& k) {
    const auto found = cells.find(k);
    return found == cells.end() ? nullptr : &found->second;
  }

  double mass(const Index& k) {
    const Cell* cell = find(k);
    return cell != nullptr ? cell->p : 0;
  }

  Point centre(const Index& k) const {
    Point x;
    for (int i = 0; i < D; ++i) x[i] = std::fma(spacing[i], k[i], origin[i]);
    return x;
  }

  void set_velocity(const Index& k, Cell& cell) {
    for (int i = 0; i < D; ++i) {
      Point face = centre(k);
      face[i] = std::fma(spacing[i], k[i], 0.5 * spacing[i]) + origin[i];
      cell.velocity[i] = dynamics(i, face, time);
    }
  }

  double crossing_time(const Cell& cell) const {
    double rate = 0;
    for (int i = 0; i < D; ++i) rate += std::fabs(cell.velocity[i]) / spacing[i];
    return 1 / rate;
  }

  static int sign(double v) { return v > 0 ? 1 : v < 0 ? -1 : 0; }

  void insert(const Index& k) {
    if (cells.count(k) != 0) return;
    if (invariant) {
      const double value = invariant(centre(k));
      if (!(value >= m_low && value <= m_high)) return;
    }
    set_velocity(k, cells[k]);
  }

  void grow() {
    std::vector<Index> active;
    for (auto& [key, cell] : cells) {
      if (time_varying) set_velocity(key, cell);
      if (cell.p >= threshold) active.push_back(key);
    }
    for (const Index& k : active) {
      const Point v = cells[k].velocity;
      for (int i = 0; i < D; ++i) {
        if (v[i] == 0) continue;
        insert(moved(k, i, sign(v[i])));
        for (int j = i + 1; j < D; ++j) {
          if (v[j] != 0) insert(moved(moved(k, i, sign(v[i])), j, sign(v[j])));
        }
      }
    }
  }

  static double up(double v) { return std::max(v, 0.0); }
  static double down(double v) { return std::min(v, 0.0); }

  void fluxes(double dt) {
    for (auto& [k, cell] : cells) {
      cell.corner.fill(0);
      for (int i = 0; i < D; ++i)
        cell.donor[i] =
            up(cell.velocity[i]) * cell.p + down(cell.velocity[i]) * mass(moved(k, i, 1));
    }
    for (auto& [k, cell] : cells) {
      for (int i = 0; i < D; ++i) {
        Cell* const below = find(moved(k, i, -1));
        if (below == nullptr) continue;
        const double u = below->velocity[i];
        const double jump = cell.p - below->p;
        const double f = dt * jump / (2 * spacing[i]);
        for (int j = 0; j < D; ++j) {
          if (j == i) continue;
          cell.corner[j] -= up(u) * up(cell.velocity[j]) * f;
          below->corner[j] -= down(u) * up(below->velocity[j]) * f;
          if (Cell* at = find(moved(k, j, -1))) at->corner[j] -= up(u) * down(at->velocity[j]) * f;
          if (Cell* at = find(moved(moved(k, i, -1), j, -1)))
            at->corner[j] -= down(u) * down(at->velocity[j]) * f;
        }
        const double upwind =
            u > 0 ? below->p - mass(moved(k, i, -2)) : mass(moved(k, i, 1)) - cell.p;
        const double theta = jump != 0 ? upwind / jump : 0;
        const double limiter = std::max(0.0, std::min({(1 + theta) / 2, 2.0, 2 * theta}));
        below->corner[i] += std::fabs(u) * (spacing[i] / dt - std::fabs(u)) * f * limiter;
      }
    }
  }

  void update(double dt) {
    std::map<Index, double> next;
    for (const auto& [k, cell] : cells) {
      double p = cell.p;
      for (int i = 0; i < D; ++i) {
        const Cell* const below = find(moved(k, i, -1));
        const double inflow = below != nullptr ? below->donor[i] + below->corner[i] : 0;
        p -= dt / spacing[i] * (cell.donor[i] + cell.corner[i] - inflow);
      }
      next[k] = std::max(p, 0.0);
    }
    for (auto& [k, cell] : cells) cell.p = next[k];
  }

  void normalise() {
    double sum = 0;
    for (const auto& [k, cell] : cells) sum += cell.p;
    for (auto& [k, cell] : cells) cell.p /= sum;
  }

  bool is_fed(const Index& k) {
    for (int i = 0; i < D; ++i) {
      // the cell on that side sends mass towards k when its velocity points the other way
      for (const int side : {-1, 1}) {
        const Cell* const face = find(moved(k, i, side));
        if (face == nullptr) continue;
        if (sign(face->velocity[i]) == -side && face->p >= threshold) return true;
        for (int j = 0; j < D; ++j) {
          if (j == i) continue;
          for (const int other : {-1, 1}) {
            const Cell* const edge = find(moved(moved(k, i, side), j, other));
            if (edge != nullptr && sign(edge->velocity[i]) == -side &&
                sign(edge->velocity[j]) == -other && edge->p >= threshold)
              return true;
          }
        }
      }
    }
    return false;
  }

  void prune() {
    std::vector<std::pair<double, Index>> candidates;
    for (const auto& [k, cell] : cells) {
      if (cell.p < threshold && !is_fed(k)) candidates.emplace_back(cell.p, k);
    }
    std::sort(candidates.begin(), candidates.end());
    double removed = 0;
    for (const auto& [p, k] : candidates) {
      removed += p;
      if (!(p / (1 - removed) < threshold)) break;
      cells.erase(k);
    }
  }

  double m_low = 1e308, m_high = -1e308;
};

}  // namespace tessera::test
