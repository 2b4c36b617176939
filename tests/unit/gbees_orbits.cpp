// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Orbit files: times, frames, covariances and conjunction messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/square.hpp"
#include "tessera/gbees/orbits/cdm.hpp"
#include "tessera/gbees/orbits/earth_orientation.hpp"
#include "tessera/gbees/orbits/ephemeris.hpp"
#include "tessera/gbees/orbits/message_xml.hpp"
#include "tessera/gbees/orbits/orbit_state.hpp"
#include "tessera/gbees/orbits/tdm.hpp"
#include "tests/harness/paths.hpp"
#include "tests/unit/io_scratch.hpp"

namespace tessera::test {
namespace {

using namespace gbees;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The message of the Error (input) that `work` throws; empty: it throws none.
template <class Work>
std::string refusal(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return {};
}

TEST(Epochs, RoundTripsOfEverySystem) {
  for (const TimeSystem system :
       {TimeSystem::utc, TimeSystem::tai, TimeSystem::tt, TimeSystem::tdb, TimeSystem::gps}) {
    for (const std::string text : {"2021-07-08T05:51:46.884", "1999-12-31T23:59:59.999",
                                   "2024-02-29T00:00:00.000", "2016-12-31T23:59:59.500"})
      EXPECT_EQ(format_epoch(parse_epoch(text, system), system), text);
  }
  const Epoch day = parse_epoch("2021-189T05:51:46.884Z", TimeSystem::utc);
  EXPECT_EQ(format_epoch(day, TimeSystem::utc), "2021-07-08T05:51:46.884");
}

TEST(Epochs, Systems) {
  // 2000-01-01T12:00:00 TT is 11:59:27.816 TAI and 11:58:55.816 UTC.
  const Epoch tt = parse_epoch("2000-01-01T12:00:00", TimeSystem::tt);
  EXPECT_EQ(format_epoch(tt, TimeSystem::tai), "2000-01-01T11:59:27.816");
  EXPECT_EQ(format_epoch(tt, TimeSystem::utc), "2000-01-01T11:58:55.816");
  EXPECT_EQ(format_epoch(tt, TimeSystem::gps), "2000-01-01T11:59:08.816");
  const Epoch tdb = parse_epoch("2000-01-01T12:00:00", TimeSystem::tdb);
  EXPECT_NEAR(seconds_between(tt, tdb), 0.0000727, 3e-5);  // as SPICE has it
}

TEST(Epochs, LeapSecondsExist) {
  const Epoch before = parse_epoch("2016-12-31T23:59:59", TimeSystem::utc);
  const Epoch leap = parse_epoch("2016-12-31T23:59:60.25", TimeSystem::utc);
  const Epoch after = parse_epoch("2017-01-01T00:00:00", TimeSystem::utc);
  EXPECT_DOUBLE_EQ(seconds_between(before, leap), 1.25);
  EXPECT_DOUBLE_EQ(seconds_between(before, after), 2);
  EXPECT_EQ(format_epoch(leap, TimeSystem::utc, 2), "2016-12-31T23:59:60.25");
  EXPECT_EQ(leap_seconds(after), 37);
  EXPECT_EQ(leap_seconds(parse_epoch("1990-06-01T00:00:00", TimeSystem::utc)), 25);
  EXPECT_FALSE(is_beyond_leap_seconds(after));
  EXPECT_TRUE(is_beyond_leap_seconds(parse_epoch("2030-01-01T00:00:00", TimeSystem::utc)));
}

TEST(Epochs, Refusals) {
  const auto refused = [](const std::string& text) {
    return refusal([&] { parse_epoch(text, TimeSystem::utc); });
  };
  EXPECT_THAT(refused("2021-07-08"), HasSubstr("expected YYYY-MM-DDThh:mm:ss"));
  EXPECT_THAT(refused("2021-13-08T00:00:00"), HasSubstr("months are 1 to 12"));
  EXPECT_THAT(refused("2021-02-29T00:00:00"), HasSubstr("no such day"));
  EXPECT_THAT(refused("2021-366T00:00:00"), HasSubstr("no such day"));
  EXPECT_THAT(refused("2021-02-28T24:00:00"), HasSubstr("hours are 0 to 23"));
  EXPECT_THAT(refused("2021-02-28T23:59:60"), HasSubstr("no such second"));
  EXPECT_THAT(refused("1971-02-28T23:59:00"), HasSubstr("from 1972 on"));
  EXPECT_THAT(refusal([] { parse_time_system("UT1"); }), HasSubstr("UTC, TAI, TT, TDB, GPS"));
}

// Vallado, Fundamentals of Astrodynamics and Applications, 4th ed., example 3-14, with its table of
// the Earth's orientation: the short series of the nutation is good to 0.5 arc seconds.
TEST(Frames, ItrfToEme2000) {
  const Epoch epoch = parse_epoch("2004-04-06T07:51:28.386009", TimeSystem::utc);
  constexpr double kArcSecond = 3.14159265358979323846 / 648000;
  const EarthOrientation orientation{-0.4399619, -0.140682 * kArcSecond, 0.333309 * kArcSecond};
  const CartesianState itrf{-1033479.3830, 7901295.2754, 6380356.5958,
                            -3225.636520,  -2872.451450, 5531.924446};
  const CartesianState expected{5102508.958,  6123011.401, 6378136.928,
                                -4743.220157, 790.536497,  5533.755727};
  const CartesianState found = inertial_state(ReferenceFrame::itrf, itrf, epoch, orientation);
  const double radius = std::hypot(itrf[0], itrf[1], itrf[2]);
  for (std::size_t i = 0; i < 6; ++i) {
    const double size = i < 3 ? radius : std::hypot(expected[3], expected[4], expected[5]);
    EXPECT_NEAR(found[i], expected[i], 0.5 * kArcSecond * size) << i;
  }
  EXPECT_NE(ignored_by(ReferenceFrame::itrf), "");
  EXPECT_EQ(ignored_by(ReferenceFrame::eme2000), "");
}

TEST(Frames, LocalAxes) {
  const CartesianState state{7000e3, 0, 0, 100, 7500, 0};
  const Rotation rtn = rtn_axes(state), tnw = tnw_axes(state);
  EXPECT_THAT(rtn[0], ElementsAre(1, 0, 0));
  EXPECT_THAT(rtn[1], ElementsAre(0, 1, 0));
  EXPECT_THAT(rtn[2], ElementsAre(0, 0, 1));
  EXPECT_NEAR(tnw[0][0], 100 / std::hypot(100, 7500), 1e-15);
  EXPECT_NEAR(tnw[1][0], -7500 / std::hypot(100, 7500), 1e-15);
  EXPECT_THAT(refusal([] { rtn_axes({7000e3, 0, 0, 7500, 0, 0}); }), HasSubstr("parallel"));
  EXPECT_THAT(refusal([] { parse_reference_frame("TOD"); }), HasSubstr("EME2000, J2000, GCRF"));
}

TEST(Covariances, NegativeEigenvaluesAreRaised) {
  const linalg::Matrix good{{4, 1}, {1, 9}}, bad{{4, 9}, {9, 9}};
  EXPECT_FALSE(mend_covariance(good).mended);
  EXPECT_EQ(mend_covariance(good).matrix, good);
  const MendedCovariance mended = mend_covariance(bad);  // a correlation of 1.5
  EXPECT_TRUE(mended.mended);
  EXPECT_NEAR(mended.least_eigenvalue, -0.5, 1e-15);
  // The eigenvalue 2.5 of (1, 1)/sqrt(2) is left, of a unit diagonal.
  EXPECT_NEAR(mended.matrix[0][0], 1.25 * 4, 1e-14);
  EXPECT_NEAR(mended.matrix[0][1], 1.25 * 6, 1e-14);
  EXPECT_NEAR(mended.matrix[1][1], 1.25 * 9, 1e-14);
  const linalg::Matrix root = covariance_root(mended);
  EXPECT_NEAR(linalg::product(root, linalg::transpose(root))[0][1], 7.5, 1e-14);
  EXPECT_THAT(refusal([] { mend_covariance({{-1, 0}, {0, 1}}); }), HasSubstr("negative"));
  EXPECT_THAT(refusal([] { mend_covariance({{0, 1}, {1, 1}}); }), HasSubstr("no variance"));
}

class Messages : public Scratch {
 protected:
  Messages() {
    std::ifstream file(std::string(kInputsDirectory) + "/gbees/conjunction/alfano_05.cdm");
    std::stringstream text;
    text << file.rdbuf();
    m_text = text.str();
  }

  void replace(const std::string& from, const std::string& to, std::size_t after = 0) {
    const std::size_t at = m_text.find(from, after);
    ASSERT_NE(at, std::string::npos) << from;
    m_text.replace(at, from.size(), to);
  }

  std::size_t second_object() const { return m_text.find("OBJECT = OBJECT2"); }

  ConjunctionMessage read() const {
    std::ofstream(path("x.cdm")) << m_text;
    return read_cdm(path("x.cdm"));
  }

  std::string refused() const {
    const std::string message = refusal([&] { read(); });
    EXPECT_THAT(message, HasSubstr(path("x.cdm") + ":"));
    return message.substr(std::min(message.size(), path("x.cdm").size() + 1));
  }

  std::string m_text;
};

TEST_F(Messages, IsRead) {
  const ConjunctionMessage message = read();
  EXPECT_EQ(message.id, "alfano_05");
  EXPECT_EQ(format_epoch(message.closest_approach, TimeSystem::utc), "2000-01-01T00:00:00.000");
  EXPECT_DOUBLE_EQ(*message.hard_body_radius, 10);
  EXPECT_DOUBLE_EQ(message.objects[0].state[0], 6878090.162);
  EXPECT_DOUBLE_EQ(message.objects[1].state[5], 5382.590208);
  EXPECT_EQ(message.objects[1].name, "ALFANO 5-2");
  EXPECT_FALSE(message.objects[0].covariance.mended);
  EXPECT_NEAR(std::sqrt(message.objects[0].covariance.matrix[1][1]), 125.7, 0.05);
  EXPECT_THAT(message.unknown, ElementsAre());
  EXPECT_THAT(message.notes, ElementsAre());
  // R is nearly along x here.
  EXPECT_NEAR(message.objects[0].inertial_covariance()[0][0],
              message.objects[0].covariance.matrix[0][0], 0.5);
}

TEST_F(Messages, UnknownKeywordsAreListed) {
  replace("CATALOG_NAME = NONE\n", "CATALOG_NAME = NONE\nCOLOUR = BLUE\n");
  EXPECT_THAT(read().unknown, ElementsAre("COLOUR (line 13)"));
}

TEST_F(Messages, LineEndsAndBlanks) {
  std::string dos;
  for (const char c : m_text) dos += c == '\n' ? std::string(" \r\n\n") : std::string(1, c);
  m_text = dos;
  EXPECT_DOUBLE_EQ(read().objects[0].state[0], 6878090.162);
}

TEST_F(Messages, CutOff) {
  const std::string whole = m_text;
  m_text.resize(m_text.find("CNDOT_NDOT", second_object()));
  EXPECT_THAT(refused(), HasSubstr("ends without CNDOT_NDOT of object 2"));
  m_text = whole.substr(0, whole.find("OBJECT = OBJECT2"));
  EXPECT_THAT(refused(), HasSubstr("the message has one object, and a conjunction has two"));
  m_text.clear();
  EXPECT_THAT(refused(), HasSubstr("1: the file is empty"));
}

TEST_F(Messages, Refusals) {
  const std::string whole = m_text;
  const auto with = [&](const std::string& from, const std::string& to) {
    m_text = whole;
    replace(from, to);
    return refused();
  };
  EXPECT_THAT(with("X = 6878.090162 [km]", "X = 6878090.162 [m]"),
              HasSubstr("19: X is in km, and the line says [m]"));
  EXPECT_THAT(with("X = 6878.090162", "X = NaN"), HasSubstr("19: X = 'NaN' is not a finite"));
  EXPECT_THAT(with("Y = ", "X = "), HasSubstr("20: X is given twice for object 1; line 19"));
  EXPECT_THAT(with("EME2000", "TEME"), HasSubstr("18: the frame 'TEME' is not one of those"));
  EXPECT_THAT(with("TCA = 2000-01", "TCA = 2000-31"), HasSubstr("7: '2000-31-01T00"));
  EXPECT_THAT(with("CCSDS_CDM_VERS = 1.0", "CCSDS_OEM_VERS = 2.0"),
              HasSubstr("does not begin as a conjunction data message"));
  EXPECT_THAT(with("OBJECT2", "OBJECT3"), HasSubstr("OBJECT = OBJECT3 stands where"));
  EXPECT_THAT(with("ORIGINATOR = TESSERA", "<cdm>"), HasSubstr("5: the line is neither"));
  EXPECT_THAT(with("HBR = 10 [m]", "HBR = -1 [m]"), HasSubstr("9: a hard-body radius is above 0"));
  EXPECT_THAT(with("CR_R = ", "CR_R = -"), HasSubstr("25: the variance of component 1"));
  EXPECT_THAT(with("TCA = 2000-01-01T00:00:00.000\n", ""), HasSubstr("ends without TCA"));
  EXPECT_THROW(read_cdm(path("missing.cdm")), Error);
}

TEST_F(Messages, SecondEpochs) {
  const std::string whole = m_text;
  const auto under_object = [&](const std::string& object, const std::string& line) {
    m_text = whole;
    replace("OBJECT = " + object + "\n", "OBJECT = " + object + "\n" + line + "\n");
    return refused();
  };
  EXPECT_THAT(under_object("OBJECT2", "TCA = 2000-01-01T00:10:00.000"),
              HasSubstr("TCA = 2000-01-01T00:10:00.000 stands a second time, under object 2; line "
                        "7 has 2000-01-01T00:00:00.000 for both objects"));
  EXPECT_THAT(under_object("OBJECT1", "TCA = 2000-01-01T00:00:00.000"),
              HasSubstr("11: TCA = 2000-01-01T00:00:00.000 stands a second time, under object 1"));
  EXPECT_THAT(under_object("OBJECT1", "ORIGINATOR = ANOTHER"), HasSubstr("11: ORIGINATOR"));
  m_text = whole;
  replace("TCA = ", "TCA = 2000-01-02T00:00:00.000\nTCA = ");
  EXPECT_THAT(refused(), HasSubstr("8: TCA is given twice for the message; line 7 has it too"));
}

TEST_F(Messages, MendedCovariancesAreSaid) {
  const ConjunctionMessage before = read();
  const std::size_t at = m_text.find("CT_R = ");
  m_text.replace(at, m_text.find('\n', at) - at, "CT_R = -1.0e+03 [m**2]");
  const ConjunctionMessage message = read();
  EXPECT_TRUE(message.objects[0].covariance.mended);
  ASSERT_EQ(message.notes.size(), 1u);
  EXPECT_THAT(message.notes[0], HasSubstr("x.cdm:25: the covariance of object 1 has negative"));
}

TEST_F(Messages, FixedFrame) {
  const ConjunctionMessage inertial = read();
  for (int n = 0; n < 2; ++n) replace("EME2000", "ITRF-97");
  const ConjunctionMessage message = read();
  EXPECT_EQ(message.objects[0].frame, ReferenceFrame::itrf);
  EXPECT_EQ(message.notes.size(), 2u);
  const CartesianState& state = message.objects[0].state;
  EXPECT_NEAR(std::hypot(state[0], state[1], state[2]),
              std::hypot(inertial.objects[0].state[0], inertial.objects[0].state[1],
                         inertial.objects[0].state[2]),
              1e-6);
  // The velocity also has the rotation of the Earth.
  EXPECT_GT(std::fabs(std::hypot(state[3], state[4], state[5]) - 7612.6), 100);
}

/// A file of its own text.
class OrbitFiles : public Scratch {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

  std::string refused_oem(const std::string& text) const {
    const std::string name = write("x.oem", text);
    const std::string message = refusal([&] { read_oem(name); });
    EXPECT_THAT(message, HasSubstr(name + ":"));
    return message.substr(std::min(message.size(), name.size() + 1));
  }
};

constexpr const char* kOpm =
    "CCSDS_OPM_VERS = 2.0\nCREATION_DATE = 2026-01-01T00:00:00\nORIGINATOR = TESSERA\n"
    "OBJECT_NAME = SAT\nOBJECT_ID = 2026-001A\nCENTER_NAME = EARTH\nREF_FRAME = EME2000\n"
    "TIME_SYSTEM = TT\nEPOCH = 2026-01-01T00:01:09.184\nX = 7000 [km]\nY = 0\nZ = 0\n"
    "X_DOT = 0\nY_DOT = 7.5 [km/s]\nZ_DOT = 0\n";

/// The covariance of an OPM with these deviations, in km and km/s.
std::string opm_covariance(double position, double speed) {
  const std::string names[6] = {"X", "Y", "Z", "X_DOT", "Y_DOT", "Z_DOT"};
  std::ostringstream text;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j <= i; ++j) {
      const double deviation = i < 3 ? position : speed;
      text << "C" << names[i] << "_" << names[j] << " = " << (i == j ? deviation * deviation : 0)
           << "\n";
    }
  }
  return text.str();
}

TEST_F(OrbitFiles, Opm) {
  const std::string name =
      write("x.opm", kOpm + ("COV_REF_FRAME = RTN\n" + opm_covariance(2, 1)) +
                         "MAN_EPOCH_IGNITION = 2026-01-01T01:00:00\nHUE = 3\n");
  const OrbitState state = read_orbit_state(name, {}, "");
  EXPECT_EQ(state.object_name, "SAT");
  EXPECT_EQ(format_epoch(state.epoch, TimeSystem::utc), "2026-01-01T00:00:00.000");
  EXPECT_THAT(state.state, ElementsAre(7e6, 0, 0, 0, 7500, 0));
  EXPECT_NEAR(state.covariance.matrix[1][1], 4e6, 1e-6);
  EXPECT_NEAR(state.covariance.matrix[4][4], 1e6, 1e-6);
  EXPECT_THAT(state.unknown, ElementsAre("HUE (line 39)"));
  ASSERT_EQ(state.notes.size(), 1u);
  EXPECT_THAT(state.notes[0], HasSubstr("x.opm:38: manoeuvres"));
  EXPECT_THAT(refusal([&] { read_orbit_state(name, 1, ""); }), HasSubstr("leave 'object' out"));
  EXPECT_THAT(refusal([&] { read_orbit_state(name, {}, "2026-01-01T00:00:00"); }),
              HasSubstr("leave 'time' out"));
  EXPECT_THAT(refusal([&] { read_opm(write("y.opm", kOpm)); }),
              HasSubstr("y.opm:15: the message has no covariance"));
  EXPECT_THAT(refusal([&] { read_orbit_state(write("y.opm", "CCSDS_RDM_VERS = 2.0\n"), {}, ""); }),
              HasSubstr("a CDM, an OPM or an OEM"));
  EXPECT_THAT(refusal([&] {
                read_opm(write("z.opm", kOpm + ("COV_REF_FRAME = ITRF\n" + opm_covariance(2, 1))));
              }),
              HasSubstr("not in ITRF"));
}

/// A circular orbit in rows of a minute.
std::vector<EphemerisRow> circle(int rows) {
  std::vector<EphemerisRow> all;
  const Epoch first = parse_epoch("2026-03-01T00:00:00", TimeSystem::utc);
  const double r = 7e6, rate = 1.078e-3;
  for (int n = 0; n < rows; ++n) {
    EphemerisRow row;
    const double t = 60.0 * n, c = std::cos(rate * t), s = std::sin(rate * t);
    row.epoch = later(first, t);
    row.state = {r * c, r * s, 0, -r * rate * s, r * rate * c, 1};
    row.covariance = linalg::diagonal({1e4, 4e4, 9e4, 1, 2, 3});
    row.covariance[0][4] = row.covariance[4][0] = 17;
    all.push_back(row);
  }
  return all;
}

TEST_F(OrbitFiles, OemRoundTrip) {
  const std::vector<EphemerisRow> rows = circle(5);
  const Ephemeris read = read_oem(write("x.oem", format_oem("SAT", rows, rows[0].epoch)));
  ASSERT_EQ(read.segments.size(), 1u);
  const EphemerisSegment& segment = read.segments[0];
  EXPECT_EQ(segment.object_name, "SAT");
  ASSERT_EQ(segment.epochs.size(), 5u);
  EXPECT_THAT(read.unknown, ElementsAre());
  for (std::size_t n = 0; n < 5; ++n) {
    const CartesianState state = segment.state_at(rows[n].epoch);
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(state[i], rows[n].state[i], 1e-15 * std::fabs(rows[n].state[i]));
    const auto covariance = segment.covariance_at(rows[n].epoch);
    ASSERT_TRUE(covariance);
    EXPECT_NEAR(covariance->matrix[0][4], 17, 1e-13);
    EXPECT_NEAR(covariance->matrix[2][2], 9e4, 1e-10);
  }
  EXPECT_FALSE(segment.covariance_at(later(rows[0].epoch, 1)));
  EXPECT_THAT(refusal([&] { segment.state_at(later(rows[0].epoch, 1)); }),
              HasSubstr("names no INTERPOLATION"));
  EXPECT_THAT(refusal([&] { segment.state_at(later(rows[4].epoch, 1)); }), HasSubstr("outside"));
  EXPECT_THAT(refusal([&] { segment.state_at(later(rows[0].epoch, -1)); }), HasSubstr("outside"));
  const OrbitState state = read_orbit_state(path("x.oem"), {}, "2026-03-01T00:02:00");
  EXPECT_EQ(format_epoch(state.epoch, TimeSystem::utc), "2026-03-01T00:02:00.000");
  EXPECT_THAT(refusal([&] { read_orbit_state(path("x.oem"), {}, "2026-03-01T00:02:30"); }),
              HasSubstr("no covariance at 2026-03-01T00:02:30; its first is at"));
}

// A leap second lies between the rows: UT1 - UTC jumps, UT1 - TAI does not.
TEST_F(OrbitFiles, EarthOrientation) {
  const std::string finals =
      "161231 57753.00 I  0.086300 0.000030  0.268700 0.000030  I-0.4084000 0.0000050\n"
      "17 1 1 57754.00 I  0.084300 0.000030  0.266700 0.000030  I 0.5914000 0.0000050\n"
      "17 1 2 57755.00 P\n";
  const std::string c04 =
      "# EARTH ORIENTATION PARAMETERS\n"
      "2016 12 31 0 57753.00 0.086300 0.268700 -0.4084000 0.0 0.0\n"
      "2017  1  1 0 57754.00 0.084300 0.266700  0.5914000 0.0 0.0\n";
  const std::string old_c04 =
      "  2016  12  31  57753   0.086300   0.268700  -0.4084000   0.0\n"
      "  2017   1   1  57754   0.084300   0.266700   0.5914000   0.0\n";
  constexpr double kArcSecond = 3.14159265358979323846 / 648000;
  const auto utc = [](const char* text) { return parse_epoch(text, TimeSystem::utc); };
  for (const std::string& text : {finals, c04, old_c04}) {
    const SharedOrientation table = read_earth_orientation(write("eop.txt", text));
    ASSERT_EQ(table->rows.size(), 2u);
    EXPECT_NEAR(table->at(utc("2016-12-31T12:00:00.5")).ut1_minus_utc, -0.4085, 1e-12);
    EXPECT_NEAR(table->at(utc("2016-12-31T23:59:60.5")).ut1_minus_utc, -0.4086, 1e-8);
    EXPECT_NEAR(table->at(utc("2017-01-01T00:00:00")).ut1_minus_utc, 0.5914, 1e-12);
    EXPECT_NEAR(table->at(utc("2016-12-31T12:00:00.5")).x, 0.0853 * kArcSecond, 1e-15);
    EXPECT_NEAR(table->at(utc("2016-12-31T12:00:00.5")).y, 0.2677 * kArcSecond, 1e-15);
    EXPECT_THAT(refusal([&] { table->at(utc("2017-01-01T00:00:01")); }),
                HasSubstr("eop.txt has rows from 2016-12-31T00:00:00 to 2017-01-01T00:00:00"));
    EXPECT_THAT(refusal([&] { table->at(utc("2016-12-30T23:59:59")); }), HasSubstr("none for"));
  }
}

TEST_F(OrbitFiles, StatesInItrfByATable) {
  std::string text = kOpm + ("COV_REF_FRAME = RTN\n" + opm_covariance(1, 1e-3));
  text.replace(text.find("EME2000"), 7, "ITRF");
  const std::string name = write("itrf.opm", text);
  const OrbitState plain = read_opm(name);
  ASSERT_FALSE(plain.notes.empty());
  const std::int64_t date = 51544 + plain.epoch.day;
  std::string rows;
  for (std::int64_t day = date - 1; day <= date + 2; ++day)
    rows += "2026 1 1 0 " + std::to_string(day) + " 0.1 0.2 0.25 0 0\n";
  const SharedOrientation table = read_earth_orientation(write("eop.txt", rows));
  const OrbitState found = read_opm(name, table);
  EXPECT_TRUE(found.notes.empty());
  const EarthOrientation orientation = table->at(plain.epoch);
  EXPECT_NEAR(orientation.ut1_minus_utc, 0.25, 1e-12);
  // back to ITRF without the table, and by the orientation to EME2000 again
  const Rotation there = itrf_to_eme2000(plain.epoch),
                 back = itrf_to_eme2000(plain.epoch, orientation);
  for (std::size_t i = 0; i < 3; ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) expected += back[i][j] * there[k][j] * plain.state[k];
    }
    EXPECT_NEAR(found.state[i], expected, 1e-7);
  }
}

TEST_F(OrbitFiles, EarthOrientationRefusals) {
  const auto refused = [&](const std::string& text) {
    return refusal([&] { read_earth_orientation(write("eop.txt", text)); });
  };
  const std::string row = "2026 1 1 0 61041.00 0.1 0.2 0.25 0 0\n";
  EXPECT_THAT(refused("hello\n"), HasSubstr("eop.txt holds no table of the Earth's orientation"));
  EXPECT_THAT(refused(row + row), HasSubstr("eop.txt:2: the dates of a table ascend"));
  EXPECT_THAT(refused(row + "2026 1 2 0 61042.00 0.1\n"), HasSubstr("eop.txt:2: a row of EOP C04"));
  EXPECT_THAT(refused("2026 1 1 0 61041.00 0.1 0.2 25 0 0\n"), HasSubstr("eop.txt:1: UT1 - UTC"));
  EXPECT_THROW(read_earth_orientation(path("missing.txt")), Error);
}

/// The elements of an XML message for lines of the key = value form.
std::string as_xml(const std::string& lines) {
  std::istringstream text(lines);
  std::string xml;
  for (std::string line; std::getline(text, line);) {
    const std::size_t equals = line.find(" = ");
    if (equals == std::string::npos) continue;
    const std::size_t unit = line.find(" [");
    const std::string name = line.substr(0, equals);
    if (name.compare(0, 8, "COMMENT ") == 0) {
      xml += "<COMMENT>" + line.substr(8) + "</COMMENT>\n";
      continue;
    }
    const std::string value = line.substr(equals + 3, unit - std::min(unit, equals + 3));
    xml += "<" + name;
    if (unit != std::string::npos)
      xml += " units=\"" + line.substr(unit + 2, line.find(']') - unit - 2) + "\"";
    xml += ">" + value + "</" + name + ">\n";
  }
  return xml;
}

bool reads_xml() {
  try {
    read_xml_message("x.xml", "<opm id=\"CCSDS_OPM_VERS\" version=\"2.0\"/>");
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST_F(OrbitFiles, OpmInXml) {
  if (!reads_xml()) GTEST_SKIP() << "this build has no pugixml";
  const std::string lines = kOpm + ("COV_REF_FRAME = RTN\n" + opm_covariance(2, 1));
  const std::string xml =
      "<?xml version=\"1.0\"?>\n<ndm><opm id=\"CCSDS_OPM_VERS\" version=\"2.0\"><body><segment>\n" +
      as_xml(lines.substr(lines.find('\n') + 1)) + "</segment></body></opm></ndm>\n";
  const OrbitState expected = read_opm(write("x.opm", lines)),
                   found = read_opm(write("x.xml", xml));
  EXPECT_EQ(found.state, expected.state);
  EXPECT_EQ(found.covariance.matrix, expected.covariance.matrix);
  EXPECT_EQ(found.object_name, "SAT");
  EXPECT_EQ(seconds_between(found.epoch, expected.epoch), 0);
  std::string wrong = xml;
  wrong.replace(wrong.find("<X units=\"km\">7000"), 18, "<X units=\"m\">7000 ");
  EXPECT_THAT(refusal([&] { read_opm(write("y.xml", wrong)); }),
              HasSubstr("y.xml:11: X is in km, and the line says [m]"));
  EXPECT_THAT(refusal([&] { read_opm(write("y.xml", xml.substr(0, 300))); }),
              HasSubstr("no valid XML"));
  EXPECT_THAT(refusal([&] { read_opm(write("y.xml", "<html></html>")); }),
              HasSubstr("y.xml:1: the document is no orbit message"));
}

TEST_F(Messages, CdmInXml) {
  if (!reads_xml()) GTEST_SKIP() << "this build has no pugixml";
  const ConjunctionMessage expected = read();
  const std::size_t first = m_text.find("OBJECT = OBJECT1"), second = second_object();
  const std::size_t after_version = m_text.find('\n', m_text.find("CCSDS_CDM_VERS"));
  std::ofstream(path("x.xml"))
      << "<cdm id=\"CCSDS_CDM_VERS\" version=\"1.0\">\n<body><relativeMetadataData>"
      << as_xml(m_text.substr(after_version, first - after_version))
      << "</relativeMetadataData><segment>" << as_xml(m_text.substr(first, second - first))
      << "</segment><segment>" << as_xml(m_text.substr(second)) << "</segment></body></cdm>\n";
  const ConjunctionMessage found = read_cdm(path("x.xml"));
  EXPECT_EQ(found.id, expected.id);
  EXPECT_EQ(found.hard_body_radius, expected.hard_body_radius);
  EXPECT_EQ(seconds_between(found.closest_approach, expected.closest_approach), 0);
  for (std::size_t n = 0; n < 2; ++n) {
    EXPECT_EQ(found.objects[n].state, expected.objects[n].state);
    EXPECT_EQ(found.objects[n].covariance.matrix, expected.objects[n].covariance.matrix);
  }
}

TEST_F(OrbitFiles, OemInXml) {
  if (!reads_xml()) GTEST_SKIP() << "this build has no pugixml";
  const std::vector<EphemerisRow> rows = circle(3);
  const Ephemeris expected = read_oem(write("x.oem", format_oem("SAT", rows, rows[0].epoch)));
  std::ostringstream xml;
  xml.precision(17);
  xml << "<oem id=\"CCSDS_OEM_VERS\" version=\"2.0\">\n<header/>\n<body><segment>\n<metadata>"
      << as_xml(
             "OBJECT_NAME = SAT\nOBJECT_ID = SAT\nCENTER_NAME = EARTH\nREF_FRAME = EME2000\n"
             "TIME_SYSTEM = UTC\nSTART_TIME = 2026-03-01T00:00:00\n"
             "STOP_TIME = 2026-03-01T00:02:00\n")
      << "</metadata>\n<data>\n";
  const std::string names[6] = {"X", "Y", "Z", "X_DOT", "Y_DOT", "Z_DOT"};
  for (const EphemerisRow& row : rows) {
    xml << "<stateVector><EPOCH>" << format_epoch(row.epoch, TimeSystem::utc, 6) << "</EPOCH>";
    for (std::size_t i = 0; i < 6; ++i)
      xml << "<" << names[i] << ">" << row.state[i] / 1000 << "</" << names[i] << ">";
    xml << "</stateVector>\n";
  }
  for (const EphemerisRow& row : rows) {
    xml << "<covarianceMatrix><EPOCH>" << format_epoch(row.epoch, TimeSystem::utc, 6)
        << "</EPOCH><COV_REF_FRAME>EME2000</COV_REF_FRAME>";
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const std::string name = "C" + names[i] + "_" + names[j];
        xml << "<" << name << ">" << row.covariance[i][j] / 1e6 << "</" << name << ">";
      }
    }
    xml << "</covarianceMatrix>\n";
  }
  xml << "</data></segment></body></oem>\n";
  const Ephemeris found = read_oem(write("x.xml", xml.str()));
  ASSERT_EQ(found.segments.size(), 1u);
  EXPECT_EQ(found.segments[0].states, expected.segments[0].states);
  ASSERT_EQ(found.segments[0].covariances.size(), 3u);
  EXPECT_EQ(found.segments[0].covariances[2].covariance.matrix,
            expected.segments[0].covariances[2].covariance.matrix);
  std::string lacking = xml.str();
  lacking.replace(lacking.find("<Z_DOT>"), 7, "<Z_DOT2>");
  lacking.replace(lacking.find("</Z_DOT>"), 8, "</Z_DOT2>");
  EXPECT_THAT(refusal([&] { read_oem(write("y.xml", lacking)); }),
              HasSubstr("the element stateVector lacks Z_DOT"));
  std::string doubled = xml.str();
  doubled.insert(doubled.find("<Z_DOT>"), "<X>1</X>");
  EXPECT_THAT(refusal([&] { read_oem(write("y.xml", doubled)); }),
              HasSubstr("X is given twice in the element stateVector"));
}

// Polynomials through rows of a minute: the errors are those of a polynomial of the degree.
TEST_F(OrbitFiles, OemInterpolation) {
  const std::vector<EphemerisRow> rows = circle(12);
  const std::string plain = format_oem("SAT", rows, rows[0].epoch);
  const auto error = [&](const std::string& method, double after) {
    std::string text = plain;
    text.replace(text.find("META_STOP"), 0, method);
    const Ephemeris read = read_oem(write("x.oem", text));
    const Epoch epoch = later(rows[0].epoch, after);
    const CartesianState state = read.segments[0].state_at(epoch);
    const double rate = 1.078e-3;
    EXPECT_NEAR(state[3], -7e6 * rate * std::sin(rate * after), 2e-2);
    return std::hypot(state[0] - 7e6 * std::cos(rate * after),
                      state[1] - 7e6 * std::sin(rate * after));
  };
  for (const double after : {30.0, 343.0, 650.0}) {
    EXPECT_LT(error("INTERPOLATION = LAGRANGE\nINTERPOLATION_DEGREE = 7\n", after), 1e-2);
    EXPECT_LT(error("INTERPOLATION = HERMITE\nINTERPOLATION_DEGREE = 7\n", after), 1e-3);
    EXPECT_LT(error("INTERPOLATION = HERMITE\nINTERPOLATION_DEGREE = 3\n", after), 1.0);
  }
}

TEST_F(OrbitFiles, OemRefusals) {
  const std::vector<EphemerisRow> rows = circle(3);
  const std::string whole = format_oem("SAT", rows, rows[0].epoch);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    return refused_oem(text);
  };
  EXPECT_THAT(with("CCSDS_OEM_VERS = 2.0\n", ""),
              HasSubstr("does not begin as an orbit ephemeris"));
  EXPECT_THAT(with("REF_FRAME = EME2000", "REF_FRAME = TOD"), HasSubstr("9: the frame 'TOD'"));
  EXPECT_THAT(with("TIME_SYSTEM = UTC", "TIME_SYSTEM = GMST"), HasSubstr("10: the time system"));
  EXPECT_THAT(with("CENTER_NAME = EARTH", "CENTER_NAME = MARS"), HasSubstr("8: orbits about"));
  EXPECT_THAT(with("META_START", "DATA"), HasSubstr("5: META_START is expected"));
  EXPECT_THAT(with("\n2026-03-01T00:01:00.000000", "\n2026-03-01T00:00:00.000000"),
              HasSubstr("16: the epochs of a segment must ascend"));
  EXPECT_THAT(with("META_STOP", "INTERPOLATION = SPLINE\nMETA_STOP"), HasSubstr("LAGRANGE or"));
  EXPECT_THAT(with("\nEPOCH = ", "\nEPOCH = 2026-03-01T00:00:00\nEPOCH = "),
              HasSubstr("EPOCH is given twice for the covariance of line"));
  EXPECT_THAT(with("COV_REF_FRAME = ", "COV_REF_FRAME = RTN\nCOV_REF_FRAME = "),
              HasSubstr("COV_REF_FRAME is given twice"));
  EXPECT_THAT(refused_oem(whole.substr(0, whole.find("COVARIANCE_STOP"))),
              HasSubstr("the message ends without COVARIANCE_STOP"));
  EXPECT_THAT(refused_oem(whole.substr(0, whole.find("EME2000", whole.find("COVARIANCE")) + 8)),
              HasSubstr("the message ends within a covariance"));
  EXPECT_THAT(refused_oem(whole.substr(0, whole.find("META_STOP"))),
              HasSubstr("the message ends without META_STOP"));
}

constexpr const char* kTdm =
    "CCSDS_TDM_VERS = 2.0\nCREATION_DATE = 2026-01-01T00:00:00\nORIGINATOR = TESSERA\n"
    "META_START\nTIME_SYSTEM = UTC\nPARTICIPANT_1 = STATION\nPARTICIPANT_2 = SAT\n"
    "MODE = SEQUENTIAL\nPATH = 2, 1\nANGLE_TYPE = AZEL\nMETA_STOP\nDATA_START\n"
    "RANGE = 2026-01-01T00:01:00.5 1234.5\nANGLE_1 = 2026-01-01T00:01:00.5 90\n"
    "ANGLE_2 = 2026-01-01T00:01:00.5 45\nRANGE = 2026-01-01T00:02:00 1300\nDATA_STOP\n";

TEST_F(OrbitFiles, Tdm) {
  const TrackingMessage message = read_tdm(write("x.tdm", kTdm));
  ASSERT_EQ(message.segments.size(), 1u);
  EXPECT_THAT(message.segments[0].participants, ElementsAre("STATION", "SAT"));
  EXPECT_EQ(message.segments[0].data.size(), 4u);
  EXPECT_THAT(message.unknown, ElementsAre());
  const Epoch epoch = parse_epoch("2026-01-01T00:00:00", TimeSystem::utc);
  const TrackingTable table = tracking_table(message, {"range", "azimuth", "elevation"}, epoch);
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr("1 times are left out")));
  const auto& all = table.columns;
  EXPECT_THAT(all[0], ElementsAre(60.5));  // at the other time there is a range alone
  EXPECT_THAT(all[1], ElementsAre(1234500));
  EXPECT_NEAR(all[2][0], 1.5707963267948966, 1e-15);
  EXPECT_NEAR(all[3][0], 0.7853981633974483, 1e-15);
  EXPECT_THAT(tracking_table(message, {"range"}, epoch).columns[0], ElementsAre(60.5, 120));
  const TrackingTable none = tracking_table(message, {"declination"}, epoch);
  EXPECT_THAT(none.columns[0], ElementsAre());
  EXPECT_THAT(
      none.notes,
      ElementsAre(HasSubstr("ANGLE_1 of type 'AZEL' (1), ANGLE_2 of type 'AZEL' (1), RANGE (2)")));
  EXPECT_THAT(refusal([&] { tracking_table(message, {"colour"}, epoch); }),
              HasSubstr("'colour' is not a quantity of tracking data"));
}

TEST_F(OrbitFiles, TdmRefusals) {
  const std::string whole = kTdm;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    const std::string name = write("x.tdm", text);
    return refusal([&] {
      tracking_table(read_tdm(name), {"range", "right_ascension"},
                     parse_epoch("2026-01-01T00:00:00", TimeSystem::utc));
    });
  };
  EXPECT_THAT(with("AZEL", "RADEC\nREFERENCE_FRAME = TEME"),
              HasSubstr("x.tdm:15: right ascensions are read in EME2000 and GCRF, not in TEME"));
  EXPECT_THAT(with("PATH", "CORRECTION_RANGE = 0.1\nPATH"),
              HasSubstr("x.tdm:14: the data are without CORRECTION_RANGE"));
  const std::string other = whole.substr(whole.find("META_START"));
  EXPECT_THAT(with("DATA_STOP\n",
                   "DATA_STOP\n" + std::string(other).replace(other.find("STATION"), 7, "ANTENNA")),
              HasSubstr("data of ANTENNA, SAT (path 2,1) stand beside data of STATION, SAT"));
  EXPECT_THAT(with("02:00 1300", "01:00.5 1300"), HasSubstr("x.tdm:16: RANGE is given twice"));
  EXPECT_THAT(with("VERS = 2.0", "VERS = 9.0"), HasSubstr("x.tdm:1: CCSDS_TDM_VERS = 9.0"));
  EXPECT_THAT(with("CCSDS_TDM_VERS = 2.0\n", ""), HasSubstr("x.tdm:1: the file does not begin as"));
  EXPECT_THAT(with("DATA_STOP\n", ""), HasSubstr("x.tdm:16: the message ends without DATA_STOP"));
  EXPECT_THAT(with("00.5 1234.5", "00.5 far"), HasSubstr("x.tdm:13: a datum is"));
  EXPECT_THAT(with("01:00.5 1234.5", "61:00.5 1"), HasSubstr("x.tdm:13:"));
  EXPECT_THAT(with("= UTC", "= UT1"), HasSubstr("x.tdm:5: the time system 'UT1'"));
  EXPECT_THAT(with("2, 1", "1,2,1"), HasSubstr("x.tdm:13: RANGE is read over a path of one way"));
  EXPECT_THAT(with("PATH", "RANGE_UNITS = s\nPATH"),
              HasSubstr("ranges are read in km, not in 's'"));
  EXPECT_THAT(with("DATA_START", "META_START"), HasSubstr("'META_START' does not belong here"));
}

}  // namespace
}  // namespace tessera::test
