// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tessera/core/io/csv.hpp"
#include "tessera/core/io/file.hpp"
#include "tessera/core/io/files_read.hpp"
#include "tessera/core/io/npy.hpp"
#include "tessera/core/io/sha256.hpp"
#include "tests/unit/io_scratch.hpp"

namespace tessera::io {
namespace {

using test::write_text;
using ::testing::ElementsAre;

class IoFilesRead : public test::Scratch {
 protected:
  IoFilesRead() { FilesRead::global().clear(); }
  ~IoFilesRead() override { FilesRead::global().clear(); }

  static std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const FileDigest& file : FilesRead::global().list()) names.push_back(file.name);
    return names;
  }
  /// A list of one file.
  static std::vector<FileDigest> one(const std::string& name, const std::string& bytes) {
    return {{name, sha256(bytes.data(), bytes.size()), bytes.size()}};
  }
};

TEST_F(IoFilesRead, EveryReaderAddsWhatItReads) {
  write_text(path("a.csv"), "x\n1\n");
  read_csv(path("a.csv"));
  const double value = 1;
  write_npy(path("b.npy"), &value, {1});
  read_npy<double>(path("b.npy"));
  File written = File::create(path("c.h5"));
  written.commit();
  File::open(path("c.h5"));
  File::open(path("c.h5"));
  File::open(path("c.h5"), File::Role::own);
  EXPECT_THAT(names(), ElementsAre(path("a.csv"), path("b.npy"), path("c.h5")));
  for (const FileDigest& file : FilesRead::global().list()) {
    const std::string bytes = test::read_text(file.name);
    EXPECT_EQ(file.sha256, sha256(bytes.data(), bytes.size())) << file.name;
    EXPECT_EQ(file.bytes, bytes.size()) << file.name;
  }
}

TEST_F(IoFilesRead, AFileThatChangesStandsTwice) {
  for (const char* text : {"x\n1\n", "x\n1\n", "x\n2\n"}) {
    write_text(path("a.csv"), text);
    read_csv(path("a.csv"));
  }
  EXPECT_THAT(names(), ElementsAre(path("a.csv"), path("a.csv")));
}

TEST_F(IoFilesRead, AContinuedRunIsHeldToItsFiles) {
  write_text(path("a.csv"), "x\n1\n");
  read_csv(path("a.csv"));
  const std::string begin = "cannot continue from 'r.restart.h5': '" + path("a.csv");
  const std::string remedy = "\n  remedy: put the file of the interrupted run back, or start again";
  EXPECT_NO_THROW(FilesRead::global().hold_to(one("elsewhere/a.csv", "x\n1\n"), "r.restart.h5"));
  EXPECT_ERROR(FilesRead::global().hold_to(one("a.csv", "x\n2\n"), "r.restart.h5"),
               ErrorKind::input, begin + "' has changed since that run read it" + remedy);
  EXPECT_ERROR(FilesRead::global().hold_to({}, "r.restart.h5"), ErrorKind::input,
               begin + "' is none of the files that that run read" + remedy);
}

TEST_F(IoFilesRead, AlsoWhatIsReadLater) {
  FilesRead::global().hold_to(one("a.csv", "x\n1\n"), "r.restart.h5");
  write_text(path("a.csv"), "x\n1\n");
  EXPECT_NO_THROW(read_csv(path("a.csv")));
  write_text(path("a.csv"), "x\n2\n");
  EXPECT_ERROR_WITH(read_csv(path("a.csv")), ErrorKind::input,
                    "has changed since that run read it");
}

}  // namespace
}  // namespace tessera::io
