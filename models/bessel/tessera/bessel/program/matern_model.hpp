// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "tessera/bessel/matern.hpp"
#include "tessera/bessel/program/parameters.hpp"
#include "tessera/core/app/shared_blocks.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/progress.hpp"
#include "tessera/core/log/timings.hpp"

namespace tessera::bessel {

namespace detail {

/// C = sigma2 M_nu(r / beta) and its derivatives, a distance per iteration.
template <class ExecSpace>
struct CovarianceEach {
  using View = Kokkos::View<double*, ExecSpace>;
  MaternTable<ExecSpace> table;
  double sigma2, beta;
  View r, c, dc_dbeta, dc_dnu, dc_dr;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const double h = r(i) / beta;
    double m, dm_dh, dm_dnu;
    table.value_and_derivatives(h, m, dm_dh, dm_dnu);
    c(i) = sigma2 * m;
    dc_dr(i) = sigma2 * dm_dh / beta;
    dc_dbeta(i) = -sigma2 * h * dm_dh / beta;
    dc_dnu(i) = sigma2 * dm_dnu;
  }
};

}  // namespace detail

/// A Matern covariance with its derivatives at the distances of an input file. Ranks share the
/// distances of a block; the root has the results.
template <class ExecSpace>
class MaternModel final : public Model {
 public:
  MaternModel(const Parameters& parameters, const RunSettings& settings);

  void initialize() override {}
  bool advance() override;
  Progress progress() const override;
  std::string summary() const override;
  std::string indivisible() const override { return {}; }
  void write(io::ResultsFile& file) const override;

 private:
  using View = Kokkos::View<double*, ExecSpace>;
  static constexpr std::size_t kBlock = std::size_t{1} << (compat::is_gpu_v<ExecSpace> ? 22 : 20);

  View room(const std::string& name) const {
    return View(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera::bessel::" + name),
                m_blocks.room());
  }

  Parameters m_parameters;
  ExecSpace m_exec;
  SharedBlocks m_blocks;
  detail::CovarianceEach<ExecSpace> m_kernel;  // for a block
  int m_repeats = 0;                           // of the block that is under way
  double m_seconds = 0;
  std::vector<double> m_c, m_dc_dbeta, m_dc_dnu, m_dc_dr;
};

template <class ExecSpace>
MaternModel<ExecSpace>::MaternModel(const Parameters& parameters, const RunSettings& settings)
    : m_parameters(parameters),
      m_blocks(settings, parameters.r.size(), kBlock, 5 * sizeof(double)),
      m_kernel{MaternTable<ExecSpace>(parameters.smoothness),
               parameters.sigma2,
               parameters.beta,
               room("r"),
               room("c"),
               room("dc_dbeta"),
               room("dc_dnu"),
               room("dc_dr")} {}

/// Some repeats of a block; behind the last of them, what becomes of its results.
template <class ExecSpace>
bool MaternModel<ExecSpace>::advance() {
  const SharedBlocks::Part own = m_blocks.own();
  const std::pair<std::size_t, std::size_t> range(0, own.size);
  if (m_repeats == 0) {
    Kokkos::deep_copy(m_exec, Kokkos::subview(m_kernel.r, range),
                      Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          m_parameters.r.data() + own.begin, own.size));
  }
  const int now = m_blocks.repeats(m_parameters.repeat - m_repeats);
  const auto start = std::chrono::steady_clock::now();
  {
    const logging::Region region("tessera::bessel::covariance");
    for (int repeat = 0; repeat < now; ++repeat) {
      Kokkos::parallel_for(
          "tessera::bessel::covariance",
          Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, own.size),
          m_kernel);
    }
    m_exec.fence();
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  m_seconds += m_blocks.took(now, wall.count());
  m_repeats += now;
  if (m_repeats < m_parameters.repeat) return true;
  m_repeats = 0;
  const auto append = [&](std::vector<double>& all, const View& view) {
    const std::vector<double> values =
        m_blocks.gather(download(m_exec, View(Kokkos::subview(view, range))));
    all.insert(all.end(), values.begin(), values.end());
  };
  append(m_c, m_kernel.c);
  append(m_dc_dbeta, m_kernel.dc_dbeta);
  append(m_dc_dnu, m_kernel.dc_dnu);
  append(m_dc_dr, m_kernel.dc_dr);
  return m_blocks.advance();
}

template <class ExecSpace>
Progress MaternModel<ExecSpace>::progress() const {
  Progress progress;
  progress.done = static_cast<double>(m_blocks.done());
  progress.total = static_cast<double>(m_parameters.r.size());
  progress.unit = "distances";
  progress.work =
      progress.done * m_parameters.repeat + static_cast<double>(m_blocks.size()) * m_repeats;
  progress.work_unit = "evaluations";
  return progress;
}

template <class ExecSpace>
std::string MaternModel<ExecSpace>::summary() const {
  std::string text = std::to_string(m_blocks.done()) + " distances";
  if (m_parameters.repeat > 1 && m_seconds > 0) {
    text += "; " +
            logging::si(static_cast<double>(m_blocks.done()) * m_parameters.repeat / m_seconds) +
            " covariances/s with three derivatives";
  }
  return text;
}

template <class ExecSpace>
void MaternModel<ExecSpace>::write(io::ResultsFile& file) const {
  using io::Attributes;
  const io::Group results = file.results();
  results.set_attribute("sigma2", m_parameters.sigma2);
  results.set_attribute("beta", m_parameters.beta);
  results.set_attribute("nu", m_parameters.smoothness);
  results.write("r", m_parameters.r.data(), io::Shape{m_blocks.done()},
                Attributes{"1", "distance"});
  results.write("c", m_c, Attributes{"1", "covariance sigma2 M_nu(r / beta)"});
  results.write("dc_dbeta", m_dc_dbeta,
                Attributes{"1", "derivative of the covariance to the range"});
  results.write("dc_dnu", m_dc_dnu,
                Attributes{"1", "derivative of the covariance to the smoothness"});
  results.write("dc_dr", m_dc_dr,
                Attributes{"1", "derivative of the covariance to the distance; 0 at r = 0"});
}

}  // namespace tessera::bessel
