// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/core/device/host_copy.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/linalg/dense.hpp"
#include "tessera/gp/covariance/assemble.hpp"
#include "tessera/gp/points/points.hpp"

/// Copies of matrices and points between std::vector and the device. Each waits for `exec`, so that
/// the vector may go.

namespace tessera::gp::detail {

template <class ExecSpace>
using DeviceMatrix = Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>;

/// A matrix on the device whose elements may be anything.
template <class ExecSpace>
DeviceMatrix<ExecSpace> allocate_matrix(const ExecSpace& exec, const std::string& label,
                                        std::int64_t rows, std::int64_t columns) {
  return allocate<DeviceMatrix<ExecSpace>>(exec, "tessera::gp::" + label, rows, columns);
}

/// A matrix on the device, given column by column.
template <class ExecSpace>
DeviceMatrix<ExecSpace> device_matrix(const ExecSpace& exec, const std::string& label,
                                      const std::vector<double>& values, std::int64_t rows) {
  const std::int64_t columns =
      static_cast<std::int64_t>(values.size()) / std::max<std::int64_t>(rows, 1);
  const DeviceMatrix<ExecSpace> device = allocate_matrix(exec, label, rows, columns);
  copy_from_host(exec, device.data(), values.data(), values.size());
  return device;
}

/// Returns the columns of pack() on the device, then the covariates of the covariance. The columns
/// of Euclidean points go there as they are.
template <class ExecSpace>
PointView<ExecSpace> device_points(const ExecSpace& exec, const CovarianceModel& model,
                                   const Points& points) {
  const int columns = model.point_columns();
  const std::size_t covariates = model.is_local() ? points.local.size() : 0;
  const auto device = allocate<Kokkos::View<double**, Kokkos::LayoutLeft, ExecSpace>>(
      exec, "tessera::gp::points", points.size(), columns + covariates);
  for (std::size_t c = 0; c < covariates; ++c)
    upload_to(exec, points.local[c], Kokkos::subview(device, Kokkos::ALL, columns + c));
  if (model.metric != Metric::euclidean) {
    const std::vector<double> packed = pack(model, points);
    copy_from_host(exec, device.data(), packed.data(), packed.size());
    return device;
  }
  for (int k = 0; k < columns; ++k) {
    const auto column = Kokkos::subview(device, Kokkos::ALL, k);
    if (k < points.dimension()) {
      upload_to(exec, points.coordinate[static_cast<std::size_t>(k)], column);
    } else if (k == columns - 1 && !points.time.empty()) {
      upload_to(exec, points.time, column);
    } else if (k == columns - 1 && !points.variable.empty()) {
      upload_to(exec, std::vector<double>(points.variable.begin(), points.variable.end()), column);
    } else {
      fill(exec, column, 0.0);
    }
  }
  return device;
}

/// The first `count` numbers at `data` in the memory of `exec`.
template <class ExecSpace>
std::vector<double> host_copy(const ExecSpace& exec, const double* data, std::int64_t count) {
  return download(
      exec,
      Kokkos::View<const double*, ExecSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(data, count));
}

/// A matrix without gaps between its columns, column by column.
template <class ExecSpace>
std::vector<double> host_copy(const ExecSpace& exec, const linalg::Block& a) {
  if (a.stride != a.rows) throw Error(ErrorKind::internal, "only whole columns are copied");
  return host_copy(exec, a.data, a.rows * a.columns);
}

/// A matrix on the device of columns, of which there is one at least.
template <class ExecSpace>
DeviceMatrix<ExecSpace> device_columns(const ExecSpace& exec, const std::string& label,
                                       const std::vector<std::vector<double>>& columns) {
  std::vector<double> values;
  for (const std::vector<double>& column : columns)
    values.insert(values.end(), column.begin(), column.end());
  return device_matrix(exec, label, values, static_cast<std::int64_t>(columns[0].size()));
}

/// The columns of a matrix without gaps between them.
template <class ExecSpace, class View>
std::vector<std::vector<double>> host_columns(const ExecSpace& exec, const View& matrix) {
  std::vector<std::vector<double>> columns;
  const auto rows = static_cast<std::int64_t>(matrix.extent(0));
  for (std::int64_t k = 0; k < static_cast<std::int64_t>(matrix.extent(1)); ++k)
    columns.push_back(host_copy(exec, matrix.data() + k * rows, rows));
  return columns;
}

}  // namespace tessera::gp::detail
