// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tessera/bessel/paper.hpp"
#include "tessera/bessel/program/extended.hpp"
#include "tessera/bessel/program/parameters.hpp"
#include "tessera/core/app/run_app.hpp"
#include "tessera/core/app/shared_blocks.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/progress.hpp"
#include "tessera/core/log/timings.hpp"

namespace tessera::bessel {

namespace detail {

/// The largest absolute error of log K by the trapezoidal rule between two bounds, in `bins` bins.
template <class ExecSpace>
struct LargestErrorOfRule {
  using View = Kokkos::View<const double*, ExecSpace>;
  View nu, x, reference;
  double lower, upper;
  int bins;

  KOKKOS_FUNCTION void operator()(std::int64_t i, double& largest) const {
    const double error =
        compat::math::fabs(log_sum_exp(nu(i), x(i), lower, upper, bins) - reference(i));
    if (!(error <= largest)) largest = error < HUGE_VAL ? error : HUGE_VAL;
  }
};

}  // namespace detail

/// Algorithm 1 of Geng et al.: the smallest upper bound of the integral with which log K is right
/// to a tolerance at every point of an input file. Candidates are tried in turn. Ranks share the
/// points.
template <class ExecSpace>
class UpperBoundModel final : public Model {
 public:
  UpperBoundModel(const Parameters& parameters, const RunSettings& settings)
      : m_parameters(parameters),
        m_bounds(parameters.bounds.begin(), parameters.bounds.end()),
        m_blocks(settings, parameters.x.size(), kBlock, 3 * sizeof(double)) {
    std::sort(m_bounds.begin(), m_bounds.end());
  }

  void initialize() override {}
  bool advance() override;
  std::string indivisible() const override { return {}; }
  Progress progress() const override;
  std::string summary() const override;
  void write(io::ResultsFile& file) const override;

 private:
  static constexpr std::size_t kBlock = 8192;  // of references, which take the host a second

  void add_references();
  double largest_error(double bound) const;
  /// The bound that is looked for; NaN where no candidate will do.
  double found() const;

  Parameters m_parameters;
  ExecSpace m_exec;
  std::vector<double> m_bounds;
  SharedBlocks m_blocks;                       // of references
  std::vector<double> m_nu, m_x, m_reference;  // of this rank's points
  Kokkos::View<double*, ExecSpace> m_device_nu, m_device_x, m_device_reference;
  std::vector<double> m_errors;  // of the candidates
};

/// The references of a block; behind the last of them, all go to the device.
template <class ExecSpace>
void UpperBoundModel<ExecSpace>::add_references() {
  const logging::Region region("tessera::bessel::reference");
  const SharedBlocks::Part own = m_blocks.own();
  for (std::size_t i = own.begin; i < own.begin + own.size; ++i) {
    m_nu.push_back(m_parameters.nu[i]);
    m_x.push_back(m_parameters.x[i]);
    m_reference.push_back(static_cast<double>(bessel_k_extended(m_nu.back(), m_x.back()).log_k));
  }
  if (m_blocks.advance()) return;
  m_device_nu = upload(m_exec, "tessera::bessel::nu", m_nu);
  m_device_x = upload(m_exec, "tessera::bessel::x", m_x);
  m_device_reference = upload(m_exec, "tessera::bessel::reference", m_reference);
}

template <class ExecSpace>
double UpperBoundModel<ExecSpace>::largest_error(double bound) const {
  const logging::Region region("tessera::bessel::evaluate");
  double largest = 0;
  Kokkos::parallel_reduce(
      "tessera::bessel::largest_error",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, m_x.size()),
      detail::LargestErrorOfRule<ExecSpace>{m_device_nu, m_device_x, m_device_reference,
                                            m_parameters.method.lower, bound,
                                            m_parameters.method.bins},
      Kokkos::Max<double>(largest));
  const std::vector<double> of_ranks = m_blocks.ranks().all_gather(std::vector<double>{largest});
  return std::max(0.0, *std::max_element(of_ranks.begin(), of_ranks.end()));
}

template <class ExecSpace>
bool UpperBoundModel<ExecSpace>::advance() {
  if (m_blocks.done() < m_blocks.count()) {
    add_references();
    return true;
  }
  m_errors.push_back(largest_error(m_bounds[m_errors.size()]));
  if (m_errors.size() < m_bounds.size()) return true;
  if (std::isnan(found())) {
    logging::warning(
        "no upper bound of problem.bounds reaches problem.tolerance: increase problem.bins, or try "
        "larger bounds");
  }
  return false;
}

template <class ExecSpace>
double UpperBoundModel<ExecSpace>::found() const {
  for (std::size_t k = 0; k < m_errors.size(); ++k) {
    if (m_errors[k] <= m_parameters.tolerance) return m_bounds[k];
  }
  return std::numeric_limits<double>::quiet_NaN();
}

template <class ExecSpace>
Progress UpperBoundModel<ExecSpace>::progress() const {
  Progress progress;
  progress.done = static_cast<double>(m_errors.size());
  progress.total = static_cast<double>(m_bounds.size());
  progress.unit = "bounds";
  progress.work = progress.done * static_cast<double>(m_blocks.count());
  progress.work_unit = "evaluations";
  return progress;
}

template <class ExecSpace>
std::string UpperBoundModel<ExecSpace>::summary() const {
  const std::string where = std::to_string(m_bounds.size()) + " bounds at " +
                            std::to_string(m_blocks.count()) + " points, " +
                            std::to_string(m_parameters.method.bins) + " bins";
  return where + (std::isnan(found()) ? "; none of them will do"
                                      : "; the smallest that will do: " + logging::si(found()));
}

template <class ExecSpace>
void UpperBoundModel<ExecSpace>::write(io::ResultsFile& file) const {
  using io::Attributes;
  const std::vector<double> tried(m_bounds.begin(), m_bounds.begin() + m_errors.size());
  file.coordinates().write("bound", tried, Attributes{"1", "upper bound of the integral"});
  const io::Group results = file.results();
  results.write("largest_error", m_errors,
                Attributes{"1", "largest absolute error of log K over the points"});
  results.write("upper_bound", std::vector<double>{found()},
                Attributes{"1", "smallest upper bound that reaches the tolerance"});
}

}  // namespace tessera::bessel
