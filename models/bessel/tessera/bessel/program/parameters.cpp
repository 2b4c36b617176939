// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/bessel/program/parameters.hpp"

#include <algorithm>
#include <optional>

#include "tessera/bessel/bessel.hpp"
#include "tessera/bessel/matern/matern_function.hpp"
#include "tessera/core/config/choice.hpp"
#include "tessera/core/config/numbers.hpp"
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

void read_bessel_k(config::Section& in, Parameters& p) {
  const auto nu = config::read_numbers(in, "nu",
                                       {"the orders: a number (also the smoothness of task "
                                        "matern), a list of numbers, or one of these",
                                        0,
                                        kMaxOrder,
                                        {0.5, 0.5, 1}});
  const auto x =
      config::read_numbers(in, "x",
                           {"the arguments: a number, a list of numbers, or one of these",
                            0,
                            kLargest,
                            {0.001, 140, 400, true}});
  std::string how = "pairs", method = "quadrature";
  std::vector<std::string> quantities{"k_scaled", "log_k", "dlog_k_dnu"};
  in.get("combine", how)
      .one_of({"pairs", "grid"})
      .doc("one order with one argument in turn, or every order with every argument");
  if (!in.documenting()) combine(in, how, nu, x, p);
  in.get("quantities", quantities)
      .one_of(quantity_names())
      .doc("K, e^x K, log K, d log K / dx, d log K / dnu");
  for (const std::string& name : quantities) {
    const auto quantity = parse_enum<Quantity>(quantity_names(), name);
    if (std::find(p.quantities.begin(), p.quantities.end(), quantity) == p.quantities.end())
      p.quantities.push_back(quantity);
  }
  in.get("method", method)
      .one_of(method_names())
      .doc("this code's way; the refined algorithm of Geng et al.; that of Takekawa");
  p.method.method = parse_enum<Method>(method_names(), method);
  std::optional<int> bins;
  const bool has_bins = in.get("bins", bins)
                            .range(2, 100000)
                            .doc("of the methods paper and takekawa")
                            .otherwise("128 (paper) or 32 (takekawa)")
                            .given();
  p.method.bins = bins.value_or(default_bins(p.method.method));
  if (has_bins && p.method.method == Method::quadrature)
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

/// The keys of task matern, which the defaults show commented out since task bessel_k has none of
/// them.
void document_matern(config::Section& in) {
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
      .doc("their bins, in the same order; their defaults if empty");
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
    p.also.push_back(
        {method, i < bins.size() && method != Method::quadrature ? bins[i] : default_bins(method)});
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
  static const std::vector<std::string> names{"quadrature", "paper", "takekawa"};
  return names;
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
         (choice.method == Method::quadrature ? "" : "_" + std::to_string(choice.bins));
}

Parameters Parameters::read(config::Section& root) {
  Parameters p;
  config::Section in = root.section("problem", "what is evaluated, and where");
  config::choose(in, "task", p.task, {{"bessel_k", Task::bessel_k}, {"matern", Task::matern}})
      .doc("the Bessel function K_nu(x), or a Matern covariance with its derivatives");
  if (p.task == Task::matern) {
    read_matern(in, p);
  } else {
    read_bessel_k(in, p);
  }
  in.get("repeat", p.repeat).range(1, 1e6).doc("evaluate everything that often, to measure speed");
  if (in.documenting() && p.task != Task::matern) document_matern(in);
  in.finish();
  if (root.documenting() || p.task == Task::bessel_k) read_reference(root, p);
  return p;
}

}  // namespace tessera::bessel
