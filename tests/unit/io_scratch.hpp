// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>

#include "tessera/core/error.hpp"

namespace tessera::test {

/// A fixture with an empty folder of its own, removed afterwards.
class Scratch : public ::testing::Test {
 protected:
  Scratch() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string("tessera-") + info->test_suite_name() + "-" + info->name() +
                       "-" + std::to_string(::getpid());
    std::replace(name.begin(), name.end(), '/', '-');
    m_folder = std::filesystem::temp_directory_path() / name;
    std::filesystem::create_directory(m_folder);
  }
  ~Scratch() override {
    std::error_code ignored;
    std::filesystem::remove_all(m_folder, ignored);
  }

  std::string path(const std::string& name) const { return (m_folder / name).string(); }
  std::string folder() const { return m_folder.string(); }

 private:
  std::filesystem::path m_folder;
};

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// The Error that `action` throws; nothing when it throws none.
inline std::optional<Error> catch_error(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

}  // namespace tessera::test

/// Expects an Error of that kind whose whole text is `message`.
#define EXPECT_ERROR(statement, expected_kind, message)                    \
  do {                                                                     \
    const auto error = ::tessera::test::catch_error([&] { statement; });   \
    ASSERT_TRUE(error.has_value()) << "no error; expected: " << (message); \
    EXPECT_EQ(error->kind(), expected_kind) << error->what();              \
    EXPECT_EQ(std::string(error->what()), std::string(message));           \
  } while (false)

/// Expects an Error of that kind whose text contains `message`.
#define EXPECT_ERROR_WITH(statement, expected_kind, message)                                 \
  do {                                                                                       \
    const auto error = ::tessera::test::catch_error([&] { statement; });                     \
    ASSERT_TRUE(error.has_value()) << "no error; expected: " << (message);                   \
    EXPECT_EQ(error->kind(), expected_kind) << error->what();                                \
    EXPECT_NE(std::string(error->what()).find(message), std::string::npos) << error->what(); \
  } while (false)
