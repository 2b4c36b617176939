// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/mpr/data/stored_image.hpp"
#include "tessera/mpr/program/run_support.hpp"
#include "tessera/mpr/program/stream_boxes.hpp"
#include "tessera/mpr/program/stream_scan.hpp"

namespace tessera::mpr::detail {

/// The estimates of an image, and how they were found.
struct StreamEstimates {
  Estimates estimates;
  RunReport report;
  bool takes_draws = false;
  int sweeps = 0;  ///< of sampling, where no draws take their place
};

/// Estimates the model of a stored image from up to eight windows that are spread over it: of 256 x
/// 256 sites, larger where gaps are wide and as far as `memory` bytes of the device allow; an image
/// of at most 2^18 sites is taken whole. Throws Error (input) where no window has samples to speak
/// of. Ranks make it and call it together.
template <class ExecSpace, class Real>
class StreamEstimator {
 public:
  StreamEstimator(const ExecSpace& exec, const Field& field, const StreamScan& scan,
                  const FillOptions& options, double memory, const parallel::Communicator& ranks)
      : m_exec(exec),
        m_field(field),
        m_scan(scan),
        m_grid(field.grid),
        m_options(options),
        m_offset(field.offset(0)),
        m_memory(memory) {
    m_options.windows = true;
    if (options.trend == 0) m_options.range = {scan.low - m_offset, scan.high - m_offset};
    // The range of the larger windows is that with the coefficients of the first ones, which is
    // near enough.
    if (options.trend > 0 && m_grid.sites() > kTakenWhole) {
      m_options.find_range = [this, &ranks](const std::vector<double>& coefficients) {
        m_options.range = scan_residuals(m_field, coefficients, ranks);
        return *m_options.range;
      };
    }
  }
  StreamEstimator(const StreamEstimator&) = delete;
  StreamEstimator& operator=(const StreamEstimator&) = delete;

  StreamEstimates estimate() {
    const logging::Region region("tessera::mpr::estimate_stream");
    if (m_grid.sites() <= kTakenWhole) return from_windows(std::max(m_grid.nx, m_grid.ny));
    StreamEstimates found = from_windows(kWindowOfEstimate);
    int edge =
        std::min({6 * found.estimates.gaps.block, 1024, std::max(m_grid.nx, m_grid.ny)}) / 16 * 16;
    while (edge > kWindowOfEstimate && bytes(edge, m_options) > m_memory) edge -= 64;
    return edge > kWindowOfEstimate
               ? from_windows(edge, std::clamp(kSites / (edge * edge), 2, kMostWindows))
               : found;
  }

  /// Bytes on the device for the smallest windows.
  static double memory(const FillOptions& options) { return bytes(kWindowOfEstimate, options); }

 private:
  static constexpr int kSites = 1 << 21;  // of all windows

  static double bytes(int edge, const FillOptions& options) {
    const Grid box{edge, edge, 1};
    const double sites = static_cast<double>(box.sites()) * kMostWindows,
                 errors = options.noise ? 1 + 3 * sizeof(Real) : 0;
    return (16 + errors) * sites + TrendFit<ExecSpace, Real>::memory(sites, options.trend) +
           std::max({EvidenceSearch<ExecSpace, Real>::memory(box, kMostWindows, options.noise),
                     HoldOut<ExecSpace, Real>::memory(box, 1, edge / 6 + 1, options.noise),
                     LinearFill<ExecSpace, Real>::memory(box, kMostWindows, options.noise)});
  }

  StreamEstimates from_windows(int edge, int most = kMostWindows) {
    std::vector<io::Box> boxes = choose_windows(
        m_scan, m_grid, edge, m_options.metric.is_uniform() ? most : 33 * kMostWindows);
    FillOptions options = m_options;
    if (boxes.empty()) {
      throw Error(ErrorKind::input,
                  "no window of " + std::to_string(edge) + " x " + std::to_string(edge) +
                      " sites has 200 samples, from which the model could be estimated",
                  "fill the image without 'stream', or average it to fewer sites first");
    }
    const Grid box{boxes.front().nx, boxes.front().ny, 1};
    if (!m_options.metric.is_uniform()) {
      keep_one_row(boxes, most);
      options.metric = m_options.metric.cut(m_grid, box, boxes.front().y0, 0);
    }
    StoredBoxes<Real> data;
    for (const io::Box& at : boxes) data.add(m_field, at);
    GapFill<ExecSpace, Real> fill(m_exec, box, static_cast<int>(boxes.size()), options);
    fill.estimate(upload(m_exec, "tessera::mpr::values", data.values),
                  upload(m_exec, "tessera::mpr::status", data.status),
                  upload(m_exec, "tessera::mpr::errors", data.noise), data.upload_columns(m_exec));
    StreamEstimates found{fill.estimates(),
                          make_report(fill, report_trend(fill, m_field.trend.get())),
                          fill.takes_draws(), fill.planned_sweeps()};
    if (m_options.trend > 0) finish_trend(overlap(boxes), found);
    found.estimates.mean = m_scan.mean - m_offset;
    const TrendEstimate& trend = found.estimates.trend;
    for (std::size_t j = 0; j < trend.coefficient.size(); ++j)
      found.estimates.mean -= trend.coefficient[j] * trend.mean[j];
    return found;
  }

  /// Windows have a trend together, and what several of them hold tells of it once.
  void finish_trend(double overlap, StreamEstimates& found) const {
    found.report.trend.resize(1);
    for (double& error : found.report.trend.front().error) error *= std::sqrt(overlap);
    TrendEstimate& trend = found.estimates.trend;
    for (std::vector<double>& row : trend.variance) {
      for (double& variance : row) variance *= overlap;
    }
    trend.mean = m_scan.column_means;
  }

  /// Sites of all boxes over those that are in any of them.
  static double overlap(const std::vector<io::Box>& boxes) {
    std::vector<int> columns, rows;
    double sites = 0, any = 0;
    for (const io::Box& box : boxes) {
      columns.insert(columns.end(), {box.x0, box.x0 + box.nx});
      rows.insert(rows.end(), {box.y0, box.y0 + box.ny});
      sites += static_cast<double>(box.size());
    }
    std::sort(columns.begin(), columns.end());
    std::sort(rows.begin(), rows.end());
    for (std::size_t r = 0; r + 1 < rows.size(); ++r) {
      for (std::size_t c = 0; c + 1 < columns.size(); ++c) {
        const bool is_in_any = std::any_of(
            boxes.begin(), boxes.end(), [x = columns[c], y = rows[r]](const io::Box& box) {
              return box.x0 <= x && x < box.x0 + box.nx && box.y0 <= y && y < box.y0 + box.ny;
            });
        if (is_in_any)
          any += static_cast<double>(columns[c + 1] - columns[c]) * (rows[r + 1] - rows[r]);
      }
    }
    return sites / any;
  }

  /// Cells of windows in the same rows are the same: those rows that have the most windows.
  static void keep_one_row(std::vector<io::Box>& boxes, int most) {
    const auto count = [&](int y0) {
      return std::count_if(boxes.begin(), boxes.end(),
                           [y0](const io::Box& b) { return b.y0 == y0; });
    };
    int best = boxes.front().y0;
    for (const io::Box& box : boxes) {
      if (count(box.y0) > count(best)) best = box.y0;
    }
    boxes.erase(std::remove_if(boxes.begin(), boxes.end(),
                               [best](const io::Box& b) { return b.y0 != best; }),
                boxes.end());
    if (boxes.size() > static_cast<std::size_t>(most)) boxes.resize(static_cast<std::size_t>(most));
  }

  ExecSpace m_exec;
  const Field& m_field;
  const StreamScan& m_scan;
  Grid m_grid;
  FillOptions m_options;
  double m_offset, m_memory;
};

}  // namespace tessera::mpr::detail
