// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "tessera/core/io/file.hpp"
#include "tests/unit/io_scratch.hpp"

namespace tessera::io {
namespace {

namespace fs = std::filesystem;
using test::read_text;
using test::Scratch;
using test::write_text;
using ::testing::ElementsAre;
using ::testing::MatchesRegex;

class IoFile : public Scratch {
 protected:
  void write_number(const std::string& name, double value) const {
    File file = File::create(path(name));
    file.root().write_scalar("x", value, {});
    file.commit();
  }
  double read_number(const std::string& name) const {
    return File::open(path(name)).root().read_scalar<double>("x");
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder()))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  fs::perms mode(const std::string& name) const { return fs::status(path(name)).permissions(); }
};

TEST_F(IoFile, TakesItsNameOnlyWhenCommitted) {
  write_number("a.h5", 1);
  {
    File file = File::create(path("a.h5"));
    file.root().write_scalar("x", 2.0, {});
    EXPECT_THAT(files(), ElementsAre("a.h5", MatchesRegex("a\\.h5\\.[a-z2-7]{13}\\.tmp")));
    EXPECT_EQ(read_number("a.h5"), 1);
    file.commit();
    EXPECT_THAT(files(), ElementsAre("a.h5"));
  }
  EXPECT_EQ(read_number("a.h5"), 2);
}

TEST_F(IoFile, WithoutCommitNothingChanges) {
  write_number("a.h5", 1);
  const std::string before = read_text(path("a.h5"));
  {
    const File file = File::create(path("a.h5"));
    const Group kept = file.root().group("results");
    kept.write("x", std::vector<double>(1000000, 2.0), {});
  }
  EXPECT_EQ(read_text(path("a.h5")), before);
  EXPECT_THAT(files(), ElementsAre("a.h5"));
}

TEST_F(IoFile, AMovedFileIsRemovedOnce) {
  {
    File first = File::create(path("a.h5"));
    File second = std::move(first);
    first = File::create(path("b.h5"));
    second.commit();
  }
  EXPECT_THAT(files(), ElementsAre("a.h5"));
}

TEST_F(IoFile, EqualContentsGiveEqualBytes) {
  write_number("a.h5", 1);
  write_number("b.h5", 1);
  EXPECT_EQ(read_text(path("a.h5")), read_text(path("b.h5")));
}

TEST_F(IoFile, ASecondWriterIsRefused) {
  const File first = File::create(path("a.h5"));
  EXPECT_ERROR(File::create(path("a.h5")), ErrorKind::file,
               "another process is writing '" + path("a.h5") +
                   "'\n  remedy: wait for it or choose another output");
  EXPECT_THAT(files(), ElementsAre(MatchesRegex("a\\.h5\\.[a-z2-7]{13}\\.tmp")));
}

TEST_F(IoFile, ALeftoverOfAKilledRunIsRemoved) {
  write_text(path("a.h5.abcdefghijklm.tmp"), std::string(100000, 'x'));
  write_number("a.h5", 3);
  EXPECT_EQ(read_number("a.h5"), 3);
  EXPECT_THAT(files(), ElementsAre("a.h5"));
}

TEST_F(IoFile, FilesOfTheUserAreLeftAlone) {
  const std::vector<std::string> names{"a.h5.ABCDEFGHIJKLM.tmp", "a.h5.abc.tmp",
                                       "a.h5.abcdefghijklm.tmp.gz", "a.h5.tmp",
                                       "b.h5.abcdefghijklm.tmp"};
  for (const std::string& name : names) write_text(path(name), "mine");
  fs::create_symlink(path("a.h5.tmp"), path("a.h5.abcdefghijklm.tmp"));
  fs::create_directory(path("a.h5.nopqrstuvwxyz.tmp"));
  write_number("a.h5", 3);
  for (const std::string& name : names) EXPECT_EQ(read_text(path(name)), "mine") << name;
  EXPECT_EQ(files().size(), names.size() + 3);
}

TEST_F(IoFile, TakesTheModeOfTheFileThatItReplaces) {
  write_number("a.h5", 1);
  for (const unsigned wanted : {0600u, 0640u, 0444u, 0666u}) {
    fs::permissions(path("a.h5"), static_cast<fs::perms>(wanted));
    File file = File::create(path("a.h5"));
    EXPECT_EQ(mode(files()[1]), static_cast<fs::perms>(wanted));
    file.commit();
    EXPECT_EQ(mode("a.h5"), static_cast<fs::perms>(wanted));
  }
}

TEST_F(IoFile, WhatHasAppearedSinceIsKept) {
  const auto write = [&](double value, const FileStamp& replaceable) {
    File file = File::create(path("a.h5"));
    file.root().write_scalar("x", value, {});
    return file.commit_beside(replaceable);
  };
  EXPECT_EQ(write(1, {}), path("a.h5"));
  const FileStamp first = stamp_file(path("a.h5"));
  EXPECT_EQ(write(2, first), path("a.h5"));
  EXPECT_EQ(read_number("a.h5"), 2);
  EXPECT_EQ(write(3, first), path("a.1.h5"));
  EXPECT_EQ(write(4, {}), path("a.2.h5"));
  EXPECT_EQ(read_number("a.h5"), 2);
  EXPECT_EQ(read_number("a.1.h5"), 3);
  EXPECT_EQ(read_number("a.2.h5"), 4);
  EXPECT_THAT(files(), ElementsAre("a.1.h5", "a.2.h5", "a.h5"));
}

TEST_F(IoFile, ASymbolicLinkStays) {
  fs::create_directory(path("disk"));
  fs::create_symlink(path("disk/real.h5"), path("a.h5"));
  write_number("a.h5", 1);
  write_number("a.h5", 2);
  EXPECT_TRUE(fs::is_symlink(path("a.h5")));
  EXPECT_EQ(read_number("disk/real.h5"), 2);
}

TEST_F(IoFile, OpenTellsWhatIsWrong) {
  EXPECT_ERROR(
      File::open(path("none.h5")), ErrorKind::file,
      "cannot read '" + path("none.h5") + "': No such file or directory\n  remedy: check the name");
  EXPECT_ERROR(
      File::open(folder()), ErrorKind::file,
      "cannot read '" + folder() + "': it is not a regular file\n  remedy: give an HDF5 file");
  write_text(path("text.h5"), "no HDF5 at all");
  EXPECT_ERROR_WITH(
      File::open(path("text.h5")), ErrorKind::file,
      "cannot read '" + path("text.h5") + "': it is not an HDF5 file or is damaged (HDF5: ");
  write_number("half.h5", 1);
  fs::resize_file(path("half.h5"), fs::file_size(path("half.h5")) / 2);
  EXPECT_ERROR_WITH(File::open(path("half.h5")), ErrorKind::file, "truncated");
}

TEST_F(IoFile, CommitIsForFilesBeingWritten) {
  write_number("a.h5", 1);
  File reading = File::open(path("a.h5"));
  EXPECT_ERROR(reading.commit(), ErrorKind::internal,
               "the file '" + path("a.h5") + "' is not being written");
  File writing = File::create(path("b.h5"));
  writing.commit();
  EXPECT_ERROR(writing.commit(), ErrorKind::internal,
               "the file '" + path("b.h5") + "' is not being written");
  EXPECT_ERROR(writing.root(), ErrorKind::internal,
               "the file '" + path("b.h5") + "' is already closed");
}

TEST_F(IoFile, CheckWritable) {
  EXPECT_NO_THROW(check_writable(path("new.h5"), false));
  EXPECT_THAT(files(), ::testing::IsEmpty());

  write_number("old.h5", 1);
  EXPECT_ERROR(
      check_writable(path("old.h5"), false), ErrorKind::file,
      "the output '" + path("old.h5") +
          "' exists\n  remedy: choose another with --output, or overwrite it with --force");
  EXPECT_NO_THROW(check_writable(path("old.h5"), true));
  EXPECT_EQ(read_number("old.h5"), 1);

  EXPECT_ERROR(check_writable(path("no/a.h5"), false), ErrorKind::file,
               "cannot write '" + path("no/a.h5") +
                   "': No such file or directory\n  remedy: create the folder first");
  EXPECT_ERROR(check_writable(folder(), true), ErrorKind::file,
               "cannot write '" + folder() + "': it is a folder\n  remedy: choose another output");
  EXPECT_ERROR(
      check_writable("/dev/null", true), ErrorKind::file,
      "cannot write '/dev/null': it is not a regular file\n  remedy: choose another output");
  EXPECT_ERROR(check_writable("", true), ErrorKind::file, "the name of the output is empty");
  EXPECT_ERROR_WITH(check_writable(path("old.h5/a.h5"), false), ErrorKind::file, "Not a directory");
}

TEST_F(IoFile, AFolderWithoutWriteAccess) {
  if (::geteuid() == 0) GTEST_SKIP() << "rights do not bind the superuser";
  write_number("old.h5", 1);
  fs::permissions(folder(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_ERROR_WITH(File::create(path("old.h5")), ErrorKind::file, "Permission denied");
  EXPECT_EQ(read_number("old.h5"), 1);
  fs::permissions(folder(), fs::perms::owner_all);
}

/// Writes some of everything, larger than any limit below, and commits.
void write_much(const std::string& path) {
  File file = File::create(path);
  const Group root = file.root();
  root.set_attribute("text", std::string(2000, 'a'));
  for (int i = 0; i < 10; ++i) {
    std::vector<std::uint64_t> noise(300000);
    std::uint64_t state = static_cast<std::uint64_t>(i) + 1;
    for (auto& value : noise) value = state = state * 6364136223846793005u + 1442695040888963407u;
    const Group group = root.group("g" + std::to_string(i));
    group.write("small", std::vector<double>(50, i), {"1", "small"});
    group.write("chunked", noise, {"1", "above the size of a chunk"});
    noise.resize(40000);
    group.write("contiguous", noise, {"1", "below the size of a chunk"});
    group.write("names", std::vector<std::string>(100, "name"), {"1", "text"});
  }
  file.commit();
}

/// Tries that in this process, prints the error and ends the process in the ordinary way, so that
/// HDF5 closes down, too.
[[noreturn]] void write_much_and_exit(const std::string& path, rlim_t limit) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const rlimit low{limit, old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &low);
  const auto error = test::catch_error([&] { write_much(path); });
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::fputs(error ? error->what() : "no error", stderr);
  std::exit(error ? error->exit_code() : 0);
}

class IoFileLimit : public IoFile, public ::testing::WithParamInterface<rlim_t> {};

TEST_P(IoFileLimit, AFailedWriteLeavesTheOldFileWholeAndHdf5Silent) {
  write_number("a.h5", 1);
  const std::string expected = "cannot write '" + path("a.h5") +
                               "': File too large\n  remedy: raise the limit on the size of a file "
                               "(ulimit -f) or choose another output; the older '" +
                               path("a.h5") + "' is unchanged";
  EXPECT_EXIT(write_much_and_exit(path("a.h5"), GetParam()), ::testing::ExitedWithCode(4),
              ::testing::StrEq(expected));
  EXPECT_EQ(read_number("a.h5"), 1);
  EXPECT_THAT(files(), ElementsAre("a.h5"));
}

INSTANTIATE_TEST_SUITE_P(Sizes, IoFileLimit,
                         ::testing::Values(0, 1, 96, 1000, 4096, 20000, 350000, 1000000, 1234567,
                                           5000000, 12345678, 20000000));

TEST_F(IoFile, TheDataOfTheTestsAboveDoesExceedTheirLimits) {
  write_much(path("a.h5"));
  EXPECT_GT(fs::file_size(path("a.h5")), 20000000u);
  EXPECT_EQ(File::open(path("a.h5")).root().read<std::uint64_t>("g9/chunked").size(), 300000u);
}

/// Mounts a file system of `bytes` on `folder`, for this process alone.
bool mount_small_disk(const std::string& folder, int bytes) {
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", folder.c_str(), "tmpfs", 0, ("size=" + std::to_string(bytes)).c_str()) ==
             0;
}

bool may_mount(const std::string& folder) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(mount_small_disk(folder, 1 << 20) ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

[[noreturn]] void fill_a_small_disk(const std::string& folder, int bytes) {
  if (!mount_small_disk(folder, bytes)) std::exit(1);
  const std::string path = folder + "/a.h5";
  {
    File old = File::create(path);
    old.root().write_scalar("x", 1.0, {});
    old.commit();
  }
  const auto error = test::catch_error([&] { write_much(path); });
  std::fputs(error ? error->what() : "no error", stderr);
  const bool whole = File::open(path).root().read_scalar<double>("x") == 1.0;
  const bool clean = std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 1;
  std::exit(error && whole && clean ? error->exit_code() : 0);
}

TEST_F(IoFile, AFullDiskLeavesTheOldFileWholeAndHdf5Silent) {
  fs::create_directory(path("disk"));
  if (!may_mount(path("disk")))
    GTEST_SKIP() << "a file system of limited size needs the right to mount one";
  const std::string expected = "cannot write '" + path("disk/a.h5") +
                               "': No space left on device\n  remedy: free space on that disk or "
                               "choose another output; the older '" +
                               path("disk/a.h5") + "' is unchanged";
  for (const int bytes : {1 << 14, 1 << 16, 1 << 20, 5 << 20}) {
    EXPECT_EXIT(fill_a_small_disk(path("disk"), bytes), ::testing::ExitedWithCode(4),
                ::testing::StrEq(expected))
        << bytes;
  }
}

}  // namespace
}  // namespace tessera::io
