// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "tessera/gp/likelihood/generation.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>

#include "tessera/core/device/on_backend.hpp"

namespace tessera::gp {

std::unique_ptr<Generation> make_generation(Backend backend, const CovarianceModel& model,
                                            const Points& points, std::uint64_t memory_limit,
                                            const parallel::Communicator& ranks) {
  std::uint64_t memory = available_memory(backend);
  if (memory_limit > 0) memory = std::min(memory, memory_limit);
  memory = static_cast<std::uint64_t>(ranks.min(static_cast<std::int64_t>(memory)));
  return on_backend(backend, [&](auto space) {
    return detail::make_generation_on<typename decltype(space)::type>(model, points, memory, ranks);
  });
}

}  // namespace tessera::gp
