// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The definitions about HDF5 that the sources of this folder share; nothing outside includes them.

#include <hdf5.h>

#include <memory>
#include <string>
#include <utility>

#include "tessera/core/io/file_bytes.hpp"
#include "tessera/core/io/group.hpp"

namespace tessera::io {

/// Owns an HDF5 identifier, of whatever kind. Closing one clears HDF5's error stack: ask
/// `hdf5_reason` before.
class Id {
 public:
  Id() = default;
  explicit Id(hid_t id) : m_id(id) {}
  Id(Id&& other) noexcept : m_id(std::exchange(other.m_id, H5I_INVALID_HID)) {}
  Id& operator=(Id&& other) noexcept {
    std::swap(m_id, other.m_id);
    return *this;
  }
  ~Id() { reset(); }

  /// Closes now; false when HDF5 reports a failure.
  bool reset() noexcept;

  operator hid_t() const noexcept { return m_id; }

 private:
  hid_t m_id = H5I_INVALID_HID;
};

/// A guard that silences HDF5: while it lives, HDF5 prints nothing of its own. The application's
/// setting is restored afterwards.
class QuietHdf5 {
 public:
  QuietHdf5();
  ~QuietHdf5();
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t m_function = nullptr;
  void* m_data = nullptr;
};

/// The innermost message of HDF5's error stack, " (HDF5: ...)", or nothing.
std::string hdf5_reason();

/// Access properties of a kind (H5P_LINK_ACCESS, H5P_GROUP_ACCESS, H5P_DATASET_ACCESS) with which
/// HDF5 follows no link into another file: what a run reads is then what it was given, and all of
/// it stands in its list of files.
Id within_file(hid_t kind);

/// Throws Error (file) when such a link was met since the last call. `place`: what was to be
/// opened.
void refuse_other_files(const std::string& place);

/// Opens a dataset whose values stand in the file itself.
Id open_dataset(const Group& group, const std::string& name);

/// Throws Error (resource) when values cannot be in memory: a file may claim any number of them.
void check_memory(std::uint64_t values, std::size_t bytes_each, const std::string& place);

/// Throws Error (file) when a dataset claims more bytes of its file than that has: HDF5 would ask
/// for as much memory.
void check_storage(hid_t dataset, const std::string& place);

/// File-access properties of a file that HDF5 writes into `file`, which must outlive it.
///
/// HDF5 never learns of a failed write: its caches could not be emptied after one, and it would
/// complain or crash when the program ends. The failure is kept in `file`, where whoever writes
/// asks for it after every call.
Id access_through(FileBytes& file);

/// An open file: shared by the File and the groups below it. `close` ends them all.
struct OpenFile {
  std::string path;
  std::unique_ptr<FileBytes> bytes;  ///< only when the file is being written
  bool in_memory = false;            ///< and stays there: nothing is gained by compressing it
  bool sealed = false;               ///< a restart file that is being written
  Id id;

  bool writing() const { return bytes != nullptr; }

  /// Throws Error (file) when a write has failed.
  void check() const {
    if (bytes) bytes->throw_if_failed();
  }

  ~OpenFile() { close(); }
  bool close() noexcept;
};

/// The state behind a Group.
struct Group::Handle {
  std::shared_ptr<OpenFile> file;
  Id id;
  std::string path;  ///< inside the file, "/" or "/results"
};

}  // namespace tessera::io
