// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/masks.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/core/error.hpp"
#include "tessera/core/io/cf.hpp"
#include "tessera/mpr/same_grid.hpp"
#include "tessera/mpr/source.hpp"

namespace tessera::mpr {

namespace {

/// Which numbers of a mask are marked.
class Marked {
 public:
  Marked(const MaskParameters& mask, const Source& source) : m_mask(mask), m_source(source) {
    if (mask.flags.empty()) return;
    if (!source.root) {
      throw Error(ErrorKind::input, "'" + source.place + "' cannot name flags: it is no NetCDF or HDF5 file",
                  "give 'bits' instead of 'flags'");
    }
    m_flags = io::read_flags(*source.root, source.dataset);
    m_meanings = io::find_flags(m_flags, mask.flags, source.place);
  }

  bool operator()(double number) const {
    if (m_mask.flags.empty() && !m_mask.bits) return number != 0;
    if (std::isnan(number) || (m_source.root && !m_source.packing.is_valid(number))) return false;
    if (number != std::floor(number) || std::fabs(number) > 0x1p62) {
      throw Error(ErrorKind::input, "'" + m_source.place + "' holds " + std::to_string(number) + ", which has no flags or bits");
    }
    const auto whole = static_cast<std::int64_t>(number);
    if (m_mask.bits) return (static_cast<std::uint64_t>(whole) & *m_mask.bits) != 0;
    return std::any_of(m_meanings.begin(), m_meanings.end(), [&](std::size_t meaning) { return m_flags.has(whole, meaning); });
  }

 private:
  const MaskParameters& m_mask;
  const Source& m_source;
  io::Flags m_flags;
  std::vector<std::size_t> m_meanings;
};

}  // namespace

void apply_mask(Field& field, const MaskParameters& mask, Site kind) {
  if (mask.file.empty()) return;
  const Source read = open_source(mask.file, mask.dataset, {1});
  const std::string what = kind == kInactive ? "the mask of inactive sites '" : "the mask '";
  const std::size_t size = read.size(), all = field.values.size();
  const std::size_t image = static_cast<std::size_t>(field.grid.nx) * field.grid.ny, frame = static_cast<std::size_t>(field.grid.sites());
  const std::vector<std::uint64_t> shape = squeeze(read.shape);
  const bool same_rows = shape.size() >= 2 && shape.back() == static_cast<std::uint64_t>(field.grid.nx) &&
                         shape[shape.size() - 2] == static_cast<std::uint64_t>(field.grid.ny);
  if (!same_rows || (size != image && size != frame && size != all)) {
    throw Error(ErrorKind::input, what + mask.file + "' has the shape " + shape_text(read.shape) + ", the data " + shape_text(field.shape),
                "give a mask of the shape of the data, or of one image of them");
  }
  check_same_grid(field, read);
  const Marked is_marked(mask, read);
  read.read(Numbers::as_stored, [&](std::size_t first, std::size_t count, const double* numbers) {
    for (std::size_t i = 0; i < count; ++i) {
      if (is_marked(numbers[i]) == mask.inverted) continue;
      for (std::size_t site = first + i; site < all; site += size) field.status[site] = kind;
    }
  });
  if (kind == kInactive && field.count(kInactive) == static_cast<std::int64_t>(all)) {
    throw Error(ErrorKind::input, what + mask.file + "' leaves no site: all " + std::to_string(all) + " are inactive",
                mask.inverted ? "leave out 'inverted', or give another mask"
                              : "name its 'flags' or 'bits', give 'inverted: true' if zeros mark what is inactive, or another mask");
  }
}

}  // namespace tessera::mpr
