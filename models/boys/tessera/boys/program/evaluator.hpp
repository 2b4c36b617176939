// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "tessera/boys/batch.hpp"
#include "tessera/boys/paper.hpp"
#include "tessera/boys/program/method.hpp"
#include "tessera/boys/tables.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"

namespace tessera::boys::detail {

template <class FView>
struct StoreColumns {
  const FView& F;
  std::int64_t i;
  int n_max;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int n, double value) const {
    if (n <= n_max) F(i, n) = value;
  }
};

template <int N>
struct PaperEach {
  template <class Sink>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const double*, double x, const Sink& sink) const {
    boys_paper_each<N>(x, sink);
  }
};

template <int N>
struct AllOrdersTableEach {
  template <class Sink>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const double* table, double x,
                                              const Sink& sink) const {
    boys_all_orders_table_each<N>(table, x, sink);
  }
};

template <int N>
struct TopOrderTableEach {
  template <class Sink>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const double* table, double x,
                                              const Sink& sink) const {
    boys_top_order_table_each<N>(table, x, sink);
  }
};

/// One argument per thread by a scalar function.
template <class Each, class XView, class FView, class TableView>
struct EachKernel {
  XView x;
  FView F;
  TableView table;
  int n_max;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Each()(table.data(), x(i), StoreColumns<FView>{F, i, n_max});
  }
};

/// The order of 0, 1, 2, 4, ... that serves n_max.
inline int compiled_order(int n_max) {
  int order = 0;
  while (order < n_max) order = following_order(order);
  return order;
}

/// Evaluates whole Views by any of the methods, for one n_max. Single precision: two_range only.
template <class ExecSpace, class Real>
class Evaluator {
 public:
  Evaluator(const ExecSpace& exec, Method method, int n_max) : m_method(method), m_n_max(n_max) {
    const char* const label = "tessera::boys::table";
    if (method == Method::all_orders_table)
      m_table = upload(exec, label, make_all_orders_table(compiled_order(n_max)));
    if (method == Method::top_order_table)
      m_table = upload(exec, label, make_top_order_table(compiled_order(n_max)));
  }

  Method method() const { return m_method; }

  /// F(i, n) = F_n(x(i)).
  template <class XView, class FView>
  void operator()(const ExecSpace& exec, const XView& x, const FView& F) const {
    if (m_method == Method::two_range) {
      boys_batch(exec, m_n_max, x, F);
    } else if constexpr (sizeof(Real) == 8) {
      with_compiled_order(m_n_max, Launch<XView, FView>{*this, exec, x, F});
    } else {
      throw Error(ErrorKind::internal,
                  "boys: method " + to_string(m_method) + " in single precision");
    }
  }

 private:
  using Table = Kokkos::View<double*, ExecSpace>;

  template <class XView, class FView>
  struct Launch {
    const Evaluator& evaluator;
    const ExecSpace& exec;
    const XView& x;
    const FView& F;

    template <int N>
    void run() const {
      if (evaluator.m_method == Method::all_orders_table) {
        each<AllOrdersTableEach<N>>();
      } else if (evaluator.m_method == Method::top_order_table) {
        each<TopOrderTableEach<N>>();
      } else if constexpr (N <= kMaxPaperOrder) {
        each<PaperEach<N>>();
      }
    }

    template <class Each>
    void each() const {
      Kokkos::parallel_for(
          "tessera::boys::evaluate",
          Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, x.extent(0)),
          EachKernel<Each, XView, FView, Table>{x, F, evaluator.m_table, evaluator.m_n_max});
    }
  };

  Method m_method;
  int m_n_max;
  Table m_table;
};

}  // namespace tessera::boys::detail
