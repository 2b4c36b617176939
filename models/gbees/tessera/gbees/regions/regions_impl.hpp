// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tessera/core/app/signals.hpp"
#include "tessera/core/device/exact_sum.hpp"
#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/expression/loaded_program.hpp"
#include "tessera/gbees/regions/absorption_time.hpp"
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

/// The cells that an absorbing region may take mass from, and what is known of them.
struct AbsorberRows {
  /// In the place of a time: the region takes nothing there, all, or a share that is not known yet
  static constexpr float kOutside = -2, kWhole = -1, kUnknown = -3;
  static constexpr float kNever = std::numeric_limits<float>::infinity();
  float* time;         ///< of each row (AbsorptionTime)
  std::uint32_t* row;  ///< the list of those that are not outside
  ListedRows* listed;
  std::uint32_t capacity;

  KOKKOS_INLINE_FUNCTION void set(std::uint32_t c, float its_time) const {
    time[c] = its_time;
    if (its_time == kOutside) return;
    if (its_time == kWhole) {
      row[Kokkos::atomic_fetch_add(&listed->whole, std::uint32_t(1))] = c;
    } else {
      row[capacity - Kokkos::atomic_fetch_add(&listed->cut, std::uint32_t(1))] = c;
    }
  }

  KOKKOS_INLINE_FUNCTION std::uint32_t get(std::uint32_t i) const {
    return i < listed->whole ? row[i] : row[capacity - (i - listed->whole)];
  }
};

/// An absorbing region, and the motion that brings mass into it.
template <int D>
struct Absorber {
  static constexpr double kHalf = 0.5 - 1e-6;  ///< an edge through the middle takes the cell
  RegionFunction<D> region;
  expression::Functions<D + 1> velocity;  ///< of no function where it is not known
  Vector<D> noise;                        ///< that is the same everywhere
  int first_noise = 0;                    ///< RegionProgram::Motion::first_noise
  bool velocity_varies = false;

  /// Returns whether shares change with the time.
  KOKKOS_INLINE_FUNCTION bool varies() const { return region.varies || velocity_varies; }

  KOKKOS_INLINE_FUNCTION float classify(const Grid<D>& grid, const Vector<D>& centre,
                                        double t) const {
    const Side side = region.side_of_cell(grid, centre, t, region.varies ? 0 : 0.5);
    return side == Side::inside    ? AbsorberRows::kWhole
           : side == Side::outside ? AbsorberRows::kOutside
                                   : AbsorberRows::kUnknown;
  }

  KOKKOS_INLINE_FUNCTION double share(const Grid<D>& grid, const Vector<D>& centre,
                                      double t) const {
    LocalDensity<D> flat;
    flat.axes = region.axes;
    return CellPartFinder<D>(region, grid, centre, t, flat).find().inside;
  }

  /// The time of a cell that the edge may cut, and whether it does and the time is a rough one.
  struct Time {
    float time;
    bool is_cut, is_doubtful;
  };
  TESSERA_NOINLINE KOKKOS_FUNCTION Time find_time(const Grid<D>& grid, const Vector<D>& centre,
                                                  double t) const {
    if (region.varies || velocity.count < D)
      return {share(grid, centre, t) >= kHalf ? 0 : AbsorberRows::kNever, true, false};
    CellMotion<D> motion{{}, noise};
    const auto input = [&](int j) { return j < D ? centre[j] : t; };
    for (int i = 0; i < D; ++i) {
      motion.velocity[i] = velocity(i, input);
      if (first_noise > 0) motion.noise[i] = velocity(first_noise + i, input);
    }
    AbsorptionTime<D> time(region, grid, centre, t, motion);
    const float found = time.find();
    return {found, time.is_cut(), time.is_doubtful()};
  }
};

/// The findings on a region since the start.
struct RegionFound {
  std::uint32_t is_met = 0;  ///< whether any cell has a part of it
  /// Of an absorbing one: see RegionResolution
  std::uint64_t cut = 0, unresolved = 0;
};

/// Lists the rows that an absorbing region may take mass from.
template <int D, class Real>
struct ListRows {
  static constexpr const char* label = "tessera::gbees::list_absorbing_rows";
  using View = StepView<Real>;
  using Loop = LoopOverRows<Rows::added>;
  RowsContext<D, Real> s;
  const Absorber<D>* absorber;
  AbsorberRows rows;

  KOKKOS_INLINE_FUNCTION void operator()(const View&, std::uint32_t c) const {
    rows.set(c, absorber->classify(s.cells.grid, s.cells.centre(c), s.state().time));
  }
};

/// Lists rows that a prune has moved, with what was known of them.
template <int D, class Real>
struct FollowRows {
  static constexpr const char* label = "tessera::gbees::follow_absorbing_rows";
  using View = StepView<Real>;
  using Loop = LoopOverRows<Rows::all>;
  RowsContext<D, Real> s;
  ListRows<D, Real> list;
  const float* before;  ///< times of the rows before

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c) const {
    const std::uint32_t from = s.cells.kept[c - 1];
    if (from > s.progress->rows) return list(view, c);
    list.rows.set(c, before[from]);
  }
};

/// Takes the share of the mass of listed cells that an absorbing region absorbs in a step, and sums
/// it up in units of stored mass.
template <int D, class Real>
struct Absorb {
  static constexpr const char* label = "tessera::gbees::absorb";
  using View = StepView<Real>;
  using Loop = LoopOverRows<Rows::listed>;
  RowsContext<D, Real> s;
  const Absorber<D>* absorber;
  AbsorberRows rows;
  RegionFound* found;
  const EntryHistogram<D>* histogram;
  int histograms;
  std::uint64_t* bins;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t i, ExactSum& sum) const {
    const std::uint32_t c = rows.get(i);
    const double held = view.mass[c];
    if (!(held > 0)) return;
    const Vector<D> x = s.cells.centre(c);
    const auto left = static_cast<Real>(held * (1 - share(c, x)));
    const double taken = held - left;
    if (!(taken > 0)) return;
    view.mass[c] = left;
    sum.add(taken);
    for (int h = 0; h < histograms; ++h) {
      Kokkos::atomic_fetch_add(
          &bins[histogram[h].bin(x, s.state().time)],
          static_cast<std::uint64_t>(taken * view.scale * EntryHistogram<D>::kUnits + 0.5));
    }
  }

 private:
  /// The share of the cell in row c that is taken.
  KOKKOS_INLINE_FUNCTION double share(std::uint32_t c, const Vector<D>& x) const {
    float time = rows.time[c];
    if (time == AbsorberRows::kWhole) {
      note_met();
      return 1;
    }
    if (time == AbsorberRows::kUnknown || absorber->velocity_varies) {
      const auto its_own = absorber->find_time(s.cells.grid, x, s.state().time);
      time = rows.time[c] = its_own.time;
      note_cut(its_own);
    }
    const double dt = s.state().dt, passing = time == 0 ? 1 : dt / (dt + time);
    if (s.state().steps > 1 || absorber->region.varies) return passing;
    const double at_start = absorber->share(s.cells.grid, x, s.state().time);  // the first step
    return 1 - (1 - at_start) * (1 - passing);
  }

  KOKKOS_INLINE_FUNCTION void note_met() const {
    if (found->is_met == 0) Kokkos::atomic_fetch_or(&found->is_met, std::uint32_t(1));
  }

  KOKKOS_INLINE_FUNCTION void note_cut(const typename Absorber<D>::Time& time) const {
    const bool is_met = time.time < AbsorberRows::kNever;
    if (is_met) note_met();
    if (time.is_cut && (is_met || time.is_doubtful))
      Kokkos::atomic_fetch_add(&found->cut, std::uint64_t(1));
    if (time.is_doubtful) Kokkos::atomic_fetch_add(&found->unresolved, std::uint64_t(1));
  }
};

/// The density within a cell along some axes.
template <int D, class Real>
KOKKOS_INLINE_FUNCTION LocalDensity<D> density_within(const DeviceCells<D>& cells, const Real* mass,
                                                      std::uint32_t c, const int* axis, int axes) {
  LocalDensity<D> density;
  for (int a = 0; a < axes; ++a) {
    if (cells.links == nullptr) {
      density.add_axis(0, 0, 0);
    } else {
      density.add_axis(mass[c], mass[cells.neighbour(c, 2 * axis[a])],
                       mass[cells.neighbour(c, 2 * axis[a] + 1)]);
    }
  }
  return density;
}

/// Integrals of a density.
struct RegionSums {
  ExactSum inside;    ///< over a region
  ExactSum doubtful;  ///< over boxes that may be cut
  KOKKOS_INLINE_FUNCTION RegionSums& operator+=(const RegionSums& other) {
    inside += other.inside;
    doubtful += other.doubtful;
    return *this;
  }
};

/// Integrates the density within a region.
template <int D, class Real>
struct SumRegion {
  static constexpr const char* label = "tessera::gbees::sum_region";
  using View = StepView<Real>;
  using Loop = LoopOverRows<Rows::all>;
  RowsContext<D, Real> s;
  const RegionFunction<D>* region;

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c,
                                         RegionSums& sums) const {
    const double p = view.mass[c] * view.scale;
    if (!(p > 0)) return;
    const Vector<D> x = s.cells.centre(c);
    const Side side = region->side_of_cell(s.cells.grid, x, s.state().time);
    if (side == Side::outside) return;
    const LocalDensity<D> density =
        density_within(s.cells, view.mass, c, region->axis, region->axes);
    if (side == Side::inside) return sums.inside.add(p * density.whole());
    add_part(p, x, density, sums);
  }

 private:
  TESSERA_NOINLINE KOKKOS_FUNCTION void add_part(double p, const Vector<D>& x,
                                                 const LocalDensity<D>& density,
                                                 RegionSums& sums) const {
    const CellPart part =
        CellPartFinder<D>(*region, s.cells.grid, x, s.state().time, density).find();
    sums.inside.add(p * part.inside);
    sums.doubtful.add(p * part.doubtful());
  }
};

/// The mass on the grid, and the integral of the density over all cells along some axes.
struct WholeSums {
  ExactSum mass, integral;
  KOKKOS_INLINE_FUNCTION WholeSums& operator+=(const WholeSums& other) {
    mass += other.mass;
    integral += other.integral;
    return *this;
  }
};

template <int D, class Real>
struct SumWhole {
  static constexpr const char* label = "tessera::gbees::sum_whole";
  using View = StepView<Real>;
  using Loop = LoopOverRows<Rows::all>;
  RowsContext<D, Real> s;
  const RegionFunction<D>* region;  ///< whose axes are taken

  KOKKOS_INLINE_FUNCTION void operator()(const View& view, std::uint32_t c, WholeSums& sums) const {
    const double p = view.mass[c] * view.scale;
    if (!(p > 0)) return;
    sums.mass.add(p);
    sums.integral.add(p *
                      density_within(s.cells, view.mass, c, region->axis, region->axes).whole());
  }
};

/// Notes which rows have been looked at.
struct CountRows {
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
      : m_ranks(ranks), m_count(programs.size()), m_doubt(programs.size(), 0.0) {
    std::vector<Absorber<D>> absorbers;
    std::vector<std::uint8_t> absorbs;
    std::uint32_t bins = 0;
    for (const RegionProgram& program : programs) {
      m_absorbs.push_back(program.absorbs);
      absorbs.push_back(program.absorbs ? 1 : 0);
      m_list.push_back(program.absorbs ? m_lists++ : std::size_t(0));
      absorbers.push_back(make_absorber(program));
      m_axes.push_back(program.inside.depends);
      m_varies = m_varies || (program.absorbs && program.inside.depends.at(D));
      std::vector<EntryHistogram<D>> histograms;
      for (const RegionProgram::Histogram& h : program.histograms) {
        histograms.push_back({load(h.of), h.low, h.high, h.bins, bins});
        bins += h.bins + 2;
      }
      m_histograms.push_back(histograms);
      m_histogram_functions.push_back(
          upload(m_exec, "tessera::gbees::region_histograms", histograms));
    }
    m_absorbers = upload(m_exec, "tessera::gbees::regions", absorbers);
    m_listed = allocate_zeros<Array<ListedRows*>>(m_exec, "tessera::gbees::region_listed", m_lists);
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
    for (std::size_t r = 0; r < m_count; ++r) {
      const bool is_met = numbers[3 * r] > 0 || m_met[r];
      result.push_back({is_met, m_doubt[r], numbers[3 * r + 1], numbers[3 * r + 2]});
    }
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

  std::vector<double> absorbed() const override { return download(m_exec, m_account); }

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

  Absorber<D> make_absorber(const RegionProgram& program) {
    Absorber<D> absorber;
    absorber.region = make_region_function<D>(program.inside, load(program.inside.program));
    if (program.absorbs && program.motion.velocity.count() >= D)
      absorber.velocity = load(program.motion.velocity);
    absorber.velocity_varies = program.motion.varies;
    absorber.first_noise = program.motion.first_noise;
    for (std::size_t i = 0; i < D; ++i)
      absorber.noise[static_cast<int>(i)] =
          program.motion.noise.empty() ? 0 : program.motion.noise.at(i);
    return absorber;
  }

  const Absorber<D>* absorber(std::size_t region) const { return m_absorbers.data() + region; }
  const RegionFunction<D>* function(std::size_t region) const { return &absorber(region)->region; }

  /// The rows of an absorbing region, with times in the one or the other of two arrays.
  AbsorberRows rows(std::size_t region) const {
    const std::size_t list = m_list[region], first = list * (std::size_t(m_capacity) + 1);
    return {m_time.data() + first, m_rows.data() + first, m_listed.data() + list, m_capacity};
  }

  void forget_rows() {
    store(m_exec, "tessera::gbees::clear_region_rows", &m_progress.data()->rows, std::uint32_t(0));
    fill(m_exec, m_listed, ListedRows());
  }

  /// Lists the rows that are new.
  template <class Real>
  void list_rows(const DeviceCells<D>& cells) {
    if (cells.capacity != m_capacity) {
      const std::size_t room = m_lists * (std::size_t(cells.capacity) + 1);
      for (auto* times : {&m_time, &m_spare_time}) {
        *times = {};
        *times = allocate<Array<float*>>(m_exec, "tessera::gbees::absorption_times", room);
      }
      m_rows = {};
      m_rows = allocate<Array<std::uint32_t*>>(m_exec, "tessera::gbees::region_rows", room);
      m_capacity = cells.capacity;
      m_generation = ~cells.generation;
    }
    if (cells.generation != m_generation || m_varies) forget_rows();
    m_generation = cells.generation;
    const RowsContext<D, Real> s{cells, m_progress.data()};
    for (std::size_t r = 0; r < m_count; ++r) {
      if (m_absorbs[r])
        launch_for(m_exec, cells.capacity, ListRows<D, Real>{s, absorber(r), rows(r)});
    }
    count_rows(cells);
  }

  /// Notes that all rows have been looked at.
  void count_rows(const DeviceCells<D>& cells) {
    Kokkos::parallel_for("tessera::gbees::count_rows", Kokkos::RangePolicy<ExecSpace>(m_exec, 0, 1),
                         CountRows{cells.state, m_progress.data()});
  }

  template <class Real>
  void follow_as(const DeviceCells<D>& cells) {
    const bool is_known = cells.kept != nullptr && cells.capacity == m_capacity &&
                          cells.generation == m_generation + 1;
    if (!is_known || m_varies) return;  // all rows will be listed again
    std::swap(m_time, m_spare_time);
    fill(m_exec, m_listed, ListedRows());
    const RowsContext<D, Real> s{cells, m_progress.data()};
    for (std::size_t r = 0; r < m_count; ++r) {
      if (!m_absorbs[r]) continue;
      const float* const before = m_spare_time.data() + m_list[r] * (std::size_t(m_capacity) + 1);
      launch_for(m_exec, cells.capacity, FollowRows<D, Real>{s, {s, absorber(r), rows(r)}, before});
    }
    count_rows(cells);
    m_generation = cells.generation;
  }

  template <class Real>
  void absorb_as(const DeviceCells<D>& cells) {
    list_rows<Real>(cells);
    for (std::size_t r = 0; r < m_count; ++r) {
      if (!m_absorbs[r]) continue;
      const RowsContext<D, Real> listed{cells, m_progress.data(), m_listed.data() + m_list[r]};
      const Absorb<D, Real> take{listed,
                                 absorber(r),
                                 rows(r),
                                 m_found.data() + r,
                                 m_histogram_functions[r].data(),
                                 static_cast<int>(m_histograms[r].size()),
                                 m_bins.data()};
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

  /// A sum over all cells of all ranks.
  template <class Sums, class Body>
  Sums sum_over_cells(const DeviceCells<D>& cells, const Body& body) const {
    const auto result = allocate<Kokkos::View<Sums, Memory>>(m_exec, "tessera::gbees::region_sums");
    launch_reduce(m_exec, cells.capacity, body, compat::Sum<Sums, Memory>(result));
    Sums sums;
    copy_to_host(m_exec, &sums, result.data(), 1);
    return m_ranks.sum(sums);
  }

  template <class Real>
  std::vector<double> probability_as(const DeviceCells<D>& cells) {
    const RowsContext<D, Real> s{cells, m_progress.data()};
    std::vector<double> result = absorbed();
    std::map<std::vector<bool>, double> scale;  // of integrals along some axes
    for (std::size_t r = 0; r < m_count; ++r) {
      if (m_absorbs[r]) continue;
      const auto [known, is_new] = scale.try_emplace(m_axes[r], 0.0);
      if (is_new) {
        const auto whole = sum_over_cells<WholeSums>(cells, SumWhole<D, Real>{s, function(r)});
        known->second = whole.mass.value() > 0 ? whole.mass.value() / whole.integral.value() : 0;
      }
      const auto sums = sum_over_cells<RegionSums>(
          cells, until_signal<ExecSpace>(SumRegion<D, Real>{s, function(r)}));
      stop_at_signal();
      const double inside = sums.inside.value(), doubtful = sums.doubtful.value();
      result[r] = known->second * inside;
      m_met[r] = m_met[r] || inside > 0 || doubtful > 0;
      if (doubtful > 0) m_doubt[r] = std::max(m_doubt[r], doubtful / inside);
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
  std::vector<double> m_doubt;  // of each region, like the next ones
  std::vector<bool> m_met = std::vector<bool>(m_count, false);
  std::vector<bool> m_absorbs;
  std::vector<std::vector<bool>> m_axes;  // that it depends on, and the time
  std::vector<std::size_t> m_list;        // the number of its list of rows, if it absorbs
  std::size_t m_lists = 0;
  bool m_varies = false;  // some absorbing region, in time
  std::vector<expression::LoadedProgram<ExecSpace>> m_programs;
  std::vector<std::vector<EntryHistogram<D>>> m_histograms;
  std::vector<Kokkos::View<EntryHistogram<D>*, ExecSpace>> m_histogram_functions;
  Kokkos::View<Absorber<D>*, ExecSpace> m_absorbers;
  Kokkos::View<std::uint8_t*, ExecSpace> m_absorbs_device;
  Array<std::uint64_t*> m_bins;           // what has been entered here since the last look
  std::vector<std::uint64_t> m_all_bins;  // and before that on all ranks
  Array<ExactSum*> m_taken;
  Array<double*> m_account;  // of each region since the last reset
  Array<double*> m_history;
  Array<RegionProgress> m_progress;
  Kokkos::View<RegionFound*, ExecSpace> m_found;
  Array<std::uint32_t*> m_rows;  // the lists one after the other
  Array<ListedRows*> m_listed;   // their lengths
  Array<float*> m_time, m_spare_time;
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
