// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/gbees/regions/credible_set.hpp"
#include "tessera/gbees/regions/rows_context.hpp"

/// Credible sets by selection: the probabilities of cells, as bits of doubles, are in the order of
/// their values. They are sorted into bins by 16 bits at a time, from the highest, and each time
/// one bin is left in which the threshold lies.

namespace tessera::gbees {
namespace detail {

inline constexpr int kDigitBits = 16;
inline constexpr std::uint64_t kDigits = std::uint64_t(1) << kDigitBits;
inline constexpr double kDigitUnits = 0x1p62;

/// Adds the cells whose bits above `shift + kDigitBits` are `prefix` to the bin of their next
/// digit: their probability, and their number.
template <int D, class Real>
struct BinDigits {
  static constexpr const char* label = "tessera::gbees::credible";
  using View = StepView<Real>;
  using Loop = LoopOverRows<Rows::all>;
  RowsContext<D, Real> s;
  int shift;
  std::uint64_t prefix;
  std::uint64_t* mass;
  std::uint64_t* count;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c) const {
    const double p = view.mass[c] * view.scale;
    if (!(p > 0)) return;
    const std::uint64_t bits = compat::bit_cast<std::uint64_t>(p);
    if (shift + kDigitBits < 64 && bits >> (shift + kDigitBits) != prefix) return;
    const std::uint64_t digit = (bits >> shift) & (kDigits - 1);
    Kokkos::atomic_fetch_add(&mass[digit], static_cast<std::uint64_t>(p * kDigitUnits));
    Kokkos::atomic_fetch_add(&count[digit], std::uint64_t(1));
  }
};

template <class ExecSpace, int D, class Real>
class CredibleSelection {
 public:
  CredibleSelection(const ExecSpace& exec, const DeviceCells<D>& cells,
                    const parallel::Communicator& ranks)
      : m_exec(exec),
        m_ranks(ranks),
        m_rows{cells, nullptr},
        m_bins(allocate<Bins>(exec, "tessera::gbees::credible", 2 * kDigits)),
        m_first(bin(64 - kDigitBits, 0)) {
    for (std::uint64_t d = 0; d < kDigits; ++d) m_total += m_first[d];
  }

  /// The smallest set of the most probable cells that holds `level` of the mass. Of cells as
  /// probable as the last all belong to it.
  CredibleSet find(double level) const {
    CredibleSet set;
    std::uint64_t held = 0, prefix = 0;
    const auto wanted = static_cast<std::uint64_t>(level * static_cast<double>(m_total));
    for (int shift = 64 - kDigitBits;; shift -= kDigitBits) {
      const std::vector<std::uint64_t> bins =
          shift == 64 - kDigitBits ? m_first : bin(shift, prefix);
      std::uint64_t digit = kDigits;
      do {
        --digit;
        held += bins[digit];
        set.cells += bins[kDigits + digit];
      } while (held < wanted && digit > 0);
      prefix = prefix << kDigitBits | digit;
      if (shift == 0) break;
      held -= bins[digit];
      set.cells -= bins[kDigits + digit];
    }
    std::memcpy(&set.threshold, &prefix, sizeof prefix);
    set.mass = static_cast<double>(held) / static_cast<double>(m_total);
    set.volume = static_cast<double>(set.cells);
    for (int i = 0; i < D; ++i) set.volume *= m_rows.cells.grid.spacing[i];
    return set;
  }

 private:
  using Bins = Kokkos::View<std::uint64_t*, ExecSpace>;

  /// Masses and then numbers of cells by digit, of all ranks.
  std::vector<std::uint64_t> bin(int shift, std::uint64_t prefix) const {
    fill(m_exec, m_bins, std::uint64_t(0));
    launch_for(m_exec, m_rows.cells.capacity,
               BinDigits<D, Real>{m_rows, shift, prefix, m_bins.data(), m_bins.data() + kDigits});
    std::vector<std::uint64_t> bins = download(m_exec, m_bins);
    m_ranks.sum(bins);
    return bins;
  }

  ExecSpace m_exec;
  parallel::Communicator m_ranks;
  RowsContext<D, Real> m_rows;
  Bins m_bins;
  std::vector<std::uint64_t> m_first;  // by the highest digit
  std::uint64_t m_total = 0;
};

}  // namespace detail

template <class ExecSpace, int D>
std::vector<CredibleSet> find_credible_sets(const DeviceCells<D>& cells,
                                            const std::vector<double>& levels,
                                            const parallel::Communicator& ranks) {
  std::vector<CredibleSet> sets;
  const auto find_as = [&](const auto& selection) {
    for (const double level : levels) sets.push_back(selection.find(level));
  };
  if (cells.is_single) {
    find_as(detail::CredibleSelection<ExecSpace, D, float>(ExecSpace(), cells, ranks));
  } else {
    find_as(detail::CredibleSelection<ExecSpace, D, double>(ExecSpace(), cells, ranks));
  }
  return sets;
}

}  // namespace tessera::gbees
