// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// Arrays that numpy.save wrote, read as every kind of number that Tessera asks for.

#include "tessera/core/io/columns.hpp"
#include "tessera/core/io/npy.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace {

template <class T>
void read_as(const std::string& path) {
  tessera::fuzz::accept_or_refuse([&] {
    const tessera::io::Array<T> array = tessera::io::read_npy<T>(path);
    std::uint64_t size = 1;
    for (const std::uint64_t extent : array.shape) size *= extent;
    if (size != array.values.size()) std::abort();
  });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  const fuzz::InputFile file("array.npy", {reinterpret_cast<const char*>(data), size});
  read_as<double>(file.path());
  read_as<float>(file.path());
  read_as<std::int8_t>(file.path());
  read_as<std::uint64_t>(file.path());
  fuzz::accept_or_refuse([&] { io::read_column(file.path(), "", true); });
  fuzz::accept_or_refuse([&] { io::read_columns(file.path(), {"1", "2"}); });
  return 0;
}
