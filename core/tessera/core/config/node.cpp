// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/config/node.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tessera::config {

namespace {

// nesting of lists and mappings, aliases expanded
constexpr std::size_t kMaxDepth = 64;
// values that aliases may add to a document
constexpr std::size_t kMaxCopiedNodes = 100000;
constexpr std::size_t kMaxCopiedText = std::size_t{16} << 20;  // bytes of text in them
constexpr std::size_t kMostReported = 100;                     // problems of one input

constexpr std::string_view kCoreTags = "tag:yaml.org,2002:";

/// Ends the reading of a document that cannot be understood any further.
struct SyntaxError {
  Diagnostic diagnostic;
};

/// The size of a tree.
struct Size {
  std::size_t nodes = 0, text = 0, depth = 0;
};

Size measure(const Node& node) {
  Size size{1, node.text.size(), 0};
  const auto add = [&](const Node& child) {
    const Size below = measure(child);
    size.nodes += below.nodes;
    size.text += below.text;
    size.depth = std::max(size.depth, below.depth);
  };
  for (const Node& item : node.items) add(item);
  for (const Entry& entry : node.entries) {
    add(entry.value);
    size.text += entry.key.size();
  }
  ++size.depth;
  return size;
}

/// Builds the tree from the events of the parser.
class Builder final : public YAML::EventHandler {
 public:
  Builder(const std::string& text, const std::string& name, std::vector<Diagnostic>& problems)
      : m_text(text), m_name(name), m_problems(problems) {}

  Node take() { return std::move(m_root); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (m_documents++ > 0)
      fail(mark, "an input is one YAML document, and something follows its end here");
  }

  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node;
    node.location = at(mark);
    add(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = m_anchors.find(anchor);
    if (found == m_anchors.end())
      fail(mark, "this alias stands inside the value that it refers to");
    const Size size = measure(found->second);
    count_copy(at(mark), size);
    check_depth(mark, size.depth);
    Node node = found->second;
    node.location = at(mark);
    add(std::move(node), 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag, {"str", "int", "float", "bool"});
    check_quote(mark);
    Node node;
    node.kind = Node::Kind::scalar;
    node.location = at(mark);
    node.text = value;
    node.quoted = tag == "!" || tag == std::string(kCoreTags) + "str";
    add(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    check_tag(mark, tag, {"seq"});
    open(Node::Kind::sequence, mark, anchor);
  }

  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    check_tag(mark, tag, {"map"});
    open(Node::Kind::map, mark, anchor);
  }

  void OnMapEnd() override { close(); }

 private:
  /// A list or mapping whose end has not come yet.
  struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;   // the next event is the value of `key`
    bool skip_key = false;  // `key` cannot be used: its value is read and dropped
    std::string key;
    Location key_location;
    std::unordered_map<std::string, Location> known;  // the keys so far
  };

  Location at(const YAML::Mark& mark) const { return {m_name, mark.line + 1, mark.column + 1}; }

  void record(const Location& location, const std::string& message) {
    m_problems.push_back({location, message});
  }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) const {
    fail(at(mark), message);
  }
  [[noreturn]] static void fail(const Location& location, const std::string& message) {
    throw SyntaxError{{location, message}};
  }

  void check_depth(const YAML::Mark& mark, std::size_t deeper) const {
    if (m_open.size() + deeper > kMaxDepth)
      fail(mark, fmt::format("lists and mappings are nested more than {} deep", kMaxDepth));
  }

  /// Counts what is copied beyond one copy of each value that the input has.
  void count_copy(const Location& location, const Size& size) {
    m_copied.nodes += size.nodes;
    m_copied.text += size.text;
    if (m_copied.nodes > kMaxCopiedNodes)
      fail(location, fmt::format("aliases expand to more than {} values", kMaxCopiedNodes));
    if (m_copied.text > kMaxCopiedText)
      fail(location,
           fmt::format("aliases expand to more than {} MiB of text", kMaxCopiedText >> 20));
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag,
                 std::initializer_list<std::string_view> known) {
    if (tag == "?" || tag == "!" || tag.empty()) return;
    const bool core = tag.compare(0, kCoreTags.size(), kCoreTags) == 0;
    const std::string name = core ? tag.substr(kCoreTags.size()) : tag;
    if (core && std::find(known.begin(), known.end(), name) != known.end()) return;
    record(at(mark),
           fmt::format("the tag '{}{}' has no meaning here (remove it)", core ? "!!" : "", name));
  }

  /// The parser lets a quote that never ends pass.
  void check_quote(const YAML::Mark& mark) const {
    std::size_t i = static_cast<std::size_t>(mark.pos);
    if (i >= m_text.size() || (m_text[i] != '"' && m_text[i] != '\'')) return;
    const char quote = m_text[i++];
    for (; i < m_text.size(); ++i) {
      if (quote == '"' && m_text[i] == '\\') {
        ++i;
      } else if (m_text[i] == quote) {
        if (quote == '"' || i + 1 >= m_text.size() || m_text[i + 1] != quote) return;
        ++i;
      }
    }
    fail(mark, "the quote that begins here is never closed");
  }

  void open(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    check_depth(mark, 1);
    Open open;
    open.node.kind = kind;
    open.node.location = at(mark);
    open.anchor = anchor;
    m_open.push_back(std::move(open));
  }

  void close() {
    Open closed = std::move(m_open.back());
    m_open.pop_back();
    closed.node.index_keys();
    add(std::move(closed.node), closed.anchor);
  }

  /// Keeps a value for the aliases that may follow.
  void keep(const Node& node, YAML::anchor_t anchor) {
    const bool is_nested = std::any_of(m_open.begin(), m_open.end(),
                                       [](const Open& open) { return open.anchor != 0; });
    // it is kept again with what is around it
    if (is_nested) count_copy(node.location, measure(node));
    m_anchors[anchor] = node;
  }

  void add(Node node, YAML::anchor_t anchor) {
    if (anchor != 0) keep(node, anchor);
    if (m_open.empty()) {
      m_root = std::move(node);
      return;
    }
    Open& parent = m_open.back();
    if (parent.node.kind == Node::Kind::sequence) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.has_key) {
      take_key(parent, node);
    } else {
      if (!parent.skip_key)
        parent.node.entries.push_back({parent.key, parent.key_location, std::move(node)});
      parent.has_key = false;
    }
  }

  void take_key(Open& map, const Node& node) {
    map.has_key = true;
    map.skip_key = true;
    map.key = node.text;
    map.key_location = node.location;
    if (node.kind != Node::Kind::scalar) {
      record(node.location, "a key must be text");
    } else if (node.text == "<<" && !node.quoted) {
      record(node.location, "merging with '<<' is not supported (write the keys out)");
    } else {
      const auto [first, is_new] = map.known.try_emplace(node.text, node.location);
      if (is_new) {
        map.skip_key = false;
      } else {
        record(node.location, fmt::format("duplicate key '{}' (first given at {})", node.text,
                                          to_string(first->second)));
      }
    }
  }

  const std::string& m_text;
  const std::string& m_name;
  std::vector<Diagnostic>& m_problems;
  Node m_root;
  std::vector<Open> m_open;
  std::map<YAML::anchor_t, Node> m_anchors;
  Size m_copied;
  int m_documents = 0;
};

/// Line ends as LF and no byte order mark, whatever editor wrote the file.
std::string normalise(const std::string& text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::string result;
  result.reserve(text.size());
  const std::size_t start =
      text.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0 ? kByteOrderMark.size() : 0;
  for (std::size_t i = start; i < text.size(); ++i) {
    if (text[i] != '\r') {
      result += text[i];
    } else if (i + 1 >= text.size() || text[i + 1] != '\n') {
      result += '\n';
    }
  }
  return result;
}

Location locate(const std::string& text, std::size_t offset, const std::string& name) {
  Location location{name, 1, 1};
  for (std::size_t i = 0; i < offset; ++i) {
    ++location.column;
    if (text[i] == '\n') {
      ++location.line;
      location.column = 1;
    }
  }
  return location;
}

/// Length in bytes of the UTF-8 character at `i`; 0 where there is none.
std::size_t utf8_length(const std::string& text, std::size_t i) {
  const auto byte = [&](std::size_t k) {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u;
  };
  const unsigned lead = byte(i);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xC0u) != 0x80u) return 0;
  }
  return length;
}

/// An HDF5 file or an image given by mistake, or a text in another encoding.
void check_encoding(const std::string& text, const std::string& name) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7F) {
      throw SyntaxError{
          {locate(text, i, name),
           fmt::format("not a text file: byte 0x{:02x} (an input is YAML in UTF-8)", byte)}};
    }
    const std::size_t length = utf8_length(text, i);
    if (length == 0) {
      throw SyntaxError{
          {locate(text, i, name),
           fmt::format("byte 0x{:02x} is not UTF-8 (save the file in that encoding)", byte)}};
    }
    i += length;
  }
}

/// The parser's words, said in the user's terms where they are obscure.
std::string explain(const std::string& message) {
  static const std::map<std::string, std::string> kWords = {
      {"illegal map value",
       "unexpected ':' (check the indentation and the space after each key's colon; text with a "
       "colon needs quotes)"},
      {"end of map not found",
       "this does not fit the lines above (check the indentation, and quotes or braces left open)"},
      {"end of sequence not found", "this does not fit the list above (check the indentation)"},
      {"end of map flow not found", "a mapping that began with '{' is not closed by '}'"},
      {"end of sequence flow not found", "a list that began with '[' is not closed by ']'"},
      {"unknown token", "text cannot begin with this character (put it in quotes)"},
      {"the referenced anchor is not defined",
       "this alias refers to an anchor that is not defined above"},
  };
  // newer parsers append a name
  const auto found = kWords.find(message.substr(0, message.find(':')));
  return found == kWords.end() ? message : found->second;
}

/// The parser's complaint; a tab in the indentation of that line is named as the cause.
Diagnostic diagnose(const YAML::Exception& error, const std::string& text,
                    const std::string& name) {
  if (error.mark.is_null()) return {{name, 1, 1}, "not valid YAML: " + error.msg};
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i <= error.mark.line; ++i) std::getline(lines, line);
  const std::size_t tab = line.find_first_not_of(' ');
  if (tab != std::string::npos && line[tab] == '\t') {
    return {{name, error.mark.line + 1, static_cast<int>(tab) + 1},
            "a tab in the indentation (YAML is indented with spaces)"};
  }
  return {{name, error.mark.line + 1, error.mark.column + 1},
          "not valid YAML: " + explain(error.msg)};
}

}  // namespace

std::string to_string(const Location& location) {
  return location.has_line()
             ? fmt::format("{}:{}:{}", location.file, location.line, location.column)
             : location.file;
}

std::string report(std::vector<Diagnostic> diagnostics) {
  std::stable_sort(diagnostics.begin(), diagnostics.end(),
                   [](const Diagnostic& a, const Diagnostic& b) {
                     return std::tie(a.location.line, a.location.column) <
                            std::tie(b.location.line, b.location.column);
                   });
  std::string lines;
  const auto add = [&](const std::string& place, const std::string& message) {
    lines += fmt::format("{}{}: error: {}", lines.empty() ? "" : "\n", place, message);
  };
  for (std::size_t i = 0; i < diagnostics.size() && i < kMostReported; ++i)
    add(to_string(diagnostics[i].location), diagnostics[i].message);
  if (diagnostics.size() > kMostReported) {
    add(diagnostics[kMostReported].location.file,
        fmt::format("and {} more", diagnostics.size() - kMostReported));
  }
  return lines;
}

const Entry* Node::find(const std::string& key) const {
  const auto found = std::lower_bound(
      by_key.begin(), by_key.end(), key,
      [&](std::uint32_t index, const std::string& wanted) { return entries[index].key < wanted; });
  return found == by_key.end() || entries[*found].key != key ? nullptr : &entries[*found];
}

Entry& Node::add(Entry entry) {
  const auto place = std::lower_bound(
      by_key.begin(), by_key.end(), entry.key,
      [&](std::uint32_t index, const std::string& wanted) { return entries[index].key < wanted; });
  by_key.insert(place, static_cast<std::uint32_t>(entries.size()));
  return entries.emplace_back(std::move(entry));
}

void Node::index_keys() {
  by_key.resize(entries.size());
  std::iota(by_key.begin(), by_key.end(), 0u);
  std::sort(by_key.begin(), by_key.end(),
            [&](std::uint32_t a, std::uint32_t b) { return entries[a].key < entries[b].key; });
}

Entry* Node::find(const std::string& key) {
  return const_cast<Entry*>(std::as_const(*this).find(key));
}

Node parse_yaml(const std::string& text, const std::string& name,
                std::vector<Diagnostic>& problems) {
  const std::string clean = normalise(text);
  Builder builder(clean, name, problems);
  try {
    check_encoding(clean, name);
    std::istringstream stream(clean);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take();
  } catch (const SyntaxError& error) {
    problems.push_back(error.diagnostic);
  } catch (const YAML::Exception& error) {
    problems.push_back(diagnose(error, clean, name));
  }
  return {};
}

}  // namespace tessera::config
