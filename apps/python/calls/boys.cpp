// SPDX-FileCopyrightText: 2026 The Tessera developers
// SPDX-License-Identifier: BSD-3-Clause
#include "apps/python/calls/boys.hpp"

#include <deque>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/python/calls/parts.hpp"
#include "apps/python/calls/session.hpp"
#include "tessera/boys/instances.hpp"
#include "tessera/core/device/on_backend.hpp"

namespace tessera::python {

namespace {

/// Calls launch(results, arguments) for parts of n points; the results are `rows` arrays of n
/// numbers, one after the other.
template <class Real, class ExecSpace, class Launch>
void evaluate(const ExecSpace& exec, std::size_t rows, std::initializer_list<In<Real>> inputs,
              const Out<Real>& out, std::size_t n, const Between& between, const Launch& launch) {
  using Arguments = Kokkos::View<const Real*, ExecSpace>;
  using Rows = Kokkos::View<Real**, Kokkos::LayoutStride, ExecSpace>;
  const std::size_t most = std::min(n, (std::size_t{1} << 26) / (rows + inputs.size()));
  const bool staged = Part<ExecSpace, Real>::stages(out.on_device);
  std::deque<Part<ExecSpace, Real>> parts;
  for (const In<Real>& in : inputs) parts.emplace_back(exec, in, most);
  const Room<ExecSpace, Real> room(exec, staged ? most * rows : 0);
  in_parts(n, most, between, [&](std::size_t begin, std::size_t count) {
    Real* const to = staged ? room.data() : out.data + begin;
    const std::size_t stride = staged ? most : n;
    std::vector<Arguments> arguments;
    for (const auto& part : parts) arguments.emplace_back(part.read(exec, begin, count), count);
    launch(Rows(to, Kokkos::LayoutStride(count, 1, rows, stride)), arguments);
    if (!staged) return exec.fence();
    if (count == n) return room.write(exec, out.data, 0, rows * n);
    for (std::size_t k = 0; k < rows; ++k)
      room.write(exec, out.data + k * n + begin, k * stride, count);
  });
}

}  // namespace

void require_boys_order(int n_max) { boys::detail::require_order(n_max); }

template <class Real>
void boys(Backend backend, int n_max, const In<Real>& x, const Out<Real>& F, std::size_t n,
          const Between& between) {
  if (n == 0) return;
  on_backend(backend_for(backend, n), [&](auto space) {
    const typename decltype(space)::type exec;
    evaluate<Real>(exec, static_cast<std::size_t>(n_max) + 1, {x}, F, n, between,
                   [&](const auto& orders, const auto& arguments) {
                     boys::boys_batch(exec, n_max, arguments[0], orders);
                   });
  });
}
template void boys(Backend, int, const In<double>&, const Out<double>&, std::size_t,
                   const Between&);
template void boys(Backend, int, const In<float>&, const Out<float>&, std::size_t, const Between&);

void require_rys_order(int order) { boys::detail::require_rys_order(order); }

void rys(Backend backend, int order, const In<double>& x, const In<double>& rho,
         const In<double>& omega, bool short_range, const Out<double>& result, std::size_t n,
         const Between& between) {
  if (n == 0) return;
  on_backend(backend_for(backend, n), [&](auto space) {
    const typename decltype(space)::type exec;
    evaluate<double>(exec, 2 * static_cast<std::size_t>(order), {x, rho, omega}, result, n, between,
                     [&](const auto& rows, const auto& arguments) {
                       const auto half = [&](int begin) -> std::decay_t<decltype(rows)> {
                         return Kokkos::subview(rows, Kokkos::ALL,
                                                std::make_pair(begin, begin + order));
                       };
                       boys::rys_range_batch(exec, order, arguments[0], arguments[1], arguments[2],
                                             short_range, half(0), half(order));
                     });
  });
}

}  // namespace tessera::python
