// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tessera::gp::detail {

/// The rows of Vecchia's factor: point i with its neighbours before it, in the rows of a table of
/// `width` numbers; -1 where there are fewer. On the host.
struct NeighbourTable {
  std::int64_t points = 0;
  std::int64_t width = 0;
  std::vector<std::int32_t> neighbours;

  std::int32_t at(std::int64_t i, std::int64_t j) const {
    return neighbours[static_cast<std::size_t>(i * width + j)];
  }
};

/// Numbers of Vecchia's factor: Q = sum_i b_i b_i' / d_i, where b_i has 1 at point i and the
/// negative weights at its neighbours.
struct HostFactor {
  std::vector<double> weights;   // points x width
  std::vector<double> variance;  // d
};

/// The Cholesky factor of the sparse matrix A = Q + diag(W), by the multifrontal method (Duff and
/// Reid 1983). Each b_i b_i' is a dense matrix of few points, like an element of finite elements;
/// points are eliminated by nested dissection of their coordinates. The dense matrices (fronts) are
/// factored by LAPACK on one thread, so that the bits do not depend on threads.
///
/// Accuracy: backward stable as Cholesky is; within 1e-11 of dense algebra for determinant and
/// inverse of well-conditioned matrices (tests/unit/gp_multifrontal.cpp).
class MultifrontalCholesky {
 public:
  /// Finds the order and the fronts. `coordinates`: a column each, of points in the table's order.
  MultifrontalCholesky(const NeighbourTable& table,
                       const std::vector<std::vector<double>>& coordinates);

  /// Returns how many numbers the factor has.
  std::size_t size() const { return m_size; }

  /// Factors A; returns whether it is positive definite. Throws MemoryError where the host has too
  /// little memory.
  bool factor(const HostFactor& q, const std::vector<double>& diagonal);

  /// Of the matrix factored last.
  double log_determinant() const;

  /// Returns the diagonal of A^-1. Calls visit(i, block) for every row i of the table, in an order
  /// of its own, with the rows and columns of A^-1 of point i and its neighbours (that are there,
  /// in their order), a full matrix.
  using Visit = std::function<void(std::int64_t, const std::vector<double>&)>;
  std::vector<double> invert(const Visit& visit) const;

  /// Replaces vectors z by L^-T z, with A = L L' in the order of elimination, which has the
  /// covariance A^-1 for independent standard normal z. `vectors`: a row of `columns` numbers for
  /// each point.
  void solve_transposed(std::vector<double>& vectors, std::int64_t columns) const;

  /// Returns v' A^-1 v for vectors that have `weights` at the points of the rows of a table.
  std::vector<double> quadratic_forms(const NeighbourTable& table,
                                      const std::vector<double>& weights) const;

 private:
  struct Front {
    std::int64_t first = 0, pivots = 0;  // positions in the order of elimination
    std::vector<std::int32_t> border;    // positions after the pivots, ascending
    std::vector<std::int32_t> rows;      // of the table, that are assembled here
    std::vector<std::int32_t> children;
    std::int32_t parent = -1;
    std::size_t offset = 0;  // of its columns in the factor
    std::int64_t order() const { return pivots + static_cast<std::int64_t>(border.size()); }
  };

  void dissect(const std::vector<std::vector<double>>& coordinates,
               std::vector<std::int32_t> vertices, std::vector<std::int32_t> rows);
  void add_front(const std::vector<std::int32_t>& vertices);
  void find_borders();
  /// Returns the places of a row's points in a front, in the order of the row.
  void locate(const Front& front, std::int64_t row, std::vector<std::int32_t>& places) const;
  std::int32_t place(const Front& front, std::int32_t position) const;
  void assemble(const Front& front, const HostFactor& q, const std::vector<double>& diagonal,
                std::vector<double>& matrix) const;

  NeighbourTable m_table;
  std::vector<Front> m_fronts;           // children before their parents
  std::vector<std::int32_t> m_position;  // of each point, in the order of elimination
  std::vector<std::int32_t> m_vertex;    // at each position
  std::vector<std::int32_t> m_front_of;  // each position
  std::vector<char> m_side;              // during the dissection
  std::size_t m_size = 0;
  std::vector<double> m_factor;  // the pivots' columns of each front
};

}  // namespace tessera::gp::detail
