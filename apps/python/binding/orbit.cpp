// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Orbit messages, epochs and frames for tessera/orbit.py, which makes objects of these tuples.
// States are in m and m/s in EME2000; epochs are texts in UTC, to a nanosecond.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

#include "apps/python/binding/modules.hpp"
#include "tessera/core/error.hpp"
#include "tessera/gbees/orbits/cdm.hpp"
#include "tessera/gbees/orbits/ephemeris.hpp"
#include "tessera/gbees/orbits/mean_elements.hpp"
#include "tessera/gbees/orbits/orbit_state.hpp"
#include "tessera/gbees/orbits/spk.hpp"
#include "tessera/gbees/orbits/tdm.hpp"

namespace py = pybind11;

namespace tessera::python {

namespace {

using gbees::CartesianState;
using gbees::Epoch;
using gbees::Rotation;
using gbees::TimeSystem;
using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Texts = std::vector<std::string>;

constexpr int kNanoseconds = 9;

std::string text_of(const Epoch& epoch) {
  return gbees::format_epoch(epoch, TimeSystem::utc, kNanoseconds);
}

Epoch epoch_of(const std::string& text) { return gbees::parse_epoch(text, TimeSystem::utc); }

/// Copies what `at` gives for rows of `columns` numbers into an array.
template <class At>
Numbers table(std::size_t rows, std::vector<py::ssize_t> columns, const At& at) {
  std::size_t size = 1;
  for (const py::ssize_t column : columns) size *= static_cast<std::size_t>(column);
  columns.insert(columns.begin(), static_cast<py::ssize_t>(rows));
  Numbers result(columns);
  double* const to = result.mutable_data();
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t k = 0; k < size; ++k) to[r * size + k] = at(r, k);
  }
  return result;
}

Numbers table_of(const linalg::Matrix& matrix) {
  return table(matrix.size(), {6}, [&](std::size_t r, std::size_t k) { return matrix[r][k]; });
}

Numbers table_of(const CartesianState& state) {
  Numbers result(6);
  std::copy(state.begin(), state.end(), result.mutable_data());
  return result;
}

Numbers table_of(const std::vector<CartesianState>& states) {
  return table(states.size(), {6}, [&](std::size_t r, std::size_t k) { return states[r][k]; });
}

Numbers table_of(const std::vector<Rotation>& rotations) {
  return table(rotations.size(), {3, 3},
               [&](std::size_t r, std::size_t k) { return rotations[r][k / 3][k % 3]; });
}

/// The rows of an array of states.
std::vector<CartesianState> states_of(const Numbers& states) {
  if (states.ndim() != 2 || states.shape(1) != 6)
    throw Error(ErrorKind::input,
                "states have the shape (n, 6): positions in m, velocities in m/s");
  std::vector<CartesianState> rows(static_cast<std::size_t>(states.shape(0)));
  const double* from = states.data();
  for (CartesianState& row : rows) {
    std::copy(from, from + 6, row.begin());
    from += 6;
  }
  return rows;
}

/// A covariance, or None where there is none.
py::object covariance_of(const gbees::MendedCovariance& covariance) {
  return covariance.matrix.empty() ? py::object(py::none())
                                   : py::object(table_of(covariance.matrix));
}

/// `orientation` in these three: the name of a table, or empty.
gbees::SharedOrientation table_named(const std::string& orientation) {
  return orientation.empty() ? nullptr : gbees::read_earth_orientation(orientation);
}

py::tuple read_oem(const std::string& path, const std::string& orientation) {
  const gbees::Ephemeris ephemeris = gbees::read_oem(path, table_named(orientation));
  py::list segments;
  for (const gbees::EphemerisSegment& segment : ephemeris.segments) segments.append(segment);
  return py::make_tuple(segments, ephemeris.unknown, ephemeris.notes);
}

py::tuple read_opm(const std::string& path, const std::string& orientation) {
  const gbees::OrbitState state =
      gbees::read_opm(path, table_named(orientation), gbees::CovarianceOf::user);
  return py::make_tuple(state.object_name, text_of(state.epoch), table_of(state.state),
                        covariance_of(state.covariance), state.unknown, state.notes);
}

std::string format_opm(const std::string& name, const std::string& id, const std::string& epoch,
                       const Numbers& state, const std::optional<Numbers>& covariance,
                       const std::string& created) {
  if (state.ndim() != 1 || state.shape(0) != 6)
    throw Error(ErrorKind::input, "a state has the shape (6,): position in m, velocity in m/s");
  if (covariance &&
      (covariance->ndim() != 2 || covariance->shape(0) != 6 || covariance->shape(1) != 6))
    throw Error(ErrorKind::input, "a covariance has the shape (6, 6)");
  CartesianState numbers{};
  std::copy(state.data(), state.data() + 6, numbers.begin());
  linalg::Matrix matrix;
  for (std::size_t i = 0; covariance && i < 6; ++i)
    matrix.emplace_back(covariance->data() + 6 * i, covariance->data() + 6 * (i + 1));
  return gbees::format_opm(name, id, epoch_of(epoch), numbers, matrix, epoch_of(created));
}

/// Tuples of a segment's participants, path, angle type and frame, unit of ranges, correction, and
/// of its data the epochs, keywords and values.
py::list segments_of(const gbees::TrackingMessage& message) {
  py::list segments;
  for (const gbees::TrackingSegment& segment : message.segments) {
    Texts epochs, keywords;
    std::vector<double> values;
    for (const gbees::TrackingDatum& datum : segment.data) {
      epochs.push_back(text_of(datum.epoch));
      keywords.push_back(datum.keyword);
      values.push_back(datum.value);
    }
    segments.append(
        py::make_tuple(segment.participants, segment.path, segment.angle_type, segment.angle_frame,
                       segment.range_units, segment.correction, epochs, keywords,
                       Numbers(static_cast<py::ssize_t>(values.size()), values.data())));
  }
  return segments;
}

/// Seconds, values of the quantities at these, and notes.
py::tuple measurements_of(const gbees::TrackingMessage& message, const Texts& quantities,
                          const std::string& first) {
  const gbees::TrackingTable found = gbees::tracking_table(message, quantities, epoch_of(first));
  const auto& columns = found.columns;
  return py::make_tuple(Numbers(static_cast<py::ssize_t>(columns[0].size()), columns[0].data()),
                        table(columns[0].size(), {static_cast<py::ssize_t>(quantities.size())},
                              [&](std::size_t r, std::size_t k) { return columns[1 + k][r]; }),
                        found.notes);
}

py::tuple read_cdm(const std::string& path, const std::string& orientation) {
  const gbees::ConjunctionMessage message = gbees::read_cdm(path, table_named(orientation));
  py::list objects;
  for (const gbees::ConjunctionObject& object : message.objects) {
    objects.append(py::make_tuple(object.name, object.designator, table_of(object.state),
                                  table_of(object.inertial_covariance())));
  }
  return py::make_tuple(message.id, text_of(message.closest_approach), message.miss_distance,
                        message.hard_body_radius, objects, message.unknown, message.notes);
}

py::tuple read_elements(const std::string& path, bool has_lines) {
  const gbees::MeanElementSet set = has_lines ? gbees::read_tle(path) : gbees::read_omm(path);
  return py::make_tuple(set.object_name, set.object_id, text_of(set.elements.epoch),
                        set.covariance ? covariance_of(*set.covariance) : py::none(), set.unknown,
                        set.notes, set);
}

Numbers states_of_elements(const gbees::MeanElementSet& set, const Texts& epochs) {
  std::vector<CartesianState> states;
  for (const std::string& epoch : epochs) states.push_back(set.state_at(epoch_of(epoch)));
  return table_of(states);
}

/// Tuples of target, centre, type, and the epochs between which a segment holds.
py::list segments_of(const gbees::SpkKernel& kernel) {
  py::list segments;
  for (const gbees::SpkSegment& segment : kernel.segments()) {
    segments.append(py::make_tuple(segment.target, segment.centre, segment.type,
                                   text_of(gbees::epoch_of_tdb(segment.first)),
                                   text_of(gbees::epoch_of_tdb(segment.last))));
  }
  return segments;
}

Numbers states_of_kernel(const gbees::SpkKernel& kernel, const std::string& target,
                         const std::string& centre, const Texts& epochs) {
  const int body = gbees::parse_body(target), from = gbees::parse_body(centre);
  std::vector<CartesianState> states;
  for (const std::string& epoch : epochs)
    states.push_back(kernel.state(body, from, epoch_of(epoch)));
  return table_of(states);
}

Texts epochs_of(const gbees::EphemerisSegment& segment) {
  Texts texts;
  for (const Epoch& epoch : segment.epochs) texts.push_back(text_of(epoch));
  return texts;
}

Numbers states_of_segment(const gbees::EphemerisSegment& segment) {
  std::vector<CartesianState> states;
  for (std::size_t r = 0; r < segment.states.size(); ++r)
    states.push_back(gbees::inertial_state(segment.frame, segment.states[r], segment.epochs[r],
                                           segment.orientation));
  return table_of(states);
}

py::tuple covariances_of(const gbees::EphemerisSegment& segment) {
  Texts epochs;
  for (const auto& covariance : segment.covariances) epochs.push_back(text_of(covariance.epoch));
  return py::make_tuple(epochs, table(epochs.size(), {6, 6}, [&](std::size_t r, std::size_t k) {
                          return segment.covariances[r].covariance.matrix[k / 6][k % 6];
                        }));
}

Numbers states_at(const gbees::EphemerisSegment& segment, const Texts& epochs) {
  std::vector<CartesianState> states;
  for (const std::string& epoch : epochs) states.push_back(segment.state_at(epoch_of(epoch)));
  return table_of(states);
}

std::string format_oem(const std::string& name, const Texts& epochs, const Numbers& states,
                       const std::optional<Numbers>& covariances, const std::string& created) {
  const std::vector<CartesianState> rows_of_states = states_of(states);
  if (rows_of_states.size() != epochs.size() || epochs.empty())
    throw Error(ErrorKind::input, "an ephemeris needs a state for each epoch, and one at least");
  const auto count = static_cast<py::ssize_t>(epochs.size());
  if (covariances && (covariances->ndim() != 3 || covariances->shape(0) != count ||
                      covariances->shape(1) != 6 || covariances->shape(2) != 6))
    throw Error(ErrorKind::input, "covariances have the shape (n, 6, 6), one for each epoch");
  std::vector<gbees::EphemerisRow> rows;
  for (std::size_t r = 0; r < epochs.size(); ++r) {
    rows.push_back({epoch_of(epochs[r]), rows_of_states[r], {}});
    if (r > 0 && !(gbees::seconds_between(rows[r - 1].epoch, rows[r].epoch) > 0))
      throw Error(ErrorKind::input, "the epochs of an ephemeris ascend, and " + epochs[r] +
                                        " is not later than " + epochs[r - 1]);
    if (!covariances) continue;
    const double* const from = covariances->data() + 36 * r;
    for (std::size_t i = 0; i < 6; ++i)
      rows.back().covariance.emplace_back(from + 6 * i, from + 6 * (i + 1));
  }
  return gbees::format_oem(name, rows, epoch_of(created));
}

Texts convert_times(const Texts& texts, const std::string& from, const std::string& to) {
  const TimeSystem system = gbees::parse_time_system(from), wanted = gbees::parse_time_system(to);
  Texts converted;
  for (const std::string& text : texts)
    converted.push_back(
        gbees::format_epoch(gbees::parse_epoch(text, system), wanted, kNanoseconds));
  return converted;
}

std::vector<double> seconds_since(const Texts& epochs, const std::string& first) {
  std::vector<double> seconds;
  for (const std::string& epoch : epochs)
    seconds.push_back(gbees::seconds_between(epoch_of(first), epoch_of(epoch)));
  return seconds;
}

Texts epochs_after(const std::string& first, const std::vector<double>& seconds) {
  Texts texts;
  for (const double passed : seconds)
    texts.push_back(text_of(gbees::later(epoch_of(first), passed)));
  return texts;
}

/// Rows of UT1 - UTC in s and polar motion in rad.
Numbers earth_orientations(const std::string& path, const Texts& epochs) {
  const gbees::SharedOrientation orientation = gbees::read_earth_orientation(path);
  std::vector<gbees::EarthOrientation> rows;
  for (const std::string& epoch : epochs) rows.push_back(orientation->at(epoch_of(epoch)));
  return table(rows.size(), {3}, [&](std::size_t r, std::size_t k) {
    return k == 0 ? rows[r].ut1_minus_utc : k == 1 ? rows[r].x : rows[r].y;
  });
}

/// The orientations of an array [n, 3] like that of earth_orientations.
std::vector<gbees::EarthOrientation> orientations_of(const Numbers& array, std::size_t count) {
  if (array.ndim() != 2 || array.shape(1) != 3 || static_cast<std::size_t>(array.shape(0)) != count)
    throw Error(ErrorKind::input, "there must be an orientation of the Earth for each epoch");
  std::vector<gbees::EarthOrientation> rows;
  for (std::size_t r = 0; r < count; ++r) {
    const double* const row = array.data() + 3 * r;
    rows.push_back({row[0], row[1], row[2]});
  }
  return rows;
}

Numbers earth_rotations(const Texts& epochs, const Numbers& orientations) {
  const auto rows = orientations_of(orientations, epochs.size());
  std::vector<Rotation> rotations;
  for (std::size_t r = 0; r < epochs.size(); ++r)
    rotations.push_back(gbees::itrf_to_eme2000(epoch_of(epochs[r]), rows[r]));
  return table_of(rotations);
}

Numbers states_from_earth(const Texts& epochs, const Numbers& states, const Numbers& orientations) {
  const auto of_earth = orientations_of(orientations, epochs.size());
  std::vector<CartesianState> rows = states_of(states);
  if (rows.size() != epochs.size())
    throw Error(ErrorKind::input, "there must be a state for each epoch");
  for (std::size_t r = 0; r < rows.size(); ++r) {
    rows[r] = gbees::inertial_state(gbees::ReferenceFrame::itrf, rows[r], epoch_of(epochs[r]),
                                    of_earth[r]);
  }
  return table_of(rows);
}

Numbers local_axes(const Numbers& states, bool along_velocity) {
  std::vector<Rotation> rotations;
  for (const CartesianState& state : states_of(states))
    rotations.push_back(along_velocity ? gbees::tnw_axes(state) : gbees::rtn_axes(state));
  return table_of(rotations);
}

}  // namespace

void define_orbit(py::module_& module) {
  using Segment = gbees::EphemerisSegment;
  py::class_<Segment>(module, "EphemerisSegment")
      .def_readonly("object_name", &Segment::object_name)
      .def_readonly("object_id", &Segment::object_id)
      .def("epochs", &epochs_of)
      .def("states", &states_of_segment)
      .def("covariances", &covariances_of)
      .def("states_at", &states_at);
  py::class_<gbees::MeanElementSet>(module, "MeanElementSet").def("states_at", &states_of_elements);
  py::class_<gbees::SpkKernel>(module, "SpkKernel")
      .def(py::init<const std::string&>())
      .def("segments", py::overload_cast<const gbees::SpkKernel&>(&segments_of))
      .def("states_at", &states_of_kernel);
  py::class_<gbees::TrackingMessage>(module, "TrackingMessage")
      .def_readonly("unknown", &gbees::TrackingMessage::unknown)
      .def("segments", py::overload_cast<const gbees::TrackingMessage&>(&segments_of))
      .def("measurements", &measurements_of);
  module.def("read_tdm", &gbees::read_tdm);
  module.def("read_elements", &read_elements);
  module.def("read_oem", &read_oem);
  module.def("read_opm", &read_opm);
  module.def("read_cdm", &read_cdm);
  module.def("format_oem", &format_oem);
  module.def("format_opm", &format_opm);
  module.def("convert_times", &convert_times);
  module.def("seconds_since", &seconds_since);
  module.def("epochs_after", &epochs_after);
  module.def("earth_orientations", &earth_orientations);
  module.def("earth_rotations", &earth_rotations);
  module.def("states_from_earth", &states_from_earth);
  module.def("local_axes", &local_axes);
  module.def("leap_second_source", &gbees::leap_second_source);
}

}  // namespace tessera::python
