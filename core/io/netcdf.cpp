// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/netcdf.hpp"

#include <hdf5_hl.h>

#include <algorithm>
#include <cstdint>

#include "tessera/core/error.hpp"
#include "tessera/core/io/detail/hdf5.hpp"

namespace tessera::io {

namespace {

hid_t handle(const Group& group) { return static_cast<hid_t>(group.id()); }

/// Attributes that only mean something inside the file they stand in.
bool is_mark(const std::string& name) {
  return name == "DIMENSION_LIST" || name == "REFERENCE_LIST" || name == "CLASS" || name == "NAME" || name.rfind("_Netcdf4", 0) == 0 ||
         name.rfind("_NC", 0) == 0;
}

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
  if (is_mark(name) || std::find(copying.except->begin(), copying.except->end(), name) != copying.except->end()) return 0;
  return copy_one(source, name, copying.target) ? 0 : -1;
}

}  // namespace

std::vector<std::string> dimension_scales(const Group& group, const std::string& name) {
  const QuietHdf5 quiet;
  const Id dataset = open_dataset(group, name);
  std::vector<std::string> scales(group.shape(name).size());
  if (H5Aexists(dataset, "DIMENSION_LIST") <= 0) return scales;
  const Id attribute(H5Aopen(dataset, "DIMENSION_LIST", H5P_DEFAULT)), space(H5Aget_space(attribute));
  const Id references(H5Tvlen_create(H5T_STD_REF_OBJ));
  std::vector<hvl_t> lists(scales.size());
  if (H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(lists.size()) || H5Aread(attribute, references, lists.data()) < 0)
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

void make_scale(const Group& group, const std::string& dataset) {
  const QuietHdf5 quiet;
  const Id scale = open_dataset(group, dataset);
  if (H5DSis_scale(scale) > 0) return;
  if (H5DSset_scale(scale, dataset.c_str()) < 0)
    throw Error(ErrorKind::file, "cannot make '" + group.place(dataset) + "' a dimension scale" + hdf5_reason());
}

void attach_scales(const Group& group, const std::string& name, const Group& scales, const std::vector<std::string>& names) {
  const QuietHdf5 quiet;
  const Id dataset = open_dataset(group, name);
  for (std::size_t d = 0; d < names.size(); ++d) {
    const Id scale = open_dataset(scales, names[d]);
    bool done = H5DSattach_scale(dataset, scale, static_cast<unsigned>(d)) >= 0;
    if (done && !group.has(names[d]))
      done = H5Lcreate_hard(handle(scales), names[d].c_str(), handle(group), names[d].c_str(), H5P_DEFAULT, H5P_DEFAULT) >= 0;
    if (!done) {
      throw Error(ErrorKind::file, "cannot attach '" + scales.place(names[d]) + "' to '" + group.place(name) + "'" + hdf5_reason());
    }
  }
}

void copy_attributes(const Group& from, const std::string& source, const Group& to, const std::string& target,
                     const std::vector<std::string>& except) {
  const QuietHdf5 quiet;
  const Id a = open_dataset(from, source), b = open_dataset(to, target);
  Copying copying{b, &except};
  hsize_t place = 0;
  if (H5Aiterate2(a, H5_INDEX_NAME, H5_ITER_INC, &place, &copy_next, &copying) < 0) {
    throw Error(ErrorKind::file,
                "cannot copy the attributes of '" + from.place(source) + "' to '" + to.place(target) + "'" + hdf5_reason());
  }
}

void copy_dataset(const Group& from, const std::string& source, const Group& to, const std::string& target) {
  const QuietHdf5 quiet;
  {
    const Id a = open_dataset(from, source);
    const Id type(H5Dget_type(a)), space(H5Dget_space(a));
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    check_storage(a, from.place(source));
    check_memory(static_cast<std::uint64_t>(std::max<hssize_t>(count, 0)), std::max<std::size_t>(H5Tget_size(type), 1), from.place(source));
    const Shape shape = from.shape(source);
    const std::vector<hsize_t> extents(shape.begin(), shape.end());
    const Id plain(extents.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr));
    const Id b(H5Dcreate2(handle(to), target.c_str(), type, plain, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    std::vector<char> buffer(static_cast<std::size_t>(std::max<hssize_t>(count, 1)) * H5Tget_size(type));
    if (b < 0 || H5Dread(a, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.data()) < 0 ||
        H5Dwrite(b, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.data()) < 0) {
      throw Error(ErrorKind::file, "cannot copy '" + from.place(source) + "' to '" + to.place(target) + "'" + hdf5_reason());
    }
    if (H5Tis_variable_str(type) > 0) H5Dvlen_reclaim(type, space, H5P_DEFAULT, buffer.data());
  }
  copy_attributes(from, source, to, target);
  if (!to.has_attribute("units", target)) to.set_attribute("units", "1", target);
  if (!to.has_attribute("long_name", target)) to.set_attribute("long_name", target, target);
}

}  // namespace tessera::io
