// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "tessera/gbees/orbits/kvn.hpp"

namespace tessera::gbees {

/// Whether the bytes of a file are those of an XML document.
bool is_xml(std::string_view bytes);

/// Reads an OEM, OMM, OPM, CDM or TDM in the XML form of CCSDS 505.0-B as the lines that its KVN
/// form has, each with the number of the line where its element begins. Throws Error (input) with
/// file and line where it is no such message, and Error (usage) in a build without pugixml.
KvnFile read_xml_message(const std::string& path, const std::string& bytes);

}  // namespace tessera::gbees
