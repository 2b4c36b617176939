// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/netcdf.hpp"

#include <hdf5_hl.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "tessera/core/error.hpp"
#include "tessera/core/io/cf.hpp"
#include "tessera/core/io/hdf5.hpp"

namespace tessera::io {

namespace {

hid_t handle(const Group& group) { return static_cast<hid_t>(group.id()); }

/// Attributes that only mean something inside the file they stand in.
bool is_mark(const std::string& name) {
  return name == "DIMENSION_LIST" || name == "REFERENCE_LIST" || name == "CLASS" ||
         name == "NAME" || name.rfind("_Netcdf4", 0) == 0 || name.rfind("_NC", 0) == 0;
}

constexpr const char* kBareDimension = "This is a netCDF dimension but not a netCDF variable.";

struct Copying {
  hid_t target;
  const std::vector<std::string>* except;
};

bool copy_one(hid_t source, const char* name, hid_t target) {
  const Id attribute(H5Aopen(source, name, H5P_DEFAULT));
  const Id type(H5Aget_type(attribute)), space(H5Aget_space(attribute));
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_INTEGER && kind != H5T_FLOAT && kind != H5T_STRING) return true;
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 0) return false;
  if (H5Aexists(target, name) > 0) H5Adelete(target, name);
  const Id copy(H5Acreate2(target, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
  if (copy < 0) return false;
  if (count == 0) return true;
  std::vector<char> buffer(static_cast<std::size_t>(count) * H5Tget_size(type));
  if (H5Aread(attribute, type, buffer.data()) < 0) return false;
  const bool written = H5Awrite(copy, type, buffer.data()) >= 0;
  if (H5Tis_variable_str(type) > 0) H5Dvlen_reclaim(type, space, H5P_DEFAULT, buffer.data());
  return written;
}

herr_t copy_next(hid_t source, const char* name, const H5A_info_t*, void* data) {
  const auto& copying = *static_cast<const Copying*>(data);
  if (is_mark(name) ||
      std::find(copying.except->begin(), copying.except->end(), name) != copying.except->end())
    return 0;
  return copy_one(source, name, copying.target) ? 0 : -1;
}

}  // namespace

std::vector<std::string> dimension_scales(const Group& group, const std::string& name) {
  const QuietHdf5 quiet;
  const Id dataset = open_dataset(group, name);
  std::vector<std::string> scales(group.shape(name).size());
  if (H5Aexists(dataset, "DIMENSION_LIST") <= 0) return scales;
  const Id attribute(H5Aopen(dataset, "DIMENSION_LIST", H5P_DEFAULT)),
      space(H5Aget_space(attribute));
  const Id references(H5Tvlen_create(H5T_STD_REF_OBJ));
  std::vector<hvl_t> lists(scales.size());
  if (H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(lists.size()) ||
      H5Aread(attribute, references, lists.data()) < 0)
    return scales;
  for (std::size_t d = 0; d < lists.size(); ++d) {
    if (lists[d].len == 0) continue;
    const Id scale(H5Rdereference2(dataset, H5P_DEFAULT, H5R_OBJECT, lists[d].p));
    char path[1024] = "";
    if (scale >= 0 && H5Iget_name(scale, path, sizeof path) > 0) scales[d] = path;
  }
  H5Dvlen_reclaim(references, space, H5P_DEFAULT, lists.data());
  return scales;
}

bool is_bare_dimension(const Group& group, const std::string& name) {
  // H5DSis_scale frees memory twice in some damaged files (HDF5 1.10), so the attribute is read
  // instead.
  return group.has_attribute("NAME", name) &&
         group.attribute<std::string>("NAME", name).starts_with(kBareDimension);
}

bool is_scale(const Group& group, const std::string& name) {
  return text_attribute(group, name, "CLASS") == "DIMENSION_SCALE" && group.shape(name).size() == 1;
}

void write_bare_dimension(const Group& group, const std::string& name, std::uint64_t length) {
  const QuietHdf5 quiet;
  const hsize_t extent = length;
  const Id space(H5Screate_simple(1, &extent, nullptr)), creation(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_obj_track_times(creation, false);
  const Id scale(H5Dcreate2(handle(group), name.c_str(), H5T_IEEE_F32BE, space, H5P_DEFAULT,
                            creation, H5P_DEFAULT));
  char text[80];
  std::snprintf(text, sizeof text, "%s%10llu", kBareDimension,
                static_cast<unsigned long long>(length));
  if (scale < 0 || H5DSset_scale(scale, text) < 0)
    throw Error(ErrorKind::file,
                "cannot write the dimension '" + group.place(name) + "'" + hdf5_reason());
}

namespace {

/// The path of a variable that another one names: in its group or in one that holds that; "" where
/// there is none.
std::string find_variable(const Group& root, std::string group, const std::string& name) {
  if (name.starts_with('/')) return root.has(name) ? name : "";
  while (true) {
    const std::string path = group + "/" + name;
    if (root.has(path)) return path;
    if (group.empty()) return "";
    group.erase(group.rfind('/'));
  }
}

bool is_dataset(const Group& root, const std::string& path) {
  const Id object(H5Oopen(handle(root), path.c_str(), H5P_DEFAULT));
  return object >= 0 && H5Iget_type(object) == H5I_DATASET;
}

}  // namespace

std::vector<std::string> related_variables(const Group& root, const std::string& dataset) {
  const QuietHdf5 quiet;
  std::vector<std::string> found, open{dataset.starts_with('/') ? dataset : "/" + dataset};
  const std::string self = open.front();
  const auto add = [&](const std::string& path) {
    if (path.empty() || path == self ||
        std::find(found.begin(), found.end(), path) != found.end() || !is_dataset(root, path))
      return;
    found.push_back(path);
    open.push_back(path);
  };
  for (std::size_t next = 0; next < open.size(); ++next) {
    const std::string path = open[next], group = path.substr(0, path.rfind('/'));
    for (const std::string& scale : dimension_scales(root, path)) add(scale);
    for (const char* attribute : {"coordinates", "grid_mapping", "bounds", "climatology",
                                  "cell_measures", "formula_terms"}) {
      if (!root.has_attribute(attribute, path)) continue;
      std::istringstream words(text_attribute(root, path, attribute));
      for (std::string word; words >> word;) {
        if (word.ends_with(':')) word.pop_back();  // "crs: x y"
        add(find_variable(root, group, word));
      }
    }
  }
  return found;
}

void make_scale(const Group& group, const std::string& dataset) {
  const QuietHdf5 quiet;
  const Id scale = open_dataset(group, dataset);
  if (H5DSset_scale(scale, dataset.c_str()) < 0)
    throw Error(ErrorKind::file,
                "cannot make '" + group.place(dataset) + "' a dimension scale" + hdf5_reason());
}

void attach_scales(const Group& group, const std::string& name, const Group& scales,
                   const std::vector<std::string>& names) {
  const QuietHdf5 quiet;
  const Id dataset = open_dataset(group, name);
  for (std::size_t d = 0; d < names.size(); ++d) {
    const Id scale = open_dataset(scales, names[d]);
    bool done = H5DSattach_scale(dataset, scale, static_cast<unsigned>(d)) >= 0;
    if (done && !group.has(names[d]))
      done = H5Lcreate_hard(handle(scales), names[d].c_str(), handle(group), names[d].c_str(),
                            H5P_DEFAULT, H5P_DEFAULT) >= 0;
    if (!done) {
      throw Error(ErrorKind::file, "cannot attach '" + scales.place(names[d]) + "' to '" +
                                       group.place(name) + "'" + hdf5_reason());
    }
  }
}

void copy_attributes(const Group& from, const std::string& source, const Group& to,
                     const std::string& target, const std::vector<std::string>& except) {
  const QuietHdf5 quiet;
  const Id a = open_dataset(from, source), b = open_dataset(to, target);
  Copying copying{b, &except};
  hsize_t place = 0;
  if (H5Aiterate2(a, H5_INDEX_NAME, H5_ITER_INC, &place, &copy_next, &copying) < 0) {
    throw Error(ErrorKind::file, "cannot copy the attributes of '" + from.place(source) + "' to '" +
                                     to.place(target) + "'" + hdf5_reason());
  }
}

void copy_group_attributes(const Group& from, const Group& to) {
  const QuietHdf5 quiet;
  const std::vector<std::string> none;
  Copying copying{handle(to), &none};
  hsize_t index = 0;
  if (H5Aiterate2(handle(from), H5_INDEX_NAME, H5_ITER_INC, &index, &copy_next, &copying) < 0)
    throw Error(ErrorKind::file, "cannot copy the attributes of '" + from.place() + "' to '" +
                                     to.place() + "'" + hdf5_reason());
}

namespace {

/// Replaces an attribute.
void write_attribute(const Group& group, const std::string& on, const std::string& name, hid_t type,
                     hid_t space, const void* values) {
  const Id object(H5Oopen(handle(group), on.empty() ? "." : on.c_str(), H5P_DEFAULT));
  if (object >= 0 && H5Aexists(object, name.c_str()) > 0) H5Adelete(object, name.c_str());
  const Id attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT));
  if (object < 0 || attribute < 0 || H5Awrite(attribute, type, values) < 0)
    throw Error(ErrorKind::file, "cannot write the attribute '" + group.place(on) + "@" + name +
                                     "'" + hdf5_reason());
}

}  // namespace

void write_text_attribute(const Group& group, const std::string& on, const std::string& name,
                          const std::string& text) {
  const QuietHdf5 quiet;
  const Id type(H5Tcopy(H5T_C_S1)), space(H5Screate(H5S_SCALAR));
  H5Tset_size(type, std::max<std::size_t>(text.size(), 1));
  const bool plain = std::all_of(text.begin(), text.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 128; });
  H5Tset_cset(type, plain ? H5T_CSET_ASCII : H5T_CSET_UTF8);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  const std::string filled = text.empty() ? std::string(1, '\0') : text;
  write_attribute(group, on, name, type, space, filled.data());
}

void write_bytes_attribute(const Group& group, const std::string& on, const std::string& name,
                           const std::vector<std::int8_t>& numbers) {
  const QuietHdf5 quiet;
  const hsize_t size = numbers.size();
  const Id space(H5Screate_simple(1, &size, nullptr));
  write_attribute(group, on, name, H5T_NATIVE_INT8, space, numbers.data());
}

void write_fill_value(const Group& group, const std::string& name, double number) {
  const QuietHdf5 quiet;
  const Id dataset = open_dataset(group, name), type(H5Dget_type(dataset));
  const hsize_t one = 1;
  const Id space(H5Screate_simple(1, &one, nullptr));
  std::vector<char> value(std::max(H5Tget_size(type), sizeof number));
  std::memcpy(value.data(), &number, sizeof number);
  if (H5Tconvert(H5T_NATIVE_DOUBLE, type, 1, value.data(), nullptr, H5P_DEFAULT) < 0)
    throw Error(ErrorKind::file,
                "cannot write the fill value of '" + group.place(name) + "'" + hdf5_reason());
  write_attribute(group, name, "_FillValue", type, space, value.data());
}

void remove_attribute(const Group& group, const std::string& on, const std::string& name) {
  const QuietHdf5 quiet;
  const Id object(H5Oopen(handle(group), on.empty() ? "." : on.c_str(), H5P_DEFAULT));
  if (object >= 0 && H5Aexists(object, name.c_str()) > 0) H5Adelete(object, name.c_str());
}

void number_dimensions(const Group& group, const std::vector<std::string>& names) {
  const QuietHdf5 quiet;
  const Id space(H5Screate(H5S_SCALAR));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto number = static_cast<std::int32_t>(i);
    write_attribute(group, names[i], "_Netcdf4Dimid", H5T_NATIVE_INT32, space, &number);
  }
}

void copy_dataset(const Group& from, const std::string& source, const Group& to,
                  const std::string& target) {
  const QuietHdf5 quiet;
  {
    const Id a = open_dataset(from, source);
    const Id type(H5Dget_type(a)), space(H5Dget_space(a));
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    check_storage(a, from.place(source));
    check_memory(static_cast<std::uint64_t>(std::max<hssize_t>(count, 0)),
                 std::max<std::size_t>(H5Tget_size(type), 1), from.place(source));
    const Shape shape = from.shape(source);
    const std::vector<hsize_t> extents(shape.begin(), shape.end());
    const Id plain(extents.empty() ? H5Screate(H5S_SCALAR)
                                   : H5Screate_simple(static_cast<int>(extents.size()),
                                                      extents.data(), nullptr));
    const Id b(
        H5Dcreate2(handle(to), target.c_str(), type, plain, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    std::vector<char> buffer(static_cast<std::size_t>(std::max<hssize_t>(count, 1)) *
                             H5Tget_size(type));
    if (b < 0 || H5Dread(a, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.data()) < 0 ||
        H5Dwrite(b, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.data()) < 0) {
      throw Error(ErrorKind::file, "cannot copy '" + from.place(source) + "' to '" +
                                       to.place(target) + "'" + hdf5_reason());
    }
    if (H5Tis_variable_str(type) > 0) H5Dvlen_reclaim(type, space, H5P_DEFAULT, buffer.data());
  }
  copy_attributes(from, source, to, target);
}

}  // namespace tessera::io
