// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/masks.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tessera/core/error.hpp"
#include "tessera/core/io/cf.hpp"
#include "tessera/core/io/netcdf.hpp"
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

/// Numbers may be rounded to single precision in one of the files.
bool is_near(double a, double b, double step) { return std::fabs(a - b) <= std::max(1e-3 * std::fabs(step), 1e-6 * std::fabs(b)); }

[[noreturn]] void refuse_grid(const std::string& mask, const std::string& data, const std::string& what) {
  throw Error(ErrorKind::input, "'" + mask + "' and '" + data + "' are on different grids: " + what, "bring them onto the same grid");
}

/// Coordinates of rows and columns, where both files have them.
void check_same_coordinates(const Field& field, const Source& mask) {
  const std::vector<std::string> scales = io::dimension_scales(*mask.root, mask.dataset);
  const auto find_axes = [](const std::vector<std::uint64_t>& shape) {
    const std::vector<bool> kept = find_extended(shape);
    std::vector<std::size_t> axes;
    for (std::size_t d = shape.size(); d-- > 0 && axes.size() < 2;) {
      if (kept[d]) axes.push_back(d);
    }
    return axes;
  };
  const std::vector<std::size_t> ours = find_axes(field.shape), theirs = find_axes(mask.shape);
  for (std::size_t a = 0; a < 2; ++a) {
    const std::string our_scale = field.scales[ours[a]], their_scale = scales[theirs[a]];
    if (our_scale.empty() || their_scale.empty() || io::is_bare_dimension(*field.source, our_scale) ||
        io::is_bare_dimension(*mask.root, their_scale))
      continue;
    const auto x = field.source->read<double>(our_scale), y = mask.root->read<double>(their_scale);
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      const double step = x.size() > 1 ? x[i > 0 ? i : 1] - x[i > 0 ? i - 1 : 0] : 0;
      if (is_near(y[i], x[i], step)) continue;
      refuse_grid(mask.root->place(their_scale.substr(1)), field.source->place(our_scale.substr(1)),
                  "number " + std::to_string(i + 1) + " is " + std::to_string(y[i]) + " and " + std::to_string(x[i]));
    }
  }
}

/// Corners of the images of two rasters.
void check_same_transform(const io::Raster& raster, const io::Raster& mask) {
  const auto& t = raster.transform;
  const auto& u = mask.transform;
  const double step = std::max({std::fabs(t[1]), std::fabs(t[2]), std::fabs(t[4]), std::fabs(t[5])});
  for (const std::array<double, 2>& corner : {std::array<double, 2>{0, 0}, {1.0 * raster.nx, 0}, {0, 1.0 * raster.ny}}) {
    for (const std::size_t k : {0, 3}) {
      const double a = t[k] + corner[0] * t[k + 1] + corner[1] * t[k + 2], b = u[k] + corner[0] * u[k + 1] + corner[1] * u[k + 2];
      if (std::fabs(a - b) > 1e-3 * step)
        refuse_grid(mask.path, raster.path, "a corner is at " + std::to_string(b) + " and " + std::to_string(a));
    }
  }
}

void check_same_grid(const Field& field, const Source& mask) {
  if (field.source && mask.root && field.scales.size() == field.shape.size()) check_same_coordinates(field, mask);
  if (field.raster && mask.raster) check_same_transform(*field.raster, *mask.raster);
}

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
