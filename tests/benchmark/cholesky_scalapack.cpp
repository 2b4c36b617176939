// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#define OMPI_SKIP_MPICXX 1  // the C++ bindings of old: classes that would have to be linked
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/benchmark/cholesky_peer.hpp"
#include "tests/benchmark/test_covariance.hpp"

// ScaLAPACK and BLACS have no header.
extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* rank, const int* source, const int* ranks);
void descinit_(int* descriptor, const int* rows, const int* columns, const int* row_block,
               const int* column_block, const int* source_row, const int* source_column,
               const int* context, const int* leading, int* info);
void pdpotrf_(const char* triangle, const int* n, double* a, const int* row, const int* column,
              const int* descriptor, int* info);
}

namespace tessera::bench {

namespace {

/// The ranks as a grid of rows and columns, for as long as it lives.
struct Grid {
  int context = 0, rows = 1, columns = 1, row = 0, column = 0;

  explicit Grid(int ranks) {
    for (int r = 1; r * r <= ranks; ++r) {
      if (ranks % r == 0) rows = r;
    }
    columns = ranks / rows;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", rows, columns);
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
  }
  ~Grid() { Cblacs_gridexit(context); }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
};

void require(int info, const std::string& routine) {
  if (info != 0) throw std::runtime_error(routine + " ends with " + std::to_string(info));
}

/// The number in the whole matrix of row or column i of a part.
std::int64_t whole(int i, int block, int rank, int ranks) {
  return (static_cast<std::int64_t>(i / block) * ranks + rank) * block + i % block;
}

}  // namespace

ScalapackFactor cholesky_scalapack(std::int64_t n, int block) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Grid grid(ranks);
  const int order = static_cast<int>(n), zero = 0, one = 1;
  const int rows = numroc_(&order, &block, &grid.row, &zero, &grid.rows),
            columns = numroc_(&order, &block, &grid.column, &zero, &grid.columns);
  const int leading = rows > 0 ? rows : 1;
  int descriptor[9], info = 0;
  descinit_(descriptor, &order, &order, &block, &block, &zero, &zero, &grid.context, &leading,
            &info);
  require(info, "descinit");
  std::vector<double> part(static_cast<std::size_t>(leading) * static_cast<std::size_t>(columns));
  const auto each = [&](const auto& visit) {
    for (int j = 0; j < columns; ++j) {
      for (int i = 0; i < rows; ++i)
        visit(whole(i, block, grid.row, grid.rows), whole(j, block, grid.column, grid.columns),
              part[static_cast<std::size_t>(i) +
                   static_cast<std::size_t>(j) * static_cast<std::size_t>(leading)]);
    }
  };
  each([](std::int64_t row, std::int64_t column, double& value) {
    value = test_covariance(row, column);
  });
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  pdpotrf_("L", &order, part.data(), &one, &one, descriptor, &info);
  MPI_Barrier(MPI_COMM_WORLD);
  ScalapackFactor result;
  result.seconds = MPI_Wtime() - start;
  require(info, "pdpotrf");
  double own = 0;
  each([&](std::int64_t row, std::int64_t column, double& value) {
    if (row == column) own += 2 * std::log(value);
  });
  MPI_Allreduce(&own, &result.log_determinant, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return result;
}

}  // namespace tessera::bench
