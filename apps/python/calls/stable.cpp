// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/calls/stable.hpp"

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

#include "apps/python/calls/parts.hpp"
#include "apps/python/calls/session.hpp"
#include "tessera/core/app/pace.hpp"
#include "tessera/core/device/on_backend.hpp"
#include "tessera/core/seed.hpp"
#include "tessera/stable/instances.hpp"
#include "tessera/stable/law/quantile_function.hpp"
#include "tessera/stable/program/tasks/blocks.hpp"
#include "tessera/stable/program/tasks/fit_report.hpp"

namespace tessera::python {

namespace {

using stable::LocationScale;

LocationScale where(const StableLaw& law) {
  return {law.sigma, law.mu, static_cast<stable::Parameterization>(law.parameterization)};
}

void require(const StableLaw& law) {
  stable::require_parameters(law.alpha, law.beta, law.sigma);
  if (!std::isfinite(law.mu)) throw Error(ErrorKind::input, "stable: the location is not finite");
}

bool same(const StableLaw& a, const StableLaw& b) {
  return a.alpha == b.alpha && a.beta == b.beta && a.sigma == b.sigma && a.mu == b.mu &&
         a.parameterization == b.parameterization;
}

/// The tables of the last distribution.
template <class ExecSpace>
struct Tables {
  StableLaw law;
  std::unique_ptr<stable::Table<ExecSpace>> values;
  std::unique_ptr<stable::QuantileTable<ExecSpace>> quantiles;
};

template <class ExecSpace>
Tables<ExecSpace>& tables(const ExecSpace& exec, const StableLaw& law) {
  static Tables<ExecSpace> kept;
  static const bool registered = (at_finish([] { kept = {}; }), true);
  static_cast<void>(registered);
  if (!kept.values || !same(kept.law, law)) {
    kept = {};
    kept.values = std::make_unique<stable::Table<ExecSpace>>(exec, law.alpha, law.beta, where(law));
    kept.law = law;
  }
  return kept;
}

/// Returns the table of a distribution; null where direct evaluation serves better.
template <class ExecSpace>
const stable::Table<ExecSpace>* useful_table(const ExecSpace& exec, const StableLaw& law,
                                             std::size_t n) {
  if (n < stable::kFewestTablePoints) return nullptr;
  const stable::Table<ExecSpace>* table = tables(exec, law).values.get();
  return table->error() <= stable::kLargestTableError ? table : nullptr;
}

template <class ExecSpace>
using Input = Kokkos::View<const double*, ExecSpace>;
template <class ExecSpace>
using Output = Kokkos::View<double*, ExecSpace>;

/// Returns the Views in which a direct evaluation puts its results. Evaluations of tessera-stable
/// have densities and tails, and a density alone is evaluated along another contour, to other bits:
/// it gets `tail`, of as many elements.
template <class ExecSpace>
stable::EvaluationViews<ExecSpace> results(StableQuantity quantity, const Output<ExecSpace>& out,
                                           const Output<ExecSpace>& tail) {
  stable::EvaluationViews<ExecSpace> views;
  views.sf = tail;
  Output<ExecSpace>* const all[] = {&views.pdf, &views.log_pdf, &views.cdf,
                                    &views.sf,  &views.log_cdf, &views.log_sf};
  *all[static_cast<int>(quantity)] = out;
  return views;
}

/// Returns the number of elements of that `tail`.
std::size_t size_of_tail(StableQuantity quantity, std::size_t most) {
  const bool is_density = quantity == StableQuantity::pdf || quantity == StableQuantity::log_pdf;
  return is_density ? most : 0;
}

template <class ExecSpace>
Output<ExecSpace> first(const Room<ExecSpace, double>& all, std::size_t count) {
  return Output<ExecSpace>(all.data(), std::min(all.size(), count));
}

/// The memory in which a direct evaluation of `most` points at a time orders them on a GPU: that of
/// small calls is kept for the next one.
template <class ExecSpace>
class Scratch {
 public:
  explicit Scratch(std::size_t most)
      : m_small(most <= SmallPiece<ExecSpace>::kMost / sizeof(double)) {}
  stable::EvaluationScratch<ExecSpace>& operator*() { return m_small ? kept() : m_own; }

 private:
  static stable::EvaluationScratch<ExecSpace>& kept() {
    static stable::EvaluationScratch<ExecSpace> kept;
    static const bool registered = (at_finish([] { kept = {}; }), true);
    static_cast<void>(registered);
    return kept;
  }

  bool m_small;
  stable::EvaluationScratch<ExecSpace> m_own;
};

template <class ExecSpace>
void look_up(const ExecSpace& exec, const stable::Table<ExecSpace>& table, StableQuantity quantity,
             const Input<ExecSpace>& x, const Output<ExecSpace>& out) {
  switch (quantity) {
    case StableQuantity::pdf:
      return table.pdf(exec, x, out);
    case StableQuantity::log_pdf:
      return table.log_pdf(exec, x, out);
    case StableQuantity::cdf:
      return table.cdf(exec, x, out);
    case StableQuantity::sf:
      return table.sf(exec, x, out);
    case StableQuantity::log_cdf:
      return table.log_cdf(exec, x, out);
    case StableQuantity::log_sf:
      return table.log_sf(exec, x, out);
  }
}

template <class ExecSpace>
std::size_t part(std::size_t n, std::size_t on_cpu) {
  return std::min(n, compat::is_gpu_v<ExecSpace> ? std::size_t{1} << 24 : on_cpu);
}

}  // namespace

void evaluate_stable(Backend backend, StableQuantity quantity, const StableLaw& law,
                     const In<double>& x, const Out<double>& out, std::size_t n,
                     const Between& between) {
  require(law);
  on_backend(backend, [&](auto space) {
    using ExecSpace = typename decltype(space)::type;
    const ExecSpace exec;
    const stable::Table<ExecSpace>* const table = useful_table(exec, law, n);
    // Points that an incomplete table leaves out are evaluated directly.
    const bool quick = table != nullptr && table->is_complete();
    const std::size_t most =
        part<ExecSpace>(n, quick ? stable::kTableBlock : stable::kContourBlock);
    const Part<ExecSpace, double> points(exec, x, most), values(exec, out, most);
    const Room<ExecSpace, double> tail(exec, table == nullptr ? size_of_tail(quantity, most) : 0);
    Scratch<ExecSpace> scratch(most);
    in_parts(n, most, between, [&](std::size_t begin, std::size_t count) {
      const Input<ExecSpace> at(points.read(exec, begin, count), count);
      const Output<ExecSpace> to(values.room(begin), count);
      if (table != nullptr) {
        look_up(exec, *table, quantity, at, to);
      } else {
        stable::evaluate_batch<ExecSpace>(
            exec, law.alpha, law.beta, where(law), at,
            results<ExecSpace>(quantity, to, first<ExecSpace>(tail, count)), *scratch);
      }
      values.write(exec, begin, count);
    });
  });
}

void evaluate_stable(Backend backend, StableQuantity quantity, const StableLaw& law,
                     const In<double>& alpha, const In<double>& beta, const In<double>& x,
                     const Out<double>& out, std::size_t n, const Between& between) {
  stable::require_parameters(1, 0, law.sigma);
  on_backend(backend, [&](auto space) {
    using ExecSpace = typename decltype(space)::type;
    const ExecSpace exec;
    const std::size_t most = part<ExecSpace>(n, stable::kContourBlock);
    const Part<ExecSpace, double> alphas(exec, alpha, most), betas(exec, beta, most),
        points(exec, x, most), values(exec, out, most);
    const Room<ExecSpace, double> tail(exec, size_of_tail(quantity, most));
    Scratch<ExecSpace> scratch(most);
    in_parts(n, most, between, [&](std::size_t begin, std::size_t count) {
      stable::evaluate_batch<ExecSpace>(
          exec, Input<ExecSpace>(alphas.read(exec, begin, count), count),
          Input<ExecSpace>(betas.read(exec, begin, count), count), where(law),
          Input<ExecSpace>(points.read(exec, begin, count), count),
          results<ExecSpace>(quantity, Output<ExecSpace>(values.room(begin), count),
                             first<ExecSpace>(tail, count)),
          *scratch);
      values.write(exec, begin, count);
    });
  });
}

namespace {

template <class ExecSpace>
void differentiate_part(const ExecSpace& exec, StableDifferentiated what,
                        const LocationScale& where, const Input<ExecSpace>& alpha,
                        const Input<ExecSpace>& beta, const Input<ExecSpace>& x,
                        const Output<ExecSpace> (&out)[4],
                        stable::EvaluationScratch<ExecSpace>& scratch) {
  stable::EvaluationViews<ExecSpace> views;
  const bool density = what == StableDifferentiated::log_pdf;
  (density ? views.log_pdf : views.cdf) = out[0];
  (density ? views.d_x : views.pdf) = out[1];
  (density ? views.d_alpha : views.sf_alpha) = out[2];
  (density ? views.d_beta : views.sf_beta) = out[3];
  stable::evaluate_batch<ExecSpace>(exec, alpha, beta, where, x, views, scratch);
}

}  // namespace

void differentiate_stable(Backend backend, StableDifferentiated what, const StableLaw& law,
                          const In<double>& alpha, const In<double>& beta, const In<double>& x,
                          const StableDerivatives& out, std::size_t n, const Between& between) {
  stable::require_parameters(1, 0, law.sigma);
  on_backend(backend, [&](auto space) {
    using ExecSpace = typename decltype(space)::type;
    const ExecSpace exec;
    const std::size_t most = part<ExecSpace>(n, stable::kContourBlock);
    const Part<ExecSpace, double> alphas(exec, alpha, most), betas(exec, beta, most),
        points(exec, x, most), value(exec, out.value, most), d_x(exec, out.d_x, most),
        d_alpha(exec, out.d_alpha, most), d_beta(exec, out.d_beta, most);
    const Part<ExecSpace, double>* const results[4] = {&value, &d_x, &d_alpha, &d_beta};
    Scratch<ExecSpace> scratch(most);
    in_parts(n, most, between, [&](std::size_t begin, std::size_t count) {
      const auto to = [&](int k) { return Output<ExecSpace>(results[k]->room(begin), count); };
      differentiate_part<ExecSpace>(exec, what, where(law),
                                    Input<ExecSpace>(alphas.read(exec, begin, count), count),
                                    Input<ExecSpace>(betas.read(exec, begin, count), count),
                                    Input<ExecSpace>(points.read(exec, begin, count), count),
                                    {to(0), to(1), to(2), to(3)}, *scratch);
      for (const auto* result : results) result->write(exec, begin, count);
    });
  });
}

void find_stable_quantiles_on_device(Backend backend, const StableLaw& law, const In<double>& p,
                                     const Out<double>& x, std::size_t n, const Between& between) {
  require(law);
  on_backend(backend, [&](auto space) {
    using ExecSpace = typename decltype(space)::type;
    const ExecSpace exec;
    const bool by_table =
        law.alpha >= stable::kLeastQuantileAlpha && useful_table(exec, law, n) != nullptr;
    Tables<ExecSpace>* const kept = by_table ? &tables(exec, law) : nullptr;
    if (by_table && !kept->quantiles)
      kept->quantiles = std::make_unique<stable::QuantileTable<ExecSpace>>(exec, *kept->values);
    const std::size_t most = part<ExecSpace>(n, stable::kTableBlock);
    const Part<ExecSpace, double> probabilities(exec, p, most), values(exec, x, most);
    in_parts(n, most, between, [&](std::size_t begin, std::size_t count) {
      const Input<ExecSpace> at(probabilities.read(exec, begin, count), count);
      const Output<ExecSpace> to(values.room(begin), count);
      if (by_table) (*kept->quantiles)(exec, at, to);
      stable::quantile_batch<ExecSpace>(exec, law.alpha, law.beta, where(law), at, to, by_table);
      values.write(exec, begin, count);
    });
  });
}

void find_stable_quantiles_on_device(Backend backend, const StableLaw& law, const In<double>& alpha,
                                     const In<double>& beta, const In<double>& p,
                                     const Out<double>& x, std::size_t n, const Between& between) {
  on_backend(backend, [&](auto space) {
    using ExecSpace = typename decltype(space)::type;
    const ExecSpace exec;
    const std::size_t most = part<ExecSpace>(n, stable::kContourBlock);
    const Part<ExecSpace, double> alphas(exec, alpha, most), betas(exec, beta, most),
        probabilities(exec, p, most), values(exec, x, most);
    in_parts(n, most, between, [&](std::size_t begin, std::size_t count) {
      stable::quantile_batch<ExecSpace>(
          exec, Input<ExecSpace>(alphas.read(exec, begin, count), count),
          Input<ExecSpace>(betas.read(exec, begin, count), count), where(law),
          Input<ExecSpace>(probabilities.read(exec, begin, count), count),
          Output<ExecSpace>(values.room(begin), count));
      values.write(exec, begin, count);
    });
  });
}

void find_stable_quantiles(Backend backend, const StableLaw& law, const double* p, double* x,
                           std::size_t n, const Between& between) {
  require(law);
  std::fill_n(x, n, std::numeric_limits<double>::quiet_NaN());
  on_backend(backend, [&](auto space) {
    using ExecSpace = typename decltype(space)::type;
    const ExecSpace exec;
    if (law.alpha < stable::kLeastQuantileAlpha || useful_table(exec, law, n) == nullptr) return;
    Tables<ExecSpace>& kept = tables(exec, law);
    if (!kept.quantiles)
      kept.quantiles = std::make_unique<stable::QuantileTable<ExecSpace>>(exec, *kept.values);
    const std::size_t most = part<ExecSpace>(n, stable::kTableBlock);
    const Part<ExecSpace, double> probabilities(exec, In<double>{p}, most),
        values(exec, Out<double>{x}, most);
    in_parts(n, most, between, [&](std::size_t begin, std::size_t count) {
      (*kept.quantiles)(exec, Input<ExecSpace>(probabilities.read(exec, begin, count), count),
                        Output<ExecSpace>(values.room(begin), count));
      values.write(exec, begin, count);
    });
  });
  constexpr std::size_t kBetweenLooks = 256;
  const stable::StableDistribution distribution(law.alpha, law.beta);
  const LocationScale resolved = stable::resolve_mode(distribution, where(law));
  for (std::size_t i = 0; i < n; ++i) {
    if (i % kBetweenLooks == kBetweenLooks - 1) between(i, n);
    if (std::isnan(x[i])) x[i] = stable::quantile(distribution, resolved, p[i]);
  }
}

namespace {

/// Calls work(distribution, location and scale, i) for every element whose alpha and beta are in
/// range; other elements stay NaN.
template <class Work>
void for_each_law(const StableLaw& law, const In<double>& alpha, const In<double>& beta,
                  double* out, std::size_t n, std::size_t most, const Between& between,
                  const Work& work) {
  stable::require_parameters(1, 0, law.sigma);
  if (!std::isfinite(law.mu)) throw Error(ErrorKind::input, "stable: the location is not finite");
  std::fill_n(out, n, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < n; ++i) {
    if (i % most == most - 1) between(i, n);
    const double a = alpha.data[alpha.one ? 0 : i], b = beta.data[beta.one ? 0 : i];
    if (!(a >= stable::kMinAlpha && a <= stable::kMaxAlpha && b >= -1 && b <= 1)) continue;
    const stable::StableDistribution distribution(a, b);
    out[i] = work(distribution, stable::resolve_mode(distribution, where(law)), i);
  }
}

}  // namespace

void find_stable_quantiles(const StableLaw& law, const In<double>& alpha, const In<double>& beta,
                           const In<double>& p, double* x, std::size_t n, const Between& between) {
  constexpr std::size_t kBetweenLooks = 256;
  for_each_law(law, alpha, beta, x, n, kBetweenLooks, between,
               [&](const stable::StableDistribution& distribution, const LocationScale& resolved,
                   std::size_t i) {
                 return stable::quantile(distribution, resolved, p.data[p.one ? 0 : i]);
               });
}

void sample_stable(const StableLaw& law, const In<double>& alpha, const In<double>& beta,
                   std::uint64_t seed, double* out, std::size_t n, const Between& between) {
  constexpr std::size_t kBetweenLooks = std::size_t{1} << 16;
  const Philox random = seeded_philox(seed, 0);
  for_each_law(law, alpha, beta, out, n, kBetweenLooks, between,
               [&](const stable::StableDistribution& distribution, const LocationScale& resolved,
                   std::size_t i) {
                 const Philox::Bits bits = random.bits(i, 0);
                 const double standard = stable::sample(distribution, Philox::uniform(bits, 0),
                                                        Philox::uniform(bits, 1));
                 return resolved.from_standard(distribution, standard);
               });
}

void sample_stable(Backend backend, const StableLaw& law, std::uint64_t seed,
                   const Out<double>& out, std::size_t n, const Between& between) {
  require(law);
  const Philox random = seeded_philox(seed, 0);  // as tessera-stable
  on_backend(backend, [&](auto space) {
    using ExecSpace = typename decltype(space)::type;
    const ExecSpace exec;
    const std::size_t most = part<ExecSpace>(n, stable::kSampleBlock);
    const Part<ExecSpace, double> values(exec, out, most);
    in_parts(n, most, between, [&](std::size_t begin, std::size_t count) {
      stable::sample_batch<ExecSpace>(exec, law.alpha, law.beta, where(law), random, begin, 0,
                                      Output<ExecSpace>(values.room(begin), count));
      values.write(exec, begin, count);
    });
  });
}

void sample_stable(Backend backend, const In<double>& alpha, const In<double>& beta,
                   const In<double>& u1, const In<double>& u2, const Out<double>& out,
                   std::size_t n, const Between& between) {
  on_backend(backend, [&](auto space) {
    using ExecSpace = typename decltype(space)::type;
    const ExecSpace exec;
    const std::size_t most = part<ExecSpace>(n, stable::kSampleBlock);
    const Part<ExecSpace, double> alphas(exec, alpha, most), betas(exec, beta, most),
        first(exec, u1, most), second(exec, u2, most), values(exec, out, most);
    in_parts(n, most, between, [&](std::size_t begin, std::size_t count) {
      const auto in = [&](const Part<ExecSpace, double>& of) {
        return Input<ExecSpace>(of.read(exec, begin, count), count);
      };
      stable::sample_batch<ExecSpace>(exec, in(alphas), in(betas), in(first), in(second),
                                      Output<ExecSpace>(values.room(begin), count));
      values.write(exec, begin, count);
    });
  });
}

namespace {

/// Fits samples of `size` values each in batches of a fraction of a second, to the bits of all at
/// once.
template <class ExecSpace>
std::vector<stable::FitResult> fit_in_batches(stable::Fitter<ExecSpace>& fitter,
                                              const Input<ExecSpace>& values,
                                              const Input<ExecSpace>& weights, std::size_t samples,
                                              std::size_t size, stable::FitTask task,
                                              stable::FitOptions how, const Between& between) {
  constexpr std::int64_t kFew = 64;
  how.together = static_cast<std::int64_t>(samples);
  task.count = static_cast<std::int32_t>(size);
  std::vector<stable::FitResult> found;
  Pace pace;
  while (found.size() < samples) {
    const auto start = std::chrono::steady_clock::now();
    const auto count = static_cast<std::size_t>(
        pace.next(static_cast<std::int64_t>(samples - found.size()), kFew));
    std::vector<stable::FitTask> tasks(count, task);
    for (std::size_t i = 0; i < count; ++i) tasks[i].begin = static_cast<std::int64_t>(i * size);
    const auto rows = [&](const Input<ExecSpace>& all) {
      return all.extent(0) == 0 ? all
                                : Input<ExecSpace>(all.data() + found.size() * size, count * size);
    };
    const auto batch = fitter(rows(values), rows(weights), tasks, how);
    found.insert(found.end(), batch.begin(), batch.end());
    pace.took(static_cast<std::int64_t>(count),
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (count < samples) between(found.size(), samples);
  }
  return found;
}

}  // namespace

std::vector<StableFit> fit_stable(Backend backend, const In<double>& data, const double* weights,
                                  std::size_t samples, std::size_t size,
                                  const StableFitOptions& options, const Between& between) {
  if (size > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw Error(ErrorKind::input, "stable: a sample of " + std::to_string(size) + " values",
                "fit at most 2^31 - 1 at a time");
  }
  stable::FitTask task;
  task.fixed = options.fixed;
  std::copy_n(options.fixed_value, 4, task.fixed_value);
  stable::FitOptions how;
  how.method =
      options.mcculloch ? stable::FitMethod::mcculloch : stable::FitMethod::maximum_likelihood;
  how.tolerance = options.tolerance;
  how.standard_errors = options.standard_errors;
  how.goodness = options.goodness;
  const std::size_t n = samples * size;
  const auto found = on_backend(backend, [&](auto space) {
    using ExecSpace = typename decltype(space)::type;
    const ExecSpace exec;
    const Part<ExecSpace, double> values(exec, data, std::max<std::size_t>(n, 2));
    const Part<ExecSpace, double> given(exec, In<double>{weights}, std::max<std::size_t>(n, 2));
    stable::Fitter<ExecSpace> fitter(exec);
    const Input<ExecSpace> weight =
        weights == nullptr ? Input<ExecSpace>() : Input<ExecSpace>(given.read(exec, 0, n), n);
    return fit_in_batches<ExecSpace>(fitter, Input<ExecSpace>(values.read(exec, 0, n), n), weight,
                                     samples, size, task, how, between);
  });
  std::vector<StableFit> fits;
  for (const stable::FitResult& fit : found) {
    fits.push_back({{fit.alpha, fit.beta, fit.sigma, fit.mu},
                    {fit.standard_error[0], fit.standard_error[1], fit.standard_error[2],
                     fit.standard_error[3]},
                    fit.log_likelihood,
                    fit.gradient_norm,
                    fit.kolmogorov_smirnov,
                    fit.anderson_darling,
                    fit.iterations,
                    static_cast<int>(fit.status),
                    stable::describe(fit.status)});
  }
  return fits;
}

double convert_stable_location(const StableLaw& law, int parameterization) {
  require(law);
  const stable::StableDistribution distribution(law.alpha, law.beta);
  const double in_s0 =
      stable::resolve_mode(distribution, where(law)).from_standard(distribution, 0);
  const LocationScale target{law.sigma, 0, static_cast<stable::Parameterization>(parameterization)};
  return in_s0 - target.from_standard(distribution, 0);
}

}  // namespace tessera::python
