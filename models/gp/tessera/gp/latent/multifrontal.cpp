// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/latent/multifrontal.hpp"

#include <cblas.h>
#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tessera/core/device/memory.hpp"
#include "tessera/core/linalg/host_blas.hpp"

namespace tessera::gp::detail {

namespace {

constexpr std::size_t kSmallest = 64;  // sets of so few points are not divided
enum Side : char { kOutside, kLeft, kRight, kSeparator };

int as_int(std::int64_t value) { return static_cast<int>(value); }

/// Returns the axis along which points extend farthest.
const std::vector<double>& longest_axis(const std::vector<std::vector<double>>& coordinates,
                                        const std::vector<std::int32_t>& vertices) {
  std::size_t best = 0;
  double longest = -1;
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    const auto [low, high] =
        std::minmax_element(vertices.begin(), vertices.end(), [&](std::int32_t a, std::int32_t b) {
          return coordinates[k][static_cast<std::size_t>(a)] <
                 coordinates[k][static_cast<std::size_t>(b)];
        });
    const double extent = coordinates[k][static_cast<std::size_t>(*high)] -
                          coordinates[k][static_cast<std::size_t>(*low)];
    if (extent > longest) {
      longest = extent;
      best = k;
    }
  }
  return coordinates[best];
}

/// Copies the lower triangle of a matrix onto the upper one.
void mirror(std::vector<double>& matrix, std::int64_t order) {
  for (std::int64_t j = 0; j < order; ++j) {
    for (std::int64_t i = j + 1; i < order; ++i) matrix[j + i * order] = matrix[i + j * order];
  }
}

}  // namespace

MultifrontalCholesky::MultifrontalCholesky(const NeighbourTable& table,
                                           const std::vector<std::vector<double>>& coordinates,
                                           const parallel::Communicator& ranks)
    : m_table(table), m_ranks(ranks) {
  const auto n = static_cast<std::size_t>(table.points);
  m_position.resize(n);
  m_front_of.resize(n);
  m_side.assign(n, kOutside);
  std::vector<std::int32_t> all(n);
  std::iota(all.begin(), all.end(), 0);
  // four subtrees a rank or more, so that their work can be divided evenly
  if (ranks.size() > 1) m_stages = 2;
  for (int subtrees = 1; subtrees < ranks.size(); subtrees *= 2) ++m_stages;
  dissect(coordinates, all, all, m_stages);
  m_side = {};
  find_borders();
  share_fronts();
}

/// Divides a set of points by a separator, whose points are eliminated after those of the two
/// halves. `rows` are the rows of the table with a point of the set. A row with points in both
/// halves gives the fewer of them to the separator. `stage` is that of the separator's front.
void MultifrontalCholesky::dissect(const std::vector<std::vector<double>>& coordinates,
                                   std::vector<std::int32_t> vertices,
                                   std::vector<std::int32_t> rows, int stage) {
  if (vertices.size() <= kSmallest) {
    add_front(vertices, stage);
    return;
  }
  const std::vector<double>& axis = longest_axis(coordinates, vertices);
  const auto middle = vertices.begin() + static_cast<std::ptrdiff_t>(vertices.size() / 2);
  std::nth_element(vertices.begin(), middle, vertices.end(), [&](std::int32_t a, std::int32_t b) {
    const double left = axis[static_cast<std::size_t>(a)],
                 right = axis[static_cast<std::size_t>(b)];
    return left != right ? left < right : a < b;
  });
  for (auto v = vertices.begin(); v != vertices.end(); ++v)
    m_side[*v] = v < middle ? kLeft : kRight;
  const auto visit_row = [&](std::int32_t row, const auto& visit) {
    visit(row);
    for (std::int64_t j = 0; j < m_table.width; ++j) {
      if (m_table.at(row, j) >= 0) visit(m_table.at(row, j));
    }
  };
  const auto count_sides = [&](std::int32_t row) {
    std::pair<int, int> count{0, 0};
    visit_row(row, [&](std::int32_t v) {
      count.first += m_side[v] == kLeft;
      count.second += m_side[v] == kRight;
    });
    return count;
  };
  std::sort(rows.begin(), rows.end());
  for (const std::int32_t row : rows) {
    const auto [left, right] = count_sides(row);
    if (left == 0 || right == 0) continue;
    const char fewer = left < right ? kLeft : kRight;
    visit_row(row, [&](std::int32_t v) {
      if (m_side[v] == fewer) m_side[v] = kSeparator;
    });
  }
  std::vector<std::int32_t> part[2], part_rows[2], separator;
  for (const std::int32_t v : vertices) {
    if (m_side[v] == kSeparator) {
      separator.push_back(v);
    } else {
      part[m_side[v] == kRight].push_back(v);
    }
  }
  for (const std::int32_t row : rows) {
    const auto [left, right] = count_sides(row);
    if (left > 0) part_rows[0].push_back(row);
    if (right > 0) part_rows[1].push_back(row);
  }
  for (const std::int32_t v : separator) m_side[v] = kOutside;
  vertices = {};
  rows = {};
  for (int k = 0; k < 2; ++k) {
    if (part[k].empty()) continue;
    if (stage == 1) ++m_subtrees;
    dissect(coordinates, std::move(part[k]), std::move(part_rows[k]), std::max(stage - 1, 0));
  }
  if (!separator.empty()) add_front(separator, stage);
}

/// Eliminates points together, after those before.
void MultifrontalCholesky::add_front(const std::vector<std::int32_t>& vertices, int stage) {
  Front front;
  front.stage = stage;
  front.subtree = m_subtrees;
  front.first = static_cast<std::int64_t>(m_vertex.size());
  front.pivots = static_cast<std::int64_t>(vertices.size());
  for (const std::int32_t v : vertices) {
    m_side[v] = kOutside;
    m_position[v] = static_cast<std::int32_t>(m_vertex.size());
    m_front_of[m_vertex.size()] = static_cast<std::int32_t>(m_fronts.size());
    m_vertex.push_back(v);
  }
  m_fronts.push_back(front);
}

/// Finds the rows of each front: those of its children's borders and of the rows of the table whose
/// first point it eliminates.
void MultifrontalCholesky::find_borders() {
  std::vector<std::int32_t> mark(m_vertex.size(), -1);
  for (std::int64_t i = 0; i < m_table.points; ++i) {
    std::int32_t first = m_position[i];
    for (std::int64_t j = 0; j < m_table.width; ++j) {
      if (m_table.at(i, j) >= 0) first = std::min(first, m_position[m_table.at(i, j)]);
    }
    m_fronts[m_front_of[first]].rows.push_back(static_cast<std::int32_t>(i));
  }
  for (std::size_t f = 0; f < m_fronts.size(); ++f) {
    Front& front = m_fronts[f];
    const std::int64_t end = front.first + front.pivots;
    const auto add = [&](std::int32_t position) {
      if (position < end || mark[position] == static_cast<std::int32_t>(f)) return;
      mark[position] = static_cast<std::int32_t>(f);
      front.border.push_back(position);
    };
    for (const std::int32_t child : front.children) {
      for (const std::int32_t position : m_fronts[child].border) add(position);
    }
    for (const std::int32_t row : front.rows) {
      add(m_position[row]);
      for (std::int64_t j = 0; j < m_table.width; ++j) {
        if (m_table.at(row, j) >= 0) add(m_position[m_table.at(row, j)]);
      }
    }
    std::sort(front.border.begin(), front.border.end());
    m_size += front.size();
    if (front.border.empty()) continue;
    front.parent = m_front_of[front.border.front()];
    m_fronts[front.parent].children.push_back(static_cast<std::int32_t>(f));
  }
}

std::int32_t MultifrontalCholesky::place(const Front& front, std::int32_t position) const {
  if (position < front.first + front.pivots)
    return static_cast<std::int32_t>(position - front.first);
  const auto found = std::lower_bound(front.border.begin(), front.border.end(), position);
  return static_cast<std::int32_t>(front.pivots + (found - front.border.begin()));
}

void MultifrontalCholesky::locate(const Front& front, std::int64_t row,
                                  std::vector<std::int32_t>& places) const {
  places.clear();
  places.push_back(place(front, m_position[row]));
  for (std::int64_t j = 0; j < m_table.width; ++j) {
    if (m_table.at(row, j) >= 0) places.push_back(place(front, m_position[m_table.at(row, j)]));
  }
}

/// Adds the rows of the table to the lower triangle of a front.
void MultifrontalCholesky::assemble(const Front& front, const HostFactor& q,
                                    const std::vector<double>& diagonal,
                                    std::vector<double>& matrix) const {
  const std::int64_t order = front.order();
  std::vector<std::int32_t> places;
  std::vector<double> row;
  for (const std::int32_t i : front.rows) {
    locate(front, i, places);
    row.assign(1, 1.0);
    for (std::int64_t j = 0; j < m_table.width; ++j) {
      if (m_table.at(i, j) >= 0)
        row.push_back(-q.weights[static_cast<std::size_t>(i * m_table.width + j)]);
    }
    const double precision = 1 / q.variance[static_cast<std::size_t>(i)];
    for (std::size_t a = 0; a < row.size(); ++a) {
      const double scaled = row[a] * precision;
      for (std::size_t b = 0; b <= a; ++b) {
        const auto [low, high] = std::minmax(places[a], places[b]);
        matrix[high + low * order] += scaled * row[b];
      }
    }
  }
  for (std::int64_t k = 0; k < front.pivots; ++k)
    matrix[k + k * order] += diagonal[m_vertex[front.first + k]];
}

std::vector<double> MultifrontalCholesky::SpareArrays::take(std::size_t size) {
  std::vector<double> array;
  std::size_t best = m_arrays.size();
  for (std::size_t k = 0; k < m_arrays.size(); ++k) {
    if (m_arrays[k].capacity() < size) continue;
    if (best == m_arrays.size() || m_arrays[k].capacity() < m_arrays[best].capacity()) best = k;
  }
  if (best < m_arrays.size()) {
    array.swap(m_arrays[best]);
    m_arrays[best].swap(m_arrays.back());
    m_arrays.pop_back();
  }
  array.resize(size);
  return array;
}

/// Allocates the columns of this rank's fronts, and drops those of others.
void MultifrontalCholesky::reserve() {
  if (m_columns.empty()) {
    double own = 0;
    for (const Front& front : m_fronts)
      own += is_own(front) ? static_cast<double>(front.size()) : 0;
    require_host_memory(16.0 * own, "the sparse Cholesky factor",
                        "take fewer method.vecchia.neighbours, or likelihood.determinant: "
                        "stochastic");
    m_columns.resize(m_fronts.size());
  }
  for (std::size_t f = 0; f < m_fronts.size(); ++f) {
    if (is_own(m_fronts[f])) {
      m_columns[f].resize(m_fronts[f].size());
    } else {
      m_columns[f] = {};
    }
  }
  m_is_whole = m_ranks.size() == 1;
}

bool MultifrontalCholesky::factor(const HostFactor& q, const std::vector<double>& diagonal) {
  reserve();
  const linalg::HostBlas one_thread;
  Matrices update(m_fronts.size());
  SpareArrays spare;
  bool is_good = true;
  for (int stage = 0; stage <= m_stages; ++stage) {
    exchange(stage, true, update);
    for (std::size_t f = 0; f < m_fronts.size() && is_good; ++f) {
      if (m_fronts[f].stage == stage && is_own(m_fronts[f]))
        is_good = eliminate(f, q, diagonal, update, spare);
    }
  }
  if (m_ranks.min(is_good ? 1 : 0) == 0) return false;
  add_logarithms();
  return true;
}

/// Eliminates the points of a front, with what its children leave to it in `update`; writes what it
/// leaves to its parent. Returns whether the pivots are positive definite.
bool MultifrontalCholesky::eliminate(std::size_t f, const HostFactor& q,
                                     const std::vector<double>& diagonal, Matrices& update,
                                     SpareArrays& spare) {
  const Front& front = m_fronts[f];
  const std::int64_t order = front.order(), pivots = front.pivots, rest = front.rest();
  std::vector<double> matrix = spare.take(static_cast<std::size_t>(order * order));
  std::fill(matrix.begin(), matrix.end(), 0.0);
  std::vector<std::int32_t> places;
  assemble(front, q, diagonal, matrix);
  for (const std::int32_t c : front.children) {
    const Front& child = m_fronts[c];
    const std::int64_t size = child.rest();
    places.clear();
    for (const std::int32_t position : child.border) places.push_back(place(front, position));
    for (std::int64_t j = 0; j < size; ++j) {  // places ascend
      for (std::int64_t i = j; i < size; ++i)
        matrix[places[i] + places[j] * order] += update[c][i + j * size];
    }
    spare.give(update[c]);
  }
  if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', as_int(pivots), matrix.data(), as_int(order)) != 0)
    return false;
  if (rest > 0) {
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, as_int(rest),
                as_int(pivots), 1, matrix.data(), as_int(order), matrix.data() + pivots,
                as_int(order));
    std::vector<double>& left = update[f] = spare.take(static_cast<std::size_t>(rest * rest));
    for (std::int64_t j = 0; j < rest; ++j)
      std::copy_n(&matrix[pivots + j + (pivots + j) * order], rest - j, &left[j + j * rest]);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, as_int(rest), as_int(pivots), -1,
                matrix.data() + pivots, as_int(order), 1, left.data(), as_int(rest));
  }
  std::copy_n(matrix.begin(), front.size(), m_columns[f].begin());
  spare.give(matrix);
  return true;
}

/// From the root to the leaves.
MultifrontalCholesky::Inverse MultifrontalCholesky::invert(std::size_t count,
                                                           const Visit& visit) const {
  const linalg::HostBlas one_thread;
  Matrices of_border(m_fronts.size()), numbers(m_fronts.size());
  std::vector<std::int32_t> places;
  std::vector<double> block, of_row(count), z;
  SpareArrays spare;
  for (int stage = m_stages; stage >= 0; --stage) {
    for (std::size_t f = m_fronts.size(); f-- > 0;) {
      const Front& front = m_fronts[f];
      if (front.stage != stage || !is_own(front)) continue;
      const std::int64_t order = front.order();
      invert_front(f, of_border[f], spare, z);
      spare.give(of_border[f]);
      for (std::int64_t k = 0; k < front.pivots; ++k) numbers[f].push_back(z[k + k * order]);
      for (const std::int32_t row : front.rows) {
        if (count == 0) break;
        locate(front, row, places);
        block.clear();
        for (const std::int32_t a : places) {
          for (const std::int32_t b : places) block.push_back(z[b + a * order]);
        }
        visit(row, block, of_row.data());
        numbers[f].insert(numbers[f].end(), of_row.begin(), of_row.end());
      }
      for (const std::int32_t c : front.children) {
        const std::int64_t size = m_fronts[c].rest();
        places.clear();
        for (const std::int32_t position : m_fronts[c].border)
          places.push_back(place(front, position));
        of_border[c] = spare.take(static_cast<std::size_t>(size * size));
        for (std::int64_t j = 0; j < size; ++j) {
          for (std::int64_t i = j; i < size; ++i)
            of_border[c][i + j * size] = z[places[i] + places[j] * order];
        }
      }
    }
    exchange(stage, false, of_border);
  }
  std::vector<std::size_t> counts;
  for (const Front& front : m_fronts)
    counts.push_back(static_cast<std::size_t>(front.pivots) + count * front.rows.size());
  const std::vector<double> all = gather_numbers(numbers, counts);
  Inverse result{std::vector<double>(m_vertex.size()), {}};
  std::vector<double> of_rows(count * m_vertex.size());
  auto next = all.begin();
  for (const Front& front : m_fronts) {
    for (std::int64_t k = 0; k < front.pivots; ++k)
      result.diagonal[m_vertex[front.first + k]] = *next++;
    for (const std::int32_t row : front.rows) {
      std::copy_n(next, count, of_rows.begin() + static_cast<std::ptrdiff_t>(row * count));
      next += static_cast<std::ptrdiff_t>(count);
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    long double sum = 0;
    for (std::size_t i = k; i < of_rows.size(); i += count) sum += of_rows[i];
    result.sums.push_back(static_cast<double>(sum));
  }
  return result;
}

/// Finds the block of A^-1 of a front, whose part at its border is that of its parent. With X =
/// L_bp L_pp^-1 of the border's rows b and the pivots p, the others are Z_bp = -Z_bb X and Z_pp =
/// (L_pp L_pp')^-1 - X' Z_bp.
void MultifrontalCholesky::invert_front(std::size_t f, const std::vector<double>& of_border,
                                        SpareArrays& spare, std::vector<double>& inverse) const {
  const Front& front = m_fronts[f];
  const std::int64_t order = front.order(), pivots = front.pivots, rest = front.rest();
  const double* l = m_columns[f].data();
  inverse.resize(static_cast<std::size_t>(order * order));
  double* const z = inverse.data();
  for (std::int64_t j = 0; j < pivots; ++j)
    std::copy_n(l + j + j * order, pivots - j, &z[j + j * order]);
  LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', as_int(pivots), z, as_int(order));
  if (rest > 0) {
    for (std::int64_t j = 0; j < rest; ++j)
      std::copy_n(&of_border[j + j * rest], rest - j, &z[pivots + j + (pivots + j) * order]);
    std::vector<double> ratio = spare.take(static_cast<std::size_t>(rest * pivots));
    for (std::int64_t j = 0; j < pivots; ++j)
      std::copy_n(l + pivots + j * order, rest, &ratio[j * rest]);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, as_int(rest),
                as_int(pivots), 1, l, as_int(order), ratio.data(), as_int(rest));
    cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, as_int(rest), as_int(pivots), -1,
                z + pivots * (order + 1), as_int(order), ratio.data(), as_int(rest), 0, z + pivots,
                as_int(order));
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, as_int(pivots), as_int(pivots),
                as_int(rest), -1, ratio.data(), as_int(rest), z + pivots, as_int(order), 1, z,
                as_int(order));
    spare.give(ratio);
  }
  mirror(inverse, order);
}

}  // namespace tessera::gp::detail
