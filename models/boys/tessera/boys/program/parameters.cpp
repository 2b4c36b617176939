// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/boys/program/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>

#include "tessera/boys/boys.hpp"
#include "tessera/boys/function/basic_methods.hpp"
#include "tessera/boys/paper.hpp"
#include "tessera/boys/program/reference.hpp"
#include "tessera/boys/rys.hpp"
#include "tessera/core/config/choice.hpp"
#include "tessera/core/config/numbers.hpp"
#include "tessera/core/error.hpp"

namespace tessera::boys {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLowest = detail::lowest_argument<double>;

Method parse_method(const std::string& name) {
  const auto& names = method_names();
  return static_cast<Method>(std::find(names.begin(), names.end(), name) - names.begin());
}

Task read_task(config::Section& root) {
  Task task = Task::evaluate;
  config::choose(root, "task", task,
                 {{"evaluate", Task::evaluate},
                  {"rys", Task::rys},
                  {"nuclear_attraction", Task::nuclear_attraction},
                  {"eri_ssss", Task::eri_ssss},
                  {"integrals", Task::integrals}})
      .doc(
          "the functions themselves; the roots and weights of Rys quadrature, which replaces them; "
          "or with their help overlap and nuclear attraction, overlap and (ss|ss), or all these "
          "integrals");
  return task;
}

/// The values of a file at the arguments; what is wrong in it is recorded.
std::vector<double> load_reference(config::Section& in, const std::string& file,
                                   const Parameters& p) {
  try {
    return read_reference(file, p.x, p.n_max);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    in.error("file", error.what());
    return {};
  }
}

/// The largest order of a method in a precision.
int largest_order(Method method, bool single_precision) {
  switch (method) {
    case Method::paper:
      return single_precision ? kMaxPaperOrderOf<float, PaperForm::rational> : kMaxPaperOrder;
    case Method::paper_polynomial:
      return kMaxPaperOrderOf<double, PaperForm::polynomial>;
    case Method::miller:
      return kMaxMillerOrder;
    default:
      return kMaxOrder;
  }
}

void check_method(config::Section& in, const std::string& key, const MethodChoice& choice,
                  const Parameters& p) {
  const std::string name = "method '" + to_string(choice.method) + "'";
  const bool table =
      choice.method == Method::all_orders_table || choice.method == Method::top_order_table;
  if (p.single_precision && table) in.error(key, name + " is available in double precision only");
  const int largest = largest_order(choice.method, p.single_precision);
  if (choice.n_max > largest) {
    in.error(key, name + " has orders 0 to " + std::to_string(largest) +
                      (p.single_precision ? " in single precision" : "") + "; problem.n_max is " +
                      std::to_string(choice.n_max));
  }
}

constexpr int kMostTerms = 1000;

void read_terms(config::Section& in, Parameters& p) {
  const bool taylor = p.method.method == Method::taylor;
  std::optional<int> terms;
  if (taylor) terms = p.method.terms;
  const bool given = in.get("terms", terms)
                         .range(1, kMostTerms)
                         .doc("how many terms the Taylor series has")
                         .otherwise("50 for the method taylor")
                         .given();
  if (given && !taylor) in.error("terms", "'terms' belongs to the method 'taylor'");
  p.method.terms = terms.value_or(p.method.terms);
}

void read_problem(config::Section& root, Parameters& p) {
  config::Section in = root.section("problem", "which functions, where");
  in.get("n_max", p.n_max).range(0, kMaxOrder).doc("the orders are 0 to n_max");
  p.x = config::read_numbers(in, "x",
                             {"the arguments: a number, a list of numbers, or one of these",
                              kLowest,
                              kInfinity,
                              {1e-3, 100, 401, true},
                              true});
  std::string method = "two_range";
  config::choose(in, "precision", p.single_precision, {{"double", false}, {"single", true}})
      .doc("of arguments and results");
  in.get("method", method)
      .one_of(method_names())
      .doc(
          "this code's two ranges; the paper's scheme by rational functions or polynomials; the "
          "Taylor series about 0, upward recursion from the error function, Miller's downward "
          "recursion or the asymptotic value; or interpolation in a table");
  p.method.method = parse_method(method);
  p.method.n_max = p.n_max;
  read_terms(in, p);
  in.get("repeat", p.repeat).range(1, 1e6).doc("evaluate everything that often, to measure speed");
  check_method(in, "method", p.method, p);
  in.finish();
}

/// The methods of a list: the Taylor series once for each number of terms, each method once for
/// each highest order; without `orders` for n_max alone.
std::vector<ComparedMethod> compared_methods(const std::vector<std::string>& methods,
                                             const std::vector<int>& terms,
                                             const std::vector<int>& orders, int n_max) {
  std::vector<ComparedMethod> compared;
  for (const std::string& name : methods) {
    const Method method = parse_method(name);
    const bool taylor = method == Method::taylor;
    for (const int number : taylor ? terms : std::vector<int>{MethodChoice().terms}) {
      for (const int order : orders.empty() ? std::vector<int>{n_max} : orders) {
        compared.push_back({{method, order, number},
                            name + (taylor ? "_" + std::to_string(number) : "") +
                                (orders.empty() ? "" : "_n" + std::to_string(order))});
      }
    }
  }
  return compared;
}

/// Leaves each name once.
void remove_repetitions(std::vector<ComparedMethod>& methods) {
  std::vector<ComparedMethod> kept;
  for (const ComparedMethod& method : methods) {
    const auto same = [&method](const ComparedMethod& other) { return other.name == method.name; };
    if (std::none_of(kept.begin(), kept.end(), same)) kept.push_back(method);
  }
  methods = kept;
}

void read_compared_methods(config::Section& in, Parameters& p) {
  std::vector<std::string> methods;
  std::vector<int> orders;
  in.get("methods", methods).one_of(method_names()).doc("further methods whose errors are wanted");
  const bool taylor = std::find(methods.begin(), methods.end(), "taylor") != methods.end();
  std::optional<std::vector<int>> terms;
  if (taylor) terms = {MethodChoice().terms};
  const bool given = in.get("terms", terms)
                         .range(1, kMostTerms)
                         .doc(
                             "of the method taylor among them: numbers of terms, each of "
                             "which is tried")
                         .otherwise("50 where it is among them")
                         .given();
  in.get("highest_orders", orders)
      .range(0, kMaxOrder)
      .doc("try each of these methods with every one of these highest orders instead of n_max");
  if (in.documenting()) return;
  if (given && !taylor)
    in.error("terms", "'terms' belongs to the method 'taylor', which is not among 'methods'");
  for (const int order : orders) {
    if (order > p.n_max) {
      in.error("highest_orders", "the order " + std::to_string(order) +
                                     " is above problem.n_max, which is " +
                                     std::to_string(p.n_max));
    }
  }
  p.also = compared_methods(methods, terms.value_or(std::vector<int>()), orders, p.n_max);
  remove_repetitions(p.also);
  for (const ComparedMethod& compared : p.also) check_method(in, "methods", compared.choice, p);
}

void read_reference_section(config::Section& root, Parameters& p) {
  config::Section in = root.section("reference", "what the results are compared with");
  if (!in.present()) return;
  std::string file;
  bool extended = false;
  in.get("file", file)
      .path()
      .doc("table of x, F_0, F_1, ... at the same arguments, decimal or hexadecimal");
  in.get("extended", extended)
      .doc("instead of a file: evaluate in extended precision on the host, good to 1e-18");
  read_compared_methods(in, p);
  if (!in.documenting()) {
    if (extended == !file.empty())
      in.error("", "'reference' needs either 'file' or 'extended: true'");
    p.reference = extended ? Reference::extended : Reference::file;
    if (p.reference == Reference::file && !file.empty() && !p.x.empty()) {
      p.reference_values = load_reference(in, file, p);
    }
  }
  in.finish();
}

void read_output(config::Section& root, Parameters& p) {
  config::Section in = root.section("output", "what the results hold");
  in.get("values", p.output_values)
      .doc("all x and F; else only the sum of each order over the arguments");
  in.finish();
}

/// Far from the ends of the numbers, so that products of them are numbers too.
constexpr double kMostDistance = 1e100, kLeastExponent = 1e-60, kMostExponent = 1e60;

/// The overlap of a sum of normalised Gaussians with itself, over that of its terms.
double share_of_norm(const Contraction& function) {
  double sum = 0, terms = 0;
  const std::size_t n = std::min(function.exponents.size(), function.coefficients.size());
  for (std::size_t i = 0; i < n; ++i) {
    const double a = function.exponents[i], c = function.coefficients[i];
    terms += c * c;
    for (std::size_t j = 0; j < n; ++j) {
      const double b = function.exponents[j];
      const double overlap = std::pow(2 * std::sqrt(a) * std::sqrt(b) / (a + b), 1.5);
      sum += c * function.coefficients[j] * overlap;
    }
  }
  return terms > 0 ? sum / terms : 0;
}

void read_molecule(config::Section& root, Parameters& p) {
  for (config::Section& in : root.list("molecule", "the nuclei")) {
    Nucleus nucleus;
    std::vector<double> position{0, 0, 0};
    in.get("symbol", nucleus.symbol).doc("name of the element, for the reader");
    nucleus.charge = 1;
    in.require("charge", nucleus.charge).doc("of the nucleus, in elementary charges");
    in.require("position", position)
        .size(3)
        .range(-kMostDistance, kMostDistance)
        .unit("bohr")
        .doc("x, y, z");
    std::copy_n(position.begin(), 3, nucleus.position);
    const auto is_there = [&nucleus](const Nucleus& other) {
      return std::equal(other.position, other.position + 3, nucleus.position);
    };
    const auto same = std::find_if(p.nuclei.begin(), p.nuclei.end(), is_there);
    if (same != p.nuclei.end())
      in.error("position", "nucleus " + std::to_string(same - p.nuclei.begin()) +
                               " is at this place too: the energy of their repulsion is infinite");
    if (!in.documenting()) p.nuclei.push_back(nucleus);
    in.finish();
  }
  if (p.nuclei.empty())
    root.error("molecule", "the integrals need a 'molecule' with at least one nucleus");
}

void read_basis(config::Section& root, Parameters& p) {
  for (config::Section& in :
       root.list("basis", "the s-type basis functions, each a sum of Gaussians exp(-a r^2)")) {
    Contraction function;
    int atom = 0;
    function.exponents = {1};
    function.coefficients = {1};
    in.require("atom", atom)
        .range(0, p.nuclei.empty() ? 0 : static_cast<double>(p.nuclei.size()) - 1,
               "0 to the number of nuclei - 1")
        .doc("number of the nucleus it sits on, from 0");
    in.require("exponents", function.exponents)
        .range(kLeastExponent, kMostExponent)
        .unit("bohr^-2")
        .doc("a of each Gaussian");
    in.require("coefficients", function.coefficients).doc("of each Gaussian, which is normalised");
    if (function.exponents.size() != function.coefficients.size()) {
      in.error("coefficients", "there are " + std::to_string(function.coefficients.size()) +
                                   " coefficients for " +
                                   std::to_string(function.exponents.size()) + " exponents");
    }
    if (function.exponents.empty())
      in.error("exponents", "a basis function needs at least one Gaussian");
    if (static_cast<std::size_t>(atom) < p.nuclei.size())
      std::copy_n(p.nuclei[atom].position, 3, function.center);
    if (!in.documenting()) p.basis.push_back(function);
    in.finish();
  }
  if (p.basis.empty())
    root.error("basis", "the integrals need a 'basis' with at least one function");
  if (p.basis.size() > kMaxContractions) {
    root.error("basis", "there are " + std::to_string(p.basis.size()) +
                            " basis functions; at most " + std::to_string(kMaxContractions) +
                            " are possible");
  }
}

/// The interaction of charges, and its range.
void read_interaction(config::Section& in, Parameters& p) {
  using Kind = Interaction::Kind;
  config::choose(in, "interaction", p.interaction.kind,
                 {{"coulomb", Kind::coulomb}, {"erf", Kind::erf}, {"erfc", Kind::erfc}})
      .doc("between charges at the distance r: 1/r, erf(omega r)/r or erfc(omega r)/r");
  const bool separated = p.interaction.kind != Kind::coulomb;
  std::optional<double> omega;
  if (separated) omega = 0.3;
  const bool given = in.get("omega", omega)
                         .range(kLeastExponent, kMostExponent)
                         .unit("bohr^-1")
                         .doc("range separation of erf and erfc")
                         .otherwise("0.3 for erf and erfc")
                         .given();
  p.interaction.omega = omega.value_or(0);
  if (given && !separated)
    in.error("omega", "'omega' belongs to the interactions 'erf' and 'erfc'");
}

void read_integrals(config::Section& root, Parameters& p) {
  config::Section in = root.section("integrals", "how the integrals are made");
  if (!in.present()) return;
  in.get("normalize", p.normalize)
      .doc("scale each basis function so that its overlap with itself is 1");
  read_interaction(in, p);
  in.finish();
}

void read_quadrature(config::Section& root, Parameters& p) {
  config::Section in = root.section("quadrature", "which quadrature, where");
  in.get("order", p.order)
      .range(1, kMaxRysOrder)
      .doc("number of roots n; they serve F_0 ... F_(2n-1)");
  const config::Numbers x =
      config::read_numbers(in, "x",
                           {"the arguments: a number, a list of numbers, or one of these",
                            0,
                            kInfinity,
                            {1e-3, 100, 401, true},
                            true});
  if (p.task == Task::rys) p.x = x;
  read_interaction(in, p);
  in.get("rho", p.rho)
      .range(kLeastExponent, kMostExponent)
      .unit("bohr^-2")
      .doc("reduced exponent that x was formed with; counts for erf and erfc");
  in.get("repeat", p.repeat).range(1, 1e6).doc("evaluate everything that often, to measure speed");
  in.finish();
}

void check_norms(config::Section& root, const Parameters& p) {
  for (std::size_t k = 0; k < p.basis.size() && p.normalize; ++k) {
    if (share_of_norm(p.basis[k]) > 1e-13) continue;
    root.error("basis", "function " + std::to_string(k) +
                            " (from 0) is 0 everywhere and cannot be normalised: change its "
                            "'coefficients', or set integrals.normalize: false");
  }
}

}  // namespace

Parameters Parameters::read(config::Section& root) {
  Parameters p;
  p.task = read_task(root);
  if (root.documenting() || p.task == Task::evaluate) {
    read_problem(root, p);
    read_reference_section(root, p);
    read_output(root, p);
  }
  if (root.documenting() || p.task == Task::rys) read_quadrature(root, p);
  const bool integrates = p.task != Task::evaluate && p.task != Task::rys;
  if (root.documenting() || integrates) {
    read_molecule(root, p);
    read_basis(root, p);
    read_integrals(root, p);
    check_norms(root, p);
  }
  if (root.documenting()) {
    const auto show = [&](std::initializer_list<const char*> keys, bool shown) {
      for (const char* key : keys) shown ? root.write_out(key) : root.comment_out(key);
    };
    if (p.task != Task::evaluate) show({"problem", "reference", "output"}, false);
    show({"quadrature"}, p.task == Task::rys);
    show({"molecule", "basis", "integrals"}, integrates);
  }
  return p;
}

}  // namespace tessera::boys
