// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Tables of numbers as text: the first byte chooses how they are read, the others are the file.

#include "tessera/core/io/columns.hpp"
#include "tessera/core/io/csv.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace {

void check_lengths(const tessera::io::Table& table) {
  if (table.names.size() != table.columns.size()) std::abort();
  for (const auto& column : table.columns) {
    if (column.size() != table.rows()) std::abort();
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  if (size == 0) return 0;
  const unsigned choice = data[0];
  const fuzz::InputFile file("table.csv", {reinterpret_cast<const char*>(data) + 1, size - 1});
  io::CsvOptions options;
  if ((choice & 1) != 0) options.columns = {"x", "2"};
  options.allow_missing = (choice & 2) != 0;
  options.allow_unnamed = (choice & 4) != 0;
  fuzz::accept_or_refuse([&] { check_lengths(io::read_csv(file.path(), options)); });
  fuzz::accept_or_refuse([&] { io::read_columns(file.path(), {"x", "z"}, options.allow_missing); });
  fuzz::accept_or_refuse(
      [&] { io::read_column(file.path(), (choice & 8) != 0 ? "2" : "", options.allow_missing); });
  return 0;
}
