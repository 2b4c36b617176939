// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/hdf5.hpp"

#include <unistd.h>

#include "tessera/core/error.hpp"
#include "tessera/core/names.hpp"

namespace tessera::io {

namespace {

herr_t keep_first(unsigned /*n*/, const H5E_error2_t* error, void* text) {
  auto& kept = *static_cast<std::string*>(text);
  if (kept.empty() && error->desc != nullptr) kept = error->desc;
  return 0;
}

thread_local std::string other_file;  ///< where a link led that was not followed

herr_t note_other_file(const char* /*file*/, const char* /*group*/, const char* other,
                       const char* /*object*/, unsigned* /*flags*/, hid_t /*access*/,
                       void* /*data*/) {
  other_file = other;
  return -1;
}

}  // namespace

Id within_file(hid_t kind) {
  Id access(H5Pcreate(kind));
  H5Pset_elink_cb(access, note_other_file, nullptr);
  return access;
}

void refuse_other_files(const std::string& place) {
  if (other_file.empty()) return;
  throw Error(ErrorKind::file,
              "'" + place + "' leads into another file, '" + std::exchange(other_file, {}) + "'",
              "put all of the data into one file");
}

Id open_dataset(const Group& group, const std::string& name) {
  const auto parent = static_cast<hid_t>(group.id());
  const Id access = within_file(H5P_DATASET_ACCESS);
  Id dataset(H5Dopen2(parent, name.c_str(), access));
  refuse_other_files(group.place(name));
  if (dataset < 0) {
    const std::string present = group.names().empty() ? "nothing" : join_names(group.names());
    throw Error(ErrorKind::file,
                "there is no dataset '" + group.place(name) + "'; present: " + present,
                "check that the file is of the expected kind");
  }
  const Id creation(H5Dget_create_plist(dataset));
  if (H5Pget_external_count(creation) > 0 || H5Pget_layout(creation) == H5D_VIRTUAL) {
    throw Error(ErrorKind::file, "the values of '" + group.place(name) + "' stand in other files",
                "put all of the data into one file");
  }
  return dataset;
}

void check_memory(std::uint64_t values, std::size_t bytes_each, const std::string& place) {
  const std::uint64_t memory = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                               static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (values <= memory / bytes_each) return;
  throw Error(ErrorKind::resource,
              "'" + place + "' holds " + std::to_string(values) +
                  " values, more than fit into the memory of this machine",
              "check the file, or use a part of it");
}

void check_storage(hid_t dataset, const std::string& place) {
  const Id file(H5Iget_file_id(dataset));
  hsize_t bytes = 0;
  const hsize_t stored = H5Dget_storage_size(dataset);
  if (H5Fget_filesize(file, &bytes) >= 0 && stored <= bytes) return;
  throw Error(ErrorKind::file,
              "cannot read '" + place + "': its " + std::to_string(stored) +
                  " bytes are more than the " + std::to_string(bytes) + " of the file",
              "the file may be damaged");
}

bool Id::reset() noexcept {
  if (m_id < 0) return true;
  QuietHdf5 quiet;
  const hid_t id = std::exchange(m_id, H5I_INVALID_HID);
  return H5Idec_ref(id) >= 0;
}

QuietHdf5::QuietHdf5() {
  H5Eget_auto2(H5E_DEFAULT, &m_function, &m_data);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietHdf5::~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, m_function, m_data); }

std::string hdf5_reason() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  return text.empty() ? text : " (HDF5: " + text + ")";
}

bool OpenFile::close() noexcept { return id.reset(); }

}  // namespace tessera::io
