// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tessera/boys/function/extended.hpp"
#include "tessera/boys/program/error_map.hpp"
#include "tessera/boys/program/evaluator.hpp"
#include "tessera/boys/program/parameters.hpp"
#include "tessera/core/app/block_size.hpp"
#include "tessera/core/app/pace.hpp"
#include "tessera/core/device/exact_sum.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/progress.hpp"
#include "tessera/core/log/timings.hpp"

namespace tessera::boys {

namespace detail {

template <class FView>
struct SumOrder {
  FView F;
  int n;
  KOKKOS_FUNCTION void operator()(std::int64_t i, ExactSum& sum) const {
    const double value = F(i, n);
    if (compat::is_finite(value)) sum.add(value);
  }
};

}  // namespace detail

/// F_0..F_{n_max} of the arguments in an input file, block by block; with a reference, the errors
/// of one or several methods.
template <class ExecSpace, class Real>
class EvaluationModel final : public Model {
 public:
  EvaluationModel(const Parameters& parameters, const RunSettings& settings);

  void initialize() override;
  bool advance() override;
  Progress progress() const override;
  std::string precision() const override { return precision_name<Real>(); }
  std::string summary() const override;
  void write(io::ResultsFile& file) const override;

 private:
  using Arguments = Kokkos::View<Real*, ExecSpace>;
  // an argument's orders side by side, as the results file has them
  using Rows = Kokkos::View<Real**, Kokkos::LayoutRight, ExecSpace>;
  // one array per order, the fastest
  using Columns = Kokkos::View<Real**, Kokkos::LayoutLeft, ExecSpace>;
  using Evaluator = detail::Evaluator<ExecSpace, Real>;

  struct Errors {
    Evaluator evaluator;
    ErrorMap map;
  };

  std::size_t orders() const { return static_cast<std::size_t>(m_parameters.n_max) + 1; }
  bool needs_rows() const { return m_parameters.output_values || !m_errors.empty(); }
  template <class FView>
  void evaluate(const Evaluator& evaluator, std::size_t count, const FView& F, int repeat);
  template <class FView>
  void add_sums(std::size_t count, const FView& F);
  void add_errors(std::size_t begin, std::size_t count);
  std::vector<Real> download_rows(std::size_t count) const;

  Parameters m_parameters;
  ExecSpace m_exec;
  Evaluator m_evaluator;
  std::vector<Errors> m_errors;  // of the run's method, then of the others asked for
  std::vector<Real> m_x;
  std::size_t m_block;  // arguments at a time
  Arguments m_device_x;
  Rows m_rows;
  Columns m_columns;
  std::size_t m_done = 0;
  int m_repeats = 0;      // of the block that is under way
  Pace m_pace;            // in repeats
  double m_seconds = 0;   // in the kernels of the run's method
  std::vector<Real> m_F;  // argument by argument
  std::vector<ExactSum> m_sums;
};

template <class ExecSpace, class Real>
EvaluationModel<ExecSpace, Real>::EvaluationModel(const Parameters& parameters,
                                                  const RunSettings& settings)
    : m_parameters(parameters), m_evaluator(m_exec, parameters.method, parameters.n_max) {
  m_x.assign(parameters.x.begin(), parameters.x.end());
  if (parameters.reference != Reference::none) {
    std::vector<Method> methods{parameters.method};
    for (const Method method : parameters.also) {
      if (std::find(methods.begin(), methods.end(), method) == methods.end())
        methods.push_back(method);
    }
    for (const Method method : methods) {
      const double smallest = static_cast<double>(std::numeric_limits<Real>::min());
      m_errors.push_back({Evaluator(m_exec, method, parameters.n_max),
                          ErrorMap(parameters.n_max, smallest, parameters.output_values)});
    }
  }
  constexpr std::size_t kValues = std::size_t{1} << 26;  // of a block
  std::size_t most = std::max<std::size_t>(1024, kValues / (orders() + 1));
  // the host is slow: show progress
  if (parameters.reference == Reference::extended) most = std::min<std::size_t>(most, 1 << 13);
  m_block = block_size(settings, m_x.size(), most, sizeof(Real) * (2 * orders() + 2));
}

template <class ExecSpace, class Real>
void EvaluationModel<ExecSpace, Real>::initialize() {
  using Kokkos::view_alloc;
  using Kokkos::WithoutInitializing;
  m_device_x = Arguments(view_alloc(WithoutInitializing, "tessera::boys::x"), m_block);
  if (needs_rows())
    m_rows = Rows(view_alloc(WithoutInitializing, "tessera::boys::rows"), m_block, orders());
  if (!m_parameters.output_values) {
    const std::size_t whole = (m_block + 31) / 32 * 32;  // see boys_batch
    m_columns = Columns(view_alloc(WithoutInitializing, "tessera::boys::columns"),
                        (whole & (whole - 1)) == 0 ? whole + 32 : whole, orders());
  }
  if (m_parameters.output_values) m_F.reserve(m_x.size() * orders());
  m_sums.assign(orders(), ExactSum());
}

template <class ExecSpace, class Real>
template <class FView>
void EvaluationModel<ExecSpace, Real>::evaluate(const Evaluator& evaluator, std::size_t count,
                                                const FView& F, int repeat) {
  const logging::Region region("tessera::boys::evaluate");
  const std::pair<std::size_t, std::size_t> range(0, count);
  const auto x = Kokkos::subview(m_device_x, range);
  const auto out = Kokkos::subview(F, range, Kokkos::ALL);
  for (int r = 0; r < repeat; ++r) evaluator(m_exec, x, out);
  m_exec.fence();
}

template <class ExecSpace, class Real>
template <class FView>
void EvaluationModel<ExecSpace, Real>::add_sums(std::size_t count, const FView& F) {
  for (std::size_t n = 0; n < orders(); ++n) {
    const Kokkos::View<ExactSum, ExecSpace> sum(
        Kokkos::view_alloc(m_exec, Kokkos::WithoutInitializing, "tessera::boys::sum"));
    Kokkos::parallel_reduce(
        "tessera::boys::sum_order",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(m_exec, 0, count),
        detail::SumOrder<FView>{F, static_cast<int>(n)}, compat::Sum<ExactSum, ExecSpace>(sum));
    m_sums[n] += download_scalar(m_exec, sum);
  }
}

template <class ExecSpace, class Real>
std::vector<Real> EvaluationModel<ExecSpace, Real>::download_rows(std::size_t count) const {
  std::vector<Real> rows(count * orders());
  const Kokkos::View<Real**, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(
      rows.data(), count, orders());
  Kokkos::deep_copy(
      m_exec, host,
      Kokkos::subview(m_rows, std::pair<std::size_t, std::size_t>(0, count), Kokkos::ALL));
  m_exec.fence();
  return rows;
}

/// Errors of every method at the arguments of a block.
template <class ExecSpace, class Real>
void EvaluationModel<ExecSpace, Real>::add_errors(std::size_t begin, std::size_t count) {
  std::vector<long double> reference;
  reference.reserve(count * orders());
  for (std::size_t i = begin; i < begin + count; ++i) {
    if (m_parameters.reference == Reference::extended) {
      const std::vector<long double> F = detail::boys_extended(m_parameters.n_max, m_x[i]);
      reference.insert(reference.end(), F.begin(), F.end());
    } else {
      // A reference holds for the argument in the file; one that the precision of the run cannot
      // hold has none.
      const bool exact =
          static_cast<double>(m_x[i]) == m_parameters.x[i] || std::isnan(m_parameters.x[i]);
      for (std::size_t n = 0; n < orders(); ++n) {
        reference.push_back(exact ? m_parameters.reference_values[i * orders() + n]
                                  : std::numeric_limits<long double>::quiet_NaN());
      }
    }
  }
  for (Errors& errors : m_errors) {
    evaluate(errors.evaluator, count, m_rows, 1);
    const std::vector<Real> rows = download_rows(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (std::isnan(reference[i * orders()]) && !std::isnan(m_x[begin + i])) {
        errors.map.skip();
      } else {
        errors.map.add(static_cast<double>(m_x[begin + i]), &rows[i * orders()],
                       &reference[i * orders()]);
      }
    }
  }
}

/// Some repeats of a block; behind the last of them, what becomes of its results.
template <class ExecSpace, class Real>
bool EvaluationModel<ExecSpace, Real>::advance() {
  const std::size_t begin = m_done, count = std::min(m_block, m_x.size() - begin);
  if (m_repeats == 0) {
    Kokkos::deep_copy(m_exec,
                      Kokkos::subview(m_device_x, std::pair<std::size_t, std::size_t>(0, count)),
                      Kokkos::View<const Real*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          m_x.data() + begin, count));
    m_exec.fence();
  }
  const auto run = [&](const auto& F) {
    // the first call of a kernel loads it
    if (m_repeats == 0 && m_parameters.repeat > 1) evaluate(m_evaluator, count, F, 1);
    const int now = static_cast<int>(m_pace.next(m_parameters.repeat - m_repeats));
    const auto start = std::chrono::steady_clock::now();
    evaluate(m_evaluator, count, F, now);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    m_pace.took(now, seconds);
    m_seconds += seconds;
    m_repeats += now;
  };
  m_parameters.output_values ? run(m_rows) : run(m_columns);
  if (m_repeats < m_parameters.repeat) return true;
  m_repeats = 0;
  if (m_parameters.output_values) {
    const std::vector<Real> rows = download_rows(count);
    m_F.insert(m_F.end(), rows.begin(), rows.end());
  } else {
    add_sums(count, m_columns);
  }
  if (!m_errors.empty()) add_errors(begin, count);
  m_done += count;
  if (m_done < m_x.size()) return true;
  for (std::size_t m = 1; m < m_errors.size(); ++m) {
    logging::info(to_string(m_errors[m].evaluator.method()) + ": " + m_errors[m].map.summary());
  }
  return false;
}

template <class ExecSpace, class Real>
Progress EvaluationModel<ExecSpace, Real>::progress() const {
  Progress progress;
  progress.done = static_cast<double>(m_done);
  progress.total = static_cast<double>(m_x.size());
  progress.unit = "argument";
  progress.work = progress.done * m_parameters.repeat +
                  static_cast<double>(std::min(m_block, m_x.size() - m_done)) * m_repeats;
  progress.work_unit = "evaluations";
  return progress;
}

template <class ExecSpace, class Real>
std::string EvaluationModel<ExecSpace, Real>::summary() const {
  std::string text = std::to_string(m_done) + " arguments, orders 0 to " +
                     std::to_string(m_parameters.n_max) + ", " + to_string(m_parameters.method) +
                     " in " + precision() + " precision";
  if (m_parameters.repeat > 1 && m_seconds > 0) {
    text += "; " + logging::si(static_cast<double>(m_done) * m_parameters.repeat / m_seconds) +
            " evaluations/s of all orders";
  }
  if (!m_errors.empty()) text += "; " + m_errors.front().map.summary();
  return text;
}

template <class ExecSpace, class Real>
void EvaluationModel<ExecSpace, Real>::write(io::ResultsFile& file) const {
  using io::Attributes;
  const io::Group results = file.results();
  std::vector<std::int32_t> order(orders());
  for (std::size_t n = 0; n < orders(); ++n) order[n] = static_cast<std::int32_t>(n);
  file.coordinates().write("n", order, Attributes{"1", "order of the function"});
  results.set_attribute("method", to_string(m_parameters.method));
  if (m_parameters.output_values) {
    results.write("x", m_x.data(), io::Shape{m_done}, Attributes{"1", "argument"});
    results.write("F", m_F, io::Shape{m_done, orders()}, Attributes{"1", "Boys functions F_n(x)"});
  } else {
    std::vector<double> sums;
    for (const ExactSum& sum : m_sums) sums.push_back(sum.value());
    results.write("sum_F", sums,
                  Attributes{"1", "sum of F_n over all arguments where it is finite"});
  }
  if (!m_errors.empty()) m_errors.front().map.write(results);
  for (std::size_t m = 1; m < m_errors.size(); ++m)
    m_errors[m].map.write(results.group("methods/" + to_string(m_errors[m].evaluator.method())));
}

}  // namespace tessera::boys
