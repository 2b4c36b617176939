// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <string>

#include "tessera/core/io/results_file.hpp"
#include "tessera/core/version.hpp"
#include "tests/unit/io_scratch.hpp"

namespace tessera::io {
namespace {

using test::Scratch;

const std::string kResolved =
    "app: gbees\n"
    "grid:\n"
    "  width: [0.5, 0.5]\n"
    "  threshold: 1e-07\n"
    "run:\n"
    "  checkpoint_every: 10\n"
    "  nested:\n"
    "    deep: 1\n"
    "dynamics:\n"
    "  name: lorenz63\n"
    "output:\n"
    "  every: 5\n";

class IoResultsFile : public Scratch {
 protected:
  static Provenance provenance() {
    Provenance p;
    p.app = "gbees";
    p.backend = "serial";
    p.device_name = "a processor";
    p.command_line = "tessera-gbees a.yaml";
    p.seed = 18446744073709551615u;
    p.input_yaml = "app: gbees  # as written\n";
    p.input_resolved = kResolved;
    return p;
  }

  std::string restart() const {
    RestartWriter writer(path("a.restart.h5"), provenance());
    writer.state().write_scalar("step", 12, {});
    writer.commit();
    return path("a.restart.h5");
  }

  /// A restart file whose attribute `name` is changed.
  std::string altered(const std::string& name, const std::string& value) const {
    File file = File::create(path("altered.h5"));
    const Group root = file.root();
    root.set_attribute("format", "tessera-restart");
    root.set_attribute("format_version", "1.0");
    root.set_attribute("software_version", "9.8.7");
    root.set_attribute(name, value);
    file.commit();
    return path("altered.h5");
  }
};

TEST_F(IoResultsFile, CarriesItsProvenance) {
  ResultsFile writer(path("a.h5"), provenance());
  writer.results().write_scalar("mass", 1.0, {"1", "total mass"});
  writer.commit();

  const File file = File::open(path("a.h5"));
  const Group root = file.root();
  const auto text = [&](const std::string& name) { return root.attribute<std::string>(name); };
  EXPECT_EQ(text("format"), "tessera-results");
  EXPECT_EQ(text("format_version"), "1.0");
  EXPECT_EQ(text("software"), "tessera");
  EXPECT_EQ(text("software_version"), build_info().version);
  EXPECT_EQ(text("git_commit"), build_info().git_commit);
  EXPECT_EQ(text("build_type"), build_info().build_type);
  EXPECT_EQ(text("compiler"), build_info().compiler);
  EXPECT_EQ(text("cxx_flags"), build_info().cxx_flags);
  EXPECT_EQ(text("kokkos_version"), build_info().kokkos_version);
  EXPECT_EQ(text("app"), "gbees");
  EXPECT_EQ(text("backend"), "serial");
  EXPECT_EQ(text("device_name"), "a processor");
  EXPECT_EQ(text("precision"), "double");
  EXPECT_EQ(root.attribute<std::uint64_t>("seed"), 18446744073709551615u);
  EXPECT_EQ(text("command_line"), "tessera-gbees a.yaml");
  EXPECT_EQ(text("run_status"), "complete");
  EXPECT_THAT(text("created"), ::testing::MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"));
  EXPECT_FALSE(text("hostname").empty());
  EXPECT_EQ(root.read_scalar<std::string>("input/yaml"), provenance().input_yaml);
  EXPECT_EQ(root.read_scalar<std::string>("input/resolved"), kResolved);
  EXPECT_EQ(root.read_scalar<double>("results/mass"), 1.0);
}

TEST_F(IoResultsFile, TimingsAreATable) {
  ResultsFile writer(path("a.h5"), provenance());
  writer.write_timings({{"tessera::gbees::advect", 7, 1.5}, {"tessera::gbees::prune", 3, 0.25}});
  writer.commit();

  const File file = File::open(path("a.h5"));
  EXPECT_EQ(file.root().attribute<std::string>("units", "timings"), "s");
  EXPECT_EQ(file.root().shape("timings"), Shape{2});
  const hid_t dataset = H5Dopen2(file.root().id(), "timings", H5P_DEFAULT);
  const hid_t seconds = H5Tcreate(H5T_COMPOUND, sizeof(double));
  H5Tinsert(seconds, "seconds", 0, H5T_NATIVE_DOUBLE);
  double values[2] = {};
  EXPECT_GE(H5Dread(dataset, seconds, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
  EXPECT_EQ(values[0], 1.5);
  EXPECT_EQ(values[1], 0.25);
  H5Tclose(seconds);
  H5Dclose(dataset);
}

TEST_F(IoResultsFile, TimingsMayBeEmpty) {
  ResultsFile writer(path("a.h5"), provenance());
  writer.write_timings({});
  writer.commit();
  EXPECT_EQ(File::open(path("a.h5")).root().shape("timings"), Shape{0});
}

TEST_F(IoResultsFile, RestartComesBack) {
  const RestartReader reader(restart(), provenance());
  EXPECT_EQ(reader.state().read_scalar<int>("step"), 12);
}

TEST_F(IoResultsFile, RunAndOutputMayChange) {
  Provenance now = provenance();
  now.backend = "openmp";
  now.input_resolved =
      "# a comment\n"
      "run:\n"
      "  checkpoint_every: 99\n"
      "app: gbees\n"
      "\n"
      "grid:\n"
      "  width: [0.5, 0.5]\n"
      "  threshold: 1e-07\n"
      "dynamics:\n"
      "  name: lorenz63\n";
  EXPECT_NO_THROW(RestartReader(restart(), now));
}

TEST_F(IoResultsFile, AnotherInputIsRefused) {
  const std::string start = "cannot continue from '" + path("a.restart.h5") + "': ";
  const std::string remedy =
      "\n  remedy: use the input of the interrupted run (only 'backend', 'run' and 'output' may change), or start anew";
  Provenance now = provenance();
  now.input_resolved.replace(now.input_resolved.find("1e-07"), 5, "1e-06");
  EXPECT_ERROR(RestartReader(restart(), now), ErrorKind::input,
               start + "the input differs: 'threshold: 1e-07' in the restart file, 'threshold: 1e-06' now" + remedy);
  now.input_resolved = kResolved + "measurement:\n  count: 3\n";
  EXPECT_ERROR(RestartReader(restart(), now), ErrorKind::input,
               start + "the input differs: nothing in the restart file, 'measurement:' now" + remedy);
  now.input_resolved = "app: gbees\n";
  EXPECT_ERROR(RestartReader(restart(), now), ErrorKind::input,
               start + "the input differs: 'grid:' in the restart file, nothing now" + remedy);
}

TEST_F(IoResultsFile, AnotherRunIsRefused) {
  const std::string start = "cannot continue from '" + path("a.restart.h5") + "': ";
  Provenance now = provenance();
  now.app = "mpr";
  EXPECT_ERROR(RestartReader(restart(), now), ErrorKind::input,
               start + "it belongs to tessera-gbees, this is tessera-mpr\n  remedy: run tessera-gbees");
  now = provenance();
  now.precision = "single";
  EXPECT_ERROR(RestartReader(restart(), now), ErrorKind::input,
               start + "it was written in double precision, this run is in single\n  remedy: use the same precision");
  now = provenance();
  now.seed = 1;
  EXPECT_ERROR(RestartReader(restart(), now), ErrorKind::input,
               start + "its seed is 18446744073709551615, the seed of this run 1\n  remedy: use the same seed");
}

TEST_F(IoResultsFile, AnotherKindOfFileIsRefused) {
  ResultsFile results(path("a.h5"), provenance());
  results.commit();
  EXPECT_ERROR(RestartReader(path("a.h5"), provenance()), ErrorKind::file,
               "'" + path("a.h5") + "' is a results file, not a restart file\n  remedy: give the file that ends in .restart.h5");
  EXPECT_ERROR(RestartReader(altered("format", "other"), provenance()), ErrorKind::file,
               "'" + path("altered.h5") + "' is not a restart file of Tessera\n  remedy: give the file that ends in .restart.h5");
  EXPECT_ERROR(RestartReader(altered("format_version", "2.0"), provenance()), ErrorKind::file,
               "'" + path("altered.h5") +
                   "' has the restart format 2.0; this program reads 1.0\n"
                   "  remedy: continue it with the version that wrote it (9.8.7), or start anew");
  EXPECT_ERROR(RestartReader(path("none.h5"), provenance()), ErrorKind::file,
               "cannot read '" + path("none.h5") + "': No such file or directory\n  remedy: check the name");
}

TEST(Version, TextNamesVersionCommitAndKokkos) {
  const std::string text = version_text();
  for (const char* part : {build_info().version, build_info().git_commit, build_info().compiler, build_info().kokkos_version}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace tessera::io
