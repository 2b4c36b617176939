// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/core/device/on_backend.hpp"
#include "tessera/core/error.hpp"
#include "tessera/gp/latent/latent.hpp"

namespace tessera::gp {

namespace {

/// Counts Vecchia's rows with those of the children and of two factors for each parameter, and the
/// vectors of conjugate gradients.
double needed_bytes(const CovarianceModel& model, double points, const LatentOptions& options) {
  const double numbers = points * options.vecchia.neighbours;
  return 8 * numbers * (4 + 2 * model.parameters()) + 8 * points * (10 * 32 + 32);
}

}  // namespace

std::unique_ptr<LatentSolver> make_latent_solver(Backend backend, const CovarianceModel& model,
                                                 const Points& points, const LatentOptions& options,
                                                 const parallel::Communicator& ranks) {
  const double bytes = needed_bytes(model, static_cast<double>(points.size()), options),
               there = static_cast<double>(available_memory(backend));
  if (bytes > there) {
    throw Error(ErrorKind::resource,
                std::to_string(points.size()) + " observations with " +
                    std::to_string(options.vecchia.neighbours) + " neighbours each need " +
                    std::to_string(static_cast<std::int64_t>(bytes / 1e6)) + " MB on the device (" +
                    to_string(backend) + "), and " +
                    std::to_string(static_cast<std::int64_t>(there / 1e6)) + " MB are free",
                "take fewer method.vecchia.neighbours, or a subset with data.sample");
  }
  return on_backend(backend, [&](auto space) {
    return detail::make_latent<typename decltype(space)::type>(model, points, options, ranks);
  });
}

}  // namespace tessera::gp
