// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/group.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "tessera/core/error.hpp"
#include "tessera/core/io/checked_cast.hpp"
#include "tessera/core/io/hdf5.hpp"
#include "tessera/core/io/storage.hpp"
#include "tessera/core/names.hpp"

namespace tessera::io {

namespace {

constexpr const char* kOtherKind = "check that the file is of the expected kind";
constexpr const char* kDamaged = "the file may be damaged";

[[noreturn]] void fail(const std::string& action, const std::string& place,
                       const std::string& remedy = {}) {
  throw Error(ErrorKind::file, "cannot " + action + " '" + place + "'" + hdf5_reason(), remedy);
}

Id text_type() {
  Id type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

template <class T>
Id stored_type() {
  if constexpr (std::is_same_v<T, std::string>) {
    return text_type();
  } else {
    return Id(H5Tcopy(native_type<T>()));
  }
}

/// Multiplies the extents; returns false when the product does not fit in 64 bits.
bool product(const Shape& shape, std::uint64_t& size) {
  size = 1;
  for (const std::uint64_t extent : shape) {
    if (extent != 0 && size > std::numeric_limits<std::uint64_t>::max() / extent) return false;
    size *= extent;
  }
  return true;
}

Id make_dataspace(const Shape& shape) {
  if (shape.empty()) return Id(H5Screate(H5S_SCALAR));
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  return Id(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr));
}

/// HDF5 ends text at the first NUL.
const char* terminated(const std::string& text, const std::string& place) {
  if (text.find('\0') != std::string::npos) {
    throw Error(ErrorKind::file, "cannot write '" + place + "': the text holds a NUL byte",
                "remove it from the text");
  }
  return text.c_str();
}

/// Writes through `transfer(memory_type, buffer)`, of H5Dwrite or H5Awrite.
template <class T, class Transfer>
bool write_values(const T* values, std::uint64_t size, hid_t type, const std::string& place,
                  Transfer transfer) {
  if constexpr (std::is_same_v<T, std::string>) {
    std::vector<const char*> texts(size);
    for (std::uint64_t i = 0; i < size; ++i) texts[i] = terminated(values[i], place);
    return transfer(type, texts.data()) >= 0;
  } else if constexpr (std::is_same_v<T, bool>) {
    const std::vector<std::uint8_t> bytes(values, values + size);
    return transfer(type, bytes.data()) >= 0;
  } else {
    return transfer(type, values) >= 0;
  }
}

template <class Transfer>
std::vector<std::string> read_texts(hid_t stored, hid_t space, std::uint64_t size,
                                    const std::string& place, Transfer transfer) {
  if (H5Tget_class(stored) != H5T_STRING) {
    throw Error(ErrorKind::file, "cannot read '" + place + "' as text: it holds no text",
                kOtherKind);
  }
  std::vector<std::string> texts(size);
  if (H5Tis_variable_str(stored) > 0) {
    Id memory(H5Tcopy(H5T_C_S1));
    H5Tset_size(memory, H5T_VARIABLE);
    H5Tset_cset(memory, H5Tget_cset(stored));
    std::vector<char*> pointers(size, nullptr);
    if (transfer(memory, pointers.data()) < 0) fail("read", place, kDamaged);
    for (std::uint64_t i = 0; i < size; ++i) texts[i] = pointers[i] == nullptr ? "" : pointers[i];
#if H5_VERSION_GE(1, 12, 0)
    H5Treclaim(memory, space, H5P_DEFAULT, pointers.data());
#else
    H5Dvlen_reclaim(memory, space, H5P_DEFAULT, pointers.data());
#endif
    return texts;
  }
  const std::size_t width = H5Tget_size(stored);
  std::vector<char> bytes(size * width);
  if (transfer(stored, bytes.data()) < 0) fail("read", place, kDamaged);
  for (std::uint64_t i = 0; i < size; ++i) {
    const std::string text(bytes.data() + i * width, width);
    const std::size_t end = H5Tget_strpad(stored) == H5T_STR_SPACEPAD
                                ? text.find_last_not_of(' ') + 1
                                : text.find('\0');
    texts[i] = text.substr(0, end);
  }
  return texts;
}

/// Reads as S, which holds every value of the stored type, and converts to T.
template <class T, class S, class Transfer>
std::vector<T> read_and_convert(std::uint64_t size, const std::string& place, Transfer transfer) {
  std::vector<S> stored(size);
  if (transfer(native_type<S>(), stored.data()) < 0) fail("read", place, kDamaged);
  if constexpr (std::is_same_v<T, S>) {
    return stored;
  } else {
    std::vector<T> values(size);
    for (std::uint64_t i = 0; i < size; ++i) {
      T value{};
      if (!checked_cast(stored[i], value)) {
        throw Error(ErrorKind::file,
                    "cannot read '" + place + "' as " + type_name<T>() + ": element " +
                        std::to_string(i) + " is " + std::to_string(stored[i]),
                    kOtherKind);
      }
      values[i] = value;
    }
    return values;
  }
}

template <class T, class Transfer>
std::vector<T> read_numbers(hid_t stored, std::uint64_t size, const std::string& place,
                            Transfer transfer) {
  const H5T_class_t kind = H5Tget_class(stored);
  const std::size_t bytes = H5Tget_size(stored);
  if (kind == H5T_FLOAT) {
    if constexpr (std::is_same_v<T, float>) {
      if (bytes <= sizeof(float)) return read_and_convert<T, float>(size, place, transfer);
    }
    return read_and_convert<T, double>(size, place, transfer);
  }
  if (kind == H5T_INTEGER && bytes <= sizeof(std::int64_t)) {
    const bool has_sign = H5Tget_sign(stored) == H5T_SGN_2;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (bytes == sizeof(T) && has_sign == std::is_signed_v<T>)
        return read_and_convert<T, T>(size, place, transfer);
    }
    return has_sign ? read_and_convert<T, std::int64_t>(size, place, transfer)
                    : read_and_convert<T, std::uint64_t>(size, place, transfer);
  }
  throw Error(ErrorKind::file,
              "cannot read '" + place + "' as " + type_name<T>() + ": it holds " +
                  (kind == H5T_STRING ? "text" : "no plain numbers"),
              kOtherKind);
}

/// Reads through `transfer(memory_type, buffer)`, of H5Dread or H5Aread; nothing is transferred
/// when there are no elements.
template <class T, class Transfer>
std::vector<T> read_values(hid_t stored, hid_t space, const std::string& place, Transfer transfer) {
  const hssize_t points = H5Sget_simple_extent_npoints(space);
  if (points < 0) fail("read", place, kDamaged);
  const auto size = static_cast<std::uint64_t>(points);
  check_memory(size, std::max(sizeof(T), H5Tget_size(stored)), place);
  const auto transfer_some = [&](hid_t type, void* buffer) -> herr_t {
    return size == 0 ? 0 : transfer(type, buffer);
  };
  if constexpr (std::is_same_v<T, std::string>) {
    return read_texts(stored, space, size, place, transfer_some);
  } else {
    return read_numbers<T>(stored, size, place, transfer_some);
  }
}

template <class T>
T only(const std::vector<T>& values, const std::string& place) {
  if (values.size() != 1) {
    throw Error(
        ErrorKind::file,
        "cannot read '" + place + "' as one value: it holds " + std::to_string(values.size()),
        kOtherKind);
  }
  return values.front();
}

std::string listed(const std::vector<std::string>& names) {
  return names.empty() ? "nothing" : join_names(names);
}

/// "3 x 2"; "1" for a scalar.
std::string count_text(const Shape& shape) {
  std::string text;
  for (const std::uint64_t extent : shape)
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return shape.empty() ? "1" : text;
}

template <class T>
void write_attribute(hid_t object, const std::string& name, const T& value,
                     const std::string& place) {
  const Id type = stored_type<T>();
  const Id space(H5Screate(H5S_SCALAR));
  if (H5Aexists(object, name.c_str()) > 0) H5Adelete(object, name.c_str());
  const Id attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT));
  const bool written =
      attribute >= 0 && write_values(&value, 1, type, place, [&](hid_t memory, const void* buffer) {
        return H5Awrite(attribute, memory, buffer);
      });
  if (!written) fail("write the attribute", place);
}

}  // namespace

std::string Group::place(const std::string& name) const {
  const std::string& path = m_handle->path;
  return m_handle->file->path + ":" + path + (name.empty() || path == "/" ? "" : "/") + name;
}

Error Group::misfit(const std::string& name, const std::string& what) const {
  return Error(ErrorKind::file, "'" + place(name) + "' " + what,
               "the file is damaged or of another run: start again");
}

std::int64_t Group::id() const { return m_handle->id; }

bool Group::in_memory() const { return m_handle->file->in_memory; }

void Group::check_size(const std::string& name, std::size_t size, const Shape& shape) const {
  std::uint64_t expected = 0;
  if (!product(shape, expected) || expected != size) {
    throw Error(ErrorKind::internal, "'" + place(name) + "' has " + std::to_string(size) +
                                         " values, its shape " + std::to_string(expected));
  }
}

bool Group::has(const std::string& name) const {
  QuietHdf5 quiet;
  const Id access = within_file(H5P_LINK_ACCESS);
  const auto exists = [&](const std::string& link) {
    const bool found = H5Lexists(m_handle->id, link.c_str(), access) > 0;
    refuse_other_files(place(link));
    return found;
  };
  for (std::size_t end = name.find('/', 1); end != std::string::npos;
       end = name.find('/', end + 1)) {
    if (!exists(name.substr(0, end))) return false;
  }
  return !name.empty() && exists(name);
}

extern "C" {
static herr_t add_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  try {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}
}

/// Visits the members in the order in which they are stored: for another order HDF5 1.10 makes a
/// table first, and in a damaged group frees what it has not made.
std::vector<std::string> Group::names() const {
  QuietHdf5 quiet;
  std::vector<std::string> names;
  if (H5Literate(m_handle->id, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, add_name, &names) < 0)
    fail("list", place());
  std::sort(names.begin(), names.end());
  return names;
}

Group Group::group(const std::string& name) const {
  QuietHdf5 quiet;
  auto handle = std::make_shared<Handle>();
  handle->file = m_handle->file;
  handle->path = m_handle->path + (m_handle->path == "/" ? "" : "/") + name;
  if (has(name)) {
    const Id access = within_file(H5P_GROUP_ACCESS);
    handle->id = Id(H5Gopen2(m_handle->id, name.c_str(), access));
    refuse_other_files(place(name));
    if (handle->id < 0) fail("open the group", place(name), kOtherKind);
  } else if (m_handle->file->writing()) {
    const Id link = link_creation();
    const Id creation(H5Pcreate(H5P_GROUP_CREATE));
    H5Pset_obj_track_times(creation, false);
    handle->id = Id(H5Gcreate2(m_handle->id, name.c_str(), link, creation, H5P_DEFAULT));
    m_handle->file->check();
    if (handle->id < 0) fail("create the group", place(name));
  } else {
    throw Error(ErrorKind::file, "there is no '" + place(name) + "'; present: " + listed(names()),
                kOtherKind);
  }
  return Group(std::move(handle));
}

template <class T>
void Group::write(const std::string& name, const T* values, const Shape& shape,
                  const Attributes& attributes) const {
  QuietHdf5 quiet;
  const std::string where = place(name);
  m_handle->file->check();
  if (has(name)) throw Error(ErrorKind::internal, "'" + where + "' is written twice");
  std::uint64_t size = 0;
  if (!product(shape, size))
    throw Error(ErrorKind::internal, "the shape of '" + where + "' is too large");

  const Id type = stored_type<T>();
  const Id space = make_dataspace(shape);
  const Id creation =
      make_creation_properties(values, shape, size, m_handle->file->sealed, in_memory());
  const Id link = link_creation();
  const Id dataset(
      H5Dcreate2(m_handle->id, name.c_str(), type, space, link, creation, H5P_DEFAULT));
  const bool written =
      dataset >= 0 &&
      (size == 0 || write_values(values, size, type, where, [&](hid_t memory, const void* buffer) {
         return H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer);
       }));
  m_handle->file->check();
  if (!written) fail("write", where);
  write_attribute(dataset, "units", attributes.units, where);
  write_attribute(dataset, "long_name", attributes.long_name, where);
  m_handle->file->check();
}

template <class T>
void Group::write_scalar(const std::string& name, const T& value,
                         const Attributes& attributes) const {
  if constexpr (std::is_same_v<T, bool>) {
    const std::uint8_t byte = value ? 1 : 0;
    write(name, &byte, Shape{}, attributes);
  } else {
    write(name, &value, Shape{}, attributes);
  }
}

Shape Group::shape(const std::string& name) const {
  QuietHdf5 quiet;
  const Id dataset = open_dataset(*this, name);
  const Id space(H5Dget_space(dataset));
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0) fail("read the shape of", place(name), kDamaged);
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  if (rank > 0) H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return Shape(extents.begin(), extents.end());
}

bool Group::is_text(const std::string& name) const {
  QuietHdf5 quiet;
  const Id dataset = open_dataset(*this, name);
  const Id type(H5Dget_type(dataset));
  return H5Tget_class(type) == H5T_STRING;
}

template <class T>
std::vector<T> Group::read(const std::string& name) const {
  QuietHdf5 quiet;
  const Id dataset = open_dataset(*this, name);
  check_storage(dataset, place(name));
  const Id type(H5Dget_type(dataset));
  const Id space(H5Dget_space(dataset));
  return read_values<T>(type, space, place(name), [&](hid_t memory, void* buffer) {
    return H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer);
  });
}

template <class T>
std::vector<T> Group::read(const std::string& name, const Shape& expected) const {
  const Shape found = shape(name);
  if (found != expected)
    throw misfit(name, "holds " + count_text(found) + " values, not " + count_text(expected));
  return read<T>(name);
}

template <class T>
T Group::read_scalar(const std::string& name) const {
  return only(read<T>(name), place(name));
}

template <class T>
void Group::set_attribute(const std::string& name, const T& value, const std::string& on) const {
  QuietHdf5 quiet;
  m_handle->file->check();
  const std::string where = place(on) + "@" + name;
  const Id object(H5Oopen(m_handle->id, on.empty() ? "." : on.c_str(), H5P_DEFAULT));
  if (object < 0) fail("write the attribute", where);
  write_attribute(object, name, value, where);
  m_handle->file->check();
}

template <class T>
T Group::attribute(const std::string& name, const std::string& on) const {
  QuietHdf5 quiet;
  const std::string where = place(on) + "@" + name;
  const Id access = within_file(H5P_LINK_ACCESS);
  const Id attribute(H5Aopen_by_name(m_handle->id, on.empty() ? "." : on.c_str(), name.c_str(),
                                     H5P_DEFAULT, access));
  refuse_other_files(place(on));
  if (attribute < 0) {
    throw Error(ErrorKind::file, "there is no attribute '" + where + "'", kOtherKind);
  }
  const Id type(H5Aget_type(attribute));
  const Id space(H5Aget_space(attribute));
  return only(read_values<T>(
                  type, space, where,
                  [&](hid_t memory, void* buffer) { return H5Aread(attribute, memory, buffer); }),
              where);
}

bool Group::has_attribute(const std::string& name, const std::string& on) const {
  QuietHdf5 quiet;
  const Id access = within_file(H5P_LINK_ACCESS);
  const bool found =
      H5Aexists_by_name(m_handle->id, on.empty() ? "." : on.c_str(), name.c_str(), access) > 0;
  refuse_other_files(place(on));
  return found;
}

#define TESSERA_INSTANTIATE_SCALAR(T)                                                            \
  template void Group::write_scalar<T>(const std::string&, const T&, const Attributes&) const;   \
  template T Group::read_scalar<T>(const std::string&) const;                                    \
  template void Group::set_attribute<T>(const std::string&, const T&, const std::string&) const; \
  template T Group::attribute<T>(const std::string&, const std::string&) const;
#define TESSERA_INSTANTIATE(T)                                                                 \
  template void Group::write<T>(const std::string&, const T*, const Shape&, const Attributes&) \
      const;                                                                                   \
  template std::vector<T> Group::read<T>(const std::string&) const;                            \
  template std::vector<T> Group::read<T>(const std::string&, const Shape&) const;              \
  TESSERA_INSTANTIATE_SCALAR(T)
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
TESSERA_INSTANTIATE(std::string)
TESSERA_INSTANTIATE_SCALAR(bool)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_SCALAR

}  // namespace tessera::io
