// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/mpr/fill/estimate.hpp"
#include "tessera/mpr/linear/gaussian_draws.hpp"
#include "tessera/mpr/linear/linear_fill.hpp"
#include "tessera/mpr/program/stream_scan.hpp"

namespace tessera::mpr::detail {

/// An image of blocks, each the mean of its samples, filled at once: what windows know of gaps that
/// are deeper than their halo. Smooth fields have the same energy on blocks of c x c sites with the
/// same couplings, beta / c^2 and the same temperature.
template <class ExecSpace, class Real>
class DistantFill {
 public:
  DistantFill() = default;
  /// offset: taken off the samples. draws: exact draws that windows make; 0 where sweeps take their
  /// place. Nothing is done where no gap is deeper than half of the halo.
  DistantFill(const ExecSpace& exec, const StreamScan& scan, const Grid& grid,
              const FillOptions& options, const Estimates& estimates, double offset, int halo,
              int draws)
      : m_grid(grid), m_coarse(scan.coarse), m_block(scan.block) {
    std::vector<Real> values(scan.blocks.size()), errors(options.noise ? values.size() : 0);
    m_status.resize(scan.blocks.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const BlockSums& sums = scan.blocks[i];
      m_status[i] = sums.samples > 0 ? kSample : sums.missing > 0 ? kMissing : kInactive;
      if (sums.samples == 0) continue;
      values[i] = static_cast<Real>(sums.values / sums.samples - offset -
                                    trend_at(scan, estimates.trend, i));
      if (options.noise) errors[i] = static_cast<Real>(std::sqrt(sums.variances) / sums.samples);
    }
    if (!has_deep_gaps(exec, halo)) return;
    const auto status = upload(exec, "tessera::mpr::status", mark_noisy(errors));
    const logging::Region region("tessera::mpr::distant_fill");
    const double beta = estimates.beta / (m_block * m_block);
    const Metrics metrics =
        options.metric.is_uniform() ? Metrics() : Metrics{metric_of_blocks(options.metric)};
    const auto field = upload(exec, "tessera::mpr::values", values);
    LinearFill<ExecSpace, Real> fill(exec, m_coarse, 1, status, estimates.axis, metrics);
    fill.set_mean(estimates.mean);
    const double scale = (estimates.high - estimates.low) * (1 + 2 * options.padding) / kPi;
    const Errors of_blocks{upload(exec, "tessera::mpr::errors", errors),
                           {estimates.temperature * scale * scale}};
    if (options.noise) fill.set_noise(of_blocks.deviations, of_blocks.temperature);
    fill.solve(field, estimates.axis, beta,
               options.fill_tolerance * std::sqrt(estimates.temperature) * scale,
               options.fill_iterations);
    m_values = download(exec, field);
    fill_columns(exec, scan, fill, estimates, beta, options.fill_iterations);
    draw(exec, status, estimates.axis, beta, options, metrics, of_blocks, draws);
  }

  bool is_needed() const { return !m_values.empty(); }

  /// Bytes on the device while it is made.
  static double memory(const Grid& coarse, bool noise) {
    return GaussianDraws<ExecSpace, Real>::memory(coarse, 1, noise) +
           static_cast<double>(coarse.sites()) * (3 + (noise ? 4 : 3) * sizeof(Real));
  }
  /// Bytes on the host that stay.
  static double host_memory(const Grid& coarse, int draws, int columns) {
    return static_cast<double>(coarse.sites()) *
           (sizeof(BlockSums) + 2.0 + (draws + 9.0) * sizeof(Real) +
            columns * (2 * sizeof(double) + sizeof(Real)));
  }

  /// Returns what the coarse image says of the rim of a box.
  Rim rim_of(const io::Box& box) const {
    Rim rim;
    if (!is_needed()) return rim;
    const bool left = box.x0 > 0, right = box.x0 + box.nx<m_grid.nx, top = box.y0> 0,
               bottom = box.y0 + box.ny < m_grid.ny;
    std::vector<Weights> weights;
    for (int y = 0; y < box.ny; ++y) {
      const bool all = (top && y < 2) || (bottom && y >= box.ny - 2);
      for (int x = 0; x < box.nx; ++x) {
        if (!all && x == 2 && box.nx > 4) x = box.nx - 2;
        if (!all && !(left && x < 2) && !(right && x >= box.nx - 2)) continue;
        const Weights of_site = interpolate(box.x0 + x, box.y0 + y);
        if (!(of_site.sum > 0)) continue;
        weights.push_back(of_site);
        rim.sites.push_back(static_cast<std::int64_t>(y) * box.nx + x);
      }
    }
    for (const Weights& of_site : weights) rim.values.push_back(of_site.of(m_values));
    for (const std::vector<Real>& draw : m_draws) {
      for (const Weights& of_site : weights) rim.draws.push_back(of_site.of(draw));
    }
    for (const std::vector<Real>& column : m_columns) {
      for (const Weights& of_site : weights) rim.columns.push_back(of_site.of(column));
    }
    return rim;
  }

 private:
  /// The weights of the blocks around a site.
  struct Weights {
    std::size_t block[4];
    double weight[4], sum = 0;
    double of(const std::vector<Real>& values) const {
      double total = 0;
      for (int k = 0; k < 4; ++k) {
        if (weight[k] > 0) total += weight[k] * static_cast<double>(values[block[k]]);
      }
      return total / sum;
    }
  };

  /// Linear between the centres of active blocks.
  Weights interpolate(int x, int y) const {
    const auto between = [this](int site, int blocks, int& low, double& part) {
      const double at = std::clamp((site + 0.5) / m_block - 0.5, 0.0, blocks - 1.0);
      low = std::min(static_cast<int>(at), std::max(0, blocks - 2));
      part = at - low;
    };
    int bx, by;
    double px, py;
    between(x, m_coarse.nx, bx, px);
    between(y, m_coarse.ny, by, py);
    Weights found;
    for (int k = 0; k < 4; ++k) {
      const int cx = std::min(bx + k % 2, m_coarse.nx - 1),
                cy = std::min(by + k / 2, m_coarse.ny - 1);
      found.block[k] = static_cast<std::size_t>(m_coarse.site(cx, cy, 0));
      const double weight = (k % 2 == 0 ? 1 - px : px) * (k / 2 == 0 ? 1 - py : py);
      found.weight[k] = m_status[found.block[k]] == kInactive ? 0 : weight;
      found.sum += found.weight[k];
    }
    return found;
  }

  /// Returns the trend of the mean of the samples of a block.
  static double trend_at(const StreamScan& scan, const TrendEstimate& trend, std::size_t block) {
    double sum = 0;
    for (std::size_t j = 0; j < trend.coefficient.size(); ++j)
      sum += trend.coefficient[j] * scan.column_blocks[j * scan.blocks.size() + block];
    return sum;
  }

  /// Fills the gaps between the samples of the columns of a trend, to an error of a thousandth of
  /// their own temperature.
  void fill_columns(const ExecSpace& exec, const StreamScan& scan,
                    LinearFill<ExecSpace, Real>& fill, const Estimates& estimates, double beta,
                    int most_iterations) {
    const std::size_t blocks = scan.blocks.size();
    for (std::size_t j = 0; j < estimates.trend.coefficient.size(); ++j) {
      const double* of_blocks = scan.column_blocks.data() + j * blocks;
      const std::vector<Real> given(of_blocks, of_blocks + blocks);
      fill.set_mean(estimates.trend.mean[j]);
      const double rough =
          fill.solve(upload(exec, "tessera::mpr::values", given), estimates.axis, beta, 1e-3, 4)
              .temperature.front();
      const auto column = upload(exec, "tessera::mpr::values", given);
      const double tolerance = 1e-3 * std::sqrt(rough > 0 ? std::min(rough, 1.0) : 1.0);
      fill.solve(column, estimates.axis, beta,
                 std::max(tolerance, sizeof(Real) == 4 ? 1e-7 : 1e-14), most_iterations);
      m_columns.push_back(download(exec, column));
    }
  }

  /// The errors of the means of the samples of blocks.
  struct Errors {
    Array<ExecSpace, Real> deviations;
    std::vector<double> temperature;  ///< in the square of their units
  };

  /// Returns the status of the blocks where samples have errors.
  std::vector<std::uint8_t> mark_noisy(const std::vector<Real>& errors) const {
    std::vector<std::uint8_t> marked = m_status;
    for (std::size_t i = 0; i < errors.size(); ++i) {
      if (errors[i] > 0) marked[i] = kNoisy;
    }
    return marked;
  }

  bool has_deep_gaps(const ExecSpace& exec, int halo) const {
    const auto status = upload(exec, "tessera::mpr::status", m_status);
    const auto distance =
        allocate<Array<ExecSpace, std::uint16_t>>(exec, "tessera::mpr::distance", m_status.size());
    gap_distances<ExecSpace>(exec, m_coarse, 1, status, distance, std::max(1, halo / 2 / m_block));
    const std::vector<std::uint16_t> steps = download(exec, distance);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (m_status[i] == kMissing && steps[i] == kOutOfReach) return true;
    }
    return false;
  }

  /// The metric of the middle row of each block.
  Metric metric_of_blocks(const Metric& metric) const {
    Metric coarse;
    for (int b = 0; b < m_coarse.ny; ++b) {
      const auto row = static_cast<std::size_t>(std::min(b * m_block + m_block / 2, m_grid.ny - 1));
      coarse.x.push_back(metric.x[row]);
      coarse.area.push_back(metric.area[row]);
      const auto side = static_cast<std::size_t>(std::min((b + 1) * m_block - 1, m_grid.ny - 2));
      if (b + 1 < m_coarse.ny) coarse.y.push_back(metric.y[side]);
    }
    return coarse;
  }

  void draw(const ExecSpace& exec, const Array<ExecSpace, const std::uint8_t>& status,
            const AxisCouplings& axis, double beta, const FillOptions& options,
            const Metrics& metrics, const Errors& errors, int draws) {
    if (draws == 0) return;
    const auto source = GaussianDraws<ExecSpace, Real>::make(exec, m_coarse, 1, status, axis, beta,
                                                             options.seed, metrics);
    source->set_blocks({m_block, m_grid});
    if (options.noise) source->set_noise(errors.deviations, errors.temperature);
    const auto one = upload(exec, "tessera::mpr::temperatures", std::vector<double>{1});
    const auto nothing =
        allocate_zeros<Array<ExecSpace, Real>>(exec, "tessera::mpr::no_mean", m_status.size());
    for (int pack = 0; static_cast<int>(m_draws.size()) < draws; ++pack) {
      source->draw_pack(pack);
      for (int k = 0; k < source->size(); ++k) {
        const auto out =
            allocate_zeros<Array<ExecSpace, Real>>(exec, "tessera::mpr::draw", m_status.size());
        source->leave(k, one, nothing, out);
        m_draws.push_back(download(exec, out));
      }
    }
  }

  Grid m_grid, m_coarse;
  int m_block = 1;
  std::vector<std::uint8_t> m_status;
  std::vector<Real> m_values;                // of the blocks, less the offset; none: not needed
  std::vector<std::vector<Real>> m_draws;    // at temperature 1
  std::vector<std::vector<Real>> m_columns;  // of a trend
};

}  // namespace tessera::mpr::detail
