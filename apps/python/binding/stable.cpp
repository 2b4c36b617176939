// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/calls/stable.hpp"

#include <pybind11/stl.h>

#include <functional>
#include <optional>
#include <vector>

#include "apps/python/binding/arrays.hpp"
#include "apps/python/binding/computing.hpp"
#include "apps/python/binding/interruptible.hpp"
#include "apps/python/binding/modules.hpp"
#include "tessera/core/error.hpp"

namespace tessera::python {

namespace {

bool is_one(const Operand& operand) { return !operand.on_device() && count(operand.shape()) == 1; }

StableLaw make_law(double sigma, double mu, int parameterization) {
  StableLaw law;
  law.sigma = sigma;
  law.mu = mu;
  law.parameterization = parameterization;
  return law;
}

py::object evaluate(int quantity, py::handle x, py::handle alpha, py::handle beta, double mu,
                    double sigma, int parameterization, py::handle out, py::handle backend) {
  Operand points(x, "x"), a(alpha, "alpha"), b(beta, "beta");
  Common common({&points, &a, &b});
  common.single = false;
  keep_apart(out, {&points, &a, &b});
  const Backend chosen = choose(backend, common.on_device);
  Result result(common.shape, common, out);
  const std::size_t n = count(common.shape);
  const In<double> at = points.numbers<double>(common.shape),
                   alphas = a.numbers<double>(common.shape),
                   betas = b.numbers<double>(common.shape);
  const Out<double> values = result.numbers<double>();
  StableLaw law = make_law(sigma, mu, parameterization);
  const auto which = static_cast<StableQuantity>(quantity);
  CallWatch watch;
  if (is_one(a) && is_one(b)) {
    law.alpha = *alphas.data;
    law.beta = *betas.data;
    const Computing computing;
    evaluate_stable(chosen, which, law, at, values, n, std::ref(watch));
  } else {
    const Computing computing;
    evaluate_stable(chosen, which, law, alphas, betas, at, values, n, std::ref(watch));
  }
  return result.object();
}

py::object quantile(py::handle p, py::handle alpha, py::handle beta, double mu, double sigma,
                    int parameterization, py::handle out, py::handle backend) {
  Operand probabilities(p, "p"), a(alpha, "alpha"), b(beta, "beta");
  Common common({&probabilities, &a, &b});
  common.single = false;
  keep_apart(out, {&probabilities, &a, &b});
  const Backend chosen = choose(backend, common.on_device);
  Result result(common.shape, common, out);
  const std::size_t n = count(common.shape);
  const In<double> alphas = a.numbers<double>(common.shape),
                   betas = b.numbers<double>(common.shape);
  const In<double> at = probabilities.numbers<double>(common.shape);
  const Out<double> values = result.numbers<double>();
  StableLaw law = make_law(sigma, mu, parameterization);
  {
    const Computing computing;
    CallWatch watch;
    const bool one_law = is_one(a) && is_one(b);
    if (one_law) {
      law.alpha = *alphas.data;
      law.beta = *betas.data;
    }
    if (common.on_device) {
      one_law ? find_stable_quantiles_on_device(chosen, law, at, values, n, std::ref(watch))
              : find_stable_quantiles_on_device(chosen, law, alphas, betas, at, values, n,
                                                std::ref(watch));
    } else if (one_law) {
      const std::vector<double> same(at.one ? n : 0, at.one ? *at.data : 0.0);
      find_stable_quantiles(chosen, law, at.one ? same.data() : at.data, values.data, n,
                            std::ref(watch));
    } else {
      find_stable_quantiles(law, alphas, betas, at, values.data, n, std::ref(watch));
    }
  }
  return result.object();
}

/// A quantity and its derivatives in x, alpha and beta; `out`: none, or four arrays for them.
py::tuple differentiate(int what, py::handle x, py::handle alpha, py::handle beta,
                        int parameterization, const std::optional<std::vector<py::object>>& out,
                        py::handle backend) {
  Operand points(x, "x"), a(alpha, "alpha"), b(beta, "beta");
  Common common({&points, &a, &b});
  common.single = false;
  const Backend chosen = choose(backend, common.on_device);
  if (out && out->size() != 4) {
    throw Error(ErrorKind::input, "out has " + std::to_string(out->size()) + " arrays",
                "give four: of the quantity and its derivatives in x, alpha and beta");
  }
  const auto result = [&](std::size_t k) {
    return Result(common.shape, common, out ? (*out)[k] : py::none());
  };
  Result value = result(0), d_x = result(1), d_alpha = result(2), d_beta = result(3);
  const In<double> at = points.numbers<double>(common.shape),
                   alphas = a.numbers<double>(common.shape),
                   betas = b.numbers<double>(common.shape);
  const StableDerivatives derivatives{value.numbers<double>(), d_x.numbers<double>(),
                                      d_alpha.numbers<double>(), d_beta.numbers<double>()};
  {
    const Computing computing;
    CallWatch watch;
    differentiate_stable(chosen, static_cast<StableDifferentiated>(what),
                         make_law(1, 0, parameterization), alphas, betas, at, derivatives,
                         count(common.shape), std::ref(watch));
  }
  return py::make_tuple(value.object(), d_x.object(), d_alpha.object(), d_beta.object());
}

/// Numbers of standard laws from uniform numbers of any generator.
py::object transform(py::handle alpha, py::handle beta, py::handle u1, py::handle u2,
                     py::handle out, py::handle backend) {
  Operand a(alpha, "alpha"), b(beta, "beta"), first(u1, "u1"), second(u2, "u2");
  Common common({&a, &b, &first, &second});
  common.single = false;
  keep_apart(out, {&a, &b, &first, &second});
  const Backend chosen = choose(backend, common.on_device);
  Result result(common.shape, common, out);
  const Shape& shape = common.shape;
  const In<double> alphas = a.numbers<double>(shape), betas = b.numbers<double>(shape),
                   ones = first.numbers<double>(shape), twos = second.numbers<double>(shape);
  const Out<double> values = result.numbers<double>();
  {
    const Computing computing;
    CallWatch watch;
    sample_stable(chosen, alphas, betas, ones, twos, values, count(shape), std::ref(watch));
  }
  return result.object();
}

py::object sample(py::handle alpha, py::handle beta, double mu, double sigma, int parameterization,
                  const Shape& shape, std::uint64_t seed, py::handle backend) {
  const Backend chosen = choose(backend);
  Operand a(alpha, "alpha"), b(beta, "beta");
  Common common({&a, &b});
  common.shape = shape;
  common.single = false;
  Result result(shape, common, py::none());
  const In<double> alphas = a.numbers<double>(shape), betas = b.numbers<double>(shape);
  const Out<double> values = result.numbers<double>();
  StableLaw law = make_law(sigma, mu, parameterization);
  {
    const Computing computing;
    CallWatch watch;
    if (is_one(a) && is_one(b)) {
      law.alpha = *alphas.data;
      law.beta = *betas.data;
      sample_stable(chosen, law, seed, values, count(shape), std::ref(watch));
    } else {
      sample_stable(law, alphas, betas, seed, values.data, count(shape), std::ref(watch));
    }
  }
  return result.object();
}

/// The values of a sample, or of a row of samples each.
std::vector<StableFit> fit(py::handle x, py::handle weights, const StableFitOptions& options,
                           py::handle backend) {
  Operand data(x, "x");
  const Common common({&data});
  const Shape& shape = common.shape;
  if (shape.empty() || shape.size() > 2) {
    throw Error(ErrorKind::input, "stable: data of " + std::to_string(shape.size()) + " dimensions",
                "give a sample, or a row for each sample");
  }
  const Backend chosen = choose(backend, common.on_device);
  const In<double> values = data.numbers<double>(shape);
  std::optional<Operand> given;
  const double* weight = nullptr;
  if (!weights.is_none()) {
    given.emplace(weights, "weights");
    if (given->shape() != shape)
      throw Error(ErrorKind::input, "stable: weights of another shape than the data",
                  "give a weight for each value");
    weight = given->numbers<double>(shape).data;
  }
  std::vector<StableFit> fits;
  CallWatch watch("fits");
  compute_interruptibly([&] {
    In<double> all = values;
    all.one = false;
    fits =
        fit_stable(chosen, all, weight, shape.size() == 2 ? static_cast<std::size_t>(shape[0]) : 1,
                   static_cast<std::size_t>(shape.back()), options, std::ref(watch));
  });
  return fits;
}

py::list fit_samples(py::handle x, py::handle weights, bool mcculloch, double tolerance,
                     bool standard_errors, bool goodness,
                     const std::vector<std::optional<double>>& fixed, py::handle backend) {
  StableFitOptions options;
  options.mcculloch = mcculloch;
  options.tolerance = tolerance;
  options.standard_errors = standard_errors;
  options.goodness = goodness;
  for (std::size_t k = 0; k < fixed.size() && k < 4; ++k) {
    if (!fixed[k]) continue;
    options.fixed |= 1 << k;
    options.fixed_value[k] = *fixed[k];
  }
  py::list found;
  for (const StableFit& f : fit(x, weights, options, backend)) {
    const double* const v = f.parameters;
    const double* const e = f.standard_errors;
    found.append(py::make_tuple(py::make_tuple(v[0], v[1], v[2], v[3]),
                                py::make_tuple(e[0], e[1], e[2], e[3]), f.log_likelihood,
                                f.gradient_norm, f.kolmogorov_smirnov, f.anderson_darling,
                                f.iterations, f.status, f.state));
  }
  return found;
}

double convert(double alpha, double beta, double mu, double sigma, int from, int to) {
  StableLaw law = make_law(sigma, mu, from);
  law.alpha = alpha;
  law.beta = beta;
  return convert_stable_location(law, to);
}

}  // namespace

void define_stable(py::module_& module) {
  module.def("stable", &evaluate);
  module.def("stable_quantile", &quantile);
  module.def("stable_derivatives", &differentiate);
  module.def("stable_sample", &sample);
  module.def("stable_transform", &transform);
  module.def("stable_fit", &fit_samples);
  module.def("stable_location", &convert);
}

}  // namespace tessera::python
