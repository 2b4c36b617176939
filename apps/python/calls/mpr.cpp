// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/calls/mpr.hpp"

#include "apps/python/calls/parts.hpp"
#include "tessera/core/app/signals.hpp"
#include "tessera/core/config/document.hpp"
#include "tessera/core/config/scalar.hpp"
#include "tessera/core/device/on_backend.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/mpr/data/gridded_field.hpp"
#include "tessera/mpr/data/parameters.hpp"
#include "tessera/mpr/data/source.hpp"
#include "tessera/mpr/instances.hpp"
#include "tessera/mpr/program/run_support.hpp"

namespace tessera::python {

namespace {

mpr::Parameters read_options(const std::string& options, const ImageShape& shape) {
  std::optional<io::RasterPlace> place;
  if (shape.place) place = io::RasterPlace{shape.place->first, shape.place->second};
  const mpr::Source source = mpr::describe_array("z", shape.extents, place, shape.coordinates);
  config::Document document = config::Document::parse(options, "input");
  config::Section root = document.root();
  mpr::Parameters parameters = mpr::Parameters::read_of_array(root, source, shape.third_axis);
  if (document.has_errors()) throw config::UnreadableInput(document.report());
  return parameters;
}

void check_quantile(double p) {
  if (p >= 1e-6 && p <= 1 - 1e-6) return;
  throw Error(ErrorKind::input,
              "a quantile of " + config::yaml_text(p) + ", but must be between 1e-06 and 0.999999",
              "give the part of the values below it: 0.95 for 95 %");
}

/// A result on its way to where it is wanted.
template <class ExecSpace, class T, class Make>
void bring(const ExecSpace& exec, const Out<T>& out, std::size_t n, const Make& make) {
  if (out.data == nullptr) return;
  const Part<ExecSpace, T> result(exec, out, n);
  make(Kokkos::View<T*, ExecSpace>(result.room(0), n));
  result.write(exec, 0, n);
}

template <class ExecSpace, class Real, class T>
void fill_on(const ExecSpace& exec, const mpr::Parameters& parameters, const RunSettings& settings,
             const In<T>& values, const SiteMask& missing, const SiteMask& inactive,
             const FillResults<T>& results, const Between& between) {
  using Fill = mpr::ArrayFill<ExecSpace, Real, T>;
  const mpr::Field& field = *parameters.input.field;
  mpr::FillOptions options = parameters.fill;
  options.seed = settings.seed;
  options.variance =
      options.paper || results.deviation.data != nullptr || !results.quantiles.empty();
  if (!options.simulates()) options.calibrate = mpr::Calibrate::none;
  mpr::detail::check_memory(Fill::memory(field.grid, field.frames, options), settings);
  const auto n = static_cast<std::size_t>(field.sites());
  const Part<ExecSpace, T> numbers(exec, values, n);
  const Kokkos::View<const T*, ExecSpace> given(numbers.read(exec, 0, n), n);
  Fill fill(exec, field.grid, field.frames, options);
  {
    using Bytes = Kokkos::View<const std::uint8_t*, ExecSpace>;
    const Part<ExecSpace, std::uint8_t> gaps(exec, In<std::uint8_t>{missing.data}, missing.size);
    const Part<ExecSpace, std::uint8_t> rest(exec, In<std::uint8_t>{inactive.data}, inactive.size);
    fill.prepare(given, Bytes(gaps.read(exec, 0, missing.size), missing.size),
                 Bytes(rest.read(exec, 0, inactive.size), inactive.size));
  }
  mpr::detail::warn_of(fill.model().frames());
  const auto sweeps = [&] {
    return static_cast<std::size_t>(fill.model().burn_in_sweeps() + fill.model().sampling_sweeps());
  };
  const auto done = [&] {
    return static_cast<std::size_t>(fill.model().burn_in_sweeps() + fill.model().sampling_done());
  };
  while (fill.advance()) {
    stop_at_signal();
    between(done(), sweeps());
  }
  fill.conclude();
  bring(exec, results.filled, n, [&](const auto& out) { fill.filled(given, out); });
  bring(exec, results.mean, n, [&](const auto& out) { fill.mean(given, out); });
  bring(exec, results.deviation, n, [&](const auto& out) { fill.deviation(out); });
  for (const auto& [p, where] : results.quantiles) {
    bring(exec, where, n, [&, p = p](const auto& out) { fill.quantile(p, given, out); });
  }
}

}  // namespace

template <class T>
void fill_array(Backend backend, const ImageShape& shape, const std::string& options,
                std::uint64_t seed, const In<T>& values, const SiteMask& missing,
                const SiteMask& inactive, const FillResults<T>& results, const Between& between) {
  logging::set_level(logging::Level::quiet);
  for (const auto& [p, where] : results.quantiles) check_quantile(p);
  const mpr::Parameters parameters = read_options(options, shape);
  RunSettings settings;
  settings.backend = backend;
  settings.seed = seed;
  on_backend(backend, [&](auto space) {
    using ExecSpace = typename decltype(space)::type;
    const ExecSpace exec;
    parameters.single ? fill_on<ExecSpace, float, T>(exec, parameters, settings, values, missing,
                                                     inactive, results, between)
                      : fill_on<ExecSpace, double, T>(exec, parameters, settings, values, missing,
                                                      inactive, results, between);
  });
}
template void fill_array(Backend, const ImageShape&, const std::string&, std::uint64_t,
                         const In<double>&, const SiteMask&, const SiteMask&,
                         const FillResults<double>&, const Between&);
template void fill_array(Backend, const ImageShape&, const std::string&, std::uint64_t,
                         const In<float>&, const SiteMask&, const SiteMask&,
                         const FillResults<float>&, const Between&);

}  // namespace tessera::python
