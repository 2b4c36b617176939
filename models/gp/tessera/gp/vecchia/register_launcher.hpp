// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "tessera/gp/vecchia/shared_memory_launch.hpp"
#include "tessera/gp/vecchia/vecchia_registers.hpp"

/// The kernels of vecchia_registers.hpp that there are on CUDA, and the choice of one.

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)

namespace tessera::gp::detail {

// The kernels of each table are tried in turn: those for few neighbours first, and for the same
// number of neighbours those of few rows a lane, which take the fewest registers.

/// Neighbours, lanes and rows of the kernels without derivatives.
inline constexpr RegisterShape kValueShapes[] = {{10, 1, 12}, {10, 4, 4}, {20, 4, 6},  {20, 8, 4},
                                                 {30, 8, 4},  {30, 8, 5}, {60, 32, 2}, {60, 32, 3}};

/// Neighbours, lanes and rows of the kernels with gradient and information.
inline constexpr RegisterShape kInformationShapes[] = {
    {10, 8, 2}, {20, 8, 3}, {20, 8, 4}, {30, 16, 2}, {30, 16, 3}, {60, 32, 2}, {60, 32, 3}};

/// Neighbours, lanes, rows, threads and columns of the kernels with the gradient alone: for the
/// mean zero, and for one column of the trend.
inline constexpr RegisterShape kGradientShapes[] = {
    {10, 4, 3, 256, 1}, {20, 8, 3, 256, 1}, {30, 8, 4, 256, 1}, {60, 32, 2, 256, 1},
    {10, 4, 4, 256, 2}, {20, 8, 3, 256, 2}, {30, 8, 5, 224, 2}, {60, 32, 2, 256, 2}};

/// Launches the first kernel of a table that holds m neighbours and the columns; false when there
/// is none.
template <class Function, int D, SweepMode Mode>
class RegisterLauncher {
 public:
  RegisterLauncher(const Kokkos::Cuda& exec, const SweepProblem<Kokkos::Cuda, Function>& problem,
                   const char* table, const char* order_table, int first_exponent, int m,
                   const RedoList<Kokkos::Cuda>& redo)
      : m_exec(exec),
        m_problem(problem),
        m_table(table),
        m_order_table(order_table),
        m_first_exponent(first_exponent),
        m_m(m),
        m_redo(redo) {}

  bool launch() const;

 private:
  /// Launches a kernel with derivatives; where there is none for the gradient alone, one that makes
  /// the information too.
  template <RegisterDerivatives Which>
  bool launch_derivatives() const {
    if constexpr (Mode == SweepMode::gradient) {
      if (launch_first<kGradientShapes, SweepMode::gradient, Which>()) return true;
    }
    return launch_first<kInformationShapes, SweepMode::information, Which>();
  }

  template <const auto& Shapes, SweepMode KernelMode, RegisterDerivatives Which>
  bool launch_first() const {
    return launch_first<Shapes, KernelMode, Which>(std::make_index_sequence<std::size(Shapes)>());
  }
  template <const auto& Shapes, SweepMode KernelMode, RegisterDerivatives Which, std::size_t... K>
  bool launch_first(std::index_sequence<K...>) const {
    return (launch_kernel<complete(Shapes[K], KernelMode, Which)>() || ...);
  }
  static constexpr RegisterShape complete(RegisterShape shape, SweepMode mode,
                                          RegisterDerivatives which) {
    shape.dimension = D;
    shape.mode = mode;
    shape.derivatives = which;
    return shape;
  }

  template <RegisterShape Shape>
  bool launch_kernel() const {
    using Kernel = VecchiaRegisters<Kokkos::Cuda, Function, Shape>;
    const int columns = m_problem.fields.columns;
    if (Shape.columns > 0 && Shape.columns != columns) return false;
    const std::int64_t bytes = Kernel::bytes(columns);
    if (m_m > Shape.neighbours || columns > Kernel::kMostColumns ||
        !has_shared_memory(m_exec, bytes))
      return false;
    const std::int64_t blocks = (m_problem.count + Kernel::kGroups - 1) / Kernel::kGroups;
    launch_in_shared_memory(
        "tessera::gp::vecchia_registers", m_exec, blocks, bytes,
        Kernel{m_problem, m_table, m_order_table, m_first_exponent, m_m, m_redo});
    return true;
  }

  Kokkos::Cuda m_exec;
  SweepProblem<Kokkos::Cuda, Function> m_problem;
  const char *m_table, *m_order_table;
  int m_first_exponent, m_m;
  RedoList<Kokkos::Cuda> m_redo;
};

/// Launches a kernel that suits the problem. It is not inline, so that the specialisations declared
/// below are not compiled wherever they are called.
template <class Function, int D, SweepMode Mode>
bool RegisterLauncher<Function, D, Mode>::launch() const {
  if constexpr (Mode == SweepMode::value) {
    return launch_first<kValueShapes, Mode, RegisterDerivatives::few>();
  } else {
    if (m_problem.terms.isotropic && m_problem.errors < 0)
      return launch_derivatives<RegisterDerivatives::few>();
    if constexpr (D == 2) return launch_derivatives<RegisterDerivatives::all>();
    return false;
  }
}

// Compiled in register_launcher.cpp.
extern template class RegisterLauncher<Covariance<Matern, EuclideanDistance<2>>, 2,
                                       SweepMode::gradient>;
extern template class RegisterLauncher<Covariance<Matern, EuclideanDistance<2>>, 2,
                                       SweepMode::information>;

}  // namespace tessera::gp::detail

#endif
