// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tessera/boys/function/extended.hpp"
#include "tessera/boys/instances.hpp"
#include "tessera/boys/program/parameters.hpp"
#include "tessera/core/app/model.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/timings.hpp"

namespace tessera::boys {

/// Roots and weights of Rys quadrature at the arguments of an input file.
template <class ExecSpace>
class RysModel final : public Model {
 public:
  explicit RysModel(const Parameters& parameters) : m_parameters(parameters) {}

  void initialize() override;
  bool advance() override;
  Progress progress() const override;
  std::string summary() const override;
  void write(io::ResultsFile& file) const override;

 private:
  using Vector = Kokkos::View<const double*, ExecSpace>;
  using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>;
  using Strided = Kokkos::View<double**, Kokkos::LayoutStride, ExecSpace>;

  std::size_t size() const { return m_parameters.x.size(); }
  std::vector<double> rows(const Matrix& matrix) const;
  double error_of_sums(std::size_t i, const std::vector<double>& roots,
                       const std::vector<double>& weights) const;

  Parameters m_parameters;
  ExecSpace m_exec;
  Vector m_x, m_rho, m_omega;
  Matrix m_roots, m_weights;
  int m_done = 0;
};

template <class ExecSpace>
void RysModel<ExecSpace>::initialize() {
  const std::vector<double> x = m_parameters.x.values();
  m_x = upload(m_exec, "tessera::boys::x", x);
  m_rho = upload(m_exec, "tessera::boys::rho", std::vector<double>(x.size(), m_parameters.rho));
  m_omega = upload(m_exec, "tessera::boys::omega",
                   std::vector<double>(x.size(), m_parameters.interaction.omega));
  m_roots = allocate<Matrix>(m_exec, "tessera::boys::roots", x.size(), m_parameters.order);
  m_weights = allocate<Matrix>(m_exec, "tessera::boys::weights", x.size(), m_parameters.order);
}

template <class ExecSpace>
bool RysModel<ExecSpace>::advance() {
  const logging::Region region("tessera::boys::rys");
  // the whole interaction is the short range with omega = 0
  rys_range_batch(m_exec, m_parameters.order, m_x, m_rho, m_omega,
                  m_parameters.interaction.kind != Interaction::Kind::erf, Strided(m_roots),
                  Strided(m_weights));
  m_exec.fence();
  return ++m_done < m_parameters.repeat;
}

template <class ExecSpace>
Progress RysModel<ExecSpace>::progress() const {
  Progress progress;
  progress.done = m_done;
  progress.total = m_parameters.repeat;
  progress.unit = "repetitions";
  progress.work = static_cast<double>(m_done) * static_cast<double>(size());
  progress.work_unit = "quadratures";
  return progress;
}

template <class ExecSpace>
std::string RysModel<ExecSpace>::summary() const {
  return std::to_string(size()) + " arguments, " + std::to_string(m_parameters.order) + " roots";
}

/// The numbers, root by root.
template <class ExecSpace>
std::vector<double> RysModel<ExecSpace>::rows(const Matrix& matrix) const {
  std::vector<double> numbers(matrix.span());
  copy_to_host(m_exec, numbers.data(), matrix.data(), numbers.size());
  return numbers;
}

/// The largest relative error of the sums that stand for F_0 ... F_(2n-1), which extended precision
/// has to 1e-18.
template <class ExecSpace>
double RysModel<ExecSpace>::error_of_sums(std::size_t i, const std::vector<double>& roots,
                                          const std::vector<double>& weights) const {
  const int n = m_parameters.order;
  const std::vector<long double> F = detail::boys_extended(2 * n - 1, m_parameters.x[i]);
  double worst = 0;
  for (int m = 0; m < 2 * n; ++m) {
    long double sum = 0;
    for (int k = 0; k < n; ++k) {
      const std::size_t at = static_cast<std::size_t>(k) * size() + i;
      sum += weights[at] * std::pow(static_cast<long double>(roots[at]), m);
    }
    if (F[m] > 1e-290L) worst = std::max(worst, static_cast<double>(std::fabs(sum / F[m] - 1)));
  }
  return worst;
}

template <class ExecSpace>
void RysModel<ExecSpace>::write(io::ResultsFile& file) const {
  using io::Attributes;
  const std::uint64_t n = static_cast<std::uint64_t>(m_parameters.order);
  const io::Group results = file.results(), coordinates = file.coordinates();
  std::vector<std::int32_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 1);
  coordinates.write("root", numbers, Attributes{"1", "number of the root, ascending"});
  results.write("x", m_parameters.x.values(), Attributes{"1", "argument"});
  const std::vector<double> roots = rows(m_roots), weights = rows(m_weights);
  const io::Shape shape{n, size()};
  results.write("roots", roots, shape, Attributes{"1", "roots u = t^2 of the quadrature"});
  results.write("weights", weights, shape, Attributes{"1", "weights of the quadrature"});
  if (m_parameters.interaction.kind != Interaction::Kind::coulomb) return;
  std::vector<double> errors;
  for (std::size_t i = 0; i < size(); ++i) errors.push_back(error_of_sums(i, roots, weights));
  results.write("error", errors,
                Attributes{"1", "largest relative error of the sums that are F_0 ... F_(2n-1)"});
}

}  // namespace tessera::boys
