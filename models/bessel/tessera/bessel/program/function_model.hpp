// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tessera/bessel/batch.hpp"
#include "tessera/bessel/paper.hpp"
#include "tessera/bessel/program/error_map.hpp"
#include "tessera/bessel/program/extended.hpp"
#include "tessera/bessel/program/parameters.hpp"
#include "tessera/core/app/shared_blocks.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/core/log/progress.hpp"
#include "tessera/core/log/timings.hpp"

namespace tessera::bessel {

namespace detail {

/// log K, and from it K and e^x K, of one point.
template <class View>
KOKKOS_FUNCTION void store_log_k(const BesselResults<View>& out, std::int64_t i, double x,
                                 double log_k) {
  if (out.k.extent(0) > 0) out.k(i) = compat::math::exp(log_k);
  if (out.k_scaled.extent(0) > 0) out.k_scaled(i) = compat::math::exp(log_k + x);
  if (out.log_k.extent(0) > 0) out.log_k(i) = log_k;
}

/// The papers' methods, a point per iteration.
template <class View>
struct PaperEach {
  MethodChoice choice;
  View nu, x;
  BesselResults<View> out;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const double order = nu(i), argument = x(i);
    const double log_k =
        choice.method == Method::paper
            ? log_bessel_k_paper(order, argument, choice.bins, choice.lower, choice.upper)
            : log_bessel_k_takekawa(order, argument, choice.bins);
    store_log_k(out, i, argument, log_k);
  }
};

/// GSL's, on the host.
template <class View>
struct GslEach {
  View nu, x;
  BesselResults<View> out;

  void operator()(std::int64_t i) const {
    store_log_k(out, i, x(i), log_bessel_k_gsl(nu(i), x(i)));
  }
};

}  // namespace detail

/// K_nu(x) at the points of an input file, block by block; with a reference, the errors of one or
/// several methods. Ranks share the points of a block; results and errors are those of the root.
template <class ExecSpace, class Real>
class FunctionModel final : public Model {
 public:
  FunctionModel(const Parameters& parameters, const RunSettings& settings);

  void initialize() override;
  bool advance() override;
  Progress progress() const override;
  std::string precision() const override { return precision_name<Real>(); }
  std::string indivisible() const override { return {}; }
  std::string summary() const override;
  void write(io::ResultsFile& file) const override;

 private:
  using View = Kokkos::View<Real*, ExecSpace>;
  static constexpr int kQuantities = 5;

  void evaluate(const MethodChoice& choice, const View& nu, const View& x,
                const BesselResults<View>& out);
  static View& member(BesselResults<View>& results, Quantity quantity);
  std::vector<Real> fetch(const View& view) const;
  void add_errors(const View& nu, const View& x, const View& found);
  std::vector<long double> references(const SharedBlocks::Part& part) const;
  bool has_reference() const { return m_parameters.reference != Reference::none; }

  Parameters m_parameters;
  ExecSpace m_exec;
  std::vector<Real> m_nu, m_x;
  SharedBlocks m_blocks;
  View m_device_nu, m_device_x, m_device_results[kQuantities];
  int m_repeats = 0;     // of the block that is under way
  double m_seconds = 0;  // in the kernels of the run's method
  std::vector<Real> m_results[kQuantities];
  std::vector<ErrorMap> m_errors;  // of the run's method, then of the others asked for
};

template <class ExecSpace, class Real>
FunctionModel<ExecSpace, Real>::FunctionModel(const Parameters& parameters,
                                              const RunSettings& settings)
    : m_parameters(parameters),
      m_nu(parameters.nu.begin(), parameters.nu.end()),
      m_x(parameters.x.in_precision<Real>("problem.x")),
      // A block of a CPU, or with references that the host computes, takes less than a second.
      m_blocks(settings, m_x.size(),
               std::size_t{1} << (parameters.reference == Reference::extended ? 13
                                  : compat::is_gpu_v<ExecSpace>               ? 24
                                                                              : 19),
               sizeof(Real) * (2 + kQuantities)) {
  require_orders(parameters);
  const auto is_gsl = [](const MethodChoice& choice) { return choice.method == Method::gsl; };
  if (compat::is_gpu_v<ExecSpace> &&
      (is_gsl(parameters.method) ||
       std::any_of(parameters.also.begin(), parameters.also.end(), is_gsl))) {
    throw Error(ErrorKind::input, "method 'gsl' runs on the host, and this run is on a GPU",
                "choose --backend serial or openmp, or another method");
  }
  if (has_reference())
    m_errors.assign(1 + parameters.also.size(), ErrorMap(parameters.reference_quantity));
}

template <class ExecSpace, class Real>
void FunctionModel<ExecSpace, Real>::initialize() {
  const auto room = [this](const std::string& name) {
    return View(Kokkos::view_alloc(Kokkos::WithoutInitializing, "tessera::bessel::" + name),
                m_blocks.room());
  };
  m_device_nu = room("nu");
  m_device_x = room("x");
  std::vector<Quantity> wanted = m_parameters.quantities;
  if (has_reference()) wanted.push_back(m_parameters.reference_quantity);
  for (const Quantity quantity : wanted)
    m_device_results[static_cast<int>(quantity)] = room(to_string(quantity));
}

template <class ExecSpace, class Real>
typename FunctionModel<ExecSpace, Real>::View& FunctionModel<ExecSpace, Real>::member(
    BesselResults<View>& results, Quantity quantity) {
  View* const members[kQuantities] = {&results.k, &results.k_scaled, &results.log_k,
                                      &results.dlog_k_dx, &results.dlog_k_dnu};
  return *members[static_cast<int>(quantity)];
}

template <class ExecSpace, class Real>
void FunctionModel<ExecSpace, Real>::evaluate(const MethodChoice& choice, const View& nu,
                                              const View& x, const BesselResults<View>& out) {
  const logging::Region region("tessera::bessel::evaluate");
  if (choice.method == Method::quadrature) {
    bessel_k(m_exec, nu, x, out);
  } else if constexpr (sizeof(Real) == 8) {
    const Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>> points(m_exec, 0,
                                                                                 x.extent(0));
    if (choice.method != Method::gsl) {
      Kokkos::parallel_for("tessera::bessel::paper", points,
                           detail::PaperEach<View>{choice, nu, x, out});
    } else if constexpr (!compat::is_gpu_v<ExecSpace>) {
      Kokkos::parallel_for("tessera::bessel::gsl", points, detail::GslEach<View>{nu, x, out});
    }
  }
  m_exec.fence();
}

template <class ExecSpace, class Real>
std::vector<Real> FunctionModel<ExecSpace, Real>::fetch(const View& view) const {
  return download(m_exec, view);
}

/// Some repeats of a block; behind the last of them, what becomes of its results.
template <class ExecSpace, class Real>
bool FunctionModel<ExecSpace, Real>::advance() {
  const SharedBlocks::Part own = m_blocks.own();
  const std::pair<std::size_t, std::size_t> range(0, own.size);
  const View nu = Kokkos::subview(m_device_nu, range), x = Kokkos::subview(m_device_x, range);
  using HostView = Kokkos::View<const Real*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  if (m_repeats == 0) {
    Kokkos::deep_copy(m_exec, nu, HostView(m_nu.data() + own.begin, own.size));
    Kokkos::deep_copy(m_exec, x, HostView(m_x.data() + own.begin, own.size));
  }
  BesselResults<View> out;
  for (int q = 0; q < kQuantities; ++q) {
    if (m_device_results[q].extent(0) > 0)
      member(out, static_cast<Quantity>(q)) = Kokkos::subview(m_device_results[q], range);
  }
  // the first call of a kernel loads it
  if (m_repeats == 0 && m_parameters.repeat > 1) evaluate(m_parameters.method, nu, x, out);
  const int now = m_blocks.repeats(m_parameters.repeat - m_repeats);
  const auto start = std::chrono::steady_clock::now();
  for (int r = 0; r < now; ++r) evaluate(m_parameters.method, nu, x, out);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  m_seconds += m_blocks.took(now, wall.count());
  m_repeats += now;
  if (m_repeats < m_parameters.repeat) return true;
  m_repeats = 0;
  for (const Quantity quantity : m_parameters.quantities) {
    const std::vector<Real> values = m_blocks.gather(fetch(member(out, quantity)));
    std::vector<Real>& all = m_results[static_cast<int>(quantity)];
    all.insert(all.end(), values.begin(), values.end());
  }
  if (has_reference()) add_errors(nu, x, member(out, m_parameters.reference_quantity));
  if (m_blocks.advance()) return true;
  for (std::size_t i = 0; i < m_parameters.also.size(); ++i)
    logging::info(to_string(m_parameters.also[i]) + ": " + m_errors[i + 1].summary());
  return false;
}

template <class ExecSpace, class Real>
std::vector<long double> FunctionModel<ExecSpace, Real>::references(
    const SharedBlocks::Part& part) const {
  std::vector<long double> values(part.size);
  for (std::size_t k = 0; k < part.size; ++k) {
    const std::size_t i = part.begin + k;
    const double nu = static_cast<double>(m_nu[i]), x = static_cast<double>(m_x[i]);
    if (m_parameters.reference == Reference::file) {
      // A reference holds for the point of the file; one that the precision of the run cannot hold
      // has none.
      const bool exact = nu == m_parameters.nu[i] && x == m_parameters.x[i];
      values[k] =
          exact ? m_parameters.reference_values[i] : std::numeric_limits<long double>::quiet_NaN();
      continue;
    }
    const ExtendedBesselK log_k = bessel_k_extended(nu, x);
    const long double all[kQuantities] = {std::exp(log_k.log_k), std::exp(log_k.log_k + x),
                                          log_k.log_k, log_k.dlog_k_dx, log_k.dlog_k_dnu};
    values[k] = all[static_cast<int>(m_parameters.reference_quantity)];
  }
  return values;
}

/// Errors of every method at the points of a block; `found` holds what the run's method gave.
template <class ExecSpace, class Real>
void FunctionModel<ExecSpace, Real>::add_errors(const View& nu, const View& x, const View& found) {
  const std::vector<long double> reference = m_blocks.gather(references(m_blocks.own()));
  const auto add = [&](ErrorMap& map, const View& view) {
    const std::vector<Real> values = m_blocks.gather(fetch(view));
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::size_t i = m_blocks.done() + k;
      map.add(static_cast<double>(m_nu[i]), static_cast<double>(m_x[i]), values[k], reference[k]);
    }
  };
  add(m_errors[0], found);
  for (std::size_t m = 0; m < m_parameters.also.size(); ++m) {
    BesselResults<View> out;
    View& values = member(out, m_parameters.reference_quantity);
    values = Kokkos::subview(m_device_results[static_cast<int>(m_parameters.reference_quantity)],
                             std::pair<std::size_t, std::size_t>(0, nu.extent(0)));
    evaluate(m_parameters.also[m], nu, x, out);
    add(m_errors[m + 1], values);
  }
}

template <class ExecSpace, class Real>
Progress FunctionModel<ExecSpace, Real>::progress() const {
  Progress progress;
  progress.done = static_cast<double>(m_blocks.done());
  progress.total = static_cast<double>(m_x.size());
  progress.unit = "points";
  progress.work =
      progress.done * m_parameters.repeat + static_cast<double>(m_blocks.size()) * m_repeats;
  progress.work_unit = "evaluations";
  return progress;
}

template <class ExecSpace, class Real>
std::string FunctionModel<ExecSpace, Real>::summary() const {
  std::string text = std::to_string(m_blocks.done()) + " points, " +
                     to_string(m_parameters.method) + " in " + precision() + " precision";
  if (m_parameters.repeat > 1 && m_seconds > 0)
    text += "; " +
            logging::si(static_cast<double>(m_blocks.done()) * m_parameters.repeat / m_seconds) +
            " evaluations/s";
  if (has_reference()) text += "; " + m_errors[0].summary();
  return text;
}

template <class ExecSpace, class Real>
void FunctionModel<ExecSpace, Real>::write(io::ResultsFile& file) const {
  using io::Attributes;
  static const char* const kLongNames[kQuantities] = {"K_nu(x)", "e^x K_nu(x)", "log K_nu(x)",
                                                      "d log K / dx", "d log K / dnu"};
  const io::Group results = file.results();
  results.set_attribute("method", to_string(m_parameters.method));
  const std::size_t done = m_blocks.done();
  const bool grid = !m_parameters.grid_nu.empty() && done == m_x.size();
  const io::Shape shape =
      grid ? io::Shape{m_parameters.grid_nu.size(), m_parameters.grid_x.size()} : io::Shape{done};
  if (grid) {
    file.coordinates().write("nu", m_parameters.grid_nu.values(), Attributes{"1", "order"});
    file.coordinates().write("x", m_parameters.grid_x.values(), Attributes{"1", "argument"});
  }
  results.write("nu", m_nu.data(), shape, Attributes{"1", "order"});
  results.write("x", m_x.data(), shape, Attributes{"1", "argument"});
  for (const Quantity quantity : m_parameters.quantities) {
    const int q = static_cast<int>(quantity);
    results.write(to_string(quantity), m_results[q], shape, Attributes{"1", kLongNames[q]});
  }
  if (!has_reference()) return;
  const std::string what = to_string(m_parameters.reference_quantity);
  const std::string kind = m_parameters.reference_quantity == Quantity::log_k
                               ? "absolute error of "
                               : "relative error of ";
  results.write("error", m_errors[0].errors(), shape, Attributes{"1", kind + what});
  for (std::size_t i = 0; i < m_parameters.also.size(); ++i) {
    const std::string name = to_string(m_parameters.also[i]);
    results.write("error_" + name, m_errors[i + 1].errors(), shape,
                  Attributes{"1", kind + what + " of method " + name});
  }
}

}  // namespace tessera::bessel
