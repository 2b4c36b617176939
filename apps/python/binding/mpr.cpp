// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/calls/mpr.hpp"

#include <pybind11/stl.h>

#include <functional>
#include <list>
#include <tuple>

#include "apps/python/binding/array_place.hpp"
#include "apps/python/binding/arrays.hpp"
#include "apps/python/binding/computing.hpp"
#include "apps/python/binding/device_array.hpp"
#include "apps/python/binding/interruptible.hpp"
#include "apps/python/binding/modules.hpp"
#include "tessera/core/io/cf.hpp"
#include "tessera/mpr/data/axes.hpp"
#include "tessera/mpr/data/end_values.hpp"

namespace tessera::python {

namespace {

using Bytes = py::array_t<std::uint8_t, py::array::c_style>;

SiteMask mask_of(const std::optional<Bytes>& bytes) {
  return bytes ? SiteMask{bytes->data(), static_cast<std::size_t>(bytes->size())} : SiteMask();
}

/// The named arguments of a fill in Python.
struct FillCall {
  std::optional<Bytes> missing, inactive;
  std::string options;
  std::uint64_t seed;
  bool wants_mean, wants_deviation;  ///< besides the array without gaps
  std::vector<double> quantiles;
  ImageShape shape;  ///< without the extents

  explicit FillCall(const py::dict& given)
      : missing(given["missing"].cast<std::optional<Bytes>>()),
        inactive(given["inactive"].cast<std::optional<Bytes>>()),
        options(given["options"].cast<std::string>()),
        seed(given["seed"].cast<std::uint64_t>()),
        wants_mean(given["mean"].cast<bool>()),
        wants_deviation(given["deviation"].cast<bool>()),
        quantiles(given["quantiles"].cast<std::vector<double>>()) {
    shape.third_axis = given["third_axis"].cast<std::string>();
    shape.place = given["place"].cast<decltype(shape.place)>();
    const auto coordinates = given["coordinates"].cast<std::optional<ArrayPlaceTuple>>();
    if (coordinates) shape.coordinates = array_place_of(*coordinates);
  }
};

template <class T>
py::tuple fill_as(Operand& z, const Common& common, Backend backend, const FillCall& call) {
  std::list<Result> made;
  const auto make = [&]() -> Out<T> {
    return made.emplace_back(common.shape, common, py::none()).template numbers<T>();
  };
  FillResults<T> results;
  results.filled = make();
  if (call.wants_mean) results.mean = make();
  if (call.wants_deviation) results.deviation = make();
  for (const double p : call.quantiles) results.quantiles.emplace_back(p, make());
  In<T> values = z.numbers<T>(common.shape);
  values.one = false;
  CallWatch watch("sweeps");
  compute_interruptibly([&] {
    fill_array<T>(backend, call.shape, call.options, call.seed, values, mask_of(call.missing),
                  mask_of(call.inactive), results, std::ref(watch));
  });
  py::tuple found(made.size());
  std::size_t i = 0;
  for (const Result& result : made) found[i++] = result.object();
  return found;
}

/// The array without gaps, and behind it what else is wanted: mean, standard deviation, quantiles.
py::tuple fill(py::handle z, py::handle backend, const py::kwargs& given) {
  Operand values(z, "z");
  const Common common({&values});
  const Backend chosen = choose(backend, common.on_device);
  FillCall call(given);
  call.shape.extents.assign(common.shape.begin(), common.shape.end());
  return common.single ? fill_as<float>(values, common, chosen, call)
                       : fill_as<double>(values, common, chosen, call);
}

/// The packing that attributes tell: texts, or numbers and whether they are in floating point.
io::Packing packing_of(const std::string& type, const std::string& place, bool has_default,
                       const py::dict& attributes) {
  return io::make_packing(type, place, has_default,
                          [&](const std::string& name) -> std::optional<io::Attribute> {
                            const py::str key(name);
                            if (!attributes.contains(key)) return {};
                            const py::object value = attributes[key];
                            io::Attribute found;
                            if (py::isinstance<py::str>(value)) {
                              found.text = value.cast<std::string>();
                            } else {
                              std::tie(found.numbers, found.is_real) =
                                  value.cast<std::pair<std::vector<double>, bool>>();
                            }
                            return found;
                          });
}

/// The values of numbers as files with these attributes hold them, NaN where there is none.
py::array_t<double> decode(
    const py::array_t<double, py::array::c_style | py::array::forcecast>& numbers,
    const std::string& type, const std::string& place, bool has_default,
    const py::dict& attributes) {
  const io::Packing packing = packing_of(type, place, has_default, attributes);
  py::array_t<double> values(
      std::vector<py::ssize_t>(numbers.shape(), numbers.shape() + numbers.ndim()));
  const double* from = numbers.data();
  double* to = values.mutable_data();
  for (py::ssize_t i = 0; i < numbers.size(); ++i) to[i] = packing.decode(from[i]);
  return values;
}

/// The order of dimensions in which rows and columns of images are the last.
std::vector<std::size_t> order_of_images(const ArrayPlaceTuple& dimensions) {
  return mpr::order_of_images(array_place_of(dimensions).coordinates);
}

/// A warning where samples hold a number that may stand for no value; empty where there is none.
std::string doubt_of_fill_value(
    const py::array_t<double, py::array::c_style | py::array::forcecast>& samples) {
  mpr::EndValues ends;
  const double* from = samples.data();
  for (py::ssize_t i = 0; i < samples.size(); ++i) ends.add(from[i]);
  return ends.doubt("the array", "make these numbers NaN, or mask them,");
}

}  // namespace

void define_mpr(py::module_& module) {
  module.def("doubt_of_fill_value", &doubt_of_fill_value);
  module.def("decode", &decode);
  module.def("order_of_images", &order_of_images);
  module.def("fill", &fill);
  module.def("is_on_device", &is_on_device);
  module.def("shape_on_device", [](py::handle object, const char* name) {
    return py::tuple(py::cast(view_on_device(object, name).shape));
  });
}

}  // namespace tessera::python
