// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gbees/orbits/message_xml.hpp"

#include <algorithm>

#include "tessera/core/error.hpp"
#include "tessera/gbees/orbits/kvn_block.hpp"

#ifdef TESSERA_HAVE_PUGIXML
#include <pugixml.hpp>
#endif

namespace tessera::gbees {

bool is_xml(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '<';
}

#ifdef TESSERA_HAVE_PUGIXML

namespace {

using pugi::xml_node;

class MessageReader {
 public:
  MessageReader(const std::string& path, const std::string& bytes)
      : m_file{path, {}}, m_bytes(bytes) {}

  KvnFile read() {
    pugi::xml_document document;
    const auto status = document.load_buffer(m_bytes.data(), m_bytes.size());
    if (!status)
      throw m_file.error(line_of(status.offset),
                         std::string("no valid XML: ") + status.description());
    const xml_node message = find_message(document);
    const std::string kind = message.name();
    add_entry(message, message.attribute("id").value(), message.attribute("version").value());
    for (const xml_node part : message.children()) {
      if (std::string(part.name()) != "body") {
        add_leaves(part);
      } else if (kind == "oem" || kind == "tdm") {
        for (const xml_node segment : part.children()) add_segment(segment);
      } else {
        add_leaves(part);
      }
    }
    return std::move(m_file);
  }

 private:
  int line_of(std::ptrdiff_t offset) const {
    const auto end = m_bytes.begin() + std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(m_bytes));
    return 1 + static_cast<int>(std::count(m_bytes.begin(), end, '\n'));
  }
  int line_of(const xml_node& node) const { return line_of(node.offset_debug()); }

  /// The message of a document, which may stand in an element ndm.
  xml_node find_message(const xml_node& document) const {
    const xml_node root = document.first_child();
    const bool is_wrapped = std::string(root.name()) == "ndm";
    xml_node found;
    for (const xml_node node : (is_wrapped ? root : document).children()) {
      const std::string name = node.name();
      if (name != "oem" && name != "omm" && name != "opm" && name != "cdm" && name != "tdm")
        continue;
      if (found)
        throw m_file.error(line_of(node),
                           "the document holds a second message: give it a file of "
                           "its own");
      found = node;
    }
    if (!found)
      throw m_file.error(line_of(root),
                         "the document is no orbit message: it holds no element "
                         "oem, omm, opm, cdm or tdm");
    return found;
  }

  void add_entry(const xml_node& node, const std::string& keyword, const std::string& value,
                 const std::string& unit = {}) {
    m_file.lines.push_back({KvnLine::Kind::entry, line_of(node), keyword, value, unit});
  }
  void add_comment(const xml_node& node) {
    m_file.lines.push_back({KvnLine::Kind::comment, line_of(node), {}, node.text().get(), {}});
  }
  void add_data(const xml_node& node, const std::string& text) {
    m_file.lines.push_back({KvnLine::Kind::data, line_of(node), {}, text, {}});
  }

  static bool has_elements(const xml_node& node) {
    return std::any_of(node.begin(), node.end(),
                       [](const xml_node& child) { return child.type() == pugi::node_element; });
  }

  /// Elements without elements in them, in order: keyword, value and unit.
  void add_leaves(const xml_node& node) {
    for (const xml_node child : node.children()) {
      if (child.type() != pugi::node_element) continue;
      const std::string name = child.name(), value = child.text().get();
      if (has_elements(child)) {
        add_leaves(child);
      } else if (name == "COMMENT") {
        add_comment(child);
      } else if (name == "USER_DEFINED") {
        add_entry(child, name + "_" + child.attribute("parameter").value(), value);
      } else {
        add_entry(child, name, value, child.attribute("units").value());
      }
    }
  }

  /// A segment of an OEM or a TDM, whose data are rows.
  void add_segment(const xml_node& segment) {
    const xml_node metadata = segment.child("metadata"), data = segment.child("data");
    add_data(metadata ? metadata : segment, "META_START");
    add_leaves(metadata);
    add_data(metadata ? metadata : segment, "META_STOP");
    bool has_covariance = false, has_observation = false;
    for (const xml_node row : data.children()) {
      const std::string name = row.name();
      if (name == "COMMENT") {
        add_comment(row);
      } else if (name == "stateVector") {
        add_state(row);
      } else if (name == "covarianceMatrix") {
        if (!has_covariance) add_data(row, "COVARIANCE_START");
        has_covariance = true;
        add_covariance(row);
      } else if (name == "observation") {
        if (!has_observation) add_data(row, "DATA_START");
        has_observation = true;
        add_observation(row);
      } else if (row.type() == pugi::node_element) {
        throw m_file.error(line_of(row), "the element '" + name +
                                             "' is not one of a segment: "
                                             "stateVector, covarianceMatrix, observation");
      }
    }
    if (has_covariance) add_data(segment, "COVARIANCE_STOP");
    if (has_observation) add_data(segment, "DATA_STOP");
  }

  std::string require(const xml_node& row, const std::string& name, const char* unit) const {
    const xml_node child = row.child(name.c_str());
    if (!child)
      throw m_file.error(line_of(row), std::string("the element ") + row.name() + " lacks " + name);
    if (const xml_node second = child.next_sibling(name.c_str()))
      throw m_file.error(line_of(second), name + " is given twice in the element " + row.name() +
                                              "; line " + std::to_string(line_of(child)) +
                                              " has it too");
    const std::string own = child.attribute("units").value();
    if (!own.empty() && own != unit)
      throw m_file.error(line_of(child), name + " is in " + unit + ", and the element says " + own);
    return child.text().get();
  }

  void add_state(const xml_node& row) {
    std::string text = require(row, "EPOCH", "");
    for (std::size_t i = 0; i < 6; ++i)
      text += " " + require(row, kStateKeywords[i], i < 3 ? "km" : "km/s");
    add_data(row, text);
  }

  void add_covariance(const xml_node& row) {
    add_entry(row, "EPOCH", require(row, "EPOCH", ""));
    if (row.child("COV_REF_FRAME"))
      add_entry(row, "COV_REF_FRAME", require(row, "COV_REF_FRAME", ""));
    for (std::size_t i = 0; i < 6; ++i) {
      std::string text;
      for (std::size_t j = 0; j <= i; ++j) {
        text += (j == 0 ? "" : " ") + require(row, covariance_keyword(i, j), covariance_unit(i, j));
      }
      add_data(row, text);
    }
  }

  void add_observation(const xml_node& row) {
    const std::string epoch = require(row, "EPOCH", "");
    for (const xml_node child : row.children()) {
      if (child.type() != pugi::node_element || std::string(child.name()) == "EPOCH") continue;
      add_entry(child, child.name(), epoch + " " + child.text().get());
    }
  }

  KvnFile m_file;
  const std::string& m_bytes;
};

}  // namespace

KvnFile read_xml_message(const std::string& path, const std::string& bytes) {
  return MessageReader(path, bytes).read();
}

#else

KvnFile read_xml_message(const std::string& path, const std::string&) {
  throw Error(ErrorKind::usage, path + " is XML, and this build reads messages in key = value form",
              "build with pugixml (Debian: libpugixml-dev), or convert the message");
}

#endif

}  // namespace tessera::gbees
