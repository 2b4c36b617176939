// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Mean elements: SGP4 and SDP4 against the published code, OMMs, two-line elements, TEME.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "tessera/core/error.hpp"
#include "tessera/core/linalg/square.hpp"
#include "tessera/gbees/orbits/mean_elements.hpp"
#include "tessera/gbees/orbits/message_xml.hpp"
#include "tessera/gbees/orbits/orbit_state.hpp"
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

/// A row of sgp4.csv.
struct Case {
  std::string object;
  MeanElements elements;
  double minutes = 0;
  int error = 0;
  CartesianState state{};  // km and km/s, TEME
};

std::vector<Case> cases() {
  std::ifstream file(std::string(kDataDirectory) + "/gbees/sgp4.csv");
  std::string line, word;
  std::getline(file, line);
  std::vector<Case> all;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    Case one;
    std::getline(words, one.object, ',');
    std::getline(words, word, ',');
    one.elements.epoch = parse_epoch(word, TimeSystem::utc);
    std::vector<double> numbers;
    while (std::getline(words, word, ',')) numbers.push_back(std::stod(word));
    MeanElements& e = one.elements;
    double* const to[] = {&e.mean_motion, &e.eccentricity, &e.inclination, &e.node,
                          &e.perigee,     &e.anomaly,      &e.drag,        &one.minutes};
    for (std::size_t n = 0; n < 8; ++n) *to[n] = numbers[n];
    one.error = static_cast<int>(numbers[8]);
    for (std::size_t i = 0; i < 6; ++i) one.state[i] = numbers[9 + i];
    all.push_back(one);
  }
  return all;
}

TEST(Sgp4States, VerificationCases) {
  int states = 0;
  double worst = 0, worst_rate = 0;
  for (const Case& one : cases()) {
    if (one.error != 0) continue;
    const CartesianState state = Sgp4(one.elements).state_after(one.minutes);
    for (std::size_t i = 0; i < 6; ++i) {
      double& largest = i < 3 ? worst : worst_rate;
      largest = std::fmax(largest, std::fabs(state[i] - 1000 * one.state[i]));
    }
    ++states;
  }
  EXPECT_GT(states, 170);
  EXPECT_LT(worst, 1e-6) << "m";
  EXPECT_LT(worst_rate, 1e-9) << "m/s";
  RecordProperty("worst_m", std::to_string(worst));
}

TEST(Sgp4States, Errors) {
  int found = 0;
  for (const Case& one : cases()) {
    if (one.error == 0) continue;
    const char* const expected = one.error == 1   ? "the mean eccentricity leaves 0 to 1"
                                 : one.error == 3 ? "perturbed by Moon and Sun, leaves 0 to 1"
                                 : one.error == 4 ? "the semilatus rectum is negative"
                                                  : "the object has decayed";
    const std::string text = refusal([&] { Sgp4(one.elements).state_after(one.minutes); });
    EXPECT_THAT(text, HasSubstr(expected)) << one.object;
    EXPECT_THAT(text, HasSubstr("take newer elements"));
    found |= 1 << one.error;
  }
  EXPECT_EQ(found, 1 << 1 | 1 << 3 | 1 << 4 | 1 << 6);
  MeanElements e = cases().front().elements;
  e.mean_motion = 0;
  EXPECT_THAT(refusal([&] { Sgp4{e}; }), HasSubstr("the mean motion of SGP4 is above 0"));
  e = cases().front().elements;
  e.eccentricity = 1;
  EXPECT_THAT(refusal([&] { Sgp4{e}; }), HasSubstr("the eccentricity of SGP4"));
  e = cases().front().elements;
  e.inclination = 4;
  EXPECT_THAT(refusal([&] { Sgp4{e}; }), HasSubstr("the inclination of SGP4"));
}

// Vallado, Fundamentals of Astrodynamics and Applications, 4th ed., example 3-15: the state of
// example 3-14 in TEME.
TEST(Frames, TemeToEme2000) {
  const Epoch epoch = parse_epoch("2004-04-06T07:51:28.386009", TimeSystem::utc);
  const CartesianState teme{5094180.16210, 6127644.65950, 6380344.53270,
                            -4746.131487,  785.818041,    5531.931288};
  const CartesianState expected{5102508.958,  6123011.401, 6378136.928,
                                -4743.220157, 790.536497,  5533.755727};
  const CartesianState found = inertial_state(ReferenceFrame::teme, teme, epoch);
  constexpr double kArcSecond = 3.14159265358979323846 / 648000;
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(found[i], expected[i], 0.5 * kArcSecond * (i < 3 ? 1.02e7 : 7300)) << i;
  EXPECT_EQ(parse_reference_frame("TEME"), ReferenceFrame::teme);
  EXPECT_EQ(ignored_by(ReferenceFrame::teme), "");
}

constexpr const char* kOmm =
    "CCSDS_OMM_VERS = 2.0\nCREATION_DATE = 2020-10-14T00:00:00\nORIGINATOR = TESSERA\n"
    "OBJECT_NAME = VANGUARD 1\nOBJECT_ID = 1958-002B\nCENTER_NAME = EARTH\nREF_FRAME = TEME\n"
    "TIME_SYSTEM = UTC\nMEAN_ELEMENT_THEORY = SGP4\nEPOCH = 2000-06-27T18:50:19.733568\n"
    "MEAN_MOTION = 10.82419157 [rev/day]\nECCENTRICITY = 0.1859667\nINCLINATION = 34.2682 [deg]\n"
    "RA_OF_ASC_NODE = 348.7242 [deg]\nARG_OF_PERICENTER = 331.7664 [deg]\n"
    "MEAN_ANOMALY = 19.3264 [deg]\nEPHEMERIS_TYPE = 0\nNORAD_CAT_ID = 5\nBSTAR = 0.28098e-4\n"
    "MEAN_MOTION_DOT = 0.00000023\nMEAN_MOTION_DDOT = 0\n";

constexpr const char* kTle =
    "VANGUARD 1\n1 00005U 58002B   00179.78495062  .00000023  00000-0  28098-4 0  4753\n"
    "2 00005  34.2682 348.7242 1859667 331.7664  19.3264 10.82419157413667\n";

/// Files of mean elements.
class Elements : public Scratch {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

  /// What a reader says of a text with one change, without the file's name.
  template <class Read>
  std::string refused(const Read& read, std::string text, const std::string& from,
                      const std::string& to) const {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const std::string name = write("x.omm", text);
    const std::string message = refusal([&] { read(name); });
    EXPECT_THAT(message, HasSubstr(name + ":"));
    return message.substr(std::min(message.size(), name.size() + 1));
  }
};

/// The covariance of a message with deviations in km and km/s.
std::string covariance(const std::string& frame, double position, double speed) {
  const std::string names[6] = {"X", "Y", "Z", "X_DOT", "Y_DOT", "Z_DOT"};
  std::ostringstream text;
  text << "COV_REF_FRAME = " << frame << "\n";
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j <= i; ++j) {
      const double deviation = i < 3 ? position : speed;
      text << "C" << names[i] << "_" << names[j] << " = "
           << (i == j ? (1 + i) * deviation * deviation : 0) << "\n";
    }
  }
  return text.str();
}

TEST_F(Elements, OmmAndTleAreTheSame) {
  const MeanElementSet omm = read_omm(write("x.omm", kOmm)), tle = read_tle(write("x.tle", kTle));
  EXPECT_EQ(omm.object_name, "VANGUARD 1");
  EXPECT_EQ(tle.object_name, "VANGUARD 1");
  EXPECT_EQ(omm.line, 10);
  EXPECT_EQ(tle.line, 2);
  EXPECT_THAT(omm.unknown, ElementsAre());
  EXPECT_NEAR(seconds_between(omm.elements.epoch, tle.elements.epoch), 0, 1e-5);
  const Epoch epoch = parse_epoch("2000-06-28T06:50:19.733568", TimeSystem::utc);
  const CartesianState a = omm.state_at(epoch), b = tle.state_at(epoch);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(a[i], b[i], i < 3 ? 0.2 : 2e-4) << i;
  // The published state after 720 minutes, turned.
  const CartesianState teme{-7134593.401193, 6531686.413344, 3260271.864826,
                            -4113.793027,    -2911.922039,   -2557.327851};
  const CartesianState expected = inertial_state(ReferenceFrame::teme, teme, epoch);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(a[i], expected[i], i < 3 ? 1e-3 : 1e-6) << i;
}

TEST_F(Elements, States) {
  const std::string name = write("x.omm", kOmm + covariance("RTN", 1, 1e-3));
  const OrbitState own = read_orbit_state(name, {}, "");
  EXPECT_EQ(format_epoch(own.epoch, TimeSystem::utc, 3), "2000-06-27T18:50:19.734");
  const Rotation axes = rtn_axes(own.state);
  double along = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      along += axes[1][i] * own.covariance.matrix[i][j] * axes[1][j];
  }
  EXPECT_NEAR(along, 2e6, 1e-6);  // T is the second axis
  EXPECT_THAT(own.notes, ElementsAre());
  const OrbitState old = read_orbit_state(name, {}, "2000-07-12T00:00:00");
  ASSERT_EQ(old.notes.size(), 1u);
  EXPECT_THAT(old.notes[0], HasSubstr("x.omm:10: the state is 14 days from the epoch"));
  EXPECT_THAT(refusal([&] { read_orbit_state(write("y.omm", kOmm), {}, ""); }),
              HasSubstr("y.omm:10: mean elements without a covariance\n  remedy: give "
                        "initial.covariance"));
  EXPECT_EQ(read_orbit_state(path("y.omm"), {}, "", {}, CovarianceOf::user).state, own.state);
  EXPECT_EQ(read_orbit_state(write("y.tle", kTle), {}, "", {}, CovarianceOf::user).object_name,
            "VANGUARD 1");
  EXPECT_TRUE(is_orbit_file("a.omm") && is_orbit_file("a.tle") && !is_orbit_file("a.csv"));
  EXPECT_THAT(refusal([&] { read_orbit_state(name, 1, ""); }), HasSubstr("leave 'object' out"));
}

// An orbit that is moved along itself stays so: a deviation along (v, a) at the epoch is one along
// (v, a) at any other time, of the same seconds.
TEST_F(Elements, CovarianceIsCarried) {
  const MeanElementSet set = read_omm(write("x.omm", kOmm + covariance("TEME", 1, 1e-3)));
  const auto motion = [&](const Epoch& epoch) {
    const CartesianState next = set.state_at(later(epoch, 0.5)),
                         last = set.state_at(later(epoch, -0.5));
    std::vector<double> rate(6);
    for (std::size_t i = 0; i < 6; ++i) rate[i] = next[i] - last[i];
    return rate;
  };
  const auto outer = [](const std::vector<double>& v) {
    linalg::Matrix matrix(6, std::vector<double>(6));
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) matrix[i][j] = v[i] * v[j];
    }
    return matrix;
  };
  MeanElementSet moved = set;
  moved.covariance->matrix = outer(motion(set.elements.epoch));
  const Epoch end = later(set.elements.epoch, 86400);
  const linalg::Matrix found = moved.covariance_at(end), expected = outer(motion(end));
  for (std::size_t i = 0; i < 6; ++i) {
    const double size = std::sqrt(expected[i][i]);
    EXPECT_NEAR(std::sqrt(found[i][i]) / size, 1, 2e-3) << i;
  }
  // At the epoch it is the given one, and its sum of squares does not depend on the axes.
  const linalg::Matrix start = set.covariance_at(set.elements.epoch);
  EXPECT_NEAR(start[0][0] + start[1][1] + start[2][2], 6e6, 1);
}

TEST_F(Elements, OmmRefusals) {
  const auto with = [&](const std::string& from, const std::string& to) {
    return refused([](const std::string& name) { read_omm(name); }, kOmm, from, to);
  };
  EXPECT_THAT(with("= SGP4", "= DSST"), HasSubstr("9: mean elements of SGP4 are read, not of"));
  EXPECT_THAT(with("= TEME", "= EME2000"), HasSubstr("7: elements of SGP4 are in TEME"));
  EXPECT_THAT(with("= EARTH", "= MARS"), HasSubstr("6: orbits about the Earth"));
  EXPECT_THAT(with("EPHEMERIS_TYPE = 0", "EPHEMERIS_TYPE = 4"), HasSubstr("17: EPHEMERIS_TYPE"));
  EXPECT_THAT(with("0.1859667", "1.1859667"), HasSubstr("12: ECCENTRICITY is 0 or more and below"));
  EXPECT_THAT(with("34.2682", "-3"), HasSubstr("13: INCLINATION is 0 to 180 degrees"));
  EXPECT_THAT(with("[rev/day]", "[rad/s]"), HasSubstr("11: MEAN_MOTION is in rev/day"));
  EXPECT_THAT(with("10.82419157", "0"), HasSubstr("11: MEAN_MOTION is above 0"));
  EXPECT_THAT(with("BSTAR = 0.28098e-4\n", ""), HasSubstr("20: the message ends without BSTAR"));
  EXPECT_THAT(with("348.7242", "NaN"), HasSubstr("14: RA_OF_ASC_NODE = 'NaN' is not a finite"));
  EXPECT_THAT(with("2000-06-27T", "2000-06-31T"), HasSubstr("10: '2000-06-31T"));
  EXPECT_THAT(with("ORIGINATOR", "META_START\nORIGINATOR"), HasSubstr("3: the line is neither"));
  EXPECT_THAT(with("CCSDS_OMM_VERS", "CCSDS_OPM_VERS"),
              HasSubstr("does not begin as an orbit mean"));
  // Elements of no orbit at their epoch, and a time where there is no state any more.
  EXPECT_THAT(with("10.82419157", "19"), HasSubstr("10: SGP4 has no state 0 minutes"));
  std::string text = kOmm;
  text.replace(text.find("0.28098e-4"), 10, "0.28098");
  const MeanElementSet set = read_omm(write("x.omm", text));
  EXPECT_THAT(refusal([&] { set.state_at(later(set.elements.epoch, 86400.0 * 365)); }),
              HasSubstr("x.omm:10: SGP4 has no state 525600 minutes after its epoch"));
}

TEST_F(Elements, TleRefusals) {
  const auto with = [&](const std::string& from, const std::string& to) {
    return refused([](const std::string& name) { read_tle(name); }, kTle, from, to);
  };
  EXPECT_THAT(with("34.2682", "34.2683"), HasSubstr("3: the checksum in column 69 is '7'"));
  EXPECT_THAT(with("0  4753", "0  475"), HasSubstr("2: the line has 68 columns"));
  EXPECT_THAT(with("2 00005", "2 00014"), HasSubstr("3: line 2 is of object 00014"));
  EXPECT_THAT(with("00179.", "00x79."), HasSubstr("2: "));
  EXPECT_THAT(with("2 00005", "3 00005"), HasSubstr("1: the file holds no two-line elements"));
  EXPECT_THAT(refusal([&] { read_tle(write("x.tle", std::string(kTle) + kTle)); }),
              HasSubstr("x.tle:4: the file holds more than one object"));
  EXPECT_THAT(refusal([&] { read_tle(write("x.tle", "")); }),
              HasSubstr("x.tle:1: the file holds no two-line elements"));
}

bool reads_xml() {
  try {
    read_xml_message("x.xml", "<omm id=\"CCSDS_OMM_VERS\" version=\"2.0\"/>");
  } catch (const Error&) {
    return false;
  }
  return true;
}

TEST_F(Elements, Xml) {
  if (!reads_xml()) GTEST_SKIP() << "this build has no pugixml";
  std::istringstream lines(kOmm);
  std::string leaves, line;
  while (std::getline(lines, line)) {
    const std::size_t equals = line.find(" = ");
    const std::string keyword = line.substr(0, equals);
    std::string value = line.substr(equals + 3);
    value = value.substr(0, value.find(" ["));
    if (keyword != "CCSDS_OMM_VERS") leaves += "<" + keyword + ">" + value + "</" + keyword + ">\n";
  }
  const std::string text =
      "<?xml version=\"1.0\"?>\n<ndm>\n<omm id=\"CCSDS_OMM_VERS\" version=\"2.0\">\n<body><segment>"
      "<data>\n" +
      leaves + "</data></segment></body>\n</omm>\n</ndm>\n";
  const MeanElementSet xml = read_omm(write("x.xml", text)), kvn = read_omm(write("x.omm", kOmm));
  EXPECT_EQ(xml.state_at(xml.elements.epoch), kvn.state_at(kvn.elements.epoch));
  EXPECT_EQ(read_orbit_state(path("x.xml"), {}, "", {}, CovarianceOf::user).object_name,
            "VANGUARD 1");
}

}  // namespace
}  // namespace tessera::test
