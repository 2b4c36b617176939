// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "tessera/core/io/box.hpp"
#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/parameters.hpp"

namespace tessera::mpr {

/// A mask of a field: it has the shape of the field, or of one frame or image of it and then holds
/// for all. Its flags and bits choose sites by their number; without them all that is not zero is
/// marked. Sites where a mask of flags or bits holds no number are not marked.
class Mask {
 public:
  /// Throws Error (file) when it cannot be read, Error (input) for an unknown dataset or flag and
  /// for another shape. kind: what its sites become. in_boxes: it is read by mark_box alone.
  Mask(const Field& field, const MaskParameters& mask, Site kind, bool in_boxes = false);
  ~Mask();
  Mask(Mask&&) noexcept;

  /// Throws Error (input) for numbers that are not whole where bits are asked for, and when no site
  /// is left.
  void mark(Field& field) const;
  /// Does the same for the columns and rows of a box of an image, row after row; some sites must be
  /// left elsewhere.
  void mark_box(const io::Box& box, std::uint8_t* status) const;
  [[noreturn]] void throw_nothing_left(std::int64_t sites) const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// Marks the sites of a mask; no file marks none. Throws as Mask does.
void apply_mask(Field& field, const MaskParameters& mask, Site kind);

}  // namespace tessera::mpr
