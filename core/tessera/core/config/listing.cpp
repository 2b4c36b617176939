// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/config/listing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/core/config/scalar.hpp"

namespace tessera::config {

namespace {

using Lines = std::vector<std::string>;
using Kind = Declaration::Kind;

std::string join_lines(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

/// Puts `first` before the first line and `rest` before the others; empty lines stay empty.
Lines prefixed(Lines lines, const std::string& first, const std::string& rest) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].empty()) lines[i].insert(0, i == 0 ? first : rest);
  }
  return lines;
}

void append(Lines& lines, const Lines& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

Lines split_lines(const std::string& text) {
  Lines lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string key_text(const Declaration& declaration) { return yaml_text(declaration.key); }

/// `key:` with what stands below it, or `key: empty` when nothing does.
Lines block(const Declaration& declaration, const Lines& below, const std::string& empty) {
  if (below.empty()) return {key_text(declaration) + ": " + empty};
  Lines lines{key_text(declaration) + ":"};
  append(lines, prefixed(below, "  ", "  "));
  return lines;
}

Lines resolved_lines(const Declaration& section) {
  Lines lines;
  for (const Declaration* child : section.children) {
    if (child->kind == Kind::parameter) {
      if (!child->unset) lines.push_back(key_text(*child) + ": " + child->value);
    } else if (child->kind == Kind::list) {
      if (!child->given) continue;
      Lines items;
      for (const Declaration* item : child->children) {
        const Lines below = resolved_lines(*item);
        append(items, below.empty() ? Lines{"- {}"} : prefixed(below, "- ", "  "));
      }
      append(lines, block(*child, items, "[]"));
    } else if (child->given || !child->optional) {
      const Lines below = resolved_lines(*child);
      if (child->given || !below.empty()) append(lines, block(*child, below, "{}"));
    }
  }
  return lines;
}

/// "required; km; > 0; what it is; default: what holds when it is not set"
std::string annotation(const Declaration& parameter) {
  std::string text;
  const std::string otherwise =
      parameter.otherwise.empty() ? "" : "default: " + parameter.otherwise;
  for (const std::string& part : {std::string(parameter.required ? "required" : ""),
                                  parameter.unit == "1" ? std::string() : parameter.unit,
                                  parameter.limits, one_line(parameter.doc), otherwise}) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  }
  return text;
}

/// The value that --print-defaults has: none where it would say as much as leaving the parameter
/// out.
std::string printed_value(const Declaration& parameter) {
  if (parameter.given) return parameter.value;
  const bool is_nothing = parameter.unset || parameter.value == "\"\"" || parameter.value == "[]";
  return is_nothing ? parameter.example : parameter.value;
}

bool is_commented_out(const Declaration& declaration) {
  if (declaration.given || declaration.printed == Declaration::Printed::written_out) return false;
  if (declaration.printed == Declaration::Printed::commented_out) return true;
  switch (declaration.kind) {
    case Kind::parameter:
      return printed_value(declaration).empty();
    case Kind::section:
      return declaration.optional;
    default:
      return declaration.kind == Kind::list;
  }
}

std::string default_line(const Declaration& parameter) {
  const std::string value = printed_value(parameter);
  return (is_commented_out(parameter) ? "# " : "") + key_text(parameter) + ":" +
         (value.empty() ? "" : " " + value);
}

bool is_comment(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string::npos || line[first] == '#';
}

/// The width that lines up the annotations of a section's parameters; a few long values do not push
/// them all aside.
std::size_t annotation_column(const Declaration& section) {
  constexpr std::size_t kWidest = 40;
  std::size_t width = 0;
  for (const Declaration* child : section.children) {
    if (child->kind == Kind::parameter) width = std::max(width, default_line(*child).size());
  }
  return std::min(width, kWidest);
}

Lines default_lines(const Declaration& section) {
  Lines lines;
  const std::size_t column = annotation_column(section);
  const bool at_top = section.path.empty();
  for (const Declaration* child : section.children) {
    if (child->kind == Kind::parameter) {
      const std::string comment = annotation(*child);
      lines.push_back(comment.empty()
                          ? default_line(*child)
                          : fmt::format("{:<{}}  # {}", default_line(*child), column, comment));
      continue;
    }
    if (at_top && !lines.empty()) lines.emplace_back();
    append(lines, prefixed(split_lines(child->doc), "# ", "# "));
    Lines below;
    if (child->kind == Kind::list) {
      for (const Declaration* item : child->children)
        append(below, prefixed(default_lines(*item), "- ", "  "));
    } else {
      below = default_lines(*child);
    }
    const bool has_values =
        below.empty() || std::any_of(below.begin(), below.end(),
                                     [](const std::string& line) { return !is_comment(line); });
    Lines body = block(*child, below, child->kind == Kind::list ? "[]" : "{}");
    if (is_commented_out(*child)) {
      body = prefixed(std::move(body), "# ", "# ");
    } else if (!has_values && !child->given) {
      body.front().insert(0, "# ");
    }
    append(lines, body);
  }
  return lines;
}

}  // namespace

std::string resolved_text(const Declaration& root) {
  const Lines lines = resolved_lines(root);
  return lines.empty() ? "{}\n" : join_lines(lines);
}

std::string defaults_text(const Declaration& root) { return join_lines(default_lines(root)); }

}  // namespace tessera::config
