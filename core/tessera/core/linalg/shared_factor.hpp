// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tessera/core/device/arrays.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/linalg/cholesky_factor.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/core/parallel/device_messages.hpp"

namespace tessera::linalg {

/// The Cholesky factor of a matrix that several ranks share, block-cyclic: panel k, of `width`
/// columns, belongs to rank k mod P. Panels are broadcast one after another, each while the one
/// before is used. In a factorisation the owner of the next panel brings that up to date first and
/// sends it, before it goes on with its others (look-ahead). Solutions and products take the
/// columns that a rank brings through all panels in turn; the inverse is made so, each rank from
/// its columns of the unit matrix, of which it takes a part of kInverseParts at a time.
///
/// For n columns on P ranks: n^3 / 3P multiply-adds a rank and n^2 / 2 numbers received for a
/// factor; for an inverse twice as many multiply-adds, and numbers received some kInverseParts + 1
/// times; memory 4 n^2 / P bytes and two panels, 8 n^2 / P / kInverseParts more for an inverse.
/// The bits of the factor do not depend on P; those of an inverse and of solutions may, as the
/// libraries go by the number of columns. Errors: Error (resource) of memory and of the devices'
/// libraries.
template <class ExecSpace>
class SharedFactor final : public CholeskyFactor<ExecSpace> {
 public:
  using Visit = typename CholeskyFactor<ExecSpace>::Visit;
  static constexpr std::int64_t kWidth = compat::is_gpu_v<ExecSpace> ? 1024 : 128;
  static constexpr std::int64_t kInverseParts = compat::is_gpu_v<ExecSpace> ? 8 : 2;

  SharedFactor(const ExecSpace& exec, std::int64_t n, const parallel::Communicator& ranks)
      : m_exec(exec),
        m_n(n),
        m_ranks(ranks),
        m_panels((n + kWidth - 1) / kWidth),
        m_dense(exec, std::min(n, kWidth)),
        m_messages(exec, ranks),
        m_arrived{allocate<Numbers>(exec, "tessera::linalg::panel", n * kWidth),
                  allocate<Numbers>(exec, "tessera::linalg::panel", n * kWidth)} {
    std::int64_t size = 0;
    for (std::int64_t k = ranks.rank(); k < m_panels; k += ranks.size()) {
      m_offsets.push_back(size);
      size += rows(k) * width(k);
      m_columns += width(k);
    }
    m_own = allocate<Numbers>(exec, "tessera::linalg::shared_factor", size);
  }

  /// Bytes that a rank takes on its device; with those that an inverse takes besides.
  static std::uint64_t bytes(std::int64_t n, int ranks, bool with_inverse) {
    const double columns = static_cast<double>(n) / ranks + kWidth;
    return static_cast<std::uint64_t>(
        8.0 * static_cast<double>(n) *
        (columns * (with_inverse ? 0.5 + 1.0 / kInverseParts : 0.5) + 2.0 * kWidth));
  }

  /// Returns the path on which panels travel.
  std::string path() const { return m_messages.path(); }

  std::int64_t factor(const Visit& fill) override {
    m_inverse = Numbers();
    std::int64_t failed = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t k = m_ranks.rank(); k < m_panels; k += m_ranks.size()) fill(first(k), own(k));
    if (is_own(0)) factor_panel(0, failed);
    start(0);
    for (std::int64_t k = 0; k < m_panels; ++k) {
      m_messages.finish_broadcast();
      const Block panel = arrived(k);
      if (k + 1 < m_panels) {
        if (is_own(k + 1)) {
          update(k, panel, k + 1);
          factor_panel(k + 1, failed);
        }
        start(k + 1);
      }
      for (std::int64_t j = k + 2; j < m_panels; ++j) {
        if (is_own(j)) update(k, panel, j);
      }
    }
    m_exec.fence();
    failed = m_ranks.min(failed);
    return failed == std::numeric_limits<std::int64_t>::max() ? 0 : failed;
  }

  std::vector<double> diagonal() override {
    std::vector<double> all(static_cast<std::size_t>(m_n));
    const auto numbers = allocate<Numbers>(m_exec, "tessera::linalg::diagonal", kWidth);
    for (std::int64_t k = 0; k < m_panels; ++k) {
      double* const to = all.data() + first(k);
      if (is_own(k)) {
        Kokkos::parallel_for("tessera::linalg::take_diagonal",
                             Kokkos::RangePolicy<ExecSpace>(m_exec, 0, width(k)),
                             TakeDiagonal{own(k), numbers.data()});
        copy_to_host(m_exec, to, numbers.data(), static_cast<std::size_t>(width(k)));
      }
      m_ranks.broadcast(to, static_cast<std::size_t>(width(k)), owner(k));
    }
    return all;
  }

  void solve(const Block& b) override {
    ascend(0, [&](std::int64_t k, const Block& panel) { solve_rows(k, panel, b); });
  }

  void solve_transposed(const Block& b) override {
    descend(0, [&](std::int64_t k, const Block& panel) { solve_rows_transposed(k, panel, b); });
  }

  void multiply(const Block& b) override {
    descend(0, [&](std::int64_t k, const Block& panel) {
      if (b.columns == 0) return;
      if (below(k) > 0)
        m_dense.gemm(1, lower(k, panel), Transpose::no, rows_of(k, b), Transpose::no, 1,
                     rows_below(k, b));
      m_dense.multiply(square(k, panel), rows_of(k, b));
    });
  }

  void multiply_transposed(const Block& b) override {
    ascend(0, [&](std::int64_t k, const Block& panel) {
      if (b.columns == 0) return;
      m_dense.multiply_transposed(square(k, panel), rows_of(k, b));
      if (below(k) > 0)
        m_dense.gemm(1, lower(k, panel), Transpose::yes, rows_below(k, b), Transpose::no, 1,
                     rows_of(k, b));
    });
  }

  void invert(const Visit& use) override {
    const std::int64_t ranks = m_ranks.size(), own_panels = (m_panels + ranks - 1) / ranks,
                       at_a_time = (own_panels + kInverseParts - 1) / kInverseParts * ranks;
    m_inverse = allocate<Numbers>(m_exec, "tessera::linalg::shared_inverse",
                                  m_n * std::min(m_columns, at_a_time / ranks * kWidth));
    for (std::int64_t begin = 0; begin < m_panels; begin += at_a_time)
      invert_panels(begin, std::min(begin + at_a_time, m_panels), use);
    m_inverse = Numbers();
  }

  Dense<ExecSpace>& dense() override { return m_dense; }

  /// A functor that sets the diagonal to ones.
  struct SetDiagonal {
    double* data;
    std::int64_t stride;
    KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const { data[i + i * stride] = 1; }
  };

 private:
  using Numbers = Kokkos::View<double*, ExecSpace>;

  int owner(std::int64_t k) const { return static_cast<int>(k % m_ranks.size()); }
  bool is_own(std::int64_t k) const { return owner(k) == m_ranks.rank(); }
  std::int64_t first(std::int64_t k) const { return k * kWidth; }
  std::int64_t width(std::int64_t k) const { return std::min(kWidth, m_n - first(k)); }
  std::int64_t rows(std::int64_t k) const { return m_n - first(k); }
  std::int64_t below(std::int64_t k) const { return rows(k) - width(k); }

  Block own(std::int64_t k) const {
    return {m_own.data() + m_offsets[static_cast<std::size_t>(k / m_ranks.size())], rows(k),
            width(k), rows(k)};
  }
  /// A panel that has been broadcast.
  Block arrived(std::int64_t k) const {
    return is_own(k) ? own(k) : Block{m_arrived[k % 2].data(), rows(k), width(k), rows(k)};
  }

  // A panel consists of its square and what stands below; columns with all rows have those of the
  // square and those below.
  Block square(std::int64_t k, const Block& panel) const {
    return panel.submatrix(0, 0, width(k), width(k));
  }
  Block lower(std::int64_t k, const Block& panel) const {
    return panel.submatrix(width(k), 0, below(k), width(k));
  }
  Block rows_of(std::int64_t k, const Block& b) const {
    return b.submatrix(first(k), 0, width(k), b.columns);
  }
  Block rows_below(std::int64_t k, const Block& b) const {
    return b.submatrix(first(k) + width(k), 0, below(k), b.columns);
  }

  /// The first of a rank's own panels from panel `begin` on.
  std::int64_t first_own(std::int64_t begin) const {
    const std::int64_t ranks = m_ranks.size();
    return begin + (m_ranks.rank() - begin % ranks + ranks) % ranks;
  }

  /// The columns of the inverse that this rank has of panels from `begin` up to k, but not `end`.
  Block inverse_columns(std::int64_t begin, std::int64_t end, std::int64_t k) const {
    std::int64_t count = 0;
    for (std::int64_t j = first_own(begin); j <= std::min(k, end - 1); j += m_ranks.size())
      count += width(j);
    return {m_inverse.data(), m_n, count, m_n};
  }

  /// Finds the inverse's panels from `begin` to `end`.
  void invert_panels(std::int64_t begin, std::int64_t end, const Visit& use) {
    Kokkos::deep_copy(m_exec, m_inverse, 0.0);
    std::int64_t column = 0;
    for (std::int64_t k = first_own(begin); k < end; k += m_ranks.size()) {
      Kokkos::parallel_for("tessera::linalg::set_diagonal",
                           Kokkos::RangePolicy<ExecSpace>(m_exec, 0, width(k)),
                           SetDiagonal{m_inverse.data() + first(k) + column * m_n, m_n});
      column += width(k);
    }
    // Rows above a column's own panel stay zero on the way down, and are not wanted on the way
    // back.
    ascend(begin, [&](std::int64_t k, const Block& panel) {
      solve_rows(k, panel, inverse_columns(begin, end, k));
    });
    descend(begin, [&](std::int64_t k, const Block& panel) {
      solve_rows_transposed(k, panel, inverse_columns(begin, end, k));
    });
    column = 0;
    for (std::int64_t k = first_own(begin); k < end; k += m_ranks.size()) {
      use(first(k), {m_inverse.data() + first(k) + column * m_n, rows(k), width(k), m_n});
      column += width(k);
    }
    m_exec.fence();
  }

  void start(std::int64_t k) {
    const Block panel = arrived(k);
    m_messages.start_broadcast(panel.data, static_cast<std::size_t>(panel.rows * panel.columns),
                               owner(k));
  }

  /// Own panel k, which is up to date, becomes that of L. What comes of one that fails is of no
  /// use, and does no harm.
  void factor_panel(std::int64_t k, std::int64_t& failed) {
    const Block panel = own(k);
    if (const std::int64_t minor = m_dense.factor(square(k, panel)); minor != 0)
      failed = std::min(failed, first(k) + minor);
    if (below(k) > 0) m_dense.solve_right_transposed(square(k, panel), lower(k, panel));
  }

  /// Takes the product of panel k of L and its transpose from own panel j.
  void update(std::int64_t k, const Block& panel, std::int64_t j) {
    const std::int64_t offset = first(j) - first(k);
    const Block from = panel.submatrix(offset, 0, rows(j), width(k));
    m_dense.gemm(-1, from, Transpose::no, from.submatrix(0, 0, width(j), width(k)), Transpose::yes,
                 1, own(j));
  }

  void solve_rows(std::int64_t k, const Block& panel, const Block& b) {
    if (b.columns == 0) return;
    m_dense.solve(square(k, panel), rows_of(k, b));
    if (below(k) > 0)
      m_dense.gemm(-1, lower(k, panel), Transpose::no, rows_of(k, b), Transpose::no, 1,
                   rows_below(k, b));
  }

  void solve_rows_transposed(std::int64_t k, const Block& panel, const Block& b) {
    if (b.columns == 0) return;
    if (below(k) > 0)
      m_dense.gemm(-1, lower(k, panel), Transpose::yes, rows_below(k, b), Transpose::no, 1,
                   rows_of(k, b));
    m_dense.solve_transposed(square(k, panel), rows_of(k, b));
  }

  /// All panels from `begin` on in turn, each while the next is on its way.
  template <class Use>
  void ascend(std::int64_t begin, const Use& use) {
    start(begin);
    for (std::int64_t k = begin; k < m_panels; ++k) {
      m_messages.finish_broadcast();
      if (k + 1 < m_panels) start(k + 1);
      use(k, arrived(k));
    }
  }
  template <class Use>
  void descend(std::int64_t begin, const Use& use) {
    start(m_panels - 1);
    for (std::int64_t k = m_panels - 1; k >= begin; --k) {
      m_messages.finish_broadcast();
      if (k > begin) start(k - 1);
      use(k, arrived(k));
    }
  }

  ExecSpace m_exec;
  std::int64_t m_n;
  parallel::Communicator m_ranks;
  std::int64_t m_panels;
  Dense<ExecSpace> m_dense;
  parallel::DeviceMessages m_messages;
  Numbers m_arrived[2];
  Numbers m_own;
  std::vector<std::int64_t> m_offsets;  // of own panels in m_own
  std::int64_t m_columns = 0;           // of own panels together
  Numbers m_inverse;
};

}  // namespace tessera::linalg
