// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/io/vtkhdf.hpp"

#include <algorithm>
#include <numeric>

#include "tessera/core/error.hpp"
#include "tessera/core/io/hdf5.hpp"

namespace tessera::io {

namespace {

using Extents = std::vector<hsize_t>;

[[noreturn]] void fail(const std::string& place) {
  throw Error(ErrorKind::file, "cannot write '" + place + "'" + hdf5_reason());
}

/// A box of an array.
struct Selection {
  Extents first, size;
};

/// A dataset that is put together from boxes of other datasets of the same file.
class VirtualArray {
 public:
  explicit VirtualArray(const Extents& shape)
      : m_shape(shape), m_creation(H5Pcreate(H5P_DATASET_CREATE)) {
    H5Pset_obj_track_times(m_creation, false);
  }

  /// Maps `box` to what `part` of the dataset of that path and shape holds, in the same order.
  void map(const Selection& box, const std::string& path, const Extents& shape,
           const Selection& part) {
    const Id here = select(m_shape, box), there = select(shape, part);
    if (H5Pset_virtual(m_creation, here, ".", path.c_str(), there) < 0) fail(path);
  }

  void write(const Group& group, const std::string& name, hid_t type,
             const std::string& long_name) const {
    const Id space(H5Screate_simple(static_cast<int>(m_shape.size()), m_shape.data(), nullptr));
    const Id dataset(H5Dcreate2(static_cast<hid_t>(group.id()), name.c_str(), type, space,
                                H5P_DEFAULT, m_creation, H5P_DEFAULT));
    if (dataset < 0) fail(group.place(name));
    group.set_attribute("units", "1", name);
    group.set_attribute("long_name", long_name, name);
  }

 private:
  static Id select(const Extents& shape, const Selection& box) {
    Id space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
    H5Sselect_hyperslab(space, H5S_SELECT_SET, box.first.data(), nullptr, box.size.data(), nullptr);
    return space;
  }

  Extents m_shape;
  Id m_creation;
};

/// An attribute of several numbers.
template <class T>
void set_attribute(const Group& group, const char* name, hid_t type, const std::vector<T>& values) {
  const hsize_t size = values.size();
  const Id space(H5Screate_simple(1, &size, nullptr));
  const Id attribute(
      H5Acreate2(static_cast<hid_t>(group.id()), name, type, space, H5P_DEFAULT, H5P_DEFAULT));
  if (attribute < 0 || H5Awrite(attribute, type, values.data()) < 0)
    fail(group.place() + "@" + name);
}

/// VTK's reader wants the type as ASCII text of a fixed length.
Group make_group(const Group& root, const std::string& type, const std::string& name = "VTKHDF") {
  const Group group = root.group(name);
  set_attribute(group, "Version", H5T_NATIVE_INT64, std::vector<std::int64_t>{2, 0});
  const Id text(H5Tcopy(H5T_C_S1));
  H5Tset_size(text, type.size());
  H5Tset_strpad(text, H5T_STR_NULLPAD);
  H5Tset_cset(text, H5T_CSET_ASCII);
  const Id space(H5Screate(H5S_SCALAR));
  const Id attribute(
      H5Acreate2(static_cast<hid_t>(group.id()), "Type", text, space, H5P_DEFAULT, H5P_DEFAULT));
  if (attribute < 0 || H5Awrite(attribute, text, type.data()) < 0) fail(group.place() + "@Type");
  return group;
}

/// The times, and of each step where it begins in the values.
Group write_steps(const Group& group, const std::vector<double>& time, const std::string& name,
                  const std::vector<std::int64_t>& offsets) {
  const Group steps = group.group("Steps");
  steps.set_attribute("NSteps", static_cast<std::int64_t>(time.size()));
  steps.write("Values", time, Attributes{"1", "time of each step"});
  steps.group("PointDataOffsets")
      .write(name, offsets, Attributes{"1", "where each step begins in the values"});
  return steps;
}

/// Number k at position k, for the cells of all steps.
constexpr const char* kNumbers = "/VTKHDF/Numbers";

/// Writes each point as a cell: of every step the numbers of its points, and where each cell begins
/// among them.
void write_vertices(const Group& group, const std::vector<std::int64_t>& points) {
  const std::uint64_t steps = points.size();
  const auto total =
      static_cast<hsize_t>(std::accumulate(points.begin(), points.end(), std::int64_t(0)));
  std::vector<std::int64_t> numbers(
      static_cast<std::size_t>(*std::max_element(points.begin(), points.end())) + 1);
  std::iota(numbers.begin(), numbers.end(), std::int64_t(0));
  group.write("Numbers", numbers, Attributes{"1", "0, 1, 2, ..."});
  VirtualArray connectivity({total}), offsets({total + steps});
  hsize_t before = 0;
  for (std::size_t r = 0; r < steps; ++r) {
    const auto n = static_cast<hsize_t>(points[r]);
    if (n > 0) connectivity.map({{before}, {n}}, kNumbers, {numbers.size()}, {{0}, {n}});
    offsets.map({{before + r}, {n + 1}}, kNumbers, {numbers.size()}, {{0}, {n + 1}});
    before += n;
  }
  const Group vertices = group.group("Vertices");
  vertices.write("NumberOfCells", points, Attributes{"1", "cells of each step"});
  vertices.write("NumberOfConnectivityIds", points,
                 Attributes{"1", "points of the cells of each step"});
  connectivity.write(vertices, "Connectivity", H5T_NATIVE_INT64, "point of each cell");
  offsets.write(vertices, "Offsets", H5T_NATIVE_INT64,
                "where each cell begins in the connectivity, and the end");
  const std::vector<std::int64_t> none(steps, 0);
  for (const char* name : {"Lines", "Polygons", "Strips"}) {
    const Group empty = group.group(name);
    empty.write("NumberOfCells", none, Attributes{"1", "cells of each step"});
    empty.write("NumberOfConnectivityIds", none,
                Attributes{"1", "points of the cells of each step"});
    empty.write("Connectivity", std::vector<std::int64_t>(),
                Attributes{"1", "points of the cells"});
    empty.write("Offsets", none,
                Attributes{"1", "where each cell begins in the connectivity, and the end"});
  }
}

}  // namespace

void write_vtk(const Group& root, const VtkPoints& points) {
  QuietHdf5 quiet;
  const std::uint64_t steps = points.time.size();
  std::vector<std::int64_t> count, offset;
  hsize_t total = 0;
  for (const std::string& path : points.values) {
    count.push_back(static_cast<std::int64_t>(root.shape(path).at(0)));
    offset.push_back(static_cast<std::int64_t>(total));
    total += static_cast<hsize_t>(count.back());
  }
  const Group group = make_group(root, "PolyData");
  VirtualArray coordinates({total, 3}), values({total});
  for (std::size_t r = 0; r < steps; ++r) {
    const auto n = static_cast<hsize_t>(count[r]), before = static_cast<hsize_t>(offset[r]);
    if (n == 0) continue;
    values.map({{before}, {n}}, "/" + points.values[r], {n}, {{0}, {n}});
    const std::uint64_t dimension = root.shape(points.coordinates[r]).at(1);
    for (std::size_t i = 0; i < points.columns.size(); ++i) {
      coordinates.map({{before, i}, {n, 1}}, "/" + points.coordinates[r], {n, dimension},
                      {{0, static_cast<hsize_t>(points.columns[i])}, {n, 1}});
    }
  }
  coordinates.write(group, "Points", H5T_NATIVE_DOUBLE, "points of all steps");
  values.write(group.group("PointData"), points.name, H5T_NATIVE_DOUBLE,
               points.name + " at the points of all steps");
  group.write("NumberOfPoints", count, Attributes{"1", "points of each step"});
  write_vertices(group, count);

  const Group of_steps = write_steps(group, points.time, points.name, offset);
  std::vector<std::int64_t> part(steps), before_of_topologies;  // Vertices, Lines, Polygons, Strips
  std::iota(part.begin(), part.end(), std::int64_t(0));
  for (const std::int64_t before : offset)
    before_of_topologies.insert(before_of_topologies.end(), {before, 0, 0, 0});
  of_steps.write("PartOffsets", part, Attributes{"1", "number of each step's part"});
  of_steps.write("NumberOfParts", std::vector<std::int64_t>(steps, 1),
                 Attributes{"1", "parts of each step"});
  of_steps.write("PointOffsets", offset, Attributes{"1", "where each step begins in the points"});
  of_steps.write("CellOffsets", before_of_topologies, {steps, 4},
                 Attributes{"1", "where each step begins in the cells"});
  of_steps.write("ConnectivityIdOffsets", before_of_topologies, {steps, 4},
                 Attributes{"1", "where each step begins in the connectivity"});
}

void write_vtk(const Group& root, const VtkImage& image, const std::string& name) {
  QuietHdf5 quiet;
  const std::uint64_t steps = image.time.size();
  const Group group = make_group(root, "ImageData", name);
  std::vector<std::int64_t> extent;
  for (const std::uint64_t n : image.size)
    extent.insert(extent.end(), {0, static_cast<std::int64_t>(n) - 1});
  set_attribute(group, "WholeExtent", H5T_NATIVE_INT64, extent);
  set_attribute(group, "Origin", H5T_NATIVE_DOUBLE,
                std::vector<double>(image.origin.begin(), image.origin.end()));
  set_attribute(group, "Spacing", H5T_NATIVE_DOUBLE,
                std::vector<double>(image.spacing.begin(), image.spacing.end()));
  set_attribute(group, "Direction", H5T_NATIVE_DOUBLE,
                std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  // VTK's reader takes a single step for no step at all, and its array has no axis for them.
  const bool has_steps = steps > 1;
  const auto with_step = [&](std::uint64_t step, Extents extents) {
    if (has_steps) extents.insert(extents.begin(), step);
    return extents;
  };
  VirtualArray values(with_step(steps, {image.size[2], image.size[1], image.size[0]}));
  std::vector<std::int64_t> number(steps);
  for (std::size_t r = 0; r < steps; ++r) {
    const VtkImage::Box& box = image.boxes[r];
    number[r] = static_cast<std::int64_t>(r);
    const Extents size{box.size[2], box.size[1], box.size[0]};
    values.map({with_step(r, {box.offset[2], box.offset[1], box.offset[0]}), with_step(1, size)},
               "/" + box.values, size, {{0, 0, 0}, size});
  }
  values.write(group.group("PointData"), image.name, H5T_NATIVE_DOUBLE,
               image.name + " at the points of each step");
  write_steps(group, image.time, image.name, number);
}

void link_vtk(const Group& root, const std::string& file, const std::string& group) {
  QuietHdf5 quiet;
  if (H5Lcreate_external(file.c_str(), group.c_str(), static_cast<hid_t>(root.id()), "VTKHDF",
                         H5P_DEFAULT, H5P_DEFAULT) < 0)
    fail(root.place("VTKHDF"));
}

bool has_vtk_link(const std::string& path, const std::string& file, const std::string& group) {
  QuietHdf5 quiet;
  const Id opened(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  H5L_info_t info;
  if (opened < 0 || H5Lget_info(opened, "VTKHDF", &info, H5P_DEFAULT) < 0 ||
      info.type != H5L_TYPE_EXTERNAL)
    return false;
  std::vector<char> value(info.u.val_size);
  if (H5Lget_val(opened, "VTKHDF", value.data(), value.size(), H5P_DEFAULT) < 0) return false;
  unsigned flags = 0;
  const char *of_file = nullptr, *of_group = nullptr;
  if (H5Lunpack_elink_val(value.data(), value.size(), &flags, &of_file, &of_group) < 0)
    return false;
  return of_file == file && of_group == group;
}

}  // namespace tessera::io
