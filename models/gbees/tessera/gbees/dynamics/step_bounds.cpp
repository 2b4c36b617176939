// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/dynamics/step_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/gbees/grid/stepper_state.hpp"

namespace tessera::gbees {

namespace {

// cells that the change within a step may move, beside its middle
constexpr double kMoved = 0.03125;
constexpr double kClear = 1e-13;  // of a break
constexpr int kDeepest = 24;      // halvings of a look
constexpr double kAlike = 2;      // bounds by a factor of which pieces are joined

}  // namespace

std::vector<TimeSteps> divide_time(double from, double to, double step,
                                   const std::vector<double>& breaks) {
  std::vector<TimeSteps> stretches;
  const auto add = [&](double begin, double end) {
    if (!(begin < end)) return;  // between a break and a time that is the same but for rounding
    const auto steps =
        static_cast<std::uint64_t>(std::max(std::ceil((end - begin) / step - 1e-9), 1.0));
    stretches.push_back({begin, (end - begin) / static_cast<double>(steps), steps});
  };
  const auto clear = [&](double t) {
    return std::binary_search(breaks.begin(), breaks.end(), t) ? kClear * std::fabs(t) : 0.0;
  };
  double begin = from;
  for (auto next = std::upper_bound(breaks.begin(), breaks.end(), from);
       next != breaks.end() && *next < to; ++next) {
    add(begin + clear(begin), *next - clear(*next));
    begin = *next;
  }
  add(begin + clear(begin), to - clear(to));
  return stretches;
}

StepBounds::StepBounds(const EquationProgram& program, std::vector<double> spacing, double cfl)
    : m_program(&program), m_spacing(std::move(spacing)), m_cfl(cfl) {
  for (int i = 0; i < program.dimension; ++i) {
    if (program.varying >> i & 1) m_varying.push_back(i);
  }
}

std::vector<double> StepBounds::velocities(double t,
                                           const std::vector<std::vector<double>>& places) const {
  std::vector<double> result;
  for (const std::vector<double>& place : places) {
    std::vector<double> input = place;
    input.push_back(t);
    for (const int i : m_varying)
      result.push_back(m_program->program.evaluate(static_cast<std::size_t>(i), input));
  }
  return result;
}

double StepBounds::moved(const std::vector<double>& from, const std::vector<double>& to,
                         double h) const {
  double most = 0;
  for (std::size_t k = 0; k < from.size(); k += m_varying.size()) {
    double sum = 0;
    for (std::size_t i = 0; i < m_varying.size(); ++i) {
      const double change = std::fabs(to[k + i] - from[k + i]) * h /
                            (2 * m_spacing[static_cast<std::size_t>(m_varying[i])]);
      if (std::isfinite(change)) sum += change;
    }
    most = std::max(most, sum);
  }
  return most;
}

void StepBounds::look(double begin, double end, const std::vector<double>& at_begin,
                      const std::vector<double>& at_end,
                      const std::vector<std::vector<double>>& places, int depth,
                      std::vector<BoundedPiece>& found) const {
  const double h = end - begin, middle = begin + 0.5 * h;
  const std::vector<double> at_middle = velocities(middle, places);
  // Velocities that change evenly change by twice as much over the whole as over a half of it.
  const double most = std::max({moved(at_begin, at_end, h), 2 * moved(at_begin, at_middle, h),
                                2 * moved(at_middle, at_end, h)});
  const double allowed = kMoved * m_cfl * m_cfl;
  if (most <= allowed || depth >= kDeepest) {
    const double longest = most > 0 ? h * std::sqrt(allowed / most) : StepperState::kUnlimited;
    found.push_back({end, depth >= kDeepest ? std::max(longest, h) : longest});
    return;
  }
  look(begin, middle, at_begin, at_middle, places, depth + 1, found);
  look(middle, end, at_middle, at_end, places, depth + 1, found);
}

std::vector<BoundedPiece> StepBounds::pieces(double begin, double end, double share,
                                             const std::vector<double>& mean,
                                             const std::vector<double>& deviation,
                                             const std::vector<double>& landmarks) const {
  if (m_varying.empty()) return {{end, StepperState::kUnlimited}};
  std::vector<std::vector<double>> places{mean};
  for (std::size_t i = 0; i < mean.size(); ++i) {
    for (const double sign : {-2.0, 2.0}) {
      places.push_back(mean);
      places.back()[i] += sign * deviation[i];
    }
  }
  const double clear = 1e-12 * (end - begin);  // of the ends, beyond which dynamics may be others
  const int looks = std::clamp(static_cast<int>(2048 * share), 8, 1024);
  std::vector<double> times{begin + clear, end - clear};
  for (int i = 1; i < looks; ++i) times.push_back(begin + i * ((end - begin) / looks));
  for (const double t : landmarks) {
    if (t > begin + clear && t < end - clear) times.push_back(t);
  }
  std::sort(times.begin(), times.end());
  std::vector<BoundedPiece> found;
  std::vector<double> before = velocities(times[0], places);
  for (std::size_t i = 1; i < times.size(); ++i) {
    const std::vector<double> after = velocities(times[i], places);
    if (times[i] > times[i - 1]) look(times[i - 1], times[i], before, after, places, 0, found);
    before = after;
  }
  std::vector<BoundedPiece> joined;
  double least = 0, most = 0;
  for (const BoundedPiece& piece : found) {
    const double longest = std::min(piece.longest_step, end - begin);
    if (!joined.empty() && std::max(most, longest) <= kAlike * std::min(least, longest)) {
      least = std::min(least, longest);
      most = std::max(most, longest);
      joined.back() = {piece.end, least};
    } else {
      joined.push_back({piece.end, longest});
      least = most = longest;
    }
  }
  joined.back().end = end;
  return joined;
}

}  // namespace tessera::gbees
