// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause

/// The HDF5 file driver behind `access_through`: a plain file in one piece, without locks
/// (TemporaryFile has its own), whose failed writes are remembered by the FileBytes instead of
/// being reported to HDF5.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <new>

#include "tessera/core/error.hpp"
#include "tessera/core/io/hdf5.hpp"

#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>
#endif

namespace tessera::io {

namespace {

/// The content of the property list.
struct Target {
  FileBytes* file;
};

/// HDF5's view of the open file; `base` must come first.
struct DriverFile {
  H5FD_t base;
  FileBytes* file;
  haddr_t end_of_allocation;
};

FileBytes& bytes_of(H5FD_t* file) { return *reinterpret_cast<DriverFile*>(file)->file; }

H5FD_t* open(const char* /*name*/, unsigned flags, hid_t access, haddr_t /*max_address*/) {
  const auto* target = static_cast<const Target*>(H5Pget_driver_info(access));
  if (target == nullptr) return nullptr;
  if ((flags & H5F_ACC_TRUNC) != 0) target->file->resize(0);
  auto* opened = new (std::nothrow) DriverFile{};
  if (opened == nullptr) return nullptr;
  opened->file = target->file;
  return &opened->base;
}

herr_t close(H5FD_t* file) {
  delete reinterpret_cast<DriverFile*>(file);
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  const auto* first = reinterpret_cast<const DriverFile*>(a)->file;
  const auto* second = reinterpret_cast<const DriverFile*>(b)->file;
  return std::less<>()(first, second) ? -1 : (first == second ? 0 : 1);
}

herr_t query(const H5FD_t* /*file*/, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t get_end_of_allocation(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return reinterpret_cast<const DriverFile*>(file)->end_of_allocation;
}

herr_t set_end_of_allocation(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t address) {
  reinterpret_cast<DriverFile*>(file)->end_of_allocation = address;
  return 0;
}

haddr_t get_end_of_file(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return reinterpret_cast<const DriverFile*>(file)->file->size();
}

herr_t read(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t address,
            std::size_t size, void* buffer) {
  return bytes_of(file).read(address, buffer, size) ? 0 : -1;
}

herr_t write(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t address,
             std::size_t size, const void* buffer) {
  bytes_of(file).write(address, buffer, size);
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t /*transfer*/, hbool_t /*closing*/) {
  const haddr_t end = reinterpret_cast<DriverFile*>(file)->end_of_allocation;
  if (bytes_of(file).size() != end) bytes_of(file).resize(end);
  return 0;
}

H5FD_class_t make_driver_class() {
  H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
  constexpr int kDriverNumber = 517;  // drivers outside the library take 256 ... 65535
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(kDriverNumber);
#endif
  driver.name = "tessera";
  driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<std::int64_t>::max());
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(Target);
  driver.open = open;
  driver.close = close;
  driver.cmp = compare;
  driver.query = query;
  driver.get_eoa = get_end_of_allocation;
  driver.set_eoa = set_end_of_allocation;
  driver.get_eof = get_end_of_file;
  driver.read = read;
  driver.write = write;
  driver.truncate = truncate;
  constexpr H5FD_mem_t kFreeLists[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kFreeLists), std::end(kFreeLists), driver.fl_map);
  return driver;
}

}  // namespace

Id access_through(FileBytes& file) {
  static const H5FD_class_t driver_class = make_driver_class();
  static const hid_t driver = H5FDregister(&driver_class);
  const Target target{&file};
  Id access(H5Pcreate(H5P_FILE_ACCESS));
  if (driver < 0 || access < 0 || H5Pset_driver(access, driver, &target) < 0 ||
      H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0) {
    throw Error(ErrorKind::internal, "the HDF5 file driver could not be set up" + hdf5_reason());
  }
  return access;
}

}  // namespace tessera::io
