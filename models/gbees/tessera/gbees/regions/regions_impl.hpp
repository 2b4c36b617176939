// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tessera/core/device/exact_sum.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/expression/loaded_program.hpp"
#include "tessera/gbees/regions/region_function.hpp"
#include "tessera/gbees/regions/regions.hpp"
#include "tessera/gbees/regions/rows_context.hpp"

/// The kernels of regions, and what owns their memory.

namespace tessera::gbees {
namespace detail {

/// A histogram as kernels see it: its bins are `bins` + 2 from `begin` on.
template <int D>
struct EntryHistogram {
  /// Units of a bin in a probability of 1: as doubles, which hold so many, bins go to restart files
  /// and back
  static constexpr double kUnits = 0x1p52;
  expression::Functions<D + 1> of;
  double low = 0, high = 1;
  std::uint32_t bins = 1, begin = 0;

  KOKKOS_INLINE_FUNCTION std::uint32_t bin(const Vector<D>& x, double t) const {
    const double value = of(0, [&](int j) { return j < D ? x[j] : t; });
    if (value >= high) return begin + bins + 1;
    if (!(value >= low)) return begin;
    const auto number = static_cast<std::uint32_t>((value - low) / (high - low) * bins);
    return begin + 1 + compat::min(number, bins - 1);
  }
};

/// The rows of which more than half lies in an absorbing region: of each such region `capacity` + 1
/// places, in any order.
struct AbsorbingRows {
  const int* list;  ///< of each region: the number of its list, or -1
  std::uint32_t* row;
  std::uint32_t* count;  ///< of each list

  KOKKOS_INLINE_FUNCTION void add(int region, std::uint32_t capacity, std::uint32_t c) const {
    if (list[region] < 0) return;
    const std::uint32_t place = Kokkos::atomic_fetch_add(&count[list[region]], std::uint32_t(1));
    row[static_cast<std::size_t>(list[region]) * (std::size_t(capacity) + 1) + place] = c;
  }
};

/// The findings on a region since the start.
struct RegionFound {
  std::uint32_t is_met = 0;  ///< whether any cell has a share of it
  /// Cells that its edge cuts, and those of them beside which it is narrower than the cells
  std::uint64_t cut = 0, unresolved = 0;
};

/// Finds the shares of rows.
template <int D, class Real>
struct FindShares {
  static constexpr const char* label = "tessera::gbees::region_shares";
  using View = StepView<Real>;
  using Loop = LoopOverRows<Rows::added>;
  RowsContext<D, Real> s;
  const RegionFunction<D>* region;
  int count;
  std::uint16_t* share;  ///< [count, capacity + 1]
  AbsorbingRows absorbing;
  RegionFound* found;
  int scattered;  ///< points of a cell that the edge does not seem to cut

  KOKKOS_INLINE_FUNCTION void operator()(const View&, std::uint32_t c) const {
    for (int r = 0; r < count; ++r) {
      const std::uint16_t inside =
          region[r].share(s.cells.grid, s.cells.centre(c), s.state().time, scattered);
      if (inside > 0) note(r, c, inside);
      share[static_cast<std::size_t>(r) * (std::size_t(s.cells.capacity) + 1) + c] = inside;
      if (inside > RegionFunction<D>::kWhole / 2) absorbing.add(r, s.cells.capacity, c);
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION void note(int r, std::uint32_t c, std::uint16_t inside) const {
    if (found[r].is_met == 0) Kokkos::atomic_fetch_or(&found[r].is_met, std::uint32_t(1));
    if (inside == RegionFunction<D>::kWhole) return;
    Kokkos::atomic_fetch_add(&found[r].cut, std::uint64_t(1));
    if (!region[r].is_wide_beside(s.cells.grid, s.cells.centre(c), s.state().time))
      Kokkos::atomic_fetch_add(&found[r].unresolved, std::uint64_t(1));
  }
};

/// Takes the shares of rows to where a prune has moved them.
template <int D, class Real>
struct FollowShares {
  static constexpr const char* label = "tessera::gbees::follow_shares";
  using View = StepView<Real>;
  using Loop = LoopOverRows<Rows::all>;
  RowsContext<D, Real> s;
  FindShares<D, Real> find;
  const std::uint16_t* before;  ///< [count, capacity + 1]

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c) const {
    const DeviceCells<D>& cells = s.cells;
    const std::uint32_t from = cells.kept[c - 1];
    if (from > s.progress->rows) return find(view, c);
    for (int r = 0; r < find.count; ++r) {
      const std::size_t first = static_cast<std::size_t>(r) * (std::size_t(cells.capacity) + 1);
      const std::uint16_t inside = before[first + from];
      find.share[first + c] = inside;
      if (inside > RegionFunction<D>::kWhole / 2) find.absorbing.add(r, cells.capacity, c);
    }
  }
};

/// Takes the mass of the cells of which more than half lies in an absorbing region, and sums it up
/// in units of stored mass. (A share of each cell at each step would take all that passes through
/// it.)
template <int D, class Real>
struct Absorb {
  static constexpr const char* label = "tessera::gbees::absorb";
  using View = StepView<Real>;
  using Loop = LoopOverRows<Rows::listed>;
  RowsContext<D, Real> s;
  const std::uint32_t* row;
  const EntryHistogram<D>* histogram;
  int histograms;
  std::uint64_t* bins;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t i, ExactSum& sum) const {
    const std::uint32_t c = row[i];
    const double taken = view.mass[c];
    if (!(taken > 0)) return;
    view.mass[c] = 0;
    sum.add(taken);
    const Vector<D> x = s.cells.centre(c);
    for (int h = 0; h < histograms; ++h) {
      Kokkos::atomic_fetch_add(
          &bins[histogram[h].bin(x, s.state().time)],
          static_cast<std::uint64_t>(taken * view.scale * EntryHistogram<D>::kUnits + 0.5));
    }
  }
};

/// Sums the probability within a region.
template <int D, class Real>
struct SumRegion {
  static constexpr const char* label = "tessera::gbees::sum_region";
  using View = StepView<Real>;
  using Loop = LoopOverRows<Rows::all>;
  RowsContext<D, Real> s;
  const std::uint16_t* share;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c, ExactSum& sum) const {
    if (share[c] > 0)
      sum.add(view.mass[c] * view.scale *
              (share[c] / static_cast<double>(RegionFunction<D>::kWhole)));
  }
};

/// Notes which rows have shares.
struct CountShares {
  const StepperState* state;
  RegionProgress* progress;
  KOKKOS_INLINE_FUNCTION void operator()(int) const { progress->rows = state->cells; }
};

/// Enters what a step has brought into the accounts, the history and the state.
struct EnterAbsorbed {
  StepperState* state;
  StepRecord* steps;  ///< history of the density
  RegionProgress* progress;
  ExactSum* taken;
  double* account;
  double* history;  ///< [kMost, count]
  int count;
  const std::uint8_t* absorbs;

  KOKKOS_INLINE_FUNCTION void operator()(int) const {
    if (progress->steps == state->steps || state->batch_steps == 0) return;
    progress->steps = state->steps;
    const std::uint32_t last = state->batch_steps - 1;
    for (int r = 0; r < count; ++r) {
      if (absorbs[r] != 0) {
        const double amount = taken[r].value() * state->scale;
        account[r] += amount;
        state->mass -= amount;
      }
      history[last * static_cast<std::uint32_t>(count) + static_cast<std::uint32_t>(r)] =
          account[r];
    }
    steps[last].mass = state->mass;
  }
};

template <class ExecSpace, int D>
class DeviceRegions final : public Regions<D> {
 public:
  DeviceRegions(const std::vector<RegionProgram>& programs, const parallel::Communicator& ranks)
      : m_ranks(ranks), m_count(programs.size()) {
    std::vector<RegionFunction<D>> functions;
    std::vector<std::uint8_t> absorbs;
    std::uint32_t bins = 0;
    for (const RegionProgram& program : programs) {
      m_absorbs.push_back(program.absorbs);
      absorbs.push_back(program.absorbs ? 1 : 0);
      m_list.push_back(program.absorbs ? m_lists++ : -1);
      m_varies = m_varies || program.inside.depends.at(D);
      functions.push_back(make_region_function<D>(program.inside, load(program.inside.program)));
      std::vector<EntryHistogram<D>> histograms;
      for (const RegionProgram::Histogram& h : program.histograms) {
        histograms.push_back({load(h.of), h.low, h.high, h.bins, bins});
        bins += h.bins + 2;
      }
      m_histograms.push_back(histograms);
      m_histogram_functions.push_back(
          upload(m_exec, "tessera::gbees::region_histograms", histograms));
    }
    m_functions = upload(m_exec, "tessera::gbees::regions", functions);
    m_list_device = upload(m_exec, "tessera::gbees::region_lists", m_list);
    m_listed = allocate_zeros<Array<std::uint32_t*>>(m_exec, "tessera::gbees::region_listed",
                                                     static_cast<std::size_t>(m_lists));
    m_absorbs_device = upload(m_exec, "tessera::gbees::region_absorbs", absorbs);
    m_bins = allocate_zeros<Array<std::uint64_t*>>(m_exec, "tessera::gbees::region_bins", bins);
    m_all_bins.resize(bins, 0);
    m_taken = allocate_zeros<Array<ExactSum*>>(m_exec, "tessera::gbees::region_taken", m_count);
    m_account = allocate_zeros<Array<double*>>(m_exec, "tessera::gbees::region_account", m_count);
    m_history = allocate_zeros<Array<double*>>(m_exec, "tessera::gbees::region_history",
                                               kMostSteps * m_count);
    m_progress = allocate_zeros<Array<RegionProgress>>(m_exec, "tessera::gbees::region_progress");
    m_found = upload(m_exec, "tessera::gbees::region_found", std::vector<RegionFound>(m_count));
  }

  std::vector<RegionResolution> resolution() const override {
    std::vector<std::uint64_t> numbers;
    for (const RegionFound& found : download(m_exec, m_found)) {
      for (const std::uint64_t number : {std::uint64_t(found.is_met), found.cut, found.unresolved})
        numbers.push_back(number);
    }
    m_ranks.sum(numbers);
    std::vector<RegionResolution> result;
    for (std::size_t r = 0; r < m_count; ++r)
      result.push_back({numbers[3 * r] > 0, numbers[3 * r + 1], numbers[3 * r + 2]});
    return result;
  }

  void absorb(const DeviceCells<D>& cells) override {
    cells.is_single ? absorb_as<float>(cells) : absorb_as<double>(cells);
  }

  void follow(const DeviceCells<D>& cells) override {
    cells.is_single ? follow_as<float>(cells) : follow_as<double>(cells);
  }

  std::vector<double> probability(const DeviceCells<D>& cells) override {
    return cells.is_single ? probability_as<float>(cells) : probability_as<double>(cells);
  }

  std::vector<double> take_history(std::size_t steps) override {
    if (steps > kMostSteps) throw Error(ErrorKind::internal, "regions remember at most 512 steps");
    std::vector<double> history(steps * m_count);
    copy_to_host(m_exec, history.data(), m_history.data(), history.size());
    std::vector<std::uint64_t> entered = download(m_exec, m_bins);
    m_ranks.sum(entered);
    for (std::size_t b = 0; b < entered.size(); ++b) m_all_bins[b] += entered[b];
    fill(m_exec, m_bins, std::uint64_t(0));
    return history;
  }

  std::vector<std::vector<double>> histograms(std::size_t region) const override {
    std::vector<std::vector<double>> result;
    for (const EntryHistogram<D>& histogram : m_histograms[region]) {
      result.emplace_back();
      for (std::uint32_t b = 0; b < histogram.bins + 2; ++b) {
        result.back().push_back(static_cast<double>(m_all_bins[histogram.begin + b]) /
                                EntryHistogram<D>::kUnits);
      }
    }
    return result;
  }

  void reset() override {
    fill(m_exec, m_account, 0.0);
    fill(m_exec, m_bins, std::uint64_t(0));
    std::fill(m_all_bins.begin(), m_all_bins.end(), std::uint64_t(0));
  }

  void restore(const std::vector<double>& absorbed,
               const std::vector<std::vector<double>>& histograms) override {
    std::vector<std::uint64_t> units;
    for (const std::vector<double>& histogram : histograms) {
      for (const double probability : histogram)
        units.push_back(static_cast<std::uint64_t>(probability * EntryHistogram<D>::kUnits));
    }
    if (absorbed.size() != m_count || units.size() != m_bins.extent(0))
      throw Error(ErrorKind::internal, "regions of another run");
    upload_to(m_exec, absorbed, m_account);
    m_all_bins = units;
  }

 private:
  using Memory = typename ExecSpace::memory_space;
  using Device = Kokkos::Device<ExecSpace, Memory>;
  template <class T>
  using Array = Kokkos::View<T, Device>;
  static constexpr std::size_t kMostSteps = 512;

  expression::Functions<D + 1> load(const expression::Program& program) {
    m_programs.emplace_back(m_exec, "tessera::gbees::region_code", program);
    return m_programs.back().template functions<D + 1>(program);
  }

  /// Finds the shares of all rows.
  template <class Real>
  RowsContext<D, Real> find_shares(const DeviceCells<D>& cells, int scattered = 0) {
    if (cells.capacity != m_capacity) {
      for (auto* shares : {&m_share, &m_spare_share}) {
        *shares = {};
        *shares = allocate<Array<std::uint16_t*>>(m_exec, "tessera::gbees::region_share",
                                                  m_count * (std::size_t(cells.capacity) + 1));
      }
      m_rows = {};
      m_rows = allocate<Array<std::uint32_t*>>(
          m_exec, "tessera::gbees::region_rows",
          static_cast<std::size_t>(m_lists) * (std::size_t(cells.capacity) + 1));
      m_capacity = cells.capacity;
      m_generation = ~cells.generation;
    }
    if (cells.generation != m_generation || m_varies) {
      store(m_exec, "tessera::gbees::clear_region_rows", &m_progress.data()->rows,
            std::uint32_t(0));
      fill(m_exec, m_listed, std::uint32_t(0));
      m_generation = cells.generation;
    }
    const RowsContext<D, Real> s{cells, m_progress.data()};
    launch_for(m_exec, cells.capacity, find(s, scattered));
    count_shares(cells);
    return s;
  }

  template <class Real>
  FindShares<D, Real> find(const RowsContext<D, Real>& s, int scattered = 0) const {
    return {s,
            m_functions.data(),
            static_cast<int>(m_count),
            m_share.data(),
            {m_list_device.data(), m_rows.data(), m_listed.data()},
            m_found.data(),
            scattered};
  }

  /// Returns how many points of a cell to look at for a region that is smaller: as many as a record
  /// has time for. Absorbing regions, which look at cells at each step, have none.
  int count_scattered(const DeviceCells<D>& cells) const {
    if (m_lists > 0) return 0;
    StepperState state;
    copy_to_host(m_exec, &state, cells.state, 1);
    const std::uint64_t all = state.cells + state.elsewhere;
    return static_cast<int>(
        std::clamp<std::uint64_t>((std::uint64_t(1) << 23) / (all + 1), 32, 4096));
  }

  /// Notes that all rows have shares now.
  void count_shares(const DeviceCells<D>& cells) {
    Kokkos::parallel_for("tessera::gbees::count_shares",
                         Kokkos::RangePolicy<ExecSpace>(m_exec, 0, 1),
                         CountShares{cells.state, m_progress.data()});
  }

  template <class Real>
  void follow_as(const DeviceCells<D>& cells) {
    const bool is_known = cells.kept != nullptr && cells.capacity == m_capacity &&
                          cells.generation == m_generation + 1;
    if (!is_known || m_varies) return;  // all shares will be found again
    std::swap(m_share, m_spare_share);
    fill(m_exec, m_listed, std::uint32_t(0));
    const RowsContext<D, Real> s{cells, m_progress.data()};
    launch_for(m_exec, cells.capacity, FollowShares<D, Real>{s, find(s), m_spare_share.data()});
    count_shares(cells);
    m_generation = cells.generation;
  }

  const std::uint16_t* share(std::size_t region) const {
    return m_share.data() + region * (std::size_t(m_capacity) + 1);
  }

  template <class Real>
  void absorb_as(const DeviceCells<D>& cells) {
    find_shares<Real>(cells);
    for (std::size_t r = 0; r < m_count; ++r) {
      if (!m_absorbs[r]) continue;
      const auto list = static_cast<std::size_t>(m_list[r]);
      const RowsContext<D, Real> listed{cells, m_progress.data(), m_listed.data() + list};
      const Absorb<D, Real> take{listed, m_rows.data() + list * (std::size_t(m_capacity) + 1),
                                 m_histogram_functions[r].data(),
                                 static_cast<int>(m_histograms[r].size()), m_bins.data()};
      launch_reduce(
          m_exec, cells.capacity, take,
          compat::Sum<ExactSum, Memory>(Kokkos::View<ExactSum, Memory>(m_taken.data() + r)));
    }
    sum_over_ranks(m_taken);
    Kokkos::parallel_for("tessera::gbees::enter_absorbed",
                         Kokkos::RangePolicy<ExecSpace>(m_exec, 0, 1),
                         EnterAbsorbed{cells.state, cells.history, m_progress.data(),
                                       m_taken.data(), m_account.data(), m_history.data(),
                                       static_cast<int>(m_count), m_absorbs_device.data()});
  }

  template <class Real>
  std::vector<double> probability_as(const DeviceCells<D>& cells) {
    const RowsContext<D, Real> s = find_shares<Real>(cells, count_scattered(cells));
    const auto sums =
        allocate_zeros<Array<ExactSum*>>(m_exec, "tessera::gbees::region_sums", m_count);
    for (std::size_t r = 0; r < m_count; ++r) {
      if (m_absorbs[r]) continue;
      launch_reduce(m_exec, cells.capacity, SumRegion<D, Real>{s, share(r)},
                    compat::Sum<ExactSum, Memory>(Kokkos::View<ExactSum, Memory>(sums.data() + r)));
    }
    sum_over_ranks(sums);
    const std::vector<ExactSum> found = download(m_exec, sums);
    std::vector<double> result = download(m_exec, m_account);
    for (std::size_t r = 0; r < m_count; ++r) {
      if (!m_absorbs[r]) result[r] = found[r].value();
    }
    return result;
  }

  /// Sums what each region has over the ranks.
  void sum_over_ranks(const Array<ExactSum*>& sums) const {
    if (m_ranks.size() == 1) return;
    const std::vector<ExactSum> of_all = m_ranks.all_gather(download(m_exec, sums));
    std::vector<ExactSum> total(m_count);
    for (std::size_t k = 0; k < of_all.size(); ++k) total[k % m_count] += of_all[k];
    upload_to(m_exec, total, sums);
  }

  ExecSpace m_exec;
  parallel::Communicator m_ranks;
  std::size_t m_count;
  std::vector<bool> m_absorbs;
  std::vector<int> m_list;  // of each region: the number of its list of rows, or -1
  int m_lists = 0;
  bool m_varies = false;  // some region, in time
  std::vector<expression::LoadedProgram<ExecSpace>> m_programs;
  std::vector<std::vector<EntryHistogram<D>>> m_histograms;
  std::vector<Kokkos::View<EntryHistogram<D>*, ExecSpace>> m_histogram_functions;
  Kokkos::View<RegionFunction<D>*, ExecSpace> m_functions;
  Kokkos::View<std::uint8_t*, ExecSpace> m_absorbs_device;
  Array<std::uint64_t*> m_bins;           // what has been entered here since the last look
  std::vector<std::uint64_t> m_all_bins;  // and before that on all ranks
  Array<ExactSum*> m_taken;
  Array<double*> m_account;  // of each region since the last reset
  Array<double*> m_history;
  Array<RegionProgress> m_progress;
  Kokkos::View<RegionFound*, ExecSpace> m_found;
  Kokkos::View<int*, ExecSpace> m_list_device;
  Array<std::uint32_t*> m_rows, m_listed;  // the lists one after the other, and their lengths
  Array<std::uint16_t*> m_share, m_spare_share;
  std::uint32_t m_capacity = 0;
  std::uint64_t m_generation = 0;
};

}  // namespace detail

template <class ExecSpace, int D>
std::unique_ptr<Regions<D>> make_regions(const std::vector<RegionProgram>& programs,
                                         const parallel::Communicator& ranks) {
  return std::make_unique<detail::DeviceRegions<ExecSpace, D>>(programs, ranks);
}

}  // namespace tessera::gbees
