// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Inputs: a document is read, every parameter of tessera-gbees is declared and checked, problems
// are reported, and an input without any is written out and must read back. What follows a line
// `%%` are overrides, one a line.

#include <string>
#include <vector>

#include "tessera/core/config/document.hpp"
#include "tessera/gbees/program/parameters.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace {

using namespace tessera;

constexpr std::string_view kOverrides = "\n%%\n";

/// Returns whether the input is valid; `resolved` is then all of it.
bool read_input(const std::string& text, const std::vector<std::string>& overrides,
                std::string& resolved) {
  config::Document document = config::Document::parse(text, "/nowhere/input.yaml");
  for (const std::string& argument : overrides) document.apply_override(argument);
  config::Section root = document.root();
  std::string app = "gbees";
  root.require("app", app).doc("the application this input is for");
  gbees::Parameters::read(root);
  root.finish();
  if (document.report().empty() == document.has_errors()) std::abort();
  document.print_defaults();
  resolved = document.resolved();
  return !document.has_errors();
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t end = 0; !text.empty(); text.remove_prefix(std::min(end + 1, text.size()))) {
    end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
  }
  return lines;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(all.find(kOverrides), all.size());
  const std::string_view rest = all.substr(std::min(end + kOverrides.size(), all.size()));
  fuzz::accept_or_refuse([&] {
    std::string resolved, again;
    if (!read_input(std::string(all.substr(0, end)), split_lines(rest), resolved)) return;
    if (!read_input(resolved, {}, again) || again != resolved) {
      std::cerr << "what was written does not read back:\n" << resolved << "\n--- now:\n" << again;
      std::abort();
    }
  });
  return 0;
}
