// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Solutions with the factor.
#include <cblas.h>

#include <algorithm>
#include <numeric>

#include "tessera/core/linalg/host_blas.hpp"
#include "tessera/gp/latent/multifrontal.hpp"

namespace tessera::gp::detail {

namespace {

int as_int(std::int64_t value) { return static_cast<int>(value); }

}  // namespace

/// From the root to the leaves: x_p = L_pp^-T (z_p - L_bp' x_b).
void MultifrontalCholesky::solve_transposed(std::vector<double>& vectors,
                                            std::int64_t columns) const {
  const linalg::HostBlas one_thread;
  const auto n = static_cast<std::int64_t>(m_vertex.size());
  std::vector<double> x(vectors.size()), above;  // a column a vector, in the order of elimination
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t c = 0; c < columns; ++c) x[k + c * n] = vectors[m_vertex[k] * columns + c];
  }
  for (std::size_t f = m_fronts.size(); f-- > 0;) {
    const Front& front = m_fronts[f];
    const std::int64_t rest = front.rest();
    const double* l = m_columns[f].data();
    double* own = x.data() + front.first;
    if (rest > 0) {
      above.resize(static_cast<std::size_t>(rest * columns));
      for (std::int64_t c = 0; c < columns; ++c) {
        for (std::int64_t k = 0; k < rest; ++k) above[k + c * rest] = x[front.border[k] + c * n];
      }
      cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, as_int(front.pivots), as_int(columns),
                  as_int(rest), -1, l + front.pivots, as_int(front.order()), above.data(),
                  as_int(rest), 1, own, as_int(n));
    }
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit,
                as_int(front.pivots), as_int(columns), 1, l, as_int(front.order()), own, as_int(n));
  }
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t c = 0; c < columns; ++c) vectors[m_vertex[k] * columns + c] = x[k + c * n];
  }
}

/// |L^-1 v|^2, for several v at a time, where L^-1 v is not zero: on the way from the fronts of the
/// points of v to the root. Vectors whose points lie near each other go together. Ranks share them.
std::vector<double> MultifrontalCholesky::quadratic_forms(
    const NeighbourTable& table, const std::vector<double>& weights) const {
  constexpr std::int64_t kTogether = 64;
  const linalg::HostBlas one_thread;
  const auto n = static_cast<std::int64_t>(m_vertex.size());
  std::vector<std::int64_t> order(static_cast<std::size_t>(table.points));
  std::iota(order.begin(), order.end(), std::int64_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return m_position[table.at(a, 0)] < m_position[table.at(b, 0)];
  });
  const parallel::Range mine = m_ranks.share(table.points, kTogether);
  std::vector<double> own_forms(static_cast<std::size_t>(mine.size()), 0.0),
      vectors(static_cast<std::size_t>(n * kTogether)), below;
  std::vector<char> touched(m_fronts.size());
  for (std::int64_t begin = mine.begin; begin < mine.end; begin += kTogether) {
    const std::int64_t count = std::min(kTogether, mine.end - begin);
    for (std::int64_t c = 0; c < count; ++c) {
      const std::int64_t row = order[begin + c];
      for (std::int64_t j = 0; j < table.width; ++j) {
        if (table.at(row, j) < 0) continue;
        const std::int32_t position = m_position[table.at(row, j)];
        vectors[static_cast<std::size_t>(position + c * n)] =
            weights[static_cast<std::size_t>(row * table.width + j)];
        touched[m_front_of[position]] = 1;
      }
    }
    for (std::size_t f = 0; f < m_fronts.size(); ++f) {
      if (!touched[f]) continue;
      const Front& front = m_fronts[f];
      const std::int64_t rest = front.rest();
      const double* l = m_columns[f].data();
      double* own = vectors.data() + front.first;
      cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit,
                  as_int(front.pivots), as_int(count), 1, l, as_int(front.order()), own, as_int(n));
      if (rest > 0) {
        below.resize(static_cast<std::size_t>(rest * count));
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, as_int(rest), as_int(count),
                    as_int(front.pivots), 1, l + front.pivots, as_int(front.order()), own,
                    as_int(n), 0, below.data(), as_int(rest));
        for (std::int64_t c = 0; c < count; ++c) {
          for (std::int64_t k = 0; k < rest; ++k)
            vectors[static_cast<std::size_t>(front.border[k] + c * n)] -= below[k + c * rest];
        }
        touched[front.parent] = 1;
      }
      for (std::int64_t c = 0; c < count; ++c) {
        for (std::int64_t k = 0; k < front.pivots; ++k) {
          double& value = own[k + c * n];
          own_forms[begin - mine.begin + c] += value * value;
          value = 0;
        }
      }
      touched[f] = 0;
    }
  }
  const std::vector<double> forms = m_ranks.all_gather(own_forms);
  std::vector<double> result(forms.size());
  for (std::size_t k = 0; k < forms.size(); ++k) result[order[k]] = forms[k];
  return result;
}

}  // namespace tessera::gp::detail
