// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/npy.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <string_view>
#include <type_traits>

#include "tessera/core/error.hpp"
#include "tessera/core/io/bytes.hpp"
#include "tessera/core/io/checked_cast.hpp"
#include "tessera/core/io/files_read.hpp"
#include "tessera/core/io/memory.hpp"
#include "tessera/core/io/temporary_file.hpp"

namespace tessera::io {

static_assert(std::endian::native == std::endian::little,
              "npy files are read and written in little-endian order");

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

/// The header of a .npy file: a Python dictionary with the keys descr, fortran_order and shape.
struct Header {
  std::string type;  ///< "<f8"
  bool column_major = false;
  Shape shape;
  std::size_t data_offset = 0;
  std::size_t first = 0;  ///< number of the first element at hand, for messages
};

[[noreturn]] void refuse(const std::string& path, const std::string& what,
                         const std::string& remedy = {}) {
  throw Error(ErrorKind::input, path + ": " + what, remedy);
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Reads the dictionary, in which only the values that numpy writes occur.
class DictionaryReader {
 public:
  DictionaryReader(const std::string& path, std::string_view text) : m_path(path), m_text(text) {}

  Header read() {
    Header header;
    bool has_type = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        if (peek() == '[')
          refuse(m_path, "the array has named fields",
                 "save each field as an array of its own: numpy.save(path, a['x'])");
        header.type = quoted();
        has_type = true;
      } else if (key == "fortran_order") {
        header.column_major = truth();
        has_order = true;
      } else if (key == "shape") {
        header.shape = tuple();
        has_shape = true;
      } else {
        malformed();
      }
      if (!accept(',') && peek() != '}') malformed();
    }
    if (!has_type || !has_order || !has_shape) malformed();
    return header;
  }

 private:
  [[noreturn]] void malformed() const {
    refuse(m_path, "the header of the .npy file is malformed",
           "save the array again with numpy.save");
  }

  char peek() {
    while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n')) ++m_at;
    return m_at < m_text.size() ? m_text[m_at] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++m_at;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) malformed();
  }
  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') malformed();
    const std::size_t end = m_text.find(quote, m_at + 1);
    if (end == std::string_view::npos) malformed();
    std::string text(m_text.substr(m_at + 1, end - m_at - 1));
    m_at = end + 1;
    return text;
  }
  bool truth() {
    peek();
    for (const std::string_view word : {std::string_view("True"), std::string_view("False")}) {
      if (m_text.substr(m_at).starts_with(word)) {
        m_at += word.size();
        return word == "True";
      }
    }
    malformed();
  }
  Shape tuple() {
    Shape shape;
    expect('(');
    while (!accept(')')) {
      peek();
      std::uint64_t extent = 0;
      const auto [stopped, status] =
          std::from_chars(m_text.data() + m_at, m_text.data() + m_text.size(), extent);
      if (status != std::errc()) malformed();
      m_at = static_cast<std::size_t>(stopped - m_text.data());
      shape.push_back(extent);
      accept('L');  // written by Python 2
      if (!accept(',') && peek() != ')') malformed();
    }
    return shape;
  }

  const std::string& m_path;
  std::string_view m_text;
  std::size_t m_at = 0;
};

Header read_header(const std::string& path, std::string_view bytes) {
  if (!bytes.starts_with(kMagic))
    refuse(path, "this is not a .npy file", "save the array with numpy.save");
  if (bytes.size() < 10) refuse(path, "the file is cut off in its header", "copy or save it again");
  const auto version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) {
    refuse(path, "the .npy format " + std::to_string(version) + " is not known; 1, 2 and 3 are",
           "save the array again with numpy.save");
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t begin = 8 + length_bytes;
  const std::uint64_t length =
      begin > bytes.size() ? 0 : little_endian(bytes.substr(8, length_bytes));
  if (begin > bytes.size() || length > bytes.size() - begin)
    refuse(path, "the file is cut off in its header", "copy or save it again");
  Header header = DictionaryReader(path, bytes.substr(begin, length)).read();
  header.data_offset = begin + length;
  return header;
}

std::string shape_text(const Shape& shape) {
  std::string text = "(";
  for (const std::uint64_t extent : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + (shape.size() == 1 ? ",)" : ")");
}

/// The number of elements, after checking that the file holds just as many.
std::size_t checked_size(const std::string& path, const Header& header, std::size_t data_bytes,
                         std::size_t element_bytes) {
  const bool empty = std::find(header.shape.begin(), header.shape.end(), 0) != header.shape.end();
  std::uint64_t size = empty ? 0 : 1;
  bool overflow = false;
  for (const std::uint64_t extent : header.shape) {
    overflow = overflow || (!empty && size > std::numeric_limits<std::uint64_t>::max() / extent);
    size *= extent;
  }
  if (overflow || data_bytes / element_bytes != size || data_bytes % element_bytes != 0) {
    refuse(path,
           "the shape " + shape_text(header.shape) + " of " + std::to_string(element_bytes) +
               "-byte elements does not match the " + std::to_string(data_bytes) + " bytes of data",
           "the file may be cut off: copy or save it again");
  }
  return static_cast<std::size_t>(size);
}

/// Moves column-major values to row-major order.
template <class T>
std::vector<T> row_major(const std::vector<T>& values, const Shape& shape) {
  std::vector<T> result(values.size());
  // The index of the element in row-major order, last index fastest
  std::vector<std::uint64_t> index(shape.size(), 0);
  std::vector<std::uint64_t> stride(shape.size(), 1);
  for (std::size_t d = 1; d < shape.size(); ++d) stride[d] = stride[d - 1] * shape[d - 1];
  std::uint64_t from = 0;
  for (T& to : result) {
    to = values[from];
    for (std::size_t d = shape.size(); d-- > 0;) {
      from += stride[d];
      if (++index[d] < shape[d]) break;
      from -= stride[d] * shape[d];
      index[d] = 0;
    }
  }
  return result;
}

template <class T, class S>
Array<T> convert(const std::string& path, const Header& header, std::string_view data) {
  const std::size_t size = checked_size(path, header, data.size(), sizeof(S));
  std::vector<T> values(size);
  if constexpr (std::is_same_v<T, S>) {
    if (size > 0) std::memcpy(values.data(), data.data(), data.size());
  } else {
    for (std::size_t i = 0; i < size; ++i) {
      S stored;
      std::memcpy(&stored, data.data() + i * sizeof(S), sizeof(S));
      if (!checked_cast(stored, values[i])) {
        refuse(path, "element " + std::to_string(header.first + i) + " is " +
                         std::to_string(stored) + ", which is no " + type_name<T>());
      }
    }
  }
  if (header.column_major && header.shape.size() > 1) values = row_major(values, header.shape);
  return {header.shape, std::move(values)};
}

template <class T>
Array<T> convert_stored(const std::string& path, const Header& header, std::string_view data) {
  const std::string& type = header.type;
  if (type == "<f8") return convert<T, double>(path, header, data);
  if (type == "<f4") return convert<T, float>(path, header, data);
  if (type == "|i1") return convert<T, std::int8_t>(path, header, data);
  if (type == "<i2") return convert<T, std::int16_t>(path, header, data);
  if (type == "<i4") return convert<T, std::int32_t>(path, header, data);
  if (type == "<i8") return convert<T, std::int64_t>(path, header, data);
  if (type == "|u1" || type == "|b1") return convert<T, std::uint8_t>(path, header, data);
  if (type == "<u2") return convert<T, std::uint16_t>(path, header, data);
  if (type == "<u4") return convert<T, std::uint32_t>(path, header, data);
  if (type == "<u8") return convert<T, std::uint64_t>(path, header, data);
  if (type.starts_with('>'))
    refuse(path, "the array is big endian ('" + type + "')",
           "save a.astype(a.dtype.newbyteorder('<'))");
  refuse(path, "elements of type '" + type + "' cannot be read",
         "save booleans, integers, float32 or float64: a.astype('float64')");
}

template <class T>
std::string stored_type() {
  if constexpr (std::is_same_v<T, bool>) return "|b1";
  const std::string kind = std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "i" : "u";
  return (sizeof(T) == 1 ? "|" : "<") + kind + std::to_string(sizeof(T));
}

/// Magic, version, length and dictionary, padded so that the data begins at a multiple of 64 bytes.
std::string header_bytes(const std::string& type, const Shape& shape) {
  constexpr std::size_t kAlignment = 64;
  constexpr std::size_t kVersion1Prefix = 10, kVersion2Prefix = 12;
  constexpr std::size_t kVersion1Longest = 65535;
  std::string text =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  const bool version1 = text.size() + kAlignment <= kVersion1Longest;
  const std::size_t prefix = version1 ? kVersion1Prefix : kVersion2Prefix;
  const std::size_t total = (prefix + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  text.resize(total - prefix - 1, ' ');
  text += '\n';

  std::string bytes(kMagic);
  bytes += static_cast<char>(version1 ? 1 : 2);
  bytes += '\0';
  for (std::size_t i = 0; i < prefix - 8; ++i)
    bytes += static_cast<char>((text.size() >> (8 * i)) & 0xff);
  return bytes + text;
}

}  // namespace

namespace {

std::size_t element_bytes(const Header& header) {
  return static_cast<std::size_t>(header.type.back() - '0');
}

/// An .npy file that is read in parts, or an array in memory.
class Elements {
 public:
  explicit Elements(const std::string& path) : m_path(path) {
    is_in_memory(path) ? find_array() : open_file();
  }

  const Header& header() const { return m_header; }
  bool is_column_major() const { return m_header.column_major && m_header.shape.size() > 1; }

  /// Returns the number of elements, after checking that they can be read and that there are just
  /// as many.
  std::size_t count() const {
    Header none = m_header;
    none.shape = {0};
    convert_stored<double>(m_path, none, "");  // says what is wrong with the type
    if (is_in_memory(m_path)) return m_memory.size() / element_bytes(m_header);
    return checked_size(m_path, m_header, stamp_file(m_path).size - m_header.data_offset,
                        element_bytes(m_header));
  }

  /// Reads `count` elements, from number `first` on, in double precision.
  std::vector<double> read(std::size_t first, std::size_t count) {
    const std::size_t element = element_bytes(m_header);
    Header part = m_header;
    part.first = first;
    part.shape = {count};
    if (is_in_memory(m_path))
      return convert_stored<double>(m_path, part, m_memory.substr(first * element, count * element))
          .values;
    m_bytes.resize(count * element);
    m_file.seekg(static_cast<std::streamoff>(m_header.data_offset + first * element));
    if (!m_file.read(m_bytes.data(), static_cast<std::streamsize>(m_bytes.size())))
      refuse(m_path, "the file cannot be read to its end");
    return convert_stored<double>(m_path, part, m_bytes).values;
  }

  std::string_view memory() const { return m_memory; }

 private:
  void find_array() {
    const MemoryArray& array = MemoryFiles::array(m_path);
    m_header.type = array.type;
    m_header.shape = array.shape;
    std::size_t bytes = element_bytes(m_header);
    for (const std::uint64_t extent : array.shape) bytes *= extent;
    m_memory = {static_cast<const char*>(array.data), bytes};
  }

  /// The header at the beginning of a file.
  void open_file() {
    constexpr std::size_t kLongest = std::size_t{1} << 20;
    FilesRead::global().add_file(m_path);
    m_file.open(m_path, std::ios::binary);
    m_bytes.resize(std::min<std::size_t>(kLongest, stamp_file(m_path).size));
    m_file.read(m_bytes.data(), static_cast<std::streamsize>(m_bytes.size()));
    m_bytes.resize(static_cast<std::size_t>(m_file.gcount()));
    m_file.clear();
    m_header = read_header(m_path, m_bytes);
  }

  std::string m_path, m_bytes;
  std::ifstream m_file;
  std::string_view m_memory;
  Header m_header;
};

}  // namespace

template <class T>
Array<T> read_npy(const std::string& path) {
  if (is_in_memory(path)) {
    const Elements array(path);
    return convert_stored<T>(path, array.header(), array.memory());
  }
  const std::string bytes = read_bytes(path);
  const Header header = read_header(path, bytes);
  return convert_stored<T>(path, header, std::string_view(bytes).substr(header.data_offset));
}

Shape read_npy_shape(const std::string& path) {
  const Elements elements(path);
  elements.count();
  return elements.header().shape;
}

void read_npy_pieces(const std::string& path,
                     const std::function<void(std::size_t, std::size_t, const double*)>& take) {
  constexpr std::size_t kElements = std::size_t{1} << 20;
  Elements elements(path);
  if (elements.is_column_major()) {
    const Array<double> array = read_npy<double>(path);
    return take(0, array.values.size(), array.values.data());
  }
  const std::size_t size = elements.count();
  for (std::size_t first = 0; first < size; first += kElements) {
    const std::size_t count = std::min(kElements, size - first);
    take(first, count, elements.read(first, count).data());
  }
}

struct NpyReader::State {
  Elements elements;
};

NpyReader::NpyReader(const std::string& path) : m_state(new State{Elements(path)}) {
  m_state->elements.count();
  if (m_state->elements.is_column_major())
    refuse(path, "the array is in Fortran order, of which no part can be read alone",
           "save numpy.ascontiguousarray(a)");
}

NpyReader::~NpyReader() = default;

void NpyReader::read(int columns, const Box& box, double* values) const {
  const std::size_t count = static_cast<std::size_t>(box.nx);
  for (int r = 0; r < box.ny; ++r) {
    const std::size_t first =
        static_cast<std::size_t>(box.y0 + r) * static_cast<std::size_t>(columns) +
        static_cast<std::size_t>(box.x0);
    const std::vector<double> numbers = m_state->elements.read(first, count);
    std::copy(numbers.begin(), numbers.end(), values + static_cast<std::size_t>(r) * count);
  }
}

template <class T>
void write_npy(const std::string& path, const T* values, const Shape& shape) {
  std::size_t size = 1;
  for (const std::uint64_t extent : shape) size *= extent;
  const std::string header = header_bytes(stored_type<T>(), shape);
  TemporaryFile file(path);
  file.write(0, header.data(), header.size());
  file.write(header.size(), values, size * sizeof(T));
  file.commit();
}

#define TESSERA_INSTANTIATE(T)                       \
  template Array<T> read_npy<T>(const std::string&); \
  template void write_npy<T>(const std::string&, const T*, const Shape&);
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
template void write_npy<bool>(const std::string&, const bool*, const Shape&);

}  // namespace tessera::io
