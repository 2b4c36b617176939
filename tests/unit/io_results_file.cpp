// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <string>

#include "tessera/core/io/input_difference.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tessera/core/io/sha256.hpp"
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
    writer.commit_beside(stamp_file(path("a.restart.h5")));
    return path("a.restart.h5");
  }

  /// An HDF5 file with this format and no seal.
  std::string unsealed(const std::string& format) const {
    File file = File::create(path("unsealed.h5"));
    file.root().set_attribute("format", format);
    file.root().set_attribute("format_version", "1.0");
    file.commit();
    return path("unsealed.h5");
  }

  /// A file with these bytes.
  std::string file(const std::string& bytes) const {
    test::write_text(path("b.restart.h5"), bytes);
    return path("b.restart.h5");
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
  EXPECT_THAT(text("created"),
              ::testing::MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"));
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
      "\n  remedy: use the input of the interrupted run (only 'backend', 'run' and 'output' may "
      "change), or start again";
  Provenance now = provenance();
  now.input_resolved.replace(now.input_resolved.find("1e-07"), 5, "1e-06");
  EXPECT_ERROR(
      RestartReader(restart(), now), ErrorKind::input,
      start + "the input differs: 'threshold: 1e-07' in the restart file, 'threshold: 1e-06' now" +
          remedy);
  now.input_resolved = kResolved + "measurement:\n  count: 3\n";
  EXPECT_ERROR(
      RestartReader(restart(), now), ErrorKind::input,
      start + "the input differs: nothing in the restart file, 'measurement:' now" + remedy);
  now.input_resolved = "app: gbees\n";
  EXPECT_ERROR(RestartReader(restart(), now), ErrorKind::input,
               start + "the input differs: 'grid:' in the restart file, nothing now" + remedy);
}

/// Values that may change, and lists that may grow.
TEST(IoInputDifference, HeedsWhatMayChange) {
  const std::string before =
      "time:\n  end: 1\n  records: 3\nend: 4\nlist:\n  - {time: 1}\noutput:\n  a: 1\n";
  const Changeable some{{"time.end"}, {"list"}};
  const auto now = [&](const std::string& from, const std::string& to) {
    std::string text = before;
    return input_difference(before, text.replace(text.find(from), from.size(), to), some);
  };
  EXPECT_EQ(now("end: 1", "end: 2"), "");
  EXPECT_EQ(now("records: 3", "records: 4"), "'records: 3' in the restart file, 'records: 4' now");
  EXPECT_EQ(now("end: 4", "end: 5"), "'end: 4' in the restart file, 'end: 5' now");
  EXPECT_EQ(now("  - {time: 1}\n", "  - {time: 1}\n  - {time: 2}\n"), "");
  EXPECT_EQ(now("  - {time: 1}\n", "  - {time: 2}\n  - {time: 1}\n"),
            "'- {time: 1}' in the restart file, '- {time: 2}' now");
  EXPECT_EQ(now("list:\n  - {time: 1}\n", "list: []\n"),
            "'- {time: 1}' in the restart file, nothing now");
  EXPECT_EQ(input_difference("list: []\n", "list:\n  - {time: 2}\n", some), "");
  EXPECT_EQ(input_difference("list: []\n", "list:\n  - {time: 2}\n"),
            "'list: []' in the restart file, 'list:' now");
}

TEST_F(IoResultsFile, AnotherRunIsRefused) {
  const std::string start = "cannot continue from '" + path("a.restart.h5") + "': ";
  Provenance now = provenance();
  now.app = "mpr";
  EXPECT_ERROR(
      RestartReader(restart(), now), ErrorKind::input,
      start + "it belongs to tessera-gbees, this is tessera-mpr\n  remedy: run tessera-gbees");
  now = provenance();
  now.precision = "single";
  EXPECT_ERROR(RestartReader(restart(), now), ErrorKind::input,
               start +
                   "it was written in double precision, this run is in single\n  remedy: use the "
                   "same precision");
  now = provenance();
  now.seed = 1;
  EXPECT_ERROR(
      RestartReader(restart(), now), ErrorKind::input,
      start +
          "its seed is 18446744073709551615, the seed of this run 1\n  remedy: use the same seed");
}

TEST_F(IoResultsFile, AnotherKindOfFileIsRefused) {
  ResultsFile results(path("a.h5"), provenance());
  results.commit();
  EXPECT_ERROR(RestartReader(path("a.h5"), provenance()), ErrorKind::file,
               "'" + path("a.h5") +
                   "' is a results file, not a restart file\n  remedy: give the file that ends in "
                   ".restart.h5");
  EXPECT_ERROR(
      RestartReader(unsealed("other"), provenance()), ErrorKind::file,
      "'" + path("unsealed.h5") +
          "' is not a restart file of Tessera\n  remedy: give the file that ends in .restart.h5");
  const std::string remedy =
      "; this program reads 2.3\n  remedy: continue it with the version of Tessera that wrote it, "
      "or start again";
  EXPECT_ERROR(RestartReader(unsealed("tessera-restart"), provenance()), ErrorKind::file,
               "'" + path("unsealed.h5") + "' has the restart format 1.0" + remedy);
  std::string newer = test::read_text(restart());
  newer.replace(newer.find("2.3"), 3, "3.2");
  EXPECT_ERROR(RestartReader(file(newer), provenance()), ErrorKind::file,
               "'" + path("b.restart.h5") + "' has the restart format 3.2" + remedy);
  EXPECT_ERROR(
      RestartReader(path("none.h5"), provenance()), ErrorKind::file,
      "cannot read '" + path("none.h5") + "': No such file or directory\n  remedy: check the name");
}

TEST_F(IoResultsFile, ARestartFileIsSealed) {
  const std::string bytes = test::read_text(restart());
  const std::string content = bytes.substr(512);
  std::string seal = "tessera-restart 2.3\nbytes " + std::to_string(content.size()) + "\nsha256 " +
                     sha256(content.data(), content.size()) + "\n";
  seal.resize(512, '\0');
  EXPECT_EQ(bytes.substr(0, 512), seal);
}

/// Every byte counts, and every length.
TEST_F(IoResultsFile, ADamagedRestartFileIsRefused) {
  const std::string whole = test::read_text(restart());
  for (std::size_t at = 0; at < whole.size(); at += at < 600 ? 1 : 97) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
    const auto error = test::catch_error([&] { RestartReader(file(bytes), provenance()); });
    ASSERT_TRUE(error.has_value()) << at;
    EXPECT_EQ(error->kind(), ErrorKind::file) << at;
    EXPECT_NE(std::string(error->what()).find(path("b.restart.h5")), std::string::npos)
        << error->what();
    EXPECT_NE(std::string(error->what()).find("start again"), std::string::npos) << error->what();
  }
  const std::string damaged = "the restart file '" + path("b.restart.h5") + "' is damaged: ";
  std::string flipped = whole;
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  EXPECT_ERROR(RestartReader(file(flipped), provenance()), ErrorKind::file,
               damaged + "its " + std::to_string(whole.size()) +
                   " bytes are not those that were written\n  remedy: start again");
  EXPECT_ERROR(RestartReader(file(whole.substr(0, 1000)), provenance()), ErrorKind::file,
               damaged + "its 1000 bytes are not those that were written\n  remedy: start again");
  EXPECT_ERROR(RestartReader(file(whole.substr(0, 30)), provenance()), ErrorKind::file,
               damaged + "it ends after 30 bytes\n  remedy: start again");
  EXPECT_ERROR(RestartReader(file(whole + "x"), provenance()), ErrorKind::file,
               damaged + "its " + std::to_string(whole.size() + 1) +
                   " bytes are not those that were written\n  remedy: start again");
  for (const std::string& none : {std::string(), std::string(5000, 'x'), whole.substr(0, 10)}) {
    EXPECT_ERROR(
        RestartReader(file(none), provenance()), ErrorKind::file,
        "cannot read '" + path("b.restart.h5") +
            "': it is not an HDF5 file or is damaged\n  remedy: check the name, or start again");
  }
}

/// Numbers of a restart file have Fletcher-32 checksums, which HDF5 itself checks.
TEST_F(IoResultsFile, DatasetsOfARestartFileHaveChecksums) {
  RestartWriter writer(path("a.restart.h5"), provenance());
  writer.state().write("few", std::vector<double>{1, 2, 3}, {});
  writer.state().write("many", std::vector<double>(300000, 0.5), {});
  writer.state().write("none", std::vector<double>(), {});
  writer.commit_beside({});
  const RestartReader reader(path("a.restart.h5"), provenance());
  for (const char* name : {"few", "many"}) {
    const hid_t dataset = H5Dopen2(reader.state().id(), name, H5P_DEFAULT);
    const hid_t creation = H5Dget_create_plist(dataset);
    unsigned flags = 0;
    std::size_t values = 0;
    EXPECT_GE(H5Pget_filter_by_id2(creation, H5Z_FILTER_FLETCHER32, &flags, &values, nullptr, 0,
                                   nullptr, nullptr),
              0)
        << name;
    H5Pclose(creation);
    H5Dclose(dataset);
  }
  EXPECT_EQ(reader.state().read<double>("few"), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(reader.state().read<double>("many"), std::vector<double>(300000, 0.5));
  EXPECT_TRUE(reader.state().read<double>("none").empty());
}

TEST_F(IoResultsFile, SaysWhichFilesWereRead) {
  Provenance now = provenance();
  now.files = {{"a.csv", "12ab", 7}, {"masks/b.npy", "34cd", 1u << 20}};
  ResultsFile results(path("a.h5"), now);
  results.commit();
  const File file = File::open(path("a.h5"), File::Role::own);
  EXPECT_EQ(file.root().read<std::string>("provenance/files/name"),
            (std::vector<std::string>{"a.csv", "masks/b.npy"}));
  EXPECT_EQ(file.root().read<std::string>("provenance/files/sha256"),
            (std::vector<std::string>{"12ab", "34cd"}));
  EXPECT_EQ(file.root().read<int>("provenance/files/bytes"), (std::vector<int>{7, 1 << 20}));
  RestartWriter writer(path("a.restart.h5"), now);
  writer.commit_beside({});
  const auto files = RestartReader(path("a.restart.h5"), now).files();
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[1].name, "masks/b.npy");
  EXPECT_EQ(files[1].sha256, "34cd");
  EXPECT_EQ(files[1].bytes, 1u << 20);
}

TEST(Version, TextNamesVersionCommitAndKokkos) {
  const std::string text = version_text();
  for (const char* part : {build_info().version, build_info().git_commit, build_info().compiler,
                           build_info().kokkos_version}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace tessera::io
