// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/calls/bessel.hpp"

#include <functional>

#include "apps/python/binding/arrays.hpp"
#include "apps/python/binding/computing.hpp"
#include "apps/python/binding/modules.hpp"

namespace tessera::python {

namespace {

template <class Real>
py::object evaluate(BesselForm form, Operand& nu, Operand& x, const Common& common, py::handle out,
                    Backend backend) {
  Result result(common.shape, common, out);
  const In<Real> orders = nu.numbers<Real>(common.shape), arguments = x.numbers<Real>(common.shape);
  const Out<Real> values = result.numbers<Real>();
  {
    const Computing computing;
    CallWatch watch;
    bessel_k(backend, form, orders, arguments, values, count(common.shape), std::ref(watch));
  }
  return result.object();
}

py::object bessel(int form, py::handle nu, py::handle x, py::handle out, py::handle backend) {
  Operand order(nu, "nu"), argument(x, "x");
  const Common common({&order, &argument});
  keep_apart(out, {&order, &argument});
  const Backend where = choose(backend, common.on_device);
  const auto which = static_cast<BesselForm>(form);
  return common.single ? evaluate<float>(which, order, argument, common, out, where)
                       : evaluate<double>(which, order, argument, common, out, where);
}

py::object matern_correlation(double nu, py::handle h, py::handle out, py::handle backend) {
  Operand distance(h, "h");
  Common common({&distance});
  keep_apart(out, {&distance});
  common.single = false;
  const Backend where = choose(backend, common.on_device);
  Result result(common.shape, common, out);
  const In<double> distances = distance.numbers<double>(common.shape);
  const Out<double> values = result.numbers<double>();
  {
    const Computing computing;
    CallWatch watch;
    matern(where, nu, distances, values, count(common.shape), std::ref(watch));
  }
  return result.object();
}

}  // namespace

void define_bessel(py::module_& module) {
  module.def("bessel", &bessel);
  module.def("matern", &matern_correlation);
}

}  // namespace tessera::python
