// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/calls/bessel.hpp"

#include <pybind11/stl.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/python/binding/arrays.hpp"
#include "apps/python/binding/computing.hpp"
#include "apps/python/binding/modules.hpp"
#include "tessera/core/error.hpp"

namespace tessera::python {

namespace {

template <class Real, class Form>
py::object evaluate(Form form, Operand& nu, Operand& x, const Common& common, py::handle out,
                    Backend backend) {
  Result result(common.shape, common, out);
  const In<Real> orders = nu.numbers<Real>(common.shape), arguments = x.numbers<Real>(common.shape);
  const Out<Real> values = result.numbers<Real>();
  {
    const Computing computing;
    CallWatch watch;
    evaluate_bessel(backend, form, orders, arguments, values, count(common.shape), std::ref(watch));
  }
  return result.object();
}

/// One form of K or I.
template <class Form>
py::object bessel(int form, py::handle nu, py::handle x, py::handle out, py::handle backend) {
  Operand order(nu, "nu"), argument(x, "x");
  const Common common({&order, &argument});
  keep_apart(out, {&order, &argument});
  const Backend where = choose(backend, common.on_device);
  const auto which = static_cast<Form>(form);
  return common.single ? evaluate<float>(which, order, argument, common, out, where)
                       : evaluate<double>(which, order, argument, common, out, where);
}

/// The parts of one function of complex arguments.
py::tuple bessel_complex(int form, py::handle nu, py::handle x, py::handle y, py::handle backend) {
  Operand order(nu, "nu"), real(x, "the real part"), imag(y, "the imaginary part");
  Common common({&order, &real, &imag});
  common.single = false;
  const Backend where = choose(backend, common.on_device);
  Result real_result(common.shape, common, py::none()),
      imag_result(common.shape, common, py::none());
  const In<double> orders = order.numbers<double>(common.shape),
                   reals = real.numbers<double>(common.shape),
                   imags = imag.numbers<double>(common.shape);
  const ComplexParts parts{real_result.numbers<double>(), imag_result.numbers<double>()};
  {
    const Computing computing;
    CallWatch watch;
    evaluate_bessel_complex(where, form, orders, reals, imags, parts, count(common.shape),
                            std::ref(watch));
  }
  return py::make_tuple(real_result.object(), imag_result.object());
}

py::object spherical_bessel(bool first_kind, py::handle n, py::handle z, py::handle backend) {
  Operand order(n, "n"), argument(z, "z");
  Common common({&order, &argument});
  common.single = false;
  const Backend where = choose(backend, common.on_device);
  Result result(common.shape, common, py::none());
  const In<double> orders = order.numbers<double>(common.shape),
                   arguments = argument.numbers<double>(common.shape);
  const Out<double> values = result.numbers<double>();
  {
    const Computing computing;
    CallWatch watch;
    evaluate_spherical_bessel(where, first_kind, orders, arguments, values, count(common.shape),
                              std::ref(watch));
  }
  return result.object();
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

/// Three results of a call; `out`: none, or three arrays for them.
struct ThreeResults {
  Result value, first, second;

  ThreeResults(const Common& common, const std::optional<std::vector<py::object>>& out)
      : value(common.shape, common, of(out, 0)),
        first(common.shape, common, of(out, 1)),
        second(common.shape, common, of(out, 2)) {}

  py::tuple objects() const {
    return py::make_tuple(value.object(), first.object(), second.object());
  }

 private:
  static py::object of(const std::optional<std::vector<py::object>>& out, std::size_t k) {
    if (!out) return py::none();
    if (out->size() != 3) {
      throw Error(ErrorKind::input, "out has " + std::to_string(out->size()) + " arrays",
                  "give three: of the function and its two derivatives");
    }
    return (*out)[k];
  }
};

template <class Real, class Form>
py::tuple differentiate(Form form, Operand& nu, Operand& x, const Common& common,
                        const std::optional<std::vector<py::object>>& out, Backend backend) {
  ThreeResults results(common, out);
  const In<Real> orders = nu.numbers<Real>(common.shape), arguments = x.numbers<Real>(common.shape);
  const BesselDerivatives<Real> to{results.value.numbers<Real>(), results.first.numbers<Real>(),
                                   results.second.numbers<Real>()};
  {
    const Computing computing;
    CallWatch watch;
    differentiate_bessel(backend, form, orders, arguments, to, count(common.shape),
                         std::ref(watch));
  }
  return results.objects();
}

/// A function, scaled, or its logarithm, with the derivatives of the logarithm in nu and in x.
template <class Form>
py::tuple bessel_derivatives(int form, py::handle nu, py::handle x,
                             const std::optional<std::vector<py::object>>& out,
                             py::handle backend) {
  Operand order(nu, "nu"), argument(x, "x");
  const Common common({&order, &argument});
  const Backend where = choose(backend, common.on_device);
  const auto which = static_cast<Form>(form);
  if (form > 2)
    throw Error(ErrorKind::input, "form " + std::to_string(form) + " has no derivatives here",
                "give 0, 1 or 2");
  return common.single ? differentiate<float>(which, order, argument, common, out, where)
                       : differentiate<double>(which, order, argument, common, out, where);
}

/// M_nu(h), dM/dnu and dM/dh.
py::tuple matern_derivatives(double nu, py::handle h,
                             const std::optional<std::vector<py::object>>& out,
                             py::handle backend) {
  Operand distance(h, "h");
  Common common({&distance});
  common.single = false;
  const Backend where = choose(backend, common.on_device);
  ThreeResults results(common, out);
  const In<double> distances = distance.numbers<double>(common.shape);
  const MaternDerivatives to{results.value.numbers<double>(), results.first.numbers<double>(),
                             results.second.numbers<double>()};
  {
    const Computing computing;
    CallWatch watch;
    matern(where, nu, distances, to, count(common.shape), std::ref(watch));
  }
  return results.objects();
}

}  // namespace

void define_bessel(py::module_& module) {
  module.def("bessel", &bessel<BesselForm>);
  module.def("bessel_i", &bessel<BesselIForm>);
  module.def("bessel_derivatives", &bessel_derivatives<BesselForm>);
  module.def("bessel_i_derivatives", &bessel_derivatives<BesselIForm>);
  module.def("bessel_complex", &bessel_complex);
  module.def("bessel_spherical", &spherical_bessel);
  module.def("matern", &matern_correlation);
  module.def("matern_derivatives", &matern_derivatives);
}

}  // namespace tessera::python
