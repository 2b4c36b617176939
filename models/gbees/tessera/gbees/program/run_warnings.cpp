// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/program/run_warnings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/symmetric.hpp"
#include "tessera/core/log/log.hpp"

namespace tessera::gbees {

namespace {

constexpr double kSpread = 0.05;              // of a standard deviation
constexpr double kMuchMore = 8;               // than what was told, to tell it again
constexpr double kRound = 0.12;               // of a period: a density goes round
constexpr double kLoss = 0.01, kLarge = 0.1;  // of the probability
constexpr double kOutlier = 5;                // standard deviations
// cells, of the standard deviation of a likelihood, and of any density
constexpr double kSharp = 1.01, kNarrow = 0.6;
constexpr double kHeld = 0.42;         // cells, of a density that a grid can hold at least
constexpr double kIntegrated = 0.745;  // cells, of a likelihood that is sharp (CellLikelihood)
constexpr double kSome = 0.01, kMost = 0.5;   // of the density, within cells
constexpr double kTold = 1e-3;                // fault of an evidence
constexpr double kShift = 0.25;               // of a mean, in standard deviations
constexpr double kShort = 1e-4, kMany = 3e5;  // of the longest step; steps that are left
constexpr int kShortSteps = 50;               // one after the other
// Bhattacharyya coefficient with particles, beside the one expected
constexpr double kOverlap = 0.9;

/// Returns a number as text, with as many digits as a message needs.
std::string digits(double value, int count = 3) {
  std::ostringstream text;
  text.precision(count);
  text << value;
  return text.str();
}

/// An observation as the beginning of a message.
std::string name_of(double time, const Observation& observation) {
  const std::string what =
      observation.has_values() ? "the measurement at t = " : "the likelihood at t = ";
  return what + digits(time, 6) + " (" + observation.description + ") ";
}

/// The mean of the root of a Poisson number of that mean.
double mean_root(double mean) {
  if (mean > 30) return std::sqrt(mean) * (1 - 1 / (8 * mean));
  double sum = 0, share = std::exp(-mean);
  for (int k = 1; k < 100; ++k) {
    share *= mean / k;
    sum += share * std::sqrt(k);
  }
  return sum;
}

}  // namespace

double expected_overlap(const CellList& density, double particles,
                        const parallel::Communicator& ranks) {
  double total = 0, sum = 0;
  for (const double probability : density.probability) total += probability;
  total = ranks.sum(total);
  for (const double probability : density.probability) {
    const double share = probability / total;
    sum += std::sqrt(share / particles) * mean_root(share * particles);
  }
  return ranks.sum(sum);
}

void RunWarnings::compare_start(const std::vector<double>& covariance) const {
  const std::size_t dimension = m_parameters.dynamics.variables.size();
  std::size_t worst = 0;
  double ratio = 1;
  for (std::size_t i = 0; i < dimension; ++i) {
    const double asked_variance = m_parameters.initial.covariance[i][i];
    const double here = std::sqrt(covariance[i * dimension + i] / asked_variance);
    const std::vector<Circle>& circles = m_parameters.dynamics.circles;
    if (!circles.empty() && std::sqrt(asked_variance) > kRound * circles[i].period &&
        !circles[i].is_line())
      continue;  // it is not that of the sum over all turns
    if (std::fabs(std::log(here)) <= std::fabs(std::log(ratio))) continue;
    ratio = here;
    worst = i;
  }
  if (std::fabs(ratio - 1) <= kSpread) return;
  const double asked = std::sqrt(m_parameters.initial.covariance[worst][worst]);
  const bool too_coarse =
      ratio > 1 || (!m_parameters.frame.is_turned() && m_parameters.spacing[worst] > 1.5 * asked);
  const char* remedy =
      too_coarse ? "the cells are too large for it: lower grid.spacing"
      : m_parameters.propagator.scheme == Scheme::reference
          ? "the box of initial cells cuts it off: raise initial.extent"
          : "what lies in cells below the threshold is left out: lower grid.threshold";
  logging::warning("the initial density has a standard deviation of " + digits(ratio * asked) +
                   " in " + m_parameters.dynamics.variables[worst] + ", where " + digits(asked) +
                   " is asked for; " + remedy);
}

void RunWarnings::watch_loss(double time, double lost_mass) {
  if (m_parameters.propagator.scheme == Scheme::reference || !(lost_mass > m_next_loss)) return;
  const std::string share = digits(100 * lost_mass, 2) + " % of the probability ";
  logging::warning(
      time == 0
          ? share +
                "lies in initial cells below the threshold and is left out; lower grid.threshold"
          : share + "has left the grid by t = " + digits(time) +
                "; lower grid.threshold to keep more of the tails");
  forgive_loss(lost_mass);
}

void RunWarnings::take_measurement(double time, const Observation& observation,
                                   const MeasurementUpdate& update,
                                   const std::vector<double>& spacing) {
  m_next_loss = kLoss;
  look_within_cells(time, observation, update, spacing);
  if (!(update.deviation > kOutlier)) return;
  logging::warning(name_of(time, observation) + "lies " + digits(update.deviation) +
                   " standard deviations from what the density predicts; check its value and "
                   "variance, and whether noise is missing in the model");
}

/// Ends a run whose density is too narrow for the cells to hold, and warns of one that is within
/// them.
void RunWarnings::look_within_cells(double time, const Observation& observation,
                                    const MeasurementUpdate& update,
                                    const std::vector<double>& spacing) const {
  if (!(update.within_cells > kSome)) return;
  const std::string evidence = "its evidence, whose logarithm is " + digits(update.log_evidence, 6);
  const Narrowness narrow = find_narrowness(update.covariance, spacing);
  if (narrow.cells < kHeld) {
    const std::string place = observation.place.empty() ? "" : observation.place + ": ";
    const double size = spacing[narrow.axis];
    throw Error(
        ErrorKind::numerical,
        place + name_of(time, observation) + "is so sharp that the density after it " +
            (narrow.is_between ? "has a standard deviation of " + digits(narrow.cells) +
                                     " cells in a direction between the axes"
                               : "has a standard deviation of " + digits(narrow.cells * size) +
                                     " along " + axis_name(narrow.axis) +
                                     ", where the cells have a size of " + digits(size)) +
            ": cells of a fixed grid cannot hold that" +
            (m_leads_beyond || update.doubt > kSpread ? "" : " (" + evidence + ", is right)"),
        (narrow.is_between ? "lower grid.spacing to " + digits(narrow.cells, 2) + " of what it is"
                           : "set grid.spacing along " + axis_name(narrow.axis) + " to " +
                                 digits(narrow.cells * size) + " or less") +
            (observation.has_values() ? ", or give the measurement a larger variance" : ""));
  }
  if (update.doubt > kSpread) {
    logging::warning(name_of(time, observation) + "changes so much within the cells that " +
                     evidence + ", is not known to 5 %: lower grid.spacing");
  } else if (update.within_cells > kMost) {
    logging::warning(name_of(time, observation) + "changes much within the cells that hold " +
                     digits(100 * update.within_cells) + " % of the density after it: " + evidence +
                     ", is right, but what follows takes each of these cells as evenly filled; "
                     "lower grid.spacing to tell what lies within them");
  }
}

void RunWarnings::watch_step(double time, double dt) {
  m_longest_dt = std::max(m_longest_dt, dt);
  const double left = (m_parameters.end - time) / dt;
  m_short_steps = dt < kShort * m_longest_dt && left > kMany ? m_short_steps + 1 : 0;
  if (m_short_steps != kShortSteps) return;
  logging::warning(
      "at t = " + digits(time, 6) + " the steps have shrunk from " + digits(m_longest_dt) + " to " +
      digits(dt) + ": at this pace " + digits(left, 2) +
      " more of them lead to time.end, and if the velocities go on growing it is never reached; "
      "end the run before, or have a region absorb what gets there (regions: absorb)");
}

void RunWarnings::watch_fixed_step(double time, double dt, double end) {
  constexpr double kRounding = 1e-9;
  const bool is_bounded = dt < (1 - kRounding) * m_parameters.longest_step;
  const bool leads_to_end = std::fabs(time - end) <= kRounding * std::fabs(end);
  if (!m_parameters.propagator.grows_all_ways || m_told_fixed_step || !is_bounded || leads_to_end)
    return;
  m_told_fixed_step = true;
  logging::warning("at t = " + digits(time, 6) + " the flow crosses a cell in less than the step " +
                   digits(m_parameters.longest_step) +
                   " of the legacy scheme, which would be unstable: steps are " + digits(dt) +
                   " there; lower time.longest_step to that or less");
}

std::string RunWarnings::axis_name(std::size_t axis) const {
  return m_parameters.frame.is_turned() ? "axis " + std::to_string(axis + 1) + " of the turned grid"
                                        : m_parameters.dynamics.variables[axis];
}

void RunWarnings::look_at_measurements(double time, const std::vector<Observation>& observations,
                                       const Sharpness& sharpness, const std::vector<double>& low,
                                       const std::vector<double>& high) {
  m_leads_beyond = false;
  if (!sharpness.is_known) return;
  std::string names;
  for (const Observation& observation : observations) {
    if (observation.has_values()) names += (names.empty() ? "" : "; ") + observation.description;
  }
  const std::string what = "the measurement at t = " + digits(time, 6) + " (" + names + ") ";
  // What is sharper is integrated over the cells (look_within_cells).
  if (sharpness.likelihood < kSharp && sharpness.likelihood >= kIntegrated) {
    const std::string spacing = digits(m_parameters.spacing[sharpness.axis]);
    const bool is_between = sharpness.refinement < std::min(sharpness.cells, 1.0);  // of axes
    logging::warning(
        what + "is as sharp as " + digits(sharpness.likelihood) +
        " cells and leaves a density with a standard deviation of " + digits(sharpness.cells) +
        " cells along " + axis_name(sharpness.axis) + ", whose size is " + spacing +
        (sharpness.fault > kTold
             ? ": its evidence is wrong by " + digits(100 * sharpness.fault, 2) + " % or so, and "
             : ": ") +
        "what follows spreads; " +
        (is_between
             ? "lower grid.spacing to " + digits(sharpness.refinement, 2) + " of what it is"
             : "set grid.spacing along " + axis_name(sharpness.axis) + " to " +
                   digits(sharpness.cells * m_parameters.spacing[sharpness.axis]) + " or less") +
        ", or give the measurement a larger variance");
  }
  for (std::size_t i = 0; i < low.size(); ++i) {
    if (sharpness.mean[i] >= low[i] && sharpness.mean[i] <= high[i]) continue;
    m_leads_beyond = true;
    logging::warning(what + "leads to " + digits(sharpness.mean[i], 6) + " along " + axis_name(i) +
                     ", and the cells of the grid reach from " + digits(low[i], 6) + " to " +
                     digits(high[i], 6) +
                     ": the density after it and its evidence are those of the edge; lower "
                     "grid.threshold to have cells there, or check the measurement");
    break;
  }
}

void RunWarnings::watch_width(double time, const std::vector<double>& deviation) {
  std::size_t worst = 0;
  for (std::size_t i = 0; i < deviation.size(); ++i) {
    if (deviation[i] / m_parameters.spacing[i] < deviation[worst] / m_parameters.spacing[worst])
      worst = i;
  }
  const double cells = deviation[worst] / m_parameters.spacing[worst];
  if (m_told_width || !(cells < kNarrow)) return;
  m_told_width = true;
  logging::warning(
      "at t = " + digits(time, 6) + " the density is narrower along " + axis_name(worst) +
      " than the cells, whose size is " + digits(m_parameters.spacing[worst]) +
      ": its standard deviation of " + digits(deviation[worst]) +
      " is that of the grid, and motion within a cell is not seen; lower grid.spacing along it");
}

void RunWarnings::watch_follow(const FollowState& place) {
  if (m_told_misfit || place.misfit < 0) return;
  m_told_misfit = true;
  const std::string what = "at t = " + digits(place.misfit, 6) +
                           " no frame fits the density, which is folded, split or has edges: ";
  if (place.stays) {
    logging::warning(what +
                     "from there on the grid stays where it is, and its cells spread the density; "
                     "compare with a smaller grid.spacing");
  } else {
    const bool may_stay = !m_parameters.dynamics.orbit || m_parameters.noise_of_flow().empty();
    logging::warning(what +
                     "its cells are wider than what it varies over, or what carries it over to new "
                     "frames has changed it; use a smaller grid.spacing" +
                     (may_stay ? ", or grid.follow: none" : ", or measure more often"));
  }
}

void RunWarnings::watch_noise(double time, double variation) {
  constexpr double kLarge = 0.5;
  if (m_told_noise || !(variation > kLarge)) return;
  m_told_noise = true;
  logging::warning(
      "at t = " + digits(time, 6) +
      " the noise of the state, as noise of these coordinates, differs by " +
      digits(100 * variation) +
      " % of itself over the density: the grid takes its expectation, which leaves out "
      "skewness that it brings; measure more often, or set model.coordinates: "
      "cartesian");
}

void RunWarnings::watch_start(const std::vector<linalg::Matrix>& covariances,
                              const std::vector<double>& spacing) {
  double narrowest = 1e300, width = 1e300;  // along an axis, and at all, in cells
  for (const linalg::Matrix& covariance : covariances) {
    linalg::Matrix in_cells = covariance;
    for (std::size_t i = 0; i < in_cells.size(); ++i) {
      for (std::size_t j = 0; j < in_cells.size(); ++j)
        in_cells[i][j] = 0.5 * (covariance[i][j] + covariance[j][i]) / (spacing[i] * spacing[j]);
      narrowest = std::min(narrowest, std::sqrt(in_cells[i][i]));
    }
    const double least = linalg::eigen_decomposition(in_cells).values.front();
    width = std::min(width, std::sqrt(std::max(least, 0.0)));
  }
  if (m_told_width || !(width < kNarrow)) return;
  const bool is_between = !(narrowest < kNarrow);
  if (!is_between && covariances.size() == 1) return;  // watch_width tells of it
  m_told_width = true;
  const std::string what = covariances.size() == 1 ? "the density" : "a part of the mixture";
  logging::warning("at the start " + what + " is narrower than the cells" +
                   (is_between ? " along a direction between the axes" : "") +
                   ", with a standard deviation of " + digits(width) +
                   " cells: the cells widen it to about half a cell; " +
                   (is_between
                        ? "lower grid.spacing, or lay the grid along the density with grid.rotate"
                        : "lower grid.spacing to " + digits(width, 2) + " of what it is"));
}

void RunWarnings::compare_moments(double time, const std::vector<MomentFault>& faults) {
  std::size_t widest = 0, farthest = 0;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (faults[i].variance > faults[widest].variance) widest = i;
    if (faults[i].mean > faults[farthest].mean) farthest = i;
  }
  const double excess = faults[widest].variance, shift = faults[farthest].mean;
  if ((!m_told_spread && excess > kSpread) || excess > kMuchMore * std::max(m_spread, kSpread)) {
    m_told_spread = true;
    m_spread = excess;
    const double spacing = m_parameters.spacing[widest];
    const double enough =
        std::min(spacing * std::sqrt(kSpread / excess), 0.5 * faults[widest].deviation);
    logging::warning(
        "at t = " + digits(time, 6) + " the density is wider along " + axis_name(widest) +
        " than the dynamics make it: its variance has grown by " + digits(100 * excess, 2) +
        " % through the cells (its standard deviation should be " +
        digits(faults[widest].deviation) + "); lower grid.spacing, from " + digits(spacing) +
        " to about " + digits(enough, 2) + " along this axis and the others in proportion" +
        (m_parameters.frame.is_turned() ? ", with grid.rotate: true" : ""));
  }
  const auto thinnest = std::max_element(
      faults.begin(), faults.end(),
      [](const MomentFault& a, const MomentFault& b) { return a.missing < b.missing; });
  if (!m_told_missing && thinnest != faults.end() && thinnest->missing > kSpread) {
    m_told_missing = true;
    logging::warning("at t = " + digits(time, 6) + " the density is narrower along " +
                     axis_name(static_cast<std::size_t>(thinnest - faults.begin())) +
                     " than the dynamics make it: " + digits(100 * thinnest->missing, 2) +
                     " % of its variance are missing (its standard deviation should be " +
                     digits(thinnest->deviation) +
                     "), for what is below the threshold does not spread; lower grid.threshold");
  }
  if (!m_told_shift && shift > kShift) {
    m_told_shift = true;
    const double spacing = m_parameters.spacing[farthest];
    std::size_t narrowest = 0;
    for (std::size_t i = 0; i < faults.size(); ++i) {
      if (faults[i].deviation / m_parameters.spacing[i] <
          faults[narrowest].deviation / m_parameters.spacing[narrowest])
        narrowest = i;
    }
    logging::warning(
        "at t = " + digits(time, 6) + " the mean along " + axis_name(farthest) + " is " +
        digits(shift) + " standard deviations from where the dynamics lead it (cells of " +
        digits(spacing) + "): the cells do not tell the motion; set grid.spacing along " +
        axis_name(narrowest) + " to " +
        digits(0.5 * std::min(faults[narrowest].deviation, m_parameters.spacing[narrowest]), 2) +
        " or less");
  }
}

/// Moments along each axis: dynamics that are not linear widen a density in ways that
/// compare_moments cannot tell.
void RunWarnings::compare_spread(const Record& record, const MonteCarloRecord& particles) {
  const std::size_t dimension = record.mean.size();
  const double chance = kOutlier / std::sqrt(2 * particles.effective_samples);
  for (std::size_t i = 0; i < dimension && !m_told_spread; ++i) {
    const double on_grid = std::sqrt(record.covariance[i * dimension + i]),
                 theirs = std::sqrt(particles.covariance[i * dimension + i]);
    if (!(on_grid > theirs * (1 + kSpread + chance))) continue;
    m_told_spread = true;
    logging::warning("at t = " + digits(record.time, 6) + " the density is wider along " +
                     axis_name(i) +
                     " than the particles of validate.monte_carlo: its standard deviation is " +
                     digits(on_grid) + ", and theirs " + digits(theirs) + "; lower grid.spacing");
  }
}

void RunWarnings::compare_particles(const Record& record, const MonteCarloRecord& particles,
                                    double expected, const std::vector<double>& in_regions) {
  const double time = record.time;
  compare_spread(record, particles);
  if (!m_told_particles && particles.bhattacharyya < kOverlap * expected) {
    m_told_particles = true;
    logging::warning("at t = " + digits(time, 6) +
                     " the particles of validate.monte_carlo contradict the density: a "
                     "Bhattacharyya coefficient of " +
                     digits(particles.bhattacharyya) +
                     ", where particles of the density itself would have " + digits(expected) +
                     "; lower grid.spacing, and time.longest_step where the dynamics vary in time");
  }
  for (std::size_t r = 0; r < in_regions.size() && r < particles.regions.size(); ++r) {
    const double share = particles.regions[r], number = particles.effective_samples;
    const double larger = std::max(share, in_regions[r]);
    const double chance = std::sqrt(std::max(larger * (1 - larger), 0.0) / number) + 1 / number;
    const double apart = std::fabs(share - in_regions[r]);
    if (m_told_share[r] || !(apart > 5 * chance && apart > 0.1 * larger)) continue;
    m_told_share[r] = true;
    logging::warning(
        "at t = " + digits(time, 6) + " the probability of the region '" +
        m_parameters.regions[r].name + "' is " + digits(in_regions[r]) + " on the grid, and " +
        digits(share) +
        " of the particles of validate.monte_carlo are or have been there; lower grid.spacing");
  }
}

void RunWarnings::end_absorbed(double time) {
  logging::warning("the regions have absorbed all of the probability at t = " + digits(time, 6) +
                   ": the run ends there, and records of later times are missing; set time.end to "
                   "this time");
}

void RunWarnings::watch_regions(const std::vector<RegionResolution>& resolution) {
  for (std::size_t r = 0; r < resolution.size(); ++r) {
    const RegionResolution& found = resolution[r];
    const bool is_missed = found.cut > 0 && 2 * found.unresolved > found.cut;
    if (m_told_region[r] || !(found.doubt > kSpread || is_missed)) continue;
    m_told_region[r] = true;
    const std::string name =
        "region '" + m_parameters.regions[r].name + "' is so narrow beside the ";
    logging::warning(
        is_missed
            ? "the absorbing " + name +
                  "cells that what it absorbs is right to some 15 %, or less: mass that passes "
                  "beside it mixes within the cells with mass that meets it; lower grid.spacing "
                  "until some cells lie wholly in it"
            : "the " + name + "cells that its probability is not known to better than " +
                  (std::isfinite(found.doubt) ? digits(100 * found.doubt, 2) + " % of it"
                                              : "that of the cells where it may lie") +
                  "; lower grid.spacing, or turn the grid to the region's axes");
  }
}

void RunWarnings::end_regions(const std::vector<RegionResolution>& resolution,
                              const std::vector<double>& probability) {
  watch_regions(resolution);
  for (std::size_t r = 0; r < resolution.size(); ++r) {
    if (m_told_region[r] || resolution[r].is_met || probability[r] > 0) continue;
    logging::warning("no cell of the grid has a part in the region '" +
                     m_parameters.regions[r].name +
                     "' where it was looked at: its probability of 0 says that it lies beyond the "
                     "cells; check its condition, or lower grid.threshold to have cells there");
  }
}

void RunWarnings::forgive_loss(double lost_mass) {
  m_next_loss = lost_mass <= kLoss    ? kLoss
                : lost_mass <= kLarge ? kLarge
                                      : std::numeric_limits<double>::infinity();
}

}  // namespace tessera::gbees
