// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/calls/boys.hpp"

#include <functional>

#include "apps/python/binding/arrays.hpp"
#include "apps/python/binding/computing.hpp"
#include "apps/python/binding/modules.hpp"

namespace tessera::python {

namespace {

template <class Real>
py::object evaluate(int n_max, Operand& x, const Common& common, py::handle out, Backend backend) {
  Shape shape = common.shape;
  shape.insert(shape.begin(), std::max(n_max, 0) + 1);
  Result result(shape, common, out);
  const In<Real> arguments = x.numbers<Real>(common.shape);
  const Out<Real> values = result.numbers<Real>();
  {
    const Computing computing;
    CallWatch watch;
    boys(backend, n_max, arguments, values, count(common.shape), std::ref(watch));
  }
  return result.object();
}

py::object boys_functions(int n_max, py::handle x, py::handle out, py::handle backend) {
  require_boys_order(n_max);
  Operand argument(x, "x");
  const Common common({&argument});
  keep_apart(out, {&argument});
  const Backend where = choose(backend, common.on_device);
  return common.single ? evaluate<float>(n_max, argument, common, out, where)
                       : evaluate<double>(n_max, argument, common, out, where);
}

py::object rys_quadrature(int order, py::handle x, py::handle rho, py::handle omega,
                          bool short_range, py::handle backend) {
  require_rys_order(order);
  Operand argument(x, "x"), exponent(rho, "rho"), range(omega, "omega");
  Common common({&argument, &exponent, &range});
  common.single = false;  // computed in double precision
  Shape shape = common.shape;
  shape.insert(shape.begin(), order);
  shape.insert(shape.begin(), 2);
  Result result(shape, common, py::none());
  const In<double> arguments = argument.numbers<double>(common.shape),
                   exponents = exponent.numbers<double>(common.shape),
                   ranges = range.numbers<double>(common.shape);
  const Out<double> values = result.numbers<double>();
  {
    const Computing computing;
    CallWatch watch;
    rys(choose(backend, common.on_device), order, arguments, exponents, ranges, short_range, values,
        count(common.shape), std::ref(watch));
  }
  return result.object();
}

}  // namespace

void define_boys(py::module_& module) {
  module.def("boys", &boys_functions);
  module.def("rys", &rys_quadrature);
}

}  // namespace tessera::python
