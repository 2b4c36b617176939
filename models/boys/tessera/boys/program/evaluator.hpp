// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "tessera/boys/batch.hpp"
#include "tessera/boys/function/basic_methods.hpp"
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
  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(int n, Real value) const {
    if (n <= n_max) F(i, n) = value;
  }
};

template <int N, PaperForm form>
struct PaperEach {
  template <class Real, class Sink>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const double*, int, Real x, const Sink& sink) const {
    boys_paper_each<N, form>(x, sink);
  }
};

template <int N>
struct TaylorEach {
  template <class Real, class Sink>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const double*, int terms, Real x,
                                              const Sink& sink) const {
    boys_taylor_each<N>(x, terms, sink);
  }
};

template <int N>
struct UpwardEach {
  template <class Real, class Sink>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const double*, int, Real x, const Sink& sink) const {
    boys_upward_each<N>(x, sink);
  }
};

template <int N>
struct MillerEach {
  template <class Real, class Sink>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const double*, int, Real x, const Sink& sink) const {
    boys_miller_each<N>(x, sink);
  }
};

template <int N>
struct AsymptoticEach {
  template <class Real, class Sink>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const double*, int, Real x, const Sink& sink) const {
    boys_asymptotic_each<N>(x, sink);
  }
};

template <int N>
struct AllOrdersTableEach {
  template <class Sink>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const double* table, int, double x,
                                              const Sink& sink) const {
    boys_all_orders_table_each<N>(table, x, sink);
  }
};

template <int N>
struct TopOrderTableEach {
  template <class Sink>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const double* table, int, double x,
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
  int n_max, terms;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Each()(table.data(), terms, x(i), StoreColumns<FView>{F, i, n_max});
  }
};

/// The order of 0, 1, 2, 4, ... that serves n_max.
inline int compiled_order(int n_max) {
  int order = 0;
  while (order < n_max) order = following_order(order);
  return order;
}

/// Calls body.run<N>() with N = n_max, 0 <= n_max <= 8: the paper's scheme has a form of its own
/// for every N.
template <int N = 0, class Body>
void with_paper_order(int n_max, const Body& body) {
  if constexpr (N < 8) {
    if (n_max > N) {
      with_paper_order<N + 1>(n_max, body);
      return;
    }
  }
  body.template run<N>();
}

/// Evaluates whole Views by any of the methods, for one n_max. Tables: double precision only.
template <class ExecSpace, class Real>
class Evaluator {
 public:
  Evaluator(const ExecSpace& exec, const MethodChoice& choice) : m_choice(choice) {
    const char* const label = "tessera::boys::table";
    const int order = compiled_order(choice.n_max);
    if (choice.method == Method::all_orders_table)
      m_table = upload(exec, label, make_all_orders_table(order));
    if (choice.method == Method::top_order_table)
      m_table = upload(exec, label, make_top_order_table(order));
  }

  const MethodChoice& choice() const { return m_choice; }

  /// F(i, n) = F_n(x(i)).
  template <class XView, class FView>
  void operator()(const ExecSpace& exec, const XView& x, const FView& F) const {
    const bool paper =
        m_choice.method == Method::paper || m_choice.method == Method::paper_polynomial;
    if (m_choice.method == Method::two_range) {
      boys_batch(exec, m_choice.n_max, x, F);
    } else if (paper && m_choice.n_max <= 8) {
      with_paper_order(m_choice.n_max, LaunchPaper<XView, FView>{*this, exec, x, F});
    } else {
      with_compiled_order(m_choice.n_max, Launch<XView, FView>{*this, exec, x, F});
    }
  }

 private:
  using Table = Kokkos::View<double*, ExecSpace>;

  template <class XView, class FView>
  struct LaunchPaper {
    const Evaluator& evaluator;
    const ExecSpace& exec;
    const XView& x;
    const FView& F;

    template <int N>
    void run() const {
      if (evaluator.m_choice.method == Method::paper) {
        evaluator.template each<PaperEach<N, PaperForm::rational>>(exec, x, F);
      } else {
        evaluator.template each<PaperEach<N, PaperForm::polynomial>>(exec, x, F);
      }
    }
  };

  template <class XView, class FView>
  struct Launch {
    const Evaluator& evaluator;
    const ExecSpace& exec;
    const XView& x;
    const FView& F;

    template <int N>
    void run() const {
      switch (evaluator.m_choice.method) {
        case Method::paper:
          if constexpr (8 < N && N <= kMaxPaperOrderOf<Real, PaperForm::rational>)
            return each<PaperEach<N, PaperForm::rational>>();
          break;
        case Method::taylor:
          return each<TaylorEach<N>>();
        case Method::upward:
          return each<UpwardEach<N>>();
        case Method::miller:
          if constexpr (N <= kMaxMillerOrder) return each<MillerEach<N>>();
          break;
        case Method::asymptotic:
          return each<AsymptoticEach<N>>();
        case Method::all_orders_table:
          if constexpr (sizeof(Real) == 8) return each<AllOrdersTableEach<N>>();
          break;
        case Method::top_order_table:
          if constexpr (sizeof(Real) == 8) return each<TopOrderTableEach<N>>();
          break;
        case Method::two_range:
        case Method::paper_polynomial:
          break;
      }
      throw Error(ErrorKind::internal, "boys: method " + to_string(evaluator.m_choice.method) +
                                           " has no order " + std::to_string(N));
    }

    template <class Each>
    void each() const {
      evaluator.template each<Each>(exec, x, F);
    }
  };

  template <class Each, class XView, class FView>
  void each(const ExecSpace& exec, const XView& x, const FView& F) const {
    Kokkos::parallel_for(
        "tessera::boys::evaluate",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, x.extent(0)),
        EachKernel<Each, XView, FView, Table>{x, F, m_table, m_choice.n_max, m_choice.terms});
  }

  MethodChoice m_choice;
  Table m_table;
};

}  // namespace tessera::boys::detail
