// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/pieces.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "tessera/core/error.hpp"
#include "tessera/core/io/checked_cast.hpp"
#include "tessera/core/io/hdf5.hpp"
#include "tessera/core/io/storage.hpp"

namespace tessera::io {

namespace {

constexpr std::uint64_t kElements = std::uint64_t{1} << 20;

/// A run of elements that is a box too.
struct Piece {
  std::uint64_t first = 0, count = 1;
  std::vector<hsize_t> start, extent;
};

/// Cuts a shape along the first dimension in which a slice is small enough; the ones before it are
/// walked through.
std::vector<Piece> cut(const Shape& shape) {
  const std::size_t rank = shape.size();
  std::size_t axis = 0;
  std::uint64_t slice = 1;  // elements of one index of the axis
  for (std::size_t d = 1; d < rank; ++d) slice *= shape[d];
  while (axis + 1 < rank && slice > kElements) slice /= shape[++axis];
  std::uint64_t outer = 1;
  for (std::size_t d = 0; d < axis; ++d) outer *= shape[d];
  const std::uint64_t length = rank > 0 ? shape[axis] : 1,
                      step = std::clamp<std::uint64_t>(kElements / slice, 1, length);
  std::vector<Piece> pieces;
  for (std::uint64_t o = 0; o < outer; ++o) {
    for (std::uint64_t begin = 0; begin < length; begin += step) {
      Piece piece;
      piece.start.assign(rank, 0);
      piece.extent.assign(shape.begin(), shape.end());
      std::uint64_t rest = o;
      for (std::size_t d = axis; d-- > 0; rest /= shape[d]) {
        piece.start[d] = rest % shape[d];
        piece.extent[d] = 1;
      }
      const std::uint64_t count = std::min(step, length - begin);
      if (rank > 0) {
        piece.start[axis] = begin;
        piece.extent[axis] = count;
      }
      piece.first = (o * length + begin) * slice;
      piece.count = count * slice;
      pieces.push_back(std::move(piece));
    }
  }
  return pieces;
}

bool is_empty(const Shape& shape) {
  return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

/// Calls `transfer(memory space, file space)` with the selection of a piece.
template <class Transfer>
bool transfer_piece(hid_t dataset, const Piece& piece, const Transfer& transfer) {
  const Id file(H5Dget_space(dataset));
  if (!piece.start.empty() && H5Sselect_hyperslab(file, H5S_SELECT_SET, piece.start.data(), nullptr,
                                                  piece.extent.data(), nullptr) < 0)
    return false;
  const hsize_t count = piece.count;
  const Id memory(H5Screate_simple(1, &count, nullptr));
  return transfer(memory, file) >= 0;
}

/// The numbers of a piece, read as S.
template <class S>
void read_piece(hid_t dataset, const Piece& piece, const std::string& place,
                std::vector<S>& numbers) {
  numbers.resize(piece.count);
  const bool read = transfer_piece(dataset, piece, [&](hid_t memory, hid_t file) {
    return H5Dread(dataset, native_type<S>(), memory, file, H5P_DEFAULT, numbers.data());
  });
  if (!read)
    throw Error(ErrorKind::file, "cannot read '" + place + "'" + hdf5_reason(),
                "the file may be damaged");
}

/// Integers of 64 bits, which a double may not hold.
template <class S>
void convert_long(const std::vector<S>& numbers, const std::string& place, std::uint64_t first,
                  std::vector<double>& values) {
  values.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (checked_cast(numbers[i], values[i])) continue;
    throw Error(ErrorKind::file, "cannot read '" + place + "' as float64: element " +
                                     std::to_string(first + i) + " is " +
                                     std::to_string(numbers[i]));
  }
}

void check_numbers(hid_t type, const std::string& place) {
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_FLOAT || (kind == H5T_INTEGER && H5Tget_size(type) <= 8)) return;
  if (kind == H5T_ENUM && H5Tget_size(type) <= 4) return;  // as which h5py stores booleans
  throw Error(ErrorKind::file,
              "cannot read '" + place + "' as float64: it holds " +
                  (kind == H5T_STRING ? "text" : "no plain numbers"),
              "check that the file is of the expected kind");
}

}  // namespace

template <class T>
void write_pieces(const Group& group, const std::string& name, const Shape& shape,
                  const std::function<void(std::uint64_t, std::uint64_t, T*)>& produce) {
  const QuietHdf5 quiet;
  const std::string place = group.place(name);
  if (group.has(name)) throw Error(ErrorKind::internal, "'" + place + "' is written twice");
  const std::vector<Piece> pieces = is_empty(shape) ? std::vector<Piece>() : cut(shape);
  std::uint64_t most = 0, size = 0;
  for (const Piece& piece : pieces) {
    most = std::max(most, piece.count);
    size += piece.count;
  }
  std::vector<T> values(most);
  if (!pieces.empty()) produce(0, pieces.front().count, values.data());

  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  const Id space(shape.empty()
                     ? H5Screate(H5S_SCALAR)
                     : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr));
  Id creation(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_obj_track_times(creation, false);
  if (size > kChunkBytes / sizeof(T) && !group.in_memory()) {  // in chunks that lie within pieces
    const std::vector<hsize_t>& extent = pieces.front().extent;
    const std::vector<hsize_t> chunk =
        chunk_extents(Shape(extent.begin(), extent.end()), sizeof(T));
    H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
    const Piece& middle = pieces[pieces.size() / 2];
    if (pieces.size() > 1) produce(middle.first, middle.count, values.data());
    if (is_compressible(values.data(), middle.count, sizeof(T)) &&
        H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
      H5Pset_shuffle(creation);
      H5Pset_deflate(creation, kDeflateLevel);
    }
  }
  const Id link = link_creation();
  const Id dataset(H5Dcreate2(static_cast<hid_t>(group.id()), name.c_str(), native_type<T>(), space,
                              link, creation, H5P_DEFAULT));
  bool written = dataset >= 0;
  for (std::size_t p = 0; p < pieces.size() && written; ++p) {
    if (pieces.size() > 1) produce(pieces[p].first, pieces[p].count, values.data());
    written = transfer_piece(dataset, pieces[p], [&](hid_t memory, hid_t file) {
      return H5Dwrite(dataset, native_type<T>(), memory, file, H5P_DEFAULT, values.data());
    });
  }
  if (!written) throw Error(ErrorKind::file, "cannot write '" + place + "'" + hdf5_reason());
}

namespace {

/// Reads pieces of a dataset of numbers.
class NumberReader {
 public:
  NumberReader(const Group& group, const std::string& name)
      : m_place(group.place(name)), m_dataset(open_dataset(group, name)) {
    check_storage(m_dataset, m_place);
    const Id type(H5Dget_type(m_dataset));
    check_numbers(type, m_place);
    m_is_long = H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) > 4;
    m_has_sign = m_is_long && H5Tget_sign(type) == H5T_SGN_2;
  }

  const std::vector<double>& read(const Piece& piece) {
    if (!m_is_long) {
      read_piece(m_dataset, piece, m_place, m_values);
    } else if (m_has_sign) {
      read_piece(m_dataset, piece, m_place, m_with_sign);
      convert_long(m_with_sign, m_place, piece.first, m_values);
    } else {
      read_piece(m_dataset, piece, m_place, m_without);
      convert_long(m_without, m_place, piece.first, m_values);
    }
    return m_values;
  }

 private:
  std::string m_place;
  Id m_dataset;
  bool m_is_long = false, m_has_sign = false;
  std::vector<double> m_values;
  std::vector<std::int64_t> m_with_sign;
  std::vector<std::uint64_t> m_without;
};

}  // namespace

void read_pieces(const Group& group, const std::string& name,
                 const std::function<void(std::uint64_t, std::uint64_t, const double*)>& take) {
  const QuietHdf5 quiet;
  NumberReader reader(group, name);
  const Shape shape = group.shape(name);
  for (const Piece& piece : is_empty(shape) ? std::vector<Piece>() : cut(shape))
    take(piece.first, piece.count, reader.read(piece).data());
}

void read_box(const Group& group, const std::string& name, const std::vector<std::uint64_t>& start,
              const std::vector<std::uint64_t>& extent, double* values) {
  const QuietHdf5 quiet;
  NumberReader reader(group, name);
  Piece box;
  box.start.assign(start.begin(), start.end());
  box.extent.assign(extent.begin(), extent.end());
  for (const std::uint64_t n : extent) box.count *= n;
  const std::vector<double>& numbers = reader.read(box);
  std::copy(numbers.begin(), numbers.end(), values);
}

Shape chunk_shape(const Group& group, const std::string& name) {
  const QuietHdf5 quiet;
  const Id dataset = open_dataset(group, name), creation(H5Dget_create_plist(dataset));
  std::vector<hsize_t> chunk(group.shape(name).size(), 1);
  if (H5Pget_layout(creation) == H5D_CHUNKED)
    H5Pget_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
  return Shape(chunk.begin(), chunk.end());
}

void check_values_fit(const Group& group, const std::string& name) {
  const QuietHdf5 quiet;
  const Id dataset = open_dataset(group, name), type(H5Dget_type(dataset)),
           space(H5Dget_space(dataset));
  check_numbers(type, group.place(name));
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 0)
    throw Error(ErrorKind::file, "cannot read '" + group.place(name) + "'" + hdf5_reason(),
                "the file may be damaged");
  check_storage(dataset, group.place(name));
  check_memory(static_cast<std::uint64_t>(count), sizeof(double), group.place(name));
}

#define TESSERA_INSTANTIATE(T)                                                  \
  template void write_pieces<T>(const Group&, const std::string&, const Shape&, \
                                const std::function<void(std::uint64_t, std::uint64_t, T*)>&);
TESSERA_INSTANTIATE(double)
TESSERA_INSTANTIATE(float)
TESSERA_INSTANTIATE(std::int8_t)
TESSERA_INSTANTIATE(std::int16_t)
TESSERA_INSTANTIATE(std::int32_t)
TESSERA_INSTANTIATE(std::int64_t)
TESSERA_INSTANTIATE(std::uint8_t)
TESSERA_INSTANTIATE(std::uint16_t)
TESSERA_INSTANTIATE(std::uint32_t)
TESSERA_INSTANTIATE(std::uint64_t)
#undef TESSERA_INSTANTIATE

}  // namespace tessera::io
