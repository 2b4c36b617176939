// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tessera/core/parallel/communicator.hpp"

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
/// With several ranks each has the fronts of some subtrees of the dissection; a front above them
/// belongs to one of the ranks below it. Every call but solve_transposed() is made by all ranks
/// with the same arguments, and has the same results on each, whose bits do not depend on how many
/// there are.
///
/// Accuracy: backward stable as Cholesky is; within 1e-11 of dense algebra for determinant and
/// inverse of well-conditioned matrices (tests/unit/gp_multifrontal.cpp).
class MultifrontalCholesky {
 public:
  /// Finds the order and the fronts. `coordinates`: a column each, of points in the table's order.
  MultifrontalCholesky(const NeighbourTable& table,
                       const std::vector<std::vector<double>>& coordinates,
                       const parallel::Communicator& ranks = {});

  /// Returns how many numbers the factor has.
  std::size_t size() const { return m_size; }

  /// Factors A; returns whether it is positive definite. Throws MemoryError where the host has too
  /// little memory.
  bool factor(const HostFactor& q, const std::vector<double>& diagonal);

  /// Of the matrix factored last.
  double log_determinant() const { return m_log_determinant; }

  struct Inverse {
    std::vector<double> diagonal;
    std::vector<double> sums;  ///< of what `visit` has written, over the rows of the table
  };
  /// Writes numbers for row i of the table, of which the block has the rows and columns of A^-1 of
  /// point i and its neighbours (that are there, in their order), a full matrix.
  using Visit =
      std::function<void(std::int64_t i, const std::vector<double>& block, double* numbers)>;
  /// Inverts A. Calls `visit` for every row of the table on one of the ranks, in an order of its
  /// own; `count`: how many numbers it writes.
  Inverse invert(std::size_t count, const Visit& visit) const;

  /// Gives every rank the whole factor, which the following need where there are several.
  void gather();

  /// Replaces vectors z by L^-T z, with A = L L' in the order of elimination, which has the
  /// covariance A^-1 for independent standard normal z. `vectors`: a row of `columns` numbers for
  /// each point. Sends no messages.
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
    // 0: in a subtree of one rank; otherwise how far above these, in steps of the dissection
    int stage = 0;
    std::size_t subtree = 0;  // its own, or the last one below it
    int owner = 0;            // the rank that has it
    std::int64_t rest() const { return static_cast<std::int64_t>(border.size()); }
    std::int64_t order() const { return pivots + rest(); }
    std::size_t size() const { return static_cast<std::size_t>(order() * pivots); }
  };
  /// A matrix for each front; empty where there is none on this rank.
  using Matrices = std::vector<std::vector<double>>;

  /// Arrays that have been of use and will be again: new memory costs more than what is done in it
  /// where fronts are small.
  class SpareArrays {
   public:
    /// Returns an array of so many numbers, of any value.
    std::vector<double> take(std::size_t size);
    void give(std::vector<double>& array) { m_arrays.push_back(std::move(array)); }

   private:
    std::vector<std::vector<double>> m_arrays;
  };

  void dissect(const std::vector<std::vector<double>>& coordinates,
               std::vector<std::int32_t> vertices, std::vector<std::int32_t> rows, int stage);
  void add_front(const std::vector<std::int32_t>& vertices, int stage);
  void find_borders();
  /// Returns the places of a row's points in a front, in the order of the row.
  void locate(const Front& front, std::int64_t row, std::vector<std::int32_t>& places) const;
  std::int32_t place(const Front& front, std::int32_t position) const;
  void assemble(const Front& front, const HostFactor& q, const std::vector<double>& diagonal,
                std::vector<double>& matrix) const;
  void reserve();
  bool eliminate(std::size_t f, const HostFactor& q, const std::vector<double>& diagonal,
                 Matrices& update, SpareArrays& spare);
  void invert_front(std::size_t f, const std::vector<double>& of_border, SpareArrays& spare,
                    std::vector<double>& inverse) const;

  // among ranks
  void share_fronts();
  bool is_own(const Front& front) const { return front.owner == m_ranks.rank(); }
  void exchange(int stage, bool upwards, Matrices& matrices) const;
  std::vector<double> gather_numbers(const Matrices& own,
                                     const std::vector<std::size_t>& counts) const;
  void add_logarithms();

  NeighbourTable m_table;
  parallel::Communicator m_ranks;
  int m_stages = 0;                      // above the subtrees
  std::size_t m_subtrees = 0;            // so far, in the dissection
  std::vector<Front> m_fronts;           // children before their parents
  std::vector<std::int32_t> m_position;  // of each point, in the order of elimination
  std::vector<std::int32_t> m_vertex;    // at each position
  std::vector<std::int32_t> m_front_of;  // each position
  std::vector<char> m_side;              // during the dissection
  std::size_t m_size = 0;
  Matrices m_columns;       // of the factor: those of the pivots of each front
  bool m_is_whole = false;  // this rank has all of them
  double m_log_determinant = 0;
};

}  // namespace tessera::gp::detail
