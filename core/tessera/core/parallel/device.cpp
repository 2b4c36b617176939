// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/parallel/device.hpp"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "tessera/core/device/kokkos_compat.hpp"
#include "tessera/core/error.hpp"

namespace tessera::parallel {

namespace {

/// Names that no two devices of a machine share.
std::vector<std::string> visible_devices() {
  std::vector<std::string> names;
#ifdef KOKKOS_ENABLE_CUDA
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return names;
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties{};
    cudaGetDeviceProperties(&properties, device);
    std::ostringstream name;
    for (const char byte : properties.uuid.bytes)
      name << std::hex << (static_cast<int>(byte) & 0xff) << '.';
    names.push_back(name.str());
  }
#endif
  return names;
}

std::string machine_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

/// A line for the machine and one for each device.
std::string describe_own() {
  std::string text = machine_name();
  for (const std::string& device : visible_devices()) text += '\n' + device;
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

std::vector<std::string> choose_device(const Communicator& ranks, Backend backend,
                                       const std::vector<std::string>& kokkos) {
  if (ranks.size() == 1 || backend != Backend::cuda) return {};
  for (const std::string& argument : kokkos) {
    if (argument.rfind("--kokkos-device-id", 0) == 0 ||
        argument.rfind("--kokkos-map-device-id-by", 0) == 0)
      throw Error(ErrorKind::usage, "'" + argument + "' chooses a device for all ranks",
                  "leave it out: each rank takes a device of its own");
  }
  const std::vector<std::string> all = ranks.all_gather(describe_own());
  std::set<std::string> taken;  // machine and device
  int own = 0;
  for (int rank = 0; rank < ranks.size(); ++rank) {  // every rank finds what each of them takes
    const std::vector<std::string> lines = lines_of(all[static_cast<std::size_t>(rank)]);
    std::size_t device = 1;
    while (device < lines.size() && !taken.insert(lines[0] + ' ' + lines[device]).second) ++device;
    if (device == lines.size()) {
      const auto there = std::count_if(all.begin(), all.end(), [&](const std::string& text) {
        return lines_of(text)[0] == lines[0];
      });
      throw Error(ErrorKind::resource,
                  std::to_string(there) + " ranks run on " + lines[0] + ", and rank " +
                      std::to_string(rank) + " finds no free one among its " +
                      std::to_string(lines.size() - 1) + " devices",
                  "start one rank for each device, or take another backend");
    }
    if (rank == ranks.rank()) own = static_cast<int>(device) - 1;
  }
  return {"--kokkos-device-id=" + std::to_string(own)};
}

}  // namespace tessera::parallel
