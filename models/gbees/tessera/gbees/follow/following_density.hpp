// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iomanip>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/expression/linearization.hpp"
#include "tessera/core/parallel/communicator.hpp"
#include "tessera/gbees/dynamics/maneuver.hpp"
#include "tessera/gbees/dynamics/step_bounds.hpp"
#include "tessera/gbees/follow/bayes_update.hpp"
#include "tessera/gbees/follow/cell_moments.hpp"
#include "tessera/gbees/follow/convolution.hpp"
#include "tessera/gbees/follow/deposit_parts.hpp"
#include "tessera/gbees/follow/displaced_cells.hpp"
#include "tessera/gbees/follow/flow.hpp"
#include "tessera/gbees/follow/follow_state.hpp"
#include "tessera/gbees/follow/transfer.hpp"
#include "tessera/gbees/grid/density.hpp"

namespace tessera::gbees {

/// The settings of a grid that follows the flow.
template <int D>
struct FollowOptions {
  Grid<D> grid{};           ///< of the frame's coordinates y, in which the density is about 0 and 1
  double threshold = 1e-7;  ///< PropagatorOptions::threshold
  double cfl = 1;           ///< PropagatorOptions::cfl
  std::uint64_t prune_every = 16;  ///< PropagatorOptions::prune_every: when frames are looked at
  FlowNoise noise;                 ///< white noise that drives the variables
  double end = 0;                  ///< of the run
  std::vector<double> stops;       ///< times at which dynamics jump or measurements come, ascending
  std::vector<double> landmarks;   ///< times to look at how fast dynamics change, ascending
  /// The widest cells of x for a grid that stays, where no frame fits the density any more; they
  /// are narrower where the density is. Empty: there the grid follows all the same
  std::vector<double> spacing_of_state;
  parallel::Communicator ranks = {};
};

/// A density on a grid that follows the flow (Flow): cells lie in the coordinates y of a moving
/// frame x = m(t) + A(t) y, and move only by what no linear map can do. Linear systems make no
/// steps at all.
///
/// The frame is laid again, by the density's mean and covariance, where these have left those of a
/// unit Gaussian in y, and where a measurement has. Noise broadens the density in y, by half of
/// what it does over a flow at either end. In both cases the cells get the values of the density's
/// log-quadratic (LogQuadratic), times the factor that keeps the mass.
///
/// A density that has become much thinner than its cells somewhere, such as one that is folded, or
/// that has mass far out in y, is not what one frame fits (place().misfit). The grid then stops
/// following until the next measurement, if the options say what it is like then.
///
/// It is a Density of y: grids, summaries and cells are those of y, and frame() tells x. The state
/// of observations is x. Keys lie in a window that does not move.
template <int D, class Word = std::uint64_t>
class FollowingDensity final : public Density<D, Word> {
 public:
  using List = CellListOf<Word>;
  /// Makes a density that dynamics of y carry, on the grid of the options.
  /// `noise`: along the axes of the grid, or empty.
  using Make = std::function<std::unique_ptr<Density<D, Word>>(const EquationProgram&,
                                                               const std::vector<double>& noise)>;

  /// `frame`: at time 0, in which the density begins. Throws as Flow does.
  FollowingDensity(Make make, EquationText text, Frame frame, FollowOptions<D> options)
      : m_make(std::move(make)),
        m_text(std::move(text)),
        m_of_state(compile(m_text)),
        m_options(std::move(options)) {
    m_now = following(FollowState(), std::move(frame), 0, 0);
    m_density = m_make(*m_now.program, {});
  }

  /// The frame at the density's time.
  Frame frame() const {
    return m_now.place.stays ? m_now.place.frame : m_now.flow->at(state().time);
  }

  const FollowState& place() const { return m_now.place; }

  /// How long cells are along the variables: of those of a grid that stays, its spacing.
  std::vector<double> size_of_cells() const {
    Frame of_cells = frame();
    for (std::vector<double>& row : of_cells.axes) {
      for (std::size_t j = 0; j < D; ++j) row[j] *= grid().spacing[static_cast<int>(j)];
    }
    return unit_deviations(of_cells);
  }

  /// Goes on from a place (a restart); restore() comes next.
  void go_to(const FollowState& place) {
    m_now = place.stays ? staying(place, place.frame)
                        : following(place, place.frame, place.begin, place.stop);
    m_density = m_make(*m_now.program, noise_of_steps(m_now.place));
  }

  void initialize(const Gaussian<D>& density, double extent = 3) override {
    m_density->initialize(density, extent);
  }
  void initialize(const Mixture<D>& density, double extent = 3) override {
    m_density->initialize(density, extent);
  }
  using Density<D, Word>::initialize;
  void initialize(const List& cells, double total) override { m_density->initialize(cells, total); }
  void restore(const List& cells, const StepperState& state,
               const Vector<D>& offset = {}) override {
    m_density->restore(cells, state, offset);
  }

  void begin_interval(double length, double longest_step = StepperState::kUnlimited) override {
    m_now.place.end = state().time + length;
    m_now.place.longest_step = longest_step;
    m_now.place.phase = Phase::begin_leg;
  }

  void set_time(double time) override { m_density->set_time(time); }

  /// Each call does one thing, wholly or, where a signal comes, not at all.
  bool advance() override {
    switch (m_now.place.phase) {
      case Phase::begin_leg:
        begin_leg();
        return true;
      case Phase::bound_steps:
        bound_steps();
        return true;
      case Phase::move:
        move();
        return true;
      case Phase::fit:
        fit_frame();
        return true;
      case Phase::end_leg:
        break;
    }
    if (!m_now.place.stays && m_now.flow->end() <= state().time + rounding(m_now.place.end))
      end_flow();
    m_now.place.phase = Phase::begin_leg;
    return state().time < m_now.place.end - rounding(m_now.place.end);
  }

  using Density<D, Word>::observe;
  void observe(const std::vector<Observation>& observations,
               std::vector<MeasurementUpdate>& updates) override {
    std::vector<MeasurementUpdate> found;
    if (std::optional<FramedCells<D, Word>> posterior = in_one_frame(observations, found)) {
      StepperState after = state();
      after.mass = 1;
      after.lost_mass = 0;
      after.segment_steps = 0;
      FollowState place = m_now.place;
      place.change = 0;
      lay(place, std::move(posterior->frame), posterior->cells, after);
      updates.insert(updates.end(), found.begin(), found.end());
      return;
    }
    if (!m_now.place.stays) stop_following(noted_misfit(m_now.place), all_cells(), frame());
    std::vector<Observation> of_y = observations;
    for (Observation& observation : of_y)
      observation.h = along_axes(observation.h, m_now.place.frame);
    m_density->observe(of_y, updates);
    for (MeasurementUpdate& update : updates) {
      if (!update.covariance.empty())
        update.covariance = linalg::congruence(m_now.place.frame.axes, update.covariance);
    }
  }

  /// Lets a maneuver change the state: exactly where it is a shift. Its error broadens the density
  /// as noise does. Signals leave all as it was.
  void displace(const Maneuver& maneuver) {
    const Frame now = frame();
    const Frame next = displaced(now, maneuver);
    FollowState place = m_now.place;
    place.phase = Phase::begin_leg;
    List cells = all_cells();
    if (!maneuver.is_shift()) cells = displaced(cells, now, maneuver, next, place);
    if (!maneuver.has_error()) {
      if (place.stays) return put(staying(std::move(place), next), cells, state());
      return lay(place, next, cells, state());
    }
    const linalg::Matrix error = maneuver.covariance_at(next.centre.data());
    if (!place.stays) return broaden(std::move(place), next, std::move(cells), error);
    require_inverse(next);
    cells = broadened(cells, next.covariance_along_axes(error), next, place);
    put(staying(std::move(place), next), cells, state());
  }

  Summary<D> summarize() const override { return m_density->summarize(); }
  std::vector<std::vector<double>> marginals(const Summary<D>& range) const override {
    return m_density->marginals(range);
  }
  std::vector<double> joint_marginal(const std::vector<int>& axes,
                                     const Summary<D>& range) const override {
    return m_density->joint_marginal(axes, range);
  }
  List cells(double cut) const override { return m_density->cells(cut); }
  List own_cells(double cut) const override { return m_density->own_cells(cut); }
  List raw_cells() const override { return m_density->raw_cells(); }
  DeviceCells<D> device_cells() const override { return m_density->device_cells(); }
  DeviceCells<D> cells_with_neighbours() override { return m_density->cells_with_neighbours(); }
  void after_each_step(std::function<void()> launch) override { refuse(launch); }
  void after_each_prune(std::function<void()> launch) override { refuse(launch); }
  const StepperState& state() const override { return m_density->state(); }
  const Grid<D>& grid() const override { return m_density->grid(); }
  std::vector<StepRecord> take_history() override {
    keep_history();
    return std::exchange(m_history, {});
  }
  std::uint64_t memory() const override { return m_density->memory(); }

 private:
  using Phase = FollowState::Phase;

  /// The most by which carrying a density over may change it in all, as FollowState::change has it.
  static constexpr double kMostChange = 0.05;
  static constexpr double kMostOfFlow = 0.01;  ///< by the noise of a flow

  /// How the grid lies and moves.
  struct Setting {
    FollowState place;
    std::unique_ptr<Flow> flow;  ///< of a grid that follows
    std::unique_ptr<const EquationProgram> program;
    std::unique_ptr<const StepBounds> bounds;
  };

  static void refuse(const std::function<void()>& launch) {
    if (launch)
      throw Error(ErrorKind::input, "a grid that follows the flow takes nothing out of its cells",
                  "set grid.follow: none");
  }

  static void require_inverse(const Frame& frame) {
    if (frame.is_degenerate()) {
      throw Error(
          ErrorKind::numerical,
          "the density has become so flat that no frame fits it: its covariance is singular "
          "to rounding",
          "set grid.follow: none, or give the variables a little noise (model.noise)");
    }
  }

  /// Whether the grid may stay where no frame fits the density.
  bool may_stay() const { return !m_options.spacing_of_state.empty(); }

  /// The density updated by observations, in a frame laid for it; nothing where no frame fits it,
  /// or a likelihood has edges, and the grid may stay.
  std::optional<FramedCells<D, Word>> in_one_frame(const std::vector<Observation>& observations,
                                                   std::vector<MeasurementUpdate>& updates) const {
    if (may_stay() && std::any_of(observations.begin(), observations.end(), has_edges))
      return std::nullopt;
    try {
      FramedCells<D, Word> density{frame(), all_cells()};
      require_inverse(density.frame);
      normalise(density.cells);
      for (const Observation& observation : observations) {
        updates.emplace_back();
        BayesUpdate<D, Word> update(observation, state().time, m_options.grid, m_options.threshold);
        density = update(density, updates.back());
      }
      const auto same = [](const Vector<D>& y) { return y; };
      if (!may_stay() || is_resolved(between_cells(density.cells), same)) return density;
    } catch (const NoFrame& none) {
      if (!may_stay())
        throw Error(ErrorKind::numerical, none.why, "set grid.follow: auto, or none");
    }
    return std::nullopt;
  }

  static bool has_edges(const Observation& observation) {
    expression::Graph graph;
    std::vector<expression::NodeId> inputs;
    for (int i = 0; i <= D; ++i) inputs.push_back(graph.input(i));
    return !expression::find_kink(graph, expression::add_functions(graph, observation.h, inputs), D)
                .empty();
  }

  /// A place from which on no frame fits the density.
  FollowState noted_misfit(FollowState place) const {
    if (place.misfit < 0) place.misfit = state().time;
    return place;
  }

  bool has_noise() const { return m_options.noise.is_any(); }

  /// The next time at which a flow has to stop; `time` itself where there is none.
  double stop_behind(double time) const {
    for (const double stop : m_options.stops) {
      if (stop > time + rounding(time)) return stop;
    }
    return time;
  }

  static double rounding(double time) { return 1e-12 * std::fabs(time); }

  /// The setting of a grid that follows the flow from a frame at `time` until `stop`, or as far as
  /// a flow goes; in all else it is that of `place`.
  Setting following(FollowState place, Frame frame, double time, double stop) const {
    place.frame = frame;
    place.begin = time;
    place.stop = stop;
    place.stays = false;
    const std::vector<BoundedPiece> pieces = pieces_of_flow(frame, time, stop);
    auto flow =
        std::make_unique<Flow>(m_text, std::move(frame), m_options.noise, time, stop, pieces);
    EquationProgram program = flow->compile();
    return setting(std::move(place), std::move(flow), std::move(program));
  }

  /// How long a step of the flow's integration may be, so that none goes over a change of the
  /// dynamics in time: by so much that they move a standard deviation.
  std::vector<BoundedPiece> pieces_of_flow(const Frame& frame, double time, double stop) const {
    if (!m_of_state.time_varying || !(stop > time)) return {};
    const std::vector<double> deviation = unit_deviations(frame);
    constexpr double kChange = 4;  // of a step, as a cfl number: half a deviation
    const StepBounds bounds(m_of_state, deviation, kChange);
    return bounds.pieces(time, stop, (stop - time) / m_options.end, frame.centre, deviation,
                         m_options.landmarks);
  }

  /// The setting of a grid that stays in a frame.
  Setting staying(FollowState place, Frame frame) const {
    EquationProgram program = compile(m_text, frame);
    place.stays = true;
    place.frame = std::move(frame);
    return setting(std::move(place), nullptr, std::move(program));
  }

  Setting setting(FollowState place, std::unique_ptr<Flow> flow, EquationProgram program) const {
    Setting made;
    made.place = std::move(place);
    made.flow = std::move(flow);
    made.program = std::make_unique<const EquationProgram>(std::move(program));
    made.bounds = std::make_unique<const StepBounds>(
        *made.program,
        std::vector<double>(&m_options.grid.spacing[0], &m_options.grid.spacing[0] + D),
        m_options.cfl);
    return made;
  }

  /// The noise along the axes of a grid that stays, which the steps of the density make.
  std::vector<double> noise_of_steps(const FollowState& place) const {
    if (!place.stays || !has_noise()) return {};
    std::vector<double> along;
    const linalg::Matrix noise = place.frame.covariance_along_axes(m_options.noise.density());
    for (std::size_t i = 0; i < D; ++i) along.push_back(noise[i][i]);
    return along;
  }

  /// The covariance that noise brings until a time, less half of what it brings over the whole
  /// flow.
  linalg::Matrix noise_due(double time) const {
    linalg::Matrix noise = m_now.flow->noise_until(time);
    add_to(noise, m_now.flow->noise_until(m_now.flow->end()), -0.5);
    return noise;
  }

  List all_cells() const {
    const List own = m_density->own_cells(0);
    return List::sorted(m_options.ranks.all_gather(own.key),
                        m_options.ranks.all_gather(own.probability));
  }

  /// The density between its cells, broadened by a covariance in y.
  LogQuadratic<D, Word> between_cells(const List& cells, const linalg::Matrix& noise = {}) const {
    return {cells, m_density->grid(), LogQuadratic<D, Word>::kReliable * m_options.threshold,
            noise};
  }

  static void scale(List& cells, double factor) {
    for (double& p : cells.probability) p *= factor;
  }

  /// Carries the density of cells, broadened by a covariance, over to another frame, gives it the
  /// mass that it had, and notes in `place` how much it has changed. Nothing may be left of it
  /// where the grid may stay.
  List carried(const List& cells, const linalg::Matrix& noise, const Frame& from, const Frame& to,
               FollowState& place) const {
    return carried(between_cells(cells, noise), cells, noise, from, to, place);
  }

  /// `density`: that of the cells, broadened.
  List carried(const LogQuadratic<D, Word>& density, const List& cells, const linalg::Matrix& noise,
               const Frame& from, const Frame& to, FollowState& place) const {
    List after =
        transfer<D, Word>(density, between<D>(to, from), between<D>(from, to), m_options.grid,
                          std::log(m_options.threshold), [](const Vector<D>&) { return 0.0; });
    const double before = sum_of_masses(cells), now = sum_of_masses(after);
    if (!(now > 0)) {
      if (!may_stay())
        throw Error(ErrorKind::numerical,
                    "no cell of the density reaches the threshold in a frame laid anew",
                    "lower grid.threshold");
      place.change = 1;
      return after;
    }
    scale(after, before / now);
    note_transfer(now / before, expected_moments(cells, noise, after),
                  mapped(between<D>(to, from), CellMoments<D>(after, m_options.grid)), place);
    return after;
  }

  /// Notes how much carrying a density over has changed it: its mass by a factor, and its moments.
  static void note_transfer(double factor, const CellMoments<D>& expected,
                            const CellMoments<D>& found, FollowState& place) {
    ++place.transfers;
    place.change += std::max(std::fabs(factor - 1), moment_error(expected, found));
  }

  /// The moments of the cells of a broadened density, by those before it. Both lists lack what lies
  /// below the threshold.
  CellMoments<D> expected_moments(const List& before, const linalg::Matrix& noise,
                                  const List& after) const {
    CellMoments<D> expected(before, m_options.grid);
    if (noise.empty()) return expected;
    linalg::Matrix covariance;
    add_to(covariance, expected.covariance, 1 / share_of_variance<D>(before, m_options.threshold));
    add_to(covariance, noise);
    expected.covariance.clear();
    add_to(expected.covariance, covariance, share_of_variance<D>(after, m_options.threshold));
    return expected;
  }

  /// Puts cells in another setting in the place of the density.
  void put(Setting next, const List& cells, StepperState state) {
    state.scale = 1;
    state.parity = 0;
    state.max_cells = std::max<std::uint64_t>(state.max_cells, cells.key.size());
    auto density = m_make(*next.program, noise_of_steps(next.place));
    density->restore(cells, state);
    keep_history();
    m_now = std::move(next);
    m_density = std::move(density);
  }

  /// Lays the grid in a frame, at the time of `state`.
  void lay(const FollowState& place, Frame frame, const List& cells, const StepperState& state) {
    const double time = state.time;
    put(following(place, std::move(frame), time, time), cells, state);
  }

  /// The frame behind a maneuver, which takes a density of it to 0 and 1 again to first order.
  Frame displaced(const Frame& now, const Maneuver& maneuver) const {
    Frame next = now;
    next.centre = maneuver.after(now.centre.data());
    if (maneuver.is_shift()) return next;
    linalg::Matrix axes = now.axes;
    for (std::size_t j = 0; j < D; ++j) {
      std::vector<double> above = now.centre, below = now.centre;
      for (std::size_t i = 0; i < D; ++i) {
        above[i] += now.axes[i][j];
        below[i] -= now.axes[i][j];
      }
      above = maneuver.after(above.data());
      below = maneuver.after(below.data());
      for (std::size_t i = 0; i < D; ++i) axes[i][j] = 0.5 * (above[i] - below[i]);
    }
    return Frame::of_axes(next.centre, std::move(axes));
  }

  /// Carries the density of cells over a maneuver that is no shift, by the exact change of
  /// variables, and notes in `place` how much it has changed by that.
  List displaced(const List& cells, const Frame& from, const Maneuver& maneuver, const Frame& to,
                 FollowState& place) const {
    require_inverse(from);
    require_inverse(to);
    const auto image = [](const Frame& here, const Vector<D>& y, const Frame& there,
                          const auto& change) {
      Vector<D> image;
      try {
        const std::vector<double> z = there.coordinates(change(here.position(&y[0]).data()).data());
        std::copy(z.begin(), z.end(), &image[0]);
      } catch (const Error&) {  // there are no such coordinates
        for (int i = 0; i < D; ++i) image[i] = std::numeric_limits<double>::quiet_NaN();
      }
      return image;
    };
    const auto to_new = [&](const Vector<D>& y) {
      return image(from, y, to, [&](const double* x) { return maneuver.after(x); });
    };
    const auto to_old = [&](const Vector<D>& y) {
      return image(to, y, from, [&](const double* x) { return maneuver.before(x); });
    };
    const auto log_factor = [&](const Vector<D>& after, const Vector<D>& before) {
      return -maneuver.log_volume(from.position(&before[0]).data(), to.position(&after[0]).data());
    };
    const LogQuadratic<D, Word> density = between_cells(cells);
    if (!is_smooth(density))
      throw Error(ErrorKind::numerical,
                  "the density is too sharp for its cells to be carried over a maneuver in these "
                  "coordinates",
                  "use a smaller grid.spacing");
    List after = transfer<D, Word>(density, to_old, to.log_volume() - from.log_volume(), to_new,
                                   m_options.grid, std::log(m_options.threshold), log_factor);
    const double before = sum_of_masses(cells), now = sum_of_masses(after);
    if (!(now > 0))
      throw Error(ErrorKind::numerical, "no state is left behind a maneuver in these coordinates",
                  "take other coordinates (model.coordinates)");
    scale(after, before / now);
    note_transfer(now / before, moments_of_images(cells, to_new),
                  CellMoments<D>(after, m_options.grid), place);
    return after;
  }

  /// The moments of cells at the images of their centres, where they have any.
  template <class Map>
  CellMoments<D> moments_of_images(const List& cells, const Map& map) const {
    std::vector<Vector<D>> images;
    for (const Word key : cells.key) images.push_back(map(m_options.grid.centre(key)));
    return CellMoments<D>(
        cells.probability.size(), [&](std::size_t c) { return images[c]; },
        [&](std::size_t c) { return images[c][0] == images[c][0] ? cells.probability[c] : 0; });
  }

  /// Broadens a density that stays by a covariance along the axes of its frame.
  List broadened(const List& cells, const linalg::Matrix& covariance, const Frame& frame,
                 FollowState& place) const {
    std::vector<double> variances;
    for (std::size_t i = 0; i < D; ++i) variances.push_back(covariance[i][i]);
    const bool is_diagonal = is_nearly_diagonal(covariance);
    return is_diagonal
               ? broadened_cells<D, Word>(cells, m_options.grid, variances, m_options.threshold)
               : carried(cells, covariance, frame, frame, place);
  }

  /// Broadens a density of cells of a frame by a covariance of the state, along one direction after
  /// the other, and lays the frame for it.
  void broaden(FollowState place, Frame now, List cells, const linalg::Matrix& covariance) {
    constexpr double kNothing = 1e-12;  // of the density's variance
    const linalg::Matrix root = linalg::semidefinite_root(covariance);
    for (std::size_t k = 0; k < D; ++k) {
      require_inverse(now);
      Vector<D> direction{};
      double square = 0;
      for (std::size_t a = 0; a < D; ++a) {
        double along = 0;
        for (std::size_t i = 0; i < D; ++i) along += now.inverse_at(a, i) * root[i][k];
        direction[static_cast<int>(a)] = along;
        square += along * along;
      }
      if (square > kNothing) cells = broadened(cells, direction, now, place);
    }
    const auto same = [](const Vector<D>& y) { return y; };
    if (!is_resolved(between_cells(cells), same) || place.change > kMostChange) {
      place = noted_misfit(std::move(place));
      if (may_stay()) return stop_following(std::move(place), cells, now);
    }
    lay(place, std::move(now), cells, state());
  }

  /// Broadens a density of cells of a frame by an error along a direction in it, in the frame that
  /// fits what comes of it, which `frame` becomes.
  List broadened(const List& cells, const Vector<D>& direction, Frame& frame,
                 FollowState& place) const {
    const LogQuadratic<D, Word> density = between_cells(cells);
    const CellMoments<D> moments(cells, m_options.grid);
    linalg::Matrix error(D, std::vector<double>(D, 0.0)), covariance = moments.covariance;
    for (std::size_t i = 0; i < D; ++i) {
      for (std::size_t j = 0; j < D; ++j)
        error[i][j] = direction[static_cast<int>(i)] * direction[static_cast<int>(j)];
    }
    add_to(covariance, error);
    Frame next = frame_of_moments<D>(frame, moments.mean, covariance);
    const AffineMap<D> to_old = between<D>(next, frame), to_new = between<D>(frame, next);
    List after = BroadenedDensity<D, Word>(density, direction)
                     .on_grid(to_old, to_new, m_options.grid, std::log(m_options.threshold));
    const double before = sum_of_masses(cells), mass = sum_of_masses(after);
    if (!(mass > 0))
      throw Error(ErrorKind::numerical,
                  "no cell of the density reaches the threshold behind the error of a maneuver",
                  "lower grid.threshold");
    scale(after, before / mass);
    note_transfer(mass / before, expected_moments(cells, error, after),
                  mapped(to_old, CellMoments<D>(after, m_options.grid)), place);
    frame = std::move(next);
    return after;
  }

  /// Lays the frame for the density as it will be when it is broadened by a covariance in y.
  void lay_again(FollowState place, const Summary<D>& summary, const linalg::Matrix& noise) {
    linalg::Matrix covariance = covariance_of(summary);
    add_to(covariance, noise);
    const Frame now = frame();
    require_inverse(now);
    const List before = all_cells();
    Frame next = frame_of_moments<D>(now, summary.mean, covariance);
    const LogQuadratic<D, Word> density = between_cells(before, noise);
    const bool resolves = is_resolved(density, between<D>(now, next));
    List cells;
    if (resolves || !may_stay()) cells = carried(density, before, noise, now, next, place);
    if (!resolves || place.change > kMostChange) {
      place = noted_misfit(std::move(place));
      if (may_stay()) {
        cells = noise.empty() ? before : carried(before, noise, now, now, place);
        return stop_following(std::move(place), cells.key.empty() ? before : cells, now);
      }
    }
    lay(place, std::move(next), cells, state());
  }

  /// Whether the cells of a density are not much wider than what it varies over, and not far out in
  /// the frame of its moments.
  template <class ToNext>
  static bool is_resolved(const LogQuadratic<D, Word>& density, const ToNext& to_next) {
    constexpr double kFar = 6, kMostFar = 5e-3;
    const List& cells = density.cells();
    double mass = 0, far = 0;
    for (std::uint32_t c = 0; c < cells.key.size(); ++c) {
      const Vector<D> z = to_next(density.grid().centre(cells.key[c]));
      double square = 0;
      for (int i = 0; i < D; ++i) square = std::max(square, z[i] * z[i]);
      mass += cells.probability[c];
      if (square > kFar * kFar) far += cells.probability[c];
    }
    return far < kMostFar * mass && is_smooth(density);
  }

  /// Turns the axes of a grid that stays, each as long as a unit of its variable, to those along
  /// which the noise is independent, if it is correlated: only such noise do steps make.
  void turn_to_noise(linalg::Matrix& axes) const {
    linalg::Matrix noise = m_options.noise.density();
    bool is_correlated = false;
    for (std::size_t i = 0; i < noise.size(); ++i) {
      for (std::size_t j = 0; j < D; ++j) {
        is_correlated = is_correlated || (i != j && noise[i][j] != 0);
        noise[i][j] /= axes[i][i] * axes[j][j];
      }
    }
    if (is_correlated) axes = linalg::product(axes, linalg::eigen_decomposition(noise).vectors);
  }

  /// Throws Error (numerical) where a grid that stays would have more cells than anything holds.
  static void require_few(double cells) {
    constexpr double kMost = 4e9;
    if (!(cells > kMost)) return;
    std::ostringstream what;
    what << std::setprecision(2) << "no frame fits the density, and a grid that stays would need "
         << cells << " cells for it";
    throw Error(
        ErrorKind::numerical, what.str(),
        "use a smaller grid.spacing, so that a frame fits for longer, or grid.follow: flow, "
        "which never stays");
  }

  /// Puts the density of cells of a frame on a grid that stays, along the variables where noise
  /// allows it.
  void stop_following(FollowState place, const List& cells, const Frame& from) {
    const CellMoments<D> moments =
        mapped(to_state<D>(from), CellMoments<D>(cells, m_density->grid()));
    linalg::Matrix axes(D, std::vector<double>(D, 0.0));
    for (std::size_t i = 0; i < D; ++i) {
      axes[i][i] =
          std::min(m_options.spacing_of_state[i] / m_options.grid.spacing[static_cast<int>(i)],
                   std::sqrt(moments.covariance[i][i]));
    }
    turn_to_noise(axes);
    const Frame to = Frame::of_axes(std::vector<double>(&moments.mean[0], &moments.mean[0] + D),
                                    std::move(axes));
    require_few(static_cast<double>(cells.key.size()) *
                std::exp(from.log_volume() - to.log_volume()));
    List laid = deposit_parts<D, Word>(between_cells(cells), between<D>(from, to), m_options.grid);
    scale(laid, state().mass / sum_of_masses(laid));
    put(staying(std::move(place), to), laid, state());
  }

  /// Ends a flow: with the second half of its noise, and in a frame for what comes.
  void end_flow() {
    FollowState place = m_now.place;
    place.phase = Phase::begin_leg;
    const Summary<D> summary = m_density->summarize();
    if (m_now.flow->is_flat()) return end_flat(noted_misfit(std::move(place)));
    if (has_noise()) return lay_again(std::move(place), summary, noise_due(m_now.flow->end()));
    if (!fits_frame<D>(summary.mean, covariance_of(summary)))
      return lay_again(std::move(place), summary, {});
    lay(place, frame(), all_cells(), state());
  }

  /// Ends a flow whose frame has become too flat for the rounding of the dynamics.
  void end_flat(FollowState place) {
    if (!may_stay()) {
      std::ostringstream what;
      what << "at t = " << state().time
           << " the density is so flat that the dynamics cannot be told apart across it";
      throw Error(ErrorKind::numerical, what.str(),
                  "set grid.follow: auto, which goes on with a grid that stays, or end the run "
                  "before");
    }
    stop_following(std::move(place), all_cells(), frame());
  }

  /// Makes some steps.
  void move() {
    FollowState& place = m_now.place;
    if (place.pieces.empty()) {  // nothing moves in y
      m_density->set_time(place.leg_end);
      m_density->begin_interval(0);  // tells the device the time
      place.phase = Phase::end_leg;
    } else if (m_density->advance()) {
      // at prunes alone, since a call makes more steps or fewer by the clock
      const bool is_at_prune = state().segment_steps % m_options.prune_every == 0;
      place.phase = !place.stays && is_at_prune ? Phase::fit : Phase::move;
    } else {
      m_density->set_time(place.pieces.front().end);
      place.pieces.erase(place.pieces.begin());
      if (place.pieces.empty()) {
        place.phase = Phase::end_leg;
      } else {
        begin_piece();
      }
    }
  }

  /// Lays the frame again where it does not fit the density. Of a flow with noise that can be done
  /// when half of the noise is over.
  void fit_frame() {
    const Summary<D> summary = m_density->summarize();
    linalg::Matrix noise;
    bool fits = fits_frame<D>(summary.mean, covariance_of(summary));
    if (!fits && has_noise()) {
      noise = noise_due(state().time);
      fits = !(linalg::eigen_decomposition(noise).values.front() >= 0);
    }
    if (fits) {
      m_now.place.phase = Phase::move;
      return;
    }
    FollowState place = m_now.place;
    place.phase = Phase::begin_leg;
    lay_again(std::move(place), summary, noise);
  }

  /// Begins the part of the interval that a flow covers, which ends with the interval.
  void begin_leg() {
    const double now = state().time, end = m_now.place.end, stop = stop_behind(now);
    FollowState place = m_now.place;
    place.phase = Phase::bound_steps;
    if (!(end > now + rounding(now)) || place.stays) {
      m_now.place.phase = place.phase;
    } else if (has_noise()) {
      begin_noisy_flow(place, stop > now ? std::min(stop, end) : end);
    } else if (m_now.flow->end() <= now + rounding(now)) {
      put(following(place, frame(), now, stop > now ? std::min(stop, end) : end), all_cells(),
          state());
    } else {
      m_now.place.phase = place.phase;
    }
  }

  /// Finds how long steps may be.
  void bound_steps() {
    const double now = state().time, end = m_now.place.end, stop = stop_behind(now);
    const double farthest = !m_now.place.stays ? m_now.flow->end() : stop > now ? stop : end;
    const double leg_end = farthest >= end - rounding(end) ? end : farthest;
    std::vector<BoundedPiece> pieces;
    if (leg_end > now && (m_now.place.stays || !m_now.flow->is_linear())) {
      const Summary<D> summary = m_density->summarize();
      std::vector<double> mean(&summary.mean[0], &summary.mean[0] + D), deviation;
      for (int i = 0; i < D; ++i) deviation.push_back(std::sqrt(summary.covariance[i][i]));
      std::vector<double> looks = m_options.landmarks;
      if (m_now.flow) {
        const std::vector<double> times = m_now.flow->times();
        looks.insert(looks.end(), times.begin(), times.end());
        std::sort(looks.begin(), looks.end());
      }
      constexpr double kShare = 0.05;  // looks at other times: a hundred
      pieces = m_now.bounds->pieces(now, leg_end, kShare, mean, deviation, looks);
    }
    m_now.place.leg_end = leg_end;
    m_now.place.pieces = std::move(pieces);
    m_now.place.phase = Phase::move;
    if (!m_now.place.pieces.empty()) begin_piece();
  }

  /// Begins a flow with the first half of the noise that it brings.
  void begin_noisy_flow(const FollowState& place, double stop) {
    const List cells = all_cells();
    Setting next = following(place, frame(), state().time, stop);
    require_inverse(next.place.frame);
    linalg::Matrix half;
    add_to(half, next.flow->noise_until(next.flow->end()), 0.5);
    const Frame at = next.place.frame;
    FollowState twice = next.place;
    const List broadened = carried(cells, half, at, at, twice);
    next.place.change = twice.change;
    // as it will be at the end, but for the flow
    if (!broadened.key.empty()) carried(broadened, half, at, at, twice);
    if (twice.change - place.change > kMostOfFlow || twice.change > kMostChange) {
      next.place = noted_misfit(std::move(next.place));
      if (may_stay()) return stop_following(next.place, cells, at);
    }
    put(std::move(next), broadened, state());
  }

  void begin_piece() {
    const BoundedPiece& piece = m_now.place.pieces.front();
    m_density->begin_interval(piece.end - state().time,
                              std::min(m_now.place.longest_step, piece.longest_step));
  }

  void keep_history() {
    std::vector<StepRecord> steps = m_density->take_history();
    m_history.insert(m_history.end(), steps.begin(), steps.end());
  }

  Make m_make;
  EquationText m_text;
  EquationProgram m_of_state;  // the dynamics of x
  FollowOptions<D> m_options;
  Setting m_now;
  std::unique_ptr<Density<D, Word>> m_density;
  std::vector<StepRecord> m_history;
};

}  // namespace tessera::gbees
