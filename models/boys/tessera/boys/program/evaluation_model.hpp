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
#include "tessera/boys/program/method_range.hpp"
#include "tessera/boys/program/parameters.hpp"
#include "tessera/core/app/shared_blocks.hpp"
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
/// of one or several methods. Ranks share the arguments of a block; functions and errors are those
/// of the root, sums are exact.
template <class ExecSpace, class Real>
class EvaluationModel final : public Model {
 public:
  EvaluationModel(const Parameters& parameters, const RunSettings& settings);

  void initialize() override;
  bool advance() override;
  Progress progress() const override;
  std::string precision() const override { return precision_name<Real>(); }
  std::string indivisible() const override { return {}; }
  std::string summary() const override;
  void write(io::ResultsFile& file) const override;

 private:
  using Arguments = Kokkos::View<Real*, ExecSpace>;
  // an argument's orders side by side, as the results file has them
  using Rows = Kokkos::View<Real**, Kokkos::LayoutRight, ExecSpace>;
  // one array per order, the fastest
  using Columns = Kokkos::View<Real**, Kokkos::LayoutLeft, ExecSpace>;
  using Evaluator = detail::Evaluator<ExecSpace, Real>;

  // a method: that of the run, or one that it is compared with
  struct Trial {
    std::string name;
    Evaluator evaluator;
    ErrorMap map;
    double seconds = 0;  // in its kernels
  };

  static std::size_t most_arguments(const Parameters& parameters);
  std::size_t orders() const { return static_cast<std::size_t>(m_parameters.n_max) + 1; }
  bool compares() const { return m_parameters.reference != Reference::none; }
  bool needs_rows() const { return m_parameters.output_values || compares(); }
  // arguments of the block that is under way, on this rank
  std::size_t count() const { return m_blocks.own().size; }
  void upload_block();
  template <class FView>
  bool repeat_trial(const FView& F);
  void finish_trial();
  template <class FView>
  void evaluate(const Evaluator& evaluator, std::size_t count, const FView& F, int repeat);
  template <class FView>
  void add_sums(std::size_t count, const FView& F);
  void make_reference();
  void add_errors(Trial& trial);
  std::vector<Real> download_rows(std::size_t count) const;

  Parameters m_parameters;
  ExecSpace m_exec;
  std::vector<Trial> m_trials;  // of the run's method, then of the others asked for
  std::vector<Real> m_x;
  SharedBlocks m_blocks;
  Arguments m_device_x;
  Rows m_rows;
  Columns m_columns;
  std::size_t m_trial = 0;               // that the block is under way with
  int m_repeats = 0;                     // of that trial
  std::vector<long double> m_reference;  // of the block, on the root
  std::vector<Real> m_F;                 // argument by argument
  std::vector<ExactSum> m_sums;
};

template <class ExecSpace, class Real>
EvaluationModel<ExecSpace, Real>::EvaluationModel(const Parameters& parameters,
                                                  const RunSettings& settings)
    : m_parameters(parameters),
      m_x(parameters.x.begin(), parameters.x.end()),
      m_blocks(settings, m_x.size(), most_arguments(parameters),
               sizeof(Real) * (2 * orders() + 2)) {
  const std::string warning = accuracy_warning(parameters.method, m_x);
  if (!warning.empty()) logging::warning(warning);
  const double smallest = static_cast<double>(std::numeric_limits<Real>::min());
  const auto add = [&](const std::string& name, const MethodChoice& choice) {
    m_trials.push_back({name, Evaluator(m_exec, choice),
                        ErrorMap(choice.n_max, smallest, parameters.output_values)});
  };
  add(to_string(parameters.method.method), parameters.method);
  for (const ComparedMethod& also : parameters.also) {
    if (also.name != m_trials.front().name) add(also.name, also.choice);
  }
}

/// The most arguments of a block on a rank.
template <class ExecSpace, class Real>
std::size_t EvaluationModel<ExecSpace, Real>::most_arguments(const Parameters& parameters) {
  // the host is slow: show progress
  if (parameters.reference == Reference::extended) return std::size_t{1} << 13;
  constexpr std::size_t kValues = std::size_t{1} << 26;
  return std::max<std::size_t>(1024, kValues / (static_cast<std::size_t>(parameters.n_max) + 2));
}

template <class ExecSpace, class Real>
void EvaluationModel<ExecSpace, Real>::initialize() {
  using Kokkos::view_alloc;
  using Kokkos::WithoutInitializing;
  m_device_x = Arguments(view_alloc(WithoutInitializing, "tessera::boys::x"), m_blocks.room());
  if (needs_rows())
    m_rows =
        Rows(view_alloc(WithoutInitializing, "tessera::boys::rows"), m_blocks.room(), orders());
  if (!m_parameters.output_values) {
    const std::size_t whole = (m_blocks.room() + 31) / 32 * 32;  // see boys_batch
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
    m_sums[n] += m_blocks.ranks().sum(download_scalar(m_exec, sum));
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

/// The reference values of the block that is under way.
template <class ExecSpace, class Real>
void EvaluationModel<ExecSpace, Real>::make_reference() {
  const SharedBlocks::Part own = m_blocks.own();
  std::vector<long double> reference;
  for (std::size_t i = own.begin; i < own.begin + own.size; ++i) {
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
  m_reference = m_blocks.gather(std::move(reference));
}

/// Errors of a method at the arguments of the block.
template <class ExecSpace, class Real>
void EvaluationModel<ExecSpace, Real>::add_errors(Trial& trial) {
  evaluate(trial.evaluator, count(), m_rows, 1);
  const std::vector<Real> rows = m_blocks.gather(download_rows(count()));
  for (std::size_t i = 0; i < rows.size() / orders(); ++i) {
    const Real x = m_x[m_blocks.done() + i];
    if (std::isnan(m_reference[i * orders()]) && !std::isnan(x)) {
      trial.map.skip();
    } else {
      trial.map.add(static_cast<double>(x), &rows[i * orders()], &m_reference[i * orders()]);
    }
  }
}

template <class ExecSpace, class Real>
void EvaluationModel<ExecSpace, Real>::upload_block() {
  const std::pair<std::size_t, std::size_t> range(0, count());
  Kokkos::deep_copy(m_exec, Kokkos::subview(m_device_x, range),
                    Kokkos::View<const Real*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                        m_x.data() + m_blocks.own().begin, count()));
  m_exec.fence();
}

/// Some repeats of a method at a block; returns whether these were the last.
template <class ExecSpace, class Real>
template <class FView>
bool EvaluationModel<ExecSpace, Real>::repeat_trial(const FView& F) {
  Trial& trial = m_trials[m_trial];
  // the first call of a kernel loads it
  if (m_repeats == 0 && m_parameters.repeat > 1) evaluate(trial.evaluator, count(), F, 1);
  const int now = m_blocks.repeats(m_parameters.repeat - m_repeats);
  const auto start = std::chrono::steady_clock::now();
  evaluate(trial.evaluator, count(), F, now);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  trial.seconds += m_blocks.took(now, wall.count());
  m_repeats += now;
  return m_repeats == m_parameters.repeat;
}

/// What becomes of the results of a method at a block.
template <class ExecSpace, class Real>
void EvaluationModel<ExecSpace, Real>::finish_trial() {
  if (m_trial == 0 && m_parameters.output_values) {
    const std::vector<Real> rows = m_blocks.gather(download_rows(count()));
    m_F.insert(m_F.end(), rows.begin(), rows.end());
  } else if (m_trial == 0) {
    add_sums(count(), m_columns);
  }
  if (!compares()) return;
  if (m_trial == 0) make_reference();
  add_errors(m_trials[m_trial]);
}

/// Some repeats of one method at one block.
template <class ExecSpace, class Real>
bool EvaluationModel<ExecSpace, Real>::advance() {
  if (m_trial == 0 && m_repeats == 0) upload_block();
  // one that is only compared is timed with the others, or evaluated once, for its errors
  const bool timed = m_trial == 0 || m_parameters.repeat > 1;
  if (timed && !(m_parameters.output_values ? repeat_trial(m_rows) : repeat_trial(m_columns)))
    return true;
  finish_trial();
  m_repeats = 0;
  m_blocks.forget_times();
  if (++m_trial < m_trials.size()) return true;
  m_trial = 0;
  if (m_blocks.advance()) return true;
  for (std::size_t m = 1; m < m_trials.size(); ++m)
    logging::info(m_trials[m].name + ": " + m_trials[m].map.summary());
  return false;
}

template <class ExecSpace, class Real>
Progress EvaluationModel<ExecSpace, Real>::progress() const {
  Progress progress;
  progress.done = static_cast<double>(m_blocks.done());
  progress.total = static_cast<double>(m_x.size());
  progress.unit = "argument";
  const double trials = static_cast<double>(m_trials.size()), repeat = m_parameters.repeat;
  progress.work = progress.done * repeat * trials +
                  static_cast<double>(m_blocks.size()) *
                      (repeat * static_cast<double>(m_trial) + static_cast<double>(m_repeats));
  progress.work_unit = "evaluations";
  return progress;
}

template <class ExecSpace, class Real>
std::string EvaluationModel<ExecSpace, Real>::summary() const {
  const Trial& own = m_trials.front();
  std::string text = std::to_string(m_blocks.done()) + " arguments, orders 0 to " +
                     std::to_string(m_parameters.n_max) + ", " + own.name + " in " + precision() +
                     " precision";
  if (m_parameters.repeat > 1 && own.seconds > 0) {
    text += "; " +
            logging::si(static_cast<double>(m_blocks.done()) * m_parameters.repeat / own.seconds) +
            " evaluations/s of all orders";
  }
  if (compares()) text += "; " + own.map.summary();
  return text;
}

template <class ExecSpace, class Real>
void EvaluationModel<ExecSpace, Real>::write(io::ResultsFile& file) const {
  using io::Attributes;
  const io::Group results = file.results();
  std::vector<std::int32_t> order(orders());
  for (std::size_t n = 0; n < orders(); ++n) order[n] = static_cast<std::int32_t>(n);
  file.coordinates().write("n", order, Attributes{"1", "order of the function"});
  results.set_attribute("method", m_trials.front().name);
  if (m_parameters.output_values) {
    results.write("x", m_x.data(), io::Shape{m_blocks.done()}, Attributes{"1", "argument"});
    // An interrupted run leaves a block out that some methods have not evaluated.
    results.write("F", m_F.data(), io::Shape{m_blocks.done(), orders()},
                  Attributes{"1", "Boys functions F_n(x)"});
  } else {
    std::vector<double> sums;
    for (const ExactSum& sum : m_sums) sums.push_back(sum.value());
    results.write("sum_F", sums,
                  Attributes{"1", "sum of F_n over all arguments where it is finite"});
  }
  if (!compares()) return;
  for (std::size_t m = 0; m < m_trials.size(); ++m) {
    const Trial& trial = m_trials[m];
    const io::Group group = m == 0 ? results : results.group("methods/" + trial.name);
    trial.map.write(group, m_blocks.done());
    if (m_parameters.repeat > 1 && m_blocks.done() > 0) {
      const double seconds =
          trial.seconds / (static_cast<double>(m_blocks.done()) * m_parameters.repeat);
      group.write("seconds", std::vector<double>{seconds},
                  Attributes{"s", "wall time of all orders at one argument"});
    }
  }
}

}  // namespace tessera::boys
