// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/linalg/shared_factor.hpp"
#include "tessera/core/log/timings.hpp"
#include "tessera/gp/covariance/covariance_dispatch.hpp"
#include "tessera/gp/likelihood/generation.hpp"
#include "tessera/gp/points/device_copies.hpp"
#include "tessera/gp/points/rotated_points.hpp"

namespace tessera::gp::detail {

/// Generation on one execution space.
template <class ExecSpace>
class PanelGeneration final : public Generation {
 public:
  static constexpr std::int64_t width() { return linalg::SharedFactor<ExecSpace>::kWidth; }

  PanelGeneration(const ExecSpace& exec, const CovarianceModel& model, const Points& points,
                  const parallel::Communicator& ranks)
      : m_exec(exec),
        m_model(model),
        m_points(points),
        m_n(static_cast<std::int64_t>(points.size())),
        m_device_points(device_points(exec, model, points)),
        m_covariance(exec, model),
        m_ranks(ranks),
        m_panel(allocate<Kokkos::View<double*, ExecSpace>>(
            exec, "tessera::gp::panel", static_cast<std::size_t>(m_n * width()))) {}

  double run(const Theta& theta) override {
    const PointView<ExecSpace> all =
        m_model.rotated
            ? turn_points(m_exec, m_device_points, Turn(m_model, theta, extent(m_points).first))
            : m_device_points;
    double seconds = 0;
    m_covariance.visit(theta, [&](const auto& covariance) {
      m_exec.fence();
      m_ranks.max(std::int64_t(0));  // all ranks begin together
      const logging::Region region("tessera::gp::generate");
      const auto begin = std::chrono::steady_clock::now();
      for (std::int64_t first = m_ranks.rank() * width(); first < m_n;
           first += m_ranks.size() * width()) {
        const PointView<ExecSpace> points =
            Kokkos::subview(all, std::make_pair(first, m_n), Kokkos::ALL);
        fill_lower(m_exec, covariance, points, m_panel.data(), m_n - first,
                   std::min(width(), m_n - first));
      }
      m_exec.fence();
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    });
    const std::vector<double> of_ranks = m_ranks.all_gather(std::vector<double>{seconds});
    return *std::max_element(of_ranks.begin(), of_ranks.end());
  }

  std::int64_t entries() const override { return m_n * (m_n + 1) / 2; }

  /// The memory of the panels: column-major, as long as the rows below the panel's first one.
  const Kokkos::View<double*, ExecSpace>& panel() const { return m_panel; }

  static std::uint64_t bytes(std::int64_t n) {
    return static_cast<std::uint64_t>(n) * (static_cast<std::uint64_t>(width()) + 4) * 8;
  }

 private:
  ExecSpace m_exec;
  CovarianceModel m_model;
  Points m_points;
  std::int64_t m_n;
  PointView<ExecSpace> m_device_points;
  CovarianceDispatch<ExecSpace> m_covariance;
  parallel::Communicator m_ranks;
  Kokkos::View<double*, ExecSpace> m_panel;
};

template <class ExecSpace>
std::unique_ptr<Generation> make_generation_on(const CovarianceModel& model, const Points& points,
                                               std::uint64_t memory,
                                               const parallel::Communicator& ranks) {
  const std::uint64_t bytes =
      PanelGeneration<ExecSpace>::bytes(static_cast<std::int64_t>(points.size()));
  if (bytes > memory) {
    throw Error(ErrorKind::resource,
                "a panel of the matrix of " + std::to_string(points.size()) + " points takes " +
                    std::to_string(bytes >> 20) + " MiB, and " + std::to_string(memory >> 20) +
                    " MiB are there",
                "take fewer generate.points, raise run.memory_limit, or use a device with more "
                "memory");
  }
  return std::make_unique<PanelGeneration<ExecSpace>>(ExecSpace(), model, points, ranks);
}

}  // namespace tessera::gp::detail
