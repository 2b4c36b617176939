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
#include "tessera/core/app/run_app.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/timings.hpp"

namespace tessera::boys {

/// Roots and weights of Rys quadrature at the arguments of an input file, which ranks share.
template <class ExecSpace>
class RysModel final : public Model {
 public:
  RysModel(const Parameters& parameters, const parallel::Communicator& ranks)
      : m_parameters(parameters),
        m_ranks(ranks),
        m_own(ranks.share(static_cast<std::int64_t>(parameters.x.size()))) {}

  void initialize() override;
  bool advance() override;
  Progress progress() const override;
  std::string summary() const override;
  std::string indivisible() const override { return {}; }
  void gather_results() override;
  void write(io::ResultsFile& file) const override;

 private:
  using Vector = Kokkos::View<const double*, ExecSpace>;
  using Matrix = Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>;
  using Strided = Kokkos::View<double**, Kokkos::LayoutStride, ExecSpace>;

  std::size_t size() const { return m_parameters.x.size(); }
  std::vector<double> rows(const Matrix& matrix) const;
  std::vector<double> gather(const Matrix& matrix) const;
  double error_of_sums(std::size_t i, const std::vector<double>& roots,
                       const std::vector<double>& weights) const;

  Parameters m_parameters;
  parallel::Communicator m_ranks;
  parallel::Range m_own;  // arguments of this rank
  ExecSpace m_exec;
  Vector m_x, m_rho, m_omega;
  Matrix m_roots, m_weights;
  std::vector<double> m_all_roots, m_all_weights;  // of several ranks, on the root
  int m_done = 0;
};

template <class ExecSpace>
void RysModel<ExecSpace>::initialize() {
  const std::vector<double> all = m_parameters.x.values();
  const std::vector<double> x(all.begin() + m_own.begin, all.begin() + m_own.end);
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

/// The numbers of this rank's arguments, root by root.
template <class ExecSpace>
std::vector<double> RysModel<ExecSpace>::rows(const Matrix& matrix) const {
  std::vector<double> numbers(matrix.span());
  copy_to_host(m_exec, numbers.data(), matrix.data(), numbers.size());
  return numbers;
}

/// The numbers of all arguments, root by root, on the root rank.
template <class ExecSpace>
std::vector<double> RysModel<ExecSpace>::gather(const Matrix& matrix) const {
  const std::vector<double> own = rows(matrix);
  std::vector<double> all;
  for (int k = 0; k < m_parameters.order; ++k) {
    const auto begin = own.begin() + k * m_own.size();
    const std::vector<double> row =
        m_ranks.gather(std::vector<double>(begin, begin + m_own.size()));
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

template <class ExecSpace>
void RysModel<ExecSpace>::gather_results() {
  m_all_roots = gather(m_roots);
  m_all_weights = gather(m_weights);
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
  if (m_done == 0) return;
  const std::uint64_t n = static_cast<std::uint64_t>(m_parameters.order);
  const io::Group results = file.results(), coordinates = file.coordinates();
  std::vector<std::int32_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 1);
  coordinates.write("root", numbers, Attributes{"1", "number of the root, ascending"});
  results.write("x", m_parameters.x.values(), Attributes{"1", "argument"});
  const bool alone = m_ranks.size() == 1;
  const std::vector<double> roots = alone ? rows(m_roots) : m_all_roots,
                            weights = alone ? rows(m_weights) : m_all_weights;
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
