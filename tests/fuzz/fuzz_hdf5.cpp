// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

// HDF5 files: the first byte chooses what the others are taken for, a restart file or somebody's
// data, of which everything is read.

#include <string>
#include <vector>

#include "tessera/core/io/columns.hpp"
#include "tessera/core/io/compare.hpp"
#include "tessera/core/io/file.hpp"
#include "tessera/core/io/netcdf.hpp"
#include "tessera/core/io/results_file.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace {

using namespace tessera;
using fuzz::accept_or_refuse;

/// Reads every member of a group as each kind of value that applications ask for.
class Walk {
 public:
  explicit Walk(const io::Group& root) { visit(root, 0); }

 private:
  void visit(const io::Group& group, int depth) {
    accept_or_refuse([&] {
      for (const std::string& name : group.names()) {
        if (++m_visits > kMostVisits) return;  // groups may hold each other
        read(group, name);
        if (depth < kDeepest) accept_or_refuse([&] { visit(group.group(name), depth + 1); });
      }
    });
  }

  void read(const io::Group& group, const std::string& name) {
    accept_or_refuse([&] { group.has(name); });
    accept_or_refuse([&] { group.read<double>(name, group.shape(name)); });
    accept_or_refuse([&] { group.read<std::int8_t>(name); });
    accept_or_refuse([&] { group.read<std::uint64_t>(name); });
    accept_or_refuse([&] { group.read<std::string>(name); });
    accept_or_refuse([&] { group.read_scalar<bool>(name); });
    accept_or_refuse([&] { io::dimension_scales(group, name); });
    for (const char* attribute : {"units", "_FillValue", "scale_factor"}) {
      accept_or_refuse([&] { group.attribute<double>(attribute, name); });
      accept_or_refuse([&] { group.attribute<std::string>(attribute, name); });
    }
  }

  static constexpr int kMostVisits = 64;
  static constexpr int kDeepest = 4;
  int m_visits = 0;
};

void read_data(const std::string& path) {
  accept_or_refuse([&] { Walk(io::File::open(path).root()); });
  accept_or_refuse([&] {
    const io::Group root = io::File::open(path, io::File::Role::own).root();
    root.attribute<std::string>("run_status");
    io::compare_results(root, root);
  });
  accept_or_refuse([&] { io::read_columns(path, {"x", "results/time"}, true); });
}

void read_restart(const std::string& path) {
  io::Provenance run;
  run.app = "gbees";
  accept_or_refuse([&] {
    const io::RestartReader restart(path, run);
    restart.files();
    Walk(restart.state());
  });
}

}  // namespace

/// These options pass over what HDF5 1.10 itself does wrong with damaged files, and survives: it
/// leaks, and asks for more memory than there can be.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const fuzz::InputFile file("data.h5", {reinterpret_cast<const char*>(data) + 1, size - 1});
  if (data[0] == 'r') {
    read_restart(file.path());
  } else {
    read_data(file.path());
  }
  return 0;
}
