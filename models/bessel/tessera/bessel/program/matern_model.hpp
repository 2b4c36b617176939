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
#include "tessera/core/app/pace.hpp"
#include "tessera/core/app/run_app.hpp"
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

/// A Matern covariance with its derivatives at the distances of an input file.
template <class ExecSpace>
class MaternModel final : public Model {
 public:
  MaternModel(const Parameters& parameters, const RunSettings& settings);

  void initialize() override {}
  bool advance() override;
  Progress progress() const override;
  std::string summary() const override;
  void write(io::ResultsFile& file) const override;

 private:
  using View = Kokkos::View<double*, ExecSpace>;
  static constexpr std::size_t kBlock = std::size_t{1} << (compat::is_gpu_v<ExecSpace> ? 22 : 20);

  View room(const std::string& name) const {
    return View(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera::bessel::" + name),
                std::min(kBlock, m_parameters.r.size()));
  }

  Parameters m_parameters;
  ExecSpace m_exec;
  detail::CovarianceEach<ExecSpace> m_kernel;  // for a block
  std::size_t m_done = 0;
  int m_repeats = 0;  // of the block that is under way
  Pace m_pace;        // in repeats
  double m_seconds = 0;
  std::vector<double> m_c, m_dc_dbeta, m_dc_dnu, m_dc_dr;
};

template <class ExecSpace>
MaternModel<ExecSpace>::MaternModel(const Parameters& parameters, const RunSettings&)
    : m_parameters(parameters),
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
  const std::vector<double>& r = m_parameters.r;
  const std::size_t begin = m_done, count = std::min(kBlock, r.size() - begin);
  const std::pair<std::size_t, std::size_t> range(0, count);
  if (m_repeats == 0) {
    Kokkos::deep_copy(m_exec, Kokkos::subview(m_kernel.r, range),
                      Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          r.data() + begin, count));
  }
  const int now = static_cast<int>(m_pace.next(m_parameters.repeat - m_repeats));
  const auto start = std::chrono::steady_clock::now();
  {
    const logging::Region region("tessera::bessel::covariance");
    for (int repeat = 0; repeat < now; ++repeat) {
      Kokkos::parallel_for(
          "tessera::bessel::covariance",
          Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, count),
          m_kernel);
    }
    m_exec.fence();
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  m_pace.took(now, seconds);
  m_seconds += seconds;
  m_repeats += now;
  if (m_repeats < m_parameters.repeat) return true;
  m_repeats = 0;
  const auto append = [&](std::vector<double>& all, const View& view) {
    const std::size_t before = all.size();
    all.resize(before + count);
    Kokkos::deep_copy(m_exec,
                      Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          all.data() + before, count),
                      Kokkos::subview(view, range));
  };
  append(m_c, m_kernel.c);
  append(m_dc_dbeta, m_kernel.dc_dbeta);
  append(m_dc_dnu, m_kernel.dc_dnu);
  append(m_dc_dr, m_kernel.dc_dr);
  m_exec.fence();
  m_done += count;
  return m_done < r.size();
}

template <class ExecSpace>
Progress MaternModel<ExecSpace>::progress() const {
  Progress progress;
  progress.done = static_cast<double>(m_done);
  progress.total = static_cast<double>(m_parameters.r.size());
  progress.unit = "distances";
  progress.work = progress.done * m_parameters.repeat +
                  static_cast<double>(std::min(kBlock, m_parameters.r.size() - m_done)) * m_repeats;
  progress.work_unit = "evaluations";
  return progress;
}

template <class ExecSpace>
std::string MaternModel<ExecSpace>::summary() const {
  std::string text = std::to_string(m_done) + " distances";
  if (m_parameters.repeat > 1 && m_seconds > 0) {
    text += "; " + logging::si(static_cast<double>(m_done) * m_parameters.repeat / m_seconds) +
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
  results.write("r", m_parameters.r.data(), io::Shape{m_done}, Attributes{"1", "distance"});
  results.write("c", m_c, Attributes{"1", "covariance sigma2 M_nu(r / beta)"});
  results.write("dc_dbeta", m_dc_dbeta,
                Attributes{"1", "derivative of the covariance to the range"});
  results.write("dc_dnu", m_dc_dnu,
                Attributes{"1", "derivative of the covariance to the smoothness"});
  results.write("dc_dr", m_dc_dr,
                Attributes{"1", "derivative of the covariance to the distance; 0 at r = 0"});
}

}  // namespace tessera::bessel
