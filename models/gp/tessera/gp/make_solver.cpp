// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "tessera/core/device/on_backend.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/linalg/dense.hpp"
#include "tessera/core/linalg/shared_factor.hpp"
#include "tessera/core/log/log.hpp"
#include "tessera/gp/likelihood/compiled_solvers.hpp"
#include "tessera/gp/likelihood/repeated_places.hpp"
#include "tessera/gp/likelihood/solver.hpp"
#include "tessera/gp/points/local_variance.hpp"
#include "tessera/gp/vecchia/block_prediction.hpp"

namespace tessera::gp {

namespace {

std::string bytes_text(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, bytes < 1e9 ? "%.4g MB" : "%.4g GB",
                bytes < 1e9 ? bytes / 1e6 : bytes / 1e9);
  return text;
}

/// Counts everything that the solver takes on the device, with the factorisation's workspace.
double need(Backend backend, std::int64_t n, int ranks, bool with_gradients) {
  double bytes = static_cast<double>(exact_solver_bytes(n, ranks, with_gradients));
#ifdef TESSERA_HAVE_CUDA
  if (ranks == 1 && backend == Backend::cuda)
    bytes += static_cast<double>(linalg::Dense<Kokkos::Cuda>::workspace_bytes(Kokkos::Cuda(), n));
#endif
  static_cast<void>(backend);
  return bytes;
}

void check_memory(Backend backend, std::int64_t n, std::uint64_t memory_limit, int ranks,
                  bool with_gradients) {
  const double there = static_cast<double>(available_memory(backend)) * 0.98,
               limit = static_cast<double>(memory_limit);
  const bool limited = memory_limit > 0 && limit < there;
  const double available = limited ? limit : there;
  const double bytes = need(backend, n, ranks, with_gradients);
  if (bytes <= available) return;
  std::int64_t low = 0, high = n;  // low fits, high does not
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (need(backend, middle, ranks, with_gradients) <= available ? low : high) = middle;
  }
  throw Error(ErrorKind::resource,
              std::to_string(n) + " points need " + bytes_text(bytes) +
                  (ranks > 1 ? " on each device (" : " on the device (") + to_string(backend) +
                  "), and " + bytes_text(available) + " are " +
                  (limited ? "allowed by run.memory_limit" : "free") +
                  "; the largest number of points that fits is " + std::to_string(low),
              std::string("use method: vecchia, take a subset with data.sample, ") +
                  (with_gradients && ranks > 1
                       ? "fit without gradients (fit.method: bobyqa and standard_errors: none), "
                       : "") +
                  (limited ? "raise run.memory_limit, " : "") + "or use a device with more memory");
}

/// Repeated observations of one of several variables stay apart.
void warn_of_repeats(std::size_t observations, const Places& places) {
  logging::warning(std::to_string(observations) + " observations of several variables lie at " +
                   std::to_string(places.first.size()) + " places, up to " +
                   std::to_string(places.largest()) +
                   " of one variable at one, and stay apart, so that the nearest data that "
                   "Vecchia's approximation takes are those of fewer places: take more "
                   "method.vecchia.neighbours and method.vecchia.prediction_neighbours, or average "
                   "them in the file");
}

/// Returns whether observations at one place have errors, or covariates of the covariance, of their
/// own.
bool differ_at_places(const CovarianceModel& model, const Points& points, const Places& places) {
  if (!model.local.nugget.empty()) return true;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!have_equal_covariates(points, i, places.first[places.of[i]])) return true;
  }
  return false;
}

/// Observations at one place stay apart where the covariance tells them apart.
void warn_of_different(std::size_t observations, const Places& places) {
  logging::warning(std::to_string(observations) + " observations lie at " +
                   std::to_string(places.first.size()) + " places, up to " +
                   std::to_string(places.largest()) +
                   " at one, and stay apart, for the nugget depends on covariates, or those of one "
                   "place differ. So the nearest data that Vecchia's approximation takes are those "
                   "of fewer places: take more method.vecchia.neighbours and "
                   "method.vecchia.prediction_neighbours, or use method: exact");
}

/// Names the other work that the memory counts.
std::string besides_likelihoods(const VecchiaOptions& options) {
  if (options.simulated > 0) return ", simulations included,";
  return options.draws > 0 ? ", draws included," : "";
}

}  // namespace

std::uint64_t exact_solver_bytes(std::int64_t n, int ranks, bool with_gradients) {
  if (ranks > 1) {  // the widest panels, and eight columns of data and trend in three copies
    return linalg::SharedFactor<Kokkos::DefaultExecutionSpace>::bytes(n, ranks, with_gradients) +
           static_cast<std::uint64_t>(n) * 8 * 24;
  }
  constexpr std::uint64_t kColumns = 1024 + 16;  // of predictions, data and trend
  const std::uint64_t points = static_cast<std::uint64_t>(n), tiles = points / 64 + 1;
  return 8 * points * (points + std::min(points + 16, kColumns)) + tiles * (tiles + 1) / 2 * 56;
}

namespace {

/// Returns the bytes that order and search take for a point, with its record.
std::uint64_t search_bytes(int columns) {
  return 8 * (4 + static_cast<std::uint64_t>(columns)) + 228;
}

/// Counts fields at `rows` points, drawn after `known` ones: records, the weights of neighbours
/// with those of other ranks and their lists, the levels, and as many fields at a time as
/// draw_fields makes.
std::uint64_t field_bytes(std::uint64_t known, std::uint64_t rows, std::uint64_t neighbours,
                          std::uint64_t fields, int ranks) {
  if (rows == 0 || fields == 0) return 0;
  const std::uint64_t all = ranks > 1 ? 12 * neighbours : 0, place = known + 2 * rows;
  return (known + rows) * 48 +
         rows * (8 * neighbours / static_cast<std::uint64_t>(ranks) + all + 40) +
         8 * place * std::clamp<std::uint64_t>((std::uint64_t(1) << 27) / place, 1, fields);
}

}  // namespace

/// Counts the neighbours of each point, its record, and what order and search take; then the fields
/// of a sweep.
std::uint64_t vecchia_solver_bytes(std::int64_t n, int columns, const VecchiaOptions& options,
                                   int ranks) {
  const auto points = static_cast<std::uint64_t>(n),
             neighbours = static_cast<std::uint64_t>(std::min<std::int64_t>(options.neighbours, n)),
             devices = static_cast<std::uint64_t>(ranks),
             targets = static_cast<std::uint64_t>(options.targets),
             of_target = static_cast<std::uint64_t>(
                 std::min<std::int64_t>(options.prediction_neighbours, n + options.targets));
  const std::uint64_t keys = points * (neighbours + 1);
  const std::uint64_t blocks =
      options.block > 1
          ? 8 * keys + std::min(keys, std::uint64_t(1) << 24) * 24 + (std::uint64_t(1) << 30)
          : 0;
  const std::uint64_t simulation =
                          field_bytes(0, points, neighbours,
                                      static_cast<std::uint64_t>(options.simulated), ranks),
                      prediction = targets * (4 * of_target / devices + search_bytes(columns)) +
                                   field_bytes(points, targets, of_target,
                                               static_cast<std::uint64_t>(options.draws), ranks);
  // the data once more, the neighbours of each block, and the matrices
  const std::uint64_t in_blocks =
      options.prediction_block > 1 && options.targets > 0
          ? points * 8 * (4 + static_cast<std::uint64_t>(columns)) +
                points * 4 * VecchiaOptions::kBlockNeighbours * 2 +
                detail::block_prediction_bytes(std::min<std::int64_t>(
                    std::int64_t(VecchiaOptions::kBlockNeighbours) * options.prediction_block, n))
          : 0;
  return points * (4 * neighbours / devices + search_bytes(columns)) +
         std::min<std::uint64_t>(points, 1 << 20) * 320 + (std::uint64_t(16) << 20) + blocks +
         std::max(simulation, prediction + in_blocks);
}

std::unique_ptr<GaussianSolver> make_vecchia_solver(Backend backend, const CovarianceModel& model,
                                                    const Points& points,
                                                    const VecchiaOptions& options,
                                                    std::uint64_t memory_limit,
                                                    const parallel::Communicator& ranks) {
  if (!model.is_own()) {
    const std::string key = model.gsl ? "covariance.bessel" : "covariance.bins";
    throw Error(
        ErrorKind::input,
        "Vecchia's approximation takes the Matern function from a table, not from '" + key + "'",
        "leave out " + key + ", or use method: exact");
  }
  if (options.block > 1 && model.is_high_dimensional())
    throw Error(ErrorKind::input, "blocks of points work in up to three coordinates",
                "take block 1");
  if (options.prediction_block > 1 && model.is_high_dimensional())
    throw Error(ErrorKind::input, "predictions in blocks work in up to three coordinates",
                "take prediction_block 1");
  if (options.block > 1 && model.has_variables())
    throw Error(ErrorKind::input, "blocks of points work with one variable", "take block 1");
  if (options.block > 1 && model.is_local())
    throw Error(ErrorKind::input, "blocks of points work with stationary covariances",
                "take block 1");
  if (options.block > 1 && ranks.size() > 1)
    throw Error(ErrorKind::input, "blocks of points work on one device", "take block 1");
  // of more than three coordinates: as given, of the record, and of the search in three orders
  const int further = model.is_high_dimensional() ? 5 * model.dimension : 0;
  // a place that differs: as given, as it is at theta, and of the record
  const int local = model.is_local() ? model.place_columns() : 0;
  const std::uint64_t there = available_memory(backend),
                      bytes = vecchia_solver_bytes(static_cast<std::int64_t>(points.size()),
                                                   2 + (points.error_variance.empty() ? 0 : 1) +
                                                       (model.moves_points() ? 4 : 0) + 3 * local +
                                                       further,
                                                   options, ranks.size());
  const bool limited = memory_limit > 0 && memory_limit < there;
  if (bytes > (limited ? memory_limit : there)) {
    throw Error(ErrorKind::resource,
                std::to_string(points.size()) + " points with " +
                    std::to_string(options.neighbours) + " neighbours each need " +
                    bytes_text(static_cast<double>(bytes)) + besides_likelihoods(options) +
                    " on the device (" + to_string(backend) + "), and " +
                    bytes_text(static_cast<double>(limited ? memory_limit : there)) + " are " +
                    (limited ? "allowed by run.memory_limit" : "free"),
                std::string("take fewer neighbours, a subset with data.sample, ") +
                    (limited ? "or raise run.memory_limit" : "or a device with more memory"));
  }
  const auto make = [=](const Points& some) {
    return on_backend(backend, [&](auto space) {
      return detail::make_vecchia<typename decltype(space)::type>(model, some, options, ranks);
    });
  };
  std::optional<Places> places = find_places(model, points);
  if (places && model.has_variables()) {
    warn_of_repeats(points.size(), *places);
    places.reset();
  }
  if (places && model.is_local() && differ_at_places(model, points, *places)) {
    warn_of_different(points.size(), *places);
    places.reset();
  }
  if (places) {
    return std::make_unique<RepeatedPlaces>(model, points, *places, make);
  }
  return make(points);
}

std::unique_ptr<GaussianSolver> make_exact_solver(Backend backend, const CovarianceModel& model,
                                                  const Points& points, std::uint64_t memory_limit,
                                                  const parallel::Communicator& ranks,
                                                  bool with_gradients) {
  check_memory(backend, static_cast<std::int64_t>(points.size()), memory_limit, ranks.size(),
               with_gradients);
  return on_backend(backend, [&](auto space) {
    return detail::make_exact<typename decltype(space)::type>(model, points, ranks);
  });
}

}  // namespace tessera::gp
