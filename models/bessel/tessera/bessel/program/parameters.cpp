// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/bessel/program/parameters.hpp"

#include <algorithm>
#include <optional>

#include "tessera/bessel/bessel.hpp"
#include "tessera/bessel/matern/matern_function.hpp"
#include "tessera/bessel/paper.hpp"
#include "tessera/core/config/choice.hpp"
#include "tessera/core/config/numbers.hpp"
#include "tessera/core/config/scalar.hpp"
#include "tessera/core/error.hpp"

namespace tessera::bessel {

namespace {

constexpr double kLargest = 1e300;
constexpr int kMostPoints = 1'000'000'000;

template <class Enum>
Enum parse_enum(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

int default_bins(Method method) {
  return method == Method::paper ? 128 : method == Method::takekawa ? 32 : 0;
}

void check_gsl(config::Section& in, const std::string& key, Method method) {
  if (method == Method::gsl && !has_gsl()) {
    in.error(key,
             "method 'gsl' is not in this build: install GSL (Debian: libgsl-dev), configure again "
             "with -DTESSERA_ENABLE_GSL=ON, and build again");
  }
}

const config::NumbersOptions kBounds{
    "the upper bounds that task upper_bound tries: a number, a list of numbers, or one of these",
    0,
    700,
    {4, 14, 101}};

/// Points: as many orders as arguments, one order for all, or every order with every argument.
void combine(config::Section& in, const std::string& how, const config::Numbers& nu,
             const config::Numbers& x, Parameters& p) {
  if (nu.empty() || x.empty()) return;
  if (how == "grid") {
    if (nu.size() > kMostPoints / x.size())
      return in.error("combine", "the grid has more than 1e9 points");
    p.grid_nu = nu;
    p.grid_x = x;
    const std::size_t count = nu.size() * x.size();
    p.nu = config::Numbers(count, [nu, columns = x.size()] {
      std::vector<double> all;
      all.reserve(nu.size() * columns);
      for (const double order : nu) all.insert(all.end(), columns, order);
      return all;
    });
    p.x = config::Numbers(count, [x, rows = nu.size()] {
      std::vector<double> all;
      all.reserve(rows * x.size());
      for (std::size_t i = 0; i < rows; ++i) all.insert(all.end(), x.begin(), x.end());
      return all;
    });
    return;
  }
  if (nu.size() != x.size() && nu.size() != 1 && x.size() != 1) {
    return in.error("nu", "there are " + std::to_string(nu.size()) + " orders for " +
                              std::to_string(x.size()) +
                              " arguments; give as many, or one of either, or 'combine: grid'");
  }
  const std::size_t count = std::max(nu.size(), x.size());
  const auto repeat = [count](const config::Numbers& one) {
    return one.size() == count ? one : config::Numbers(count, [one, count] {
      return std::vector<double>(count, one[0]);
    });
  };
  p.nu = repeat(nu);
  p.x = repeat(x);
}

/// The points of K_nu(x).
void read_points(config::Section& in, double largest_order, Parameters& p) {
  const auto nu = config::read_numbers(in, "nu",
                                       {"the orders: a number (also the smoothness of task "
                                        "matern), a list of numbers, or one of these",
                                        0,
                                        largest_order,
                                        {0.5, 0.5, 1}});
  const auto x =
      config::read_numbers(in, "x",
                           {"the arguments: a number, a list of numbers, or one of these",
                            0,
                            kLargest,
                            {0.001, 140, 400, true}});
  std::string how = "pairs";
  in.get("combine", how)
      .one_of({"pairs", "grid"})
      .doc("one order with one argument in turn, or every order with every argument");
  if (!in.documenting()) combine(in, how, nu, x, p);
}

void read_bessel_k(config::Section& in, Parameters& p) {
  read_points(in, kMaxOrder, p);
  std::string method = "quadrature";
  std::vector<std::string> quantities{"k_scaled", "log_k", "dlog_k_dnu"};
  in.get("quantities", quantities)
      .one_of(quantity_names())
      .doc("K, e^x K, log K, d log K / dx, d log K / dnu");
  if (quantities.empty())
    in.error("quantities", "'quantities' is empty: name one at least, such as k_scaled");
  for (const std::string& name : quantities) {
    const auto quantity = parse_enum<Quantity>(quantity_names(), name);
    if (std::find(p.quantities.begin(), p.quantities.end(), quantity) == p.quantities.end())
      p.quantities.push_back(quantity);
  }
  in.get("method", method)
      .one_of(method_names())
      .doc(
          "this code's way; the refined algorithm of Geng et al.; that of Takekawa; or the GNU "
          "Scientific Library, on the host, where this build has it");
  p.method.method = parse_enum<Method>(method_names(), method);
  check_gsl(in, "method", p.method.method);
  std::optional<int> bins;
  const bool has_bins = in.get("bins", bins)
                            .range(2, 100000)
                            .doc("of the methods paper and takekawa")
                            .otherwise("128 (paper) or 32 (takekawa)")
                            .given();
  p.method.bins = bins.value_or(default_bins(p.method.method));
  if (has_bins && default_bins(p.method.method) == 0)
    in.error("bins", "'bins' belongs to the methods 'paper' and 'takekawa'");
  config::choose(in, "precision", p.single_precision, {{"double", false}, {"single", true}})
      .doc("of arguments and results");
  if (p.method.method != Method::quadrature) {
    if (p.single_precision)
      in.error("precision", "method '" + method + "' is available in double precision only");
    const auto derivative = [](Quantity q) {
      return q == Quantity::dlog_k_dx || q == Quantity::dlog_k_dnu;
    };
    if (std::any_of(p.quantities.begin(), p.quantities.end(), derivative)) {
      in.error("quantities", "method '" + method + "' gives K, e^x K and log K, no derivatives");
    }
  }
}

/// The bounds of the integral of method paper, there and among the compared ones.
void read_bounds(config::Section& in, Parameters& p) {
  std::optional<double> lower, upper;
  const bool has_lower = in.get("lower", lower)
                             .range(0, 700)
                             .doc("lower bound of the integral of the method paper")
                             .otherwise("0, as in the paper")
                             .given();
  const bool has_upper = in.get("upper", upper)
                             .range(0, 700)
                             .positive()
                             .doc("its upper bound, in reference.methods too")
                             .otherwise("9, as in the paper")
                             .given();
  MethodChoice& own = p.method;
  own.lower = lower.value_or(own.lower);
  own.upper = upper.value_or(own.upper);
  for (MethodChoice& other : p.also) {
    other.lower = own.lower;
    other.upper = own.upper;
  }
  const std::string key = has_upper ? "upper" : "lower";
  if (!has_lower && !has_upper) return;
  const auto is_paper = [](const MethodChoice& choice) { return choice.method == Method::paper; };
  if (!is_paper(own) && std::none_of(p.also.begin(), p.also.end(), is_paper))
    in.error(key, "'" + key + "' belongs to the method 'paper', which this run does not take");
  if (own.upper <= own.lower)
    in.error(key, "the upper bound of the integral must be above the lower one");
}

/// Algorithm 1 of the paper.
void read_upper_bound(config::Section& in, Parameters& p) {
  read_points(in, kMaxComparedOrder, p);
  p.method = {Method::paper, default_bins(Method::paper)};
  in.get("bins", p.method.bins).range(2, 100000).doc("of the method paper");
  in.get("lower", p.method.lower).range(0, 700).doc("lower bound of the integral");
  p.bounds = config::read_numbers(in, "bounds", kBounds);
  in.get("tolerance", p.tolerance).positive().doc("largest absolute error of log K");
  if (!p.bounds.empty() && !in.documenting()) {
    const std::vector<double>& bounds = p.bounds;
    if (*std::min_element(bounds.begin(), bounds.end()) <= p.method.lower)
      in.error("bounds", "every upper bound must be above 'lower'");
  }
}

const config::NumbersOptions kDistances{
    "the distances of task matern: a number, a list of numbers, or one of these",
    0,
    kLargest,
    {0, 10, 501}};

void read_matern(config::Section& in, Parameters& p) {
  in.get("sigma2", p.sigma2).positive().doc("variance; task matern");
  in.get("beta", p.beta).positive().doc("range, in the unit of r; task matern");
  in.get("nu", p.smoothness).range(kMaternMinNu, kMaternMaxNu).doc("smoothness");
  p.r = config::read_numbers(in, "r", kDistances);
}

/// The keys of the other tasks, which the defaults show commented out since task bessel_k has none
/// of them.
void document_other_tasks(config::Section& in) {
  std::optional<double> tolerance;
  in.get("tolerance", tolerance)
      .positive()
      .doc("largest absolute error of log K; task upper_bound")
      .otherwise("1e-9");
  config::Section bounds = in.section("bounds");
  bounds.present();  // makes it an optional one
  config::read_numbers(in, "bounds", kBounds);
  std::optional<double> sigma2, beta;
  in.get("sigma2", sigma2).positive().doc("variance; task matern").otherwise("1");
  in.get("beta", beta).positive().doc("range, in the unit of r; task matern").otherwise("1");
  config::Section r = in.section("r");
  r.present();  // makes it an optional one
  config::read_numbers(in, "r", kDistances);
}

void read_reference(config::Section& root, Parameters& p) {
  config::Section in = root.section("reference", "what the results are compared with");
  if (!in.present()) return;
  std::string quantity = "log_k";
  bool extended = false;
  std::vector<std::string> methods;
  std::vector<int> bins;
  const config::ColumnSource source =
      config::read_column_source(in, "file with a column of reference values, a row per point");
  in.get("extended", extended)
      .doc("instead of a file: another algorithm in extended precision on the host, good to 1e-18");
  in.get("quantity", quantity)
      .one_of(quantity_names())
      .doc("what is compared; log_k by its absolute error, all others by their relative error");
  in.get("methods", methods)
      .one_of(method_names())
      .doc("further methods whose errors are wanted, of K, e^x K or log K");
  in.get("bins", bins)
      .range(2, 100000)
      .doc("their bins, in the same order, any for a method without; their defaults if empty");
  in.finish();
  if (in.documenting()) return;
  if (extended == !source.file.empty())
    in.error("", "'reference' needs either 'file' or 'extended: true'");
  if (!bins.empty() && bins.size() != methods.size())
    in.error("bins", "there are " + std::to_string(bins.size()) + " bins for " +
                         std::to_string(methods.size()) + " methods");
  p.reference = extended ? Reference::extended : Reference::file;
  p.reference_quantity = parse_enum<Quantity>(quantity_names(), quantity);
  if (p.reference_quantity >= Quantity::dlog_k_dx &&
      (!methods.empty() || p.method.method != Method::quadrature)) {
    in.error("quantity", "the papers' methods give no derivatives to compare");
  }
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const auto method = parse_enum<Method>(method_names(), methods[i]);
    check_gsl(in, "methods", method);
    const int usual = default_bins(method);
    p.also.push_back({method, i < bins.size() && usual > 0 ? bins[i] : usual});
  }
  if (p.reference != Reference::file || source.file.empty() || p.x.empty()) return;
  p.reference_values = config::load_column(in, source);
  if (!p.reference_values.empty() && p.reference_values.size() != p.x.size()) {
    in.error("file", source.file + ": the reference has " +
                         std::to_string(p.reference_values.size()) + " values for " +
                         std::to_string(p.x.size()) + " points");
  }
}

}  // namespace

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names{"quadrature", "paper", "takekawa", "gsl"};
  return names;
}

void require_orders(const Parameters& p) {
  const auto is_compared = [](const MethodChoice& choice) {
    return choice.method != Method::quadrature;
  };
  const bool has_compared =
      is_compared(p.method) || std::any_of(p.also.begin(), p.also.end(), is_compared);
  if (!has_compared && !p.single_precision && p.reference != Reference::extended) return;
  const auto above =
      std::find_if(p.nu.begin(), p.nu.end(), [](double nu) { return nu > kMaxComparedOrder; });
  if (above == p.nu.end()) return;
  const std::string who = p.single_precision ? "single precision"
                          : has_compared     ? "a method to compare with"
                                             : "the extended reference";
  throw Error(ErrorKind::input,
              "problem.nu has the order " + config::yaml_text(*above) + ", and " + who +
                  " takes orders up to 200",
              "give smaller orders, or take 'method: quadrature' in double precision alone");
}

const std::vector<std::string>& quantity_names() {
  static const std::vector<std::string> names{"k", "k_scaled", "log_k", "dlog_k_dx", "dlog_k_dnu"};
  return names;
}

std::string to_string(Method method) { return method_names()[static_cast<std::size_t>(method)]; }
std::string to_string(Quantity quantity) {
  return quantity_names()[static_cast<std::size_t>(quantity)];
}
std::string to_string(const MethodChoice& choice) {
  return to_string(choice.method) +
         (default_bins(choice.method) == 0 ? "" : "_" + std::to_string(choice.bins));
}

Parameters Parameters::read(config::Section& root) {
  Parameters p;
  config::Section in = root.section("problem", "what is evaluated, and where");
  config::choose(
      in, "task", p.task,
      {{"bessel_k", Task::bessel_k}, {"matern", Task::matern}, {"upper_bound", Task::upper_bound}})
      .doc(
          "the Bessel function K_nu(x); a Matern covariance with its derivatives; or the smallest "
          "upper bound of the integral with which the method paper keeps a tolerance at the "
          "points");
  if (p.task == Task::matern) {
    read_matern(in, p);
  } else if (p.task == Task::upper_bound) {
    read_upper_bound(in, p);
  } else {
    read_bessel_k(in, p);
  }
  if (p.task != Task::upper_bound) {
    in.get("repeat", p.repeat)
        .range(1, 1e6)
        .doc("evaluate everything that often, to measure speed");
  }
  if (root.documenting() || p.task == Task::bessel_k) read_reference(root, p);
  if (p.task == Task::bessel_k) read_bounds(in, p);
  if (in.documenting() && p.task != Task::matern) document_other_tasks(in);
  in.finish();
  return p;
}

}  // namespace tessera::bessel
