// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/mpr/data/masks.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/core/error.hpp"
#include "tessera/core/io/cf.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/mpr/data/grid_agreement.hpp"
#include "tessera/mpr/data/source.hpp"

namespace tessera::mpr {

namespace {

/// The test whether a number of a mask is marked.
class Marked {
 public:
  Marked(const MaskParameters& mask, const Source& source) : m_mask(mask), m_source(source) {
    if (mask.flags.empty()) return;
    if (!source.root) {
      throw Error(ErrorKind::input,
                  "'" + source.place + "' cannot name flags: it is no NetCDF or HDF5 file",
                  "give 'bits' instead of 'flags'");
    }
    m_flags = io::read_flags(*source.root, source.dataset);
    m_meanings = io::find_flags(m_flags, mask.flags, source.place);
  }

  /// Returns whether the file says that a number stands for no value.
  bool is_none(double number) const {
    if (std::isnan(number)) return false;
    return m_source.root
               ? std::isnan(m_source.packing.decode(number))
               : m_source.raster && std::isnan(m_source.raster->bands.front().decode(number));
  }

  bool operator()(double number) const {
    if (is_none(number)) return false;
    if (m_mask.flags.empty() && !m_mask.bits) return number != 0;
    if (std::isnan(number)) return false;
    if (number != std::floor(number) || std::fabs(number) > 0x1p62) {
      throw Error(ErrorKind::input, "'" + m_source.place + "' holds " + std::to_string(number) +
                                        ", which has no flags or bits");
    }
    const auto whole = static_cast<std::int64_t>(number);
    if (m_mask.bits) return (static_cast<std::uint64_t>(whole) & *m_mask.bits) != 0;
    return std::any_of(m_meanings.begin(), m_meanings.end(),
                       [&](std::size_t meaning) { return m_flags.has(whole, meaning); });
  }

 private:
  const MaskParameters& m_mask;
  const Source& m_source;
  io::Flags m_flags;
  std::vector<std::size_t> m_meanings;
};

}  // namespace

struct Mask::State {
  MaskParameters mask;
  Site kind;
  Source source;
  Marked is_marked;
  mutable std::vector<double> numbers;
  mutable bool told = false;

  State(const MaskParameters& parameters, Site marked, bool in_boxes)
      : mask(parameters),
        kind(marked),
        source(open_source(mask.file, mask.dataset, {1}, in_boxes)),
        is_marked(mask, source) {}
  /// Warns, once, of sites of which the mask says nothing.
  void tell_of_none(std::size_t sites) const {
    if (told || sites == 0) return;
    told = true;
    logging::warning(what() + " holds no value, but the file's fill value, at " +
                     std::to_string(sites) + " sites: they count as not marked" +
                     (mask.inverted ? ", and are since it is inverted" : ""));
  }
  std::string what() const {
    return (kind == kInactive ? "the mask of inactive sites '" : "the mask '") + mask.file + "'";
  }
};

Mask::Mask(const Field& field, const MaskParameters& mask, Site kind, bool in_boxes)
    : m_state(std::make_unique<State>(mask, kind, in_boxes)) {
  const Source& read = m_state->source;
  const std::size_t size = read.size(), all = static_cast<std::size_t>(field.sites());
  const std::size_t image = static_cast<std::size_t>(field.grid.nx) * field.grid.ny,
                    frame = static_cast<std::size_t>(field.grid.sites());
  const std::vector<std::uint64_t> shape = squeeze(read.shape);
  const bool same_rows = shape.size() >= 2 &&
                         shape.back() == static_cast<std::uint64_t>(field.grid.nx) &&
                         shape[shape.size() - 2] == static_cast<std::uint64_t>(field.grid.ny);
  if (!same_rows || (size != image && size != frame && size != all)) {
    throw Error(ErrorKind::input,
                m_state->what() + " has the shape " + shape_text(read.shape) + ", the data " +
                    shape_text(field.shape),
                "give a mask of the shape of the data, or of one image of them");
  }
  check_same_grid(field, read);
}

Mask::~Mask() = default;
Mask::Mask(Mask&&) noexcept = default;

void Mask::throw_nothing_left(std::int64_t sites) const {
  throw Error(ErrorKind::input,
              m_state->what() + " leaves no site: all " + std::to_string(sites) + " are inactive",
              m_state->mask.inverted ? "leave out 'inverted', or give another mask"
                                     : "name its 'flags' or 'bits', give 'inverted: true' if zeros "
                                       "mark what is inactive, or another mask");
}

void Mask::mark(Field& field) const {
  const std::size_t size = m_state->source.size(), all = field.values.size();
  std::size_t none = 0;
  m_state->source.read(Numbers::as_stored,
                       [&](std::size_t first, std::size_t count, const double* numbers) {
                         for (std::size_t i = 0; i < count; ++i) {
                           if (m_state->is_marked.is_none(numbers[i])) ++none;
                           if (m_state->is_marked(numbers[i]) == m_state->mask.inverted) continue;
                           for (std::size_t site = first + i; site < all; site += size)
                             field.status[site] = m_state->kind;
                         }
                       });
  m_state->tell_of_none(none);
  if (m_state->kind == kInactive && field.count(kInactive) == field.sites())
    throw_nothing_left(field.sites());
}

void Mask::mark_box(const io::Box& box, std::uint8_t* status) const {
  std::vector<double>& numbers = m_state->numbers;
  numbers.resize(box.size());
  m_state->source.read_box(Numbers::as_stored, box, numbers.data());
  std::size_t none = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (m_state->is_marked.is_none(numbers[i])) ++none;
    if (m_state->is_marked(numbers[i]) != m_state->mask.inverted) status[i] = m_state->kind;
  }
  m_state->tell_of_none(none);
}

void apply_mask(Field& field, const MaskParameters& mask, Site kind) {
  if (!mask.file.empty()) Mask(field, mask, kind).mark(field);
}

}  // namespace tessera::mpr
