// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/detail/hdf5.hpp"

namespace tessera::io {

namespace {

herr_t keep_first(unsigned /*n*/, const H5E_error2_t* error, void* text) {
  auto& kept = *static_cast<std::string*>(text);
  if (kept.empty() && error->desc != nullptr) kept = error->desc;
  return 0;
}

}  // namespace

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
