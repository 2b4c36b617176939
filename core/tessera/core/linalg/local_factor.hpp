// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/linalg/cholesky_factor.hpp"

namespace tessera::linalg {

/// The Cholesky factor of a matrix that lies on one device: one panel, which is the whole matrix,
/// and stays in its place when it becomes the factor and the inverse. 8 n^2 bytes, and what Dense
/// needs.
template <class ExecSpace>
class LocalFactor final : public CholeskyFactor<ExecSpace> {
 public:
  using Visit = typename CholeskyFactor<ExecSpace>::Visit;

  LocalFactor(const ExecSpace& exec, std::int64_t n)
      : m_exec(exec),
        m_dense(exec, n),
        m_numbers(allocate<Numbers>(exec, "tessera::linalg::matrix", n * n)),
        m_diagonal(allocate<Numbers>(exec, "tessera::linalg::diagonal", n)),
        m_matrix{m_numbers.data(), n, n, n} {}

  std::int64_t factor(const Visit& fill) override {
    fill(0, m_matrix);
    return m_dense.factor(m_matrix);
  }

  std::vector<double> diagonal() override {
    Kokkos::parallel_for("tessera::linalg::take_diagonal",
                         Kokkos::RangePolicy<ExecSpace>(m_exec, 0, m_matrix.rows),
                         TakeDiagonal{m_matrix, m_diagonal.data()});
    return download(m_exec, m_diagonal);
  }

  void solve(const Block& b) override { m_dense.solve(m_matrix, b); }
  void solve_transposed(const Block& b) override { m_dense.solve_transposed(m_matrix, b); }
  void multiply(const Block& b) override { m_dense.multiply(m_matrix, b); }
  void multiply_transposed(const Block& b) override { m_dense.multiply_transposed(m_matrix, b); }

  void invert(const Visit& use) override {
    m_dense.invert(m_matrix);
    use(0, m_matrix);
  }

  Dense<ExecSpace>& dense() override { return m_dense; }

 private:
  using Numbers = Kokkos::View<double*, ExecSpace>;

  ExecSpace m_exec;
  Dense<ExecSpace> m_dense;
  Numbers m_numbers, m_diagonal;
  Block m_matrix;
};

}  // namespace tessera::linalg
