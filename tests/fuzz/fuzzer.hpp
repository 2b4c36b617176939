// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "tessera/core/error.hpp"

/// The function that a fuzzer defines: it hands bytes to one parser. libFuzzer (preset `fuzz`) and
/// replay.cpp call it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tessera::fuzz {

/// Runs `work`, which may refuse its input by an Error of a kind that a user's file can cause. An
/// internal error ends the process, as any other exception does.
template <class Work>
void accept_or_refuse(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::internal) return;
    std::cerr << "internal error: " << error.what() << '\n';
    std::abort();
  }
}

/// The bytes as a file of that name, which readers open; removed at the end.
class InputFile {
 public:
  InputFile(const std::string& name, std::string_view bytes);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return m_path; }

 private:
  std::string m_path;
};

}  // namespace tessera::fuzz
