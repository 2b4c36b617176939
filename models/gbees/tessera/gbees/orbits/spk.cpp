// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/orbits/spk.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "tessera/gbees/orbits/interpolation.hpp"

namespace tessera::gbees {

namespace {

constexpr int kJ2000 = 1;
constexpr double kLargestDegree = 64;
constexpr std::size_t kDirectoryStep = 100;  // rows for each epoch of a segment's directory

struct Body {
  const char* name;
  int number;
};

constexpr std::array<Body, 19> kBodies{{{"solar_system_barycenter", 0},
                                        {"mercury_barycenter", 1},
                                        {"venus_barycenter", 2},
                                        {"earth_barycenter", 3},
                                        {"mars_barycenter", 4},
                                        {"jupiter_barycenter", 5},
                                        {"saturn_barycenter", 6},
                                        {"uranus_barycenter", 7},
                                        {"neptune_barycenter", 8},
                                        {"pluto_barycenter", 9},
                                        {"sun", 10},
                                        {"moon", 301},
                                        {"earth", 399},
                                        {"mercury", 199},
                                        {"venus", 299},
                                        {"mars", 499},
                                        {"jupiter", 599},
                                        {"saturn", 699},
                                        {"pluto", 999}}};

/// The sum of a Chebyshev series and its derivative, at x from -1 to 1 (Clenshaw).
ValueAndRate series(const double* coefficients, std::size_t count, double x) {
  double b1 = 0, b2 = 0, d1 = 0, d2 = 0;
  for (std::size_t k = count; k-- > 1;) {
    const double d = 2 * x * d1 - d2 + 2 * b1, b = 2 * x * b1 - b2 + coefficients[k];
    d2 = d1;
    d1 = d;
    b2 = b1;
    b1 = b;
  }
  return {x * b1 - b2 + coefficients[0], x * d1 - d2 + b1};
}

}  // namespace

void SpkKernel::read_segments() {
  for (const ArrayFile::Summary& summary : m_file.summaries()) {
    const auto& [target, centre, frame, type, begin, end] = summary.integers;
    m_segments.push_back(
        {target, centre, frame, type, summary.numbers[0], summary.numbers[1], begin, end});
    if (begin < 1 || end < begin + 4)
      throw m_file.error("the addresses of segment " + std::to_string(m_segments.size()) +
                         " are wrong: the file is damaged");
  }
}

const SpkSegment* SpkKernel::segment_of(int target, double time) const {
  const auto found = std::find_if(m_segments.rbegin(), m_segments.rend(), [&](const auto& s) {
    return s.target == target && s.first <= time && time <= s.last;
  });
  return found == m_segments.rend() ? nullptr : &*found;
}

CartesianState SpkKernel::state(int target, int centre, const Epoch& epoch) const {
  const double time = seconds_of_tdb(epoch);
  // The chains of both up to their last centres, as far as they differ.
  const auto chain_of = [&](int body) {
    std::vector<const SpkSegment*> chain;
    while (const SpkSegment* segment = segment_of(body, time)) {
      chain.push_back(segment);
      body = segment->centre;
      if (chain.size() > m_segments.size())
        throw m_file.error("the centres of the segments go round: the file is damaged");
    }
    return chain;
  };
  std::vector<const SpkSegment*> up = chain_of(target), down = chain_of(centre);
  while (!up.empty() && !down.empty() && up.back() == down.back()) {
    up.pop_back();
    down.pop_back();
  }
  const int top = up.empty() ? target : up.back()->centre;
  const int bottom = down.empty() ? centre : down.back()->centre;
  if (top != bottom) {
    throw m_file.error("no segments lead from body " + std::to_string(centre) + " to " +
                       std::to_string(target) + " at " + format_epoch(epoch, TimeSystem::utc, 3) +
                       " UTC; there are " + list());
  }
  CartesianState sum{};
  for (const SpkSegment* segment : up) {
    const CartesianState state = state_of(*segment, time);
    for (std::size_t i = 0; i < 6; ++i) sum[i] += state[i];
  }
  for (const SpkSegment* segment : down) {
    const CartesianState state = state_of(*segment, time);
    for (std::size_t i = 0; i < 6; ++i) sum[i] -= state[i];
  }
  for (double& component : sum) component *= 1000;
  return sum;
}

CartesianState SpkKernel::state_of(const SpkSegment& segment, double time) const {
  const std::string name = "the segment of body " + std::to_string(segment.target) + " from " +
                           std::to_string(segment.centre);
  if (segment.frame != kJ2000)
    throw m_file.error(name + " is in frame " + std::to_string(segment.frame) +
                       ", and those of J2000 (1) are read");
  if (segment.type == 2 || segment.type == 3) return chebyshev(segment, time);
  if (segment.type == 9 || segment.type == 13) return through_rows(segment, time);
  throw m_file.error(name + " is of type " + std::to_string(segment.type) +
                     ", and types 2, 3, 9 and 13 are read");
}

Error SpkKernel::damaged(const SpkSegment& segment) const {
  return m_file.error("the segment of body " + std::to_string(segment.target) + ", of type " +
                      std::to_string(segment.type) +
                      ", has not so many numbers as it says: the file is damaged");
}

/// Records of equal times: their middle, half their length, and coefficients of each component.
CartesianState SpkKernel::chebyshev(const SpkSegment& segment, double time) const {
  const std::vector<double> directory = m_file.numbers(segment.end - 3, 4);
  const double start = directory[0], length = directory[1];
  const std::size_t components = segment.type == 2 ? 3 : 6;
  const double length_of_all = static_cast<double>(segment.end - segment.begin + 1);
  const double per_record = directory[2], count = directory[3];
  if (!(length > 0 && count >= 1 && per_record >= 2 + static_cast<double>(components) &&
        per_record * count + 4 == length_of_all))
    throw damaged(segment);
  const auto size = static_cast<std::size_t>(per_record);
  const double record = std::clamp(std::floor((time - start) / length), 0.0, count - 1);
  const std::vector<double> all = m_file.numbers(
      segment.begin + static_cast<std::int64_t>(record) * static_cast<std::int64_t>(size), size);
  const double x = (time - all[0]) / all[1];
  const std::size_t terms = (size - 2) / components;
  CartesianState state{};
  for (std::size_t i = 0; i < components; ++i) {
    const ValueAndRate found = series(all.data() + 2 + i * terms, terms, x);
    state[i] = found.value;
    if (components == 3) state[3 + i] = found.rate / all[1];
  }
  return state;
}

/// States at epochs, and the polynomial through those around the time.
CartesianState SpkKernel::through_rows(const SpkSegment& segment, double time) const {
  const std::vector<double> tail = m_file.numbers(segment.end - 1, 2);
  const double rows = tail[1];
  const double wanted = tail[0] + 1;  // of type 9 the degree, of type 13 the rows less one
  const double numbers = 7 * rows + std::floor((rows - 1) / kDirectoryStep) + 2;
  if (!(rows >= 1 && wanted >= 1 && wanted <= rows + kLargestDegree &&
        numbers == static_cast<double>(segment.end - segment.begin + 1)))
    throw damaged(segment);
  const auto count = static_cast<std::size_t>(rows);
  const std::size_t window = std::min(static_cast<std::size_t>(wanted), count);
  const std::vector<double> epochs =
      m_file.numbers(segment.begin + static_cast<std::int64_t>(6 * count), count);
  const auto above = std::upper_bound(epochs.begin(), epochs.end(), time);
  auto before = static_cast<std::size_t>(above - epochs.begin());  // rows up to the time
  // An odd window has the nearest row in its middle, an even one as many rows on each side.
  if (window % 2 == 1 && before > 0 && before < count &&
      epochs[before] - time < time - epochs[before - 1])
    ++before;
  const std::size_t half = (window + 1) / 2;
  const std::size_t first = std::min(before > half ? before - half : 0, count - window);
  const std::vector<double> states =
      m_file.numbers(segment.begin + static_cast<std::int64_t>(6 * first), 6 * window);
  std::vector<double> t(window);
  for (std::size_t n = 0; n < window; ++n) t[n] = epochs[first + n] - time;
  const auto column = [&](std::size_t i) {
    std::vector<double> values(window);
    for (std::size_t n = 0; n < window; ++n) values[n] = states[6 * n + i];
    return values;
  };
  CartesianState state{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (segment.type == 9) {
      state[i] = lagrange(t, column(i), 0);
      state[3 + i] = lagrange(t, column(3 + i), 0);
    } else {
      const ValueAndRate found = hermite(t, column(i), column(3 + i), 0);
      state[i] = found.value;
      state[3 + i] = found.rate;
    }
  }
  return state;
}

std::string SpkKernel::list() const {
  constexpr std::size_t kMost = 12;
  std::string text;
  for (std::size_t n = 0; n < std::min(kMost, m_segments.size()); ++n) {
    const SpkSegment& s = m_segments[n];
    const auto time = [](double seconds) {
      return format_epoch(epoch_of_tdb(seconds), TimeSystem::tdb, 0);
    };
    text += (n == 0 ? "" : ", ") + std::to_string(s.centre) + " to " + std::to_string(s.target) +
            " from " + time(s.first) + " to " + time(s.last) + " TDB";
  }
  if (m_segments.size() > kMost)
    text += " and " + std::to_string(m_segments.size() - kMost) + " more";
  return text;
}

int parse_body(const std::string& text) {
  int number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status == std::errc() && end == text.data() + text.size()) return number;
  std::string name;
  for (const char c : text)
    name += c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string names;
  for (const Body& body : kBodies) {
    if (name == body.name) return body.number;
    names += (names.empty() ? "" : ", ") + std::string(body.name);
  }
  throw Error(ErrorKind::input, "'" + text + "' is no body whose number is known",
              "give NAIF's number of it, or one of " + names);
}

}  // namespace tessera::gbees
